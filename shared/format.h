// SPDX-License-Identifier: MIT
//
// The envelope of every payload: a fixed header, then zstd frames. docs/format.md has the bytes.
#pragma once

#include "bytes.h"

#define WM_FORMAT_MINOR 0

/// What a payload is for. The numbers are in files: they never change.
typedef enum wm_method {
    WM_METHOD_KNN = 1,
    WM_METHOD_REGIONS = 2,
    WM_METHOD_D_LRTA = 3,
    WM_METHOD_CHOICE = 4,
} wm_method;

/// "knn", "regions", "d-lrta" or "choice", or NULL for a number that is no method.
const char* wm_method_name(wm_method method);
/// The major version of a method's payloads; others are refused.
unsigned wm_method_version(wm_method method);
/// False when no method has this name.
bool wm_method_from_name(wm_method* method, const char* name);

/// Packs a payload. Its `section_count` sections follow each other in `payload`; their sizes add
/// up to its size.
wm_status wm_format_seal(wm_buffer* blob, wm_method method, const wm_buffer* payload,
                         const size_t* section_sizes, size_t section_count);

/// Checks a blob and unpacks it. `name` stands for the payload in errors.
/// @param max_bytes  refuse to unpack more than this
/// @return WM_OK, WM_ERR_FORMAT, WM_ERR_VERSION or WM_ERR_MEMORY (also: more than `max_bytes`)
wm_status wm_format_open(wm_buffer* payload, const uint8_t* blob, size_t blob_size,
                         wm_method method, size_t max_bytes, const char* name, wm_error* error);
/// The unpacked size as a blob's header tells it, unchecked; 0 where there is no header.
uint64_t wm_format_unpacked_size(const uint8_t* blob, size_t blob_size);
/// The content hash as a blob's header tells it, unchecked; 0 where there is no header.
uint64_t wm_format_checksum(const uint8_t* blob, size_t blob_size);
/// The method that a blob's header names.
wm_status wm_format_method(wm_method* method, const uint8_t* blob, size_t blob_size,
                           const char* name, wm_error* error);
/// The hash of a payload's unpacked bytes, by which builds are compared.
uint64_t wm_format_content_hash(const wm_buffer* payload);
