// SPDX-License-Identifier: MIT
//
// The open list of every search here: a binary heap over a table of nodes, one node a cell. A node
// knows its place in the heap, so a better way to an open cell moves its entry up instead of
// adding another, and the heap never holds more entries than the map has cells.
#pragma once

#include "grid.h"

/// What a search knows of one cell.
typedef struct wm_node {
    wm_cost g;        ///< Cost of the best known way from the root.
    uint32_t slot;    ///< Index in the heap, or WM_NODE_CLOSED.
    uint32_t arrival; ///< generation * 8 + direction of the step that led here.
} wm_node;

#define WM_NODE_CLOSED UINT32_MAX

/// Ordered by smaller f, then larger g, then lower cell: no two entries are equal.
typedef struct wm_heap_entry {
    uint64_t f;
    uint64_t order; ///< Complement of g above the lowest 24 bits, the cell in them.
} wm_heap_entry;

typedef struct wm_heap {
    wm_heap_entry* entries;
    uint32_t count;
    wm_node* nodes; ///< Their slots are kept up to date.
} wm_heap;

#define WM_HEAP_CELL_BITS 24
#define WM_HEAP_MAX_G ((UINT64_C(1) << (64 - WM_HEAP_CELL_BITS)) - 1)

static inline wm_heap_entry wm_heap_entry_make(uint64_t f, wm_cost g, wm_cell cell)
{
    return (wm_heap_entry){f, ((WM_HEAP_MAX_G - (uint64_t)g) << WM_HEAP_CELL_BITS) | cell};
}

static inline wm_cell wm_heap_entry_cell(wm_heap_entry entry)
{
    return (wm_cell)(entry.order & ((1u << WM_HEAP_CELL_BITS) - 1));
}

/// Adds an entry for a cell that has none.
void wm_heap_push(wm_heap* heap, wm_heap_entry entry);
/// Puts an entry that is not worse in the place of the cell's present one.
void wm_heap_improve(wm_heap* heap, wm_heap_entry entry);
/// Removes and returns the best entry; its node becomes closed. The heap must not be empty.
wm_heap_entry wm_heap_pop(wm_heap* heap);
