// SPDX-License-Identifier: MIT
//
// Time-bounded best-first search (Hernandez, Asin, Baier), the body of TBA*, TB-WA* and TB-GBFS.
#pragma once

#include "internal.h"
#include "search.h"

size_t wm_tb_state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values);
void wm_tb_init(wm_agent* agent);
wm_status wm_tb_begin(wm_agent* agent, wm_cell start, wm_cell goal, wm_search_weights weights);
/// One search step of at most `max_expansions`, then one move.
wm_status wm_tb_step(wm_agent* agent, uint64_t max_expansions, wm_cell* next);

/// The parameter k, the same in all three.
#define WM_TB_PARAMETER_K                                                                          \
    {                                                                                              \
        "k", WM_PARAMETER_INTEGER, 25, 1, 1000000000, "states expanded per move, at most", NULL    \
    }
