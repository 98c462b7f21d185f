// SPDX-License-Identifier: MIT
//
// Values are backed up inside the lookahead: V0(n) = h(n), Vk(n) = max(h(n), min c + Vk-1), and the
// value of the goal is 0. Depth d needs Vk of the states within d - k moves only, all of which lie
// in a square of 2d + 1 cells around the agent. Evaluating just the frontier livelocks.
#include "lookahead.h"

#include <assert.h>
#include <string.h>

#define SIDE (2 * WM_MAX_LOOKAHEAD + 1)

size_t wm_lookahead_bytes(const wm_grid* grid)
{
    return wm_learned_bytes(grid);
}

void wm_lookahead_init(wm_lookahead* lookahead, const wm_grid* grid, void* memory)
{
    wm_learned_init(&lookahead->learned, grid, memory);
}

void wm_lookahead_aim(wm_lookahead* lookahead, wm_cell target)
{
    wm_learned_aim(&lookahead->learned, target);
}

// A state of the lookahead, in the order in which they were found.
typedef struct state {
    wm_cell cell;
    int16_t place; // in the square
    int8_t x;      // from the agent
    int8_t y;
} state;

typedef struct lookahead_square {
    wm_cost h[SIDE * SIDE];         // by place; what is known of the state itself
    wm_cost values[2][SIDE * SIDE]; // by place; of the round before and of this one
    bool seen[SIDE * SIDE];
    state states[SIDE * SIDE];
    int within[WM_MAX_LOOKAHEAD + 1]; // how many states lie within that many moves
} lookahead_square;

static const int16_t place_offset[WM_DIRECTIONS] = {
    -SIDE, -SIDE + 1, 1, SIDE + 1, SIDE, SIDE - 1, -1, -SIDE - 1,
};

static void find_states(const wm_lookahead* lookahead, lookahead_square* square, wm_cell cell,
                        int depth)
{
    const wm_grid* grid = lookahead->learned.grid;
    const int16_t middle = SIDE * SIDE / 2;
    memset(square->seen, 0, sizeof square->seen);
    square->states[0] = (state){.cell = cell, .place = middle};
    square->seen[middle] = true;
    int count = 1;
    int next = 0;
    square->within[0] = 1;
    for (int distance = 1; distance <= depth; distance++) {
        for (const int end = count; next < end; next++) {
            const state from = square->states[next];
            for (unsigned left = grid->moves[from.cell]; left != 0; left &= left - 1) {
                const int d = wm_lowest_direction(left);
                const int16_t place = (int16_t)(from.place + place_offset[d]);
                if (square->seen[place]) continue;
                square->seen[place] = true;
                square->states[count++] = (state){.cell = wm_grid_step(grid, from.cell, d),
                                                  .place = place,
                                                  .x = (int8_t)(from.x + wm_direction_x[d]),
                                                  .y = (int8_t)(from.y + wm_direction_y[d])};
            }
        }
        square->within[distance] = count;
    }
    const wm_point offset = wm_learned_offset(&lookahead->learned, cell);
    for (int i = 0; i < count; i++) {
        const state* s = &square->states[i];
        square->h[s->place] = wm_learned_value_at(&lookahead->learned, s->cell,
                                                  (wm_point){offset.x + s->x, offset.y + s->y});
    }
}

// The least step cost + value of the round before over the moves from `s`, and its direction.
static int best_move(const wm_grid* grid, const state* s, const wm_cost* values, wm_cost* least)
{
    int best = -1;
    *least = WM_COST_INFINITE;
    for (unsigned left = grid->moves[s->cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cost f = wm_direction_cost[d] + values[s->place + place_offset[d]];
        if (f >= *least) continue;
        *least = f;
        best = d;
    }
    return best;
}

static void back_up(const wm_lookahead* lookahead, lookahead_square* square, int round, int depth)
{
    const wm_cost* before = round == 1 ? square->h : square->values[(round - 1) % 2];
    for (int i = 0; i < square->within[depth - round]; i++) {
        const state* s = &square->states[i];
        wm_cost backed_up = 0;
        if (s->cell != lookahead->learned.target)
            best_move(lookahead->learned.grid, s, before, &backed_up);
        const wm_cost h = square->h[s->place];
        square->values[round % 2][s->place] = backed_up > h ? backed_up : h;
    }
}

int wm_lookahead_step(wm_lookahead* lookahead, wm_cell cell, int depth, uint64_t* expansions)
{
    assert(depth >= 1 && depth <= WM_MAX_LOOKAHEAD && cell != lookahead->learned.target);
    if (depth == 1) { // the common case needs no table
        *expansions += 1;
        return wm_learned_step(&lookahead->learned, cell);
    }
    lookahead_square square;
    find_states(lookahead, &square, cell, depth);
    *expansions += (uint64_t)square.within[depth - 1];
    for (int round = 1; round < depth; round++) back_up(lookahead, &square, round, depth);
    wm_cost least;
    const int best = best_move(lookahead->learned.grid, &square.states[0],
                               square.values[(depth - 1) % 2], &least);
    if (best >= 0 && least > square.h[square.states[0].place])
        wm_learned_set(&lookahead->learned, cell, least);
    return best;
}
