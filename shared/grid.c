// SPDX-License-Identifier: MIT
#include "grid.h"

#include <string.h>

#include "alloc.h"
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
    for (unsigned left = grid->moves[a]; left != 0; left &= left - 1) {
        const int direction = wm_lowest_direction(left);
        if (wm_grid_step(grid, a, direction) == b) return direction;
    }
    return -1;
}

static bool is_open_at(const wm_grid* grid, int32_t x, int32_t y)
{
    return wm_grid_contains(grid, (wm_point){x, y}) &&
           wm_grid_is_open(grid, wm_grid_cell(grid, (wm_point){x, y}));
}

static uint8_t legal_moves(const wm_grid* grid, int32_t x, int32_t y)
{
    unsigned moves = 0;
    for (int d = 0; d < WM_DIRECTIONS; d++) {
        const int32_t dx = wm_direction_x[d];
        const int32_t dy = wm_direction_y[d];
        if (!is_open_at(grid, x + dx, y + dy)) continue;
        const bool cuts_a_corner = dx != 0 && dy != 0 && grid->diagonal == WM_DIAGONAL_NONE &&
                                   !(is_open_at(grid, x + dx, y) && is_open_at(grid, x, y + dy));
        if (!cuts_a_corner) moves |= 1u << d;
    }
    return (uint8_t)moves;
}

// Gives `label` to everything that can be reached from `first`. `stack` has room for every cell.
static void flood(wm_grid* grid, wm_cell first, uint32_t label, wm_cell* stack)
{
    size_t height = 0;
    stack[height++] = first;
    grid->component[first] = label;
    while (height > 0) {
        const wm_cell cell = stack[--height];
        for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
            const wm_cell next = wm_grid_step(grid, cell, wm_lowest_direction(left));
            if (grid->component[next] == label) continue;
            grid->component[next] = label;
            stack[height++] = next;
        }
    }
}

// Before labelling, every open cell carries a mark that no component number can be.
#define UNLABELLED UINT32_MAX

static void label_components(wm_grid* grid, wm_cell* stack)
{
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (grid->component[cell] == UNLABELLED) flood(grid, cell, ++grid->component_count, stack);
    }
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
    return hash;
}

wm_status wm_grid_create(wm_grid* grid, const uint8_t* open, int32_t width, int32_t height,
                         size_t stride, wm_diagonal diagonal, const wm_allocator* allocator,
                         wm_error* error)
{
    memset(grid, 0, sizeof *grid);
    if (width < 1 || height < 1 || width > WM_GRID_MAX_SIDE || height > WM_GRID_MAX_SIDE)
        return wm_fail(error, WM_ERR_ARGUMENT, "a map of %d x %d cells is outside 1..%d a side",
                       (int)width, (int)height, WM_GRID_MAX_SIDE);
    if (allocator != NULL) grid->allocator = *allocator;
    grid->width = width;
    grid->height = height;
    grid->diagonal = diagonal;
    grid->cell_count = (uint32_t)width * (uint32_t)height;
    for (int d = 0; d < WM_DIRECTIONS; d++)
        grid->offset[d] = wm_direction_y[d] * width + wm_direction_x[d];

    grid->moves = wm_alloc(allocator, grid->cell_count, sizeof *grid->moves);
    grid->component = wm_alloc(allocator, grid->cell_count, sizeof *grid->component);
    wm_cell* stack = wm_alloc(allocator, grid->cell_count, sizeof *stack);
    if (grid->moves == NULL || grid->component == NULL || stack == NULL) {
        wm_release(allocator, stack, grid->cell_count, sizeof *stack);
        wm_grid_free(grid);
        return wm_fail_memory(error, (size_t)width * (size_t)height * 9);
    }
    for (int32_t y = 0; y < height; y++) {
        for (int32_t x = 0; x < width; x++) {
            if (open[(size_t)y * stride + (size_t)x] == 0) continue;
            grid->component[wm_grid_cell(grid, (wm_point){x, y})] = UNLABELLED;
            grid->open_count++;
        }
    }
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (!wm_grid_is_open(grid, cell)) continue;
        const wm_point p = wm_grid_point(grid, cell);
        grid->moves[cell] = legal_moves(grid, p.x, p.y);
    }
    grid->hash = wm_grid_hash(grid, diagonal);
    label_components(grid, stack);
    wm_release(allocator, stack, grid->cell_count, sizeof *stack);
    return WM_OK;
}

// Legal moves of a cell and of all around it.
static void renew_moves(wm_grid* grid, wm_point p)
{
    for (int32_t y = p.y - 1; y <= p.y + 1; y++) {
        for (int32_t x = p.x - 1; x <= p.x + 1; x++) {
            if (!wm_grid_contains(grid, (wm_point){x, y})) continue;
            const wm_cell cell = wm_grid_cell(grid, (wm_point){x, y});
            grid->moves[cell] = wm_grid_is_open(grid, cell) ? legal_moves(grid, x, y) : 0;
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

wm_status wm_grid_edit(wm_grid* grid, const wm_cell_edit* edits, size_t count, wm_error* error)
{
    wm_cell* stack = wm_alloc(&grid->allocator, grid->cell_count, sizeof *stack);
    if (stack == NULL || !reserve_changed(grid, count)) {
        wm_release(&grid->allocator, stack, grid->cell_count, sizeof *stack);
        return wm_fail_memory(error, (grid->cell_count + count) * sizeof *stack);
    }
    grid->changed_count = 0;
    for (size_t i = 0; i < count; i++) {
        const wm_cell cell = wm_grid_cell(grid, edits[i].at);
        if (wm_grid_is_open(grid, cell) == edits[i].open) continue;
        grid->component[cell] = edits[i].open ? UNLABELLED : 0;
        grid->open_count += edits[i].open ? 1u : UINT32_MAX; // one more or one less
        grid->changed[grid->changed_count++] = cell;
    }
    for (size_t i = 0; i < count; i++) renew_moves(grid, edits[i].at);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (wm_grid_is_open(grid, cell)) grid->component[cell] = UNLABELLED;
    }
    grid->component_count = 0;
    label_components(grid, stack);
    grid->revision++;
    wm_release(&grid->allocator, stack, grid->cell_count, sizeof *stack);
    return WM_OK;
}

void wm_grid_free(wm_grid* grid)
{
    const wm_allocator allocator = grid->allocator;
    wm_release(&allocator, grid->moves, grid->cell_count, sizeof *grid->moves);
    wm_release(&allocator, grid->component, grid->cell_count, sizeof *grid->component);
    wm_release(&allocator, grid->changed, grid->changed_capacity, sizeof *grid->changed);
    memset(grid, 0, sizeof *grid);
}
