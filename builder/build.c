// SPDX-License-Identifier: MIT
#include "build.h"

#include <stdio.h>

#include "alloc.h"

#define MAX_PAYLOAD_BYTES ((size_t)2 << 30)

// ---------------------------------------------------------------------------------------------
// Reading a file

static wm_status load_single(wm_archive* archive, const char* path, wm_error* error)
{
    wm_stored_map map;
    wm_status status = wm_single_load(&map, path, error);
    if (status != WM_OK) return status;
    wm_stored_map* place = wm_archive_put_map(archive, map.name);
    if (place == NULL) {
        status = wm_fail_memory(error, sizeof *place);
    } else {
        // The archive has a name of its own.
        char* name = place->name;
        *place = map;
        place->name = map.name;
        map = (wm_stored_map){.name = name};
    }
    wm_stored_map_free(&map);
    return status;
}

wm_status wm_build_load(wm_archive* archive, const char* path, wm_error* error)
{
    bool is_single;
    *archive = (wm_archive){0};
    const wm_status status = wm_single_detect(&is_single, path, error);
    if (status != WM_OK) return status;
    return is_single ? load_single(archive, path, error) : wm_archive_load(archive, path, error);
}

// ---------------------------------------------------------------------------------------------
// Changing a file

// To write a file again without what one does not understand would be to lose it.
static wm_status check_nothing_unknown(const wm_stored_map* map, const char* path, wm_error* error)
{
    if (map->unknown_payloads == 0) return WM_OK;
    return wm_fail(error, WM_ERR_VERSION,
                   "%s holds data of a newer version for \"%s\"; change it with that version, or "
                   "write to another file",
                   path, map->name);
}

wm_status wm_edit_begin(wm_edit* edit, const char* path, wm_error* error)
{
    edit->archive = (wm_archive){0};
    wm_status status = wm_replacement_begin(&edit->replacement, path, error);
    if (status != WM_OK) return status;
    bool is_single;
    status = wm_single_detect(&is_single, path, error);
    if (status == WM_ERR_NOT_FOUND) return WM_OK;
    if (is_single)
        status = wm_fail(error, WM_ERR_FORMAT,
                         "%s is the .wmb file of one map and cannot be added to; write to a .wmdb "
                         "and export it again",
                         path);
    if (status == WM_OK) status = wm_archive_load(&edit->archive, path, error);
    for (size_t i = 0; status == WM_OK && i < edit->archive.count; i++)
        status = check_nothing_unknown(&edit->archive.maps[i], path, error);
    if (status != WM_OK) wm_edit_abandon(edit);
    return status;
}

wm_status wm_edit_commit(wm_edit* edit, wm_error* error)
{
    wm_status status = wm_archive_save(&edit->archive, edit->replacement.temporary, error);
    if (status == WM_OK) status = wm_replacement_commit(&edit->replacement, error);
    wm_edit_abandon(edit);
    return status;
}

void wm_edit_abandon(wm_edit* edit)
{
    wm_archive_free(&edit->archive);
    wm_replacement_abandon(&edit->replacement);
}

// ---------------------------------------------------------------------------------------------
// Maps

wm_status wm_build_make_map(wm_map** map, const wm_grid* grid, wm_error* error)
{
    wm_map_config config = wm_map_config_default();
    config.diagonal = grid->diagonal;
    config.agent_size = grid->agent_size;
    uint8_t* open = wm_alloc(NULL, grid->cell_count, 1);
    if (open == NULL) return wm_fail_memory(error, grid->cell_count);
    wm_grid_cover_cells(grid, open);
    const wm_status status =
        wm_map_create(map, open, grid->width, grid->height, (size_t)grid->width, &config, error);
    wm_release(NULL, open, grid->cell_count, 1);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Payloads in and out of an archive

static size_t drop_other_version(wm_stored_map* map, uint64_t hash)
{
    if (map->hash == hash) return 0;
    const size_t dropped = map->payload_count;
    wm_stored_map_drop_payloads(map);
    return dropped;
}

wm_status wm_build_store_knn(wm_archive* archive, const char* name, wm_diagonal diagonal,
                             const wm_knn* knn, wm_build_report* report, wm_error* error)
{
    wm_buffer blob = {0};
    *report = (wm_build_report){0};
    wm_status status = wm_knn_seal(&blob, &report->content_hash, knn);
    wm_stored_map* map = status == WM_OK ? wm_archive_put_map(archive, name) : NULL;
    if (map != NULL) {
        report->dropped_payloads = drop_other_version(map, knn->map_hash);
        report->stored_bytes = blob.size;
        map->width = knn->width;
        map->height = knn->height;
        map->diagonal = diagonal;
        map->hash = knn->map_hash;
    }
    if (map == NULL || !wm_stored_map_put_payload(map, WM_METHOD_KNN, &blob))
        status = wm_fail_memory(error, knn->count * sizeof *knn->records);
    wm_buffer_free(&blob);
    return status;
}

wm_status wm_build_store_blob(wm_archive* archive, const char* name, const wm_grid* grid,
                              wm_method method, wm_buffer* blob, size_t* dropped_payloads,
                              wm_error* error)
{
    wm_stored_map* map = wm_archive_put_map(archive, name);
    *dropped_payloads = 0;
    if (map == NULL) return wm_fail_memory(error, sizeof *map);
    *dropped_payloads = drop_other_version(map, grid->hash);
    map->width = grid->width;
    map->height = grid->height;
    map->diagonal = grid->diagonal;
    map->hash = grid->hash;
    if (wm_stored_map_put_payload(map, method, blob)) return WM_OK;
    return wm_fail_memory(error, blob->size);
}

static void payload_title(char* title, size_t size, const wm_stored_map* map, wm_method method,
                          const char* path)
{
    snprintf(title, size, "%s: the %s data of \"%s\"", path, wm_method_name(method), map->name);
}

wm_status wm_build_open_payload(wm_buffer* payload, const wm_stored_map* map,
                                const wm_stored_payload* stored, const char* path, wm_error* error)
{
    char title[512];
    payload_title(title, sizeof title, map, stored->method, path);
    return wm_format_open(payload, stored->blob.data, stored->blob.size, stored->method,
                          MAX_PAYLOAD_BYTES, title, error);
}

wm_status wm_build_load_knn(wm_knn* knn, const wm_stored_map* map, const char* path,
                            wm_error* error)
{
    char title[512];
    payload_title(title, sizeof title, map, WM_METHOD_KNN, path);
    const wm_stored_payload* stored = wm_stored_map_payload(map, WM_METHOD_KNN);
    if (stored == NULL)
        return wm_fail(error, WM_ERR_NOT_FOUND, "%s is missing; build it first", title);
    wm_buffer payload = {0};
    wm_status status = wm_build_open_payload(&payload, map, stored, path, error);
    if (status == WM_OK)
        status = wm_knn_decode(knn, payload.data, payload.size, NULL, title, error);
    wm_buffer_free(&payload);
    if (status == WM_OK &&
        (knn->map_hash != map->hash || knn->width != map->width || knn->height != map->height)) {
        wm_knn_free(knn);
        status = wm_fail(error, WM_ERR_FORMAT, "%s is for another map; build it again", title);
    }
    return status;
}

wm_status wm_build_read_choice(wm_choice* choice, const wm_stored_map* map,
                               const wm_buffer* payload, const char* path, wm_error* error)
{
    char title[512];
    payload_title(title, sizeof title, map, WM_METHOD_CHOICE, path);
    const wm_status status = wm_choice_decode(choice, payload->data, payload->size, title, error);
    if (status == WM_OK && choice->map_hash != map->hash)
        return wm_fail(error, WM_ERR_FORMAT, "%s is for another map; choose again, into a new file",
                       title);
    return status;
}

wm_status wm_build_check_map(const wm_stored_map* map, const wm_grid* grid, const char* path,
                             const char* map_path, wm_error* error)
{
    if (map->hash == grid->hash) return WM_OK;
    if (map->diagonal != grid->diagonal)
        return wm_fail(error, WM_ERR_MISMATCH,
                       "%s has \"%s\" with diagonal rule %s, not %s; pass --diagonal %s", path,
                       map->name, wm_diagonal_name(map->diagonal), wm_diagonal_name(grid->diagonal),
                       wm_diagonal_name(map->diagonal));
    const int32_t size = wm_store_agent_size(map->name);
    if (size != grid->agent_size)
        return wm_fail(error, WM_ERR_MISMATCH,
                       "%s has \"%s\" for agents of size %d, not %d; pass --agent-size %d", path,
                       map->name, (int)size, (int)grid->agent_size, (int)size);
    return wm_fail(error, WM_ERR_MISMATCH,
                   "%s was built for another version of \"%s\" than %s; build it again", path,
                   map->name, map_path);
}

// ---------------------------------------------------------------------------------------------
// One map for itself

// What is there already must be the kind of file that is written, or it was named by mistake.
static wm_status check_replaceable(const char* output, wm_error* error)
{
    bool is_single;
    const wm_status status = wm_single_detect(&is_single, output, error);
    if (status == WM_ERR_NOT_FOUND) return WM_OK;
    if (status != WM_OK || is_single) return status;
    return wm_fail(error, WM_ERR_FORMAT,
                   "%s is there and is no .wmb file; remove it or name another file", output);
}

wm_status wm_build_export(const wm_stored_map* map, const char* path, const char* output,
                          size_t* bytes, wm_error* error)
{
    wm_buffer file = {0};
    wm_status status = check_nothing_unknown(map, path, error);
    if (status == WM_OK) status = check_replaceable(output, error);
    if (status != WM_OK) return status;
    if (wm_single_encode(&file, map) != WM_OK)
        status = wm_fail_memory(error, file.size);
    else
        status = wm_file_write(output, file.data, file.size, error);
    *bytes = file.size;
    wm_buffer_free(&file);
    return status;
}
