// SPDX-License-Identifier: MIT
//
// Goal regions are solved in batches: neighbours have near numbers, so that one order of the
// waypoints, by distance to a goal nearby that is solved already, is nearly right for all of a
// batch. Around the goals waypoints offer their costs to each other, for all goals with a few
// vector instructions, until nothing improves. The others take the least over their edges in that
// order, which is rarely wrong, and offer it to those before them if it is. The result does not
// depend on the order: shortest distances are what they are.
#include "routes.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "alloc.h"
#include "regions.h"

#define LANES WM_ROUTE_LANES
// Small enough that a cost and the weight of an edge add up to a 16-bit number.
#define UNREACHED WM_ROUTE_UNREACHED
// Beyond this no distance on the largest map fails to fit.
#define MAX_SHIFT 24
// Waypoints are ordered by units in steps of so many: nearly right is enough.
#define ORDER_STEP 8
#define ORDER_BUCKETS (UNREACHED / ORDER_STEP + 1)

typedef struct link {
    uint32_t to;
    int16_t weight; // the cost in units
} link;

// Lists of links, one behind the other: those of i are from begin[i] to begin[i + 1].
typedef struct links {
    uint32_t* begin;
    link* list;
} links;

typedef struct solver {
    const wm_waypoints* waypoints;
    const wm_grid* grid;
    const wm_cell* seeds;
    wm_routes* routes;
    links onward;      // per waypoint
    links arriving;    // per goal
    links into;        // per waypoint: those with an edge to it
    uint32_t* order;   // waypoints, nearest to the goals first
    uint32_t* place;   // per waypoint: its place in the order
    uint8_t* dirty;    // per waypoint: must offer its costs
    uint16_t* nearing; // per waypoint: its bucket in the order
} solver;

static int16_t weight_of(wm_cost cost, uint32_t shift)
{
    const wm_cost units = (cost + ((wm_cost)1 << shift >> 1)) >> shift;
    if (units < 1) return 1;
    return (int16_t)(units < UNREACHED ? units : UNREACHED);
}

static void weigh(links* out, const wm_edge_lists* lists, uint32_t shift)
{
    memcpy(out->begin, lists->begin, (lists->count + 1) * sizeof *out->begin);
    for (uint32_t i = 0; i < lists->begin[lists->count]; i++)
        out->list[i] = (link){lists->edges[i].to, weight_of(lists->edges[i].cost, shift)};
}

static void turn_around(links* into, const links* onward, uint32_t count)
{
    // Counted two places on, so that writing moves each begin to where it belongs.
    memset(into->begin, 0, ((size_t)count + 2) * sizeof *into->begin);
    for (uint32_t i = 0; i < onward->begin[count]; i++) into->begin[onward->list[i].to + 2]++;
    for (uint32_t i = 2; i <= count + 1; i++) into->begin[i] += into->begin[i - 1];
    for (uint32_t from = 0; from < count; from++) {
        for (uint32_t i = onward->begin[from]; i < onward->begin[from + 1]; i++)
            into->list[into->begin[onward->list[i].to + 1]++] =
                (link){from, onward->list[i].weight};
    }
}

// ---------------------------------------------------------------------------------------------
// The order of a batch

// The goal that is nearest to another one of those before `end`; `end` if none is connected.
static uint32_t nearest_solved(const solver* s, uint32_t goal, uint32_t end)
{
    uint32_t nearest = end;
    int32_t least = UNREACHED;
    if (s->arriving.begin[goal] == s->arriving.begin[goal + 1]) return end;
    const uint32_t beside = s->arriving.list[s->arriving.begin[goal]].to;
    for (uint32_t g = 0; g < end; g++) {
        const int32_t left = wm_routes_left(s->routes, g, beside);
        if (left >= least) continue;
        least = left;
        nearest = g;
    }
    return nearest;
}

// By distance to a solved goal nearby, or as the crow flies.
static void order_waypoints(solver* s, uint32_t first_goal, uint32_t end)
{
    const wm_waypoints* w = s->waypoints;
    const uint32_t goal = first_goal + (end - first_goal) / 2;
    const uint32_t near = nearest_solved(s, goal, first_goal);
    uint32_t bucket[ORDER_BUCKETS + 1] = {0};
    for (uint32_t i = 0; i < w->count; i++) {
        const int32_t left =
            near < first_goal
                ? wm_routes_left(s->routes, near, i)
                : weight_of(wm_grid_octile(s->grid, w->cell[i], s->seeds[goal]), s->routes->shift);
        s->nearing[i] = (uint16_t)(left / ORDER_STEP);
        bucket[s->nearing[i] + 1]++;
    }
    for (int i = 1; i <= ORDER_BUCKETS; i++) bucket[i] += bucket[i - 1];
    for (uint32_t i = 0; i < w->count; i++) {
        s->place[i] = bucket[s->nearing[i]]++;
        s->order[s->place[i]] = i;
    }
}

// ---------------------------------------------------------------------------------------------
// Solving a batch

// Eight costs in a vector, which every machine has; gcc and clang write plain code where not.
typedef int16_t eight __attribute__((vector_size(16), aligned(2), may_alias));
#define VECTORS (LANES / 8)

static inline eight least(eight a, eight b)
{
#ifdef __SSE2__
    return (eight)_mm_min_epi16((__m128i)a, (__m128i)b); // compilers make four of the below
#else
    const eight less = a < b;
    return (less & a) | (~less & b);
#endif
}

static bool any_set(eight mask)
{
    uint64_t halves[2];
    memcpy(halves, &mask, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

// The least over the edges of one waypoint and what it has. @return whether anything improved
static bool take(const solver* s, int16_t* cost, uint32_t waypoint)
{
    eight* own = (eight*)(cost + (size_t)waypoint * LANES);
    const uint32_t end = s->onward.begin[waypoint + 1];
    eight best[VECTORS];
    memcpy(best, own, sizeof best);
    for (uint32_t e = s->onward.begin[waypoint]; e < end; e++) {
        const link edge = s->onward.list[e];
        const eight* next = (const eight*)(cost + (size_t)edge.to * LANES);
        for (int i = 0; i < VECTORS; i++) best[i] = least(best[i], next[i] + edge.weight);
    }
    eight changed = {0};
    for (int i = 0; i < VECTORS; i++) {
        changed |= own[i] ^ best[i];
        own[i] = best[i];
    }
    return any_set(changed);
}

// Offers the costs of a waypoint to those with an edge to it. Those that take any of them must offer
// theirs in turn. @param first  only to those whose place is before this one
static void offer(solver* s, int16_t* cost, uint32_t waypoint, uint32_t first)
{
    const eight* next = (const eight*)(cost + (size_t)waypoint * LANES);
    const uint32_t end = s->into.begin[waypoint + 1];
    for (uint32_t i = s->into.begin[waypoint]; i < end; i++) {
        const link from = s->into.list[i];
        if (s->place[from.to] >= first) continue;
        eight* own = (eight*)(cost + (size_t)from.to * LANES);
        eight changed = {0};
        for (int k = 0; k < VECTORS; k++) {
            const eight best = least(own[k], next[k] + from.weight);
            changed |= own[k] ^ best;
            own[k] = best;
        }
        s->dirty[from.to] |= any_set(changed);
    }
}

// Lets those before a place of the order offer what they must, there and back. @return whether there
// were any
static bool sweep(solver* s, int16_t* cost, uint32_t end)
{
    bool any = false;
    for (uint32_t i = 0; i < 2 * end; i++) {
        const uint32_t waypoint = s->order[i < end ? end - 1 - i : i - end];
        if (!s->dirty[waypoint]) continue;
        s->dirty[waypoint] = 0;
        offer(s, cost, waypoint, end);
        any = true;
    }
    return any;
}

// The costs of arriving at the goals of a batch directly. @return where in the order the waypoints
// around the goals end
static uint32_t begin_batch(solver* s, int16_t* cost, uint32_t first_goal, uint32_t end)
{
    const size_t size = (size_t)s->waypoints->count * LANES;
    uint32_t among = 0;
    for (size_t i = 0; i < size; i++) cost[i] = UNREACHED;
    for (uint32_t goal = first_goal; goal < end; goal++) {
        for (uint32_t i = s->arriving.begin[goal]; i < s->arriving.begin[goal + 1]; i++) {
            const link from = s->arriving.list[i];
            cost[(size_t)from.to * LANES + goal - first_goal] = from.weight;
            s->dirty[from.to] = 1;
            if (s->place[from.to] >= among) among = s->place[from.to] + 1;
        }
    }
    return among;
}

// Who arrives at a goal directly at what is left from there anyway goes to its seed at once.
static void mark_arrivals(const solver* s, int16_t* cost, uint32_t first_goal, uint32_t end)
{
    for (uint32_t goal = first_goal; goal < end; goal++) {
        for (uint32_t i = s->arriving.begin[goal]; i < s->arriving.begin[goal + 1]; i++) {
            const link from = s->arriving.list[i];
            int16_t* left = &cost[(size_t)from.to * LANES + goal - first_goal];
            if (*left == from.weight) *left |= WM_ROUTE_ARRIVES;
        }
    }
}

// What is left to the goals of a batch. Nobody has anything to offer before and after.
static void solve_batch(solver* s, uint32_t first_goal, uint32_t end)
{
    const uint32_t count = s->waypoints->count;
    int16_t* cost = s->routes->cost + wm_routes_at(s->routes, first_goal, 0);
    order_waypoints(s, first_goal, end);
    const uint32_t among = begin_batch(s, cost, first_goal, end);
    while (sweep(s, cost, among)) continue;
    for (uint32_t place = among; place < count; place++) {
        // Those behind it take its costs themselves when it is their turn.
        const uint32_t waypoint = s->order[place];
        if (take(s, cost, waypoint) || s->dirty[waypoint]) offer(s, cost, waypoint, place);
        s->dirty[waypoint] = 0;
    }
    while (sweep(s, cost, count)) continue;
}

static bool leads_everywhere(const int16_t* cost)
{
    eight any = {0};
    for (int i = 0; i < VECTORS; i++) any |= ((const eight*)cost)[i] == UNREACHED;
    return !any_set(any);
}

// Whether all waypoints lead to the goals of their component, at costs that fit.
static bool all_lead_there(const solver* s, uint32_t first_goal, uint32_t end)
{
    const wm_waypoints* w = s->waypoints;
    const int16_t* cost = s->routes->cost + wm_routes_at(s->routes, first_goal, 0);
    for (uint32_t i = 0; i < w->count; i++, cost += LANES) {
        if (leads_everywhere(cost)) continue;
        const uint32_t component = s->grid->component[w->cell[i]];
        for (uint32_t goal = first_goal; goal < end; goal++) {
            if (cost[goal - first_goal] == UNREACHED &&
                s->grid->component[s->seeds[goal]] == component)
                return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------

static bool solve_all(solver* s, uint32_t shift)
{
    const wm_waypoints* w = s->waypoints;
    s->routes->shift = shift;
    weigh(&s->onward, &w->onward, shift);
    weigh(&s->arriving, &w->arriving, shift);
    turn_around(&s->into, &s->onward, w->count);
    for (uint32_t first = 0; first < w->region_count; first += LANES) {
        const uint32_t end = first + LANES < w->region_count ? first + LANES : w->region_count;
        solve_batch(s, first, end);
        if (!all_lead_there(s, first, end)) return false;
        mark_arrivals(s, s->routes->cost + wm_routes_at(s->routes, first, 0), first, end);
    }
    return true;
}

static bool links_create(links* all, size_t lists, size_t edges)
{
    all->begin = calloc(lists + 2, sizeof *all->begin);
    all->list = calloc(edges + 1, sizeof *all->list);
    return all->begin != NULL && all->list != NULL;
}

static void links_free(links* all)
{
    free(all->begin);
    free(all->list);
}

static bool create_solver(solver* s)
{
    const wm_waypoints* w = s->waypoints;
    const size_t count = w->count;
    const size_t onward = w->onward.begin[count];
    const bool linked = links_create(&s->onward, count, onward) &&
                        links_create(&s->into, count, onward) &&
                        links_create(&s->arriving, w->region_count, w->arriving.capacity);
    s->order = calloc(count + 1, sizeof *s->order);
    s->place = calloc(count + 1, sizeof *s->place);
    s->dirty = calloc(count + 1, sizeof *s->dirty);
    s->nearing = calloc(count + 1, sizeof *s->nearing);
    return linked && s->order != NULL && s->place != NULL && s->dirty != NULL && s->nearing != NULL;
}

static void free_solver(solver* s)
{
    links_free(&s->onward);
    links_free(&s->into);
    links_free(&s->arriving);
    free(s->order);
    free(s->place);
    free(s->dirty);
    free(s->nearing);
}

static size_t table_size(const wm_routes* routes)
{
    return wm_routes_at(routes, routes->goals + WM_ROUTE_LANES - 1, 0);
}

void wm_routes_free(wm_routes* routes)
{
    const wm_allocator allocator = routes->allocator;
    if (routes->cost != NULL)
        wm_release(&allocator, routes->cost, table_size(routes), sizeof *routes->cost);
    *routes = (wm_routes){0};
}

// Whether every region has a way to the others of its component, if there are any.
// @return WM_OK, WM_ERR_FORMAT where one has none, or WM_ERR_MEMORY
static wm_status check_outward(const wm_waypoints* waypoints, const wm_regions* regions,
                               const wm_grid* grid)
{
    uint32_t* members = calloc((size_t)grid->component_count + 1, sizeof *members);
    if (members == NULL) return WM_ERR_MEMORY;
    bool all = true;
    for (uint32_t r = 0; r < regions->count; r++) members[grid->component[regions->seeds[r]]]++;
    for (uint32_t r = 0; all && r < regions->count; r++)
        all = members[grid->component[regions->seeds[r]]] == 1 ||
              waypoints->outward.begin[r] < waypoints->outward.begin[r + 1];
    free(members);
    return all ? WM_OK : WM_ERR_FORMAT;
}

wm_status wm_routes_create(wm_routes* routes, const wm_waypoints* waypoints,
                           const wm_regions* regions, const wm_grid* grid,
                           const wm_allocator* allocator)
{
    *routes = (wm_routes){.waypoints = waypoints, .goals = waypoints->region_count};
    if (allocator != NULL) routes->allocator = *allocator;
    wm_status status = check_outward(waypoints, regions, grid);
    if (status != WM_OK) return status;
    solver s = {.waypoints = waypoints, .grid = grid, .seeds = regions->seeds, .routes = routes};
    routes->cost = wm_alloc(allocator, table_size(routes), sizeof *routes->cost);
    wm_prefer_large_pages(routes->cost, table_size(routes) * sizeof *routes->cost);
    status = WM_ERR_MEMORY;
    if (routes->cost != NULL && create_solver(&s)) {
        // Units as fine as they may be: if a distance does not fit, coarser ones.
        uint32_t shift = 0;
        while ((wm_cost)(grid->width + grid->height) * WM_COST_STRAIGHT >> shift > UNREACHED)
            shift++;
        while (shift <= MAX_SHIFT && !solve_all(&s, shift)) shift++;
        status = shift <= MAX_SHIFT ? WM_OK : WM_ERR_FORMAT;
    }
    free_solver(&s);
    if (status != WM_OK) wm_routes_free(routes);
    return status;
}

uint8_t wm_routes_hop(const wm_routes* routes, uint32_t goal, uint32_t waypoint)
{
    const wm_edge_lists* onward = &routes->waypoints->onward;
    const wm_waypoint_edge* edges = onward->edges + onward->begin[waypoint];
    const uint32_t count = onward->begin[waypoint + 1] - onward->begin[waypoint];
    const int16_t marked = routes->cost[wm_routes_at(routes, goal, waypoint)];
    const int32_t left = marked & WM_ROUTE_UNREACHED;
    if (left == UNREACHED) return WM_NO_HOP;
    if (marked != left) return WM_HOP_SEED;
    for (uint32_t i = 0; i < count; i++) {
        if (wm_routes_left(routes, goal, edges[i].to) + wm_routes_units(routes, edges[i].cost) ==
            left)
            return (uint8_t)i;
    }
    return WM_NO_HOP;
}
