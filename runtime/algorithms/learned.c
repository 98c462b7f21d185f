// SPDX-License-Identifier: MIT
#include "learned.h"

#include <string.h>

#define MAX_GENERATION ((UINT32_C(1) << (64 - WM_LEARNED_VALUE_BITS)) - 1)

size_t wm_learned_bytes(const wm_grid* grid)
{
    return (size_t)grid->cell_count * sizeof(uint64_t);
}

void wm_learned_init(wm_learned* learned, const wm_grid* grid, void* memory)
{
    *learned = (wm_learned){.grid = grid, .words = memory};
}

void wm_learned_aim(wm_learned* learned, wm_cell target)
{
    if (learned->generation == MAX_GENERATION) {
        memset(learned->words, 0, wm_learned_bytes(learned->grid));
        learned->generation = 0;
    }
    learned->generation++;
    learned->target = target;
    learned->target_point = wm_grid_point(learned->grid, target);
}

int wm_learned_best_move(const wm_learned* learned, wm_cell cell, wm_point offset, wm_cost* least)
{
    int best = -1;
    *least = WM_COST_INFINITE;
    for (unsigned left = learned->grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cost f = wm_learned_move_cost(learned, cell, offset, d);
        if (f >= *least) continue;
        *least = f;
        best = d;
    }
    return best;
}

int wm_learned_step(wm_learned* learned, wm_cell cell)
{
    const wm_point offset = wm_learned_offset(learned, cell);
    wm_cost least;
    const int best = wm_learned_best_move(learned, cell, offset, &least);
    if (best >= 0 && least > wm_learned_value_at(learned, cell, offset))
        wm_learned_set(learned, cell, least);
    return best;
}
