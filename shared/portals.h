// SPDX-License-Identifier: MIT
//
// Where regions touch. Of the steps from one region into another the shortest between their seeds is a
// portal, in each of the squares into which the map is cut: one for every place where they touch.
#pragma once

#include "cover.h"

/// A way out of a region: the controller gets from anywhere in it to the cell behind the step.
typedef struct wm_portal {
    uint32_t from;
    uint32_t into;
    uint32_t square;
    wm_cell to;   ///< The first cell of the other region.
    wm_cost cost; ///< From the seed, through that cell, to the other seed.
} wm_portal;

/// Portals by rising region.
typedef struct wm_portals {
    wm_portal* list;
    uint32_t count;
} wm_portals;

/// @param side  of the squares, in cells
/// @return WM_OK or WM_ERR_MEMORY
wm_status wm_portals_find(wm_portals* portals, const wm_cover* cover, uint32_t region_count,
                          uint32_t side);
void wm_portals_free(wm_portals* portals);
