// SPDX-License-Identifier: MIT
//
// Goal regions are taken sixteen at a time: neighbours have near numbers, so that one order of the
// waypoints, by distance to the first of these goals, is nearly right for all. In that order every
// waypoint takes the least over its edges, for sixteen goals with a few vector instructions; those
// with an edge to one that improved afterwards are taken again, until nothing improves. The result
// does not depend on the order: shortest distances are what they are, and of equal edges the first
// counts.
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "regions.h"

#define LANES 16
// Far enough below the largest number that a cost can be added.
#define UNREACHED (INT32_MAX - (1 << 24))

// Four numbers in a vector, which every machine has; gcc and clang write plain code where not.
typedef int32_t four __attribute__((vector_size(4 * sizeof(int32_t))));

typedef union lanes {
    four part[LANES / 4];
    int32_t at[LANES];
} lanes;

typedef struct waiting {
    int32_t cost;
    uint32_t waypoint;
} waiting;

typedef struct solver {
    const wm_waypoints* waypoints;
    uint32_t* into_begin; // per waypoint: waypoints with an edge to it; one more at the end
    wm_waypoint_edge* into;
    lanes* arrival;      // per waypoint: the cost of going to the goal's seed from it directly
    uint32_t first_goal; // of those that are solved at once
    lanes* cost;         // per waypoint
    lanes* hop;
    uint32_t* order;
    uint32_t ordered;
    int32_t* distance; // to the first goal, for the order
    waiting* heap;
    uint32_t heap_count;
    uint32_t* place; // per waypoint: its place in the order
    uint8_t* dirty;  // per place: must be taken again
} solver;

static void turn_edges(solver* s)
{
    const wm_waypoints* w = s->waypoints;
    // Counted two places on, so that writing moves each begin to where it belongs.
    const wm_edge_lists* onward = &w->onward;
    for (uint32_t i = 0; i < onward->begin[w->count]; i++) s->into_begin[onward->edges[i].to + 2]++;
    for (uint32_t i = 2; i <= w->count + 1; i++) s->into_begin[i] += s->into_begin[i - 1];
    for (uint32_t from = 0; from < w->count; from++) {
        for (uint32_t i = onward->begin[from]; i < onward->begin[from + 1]; i++)
            s->into[s->into_begin[onward->edges[i].to + 1]++] =
                (wm_waypoint_edge){.to = from & INT32_MAX, .cost = onward->edges[i].cost};
    }
}

static void heap_push(solver* s, waiting entry)
{
    uint32_t hole = s->heap_count++;
    while (hole > 0 && entry.cost < s->heap[(hole - 1) / 2].cost) {
        s->heap[hole] = s->heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    s->heap[hole] = entry;
}

static waiting heap_pop(solver* s)
{
    const waiting best = s->heap[0];
    const waiting last = s->heap[--s->heap_count];
    uint32_t hole = 0;
    for (uint32_t child = 1; child < s->heap_count; child = 2 * hole + 1) {
        if (child + 1 < s->heap_count && s->heap[child + 1].cost < s->heap[child].cost) child++;
        if (s->heap[child].cost >= last.cost) break;
        s->heap[hole] = s->heap[child];
        hole = child;
    }
    s->heap[hole] = last;
    return best;
}

// Lists all waypoints, those that lead to the goal first, the nearest of them first.
static void order_by_distance(solver* s, uint32_t goal)
{
    const uint32_t count = s->waypoints->count;
    for (uint32_t i = 0; i < count; i++) s->distance[i] = UNREACHED;
    s->ordered = 0;
    s->heap_count = 0;
    const wm_edge_lists* arriving = &s->waypoints->arriving;
    for (uint32_t i = arriving->begin[goal]; i < arriving->begin[goal + 1]; i++) {
        s->distance[arriving->edges[i].to] = arriving->edges[i].cost;
        heap_push(s, (waiting){arriving->edges[i].cost, arriving->edges[i].to});
    }
    while (s->heap_count > 0) {
        const waiting next = heap_pop(s);
        if (next.cost != s->distance[next.waypoint]) continue;
        s->order[s->ordered++] = next.waypoint;
        for (uint32_t i = s->into_begin[next.waypoint]; i < s->into_begin[next.waypoint + 1]; i++) {
            const int32_t cost = next.cost + s->into[i].cost;
            if (cost >= s->distance[s->into[i].to]) continue;
            s->distance[s->into[i].to] = cost;
            heap_push(s, (waiting){cost, s->into[i].to});
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (s->distance[i] == UNREACHED) s->order[s->ordered++] = i;
    }
    for (uint32_t i = 0; i < count; i++) s->place[s->order[i]] = i;
}

static void mark_dirty(solver* s, uint32_t changed)
{
    for (uint32_t i = s->into_begin[changed]; i < s->into_begin[changed + 1]; i++)
        s->dirty[s->place[s->into[i].to]] = 1;
}

// Where `mask` is all ones `a`, where it is 0 `b`.
#define CHOOSE(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))

static void fill(lanes* all, int32_t value)
{
    for (int i = 0; i < LANES; i++) all->at[i] = value;
}

// The least over the edges of one waypoint. @return whether anything improved
static bool take(solver* s, uint32_t waypoint)
{
    const wm_waypoints* w = s->waypoints;
    const wm_waypoint_edge* edges = w->onward.edges + w->onward.begin[waypoint];
    const int32_t count = (int32_t)(w->onward.begin[waypoint + 1] - w->onward.begin[waypoint]);
    lanes best = s->arrival[waypoint];
    lanes hop;
    fill(&hop, WM_HOP_SEED);
    for (int32_t e = 0; e < count; e++) {
        const lanes* next = &s->cost[edges[e].to];
        for (int i = 0; i < LANES / 4; i++) {
            const four sum = next->part[i] + edges[e].cost;
            const four better = sum < best.part[i];
            best.part[i] = CHOOSE(better, sum, best.part[i]);
            hop.part[i] = CHOOSE(better, (four){0} + e, hop.part[i]);
        }
    }
    const bool improved = memcmp(best.at, s->cost[waypoint].at, sizeof best.at) != 0;
    s->cost[waypoint] = best;
    s->hop[waypoint] = hop;
    return improved;
}

// Takes what must be taken between two places of the order. @return whether anything improved
static bool sweep(solver* s, uint32_t begin, uint32_t end)
{
    bool any = false;
    for (uint32_t place = begin; place < end; place++) {
        if (!s->dirty[place]) continue;
        s->dirty[place] = 0;
        if (!take(s, s->order[place])) continue;
        mark_dirty(s, s->order[place]);
        any = true;
    }
    return any;
}

// Distances and hops of all waypoints to the goals from `first_goal` on.
static void solve(solver* s)
{
    const wm_waypoints* w = s->waypoints;
    uint32_t among = 0; // where in the order the waypoints around the goals end
    order_by_distance(s, s->first_goal);
    for (uint32_t i = 0; i < w->count; i++) {
        fill(&s->arrival[i], UNREACHED);
        fill(&s->cost[i], UNREACHED);
        fill(&s->hop[i], WM_NO_HOP);
    }
    for (uint32_t lane = 0; lane < LANES && s->first_goal + lane < w->region_count; lane++) {
        const uint32_t goal = s->first_goal + lane;
        for (uint32_t i = w->arriving.begin[goal]; i < w->arriving.begin[goal + 1]; i++) {
            const wm_waypoint_edge edge = w->arriving.edges[i];
            s->arrival[edge.to].at[lane] = edge.cost;
            const uint32_t place = s->place[edge.to];
            s->dirty[place] = 1;
            if (place >= among) among = place + 1;
        }
    }
    // Those among the goals until they have their last costs, then those farther out.
    do {
        while (sweep(s, 0, among)) continue;
    } while (sweep(s, among, w->count));
}

// Writes the row of one goal. @return false if a waypoint of its component does not lead there
static bool keep_row(const solver* s, wm_routes* routes, uint32_t goal, uint32_t component,
                     const wm_grid* grid)
{
    const wm_waypoints* w = s->waypoints;
    const uint32_t lane = goal - s->first_goal;
    uint8_t* hop = routes->hop + (size_t)goal * w->count;
    uint16_t* scaled = routes->scaled + (size_t)goal * w->count;
    int32_t farthest = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const int32_t cost = s->cost[i].at[lane];
        if (cost != UNREACHED && cost > farthest) farthest = cost;
        if (cost == UNREACHED && grid->component[w->cell[i]] == component) return false;
    }
    uint8_t shift = 0;
    while (farthest >> shift > UINT16_MAX) shift++;
    routes->shift[goal] = shift;
    for (uint32_t i = 0; i < w->count; i++) {
        hop[i] = (uint8_t)s->hop[i].at[lane];
        const int32_t cost = s->cost[i].at[lane] >> shift;
        scaled[i] = (uint16_t)(cost < UINT16_MAX ? cost : UINT16_MAX);
    }
    return true;
}

static void free_solver(solver* s)
{
    free(s->into_begin);
    free(s->into);
    free(s->arrival);
    free(s->cost);
    free(s->hop);
    free(s->order);
    free(s->distance);
    free(s->heap);
    free(s->place);
    free(s->dirty);
}

static bool create_solver(solver* s, const wm_waypoints* waypoints)
{
    const size_t count = waypoints->count;
    const size_t edges = count == 0 ? 0 : waypoints->onward.begin[count];
    *s = (solver){.waypoints = waypoints};
    s->into_begin = calloc(count + 2, sizeof *s->into_begin);
    s->into = calloc(edges + 1, sizeof *s->into);
    s->arrival = aligned_alloc(sizeof(lanes), (count + 1) * sizeof *s->arrival);
    s->cost = aligned_alloc(sizeof(lanes), (count + 1) * sizeof *s->cost);
    s->hop = aligned_alloc(sizeof(lanes), (count + 1) * sizeof *s->hop);
    s->order = calloc(count + 1, sizeof *s->order);
    s->distance = calloc(count + 1, sizeof *s->distance);
    s->heap = calloc(edges + waypoints->arriving.capacity + 1, sizeof *s->heap);
    s->place = calloc(count + 1, sizeof *s->place);
    s->dirty = calloc(count + 1, sizeof *s->dirty);
    if (s->into_begin == NULL || s->into == NULL || s->arrival == NULL || s->cost == NULL ||
        s->hop == NULL || s->order == NULL || s->distance == NULL || s->heap == NULL ||
        s->place == NULL || s->dirty == NULL)
        return false;
    turn_edges(s);
    return true;
}

void wm_routes_free(wm_routes* routes)
{
    const wm_allocator allocator = routes->allocator;
    const size_t pairs = (size_t)routes->waypoints * routes->goals;
    wm_release(&allocator, routes->hop, pairs, sizeof *routes->hop);
    wm_release(&allocator, routes->scaled, pairs, sizeof *routes->scaled);
    wm_release(&allocator, routes->shift, routes->goals, sizeof *routes->shift);
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
    solver s;
    const size_t pairs = (size_t)waypoints->count * waypoints->region_count;
    *routes = (wm_routes){.waypoints = waypoints->count, .goals = waypoints->region_count};
    if (allocator != NULL) routes->allocator = *allocator;
    routes->hop = wm_alloc(allocator, pairs, sizeof *routes->hop);
    routes->scaled = wm_alloc(allocator, pairs, sizeof *routes->scaled);
    routes->shift = wm_alloc(allocator, routes->goals, sizeof *routes->shift);
    wm_status status = create_solver(&s, waypoints) && routes->hop != NULL &&
                               routes->scaled != NULL && routes->shift != NULL
                           ? WM_OK
                           : WM_ERR_MEMORY;
    if (status == WM_OK && !all_lead_outward(waypoints, regions, grid)) status = WM_ERR_FORMAT;
    for (uint32_t goal = 0; goal < routes->goals && status == WM_OK; goal++) {
        if (goal % LANES == 0) {
            s.first_goal = goal;
            solve(&s);
        }
        if (!keep_row(&s, routes, goal, grid->component[regions->seeds[goal]], grid))
            status = WM_ERR_FORMAT;
    }
    free_solver(&s);
    if (status != WM_OK) wm_routes_free(routes);
    return status;
}
