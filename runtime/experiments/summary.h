// SPDX-License-Identifier: MIT
//
// What many runs of one algorithm come to.
#pragma once

#include "race.h"

/// Sums over runs. Start from {0}.
typedef struct wm_summary {
    uint64_t runs;
    uint64_t outcomes[3];  ///< By wm_race_outcome.
    double* suboptimality; ///< In percent, of every run that did not say "no path"; one that gave
    size_t compared;       ///< up counts with what it had walked, so that giving up never pays.
    size_t compared_capacity;
    uint64_t moves;
    uint64_t expansions;
    uint64_t max_expansions_per_move;
    uint64_t back_moves;
    uint64_t non_optimal_moves;
    uint64_t revisits;
    uint64_t plan_ns_total;
    wm_histogram first_ns; ///< Planning time of first moves.
    wm_histogram step_ns;  ///< Planning time of all moves.
    size_t agent_bytes;    ///< Of the largest agent.
    size_t database_bytes; ///< Of all maps together.
} wm_summary;

/// Adds a run, but for its step times: wm_race_walk puts these into `step_ns`.
/// False when there is no memory.
bool wm_summary_add(wm_summary* summary, const wm_race_run* run);
void wm_summary_free(wm_summary* summary);

typedef struct wm_spread {
    double mean;
    double median;
    double p95; ///< The least value that 95 % of all do not exceed.
    double worst;
} wm_spread;

/// Sorts the summary's list; all zero when it is empty.
wm_spread wm_summary_suboptimality(wm_summary* summary);
/// `sum` per run; 0 when there are none.
double wm_summary_per_run(const wm_summary* summary, uint64_t sum);
double wm_summary_expansions_per_move(const wm_summary* summary);
