// SPDX-License-Identifier: MIT
//
// Databases for those who mean harm: made, taken apart, and put together again with right sizes,
// checksums and hashes, so that what is behind these has to notice. Needs no cmocka.
#pragma once

#include "archive.h"
#include "internal.h"

/// What a forged database is made with.
typedef struct forge_recipe {
    uint32_t records;
    bool chains;
    bool coverage;
    uint32_t radius;         ///< Of regions, in cells.
    uint32_t portals;        ///< Side of their squares, or 0 for chains.
    uint32_t max_expansions; ///< Of searches for ways to targets.
    uint32_t level;          ///< Of D LRTA*.
    uint64_t seed;
    unsigned threads;
    const char* choice; ///< A SPEC, or NULL for none.
} forge_recipe;

/// Builds a map's blob of one method. False where the map has nothing to store, or no memory.
bool forge_blob(wm_buffer* blob, const wm_map* map, wm_method method, const forge_recipe* recipe);
/// All that the map has something to store for, under the name "map".
wm_stored_map forge_map(const wm_map* map, const forge_recipe* recipe);

/// Unpacks a blob of any method. False where it is none, or damaged.
bool forge_unpack(wm_buffer* payload, wm_method* method, const uint8_t* blob, size_t size);
/// A blob around any payload, with the size and checksum that belong to it.
wm_buffer forge_seal(wm_method method, const wm_buffer* payload);
/// Puts the right hash at the end of a `.wmb` file that was changed.
void forge_rehash(uint8_t* file, size_t size);
