// SPDX-License-Identifier: MIT
//
// The offline half of D LRTA*.
#pragma once

#include "d_lrta.h"
#include "parallel.h"

#define WM_D_LRTA_DEFAULT_LEVEL 5

/// Abstracts the map `level` times by cliques. `group` gets the abstract state of each open cell,
/// numbered by first cell, and UINT32_MAX for blocked ones.
/// @return WM_OK or WM_ERR_MEMORY
wm_status wm_clique_abstraction(uint32_t* group, uint32_t* count, const wm_grid* grid,
                                uint32_t level, wm_error* error);

typedef struct wm_d_lrta_options {
    uint32_t level; ///< 1 to WM_D_LRTA_MAX_LEVEL.
    unsigned threads;
    wm_progress progress; ///< May be NULL.
    void* progress_context;
} wm_d_lrta_options;

/// Makes the database of a map. `name` stands for the map in errors.
/// @return WM_OK, WM_ERR_TOO_FEW (too many abstract states, or no open cell), WM_ERR_INTERRUPTED or
///         WM_ERR_MEMORY
wm_status wm_d_lrta_build(wm_d_lrta* d_lrta, const wm_grid* grid, const wm_d_lrta_options* options,
                          const char* name, wm_error* error);

/// Packs a database into a blob as a file stores it. `content_hash` may be NULL.
/// @return WM_OK or WM_ERR_MEMORY
wm_status wm_d_lrta_seal(wm_buffer* blob, uint64_t* content_hash, const wm_d_lrta* d_lrta);

typedef struct wm_d_lrta_verify_result {
    uint32_t wrong_cells; ///< In another region than they should be.
    uint32_t wrong_pairs; ///< With another subgoal; not counted where cells are wrong.
} wm_d_lrta_verify_result;

/// Makes everything again with the database's own level, and compares.
wm_status wm_d_lrta_verify(wm_d_lrta_verify_result* result, const wm_d_lrta* d_lrta,
                           const wm_grid* grid, const wm_d_lrta_options* options, const char* name,
                           wm_error* error);
