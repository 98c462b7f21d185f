// SPDX-License-Identifier: MIT
//
// RTA* (Korf 1990): go where step cost + value is least, and leave the second least behind as the
// value of the state: what it costs to go on from there if the first choice turns out badly. Where
// there is one move only, that one counts. Never ends where there is no path.
#include "learned.h"

static const wm_parameter parameters[] = {{0}};

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    (void)values;
    return sizeof(wm_learned) + wm_learned_bytes(&map->grid);
}

static void init(wm_agent* agent)
{
    wm_learned* learned = agent->state;
    wm_learned_init(learned, agent->grid, learned + 1);
    learned->heuristic = agent->heuristic;
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    (void)start;
    wm_learned_aim(agent->state, goal);
    return WM_OK;
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    wm_learned* learned = agent->state;
    const wm_point offset = wm_learned_offset(learned, agent->position);
    int best = -1;
    wm_cost least = WM_COST_INFINITE;
    wm_cost second = WM_COST_INFINITE;
    agent->expansions++;
    for (unsigned left = agent->grid->moves[agent->position]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cost f = wm_learned_move_cost(learned, agent->position, offset, d);
        if (f < least) {
            second = least;
            least = f;
            best = d;
        } else if (f < second) {
            second = f;
        }
    }
    if (best < 0) return WM_NO_PATH;
    wm_learned_raise(learned, agent->position, second == WM_COST_INFINITE ? least : second);
    *next = wm_grid_step(agent->grid, agent->position, best);
    return WM_OK;
}

const wm_algorithm wm_algorithm_rta = {
    .name = "rta",
    .summary = "RTA*: as LRTA*, but learns the second best choice",
    .parameters = parameters,
    .state_bytes = state_bytes,
    .init = init,
    .begin = begin,
    .step = step,
};
