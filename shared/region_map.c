// SPDX-License-Identifier: MIT
//
// What a region database does not need to store. Per goal region a search from there settles one
// region after the other, cheapest first: a region's chain leads to its end in a region that is
// settled, and from there either straight to the first subgoal of that region's chain, or by its
// seed, whichever is cheaper. So every chain leads to a region settled earlier, and following them
// comes to an end.
#include <string.h>

#include "alloc.h"
#include "regions.h"

void wm_regions_free(wm_regions* regions)
{
    const wm_allocator allocator = regions->allocator;
    const size_t count = regions->count;
    wm_release(&allocator, regions->seeds, count, sizeof *regions->seeds);
    wm_release(&allocator, regions->chains_begin, count + 1, sizeof *regions->chains_begin);
    wm_release(&allocator, regions->chains, regions->chain_count, sizeof *regions->chains);
    wm_release(&allocator, regions->subgoals, regions->subgoal_count, sizeof *regions->subgoals);
    *regions = (wm_regions){0};
}

void wm_region_map_free(wm_region_map* map)
{
    if (map->regions == NULL) return;
    const wm_allocator allocator = map->allocator;
    const size_t count = map->regions->count;
    wm_cover_free(&map->cover);
    wm_planes_free(&map->planes);
    wm_release(&allocator, map->chain_cost, map->regions->chain_count, sizeof *map->chain_cost);
    wm_release(&allocator, map->chain_first, map->regions->chain_count, sizeof *map->chain_first);
    wm_release(&allocator, map->value, count * count, sizeof *map->value);
    wm_release(&allocator, map->table, count * count, sizeof *map->table);
    wm_release(&allocator, map->by_seed, count * count, sizeof *map->by_seed);
    wm_release(&allocator, map->neighbours_begin, count + 1, sizeof *map->neighbours_begin);
    wm_release(&allocator, map->neighbours, map->neighbour_count, sizeof *map->neighbours);
    *map = (wm_region_map){0};
}

static bool flood_all(wm_region_map* map)
{
    const wm_grid* grid = map->controller.grid;
    for (uint32_t r = 0; r < map->regions->count; r++) {
        const wm_cell seed = map->regions->seeds[r];
        if (seed >= grid->cell_count || !wm_grid_is_open(grid, seed)) return false;
        wm_cover_flood(&map->cover, r, seed);
    }
    for (uint32_t r = 0; r < map->regions->count; r++) {
        if (map->cover.owner[map->regions->seeds[r]] != r) return false; // a seed twice
    }
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (wm_grid_is_open(grid, cell) && map->cover.owner[cell] == WM_NO_REGION) return false;
    }
    return true;
}

static bool measure_chains(wm_region_map* map)
{
    const wm_regions* regions = map->regions;
    for (uint32_t r = 0; r < regions->count; r++) {
        for (uint32_t i = regions->chains_begin[r]; i < regions->chains_begin[r + 1]; i++) {
            const wm_chain* chain = &regions->chains[i];
            wm_cell from = regions->seeds[r];
            uint64_t sum = 0;
            for (uint32_t j = 0; j < chain->length; j++) {
                const wm_cell to = regions->subgoals[chain->first + j];
                if (to >= map->controller.grid->cell_count || map->cover.owner[to] == WM_NO_REGION)
                    return false;
                const wm_cost cost = wm_controller_cost(&map->controller, from, to);
                if (cost == WM_COST_INFINITE) return false;
                if (j == 0) map->chain_first[i] = (uint32_t)cost;
                sum += (uint64_t)cost;
                from = to;
            }
            if (sum >= UINT32_MAX) return false;
            map->chain_cost[i] = (uint32_t)sum;
        }
    }
    return true;
}

static wm_cell chain_end(const wm_regions* regions, uint32_t chain)
{
    return regions->subgoals[regions->chains[chain].first + regions->chains[chain].length - 1];
}

// ---------------------------------------------------------------------------------------------
// The shortest way through the chains

#define NOT_REACHED UINT32_MAX

typedef struct waiting {
    uint32_t value;
    uint32_t region;
    uint32_t chain;
    bool by_seed;
} waiting;

typedef struct settling {
    wm_region_map* map;
    uint32_t* into_begin; // per region: chains that end in it; one more at the end
    uint32_t* into;       // chains
    uint32_t* owner;      // per chain: the region that it belongs to
    size_t* joins_begin;  // per chain: joins with the chains of the region that it ends in
    uint32_t* joins;      // cost from the chain's end to a chain's first subgoal
    size_t join_count;
    waiting* heap;
    size_t heap_count;
} settling;

static bool waits_before(const waiting* a, const waiting* b)
{
    if (a->value != b->value) return a->value < b->value;
    if (a->region != b->region) return a->region < b->region;
    return a->chain < b->chain;
}

static void heap_push(settling* s, waiting entry)
{
    size_t hole = s->heap_count++;
    while (hole > 0 && waits_before(&entry, &s->heap[(hole - 1) / 2])) {
        s->heap[hole] = s->heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    s->heap[hole] = entry;
}

static waiting heap_pop(settling* s)
{
    const waiting best = s->heap[0];
    const waiting last = s->heap[--s->heap_count];
    size_t hole = 0;
    for (size_t child = 1; child < s->heap_count; child = 2 * hole + 1) {
        if (child + 1 < s->heap_count && waits_before(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (!waits_before(&s->heap[child], &last)) break;
        s->heap[hole] = s->heap[child];
        hole = child;
    }
    s->heap[hole] = last;
    return best;
}

// Offers the owners of all chains that end in `region`, which has just been settled, that way.
static void offer_chains_into(settling* s, uint32_t region, uint32_t goal)
{
    wm_region_map* map = s->map;
    const wm_regions* regions = map->regions;
    const size_t count = regions->count;
    const uint32_t value = map->value[region * count + goal];
    const uint16_t chosen = map->table[region * count + goal];
    const uint32_t first =
        region == goal ? 0 : map->chain_first[regions->chains_begin[region] + chosen];
    for (uint32_t i = s->into_begin[region]; i < s->into_begin[region + 1]; i++) {
        const uint32_t chain = s->into[i];
        const uint32_t owner = s->owner[chain];
        const size_t pair = owner * count + goal;
        if (map->table[pair] != WM_NO_CHAIN || owner == goal) continue;
        uint64_t onward = (uint64_t)map->cover.cost[chain_end(regions, chain)] + value;
        bool by_seed = true;
        if (region != goal) {
            const uint32_t join = s->joins[s->joins_begin[chain] + chosen];
            const uint64_t direct = (uint64_t)join + (value - first);
            if (join != NOT_REACHED && direct <= onward) {
                onward = direct;
                by_seed = false;
            }
        }
        onward += map->chain_cost[chain];
        if (onward >= map->value[pair]) continue;
        map->value[pair] = (uint32_t)onward;
        heap_push(s, (waiting){(uint32_t)onward, owner, chain, by_seed});
    }
}

static void settle_goal(settling* s, uint32_t goal)
{
    wm_region_map* map = s->map;
    const size_t count = map->regions->count;
    s->heap_count = 0;
    map->value[goal * count + goal] = 0;
    offer_chains_into(s, goal, goal);
    while (s->heap_count > 0) {
        const waiting next = heap_pop(s);
        const size_t pair = next.region * count + goal;
        if (map->table[pair] != WM_NO_CHAIN) continue;
        map->table[pair] = (uint16_t)(next.chain - map->regions->chains_begin[next.region]);
        map->by_seed[pair] = next.by_seed;
        offer_chains_into(s, next.region, goal);
    }
}

static void sort_chains_by_end(settling* s)
{
    const wm_regions* regions = s->map->regions;
    for (uint32_t r = 0; r < regions->count; r++) {
        for (uint32_t i = regions->chains_begin[r]; i < regions->chains_begin[r + 1]; i++)
            s->owner[i] = r;
    }
    for (uint32_t i = 0; i < regions->chain_count; i++)
        s->into_begin[s->map->cover.owner[chain_end(regions, i)] + 1]++;
    for (uint32_t r = 0; r < regions->count; r++) s->into_begin[r + 1] += s->into_begin[r];
    for (uint32_t i = 0; i < regions->chain_count; i++)
        s->into[s->into_begin[s->map->cover.owner[chain_end(regions, i)]]++] = i;
    for (uint32_t r = regions->count; r > 0; r--) s->into_begin[r] = s->into_begin[r - 1];
    s->into_begin[0] = 0;
}

static size_t count_joins(settling* s)
{
    const wm_regions* regions = s->map->regions;
    size_t total = 0;
    for (uint32_t i = 0; i < regions->chain_count; i++) {
        const uint32_t end = s->map->cover.owner[chain_end(regions, i)];
        s->joins_begin[i] = total;
        total += regions->chains_begin[end + 1] - regions->chains_begin[end];
    }
    return total;
}

static void measure_joins(settling* s)
{
    const wm_regions* regions = s->map->regions;
    for (uint32_t i = 0; i < regions->chain_count; i++) {
        const wm_cell end = chain_end(regions, i);
        const uint32_t region = s->map->cover.owner[end];
        uint32_t* joins = s->joins + s->joins_begin[i];
        for (uint32_t j = regions->chains_begin[region]; j < regions->chains_begin[region + 1];
             j++) {
            const wm_cost cost = wm_controller_cost(&s->map->controller, end,
                                                    regions->subgoals[regions->chains[j].first]);
            *joins++ = cost == WM_COST_INFINITE ? NOT_REACHED : (uint32_t)cost;
        }
    }
}

static wm_status settle_all(wm_region_map* map, const wm_allocator* allocator)
{
    const wm_regions* regions = map->regions;
    const size_t count = regions->count;
    const size_t chains = regions->chain_count;
    settling s = {.map = map};
    s.into_begin = wm_alloc(allocator, count + 1, sizeof *s.into_begin);
    s.into = wm_alloc(allocator, chains, sizeof *s.into);
    s.owner = wm_alloc(allocator, chains, sizeof *s.owner);
    s.joins_begin = wm_alloc(allocator, chains, sizeof *s.joins_begin);
    s.heap = wm_alloc(allocator, chains + 1, sizeof *s.heap);
    bool complete = s.into_begin != NULL && s.into != NULL && s.owner != NULL &&
                    s.joins_begin != NULL && s.heap != NULL;
    if (complete) {
        sort_chains_by_end(&s);
        s.join_count = count_joins(&s);
        s.joins = wm_alloc(allocator, s.join_count, sizeof *s.joins);
        complete = s.joins != NULL;
    }
    if (complete) {
        measure_joins(&s);
        memset(map->table, 0xFF, count * count * sizeof *map->table);
        memset(map->value, 0xFF, count * count * sizeof *map->value);
        for (uint32_t q = 0; q < count; q++) settle_goal(&s, q);
    }
    wm_release(allocator, s.into_begin, count + 1, sizeof *s.into_begin);
    wm_release(allocator, s.into, chains, sizeof *s.into);
    wm_release(allocator, s.owner, chains, sizeof *s.owner);
    wm_release(allocator, s.joins_begin, chains, sizeof *s.joins_begin);
    wm_release(allocator, s.heap, chains + 1, sizeof *s.heap);
    wm_release(allocator, s.joins, s.join_count, sizeof *s.joins);
    return complete ? WM_OK : WM_ERR_MEMORY;
}

// Every region must lead to every other of its component.
static bool is_complete(const wm_region_map* map)
{
    const wm_regions* regions = map->regions;
    const wm_grid* grid = map->controller.grid;
    for (uint32_t r = 0; r < regions->count; r++) {
        for (uint32_t q = 0; q < regions->count; q++) {
            if (r != q && map->table[(size_t)r * regions->count + q] == WM_NO_CHAIN &&
                wm_grid_connected(grid, regions->seeds[r], regions->seeds[q]))
                return false;
        }
    }
    return true;
}

// Lists the regions that touch each other; `pass` 0 counts, 1 writes.
static void note_neighbours(wm_region_map* map, uint8_t* touches)
{
    const wm_grid* grid = map->controller.grid;
    const size_t count = map->regions->count;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        const uint32_t a = map->cover.owner[cell];
        if (a == WM_NO_REGION) continue;
        for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
            const uint32_t b =
                map->cover.owner[wm_grid_step(grid, cell, wm_lowest_direction(left))];
            if (b != a && b != WM_NO_REGION) touches[a * count + b] = 1;
        }
    }
}

static wm_status list_neighbours(wm_region_map* map, const wm_allocator* allocator)
{
    const size_t count = map->regions->count;
    uint8_t* touches = wm_alloc(allocator, count * count, 1);
    if (touches == NULL) return WM_ERR_MEMORY;
    note_neighbours(map, touches);
    size_t total = 0;
    for (size_t i = 0; i < count * count; i++) total += touches[i];
    map->neighbours = wm_alloc(allocator, total, sizeof *map->neighbours);
    map->neighbour_count = total;
    if (map->neighbours != NULL) {
        uint32_t at = 0;
        for (uint32_t r = 0; r < count; r++) {
            map->neighbours_begin[r] = at;
            for (uint32_t q = 0; q < count; q++) {
                if (touches[r * count + q]) map->neighbours[at++] = q;
            }
        }
        map->neighbours_begin[count] = at;
    }
    wm_release(allocator, touches, count * count, 1);
    return map->neighbours == NULL ? WM_ERR_MEMORY : WM_OK;
}

wm_status wm_region_map_create(wm_region_map* map, const wm_regions* regions, const wm_grid* grid,
                               const wm_allocator* allocator, const char* name, wm_error* error)
{
    const size_t count = regions->count;
    *map = (wm_region_map){.regions = regions};
    if (allocator != NULL) map->allocator = *allocator;
    wm_status status = wm_planes_create(&map->planes, grid, allocator, error);
    map->controller = (wm_controller){grid, &map->planes, regions->parameters.max_expansions};
    if (status == WM_OK)
        status = wm_cover_create(&map->cover, &map->controller,
                                 WM_COST_STRAIGHT * (wm_cost)regions->parameters.radius, allocator,
                                 error);
    map->chain_cost = wm_alloc(allocator, regions->chain_count, sizeof *map->chain_cost);
    map->chain_first = wm_alloc(allocator, regions->chain_count, sizeof *map->chain_first);
    map->value = wm_alloc(allocator, count * count, sizeof *map->value);
    map->table = wm_alloc(allocator, count * count, sizeof *map->table);
    map->by_seed = wm_alloc(allocator, count * count, sizeof *map->by_seed);
    map->neighbours_begin = wm_alloc(allocator, count + 1, sizeof *map->neighbours_begin);
    if (map->chain_cost == NULL || map->chain_first == NULL || map->value == NULL ||
        map->table == NULL || map->by_seed == NULL || map->neighbours_begin == NULL)
        status = wm_fail_memory(error, count * count * 5);
    bool fits = status == WM_OK && flood_all(map) && measure_chains(map);
    if (fits) status = settle_all(map, allocator);
    if (fits && status == WM_OK) status = list_neighbours(map, allocator);
    if (status == WM_ERR_MEMORY) wm_fail_memory(error, count * count);
    fits = fits && status == WM_OK && is_complete(map);
    if (status == WM_OK && !fits)
        status = wm_fail(error, WM_ERR_FORMAT, "%s does not fit the map; build it again", name);
    if (status != WM_OK) wm_region_map_free(map);
    return status;
}
