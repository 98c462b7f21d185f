// SPDX-License-Identifier: MIT
//
// Goal regions are solved in batches: neighbours have near numbers, so that one order of the
// waypoints, by distance to a goal nearby, is nearly right for all of a batch. In that order every
// waypoint takes the least over its edges, for all goals with a few vector instructions; those with
// an edge to one that improved afterwards are taken again, until nothing improves. The result does
// not depend on the order: shortest distances are what they are, and of equal edges the first
// counts.
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

// By distance to a solved goal nearby, or as the crow flies.
static void order_waypoints(solver* s, uint32_t first_goal, uint32_t end)
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
}

// ---------------------------------------------------------------------------------------------
// Solving a batch

// Eight costs in a vector, which every machine has; gcc and clang write plain code where not.
typedef int16_t eight __attribute__((vector_size(16), aligned(2), may_alias));
#define VECTORS (LANES / 8)

// Where `mask` is all ones `a`, where it is 0 `b`.
#define CHOOSE(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))

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
    const bool improved = memcmp(best, own, sizeof best) != 0;
    memcpy(own, best, sizeof best);
    return improved;
}

// Whether any cost falls below that of `own` by way of `next`.
static bool improves(const int16_t* own, const int16_t* next, int16_t weight)
{
    eight any = {0};
    for (int i = 0; i < VECTORS; i++)
        any |= ((const eight*)next)[i] + weight < ((const eight*)own)[i];
    uint64_t halves[2];
    memcpy(halves, &any, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

// Those with an edge to a waypoint that improved must be taken again: the later ones, whose turn it
// is next, and of the earlier ones those that it serves better.
static void mark_dirty(solver* s, const int16_t* cost, uint32_t waypoint)
{
    const uint32_t end = s->into.begin[waypoint + 1];
    for (uint32_t i = s->into.begin[waypoint]; i < end; i++) {
        const link from = s->into.list[i];
        const uint32_t place = s->place[from.to];
        if (s->dirty[place]) continue;
        s->dirty[place] =
            place > s->place[waypoint] ||
            improves(cost + (size_t)from.to * LANES, cost + (size_t)waypoint * LANES, from.weight);
    }
}

// Takes what must be taken between two places of the order. @return whether anything improved
static bool sweep(solver* s, int16_t* cost, uint32_t begin, uint32_t end)
{
    bool any = false;
    for (uint32_t place = begin; place < end; place++) {
        if (!s->dirty[place]) continue;
        s->dirty[place] = 0;
        const uint32_t waypoint = s->order[place];
        if (!take(s, cost, waypoint)) continue;
        mark_dirty(s, cost, waypoint);
        any = true;
    }
    return any;
}

// Costs to the goals of a batch. @return false if one does not fit, or a way is missing
static bool find_costs(solver* s, uint32_t first_goal, uint32_t end)
{
    const wm_waypoints* w = s->waypoints;
    int16_t* cost = s->routes->cost + wm_routes_at(s->routes, first_goal, 0);
    uint32_t among = 0; // where in the order the waypoints around the goals end
    for (size_t i = 0; i < (size_t)w->count * LANES; i++) cost[i] = UNREACHED;
    for (uint32_t goal = first_goal; goal < end; goal++) {
        for (uint32_t i = s->arriving.begin[goal]; i < s->arriving.begin[goal + 1]; i++) {
            const uint32_t from = s->arriving.list[i].to;
            cost[(size_t)from * LANES + goal - first_goal] = s->arriving.list[i].weight;
            mark_dirty(s, cost, from);
            if (s->place[from] >= among) among = s->place[from] + 1;
        }
    }
    // Those among the goals until they have their last costs, then those farther out.
    do {
        while (sweep(s, cost, 0, among)) continue;
    } while (sweep(s, cost, among, w->count));
    for (uint32_t goal = first_goal; goal < end; goal++) {
        const uint32_t component = s->grid->component[s->seeds[goal]];
        for (uint32_t i = 0; i < w->count; i++) {
            if (cost[(size_t)i * LANES + goal - first_goal] == UNREACHED &&
                s->grid->component[w->cell[i]] == component)
                return false;
        }
    }
    return true;
}

// The first edge by which each waypoint has its cost.
static void find_hops(const solver* s, uint32_t first_goal, uint32_t end)
{
    const int16_t* cost = s->routes->cost + wm_routes_at(s->routes, first_goal, 0);
    uint8_t* hops = s->routes->hop + wm_routes_at(s->routes, first_goal, 0);
    for (uint32_t waypoint = 0; waypoint < s->waypoints->count; waypoint++) {
        const eight* own = (const eight*)(cost + (size_t)waypoint * LANES);
        const uint32_t begin = s->onward.begin[waypoint];
        eight hop[VECTORS];
        for (int i = 0; i < VECTORS; i++) hop[i] = (eight){0} + WM_NO_HOP;
        for (uint32_t e = s->onward.begin[waypoint + 1]; e-- > begin;) {
            const eight* next = (const eight*)(cost + (size_t)s->onward.list[e].to * LANES);
            const eight edge = (eight){0} + (int16_t)(e - begin);
            for (int i = 0; i < VECTORS; i++) {
                const eight sum = next[i] + s->onward.list[e].weight;
                hop[i] = CHOOSE(sum == own[i], edge, hop[i]);
            }
        }
        for (size_t i = 0; i < LANES; i++)
            hops[waypoint * (size_t)LANES + i] = (uint8_t)hop[i / 8][i % 8];
    }
    for (uint32_t goal = first_goal; goal < end; goal++) {
        for (uint32_t i = s->arriving.begin[goal]; i < s->arriving.begin[goal + 1]; i++) {
            const size_t at = (size_t)s->arriving.list[i].to * LANES + goal - first_goal;
            if (cost[at] == s->arriving.list[i].weight) hops[at] = WM_HOP_SEED;
        }
    }
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
        order_waypoints(s, first, end);
        if (!find_costs(s, first, end)) return false;
        find_hops(s, first, end);
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
