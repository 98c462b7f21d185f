// SPDX-License-Identifier: MIT
//
// Path costs are exact integers, so equal paths compare equal in whatever order they were added
// up. 8119 / 5741 is the square root of 2 to 8e-9.
#pragma once

#include <stdint.h>
#include <stdlib.h>

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

/// For people: in straight steps.
static inline double wm_cost_to_double(wm_cost cost)
{
    return (double)cost / (double)WM_COST_STRAIGHT;
}
