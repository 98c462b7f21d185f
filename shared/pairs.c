// SPDX-License-Identifier: MIT
#include "pairs.h"

#include "alloc.h"

// At most four cells of a grid are all neighbours of each other.
#define LARGEST_CLIQUE 4

static bool has_cells_apart(const wm_pairs* pairs, uint32_t begin, uint32_t end)
{
    if (end - begin > LARGEST_CLIQUE) return true;
    for (uint32_t i = begin; i < end; i++) {
        for (uint32_t j = i + 1; j < end; j++) {
            if (wm_grid_direction_between(pairs->grid, pairs->cells[i], pairs->cells[j]) < 0)
                return true;
        }
    }
    return false;
}

static void group_by_component(wm_pairs* pairs)
{
    const wm_grid* grid = pairs->grid;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (wm_grid_is_open(grid, cell)) pairs->first[grid->component[cell]]++;
    }
    for (uint32_t i = 1; i <= grid->component_count; i++) pairs->first[i] += pairs->first[i - 1];
    // From the back, so that each component's cells stay in order and `first` ends at its begin.
    for (wm_cell cell = grid->cell_count; cell-- > 0;) {
        if (wm_grid_is_open(grid, cell)) pairs->cells[--pairs->first[grid->component[cell]]] = cell;
    }
    for (uint32_t i = 0; i < grid->component_count; i++) pairs->first[i] = pairs->first[i + 1];
    pairs->first[grid->component_count] = grid->open_count;
}

wm_status wm_pairs_create(wm_pairs* pairs, const wm_grid* grid, bool apart, wm_error* error)
{
    const size_t components = (size_t)grid->component_count + 1;
    *pairs = (wm_pairs){.grid = grid};
    pairs->cells = wm_alloc(NULL, grid->open_count, sizeof *pairs->cells);
    pairs->first = wm_alloc(NULL, components, sizeof *pairs->first);
    pairs->weight_before = wm_alloc(NULL, components, sizeof *pairs->weight_before);
    if (pairs->cells == NULL || pairs->first == NULL || pairs->weight_before == NULL) {
        wm_pairs_free(pairs);
        return wm_fail_memory(error, grid->open_count * sizeof *pairs->cells + components * 12);
    }
    group_by_component(pairs);
    for (uint32_t i = 0; i < grid->component_count; i++) {
        const uint64_t size = pairs->first[i + 1] - pairs->first[i];
        const bool counts = !apart || has_cells_apart(pairs, pairs->first[i], pairs->first[i + 1]);
        pairs->weight_before[i + 1] = pairs->weight_before[i] + (counts ? size * (size - 1) : 0);
    }
    return WM_OK;
}

void wm_pairs_free(wm_pairs* pairs)
{
    const size_t components = pairs->grid == NULL ? 0 : (size_t)pairs->grid->component_count + 1;
    wm_release(NULL, pairs->cells, pairs->grid == NULL ? 0 : pairs->grid->open_count,
               sizeof *pairs->cells);
    wm_release(NULL, pairs->first, components, sizeof *pairs->first);
    wm_release(NULL, pairs->weight_before, components, sizeof *pairs->weight_before);
    *pairs = (wm_pairs){0};
}

uint64_t wm_pairs_count(const wm_pairs* pairs)
{
    return pairs->weight_before[pairs->grid->component_count];
}

void wm_pairs_draw(const wm_pairs* pairs, wm_rng* rng, wm_cell* start, wm_cell* goal)
{
    const uint64_t target = wm_rng_below(rng, wm_pairs_count(pairs));
    uint32_t low = 0; // the last component whose weights begin at or before the target
    uint32_t high = pairs->grid->component_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (pairs->weight_before[middle] <= target)
            low = middle;
        else
            high = middle;
    }
    const uint64_t others = pairs->first[low + 1] - pairs->first[low] - 1;
    const uint64_t within = target - pairs->weight_before[low];
    const uint64_t i = within / others;
    const uint64_t j = within % others;
    *start = pairs->cells[pairs->first[low] + i];
    *goal = pairs->cells[pairs->first[low] + j + (j >= i)];
}

void wm_pairs_draw_apart(const wm_pairs* pairs, wm_rng* rng, wm_cell* start, wm_cell* goal)
{
    do wm_pairs_draw(pairs, rng, start, goal);
    while (wm_grid_direction_between(pairs->grid, *start, *goal) >= 0);
}
