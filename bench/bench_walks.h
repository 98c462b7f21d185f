// SPDX-License-Identifier: MIT
//
// Problems for the benchmark, and walks through them.
#pragma once

#include "bench.h"
#include "experiments/summary.h"
#include "internal.h"
#include "problems.h"

#define BENCH_PROBLEMS 128
#define BENCH_SCEN_PROBLEMS 300

/// Random problems of a map: of cost 100 to 150, or of any cost.
wm_status bench_draw_problems(wm_problems* problems, const char* map, const wm_grid* grid,
                              bool any_cost, wm_error* error);
/// BENCH_SCEN_PROBLEMS of the `.scen` file of a public map, spread over it.
wm_status bench_load_problems(wm_problems* problems, const bench_run* bench, const char* map,
                              const wm_grid* grid, wm_error* error);
/// Walks all problems and adds them to the summary.
wm_status bench_walk(wm_summary* summary, const wm_map* map, const wm_db* db, const char* spec,
                     const wm_problems* problems, wm_error* error);
