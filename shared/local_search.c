// SPDX-License-Identifier: MIT
//
// A small A* in fixed memory: nodes in the order of their finding, a hash table from cells to
// nodes, a heap of nodes. Everything is on the stack, so any number of threads may search.
#include <string.h>

#include "controller.h"

#define MAX_NODES (8 * WM_MAX_LOCAL_EXPANSIONS + 1)
#define HASH_SIZE 4096

typedef struct local_node {
    wm_cell cell;
    uint32_t g;
    uint16_t parent;
    uint8_t direction;
    bool closed;
} local_node;

typedef struct heap_entry {
    uint32_t f;
    uint32_t g;
    uint16_t node;
} heap_entry;

typedef struct local_state {
    const wm_grid* grid;
    wm_point goal;
    local_node nodes[MAX_NODES];
    uint16_t count;
    uint16_t slot[HASH_SIZE]; // node + 1; 0 is empty
    uint32_t mask;
    heap_entry heap[MAX_NODES];
    uint16_t heap_count;
} local_state;

static bool entry_before(const local_state* s, heap_entry a, heap_entry b)
{
    if (a.f != b.f) return a.f < b.f;
    if (a.g != b.g) return a.g > b.g;
    return s->nodes[a.node].cell < s->nodes[b.node].cell;
}

static void heap_push(local_state* s, heap_entry entry)
{
    uint16_t hole = s->heap_count++;
    while (hole > 0) {
        const uint16_t above = (uint16_t)((hole - 1) / 2);
        if (!entry_before(s, entry, s->heap[above])) break;
        s->heap[hole] = s->heap[above];
        hole = above;
    }
    s->heap[hole] = entry;
}

static heap_entry heap_pop(local_state* s)
{
    const heap_entry best = s->heap[0];
    const heap_entry last = s->heap[--s->heap_count];
    uint32_t hole = 0;
    for (uint32_t child = 1; child < s->heap_count; child = 2 * hole + 1) {
        if (child + 1 < s->heap_count && entry_before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!entry_before(s, s->heap[child], last)) break;
        s->heap[hole] = s->heap[child];
        hole = child;
    }
    s->heap[hole] = last;
    return best;
}

// The node of a cell, or the empty slot where it belongs.
static uint16_t* find_slot(local_state* s, wm_cell cell)
{
    uint32_t at = cell * UINT32_C(2654435769) >> 7 & s->mask;
    while (s->slot[at] != 0 && s->nodes[s->slot[at] - 1].cell != cell) at = (at + 1) & s->mask;
    return &s->slot[at];
}

// The heap has room for one entry per node: a better way to an open node replaces its entry's
// meaning, and an entry whose g is out of date is skipped.
static void reach(local_state* s, wm_cell cell, wm_point p, uint16_t parent, int d, uint32_t g)
{
    uint16_t* slot = find_slot(s, cell);
    uint16_t node = (uint16_t)(*slot - 1);
    if (*slot == 0) {
        if (s->count == MAX_NODES) return;
        node = s->count++;
        *slot = (uint16_t)(node + 1);
    } else if (s->nodes[node].g <= g) {
        return;
    }
    s->nodes[node] = (local_node){cell, g, parent, (uint8_t)d, false};
    const uint32_t h = (uint32_t)wm_octile(p.x - s->goal.x, p.y - s->goal.y);
    if (s->heap_count < MAX_NODES) heap_push(s, (heap_entry){g + h, g, node});
}

static void expand(local_state* s, uint16_t node)
{
    const wm_cell cell = s->nodes[node].cell;
    const wm_point p = wm_grid_point(s->grid, cell);
    for (unsigned left = s->grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        reach(s, wm_grid_step(s->grid, cell, d),
              (wm_point){p.x + wm_direction_x[d], p.y + wm_direction_y[d]}, node, d,
              s->nodes[node].g + (uint32_t)wm_direction_cost[d]);
    }
}

static bool write_path(const local_state* s, uint16_t node, wm_leg_path* path)
{
    uint16_t length = 0;
    for (uint16_t at = node; at != 0; at = s->nodes[at].parent) length++;
    if (length > WM_MAX_LOCAL_EXPANSIONS) return false;
    path->length = length;
    memset(path->moves, 0, sizeof path->moves);
    for (uint16_t at = node; at != 0; at = s->nodes[at].parent) {
        length--;
        path->moves[length / 2] |= (uint8_t)(s->nodes[at].direction << (length % 2 * 4));
    }
    return true;
}

wm_cost wm_local_search(const wm_grid* grid, wm_cell from, wm_cell to, uint32_t max_expansions,
                        wm_leg_path* path, uint64_t* states)
{
    local_state s;
    s.grid = grid;
    s.goal = wm_grid_point(grid, to);
    s.count = 0;
    s.heap_count = 0;
    s.mask = 255;
    while (s.mask < 16 * max_expansions && s.mask < HASH_SIZE - 1) s.mask = 2 * s.mask + 1;
    memset(s.slot, 0, (s.mask + 1) * sizeof s.slot[0]);
    reach(&s, from, wm_grid_point(grid, from), 0, 0, 0);
    for (uint32_t expansions = 0; s.heap_count > 0;) {
        const heap_entry best = heap_pop(&s);
        local_node* node = &s.nodes[best.node];
        if (node->closed || node->g != best.g) continue;
        if (node->cell == to)
            return path == NULL || write_path(&s, best.node, path) ? (wm_cost)best.g
                                                                   : WM_COST_INFINITE;
        if (expansions++ == max_expansions) break;
        node->closed = true;
        *states += 1;
        expand(&s, best.node);
    }
    return WM_COST_INFINITE;
}
