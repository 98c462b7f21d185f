// SPDX-License-Identifier: MIT
//
// What the tests of single modules share: small maps, scratch folders, failing memory.
#pragma once

// cmocka.h wants these before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "grid.h"

/// How many of `count` random cases to look at. A sanitizer looks at a share of them: it makes them
/// several times slower, and what it looks for is in every case; all of them run without it. So does
/// valgrind, which says so by the environment.
static inline uint64_t test_cases(uint64_t count)
{
    const char* share = getenv("WAYMARK_TEST_SHARE");
    if (share != NULL && atoi(share) > 0) count /= (uint64_t)atoi(share);
#ifdef WAYMARK_TEST_SHARE
    if (share == NULL) count /= WAYMARK_TEST_SHARE;
#endif
    return count > 0 ? count : 1;
}

/// A grid from rows that each end with a line end; `.` is open, anything else is blocked. Fails the
/// test when the rows differ in length.
wm_grid grid_from_text(wm_diagonal diagonal, const char* rows);
/// A grid whose cells are blocked by chance, `blocked` in a hundred.
wm_grid grid_random(uint64_t seed, int32_t width, int32_t height, unsigned blocked,
                    wm_diagonal diagonal);

typedef struct test_path {
    char text[600];
} test_path;

/// A new empty folder.
test_path scratch_create(void);
/// Removes the folder and the files in it.
void scratch_remove(const test_path* folder);
/// How many entries the folder has.
size_t scratch_count(const test_path* folder);
test_path scratch_path(const test_path* folder, const char* name);

/// Write and read whole files by other means than the module under test.
void file_put(const test_path* path, const void* bytes, size_t size);
void file_put_text(const test_path* path, const char* text);
/// The content with a zero behind it; free() it. NULL when there is no such file.
char* file_get(const test_path* path, size_t* size);

/// Where the public maps are, or NULL: $WAYMARK_BENCHMARKS, else the folder beside the project.
const char* benchmarks_folder(void);

/// An allocator that counts what is out and fails on demand.
typedef struct test_memory {
    size_t calls;   ///< Allocations so far.
    size_t fail_at; ///< The call that fails, from 1; 0 for none.
    size_t bytes;   ///< Not yet given back.
} test_memory;

wm_allocator test_allocator(test_memory* memory);

/// Fails with a sentence unless `text` holds `part`.
void assert_contains(const char* text, const char* part);
