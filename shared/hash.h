// SPDX-License-Identifier: MIT
//
// FNV-1a with 64 bits: short enough to be written again by anyone who reads our files.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WM_HASH_START UINT64_C(14695981039346656037)

uint64_t wm_hash_bytes(uint64_t hash, const void* bytes, size_t size);
/// Adds the eight bytes of `value`, lowest first.
uint64_t wm_hash_u64(uint64_t hash, uint64_t value);
