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
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
    uint32_t* order;  // waypoints, nearest to the goals first
    uint32_t* place;  // per waypoint: its place in the order
    uint8_t* dirty;   // per waypoint: must offer its costs
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
        const uint32_t waypoint = s->order[i < end ? i : 2 * end - 1 - i];
        if (!s->dirty[waypoint]) continue;
        s->dirty[waypoint] = 0;
        offer(s, cost, waypoint, s->waypoints->count);
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
        for (int i = 0; i < VECTORS; i++) own[i] = least(own[i], there[i] + next.weight);
    }
}

// Sixteen hops.
typedef int8_t bytes __attribute__((vector_size(16), aligned(1), may_alias));

// Two masks of eight as one of sixteen.
static inline bytes narrow(eight low, eight high)
{
#ifdef __SSE2__
    return (bytes)_mm_packs_epi16((__m128i)low, (__m128i)high);
#else
    bytes both;
    for (int i = 0; i < 8; i++) {
        both[i] = (int8_t)low[i];
        both[i + 8] = (int8_t)high[i];
    }
    return both;
#endif
}

// By which of its edges each cost of a waypoint comes: the last of those that are looked at from the
// last to the first.
static void find_hops(const solver* s, const int16_t* cost, uint8_t* hops, uint32_t waypoint)
{
    const uint32_t begin = s->onward.begin[waypoint];
    const eight* own = (const eight*)(cost + (size_t)waypoint * LANES);
    bytes hop[LANES / 16];
    memset(hop, WM_NO_HOP, sizeof hop);
    for (uint32_t e = s->onward.begin[waypoint + 1]; e-- > begin;) {
        const link edge = s->onward.list[e];
        const eight* next = (const eight*)(cost + (size_t)edge.to * LANES);
        for (int i = 0; i < LANES / 16; i++) {
            const bytes by_this = narrow(next[2 * i] + edge.weight == own[2 * i],
                                         next[2 * i + 1] + edge.weight == own[2 * i + 1]);
            hop[i] = (by_this & (int8_t)(e - begin)) | (~by_this & hop[i]);
        }
    }
    memcpy(hops + (size_t)waypoint * LANES, hop, sizeof hop);
}

// Arriving directly comes before all edges.
static void hop_to_seeds(const solver* s, const int16_t* cost, uint8_t* hops, uint32_t first_goal,
                         uint32_t end)
{
    for (uint32_t goal = first_goal; goal < end; goal++) {
        for (uint32_t i = s->arriving.begin[goal]; i < s->arriving.begin[goal + 1]; i++) {
            const link from = s->arriving.list[i];
            const size_t at = (size_t)from.to * LANES + goal - first_goal;
            if (cost[at] == from.weight) hops[at] = WM_HOP_SEED;
        }
    }
}

// Costs and hops to the goals of a batch. Nobody has anything to offer before and after.
static void solve_batch(solver* s, uint32_t first_goal, uint32_t end)
{
    const uint32_t count = s->waypoints->count;
    int16_t* cost = s->routes->cost + wm_routes_at(s->routes, first_goal, 0);
    uint8_t* hops = s->routes->hop + wm_routes_at(s->routes, first_goal, 0);
    const uint32_t solved = order_waypoints(s, first_goal, end);
    const uint32_t among = begin_batch(s, cost, first_goal, end);
    while (sweep(s, cost, among)) continue;
    if (solved < first_goal) follow_solved(s, cost, among, solved);
    for (uint32_t place = 0; place < count; place++) {
        // Those behind it take its costs themselves when it is their turn.
        const uint32_t waypoint = s->order[place];
        if (take(s, cost, waypoint) || s->dirty[waypoint]) offer(s, cost, waypoint, place);
        s->dirty[waypoint] = 0;
    }
    while (sweep(s, cost, count)) continue;
    for (uint32_t i = 0; i < count; i++) find_hops(s, cost, hops, i);
    hop_to_seeds(s, cost, hops, first_goal, end);
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
    s->bucket = calloc(UNREACHED + 2, sizeof *s->bucket);
    return linked && s->order != NULL && s->place != NULL && s->dirty != NULL &&
           s->nearing != NULL && s->bucket != NULL;
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
    *routes = (wm_routes){.waypoints = waypoints->count, .goals = waypoints->region_count};
    if (allocator != NULL) routes->allocator = *allocator;
    wm_status status = check_outward(waypoints, regions, grid);
    if (status != WM_OK) return status;
    solver s = {.waypoints = waypoints, .grid = grid, .seeds = regions->seeds, .routes = routes};
    routes->hop = wm_alloc(allocator, table_size(routes), sizeof *routes->hop);
    routes->cost = wm_alloc(allocator, table_size(routes), sizeof *routes->cost);
    wm_prefer_large_pages(routes->cost, table_size(routes) * sizeof *routes->cost);
    wm_prefer_large_pages(routes->hop, table_size(routes) * sizeof *routes->hop);
    status = WM_ERR_MEMORY;
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
