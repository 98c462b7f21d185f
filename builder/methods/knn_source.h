// SPDX-License-Identifier: MIT
//
// Where the pairs of kNN records come from. Random ones are drawn, as paper K does it. Pairs for
// coverage join the seeds of regions that cover the map, so that no start and no goal is far from a
// record; the paper names this as work to come.
#pragma once

#include "knn.h"
#include "pairs.h"

typedef struct wm_knn_source {
    wm_pairs pairs;
    uint64_t* covering; ///< start << 32 | goal; record n takes the n-th, as far as they go.
    uint64_t covering_count;
} wm_knn_source;

/// @return WM_OK or WM_ERR_MEMORY
wm_status wm_knn_source_create(wm_knn_source* source, const wm_grid* grid,
                               const wm_knn_parameters* parameters, wm_error* error);
void wm_knn_source_free(wm_knn_source* source);
/// Whether the map has any two cells that are more than a step apart.
bool wm_knn_source_has_pairs(const wm_knn_source* source);
/// The pair of record `n`, which depends on nothing but map, parameters and n.
void wm_knn_source_draw(const wm_knn_source* source, const wm_knn_parameters* parameters,
                        uint64_t n, wm_cell* start, wm_cell* goal);
