// SPDX-License-Identifier: MIT
//
// A flood takes first what lines lead to from the seed: most cells of a region. Then it goes on behind
// corners, cell by cell, where the controller must be asked.
#include "cover.h"

#include <assert.h>
#include <string.h>

#include "alloc.h"
#include "sight.h"

static void fill_pattern(wm_cover_pattern* t, wm_cost radius)
{
    for (int32_t dy = 0; dy <= WM_MAX_LEG; dy++) {
        for (int32_t dx = -WM_MAX_LEG; dx <= WM_MAX_LEG; dx++) {
            const wm_cost octile = wm_octile(dx, dy);
            t->octile[dy][dx + WM_MAX_LEG] = (uint32_t)octile;
            if (dx >= 0 && octile <= radius) t->reach[dy] = (uint8_t)(dx + 1);
        }
    }
}

wm_status wm_cover_create(wm_cover* cover, const wm_controller* controller, wm_cost radius,
                          const wm_allocator* allocator, wm_error* error)
{
    const uint32_t cells = controller->grid->cell_count;
    *cover = (wm_cover){.controller = controller, .radius = radius};
    if (allocator != NULL) cover->allocator = *allocator;
    cover->tenure = wm_alloc(allocator, cells, sizeof *cover->tenure);
    cover->queue = wm_alloc(allocator, WM_COVER_WINDOW, sizeof *cover->queue);
    cover->pattern = wm_alloc(allocator, 1, sizeof *cover->pattern);
    if (cover->tenure == NULL || cover->queue == NULL || cover->pattern == NULL) {
        wm_cover_free(cover);
        return wm_fail_memory(error, cells * sizeof *cover->tenure);
    }
    fill_pattern(cover->pattern, radius);
    wm_cover_reset(cover);
    return WM_OK;
}

void wm_cover_free(wm_cover* cover)
{
    const wm_allocator allocator = cover->allocator;
    const uint32_t cells = cover->controller == NULL ? 0 : cover->controller->grid->cell_count;
    wm_release(&allocator, cover->tenure, cells, sizeof *cover->tenure);
    wm_release(&allocator, cover->queue, WM_COVER_WINDOW, sizeof *cover->queue);
    wm_release(&allocator, cover->pattern, 1, sizeof *cover->pattern);
    *cover = (wm_cover){0};
}

void wm_cover_reset(wm_cover* cover)
{
    const uint32_t cells = cover->controller->grid->cell_count;
    memset(cover->tenure, 0xFF, cells * sizeof *cover->tenure);
}

// Costs that leave no room for a region beside them belong to no region.
#define COST_LIMIT (UINT32_MAX / WM_COVER_REGIONS)

#define SIDE WM_COVER_WINDOW_SIDE
#define MIDDLE (SIDE / 2)

// A bit per column of the window.
typedef struct window_row {
    uint64_t bits[2];
} window_row;

typedef struct flooding {
    wm_cover* cover;
    const wm_grid* grid;
    uint32_t region;
    wm_cell seed;
    wm_point at;            // the seed
    int32_t rows;           // within the radius, to either side
    window_row seen[SIDE];  // what lines lead to
    window_row asked[SIDE]; // of the rest: what was looked at
} flooding;

static void set_bit(window_row* row, int32_t at)
{
    row->bits[at / 64] |= UINT64_C(1) << at % 64;
}

static wm_cell cell_at(const flooding* f, int32_t column, int32_t row)
{
    return f->seed + (wm_cell)((row - MIDDLE) * f->grid->width + column - MIDDLE);
}

static bool get_bit(const window_row* row, int32_t at)
{
    return (row->bits[at / 64] >> at % 64 & 1) != 0;
}

// Whether an owner at `cost` would be better than what a cell has: equal is not.
static inline bool is_better(uint32_t tenure, uint32_t cost)
{
    return (cost * WM_COVER_REGIONS | (WM_COVER_REGIONS - 1)) < tenure;
}

static inline uint32_t better(uint32_t tenure, uint32_t cost, uint32_t region)
{
    return is_better(tenure, cost) ? cost * WM_COVER_REGIONS | region : tenure;
}

// ---------------------------------------------------------------------------------------------
// What lines lead to

// The columns of half a row that the radius includes.
static inline uint64_t within_radius(const flooding* f, int32_t dy, bool west)
{
    const unsigned reach = f->cover->pattern->reach[abs(dy)];
    if (reach == 0) return 0;
    return west ? UINT64_MAX << (64 - reach) : UINT64_MAX >> (64 - reach);
}

static inline void add_half(window_row* row, uint64_t set, bool west)
{
    row->bits[0] |= west ? set >> (63 - MIDDLE) : set << MIDDLE;
    if (!west) row->bits[1] |= set >> (64 - MIDDLE);
}

// Takes a set of cells in half of the row `dy` from the seed, run by run.
static inline void take_half(flooding* f, int32_t dy, uint64_t set, bool west)
{
    const int32_t first_column = west ? -63 : 0; // of bit 0
    const wm_cell row = f->seed + (wm_cell)(dy * f->grid->width);
    set &= within_radius(f, dy, west);
    add_half(&f->seen[MIDDLE + dy], set, west);
    while (set != 0) {
        const int begin = __builtin_ctzll(set);
        const int32_t dx = first_column + begin;
        const uint64_t after = ~(set >> begin);
        const int count = after == 0 ? 64 : __builtin_ctzll(after);
        const uint32_t* octile = &f->cover->pattern->octile[abs(dy)][WM_MAX_LEG + dx];
        uint32_t* tenure = &f->cover->tenure[row + (wm_cell)dx];
        for (int i = 0; i < count; i++) tenure[i] = better(tenure[i], octile[i], f->region);
        set &= set + (UINT64_C(1) << begin); // without the run
    }
}

static void take_sight(flooding* f)
{
    wm_sight sight;
    wm_sight_look(&sight, f->cover->controller->planes, f->at, f->rows);
    for (int32_t dy = -f->rows; dy <= f->rows; dy++) {
        take_half(f, dy, sight.east[WM_MAX_LEG + dy], false);
        take_half(f, dy, sight.west[WM_MAX_LEG + dy], true);
    }
}

// ---------------------------------------------------------------------------------------------
// What lies behind corners

// The cost to the seed from a cell that no line leads to; infinite where one of the two is not
// reached from the other.
static wm_cost detour_cost(const flooding* f, wm_cell cell)
{
    const wm_controller* controller = f->cover->controller;
    uint64_t states = 0;
    const wm_leg leg = wm_controller_detour(controller, cell, f->seed, NULL, &states);
    if (leg.kind == WM_LEG_NONE || leg.cost >= COST_LIMIT ||
        wm_controller_detour(controller, f->seed, cell, NULL, &states).kind == WM_LEG_NONE)
        return WM_COST_INFINITE;
    return leg.cost;
}

// Whether the flood goes on from a cell that no line leads to: also where others serve it better,
// because behind it there may be some that nobody else gets to. Nothing is cheaper than the octile
// distance, so an owner at that cost stays, unasked.
static bool ask(flooding* f, wm_cell cell, int32_t dx, int32_t dy)
{
    const wm_cost octile = wm_octile(dx, dy);
    set_bit(&f->asked[MIDDLE + dy], MIDDLE + dx);
    if (octile > f->cover->radius || abs(dx) > WM_MAX_LEG || abs(dy) > WM_MAX_LEG) return false;
    if (!is_better(f->cover->tenure[cell], (uint32_t)octile)) return true;
    const wm_cost cost = detour_cost(f, cell);
    if (cost == WM_COST_INFINITE) return false;
    f->cover->tenure[cell] = better(f->cover->tenure[cell], (uint32_t)cost, f->region);
    return true;
}

static bool is_beside_seen(const flooding* f, wm_cell cell, int32_t column, int32_t row)
{
    for (unsigned left = f->grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        if (get_bit(&f->seen[row + wm_direction_y[d]], column + wm_direction_x[d])) return true;
    }
    return false;
}

// From a cell in the queue to those beside it.
static size_t go_on(flooding* f, uint16_t place, size_t end)
{
    const int32_t column = place % SIDE;
    const int32_t row = place / SIDE;
    const wm_cell cell = cell_at(f, column, row);
    for (unsigned left = f->grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const int32_t x = column + wm_direction_x[d];
        const int32_t y = row + wm_direction_y[d];
        if (get_bit(&f->seen[y], x) || get_bit(&f->asked[y], x)) continue;
        if (ask(f, wm_grid_step(f->grid, cell, d), x - MIDDLE, y - MIDDLE))
            f->cover->queue[end++] = (uint16_t)(y * SIDE + x);
    }
    return end;
}

// The open cells of a row, within the radius, that are beside seen ones and not seen.
static window_row cells_around(const flooding* f, int32_t dy)
{
    const window_row* seen = &f->seen[MIDDLE + dy];
    window_row near = {{0}};
    window_row around;
    const uint8_t* open = wm_planes_open_row(f->cover->controller->planes, f->at.y + dy);
    const uint32_t x = (uint32_t)f->at.x;
    add_half(&near, wm_bits_east(open, x) & within_radius(f, dy, false), false);
    add_half(&near, wm_bits_west(open, x) & within_radius(f, dy, true), true);
    for (int i = 0; i < 2; i++)
        around.bits[i] = seen[-1].bits[i] | seen[0].bits[i] | seen[1].bits[i];
    const uint64_t low = around.bits[0];
    const uint64_t high = around.bits[1];
    around.bits[0] |= low << 1 | low >> 1 | high << 63;
    around.bits[1] |= high << 1 | high >> 1 | low >> 63;
    for (int i = 0; i < 2; i++) around.bits[i] &= near.bits[i] & ~seen->bits[i];
    return around;
}

// Asks for the cells of a row that a legal step joins to seen ones, and goes on from there.
static void go_on_around(flooding* f, int32_t dy)
{
    const window_row around = cells_around(f, dy);
    const int32_t row = MIDDLE + dy;
    size_t begin = 0;
    size_t end = 0;
    for (int i = 0; i < 2; i++) {
        for (uint64_t left = around.bits[i]; left != 0; left &= left - 1) {
            const int32_t column = 64 * i + __builtin_ctzll(left);
            const wm_cell cell = cell_at(f, column, row);
            if (get_bit(&f->asked[row], column) || !is_beside_seen(f, cell, column, row)) continue;
            if (ask(f, cell, column - MIDDLE, dy))
                f->cover->queue[end++] = (uint16_t)(row * SIDE + column);
        }
    }
    while (begin < end) end = go_on(f, f->cover->queue[begin++], end);
}

void wm_cover_flood(wm_cover* cover, uint32_t region, wm_cell seed)
{
    const wm_cost rows = cover->radius / WM_COST_STRAIGHT;
    flooding f = {.cover = cover, .grid = cover->controller->grid, .region = region, .seed = seed};
    assert(region < WM_COVER_REGIONS);
    f.at = wm_grid_point(f.grid, seed);
    f.rows = rows < WM_MAX_LEG ? (int32_t)rows : WM_MAX_LEG;
    cover->tenure[seed] = region;
    set_bit(&f.seen[MIDDLE], MIDDLE);
    take_sight(&f);
    for (int32_t dy = -f.rows; dy <= f.rows; dy++) {
        if (f.at.y + dy >= 0 && f.at.y + dy < f.grid->height) go_on_around(&f, dy);
    }
}
