// SPDX-License-Identifier: MIT
//
// The `.wmdb` container: one SQLite file, any number of maps, one payload per map and method.
// The only module that knows SQLite. docs/format.md has the schema.
#pragma once

#include "format.h"
#include "grid.h"

typedef struct wm_stored_payload {
    wm_method method;
    wm_buffer blob;
} wm_stored_payload;

typedef struct wm_stored_map {
    char* name;
    int32_t width;
    int32_t height;
    wm_diagonal diagonal;
    uint64_t hash;
    wm_stored_payload* payloads; ///< By rising method number.
    size_t payload_count;
    size_t unknown_payloads; ///< Of methods that this version does not know; not kept.
} wm_stored_map;

/// All of a file. Start from {0}.
typedef struct wm_archive {
    wm_stored_map* maps; ///< By name, in byte order.
    size_t count;
    size_t capacity;
} wm_archive;

void wm_archive_free(wm_archive* archive);
/// The map of that name, or NULL.
wm_stored_map* wm_archive_find(const wm_archive* archive, const char* name);
/// Adds a map with nothing but its name, or gives the one that is there; NULL when there is no
/// memory. Moves other maps: pointers to them are no longer valid.
wm_stored_map* wm_archive_put_map(wm_archive* archive, const char* name);
/// The payload of a method, or NULL.
const wm_stored_payload* wm_stored_map_payload(const wm_stored_map* map, wm_method method);
/// Adds or replaces a payload and takes the blob over; false (blob untouched): no memory.
bool wm_stored_map_put_payload(wm_stored_map* map, wm_method method, wm_buffer* blob);
void wm_stored_map_drop_payloads(wm_stored_map* map);

/// Longest name of a map, in bytes.
#define WM_STORE_MAX_NAME 255
/// Whether `name` can be a map's name: 1 to 255 bytes of printable UTF-8.
bool wm_store_name_is_valid(const char* name);

/// Reads a whole file and checks that nothing in it is damaged or missing.
/// @return WM_OK, WM_ERR_NOT_FOUND (no such file), WM_ERR_IO, WM_ERR_FORMAT, WM_ERR_VERSION or
///         WM_ERR_MEMORY
wm_status wm_archive_load(wm_archive* archive, const char* path, wm_error* error);
/// Fills the empty file at `path`, which the caller renames into place.
wm_status wm_archive_save(const wm_archive* archive, const char* path, wm_error* error);

/// Reads what one map has, by its hash and, where given, its name: the runtime's way in.
/// @return as wm_archive_load; WM_ERR_MISMATCH when the name belongs to another map or rule
/// @param other_rule_hash  the map's hash under the other diagonal rule, for the sentence
wm_status wm_store_read_map(wm_stored_map* map, const char* path, uint64_t hash,
                            uint64_t other_rule_hash, const char* name, wm_error* error);
void wm_stored_map_free(wm_stored_map* map);
