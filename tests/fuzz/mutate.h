// SPDX-License-Identifier: MIT
//
// Changes behind checksums, for libFuzzer: only there is LLVMFuzzerMutate().
#pragma once

#include "fuzz.h"
#include "rng.h"

/// Unpacks a blob, changes its payload and packs it again. Where that cannot be done, or what comes
/// of it has more than `max_size` bytes, the blob stays as it is.
void mutate_blob(wm_buffer* blob, size_t max_size);
/// Changes one payload of a map, or what the map says of itself.
void mutate_stored_map(wm_stored_map* map, wm_rng* rng, size_t max_size);
/// Copies what fits in `max_size` bytes into `data`; leaves it alone where it does not.
/// @return the size of what is in `data` then
size_t mutate_take(uint8_t* data, size_t size, size_t max_size, const wm_buffer* made);
