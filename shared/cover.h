// SPDX-License-Identifier: MIT
//
// Regions around seeds: every cell belongs to the seed that the controller gets to and comes from
// at the least cost, within a radius. Builder and runtime flood the same seeds in the same order, so
// only the seeds are stored.
#pragma once

#include "controller.h"

#define WM_NO_REGION UINT32_MAX
/// Regions are numbered below this: a cell's owner and cost share a word.
#define WM_COVER_REGIONS 4096

/// No flood goes farther than a leg: all it comes to lies in a window around its seed, with a border
/// of cells that it only looks at.
#define WM_COVER_WINDOW_SIDE (2 * WM_MAX_LEG + 3)
#define WM_COVER_WINDOW (WM_COVER_WINDOW_SIDE * WM_COVER_WINDOW_SIDE)

/// What does not change from flood to flood.
typedef struct wm_cover_pattern {
    uint32_t octile[WM_MAX_LEG + 1][2 * WM_MAX_LEG + 1]; ///< By rows and columns from the seed.
    uint8_t reach[WM_MAX_LEG + 1]; ///< By rows from the seed: columns within the radius, and 1.
} wm_cover_pattern;

typedef struct wm_cover {
    const wm_controller* controller;
    wm_cost radius;
    wm_cover_pattern* pattern;
    uint32_t* tenure; ///< Per cell: the cost to its seed above its region; all ones: nobody's.
    uint16_t* queue;  ///< Of a flood: places in the window.
    uint64_t* climbs; ///< Per place in the window: what the last floods found out about climbing.
    uint32_t floods;  ///< So far.
    wm_allocator allocator;
} wm_cover;

wm_status wm_cover_create(wm_cover* cover, const wm_controller* controller, wm_cost radius,
                          const wm_allocator* allocator, wm_error* error);
void wm_cover_free(wm_cover* cover);
/// Forgets all regions.
void wm_cover_reset(wm_cover* cover);
/// Gives `region` all cells around `seed` that it serves better than their owner so far.
void wm_cover_flood(wm_cover* cover, uint32_t region, wm_cell seed);

/// The region of a cell, or WM_NO_REGION.
static inline uint32_t wm_cover_owner(const wm_cover* cover, wm_cell cell)
{
    const uint32_t tenure = cover->tenure[cell];
    return tenure == UINT32_MAX ? WM_NO_REGION : tenure % WM_COVER_REGIONS;
}

/// From a cell that has an owner to its seed.
static inline wm_cost wm_cover_cost(const wm_cover* cover, wm_cell cell)
{
    return cover->tenure[cell] / WM_COVER_REGIONS;
}
