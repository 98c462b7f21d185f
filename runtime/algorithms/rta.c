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
    const wm_point offset =
        wm_bearing_take(&learned->bearing, agent->grid, agent->position, learned->target_point);
    uint64_t best = WM_NO_MOVE;
    uint64_t second = WM_NO_MOVE;
    wm_learned_around around;
    agent->expansions++;
    wm_learned_look_around(&around, learned, agent->position, offset);
    for (unsigned d = 0; d < WM_DIRECTIONS; d++) {
        const uint64_t key = wm_learned_key(&around, d);
        const uint64_t worse = key < best ? best : key;
        best = wm_least_key(best, key);
        second = wm_least_key(second, worse);
    }
    if (best == WM_NO_MOVE) return WM_NO_PATH;
    wm_learned_raise(learned, agent->position, offset,
                     wm_key_cost(second == WM_NO_MOVE ? best : second));
    *next = wm_bearing_go(&learned->bearing, agent->grid, agent->position, offset,
                          wm_key_direction(best));
    return WM_OK;
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    (void)values;
    return 1;
}

const wm_algorithm wm_algorithm_rta = {
    .name = "rta",
    .summary = "RTA*: as LRTA*, but learns the second best choice",
    .parameters = parameters,
    .state_bytes = state_bytes,
    .init = init,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
};
