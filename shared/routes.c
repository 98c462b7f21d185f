// SPDX-License-Identifier: MIT
//
// Goal regions are solved in batches: neighbours have near numbers, so that one order of the
// waypoints, by distance to a goal nearby that is solved already, is nearly right for all of a
// batch. Around the goals waypoints take the least over their edges, for all goals with a few
// vector instructions, until nothing improves. The others first follow the ways to the solved goal;
// then all take the least over all edges once, which rarely improves anything, and those that hang
// on an improvement again. The result does not depend on the order: shortest distances are what
// they are, and of equal edges the first counts.
#include "routes.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "regions.h"

#define LANES WM_ROUTE_LANES
// Small enough that a cost and the weight of an edge add up to a 16-bit number.
#define UNREACHED 16383
// Beyond this no distance on the largest map fails to fit.
#define MAX_SHIFT 24

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
    links onward;     // per waypoint
    links arriving;   // per goal
    links into;       // per waypoint: those with an edge to it
    int16_t* arrival; // per waypoint and goal of the batch: the cost to its seed directly
    uint32_t* order;  // waypoints, nearest to the goals first
    uint32_t* place;  // per waypoint: its place in the order
    uint8_t* dirty;   // per place: must be taken again
    int16_t* nearing; // per waypoint: what the order goes by
    uint32_t* bucket; // for sorting
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
    int16_t least = UNREACHED;
    if (s->arriving.begin[goal] == s->arriving.begin[goal + 1]) return end;
    const uint32_t beside = s->arriving.list[s->arriving.begin[goal]].to;
    for (uint32_t g = 0; g < end; g++) {
        const int16_t cost = s->routes->cost[wm_routes_at(s->routes, g, beside)];
        if (cost >= least) continue;
        least = cost;
        nearest = g;
    }
    return nearest;
}

// By distance to a solved goal nearby, or as the crow flies. @return that goal, or `first_goal`
static uint32_t order_waypoints(solver* s, uint32_t first_goal, uint32_t end)
{
    const wm_waypoints* w = s->waypoints;
    const uint32_t goal = first_goal + (end - first_goal) / 2;
    const uint32_t near = nearest_solved(s, goal, first_goal);
    memset(s->bucket, 0, (UNREACHED + 2) * sizeof *s->bucket);
    for (uint32_t i = 0; i < w->count; i++) {
        s->nearing[i] =
            near < first_goal
                ? s->routes->cost[wm_routes_at(s->routes, near, i)]
                : weight_of(wm_grid_octile(s->grid, w->cell[i], s->seeds[goal]), s->routes->shift);
        s->bucket[s->nearing[i] + 1]++;
    }
    for (int i = 1; i <= UNREACHED; i++) s->bucket[i] += s->bucket[i - 1];
    for (uint32_t i = 0; i < w->count; i++) {
        s->place[i] = s->bucket[s->nearing[i]]++;
        s->order[s->place[i]] = i;
    }
    return near;
}

// ---------------------------------------------------------------------------------------------
// Solving a batch

// Eight costs in a vector, which every machine has; gcc and clang write plain code where not.
typedef int16_t eight __attribute__((vector_size(16), aligned(2), may_alias));
#define VECTORS (LANES / 8)

// Where `mask` is all ones `a`, where it is 0 `b`.
#define CHOOSE(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))

static bool any_set(eight mask)
{
    uint64_t halves[2];
    memcpy(halves, &mask, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

// Writes the costs of a waypoint. @return whether they are others than before
static bool replace(int16_t* costs, const eight best[VECTORS])
{
    eight* before = (eight*)costs;
    eight changed = {0};
    for (int i = 0; i < VECTORS; i++) {
        changed |= before[i] ^ best[i];
        before[i] = best[i];
    }
    return any_set(changed);
}

// The least over the edges of one waypoint. @return whether anything improved
static bool take(const solver* s, int16_t* cost, uint32_t waypoint)
{
    int16_t* own = cost + (size_t)waypoint * LANES;
    eight best[VECTORS];
    memcpy(best, own, sizeof best);
    for (uint32_t e = s->onward.begin[waypoint]; e < s->onward.begin[waypoint + 1]; e++) {
        const eight* next = (const eight*)(cost + (size_t)s->onward.list[e].to * LANES);
        for (int i = 0; i < VECTORS; i++) {
            const eight sum = next[i] + s->onward.list[e].weight;
            best[i] = CHOOSE(sum < best[i], sum, best[i]);
        }
    }
    return replace(own, best);
}

// Whether any cost falls below that of `own` by way of `next`, or at least comes to it, so that the
// first of equal edges may be another one.
static bool matters(const int16_t* own, const int16_t* next, int16_t weight)
{
    eight any = {0};
    for (int i = 0; i < VECTORS; i++)
        any |= ((const eight*)next)[i] + weight <= ((const eight*)own)[i];
    return any_set(any);
}

// Those with an edge to a waypoint that improved must be taken again: the later ones, whose turn it
// is next, and of the earlier ones those to which it matters.
static void mark_dirty(solver* s, const int16_t* cost, uint32_t waypoint)
{
    const uint32_t end = s->into.begin[waypoint + 1];
    for (uint32_t i = s->into.begin[waypoint]; i < end; i++) {
        const link from = s->into.list[i];
        const uint32_t place = s->place[from.to];
        if (s->dirty[place]) continue;
        s->dirty[place] =
            place > s->place[waypoint] ||
            matters(cost + (size_t)from.to * LANES, cost + (size_t)waypoint * LANES, from.weight);
    }
}

// The least over arriving and all edges of one waypoint, and by which it comes, arriving first.
// @return whether anything improved
static bool settle(const solver* s, int16_t* cost, uint8_t* hops, uint32_t waypoint)
{
    const size_t at = (size_t)waypoint * LANES;
    const uint32_t begin = s->onward.begin[waypoint];
    eight best[VECTORS];
    eight hop[VECTORS];
    memcpy(best, s->arrival + at, sizeof best);
    for (int i = 0; i < VECTORS; i++)
        hop[i] = CHOOSE(best[i] < UNREACHED, (eight){0} + WM_HOP_SEED, (eight){0} + WM_NO_HOP);
    for (uint32_t e = begin; e < s->onward.begin[waypoint + 1]; e++) {
        const eight* next = (const eight*)(cost + (size_t)s->onward.list[e].to * LANES);
        const eight edge = (eight){0} + (int16_t)(e - begin);
        for (int i = 0; i < VECTORS; i++) {
            const eight sum = next[i] + s->onward.list[e].weight;
            const eight better = sum < best[i];
            best[i] = CHOOSE(better, sum, best[i]);
            hop[i] = CHOOSE(better, edge, hop[i]);
        }
    }
    for (size_t i = 0; i < LANES; i++) hops[at + i] = (uint8_t)hop[i / 8][i % 8];
    return replace(cost + at, best);
}

// Takes what must be taken before a place of the order, there and back. @return whether anything
// improved
static bool sweep(solver* s, int16_t* cost, uint32_t end)
{
    bool any = false;
    for (uint32_t i = 0; i < 2 * end; i++) {
        const uint32_t place = i < end ? i : 2 * end - 1 - i;
        if (!s->dirty[place]) continue;
        s->dirty[place] = 0;
        if (!take(s, cost, s->order[place])) continue;
        mark_dirty(s, cost, s->order[place]);
        any = true;
    }
    return any;
}

// The costs of arriving at the goals of a batch. @return where in the order the waypoints around
// the goals end
static uint32_t begin_batch(solver* s, int16_t* cost, uint32_t first_goal, uint32_t end)
{
    const size_t size = (size_t)s->waypoints->count * LANES;
    uint32_t among = 0;
    for (size_t i = 0; i < size; i++) s->arrival[i] = UNREACHED;
    for (uint32_t goal = first_goal; goal < end; goal++) {
        for (uint32_t i = s->arriving.begin[goal]; i < s->arriving.begin[goal + 1]; i++) {
            const link from = s->arriving.list[i];
            s->arrival[(size_t)from.to * LANES + goal - first_goal] = from.weight;
            if (s->place[from.to] >= among) among = s->place[from.to] + 1;
        }
    }
    memcpy(cost, s->arrival, size * sizeof *cost);
    return among;
}

// Gives the waypoints from a place on the cost of the way that they have to a solved goal.
static void follow_solved(const solver* s, int16_t* cost, uint32_t begin, uint32_t solved)
{
    for (uint32_t place = begin; place < s->waypoints->count; place++) {
        const uint32_t waypoint = s->order[place];
        const uint8_t hop = wm_routes_hop(s->routes, solved, waypoint);
        if (hop >= WM_HOP_SEED) continue;
        const link next = s->onward.list[s->onward.begin[waypoint] + hop];
        eight* own = (eight*)(cost + (size_t)waypoint * LANES);
        const eight* there = (const eight*)(cost + (size_t)next.to * LANES);
        for (int i = 0; i < VECTORS; i++) {
            const eight sum = there[i] + next.weight;
            own[i] = CHOOSE(sum < own[i], sum, own[i]);
        }
    }
}

// Costs and hops to the goals of a batch.
static void solve_batch(solver* s, uint32_t first_goal, uint32_t end)
{
    const uint32_t count = s->waypoints->count;
    int16_t* cost = s->routes->cost + wm_routes_at(s->routes, first_goal, 0);
    uint8_t* hops = s->routes->hop + wm_routes_at(s->routes, first_goal, 0);
    const uint32_t solved = order_waypoints(s, first_goal, end);
    const uint32_t among = begin_batch(s, cost, first_goal, end);
    memset(s->dirty, 1, among);
    while (sweep(s, cost, among)) continue;
    if (solved < first_goal) follow_solved(s, cost, among, solved);
    memset(s->dirty, 1, count);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t place = 0; place < count; place++) {
            if (!s->dirty[place]) continue;
            s->dirty[place] = 0;
            if (!settle(s, cost, hops, s->order[place])) continue;
            mark_dirty(s, cost, s->order[place]);
            again = true;
        }
    }
}

// Whether all waypoints lead to the goals of their component, at costs that fit.
static bool all_lead_there(const solver* s, uint32_t first_goal, uint32_t end)
{
    const wm_waypoints* w = s->waypoints;
    const int16_t* cost = s->routes->cost + wm_routes_at(s->routes, first_goal, 0);
    for (uint32_t i = 0; i < w->count; i++) {
        const uint32_t component = s->grid->component[w->cell[i]];
        for (uint32_t goal = first_goal; goal < end; goal++) {
            if (cost[(size_t)i * LANES + goal - first_goal] == UNREACHED &&
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
    s->arrival = calloc((count + 1) * LANES, sizeof *s->arrival);
    s->order = calloc(count + 1, sizeof *s->order);
    s->place = calloc(count + 1, sizeof *s->place);
    s->dirty = calloc(count + 1, sizeof *s->dirty);
    s->nearing = calloc(count + 1, sizeof *s->nearing);
    s->bucket = calloc(UNREACHED + 2, sizeof *s->bucket);
    return linked && s->arrival != NULL && s->order != NULL && s->place != NULL &&
           s->dirty != NULL && s->nearing != NULL && s->bucket != NULL;
}

static void free_solver(solver* s)
{
    links_free(&s->onward);
    links_free(&s->into);
    links_free(&s->arriving);
    free(s->arrival);
    free(s->order);
    free(s->place);
    free(s->dirty);
    free(s->nearing);
    free(s->bucket);
}

static size_t table_size(const wm_routes* routes)
{
    return wm_routes_at(routes, routes->goals + WM_ROUTE_LANES - 1, 0);
}

void wm_routes_free(wm_routes* routes)
{
    const wm_allocator allocator = routes->allocator;
    wm_release(&allocator, routes->hop, table_size(routes), sizeof *routes->hop);
    wm_release(&allocator, routes->cost, table_size(routes), sizeof *routes->cost);
    *routes = (wm_routes){0};
}

// Whether every region has a way to the others of its component, if there are any.
static bool all_lead_outward(const wm_waypoints* waypoints, const wm_regions* regions,
                             const wm_grid* grid)
{
    uint32_t* members = calloc((size_t)grid->component_count + 1, sizeof *members);
    bool all = members != NULL;
    for (uint32_t r = 0; all && r < regions->count; r++)
        members[grid->component[regions->seeds[r]]]++;
    for (uint32_t r = 0; all && r < regions->count; r++)
        all = members[grid->component[regions->seeds[r]]] == 1 ||
              waypoints->outward.begin[r] < waypoints->outward.begin[r + 1];
    free(members);
    return all;
}

wm_status wm_routes_create(wm_routes* routes, const wm_waypoints* waypoints,
                           const wm_regions* regions, const wm_grid* grid,
                           const wm_allocator* allocator)
{
    *routes = (wm_routes){.waypoints = waypoints->count, .goals = waypoints->region_count};
    if (allocator != NULL) routes->allocator = *allocator;
    if (!all_lead_outward(waypoints, regions, grid)) return WM_ERR_FORMAT;
    solver s = {.waypoints = waypoints, .grid = grid, .seeds = regions->seeds, .routes = routes};
    routes->hop = wm_alloc(allocator, table_size(routes), sizeof *routes->hop);
    routes->cost = wm_alloc(allocator, table_size(routes), sizeof *routes->cost);
    wm_status status = WM_ERR_MEMORY;
    if (routes->hop != NULL && routes->cost != NULL && create_solver(&s)) {
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
