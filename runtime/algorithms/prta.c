// SPDX-License-Identifier: MIT
//
// PRTA* (Hernandez and Baier): real-time search without learning. States where the heuristic
// misleads are marked and not entered again; where all neighbours are marked the agent takes back
// its last move. Ends by itself where there is no path.
#include <string.h>

#include "internal.h"

// The stack holds directions. A state may be on it several times; four times the cells has always
// been enough by far, and a full stack is told, not hidden.
#define STACK_PER_CELL 4u
#define STACK_EXTRA 4096u

typedef struct prta_state {
    uint32_t* marked; // per cell: the generation in which it was marked
    uint32_t generation;
    uint8_t* stack;
    size_t height;
    size_t capacity;
} prta_state;

static const wm_parameter parameters[] = {{0}};

static size_t stack_capacity(const wm_grid* grid)
{
    return (size_t)grid->cell_count * STACK_PER_CELL + STACK_EXTRA;
}

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    (void)values;
    return sizeof(prta_state) + map->grid.cell_count * sizeof(uint32_t) +
           stack_capacity(&map->grid);
}

static void init(wm_agent* agent)
{
    prta_state* state = agent->state;
    const wm_grid* grid = agent->grid;
    state->marked = (uint32_t*)(state + 1);
    state->stack = (uint8_t*)(state->marked + grid->cell_count);
    state->capacity = stack_capacity(grid);
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    (void)start;
    (void)goal;
    prta_state* state = agent->state;
    if (state->generation == UINT32_MAX) {
        memset(state->marked, 0, agent->grid->cell_count * sizeof *state->marked);
        state->generation = 0;
    }
    state->generation++;
    state->height = 0;
    return WM_OK;
}

// The best unmarked neighbour's direction and its step cost + heuristic; -1 where there is none.
static int best_unmarked(const wm_agent* agent, int32_t dx, int32_t dy, wm_cost* least)
{
    const prta_state* state = agent->state;
    const wm_grid* grid = agent->grid;
    int best = -1;
    *least = WM_COST_INFINITE;
    for (unsigned left = grid->moves[agent->position]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        if (state->marked[wm_grid_step(grid, agent->position, d)] == state->generation) continue;
        const wm_cost f = wm_direction_cost[d] + wm_guess(agent->heuristic, dx + wm_direction_x[d],
                                                          dy + wm_direction_y[d]);
        if (f >= *least) continue;
        *least = f;
        best = d;
    }
    return best;
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    prta_state* state = agent->state;
    const wm_grid* grid = agent->grid;
    const wm_point p = wm_grid_point(grid, agent->position);
    const wm_point goal = wm_grid_point(grid, agent->goal);
    const int32_t dx = p.x - goal.x;
    const int32_t dy = p.y - goal.y;
    wm_cost least;
    const int best = best_unmarked(agent, dx, dy, &least);
    agent->expansions++;
    if (best < 0 || wm_guess(agent->heuristic, dx, dy) < least)
        state->marked[agent->position] = state->generation;
    if (best >= 0) {
        if (state->height == state->capacity) return WM_ERR_MEMORY;
        state->stack[state->height++] = (uint8_t)best;
        *next = wm_grid_step(grid, agent->position, best);
        return WM_OK;
    }
    if (state->height == 0) return WM_NO_PATH;
    *next = agent->position - (wm_cell)grid->offset[state->stack[--state->height]];
    agent->back_moves++;
    return WM_OK;
}

const wm_algorithm wm_algorithm_prta = {
    .name = "prta",
    .summary = "PRTA*: marks misleading states instead of learning, backtracks when surrounded",
    .parameters = parameters,
    .state_bytes = state_bytes,
    .init = init,
    .begin = begin,
    .step = step,
};
