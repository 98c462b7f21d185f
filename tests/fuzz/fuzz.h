// SPDX-License-Identifier: MIT
//
// What the fuzz targets share. A target is a file with an LLVMFuzzerTestOneInput; libFuzzer finds
// inputs for it, and replay.c feeds it those that are kept in corpus/.
#pragma once

#include "forge.h"

/// What every target defines. @return 0
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
/// Where a target's inputs have a checksum: changes what is behind it (mutate_*.c).
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);
/// libFuzzer's own: changes `size` bytes in place.
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

/// Ends the process, loudly, unless it holds.
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) fuzz_fail(#condition, __FILE__, __LINE__);                               \
    } while (0)
_Noreturn void fuzz_fail(const char* what, const char* file, int line);

#define FUZZ_MAPS 3
/// Fixed small maps that kept inputs are made for: caves, rooms to squeeze through, two halves with
/// no way between them. They live as long as the process.
const wm_map* fuzz_map(int which);
/// How their databases are made.
forge_recipe fuzz_recipe(int which);

/// How to open: no more than inputs need, and every other one in memory of the caller's own.
wm_db_config fuzz_config(size_t size);
/// Opens `size` bytes as a database of one of the maps: the one that they are for, if any. NULL where
/// they are refused, with whatever sentence.
wm_db* fuzz_open(const wm_map** map, const uint8_t* bytes, size_t size);
/// Walks some problems with every algorithm that the database has data for, and checks the walks.
void fuzz_walk(const wm_map* map, const wm_db* db, uint64_t seed);
/// The path of a file with these bytes; the next call uses it again.
const char* fuzz_file(const uint8_t* bytes, size_t size);
