// SPDX-License-Identifier: MIT
//
// All that lines lead to from a cell, found together: a few instructions a row instead of a test a
// cell.
#pragma once

#include "controller.h"

#define WM_SIGHT_ROWS (2 * WM_MAX_LEG + 1)
/// Columns of a half of which each word tells: the cell's own and WM_MAX_LEG more.
#define WM_SIGHT_COLUMNS (WM_MAX_LEG + 1)

/// By rows, that of the cell in the middle. The cell's own column and those to the east of it are in
/// `east`, from bit 0 up; it and those to the west in `west`, from bit 63 down.
typedef struct wm_sight {
    uint64_t east[WM_SIGHT_ROWS];
    uint64_t west[WM_SIGHT_ROWS];
} wm_sight;

/// Fills the middle row and `rows` on either side, WM_MAX_LEG at most; others are not touched. Beyond
/// WM_SIGHT_COLUMNS bits mean nothing.
void wm_sight_look(wm_sight* sight, const wm_planes* planes, wm_point from, int32_t rows);
