// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "mutate.h"
#include "store.h"

// Writes the archive as the builder does, with right seals, and takes the file.
static size_t take_archive(uint8_t* data, size_t size, size_t max_size, const wm_archive* archive,
                           const char* path)
{
    char saved[600];
    wm_buffer file = {0};
    snprintf(saved, sizeof saved, "%s.saved", path);
    unlink(saved);
    if (wm_archive_save(archive, saved, NULL) == WM_OK &&
        wm_file_read(&file, saved, max_size, NULL) == WM_OK)
        size = mutate_take(data, size, max_size, &file);
    unlink(saved);
    wm_buffer_free(&file);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed)
{
    wm_rng rng = wm_rng_start(seed, 0);
    wm_archive archive;
    const char* path = fuzz_file(data, size);
    if (wm_rng_below(&rng, 8) < 3 || wm_archive_load(&archive, path, NULL) != WM_OK)
        return LLVMFuzzerMutate(data, size, max_size);
    if (archive.count > 0)
        mutate_stored_map(&archive.maps[wm_rng_below(&rng, archive.count)], &rng, max_size);
    size = take_archive(data, size, max_size, &archive, path);
    wm_archive_free(&archive);
    return size;
}
