// SPDX-License-Identifier: MIT
#include "changes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "internal.h"

wm_status wm_changes_create(wm_changes* changes, const wm_map* map, wm_error* error)
{
    const wm_grid* grid = &map->grid;
    *changes = (wm_changes){.cell_count = grid->cell_count};
    changes->original = wm_alloc(NULL, grid->cell_count, sizeof *changes->original);
    changes->wanted = wm_alloc(NULL, grid->cell_count, sizeof *changes->wanted);
    changes->cells = wm_alloc(NULL, grid->cell_count, sizeof *changes->cells);
    if (changes->original == NULL || changes->wanted == NULL || changes->cells == NULL) {
        wm_changes_free(changes);
        return wm_fail_memory(error, grid->cell_count * (2 + sizeof *changes->cells));
    }
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        changes->original[cell] = wm_grid_is_open(grid, cell);
        changes->open_count += changes->original[cell];
    }
    wm_changes_begin(changes, 0, 0);
    return WM_OK;
}

void wm_changes_free(wm_changes* changes)
{
    wm_release(NULL, changes->original, changes->cell_count, sizeof *changes->original);
    wm_release(NULL, changes->wanted, changes->cell_count, sizeof *changes->wanted);
    wm_release(NULL, changes->cells, changes->cell_count, sizeof *changes->cells);
    free(changes->edits);
    *changes = (wm_changes){0};
}

// Drawing leaves the cells in disorder, so a sequence that is to be repeated needs them in order.
void wm_changes_begin(wm_changes* changes, unsigned rate, uint64_t seed)
{
    uint32_t open = 0;
    uint32_t blocked = changes->open_count;
    assert(rate <= WM_CHANGES_MAX_RATE);
    changes->rate = rate;
    changes->rng = wm_rng_start(seed, rate);
    for (wm_cell cell = 0; cell < changes->cell_count; cell++)
        changes->cells[changes->original[cell] ? open++ : blocked++] = cell;
}

// Flips the rate's share of some cells: the first steps of a shuffle draw without repetition.
static void flip_some(wm_changes* changes, wm_cell* cells, uint32_t count)
{
    const uint32_t flips = (uint32_t)((uint64_t)count * changes->rate / WM_CHANGES_MAX_RATE);
    for (uint32_t i = 0; i < flips; i++) {
        const uint32_t j = i + (uint32_t)wm_rng_below(&changes->rng, count - i);
        const wm_cell drawn = cells[j];
        cells[j] = cells[i];
        cells[i] = drawn;
        changes->wanted[drawn] ^= 1;
    }
}

// One edit for each cell that is not as wanted, and none for others: agents that look at what
// changed must not see a cell that was flipped to and fro.
static wm_status edit_to_wanted(wm_changes* changes, wm_map* map, wm_error* error)
{
    const wm_grid* grid = &map->grid;
    size_t count = 0;
    assert(grid->cell_count == changes->cell_count);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        const bool open = changes->wanted[cell] != 0;
        if (wm_grid_is_open(grid, cell) == open) continue;
        if (count == changes->edit_capacity) {
            wm_cell_edit* grown =
                wm_grow(changes->edits, &changes->edit_capacity, count + 1, sizeof *grown);
            if (grown == NULL) return wm_fail_memory(error, (count + 1) * sizeof *grown);
            changes->edits = grown;
        }
        changes->edits[count++] = (wm_cell_edit){wm_grid_point(grid, cell), open};
    }
    return wm_map_edit(map, changes->edits, count, error);
}

wm_status wm_changes_apply(wm_changes* changes, wm_map* map, const wm_cell* keep_open, size_t count,
                           wm_error* error)
{
    const uint32_t open = changes->open_count;
    memcpy(changes->wanted, changes->original, changes->cell_count);
    flip_some(changes, changes->cells, open);
    flip_some(changes, changes->cells + open, changes->cell_count - open);
    for (size_t i = 0; i < count; i++) changes->wanted[keep_open[i]] = 1;
    return edit_to_wanted(changes, map, error);
}

wm_status wm_changes_revert(wm_changes* changes, wm_map* map, wm_error* error)
{
    memcpy(changes->wanted, changes->original, changes->cell_count);
    return edit_to_wanted(changes, map, error);
}
