// SPDX-License-Identifier: MIT
//
// Uniform draws from all ordered pairs of different connected cells: what drawing two open cells
// and rejecting unconnected ones gives, without the rejections.
#pragma once

#include "grid.h"
#include "rng.h"

typedef struct wm_pairs {
    const wm_grid* grid;
    wm_cell* cells;          ///< Open cells, grouped by component.
    uint32_t* first;         ///< Per component: where its cells begin; one more at the end.
    uint64_t* weight_before; ///< Per component: weights of those before it; the total at the end.
} wm_pairs;

/// @param apart  leave out pairs that are one legal step apart
wm_status wm_pairs_create(wm_pairs* pairs, const wm_grid* grid, bool apart, wm_error* error);
void wm_pairs_free(wm_pairs* pairs);
/// The number of different pairs, neighbours included. 0: there is nothing to draw.
uint64_t wm_pairs_count(const wm_pairs* pairs);
/// Draws one pair, neighbours included. wm_pairs_count must not be 0.
void wm_pairs_draw(const wm_pairs* pairs, wm_rng* rng, wm_cell* start, wm_cell* goal);
/// The same, neighbours left out, for pairs created with `apart`.
void wm_pairs_draw_apart(const wm_pairs* pairs, wm_rng* rng, wm_cell* start, wm_cell* goal);
