// SPDX-License-Identifier: MIT
//
// Plain A*: the whole optimal path before the first move. The yardstick, not real-time.
#include "internal.h"
#include "search.h"

typedef struct astar_state {
    wm_search search;
    bool planned;
} astar_state;

static const wm_parameter parameters[] = {{0}};

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    (void)values;
    return sizeof(astar_state) + wm_search_bytes(&map->grid);
}

static void init(wm_agent* agent)
{
    astar_state* state = agent->state;
    wm_search_init(&state->search, agent->grid, state + 1);
    state->search.heuristic = agent->heuristic;
}

// Searches from the goal to the start, so that every parent is the next step.
static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    astar_state* state = agent->state;
    wm_search_begin(&state->search, goal, start, (wm_search_weights){1, 1});
    state->planned = false;
    return WM_OK;
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    astar_state* state = agent->state;
    if (!state->planned) {
        const wm_search_result result = wm_search_run(&state->search, UINT64_MAX);
        agent->expansions += state->search.expansions;
        if (result == WM_SEARCH_FAILED) return WM_NO_PATH;
        state->planned = true;
    }
    *next = wm_search_parent(&state->search, agent->position);
    return WM_OK;
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    (void)values;
    return UINT64_MAX; // all of it before the first move
}

const wm_algorithm wm_algorithm_astar = {
    .name = "astar",
    .plans_ahead = true,
    .summary = "A*: plans the whole optimal path before the first move",
    .parameters = parameters,
    .state_bytes = state_bytes,
    .init = init,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
};
