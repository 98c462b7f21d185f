// SPDX-License-Identifier: MIT
//
// The offline pipeline as a library: the program, the tests and the benchmark all call it.
#pragma once

#include "files.h"
#include "methods/d_lrta_method.h"
#include "methods/knn_method.h"
#include "methods/regions_method.h"
#include "select.h"
#include "single.h"
#include "store.h"

/// Reads all of a database file, a `.wmdb` or the `.wmb` of one map. @return as wm_archive_load
wm_status wm_build_load(wm_archive* archive, const char* path, wm_error* error);

/// A database file being changed. The file itself is untouched until the commit.
typedef struct wm_edit {
    wm_archive archive; ///< What the file holds and will hold.
    wm_replacement replacement;
} wm_edit;

/// Locks the file against other writers and reads what it holds; a file that is not there yet is
/// an empty one, a file that is not a Waymark database is refused.
wm_status wm_edit_begin(wm_edit* edit, const char* path, wm_error* error);
/// Writes the archive in the file's place, whole or not at all, and ends the edit.
wm_status wm_edit_commit(wm_edit* edit, wm_error* error);
/// Ends the edit without a trace. Does nothing after a commit.
void wm_edit_abandon(wm_edit* edit);

/// The grid as a game has it, to walk agents on; wm_map_unload() it.
wm_status wm_build_make_map(wm_map** map, const wm_grid* grid, wm_error* error);

/// What a build did.
typedef struct wm_build_report {
    size_t dropped_payloads; ///< Of an older version of the map.
    size_t stored_bytes;
    uint64_t content_hash;
} wm_build_report;

/// Encodes records and stores them under the map's name. If the map is not the one that the
/// archive has under that name, the payloads of the old one are dropped.
wm_status wm_build_store_knn(wm_archive* archive, const char* name, wm_diagonal diagonal,
                             const wm_knn* knn, wm_build_report* report, wm_error* error);

/// Stores a finished payload of a map under its name; takes the blob over. Drops as above.
wm_status wm_build_store_blob(wm_archive* archive, const char* name, const wm_grid* grid,
                              wm_method method, wm_buffer* blob, size_t* dropped_payloads,
                              wm_error* error);

/// Unpacks a stored payload; `path` and the map's name stand for it in errors.
wm_status wm_build_open_payload(wm_buffer* payload, const wm_stored_map* map,
                                const wm_stored_payload* stored, const char* path, wm_error* error);
/// Reads the kNN records of a map. @return WM_ERR_NOT_FOUND when it has none
wm_status wm_build_load_knn(wm_knn* knn, const wm_stored_map* map, const char* path,
                            wm_error* error);
/// Reads the unpacked choice of a map.
wm_status wm_build_read_choice(wm_choice* choice, const wm_stored_map* map,
                               const wm_buffer* payload, const char* path, wm_error* error);
/// Checks that a stored map is the map that was read from `map_path`.
wm_status wm_build_check_map(const wm_stored_map* map, const wm_grid* grid, const char* path,
                             const char* map_path, wm_error* error);

/// Writes what a file has of one map into a `.wmb` file, `*bytes` long. An older `.wmb` is replaced;
/// any other file is left alone. `path` stands for the file that the map comes from in errors.
wm_status wm_build_export(const wm_stored_map* map, const char* path, const char* output,
                          size_t* bytes, wm_error* error);

/// One input of a merge.
typedef struct wm_merge_input {
    const char* path;
    wm_archive archive;
} wm_merge_input;

/// Adds the maps of all inputs to the archive; shards are joined. Inputs that contradict each
/// other or the archive, and incomplete shards, are refused.
wm_status wm_build_merge(wm_archive* archive, const wm_merge_input* inputs, size_t count,
                         wm_error* error);
