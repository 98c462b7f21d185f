// SPDX-License-Identifier: MIT
//
// Where the seeds go: on cells with much room around them first, as far as nothing covers them yet.
// Then twice each seed moves to the middle of its region, the largest first, and what that leaves
// uncovered gets new ones. At last the regions are numbered so that neighbours have near numbers,
// which makes the table of chains easy to pack.
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "regions_method.h"

#define LLOYD_ROUNDS 2

// How many regions a map may have: opening works out the ways between all of them.
#define SMALL_MAP_REGIONS 1536
#define CELLS_PER_REGION 100

typedef struct placement {
    wm_cover* cover;
    const wm_grid* grid;
    bool* is_pocket;  // per component: needs no seed
    wm_cell* by_room; // open cells, those with the most room around them first
    wm_cell* seeds;
    uint32_t count;
    size_t capacity;
} placement;

// Steps to the nearest blocked cell or the border, at most `cap`: two sweeps.
static void measure_room(const wm_grid* grid, uint16_t* room, uint16_t cap)
{
    for (int sweep = 0; sweep < 2; sweep++) {
        for (wm_cell i = 0; i < grid->cell_count; i++) {
            const wm_cell cell = sweep == 0 ? i : grid->cell_count - 1 - i;
            if (!wm_grid_is_open(grid, cell)) {
                room[cell] = 0;
                continue;
            }
            const wm_point p = wm_grid_point(grid, cell);
            uint16_t least = sweep == 0 ? cap : room[cell];
            for (int d = 0; d < WM_DIRECTIONS; d++) {
                const wm_point q = {p.x + wm_direction_x[d], p.y + wm_direction_y[d]};
                uint16_t there = 0;
                if (wm_grid_contains(grid, q)) {
                    const wm_cell next = wm_grid_cell(grid, q);
                    if ((sweep == 0) != (next < cell)) continue; // not measured yet
                    there = room[next];
                }
                if (there + 1 < least) least = (uint16_t)(there + 1);
            }
            room[cell] = least;
        }
    }
}

static wm_status order_by_room(placement* place, uint32_t radius)
{
    const wm_grid* grid = place->grid;
    uint16_t* room = wm_alloc(NULL, grid->cell_count, sizeof *room);
    uint32_t* begin = wm_alloc(NULL, radius + 2, sizeof *begin);
    place->by_room = wm_alloc(NULL, grid->open_count, sizeof *place->by_room);
    if (room != NULL && begin != NULL && place->by_room != NULL) {
        measure_room(grid, room, (uint16_t)radius);
        for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
            if (wm_grid_is_open(grid, cell)) begin[radius - room[cell] + 1]++;
        }
        for (uint32_t i = 1; i <= radius + 1; i++) begin[i] += begin[i - 1];
        for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
            if (wm_grid_is_open(grid, cell)) place->by_room[begin[radius - room[cell]]++] = cell;
        }
    }
    const bool failed = room == NULL || begin == NULL || place->by_room == NULL;
    wm_release(NULL, room, grid->cell_count, sizeof *room);
    wm_release(NULL, begin, radius + 2, sizeof *begin);
    return failed ? WM_ERR_MEMORY : WM_OK;
}

uint32_t wm_regions_limit(const wm_grid* grid)
{
    const uint32_t by_size = grid->cell_count / CELLS_PER_REGION;
    if (by_size < SMALL_MAP_REGIONS) return SMALL_MAP_REGIONS;
    return by_size < WM_REGIONS_MAX ? by_size : WM_REGIONS_MAX;
}

static wm_status add_seed(placement* place, wm_cell seed)
{
    if (place->count == wm_regions_limit(place->grid)) return WM_ERR_TOO_FEW;
    wm_cell* grown =
        wm_grow(place->seeds, &place->capacity, (size_t)place->count + 1, sizeof *grown);
    if (grown == NULL) return WM_ERR_MEMORY;
    place->seeds = grown;
    place->seeds[place->count] = seed;
    return wm_cover_flood(place->cover, place->count++, &seed, 1);
}

// Leaves out the components whose first cells serve; one has a seed at least.
static wm_status find_pockets(placement* place)
{
    const wm_grid* grid = place->grid;
    bool all = true;
    place->is_pocket = wm_alloc(NULL, (size_t)grid->component_count + 1, sizeof(bool));
    if (place->is_pocket == NULL) return WM_ERR_MEMORY;
    const wm_status status = wm_cover_flood_pockets(place->cover, NULL, 0);
    if (status != WM_OK) return status;
    for (uint32_t i = 0; i <= grid->component_count; i++) place->is_pocket[i] = true;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (!wm_grid_is_open(grid, cell) || wm_cover_owner(place->cover, cell) != WM_NO_REGION)
            continue;
        place->is_pocket[grid->component[cell]] = false;
        all = false;
    }
    if (all) place->is_pocket[grid->component[place->by_room[0]]] = false;
    wm_cover_reset(place->cover);
    return WM_OK;
}

static wm_status cover_rest(placement* place)
{
    wm_status status = WM_OK;
    for (uint32_t i = 0; i < place->grid->open_count && status == WM_OK; i++) {
        const wm_cell cell = place->by_room[i];
        if (wm_cover_owner(place->cover, cell) == WM_NO_REGION &&
            !place->is_pocket[place->grid->component[cell]])
            status = add_seed(place, cell);
    }
    return status;
}

typedef struct region_middle {
    uint32_t size;
    int64_t sum_x;
    int64_t sum_y;
    int64_t least; // squared distance of `nearest` to the middle, scaled
    wm_cell nearest;
} region_middle;

static int larger_first(const void* left, const void* right)
{
    const region_middle* a = left;
    const region_middle* b = right;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return (a->nearest > b->nearest) - (a->nearest < b->nearest);
}

static void find_middles(const placement* place, region_middle* middles)
{
    const wm_grid* grid = place->grid;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        const uint32_t r = wm_cover_owner(place->cover, cell);
        if (r == WM_NO_REGION) continue;
        const wm_point p = wm_grid_point(grid, cell);
        middles[r].size++;
        middles[r].sum_x += p.x;
        middles[r].sum_y += p.y;
        middles[r].least = INT64_MAX;
    }
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        const uint32_t r = wm_cover_owner(place->cover, cell);
        if (r == WM_NO_REGION) continue;
        const wm_point p = wm_grid_point(grid, cell);
        const int64_t size = middles[r].size;
        const int64_t dx = p.x * size - middles[r].sum_x;
        const int64_t dy = p.y * size - middles[r].sum_y;
        if (dx * dx + dy * dy >= middles[r].least) continue;
        middles[r].least = dx * dx + dy * dy;
        middles[r].nearest = cell;
    }
}

static wm_status move_to_middles(placement* place)
{
    const uint32_t count = place->count;
    region_middle* middles = wm_alloc(NULL, count, sizeof *middles);
    if (middles == NULL) return WM_ERR_MEMORY;
    find_middles(place, middles);
    uint32_t used = 0;
    for (uint32_t r = 0; r < count; r++) {
        if (middles[r].size > 0) middles[used++] = middles[r]; // some lost all cells to others
    }
    qsort(middles, used, sizeof *middles, larger_first);
    wm_cover_reset(place->cover);
    place->count = 0;
    wm_status status = WM_OK;
    for (uint32_t i = 0; i < used && status == WM_OK; i++) {
        if (wm_cover_owner(place->cover, middles[i].nearest) == WM_NO_REGION)
            status = add_seed(place, middles[i].nearest);
    }
    if (status == WM_OK) status = cover_rest(place);
    wm_release(NULL, middles, count, sizeof *middles);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Numbers

// Depth first over touching regions, the nearest unvisited neighbour next.
static void visit(const placement* place, const uint8_t* touches, uint32_t* order)
{
    const uint32_t count = place->count;
    uint32_t* stack = order + count; // the caller has room for both
    uint8_t* visited = (uint8_t*)(stack + count);
    uint32_t numbered = 0;
    for (uint32_t root = 0; root < count; root++) {
        if (visited[root]) continue;
        uint32_t height = 0;
        visited[root] = 1;
        order[numbered++] = root;
        stack[height++] = root;
        while (height > 0) {
            const uint32_t r = stack[height - 1];
            uint32_t best = WM_NO_REGION;
            wm_cost least = WM_COST_INFINITE;
            for (uint32_t q = 0; q < count; q++) {
                if (visited[q] || !touches[(size_t)r * count + q]) continue;
                const wm_cost distance =
                    wm_grid_octile(place->grid, place->seeds[r], place->seeds[q]);
                if (distance >= least) continue;
                least = distance;
                best = q;
            }
            if (best == WM_NO_REGION) {
                height--;
                continue;
            }
            visited[best] = 1;
            order[numbered++] = best;
            stack[height++] = best;
        }
    }
}

static void note_touches(const placement* place, uint8_t* touches)
{
    const wm_grid* grid = place->grid;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        const uint32_t a = wm_cover_owner(place->cover, cell);
        for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
            const uint32_t b =
                wm_cover_owner(place->cover, wm_grid_step(grid, cell, wm_lowest_direction(left)));
            if (a != b) touches[(size_t)a * place->count + b] = 1;
        }
    }
}

static wm_status renumber(placement* place)
{
    const uint32_t count = place->count;
    uint8_t* touches = wm_alloc(NULL, count, count);
    uint32_t* order = wm_alloc(NULL, count, 2 * sizeof *order + 1);
    wm_cell* seeds = wm_alloc(NULL, count, sizeof *seeds);
    wm_status status = WM_ERR_MEMORY;
    if (touches != NULL && order != NULL && seeds != NULL) {
        note_touches(place, touches);
        visit(place, touches, order);
        for (uint32_t i = 0; i < count; i++) seeds[i] = place->seeds[order[i]];
        wm_cover_reset(place->cover);
        place->count = 0;
        status = WM_OK;
        for (uint32_t i = 0; i < count && status == WM_OK; i++) status = add_seed(place, seeds[i]);
    }
    wm_release(NULL, touches, count, count);
    wm_release(NULL, order, count, 2 * sizeof *order + 1);
    wm_release(NULL, seeds, count, sizeof *seeds);
    return status;
}

wm_status wm_regions_place(wm_cell** seeds, uint32_t* count, wm_cover* cover, wm_error* error)
{
    placement place = {.cover = cover, .grid = cover->grid};
    wm_status status = order_by_room(&place, (uint32_t)(cover->radius / WM_COST_STRAIGHT));
    if (status == WM_OK) status = find_pockets(&place);
    if (status == WM_OK) status = cover_rest(&place);
    for (int i = 0; i < LLOYD_ROUNDS && status == WM_OK; i++) status = move_to_middles(&place);
    if (status == WM_OK) status = renumber(&place);
    if (status == WM_ERR_MEMORY) wm_fail_memory(error, place.grid->cell_count * sizeof(wm_cell));
    wm_release(NULL, place.by_room, place.grid->open_count, sizeof *place.by_room);
    wm_release(NULL, place.is_pocket, (size_t)place.grid->component_count + 1, sizeof(bool));
    if (status != WM_OK) {
        free(place.seeds);
        return status;
    }
    *seeds = place.seeds;
    *count = place.count;
    return WM_OK;
}
