// SPDX-License-Identifier: MIT
//
// A few states around the agent whose values are learned at once: those inside the space get the
// least cost of leaving it, plus the value of the state just outside.
#pragma once

#include "heap.h"
#include "learned.h"

typedef struct wm_local_space {
    wm_learned learned;
    wm_heap open;        ///< Of searches in the space; its nodes are one a cell.
    uint32_t generation; ///< Nodes of other generations are untouched.
    wm_cell* inside;     ///< In the order in which they came in.
    uint32_t inside_count;
    uint32_t max_inside;
} wm_local_space;

/// The most states that can be inside: `max_inside`, or all cells of a smaller grid.
static inline uint32_t wm_local_space_max_inside(const wm_grid* grid, int64_t max_inside)
{
    return max_inside < grid->cell_count ? (uint32_t)max_inside : grid->cell_count;
}

/// A multiple of 4.
size_t wm_local_space_bytes(const wm_grid* grid, int64_t max_inside);
/// Readies a space in zeroed `memory`. @return what is behind its part of the memory
void* wm_local_space_init(wm_local_space* space, const wm_grid* grid, int64_t max_inside,
                          void* memory);
/// Empties the space; values stay.
void wm_local_space_clear(wm_local_space* space);

/// Whether this space's cell was touched since the space was cleared.
static inline bool wm_local_space_knows(const wm_local_space* space, wm_cell cell)
{
    return space->open.nodes[cell].arrival / WM_DIRECTIONS == space->generation;
}

static inline void wm_local_space_add(wm_local_space* space, wm_cell cell)
{
    space->inside[space->inside_count++] = cell;
}

/// Learns the values of the states inside. The nodes are used up by it.
/// @return false, with nothing learned, where no move leads out of the space
bool wm_local_space_learn(wm_local_space* space);
