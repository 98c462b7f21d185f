// SPDX-License-Identifier: MIT
#include "belief.h"

#include <string.h>

#include "alloc.h"

wm_grid* wm_belief_create(const wm_grid* map, const wm_allocator* allocator)
{
    wm_grid* belief = wm_alloc(allocator, 1, sizeof *belief);
    if (belief == NULL) return NULL;
    *belief = (wm_grid){.width = map->width,
                        .height = map->height,
                        .diagonal = map->diagonal,
                        .agent_size = map->agent_size,
                        .cell_count = map->cell_count,
                        .per_width = map->per_width,
                        .open_count = map->cell_count,
                        .component_count = 1};
    if (allocator != NULL) belief->allocator = *allocator;
    memcpy(belief->offset, map->offset, sizeof belief->offset);
    belief->moves = wm_alloc(allocator, belief->cell_count, sizeof *belief->moves);
    belief->component = wm_alloc(allocator, belief->cell_count, sizeof *belief->component);
    if (belief->moves != NULL && belief->component != NULL) return belief;
    wm_belief_destroy(belief);
    return NULL;
}

void wm_belief_destroy(wm_grid* belief)
{
    if (belief == NULL) return;
    const wm_allocator allocator = belief->allocator;
    wm_grid_free(belief);
    wm_release(&allocator, belief, 1, sizeof *belief);
}

size_t wm_belief_bytes(const wm_grid* belief)
{
    return sizeof *belief +
           belief->cell_count * (sizeof *belief->moves + sizeof *belief->component);
}

// All moves that stay on the map.
static uint8_t moves_inside(const wm_grid* grid, wm_point p)
{
    unsigned moves = 0;
    for (int d = 0; d < WM_DIRECTIONS; d++) {
        const wm_point q = {p.x + wm_direction_x[d], p.y + wm_direction_y[d]};
        if (wm_grid_contains(grid, q)) moves |= 1u << d;
    }
    return (uint8_t)moves;
}

void wm_belief_reset(wm_grid* belief)
{
    for (wm_cell cell = 0; cell < belief->cell_count; cell++) belief->component[cell] = 1;
    memset(belief->moves, 0xFF, belief->cell_count);
    for (int32_t x = 0; x < belief->width; x++) {
        for (int32_t y = 0; y < belief->height; y++) {
            // From the top row to the bottom row, except for the first and the last column.
            if (y == 1 && x > 0 && x < belief->width - 1) y = belief->height - 1;
            const wm_point p = {x, y};
            belief->moves[wm_grid_cell(belief, p)] = moves_inside(belief, p);
        }
    }
}

bool wm_belief_look(wm_grid* belief, const wm_grid* map, wm_cell cell)
{
    const wm_point p = wm_grid_point(map, cell);
    bool surprised = false;
    for (int d = 0; d < WM_DIRECTIONS; d++) {
        const wm_point q = {p.x + wm_direction_x[d], p.y + wm_direction_y[d]};
        if (!wm_grid_contains(map, q)) continue;
        const wm_cell seen = wm_grid_cell(map, q);
        const bool open = wm_grid_is_open(map, seen);
        if (wm_grid_is_open(belief, seen) == open) continue;
        wm_grid_set_open(belief, seen, open);
        surprised = true;
    }
    return surprised;
}
