// SPDX-License-Identifier: MIT
//
// Memory that agents of one thread take turns with, in slots. A slot remembers whom it was readied
// for: the next agent of that kind takes it as it is, because every begin starts a new generation,
// and megabytes need not be zeroed.
#pragma once

#include "internal.h"

/// What makes two states alike, so that one may follow the other without being readied anew.
typedef struct wm_slot_kind {
    const wm_algorithm* algorithm;
    const wm_grid* grid;
    const wm_db* db;
    wm_heuristic heuristic;
    wm_parameter_values values;
} wm_slot_kind;

/// @return NULL where the scratch is full. `*is_fresh`: it is zeroed and has to be readied
void* wm_scratch_take(wm_scratch* scratch, const wm_slot_kind* kind, size_t bytes, bool* is_fresh);
void wm_scratch_give_back(wm_scratch* scratch, void* state);
/// All that a state of so many bytes takes.
size_t wm_scratch_slot_bytes(size_t bytes);
bool wm_scratch_fits(const wm_scratch* scratch, size_t bytes);
const wm_map* wm_scratch_map(const wm_scratch* scratch);
