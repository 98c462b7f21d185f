// SPDX-License-Identifier: MIT
//
// Subgoals as a graph. Waypoints are the cells of the chains, or, in databases without chains, the first
// cells behind portals. From a waypoint edges lead to the first waypoints out of the region in which it
// lies, directly as far as the controller gets there, else by the region's seed, and on along the
// chains that it is in.
#pragma once

#include "controller.h"

/// Edges of one waypoint, at most: a hop is a byte (routes.h).
#define WM_WAYPOINT_MAX_EDGES 250

typedef struct wm_regions wm_regions;

/// Waypoints that a database may have: several times what any that was built has. Tables grow with
/// them, and a short payload can claim very many.
static inline uint32_t wm_waypoints_limit(uint32_t regions)
{
    return 4096 + 16 * regions;
}

/// A way from one waypoint, or from a seed, to another.
typedef struct wm_waypoint_edge {
    uint32_t to : 31;
    uint32_t by_seed : 1; ///< Through the seed of the region in which it begins.
    int32_t cost;
} wm_waypoint_edge;

/// Lists of edges, one behind the other: those of i are from begin[i] to begin[i + 1].
typedef struct wm_edge_lists {
    uint32_t* begin;
    wm_waypoint_edge* edges;
    size_t count; ///< Of lists.
    size_t capacity;
} wm_edge_lists;

/// A waypoint by where it lies.
typedef struct wm_waypoint_place {
    wm_cell cell;
    uint32_t waypoint;
} wm_waypoint_place;

typedef struct wm_waypoints {
    uint32_t count;
    uint32_t region_count;
    wm_cell* cell;             ///< Per waypoint.
    wm_waypoint_place* places; ///< By rising cell.
    wm_edge_lists onward;      ///< Per waypoint.
    wm_edge_lists outward;     ///< Per region: from its seed to the first waypoints out of it.
    wm_edge_lists arriving;    ///< Per region: waypoints that lead to its seed, and at what cost.
    wm_allocator allocator;
} wm_waypoints;

/// @return WM_OK, WM_ERR_MEMORY, or WM_ERR_FORMAT where the controller does not get along a chain, or a
///         region has more ways out than one may have
wm_status wm_waypoints_create(wm_waypoints* waypoints, const wm_regions* regions,
                              const wm_controller* controller, const wm_allocator* allocator);
void wm_waypoints_free(wm_waypoints* waypoints);

#define WM_NO_WAYPOINT UINT32_MAX
/// The waypoint that lies on a cell, or WM_NO_WAYPOINT.
uint32_t wm_waypoints_at(const wm_waypoints* waypoints, wm_cell cell);
