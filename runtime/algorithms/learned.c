// SPDX-License-Identifier: MIT
#include "learned.h"

#include <string.h>

#define MAX_GENERATION ((UINT32_C(1) << (64 - WM_LEARNED_VALUE_BITS)) - 1)

size_t wm_learned_bytes(const wm_grid* grid)
{
    return ((size_t)grid->cell_count + 2 * wm_margin(grid)) * sizeof(uint64_t);
}

void wm_learned_init(wm_learned* learned, const wm_grid* grid, void* memory)
{
    *learned = (wm_learned){.grid = grid, .words = (uint64_t*)memory + wm_margin(grid)};
}

void wm_learned_aim(wm_learned* learned, wm_cell target)
{
    if (learned->generation == MAX_GENERATION) {
        memset(learned->words - wm_margin(learned->grid), 0, wm_learned_bytes(learned->grid));
        learned->generation = 0;
    }
    learned->generation++;
    learned->target = target;
    learned->target_point = wm_grid_point(learned->grid, target);
    learned->bearing.cell = WM_NO_CELL;
}

int wm_learned_best_move(const wm_learned* learned, wm_cell cell, wm_point offset, wm_cost* least)
{
    uint64_t best = WM_NO_MOVE;
    wm_learned_around around;
    wm_learned_look_around(&around, learned, cell, offset);
    for (unsigned d = 0; d < WM_DIRECTIONS; d++)
        best = wm_least_key(best, wm_learned_key(&around, d));
    *least = wm_key_cost(best);
    return wm_key_direction(best);
}

int wm_learned_step(wm_learned* learned, wm_cell cell)
{
    const wm_point offset =
        wm_bearing_take(&learned->bearing, learned->grid, cell, learned->target_point);
    wm_cost least;
    const int best = wm_learned_best_move(learned, cell, offset, &least);
    if (best < 0) return best;
    wm_learned_raise(learned, cell, offset, least);
    wm_bearing_go(&learned->bearing, learned->grid, cell, offset, best);
    return best;
}
