// SPDX-License-Identifier: MIT
//
// The `.wmb` file: one map's data as plain bytes, to be read without SQLite, from a file or from
// memory. docs/format.md has the bytes.
#pragma once

#include "archive.h"

#define WM_SINGLE_MAJOR 1
#define WM_SINGLE_MINOR 0
/// Bytes that tell such a file from others: its magic.
#define WM_SINGLE_MAGIC_SIZE 4
/// No file is longer.
#define WM_SINGLE_MAX_BYTES ((size_t)512 << 20)

/// Whether `size` bytes begin like a `.wmb` file. The magic is enough of it.
bool wm_single_begins(const void* bytes, size_t size);
/// Appends a file with all that `map` has. @return WM_OK or WM_ERR_MEMORY
wm_status wm_single_encode(wm_buffer* out, const wm_stored_map* map);
/// Reads a whole file from memory and checks that nothing in it is damaged or missing. `name` stands
/// for it in errors.
/// @return WM_OK, WM_ERR_FORMAT, WM_ERR_VERSION or WM_ERR_MEMORY
wm_status wm_single_decode(wm_stored_map* map, const void* bytes, size_t size, const char* name,
                           wm_error* error);
/// Whether the file at `path` is a `.wmb`. @return as wm_file_read
wm_status wm_single_detect(bool* is_single, const char* path, wm_error* error);
/// Reads the file at `path`. @return as wm_file_read and wm_single_decode
wm_status wm_single_load(wm_stored_map* map, const char* path, wm_error* error);
