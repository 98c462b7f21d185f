// SPDX-License-Identifier: MIT
//
// Worlds to walk in and walks to compare: maps, databases, agents and what the agents did.
#pragma once

#include "generate.h"
#include "internal.h"
#include "rng.h"
#include "support.h"

/// A map of 1 to `max_side` cells a side, 0 to 50 % blocked, under either rule: by the seed.
wm_map* map_random(uint64_t seed, int32_t max_side);
/// The same, to be edited.
wm_map* map_random_editable(uint64_t seed, int32_t max_side);
/// A map of the project's generator; `density` and `grain` as there, WM_GENERATE_DEFAULT for any.
wm_map* map_generated(wm_generate_kind kind, int32_t width, int32_t height, int32_t density,
                      int32_t grain, uint64_t seed, wm_diagonal diagonal);
/// A map of the benchmark folder, such as "bgmaps/AR0202SR.map".
wm_map* map_benchmark(const char* name, wm_diagonal diagonal);

/// An open cell; the grid must have one.
wm_cell random_open_cell(const wm_grid* grid, wm_rng* rng);
/// Two different connected cells; false where luck finds none.
bool random_problem(const wm_grid* grid, wm_rng* rng, wm_cell* start, wm_cell* goal);
/// Two unconnected open cells; false where luck finds none.
bool random_unsolvable_problem(const wm_grid* grid, wm_rng* rng, wm_cell* start, wm_cell* goal);

/// Builds a database into a file and opens it; NULL where the map has nothing to store.
wm_db* db_build(const wm_map* map, uint32_t records, bool chains, uint64_t seed);
/// The same, the file kept at `path`; false where the map has nothing to store.
bool db_build_file(const wm_map* map, uint32_t records, bool chains, uint64_t seed,
                   const test_path* path);

/// Creates an agent; fails the test where that fails.
wm_agent* agent_create(const wm_map* map, const wm_db* db, const char* spec,
                       bool skip_reachable_check);

/// Where an agent stood after a step, and its totals until then.
typedef struct walk_step {
    wm_cell cell;
    uint64_t expansions;
    uint64_t back_moves;
} walk_step;

typedef struct walk {
    walk_step* steps; ///< The start first.
    size_t count;
    size_t capacity;
    wm_status status; ///< Of the last step; WM_OK where the walk was cut off.
} walk;

void walk_add(walk* w, wm_cell cell, uint64_t expansions, uint64_t back_moves);
/// Begins the agent and steps it until it ends, `max_steps` times at most.
walk walk_take(wm_agent* agent, wm_cell start, wm_cell goal, size_t max_steps);
void walk_free(walk* w);

/// Fails, with `what` and the seed in front, unless two walks are the same step by step.
void assert_same_walk(const walk* actual, const walk* expected, const char* what, uint64_t seed);
/// Fails unless every step is a legal move or a wait, from `start` to `goal`. Returns the cost.
wm_cost assert_legal_walk(const walk* w, const wm_grid* grid, wm_cell start, wm_cell goal,
                          const char* what, uint64_t seed);
