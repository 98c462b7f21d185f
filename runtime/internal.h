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
    const wm_map* map;
    size_t stored_bytes;
    uint32_t revision; ///< Of the map when it was opened: what holds for that.
    bool has_knn;      ///< Which of the following are there.
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

typedef enum wm_agent_phase {
    WM_AGENT_IDLE, ///< Not begun, arrived, or given up.
    WM_AGENT_WALKING,
} wm_agent_phase;

struct wm_agent {
    const wm_map* map;
    const wm_grid* grid; ///< The map as the agent knows it: what algorithms plan on.
    wm_grid* belief;     ///< That map where the terrain is unknown; else NULL.
    const wm_db* db;
    const wm_algorithm* algorithm;
    wm_heuristic heuristic;
    wm_parameter_values values;
    void* state; ///< The algorithm's own, `state_bytes` long.
    size_t state_bytes;
    wm_agent_phase phase;
    uint32_t revision; ///< Of the map that the algorithm plans on.
    wm_cell position;
    wm_cell goal;
    wm_cost cost;
    uint64_t expansions; ///< Algorithms add to these two as they work.
    uint64_t back_moves;
    uint64_t expansions_before; ///< At the end of the step before.
    uint64_t max_expansions_per_move;
    uint64_t moves;
    uint64_t waits;
    bool skip_reachable_check;
    wm_allocator allocator;
};
