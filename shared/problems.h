// SPDX-License-Identifier: MIT
//
// Random problems: different pairs of connected open cells, within a range of optimal costs.
#pragma once

#include "scenfile.h"

typedef struct wm_problem_range {
    size_t count;
    wm_cost min_cost; ///< Least optimal cost; 0 for any.
    wm_cost max_cost; ///< Greatest optimal cost; WM_COST_INFINITE for any.
    uint64_t seed;
} wm_problem_range;

/// Draws `range->count` different problems uniformly from all that the map has in the range, in a
/// random order; start and goal differ. `name` stands for the map in errors.
/// @return WM_OK, WM_ERR_MEMORY, or WM_ERR_TOO_FEW with the number there is in the sentence
wm_status wm_problems_draw(wm_problems* problems, const wm_grid* grid,
                           const wm_problem_range* range, const char* name, wm_error* error);
