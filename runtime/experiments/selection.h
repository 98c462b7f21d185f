// SPDX-License-Identifier: MIT
//
// Choosing an algorithm for each column, a map or a problem, from a table of how algorithms did
// (paper M): the best of all, the best in training, and the best of those that were tried. Pure
// functions on the table.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <waymark.h>

#include "rng.h"

/// How algorithms did, a row of `algorithms` numbers for each column; less is better. What is chosen
/// by `picks` gets its `scores`: the paper has one table for both.
typedef struct wm_selection {
    const double* picks;
    const double* scores;
    const double* weights; ///< Per column: how much it counts in means; 0 leaves it out.
    uint32_t columns;
    uint32_t algorithms;
} wm_selection;

/// Percent of the numbers that are not known, as in the paper's tables.
#define WM_SELECTION_SHARES 17
extern const double wm_selection_removed[WM_SELECTION_SHARES];

/// How many numbers of a column are known at a share removed: one at least.
uint32_t wm_selection_kept(const wm_selection* selection, double removed_percent);
/// How many of the columns are for training: two thirds, but never none or all of several.
uint32_t wm_selection_training(uint32_t columns);

/// The best algorithm of a column. Of equal ones the first.
uint32_t wm_selection_best(const wm_selection* selection, uint32_t column);
/// The best of the `count` algorithms in `tried`. Of equal ones the first by number.
uint32_t wm_selection_best_of(const wm_selection* selection, uint32_t column, const uint32_t* tried,
                              uint32_t count);
/// The algorithm with the best mean over `columns`.
/// @param sums  room for a number per algorithm
uint32_t wm_selection_prior(const wm_selection* selection, const uint32_t* columns, uint32_t count,
                            double* sums);

/// Mean scores on the test columns of one split.
typedef struct wm_selection_trial {
    double exhaustive;
    double prior;
    double sample[WM_SELECTION_SHARES];
    double weight; ///< Of all test columns; where it is 0 the means are too, and say nothing.
} wm_selection_trial;

/// Splits the columns at random and chooses for the test columns in every way. There must be two
/// columns at least.
/// @return WM_OK, or WM_ERR_MEMORY
wm_status wm_selection_try(const wm_selection* selection, wm_rng* rng, wm_selection_trial* trial);

/// A number over several trials.
typedef struct wm_selection_mean {
    double mean;
    double standard_error;
} wm_selection_mean;

typedef struct wm_selection_summary {
    wm_selection_mean exhaustive;
    wm_selection_mean prior;
    wm_selection_mean sample[WM_SELECTION_SHARES];
    uint32_t trials; ///< Without those that say nothing.
} wm_selection_summary;

/// @return WM_OK, or WM_ERR_MEMORY
wm_status wm_selection_run(const wm_selection* selection, uint32_t trials, uint64_t seed,
                           wm_selection_summary* summary);
