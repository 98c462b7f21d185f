// SPDX-License-Identifier: MIT
//
// Which way to go from each waypoint toward each region: the shortest ways through the graph of
// waypoints, worked out when a database is opened. What is left from each waypoint is kept, which way
// to go follows from that.
#pragma once

#include "waypoints.h"

/// Goal regions that are solved together, and lie together in the table: a cache line of costs.
#define WM_ROUTE_LANES 32

/// Hops that are no edges of a waypoint: to the seed of the goal's region; nowhere.
#define WM_HOP_SEED 254
#define WM_NO_HOP 255

/// A cost that stands for none; costs with WM_ROUTE_ARRIVES are of waypoints from which the
/// shortest way leads to the goal's seed without another waypoint.
#define WM_ROUTE_UNREACHED 16383
#define WM_ROUTE_ARRIVES (WM_ROUTE_UNREACHED + 1)

/// The shortest ways from all waypoints to the seeds of all regions. Costs are in units of
/// 2^shift, so that they fit; every edge costs a unit at least, so they fall with every hop.
typedef struct wm_routes {
    const wm_waypoints* waypoints;
    uint32_t goals;
    uint32_t shift;
    int16_t* cost; ///< What is left from the waypoint to the goal region's seed.
    wm_allocator allocator;
} wm_routes;

/// `waypoints` must outlive the routes.
/// @return WM_OK, WM_ERR_MEMORY, or WM_ERR_FORMAT where a region of the goal's component does not
///         lead there
wm_status wm_routes_create(wm_routes* routes, const wm_waypoints* waypoints,
                           const wm_regions* regions, const wm_grid* grid,
                           const wm_allocator* allocator);
void wm_routes_free(wm_routes* routes);

/// Where the cost of a pair lies.
static inline size_t wm_routes_at(const wm_routes* routes, uint32_t goal, uint32_t waypoint)
{
    return ((size_t)(goal / WM_ROUTE_LANES) * routes->waypoints->count + waypoint) *
               WM_ROUTE_LANES +
           goal % WM_ROUTE_LANES;
}

/// What is left from a waypoint to the seed of a goal region, in units; WM_ROUTE_UNREACHED where no
/// way leads there.
static inline int32_t wm_routes_left(const wm_routes* routes, uint32_t goal, uint32_t waypoint)
{
    return routes->cost[wm_routes_at(routes, goal, waypoint)] & WM_ROUTE_UNREACHED;
}

/// The same as a cost: rounded, good for comparing.
static inline wm_cost wm_routes_cost(const wm_routes* routes, uint32_t goal, uint32_t waypoint)
{
    return (wm_cost)wm_routes_left(routes, goal, waypoint) << routes->shift;
}

/// What an edge of that cost comes to in units: rounded, and one at least.
static inline wm_cost wm_routes_units(const wm_routes* routes, wm_cost cost)
{
    const wm_cost units = (cost + ((wm_cost)1 << routes->shift >> 1)) >> routes->shift;
    return units < 1 ? 1 : units;
}

/// The first edge of a waypoint that begins a shortest way, WM_HOP_SEED or WM_NO_HOP.
uint8_t wm_routes_hop(const wm_routes* routes, uint32_t goal, uint32_t waypoint);
