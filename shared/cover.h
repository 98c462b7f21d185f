// SPDX-License-Identifier: MIT
//
// Regions around seeds: every cell belongs to the seed that the controller gets to and comes from
// at the least cost, within a radius. Builder and runtime flood the same seeds in the same order, so
// only the seeds are stored.
#pragma once

#include "controller.h"

#define WM_NO_REGION UINT32_MAX

/// A cell that a flood has come to, and where it lies from the seed.
typedef struct wm_flooded {
    wm_cell cell;
    int16_t dx;
    int16_t dy;
} wm_flooded;

/// No flood goes farther than a leg, so that its queue has a bound.
#define WM_COVER_QUEUE ((2 * WM_MAX_LEG + 1) * (2 * WM_MAX_LEG + 1))

typedef struct wm_cover {
    const wm_controller* controller;
    wm_cost radius;
    uint32_t* owner; ///< Per cell: its region, or WM_NO_REGION.
    uint32_t* cost;  ///< Per cell with an owner: from the cell to its seed.
    uint32_t* stamp; ///< Per cell: the last flood that came by, and the lines by which.
    uint32_t flood;
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
