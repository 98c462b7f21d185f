// SPDX-License-Identifier: MIT
//
// The kNN subgoal database of one map as both sides see it: N cases (start, goal), each with the
// subgoals on an optimal path. The last state before the first that plain climbing does not reach
// from the start is the first subgoal; a database with chains goes on from there to the goal.
// docs/format.md describes the encoding.
#pragma once

#include "bytes.h"
#include "grid.h"

#define WM_KNN_MAX_RECORDS 10000000u

/// What a database was made from. Record n depends on the map, the seed and n alone.
typedef struct wm_knn_parameters {
    uint32_t total;  ///< Records of the whole database.
    uint32_t shard;  ///< Which slice this is, from 1.
    uint32_t shards; ///< Of how many slices; 1 for a whole database.
    bool chains;     ///< Whether records keep all their subgoals.
    bool coverage;   ///< Whether pairs are chosen to cover the map; else they are random.
    uint64_t seed;
} wm_knn_parameters;

typedef struct wm_knn_record {
    wm_cell start;
    wm_cell goal;
    uint32_t first_subgoal; ///< Index into the subgoals.
    uint32_t subgoal_count; ///< At least 1; exactly 1 without chains.
} wm_knn_record;

/// Records sorted by start, goal and subgoals.
typedef struct wm_knn {
    int32_t width; ///< Of the map.
    int32_t height;
    uint64_t map_hash;
    wm_knn_parameters parameters;
    wm_knn_record* records;
    uint32_t count;
    wm_cell* subgoals; ///< Of all records; with chains each record's last one is its goal.
    uint32_t subgoal_count;
    wm_allocator allocator;
} wm_knn;

void wm_knn_free(wm_knn* knn);

static inline wm_point wm_knn_point(const wm_knn* knn, wm_cell cell)
{
    const uint32_t width = (uint32_t)knn->width;
    return (wm_point){(int32_t)(cell % width), (int32_t)(cell / width)};
}

/// The numbers by which the paper counts the size: starts, goals and subgoals. 3 a record, but for
/// chains.
static inline uint64_t wm_knn_numbers(const wm_knn* knn)
{
    return 2 * (uint64_t)knn->count + knn->subgoal_count;
}

/// Records in shard `shard` of `shards` of `total` records.
uint32_t wm_knn_shard_size(uint32_t total, uint32_t shard, uint32_t shards);
/// Brings records and subgoals into their one stored order. @return WM_OK or WM_ERR_MEMORY
wm_status wm_knn_sort(wm_knn* knn);

/// Whether two sorted databases are the same.
bool wm_knn_equal(const wm_knn* a, const wm_knn* b);

/// Sections of a payload, in stored order; each is packed by itself.
enum {
    WM_KNN_SECTION_HEADER,
    WM_KNN_SECTION_STARTS,
    WM_KNN_SECTION_GOALS,
    WM_KNN_SECTION_DICTIONARY,
    WM_KNN_SECTION_CODES_LOW,
    WM_KNN_SECTION_CODES_HIGH,
    WM_KNN_SECTION_COLUMNS,
    WM_KNN_SECTION_ROWS,
    WM_KNN_SECTIONS
};

/// Appends the unpacked payload of sorted records to `out`. @return WM_OK or WM_ERR_MEMORY
wm_status wm_knn_encode(wm_buffer* out, size_t section_sizes[WM_KNN_SECTIONS], const wm_knn* knn);

/// The front of a payload.
typedef struct wm_knn_header {
    uint64_t map_hash;
    int32_t width;
    int32_t height;
    wm_knn_parameters parameters;
    uint32_t count;
    uint32_t subgoal_count;
    uint32_t dictionary_count;
    uint32_t section_sizes[WM_KNN_SECTIONS];
} wm_knn_header;

/// Reads and checks the front of an unpacked payload. `name` stands for it in errors.
wm_status wm_knn_read_header(wm_knn_header* header, const uint8_t* data, size_t size,
                             const char* name, wm_error* error);
/// Reads an unpacked payload. Whatever the bytes were, every cell that it gives is on the map.
wm_status wm_knn_decode(wm_knn* knn, const uint8_t* data, size_t size,
                        const wm_allocator* allocator, const char* name, wm_error* error);
/// Whether the records are for this map: its hash, open cells only, each record connected.
wm_status wm_knn_check_map(const wm_knn* knn, const wm_grid* grid, const char* name,
                           wm_error* error);
