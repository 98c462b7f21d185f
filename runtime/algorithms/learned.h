// SPDX-License-Identifier: MIT
//
// What the learning algorithms know of the distance to one target: a guess for every cell, and a
// learned value where there is one. A word a cell, stamped with a generation, so that everything is
// forgotten in no time: kNN LRTA* starts afresh at each subgoal.
#pragma once

#include "internal.h"
#include "moves.h"

typedef struct wm_learned {
    const wm_grid* grid;
    uint64_t* words;        ///< Per cell: generation above the low 40 bits, the value in them.
    uint32_t generation;    ///< Words of other generations mean "nothing learned".
    wm_heuristic heuristic; ///< Octile, unless somebody sets it.
    wm_cell target;
    wm_point target_point;
    wm_bearing bearing; ///< Of the agent, where it walks by what is learned.
} wm_learned;

#define WM_LEARNED_VALUE_BITS 40
#define WM_LEARNED_MAX_VALUE ((UINT64_C(1) << WM_LEARNED_VALUE_BITS) - 1)

size_t wm_learned_bytes(const wm_grid* grid);
/// `memory` is zeroed before its first use.
void wm_learned_init(wm_learned* learned, const wm_grid* grid, void* memory);
/// Heads for `target` with nothing learned.
void wm_learned_aim(wm_learned* learned, wm_cell target);

/// Columns and rows from the target to a cell.
static inline wm_point wm_learned_offset(const wm_learned* learned, wm_cell cell)
{
    const wm_point p = wm_grid_point(learned->grid, cell);
    return (wm_point){p.x - learned->target_point.x, p.y - learned->target_point.y};
}

/// The value of the cell that lies at this offset.
static inline wm_cost wm_learned_value_at(const wm_learned* learned, wm_cell cell, wm_point offset)
{
    const uint64_t word = learned->words[cell];
    return word >> WM_LEARNED_VALUE_BITS == learned->generation
               ? (wm_cost)(word & WM_LEARNED_MAX_VALUE)
               : wm_guess(learned->heuristic, offset.x, offset.y);
}

static inline wm_cost wm_learned_value(const wm_learned* learned, wm_cell cell)
{
    return wm_learned_value_at(learned, cell, wm_learned_offset(learned, cell));
}

static inline wm_point wm_learned_offset_after(wm_point offset, int direction)
{
    return (wm_point){offset.x + wm_direction_x[direction], offset.y + wm_direction_y[direction]};
}

/// Step cost + value of the move from `cell`, which lies at `offset`.
static inline wm_cost wm_learned_move_cost(const wm_learned* learned, wm_cell cell, wm_point offset,
                                           int direction)
{
    return wm_direction_cost[direction] +
           wm_learned_value_at(learned, wm_grid_step(learned->grid, cell, direction),
                               wm_learned_offset_after(offset, direction));
}

static inline void wm_learned_set(wm_learned* learned, wm_cell cell, wm_cost value)
{
    // Only where there is no path do values rise for ever: they stop at the top.
    const uint64_t kept =
        (uint64_t)value < WM_LEARNED_MAX_VALUE ? (uint64_t)value : WM_LEARNED_MAX_VALUE;
    learned->words[cell] = (uint64_t)learned->generation << WM_LEARNED_VALUE_BITS | kept;
}

/// Learns a value, unless a higher one is known. That can be so only where walls went away while the
/// agent was under way on unknown terrain: else values stay consistent and only rise.
static inline void wm_learned_raise(wm_learned* learned, wm_cell cell, wm_point offset,
                                    wm_cost value)
{
    const wm_cost before = wm_learned_value_at(learned, cell, offset);
    wm_learned_set(learned, cell, value > before ? value : before); // without a branch
}

/// What the choice among the moves from a cell needs.
typedef struct wm_learned_around {
    const wm_learned* learned;
    wm_cell cell;
    unsigned moves;
    wm_cost guesses[WM_DIRECTIONS];
} wm_learned_around;

static inline void wm_learned_look_around(wm_learned_around* around, const wm_learned* learned,
                                          wm_cell cell, wm_point offset)
{
    around->learned = learned;
    around->cell = cell;
    around->moves = learned->grid->moves[cell];
    wm_guess_around(learned->heuristic, offset, around->guesses);
}

/// The key of a move: its step cost + value. Reads values of cells off the map, too.
static inline uint64_t wm_learned_key(const wm_learned_around* around, unsigned direction)
{
    const wm_learned* learned = around->learned;
    const uint64_t word = learned->words[(int64_t)around->cell + learned->grid->offset[direction]];
    const uint64_t guess = (uint64_t)around->guesses[direction];
    const uint64_t value =
        word >> WM_LEARNED_VALUE_BITS == learned->generation ? word & WM_LEARNED_MAX_VALUE : guess;
    return wm_move_key(value + (uint64_t)wm_direction_cost[direction], direction,
                       around->moves >> direction & 1);
}

/// The first move with the least step cost + value, which is stored, from `cell` at `offset`; -1
/// where no move is legal.
int wm_learned_best_move(const wm_learned* learned, wm_cell cell, wm_point offset, wm_cost* least);
/// A move of LRTA*: raises the value of the cell that is left and gives the direction; -1 where no
/// move is legal.
int wm_learned_step(wm_learned* learned, wm_cell cell);
