// SPDX-License-Identifier: MIT
//
// What is connected on a grid: the numbers in wm_grid.component, worked out from the legal moves.
#pragma once

#include "grid.h"

/// Numbers the components of all open cells, which are those with a number other than 0, in the
/// order of their first cells.
void wm_components_label(wm_grid* grid);

/// Takes up that `cell` was opened: it has any number but 0, and its moves are up to date.
/// @return false when too much would have to be looked at: the grid is to be labelled anew
bool wm_components_opened(wm_grid* grid, wm_cell cell);
/// Takes up that `cell` was blocked: its number was `label` and is 0, its moves are up to date.
/// @return false when too much would have to be looked at: the grid is to be labelled anew
bool wm_components_blocked(wm_grid* grid, wm_cell cell, uint32_t label);
