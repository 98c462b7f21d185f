// SPDX-License-Identifier: MIT
//
// What database files hold, in memory: maps by name, and a payload per method for each.
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

void wm_stored_map_free(wm_stored_map* map);
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

/// Why a stored map is not the map of `grid`: its diagonal rule, the size of the agents that it is
/// seen by, or its cells are others. `path` is the file. @return WM_OK where it is, else WM_ERR_MISMATCH
wm_status wm_stored_map_compare(const wm_stored_map* map, const wm_grid* grid, const char* path,
                                wm_error* error);

/// That a stored map is the one asked for, but not by that name. @return WM_ERR_NOT_FOUND
wm_status wm_stored_map_fail_name(const wm_stored_map* map, const char* path, const char* name,
                                  wm_error* error);

/// Data for agents of 2 x 2 or 3 x 3 cells stands under the map's name with this and the size.
#define WM_STORE_SIZE_MARK '@'
/// The size of agents that a map's name in a file tells; 1 where it tells none.
int32_t wm_store_agent_size(const char* name);
/// Whether two names in a file are those of one map, for whatever size of agents.
bool wm_store_same_name(const char* a, const char* b);
/// Adds what a name in a file has for agents of that size; false where there is no room for it.
bool wm_store_name_for(char* name, size_t capacity, int32_t agent_size);
/// Longest name of a map, in bytes.
#define WM_STORE_MAX_NAME 255
/// Whether `name` can be a map's name: 1 to 255 bytes of printable UTF-8.
bool wm_store_name_is_valid(const char* name);
