// SPDX-License-Identifier: MIT
//
// How an agent gets from one cell to another nearby without a plan: along a line where one is clear, else
// by plain climbing or along the ways between cells and their region's seed, whichever is shorter.
// Builder and runtime run this same code: that a cell is reached is a promise of the database.
#pragma once

#include "cover.h"
#include "planes.h"

/// No line or climb is longer, so that every test of one has a bound.
#define WM_MAX_LEG 48
/// The most expansions that wm_local_search() may have.
#define WM_MAX_LOCAL_EXPANSIONS 200
/// The most states that the controller looks at for one leg.
#define WM_LEG_STATES 208

typedef struct wm_controller {
    const wm_grid* grid;
    const wm_planes* planes;
    const wm_cover* cover; ///< With the regions of all cells.
} wm_controller;

/// The moves of a leg that nothing tells as it is walked, two to a byte.
typedef struct wm_leg_path {
    uint8_t moves[(WM_MAX_LOCAL_EXPANSIONS + 1) / 2];
    uint16_t length;
} wm_leg_path;

typedef enum wm_leg_kind { WM_LEG_NONE, WM_LEG_LINE, WM_LEG_CLIMB, WM_LEG_PATH } wm_leg_kind;

/// A way from one cell to another.
typedef struct wm_leg {
    wm_leg_kind kind; ///< WM_LEG_NONE: there is none.
    wm_line line;
    wm_cost cost;
} wm_leg;

/// Finds the controller's way: there is one to every cell of the same region, and to those beside it. Adds
/// the states that it looked at to `*states`, at most WM_LEG_STATES.
/// @param path  gets the moves where the kind is WM_LEG_PATH; may be NULL
wm_leg wm_controller_leg(const wm_controller* controller, wm_cell from, wm_cell to,
                         wm_leg_path* path, uint64_t* states);
/// Just its cost; WM_COST_INFINITE where there is no way.
wm_cost wm_controller_cost(const wm_controller* controller, wm_cell from, wm_cell to);

/// A* with at most `max_expansions` expansions. @return the cost, or WM_COST_INFINITE
wm_cost wm_local_search(const wm_grid* grid, wm_cell from, wm_cell to, uint32_t max_expansions,
                        wm_leg_path* path, uint64_t* states);

static inline int wm_leg_path_move(const wm_leg_path* path, unsigned index)
{
    return path->moves[index / 2] >> (index % 2 * 4) & 7;
}
