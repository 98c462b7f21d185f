// SPDX-License-Identifier: MIT
//
// Everything is read, checked and unpacked here, and the file closed: agents trust what they find.
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "internal.h"
#include "region_query.h"
#include "single.h"
#include "store.h"
#include "text.h"

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

// A choice is advice: one that is damaged, of another version, for another map or as large as no choice
// is takes nothing else away, and `auto` does without it.
static bool can_do_without(const wm_stored_payload* payload, wm_status status, size_t max_bytes)
{
    const bool is_large =
        wm_format_unpacked_size(payload->blob.data, payload->blob.size) > max_bytes;
    return payload->method == WM_METHOD_CHOICE && (status != WM_ERR_MEMORY || is_large);
}

static wm_status load_payloads(wm_db* db, const wm_stored_map* stored, const char* path,
                               size_t max_bytes, wm_error* error)
{
    wm_status status = WM_OK;
    for (size_t i = 0; i < stored->payload_count && status == WM_OK; i++) {
        const wm_stored_payload* payload = &stored->payloads[i];
        char name[512];
        wm_error found = {""};
        snprintf(name, sizeof name, "%s: the %s data of \"%s\"", path,
                 wm_method_name(payload->method), stored->name);
        status = load_payload(db, payload->method, payload->blob.data, payload->blob.size,
                              max_bytes, name, &found);
        if (status == WM_OK) continue;
        if (can_do_without(payload, status, max_bytes))
            status = WM_OK;
        else
            wm_fail(error, status, "%s", found.message);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Opening

// Gives a database without data, or says why not. `call` is the function that was called.
static wm_status prepare(wm_db** db, const wm_map* map, const wm_db_config* config,
                         const char* call, wm_error* error)
{
    if (config == NULL || config->size != sizeof *config)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "the config that %s got was not made by wm_db_config_default()", call);
    const wm_status status = wm_check_allocator(&config->allocator, error);
    if (status != WM_OK) return status;
    if (map->grid.revision != 0)
        return wm_fail(error, WM_ERR_MISMATCH,
                       "the map was edited, so no database is for it as it is now; open them "
                       "before the first edit");
    *db = wm_alloc(&config->allocator, 1, sizeof **db);
    if (*db == NULL) return wm_fail_memory(error, sizeof **db);
    (*db)->map = map;
    (*db)->allocator = config->allocator;
    return WM_OK;
}

static wm_status hand_over(wm_db** out, wm_db* db, wm_status status)
{
    if (status == WM_OK)
        *out = db; // the caller owns it now
    else
        wm_db_close(db);
    return status;
}

// A map's name in files, with what stands for the size of its agents.
typedef struct full_name {
    char text[WM_STORE_MAX_NAME + 3];
} full_name;

// A name that no map can have is in no file. Who passes on what players type need not look at it: it is
// told in a short line.
static wm_status check_name(const char* name, wm_error* error)
{
    if (name == NULL || wm_store_name_is_valid(name)) return WM_OK;
    return wm_fail(error, WM_ERR_NOT_FOUND,
                   "no map can have the name \"%s\": names are 1 to %d bytes of UTF-8 without "
                   "control characters",
                   wm_text_quote((wm_text){name, strlen(name)}).text, WM_STORE_MAX_NAME);
}

// A plain name means the size of the map. Names that tell one stay.
static const char* complete_name(full_name* full, const char* name, int32_t agent_size)
{
    if (name == NULL || wm_store_agent_size(name) > 1) return name;
    memcpy(full->text, name, strlen(name) + 1);
    wm_store_name_for(full->text, sizeof full->text, agent_size);
    return full->text;
}

static wm_status check_single(const wm_stored_map* stored, const wm_grid* grid, const char* path,
                              const char* name, wm_error* error)
{
    const wm_status status = wm_stored_map_compare(stored, grid, path, error);
    if (status != WM_OK || name == NULL || strcmp(name, stored->name) == 0) return status;
    return wm_stored_map_fail_name(stored, path, name, error);
}

static wm_status read_stored(wm_stored_map* stored, const wm_grid* grid, const char* path,
                             const char* name, wm_error* error)
{
    bool is_single;
    const wm_diagonal other_rule =
        grid->diagonal == WM_DIAGONAL_NONE ? WM_DIAGONAL_SQUEEZE : WM_DIAGONAL_NONE;
    wm_status status = wm_single_detect(&is_single, path, error);
    if (status != WM_OK) return status;
    if (!is_single)
        return wm_store_read_map(stored, path, grid->hash, wm_grid_hash(grid, other_rule), name,
                                 error);
    status = wm_single_load(stored, path, error);
    return status == WM_OK ? check_single(stored, grid, path, name, error) : status;
}

wm_status wm_db_open(wm_db** out, const wm_map* map, const char* path, const wm_db_config* config,
                     wm_error* error)
{
    if (out != NULL) *out = NULL;
    if (out == NULL || map == NULL || path == NULL)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "wm_db_open needs a place for the database, a map and a path");
    wm_db* db;
    wm_stored_map stored = {0};
    wm_status status = prepare(&db, map, config, "wm_db_open", error);
    if (status != WM_OK) return status;
    status = check_name(config->name, error);
    if (status != WM_OK) return hand_over(out, db, status);
    full_name full;
    const char* name = complete_name(&full, config->name, map->grid.agent_size);
    status = read_stored(&stored, &map->grid, path, name, error);
    if (status == WM_OK) status = load_payloads(db, &stored, path, config->max_bytes, error);
    wm_stored_map_free(&stored);
    return hand_over(out, db, status);
}

static wm_status load_bytes(wm_db* db, const void* bytes, size_t size, size_t max_bytes,
                            wm_error* error)
{
    static const char file[] = "the .wmb file in memory";
    static const char payload[] = "the payload";
    if (!wm_single_begins(bytes, size)) {
        wm_method method;
        const wm_status status = wm_format_method(&method, bytes, size, payload, error);
        if (status != WM_OK) return status;
        return load_payload(db, method, bytes, size, max_bytes, payload, error);
    }
    wm_stored_map stored = {0};
    wm_status status = wm_single_decode(&stored, bytes, size, file, error);
    if (status == WM_OK) status = wm_stored_map_compare(&stored, &db->map->grid, file, error);
    if (status == WM_OK) status = load_payloads(db, &stored, file, max_bytes, error);
    wm_stored_map_free(&stored);
    return status;
}

wm_status wm_db_open_memory(wm_db** out, const wm_map* map, const void* bytes, size_t size,
                            const wm_db_config* config, wm_error* error)
{
    if (out != NULL) *out = NULL;
    if (out == NULL || map == NULL || bytes == NULL)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "wm_db_open_memory needs a place for the database, a map and bytes");
    wm_db* db;
    wm_status status = prepare(&db, map, config, "wm_db_open_memory", error);
    if (status != WM_OK) return status;
    status = load_bytes(db, bytes, size, config->max_bytes, error);
    return hand_over(out, db, status);
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
    return db == NULL ? 0 : db->stored_bytes;
}

bool wm_db_has(const wm_db* db, const char* method)
{
    wm_method number;
    if (db == NULL || method == NULL || !wm_method_from_name(&number, method)) return false;
    switch (number) {
    case WM_METHOD_KNN: return db->has_knn;
    case WM_METHOD_REGIONS: return db->has_regions;
    case WM_METHOD_D_LRTA: return db->has_d_lrta;
    case WM_METHOD_CHOICE: return db->has_choice;
    }
    return false;
}

wm_status wm_db_subgoal(const wm_db* db, wm_point from, wm_point goal, wm_point* subgoal)
{
    if (subgoal != NULL) *subgoal = from;
    if (db == NULL || subgoal == NULL) return WM_ERR_ARGUMENT;
    const wm_grid* grid = &db->map->grid;
    if (!wm_grid_contains(grid, from) || !wm_grid_contains(grid, goal)) return WM_ERR_ARGUMENT;
    const wm_cell a = wm_grid_cell(grid, from);
    const wm_cell b = wm_grid_cell(grid, goal);
    uint64_t states = 0;
    if (!db->has_regions) return WM_ERR_NOT_FOUND;
    if (grid->revision != 0) return WM_ERR_MISMATCH;
    if (!wm_grid_is_open(grid, a) || !wm_grid_is_open(grid, b)) return WM_ERR_BLOCKED;
    if (a == b) return WM_ARRIVED;
    if (!wm_grid_connected(grid, a, b)) return WM_NO_PATH;
    *subgoal = wm_grid_point(grid, wm_region_subgoal(&db->region_map, a, b, &states));
    return WM_OK;
}
