// SPDX-License-Identifier: MIT
#include "waypoints.h"

#include <stdlib.h>

#include "alloc.h"
#include "portals.h"
#include "regions.h"

typedef struct construction {
    wm_waypoints* waypoints;
    const wm_regions* regions;
    const wm_controller* controller;
    const wm_cover* cover;
    wm_portals portals;     // in the place of chains
    uint32_t* at;           // per cell: its waypoint + 1, or 0
    uint32_t* linked;       // per waypoint: the last list that it was put on
    uint32_t list;          // the number of the present list, from 1
    uint32_t* follow_begin; // per waypoint: those that follow it in a chain; one more at the end
    uint32_t* follow;
} construction;

// ---------------------------------------------------------------------------------------------
// Lists

static bool lists_create(wm_edge_lists* lists, size_t count, size_t capacity,
                         const wm_allocator* allocator)
{
    *lists = (wm_edge_lists){.count = count, .capacity = capacity};
    lists->begin = wm_alloc(allocator, count + 1, sizeof *lists->begin);
    lists->edges = wm_alloc(allocator, capacity, sizeof *lists->edges);
    return lists->begin != NULL && lists->edges != NULL;
}

static void lists_free(wm_edge_lists* lists, const wm_allocator* allocator)
{
    wm_release(allocator, lists->begin, lists->count + 1, sizeof *lists->begin);
    wm_release(allocator, lists->edges, lists->capacity, sizeof *lists->edges);
}

// Lists are written in order, each from its first edge to its last.
static void begin_list(construction* c, wm_edge_lists* lists, uint32_t index)
{
    c->list++;
    lists->begin[index + 1] = lists->begin[index];
}

static bool is_linked(const construction* c, uint32_t waypoint)
{
    return c->linked[waypoint] == c->list;
}

static void add_edge(construction* c, wm_edge_lists* lists, uint32_t index, uint32_t to,
                     wm_cost cost, bool by_seed)
{
    c->linked[to] = c->list;
    lists->edges[lists->begin[index + 1]++] =
        (wm_waypoint_edge){.to = to & INT32_MAX, .by_seed = by_seed, .cost = (int32_t)cost};
}

void wm_waypoints_free(wm_waypoints* waypoints)
{
    const wm_allocator allocator = waypoints->allocator;
    wm_release(&allocator, waypoints->cell, waypoints->count, sizeof *waypoints->cell);
    wm_release(&allocator, waypoints->places, waypoints->count, sizeof *waypoints->places);
    lists_free(&waypoints->onward, &allocator);
    lists_free(&waypoints->outward, &allocator);
    lists_free(&waypoints->arriving, &allocator);
    *waypoints = (wm_waypoints){0};
}

// ---------------------------------------------------------------------------------------------
// Waypoints

static bool number_cell(construction* c, wm_cell cell)
{
    const wm_grid* grid = c->cover->grid;
    if (cell >= grid->cell_count || wm_cover_owner(c->cover, cell) >= c->regions->count)
        return false;
    if (c->at[cell] == 0) c->at[cell] = ++c->waypoints->count;
    return c->waypoints->count <= wm_waypoints_limit(c->regions->count);
}

// Numbers the cells of the chains, or behind the portals, in their order.
static wm_status number_cells(construction* c, const wm_allocator* allocator)
{
    const wm_regions* regions = c->regions;
    wm_waypoints* waypoints = c->waypoints;
    bool all = true;
    for (uint32_t i = 0; all && i < regions->subgoal_count; i++)
        all = number_cell(c, regions->subgoals[i]);
    for (uint32_t i = 0; all && i < c->portals.count; i++)
        all = number_cell(c, c->portals.list[i].to);
    if (!all) return WM_ERR_FORMAT;
    const uint32_t count = waypoints->count;
    waypoints->cell = wm_alloc(allocator, count, sizeof *waypoints->cell);
    c->linked = calloc((size_t)count + 1, sizeof *c->linked);
    c->follow_begin = calloc((size_t)count + 2, sizeof *c->follow_begin);
    c->follow = calloc((size_t)regions->subgoal_count + 1, sizeof *c->follow);
    if (waypoints->cell == NULL || c->linked == NULL || c->follow_begin == NULL ||
        c->follow == NULL)
        return WM_ERR_MEMORY;
    for (uint32_t i = 0; i < regions->subgoal_count; i++)
        waypoints->cell[c->at[regions->subgoals[i]] - 1] = regions->subgoals[i];
    for (uint32_t i = 0; i < c->portals.count; i++)
        waypoints->cell[c->at[c->portals.list[i].to] - 1] = c->portals.list[i].to;
    return WM_OK;
}

// Sorts the pairs of subgoals that follow each other by the first of them.
static void list_followers(construction* c)
{
    const wm_regions* regions = c->regions;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < regions->chain_count; i++) {
            const wm_chain* chain = &regions->chains[i];
            for (uint32_t j = 1; j < chain->length; j++) {
                const uint32_t from = c->at[regions->subgoals[chain->first + j - 1]] - 1;
                const uint32_t to = c->at[regions->subgoals[chain->first + j]] - 1;
                // Counted two places on, so that writing moves each begin to where it belongs.
                if (pass == 0)
                    c->follow_begin[from + 2]++;
                else
                    c->follow[c->follow_begin[from + 1]++] = to;
            }
        }
        for (uint32_t i = 2; pass == 0 && i <= c->waypoints->count + 1; i++)
            c->follow_begin[i] += c->follow_begin[i - 1];
    }
}

// ---------------------------------------------------------------------------------------------
// Edges

// From the seed of a region, as its chains promise.
static bool add_first_subgoals(construction* c, uint32_t region)
{
    const wm_regions* regions = c->regions;
    wm_edge_lists* lists = &c->waypoints->outward;
    for (uint32_t i = regions->chains_begin[region]; i < regions->chains_begin[region + 1]; i++) {
        const wm_cell first = regions->subgoals[regions->chains[i].first];
        const uint32_t to = c->at[first] - 1;
        if (is_linked(c, to)) continue;
        const wm_cost cost = wm_controller_cost(c->controller, regions->seeds[region], first);
        if (cost == WM_COST_INFINITE) return false;
        add_edge(c, lists, region, to, cost, false);
    }
    return true;
}

// From the seed of a region through its portals, of which `*next` is the first.
static void add_portals(construction* c, uint32_t region, uint32_t* next)
{
    for (; *next < c->portals.count && c->portals.list[*next].from == region; ++*next) {
        const wm_portal* portal = &c->portals.list[*next];
        const uint32_t to = c->at[portal->to] - 1;
        if (is_linked(c, to)) continue;
        add_edge(c, &c->waypoints->outward, region, to,
                 portal->cost - wm_cover_cost(c->cover, portal->to), false);
    }
}

static bool add_all_outward(construction* c)
{
    wm_edge_lists* lists = &c->waypoints->outward;
    uint32_t next_portal = 0;
    for (uint32_t r = 0; r < c->regions->count; r++) {
        begin_list(c, lists, r);
        if (!add_first_subgoals(c, r)) return false;
        add_portals(c, r, &next_portal);
        if (lists->begin[r + 1] - lists->begin[r] > WM_REGIONS_MAX_CHAINS) return false;
    }
    return true;
}

// What going from a waypoint to another directly is likely to cost. Agents that search find shorter ways
// than those by a region's seed, mostly.
static wm_cost direct_cost(const construction* c, wm_cell from, wm_cell to)
{
    uint64_t states = 0;
    const wm_leg leg = wm_controller_leg(c->controller, from, to, NULL, &states);
    if (leg.kind != WM_LEG_PATH || c->regions->parameters.max_expansions == 0) return leg.cost;
    const wm_cost octile = wm_grid_octile(c->cover->grid, from, to);
    return octile + (leg.cost - octile) / 4;
}

static bool add_onward(construction* c, uint32_t from)
{
    const wm_waypoints* waypoints = c->waypoints;
    wm_edge_lists* lists = &c->waypoints->onward;
    const wm_cell cell = waypoints->cell[from];
    const uint32_t region = wm_cover_owner(c->cover, cell);
    begin_list(c, lists, from);
    c->linked[from] = c->list; // not to itself
    for (uint32_t i = c->follow_begin[from]; i < c->follow_begin[from + 1]; i++) {
        const uint32_t to = c->follow[i];
        if (is_linked(c, to)) continue;
        const wm_cost cost = wm_controller_cost(c->controller, cell, waypoints->cell[to]);
        if (cost == WM_COST_INFINITE) return false;
        add_edge(c, lists, from, to, cost, false);
    }
    for (uint32_t i = waypoints->outward.begin[region]; i < waypoints->outward.begin[region + 1];
         i++) {
        const uint32_t to = waypoints->outward.edges[i].to;
        if (is_linked(c, to)) continue;
        const wm_cost by_seed = wm_cover_cost(c->cover, cell) + waypoints->outward.edges[i].cost;
        const wm_cost direct = direct_cost(c, cell, waypoints->cell[to]);
        add_edge(c, lists, from, to, direct <= by_seed ? direct : by_seed, direct > by_seed);
    }
    return lists->begin[from + 1] - lists->begin[from] <= WM_WAYPOINT_MAX_EDGES;
}

// To the seed of a region: from the waypoints in it, and from the first subgoals of its chains as
// far as the controller gets back.
static void add_arriving(construction* c, uint32_t region, const uint32_t* inside_begin,
                         const uint32_t* inside)
{
    const wm_waypoints* waypoints = c->waypoints;
    wm_edge_lists* lists = &c->waypoints->arriving;
    const wm_cell seed = c->regions->seeds[region];
    begin_list(c, lists, region);
    for (uint32_t i = inside_begin[region]; i < inside_begin[region + 1]; i++)
        add_edge(c, lists, region, inside[i], wm_cover_cost(c->cover, waypoints->cell[inside[i]]),
                 false);
    for (uint32_t i = waypoints->outward.begin[region]; i < waypoints->outward.begin[region + 1];
         i++) {
        const uint32_t from = waypoints->outward.edges[i].to;
        if (is_linked(c, from)) continue;
        const wm_cost cost = wm_controller_cost(c->controller, waypoints->cell[from], seed);
        if (cost != WM_COST_INFINITE) add_edge(c, lists, region, from, cost, false);
    }
}

// The waypoints in each region.
static bool add_all_arriving(construction* c)
{
    const uint32_t regions = c->regions->count;
    const wm_waypoints* waypoints = c->waypoints;
    uint32_t* begin = calloc((size_t)regions + 2, sizeof *begin);
    uint32_t* inside = calloc((size_t)waypoints->count + 1, sizeof *inside);
    const bool complete = begin != NULL && inside != NULL;
    if (complete) {
        for (uint32_t i = 0; i < waypoints->count; i++)
            begin[wm_cover_owner(c->cover, waypoints->cell[i]) + 2]++;
        for (uint32_t r = 2; r <= regions + 1; r++) begin[r] += begin[r - 1];
        for (uint32_t i = 0; i < waypoints->count; i++)
            inside[begin[wm_cover_owner(c->cover, waypoints->cell[i]) + 1]++] = i;
        for (uint32_t r = 0; r < regions; r++) add_arriving(c, r, begin, inside);
    }
    free(begin);
    free(inside);
    return complete;
}

// No two edges cost so little together.
#define NO_LIMIT (-1)

// Marks the edges of a waypoint that two others replace at no more cost.
// @param limit  per waypoint: what two edges may cost that replace one to it; all NO_LIMIT
static void mark_needless(const wm_edge_lists* lists, uint32_t from, int64_t* limit, bool* needless)
{
    const wm_waypoint_edge* edges = lists->edges;
    const uint32_t begin = lists->begin[from];
    const uint32_t end = lists->begin[from + 1];
    for (uint32_t i = begin; i < end; i++) limit[edges[i].to] = edges[i].cost;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t by = edges[i].to;
        for (uint32_t j = lists->begin[by]; j < lists->begin[by + 1]; j++) {
            if ((int64_t)edges[i].cost + edges[j].cost <= limit[edges[j].to])
                limit[edges[j].to] = NO_LIMIT;
        }
    }
    for (uint32_t i = begin; i < end; i++) {
        needless[i] = limit[edges[i].to] == NO_LIMIT;
        limit[edges[i].to] = NO_LIMIT;
    }
}

// Leaves out the edges that two others replace: shortest ways do not need them. Every edge costs
// something, so what replaces an edge never rests on the edge itself.
static wm_status drop_needless(wm_edge_lists* lists)
{
    const uint32_t count = (uint32_t)lists->count;
    bool* needless = calloc((size_t)lists->begin[count] + 1, sizeof *needless);
    int64_t* limit = malloc(((size_t)count + 1) * sizeof *limit);
    if (needless != NULL && limit != NULL) {
        for (uint32_t i = 0; i < count; i++) limit[i] = NO_LIMIT;
        for (uint32_t from = 0; from < count; from++) mark_needless(lists, from, limit, needless);
        uint32_t kept = 0;
        uint32_t i = 0;
        for (uint32_t from = 0; from < count; from++) {
            for (; i < lists->begin[from + 1]; i++) {
                if (!needless[i]) lists->edges[kept++] = lists->edges[i];
            }
            lists->begin[from + 1] = kept;
        }
    }
    const bool complete = needless != NULL && limit != NULL;
    free(needless);
    free(limit);
    return complete ? WM_OK : WM_ERR_MEMORY;
}

// Room for all onward edges that there can be.
static size_t count_onward(const construction* c)
{
    const uint32_t* outward_begin = c->waypoints->outward.begin;
    size_t edges = c->regions->subgoal_count;
    for (uint32_t i = 0; i < c->waypoints->count; i++) {
        const uint32_t region = wm_cover_owner(c->cover, c->waypoints->cell[i]);
        edges += outward_begin[region + 1] - outward_begin[region];
    }
    return edges;
}

static wm_status add_edges(construction* c, const wm_allocator* allocator)
{
    wm_waypoints* waypoints = c->waypoints;
    const wm_regions* regions = c->regions;
    const size_t outward = (size_t)regions->chain_count + c->portals.count;
    if (!lists_create(&waypoints->outward, regions->count, outward, allocator) ||
        !lists_create(&waypoints->arriving, regions->count, waypoints->count + outward, allocator))
        return WM_ERR_MEMORY;
    if (!add_all_outward(c)) return WM_ERR_FORMAT;
    if (!lists_create(&waypoints->onward, waypoints->count, count_onward(c), allocator))
        return WM_ERR_MEMORY;
    for (uint32_t i = 0; i < waypoints->count; i++) {
        if (!add_onward(c, i)) return WM_ERR_FORMAT;
    }
    const wm_status status = drop_needless(&waypoints->onward);
    if (status != WM_OK) return status;
    return add_all_arriving(c) ? WM_OK : WM_ERR_MEMORY;
}

// ---------------------------------------------------------------------------------------------
// Waypoints by their cells

static int by_cell(const void* a, const void* b)
{
    const wm_cell first = ((const wm_waypoint_place*)a)->cell;
    const wm_cell second = ((const wm_waypoint_place*)b)->cell;
    return (first > second) - (first < second); // no two lie on one cell
}

static wm_status list_places(wm_waypoints* waypoints)
{
    const uint32_t count = waypoints->count;
    waypoints->places = wm_alloc(&waypoints->allocator, count, sizeof *waypoints->places);
    if (waypoints->places == NULL) return WM_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        waypoints->places[i] = (wm_waypoint_place){.cell = waypoints->cell[i], .waypoint = i};
    qsort(waypoints->places, count, sizeof *waypoints->places, by_cell);
    return WM_OK;
}

uint32_t wm_waypoints_at(const wm_waypoints* waypoints, wm_cell cell)
{
    uint32_t begin = 0;
    uint32_t end = waypoints->count;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        const wm_waypoint_place* place = &waypoints->places[middle];
        if (place->cell == cell) return place->waypoint;
        if (place->cell < cell)
            begin = middle + 1;
        else
            end = middle;
    }
    return WM_NO_WAYPOINT;
}

wm_status wm_waypoints_create(wm_waypoints* waypoints, const wm_regions* regions,
                              const wm_controller* controller, const wm_allocator* allocator)
{
    const wm_cover* cover = controller->cover;
    const uint32_t side = regions->parameters.portals;
    construction c = {
        .waypoints = waypoints, .regions = regions, .controller = controller, .cover = cover};
    *waypoints = (wm_waypoints){.region_count = regions->count};
    if (allocator != NULL) waypoints->allocator = *allocator;
    wm_status status = side == 0 ? WM_OK : wm_portals_find(&c.portals, cover, regions->count, side);
    c.at = calloc(cover->grid->cell_count, sizeof *c.at);
    if (c.at == NULL) status = WM_ERR_MEMORY;
    if (status == WM_OK) status = number_cells(&c, allocator);
    if (status == WM_OK) {
        list_followers(&c);
        status = add_edges(&c, allocator);
    }
    if (status == WM_OK) status = list_places(waypoints);
    wm_portals_free(&c.portals);
    free(c.at);
    free(c.linked);
    free(c.follow_begin);
    free(c.follow);
    if (status != WM_OK) wm_waypoints_free(waypoints);
    return status;
}
