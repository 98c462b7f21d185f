// SPDX-License-Identifier: MIT
//
// Where to go next by a region database: what agents with `regions` keep a list of, and what
// wm_db_subgoal() answers. docs/regions.md shows that both end at the goal.
#pragma once

#include "regions.h"

/// How many targets are looked at ahead.
#define WM_REGION_AHEAD 4

/// Finds a line, where the test of one is sure to keep within `limit` states.
bool wm_region_line(const wm_region_map* map, wm_cell from, wm_cell to, wm_line* line,
                    uint64_t* states, uint64_t limit);

/// The waypoint after the seed of a region, on the way to another region.
uint32_t wm_region_leave(const wm_region_map* map, uint32_t region, uint32_t goal_region);

/// What comes after a waypoint on the way to a region.
typedef struct wm_region_hop {
    bool by_seed;      ///< First the seed of the region in which the waypoint lies.
    uint32_t waypoint; ///< WM_NO_WAYPOINT: the seed of the goal's region.
} wm_region_hop;
wm_region_hop wm_region_hop_from(const wm_region_map* map, uint32_t waypoint, uint32_t goal_region);

/// Of the waypoints after the seed of the cell's region the one by which the goal's seed costs least
/// from the cell, among those in sight; WM_NO_WAYPOINT where none is, or where the way by the seed is
/// no worse. The cell must not lie in the goal's region.
uint32_t wm_region_first(const wm_region_map* map, wm_cell from, uint32_t goal_region,
                         wm_line* line, uint64_t* states, uint64_t limit);

/// Where to go from a cell, by nothing but the two cells: the controller gets there, and who asks
/// again there and so on comes to the goal. The cells must be connected and not the same. Looks at
/// no more states than a move, wm_regions_bound().
wm_cell wm_region_subgoal(const wm_region_map* map, wm_cell from, wm_cell goal, uint64_t* states);
