// SPDX-License-Identifier: MIT
//
// LRTA*_LS (Hernandez and Meseguer 2007): before a move of LRTA* whose state would learn, up to k
// states around it learn as well. The space grows breadth first from the agent over the states whose
// value is too low for their neighbours outside; those whose value holds stay outside, as does the
// goal. A state may wait in the queue again after it was left outside, because a neighbour that held
// its value may have come in since. Never ends where there is no path, unless all that the agent can
// reach comes into one space.
#include "local_space.h"

#define MAX_INSIDE 10000

enum { K };

static const wm_parameter parameters[] = {
    [K] = {"k", WM_PARAMETER_INTEGER, 10, 1, MAX_INSIDE, "most states that learn in one move",
           NULL},
    {0},
};

typedef struct lrta_ls_state {
    wm_local_space space; // known nodes are inside or in the queue
    wm_cell* queue;
} lrta_ls_state;

// Every state that comes in brings its neighbours, and the first one came by itself.
static size_t max_queued(const wm_grid* grid, int64_t k)
{
    return (size_t)WM_DIRECTIONS * wm_local_space_max_inside(grid, k) + 1;
}

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    return sizeof(lrta_ls_state) + wm_local_space_bytes(&map->grid, values->at[K]) +
           max_queued(&map->grid, values->at[K]) * sizeof(wm_cell);
}

static void init(wm_agent* agent)
{
    lrta_ls_state* state = agent->state;
    state->queue = wm_local_space_init(&state->space, agent->grid, agent->values.at[K], state + 1);
    state->space.learned.heuristic = agent->heuristic;
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    (void)start;
    lrta_ls_state* state = agent->state;
    wm_learned_aim(&state->space.learned, goal);
    return WM_OK;
}

static bool is_inside(const wm_local_space* space, wm_cell cell)
{
    return wm_local_space_knows(space, cell) && space->open.nodes[cell].slot == WM_NODE_CLOSED;
}

// Whether every neighbour outside is too far for the cell's value. The goal's value always holds.
static bool value_is_too_low(const wm_local_space* space, wm_cell cell)
{
    const wm_learned* learned = &space->learned;
    if (cell == learned->target) return false;
    const wm_point offset = wm_learned_offset(learned, cell);
    const wm_cost value = wm_learned_value_at(learned, cell, offset);
    for (unsigned left = learned->grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        if (!is_inside(space, wm_grid_step(learned->grid, cell, d)) &&
            wm_learned_move_cost(learned, cell, offset, d) <= value)
            return false;
    }
    return true;
}

static void set_known(wm_local_space* space, wm_cell cell, bool inside)
{
    space->open.nodes[cell] = (wm_node){.slot = inside ? WM_NODE_CLOSED : 0,
                                        .arrival = space->generation * WM_DIRECTIONS};
}

static void set_unknown(wm_local_space* space, wm_cell cell)
{
    space->open.nodes[cell].arrival = 0;
}

// Fills the space around the agent. Returns how many states it looked at, the agent's own aside.
static uint64_t grow(lrta_ls_state* state, wm_cell start, int64_t k)
{
    wm_local_space* space = &state->space;
    const wm_grid* grid = space->learned.grid;
    uint64_t looked_at = 0;
    size_t queued = 0;
    wm_local_space_clear(space);
    set_known(space, start, false);
    state->queue[queued++] = start;
    for (size_t i = 0; i < queued && space->inside_count < k; i++) {
        const wm_cell cell = state->queue[i];
        if (cell != start && cell != space->learned.target) looked_at++;
        if (!value_is_too_low(space, cell)) {
            set_unknown(space, cell);
            continue;
        }
        set_known(space, cell, true);
        wm_local_space_add(space, cell);
        for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
            const wm_cell next = wm_grid_step(grid, cell, wm_lowest_direction(left));
            if (wm_local_space_knows(space, next)) continue;
            set_known(space, next, false);
            state->queue[queued++] = next;
        }
    }
    return looked_at;
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    lrta_ls_state* state = agent->state;
    wm_learned* learned = &state->space.learned;
    const wm_point offset = wm_learned_offset(learned, agent->position);
    wm_cost least;
    agent->expansions++;
    int direction = wm_learned_best_move(learned, agent->position, offset, &least);
    if (direction < 0) return WM_NO_PATH;
    if (wm_learned_value_at(learned, agent->position, offset) < least) {
        agent->expansions += grow(state, agent->position, agent->values.at[K]);
        if (!wm_local_space_learn(&state->space)) return WM_NO_PATH;
        direction = wm_learned_step(learned, agent->position);
    }
    *next = wm_grid_step(agent->grid, agent->position, direction);
    return WM_OK;
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)db;
    return max_queued(&map->grid, values->at[K]); // the agent's own state and all that it brings
}

const wm_algorithm wm_algorithm_lrta_ls = {
    .name = "lrta-ls",
    .summary = "LRTA*_LS: LRTA* in which up to k states around the agent learn at once",
    .parameters = parameters,
    .state_bytes = state_bytes,
    .init = init,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
};
