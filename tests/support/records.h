// SPDX-License-Identifier: MIT
//
// kNN records made and judged without the module under test: the definition of a subgoal, written
// out once more as literally as it can be.
#pragma once

#include "methods/knn_method.h"

/// A whole database without chains.
wm_knn_parameters records_parameters(uint32_t total, uint64_t seed);
/// Builds; fails the test where that fails.
wm_knn records_build(const wm_grid* grid, wm_knn_parameters parameters, unsigned threads);
/// The content hash of the encoded records.
uint64_t records_hash(const wm_knn* knn);

/// Builds 10,000 records as the program does by default, prints what one costs in the file and fails
/// the test if that is more than 5 bytes.
void records_check_size(const wm_grid* grid, const char* name);

/// A map of the project's own generator.
wm_grid grid_generated(int kind, uint64_t seed, int32_t width, int32_t height,
                       wm_diagonal diagonal);

/// Everything that judging needs of one map: distances and climbs, computed when asked for.
typedef struct record_judge {
    const wm_grid* grid;
    wm_cost** distances; ///< Per source cell; NULL until asked for.
    int8_t** climbs;     ///< Per start cell, then per target: 0 not known, 1 reached, -1 stuck.
} record_judge;

record_judge record_judge_create(const wm_grid* grid);
void record_judge_free(record_judge* judge);
/// What is wrong with a record, or NULL. Whether the seed draws it is not looked at.
const char* record_complaint(record_judge* judge, const wm_knn* knn, const wm_knn_record* record);
