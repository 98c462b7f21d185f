// SPDX-License-Identifier: MIT
//
// D LRTA* (Bulitko, Lustrek, Schaeffer, Bjornsson, Sigmundarson 2008): the map is cut into regions,
// and a table has a subgoal for every pair of them. LRTA*(d) walks to the one for the agent's region
// and the goal's, until it is there or in another region; in the goal's region it walks to the goal.
// A subgoal lies outside of the region that it is for, so LRTA* always comes to the next lookup. But
// borders are crossed to and fro, and lookups can lead round and round. So only a region where the
// agent has not looked up anything yet makes it change its mind on the way, and a region is looked
// up 4 times a walk at most; where that is used up LRTA* walks to the goal, until it comes to a
// region that is new to it: what it learned is forgotten at each lookup, so an interruption must be
// worth it. Lookups are bounded, so the agent always arrives where a path exists.
#include <string.h>

#include "lookahead.h"

enum { D };

static const wm_parameter parameters[] = {
    [D] = {"d", WM_PARAMETER_INTEGER, 3, 1, WM_MAX_LOOKAHEAD, "moves LRTA* looks ahead", NULL},
    {0},
};

// More would only make the rounds longer.
#define MAX_LOOKUPS 4

typedef struct d_lrta_state {
    wm_lookahead lookahead;
    uint8_t* lookups; // per region: in this walk
    uint32_t region;  // where the target was chosen
    bool has_target;
    bool to_goal; // by LRTA* alone, for the whole walk
} d_lrta_state;

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)values;
    return sizeof(d_lrta_state) + wm_lookahead_bytes(&map->grid) + db->d_lrta.count;
}

static void init(wm_agent* agent)
{
    d_lrta_state* state = agent->state;
    wm_lookahead_init(&state->lookahead, agent->grid, state + 1);
    state->lookups = (uint8_t*)(state->lookahead.learned.words + agent->grid->cell_count);
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    d_lrta_state* state = agent->state;
    memset(state->lookups, 0, agent->db->d_lrta.count);
    state->has_target = false;
    // The table says nothing about a map that was edited, nor about ways that there are not.
    state->to_goal = agent->grid->revision != 0 || !wm_grid_connected(agent->grid, start, goal);
    return WM_OK;
}

static wm_cell choose_target(wm_agent* agent)
{
    d_lrta_state* state = agent->state;
    const wm_d_lrta* d_lrta = &agent->db->d_lrta;
    if (state->to_goal) return agent->goal;
    const uint32_t region = d_lrta->region[agent->position];
    state->region = region;
    const uint32_t goal_region = d_lrta->region[agent->goal];
    if (region == goal_region || state->lookups[region] == MAX_LOOKUPS) return agent->goal;
    state->lookups[region]++;
    return wm_d_lrta_subgoal(d_lrta, region, goal_region);
}

static bool needs_target(const wm_agent* agent)
{
    const d_lrta_state* state = agent->state;
    const wm_d_lrta* d_lrta = &agent->db->d_lrta;
    if (!state->has_target || state->lookahead.learned.target == agent->position) return true;
    if (state->to_goal) return false;
    const uint32_t region = d_lrta->region[agent->position];
    if (region == state->region) return false;
    if (region == d_lrta->region[agent->goal])
        return state->lookahead.learned.target != agent->goal;
    return state->lookups[region] == 0;
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    d_lrta_state* state = agent->state;
    if (needs_target(agent)) {
        const wm_cell chosen = choose_target(agent);
        // What was learned on the way to a subgoal still holds if another region has it too.
        if (!state->has_target || state->lookahead.learned.target != chosen)
            wm_lookahead_aim(&state->lookahead, chosen);
        state->has_target = true;
    }
    const int direction = wm_lookahead_step(&state->lookahead, agent->position,
                                            (int)agent->values.at[D], &agent->expansions);
    if (direction < 0) return WM_NO_PATH;
    *next = wm_grid_step(agent->grid, agent->position, direction);
    return WM_OK;
}

static bool has_data(const wm_db* db)
{
    return db->has_d_lrta;
}

static wm_cell target(const wm_agent* agent)
{
    const d_lrta_state* state = agent->state;
    return state->lookahead.learned.target;
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    return wm_lookahead_most_expansions((int)values->at[D]);
}

const wm_algorithm wm_algorithm_d_lrta = {
    .name = "d-lrta",
    .summary = "D LRTA*: walks from region to region by a table of subgoals for all pairs",
    .parameters = parameters,
    .needs_database = true,
    .has_data = has_data,
    .state_bytes = state_bytes,
    .init = init,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
    .target = target,
};
