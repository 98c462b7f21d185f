// SPDX-License-Identifier: MIT
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"

void wm_buffer_free(wm_buffer* buffer)
{
    free(buffer->data);
    *buffer = (wm_buffer){0};
}

void wm_put_bytes(wm_buffer* buffer, const void* bytes, size_t size)
{
    if (buffer->failed || size == 0) return;
    if (size > buffer->capacity - buffer->size) {
        uint8_t* grown = size > SIZE_MAX - buffer->size
                             ? NULL
                             : wm_grow(buffer->data, &buffer->capacity, buffer->size + size, 1);
        if (grown == NULL) {
            buffer->failed = true;
            return;
        }
        buffer->data = grown;
    }
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
}

static void put_little_endian(wm_buffer* buffer, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> (8 * i));
    wm_put_bytes(buffer, bytes, size);
}

void wm_put_u8(wm_buffer* buffer, uint8_t value)
{
    put_little_endian(buffer, value, 1);
}

void wm_put_u16(wm_buffer* buffer, uint16_t value)
{
    put_little_endian(buffer, value, 2);
}

void wm_put_u32(wm_buffer* buffer, uint32_t value)
{
    put_little_endian(buffer, value, 4);
}

void wm_put_u64(wm_buffer* buffer, uint64_t value)
{
    put_little_endian(buffer, value, 8);
}

void wm_put_varint(wm_buffer* buffer, uint32_t value)
{
    for (; value >= 0x80; value >>= 7) wm_put_u8(buffer, (uint8_t)(value | 0x80));
    wm_put_u8(buffer, (uint8_t)value);
}

void wm_put_bits(wm_bit_writer* writer, uint32_t value, unsigned width)
{
    writer->pending |= (uint64_t)value << writer->pending_bits;
    writer->pending_bits += width;
    for (; writer->pending_bits >= 8; writer->pending_bits -= 8) {
        wm_put_u8(writer->buffer, (uint8_t)writer->pending);
        writer->pending >>= 8;
    }
}

void wm_put_bits_end(wm_bit_writer* writer)
{
    if (writer->pending_bits > 0) wm_put_u8(writer->buffer, (uint8_t)writer->pending);
    writer->pending = 0;
    writer->pending_bits = 0;
}

const uint8_t* wm_get_bytes(wm_reader* reader, size_t size)
{
    if (reader->failed || size > reader->left) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t* bytes = reader->data;
    reader->data += size;
    reader->left -= size;
    return bytes;
}

static uint64_t get_little_endian(wm_reader* reader, size_t size)
{
    const uint8_t* bytes = wm_get_bytes(reader, size);
    uint64_t value = 0;
    for (size_t i = 0; bytes != NULL && i < size; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint8_t wm_get_u8(wm_reader* reader)
{
    return (uint8_t)get_little_endian(reader, 1);
}

uint16_t wm_get_u16(wm_reader* reader)
{
    return (uint16_t)get_little_endian(reader, 2);
}

uint32_t wm_get_u32(wm_reader* reader)
{
    return (uint32_t)get_little_endian(reader, 4);
}

uint64_t wm_get_u64(wm_reader* reader)
{
    return get_little_endian(reader, 8);
}

uint32_t wm_get_varint(wm_reader* reader)
{
    uint32_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        const uint32_t byte = wm_get_u8(reader);
        // The fifth byte has room for four bits only.
        if (shift == 28 && byte > 0x0F) break;
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    reader->failed = true;
    return 0;
}

uint32_t wm_get_bits(wm_bit_reader* bits, unsigned width)
{
    for (; bits->pending_bits < width; bits->pending_bits += 8)
        bits->pending |= (uint64_t)wm_get_u8(bits->reader) << bits->pending_bits;
    const uint32_t value = (uint32_t)(bits->pending & ((UINT64_C(1) << width) - 1));
    bits->pending >>= width;
    bits->pending_bits -= width;
    return value;
}
