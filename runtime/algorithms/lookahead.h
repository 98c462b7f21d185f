// SPDX-License-Identifier: MIT
//
// LRTA* with a lookahead of d moves: the learning walker of lrta, knn-lrta and d-lrta.
#pragma once

#include "learned.h"

#define WM_MAX_LOOKAHEAD 8

typedef struct wm_lookahead {
    wm_learned learned;
} wm_lookahead;

size_t wm_lookahead_bytes(const wm_grid* grid);
void wm_lookahead_init(wm_lookahead* lookahead, const wm_grid* grid, void* memory);
/// Heads for `target` with nothing learned.
void wm_lookahead_aim(wm_lookahead* lookahead, wm_cell target);
/// Looks `depth` moves ahead from `cell`, learns, and gives the direction to go in; -1 where no
/// move is legal. Adds the states whose successors it generated to `*expansions`.
int wm_lookahead_step(wm_lookahead* lookahead, wm_cell cell, int depth, uint64_t* expansions);

/// The most that one step adds: the states within `depth` - 1 moves lie in a square.
static inline uint64_t wm_lookahead_most_expansions(int depth)
{
    const uint64_t side = 2 * (uint64_t)depth - 1;
    return side * side;
}
