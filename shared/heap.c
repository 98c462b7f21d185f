// SPDX-License-Identifier: MIT
#include "heap.h"

#define MAX_CELLS (UINT64_C(1) * WM_GRID_MAX_SIDE * WM_GRID_MAX_SIDE)

_Static_assert(MAX_CELLS <= UINT64_C(1) << WM_HEAP_CELL_BITS,
               "every cell must fit the low bits of an entry's order");
_Static_assert(MAX_CELLS*(uint64_t)WM_COST_DIAGONAL <= WM_HEAP_MAX_G,
               "the longest simple path must fit the high bits of an entry's order");

static inline bool before(wm_heap_entry a, wm_heap_entry b)
{
    return a.f != b.f ? a.f < b.f : a.order < b.order;
}

static inline void place(wm_heap* heap, uint32_t slot, wm_heap_entry entry)
{
    heap->entries[slot] = entry;
    heap->nodes[wm_heap_entry_cell(entry)].slot = slot;
}

static void sift_up(wm_heap* heap, uint32_t slot, wm_heap_entry entry)
{
    while (slot > 0) {
        const uint32_t parent = (slot - 1) / 2;
        if (!before(entry, heap->entries[parent])) break;
        place(heap, slot, heap->entries[parent]);
        slot = parent;
    }
    place(heap, slot, entry);
}

void wm_heap_push(wm_heap* heap, wm_heap_entry entry)
{
    sift_up(heap, heap->count++, entry);
}

void wm_heap_improve(wm_heap* heap, wm_heap_entry entry)
{
    sift_up(heap, heap->nodes[wm_heap_entry_cell(entry)].slot, entry);
}

wm_heap_entry wm_heap_pop(wm_heap* heap)
{
    const wm_heap_entry best = heap->entries[0];
    heap->nodes[wm_heap_entry_cell(best)].slot = WM_NODE_CLOSED;
    const wm_heap_entry last = heap->entries[--heap->count];
    if (heap->count == 0) return best;
    // The last entry nearly always belongs near the leaves again: let the hole sink to a leaf
    // first, which needs one comparison a level instead of two, and bring the entry up from there.
    uint32_t hole = 0;
    for (uint32_t child = 1; child < heap->count; child = 2 * hole + 1) {
        if (child + 1 < heap->count && before(heap->entries[child + 1], heap->entries[child]))
            child++;
        place(heap, hole, heap->entries[child]);
        hole = child;
    }
    sift_up(heap, hole, last);
    return best;
}
