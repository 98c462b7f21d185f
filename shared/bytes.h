// SPDX-License-Identifier: MIT
//
// Bytes in and out of memory, little-endian whatever the machine. Writers grow a buffer; readers
// check every access against what is left and remember the first failure.
#pragma once

#include "status.h"

/// A block of bytes that grows. Start from {0}; any failed growth sets `failed`.
typedef struct wm_buffer {
    uint8_t* data;
    size_t size;
    size_t capacity;
    bool failed;
} wm_buffer;

void wm_buffer_free(wm_buffer* buffer);
void wm_put_bytes(wm_buffer* buffer, const void* bytes, size_t size);
void wm_put_u8(wm_buffer* buffer, uint8_t value);
void wm_put_u16(wm_buffer* buffer, uint16_t value);
void wm_put_u32(wm_buffer* buffer, uint32_t value);
void wm_put_u64(wm_buffer* buffer, uint64_t value);

/// Seven bits a byte, lowest first; the top bit says that more follow.
void wm_put_varint(wm_buffer* buffer, uint32_t value);

/// Puts numbers of any width one after the other, lowest bit first.
typedef struct wm_bit_writer {
    wm_buffer* buffer;
    uint64_t pending;
    unsigned pending_bits;
} wm_bit_writer;

/// @param width  1 to 32
void wm_put_bits(wm_bit_writer* writer, uint32_t value, unsigned width);
/// Fills the last byte with zeros.
void wm_put_bits_end(wm_bit_writer* writer);

/// Reads from bytes that it does not own. After a failure every read gives 0.
typedef struct wm_reader {
    const uint8_t* data;
    size_t left;
    bool failed;
} wm_reader;

/// The next `size` bytes, or NULL when fewer are left.
const uint8_t* wm_get_bytes(wm_reader* reader, size_t size);
uint8_t wm_get_u8(wm_reader* reader);
uint16_t wm_get_u16(wm_reader* reader);
uint32_t wm_get_u32(wm_reader* reader);
uint64_t wm_get_u64(wm_reader* reader);
uint32_t wm_get_varint(wm_reader* reader);

typedef struct wm_bit_reader {
    wm_reader* reader;
    uint64_t pending;
    unsigned pending_bits;
} wm_bit_reader;

uint32_t wm_get_bits(wm_bit_reader* bits, unsigned width);

/// Signed numbers as unsigned ones, small for small: 0, -1, 1, -2, 2 ...
static inline uint32_t wm_zigzag(int32_t value)
{
    return value < 0 ? ~((uint32_t)value << 1) : (uint32_t)value << 1;
}

static inline int32_t wm_unzigzag(uint32_t value)
{
    return (int32_t)(value >> 1) ^ -(int32_t)(value & 1);
}

/// Bits that hold every number below `count`; at least 1.
static inline unsigned wm_bit_width(uint32_t count)
{
    unsigned width = 1;
    while (width < 32 && count > UINT32_C(1) << width) width++;
    return width;
}
