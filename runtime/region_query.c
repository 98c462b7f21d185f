// SPDX-License-Identifier: MIT
#include "region_query.h"

#include <assert.h>
#include <stdlib.h>

#include "climb.h"

static uint32_t region_of(const wm_region_map* map, wm_cell cell)
{
    return wm_cover_owner(&map->cover, cell);
}

static wm_cost cost_to_seed(const wm_region_map* map, wm_cell cell)
{
    return wm_cover_cost(&map->cover, cell);
}

// Waypoints that wm_region_first() looks at, at most.
#define FIRST_TRIES 8

bool wm_region_line(const wm_region_map* map, wm_cell from, wm_cell to, wm_line* line,
                    uint64_t* states, uint64_t limit)
{
    const wm_grid* grid = map->controller.grid;
    const wm_point a = wm_grid_point(grid, from);
    const wm_point b = wm_grid_point(grid, to);
    const int32_t far_x = abs(a.x - b.x);
    const int32_t far_y = abs(a.y - b.y);
    const int32_t steps = far_x > far_y ? far_x : far_y;
    if (steps == 0 || steps > WM_MAX_LEG || *states + 2 * (uint64_t)steps > limit) return false;
    return wm_planes_line(&map->planes, a, b, line, states);
}

// What is left from the seed of a region to that of the goal, in the units of the routes.
static wm_cost left_from_seed(const wm_region_map* map, uint32_t region, uint32_t goal_region)
{
    const wm_edge_lists* outward = &map->waypoints.outward;
    wm_cost least = WM_COST_INFINITE;
    for (uint32_t i = outward->begin[region]; i < outward->begin[region + 1]; i++) {
        const wm_waypoint_edge* edge = &outward->edges[i];
        const wm_cost left = wm_routes_units(&map->routes, edge->cost) +
                             wm_routes_left(&map->routes, goal_region, edge->to);
        if (left < least) least = left;
    }
    return least;
}

// Costs tell more than units, but less must be left in units behind each step, or there is no end.
uint32_t wm_region_leave(const wm_region_map* map, uint32_t region, uint32_t goal_region)
{
    const wm_edge_lists* outward = &map->waypoints.outward;
    const wm_cost left = left_from_seed(map, region, goal_region);
    uint32_t best = WM_NO_WAYPOINT;
    wm_cost least = WM_COST_INFINITE;
    for (uint32_t i = outward->begin[region]; i < outward->begin[region + 1]; i++) {
        const uint32_t to = outward->edges[i].to;
        const wm_cost cost = outward->edges[i].cost + wm_routes_cost(&map->routes, goal_region, to);
        if (cost >= least || wm_routes_left(&map->routes, goal_region, to) >= left) continue;
        least = cost;
        best = to;
    }
    assert(best != WM_NO_WAYPOINT); // checked at open: every region leads to those of its component
    return best;
}

wm_region_hop wm_region_hop_from(const wm_region_map* map, uint32_t waypoint, uint32_t goal_region)
{
    const wm_waypoints* waypoints = &map->waypoints;
    const uint8_t hop = wm_routes_hop(&map->routes, goal_region, waypoint);
    if (hop == WM_HOP_SEED) return (wm_region_hop){.waypoint = WM_NO_WAYPOINT};
    const wm_waypoint_edge edge = waypoints->onward.edges[waypoints->onward.begin[waypoint] + hop];
    assert(wm_routes_left(&map->routes, goal_region, edge.to) <
           wm_routes_left(&map->routes, goal_region, waypoint)); // so there is an end of hops
    return (wm_region_hop){.by_seed = edge.by_seed, .waypoint = edge.to};
}

uint32_t wm_region_first(const wm_region_map* map, wm_cell from, uint32_t goal_region,
                         wm_line* line, uint64_t* states, uint64_t limit)
{
    const wm_grid* grid = map->controller.grid;
    const wm_waypoints* waypoints = &map->waypoints;
    const uint32_t* begin = waypoints->outward.begin + region_of(map, from);
    const wm_waypoint_edge* edges = waypoints->outward.edges + begin[0];
    const uint32_t count = begin[1] - begin[0];
    wm_cost estimates[WM_REGIONS_MAX_CHAINS];
    wm_cost by_seed = WM_COST_INFINITE;
    assert(count > 0); // checked at open: every region leads to the others of its component
    for (uint32_t i = 0; i < count; i++) {
        const wm_cost left = wm_routes_cost(&map->routes, goal_region, edges[i].to);
        estimates[i] = left + wm_grid_octile(grid, from, waypoints->cell[edges[i].to]);
        if (left + edges[i].cost < by_seed) by_seed = left + edges[i].cost;
    }
    by_seed += cost_to_seed(map, from);
    for (int tries = 0; tries < FIRST_TRIES; tries++) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < count; i++) {
            if (estimates[i] < estimates[best]) best = i;
        }
        if (estimates[best] >= by_seed) break;
        if (wm_region_line(map, from, waypoints->cell[edges[best].to], line, states, limit))
            return edges[best].to;
        estimates[best] = WM_COST_INFINITE;
    }
    return WM_NO_WAYPOINT;
}

// ---------------------------------------------------------------------------------------------
// Subgoals

// Where the next subgoals lie, in order, as far ahead as it is worth to look. Only the first is
// promised to be reached.
typedef struct subgoals {
    wm_cell list[WM_REGION_AHEAD + 1]; // a hop may add two
    int count;
} subgoals;

static void add_subgoal(subgoals* s, wm_cell cell)
{
    s->list[s->count++] = cell;
}

// Goes on from a waypoint, to the goal at last.
static void add_hops(subgoals* s, const wm_region_map* map, uint32_t waypoint, wm_cell goal)
{
    const uint32_t goal_region = region_of(map, goal);
    while (s->count < WM_REGION_AHEAD) {
        const wm_region_hop hop = wm_region_hop_from(map, waypoint, goal_region);
        if (hop.waypoint == WM_NO_WAYPOINT) {
            add_subgoal(s, map->regions.seeds[goal_region]);
            add_subgoal(s, goal);
            return;
        }
        if (hop.by_seed)
            add_subgoal(s, map->regions.seeds[region_of(map, map->waypoints.cell[waypoint])]);
        add_subgoal(s, map->waypoints.cell[hop.waypoint]);
        waypoint = hop.waypoint;
    }
}

// From a cell of another region than the goal's.
static void list_subgoals(subgoals* s, const wm_region_map* map, wm_cell from, wm_cell goal,
                          uint64_t* states, uint64_t limit)
{
    const uint32_t region = region_of(map, from);
    const uint32_t goal_region = region_of(map, goal);
    const uint32_t here = wm_waypoints_at(&map->waypoints, from);
    const bool at_seed = map->regions.seeds[region] == from;
    // A cell that is both goes on as what has less left: so it is less than where one came from.
    const bool as_waypoint =
        here != WM_NO_WAYPOINT && (!at_seed || wm_routes_left(&map->routes, goal_region, here) <
                                                   left_from_seed(map, region, goal_region));
    uint32_t next = here;
    if (!as_waypoint) {
        wm_line line;
        next = at_seed ? WM_NO_WAYPOINT
                       : wm_region_first(map, from, goal_region, &line, states, limit);
        if (next == WM_NO_WAYPOINT) {
            if (!at_seed) add_subgoal(s, map->regions.seeds[region]);
            next = wm_region_leave(map, region, goal_region);
        }
        add_subgoal(s, map->waypoints.cell[next]);
    }
    add_hops(s, map, next, goal);
}

wm_cell wm_region_subgoal(const wm_region_map* map, wm_cell from, wm_cell goal, uint64_t* states)
{
    wm_line line;
    subgoals s = {.count = 0};
    const uint64_t limit = WM_REGIONS_MAX_STATES;
    if (region_of(map, from) == region_of(map, goal)) return goal;
    if (wm_region_line(map, from, goal, &line, states, limit)) return goal;
    list_subgoals(&s, map, from, goal, states, limit);
    // Where the next one is out of sight those behind it rarely are in sight.
    int at = 0;
    while (at + 1 < s.count && wm_region_line(map, from, s.list[at + 1], &line, states, limit))
        at++;
    return s.list[at];
}
