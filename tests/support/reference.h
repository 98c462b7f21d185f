// SPDX-License-Identifier: MIT
//
// The building blocks of the algorithms, written down a second time: as literally as possible,
// from the open cells alone, without the tables and shortcuts of the code under test.
#pragma once

#include "grid.h"

/// The cell that the step leads to, or WM_NO_CELL where it is not legal.
wm_cell reference_step(const wm_grid* grid, wm_cell cell, int direction);
/// What a step costs.
wm_cost reference_step_cost(int direction);
/// The octile distance.
wm_cost reference_h(const wm_grid* grid, wm_cell a, wm_cell b);

/// The direction of the one legal step between two cells, or -1.
int reference_direction(const wm_grid* grid, wm_cell from, wm_cell to);

typedef struct reference_climb {
    bool reached;
    uint32_t steps;
    wm_cost cost;
} reference_climb;

/// Hill climbing: all eight neighbours by (step cost + h, h, direction), until h does not fall.
reference_climb reference_climb_run(const wm_grid* grid, wm_cell from, wm_cell to,
                                    uint32_t max_steps);

/// LRTA*(d) by plain recursion over the values of all cells.
typedef struct reference_lrta {
    const wm_grid* grid;
    wm_cell target;
    wm_cost* h; ///< Per cell.
} reference_lrta;

/// Nothing learned; reference_lrta_free gives the table back.
reference_lrta reference_lrta_aim(const wm_grid* grid, wm_cell target);
void reference_lrta_free(reference_lrta* lrta);
/// Learns and gives the direction of the move; -1 where no move is legal.
int reference_lrta_step(reference_lrta* lrta, wm_cell cell, int depth);
/// How many cells lie within `moves` legal moves of `cell`, itself included.
uint64_t reference_cells_within(const wm_grid* grid, wm_cell cell, int moves);
