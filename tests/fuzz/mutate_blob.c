// SPDX-License-Identifier: MIT
#include "mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed)
{
    // Now and then what is before the payload.
    if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
    wm_buffer blob = {0};
    wm_put_bytes(&blob, data, size);
    mutate_blob(&blob, max_size);
    size = mutate_take(data, size, max_size, &blob);
    wm_buffer_free(&blob);
    return size;
}
