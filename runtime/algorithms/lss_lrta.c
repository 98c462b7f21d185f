// SPDX-License-Identifier: MIT
//
// LSS-LRTA* (Koenig and Sun 2009): A* for k expansions, then every closed state learns the least
// cost through the open states, by Dijkstra's algorithm back from them. The agent follows the path
// to the best open state and plans again there, or before where the path turns out to be blocked.
// Only the states that A* expands are counted: the way back generates nothing new.
#include "episode.h"

#define MAX_EXPANSIONS 10000

enum { K };

static const wm_parameter parameters[] = {
    [K] = {"k", WM_PARAMETER_INTEGER, 10, 1, MAX_EXPANSIONS, "states expanded each time it plans",
           NULL},
    {0},
};

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    return sizeof(wm_episode) + wm_episode_bytes(&map->grid, values->at[K]);
}

static void init(wm_agent* agent)
{
    wm_episode* episode = agent->state;
    wm_episode_init(episode, agent, agent->values.at[K], episode + 1);
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    (void)start;
    wm_episode_aim(agent->state, goal);
    return WM_OK;
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    wm_episode* episode = agent->state;
    if (!wm_episode_goes_on(episode, agent->position)) {
        if (!wm_episode_plan(episode, agent, agent->values.at[K])) return WM_NO_PATH;
        wm_local_space_learn(&episode->space);
    }
    *next = wm_episode_step(episode, agent->position);
    return WM_OK;
}

static wm_cell target(const wm_agent* agent)
{
    const wm_episode* episode = agent->state;
    return episode->best;
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    return (uint64_t)values->at[K];
}

const wm_algorithm wm_algorithm_lss_lrta = {
    .name = "lss-lrta",
    .summary = "LSS-LRTA*: k expansions of A*, learns from all open states, walks to the best one",
    .parameters = parameters,
    .state_bytes = state_bytes,
    .init = init,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
    .target = target,
};
