// SPDX-License-Identifier: MIT
//
// The grid as every search sees it: one byte a cell says which of the eight steps are legal, so
// that walls, the border and the diagonal rule are looked at once, when the map is loaded.
#pragma once

#include "cost.h"
#include "status.h"

#define WM_GRID_MAX_SIDE 4096
/// Agents cover a square of at most so many cells a side.
#define WM_GRID_MAX_AGENT_SIZE 3

/// Row by row from the upper left: y * width + x.
typedef uint32_t wm_cell;
#define WM_NO_CELL UINT32_MAX

/// Clockwise from north. The order is part of the database contract: it breaks ties.
enum {
    WM_NORTH,
    WM_NORTH_EAST,
    WM_EAST,
    WM_SOUTH_EAST,
    WM_SOUTH,
    WM_SOUTH_WEST,
    WM_WEST,
    WM_NORTH_WEST,
    WM_DIRECTIONS
};

extern const int8_t wm_direction_x[WM_DIRECTIONS];
extern const int8_t wm_direction_y[WM_DIRECTIONS];
extern const wm_cost wm_direction_cost[WM_DIRECTIONS];

typedef struct wm_grid {
    int32_t width;
    int32_t height;
    wm_diagonal diagonal;
    int32_t agent_size; ///< A cell is open where such an agent fits, its upper left corner there.
    uint32_t cell_count;
    uint32_t open_count;
    uint32_t component_count; ///< The highest number of one; after edits some may have no cells.
    uint64_t per_width;       ///< For wm_grid_point: wm_grid_per_width(width).
    int32_t offset[WM_DIRECTIONS]; ///< What a step adds to a cell.
    uint8_t* moves;      ///< Per cell: bit d is set when the step in direction d is legal.
    uint32_t* component; ///< Per cell: 0 blocked, else 1 .. component_count.
    uint64_t hash;       ///< Of size, open cells, diagonal rule and agent size, as it was created.
    uint8_t* raw; ///< Per cell: open by itself. Only where agents are larger and it is editable.
    uint32_t revision; ///< How often it was edited.
    uint32_t opened;   ///< The revision of the last edit that opened a cell; 0: none did.
    wm_cell* changed;  ///< The cells that the last edit changed; twice if it changed one back.
    size_t changed_count;
    size_t changed_capacity;
    bool editable;
    wm_allocator allocator;
} wm_grid;

/// How a map's cells become a grid. Start from {0}.
typedef struct wm_grid_rules {
    wm_diagonal diagonal;
    int32_t agent_size; ///< 1 to WM_GRID_MAX_AGENT_SIZE; 0 is 1.
    bool editable;
} wm_grid_rules;

/// Makes a grid from one byte a cell (zero is blocked), `stride` bytes from row to row.
wm_status wm_grid_create_as(wm_grid* grid, const uint8_t* open, int32_t width, int32_t height,
                            size_t stride, const wm_grid_rules* rules,
                            const wm_allocator* allocator, wm_error* error);
/// The same for agents of one cell, not to be edited.
wm_status wm_grid_create(wm_grid* grid, const uint8_t* open, int32_t width, int32_t height,
                         size_t stride, wm_diagonal diagonal, const wm_allocator* allocator,
                         wm_error* error);
void wm_grid_free(wm_grid* grid);
/// Opens and blocks cells of the map itself, and works out anew where agents fit and what is
/// connected. All points must be on the grid.
/// @return WM_OK, or WM_ERR_MEMORY with nothing changed
wm_status wm_grid_edit(wm_grid* grid, const wm_cell_edit* edits, size_t count, wm_error* error);
/// Opens or blocks one cell as agents see it, and renews the moves around it. What is connected is not worked out.
void wm_grid_set_open(wm_grid* grid, wm_cell cell, bool open);
/// Which neighbours of a cell are connected around it, without a step onto it: one direction, as a
/// bit, for each part of its neighbours that can be told apart there.
unsigned wm_grid_parts_around(const wm_grid* grid, wm_cell cell);
/// The hash that the same cells would have under a diagonal rule.
uint64_t wm_grid_hash(const wm_grid* grid, wm_diagonal diagonal);
/// Cells from which wm_grid_create_as() makes this grid: one byte a cell, open where any agent that
/// fits covers it. `open` has room for all of them.
void wm_grid_cover_cells(const wm_grid* grid, uint8_t* open);

const char* wm_diagonal_name(wm_diagonal diagonal);
/// False when `name` is neither "none" nor "squeeze".
bool wm_diagonal_from_name(wm_diagonal* diagonal, const char* name);

static inline bool wm_grid_contains(const wm_grid* grid, wm_point p)
{
    return p.x >= 0 && p.y >= 0 && p.x < grid->width && p.y < grid->height;
}

static inline wm_cell wm_grid_cell(const wm_grid* grid, wm_point p)
{
    return (wm_cell)p.y * (wm_cell)grid->width + (wm_cell)p.x;
}

/// 2^36 / width, rounded up. Cells are less than 2^24 and widths at most 2^12, so that a cell
/// times this, without the lowest 36 bits, is exactly cell / width.
static inline uint64_t wm_grid_per_width(int32_t width)
{
    return ((UINT64_C(1) << 36) + (uint64_t)width - 1) / (uint64_t)width;
}

/// Of a cell of the grid. Called for every state of every search, so it does not divide.
static inline wm_point wm_grid_point(const wm_grid* grid, wm_cell cell)
{
    const uint32_t width = (uint32_t)grid->width;
    const uint32_t y = (uint32_t)(cell * grid->per_width >> 36);
    return (wm_point){(int32_t)(cell - y * width), (int32_t)y};
}

static inline bool wm_grid_is_open(const wm_grid* grid, wm_cell cell)
{
    return grid->component[cell] != 0;
}

static inline bool wm_grid_connected(const wm_grid* grid, wm_cell a, wm_cell b)
{
    return grid->component[a] != 0 && grid->component[a] == grid->component[b];
}

static inline wm_cell wm_grid_step(const wm_grid* grid, wm_cell cell, int direction)
{
    return cell + (wm_cell)grid->offset[direction];
}

static inline unsigned wm_moves_turned(unsigned moves, int d)
{
    const unsigned twice = moves | moves << WM_DIRECTIONS;
    return twice >> (WM_DIRECTIONS - d) & 0xFF;
}

/// The moves behind a step in direction `d` that lead a search to nothing new, when those of the cell
/// before it are known: the one back, and those to cells beside both, as far as the cell before leads
/// there at no more cost.
static inline unsigned wm_moves_done(unsigned before, int d)
{
    // All directions as if the step had gone north, or north-east.
    const int turn = d - d % 2;
    const unsigned can = wm_moves_turned(before, WM_DIRECTIONS - turn);
    unsigned done;
    if (d % 2 == 0)
        done = 1u << WM_SOUTH | (can >> WM_NORTH_EAST & 1) << WM_EAST |
               (can >> WM_NORTH_WEST & 1) << WM_WEST | (can >> WM_EAST & 1) << WM_SOUTH_EAST |
               (can >> WM_WEST & 1) << WM_SOUTH_WEST;
    else
        done = 1u << WM_SOUTH_WEST | (can >> WM_EAST & 1) << WM_SOUTH |
               (can >> WM_NORTH & 1) << WM_WEST;
    return wm_moves_turned(done, turn);
}

static inline wm_cost wm_grid_octile(const wm_grid* grid, wm_cell a, wm_cell b)
{
    const wm_point p = wm_grid_point(grid, a);
    const wm_point q = wm_grid_point(grid, b);
    return wm_octile(p.x - q.x, p.y - q.y);
}

/// Guesses for the eight cells around one that lies at this offset from the target. Every guess is
/// a * (x + y) + b * max(x, y): what of it belongs to a column or to a row is worked out once.
static inline void wm_guess_around(wm_heuristic heuristic, wm_point offset,
                                   wm_cost guesses[WM_DIRECTIONS])
{
    static const wm_cost factors[][2] = {
        [WM_HEURISTIC_OCTILE] = {WM_COST_DIAGONAL - WM_COST_STRAIGHT,
                                 2 * WM_COST_STRAIGHT - WM_COST_DIAGONAL},
        [WM_HEURISTIC_MAX] = {0, WM_COST_STRAIGHT},
        [WM_HEURISTIC_MIN] = {WM_COST_STRAIGHT, -WM_COST_STRAIGHT},
    };
    const wm_cost a = factors[heuristic][0];
    const wm_cost b = factors[heuristic][1];
    const wm_cost x[3] = {abs(offset.x - 1), abs(offset.x), abs(offset.x + 1)};
    const wm_cost y[3] = {abs(offset.y - 1), abs(offset.y), abs(offset.y + 1)};
    const wm_cost ax[3] = {a * x[0], a * x[1], a * x[2]};
    const wm_cost ay[3] = {a * y[0], a * y[1], a * y[2]};
#define GUESS(i, j) (ax[i] + ay[j] + b * (x[i] > y[j] ? x[i] : y[j]))
    guesses[WM_NORTH] = GUESS(1, 0);
    guesses[WM_NORTH_EAST] = GUESS(2, 0);
    guesses[WM_EAST] = GUESS(2, 1);
    guesses[WM_SOUTH_EAST] = GUESS(2, 2);
    guesses[WM_SOUTH] = GUESS(1, 2);
    guesses[WM_SOUTH_WEST] = GUESS(0, 2);
    guesses[WM_WEST] = GUESS(0, 1);
    guesses[WM_NORTH_WEST] = GUESS(0, 0);
#undef GUESS
}

/// The direction whose step goes by the signs of (dx, dy), which must not both be 0.
static inline int wm_direction_toward(int32_t dx, int32_t dy)
{
    static const int8_t by_sign[3][3] = {
        {WM_NORTH_WEST, WM_NORTH, WM_NORTH_EAST},
        {WM_WEST, -1, WM_EAST},
        {WM_SOUTH_WEST, WM_SOUTH, WM_SOUTH_EAST},
    };
    return by_sign[(dy > 0) - (dy < 0) + 1][(dx > 0) - (dx < 0) + 1];
}
/// The direction of the single legal step from `a` to `b`; -1 when there is none.
int wm_grid_direction_between(const wm_grid* grid, wm_cell a, wm_cell b);

/// Walks over the set bits of a move mask in direction order:
/// for (unsigned left = moves; left != 0; left &= left - 1) { int d = wm_lowest_direction(left); }
static inline int wm_lowest_direction(unsigned moves)
{
    return __builtin_ctz(moves);
}
