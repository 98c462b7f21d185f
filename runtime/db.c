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

static wm_status load_knn(wm_db* db, const wm_buffer* payload, const char* name, wm_error* error)
{
    wm_status status =
        wm_knn_decode(&db->knn, payload->data, payload->size, &db->allocator, name, error);
    if (status == WM_OK) status = wm_knn_check_map(&db->knn, &db->map->grid, name, error);
    if (status == WM_OK)
        status =
            wm_knn_index_create(&db->knn_index, &db->knn, &db->map->grid, &db->allocator, error);
    db->has_knn = status == WM_OK;
    return status;
}

static wm_status load_regions(wm_db* db, const wm_buffer* payload, const char* name,
                              wm_error* error)
{
    const wm_status status = wm_region_map_create(&db->region_map, &db->map->grid, payload->data,
                                                  payload->size, &db->allocator, name, error);
    db->has_regions = status == WM_OK;
    return status;
}

static wm_status load_d_lrta(wm_db* db, const wm_buffer* payload, const char* name, wm_error* error)
{
    const wm_status status = wm_d_lrta_decode(&db->d_lrta, &db->map->grid, payload->data,
                                              payload->size, &db->allocator, name, error);
    db->has_d_lrta = status == WM_OK;
    return status;
}

static wm_status load_choice(wm_db* db, const wm_buffer* payload, const char* name, wm_error* error)
{
    const wm_status status =
        wm_choice_decode(&db->choice, payload->data, payload->size, name, error);
    if (status != WM_OK) return status;
    if (db->choice.map_hash != db->map->grid.hash)
        return wm_fail(error, WM_ERR_MISMATCH,
                       "%s is for another map; choose again, into a new file", name);
    db->has_choice = true;
    return WM_OK;
}

static wm_status load_payload(wm_db* db, wm_method method, const uint8_t* blob, size_t size,
                              size_t max_bytes, const char* name, wm_error* error)
{
    wm_buffer payload = {0};
    wm_status status = wm_format_open(&payload, blob, size, method, max_bytes, name, error);
    if (status == WM_OK && method == WM_METHOD_KNN) status = load_knn(db, &payload, name, error);
    if (status == WM_OK && method == WM_METHOD_REGIONS)
        status = load_regions(db, &payload, name, error);
    if (status == WM_OK && method == WM_METHOD_D_LRTA)
        status = load_d_lrta(db, &payload, name, error);
    if (status == WM_OK && method == WM_METHOD_CHOICE)
        status = load_choice(db, &payload, name, error);
    if (status == WM_OK) db->stored_bytes += size;
    wm_buffer_free(&payload);
    return status;
}

static wm_status load_payloads(wm_db* db, const wm_stored_map* stored, const char* path,
                               size_t max_bytes, wm_error* error)
{
    wm_status status = WM_OK;
    for (size_t i = 0; i < stored->payload_count && status == WM_OK; i++) {
        const wm_stored_payload* payload = &stored->payloads[i];
        char name[512];
        snprintf(name, sizeof name, "%s: the %s data of \"%s\"", path,
                 wm_method_name(payload->method), stored->name);
        status = load_payload(db, payload->method, payload->blob.data, payload->blob.size,
                              max_bytes, name, error);
    }
    return status;
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
    db->revision = map->grid.revision;
    db->allocator = config->allocator;
    const wm_diagonal other_rule =
        map->grid.diagonal == WM_DIAGONAL_NONE ? WM_DIAGONAL_SQUEEZE : WM_DIAGONAL_NONE;
    wm_status status = wm_store_read_map(&stored, path, map->grid.hash,
                                         wm_grid_hash(&map->grid, other_rule), config->name, error);
    if (status != WM_OK) goto cleanup;
    status = load_payloads(db, &stored, path, config->max_bytes, error);
    if (status != WM_OK) goto cleanup;

    *out = db; // the caller owns it now
    db = NULL;
cleanup:
    wm_db_close(db);
    wm_stored_map_free(&stored);
    return status;
}

wm_status wm_db_open_payload(wm_db** out, const wm_map* map, const void* blob, size_t size,
                             const wm_db_config* config, wm_error* error)
{
    if (out == NULL || map == NULL || blob == NULL || config == NULL ||
        config->size != sizeof *config)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "wm_db_open_payload needs a place for the database, a map, bytes and a "
                       "config made by wm_db_config_default()");
    *out = NULL;
    wm_method method;
    wm_status status = wm_format_method(&method, blob, size, "the payload", error);
    if (status != WM_OK) return status;
    wm_db* db = wm_alloc(&config->allocator, 1, sizeof *db);
    if (db == NULL) return wm_fail_memory(error, sizeof *db);
    db->map = map;
    db->revision = map->grid.revision;
    db->allocator = config->allocator;
    status = load_payload(db, method, blob, size, config->max_bytes, "the payload", error);
    if (status == WM_OK)
        *out = db;
    else
        wm_db_close(db);
    return status;
}

void wm_db_close(wm_db* db)
{
    if (db == NULL) return;
    const wm_allocator allocator = db->allocator;
    wm_d_lrta_free(&db->d_lrta);
    wm_region_map_free(&db->region_map);
    wm_knn_index_free(&db->knn_index);
    wm_knn_free(&db->knn);
    wm_release(&allocator, db, 1, sizeof *db);
}

size_t wm_db_stored_bytes(const wm_db* db)
{
    return db->stored_bytes;
}
