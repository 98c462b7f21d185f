// SPDX-License-Identifier: MIT
#include "reference.h"

#include <stdlib.h>

// North first, then clockwise; y grows downward.
static const int steps_x[8] = {0, 1, 1, 1, 0, -1, -1, -1};
static const int steps_y[8] = {-1, -1, 0, 1, 1, 1, 0, -1};

static bool open_at(const wm_grid* grid, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x < grid->width && y < grid->height &&
           grid->component[y * grid->width + x] != 0;
}

wm_cell reference_step(const wm_grid* grid, wm_cell cell, int direction)
{
    const int32_t x = (int32_t)cell % grid->width;
    const int32_t y = (int32_t)cell / grid->width;
    const int32_t to_x = x + steps_x[direction];
    const int32_t to_y = y + steps_y[direction];
    if (!open_at(grid, x, y) || !open_at(grid, to_x, to_y)) return WM_NO_CELL;
    if (grid->diagonal == WM_DIAGONAL_NONE && (!open_at(grid, to_x, y) || !open_at(grid, x, to_y)))
        return WM_NO_CELL;
    return (wm_cell)(to_y * grid->width + to_x);
}

wm_cost reference_step_cost(int direction)
{
    return direction % 2 == 0 ? 5741 : 8119;
}

wm_cost reference_h(const wm_grid* grid, wm_cell a, wm_cell b)
{
    const int32_t dx = abs((int32_t)a % grid->width - (int32_t)b % grid->width);
    const int32_t dy = abs((int32_t)a / grid->width - (int32_t)b / grid->width);
    const wm_cost diagonal = dx < dy ? dx : dy;
    const wm_cost straight = dx < dy ? dy - dx : dx - dy;
    return 8119 * diagonal + 5741 * straight;
}

int reference_direction(const wm_grid* grid, wm_cell from, wm_cell to)
{
    for (int d = 0; d < 8; d++) {
        if (reference_step(grid, from, d) == to) return d;
    }
    return -1;
}

// Whether the neighbour (f, h) comes before the best one so far; equal ones do not.
static bool climbs_better(wm_cost f, wm_cost h, wm_cost best_f, wm_cost best_h)
{
    return f < best_f || (f == best_f && h < best_h);
}

reference_climb reference_climb_run(const wm_grid* grid, wm_cell from, wm_cell to,
                                    uint32_t max_steps)
{
    reference_climb climb = {0};
    wm_cell at = from;
    while (at != to && climb.steps < max_steps) {
        int best = -1;
        wm_cost best_f = INT64_MAX;
        wm_cost best_h = INT64_MAX;
        for (int d = 0; d < 8; d++) {
            const wm_cell next = reference_step(grid, at, d);
            if (next == WM_NO_CELL) continue;
            const wm_cost h = reference_h(grid, next, to);
            const wm_cost f = reference_step_cost(d) + h;
            if (!climbs_better(f, h, best_f, best_h)) continue;
            best = d;
            best_f = f;
            best_h = h;
        }
        if (best < 0 || best_h >= reference_h(grid, at, to)) return climb;
        at = reference_step(grid, at, best);
        climb.steps++;
        climb.cost += reference_step_cost(best);
    }
    climb.reached = at == to;
    return climb;
}

reference_lrta reference_lrta_aim(const wm_grid* grid, wm_cell target)
{
    reference_lrta lrta = {.grid = grid, .target = target};
    lrta.h = malloc(grid->cell_count * sizeof *lrta.h);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++)
        lrta.h[cell] = reference_h(grid, cell, target);
    return lrta;
}

void reference_lrta_free(reference_lrta* lrta)
{
    free(lrta->h);
    *lrta = (reference_lrta){0};
}

// The value of a state with `depth` more moves to look ahead; the target's is known.
static wm_cost value_of(const reference_lrta* lrta, wm_cell cell, int depth)
{
    if (cell == lrta->target) return 0;
    if (depth == 0) return lrta->h[cell];
    wm_cost least = INT64_MAX;
    for (int d = 0; d < 8; d++) {
        const wm_cell next = reference_step(lrta->grid, cell, d);
        if (next == WM_NO_CELL) continue;
        const wm_cost f = reference_step_cost(d) + value_of(lrta, next, depth - 1);
        if (f < least) least = f;
    }
    return least > lrta->h[cell] ? least : lrta->h[cell];
}

int reference_lrta_step(reference_lrta* lrta, wm_cell cell, int depth)
{
    int best = -1;
    wm_cost least = INT64_MAX;
    for (int d = 0; d < 8; d++) {
        const wm_cell next = reference_step(lrta->grid, cell, d);
        if (next == WM_NO_CELL) continue;
        const wm_cost f = reference_step_cost(d) + value_of(lrta, next, depth - 1);
        if (f >= least) continue;
        least = f;
        best = d;
    }
    if (best >= 0 && least > lrta->h[cell]) lrta->h[cell] = least;
    return best;
}

uint64_t reference_cells_within(const wm_grid* grid, wm_cell cell, int moves)
{
    int* left = malloc(grid->cell_count * sizeof *left); // moves left on arrival; -1 for unseen
    wm_cell* queue = malloc(grid->cell_count * sizeof *queue);
    for (wm_cell i = 0; i < grid->cell_count; i++) left[i] = -1;
    uint64_t count = 0;
    left[cell] = moves;
    queue[count++] = cell;
    for (uint64_t at = 0; at < count; at++) {
        for (int d = 0; d < 8 && left[queue[at]] > 0; d++) {
            const wm_cell next = reference_step(grid, queue[at], d);
            if (next == WM_NO_CELL || left[next] >= 0) continue;
            left[next] = left[queue[at]] - 1;
            queue[count++] = next;
        }
    }
    free(queue);
    free(left);
    return count;
}
