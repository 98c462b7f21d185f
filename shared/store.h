// SPDX-License-Identifier: MIT
//
// The `.wmdb` container: one SQLite file, any number of maps, one payload per map and method.
// The only module that knows SQLite. docs/format.md has the schema.
#pragma once

#include "archive.h"

/// Reads a whole file and checks that nothing in it is damaged or missing.
/// @return WM_OK, WM_ERR_NOT_FOUND (no such file), WM_ERR_IO, WM_ERR_FORMAT, WM_ERR_VERSION or
///         WM_ERR_MEMORY
wm_status wm_archive_load(wm_archive* archive, const char* path, wm_error* error);
/// Fills the empty file at `path`, which the caller renames into place.
wm_status wm_archive_save(const wm_archive* archive, const char* path, wm_error* error);

/// Reads what one map has, by its hash and, where given, its name: the runtime's way in.
/// @return as wm_archive_load; WM_ERR_MISMATCH when the name belongs to another map or rule,
///         WM_ERR_NOT_FOUND when the map is there, but not by that name
/// @param other_rule_hash  the map's hash under the other diagonal rule, for the sentence
wm_status wm_store_read_map(wm_stored_map* map, const char* path, uint64_t hash,
                            uint64_t other_rule_hash, const char* name, wm_error* error);
