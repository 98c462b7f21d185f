// SPDX-License-Identifier: MIT
#include "archive.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"

void wm_stored_map_drop_payloads(wm_stored_map* map)
{
    for (size_t i = 0; i < map->payload_count; i++) wm_buffer_free(&map->payloads[i].blob);
    free(map->payloads);
    map->payloads = NULL;
    map->payload_count = 0;
}

void wm_stored_map_free(wm_stored_map* map)
{
    wm_stored_map_drop_payloads(map);
    free(map->name);
    *map = (wm_stored_map){0};
}

void wm_archive_free(wm_archive* archive)
{
    for (size_t i = 0; i < archive->count; i++) wm_stored_map_free(&archive->maps[i]);
    free(archive->maps);
    *archive = (wm_archive){0};
}

wm_stored_map* wm_archive_find(const wm_archive* archive, const char* name)
{
    for (size_t i = 0; i < archive->count; i++) {
        if (strcmp(archive->maps[i].name, name) == 0) return &archive->maps[i];
    }
    return NULL;
}

static wm_stored_map* insert_map(wm_archive* archive, const char* name)
{
    wm_stored_map* maps =
        wm_grow(archive->maps, &archive->capacity, archive->count + 1, sizeof *maps);
    if (maps == NULL) return NULL;
    archive->maps = maps;
    char* copy = strdup(name);
    if (copy == NULL) return NULL;
    size_t at = 0;
    while (at < archive->count && strcmp(maps[at].name, name) < 0) at++;
    memmove(maps + at + 1, maps + at, (archive->count - at) * sizeof *maps);
    maps[at] = (wm_stored_map){.name = copy};
    archive->count++;
    return &maps[at];
}

wm_stored_map* wm_archive_put_map(wm_archive* archive, const char* name)
{
    wm_stored_map* map = wm_archive_find(archive, name);
    return map != NULL ? map : insert_map(archive, name);
}

const wm_stored_payload* wm_stored_map_payload(const wm_stored_map* map, wm_method method)
{
    for (size_t i = 0; i < map->payload_count; i++) {
        if (map->payloads[i].method == method) return &map->payloads[i];
    }
    return NULL;
}

bool wm_stored_map_put_payload(wm_stored_map* map, wm_method method, wm_buffer* blob)
{
    size_t at = 0;
    while (at < map->payload_count && map->payloads[at].method < method) at++;
    if (at == map->payload_count || map->payloads[at].method != method) {
        wm_stored_payload* grown =
            realloc(map->payloads, (map->payload_count + 1) * sizeof *map->payloads);
        if (grown == NULL) return false;
        map->payloads = grown;
        memmove(grown + at + 1, grown + at, (map->payload_count - at) * sizeof *grown);
        map->payload_count++;
    } else {
        wm_buffer_free(&map->payloads[at].blob);
    }
    map->payloads[at] = (wm_stored_payload){.method = method, .blob = *blob};
    *blob = (wm_buffer){0};
    return true;
}

// The length of the UTF-8 character at `at`, or 0 where there is none or a control character.
static size_t character_length(const uint8_t* at)
{
    // By the first byte up to `last`: how many bytes, and the range of the second one, which keeps
    // out control characters, longer spellings than needed, halves of pairs and what is too large.
    static const struct {
        uint8_t last, length, low, high;
    } classes[] = {{0xC1, 0, 0, 0},       {0xC2, 2, 0xA0, 0xBF}, {0xDF, 2, 0x80, 0xBF},
                   {0xE0, 3, 0xA0, 0xBF}, {0xEC, 3, 0x80, 0xBF}, {0xED, 3, 0x80, 0x9F},
                   {0xEF, 3, 0x80, 0xBF}, {0xF0, 4, 0x90, 0xBF}, {0xF3, 4, 0x80, 0xBF},
                   {0xF4, 4, 0x80, 0x8F}, {0xFF, 0, 0, 0}};
    size_t i = 0;
    if (at[0] < 0x80) return at[0] >= 0x20 && at[0] != 0x7F ? 1 : 0;
    while (at[0] > classes[i].last) i++;
    const size_t length = classes[i].length;
    if (length == 0 || at[1] < classes[i].low || at[1] > classes[i].high) return 0;
    for (size_t j = 2; j < length; j++) {
        if ((at[j] & 0xC0) != 0x80) return 0;
    }
    return length;
}

bool wm_store_name_is_valid(const char* name)
{
    const uint8_t* at = (const uint8_t*)name;
    while (*at != 0) {
        const size_t length = character_length(at);
        if (length == 0) return false;
        at += length;
    }
    const size_t size = (size_t)(at - (const uint8_t*)name);
    return size >= 1 && size <= WM_STORE_MAX_NAME;
}

int32_t wm_store_agent_size(const char* name)
{
    const char* mark = strrchr(name, WM_STORE_SIZE_MARK);
    if (mark == NULL || mark == name || mark[1] < '2' || mark[1] > '0' + WM_GRID_MAX_AGENT_SIZE ||
        mark[2] != '\0')
        return 1;
    return mark[1] - '0';
}

static size_t length_without_size(const char* name)
{
    return strlen(name) - (wm_store_agent_size(name) > 1 ? 2 : 0);
}

bool wm_store_same_name(const char* a, const char* b)
{
    const size_t length = length_without_size(a);
    return length == length_without_size(b) && memcmp(a, b, length) == 0;
}

bool wm_store_name_for(char* name, size_t capacity, int32_t agent_size)
{
    const size_t length = strlen(name);
    if (agent_size == 1) return true;
    if (length + 3 > capacity) return false;
    name[length] = WM_STORE_SIZE_MARK;
    name[length + 1] = (char)('0' + agent_size);
    name[length + 2] = '\0';
    return true;
}

wm_status wm_stored_map_compare(const wm_stored_map* map, const wm_grid* grid, const char* path,
                                wm_error* error)
{
    const wm_diagonal rule = grid->diagonal;
    const wm_diagonal other = rule == WM_DIAGONAL_NONE ? WM_DIAGONAL_SQUEEZE : WM_DIAGONAL_NONE;
    const int32_t size = wm_store_agent_size(map->name);
    if (map->hash == grid->hash) return WM_OK;
    if (map->hash == wm_grid_hash(grid, other))
        return wm_fail(error, WM_ERR_MISMATCH,
                       "%s has this map, as \"%s\", with diagonal rule %s, not %s; read it with "
                       "that rule (--diagonal %s) or build it again",
                       path, map->name, wm_diagonal_name(other), wm_diagonal_name(rule),
                       wm_diagonal_name(other));
    if (size != grid->agent_size)
        return wm_fail(error, WM_ERR_MISMATCH,
                       "%s has \"%s\" for agents of size %d, not %d; read the map for that size "
                       "(--agent-size %d) or build it again",
                       path, map->name, (int)size, (int)grid->agent_size, (int)size);
    return wm_fail(error, WM_ERR_MISMATCH,
                   "%s was built for another version of \"%s\"; build it again", path, map->name);
}

wm_status wm_stored_map_fail_name(const wm_stored_map* map, const char* path, const char* name,
                                  wm_error* error)
{
    return wm_fail(error, WM_ERR_NOT_FOUND, "%s has this map as \"%s\", not \"%s\"; give that name",
                   path, map->name, name);
}
