// SPDX-License-Identifier: MIT
//
// Which algorithm is best on a map: many are sampled, all with the same bound on expansions per
// move, and walk the same problems (Bulitko 2016, "sample"); beyond the paper's family also the
// time-bounded searches, deeper lookahead, and the databases that the map has. How good the winner
// is comes from other problems than those that it won on.
#pragma once

#include <waymark.h>

#include "choice.h"
#include "parallel.h"

/// The least and the greatest budget: what the searches that are sampled can be told.
#define WM_SELECT_MAX_BUDGET 10000
#define WM_SELECT_MAX_ALGORITHMS 100000

typedef struct wm_select_options {
    uint32_t algorithms; ///< To sample, besides those that are always there.
    uint32_t problems;   ///< To choose on, and as many others to measure on; 1 or more.
    uint32_t budget;     ///< Expansions in one move, at most; 1 to WM_SELECT_MAX_BUDGET.
    uint64_t seed;
    unsigned threads;
    wm_progress progress; ///< May be NULL.
    void* progress_context;
    bool (*go_on)(void); ///< Asked between walks, by any thread; may be NULL. False interrupts.
} wm_select_options;

/// A map to walk on, and what there is for it.
typedef struct wm_arena {
    const wm_grid* grid;
    const char* name; ///< Stands for the map in errors.
    wm_map* map;
    wm_db* db; ///< NULL where there is none.
} wm_arena;

/// @param database  file that has the map under the name `stored_name`, or NULL
/// @return as wm_db_open
wm_status wm_arena_open(wm_arena* arena, const wm_grid* grid, const char* name,
                        const char* database, const char* stored_name, wm_error* error);
void wm_arena_close(wm_arena* arena);

typedef struct wm_candidate {
    char spec[WM_CHOICE_MAX_SPEC + 1];
} wm_candidate;

typedef struct wm_candidates {
    wm_candidate* list;
    uint32_t count;
    size_t capacity;
} wm_candidates;

/// Samples algorithms: the same for the same seed and budget, whatever the map.
wm_status wm_candidates_sample(wm_candidates* candidates, const wm_select_options* options,
                               wm_error* error);
void wm_candidates_free(wm_candidates* candidates);

/// The mean of what cannot be had: there is no data for it, or it expands too much in a move.
#define WM_SELECT_OUT UINT32_MAX

/// Chooses for one map. `means` has room for all candidates, and gets the mean of each on the
/// problems to choose on, in thousandths of a percent, or WM_SELECT_OUT.
/// @return WM_OK, WM_ERR_TOO_FEW (the map has no problems, or nobody keeps to the budget),
///         WM_ERR_INTERRUPTED or WM_ERR_MEMORY
wm_status wm_select(wm_choice* choice, uint32_t* means, const wm_arena* arena,
                    const wm_candidates* candidates, const wm_select_options* options,
                    wm_error* error);

/// Measures `choice->spec` by the choice's budget, seed and number of problems, on problems that
/// were not chosen on; sets `problems` (fewer where the map has fewer), `mean` (WM_SELECT_OUT where
/// it is out) and `max_expansions`.
/// @param go_on  as in wm_select_options
wm_status wm_choice_measure(wm_choice* choice, const wm_arena* arena, bool (*go_on)(void),
                            wm_error* error);

/// Packs a choice into a blob as a database file stores it. `content_hash` may be NULL.
/// @return WM_OK or WM_ERR_MEMORY
wm_status wm_choice_seal(wm_buffer* blob, uint64_t* content_hash, const wm_choice* choice);
