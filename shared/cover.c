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
    cover->queue = wm_alloc(allocator, cells, sizeof *cover->queue);
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
    wm_release(&allocator, cover->queue, cells, sizeof *cover->queue);
    *cover = (wm_cover){0};
}

void wm_cover_reset(wm_cover* cover)
{
    const uint32_t cells = cover->controller->grid->cell_count;
    memset(cover->owner, 0xFF, cells * sizeof *cover->owner);
    memset(cover->stamp, 0, cells * sizeof *cover->stamp);
    cover->flood = 0;
}

// Whether the flood may go on through `cell`, which it then owns if it serves it better.
static bool take(wm_cover* cover, uint32_t region, wm_cell seed, wm_cell cell, wm_cost octile)
{
    // Nothing is cheaper than the octile distance: an owner at that cost stays, untested.
    const bool owned = cover->owner[cell] != WM_NO_REGION;
    if (owned && cover->cost[cell] <= octile) return true;
    uint64_t states = 0;
    const wm_leg leg = wm_controller_leg(cover->controller, cell, seed, NULL, &states);
    if (leg.kind == WM_LEG_NONE) return false;
    // A line can be walked from both ends.
    if (leg.kind != WM_LEG_LINE &&
        wm_controller_cost(cover->controller, seed, cell) == WM_COST_INFINITE)
        return false;
    if (owned && cover->cost[cell] <= leg.cost) return true;
    cover->owner[cell] = region;
    cover->cost[cell] = (uint32_t)leg.cost;
    return true;
}

void wm_cover_flood(wm_cover* cover, uint32_t region, wm_cell seed)
{
    const wm_grid* grid = cover->controller->grid;
    const wm_point s = wm_grid_point(grid, seed);
    const uint32_t flood = ++cover->flood;
    size_t begin = 0;
    size_t end = 0;
    cover->owner[seed] = region;
    cover->cost[seed] = 0;
    cover->stamp[seed] = flood;
    cover->queue[end++] = seed;
    while (begin < end) {
        const wm_cell cell = cover->queue[begin++];
        const wm_point p = wm_grid_point(grid, cell);
        for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
            const int d = wm_lowest_direction(left);
            const wm_cell next = wm_grid_step(grid, cell, d);
            if (cover->stamp[next] == flood) continue;
            cover->stamp[next] = flood;
            const wm_cost octile =
                wm_octile(p.x + wm_direction_x[d] - s.x, p.y + wm_direction_y[d] - s.y);
            if (octile <= cover->radius && take(cover, region, seed, next, octile))
                cover->queue[end++] = next;
        }
    }
}
