// SPDX-License-Identifier: MIT
//
// Values are backed up inside the lookahead: V0(n) = h(n), Vk(n) = max(h(n), min c + Vk-1), and the
// value of the goal is 0. Depth d needs Vk of the states within d - k moves only, all of which lie
// in a square of 2d + 1 cells around the agent. Evaluating just the frontier livelocks.
#include "lookahead.h"

#include <assert.h>
#include <string.h>

#define VALUE_BITS 40
#define VALUE_MASK ((UINT64_C(1) << VALUE_BITS) - 1)
#define MAX_GENERATION ((UINT32_C(1) << (64 - VALUE_BITS)) - 1)

#define SIDE (2 * WM_MAX_LOOKAHEAD + 1)

size_t wm_lookahead_bytes(const wm_grid* grid)
{
    return (size_t)grid->cell_count * sizeof(uint64_t);
}

void wm_lookahead_init(wm_lookahead* lookahead, const wm_grid* grid, void* memory)
{
    *lookahead = (wm_lookahead){.grid = grid, .learned = memory};
}

void wm_lookahead_aim(wm_lookahead* lookahead, wm_cell target)
{
    if (lookahead->generation == MAX_GENERATION) {
        memset(lookahead->learned, 0, wm_lookahead_bytes(lookahead->grid));
        lookahead->generation = 0;
    }
    lookahead->generation++;
    lookahead->target = target;
    lookahead->target_point = wm_grid_point(lookahead->grid, target);
}

static wm_cost value(const wm_lookahead* lookahead, wm_cell cell, int32_t dx, int32_t dy)
{
    const uint64_t word = lookahead->learned[cell];
    return word >> VALUE_BITS == lookahead->generation ? (wm_cost)(word & VALUE_MASK)
                                                       : wm_guess(lookahead->heuristic, dx, dy);
}

static void learn(wm_lookahead* lookahead, wm_cell cell, wm_cost learned)
{
    // Only where there is no path do values rise for ever: they stop at the top.
    const uint64_t kept = (uint64_t)learned < VALUE_MASK ? (uint64_t)learned : VALUE_MASK;
    lookahead->learned[cell] = (uint64_t)lookahead->generation << VALUE_BITS | kept;
}

// One move ahead is the common case and needs no table.
static int step_one(wm_lookahead* lookahead, wm_cell cell)
{
    const wm_grid* grid = lookahead->grid;
    const wm_point p = wm_grid_point(grid, cell);
    const int32_t dx = p.x - lookahead->target_point.x;
    const int32_t dy = p.y - lookahead->target_point.y;
    int best = -1;
    wm_cost least = WM_COST_INFINITE;
    for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cost f =
            wm_direction_cost[d] + value(lookahead, wm_grid_step(grid, cell, d),
                                         dx + wm_direction_x[d], dy + wm_direction_y[d]);
        if (f >= least) continue;
        least = f;
        best = d;
    }
    if (best >= 0 && least > value(lookahead, cell, dx, dy)) learn(lookahead, cell, least);
    return best;
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
    const wm_grid* grid = lookahead->grid;
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
    const wm_point p = wm_grid_point(grid, cell);
    for (int i = 0; i < count; i++) {
        const state* s = &square->states[i];
        square->h[s->place] = value(lookahead, s->cell, p.x + s->x - lookahead->target_point.x,
                                    p.y + s->y - lookahead->target_point.y);
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
        if (s->cell != lookahead->target) best_move(lookahead->grid, s, before, &backed_up);
        const wm_cost h = square->h[s->place];
        square->values[round % 2][s->place] = backed_up > h ? backed_up : h;
    }
}

int wm_lookahead_step(wm_lookahead* lookahead, wm_cell cell, int depth, uint64_t* expansions)
{
    assert(depth >= 1 && depth <= WM_MAX_LOOKAHEAD && cell != lookahead->target);
    if (depth == 1) {
        *expansions += 1;
        return step_one(lookahead, cell);
    }
    lookahead_square square;
    find_states(lookahead, &square, cell, depth);
    *expansions += (uint64_t)square.within[depth - 1];
    for (int round = 1; round < depth; round++) back_up(lookahead, &square, round, depth);
    wm_cost least;
    const int best =
        best_move(lookahead->grid, &square.states[0], square.values[(depth - 1) % 2], &least);
    if (best >= 0 && least > square.h[square.states[0].place]) learn(lookahead, cell, least);
    return best;
}
