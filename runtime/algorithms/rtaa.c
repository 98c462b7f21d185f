// SPDX-License-Identifier: MIT
//
// RTAA* (Koenig and Likhachev 2006): A* for k expansions, then every closed state learns how much
// farther than itself the best open state is: f(best) - g. The agent follows the path to that state
// and plans again there, or before where the path turns out to be blocked.
#include "episode.h"

#define MAX_EXPANSIONS 10000
#define MAX_MOVES 10000

enum { K, MOVES };

static const wm_parameter parameters[] = {
    [K] = {"k", WM_PARAMETER_INTEGER, 10, 1, MAX_EXPANSIONS, "states expanded each time it plans",
           NULL},
    [MOVES] = {"moves", WM_PARAMETER_INTEGER, 0, 0, MAX_MOVES,
               "moves until it plans again, 0 for the whole path", NULL},
    {0},
};

typedef struct rtaa_state {
    wm_episode episode;
    int64_t moves_made; // of the episode
} rtaa_state;

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    return sizeof(rtaa_state) + wm_episode_bytes(&map->grid, values->at[K]);
}

static void init(wm_agent* agent)
{
    rtaa_state* state = agent->state;
    wm_episode_init(&state->episode, agent, agent->values.at[K], state + 1);
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    (void)start;
    rtaa_state* state = agent->state;
    wm_episode_aim(&state->episode, goal);
    return WM_OK;
}

static void learn(wm_episode* episode)
{
    wm_local_space* space = &episode->space;
    const wm_node* nodes = space->open.nodes;
    const wm_cost f = nodes[episode->best].g + wm_learned_value(&space->learned, episode->best);
    for (uint32_t i = 0; i < space->inside_count; i++)
        wm_learned_raise(&space->learned, space->inside[i],
                         wm_learned_offset(&space->learned, space->inside[i]),
                         f - nodes[space->inside[i]].g);
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    rtaa_state* state = agent->state;
    const int64_t max_moves = agent->values.at[MOVES];
    if (!wm_episode_goes_on(&state->episode, agent->position) ||
        (max_moves != 0 && state->moves_made == max_moves)) {
        if (!wm_episode_plan(&state->episode, agent, agent->values.at[K])) return WM_NO_PATH;
        learn(&state->episode);
        state->moves_made = 0;
    }
    *next = wm_episode_step(&state->episode, agent->position);
    state->moves_made++;
    return WM_OK;
}

static wm_cell target(const wm_agent* agent)
{
    const rtaa_state* state = agent->state;
    return state->episode.best;
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    return (uint64_t)values->at[K];
}

const wm_algorithm wm_algorithm_rtaa = {
    .name = "rtaa",
    .summary = "RTAA*: k expansions of A*, learns from the best open state and walks to it",
    .parameters = parameters,
    .state_bytes = state_bytes,
    .init = init,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
    .target = target,
};
