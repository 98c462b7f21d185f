// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "alloc.h"
#include "build.h"

// The kNN records of one map in all inputs, until they are joined.
typedef struct gathering {
    wm_knn* parts;
    size_t count;
    size_t capacity;
} gathering;

static void free_gathering(gathering* gathered)
{
    for (size_t i = 0; i < gathered->count; i++) wm_knn_free(&gathered->parts[i]);
    free(gathered->parts);
    *gathered = (gathering){0};
}

static wm_status gather(gathering* gathered, const wm_stored_map* map, const char* path,
                        wm_error* error)
{
    wm_knn* grown =
        wm_grow(gathered->parts, &gathered->capacity, gathered->count + 1, sizeof *grown);
    if (grown == NULL) return wm_fail_memory(error, sizeof *grown);
    gathered->parts = grown;
    const wm_status status = wm_build_load_knn(&grown[gathered->count], map, path, error);
    if (status == WM_OK) gathered->count++;
    return status;
}

static wm_status fail_contradiction(const char* name, const char* path, wm_error* error)
{
    return wm_fail(error, WM_ERR_MISMATCH,
                   "%s has another map under the name \"%s\"; build one of them with another "
                   "--name",
                   path, name);
}

// Whole databases of one map may come from several inputs if they are the same.
static wm_status check_same(const gathering* gathered, const char* name, wm_error* error)
{
    for (size_t i = 1; i < gathered->count; i++) {
        if (!wm_knn_equal(&gathered->parts[0], &gathered->parts[i]))
            return wm_fail(error, WM_ERR_MISMATCH,
                           "the inputs have different knn data for \"%s\"; leave one out", name);
    }
    return WM_OK;
}

static wm_status join(wm_archive* merged, const wm_stored_map* map, const gathering* gathered,
                      wm_error* error)
{
    wm_build_report report;
    if (gathered->parts[0].parameters.shards == 1) {
        const wm_status status = check_same(gathered, map->name, error);
        if (status != WM_OK) return status;
        return wm_build_store_knn(merged, map->name, map->diagonal, &gathered->parts[0], &report,
                                  error);
    }
    wm_knn whole;
    wm_status status = wm_knn_merge(&whole, gathered->parts, gathered->count, map->name, error);
    if (status == WM_OK)
        status = wm_build_store_knn(merged, map->name, map->diagonal, &whole, &report, error);
    wm_knn_free(&whole);
    return status;
}

// Blobs are compared by the checksum of their content: how zstd packed it does not matter.
static bool same_content(const wm_buffer* a, const wm_buffer* b)
{
    return wm_format_checksum(a->data, a->size) == wm_format_checksum(b->data, b->size);
}

// Payloads that have no shards: all inputs that have one must have the same.
static wm_status take_others(wm_archive* merged, const wm_stored_map* map, const char* path,
                             wm_error* error)
{
    for (size_t i = 0; i < map->payload_count; i++) {
        const wm_stored_payload* payload = &map->payloads[i];
        if (payload->method == WM_METHOD_KNN) continue;
        wm_stored_map* to = wm_archive_put_map(merged, map->name);
        wm_buffer copy = {0};
        wm_put_bytes(&copy, payload->blob.data, payload->blob.size);
        if (to == NULL || copy.failed) {
            wm_buffer_free(&copy);
            return wm_fail_memory(error, payload->blob.size);
        }
        const wm_stored_payload* there = wm_stored_map_payload(to, payload->method);
        if (there != NULL && !same_content(&there->blob, &copy)) {
            wm_buffer_free(&copy);
            return wm_fail(error, WM_ERR_MISMATCH,
                           "%s has other %s data for \"%s\" than an input before it; leave one out",
                           path, wm_method_name(payload->method), map->name);
        }
        to->width = map->width;
        to->height = map->height;
        to->diagonal = map->diagonal;
        to->hash = map->hash;
        if (!wm_stored_map_put_payload(to, payload->method, &copy)) {
            wm_buffer_free(&copy);
            return wm_fail_memory(error, payload->blob.size);
        }
    }
    return WM_OK;
}

// Joins what all inputs have for `map`, which first appears in input `first`.
static wm_status merge_map(wm_archive* merged, const wm_merge_input* inputs, size_t count,
                           size_t first, const wm_stored_map* map, wm_error* error)
{
    gathering gathered = {0};
    wm_status status = WM_OK;
    for (size_t i = first; i < count && status == WM_OK; i++) {
        const wm_stored_map* other = wm_archive_find(&inputs[i].archive, map->name);
        if (other == NULL) continue;
        if (other->hash != map->hash)
            status = fail_contradiction(map->name, inputs[i].path, error);
        else if (wm_stored_map_payload(other, WM_METHOD_KNN) != NULL)
            status = gather(&gathered, other, inputs[i].path, error);
        if (status == WM_OK) status = take_others(merged, other, inputs[i].path, error);
    }
    if (status == WM_OK && gathered.count > 0) status = join(merged, map, &gathered, error);
    free_gathering(&gathered);
    return status;
}

static bool seen_before(const wm_merge_input* inputs, size_t index, const char* name)
{
    for (size_t i = 0; i < index; i++) {
        if (wm_archive_find(&inputs[i].archive, name) != NULL) return true;
    }
    return false;
}

// Moves the payloads of `merged` into the archive, whose other content stays.
static wm_status hand_over(wm_archive* archive, wm_archive* merged, wm_error* error)
{
    for (size_t i = 0; i < merged->count; i++) {
        wm_stored_map* from = &merged->maps[i];
        wm_stored_map* to = wm_archive_find(archive, from->name);
        if (to != NULL && to->hash != from->hash)
            return fail_contradiction(from->name, "the output file", error);
        to = wm_archive_put_map(archive, from->name);
        if (to == NULL) return wm_fail_memory(error, sizeof *to);
        to->width = from->width;
        to->height = from->height;
        to->diagonal = from->diagonal;
        to->hash = from->hash;
        for (size_t j = 0; j < from->payload_count; j++) {
            wm_stored_payload* payload = &from->payloads[j];
            const wm_stored_payload* there = wm_stored_map_payload(to, payload->method);
            if (there != NULL && !same_content(&there->blob, &payload->blob))
                return wm_fail(error, WM_ERR_MISMATCH,
                               "the output file has other %s data for \"%s\"; merge into a new "
                               "file",
                               wm_method_name(payload->method), from->name);
            if (!wm_stored_map_put_payload(to, payload->method, &payload->blob))
                return wm_fail_memory(error, payload->blob.size);
        }
    }
    return WM_OK;
}

wm_status wm_build_merge(wm_archive* archive, const wm_merge_input* inputs, size_t count,
                         wm_error* error)
{
    wm_archive merged = {0};
    wm_status status = WM_OK;
    for (size_t i = 0; i < count && status == WM_OK; i++) {
        for (size_t j = 0; j < inputs[i].archive.count && status == WM_OK; j++) {
            const wm_stored_map* map = &inputs[i].archive.maps[j];
            if (!seen_before(inputs, i, map->name))
                status = merge_map(&merged, inputs, count, i, map, error);
        }
    }
    if (status == WM_OK) status = hand_over(archive, &merged, error);
    wm_archive_free(&merged);
    return status;
}
