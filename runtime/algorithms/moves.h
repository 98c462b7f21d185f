// SPDX-License-Identifier: MIT
//
// Choosing one of eight moves in a few nanoseconds, for the searches whose steps are little else.
#pragma once

#include "grid.h"

// ---------------------------------------------------------------------------------------------
// Keys: the cost by way of a move and its direction in one number, so that the least key is the
// first of the best moves. Half of the branches of a search for it would be mispredicted; the least
// of numbers needs none, and a move that is not allowed is the greatest number.

#define WM_NO_MOVE UINT64_MAX

/// @param allowed  0 or 1
static inline uint64_t wm_move_key(uint64_t cost, unsigned direction, unsigned allowed)
{
    return (cost * WM_DIRECTIONS + direction) | ((uint64_t)allowed - 1);
}

static inline uint64_t wm_least_key(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/// WM_COST_INFINITE for no move.
static inline wm_cost wm_key_cost(uint64_t key)
{
    return key == WM_NO_MOVE ? WM_COST_INFINITE : (wm_cost)(key / WM_DIRECTIONS);
}

/// -1 for no move.
static inline int wm_key_direction(uint64_t key)
{
    return key == WM_NO_MOVE ? -1 : (int)(key % WM_DIRECTIONS);
}

/// All eight neighbours are read before it is known which of them are on the map: tables by cell
/// have so many entries more before the first cell, and behind the last.
static inline size_t wm_margin(const wm_grid* grid)
{
    return (size_t)grid->width + 1;
}

// ---------------------------------------------------------------------------------------------
// Where the agent is, seen from its target. From step to step this is kept up by adding, because
// the division that tells a cell's column and row is a good part of the time of a step.

typedef struct wm_bearing {
    wm_cell cell;    ///< WM_NO_CELL before the first step.
    wm_point offset; ///< Columns and rows from the target to the cell.
} wm_bearing;

static inline wm_point wm_bearing_take(const wm_bearing* bearing, const wm_grid* grid, wm_cell cell,
                                       wm_point target)
{
    if (bearing->cell == cell) return bearing->offset;
    const wm_point p = wm_grid_point(grid, cell);
    return (wm_point){p.x - target.x, p.y - target.y};
}

/// The agent goes from the cell at `offset` in `direction`. Gives the cell that it enters.
static inline wm_cell wm_bearing_go(wm_bearing* bearing, const wm_grid* grid, wm_cell cell,
                                    wm_point offset, int direction)
{
    bearing->cell = wm_grid_step(grid, cell, direction);
    bearing->offset =
        (wm_point){offset.x + wm_direction_x[direction], offset.y + wm_direction_y[direction]};
    return bearing->cell;
}
