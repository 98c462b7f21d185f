// SPDX-License-Identifier: MIT
//
// kNN LRTA* (Bulitko and Bjornsson 2009): go for the goal where climbing reaches it, else take the
// subgoal of the most similar record whose start and goal are climbed to from here and from the
// goal; walk there with LRTA*(d); repeat. No subgoal is used twice, and when no record fits LRTA*
// walks to the goal, so it always arrives where a path exists.
// Records with chains are followed subgoal by subgoal, with an eye open for shortcuts.
#include <string.h>

#include "climb.h"
#include "knn_query.h"
#include "lookahead.h"

enum { M, D, K, CANDIDATES, WALK };

enum { WALK_LRTA, WALK_CLIMB };

static const char* const walks[] = {"lrta", "climb", NULL};

static const wm_parameter parameters[] = {
    [M] = {"m", WM_PARAMETER_INTEGER, 25, 1, 100000, "steps of a climbing check, at most", NULL},
    [D] = {"d", WM_PARAMETER_INTEGER, 3, 1, WM_MAX_LOOKAHEAD, "moves LRTA* looks ahead", NULL},
    [K] = {"k", WM_PARAMETER_INTEGER, 1, 1, 100, "records that a subgoal is made from", NULL},
    [CANDIDATES] = {"candidates", WM_PARAMETER_INTEGER, 0, 0, WM_KNN_MAX_RECORDS,
                    "records looked at in one decision, at most; 0 for all", NULL},
    [WALK] = {"walk", WM_PARAMETER_CHOICE, WALK_LRTA, 0, 1,
              "climb: to subgoals by climbing, and by LRTA* where that ends", walks},
    {0},
};

// On a chain, shortcuts are looked for every so many moves.
#define SHORTCUT_INTERVAL 5

typedef struct knn_state {
    wm_lookahead lookahead;
    wm_knn_limits limits;
    wm_knn_taboo* taboo;
    wm_knn_match* matches; // scratch of a decision
    bool has_target;
    const wm_cell* chain; // the target's place in its record's chain; NULL when off a chain
    uint32_t chain_left;  // subgoals behind it
    uint32_t moves_on_chain;
    bool climbing; // toward the target, until it does not get nearer
} knn_state;

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)values;
    return sizeof(knn_state) + wm_lookahead_bytes(&map->grid) +
           wm_knn_taboo_words(&map->grid) * sizeof(wm_knn_taboo) +
           db->knn.count * sizeof(wm_knn_match);
}

static void init(wm_agent* agent)
{
    knn_state* state = agent->state;
    const wm_grid* grid = agent->grid;
    wm_lookahead_init(&state->lookahead, grid, state + 1);
    state->taboo = state->lookahead.learned.words + grid->cell_count;
    state->matches = (wm_knn_match*)(state->taboo + wm_knn_taboo_words(grid));
    state->limits = (wm_knn_limits){.max_climb = (uint32_t)agent->values.at[M],
                                    .neighbours = (uint32_t)agent->values.at[K],
                                    .max_candidates = (uint32_t)agent->values.at[CANDIDATES]};
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    (void)start;
    (void)goal;
    knn_state* state = agent->state;
    memset(state->taboo, 0, wm_knn_taboo_words(agent->grid) * sizeof *state->taboo);
    state->has_target = false;
    state->chain = NULL;
    return WM_OK;
}

static void aim(wm_agent* agent, wm_cell target)
{
    knn_state* state = agent->state;
    state->has_target = true;
    state->climbing = agent->values.at[WALK] == WALK_CLIMB;
    wm_lookahead_aim(&state->lookahead, target);
}

static void decide(wm_agent* agent)
{
    knn_state* state = agent->state;
    if (agent->grid->revision != 0) {
        aim(agent, agent->goal); // records say nothing about a map that was edited
        return;
    }
    const wm_knn* knn = &agent->db->knn;
    const wm_knn_decision decision =
        wm_knn_decide(agent->map, agent->db, &state->limits, state->taboo, state->matches,
                      agent->position, agent->goal);
    agent->expansions += decision.climb_steps;
    state->chain = NULL;
    if (decision.from_record && knn->parameters.chains && state->limits.neighbours == 1) {
        const wm_knn_record* record = &knn->records[decision.record];
        state->chain = knn->subgoals + record->first_subgoal;
        state->chain_left = record->subgoal_count - 1;
        state->moves_on_chain = 0;
    }
    aim(agent, decision.subgoal);
}

static void follow_chain(wm_agent* agent)
{
    knn_state* state = agent->state;
    state->chain++;
    state->chain_left--;
    aim(agent, *state->chain);
}

// Leaves the chain for the goal, or skips a subgoal, where climbing shows that nothing is lost.
static void look_for_shortcut(wm_agent* agent)
{
    knn_state* state = agent->state;
    const wm_grid* grid = agent->grid;
    const wm_climb to_goal =
        wm_climb_run(grid, agent->position, agent->goal, state->limits.max_climb);
    agent->expansions += to_goal.steps;
    if (to_goal.reached) {
        state->chain = NULL;
        aim(agent, agent->goal);
        return;
    }
    if (state->chain_left == 0 || state->chain[1] == agent->position) return;
    const wm_climb to_next =
        wm_climb_run(grid, agent->position, state->chain[1], state->limits.max_climb);
    agent->expansions += to_next.steps;
    // At most 1 % longer than the octile distance.
    const wm_cost straight = wm_grid_octile(grid, agent->position, state->chain[1]);
    if (to_next.reached && 100 * to_next.cost <= 101 * straight) follow_chain(agent);
}

// LRTA* may leave the way by which a subgoal is climbed to: of equal values it takes others.
static int climb_on(wm_agent* agent)
{
    const knn_state* state = agent->state;
    const wm_point p = wm_grid_point(agent->grid, agent->position);
    const wm_point q = state->lookahead.learned.target_point;
    agent->expansions++;
    return wm_climb_direction(agent->grid->moves[agent->position], q.x - p.x, q.y - p.y);
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    knn_state* state = agent->state;
    while (!state->has_target || agent->position == state->lookahead.learned.target) {
        if (state->has_target && state->chain != NULL && state->chain_left > 0)
            follow_chain(agent);
        else
            decide(agent);
    }
    if (state->chain != NULL && state->moves_on_chain++ % SHORTCUT_INTERVAL == 0)
        look_for_shortcut(agent);
    int direction = state->climbing ? climb_on(agent) : -1;
    if (direction < 0) {
        state->climbing = false;
        direction = wm_lookahead_step(&state->lookahead, agent->position, (int)agent->values.at[D],
                                      &agent->expansions);
    }
    if (direction < 0) return WM_NO_PATH;
    *next = wm_grid_step(agent->grid, agent->position, direction);
    return WM_OK;
}

static bool has_data(const wm_db* db)
{
    return db->has_knn;
}

static wm_cell target(const wm_agent* agent)
{
    const knn_state* state = agent->state;
    return state->lookahead.learned.target;
}

// A decision, a look for shortcuts, and a move that climbing does not make.
static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)map;
    const uint64_t climb = (uint64_t)values->at[M];
    const uint64_t cap = (uint64_t)values->at[CANDIDATES];
    const uint64_t candidates = cap == 0 || cap > db->knn.count ? db->knn.count : cap;
    return climb * (1 + 2 * candidates) + 2 * climb + 1 +
           wm_lookahead_most_expansions((int)values->at[D]);
}

const wm_algorithm wm_algorithm_knn_lrta = {
    .name = "knn-lrta",
    .summary = "kNN LRTA*: walks from subgoal to subgoal of the most similar stored problems",
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
