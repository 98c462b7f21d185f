// SPDX-License-Identifier: MIT
//
// A flood takes first what lines lead to from the seed: most cells of a region. Then it goes on behind
// corners, cell by cell, where the controller must be asked. Climbs to one seed run together, so that
// what is known of a cell is known of all that come through it.
#include "cover.h"

#include <assert.h>
#include <string.h>

#include "alloc.h"
#include "climb.h"
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
    cover->climbs = wm_alloc(allocator, WM_COVER_WINDOW, sizeof *cover->climbs);
    cover->pattern = wm_alloc(allocator, 1, sizeof *cover->pattern);
    if (cover->tenure == NULL || cover->queue == NULL || cover->climbs == NULL ||
        cover->pattern == NULL) {
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
    wm_release(&allocator, cover->climbs, WM_COVER_WINDOW, sizeof *cover->climbs);
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
    window_row known[SIDE]; // that, and what was asked
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

// Three bits of a row, the middle one at `at`.
static inline unsigned three_bits(const window_row* row, int32_t at)
{
    const int32_t first = at - 1;
    if (first >= 64) return (unsigned)(row->bits[1] >> (first - 64)) & 7;
    if (first == 0) return (unsigned)row->bits[0] & 7;
    return (unsigned)(row->bits[0] >> first | row->bits[1] << (64 - first)) & 7;
}

// Which of the eight cells around one are in a set: a bit for each direction.
static inline unsigned around(const window_row* set, int32_t column, int32_t row)
{
    const unsigned north = three_bits(&set[row - 1], column);
    const unsigned level = three_bits(&set[row], column);
    const unsigned south = three_bits(&set[row + 1], column);
    return (north >> 1 & 1) << WM_NORTH | (north >> 2) << WM_NORTH_EAST | (level >> 2) << WM_EAST |
           (south >> 2) << WM_SOUTH_EAST | (south >> 1 & 1) << WM_SOUTH |
           (south & 1) << WM_SOUTH_WEST | (level & 1) << WM_WEST | (north & 1) << WM_NORTH_WEST;
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

// What is known of the climb from a cell to the seed, in a number: the flood that found it out, its
// steps (NO_CLIMB: it does not get there), its cost.
#define COST_BITS 24
#define STEP_BITS 8
#define NO_CLIMB ((1u << STEP_BITS) - 1)
// The octile distance to the seed falls with every step, by 8119 - 5741 at least.
#define MOST_STEPS (WM_MAX_LEG * 8119 / (8119 - 5741) + 1)

static uint64_t note_of(const flooding* f, unsigned steps, wm_cost cost)
{
    return (uint64_t)f->cover->floods << (COST_BITS + STEP_BITS) | (uint64_t)steps << COST_BITS |
           (uint64_t)cost;
}

static unsigned steps_of(uint64_t note)
{
    return (unsigned)(note >> COST_BITS) & NO_CLIMB;
}

static wm_cost cost_of(uint64_t note)
{
    return (wm_cost)(note & ((1u << COST_BITS) - 1));
}

static bool is_noted(const flooding* f, size_t place)
{
    return f->cover->climbs[place] >> (COST_BITS + STEP_BITS) == f->cover->floods;
}

// Climbs from a place in the window to the seed, as far as nothing is known, and notes what comes of
// it for all on the way.
static uint64_t climb_home(const flooding* f, int32_t column, int32_t row)
{
    uint64_t* notes = f->cover->climbs;
    uint16_t places[MOST_STEPS];
    uint8_t directions[MOST_STEPS];
    int steps = 0;
    size_t place = (size_t)(row * SIDE + column);
    while (!is_noted(f, place)) {
        const unsigned moves = f->grid->moves[cell_at(f, column, row)];
        const int d = wm_climb_direction(moves, MIDDLE - column, MIDDLE - row);
        if (d < 0) {
            notes[place] = note_of(f, NO_CLIMB, 0);
            break;
        }
        assert(steps < MOST_STEPS);
        places[steps] = (uint16_t)place;
        directions[steps++] = (uint8_t)d;
        column += wm_direction_x[d];
        row += wm_direction_y[d];
        place = (size_t)(row * SIDE + column);
    }
    uint64_t note = notes[place];
    while (steps-- > 0) {
        if (steps_of(note) != NO_CLIMB)
            note = note_of(f, steps_of(note) + 1,
                           cost_of(note) + wm_direction_cost[directions[steps]]);
        notes[places[steps]] = note;
    }
    return note;
}

// The cost to the seed from a cell that no line leads to; infinite where one of the two is not
// reached from the other.
static wm_cost detour_cost(const flooding* f, wm_cell cell, int32_t dx, int32_t dy)
{
    const wm_controller* controller = f->cover->controller;
    const uint64_t climb = climb_home(f, MIDDLE + dx, MIDDLE + dy);
    const bool climbs = steps_of(climb) <= WM_MAX_LEG;
    uint64_t states = 0;
    wm_cost cost = cost_of(climb);
    if (!climbs && controller->max_expansions == 0) return WM_COST_INFINITE;
    if (!climbs) cost = wm_controller_detour(controller, cell, f->seed, NULL, &states).cost;
    if (cost >= COST_LIMIT ||
        wm_controller_detour(controller, f->seed, cell, NULL, &states).kind == WM_LEG_NONE)
        return WM_COST_INFINITE;
    return cost;
}

// Whether the flood goes on from a cell that no line leads to: also where others serve it better,
// because behind it there may be some that nobody else gets to. Nothing is cheaper than the octile
// distance, so an owner at that cost stays, unasked.
static bool ask(flooding* f, wm_cell cell, int32_t dx, int32_t dy)
{
    const wm_cost octile = wm_octile(dx, dy);
    set_bit(&f->known[MIDDLE + dy], MIDDLE + dx);
    if (octile > f->cover->radius || abs(dx) > WM_MAX_LEG || abs(dy) > WM_MAX_LEG) return false;
    if (!is_better(f->cover->tenure[cell], (uint32_t)octile)) return true;
    const wm_cost cost = detour_cost(f, cell, dx, dy);
    if (cost == WM_COST_INFINITE) return false;
    f->cover->tenure[cell] = better(f->cover->tenure[cell], (uint32_t)cost, f->region);
    return true;
}

// From a cell in the queue to those beside it.
static size_t go_on(flooding* f, uint16_t place, size_t end)
{
    const int32_t column = place % SIDE;
    const int32_t row = place / SIDE;
    const wm_cell cell = cell_at(f, column, row);
    unsigned left = f->grid->moves[cell] & ~around(f->known, column, row);
    for (; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const int32_t x = column + wm_direction_x[d];
        const int32_t y = row + wm_direction_y[d];
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
    window_row beside;
    const uint8_t* open = wm_planes_open_row(f->cover->controller->planes, f->at.y + dy);
    const uint32_t x = (uint32_t)f->at.x;
    add_half(&near, wm_bits_east(open, x) & within_radius(f, dy, false), false);
    add_half(&near, wm_bits_west(open, x) & within_radius(f, dy, true), true);
    for (int i = 0; i < 2; i++)
        beside.bits[i] = seen[-1].bits[i] | seen[0].bits[i] | seen[1].bits[i];
    const uint64_t low = beside.bits[0];
    const uint64_t high = beside.bits[1];
    beside.bits[0] |= low << 1 | low >> 1 | high << 63;
    beside.bits[1] |= high << 1 | high >> 1 | low >> 63;
    for (int i = 0; i < 2; i++) beside.bits[i] &= near.bits[i] & ~seen->bits[i];
    return beside;
}

// Asks for the cells of a row that a legal step joins to seen ones, and goes on from there.
static void go_on_around(flooding* f, int32_t dy)
{
    const window_row beside = cells_around(f, dy);
    const int32_t row = MIDDLE + dy;
    size_t begin = 0;
    size_t end = 0;
    for (int i = 0; i < 2; i++) {
        for (uint64_t left = beside.bits[i]; left != 0; left &= left - 1) {
            const int32_t column = 64 * i + __builtin_ctzll(left);
            const wm_cell cell = cell_at(f, column, row);
            const unsigned beside_seen = f->grid->moves[cell] & around(f->seen, column, row);
            if (get_bit(&f->known[row], column) || beside_seen == 0) continue;
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
    memcpy(f.known, f.seen, sizeof f.known);
    cover->floods++;
    cover->climbs[MIDDLE * SIDE + MIDDLE] = note_of(&f, 0, 0);
    for (int32_t dy = -f.rows; dy <= f.rows; dy++) {
        if (f.at.y + dy >= 0 && f.at.y + dy < f.grid->height) go_on_around(&f, dy);
    }
}
