// SPDX-License-Identifier: MIT
//
// PRTA* (Hernandez and Baier): real-time search without learning. States where the heuristic
// misleads are marked and not entered again; where all neighbours are marked the agent takes back
// its last move. Ends by itself where there is no path.
#include <string.h>

#include "internal.h"
#include "moves.h"

// The stack holds directions. A state may be on it several times; four times the cells has always
// been enough by far, and a full stack is told, not hidden.
#define STACK_PER_CELL 4u
#define STACK_EXTRA 4096u

typedef struct prta_state {
    uint32_t* marked; // per cell: the generation in which it was marked
    uint32_t generation;
    wm_point goal_point;
    wm_bearing bearing;
    uint8_t* stack;
    size_t height;
    size_t capacity;
} prta_state;

static const wm_parameter parameters[] = {{0}};

static size_t stack_capacity(const wm_grid* grid)
{
    return (size_t)grid->cell_count * STACK_PER_CELL + STACK_EXTRA;
}

static size_t mark_count(const wm_grid* grid)
{
    return grid->cell_count + 2 * wm_margin(grid);
}

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    (void)values;
    return sizeof(prta_state) + mark_count(&map->grid) * sizeof(uint32_t) +
           stack_capacity(&map->grid);
}

static void init(wm_agent* agent)
{
    prta_state* state = agent->state;
    const wm_grid* grid = agent->grid;
    uint32_t* marks = (uint32_t*)(state + 1);
    state->marked = marks + wm_margin(grid);
    state->stack = (uint8_t*)(marks + mark_count(grid));
    state->capacity = stack_capacity(grid);
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    (void)start;
    prta_state* state = agent->state;
    state->goal_point = wm_grid_point(agent->grid, goal);
    state->bearing.cell = WM_NO_CELL;
    if (state->generation == UINT32_MAX) {
        memset(state->marked, 0,
               agent->grid->cell_count * sizeof *state->marked); // no other is set
        state->generation = 0;
    }
    state->generation++;
    state->height = 0;
    return WM_OK;
}

// The best unmarked neighbour's direction and its step cost + heuristic; -1 where there is none.
static int best_unmarked(const wm_agent* agent, wm_point offset, wm_cost* least)
{
    const prta_state* state = agent->state;
    const wm_grid* grid = agent->grid;
    const unsigned moves = grid->moves[agent->position];
    uint64_t best = WM_NO_MOVE;
    wm_cost guesses[WM_DIRECTIONS];
    wm_guess_around(agent->heuristic, offset, guesses);
    for (unsigned d = 0; d < WM_DIRECTIONS; d++) {
        const uint32_t mark = state->marked[(int64_t)agent->position + grid->offset[d]];
        const uint64_t f = (uint64_t)(guesses[d] + wm_direction_cost[d]);
        best =
            wm_least_key(best, wm_move_key(f, d, (moves >> d & 1) & (mark != state->generation)));
    }
    *least = wm_key_cost(best);
    return wm_key_direction(best);
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    prta_state* state = agent->state;
    const wm_grid* grid = agent->grid;
    const wm_point offset =
        wm_bearing_take(&state->bearing, grid, agent->position, state->goal_point);
    wm_cost least;
    const int best = best_unmarked(agent, offset, &least);
    agent->expansions++;
    // Without a move `least` is infinite.
    const bool misleads = wm_guess(agent->heuristic, offset.x, offset.y) < least;
    uint32_t* mark = &state->marked[agent->position];
    *mark = misleads ? state->generation : *mark; // without a branch
    if (best >= 0) {
        if (state->height == state->capacity) return WM_ERR_MEMORY;
        state->stack[state->height++] = (uint8_t)best;
        *next = wm_bearing_go(&state->bearing, grid, agent->position, offset, best);
        return WM_OK;
    }
    if (state->height == 0) return WM_NO_PATH;
    *next = agent->position - (wm_cell)grid->offset[state->stack[--state->height]];
    agent->back_moves++;
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

const wm_algorithm wm_algorithm_prta = {
    .name = "prta",
    .summary = "PRTA*: marks misleading states instead of learning, backtracks when surrounded",
    .parameters = parameters,
    .state_bytes = state_bytes,
    .init = init,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
};
