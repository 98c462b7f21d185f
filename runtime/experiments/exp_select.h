// SPDX-License-Identifier: MIT
//
// What the experiments of paper M share: random algorithms of the family `rths`, random problems of
// the benchmark's .scen files, and walks that count nothing but their cost, since there are
// millions of them.
#pragma once

#include "internal.h"
#include "rng.h"
#include "study.h"

/// A walk ends when it costs more than so many times the optimum; the second is for what the paper
/// says of its whole benchmark.
#define WM_SELECT_ALPHA_MAX 1000
#define WM_SELECT_LARGE_ALPHA_MAX 100000

#define WM_SELECT_WHY_DIAGONAL                                                                     \
    "The paper names no rule, but only under squeeze do the benchmark's maps have its 493,298 "    \
    "problems; `--diagonal none` runs the other one"

/// Adds a random algorithm of the family; `batch` is kept as the setting's x.
wm_status wm_select_add_algorithm(wm_study* study, wm_rng* rng, uint32_t batch, wm_error* error);

/// Adds the maps of sc1, wc3maps512, bg512 and dao that are there with `batches` times `count` of
/// their problems. Those of one batch are different ones; a map has them in the order of batches,
/// with optimal costs for the study's diagonal rule. Maps that get none are left out.
wm_status wm_select_add_problems(wm_study* study, uint32_t batches, size_t count, wm_error* error);

/// How many problems of a map to walk in a job: few where there are few, because the problems of one
/// large map can be most of the work; up to `most`, because each job makes its agents anew.
uint32_t wm_select_job_size(size_t problems, uint32_t most);

/// What a walk came to.
typedef struct wm_select_walk {
    wm_race_outcome outcome;
    double cost;
    uint64_t moves;
} wm_select_walk;

/// An agent for a setting on a map. Good for any number of walks.
wm_status wm_select_agent(wm_agent** agent, const wm_study* study, uint32_t map, uint32_t setting,
                          wm_error* error);
/// Walks one problem of the agent's map, to `alpha_max` times the optimum. As the paper counts: the cost travelled where the agent
/// was stopped, and a step more than it could have travelled where it was stuck.
wm_status wm_select_go(wm_agent* agent, const wm_problem* problem, double alpha_max,
                       wm_select_walk* walk, wm_error* error);
