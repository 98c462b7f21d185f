// SPDX-License-Identifier: MIT
//
// The offline half of kNN LRTA*: making, checking and joining its records.
#pragma once

#include "bytes.h"
#include "knn.h"
#include "parallel.h"

/// Records of a block, behind which the threads wait for each other.
#define WM_KNN_BLOCK 4096

/// Where finished blocks of records are kept, and those of an earlier build of the same are found.
/// Called by one thread.
typedef struct wm_knn_blocks {
    bool (*find)(void* context, const wm_grid* grid, const wm_knn_parameters* parameters,
                 uint32_t block, wm_reader* content);
    /// Not NULL where blocks are to be kept.
    wm_status (*keep)(void* context, const wm_grid* grid, const wm_knn_parameters* parameters,
                      uint32_t block, const wm_buffer* content, wm_error* error);
    void* context;
} wm_knn_blocks;

typedef struct wm_knn_build_options {
    wm_knn_parameters parameters;
    unsigned threads;
    wm_progress progress; ///< May be NULL.
    void* progress_context;
    wm_knn_blocks blocks; ///< {0}: none are kept.
} wm_knn_build_options;

/// Makes the records of one shard. `name` stands for the map in errors.
/// @return WM_OK, WM_ERR_TOO_FEW (no two cells are apart), WM_ERR_INTERRUPTED or WM_ERR_MEMORY
wm_status wm_knn_build(wm_knn* knn, const wm_grid* grid, const wm_knn_build_options* options,
                       const char* name, wm_error* error);

/// Packs records into a blob as a database file stores it. `content_hash` may be NULL.
/// @return WM_OK or WM_ERR_MEMORY
wm_status wm_knn_seal(wm_buffer* blob, uint64_t* content_hash, const wm_knn* knn);

typedef struct wm_knn_verify_result {
    uint32_t records;
    uint32_t broken; ///< Records that break a promise.
    char first[256]; ///< What is wrong with the first of them.
} wm_knn_verify_result;

/// Checks every promise of every record against the map: drawn from the seed, subgoals on one
/// optimal path; each, and every state on the way to it, climbed to from the one before, and the
/// next state not.
wm_status wm_knn_verify(wm_knn_verify_result* result, const wm_knn* knn, const wm_grid* grid,
                        const wm_knn_build_options* options, wm_error* error);

/// Joins all shards of one database, in any order, into the whole one. `name` stands for the map.
/// @return WM_OK, WM_ERR_MISMATCH (they do not fit together or are not complete) or WM_ERR_MEMORY
wm_status wm_knn_merge(wm_knn* whole, const wm_knn* shards, size_t count, const char* name,
                       wm_error* error);
