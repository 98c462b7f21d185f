// SPDX-License-Identifier: MIT
//
// Dijkstra's algorithm from all seeds at once, with the buckets of distance.c. A cell's cost and region are
// one number, so that the nearer seed and, of seeds as near, the first one wins by being less.
#include "cover.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

#define RING 3
#define REGION_STEP ((uint32_t)WM_COVER_REGIONS)
_Static_assert((WM_COVER_MAX_RADIUS + 2) * 5741 < UINT32_MAX / WM_COVER_REGIONS, "costs fit");

wm_status wm_cover_create(wm_cover* cover, const wm_grid* grid, uint32_t radius,
                          const wm_allocator* allocator, wm_error* error)
{
    assert(radius <= WM_COVER_MAX_RADIUS);
    *cover = (wm_cover){.grid = grid, .radius = WM_COST_STRAIGHT * (wm_cost)radius};
    if (allocator != NULL) cover->allocator = *allocator;
    cover->tenure = wm_alloc(allocator, grid->cell_count, sizeof *cover->tenure);
    if (cover->tenure == NULL)
        return wm_fail_memory(error, grid->cell_count * sizeof *cover->tenure);
    for (int d = 0; d < WM_DIRECTIONS; d++) {
        for (unsigned before = 0; before < 256; before++)
            cover->done[d][before] = (uint8_t)wm_moves_done(before, d);
    }
    wm_cover_reset(cover);
    return WM_OK;
}

void wm_cover_free(wm_cover* cover)
{
    const wm_allocator allocator = cover->allocator;
    const uint32_t cells = cover->grid == NULL ? 0 : cover->grid->cell_count;
    wm_cover_settle(cover);
    wm_release(&allocator, cover->tenure, cells, sizeof *cover->tenure);
    *cover = (wm_cover){0};
}

void wm_cover_settle(wm_cover* cover)
{
    for (int i = 0; i < RING; i++) {
        free(cover->bucket[i]);
        cover->bucket[i] = NULL;
        cover->bucket_size[i] = 0;
        cover->bucket_capacity[i] = 0;
    }
}

void wm_cover_reset(wm_cover* cover)
{
    memset(cover->tenure, 0xFF, cover->grid->cell_count * sizeof *cover->tenure);
}

// Makes room for all that the cells of one bucket can push into another.
static bool reserve(wm_cover* cover, int index, size_t more)
{
    const size_t needed = cover->bucket_size[index] + more;
    if (needed <= cover->bucket_capacity[index]) return true;
    wm_cell* grown = wm_grow(cover->bucket[index], &cover->bucket_capacity[index], needed,
                             sizeof *cover->bucket[index]);
    if (grown != NULL) cover->bucket[index] = grown;
    return grown != NULL;
}

// One of the buckets, and where it begins.
typedef struct settling {
    int ring[RING]; // its number and those of the two behind it
    uint32_t start; // the least tenure in it
    uint32_t most;  // the highest tenure of all
} settling;

#define BUCKET_STEP ((uint32_t)WM_COST_STRAIGHT * REGION_STEP)

// A cell that waits in a bucket, and the direction of the step that led to it; of a seed, none.
#define DIRECTION_SHIFT 24
#define NO_DIRECTION WM_DIRECTIONS
_Static_assert(WM_GRID_MAX_SIDE* WM_GRID_MAX_SIDE <= 1 << DIRECTION_SHIFT, "cells fit");

static inline uint32_t waiting(wm_cell cell, int direction)
{
    return (uint32_t)direction << DIRECTION_SHIFT | cell;
}

// Offers a cell's seed to the cells around it that the one before did not lead to.
static void spread(wm_cover* cover, wm_cell cell, int direction, const settling* s)
{
    static const uint32_t step[2] = {(uint32_t)WM_COST_STRAIGHT * REGION_STEP,
                                     (uint32_t)WM_COST_DIAGONAL * REGION_STEP};
    const wm_grid* grid = cover->grid;
    const uint32_t base = cover->tenure[cell];
    unsigned left = grid->moves[cell];
    if (direction != NO_DIRECTION) {
        const unsigned before = grid->moves[cell - (wm_cell)grid->offset[direction]];
        left &= ~(unsigned)cover->done[direction][before];
    }
    for (; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cell neighbour = wm_grid_step(grid, cell, d);
        const uint32_t tenure = base + step[d % 2];
        if (tenure >= cover->tenure[neighbour] || tenure > s->most) continue;
        cover->tenure[neighbour] = tenure;
        const int index = s->ring[tenure < s->start + 2 * BUCKET_STEP ? 1 : 2];
        cover->bucket[index][cover->bucket_size[index]++] = waiting(neighbour, d);
    }
}

static bool settle_bucket(wm_cover* cover, const settling* s)
{
    const int index = s->ring[0];
    const size_t size = cover->bucket_size[index];
    if (!reserve(cover, s->ring[1], size * WM_DIRECTIONS) ||
        !reserve(cover, s->ring[2], size * WM_DIRECTIONS))
        return false;
    for (size_t i = 0; i < size; i++) {
        const wm_cell cell = cover->bucket[index][i] & ((1u << DIRECTION_SHIFT) - 1);
        const int direction = (int)(cover->bucket[index][i] >> DIRECTION_SHIFT);
        // What was improved after it was put here has been settled with an earlier bucket, or is here twice.
        if (cover->tenure[cell] >= s->start) spread(cover, cell, direction, s);
    }
    cover->bucket_size[index] = 0;
    return true;
}

// Goes on from the cells in the first bucket, which have their tenure.
static wm_status flood(wm_cover* cover, wm_cost radius)
{
    const uint32_t most = (uint32_t)radius * REGION_STEP + (REGION_STEP - 1);
    int index = 0;
    for (uint32_t start = 0; start <= most; start += BUCKET_STEP, index = (index + 1) % RING) {
        const settling s = {
            .ring = {index, (index + 1) % RING, (index + 2) % RING}, .start = start, .most = most};
        if (!settle_bucket(cover, &s)) return WM_ERR_MEMORY;
    }
    return WM_OK;
}

static bool put_seed(wm_cover* cover, wm_cell seed, uint32_t region)
{
    if (!reserve(cover, 0, 1)) return false;
    cover->tenure[seed] = region;
    cover->bucket[0][cover->bucket_size[0]++] = waiting(seed, NO_DIRECTION);
    return true;
}

static void empty_buckets(wm_cover* cover)
{
    for (int i = 0; i < RING; i++) cover->bucket_size[i] = 0;
}

wm_status wm_cover_flood(wm_cover* cover, uint32_t first_region, const wm_cell* seeds,
                         uint32_t count)
{
    assert(first_region + count <= WM_COVER_POCKETS);
    empty_buckets(cover);
    for (uint32_t i = 0; i < count; i++) {
        if (!put_seed(cover, seeds[i], first_region + i)) return WM_ERR_MEMORY;
    }
    return flood(cover, cover->radius);
}

wm_status wm_cover_flood_pockets(wm_cover* cover, const wm_cell* seeds, uint32_t count)
{
    const wm_grid* grid = cover->grid;
    const wm_cost widest = WM_COVER_POCKET_RADIUS * WM_COST_STRAIGHT;
    bool* has_seed = calloc((size_t)grid->component_count + 1, sizeof *has_seed);
    if (has_seed == NULL) return WM_ERR_MEMORY;
    bool complete = true;
    empty_buckets(cover);
    for (uint32_t i = 0; i < count; i++) has_seed[grid->component[seeds[i]]] = true;
    for (wm_cell cell = 0; complete && cell < grid->cell_count; cell++) {
        const uint32_t component = grid->component[cell];
        if (component == 0 || has_seed[component]) continue;
        has_seed[component] = true;
        complete = put_seed(cover, cell, WM_COVER_POCKETS);
    }
    free(has_seed);
    if (!complete) return WM_ERR_MEMORY;
    return flood(cover, cover->radius < widest ? cover->radius : widest);
}

int wm_cover_homeward(const wm_cover* cover, wm_cell cell)
{
    const uint32_t tenure = cover->tenure[cell];
    if (tenure < REGION_STEP) return -1;
    for (unsigned left = cover->grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        if (cover->tenure[wm_grid_step(cover->grid, cell, d)] ==
            tenure - (uint32_t)wm_direction_cost[d] * REGION_STEP)
            return d;
    }
    return -1; // no cell that was flooded
}

unsigned wm_cover_way(const wm_cover* cover, wm_cell from, wm_cell to, uint8_t* moves)
{
    uint8_t back[WM_COVER_MAX_RADIUS]; // of the way from the seed to `to`, the last step first
    unsigned count = 0;
    unsigned back_count = 0;
    while (from != to) {
        // Who is farther from the seed goes on, so that they meet where the ways do.
        if (cover->tenure[from] >= cover->tenure[to]) {
            const int d = wm_cover_homeward(cover, from);
            moves[count++] = (uint8_t)d;
            from = wm_grid_step(cover->grid, from, d);
        } else {
            const int d = wm_cover_homeward(cover, to);
            back[back_count++] = (uint8_t)((d + WM_DIRECTIONS / 2) % WM_DIRECTIONS);
            to = wm_grid_step(cover->grid, to, d);
        }
    }
    while (back_count > 0) moves[count++] = back[--back_count];
    return count;
}
