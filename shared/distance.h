// SPDX-License-Identifier: MIT
//
// Exact distances from one cell to all others, for problems, statistics and checks.
#pragma once

#include "grid.h"

typedef struct wm_distances {
    const wm_grid* grid;
    wm_cost* cost;    ///< Per cell; WM_COST_INFINITE where nothing leads.
    wm_cell* reached; ///< The cells of finite cost, in no order to rely on.
    size_t reached_count;
    wm_cell* bucket[3]; ///< Cells to look at, by cost in units of one straight step, modulo 3.
    size_t bucket_size[3];
    size_t bucket_capacity[3];
} wm_distances;

wm_status wm_distances_create(wm_distances* distances, const wm_grid* grid, wm_error* error);
void wm_distances_free(wm_distances* distances);
/// Computes the distances from `source`; those above `limit` may be left infinite. The time goes
/// with the number of cells reached, not with the size of the map.
/// @return WM_OK or WM_ERR_MEMORY
wm_status wm_distances_from(wm_distances* distances, wm_cell source, wm_cost limit);
/// The same from the nearest of several cells, all of them different.
wm_status wm_distances_from_any(wm_distances* distances, const wm_cell* sources, size_t count,
                                wm_cost limit);
