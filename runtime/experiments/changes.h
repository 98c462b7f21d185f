// SPDX-License-Identifier: MIT
//
// A map that keeps changing around its original form, as paper T's dynamic experiment has it: every
// change is the original map with fresh random flips, whatever the change before it had flipped.
#pragma once

#include <waymark.h>

#include "grid.h"
#include "rng.h"

/// Belongs to one thread at a time.
typedef struct wm_changes {
    uint32_t cell_count;
    uint32_t open_count; ///< Of the original map.
    uint8_t* original;   ///< Per cell: 1 is open.
    uint8_t* wanted;     ///< The same for the change being made.
    wm_cell* cells; ///< The originally open ones, then the others, each part in a random order.
    unsigned rate;
    wm_rng rng;
    wm_cell_edit* edits;
    size_t edit_capacity;
} wm_changes;

#define WM_CHANGES_MAX_RATE 200

/// Takes the present cells of `map` for the original ones.
wm_status wm_changes_create(wm_changes* changes, const wm_map* map, wm_error* error);
/// Accepts one that was never created, if it is zeroed.
void wm_changes_free(wm_changes* changes);
/// Begins a sequence of changes: the same rate and seed give the same flips.
/// @param rate  percent, at most WM_CHANGES_MAX_RATE: half of it of the open cells become blocked,
///              and half of it of the blocked cells open; both counts are rounded down
void wm_changes_begin(wm_changes* changes, unsigned rate, uint64_t seed);
/// Takes the map, from whatever state it is in, to the original one with the next flips. Which cells
/// are to be kept does not change what is drawn for the others.
/// @param map        editable, of the size of the original; may be a copy of it
/// @param keep_open  cells that are open afterwards in any case
wm_status wm_changes_apply(wm_changes* changes, wm_map* map, const wm_cell* keep_open, size_t count,
                           wm_error* error);
/// Takes the map back to the original one.
wm_status wm_changes_revert(wm_changes* changes, wm_map* map, wm_error* error);
