// SPDX-License-Identifier: MIT
//
// Dijkstra's algorithm with buckets as wide as a straight step, the least edge (R. Dial, 1969; the
// width is that of E. Dinitz, 1978). No cell of a bucket can improve another one of the same
// bucket, so its cells are settled in any order, and every edge leads one or two buckets on: three
// buckets in a ring hold everything.
#include "distance.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"

#define RING 3

wm_status wm_distances_create(wm_distances* distances, const wm_grid* grid, wm_error* error)
{
    *distances = (wm_distances){.grid = grid};
    distances->cost = wm_alloc(NULL, grid->cell_count, sizeof *distances->cost);
    distances->reached = wm_alloc(NULL, grid->cell_count, sizeof *distances->reached);
    if (distances->cost == NULL || distances->reached == NULL) {
        wm_distances_free(distances);
        return wm_fail_memory(error, grid->cell_count * (sizeof(wm_cost) + sizeof(wm_cell)));
    }
    for (wm_cell cell = 0; cell < grid->cell_count; cell++)
        distances->cost[cell] = WM_COST_INFINITE;
    return WM_OK;
}

void wm_distances_free(wm_distances* distances)
{
    free(distances->cost);
    free(distances->reached);
    for (int i = 0; i < RING; i++) free(distances->bucket[i]);
    *distances = (wm_distances){0};
}

static void forget_reached(wm_distances* distances)
{
    for (size_t i = 0; i < distances->reached_count; i++)
        distances->cost[distances->reached[i]] = WM_COST_INFINITE;
    distances->reached_count = 0;
}

// Makes room for all that the cells of one bucket can push into another, so that pushing need not
// look. A bucket holds a cell once, so there are never more than the map has.
static bool reserve(wm_distances* distances, int index, size_t settling)
{
    size_t needed = distances->bucket_size[index] + settling * WM_DIRECTIONS;
    if (needed > distances->grid->cell_count) needed = distances->grid->cell_count;
    if (needed <= distances->bucket_capacity[index]) return true;
    wm_cell* grown = wm_grow(distances->bucket[index], &distances->bucket_capacity[index], needed,
                             sizeof *distances->bucket[index]);
    if (grown == NULL) return false;
    distances->bucket[index] = grown;
    return true;
}

// The bucket a cost falls into, when `next` is where the bucket after the current one begins.
static int bucket_of(wm_cost cost, wm_cost next)
{
    return (cost >= next) + (cost >= next + WM_COST_STRAIGHT);
}

// Settles one cell. `ring` holds the indices of the current bucket and of the two behind it.
static void relax(wm_distances* distances, wm_cell cell, wm_cost next, const int* ring)
{
    const wm_grid* grid = distances->grid;
    const wm_cost base = distances->cost[cell];
    for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
        const int direction = wm_lowest_direction(left);
        const wm_cell neighbour = wm_grid_step(grid, cell, direction);
        const wm_cost cost = base + wm_direction_cost[direction];
        const wm_cost old = distances->cost[neighbour];
        if (cost >= old) continue;
        distances->cost[neighbour] = cost;
        const int place = bucket_of(cost, next);
        if (old == WM_COST_INFINITE) {
            distances->reached[distances->reached_count++] = neighbour;
        } else if (place == bucket_of(old, next)) {
            continue; // it waits in that bucket already
        }
        const int index = ring[place];
        distances->bucket[index][distances->bucket_size[index]++] = neighbour;
    }
}

static bool settle_bucket(wm_distances* distances, wm_cost start, int index)
{
    const int ring[RING] = {index, (index + 1) % RING, (index + 2) % RING};
    const size_t size = distances->bucket_size[index];
    if (!reserve(distances, ring[1], size) || !reserve(distances, ring[2], size)) return false;
    for (size_t i = 0; i < size; i++) {
        const wm_cell cell = distances->bucket[index][i];
        // What was improved after it was put here has been settled with an earlier bucket.
        if (distances->cost[cell] >= start) relax(distances, cell, start + WM_COST_STRAIGHT, ring);
    }
    distances->bucket_size[index] = 0;
    return true;
}

// Cells that still wait have a cost that may not be their last: they count as not reached.
static void drop_waiting(wm_distances* distances, wm_cost start)
{
    size_t kept = 0;
    for (size_t i = 0; i < distances->reached_count; i++) {
        const wm_cell cell = distances->reached[i];
        if (distances->cost[cell] >= start) {
            distances->cost[cell] = WM_COST_INFINITE;
        } else {
            distances->reached[kept++] = cell;
        }
    }
    distances->reached_count = kept;
}

wm_status wm_distances_from_any(wm_distances* distances, const wm_cell* sources, size_t count,
                                wm_cost limit)
{
    forget_reached(distances);
    for (int i = 0; i < RING; i++) distances->bucket_size[i] = 0;
    if (count == 0) return WM_OK;
    if (!reserve(distances, 0, count)) return WM_ERR_MEMORY;
    memcpy(distances->bucket[0], sources, count * sizeof *sources);
    memcpy(distances->reached, sources, count * sizeof *sources);
    distances->bucket_size[0] = count;
    distances->reached_count = count;
    for (size_t i = 0; i < count; i++) distances->cost[sources[i]] = 0;

    wm_cost start = 0;
    int index = 0;
    for (; start <= limit; start += WM_COST_STRAIGHT, index = (index + 1) % RING) {
        const size_t waiting =
            distances->bucket_size[0] + distances->bucket_size[1] + distances->bucket_size[2];
        if (waiting == 0) return WM_OK;
        if (!settle_bucket(distances, start, index)) return WM_ERR_MEMORY;
    }
    drop_waiting(distances, start);
    return WM_OK;
}

wm_status wm_distances_from(wm_distances* distances, wm_cell source, wm_cost limit)
{
    return wm_distances_from_any(distances, &source, 1, limit);
}
