// SPDX-License-Identifier: MIT
//
// Which records of a kNN database are most like a problem: an exact index that yields them one
// after the other. Similarity is the octile distance from start to start plus goal to goal; equal
// ones come by rising record number.
#pragma once

#include "knn.h"

typedef struct wm_knn_index {
    const wm_knn* knn;
    struct wm_knn_node* nodes; ///< A balanced tree by boxes in (start, goal) space, root first.
    uint32_t node_count;
    struct wm_knn_entry* entries; ///< Records in tree order.
    wm_allocator allocator;
} wm_knn_index;

wm_status wm_knn_index_create(wm_knn_index* index, const wm_knn* knn, const wm_grid* grid,
                              const wm_allocator* allocator, wm_error* error);
void wm_knn_index_free(wm_knn_index* index);

typedef struct wm_knn_match {
    uint32_t distance; ///< In cost units.
    uint32_t record;
} wm_knn_match;

/// A query in progress, over memory of the caller: no allocation, no limit on how far to go.
typedef struct wm_knn_cursor {
    const wm_knn_index* index;
    wm_knn_match* matches; ///< Room for one per record; the next ones are in order from `at`.
    wm_point start;
    wm_point goal;
    uint32_t at;
    uint32_t count;
    uint32_t sorted_end; ///< Matches before this one are in their places.
    uint32_t batch_size; ///< Matches fetched at once; grows from batch to batch.
    bool begun;          ///< Whether `last` is meaningful.
    bool has_all;        ///< All that is left is in `matches`, sorted as far as needed.
    wm_knn_match last;   ///< The last match of the batches before.
    uint32_t pivots[64]; ///< While sorting: places whose matches are where they belong.
    uint32_t pivot_count;
} wm_knn_cursor;

/// @param matches  memory for as many matches as the index has records
void wm_knn_cursor_begin(wm_knn_cursor* cursor, const wm_knn_index* index, wm_knn_match* matches,
                         wm_point start, wm_point goal);
/// The next best record; false when all have been given.
bool wm_knn_cursor_next(wm_knn_cursor* cursor, wm_knn_match* match);
