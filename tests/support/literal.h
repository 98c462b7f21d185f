// SPDX-License-Identifier: MIT
//
// A second agent for the learning algorithms: it knows the map by plain arrays of its own, on
// unknown terrain only what it saw, and moves as a test tells it to. Nothing of the runtime is in it.
#pragma once

#include "walk.h"

/// All that the pseudo-code of the papers speaks of.
typedef struct literal {
    const wm_grid* map; ///< As it is. Only for looking around.
    bool* open;         ///< Per cell: as far as the agent knows.
    wm_cost* h;         ///< Per cell: guessed, then learned.
    wm_cell goal;
    int k;
    int moves;
    wm_cell* path;     ///< Cells still to be walked; for those that keep a path.
    size_t path_count; ///< 0 where there is none.
    size_t path_next;
    uint64_t expansions;
} literal;

/// Chooses the next cell from `at`, which has been looked around from; WM_NO_CELL: there is no path.
typedef wm_cell (*literal_mover)(literal* agent, wm_cell at);

/// The cell that the step leads to, or WM_NO_CELL where it is not legal as far as the agent knows.
wm_cell literal_step(const literal* agent, wm_cell cell, int direction);
/// Least step cost + h over the neighbours of `cell` that are not in `except` (NULL for none), the
/// first such neighbour in `*best` (NULL if not wanted); INT64_MAX and WM_NO_CELL where none is left.
wm_cost literal_least(const literal* agent, wm_cell cell, const bool* except, wm_cell* best);

/// What A* of k expansions leaves behind. All of them per cell.
typedef struct literal_search {
    bool* open;
    bool* closed;
    wm_cost* g;
    wm_cell* parent;
    wm_cell best; ///< The best open state; WM_NO_CELL where there is none.
} literal_search;

literal_search literal_search_run(literal* agent, wm_cell from);
void literal_search_free(literal_search* search);
/// Whether the rest of the path from `at` is there and legal.
bool literal_path_holds(const literal* agent, wm_cell at);
/// Takes the path from `from` to the search's best state.
void literal_path_set(literal* agent, const literal_search* search, wm_cell from);
/// The next cell of the path.
wm_cell literal_path_follow(literal* agent);

/// One algorithm, its parameters as text and as numbers, and how it should move.
typedef struct literal_case {
    const char* spec;
    int k;
    int moves;
    literal_mover mover;
} literal_case;

/// Compares the agents of both kinds on random maps, step by step and expansion by expansion, on
/// known and unknown terrain, with all heuristics and for solvable and unsolvable problems.
void assert_walks_literally(const literal_case* tested, uint64_t seeds, int32_t max_side);
/// Walls come and go while the agent is under way on unknown terrain, so that what it learned may be
/// wrong: it has to keep to legal moves all the same.
void assert_walks_on_while_walls_move(const char* spec);
/// Creates an agent for that terrain and heuristic that begins also where there is no path.
wm_agent* agent_create_for(const wm_map* map, const char* spec, wm_terrain terrain,
                           wm_heuristic heuristic);
