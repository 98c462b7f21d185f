// SPDX-License-Identifier: MIT
#include "knn.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"

void wm_knn_free(wm_knn* knn)
{
    const wm_allocator allocator = knn->allocator;
    wm_release(&allocator, knn->records, knn->count, sizeof *knn->records);
    wm_release(&allocator, knn->subgoals, knn->subgoal_count, sizeof *knn->subgoals);
    *knn = (wm_knn){0};
}

uint32_t wm_knn_shard_size(uint32_t total, uint32_t shard, uint32_t shards)
{
    // Shard i holds the records n with n mod shards = i - 1.
    return total / shards + (shard <= total % shards);
}

// A record with what qsort cannot reach.
typedef struct sortable {
    wm_knn_record record;
    const wm_cell* subgoals;
} sortable;

static int compare_cells(wm_cell a, wm_cell b)
{
    return (a > b) - (a < b);
}

// Records that compare equal are equal in every byte, so their order does not matter.
static int compare_records(const void* left, const void* right)
{
    const sortable* a = left;
    const sortable* b = right;
    int order = compare_cells(a->record.start, b->record.start);
    if (order == 0) order = compare_cells(a->record.goal, b->record.goal);
    const uint32_t counts[2] = {a->record.subgoal_count, b->record.subgoal_count};
    for (uint32_t i = 0; order == 0 && i < counts[0] && i < counts[1]; i++)
        order = compare_cells(a->subgoals[i], b->subgoals[i]);
    return order != 0 ? order : compare_cells(counts[0], counts[1]);
}

wm_status wm_knn_sort(wm_knn* knn)
{
    sortable* sorted = wm_alloc(NULL, knn->count, sizeof *sorted);
    wm_cell* subgoals = wm_alloc(&knn->allocator, knn->subgoal_count, sizeof *subgoals);
    if (sorted == NULL || subgoals == NULL) {
        wm_release(NULL, sorted, knn->count, sizeof *sorted);
        wm_release(&knn->allocator, subgoals, knn->subgoal_count, sizeof *subgoals);
        return WM_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < knn->count; i++)
        sorted[i] = (sortable){knn->records[i], knn->subgoals + knn->records[i].first_subgoal};
    qsort(sorted, knn->count, sizeof *sorted, compare_records);

    uint32_t at = 0;
    for (uint32_t i = 0; i < knn->count; i++) {
        wm_knn_record* record = &knn->records[i];
        *record = sorted[i].record;
        memcpy(subgoals + at, sorted[i].subgoals, record->subgoal_count * sizeof *subgoals);
        record->first_subgoal = at;
        at += record->subgoal_count;
    }
    wm_release(&knn->allocator, knn->subgoals, knn->subgoal_count, sizeof *subgoals);
    knn->subgoals = subgoals;
    wm_release(NULL, sorted, knn->count, sizeof *sorted);
    return WM_OK;
}

bool wm_knn_equal(const wm_knn* a, const wm_knn* b)
{
    const wm_knn_parameters* p = &a->parameters;
    const wm_knn_parameters* q = &b->parameters;
    if (a->map_hash != b->map_hash || p->total != q->total || p->shard != q->shard ||
        p->shards != q->shards || p->chains != q->chains || p->coverage != q->coverage ||
        p->seed != q->seed || a->count != b->count || a->subgoal_count != b->subgoal_count)
        return false;
    return memcmp(a->records, b->records, a->count * sizeof *a->records) == 0 &&
           memcmp(a->subgoals, b->subgoals, a->subgoal_count * sizeof *a->subgoals) == 0;
}
