// SPDX-License-Identifier: MIT
//
// Learning is Dijkstra's algorithm from outside inwards.
#include "local_space.h"

#include <string.h>

#define MAX_GENERATION (UINT32_MAX / WM_DIRECTIONS)

// Each state inside has eight neighbours at most, and the first one is nobody's neighbour.
static uint32_t max_open(const wm_grid* grid, int64_t max_inside)
{
    const int64_t most = WM_DIRECTIONS * max_inside + 1;
    return most < grid->cell_count ? (uint32_t)most : grid->cell_count;
}

size_t wm_local_space_bytes(const wm_grid* grid, int64_t max_inside)
{
    return wm_learned_bytes(grid) + grid->cell_count * sizeof(wm_node) +
           max_open(grid, max_inside) * sizeof(wm_heap_entry) +
           wm_local_space_max_inside(grid, max_inside) * sizeof(wm_cell);
}

void* wm_local_space_init(wm_local_space* space, const wm_grid* grid, int64_t max_inside,
                          void* memory)
{
    *space = (wm_local_space){.max_inside = wm_local_space_max_inside(grid, max_inside)};
    wm_learned_init(&space->learned, grid, memory);
    space->open.nodes = (wm_node*)(space->learned.words + grid->cell_count);
    space->open.entries = (wm_heap_entry*)(space->open.nodes + grid->cell_count);
    space->inside = (wm_cell*)(space->open.entries + max_open(grid, max_inside));
    return space->inside + space->max_inside;
}

static void forget_nodes(wm_local_space* space)
{
    if (space->generation == MAX_GENERATION) {
        memset(space->open.nodes, 0, space->learned.grid->cell_count * sizeof(wm_node));
        space->generation = 0;
    }
    space->generation++;
    space->open.count = 0;
}

void wm_local_space_clear(wm_local_space* space)
{
    forget_nodes(space);
    space->inside_count = 0;
}

// A way from a state inside to the outside, and its cost with the value there.
static void offer(wm_local_space* space, wm_cell cell, wm_cost cost)
{
    wm_node* node = &space->open.nodes[cell];
    if (cost >= node->g) return;
    const wm_heap_entry entry = wm_heap_entry_make((uint64_t)cost, 0, cell);
    const bool is_open = node->g != WM_COST_INFINITE;
    node->g = cost;
    if (is_open)
        wm_heap_improve(&space->open, entry);
    else
        wm_heap_push(&space->open, entry);
}

static void offer_exits(wm_local_space* space, wm_cell cell)
{
    const wm_grid* grid = space->learned.grid;
    const wm_point offset = wm_learned_offset(&space->learned, cell);
    for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        if (!wm_local_space_knows(space, wm_grid_step(grid, cell, d)))
            offer(space, cell, wm_learned_move_cost(&space->learned, cell, offset, d));
    }
}

// The cost of leaving from `cell` is settled: those around it may leave through it.
static void settle(wm_local_space* space, wm_cell cell)
{
    const wm_grid* grid = space->learned.grid;
    const wm_point offset = wm_learned_offset(&space->learned, cell);
    wm_learned_raise(&space->learned, cell, offset, space->open.nodes[cell].g);
    const wm_cost value = wm_learned_value_at(&space->learned, cell, offset);
    for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cell next = wm_grid_step(grid, cell, d);
        if (wm_local_space_knows(space, next)) offer(space, next, wm_direction_cost[d] + value);
    }
}

bool wm_local_space_learn(wm_local_space* space)
{
    forget_nodes(space); // from here on the known ones are those inside
    for (uint32_t i = 0; i < space->inside_count; i++)
        space->open.nodes[space->inside[i]] =
            (wm_node){.g = WM_COST_INFINITE, .arrival = space->generation * WM_DIRECTIONS};
    for (uint32_t i = 0; i < space->inside_count; i++) offer_exits(space, space->inside[i]);
    if (space->open.count == 0) return false;
    while (space->open.count > 0) settle(space, wm_heap_entry_cell(wm_heap_pop(&space->open)));
    return true;
}
