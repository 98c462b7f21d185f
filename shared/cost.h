// SPDX-License-Identifier: MIT
//
// Path costs are exact integers, so equal paths compare equal in whatever order they were added
// up. 8119 / 5741 is the square root of 2 to 8e-9.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include <waymark.h>

typedef int64_t wm_cost;

#define WM_COST_STRAIGHT ((wm_cost)5741)
#define WM_COST_DIAGONAL ((wm_cost)8119)
#define WM_COST_INFINITE INT64_MAX

/// Least cost from one point to another on a map without obstacles.
static inline wm_cost wm_octile(int32_t dx, int32_t dy)
{
    const wm_cost x = abs(dx);
    const wm_cost y = abs(dy);
    return x > y ? WM_COST_STRAIGHT * x + (WM_COST_DIAGONAL - WM_COST_STRAIGHT) * y
                 : WM_COST_STRAIGHT * y + (WM_COST_DIAGONAL - WM_COST_STRAIGHT) * x;
}

/// What an agent guesses; only the octile distance counts diagonal steps in full.
static inline wm_cost wm_guess(wm_heuristic heuristic, int32_t dx, int32_t dy)
{
    if (heuristic == WM_HEURISTIC_OCTILE) return wm_octile(dx, dy);
    const wm_cost x = abs(dx);
    const wm_cost y = abs(dy);
    return WM_COST_STRAIGHT * ((heuristic == WM_HEURISTIC_MAX) == (x > y) ? x : y);
}

/// For people: in straight steps, with the square root of 2 for a diagonal one. The numbers of
/// both steps follow from their sum: 5741 and 8119 have no common divisor, so the remainder by 5741
/// tells the diagonal ones, up to a multiple of 5741 that changes the result by 6e-5 only.
static inline double wm_cost_to_double(wm_cost cost)
{
    const wm_cost inverse = 3363; // of 8119 modulo 5741
    const wm_cost diagonal = cost % WM_COST_STRAIGHT * inverse % WM_COST_STRAIGHT;
    const wm_cost straight = (cost - diagonal * WM_COST_DIAGONAL) / WM_COST_STRAIGHT;
    return (double)straight + 1.4142135623730951 * (double)diagonal;
}
