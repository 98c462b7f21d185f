// SPDX-License-Identifier: MIT
//
// One search from every cell would find every pair; bounds spare most of them when the range asks
// for long paths. With e the distance from x to its farthest cell, no path from v is longer than
// e + d(v, x), and the longest is no shorter than d(v, x) (the bounds of F. Takes and W. Kosters,
// "Determining the diameter of small world networks", 2011). Every pair gets a random key that
// depends on nothing but the seed and the pair, and those with the smallest keys are kept: a
// uniform draw, whatever the order of the searches.
#include "census.h"

#include <stdlib.h>

#include "alloc.h"

// So many searches in a row may fail to rule out a cell before we stop hoping for the bounds.
#define MAX_FRUITLESS 32

typedef struct counter {
    const wm_census_query* query;
    const wm_grid* grid;
    wm_distances* distances;
    wm_census* census;
    bool* done;     // per cell: all its pairs are counted
    wm_cost* lower; // per place in pairs->cells: bounds on the distance of the farthest cell
    wm_cost* upper;
} counter;

void wm_census_free(wm_census* census)
{
    free(census->kept);
    *census = (wm_census){0};
}

// The entries kept are a heap with the greatest key on top.
static void sift_up(wm_census_entry* heap, size_t i, wm_census_entry entry)
{
    while (i > 0 && heap[(i - 1) / 2].key < entry.key) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = entry;
}

static void replace_top(wm_census_entry* heap, size_t count, wm_census_entry entry)
{
    size_t i = 0;
    for (size_t child = 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && heap[child + 1].key > heap[child].key) child++;
        if (heap[child].key <= entry.key) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = entry;
}

static bool offer(counter* c, wm_cell start, wm_cell goal, wm_cost cost)
{
    wm_census* census = c->census;
    census->total++;
    wm_rng rng = wm_rng_start(c->query->seed, (uint64_t)start << 32 | goal);
    const wm_census_entry entry = {wm_rng_next(&rng), start, goal, cost};
    if (census->kept_count == c->query->keep) {
        if (census->kept_count > 0 && entry.key < census->kept[0].key)
            replace_top(census->kept, census->kept_count, entry);
        return true;
    }
    if (census->kept_count == census->kept_capacity) {
        wm_census_entry* grown = wm_grow(census->kept, &census->kept_capacity,
                                         census->kept_count + 1, sizeof *census->kept);
        if (grown == NULL) return false;
        census->kept = grown;
    }
    sift_up(census->kept, census->kept_count++, entry);
    return true;
}

// Searches from `start` and counts its pairs with all cells that are not done, in both directions.
static bool count_from(counter* c, wm_cell start, wm_cost limit)
{
    const wm_distances* distances = c->distances;
    if (wm_distances_from(c->distances, start, limit) != WM_OK) return false;
    c->done[start] = true;
    for (size_t i = 0; i < distances->reached_count; i++) {
        const wm_cell goal = distances->reached[i];
        const wm_cost cost = distances->cost[goal];
        if (c->done[goal] || cost < c->query->min_cost || cost > c->query->max_cost) continue;
        if (!offer(c, start, goal, cost) || !offer(c, goal, start, cost)) return false;
    }
    return true;
}

static wm_cost farthest(const wm_distances* distances)
{
    wm_cost most = 0;
    for (size_t i = 0; i < distances->reached_count; i++) {
        const wm_cost cost = distances->cost[distances->reached[i]];
        if (cost > most) most = cost;
    }
    return most;
}

// Sharpens the bounds of the cells in [first, end) by the last search. Returns how many cells it
// ruled out: those from which no path is as long as the range wants.
static uint32_t sharpen(counter* c, uint32_t first, uint32_t end)
{
    const wm_cost most = farthest(c->distances);
    const wm_cost wanted = c->query->min_cost;
    uint32_t ruled_out = 0;
    for (uint32_t i = first; i < end; i++) {
        const wm_cost cost = c->distances->cost[c->query->pairs->cells[i]];
        const bool was_out = c->upper[i] < wanted;
        if (cost > c->lower[i]) c->lower[i] = cost;
        if (cost + most < c->upper[i]) c->upper[i] = cost + most;
        if (!was_out && c->upper[i] < wanted) ruled_out++;
    }
    return ruled_out;
}

// Of the cells that may or may not have a path long enough: the one that promises the longest, or
// the most central one. Returns `end` when there is none.
static uint32_t pick_undecided(const counter* c, uint32_t first, uint32_t end, bool central)
{
    const wm_cost wanted = c->query->min_cost;
    uint32_t best = end;
    for (uint32_t i = first; i < end; i++) {
        if (c->done[c->query->pairs->cells[i]]) continue;
        if (c->lower[i] >= wanted || c->upper[i] < wanted) continue;
        const bool better =
            best == end || (central ? c->lower[i] < c->lower[best] : c->upper[i] > c->upper[best]);
        if (better) best = i;
    }
    return best;
}

static bool count_component(counter* c, uint32_t first, uint32_t end)
{
    const wm_cell* cells = c->query->pairs->cells;
    for (uint32_t i = first; i < end; i++) c->upper[i] = WM_COST_INFINITE;

    int fruitless = 0;
    for (bool central = false; fruitless < MAX_FRUITLESS; central = !central) {
        const uint32_t next = pick_undecided(c, first, end, central);
        if (next == end) break;
        if (!count_from(c, cells[next], WM_COST_INFINITE)) return false;
        fruitless = sharpen(c, first, end) > 0 ? 0 : fruitless + 1;
    }
    // Nothing more is to be learnt from searching farther than the range goes.
    for (uint32_t i = first; i < end; i++) {
        if (c->done[cells[i]] || c->upper[i] < c->query->min_cost) continue;
        if (!count_from(c, cells[i], c->query->max_cost)) return false;
    }
    return true;
}

static int compare_keys(const void* a, const void* b)
{
    const uint64_t x = ((const wm_census_entry*)a)->key;
    const uint64_t y = ((const wm_census_entry*)b)->key;
    return (x > y) - (x < y);
}

wm_status wm_census_take(wm_census* census, const wm_census_query* query, wm_distances* distances,
                         wm_error* error)
{
    const wm_pairs* pairs = query->pairs;
    const wm_grid* grid = pairs->grid;
    counter c = {.query = query, .grid = grid, .distances = distances, .census = census};
    *census = (wm_census){0};
    if (query->min_cost > query->max_cost) return WM_OK;

    c.done = wm_alloc(NULL, grid->cell_count, sizeof *c.done);
    c.lower = wm_alloc(NULL, grid->open_count, sizeof *c.lower);
    c.upper = wm_alloc(NULL, grid->open_count, sizeof *c.upper);
    bool ok = c.done != NULL && c.lower != NULL && c.upper != NULL;
    for (uint32_t i = 0; ok && i < grid->component_count; i++) {
        if (pairs->first[i + 1] - pairs->first[i] > 1)
            ok = count_component(&c, pairs->first[i], pairs->first[i + 1]);
    }
    free(c.done);
    free(c.lower);
    free(c.upper);
    if (!ok) {
        wm_census_free(census);
        return wm_fail_memory(error, (size_t)grid->cell_count * 32);
    }
    if (census->kept_count > 1)
        qsort(census->kept, census->kept_count, sizeof *census->kept, compare_keys);
    return WM_OK;
}
