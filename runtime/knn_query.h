// SPDX-License-Identifier: MIT
//
// Paper K's decision: which subgoal to walk to next. Used by the algorithm knn-lrta and by
// `waymark-run query`.
#pragma once

#include "internal.h"

typedef struct wm_knn_limits {
    uint32_t max_climb;      ///< m: steps of each climbing check.
    uint32_t neighbours;     ///< k: how many accepted records a subgoal is made from.
    uint32_t max_candidates; ///< Records to look at in one decision; 0 for all.
} wm_knn_limits;

/// One record as a decision saw it.
typedef struct wm_knn_candidate {
    wm_knn_match match;
    bool start_climbs; ///< The record's start is climbed to from the present cell.
    bool goal_climbs;  ///< The record's goal is climbed to from the goal; checked if start_climbs.
    bool taboo;        ///< Its subgoal has been used; the other checks are then not made.
    bool accepted;
} wm_knn_candidate;

/// Which subgoals are used up, one bit per cell of the map; the caller zeroes it.
typedef uint64_t wm_knn_taboo;

static inline size_t wm_knn_taboo_words(const wm_grid* grid)
{
    return ((size_t)grid->cell_count + 63) / 64;
}

typedef struct wm_knn_decision {
    wm_cell subgoal;      ///< The cell to go to; the goal itself when nothing better was found.
    bool goal_climbs;     ///< The goal itself can be climbed to.
    bool from_record;     ///< The subgoal was made from accepted records.
    uint32_t record;      ///< The best accepted record, if any.
    uint64_t climb_steps; ///< Of all checks together.
    uint32_t candidates;  ///< Records looked at.
} wm_knn_decision;

/// Checks one record: not used up, its start climbed to from `position`, its goal from `goal`.
wm_knn_candidate wm_knn_check(const wm_map* map, const wm_db* db, uint32_t max_climb,
                              const wm_knn_taboo* taboo, wm_cell position, wm_cell goal,
                              wm_knn_match match, uint64_t* climb_steps);

/// Decides from `position` toward `goal` and marks the subgoal as used.
/// @param matches  scratch for as many matches as the database has records
wm_knn_decision wm_knn_decide(const wm_map* map, const wm_db* db, const wm_knn_limits* limits,
                              wm_knn_taboo* taboo, wm_knn_match* matches, wm_cell position,
                              wm_cell goal);
