// SPDX-License-Identifier: MIT
#include "format.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "pack.h"

static const uint8_t magic[4] = {'W', 'M', 'K', 'P'};

const char* wm_method_name(wm_method method)
{
    switch (method) {
    case WM_METHOD_KNN: return "knn";
    case WM_METHOD_REGIONS: return "regions";
    case WM_METHOD_D_LRTA: return "d-lrta";
    case WM_METHOD_CHOICE: return "choice";
    }
    return NULL;
}

unsigned wm_method_version(wm_method method)
{
    return method == WM_METHOD_REGIONS ? 2 : 1;
}

bool wm_method_from_name(wm_method* method, const char* name)
{
    for (unsigned i = WM_METHOD_KNN; i <= WM_METHOD_CHOICE; i++) {
        if (strcmp(name, wm_method_name((wm_method)i)) != 0) continue;
        *method = (wm_method)i;
        return true;
    }
    return false;
}

uint64_t wm_format_content_hash(const wm_buffer* payload)
{
    return wm_hash_bytes(WM_HASH_START, payload->data, payload->size);
}

wm_status wm_format_seal(wm_buffer* blob, wm_method method, const wm_buffer* payload,
                         const size_t* section_sizes, size_t section_count)
{
    wm_put_bytes(blob, magic, sizeof magic);
    wm_put_u16(blob, (uint16_t)wm_method_version(method));
    wm_put_u16(blob, WM_FORMAT_MINOR);
    wm_put_u16(blob, (uint16_t)method);
    wm_put_u16(blob, 0); // flags
    wm_put_u64(blob, payload->size);
    wm_put_u64(blob, wm_format_content_hash(payload));
    size_t at = 0;
    wm_status status = WM_OK;
    for (size_t i = 0; i < section_count && status == WM_OK; i++) {
        status = wm_pack(blob, payload->data + at, section_sizes[i]);
        at += section_sizes[i];
    }
    return blob->failed ? WM_ERR_MEMORY : status;
}

static wm_status check_header(wm_reader* reader, wm_method method, const char* name,
                              wm_error* error)
{
    const uint8_t* found = wm_get_bytes(reader, sizeof magic);
    if (found == NULL || memcmp(found, magic, sizeof magic) != 0)
        return wm_fail(error, WM_ERR_FORMAT, "%s is not Waymark search data; build it again", name);
    const unsigned major = wm_get_u16(reader);
    wm_get_u16(reader); // a newer minor version only adds
    if (major != wm_method_version(method) && !reader->failed)
        return wm_fail(error, WM_ERR_VERSION,
                       "%s has format version %u and this program reads version %u; use a matching "
                       "program or build it again",
                       name, major, wm_method_version(method));
    const unsigned found_method = wm_get_u16(reader);
    const unsigned flags = wm_get_u16(reader);
    if (reader->failed || found_method != (unsigned)method || flags != 0)
        return wm_fail(error, WM_ERR_FORMAT, "%s has a damaged header; build it again", name);
    return WM_OK;
}

uint64_t wm_format_unpacked_size(const uint8_t* blob, size_t blob_size)
{
    wm_reader reader = {.data = blob, .left = blob_size};
    wm_get_bytes(&reader, sizeof magic + 4 * sizeof(uint16_t));
    return wm_get_u64(&reader);
}

uint64_t wm_format_checksum(const uint8_t* blob, size_t blob_size)
{
    wm_reader reader = {.data = blob, .left = blob_size};
    wm_get_bytes(&reader, sizeof magic + 4 * sizeof(uint16_t) + sizeof(uint64_t));
    return wm_get_u64(&reader);
}

wm_status wm_format_method(wm_method* method, const uint8_t* blob, size_t blob_size,
                           const char* name, wm_error* error)
{
    wm_reader reader = {.data = blob, .left = blob_size};
    wm_get_bytes(&reader, sizeof magic + 2 * sizeof(uint16_t));
    *method = (wm_method)wm_get_u16(&reader);
    if (!reader.failed && wm_method_name(*method) != NULL) return WM_OK;
    return wm_fail(error, WM_ERR_FORMAT, "%s is not Waymark search data; build it again", name);
}

wm_status wm_format_open(wm_buffer* payload, const uint8_t* blob, size_t blob_size,
                         wm_method method, size_t max_bytes, const char* name, wm_error* error)
{
    wm_reader reader = {.data = blob, .left = blob_size};
    wm_status status = check_header(&reader, method, name, error);
    if (status != WM_OK) return status;
    const uint64_t size = wm_get_u64(&reader);
    const uint64_t checksum = wm_get_u64(&reader);
    size_t claimed = 0;
    if (reader.failed || !wm_unpacked_size(&claimed, reader.data, reader.left) || claimed != size)
        return wm_fail(error, WM_ERR_FORMAT, "%s is truncated or damaged; build it again", name);
    if (size > max_bytes)
        return wm_fail(error, WM_ERR_MEMORY,
                       "%s unpacks to %llu bytes, more than the limit of %zu; raise the limit",
                       name, (unsigned long long)size, max_bytes);
    uint8_t* data = malloc(claimed == 0 ? 1 : claimed);
    if (data == NULL) return wm_fail_memory(error, claimed);
    *payload = (wm_buffer){.data = data, .size = claimed, .capacity = claimed};
    status = wm_unpack(data, claimed, reader.data, reader.left);
    if (status == WM_OK && wm_format_content_hash(payload) == checksum) return WM_OK;
    wm_buffer_free(payload);
    if (status == WM_ERR_MEMORY) return wm_fail_memory(error, claimed);
    return wm_fail(error, WM_ERR_FORMAT, "%s is damaged (its checksum differs); build it again",
                   name);
}
