// SPDX-License-Identifier: MIT
#include "cover.h"

#include <string.h>

#include "alloc.h"

wm_status wm_cover_create(wm_cover* cover, const wm_controller* controller, wm_cost radius,
                          const wm_allocator* allocator, wm_error* error)
{
    const uint32_t cells = controller->grid->cell_count;
    *cover = (wm_cover){.controller = controller, .radius = radius};
    if (allocator != NULL) cover->allocator = *allocator;
    cover->owner = wm_alloc(allocator, cells, sizeof *cover->owner);
    cover->cost = wm_alloc(allocator, cells, sizeof *cover->cost);
    cover->stamp = wm_alloc(allocator, cells, sizeof *cover->stamp);
    cover->queue = wm_alloc(allocator, WM_COVER_QUEUE, sizeof *cover->queue);
    if (cover->owner == NULL || cover->cost == NULL || cover->stamp == NULL ||
        cover->queue == NULL) {
        wm_cover_free(cover);
        return wm_fail_memory(error, cells * 4 * sizeof(uint32_t));
    }
    wm_cover_reset(cover);
    return WM_OK;
}

void wm_cover_free(wm_cover* cover)
{
    const wm_allocator allocator = cover->allocator;
    const uint32_t cells = cover->controller == NULL ? 0 : cover->controller->grid->cell_count;
    wm_release(&allocator, cover->owner, cells, sizeof *cover->owner);
    wm_release(&allocator, cover->cost, cells, sizeof *cover->cost);
    wm_release(&allocator, cover->stamp, cells, sizeof *cover->stamp);
    wm_release(&allocator, cover->queue, WM_COVER_QUEUE, sizeof *cover->queue);
    *cover = (wm_cover){0};
}

void wm_cover_reset(wm_cover* cover)
{
    const uint32_t cells = cover->controller->grid->cell_count;
    memset(cover->owner, 0xFF, cells * sizeof *cover->owner);
    memset(cover->stamp, 0, cells * sizeof *cover->stamp);
    cover->flood = 0;
}

// Besides the number of the flood a stamp says whether a line from the seed leads to the cell:
// diagonal first, straight first.
enum { LINE_DIAGONAL_FIRST = 1, LINE_STRAIGHT_FIRST = 2, LINES = 3 };

typedef struct flooding {
    wm_cover* cover;
    const wm_grid* grid;
    uint32_t region;
    wm_cell seed;
    uint32_t stamp; // of this flood, without lines
} flooding;

// Whether a line that leads to the cell before `cell` in direction `d` goes on to it.
static uint32_t line_goes_on(const flooding* f, wm_cell cell, int d, uint32_t line)
{
    const wm_cell before = cell - (wm_cell)f->grid->offset[d];
    const uint32_t stamp = f->cover->stamp[before];
    if ((stamp & ~(uint32_t)LINES) != f->stamp || (f->grid->moves[before] >> d & 1) == 0) return 0;
    return stamp & line;
}

// The lines from the seed that lead to a cell. The cell before it on a line is as many steps from
// the seed as there are, less one, so the flood has been there.
static uint32_t lines_to(const flooding* f, wm_cell cell, int32_t dx, int32_t dy)
{
    const int32_t far_x = abs(dx);
    const int32_t far_y = abs(dy);
    const int slant = wm_direction_toward(dx, dy);
    if (far_x == far_y || far_x == 0 || far_y == 0) return line_goes_on(f, cell, slant, LINES);
    const int level = far_x > far_y ? wm_direction_toward(dx, 0) : wm_direction_toward(0, dy);
    return line_goes_on(f, cell, level, LINE_DIAGONAL_FIRST) |
           line_goes_on(f, cell, slant, LINE_STRAIGHT_FIRST);
}

// The cost to the seed from a cell that no line leads to; infinite where one of the two is not
// reached from the other.
static wm_cost detour_cost(const flooding* f, wm_cell cell)
{
    const wm_controller* controller = f->cover->controller;
    uint64_t states = 0;
    const wm_leg leg = wm_controller_detour(controller, cell, f->seed, NULL, &states);
    if (leg.kind == WM_LEG_NONE ||
        wm_controller_detour(controller, f->seed, cell, NULL, &states).kind == WM_LEG_NONE)
        return WM_COST_INFINITE;
    return leg.cost;
}

// Whether the flood may go on through `cell`, which it then owns if it serves it better.
static bool take(const flooding* f, wm_cell cell, int32_t dx, int32_t dy)
{
    wm_cover* cover = f->cover;
    const wm_cost octile = wm_octile(dx, dy);
    cover->stamp[cell] = f->stamp;
    if (octile > cover->radius || abs(dx) > WM_MAX_LEG || abs(dy) > WM_MAX_LEG) return false;
    const uint32_t lines = lines_to(f, cell, dx, dy);
    cover->stamp[cell] |= lines;
    // Nothing is cheaper than the octile distance: an owner at that cost stays, untested.
    const bool owned = cover->owner[cell] != WM_NO_REGION;
    if (owned && cover->cost[cell] <= octile) return true;
    const wm_cost cost = lines != 0 ? octile : detour_cost(f, cell);
    if (cost == WM_COST_INFINITE) return false;
    if (owned && cover->cost[cell] <= cost) return true;
    cover->owner[cell] = f->region;
    cover->cost[cell] = (uint32_t)cost;
    return true;
}

void wm_cover_flood(wm_cover* cover, uint32_t region, wm_cell seed)
{
    const wm_grid* grid = cover->controller->grid;
    cover->flood += LINES + 1;
    const flooding f = {
        .cover = cover, .grid = grid, .region = region, .seed = seed, .stamp = cover->flood};
    size_t begin = 0;
    size_t end = 0;
    cover->owner[seed] = region;
    cover->cost[seed] = 0;
    cover->stamp[seed] = f.stamp | LINES;
    cover->queue[end++] = (wm_flooded){.cell = seed};
    while (begin < end) {
        const wm_flooded from = cover->queue[begin++];
        for (unsigned left = grid->moves[from.cell]; left != 0; left &= left - 1) {
            const int d = wm_lowest_direction(left);
            const wm_cell next = wm_grid_step(grid, from.cell, d);
            if ((cover->stamp[next] & ~(uint32_t)LINES) == f.stamp) continue;
            const int32_t dx = from.dx + wm_direction_x[d];
            const int32_t dy = from.dy + wm_direction_y[d];
            if (take(&f, next, dx, dy))
                cover->queue[end++] = (wm_flooded){next, (int16_t)dx, (int16_t)dy};
        }
    }
}
