// SPDX-License-Identifier: MIT
//
// The bodies of the public objects. Never installed.
#pragma once

#include <waymark.h>

#include "algorithms/algorithm.h"
#include "choice.h"
#include "d_lrta.h"
#include "grid.h"
#include "knn_index.h"
#include "regions.h"

struct wm_map {
    wm_grid grid;
};

struct wm_db {
    const wm_map* map; ///< Not edited when it was opened: what holds for its revision 0.
    size_t stored_bytes;
    bool has_knn; ///< Which of the following are there.
    bool has_regions;
    bool has_d_lrta;
    bool has_choice;
    wm_knn knn;
    wm_knn_index knn_index;
    wm_region_map region_map;
    wm_d_lrta d_lrta;
    wm_choice choice; ///< Its SPEC may be nonsense: `auto` looks before it takes it.
    wm_allocator allocator;
};

/// One unit. What a step touches comes first; the algorithm's own part lies behind it.
struct wm_agent {
    const wm_algorithm* algorithm;
    const wm_map* map;
    const wm_grid* grid; ///< The map as the agent knows it: what algorithms plan on.
    const wm_db* db;
    void* state;              ///< The algorithm's large part; NULL where it has none now.
    wm_cell position;         ///< WM_NO_CELL before it was begun.
    wm_cell goal;             ///< WM_NO_CELL while it has none.
    uint32_t revision;        ///< Of the map that the algorithm plans on.
    wm_status result;         ///< WM_OK while it is on its way.
    uint64_t most_expansions; ///< That one step can take.
    wm_cost cost;
    uint64_t expansions; ///< Algorithms add to these two as they work.
    uint64_t back_moves;
    uint64_t max_expansions_per_move;
    uint64_t moves;
    uint64_t waits;
    wm_grid* belief; ///< The grid where the terrain is unknown; else NULL.

    wm_heuristic heuristic;
    bool skip_reachable_check;
    bool nearest_goal;
    wm_point wanted; ///< The goal that it was given.
    wm_parameter_values values;
    size_t own_bytes;
    size_t state_bytes;
    wm_scratch* scratch; ///< Where the state comes from; NULL: it is `reserved`.
    void* reserved;
    wm_allocator allocator;
};

/// The algorithm's own part, `own_bytes` long.
static inline void* wm_agent_own(const wm_agent* agent)
{
    return (void*)(agent + 1);
}

/// Makes sure that the agent has its state, ready for its algorithm's begin.
/// @return WM_OK, or WM_ERR_MEMORY where the scratch is full
wm_status wm_agent_take_state(wm_agent* agent);
/// Before a step: takes up edits of the map since the last one. @return what begin would
wm_status wm_agent_catch_up(wm_agent* agent);
