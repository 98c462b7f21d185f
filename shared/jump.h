// SPDX-License-Identifier: MIT
//
// Optimal search by jump points, for the side that asks thousands of questions about one map.
// Of all shortest paths between two cells only the diagonal-first one is followed, so most cells
// have one successor and a search can jump to the next cell that has more (Harabor and Grastien
// 2011); how far that is in each direction is computed once per map (Rabin's JPS+).
#pragma once

#include "heap.h"

/// Where the jumps lead: per cell and direction a distance d in steps. d > 0: after d steps comes
/// a cell with more than one successor. d <= 0: after -d steps comes a wall, and nothing before.
typedef struct wm_jump_table {
    const wm_grid* grid;
    int16_t (*distance)[WM_DIRECTIONS];
} wm_jump_table;

wm_status wm_jump_table_create(wm_jump_table* table, const wm_grid* grid, wm_error* error);
void wm_jump_table_free(wm_jump_table* table);

/// What a search knows of a cell besides its node, side by side because it is used together.
typedef struct wm_jump_trace {
    wm_cell parent;  ///< The jump before.
    uint8_t pending; ///< Directions still to be tried.
    uint8_t tried;   ///< Directions tried or pending at its present g.
} wm_jump_trace;

/// One thread's search over a table, which any number of them may share.
typedef struct wm_jump_search {
    const wm_jump_table* table;
    wm_heap open;
    wm_jump_trace* traces; ///< Per cell.
    void* memory;          ///< Of nodes, entries and traces.
    uint32_t generation;
    wm_cell start;
    wm_cell goal;
    wm_point goal_point;
    uint64_t expansions;
} wm_jump_search;

wm_status wm_jump_search_create(wm_jump_search* search, const wm_jump_table* table,
                                wm_error* error);
void wm_jump_search_free(wm_jump_search* search);

/// Cost of an optimal path, or WM_COST_INFINITE where there is none.
wm_cost wm_jump_search_cost(wm_jump_search* search, wm_cell start, wm_cell goal);
/// The cells of the path that the last cost belongs to, start and goal included, into `path`,
/// which has room for `capacity` cells. Returns how many cells the path has.
size_t wm_jump_search_path(const wm_jump_search* search, wm_cell* path, size_t capacity);

/// Whether plain climbing reaches `to` from `from`: the answer of wm_climb_run without a limit,
/// many steps at a time.
bool wm_jump_climbs(const wm_jump_table* table, wm_cell from, wm_cell to);
