// SPDX-License-Identifier: MIT
//
// All cells are labelled by union and find in one forest, which lies in the numbers themselves:
// a cell's number is that of its parent in the forest, plus one, and parents come first, so that a
// second pass in the order of the cells finds every parent's final number in place.
//
// A single edit is local as a rule. Where it may join or split components, the pieces around the
// cell are searched in turns until all but one are known to their ends: the time is that of the
// smaller ones. Past a bound it is cheaper to label everything.
#include "components.h"

// ---------------------------------------------------------------------------------------------
// All cells

static wm_cell find_root(uint32_t* parent, wm_cell cell)
{
    while (parent[cell] != cell + 1) {
        parent[cell] = parent[parent[cell] - 1]; // halves the path
        cell = parent[cell] - 1;
    }
    return cell;
}

// Roots come before all other cells of their tree.
static wm_cell join(uint32_t* parent, wm_cell root, wm_cell cell)
{
    const wm_cell other = find_root(parent, cell);
    if (other < root) {
        parent[root] = other + 1;
        return other;
    }
    parent[other] = root + 1;
    return root;
}

#define BIT(direction) (1u << (direction))

// Which of the moves up join what is not joined yet by the cells before in this row and the one
// above. With open cells to the west and to the north the western cell has done it: by its own
// diagonal move, or because the cell between them is open.
static wm_cell join_row_above(wm_grid* grid, wm_cell root, wm_cell cell, unsigned moves)
{
    const bool has_west = (moves & BIT(WM_WEST)) != 0;
    const bool squeeze = grid->diagonal == WM_DIAGONAL_SQUEEZE;
    if ((moves & BIT(WM_NORTH)) != 0) {
        if (has_west && (squeeze || (moves & BIT(WM_NORTH_WEST)) != 0)) return root;
        return join(grid->component, root, wm_grid_step(grid, cell, WM_NORTH));
    }
    if (!squeeze) return root; // diagonal moves have open cells beside them
    if (!has_west && (moves & BIT(WM_NORTH_WEST)) != 0)
        root = join(grid->component, root, wm_grid_step(grid, cell, WM_NORTH_WEST));
    if ((moves & BIT(WM_NORTH_EAST)) != 0)
        root = join(grid->component, root, wm_grid_step(grid, cell, WM_NORTH_EAST));
    return root;
}

static void plant_forest(wm_grid* grid)
{
    wm_cell root = WM_NO_CELL; // of the cell before
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (!wm_grid_is_open(grid, cell)) continue;
        const unsigned moves = grid->moves[cell];
        if ((moves & BIT(WM_WEST)) == 0) {
            root = cell;
            grid->component[cell] = cell + 1;
        }
        root = join_row_above(grid, root, cell, moves);
        grid->component[cell] = root + 1;
    }
}

void wm_components_label(wm_grid* grid)
{
    uint32_t count = 0;
    plant_forest(grid);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        const uint32_t parent = grid->component[cell];
        if (parent == 0) continue;
        grid->component[cell] = parent == cell + 1 ? ++count : grid->component[parent - 1];
    }
    grid->component_count = count;
}

// ---------------------------------------------------------------------------------------------
// One cell

enum { MAX_PIECES = 4, MAX_CELLS = 1024 };

// A part of the open cells around an edit, as far as it is known. While it is searched its cells
// carry a mark instead of their number.
typedef struct piece {
    uint32_t label; // before
    uint32_t owner; // the piece with which it was found to be one; itself at first
    uint32_t count;
    uint32_t next; // the first cell not looked at
    wm_cell cells[MAX_CELLS];
} piece;

typedef struct pieces {
    wm_grid* grid;
    uint32_t count;
    piece list[MAX_PIECES];
} pieces;

// No component has these numbers.
static uint32_t mark_of(uint32_t number)
{
    return UINT32_MAX - 1 - number;
}

static bool is_mark(uint32_t label)
{
    return label > UINT32_MAX - 1 - MAX_PIECES && label != UINT32_MAX;
}

static uint32_t owner_of(const pieces* p, uint32_t number)
{
    while (p->list[number].owner != number) number = p->list[number].owner;
    return number;
}

static void add_piece(pieces* p, wm_cell cell)
{
    piece* added = &p->list[p->count];
    added->label = p->grid->component[cell];
    added->owner = p->count;
    added->count = 1;
    added->next = 0;
    added->cells[0] = cell;
    p->grid->component[cell] = mark_of(p->count++);
}

// Looks at one more cell of a piece. False when there is no room for its neighbours.
static bool grow_piece(pieces* p, uint32_t number)
{
    const wm_grid* grid = p->grid;
    piece* growing = &p->list[number];
    const wm_cell cell = growing->cells[growing->next++];
    for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
        const wm_cell next = wm_grid_step(grid, cell, wm_lowest_direction(left));
        const uint32_t label = grid->component[next];
        if (is_mark(label)) {
            p->list[owner_of(p, UINT32_MAX - 1 - label)].owner = owner_of(p, number);
        } else if (label == growing->label) {
            if (growing->count == MAX_CELLS) return false;
            growing->cells[growing->count++] = next;
            grid->component[next] = mark_of(number);
        }
    }
    return true;
}

// How many pieces have cells left to look at; gives one of them.
static uint32_t count_unfinished(const pieces* p, uint32_t* unfinished)
{
    uint32_t owners = 0; // a bit each
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->list[i].next < p->list[i].count) owners |= 1u << owner_of(p, i);
    }
    *unfinished = owners == 0 ? owner_of(p, 0) : (uint32_t)__builtin_ctz(owners);
    return (uint32_t)__builtin_popcount(owners);
}

// Searches until all pieces but one are known to their ends. `last` gets that one.
static bool search_pieces(pieces* p, uint32_t* last)
{
    while (count_unfinished(p, last) > 1) {
        for (uint32_t i = 0; i < p->count; i++) {
            if (p->list[i].next < p->list[i].count && !grow_piece(p, i)) return false;
        }
    }
    return true;
}

static void number_piece(const pieces* p, uint32_t number, uint32_t label)
{
    const piece* done = &p->list[number];
    for (uint32_t i = 0; i < done->count; i++) p->grid->component[done->cells[i]] = label;
}

// Whether so many numbers are left as an edit can need. They are given out for good, so that in the
// long run there would be no end to them.
static bool has_numbers_left(const wm_grid* grid)
{
    return grid->component_count + MAX_PIECES < grid->cell_count;
}

bool wm_components_opened(wm_grid* grid, wm_cell cell)
{
    pieces p; // not zeroed: it is large
    uint32_t last = 0;
    p.grid = grid;
    p.count = 0;
    if (!has_numbers_left(grid)) return false;
    grid->component[cell] = UINT32_MAX;
    for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
        const wm_cell next = wm_grid_step(grid, cell, wm_lowest_direction(left));
        bool known = is_mark(grid->component[next]);
        for (uint32_t i = 0; i < p.count; i++) known |= p.list[i].label == grid->component[next];
        if (!known) add_piece(&p, next);
    }
    if (p.count > 1 && !search_pieces(&p, &last)) return false;
    const uint32_t label = p.count == 0 ? ++grid->component_count : p.list[last].label;
    for (uint32_t i = 0; i < p.count; i++) number_piece(&p, i, label);
    grid->component[cell] = label;
    return true;
}

bool wm_components_blocked(wm_grid* grid, wm_cell cell, uint32_t label)
{
    pieces p; // not zeroed: it is large
    uint32_t last;
    uint32_t labels[MAX_PIECES] = {0};
    const unsigned parts = wm_grid_parts_around(grid, cell);
    if ((parts & (parts - 1)) == 0) return true; // one part at most: nothing is split
    if (!has_numbers_left(grid)) return false;
    p.grid = grid;
    p.count = 0;
    for (unsigned left = parts; left != 0; left &= left - 1)
        add_piece(&p, wm_grid_step(grid, cell, wm_lowest_direction(left)));
    if (!search_pieces(&p, &last)) return false;
    labels[last] = label;
    for (uint32_t i = 0; i < p.count; i++) {
        const uint32_t owner = owner_of(&p, i);
        if (labels[owner] == 0) labels[owner] = ++grid->component_count;
        number_piece(&p, i, labels[owner]);
    }
    return true;
}
