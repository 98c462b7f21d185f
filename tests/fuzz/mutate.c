// SPDX-License-Identifier: MIT
#include "mutate.h"

#include <string.h>

// A change may make a payload longer.
#define GROWTH 64

void mutate_blob(wm_buffer* blob, size_t max_size)
{
    static const uint8_t room[GROWTH];
    wm_buffer payload;
    wm_method method;
    if (!forge_unpack(&payload, &method, blob->data, blob->size)) {
        wm_buffer_free(&payload);
        return;
    }
    const size_t size = payload.size;
    wm_put_bytes(&payload, room, sizeof room);
    payload.size = LLVMFuzzerMutate(payload.data, size, size + GROWTH);
    wm_buffer packed = forge_seal(method, &payload);
    if (packed.size > 0 && packed.size <= max_size) {
        wm_buffer_free(blob);
        *blob = packed;
    } else {
        wm_buffer_free(&packed);
    }
    wm_buffer_free(&payload);
}

void mutate_stored_map(wm_stored_map* map, wm_rng* rng, size_t max_size)
{
    const uint64_t choice = wm_rng_below(rng, 16);
    if (map->payload_count > 0 && choice >= 3)
        mutate_blob(&map->payloads[wm_rng_below(rng, map->payload_count)].blob, max_size);
    else if (choice == 0)
        map->hash = fuzz_map((int)wm_rng_below(rng, FUZZ_MAPS))->grid.hash;
    else if (choice == 1)
        map->width = (int32_t)(1 + wm_rng_below(rng, WM_GRID_MAX_SIDE));
    else
        map->diagonal = (wm_diagonal)wm_rng_below(rng, 2);
}

size_t mutate_take(uint8_t* data, size_t size, size_t max_size, const wm_buffer* made)
{
    if (made->failed || made->size == 0 || made->size > max_size) return size;
    memcpy(data, made->data, made->size);
    return made->size;
}
