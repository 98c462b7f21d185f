// SPDX-License-Identifier: MIT
//
// The reachable cell nearest to a point, by squares that grow around it. Nothing on a square is
// nearer than the middle of a side, so the search ends soon after the first find.
#include "internal.h"

typedef struct nearest_search {
    const wm_grid* grid;
    uint32_t component;
    wm_point wanted;
    wm_point best;
    wm_cost least; // octile distance of the best, WM_COST_INFINITE while there is none
} nearest_search;

// The point may lie anywhere, so that differences need more than 32 bits.
static int64_t apart(int32_t a, int32_t b)
{
    const int64_t difference = (int64_t)a - b;
    return difference < 0 ? -difference : difference;
}

static wm_cost distance(wm_point a, wm_point b)
{
    const int64_t x = apart(a.x, b.x);
    const int64_t y = apart(a.y, b.y);
    const int64_t diagonal = x < y ? x : y;
    return WM_COST_STRAIGHT * (x > y ? x : y) + (WM_COST_DIAGONAL - WM_COST_STRAIGHT) * diagonal;
}

static void look_at(nearest_search* s, int64_t x, int64_t y)
{
    const wm_point p = {(int32_t)x, (int32_t)y};
    if (s->grid->component[wm_grid_cell(s->grid, p)] != s->component) return;
    const wm_cost cost = distance(p, s->wanted);
    if (cost > s->least) return;
    if (cost == s->least && (p.y > s->best.y || (p.y == s->best.y && p.x >= s->best.x))) return;
    s->least = cost;
    s->best = p;
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smallest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// The part of the square that lies on the map.
static void look_along_square(nearest_search* s, int64_t radius)
{
    const int64_t last_x = s->grid->width - 1;
    const int64_t last_y = s->grid->height - 1;
    const int64_t west = s->wanted.x - radius;
    const int64_t east = s->wanted.x + radius;
    const int64_t north = s->wanted.y - radius;
    const int64_t south = s->wanted.y + radius;
    for (int64_t x = largest(west, 0); x <= smallest(east, last_x); x++) {
        if (north >= 0 && north <= last_y) look_at(s, x, north);
        if (south >= 0 && south <= last_y) look_at(s, x, south);
    }
    for (int64_t y = largest(north + 1, 0); y <= smallest(south - 1, last_y); y++) {
        if (west >= 0 && west <= last_x) look_at(s, west, y);
        if (east >= 0 && east <= last_x) look_at(s, east, y);
    }
}

// The last square that has cells of the map on it.
static int64_t last_square(const wm_grid* grid, wm_point p)
{
    const int64_t x = largest(p.x, (int64_t)grid->width - 1 - p.x);
    const int64_t y = largest(p.y, (int64_t)grid->height - 1 - p.y);
    return largest(x, y);
}

// The first one; 0 for points on the map.
static int64_t first_square(const wm_grid* grid, wm_point p)
{
    const int64_t x = largest(-(int64_t)p.x, (int64_t)p.x - (grid->width - 1));
    const int64_t y = largest(-(int64_t)p.y, (int64_t)p.y - (grid->height - 1));
    return largest(largest(x, y), 0);
}

wm_status wm_map_nearest(const wm_map* map, wm_point from, wm_point wanted, wm_point* nearest)
{
    if (map == NULL || nearest == NULL || !wm_grid_contains(&map->grid, from))
        return WM_ERR_ARGUMENT;
    nearest_search s = {.grid = &map->grid,
                        .component = wm_map_component(map, from),
                        .wanted = wanted,
                        .least = WM_COST_INFINITE};
    if (s.component == 0) return WM_ERR_BLOCKED;
    // `from` itself is there to be found at last.
    const int64_t last = last_square(s.grid, wanted);
    for (int64_t radius = first_square(s.grid, wanted);
         radius <= last && WM_COST_STRAIGHT * radius <= s.least; radius++)
        look_along_square(&s, radius);
    *nearest = s.best;
    return WM_OK;
}
