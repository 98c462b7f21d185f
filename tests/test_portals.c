// SPDX-License-Identifier: MIT
//
// Portals are held against all steps between regions, looked at one by one.
#include "portals.h"

#include <stdlib.h>

#include "reference.h"
#include "walk.h"

#define MAX_SEEDS 40

typedef struct world {
    wm_map* map;
    const wm_grid* grid;
    wm_cover cover;
    uint32_t regions;
    uint64_t number; // for the message
} world;

static void world_begin(world* w, uint64_t number)
{
    wm_rng rng = wm_rng_start(number, 1);
    wm_cell seeds[MAX_SEEDS];
    *w = (world){.number = number};
    w->map =
        map_generated((wm_generate_kind)(number % WM_GENERATE_KINDS), 60, 50, WM_GENERATE_DEFAULT,
                      WM_GENERATE_DEFAULT, number, (wm_diagonal)(number / 4 % 2));
    w->grid = &w->map->grid;
    const uint32_t radius = 3 + (uint32_t)wm_rng_below(&rng, WM_COVER_MAX_RADIUS - 2);
    assert_int_equal(wm_cover_create(&w->cover, w->grid, radius, NULL, NULL), WM_OK);
    for (int i = 0; i < MAX_SEEDS; i++) {
        const wm_cell cell = random_open_cell(w->grid, &rng);
        bool known = false;
        for (uint32_t k = 0; k < w->regions; k++) known = known || seeds[k] == cell;
        if (!known) seeds[w->regions++] = cell;
    }
    assert_int_equal(wm_cover_flood(&w->cover, 0, seeds, w->regions), WM_OK);
}

static void complain(const world* w, wm_cell cell, const char* what)
{
    fail_msg("seed %llu, cell %u: %s", (unsigned long long)w->number, cell, what);
}

// The square of a step is that of its upper cell, in a row of the left one.
static uint32_t square_of(const wm_grid* grid, wm_cell a, wm_cell b, int32_t side)
{
    const wm_point p = wm_grid_point(grid, a < b ? a : b);
    return (uint32_t)(p.y / side * WM_GRID_MAX_SIDE + p.x / side);
}

// Finds the portal for a step; NULL where there is none, and fails where there are two.
static const wm_portal* portal_of(const world* w, const wm_portals* portals, uint32_t from,
                                  uint32_t into, uint32_t square)
{
    const wm_portal* found = NULL;
    for (uint32_t i = 0; i < portals->count; i++) {
        const wm_portal* p = &portals->list[i];
        if (p->from != from || p->into != into || p->square != square) continue;
        if (found != NULL) complain(w, p->to, "two portals in a square");
        found = p;
    }
    return found;
}

static void check_steps(const world* w, const wm_portals* portals, int32_t side)
{
    for (wm_cell cell = 0; cell < w->grid->cell_count; cell++) {
        const uint32_t from = wm_cover_owner(&w->cover, cell);
        for (int d = 0; d < WM_DIRECTIONS && from != WM_NO_REGION; d++) {
            const wm_cell next = reference_step(w->grid, cell, d);
            if (next == WM_NO_CELL || wm_cover_owner(&w->cover, next) == from ||
                wm_cover_owner(&w->cover, next) == WM_NO_REGION)
                continue;
            const wm_portal* p = portal_of(w, portals, from, wm_cover_owner(&w->cover, next),
                                           square_of(w->grid, cell, next, side));
            if (p == NULL) complain(w, cell, "a step into another region has no portal");
            const wm_cost cost = wm_cover_cost(&w->cover, cell) + reference_step_cost(d) +
                                 wm_cover_cost(&w->cover, next);
            if (p->cost > cost) complain(w, cell, "a step that is shorter than its portal");
        }
    }
}

// Whether a step of that cost leads through the portal.
static bool is_real(const world* w, const wm_portal* p)
{
    if (wm_cover_owner(&w->cover, p->to) != p->into) return false;
    for (int d = 0; d < WM_DIRECTIONS; d++) {
        const wm_cell cell = reference_step(w->grid, p->to, d);
        if (cell != WM_NO_CELL && wm_cover_owner(&w->cover, cell) == p->from &&
            wm_cover_cost(&w->cover, cell) + reference_step_cost(d) +
                    wm_cover_cost(&w->cover, p->to) ==
                p->cost)
            return true;
    }
    return false;
}

static void portals_are_the_shortest_steps_of_their_squares(void** state)
{
    (void)state;
    static const int32_t sides[] = {1, 4, 16, 64, 4096};
    uint32_t all = 0;
    for (uint64_t number = 1; number <= 60; number++) {
        world w;
        world_begin(&w, number);
        const int32_t side = sides[number % 5];
        wm_portals portals;
        assert_int_equal(wm_portals_find(&portals, &w.cover, w.regions, (uint32_t)side), WM_OK);
        check_steps(&w, &portals, side);
        for (uint32_t i = 0; i < portals.count; i++) {
            const wm_portal* p = &portals.list[i];
            if (!is_real(&w, p)) complain(&w, p->to, "no step leads through a portal");
            if (i > 0 && p->from < p[-1].from) complain(&w, p->to, "out of order");
        }
        all += portals.count;
        wm_portals_free(&portals);
        wm_cover_free(&w.cover);
        wm_map_unload(w.map);
    }
    assert_true(all > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portals_are_the_shortest_steps_of_their_squares),
    };
    return cmocka_run_group_tests_name("portals", tests, NULL, NULL);
}
