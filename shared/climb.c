// SPDX-License-Identifier: MIT
#include "climb.h"

// Where the straight way on is blocked few steps lead nearer, and how far each falls behind the straight
// way does not depend on the distance. Straight ahead of the target: the slanted steps to both sides,
// alike. Else: along the longer of both ways; along the shorter one; and, with the longer one two
// steps longer, away on the shorter one too. Alike are the first two where both ways are equally
// long. Of steps that are alike the first in the order of directions counts.
static int way_around(unsigned moves, int toward, int32_t dx, int32_t dy)
{
    const int32_t longer = abs(dx) - abs(dy);
    int first = (toward + WM_DIRECTIONS - 1) % WM_DIRECTIONS;
    int second = (toward + 1) % WM_DIRECTIONS;
    const bool is_straight = toward % 2 == 0;
    const bool first_goes_by_x = first % 4 == WM_EAST;
    if (is_straight && abs(longer) == 1) return -1; // beside the target
    if (is_straight || longer == 0 ? first > second : first_goes_by_x != (longer > 0)) {
        const int swapped = first;
        first = second;
        second = swapped;
    }
    if (moves >> first & 1) return first;
    if (moves >> second & 1) return second;
    if (is_straight || abs(longer) < 2) return -1;
    const int third = (2 * first - toward + WM_DIRECTIONS) % WM_DIRECTIONS;
    return moves >> third & 1 ? third : -1;
}

int wm_climb_direction(unsigned moves, int32_t dx, int32_t dy)
{
    // The step by the signs of (dx, dy) loses nothing against the octile distance, and of all such
    // steps it leaves the smallest one: where it is legal no other needs to be looked at.
    const int toward = wm_direction_toward(dx, dy);
    if (moves >> toward & 1) return toward;
    return way_around(moves, toward, dx, dy);
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
