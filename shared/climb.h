// SPDX-License-Identifier: MIT
//
// Plain hill climbing, the measure of what an agent reaches without search. From `from` toward
// `to`, step to the neighbour with the least step cost + octile distance; ties go to the smaller
// distance, then to the direction order; stuck when the distance does not fall.
// This definition is part of the database contract.
#pragma once

#include "grid.h"

#define WM_CLIMB_UNLIMITED UINT32_MAX

typedef struct wm_climb {
    bool reached;
    uint32_t steps; ///< Steps taken, also where it got stuck.
    wm_cost cost;   ///< Of these steps.
} wm_climb;

/// The direction of the next step from a cell that lies (-dx, -dy) from the target; -1 when stuck.
/// @param moves  the cell's legal moves; (dx, dy) must not be (0, 0)
int wm_climb_direction(unsigned moves, int32_t dx, int32_t dy);

/// Climbs at most `max_steps` steps.
wm_climb wm_climb_run(const wm_grid* grid, wm_cell from, wm_cell to, uint32_t max_steps);
