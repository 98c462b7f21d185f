// SPDX-License-Identifier: MIT
//
// The stored subgoals as a graph, and the next hop from each of them toward each region. Waypoints
// are the cells of the chains. From a waypoint edges lead to the first subgoals of the region in
// which it lies, directly as far as the controller gets there, else by the region's seed, and on
// along the chains that it is in.
#pragma once

#include "cover.h"

/// Edges of one waypoint, at most: a hop is a byte.
#define WM_WAYPOINT_MAX_EDGES 250
/// Hops that are no edges: to the seed of the goal's region; nowhere.
#define WM_HOP_SEED 254
#define WM_NO_HOP 255

typedef struct wm_regions wm_regions;

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

typedef struct wm_waypoints {
    uint32_t count;
    uint32_t region_count;
    wm_cell* cell;          ///< Per waypoint.
    wm_edge_lists onward;   ///< Per waypoint.
    wm_edge_lists outward;  ///< Per region: from its seed to the first subgoals of its chains.
    wm_edge_lists arriving; ///< Per region: waypoints that lead to its seed, and at what cost.
    wm_allocator allocator;
} wm_waypoints;

/// @return WM_OK, WM_ERR_MEMORY, or WM_ERR_FORMAT where the controller does not get along a chain
wm_status wm_waypoints_create(wm_waypoints* waypoints, const wm_regions* regions,
                              const wm_cover* cover, const wm_allocator* allocator);
void wm_waypoints_free(wm_waypoints* waypoints);

/// The shortest ways from all waypoints to all seeds. Rows are by goal region, because a walk has
/// one: entry goal * waypoints + waypoint.
typedef struct wm_routes {
    uint32_t waypoints;
    uint32_t goals;
    uint8_t* hop;     ///< The edge of the waypoint to take, or WM_HOP_SEED.
    uint16_t* scaled; ///< The cost left, shifted to the right by the goal's `shift`.
    uint8_t* shift;   ///< Per goal.
    wm_allocator allocator;
} wm_routes;

/// @return WM_OK, WM_ERR_MEMORY, or WM_ERR_FORMAT where a region of the goal's component does not
///         lead there
wm_status wm_routes_create(wm_routes* routes, const wm_waypoints* waypoints,
                           const wm_regions* regions, const wm_grid* grid,
                           const wm_allocator* allocator);
void wm_routes_free(wm_routes* routes);

/// The cost from a waypoint to the seed of a goal region, to within one part in 32768 of the
/// farthest: good for comparing.
static inline wm_cost wm_routes_cost(const wm_routes* routes, uint32_t goal, uint32_t waypoint)
{
    return (wm_cost)routes->scaled[(size_t)goal * routes->waypoints + waypoint]
           << routes->shift[goal];
}

static inline uint8_t wm_routes_hop(const wm_routes* routes, uint32_t goal, uint32_t waypoint)
{
    return routes->hop[(size_t)goal * routes->waypoints + waypoint];
}
