// SPDX-License-Identifier: MIT
//
// Time-bounded best-first search (Hernandez, Asin, Baier), the body of TBA*, TB-WA* and TB-GBFS.
#pragma once

#include "internal.h"
#include "search.h"

/// One such search, at the front of its memory.
typedef struct wm_tb {
    wm_search search;
    bool goal_found;
    uint8_t* onward; ///< Per cell, once the goal is found: direction + 1 of the path's next step.
} wm_tb;

/// Memory of a search on this grid, zeroed before its first use.
size_t wm_tb_bytes(const wm_grid* grid);
void wm_tb_init(wm_tb* tb, const wm_grid* grid);
void wm_tb_begin(wm_tb* tb, wm_cell start, wm_cell goal, wm_search_weights weights);
/// Searches on with at most `max_expansions`, unless the goal is found already.
/// @return WM_OK, or WM_NO_PATH when nothing is left to expand
wm_status wm_tb_search(wm_tb* tb, wm_agent* agent, uint64_t max_expansions);
/// Chooses one move of the agent, or a wait, by what is found so far.
void wm_tb_move(const wm_tb* tb, wm_agent* agent, wm_cell* next);
/// Whether every step of the way from `position`, back if need be and on to the goal or to the best
/// open state, is legal on the grid as it is now. If so, `*cost` is the cost of that way.
bool wm_tb_way_is_legal(const wm_tb* tb, wm_cell position, wm_cost* cost);
/// One search step of at most `max_expansions`, then one move of the agent.
wm_status wm_tb_step(wm_tb* tb, wm_agent* agent, uint64_t max_expansions, wm_cell* next);

/// For algorithms whose whole state is such a search.
size_t wm_tb_state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values);
void wm_tb_init_state(wm_agent* agent);

/// The parameters k and w, the same wherever they are.
#define WM_TB_PARAMETER_K                                                                          \
    {                                                                                              \
        "k", WM_PARAMETER_INTEGER, 25, 1, 1000000000, "states expanded per move, at most", NULL    \
    }
#define WM_TB_PARAMETER_W                                                                          \
    {                                                                                              \
        "w", WM_PARAMETER_DECIMAL, 3000, 1000, 1000000, "weight of the heuristic", NULL            \
    }

/// The parameter reopen: whether the search follows the paper's pseudo-code in that.
#define WM_TB_PARAMETER_REOPEN                                                                     \
    {                                                                                              \
        "reopen", WM_PARAMETER_INTEGER, 1, 0, 1,                                                   \
            "1: expand a state again when a better way to it is found", NULL                       \
    }
