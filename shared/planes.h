// SPDX-License-Identifier: MIT
//
// Four bit planes that answer "are the next n steps in this direction legal?" with one load: a bit
// a cell for the steps east, south, south-east and north-east, laid out so that a run is contiguous.
// The other four directions are the same runs from the other end, because legal steps can be taken
// back.
#pragma once

#include "grid.h"

typedef struct wm_planes {
    const wm_grid* grid;
    uint8_t* bits; ///< All four planes, with eight bytes behind them so that loads may overhang.
    size_t bytes;
    size_t begin[4];  ///< Where each plane begins: east, south-east, south, north-east.
    size_t stride[4]; ///< Bytes from row to row of a plane.
    uint32_t diagonal_mask;
    wm_allocator allocator;
} wm_planes;

wm_status wm_planes_create(wm_planes* planes, const wm_grid* grid, const wm_allocator* allocator,
                           wm_error* error);
void wm_planes_free(wm_planes* planes);

/// Whether `steps` steps in direction `d` from `p` are legal. They must stay on the map.
bool wm_planes_clear(const wm_planes* planes, wm_point p, int d, int32_t steps);

/// A line between two cells as an agent walks it: at most two runs.
typedef struct wm_line {
    uint8_t direction[2];
    uint16_t steps[2];
} wm_line;

/// Finds a line of octile length from `a` to `b`: diagonal first, else straight first. False when
/// both are blocked. Adds the steps of all runs that it looked at to `*states`.
bool wm_planes_line(const wm_planes* planes, wm_point a, wm_point b, wm_line* line,
                    uint64_t* states);
