// SPDX-License-Identifier: MIT
#include "controller.h"

#include <assert.h>

#include "climb.h"

// Both ways to the seed, and a step out of the region.
#define MAX_WAY (2 * WM_COVER_MAX_RADIUS + 1)
_Static_assert(MAX_WAY <= WM_MAX_LOCAL_EXPANSIONS, "ways fit into paths");
_Static_assert(2 * WM_MAX_LEG + WM_DIRECTIONS + MAX_WAY <= WM_LEG_STATES, "legs have a bound");

typedef struct region_way {
    uint8_t moves[MAX_WAY];
    unsigned length; // 0: there is none
    wm_cost cost;
} region_way;

// Of the cells of a region from which a step leads to `to` the one that is nearest to its seed; the
// direction of that step, or -1.
static int step_out(const wm_cover* cover, uint32_t region, wm_cell to)
{
    const wm_grid* grid = cover->grid;
    int best = -1;
    wm_cost least = WM_COST_INFINITE;
    for (unsigned left = grid->moves[to]; left != 0; left &= left - 1) {
        const int back = wm_lowest_direction(left);
        const wm_cell cell = wm_grid_step(grid, to, back);
        if (wm_cover_owner(cover, cell) != region) continue;
        const wm_cost cost = wm_cover_cost(cover, cell) + wm_direction_cost[back];
        if (cost >= least) continue;
        least = cost;
        best = (back + WM_DIRECTIONS / 2) % WM_DIRECTIONS;
    }
    return best;
}

// By the ways to the seed of the region where `from` lies.
static region_way find_way(const wm_cover* cover, wm_cell from, wm_cell to, uint64_t* states)
{
    region_way way = {.cost = WM_COST_INFINITE};
    const uint32_t region = wm_cover_owner(cover, from);
    wm_cell last = to;
    int out = -1;
    if (region == WM_NO_REGION) return way;
    if (wm_cover_owner(cover, to) != region) {
        out = step_out(cover, region, to);
        *states += WM_DIRECTIONS;
        if (out < 0) return way;
        last = wm_grid_step(cover->grid, to, (out + WM_DIRECTIONS / 2) % WM_DIRECTIONS);
    }
    way.length = wm_cover_way(cover, from, last, way.moves);
    if (out >= 0) way.moves[way.length++] = (uint8_t)out;
    way.cost = 0;
    for (unsigned i = 0; i < way.length; i++) way.cost += wm_direction_cost[way.moves[i]];
    *states += way.length;
    return way;
}

static void store_way(wm_leg_path* path, const region_way* way)
{
    path->length = (uint16_t)way->length;
    for (unsigned i = 0; i < way->length; i += 2) {
        const unsigned second = i + 1 < way->length ? way->moves[i + 1] : 0;
        path->moves[i / 2] = (uint8_t)(way->moves[i] | second << 4);
    }
}

wm_leg wm_controller_leg(const wm_controller* controller, wm_cell from, wm_cell to,
                         wm_leg_path* path, uint64_t* states)
{
    const wm_grid* grid = controller->grid;
    const wm_point a = wm_grid_point(grid, from);
    const wm_point b = wm_grid_point(grid, to);
    const int32_t dx = abs(a.x - b.x);
    const int32_t dy = abs(a.y - b.y);
    const uint64_t most = *states + WM_LEG_STATES;
    wm_leg leg = {.kind = WM_LEG_NONE, .cost = WM_COST_INFINITE};
    if (dx <= WM_MAX_LEG && dy <= WM_MAX_LEG &&
        wm_planes_line(controller->planes, a, b, &leg.line, states)) {
        leg.kind = WM_LEG_LINE;
        leg.cost = wm_octile(dx, dy);
        return leg;
    }
    const region_way way = find_way(controller->cover, from, to, states);
    if (way.length > 0) {
        leg.kind = WM_LEG_PATH;
        leg.cost = way.cost;
    }
    const bool is_shortest = way.length > 0 && wm_cover_cost(controller->cover, to) == 0 &&
                             wm_cover_cost(controller->cover, from) == way.cost;
    if (!is_shortest && dx <= WM_MAX_LEG && dy <= WM_MAX_LEG && *states + WM_MAX_LEG <= most) {
        const wm_climb climb = wm_climb_run(grid, from, to, WM_MAX_LEG);
        *states += climb.steps;
        if (climb.reached && climb.cost <= leg.cost) {
            leg.kind = WM_LEG_CLIMB;
            leg.cost = climb.cost;
        }
    }
    if (leg.kind == WM_LEG_PATH && path != NULL) store_way(path, &way);
    assert(*states <= most);
    return leg;
}

wm_cost wm_controller_cost(const wm_controller* controller, wm_cell from, wm_cell to)
{
    uint64_t states = 0;
    return wm_controller_leg(controller, from, to, NULL, &states).cost;
}
