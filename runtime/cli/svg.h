// SPDX-License-Identifier: MIT
//
// A map with a walk on it as a picture.
#pragma once

#include "grid.h"

/// Writes the picture; a file that is there is replaced.
wm_status wm_svg_save(const char* path, const wm_grid* grid, const wm_cell* cells, size_t count,
                      wm_point goal, wm_error* error);
