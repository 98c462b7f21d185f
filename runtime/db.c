// SPDX-License-Identifier: MIT
//
// Everything is read, checked and unpacked here, and the file closed: agents trust what they find.
#include <stdio.h>

#include "alloc.h"
#include "internal.h"
#include "store.h"

#define DEFAULT_MAX_BYTES ((size_t)256 << 20)

wm_db_config wm_db_config_default(void)
{
    return (wm_db_config){.size = sizeof(wm_db_config), .max_bytes = DEFAULT_MAX_BYTES};
}

static wm_status load_knn(wm_db* db, const wm_stored_map* stored, const char* path,
                          size_t max_bytes, wm_error* error)
{
    const wm_stored_payload* stored_knn = wm_stored_map_payload(stored, WM_METHOD_KNN);
    if (stored_knn == NULL) return WM_OK;
    char name[512];
    snprintf(name, sizeof name, "%s: the knn data of \"%s\"", path, stored->name);
    wm_buffer payload = {0};
    wm_status status = wm_format_open(&payload, stored_knn->blob.data, stored_knn->blob.size,
                                      WM_METHOD_KNN, max_bytes, name, error);
    if (status == WM_OK)
        status = wm_knn_decode(&db->knn, payload.data, payload.size, &db->allocator, name, error);
    wm_buffer_free(&payload);
    if (status == WM_OK) status = wm_knn_check_map(&db->knn, &db->map->grid, name, error);
    if (status != WM_OK) return status;
    db->stored_bytes += stored_knn->blob.size;
    db->has_knn = true;
    return wm_knn_index_create(&db->knn_index, &db->knn, &db->map->grid, &db->allocator, error);
}

wm_status wm_db_open(wm_db** out, const wm_map* map, const char* path, const wm_db_config* config,
                     wm_error* error)
{
    if (out == NULL || map == NULL || path == NULL)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "wm_db_open needs a place for the database, a map and a path");
    *out = NULL;
    if (config == NULL || config->size != sizeof *config)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "the database's config was not made by wm_db_config_default()");
    wm_stored_map stored = {0};
    wm_db* db = wm_alloc(&config->allocator, 1, sizeof *db);
    if (db == NULL) return wm_fail_memory(error, sizeof *db);
    db->map = map;
    db->allocator = config->allocator;
    wm_status status =
        wm_store_read_map(&stored, path, map->grid.hash, map->grid.diagonal, config->name, error);
    if (status != WM_OK) goto cleanup;
    status = load_knn(db, &stored, path, config->max_bytes, error);
    if (status != WM_OK) goto cleanup;

    *out = db; // the caller owns it now
    db = NULL;
cleanup:
    wm_db_close(db);
    wm_stored_map_free(&stored);
    return status;
}

void wm_db_close(wm_db* db)
{
    if (db == NULL) return;
    const wm_allocator allocator = db->allocator;
    wm_knn_index_free(&db->knn_index);
    wm_knn_free(&db->knn);
    wm_release(&allocator, db, 1, sizeof *db);
}

size_t wm_db_stored_bytes(const wm_db* db)
{
    return db->stored_bytes;
}
