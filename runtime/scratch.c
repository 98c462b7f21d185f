// SPDX-License-Identifier: MIT
//
// One block, carved from the front into slots that lie one behind the other. Slots that were given
// back wait in a list for an agent of the same kind. Where there is none, and nothing is left behind
// the last slot, free neighbours are joined and carved anew.
#include "scratch.h"

#include <stdalign.h>
#include <string.h>

#include "alloc.h"

typedef struct wm_slot {
    alignas(max_align_t) size_t bytes; // behind this header
    struct wm_slot* next_free;
    bool held;
    wm_slot_kind kind;
} wm_slot;

struct wm_scratch {
    const wm_map* map;
    uint8_t* memory;
    size_t bytes;
    size_t used;  // by slots, from the front
    size_t dirty; // behind this nothing was ever used: it is zero
    wm_slot* free;
    wm_allocator allocator;
};

// A split leaves a slot only where something can come of it.
#define LEAST_SLOT 1024

#define DEFAULT_AGENTS 8

wm_scratch_config wm_scratch_config_default(void)
{
    return (wm_scratch_config){.size = sizeof(wm_scratch_config)};
}

static size_t round_up(size_t bytes)
{
    return (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

size_t wm_scratch_slot_bytes(size_t bytes)
{
    return sizeof(wm_slot) + round_up(bytes);
}

bool wm_scratch_fits(const wm_scratch* scratch, size_t bytes)
{
    return wm_scratch_slot_bytes(bytes) <= scratch->bytes;
}

const wm_map* wm_scratch_map(const wm_scratch* scratch)
{
    return scratch->map;
}

// The most that an agent without a database takes, whatever its parameters: those with a database
// take less, unless it has more records than the map has cells.
static size_t largest_state(const wm_map* map)
{
    size_t most = 0;
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const wm_algorithm* algorithm = wm_algorithm_at(i);
        if (algorithm->needs_database || algorithm->resolve != NULL) continue;
        wm_parameter_values values = {0};
        for (int k = 0; algorithm->parameters[k].name != NULL; k++)
            values.at[k] = algorithm->parameters[k].max;
        const size_t bytes = algorithm->state_bytes(map, NULL, &values);
        if (bytes > most) most = bytes;
    }
    return most;
}

wm_status wm_scratch_create(wm_scratch** out, const wm_map* map, const wm_scratch_config* config,
                            wm_error* error)
{
    if (out != NULL) *out = NULL;
    if (out == NULL || map == NULL)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "wm_scratch_create needs a place for the scratch and a map");
    if (config == NULL || config->size != sizeof *config)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "the scratch's config was not made by wm_scratch_config_default()");
    const wm_status status = wm_check_allocator(&config->allocator, error);
    if (status != WM_OK) return status;
    const size_t bytes = config->bytes != 0
                             ? config->bytes
                             : DEFAULT_AGENTS * wm_scratch_slot_bytes(largest_state(map));
    wm_scratch* scratch = wm_alloc(&config->allocator, 1, sizeof *scratch);
    if (scratch == NULL) return wm_fail_memory(error, sizeof *scratch);
    *scratch = (wm_scratch){.map = map, .bytes = bytes, .allocator = config->allocator};
    scratch->memory = wm_alloc(&config->allocator, 1, bytes);
    if (scratch->memory == NULL) {
        wm_scratch_destroy(scratch);
        return wm_fail_memory(error, bytes);
    }
    *out = scratch;
    return WM_OK;
}

void wm_scratch_destroy(wm_scratch* scratch)
{
    if (scratch == NULL) return;
    const wm_allocator allocator = scratch->allocator;
    wm_release(&allocator, scratch->memory, 1, scratch->bytes);
    wm_release(&allocator, scratch, 1, sizeof *scratch);
}

static void* state_of(wm_slot* slot)
{
    return slot + 1;
}

static bool is_same_kind(const wm_slot_kind* a, const wm_slot_kind* b)
{
    return a->algorithm == b->algorithm && a->grid == b->grid && a->db == b->db &&
           a->heuristic == b->heuristic && memcmp(&a->values, &b->values, sizeof a->values) == 0;
}

static void* hold(wm_slot* slot)
{
    slot->held = true;
    return state_of(slot);
}

// A free slot that is ready for this kind, out of the list.
static wm_slot* find_ready(wm_scratch* scratch, const wm_slot_kind* kind, size_t bytes)
{
    for (wm_slot** link = &scratch->free; *link != NULL; link = &(*link)->next_free) {
        wm_slot* slot = *link;
        if (slot->bytes != bytes || !is_same_kind(&slot->kind, kind)) continue;
        *link = slot->next_free;
        return slot;
    }
    return NULL;
}

// A slot of zeroes behind the last one.
static wm_slot* carve(wm_scratch* scratch, size_t bytes)
{
    const size_t needed = sizeof(wm_slot) + bytes;
    if (needed > scratch->bytes - scratch->used) return NULL;
    uint8_t* begin = scratch->memory + scratch->used;
    if (scratch->used < scratch->dirty) {
        const size_t dirty = scratch->dirty - scratch->used;
        memset(begin, 0, dirty < needed ? dirty : needed);
    }
    scratch->used += needed;
    if (scratch->used > scratch->dirty) scratch->dirty = scratch->used;
    wm_slot* slot = (wm_slot*)begin;
    slot->bytes = bytes;
    return slot;
}

// Joins free neighbours, and gives up those at the end. The list is then in order.
static void join_free(wm_scratch* scratch)
{
    wm_slot** link = &scratch->free;
    wm_slot* before = NULL; // the slot before, if it is free
    for (size_t at = 0; at < scratch->used;) {
        wm_slot* slot = (wm_slot*)(scratch->memory + at);
        at += sizeof *slot + slot->bytes;
        if (!slot->held && before != NULL) {
            before->bytes += sizeof *slot + slot->bytes;
            continue;
        }
        before = slot->held ? NULL : slot;
        if (before == NULL) continue;
        slot->kind = (wm_slot_kind){0}; // ready for nobody
        *link = slot;
        link = &slot->next_free;
    }
    *link = NULL;
    if (before == NULL) return;
    scratch->used = (size_t)((uint8_t*)before - scratch->memory);
    for (link = &scratch->free; *link != before;) link = &(*link)->next_free;
    *link = NULL;
}

// The first free slot that is large enough, of zeroes and out of the list.
static wm_slot* find_room(wm_scratch* scratch, size_t bytes)
{
    wm_slot** link = &scratch->free;
    while (*link != NULL && (*link)->bytes < bytes) link = &(*link)->next_free;
    wm_slot* slot = *link;
    if (slot == NULL) return NULL;
    *link = slot->next_free;
    if (slot->bytes >= bytes + sizeof *slot + LEAST_SLOT) {
        wm_slot* rest = (wm_slot*)((uint8_t*)state_of(slot) + bytes);
        *rest = (wm_slot){.bytes = slot->bytes - bytes - sizeof *rest, .next_free = *link};
        *link = rest;
        slot->bytes = bytes;
    }
    memset(state_of(slot), 0, slot->bytes);
    return slot;
}

void* wm_scratch_take(wm_scratch* scratch, const wm_slot_kind* kind, size_t bytes, bool* is_fresh)
{
    bytes = round_up(bytes);
    wm_slot* slot = find_ready(scratch, kind, bytes);
    *is_fresh = slot == NULL;
    if (slot != NULL) return hold(slot);
    slot = carve(scratch, bytes);
    if (slot == NULL && scratch->free != NULL) {
        join_free(scratch);
        slot = find_room(scratch, bytes);
        if (slot == NULL) slot = carve(scratch, bytes);
    }
    if (slot == NULL) return NULL;
    slot->kind = *kind;
    return hold(slot);
}

void wm_scratch_give_back(wm_scratch* scratch, void* state)
{
    wm_slot* slot = (wm_slot*)state - 1;
    slot->held = false;
    slot->next_free = scratch->free;
    scratch->free = slot;
}
