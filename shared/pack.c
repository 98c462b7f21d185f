// SPDX-License-Identifier: MIT
#include "pack.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define LEVEL 19

// The smallest block of a frame has four bytes and unpacks to at most 128 KiB.
#define GREATEST_RATIO 32768u

wm_status wm_pack(wm_buffer* out, const uint8_t* data, size_t size)
{
    const size_t bound = ZSTD_compressBound(size);
    uint8_t* frame = malloc(bound);
    if (frame == NULL) return WM_ERR_MEMORY;
    const size_t length = ZSTD_compress(frame, bound, data, size, LEVEL);
    if (!ZSTD_isError(length)) wm_put_bytes(out, frame, length);
    free(frame);
    return ZSTD_isError(length) || out->failed ? WM_ERR_MEMORY : WM_OK;
}

bool wm_unpacked_size(size_t* unpacked_size, const uint8_t* frames, size_t frames_size)
{
    size_t total = 0;
    for (size_t at = 0; at < frames_size;) {
        const size_t length = ZSTD_findFrameCompressedSize(frames + at, frames_size - at);
        if (ZSTD_isError(length)) return false;
        const unsigned long long content = ZSTD_getFrameContentSize(frames + at, length);
        // The two special values for "unknown" and "damaged" are the largest there are.
        if (content / GREATEST_RATIO > length) return false;
        total += (size_t)content;
        at += length;
    }
    *unpacked_size = total;
    return true;
}

wm_status wm_unpack(uint8_t* data, size_t unpacked_size, const uint8_t* frames, size_t frames_size)
{
    const size_t length = ZSTD_decompress(data, unpacked_size, frames, frames_size);
    if (ZSTD_getErrorCode(length) == ZSTD_error_memory_allocation) return WM_ERR_MEMORY;
    return ZSTD_isError(length) || length != unpacked_size ? WM_ERR_FORMAT : WM_OK;
}
