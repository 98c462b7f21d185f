// SPDX-License-Identifier: MIT
//
// TBA*: f = g + h.
#include "tb_bfs.h"

static const wm_parameter parameters[] = {WM_TB_PARAMETER_K, {0}};

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    wm_tb_begin(agent->state, start, goal, (wm_search_weights){1, 1});
    return WM_OK;
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    return wm_tb_step(agent->state, agent, (uint64_t)agent->values.at[0], next);
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    return (uint64_t)values->at[0];
}

const wm_algorithm wm_algorithm_tba = {
    .name = "tba",
    .plans_ahead = true,
    .summary = "time-bounded A*: one A* search, k states a move, backtracking",
    .parameters = parameters,
    .state_bytes = wm_tb_state_bytes,
    .init = wm_tb_init_state,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
};
