// SPDX-License-Identifier: MIT
#include "climb.h"

// The rule as it is written down, for cells where the straight way on is blocked.
static int best_direction(unsigned moves, int32_t dx, int32_t dy)
{
    int best = -1;
    wm_cost best_f = 0;
    wm_cost best_h = 0;
    for (unsigned left = moves; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cost h = wm_octile(dx - wm_direction_x[d], dy - wm_direction_y[d]);
        const wm_cost f = wm_direction_cost[d] + h;
        if (best >= 0 && (f > best_f || (f == best_f && h >= best_h))) continue;
        best = d;
        best_f = f;
        best_h = h;
    }
    return best >= 0 && best_h < wm_octile(dx, dy) ? best : -1;
}

int wm_climb_direction(unsigned moves, int32_t dx, int32_t dy)
{
    // The step by the signs of (dx, dy) loses nothing against the octile distance, and of all such
    // steps it leaves the smallest one: where it is legal no other needs to be looked at.
    const int toward = wm_direction_toward(dx, dy);
    if (moves >> toward & 1) return toward;
    return best_direction(moves, dx, dy);
}

wm_climb wm_climb_run(const wm_grid* grid, wm_cell from, wm_cell to, uint32_t max_steps)
{
    const wm_point a = wm_grid_point(grid, from);
    const wm_point b = wm_grid_point(grid, to);
    int32_t dx = b.x - a.x;
    int32_t dy = b.y - a.y;
    wm_climb climb = {0};
    for (wm_cell cell = from; cell != to; climb.steps++) {
        if (climb.steps == max_steps) return climb;
        const int d = wm_climb_direction(grid->moves[cell], dx, dy);
        if (d < 0) return climb;
        cell = wm_grid_step(grid, cell, d);
        dx -= wm_direction_x[d];
        dy -= wm_direction_y[d];
        climb.cost += wm_direction_cost[d];
    }
    climb.reached = true;
    return climb;
}
