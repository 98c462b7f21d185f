// SPDX-License-Identifier: MIT
//
// MovingAI `.scen` files: problems with their optimal cost. "version 1" separates by tabs,
// "version 1.0" by blanks; both are read, "version 1" is written.
#pragma once

#include "grid.h"

typedef struct wm_problem {
    wm_cell start;
    wm_cell goal;
    double optimal; ///< As the file has it; 1 a straight and sqrt 2 a diagonal step.
} wm_problem;

typedef struct wm_problems {
    wm_problem* list;
    size_t count;
    size_t capacity;
} wm_problems;

void wm_problems_free(wm_problems* problems);
/// False when there is no memory.
bool wm_problems_add(wm_problems* problems, wm_problem problem);

/// Reads the problems for `grid`. Points outside the map or on blocked cells, and lines for a map
/// of another size, are refused with their line number; unreachable goals are not.
wm_status wm_scenfile_load(wm_problems* problems, const wm_grid* grid, const char* path,
                           wm_error* error);
/// The same for problems that were made under other rules for terrain: those that start or end on
/// a blocked cell, whose goal cannot be reached, or where start and goal are one, are left out.
wm_status wm_scenfile_load_solvable(wm_problems* problems, const wm_grid* grid, const char* path,
                                    wm_error* error);
/// Writes problems of the map whose file name is `map_name`. An existing file is replaced.
wm_status wm_scenfile_save(const char* path, const wm_problems* problems, const wm_grid* grid,
                           const char* map_name, wm_error* error);
