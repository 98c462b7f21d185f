// SPDX-License-Identifier: MIT
//
// LRTA* (Korf 1990) with a lookahead of d moves: go where step cost + value is least and raise the
// value of the state that is left. Never ends where there is no path.
#include "lookahead.h"

enum { D };

static const wm_parameter parameters[] = {
    [D] = {"d", WM_PARAMETER_INTEGER, 1, 1, WM_MAX_LOOKAHEAD, "moves looked ahead", NULL},
    {0},
};

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    (void)values;
    return sizeof(wm_lookahead) + wm_lookahead_bytes(&map->grid);
}

static void init(wm_agent* agent)
{
    wm_lookahead* lookahead = agent->state;
    wm_lookahead_init(lookahead, agent->grid, lookahead + 1);
    lookahead->learned.heuristic = agent->heuristic;
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    (void)start;
    wm_lookahead_aim(agent->state, goal);
    return WM_OK;
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    const int direction = wm_lookahead_step(agent->state, agent->position, (int)agent->values.at[D],
                                            &agent->expansions);
    if (direction < 0) return WM_NO_PATH;
    *next = wm_grid_step(agent->grid, agent->position, direction);
    return WM_OK;
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    return wm_lookahead_most_expansions((int)values->at[D]);
}

const wm_algorithm wm_algorithm_lrta = {
    .name = "lrta",
    .summary = "LRTA*: learns heuristic values while it walks, d moves of lookahead",
    .parameters = parameters,
    .state_bytes = state_bytes,
    .init = init,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
};
