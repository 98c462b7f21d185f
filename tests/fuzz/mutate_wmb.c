// SPDX-License-Identifier: MIT
#include "mutate.h"
#include "single.h"

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed)
{
    wm_rng rng = wm_rng_start(seed, 0);
    wm_stored_map map;
    const uint64_t choice = wm_rng_below(&rng, 8);
    if (choice < 3 || wm_single_decode(&map, data, size, "fuzz.wmb", NULL) != WM_OK) {
        size = LLVMFuzzerMutate(data, size, max_size);
        if (choice > 0) forge_rehash(data, size);
        return size;
    }
    wm_buffer file = {0};
    mutate_stored_map(&map, &rng, max_size);
    wm_single_encode(&file, &map);
    size = mutate_take(data, size, max_size, &file);
    wm_buffer_free(&file);
    wm_stored_map_free(&map);
    return size;
}
