// SPDX-License-Identifier: MIT
//
// Regions around seeds: every cell belongs to the seed that the controller gets to and comes from
// at the least cost, within a radius. Builder and runtime flood the same seeds in the same order, so
// only the seeds are stored.
#pragma once

#include "controller.h"

#define WM_NO_REGION UINT32_MAX

/// A cell that a flood has come to, and where it lies in the window around the seed.
typedef struct wm_flooded {
    wm_cell cell;
    uint16_t at;
} wm_flooded;

/// No flood goes farther than a leg: all it comes to lies in a window around its seed, with a border
/// of cells that it only looks at.
#define WM_COVER_WINDOW_SIDE (2 * WM_MAX_LEG + 3)
#define WM_COVER_WINDOW (WM_COVER_WINDOW_SIDE * WM_COVER_WINDOW_SIDE)

typedef struct wm_cover {
    const wm_controller* controller;
    wm_cost radius;
    uint32_t* owner;  ///< Per cell: its region, or WM_NO_REGION.
    uint32_t* cost;   ///< Per cell with an owner: from the cell to its seed.
    uint16_t* window; ///< Per place around the seed: the last flood that came by, and its lines.
    uint16_t flood;
    wm_flooded* queue;
    wm_allocator allocator;
} wm_cover;

wm_status wm_cover_create(wm_cover* cover, const wm_controller* controller, wm_cost radius,
                          const wm_allocator* allocator, wm_error* error);
void wm_cover_free(wm_cover* cover);
/// Forgets all regions.
void wm_cover_reset(wm_cover* cover);
/// Gives `region` all cells around `seed` that it serves better than their owner so far.
void wm_cover_flood(wm_cover* cover, uint32_t region, wm_cell seed);
