// SPDX-License-Identifier: MIT
#include "portals.h"

#include <stdlib.h>

#include "alloc.h"

#define NOTHING UINT32_MAX

typedef struct listed {
    wm_portal portal;
    uint32_t next; // of the same region
} listed;

typedef struct finding {
    const wm_cover* cover;
    uint32_t side;
    uint32_t* first; // per region: its last listed portal
    listed* list;
    uint32_t count;
    size_t capacity;
    uint32_t last[2]; // noted, out and back; the next step often belongs to them too
} finding;

static bool is_for(const wm_portal* portal, uint32_t from, uint32_t into, uint32_t square)
{
    return portal->from == from && portal->into == into && portal->square == square;
}

// Room for one more.
static bool make_room(finding* f)
{
    if (f->list != NULL && f->count < f->capacity) return true;
    listed* grown = wm_grow(f->list, &f->capacity, (size_t)f->count + 1, sizeof *grown);
    if (grown != NULL) f->list = grown;
    return grown != NULL;
}

// The portal that a step belongs to. There is room for a new one.
static wm_portal* portal_for(finding* f, int back, uint32_t from, uint32_t into, uint32_t square)
{
    uint32_t i = f->last[back];
    if (i == NOTHING || !is_for(&f->list[i].portal, from, into, square)) {
        i = f->first[from];
        while (i != NOTHING && !is_for(&f->list[i].portal, from, into, square)) i = f->list[i].next;
    }
    if (i == NOTHING) {
        i = f->count++;
        f->list[i] = (listed){.portal = {from, into, square, WM_NO_CELL, WM_COST_INFINITE},
                              .next = f->first[from]};
        f->first[from] = i;
    }
    f->last[back] = i;
    return &f->list[i].portal;
}

// A step across a border, or back.
static bool note(finding* f, int back, wm_cell from, wm_cell to, uint32_t square, wm_cost cost)
{
    if (!make_room(f)) return false;
    wm_portal* portal =
        portal_for(f, back, wm_cover_owner(f->cover, from), wm_cover_owner(f->cover, to), square);
    if (cost < portal->cost) {
        portal->cost = cost;
        portal->to = to;
    }
    return true;
}

static bool note_steps_from(finding* f, wm_cell cell)
{
    const wm_grid* grid = f->cover->grid;
    const unsigned half =
        1u << WM_EAST | 1u << WM_SOUTH_EAST | 1u << WM_SOUTH | 1u << WM_SOUTH_WEST;
    const uint32_t owner = wm_cover_owner(f->cover, cell);
    if (owner == WM_NO_REGION) return true;
    for (unsigned left = grid->moves[cell] & half; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cell next = wm_grid_step(grid, cell, d);
        const uint32_t other = wm_cover_owner(f->cover, next);
        if (other == owner || other == WM_NO_REGION) continue;
        const wm_point p = wm_grid_point(grid, cell);
        const uint32_t square =
            (uint32_t)p.y / f->side * WM_GRID_MAX_SIDE + (uint32_t)p.x / f->side;
        const wm_cost cost =
            wm_cover_cost(f->cover, cell) + wm_direction_cost[d] + wm_cover_cost(f->cover, next);
        if (!note(f, 0, cell, next, square, cost) || !note(f, 1, next, cell, square, cost))
            return false;
    }
    return true;
}

static bool find_all(finding* f, uint32_t region_count)
{
    f->first = malloc(region_count * sizeof *f->first);
    if (f->first == NULL) return false;
    for (uint32_t r = 0; r < region_count; r++) f->first[r] = NOTHING;
    for (wm_cell cell = 0; cell < f->cover->grid->cell_count; cell++) {
        if (!note_steps_from(f, cell)) return false;
    }
    return true;
}

wm_status wm_portals_find(wm_portals* portals, const wm_cover* cover, uint32_t region_count,
                          uint32_t side)
{
    finding f = {.cover = cover, .side = side, .last = {NOTHING, NOTHING}};
    *portals = (wm_portals){0};
    bool complete = find_all(&f, region_count);
    if (complete) {
        portals->list = malloc(((size_t)f.count + 1) * sizeof *portals->list);
        complete = portals->list != NULL;
    }
    for (uint32_t r = 0; complete && r < region_count; r++) {
        for (uint32_t i = f.first[r]; i != NOTHING; i = f.list[i].next)
            portals->list[portals->count++] = f.list[i].portal;
    }
    free(f.first);
    free(f.list);
    return complete ? WM_OK : WM_ERR_MEMORY;
}

void wm_portals_free(wm_portals* portals)
{
    free(portals->list);
    *portals = (wm_portals){0};
}
