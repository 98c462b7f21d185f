// SPDX-License-Identifier: MIT
//
// What the parts of the benchmark share. Times are only ever compared within one run: rivals take
// turns on the same questions, and the best of several rounds counts.
#pragma once

#include <stdio.h>

#include "build.h"
#include "grid.h"

#define BENCH_ROUNDS 5

/// Where the maps come from, and what was missing.
typedef struct bench_run {
    const char* folder; ///< The public benchmark maps.
    bool failed;
} bench_run;

int64_t bench_now_ns(void);
/// Loads a map of the benchmark folder; prints a visible skip and returns false when it is not
/// there.
bool bench_load(bench_run* bench, wm_grid* grid, const char* map);
/// Prints the error and remembers that something failed.
void bench_fail(bench_run* bench, const wm_error* error);
/// Median of `count` values, which it sorts.
double bench_median(double* values, size_t count);

/// Builder against plain A*, and two threads against one.
void bench_builder(bench_run* bench);
/// Nearest-record queries against a linear scan, first move of kNN LRTA* against a whole A*.
void bench_queries(bench_run* bench);
/// What a step of the simplest real-time searches costs, against an expansion of A*.
void bench_steps(bench_run* bench);
/// Region databases: quality and speed by size.
void bench_regions(bench_run* bench);
/// Many agents on one map: time of moves and frames.
void bench_crowd(bench_run* bench);
/// Prints counters as CSV: of maps in `project`/data and of public ones.
void bench_counters(bench_run* bench, const char* project);
/// Paper K's table 1 on the eight small maps.
void bench_paper_k(bench_run* bench);
