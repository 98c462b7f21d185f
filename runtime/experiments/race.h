// SPDX-License-Identifier: MIT
//
// One agent on one problem, with everything counted: what the walk cost beside the optimum, what
// it was made of, and how long the planning took. Prints nothing.
#pragma once

#include <waymark.h>

#include "distance.h"
#include "histogram.h"

typedef enum wm_race_outcome {
    WM_RACE_SOLVED,
    WM_RACE_NO_PATH, ///< The agent said that there is none.
    WM_RACE_GAVE_UP, ///< It had walked too much.
} wm_race_outcome;

/// "solved", "no-path" or "gave-up".
const char* wm_race_outcome_name(wm_race_outcome outcome);

/// The count of one run. All work since the agent was begun belongs to its first move.
typedef struct wm_race_run {
    wm_race_outcome outcome;
    wm_cost optimal; ///< WM_COST_INFINITE where nothing leads to the goal.
    wm_cost cost;    ///< Walked, also where the goal was not reached.
    uint64_t moves;
    uint64_t waits;        ///< Steps without a move.
    uint64_t search_steps; ///< Steps with expansions.
    uint64_t diagonal_moves;
    uint64_t expansions;
    uint64_t max_expansions_per_move;
    uint64_t back_moves;
    uint64_t non_optimal_moves; ///< Moves x -> y with c(x,y) + d(y) > d(x), d the exact distance.
    uint64_t revisits;          ///< Moves into a cell entered before, the start included.
    uint64_t plan_ns_first;     ///< From begin to the first move.
    uint64_t plan_ns_max;
    uint64_t plan_ns_total; ///< From a second walk, timed as a whole.
    size_t agent_bytes;
} wm_race_run;

/// The walked cost in straight steps, with the square root of 2 for a diagonal one.
double wm_race_length(const wm_race_run* run);
/// Percent above the optimum, which must be finite.
double wm_race_suboptimality(const wm_race_run* run);

/// The calling thread's own time in ns: waiting for a processor does not count. Slow to read.
uint64_t wm_race_thread_ns(void);

/// What all runs on one map share. Belongs to one thread at a time.
typedef struct wm_race {
    const wm_map* map;
    uint64_t give_up;     ///< Stop when a walk costs more than this many times the optimum.
    uint64_t clock_ns;    ///< What reading the clock costs.
    wm_distances to_goal; ///< From every cell, for the present problem.
    wm_point start;
    wm_point goal;
    wm_cost limit;     ///< The most that a walk may cost.
    uint32_t* entered; ///< Per cell: the last run that entered it.
    uint32_t run_number;
    bool keep_path;
    wm_cell* path; ///< The last run's cells, start included, where they are kept.
    size_t path_length;
    size_t path_capacity;
} wm_race;

#define WM_RACE_GIVE_UP 1000
#define WM_RACE_MAX_GIVE_UP 1000000

/// @param keep_path  whether runs leave their cells in `path`
wm_status wm_race_create(wm_race* race, const wm_map* map, uint64_t give_up, bool keep_path,
                         wm_error* error);
/// Accepts one that was never created, if it is zeroed.
void wm_race_free(wm_race* race);
/// Takes up a problem; start and goal must be open cells.
wm_status wm_race_set_problem(wm_race* race, wm_point start, wm_point goal, wm_error* error);
/// Walks `agent`, which must be of the same map, through the problem twice.
/// @param steps  may be NULL; gets the planning time of every step, in ns
/// @return WM_OK whatever the outcome; an error only when there is no memory
wm_status wm_race_walk(wm_race* race, wm_agent* agent, wm_race_run* run, wm_histogram* steps,
                       wm_error* error);
