// SPDX-License-Identifier: MIT
#include "controller.h"

#include "climb.h"

wm_leg wm_controller_leg(const wm_controller* controller, wm_cell from, wm_cell to,
                         wm_leg_path* path, uint64_t* states)
{
    const wm_grid* grid = controller->grid;
    const wm_point a = wm_grid_point(grid, from);
    const wm_point b = wm_grid_point(grid, to);
    wm_leg leg = {.kind = WM_LEG_NONE, .cost = WM_COST_INFINITE};
    if (abs(a.x - b.x) > WM_MAX_LEG || abs(a.y - b.y) > WM_MAX_LEG) return leg;
    if (wm_planes_line(controller->planes, a, b, &leg.line, states)) {
        leg.kind = WM_LEG_LINE;
        leg.cost = wm_octile(a.x - b.x, a.y - b.y);
        return leg;
    }
    return wm_controller_detour(controller, from, to, path, states);
}

wm_leg wm_controller_detour(const wm_controller* controller, wm_cell from, wm_cell to,
                            wm_leg_path* path, uint64_t* states)
{
    const wm_grid* grid = controller->grid;
    wm_leg leg = {.kind = WM_LEG_NONE, .cost = WM_COST_INFINITE};
    const wm_climb climb = wm_climb_run(grid, from, to, WM_MAX_LEG);
    *states += climb.steps;
    if (climb.reached) {
        leg.kind = WM_LEG_CLIMB;
        leg.cost = climb.cost;
        return leg;
    }
    if (controller->max_expansions == 0) return leg;
    leg.cost = wm_local_search(grid, from, to, controller->max_expansions, path, states);
    if (leg.cost != WM_COST_INFINITE) leg.kind = WM_LEG_PATH;
    return leg;
}

wm_cost wm_controller_cost(const wm_controller* controller, wm_cell from, wm_cell to)
{
    uint64_t states = 0;
    return wm_controller_leg(controller, from, to, NULL, &states).cost;
}

uint64_t wm_controller_bound(const wm_controller* controller)
{
    return 3 * WM_MAX_LEG + controller->max_expansions;
}
