// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "alloc.h"
#include "knn_method.h"

static bool same_map(const wm_knn* a, const wm_knn* b)
{
    return a->map_hash == b->map_hash && a->width == b->width && a->height == b->height;
}

static bool same_database(const wm_knn_parameters* a, const wm_knn_parameters* b)
{
    return a->total == b->total && a->shards == b->shards && a->chains == b->chains &&
           a->coverage == b->coverage && a->seed == b->seed;
}

// Every shard once: `shards[i]` in any order.
static wm_status check_complete(const wm_knn* shards, size_t count, const char* name,
                                wm_error* error)
{
    const wm_knn_parameters* first = &shards[0].parameters;
    for (size_t i = 1; i < count; i++) {
        if (!same_map(&shards[0], &shards[i]))
            return wm_fail(error, WM_ERR_MISMATCH,
                           "the shards of \"%s\" were built for different maps; build them alike",
                           name);
        if (!same_database(first, &shards[i].parameters))
            return wm_fail(error, WM_ERR_MISMATCH,
                           "the shards of \"%s\" were built with different options; build them "
                           "alike",
                           name);
        for (size_t j = 0; j < i; j++) {
            if (shards[i].parameters.shard == shards[j].parameters.shard)
                return wm_fail(error, WM_ERR_MISMATCH,
                               "shard %u/%u of \"%s\" is there twice; give every shard once",
                               shards[i].parameters.shard, first->shards, name);
        }
    }
    if (count != first->shards)
        return wm_fail(error, WM_ERR_MISMATCH,
                       "\"%s\" has %zu of %u shards; give all of them to merge", name, count,
                       first->shards);
    return WM_OK;
}

wm_status wm_knn_merge(wm_knn* whole, const wm_knn* shards, size_t count, const char* name,
                       wm_error* error)
{
    *whole = (wm_knn){0};
    const wm_status status = check_complete(shards, count, name, error);
    if (status != WM_OK) return status;
    uint64_t subgoals = 0;
    for (size_t i = 0; i < count; i++) subgoals += shards[i].subgoal_count;
    if (subgoals > UINT32_MAX) return wm_fail_memory(error, SIZE_MAX);
    whole->width = shards[0].width;
    whole->height = shards[0].height;
    whole->map_hash = shards[0].map_hash;
    whole->parameters = shards[0].parameters;
    whole->parameters.shard = 1;
    whole->parameters.shards = 1;
    whole->count = whole->parameters.total;
    whole->subgoal_count = (uint32_t)subgoals;
    whole->records = wm_alloc(NULL, whole->count, sizeof *whole->records);
    whole->subgoals = wm_alloc(NULL, whole->subgoal_count, sizeof *whole->subgoals);
    if (whole->records != NULL && whole->subgoals != NULL) {
        uint32_t record = 0;
        uint32_t subgoal = 0;
        for (size_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < shards[i].count; j++) {
                whole->records[record] = shards[i].records[j];
                whole->records[record++].first_subgoal += subgoal;
            }
            for (uint32_t j = 0; j < shards[i].subgoal_count; j++)
                whole->subgoals[subgoal + j] = shards[i].subgoals[j];
            subgoal += shards[i].subgoal_count;
        }
        if (wm_knn_sort(whole) == WM_OK) return WM_OK;
    }
    wm_knn_free(whole);
    return wm_fail_memory(error, (size_t)subgoals * sizeof(wm_cell));
}
