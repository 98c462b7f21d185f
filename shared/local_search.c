// SPDX-License-Identifier: MIT
//
// A small A* in fixed memory: nodes in the order of their finding, a hash table from cells to
// nodes, a heap of nodes. Everything is on the stack, so any number of threads may search. Steps that
// the node before could take itself, at no more cost, are not looked at.
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

// Ordered by f, then larger g, then lower cell, which one number says: cells are counted in a window
// around the start that no search leaves.
typedef struct heap_entry {
    uint64_t key;
    uint16_t node;
} heap_entry;
#define G_BITS 21
#define PLACE_BITS 18
#define WINDOW_SIDE (2 * (WM_MAX_LOCAL_EXPANSIONS + 1) + 1)
_Static_assert(WINDOW_SIDE* WINDOW_SIDE <= 1 << PLACE_BITS, "places in the window fit");
_Static_assert((WM_MAX_LOCAL_EXPANSIONS + 1) * 8119 < 1 << G_BITS, "costs of searches fit");

typedef struct local_state {
    const wm_grid* grid;
    wm_point start;
    wm_point goal;
    local_node nodes[MAX_NODES];
    uint16_t count;
    uint16_t slot[HASH_SIZE]; // node + 1; 0 is empty
    uint32_t mask;
    heap_entry heap[MAX_NODES];
    uint16_t heap_count;
} local_state;

static uint64_t key_of(const local_state* s, wm_point p, uint32_t g)
{
    const uint32_t f = g + (uint32_t)wm_octile(p.x - s->goal.x, p.y - s->goal.y);
    const uint32_t longer = ((uint32_t)1 << G_BITS) - 1 - g;
    const int32_t place =
        (p.y - s->start.y + WINDOW_SIDE / 2) * WINDOW_SIDE + p.x - s->start.x + WINDOW_SIDE / 2;
    return ((uint64_t)f << G_BITS | longer) << PLACE_BITS | (uint64_t)place;
}

static uint32_t g_of(uint64_t key)
{
    const uint32_t mask = ((uint32_t)1 << G_BITS) - 1;
    return mask - ((uint32_t)(key >> PLACE_BITS) & mask);
}

static void heap_push(local_state* s, heap_entry entry)
{
    uint32_t hole = s->heap_count++;
    while (hole > 0) {
        const uint32_t above = (hole - 1) / 2;
        if (entry.key >= s->heap[above].key) break;
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
        if (child + 1 < s->heap_count && s->heap[child + 1].key < s->heap[child].key) child++;
        if (s->heap[child].key >= last.key) break;
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
    if (s->heap_count < MAX_NODES) heap_push(s, (heap_entry){key_of(s, p, g), node});
}

static unsigned steps_on(const local_state* s, const local_node* node)
{
    if (node->cell == s->nodes[0].cell) return s->grid->moves[node->cell];
    const unsigned before = s->grid->moves[s->nodes[node->parent].cell];
    return s->grid->moves[node->cell] & ~wm_moves_done(before, node->direction);
}

static void expand(local_state* s, uint16_t node)
{
    const wm_cell cell = s->nodes[node].cell;
    const wm_point p = wm_grid_point(s->grid, cell);
    for (unsigned left = steps_on(s, &s->nodes[node]); left != 0; left &= left - 1) {
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
    s.start = wm_grid_point(grid, from);
    s.goal = wm_grid_point(grid, to);
    s.count = 0;
    s.heap_count = 0;
    s.mask = 255;
    while (s.mask < 16 * max_expansions && s.mask < HASH_SIZE - 1) s.mask = 2 * s.mask + 1;
    memset(s.slot, 0, (s.mask + 1) * sizeof s.slot[0]);
    reach(&s, from, s.start, 0, 0, 0);
    for (uint32_t expansions = 0; s.heap_count > 0;) {
        const heap_entry best = heap_pop(&s);
        local_node* node = &s.nodes[best.node];
        if (node->closed || node->g != g_of(best.key)) continue;
        if (node->cell == to)
            return path == NULL || write_path(&s, best.node, path) ? (wm_cost)node->g
                                                                   : WM_COST_INFINITE;
        if (expansions++ == max_expansions) break;
        node->closed = true;
        *states += 1;
        expand(&s, best.node);
    }
    return WM_COST_INFINITE;
}
