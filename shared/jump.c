// SPDX-License-Identifier: MIT
#include "jump.h"

#include <string.h>

#include "alloc.h"
#include "climb.h"

// Directions are taken modulo 8, so that d + 1 and d - 1 are the neighbours of any d.
static inline unsigned bit(int direction)
{
    return 1u << (direction & 7);
}

// The directions to go on in after a step in direction `d` to a cell with these legal moves: those
// that no other path of the same length or less serves, the diagonal-first path being preferred.
// A cell reached diagonally goes on diagonally and along both sides of the diagonal; one reached
// straight goes straight on. Walls beside the cell force more.
static unsigned successors(wm_diagonal rule, unsigned moves, int d)
{
    unsigned forced = 0;
    if (d % 2 == 0) {
        for (int side = -2; side <= 2; side += 4) {
            const unsigned beside = bit(d + side);
            const unsigned ahead = bit(d + side / 2);
            const unsigned behind = bit(d + side / 2 * 3);
            // Without corner cutting the wall lies behind and beside: this is the first cell from
            // which its far side can be reached. With it, the wall lies beside.
            if (rule == WM_DIAGONAL_NONE && (moves & beside) != 0 && (moves & behind) == 0)
                forced |= beside | ahead;
            if (rule == WM_DIAGONAL_SQUEEZE && (moves & beside) == 0) forced |= ahead;
        }
        return moves & (bit(d) | forced);
    }
    if (rule == WM_DIAGONAL_SQUEEZE) {
        for (int side = -1; side <= 1; side += 2) {
            if ((moves & bit(d + 3 * side)) == 0) forced |= bit(d + 2 * side);
        }
    }
    return moves & (bit(d) | bit(d - 1) | bit(d + 1) | forced);
}

// Whether a search that comes by direction `d` must stop at `cell` to turn.
static bool is_turning_point(const wm_jump_table* table, wm_cell cell, int d)
{
    const wm_grid* grid = table->grid;
    const unsigned onward = successors(grid->diagonal, grid->moves[cell], d);
    if (d % 2 == 0) return (onward & ~bit(d)) != 0;
    if ((onward & ~(bit(d) | bit(d - 1) | bit(d + 1))) != 0) return true;
    return table->distance[cell][(d + 7) & 7] > 0 || table->distance[cell][(d + 1) & 7] > 0;
}

static void fill_distance(wm_jump_table* table, wm_cell cell, int d)
{
    const wm_grid* grid = table->grid;
    int16_t* distance = &table->distance[cell][d];
    if ((grid->moves[cell] & bit(d)) == 0) {
        *distance = 0;
        return;
    }
    const wm_cell next = wm_grid_step(grid, cell, d);
    const int16_t beyond = table->distance[next][d];
    if (is_turning_point(table, next, d))
        *distance = 1;
    else
        *distance = (int16_t)(beyond > 0 ? beyond + 1 : beyond - 1);
}

// A distance follows from that of the next cell in the same direction: steps to lower cells are
// filled by rising cells, steps to higher cells by falling ones.
static void fill_pass(wm_jump_table* table, bool rising, int first, int second)
{
    const uint32_t count = table->grid->cell_count;
    for (wm_cell i = 0; i < count; i++) {
        const wm_cell cell = rising ? i : count - 1 - i;
        fill_distance(table, cell, first);
        fill_distance(table, cell, second);
    }
}

wm_status wm_jump_table_create(wm_jump_table* table, const wm_grid* grid, wm_error* error)
{
    table->grid = grid;
    table->distance = wm_alloc(NULL, grid->cell_count, sizeof *table->distance);
    if (table->distance == NULL)
        return wm_fail_memory(error, grid->cell_count * sizeof *table->distance);
    // The diagonal passes read what the straight passes have written.
    fill_pass(table, true, WM_NORTH, WM_WEST);
    fill_pass(table, false, WM_SOUTH, WM_EAST);
    fill_pass(table, true, WM_NORTH_EAST, WM_NORTH_WEST);
    fill_pass(table, false, WM_SOUTH_EAST, WM_SOUTH_WEST);
    return WM_OK;
}

void wm_jump_table_free(wm_jump_table* table)
{
    wm_release(NULL, table->distance, table->grid == NULL ? 0 : table->grid->cell_count,
               sizeof *table->distance);
    *table = (wm_jump_table){0};
}

#define BYTES_PER_CELL (sizeof(wm_node) + sizeof(wm_heap_entry) + sizeof(wm_jump_trace))

wm_status wm_jump_search_create(wm_jump_search* search, const wm_jump_table* table, wm_error* error)
{
    const size_t count = table->grid->cell_count;
    *search = (wm_jump_search){.table = table};
    search->memory = wm_alloc(NULL, count, BYTES_PER_CELL);
    if (search->memory == NULL) return wm_fail_memory(error, count * BYTES_PER_CELL);
    wm_prefer_large_pages(search->memory, count * BYTES_PER_CELL);
    search->open.nodes = search->memory;
    search->open.entries = (wm_heap_entry*)(search->open.nodes + count);
    search->traces = (wm_jump_trace*)(search->open.entries + count);
    return WM_OK;
}

void wm_jump_search_free(wm_jump_search* search)
{
    const size_t count = search->table == NULL ? 0 : search->table->grid->cell_count;
    wm_release(NULL, search->memory, count, BYTES_PER_CELL);
    *search = (wm_jump_search){0};
}

// A cell that is reached at the same cost from two sides keeps the successors of both: each side
// leaves out what it expects the other's paths to cover.
static void reach(wm_jump_search* search, wm_cell cell, wm_point p, wm_cell from, int d, wm_cost g)
{
    const wm_grid* grid = search->table->grid;
    wm_node* node = &search->open.nodes[cell];
    wm_jump_trace* trace = &search->traces[cell];
    const unsigned onward = successors(grid->diagonal, grid->moves[cell], d);
    const bool known = node->arrival == search->generation;
    if (known && g >= node->g) {
        const unsigned added = onward & ~(unsigned)trace->tried;
        if (g > node->g || added == 0) return;
        trace->tried |= (uint8_t)added;
        trace->pending |= (uint8_t)added;
        if (node->slot != WM_NODE_CLOSED) return;
    } else {
        node->g = g;
        *trace = (wm_jump_trace){from, (uint8_t)onward, (uint8_t)onward};
    }
    const wm_cost h = wm_octile(p.x - search->goal_point.x, p.y - search->goal_point.y);
    const wm_heap_entry entry = wm_heap_entry_make((uint64_t)(g + h), g, cell);
    if (known && node->slot != WM_NODE_CLOSED) {
        wm_heap_improve(&search->open, entry);
    } else {
        node->arrival = search->generation;
        wm_heap_push(&search->open, entry);
    }
}

// How far to go from `p` in direction `d`: to the next turning point, or to the cell on the way
// where the goal is reached or the straight way to it begins. 0 when the direction leads nowhere.
static int32_t jump_length(const wm_jump_search* search, wm_point p, int d, int32_t distance)
{
    const int32_t clear = distance > 0 ? distance : -distance;
    const int32_t ahead_x = (search->goal_point.x - p.x) * wm_direction_x[d];
    const int32_t ahead_y = (search->goal_point.y - p.y) * wm_direction_y[d];
    int32_t to_goal;
    if (d % 2 != 0)
        to_goal = ahead_x < ahead_y ? ahead_x : ahead_y;
    else if (wm_direction_x[d] != 0)
        to_goal = p.y == search->goal_point.y ? ahead_x : 0;
    else
        to_goal = p.x == search->goal_point.x ? ahead_y : 0;
    if (to_goal > 0 && to_goal <= clear) return to_goal;
    return distance > 0 ? distance : 0;
}

static void expand(wm_jump_search* search, wm_cell cell)
{
    const wm_grid* grid = search->table->grid;
    const int16_t* distances = search->table->distance[cell];
    const wm_point p = wm_grid_point(grid, cell);
    const wm_cost g = search->open.nodes[cell].g;
    const unsigned pending = search->traces[cell].pending;
    search->traces[cell].pending = 0;
    search->expansions++;
    for (unsigned left = pending; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const int32_t length = jump_length(search, p, d, distances[d]);
        if (length == 0) continue;
        const wm_cell next = cell + (wm_cell)(grid->offset[d] * length);
        const wm_point q = {p.x + wm_direction_x[d] * length, p.y + wm_direction_y[d] * length};
        reach(search, next, q, cell, d, g + wm_direction_cost[d] * length);
    }
}

static void begin(wm_jump_search* search, wm_cell start, wm_cell goal)
{
    const wm_grid* grid = search->table->grid;
    if (search->generation == UINT32_MAX) {
        memset(search->open.nodes, 0, grid->cell_count * sizeof(wm_node));
        search->generation = 0;
    }
    search->generation++;
    search->start = start;
    search->goal = goal;
    search->goal_point = wm_grid_point(grid, goal);
    search->expansions = 0;
    search->open.count = 0;
    search->open.nodes[start] = (wm_node){.g = 0, .arrival = search->generation};
    search->traces[start] = (wm_jump_trace){start, grid->moves[start], grid->moves[start]};
    const wm_cost h = wm_grid_octile(grid, start, goal);
    wm_heap_push(&search->open, wm_heap_entry_make((uint64_t)h, 0, start));
}

wm_cost wm_jump_search_cost(wm_jump_search* search, wm_cell start, wm_cell goal)
{
    if (!wm_grid_connected(search->table->grid, start, goal)) return WM_COST_INFINITE;
    begin(search, start, goal);
    while (search->open.count > 0) {
        const wm_cell cell = wm_heap_entry_cell(wm_heap_pop(&search->open));
        if (cell == goal) return search->open.nodes[goal].g;
        expand(search, cell);
    }
    return WM_COST_INFINITE;
}

size_t wm_jump_search_path(const wm_jump_search* search, wm_cell* path, size_t capacity)
{
    const wm_grid* grid = search->table->grid;
    size_t count = 1;
    for (wm_cell cell = search->goal; cell != search->start; cell = search->traces[cell].parent) {
        const wm_point p = wm_grid_point(grid, cell);
        const wm_point q = wm_grid_point(grid, search->traces[cell].parent);
        const int32_t dx = abs(p.x - q.x);
        const int32_t dy = abs(p.y - q.y);
        count += (size_t)(dx > dy ? dx : dy);
    }
    size_t left = count;
    wm_cell cell = search->goal;
    if (left <= capacity) path[left - 1] = cell;
    while (cell != search->start) {
        const wm_cell before = search->traces[cell].parent;
        const wm_point p = wm_grid_point(grid, cell);
        const wm_point q = wm_grid_point(grid, before);
        const int back = wm_direction_toward(q.x - p.x, q.y - p.y);
        while (cell != before) {
            cell = wm_grid_step(grid, cell, back);
            left--;
            if (left <= capacity) path[left - 1] = cell;
        }
    }
    return count;
}

// How many of `wanted` steps in direction `d` are legal: whole jumps are known to be.
static int32_t clear_steps(const wm_jump_table* table, wm_cell cell, int d, int32_t wanted)
{
    int32_t done = 0;
    while (done < wanted) {
        const int32_t jump = table->distance[cell][d];
        if (jump <= 0) return done - jump < wanted ? done - jump : wanted;
        done += jump;
        cell += (wm_cell)(table->grid->offset[d] * jump);
    }
    return wanted;
}

bool wm_jump_climbs(const wm_jump_table* table, wm_cell from, wm_cell to)
{
    const wm_grid* grid = table->grid;
    const wm_point a = wm_grid_point(grid, from);
    const wm_point b = wm_grid_point(grid, to);
    int32_t dx = b.x - a.x;
    int32_t dy = b.y - a.y;
    wm_cell cell = from;
    while (cell != to) {
        // As long as the step by the signs of (dx, dy) is legal, climbing takes it.
        int d = wm_direction_toward(dx, dy);
        const int32_t far_x = abs(dx);
        const int32_t far_y = abs(dy);
        const int32_t aligned = d % 2 == 0 ? far_x + far_y : (far_x < far_y ? far_x : far_y);
        int32_t steps = clear_steps(table, cell, d, aligned);
        if (steps == 0) {
            d = wm_climb_direction(grid->moves[cell], dx, dy);
            if (d < 0) return false;
            steps = 1;
        }
        cell += (wm_cell)(grid->offset[d] * steps);
        dx -= wm_direction_x[d] * steps;
        dy -= wm_direction_y[d] * steps;
    }
    return true;
}
