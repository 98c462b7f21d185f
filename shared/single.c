// SPDX-License-Identifier: MIT
//
// Everything behind the version is covered by a hash at the end; that every count is checked
// against the bytes that are left all the same protects from files that were made to deceive.
#include "single.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "hash.h"

static const uint8_t magic[WM_SINGLE_MAGIC_SIZE] = {'W', 'M', 'B', 'M'};

#define HASH_BYTES sizeof(uint64_t)

bool wm_single_begins(const void* bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

// ---------------------------------------------------------------------------------------------
// Writing

wm_status wm_single_encode(wm_buffer* out, const wm_stored_map* map)
{
    const size_t begin = out->size;
    const size_t name_length = strlen(map->name);
    wm_put_bytes(out, magic, sizeof magic);
    wm_put_u16(out, WM_SINGLE_MAJOR);
    wm_put_u16(out, WM_SINGLE_MINOR);
    wm_put_u32(out, (uint32_t)map->width);
    wm_put_u32(out, (uint32_t)map->height);
    wm_put_u64(out, map->hash);
    wm_put_u16(out, (uint16_t)map->diagonal);
    wm_put_u8(out, (uint8_t)name_length);
    wm_put_bytes(out, map->name, name_length);
    wm_put_u16(out, (uint16_t)map->payload_count);
    for (size_t i = 0; i < map->payload_count; i++) {
        const wm_stored_payload* payload = &map->payloads[i];
        wm_put_u16(out, (uint16_t)payload->method);
        wm_put_u32(out, (uint32_t)payload->blob.size);
        wm_put_bytes(out, payload->blob.data, payload->blob.size);
    }
    if (!out->failed)
        wm_put_u64(out, wm_hash_bytes(WM_HASH_START, out->data + begin, out->size - begin));
    return out->failed ? WM_ERR_MEMORY : WM_OK;
}

// ---------------------------------------------------------------------------------------------
// Reading

static wm_status damaged(const char* name, wm_error* error)
{
    return wm_fail(error, WM_ERR_FORMAT,
                   "%s is damaged or cut short; write it again with `waymark-build export`", name);
}

// What the file says of the map itself. False where that cannot be.
static bool read_map(wm_stored_map* map, wm_reader* reader, wm_status* status)
{
    const uint32_t width = wm_get_u32(reader);
    const uint32_t height = wm_get_u32(reader);
    map->hash = wm_get_u64(reader);
    const unsigned diagonal = wm_get_u16(reader);
    const size_t name_length = wm_get_u8(reader);
    const uint8_t* name = wm_get_bytes(reader, name_length);
    if (reader->failed || width < 1 || width > WM_GRID_MAX_SIDE || height < 1 ||
        height > WM_GRID_MAX_SIDE || diagonal > WM_DIAGONAL_SQUEEZE)
        return false;
    map->width = (int32_t)width;
    map->height = (int32_t)height;
    map->diagonal = (wm_diagonal)diagonal;
    map->name = calloc(name_length + 1, 1);
    if (map->name == NULL) {
        *status = WM_ERR_MEMORY;
        return false;
    }
    memcpy(map->name, name, name_length);
    return strlen(map->name) == name_length && wm_store_name_is_valid(map->name);
}

// Payloads come by rising number of their method, so none is there twice.
static bool read_payloads(wm_stored_map* map, wm_reader* reader, wm_status* status)
{
    unsigned before = 0;
    for (unsigned left = wm_get_u16(reader); left > 0; left--) {
        const unsigned method = wm_get_u16(reader);
        const size_t size = wm_get_u32(reader);
        const uint8_t* bytes = wm_get_bytes(reader, size);
        if (bytes == NULL || method <= before) return false;
        before = method;
        if (wm_method_name((wm_method)method) == NULL) { // of a newer minor version
            map->unknown_payloads++;
            continue;
        }
        wm_buffer blob = {0};
        wm_put_bytes(&blob, bytes, size);
        if (blob.failed || !wm_stored_map_put_payload(map, (wm_method)method, &blob))
            *status = WM_ERR_MEMORY;
        wm_buffer_free(&blob);
        if (*status != WM_OK) return false;
    }
    return !reader->failed;
}

wm_status wm_single_decode(wm_stored_map* map, const void* bytes, size_t size, const char* name,
                           wm_error* error)
{
    wm_reader reader = {.data = bytes, .left = size};
    *map = (wm_stored_map){0};
    if (!wm_single_begins(bytes, size))
        return wm_fail(error, WM_ERR_FORMAT, "%s is not the .wmb file of a map; check its name",
                       name);
    wm_get_bytes(&reader, sizeof magic);
    const unsigned major = wm_get_u16(&reader);
    const unsigned minor = wm_get_u16(&reader);
    if (!reader.failed && major != WM_SINGLE_MAJOR)
        return wm_fail(error, WM_ERR_VERSION,
                       "%s has version %u of the .wmb format and this program reads version %d; "
                       "use a matching program or export it again",
                       name, major, WM_SINGLE_MAJOR);
    if (reader.failed || reader.left < HASH_BYTES) return damaged(name, error);
    wm_reader end = {.data = reader.data + reader.left - HASH_BYTES, .left = HASH_BYTES};
    if (wm_hash_bytes(WM_HASH_START, bytes, size - HASH_BYTES) != wm_get_u64(&end))
        return damaged(name, error);
    reader.left -= HASH_BYTES;
    wm_status status = WM_OK;
    // What a newer minor version adds stands behind what is known here.
    if (read_map(map, &reader, &status) && read_payloads(map, &reader, &status) &&
        (reader.left == 0 || minor > WM_SINGLE_MINOR))
        return WM_OK;
    wm_stored_map_free(map);
    return status == WM_ERR_MEMORY ? wm_fail_memory(error, size) : damaged(name, error);
}

wm_status wm_single_detect(bool* is_single, const char* path, wm_error* error)
{
    uint8_t front[WM_SINGLE_MAGIC_SIZE];
    size_t size = 0;
    const wm_status status = wm_file_read_front(front, sizeof front, &size, path, error);
    *is_single = status == WM_OK && wm_single_begins(front, size);
    return status;
}

wm_status wm_single_load(wm_stored_map* map, const char* path, wm_error* error)
{
    wm_buffer content;
    *map = (wm_stored_map){0};
    wm_status status = wm_file_read(&content, path, WM_SINGLE_MAX_BYTES, error);
    if (status != WM_OK) return status;
    status = wm_single_decode(map, content.data, content.size, path, error);
    wm_buffer_free(&content);
    return status;
}
