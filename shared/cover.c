// SPDX-License-Identifier: MIT
#include "cover.h"

#include <assert.h>
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
    cover->window = wm_alloc(allocator, WM_COVER_WINDOW, sizeof *cover->window);
    cover->queue = wm_alloc(allocator, WM_COVER_WINDOW, sizeof *cover->queue);
    if (cover->owner == NULL || cover->cost == NULL || cover->window == NULL ||
        cover->queue == NULL) {
        wm_cover_free(cover);
        return wm_fail_memory(error, cells * 2 * sizeof(uint32_t));
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
    wm_release(&allocator, cover->window, WM_COVER_WINDOW, sizeof *cover->window);
    wm_release(&allocator, cover->queue, WM_COVER_WINDOW, sizeof *cover->queue);
    *cover = (wm_cover){0};
}

void wm_cover_reset(wm_cover* cover)
{
    const uint32_t cells = cover->controller->grid->cell_count;
    memset(cover->owner, 0xFF, cells * sizeof *cover->owner);
}

// Besides the number of the flood a stamp says whether a line from the seed leads to the cell:
// diagonal first, straight first.
enum { LINE_DIAGONAL_FIRST = 1, LINE_STRAIGHT_FIRST = 2, LINES = 3, FLOOD_STEP = 4 };

typedef struct flooding {
    wm_cover* cover;
    const wm_grid* grid;
    uint32_t region;
    wm_cell seed;
    uint16_t stamp; // of this flood, without lines
} flooding;

#define SIDE WM_COVER_WINDOW_SIDE
#define MIDDLE (WM_COVER_WINDOW / 2)

// From a place in the window to its neighbours.
static const int16_t window_step[WM_DIRECTIONS] = {-SIDE, 1 - SIDE, 1,  1 + SIDE,
                                                   SIDE,  SIDE - 1, -1, -1 - SIDE};

static bool is_stamped(const flooding* f, uint16_t stamp)
{
    return (stamp & ~LINES) == f->stamp;
}

// Whether a line that leads to the cell before this one in direction `d` goes on to it.
static unsigned line_goes_on(const flooding* f, wm_flooded to, int d, unsigned line)
{
    assert(d >= 0); // no line leads to the seed itself
    const wm_cell before = to.cell - (wm_cell)f->grid->offset[d];
    const uint16_t stamp = f->cover->window[to.at - window_step[d]];
    if (!is_stamped(f, stamp) || (f->grid->moves[before] >> d & 1) == 0) return 0;
    return stamp & line;
}

// The lines from the seed that lead to a cell. The cell before it on a line is as many steps from
// the seed as there are, less one, so the flood has been there.
static unsigned lines_to(const flooding* f, wm_flooded to, int32_t dx, int32_t dy)
{
    const int32_t far_x = abs(dx);
    const int32_t far_y = abs(dy);
    const int slant = wm_direction_toward(dx, dy);
    if (far_x == far_y || far_x == 0 || far_y == 0) return line_goes_on(f, to, slant, LINES);
    const int level = far_x > far_y ? wm_direction_toward(dx, 0) : wm_direction_toward(0, dy);
    return line_goes_on(f, to, level, LINE_DIAGONAL_FIRST) |
           line_goes_on(f, to, slant, LINE_STRAIGHT_FIRST);
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

// Whether the flood goes on from a cell: also through cells that others serve better, because behind
// them there may be some that nobody else gets to. Nothing is cheaper than the octile distance, so
// an owner at that cost stays, untested.
static bool take(const flooding* f, wm_flooded to)
{
    wm_cover* cover = f->cover;
    const int32_t dx = to.at % SIDE - MIDDLE % SIDE;
    const int32_t dy = to.at / SIDE - MIDDLE / SIDE;
    const wm_cost octile = wm_octile(dx, dy);
    cover->window[to.at] = f->stamp;
    if (octile > cover->radius || abs(dx) > WM_MAX_LEG || abs(dy) > WM_MAX_LEG) return false;
    const unsigned lines = lines_to(f, to, dx, dy);
    cover->window[to.at] = (uint16_t)(f->stamp | lines);
    const bool owned = cover->owner[to.cell] != WM_NO_REGION;
    if (owned && cover->cost[to.cell] <= octile) return true;
    const wm_cost cost = lines != 0 ? octile : detour_cost(f, to.cell);
    if (cost == WM_COST_INFINITE) return false;
    if (owned && cover->cost[to.cell] <= cost) return true;
    cover->owner[to.cell] = f->region;
    cover->cost[to.cell] = (uint32_t)cost;
    return true;
}

void wm_cover_flood(wm_cover* cover, uint32_t region, wm_cell seed)
{
    const wm_grid* grid = cover->controller->grid;
    cover->flood = (uint16_t)(cover->flood + FLOOD_STEP);
    if (cover->flood == 0) { // all numbers were used
        memset(cover->window, 0, WM_COVER_WINDOW * sizeof *cover->window);
        cover->flood = FLOOD_STEP;
    }
    const flooding f = {
        .cover = cover, .grid = grid, .region = region, .seed = seed, .stamp = cover->flood};
    size_t begin = 0;
    size_t end = 0;
    cover->owner[seed] = region;
    cover->cost[seed] = 0;
    cover->window[MIDDLE] = (uint16_t)(f.stamp | LINES);
    cover->queue[end++] = (wm_flooded){seed, MIDDLE};
    while (begin < end) {
        const wm_flooded from = cover->queue[begin++];
        for (unsigned left = grid->moves[from.cell]; left != 0; left &= left - 1) {
            const int d = wm_lowest_direction(left);
            const uint16_t at = (uint16_t)(from.at + window_step[d]);
            if (is_stamped(&f, cover->window[at])) continue;
            const wm_flooded to = {wm_grid_step(grid, from.cell, d), at};
            if (take(&f, to)) cover->queue[end++] = to;
        }
    }
}
