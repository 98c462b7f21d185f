// SPDX-License-Identifier: MIT
//
// Best-first search on the plain grid that can be paused: the reference optimal search, and the
// engine of the time-bounded algorithms. f = g_weight * g + h_weight * h.
#pragma once

#include "heap.h"

/// A*: {1, 1}. Weighted A* with w = W / 1000: {1000, W}. Greedy best-first search: {0, 1}.
typedef struct wm_search_weights {
    uint64_t g;
    uint64_t h;
} wm_search_weights;

typedef struct wm_search {
    const wm_grid* grid;
    wm_search_weights weights;
    wm_heuristic heuristic; ///< Set it before a search begins; octile if nobody does.
    bool keep_closed;       ///< So, too: expanded states are not opened again by a better way.
    wm_cell root;
    wm_cell goal;
    wm_point goal_point;
    wm_heap open;
    uint32_t generation; ///< Nodes of other generations are untouched by this search.
    uint64_t expansions; ///< Since the search began.
} wm_search;

typedef enum wm_search_result {
    WM_SEARCH_PAUSED, ///< The allowance of expansions is used up.
    WM_SEARCH_FOUND,  ///< The goal is on top of the open list.
    WM_SEARCH_FAILED, ///< The open list is empty: there is no path.
} wm_search_result;

/// Memory that a search needs on this grid, zeroed before its first use.
size_t wm_search_bytes(const wm_grid* grid);
/// Readies a search for use in `memory`, which must outlive it.
void wm_search_init(wm_search* search, const wm_grid* grid, void* memory);
/// Forgets everything and puts `root` on the open list.
void wm_search_begin(wm_search* search, wm_cell root, wm_cell goal, wm_search_weights weights);
/// Expands up to `max_expansions` states; stops before if the goal comes to the top.
wm_search_result wm_search_run(wm_search* search, uint64_t max_expansions);

/// The best open state. The open list must not be empty.
static inline wm_cell wm_search_top(const wm_search* search)
{
    return wm_heap_entry_cell(search->open.entries[0]);
}

static inline bool wm_search_knows(const wm_search* search, wm_cell cell)
{
    return search->open.nodes[cell].arrival / WM_DIRECTIONS == search->generation;
}

/// Cost from the root of a state that the search knows.
static inline wm_cost wm_search_g(const wm_search* search, wm_cell cell)
{
    return search->open.nodes[cell].g;
}

/// The direction of the step from the parent to `cell`, which the search knows and is not its root.
static inline int wm_search_arrival(const wm_search* search, wm_cell cell)
{
    return (int)(search->open.nodes[cell].arrival % WM_DIRECTIONS);
}

static inline wm_cell wm_search_parent(const wm_search* search, wm_cell cell)
{
    return cell - (wm_cell)search->grid->offset[wm_search_arrival(search, cell)];
}
