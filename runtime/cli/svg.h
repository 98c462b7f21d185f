// SPDX-License-Identifier: MIT
//
// A map with a walk on it as a picture.
#pragma once

#include "grid.h"

typedef struct wm_picture {
    const wm_grid* grid;
    const wm_cell* walk; ///< Its cells, the start first.
    size_t walk_length;
    const wm_cell* subgoals; ///< Drawn as rings.
    size_t subgoal_count;
    wm_point goal;
} wm_picture;

/// Writes the picture; a file that is there is replaced.
wm_status wm_svg_save(const char* path, const wm_picture* picture, wm_error* error);
