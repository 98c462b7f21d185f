// SPDX-License-Identifier: MIT
//
// One block, carved from the front into slots that lie one behind the other. A slot that was given
// back waits as it is for an agent of the same kind. Where there is none, blank slots are used: those
// that wait for nobody any more, joined with their free neighbours. A slot is joined once after it
// was given back, so that thousands of agents can share a scratch: neither finding room nor finding
// that there is none looks at all slots.
#include "scratch.h"

#include <stdalign.h>
#include <string.h>

#include "alloc.h"

typedef enum wm_slot_use { SLOT_HELD, SLOT_WAITING, SLOT_BLANK } wm_slot_use;

typedef struct wm_slot {
    alignas(max_align_t) size_t bytes; // behind this header
    struct wm_slot* before;            // in memory, NULL: it is the first
    struct wm_slot* next;              // in the list of those that wait, or of blank ones
    struct wm_slot* previous;          // in the list of blank ones
    wm_slot_use use;
    wm_slot_kind kind;
} wm_slot;

// Lists of blank slots by their size, four for each power of two.
#define BINS 256

struct wm_scratch {
    const wm_map* map;
    uint8_t* memory;
    size_t bytes;
    size_t used;      // by slots, from the front
    size_t dirty;     // behind this nothing was ever used: it is zero
    wm_slot* last;    // in memory
    wm_slot* waiting; // the newest first
    size_t largest;   // no blank slot has more bytes
    wm_slot* blank[BINS];
    wm_allocator allocator;
};

// A split leaves a slot only where something can come of it.
#define LEAST_SLOT 1024

// So many of those that wait are looked at: to zero one more costs less than to look at them all.
#define MOST_LOOKS 32

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

// A slot that waits and is ready for this kind, out of its list. A small one was for a database that is
// gone, where another one lies now.
static wm_slot* find_ready(wm_scratch* scratch, const wm_slot_kind* kind, size_t bytes)
{
    wm_slot** link = &scratch->waiting;
    for (int looks = 0; *link != NULL && looks < MOST_LOOKS; looks++, link = &(*link)->next) {
        wm_slot* slot = *link;
        if (slot->bytes < bytes || !is_same_kind(&slot->kind, kind)) continue;
        *link = slot->next;
        return slot;
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// Blank slots

// The first three bits of a number, and where they are.
static size_t bin_of(size_t bytes)
{
    size_t bin = 0;
    for (; bytes > 7; bytes >>= 1) bin += 4;
    return bin + (bytes & 3);
}

static void link_blank(wm_scratch* scratch, wm_slot* slot)
{
    wm_slot** first = &scratch->blank[bin_of(slot->bytes)];
    slot->use = SLOT_BLANK;
    slot->previous = NULL;
    slot->next = *first;
    if (slot->next != NULL) slot->next->previous = slot;
    *first = slot;
    if (slot->bytes > scratch->largest) scratch->largest = slot->bytes;
}

static void unlink_blank(wm_scratch* scratch, wm_slot* slot)
{
    if (slot->next != NULL) slot->next->previous = slot->previous;
    if (slot->previous != NULL)
        slot->previous->next = slot->next;
    else
        scratch->blank[bin_of(slot->bytes)] = slot->next;
}

// The next one in memory, NULL behind the last.
static wm_slot* after(const wm_scratch* scratch, wm_slot* slot)
{
    return slot == scratch->last ? NULL : (wm_slot*)((uint8_t*)state_of(slot) + slot->bytes);
}

// What lies behind a slot has changed: it is told which one it lies behind.
static void tell_after(wm_scratch* scratch, wm_slot* slot, wm_slot* behind)
{
    if (behind != NULL)
        behind->before = slot;
    else
        scratch->last = slot;
}

// Makes one of a slot and of that behind it. Neither is in a list.
static void join(wm_scratch* scratch, wm_slot* slot, wm_slot* behind)
{
    tell_after(scratch, slot, after(scratch, behind));
    slot->bytes += sizeof *behind + behind->bytes;
}

// A slot that is in no list is joined with blank neighbours; it is given up where nothing is behind.
static void make_blank(wm_scratch* scratch, wm_slot* slot)
{
    wm_slot* behind = after(scratch, slot);
    if (behind != NULL && behind->use == SLOT_BLANK) {
        unlink_blank(scratch, behind);
        join(scratch, slot, behind);
    }
    wm_slot* before = slot->before;
    if (before != NULL && before->use == SLOT_BLANK) {
        unlink_blank(scratch, before);
        join(scratch, before, slot);
        slot = before;
    }
    if (slot != scratch->last) {
        link_blank(scratch, slot);
        return;
    }
    scratch->last = slot->before;
    scratch->used = (size_t)((uint8_t*)slot - scratch->memory);
}

// What is left of a slot behind so many bytes becomes one of its own.
static void split(wm_scratch* scratch, wm_slot* slot, size_t bytes)
{
    if (slot->bytes < bytes + sizeof *slot + LEAST_SLOT) return;
    wm_slot* behind = after(scratch, slot);
    wm_slot* rest = (wm_slot*)((uint8_t*)state_of(slot) + bytes);
    *rest = (wm_slot){.bytes = slot->bytes - bytes - sizeof *rest, .before = slot};
    slot->bytes = bytes;
    tell_after(scratch, rest, behind);
    link_blank(scratch, rest);
}

// ---------------------------------------------------------------------------------------------
// Room

// A blank slot that is large enough, of zeroes and out of its list.
static wm_slot* find_blank(wm_scratch* scratch, size_t bytes)
{
    if (bytes > scratch->largest) return NULL;
    size_t bin = bin_of(bytes);
    wm_slot* slot = scratch->blank[bin];
    while (slot != NULL && slot->bytes < bytes) slot = slot->next;
    while (slot == NULL && ++bin < BINS) slot = scratch->blank[bin]; // these are all larger
    if (slot == NULL) {
        scratch->largest = bytes - 1;
        return NULL;
    }
    unlink_blank(scratch, slot);
    split(scratch, slot, bytes);
    memset(state_of(slot), 0, slot->bytes);
    return slot;
}

// A slot of zeroes behind the last one.
static wm_slot* carve(wm_scratch* scratch, size_t bytes)
{
    const size_t left = scratch->bytes - scratch->used;
    if (left < sizeof(wm_slot) || bytes > left - sizeof(wm_slot)) return NULL;
    const size_t needed = sizeof(wm_slot) + bytes;
    uint8_t* begin = scratch->memory + scratch->used;
    if (scratch->used < scratch->dirty) {
        const size_t dirty = scratch->dirty - scratch->used;
        memset(begin, 0, dirty < needed ? dirty : needed);
    }
    scratch->used += needed;
    if (scratch->used > scratch->dirty) scratch->dirty = scratch->used;
    wm_slot* slot = (wm_slot*)begin;
    slot->bytes = bytes;
    slot->before = scratch->last;
    scratch->last = slot;
    return slot;
}

static wm_slot* find_room(wm_scratch* scratch, size_t bytes)
{
    wm_slot* slot = find_blank(scratch, bytes);
    return slot != NULL ? slot : carve(scratch, bytes);
}

void* wm_scratch_take(wm_scratch* scratch, const wm_slot_kind* kind, size_t bytes, bool* is_fresh)
{
    bytes = round_up(bytes);
    wm_slot* slot = find_ready(scratch, kind, bytes);
    *is_fresh = slot == NULL;
    if (slot == NULL) slot = find_room(scratch, bytes);
    while (slot == NULL && scratch->waiting != NULL) {
        wm_slot* waiting = scratch->waiting;
        scratch->waiting = waiting->next;
        make_blank(scratch, waiting);
        slot = find_room(scratch, bytes);
    }
    if (slot == NULL) return NULL;
    slot->use = SLOT_HELD;
    slot->kind = *kind;
    return state_of(slot);
}

void wm_scratch_give_back(wm_scratch* scratch, void* state)
{
    wm_slot* slot = (wm_slot*)state - 1;
    slot->use = SLOT_WAITING;
    slot->next = scratch->waiting;
    scratch->waiting = slot;
}
