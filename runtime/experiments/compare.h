// SPDX-License-Identifier: MIT
//
// Several algorithms on the same problems of a map, one after the other on one thread.
#pragma once

#include "algorithms/algorithm.h"
#include "problems.h"
#include "summary.h"

#define WM_COMPARE_PROBLEMS 100 ///< How many are drawn when nothing else is said.

/// A competitor and what it has done so far.
typedef struct wm_compare_algorithm {
    const char* spec; ///< As the user gave it.
    const wm_algorithm* algorithm;
    bool optional;   ///< Stays out where its database is missing, instead of failing.
    bool stayed_out; ///< On the last map.
    wm_summary summary;
} wm_compare_algorithm;

/// Where a map's problems come from: `scen` if set; else random if `random` is set; else the .scen
/// file beside the map; else WM_COMPARE_PROBLEMS random ones.
typedef struct wm_compare_source {
    const char* scen;
    bool random;
    wm_problem_range range;
} wm_compare_source;

/// One run as the caller sees it.
typedef struct wm_compare_run {
    const char* map;
    const char* spec;
    size_t problem; ///< From 0.
    wm_point start;
    wm_point goal;
    const wm_race_run* counts;
    const wm_grid* grid;
    const wm_cell* path; ///< Start included; only with `keep_paths`.
    size_t path_length;
} wm_compare_run;

typedef struct wm_compare {
    const char* db;      ///< NULL for none.
    wm_grid_rules rules; ///< How the maps are read.
    wm_terrain terrain;
    wm_heuristic heuristic;
    wm_compare_source source;
    uint64_t give_up;
    bool keep_paths;
    wm_compare_algorithm* algorithms;
    size_t algorithm_count;
    /// Called after every run; may be NULL. Anything but WM_OK ends the comparison with it.
    wm_status (*on_run)(void* context, const wm_compare_run* run, wm_error* error);
    void* context;
    size_t map_count;        ///< Done so far.
    size_t problem_count;    ///< On all of them together.
    char problems_from[512]; ///< What the last map's problems were, in words.
} wm_compare;

/// Races all algorithms on the problems of the map file at `path`.
/// @param name  stands for the map in the runs
wm_status wm_compare_map(wm_compare* compare, const char* path, const char* name, wm_error* error);

/// Opens the database of a map that was read from `map_path`, by whatever name it has there.
wm_status wm_compare_open_db(wm_db** db, const wm_map* map, const char* map_path, const char* path,
                             wm_error* error);
