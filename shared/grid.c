// SPDX-License-Identifier: MIT
#include "grid.h"

#include <string.h>

#include "alloc.h"
#include "components.h"
#include "hash.h"

const int8_t wm_direction_x[WM_DIRECTIONS] = {0, 1, 1, 1, 0, -1, -1, -1};
const int8_t wm_direction_y[WM_DIRECTIONS] = {-1, -1, 0, 1, 1, 1, 0, -1};
const wm_cost wm_direction_cost[WM_DIRECTIONS] = {
    WM_COST_STRAIGHT, WM_COST_DIAGONAL, WM_COST_STRAIGHT, WM_COST_DIAGONAL,
    WM_COST_STRAIGHT, WM_COST_DIAGONAL, WM_COST_STRAIGHT, WM_COST_DIAGONAL,
};

const char* wm_diagonal_name(wm_diagonal diagonal)
{
    return diagonal == WM_DIAGONAL_SQUEEZE ? "squeeze" : "none";
}

bool wm_diagonal_from_name(wm_diagonal* diagonal, const char* name)
{
    for (int rule = WM_DIAGONAL_NONE; rule <= WM_DIAGONAL_SQUEEZE; rule++) {
        if (strcmp(name, wm_diagonal_name((wm_diagonal)rule)) != 0) continue;
        *diagonal = (wm_diagonal)rule;
        return true;
    }
    return false;
}

int wm_grid_direction_between(const wm_grid* grid, wm_cell a, wm_cell b)
{
    // Row and column of the step from the difference; on maps of one or two columns they are wrong.
    const int32_t difference = (int32_t)(b - a);
    const int32_t dy = (difference > 1) - (difference < -1);
    const int32_t dx = difference - dy * grid->width;
    if (grid->width > 2) {
        if (dx < -1 || dx > 1 || difference == 0) return -1;
        const int direction = wm_direction_toward(dx, dy);
        return (grid->moves[a] >> direction & 1) != 0 ? direction : -1;
    }
    for (unsigned left = grid->moves[a]; left != 0; left &= left - 1) {
        const int direction = wm_lowest_direction(left);
        if (wm_grid_step(grid, a, direction) == b) return direction;
    }
    return -1;
}

// The open cells around one, a bit for each direction.
static unsigned open_around(const wm_grid* grid, wm_cell cell)
{
    const wm_point p = wm_grid_point(grid, cell);
    const bool inside = p.x > 0 && p.y > 0 && p.x < grid->width - 1 && p.y < grid->height - 1;
    unsigned open = 0;
    for (int d = 0; d < WM_DIRECTIONS; d++) {
        const wm_point q = {p.x + wm_direction_x[d], p.y + wm_direction_y[d]};
        if (!inside && !wm_grid_contains(grid, q)) continue;
        open |= (unsigned)wm_grid_is_open(grid, wm_grid_step(grid, cell, d)) << d;
    }
    return open;
}

#define STRAIGHT 0x55u // the bits of the straight directions
#define DIAGONAL 0xAAu

// The diagonal directions that have bits of `open` on both sides.
static unsigned between_open(unsigned open)
{
    return ((open << 1 | open >> 7) & (open >> 1 | open << 7)) & DIAGONAL;
}

static uint8_t legal_moves(const wm_grid* grid, wm_cell cell)
{
    const unsigned open = open_around(grid, cell);
    if (grid->diagonal == WM_DIAGONAL_SQUEEZE) return (uint8_t)open;
    return (uint8_t)(open & (STRAIGHT | between_open(open)));
}

unsigned wm_grid_parts_around(const wm_grid* grid, wm_cell cell)
{
    const unsigned open = open_around(grid, cell);
    const unsigned corners = between_open(open);
    // A corner joins the straight neighbours beside it when it is open; where diagonals may be
    // squeezed through they are joined anyway, and it is a neighbour itself.
    const unsigned ring = grid->diagonal == WM_DIAGONAL_SQUEEZE
                              ? open | corners
                              : (open & STRAIGHT) | (open & corners);
    if (ring == (STRAIGHT | DIAGONAL)) return 1u << WM_NORTH;
    return ring & ~(ring << 1 | ring >> 7);
}

uint64_t wm_grid_hash(const wm_grid* grid, wm_diagonal diagonal)
{
    uint64_t hash = wm_hash_u64(WM_HASH_START, (uint64_t)grid->width);
    hash = wm_hash_u64(hash, (uint64_t)grid->height);
    hash = wm_hash_u64(hash, (uint64_t)diagonal);
    for (wm_cell cell = 0; cell < grid->cell_count; cell += 64) {
        uint64_t bits = 0;
        for (wm_cell i = 0; i < 64 && cell + i < grid->cell_count; i++) {
            if (wm_grid_is_open(grid, cell + i)) bits |= UINT64_C(1) << i;
        }
        hash = wm_hash_u64(hash, bits);
    }
    // Apart even where all that is open is wide enough: a database is for one size.
    return grid->agent_size == 1 ? hash : wm_hash_u64(hash, (uint64_t)grid->agent_size);
}

void wm_grid_cover_cells(const wm_grid* grid, uint8_t* open)
{
    memset(open, 0, grid->cell_count);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (!wm_grid_is_open(grid, cell)) continue;
        for (int32_t y = 0; y < grid->agent_size; y++)
            memset(open + cell + (size_t)y * (size_t)grid->width, 1, (size_t)grid->agent_size);
    }
}

// Whether an agent of the grid's size fits with its upper left corner at (x, y).
static bool agent_fits(const wm_grid* grid, const uint8_t* open, size_t stride, int32_t x,
                       int32_t y)
{
    const int32_t size = grid->agent_size;
    if (x > grid->width - size || y > grid->height - size) return false;
    for (int32_t dy = 0; dy < size; dy++) {
        const uint8_t* row = open + (size_t)(y + dy) * stride + (size_t)x;
        for (int32_t dx = 0; dx < size; dx++) {
            if (row[dx] == 0) return false;
        }
    }
    return true;
}

static void mark_open_cells(wm_grid* grid, const uint8_t* open, size_t stride)
{
    for (int32_t y = 0; y < grid->height; y++) {
        for (int32_t x = 0; x < grid->width; x++) {
            if (!agent_fits(grid, open, stride, x, y)) continue;
            grid->component[wm_grid_cell(grid, (wm_point){x, y})] = 1; // until it is labelled
            grid->open_count++;
        }
    }
}

static void keep_raw_cells(wm_grid* grid, const uint8_t* open, size_t stride)
{
    const size_t width = (size_t)grid->width;
    for (size_t y = 0; y < (size_t)grid->height; y++) {
        for (size_t x = 0; x < width; x++) grid->raw[y * width + x] = open[y * stride + x] != 0;
    }
}

static bool reserve_cells(wm_grid* grid)
{
    const bool keeps_raw = grid->editable && grid->agent_size > 1;
    grid->moves = wm_alloc(&grid->allocator, grid->cell_count, sizeof *grid->moves);
    grid->component = wm_alloc(&grid->allocator, grid->cell_count, sizeof *grid->component);
    if (keeps_raw) grid->raw = wm_alloc(&grid->allocator, grid->cell_count, sizeof *grid->raw);
    return grid->moves != NULL && grid->component != NULL && (!keeps_raw || grid->raw != NULL);
}

wm_status wm_grid_create_as(wm_grid* grid, const uint8_t* open, int32_t width, int32_t height,
                            size_t stride, const wm_grid_rules* rules,
                            const wm_allocator* allocator, wm_error* error)
{
    memset(grid, 0, sizeof *grid);
    if (width < 1 || height < 1 || width > WM_GRID_MAX_SIDE || height > WM_GRID_MAX_SIDE)
        return wm_fail(error, WM_ERR_ARGUMENT, "a map of %d x %d cells is outside 1..%d a side",
                       (int)width, (int)height, WM_GRID_MAX_SIDE);
    if (allocator != NULL) grid->allocator = *allocator;
    grid->width = width;
    grid->height = height;
    grid->diagonal = rules->diagonal;
    grid->agent_size = rules->agent_size == 0 ? 1 : rules->agent_size;
    grid->editable = rules->editable;
    grid->cell_count = (uint32_t)width * (uint32_t)height;
    grid->per_width = wm_grid_per_width(width);
    for (int d = 0; d < WM_DIRECTIONS; d++)
        grid->offset[d] = wm_direction_y[d] * width + wm_direction_x[d];

    if (!reserve_cells(grid)) {
        wm_grid_free(grid);
        return wm_fail_memory(error, (size_t)width * (size_t)height * 5);
    }
    if (grid->raw != NULL) keep_raw_cells(grid, open, stride);
    mark_open_cells(grid, open, stride);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (wm_grid_is_open(grid, cell)) grid->moves[cell] = legal_moves(grid, cell);
    }
    grid->hash = wm_grid_hash(grid, grid->diagonal);
    wm_components_label(grid);
    return WM_OK;
}

wm_status wm_grid_create(wm_grid* grid, const uint8_t* open, int32_t width, int32_t height,
                         size_t stride, wm_diagonal diagonal, const wm_allocator* allocator,
                         wm_error* error)
{
    const wm_grid_rules rules = {.diagonal = diagonal, .agent_size = 1};
    return wm_grid_create_as(grid, open, width, height, stride, &rules, allocator, error);
}

// Legal moves of a cell and of all around it.
static void renew_moves(wm_grid* grid, wm_point p)
{
    for (int32_t y = p.y - 1; y <= p.y + 1; y++) {
        for (int32_t x = p.x - 1; x <= p.x + 1; x++) {
            if (!wm_grid_contains(grid, (wm_point){x, y})) continue;
            const wm_cell cell = wm_grid_cell(grid, (wm_point){x, y});
            grid->moves[cell] = wm_grid_is_open(grid, cell) ? legal_moves(grid, cell) : 0;
        }
    }
}

void wm_grid_set_open(wm_grid* grid, wm_cell cell, bool open)
{
    grid->component[cell] = open ? 1 : 0;
    renew_moves(grid, wm_grid_point(grid, cell));
}

// Room to write down what an edit changes; false where there is no memory, with the list untouched.
static bool reserve_changed(wm_grid* grid, size_t count)
{
    if (count <= grid->changed_capacity) return true;
    wm_cell* grown = wm_alloc(&grid->allocator, count, sizeof *grown);
    if (grown == NULL) return false;
    wm_release(&grid->allocator, grid->changed, grid->changed_capacity, sizeof *grid->changed);
    grid->changed = grown;
    grid->changed_capacity = count;
    return true;
}

// Opens or blocks a cell as agents see it, if it is not so already. `*known`: whether what is connected
// is known before, and after.
static void change_cell(wm_grid* grid, wm_cell cell, bool open, bool* known)
{
    if (wm_grid_is_open(grid, cell) == open) return;
    const uint32_t label = grid->component[cell];
    wm_grid_set_open(grid, cell, open);
    grid->open_count += open ? 1u : UINT32_MAX; // one more or one less
    if (open) grid->opened = grid->revision + 1;
    grid->changed[grid->changed_count++] = cell;
    if (*known)
        *known = open ? wm_components_opened(grid, cell) : wm_components_blocked(grid, cell, label);
}

// A cell of the map is covered by agents up to `agent_size` - 1 columns and rows before it.
static void apply_edit(wm_grid* grid, const wm_cell_edit* edit, bool* known)
{
    const wm_cell cell = wm_grid_cell(grid, edit->at);
    if (grid->raw == NULL) {
        change_cell(grid, cell, edit->open, known);
        return;
    }
    grid->raw[cell] = edit->open;
    for (int32_t y = edit->at.y; y >= 0 && y > edit->at.y - grid->agent_size; y--) {
        for (int32_t x = edit->at.x; x >= 0 && x > edit->at.x - grid->agent_size; x--)
            change_cell(grid, wm_grid_cell(grid, (wm_point){x, y}),
                        agent_fits(grid, grid->raw, (size_t)grid->width, x, y), known);
    }
}

// To take up edits one by one costs more than to label everything where there are more than one for
// so many cells.
#define CELLS_PER_EDIT 16

// Whether a cell of the map, not as agents see it, is to become another than it is.
static bool changes_cell(const wm_grid* grid, const wm_cell_edit* edit)
{
    const wm_cell cell = wm_grid_cell(grid, edit->at);
    const bool is_open = grid->raw == NULL ? wm_grid_is_open(grid, cell) : grid->raw[cell] != 0;
    return is_open != edit->open;
}

wm_status wm_grid_edit(wm_grid* grid, const wm_cell_edit* edits, size_t count, wm_error* error)
{
    size_t idle = 0;
    while (idle < count && !changes_cell(grid, &edits[idle])) idle++;
    if (idle == count) return WM_OK;
    const size_t covering = (size_t)grid->agent_size * (size_t)grid->agent_size;
    if (!reserve_changed(grid, count * covering))
        return wm_fail_memory(error, count * covering * sizeof *grid->changed);
    bool known = count * covering <= grid->cell_count / CELLS_PER_EDIT;
    grid->changed_count = 0;
    for (size_t i = 0; i < count; i++) apply_edit(grid, &edits[i], &known);
    if (!known) wm_components_label(grid);
    grid->revision++;
    return WM_OK;
}

void wm_grid_free(wm_grid* grid)
{
    const wm_allocator allocator = grid->allocator;
    wm_release(&allocator, grid->moves, grid->cell_count, sizeof *grid->moves);
    wm_release(&allocator, grid->component, grid->cell_count, sizeof *grid->component);
    wm_release(&allocator, grid->changed, grid->changed_capacity, sizeof *grid->changed);
    wm_release(&allocator, grid->raw, grid->cell_count, sizeof *grid->raw);
    memset(grid, 0, sizeof *grid);
}
