// SPDX-License-Identifier: MIT
#include "search.h"

#include <string.h>

#define MAX_GENERATION (UINT32_MAX / WM_DIRECTIONS)

size_t wm_search_bytes(const wm_grid* grid)
{
    return (size_t)grid->cell_count * (sizeof(wm_node) + sizeof(wm_heap_entry));
}

void wm_search_init(wm_search* search, const wm_grid* grid, void* memory)
{
    memset(search, 0, sizeof *search);
    search->grid = grid;
    search->open.entries = memory;
    search->open.nodes = (wm_node*)(search->open.entries + grid->cell_count);
}

void wm_search_begin(wm_search* search, wm_cell root, wm_cell goal, wm_search_weights weights)
{
    if (search->generation == MAX_GENERATION) {
        memset(search->open.nodes, 0, search->grid->cell_count * sizeof(wm_node));
        search->generation = 0;
    }
    search->generation++;
    search->weights = weights;
    search->root = root;
    search->goal = goal;
    search->goal_point = wm_grid_point(search->grid, goal);
    search->expansions = 0;
    search->open.count = 0;
    search->open.nodes[root] = (wm_node){.g = 0, .arrival = search->generation * WM_DIRECTIONS};
    const wm_point p = wm_grid_point(search->grid, root);
    const uint64_t h = (uint64_t)wm_guess(search->heuristic, p.x - search->goal_point.x,
                                          p.y - search->goal_point.y);
    wm_heap_push(&search->open, wm_heap_entry_make(weights.h * h, 0, root));
}

static void generate(wm_search* search, wm_cell next, int direction, wm_cost g, uint64_t h)
{
    wm_node* node = &search->open.nodes[next];
    const bool known = wm_search_knows(search, next);
    // Where g does not count, the first way to a state stays: its f cannot get better.
    if (known && (search->weights.g == 0 || node->g <= g)) return;
    const bool is_open = known && node->slot != WM_NODE_CLOSED;
    if (known && !is_open && search->keep_closed) return;
    node->g = g;
    node->arrival = search->generation * WM_DIRECTIONS + (uint32_t)direction;
    const uint64_t f = search->weights.g * (uint64_t)g + search->weights.h * h;
    const wm_heap_entry entry = wm_heap_entry_make(f, g, next);
    if (is_open)
        wm_heap_improve(&search->open, entry);
    else
        wm_heap_push(&search->open, entry);
}

static void expand(wm_search* search, wm_cell cell)
{
    const wm_grid* grid = search->grid;
    const wm_point p = wm_grid_point(grid, cell);
    const int32_t dx = p.x - search->goal_point.x;
    const int32_t dy = p.y - search->goal_point.y;
    const wm_cost g = search->open.nodes[cell].g;
    for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cost h =
            wm_guess(search->heuristic, dx + wm_direction_x[d], dy + wm_direction_y[d]);
        generate(search, wm_grid_step(grid, cell, d), d, g + wm_direction_cost[d], (uint64_t)h);
    }
    search->expansions++;
}

wm_search_result wm_search_run(wm_search* search, uint64_t max_expansions)
{
    for (uint64_t i = 0;; i++) {
        if (search->open.count == 0) return WM_SEARCH_FAILED;
        if (wm_search_top(search) == search->goal) return WM_SEARCH_FOUND;
        if (i == max_expansions) return WM_SEARCH_PAUSED;
        expand(search, wm_heap_entry_cell(wm_heap_pop(&search->open)));
    }
}
