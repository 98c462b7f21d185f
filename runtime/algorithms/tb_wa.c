// SPDX-License-Identifier: MIT
//
// TB-WA*: f = g + w h, in thousandths so that it stays exact.
#include "tb_bfs.h"

enum { K, W, REOPEN };

static const wm_parameter parameters[] = {
    [K] = WM_TB_PARAMETER_K,
    [W] = WM_TB_PARAMETER_W,
    [REOPEN] = WM_TB_PARAMETER_REOPEN,
    {0},
};

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    wm_tb* tb = agent->state;
    const wm_search_weights weights = {1000, (uint64_t)agent->values.at[W]};
    tb->search.keep_closed = agent->values.at[REOPEN] == 0;
    wm_tb_begin(tb, start, goal, weights);
    return WM_OK;
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    return wm_tb_step(agent->state, agent, (uint64_t)agent->values.at[K], next);
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    return (uint64_t)values->at[K];
}

const wm_algorithm wm_algorithm_tb_wa = {
    .name = "tb-wa",
    .plans_ahead = true,
    .summary = "time-bounded weighted A*: as tba, with the heuristic weighted by w",
    .parameters = parameters,
    .state_bytes = wm_tb_state_bytes,
    .init = wm_tb_init_state,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
};
