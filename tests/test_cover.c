// SPDX-License-Identifier: MIT
//
// After some floods every promise of a region is looked up with the controller, cell by cell; what
// each seed serves is found by a second, plain flood.
#include "cover.h"

#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "walk.h"

#define MAX_SEEDS 24

typedef struct world {
    wm_map* map;
    const wm_grid* grid;
    wm_planes planes;
    wm_controller controller;
    wm_cost radius;
    wm_cell seeds[MAX_SEEDS]; // all different
    uint32_t seed_count;
    uint64_t number; // for the message
} world;

static void draw_seeds(world* w, wm_rng* rng)
{
    for (int i = 0; i < MAX_SEEDS && w->grid->open_count > 0; i++) {
        const wm_cell cell = random_open_cell(w->grid, rng);
        bool known = false;
        for (uint32_t k = 0; k < w->seed_count; k++) known = known || w->seeds[k] == cell;
        if (!known) w->seeds[w->seed_count++] = cell;
    }
}

static void world_begin(world* w, uint64_t number)
{
    static const uint32_t most[] = {0, 0, 15, 60};
    wm_rng rng = wm_rng_start(number, 1);
    *w = (world){.number = number};
    w->map = number % 2 == 0 ? map_random(number, 60)
                             : map_generated((wm_generate_kind)(number / 2 % WM_GENERATE_KINDS), 50,
                                             40, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, number,
                                             (wm_diagonal)(number / 8 % 2));
    w->grid = &w->map->grid;
    assert_int_equal(wm_planes_create(&w->planes, w->grid, NULL, NULL), WM_OK);
    w->controller = (wm_controller){w->grid, &w->planes, most[wm_rng_below(&rng, 4)]};
    w->radius = (wm_cost)wm_rng_below(&rng, 25) * WM_COST_STRAIGHT;
    draw_seeds(w, &rng);
}

static void world_end(world* w)
{
    wm_planes_free(&w->planes);
    wm_map_unload(w->map);
}

static wm_cover cover_begin(const world* w)
{
    wm_cover cover;
    assert_int_equal(wm_cover_create(&cover, &w->controller, w->radius, NULL, NULL), WM_OK);
    return cover;
}

// Region numbers need not be small: they are the caller's.
static uint32_t region_of(uint32_t index)
{
    return 1000 + 3 * index;
}

static void flood_all(const world* w, wm_cover* cover)
{
    for (uint32_t i = 0; i < w->seed_count; i++) wm_cover_flood(cover, region_of(i), w->seeds[i]);
}

// From each cell to a seed that serves it; WM_COST_INFINITE for the others. A seed serves what is
// joined to it by cells that it serves, all within the radius, with a way there and a way back.
static wm_cost* served_by(const world* w, wm_cell seed)
{
    const uint32_t cells = w->grid->cell_count;
    wm_cost* cost = malloc(cells * sizeof *cost);
    bool* seen = calloc(cells, sizeof *seen);
    wm_cell* stack = malloc(cells * sizeof *stack);
    for (uint32_t i = 0; i < cells; i++) cost[i] = WM_COST_INFINITE;
    size_t count = 0;
    stack[count++] = seed;
    seen[seed] = true;
    cost[seed] = 0;
    while (count > 0) {
        const wm_cell cell = stack[--count];
        for (int d = WM_DIRECTIONS - 1; d >= 0; d--) {
            const wm_cell next = reference_step(w->grid, cell, d);
            if (next == WM_NO_CELL || seen[next]) continue;
            seen[next] = true;
            if (reference_h(w->grid, next, seed) > w->radius) continue;
            const wm_cost there = wm_controller_cost(&w->controller, next, seed);
            const wm_cost back = wm_controller_cost(&w->controller, seed, next);
            if (there == WM_COST_INFINITE || back == WM_COST_INFINITE) continue;
            cost[next] = there;
            stack[count++] = next;
        }
    }
    free(seen);
    free(stack);
    return cost;
}

static void complain(const world* w, wm_cell cell, const char* what)
{
    fail_msg("seed %llu, %d x %d, %s, radius %lld, at most %u expansions, cell %u: %s",
             (unsigned long long)w->number, w->grid->width, w->grid->height,
             wm_diagonal_name(w->grid->diagonal), (long long)w->radius,
             w->controller.max_expansions, cell, what);
}

// The promises that a region makes to its cells.
static const char* owner_complaint(const world* w, const wm_cover* cover, wm_cell cell)
{
    if (wm_cover_owner(cover, cell) == WM_NO_REGION) return NULL;
    if (!wm_grid_is_open(w->grid, cell)) return "a blocked cell has an owner";
    const uint32_t index = (wm_cover_owner(cover, cell) - region_of(0)) / 3;
    if (index >= w->seed_count || wm_cover_owner(cover, cell) != region_of(index))
        return "the owner was never flooded";
    const wm_cell seed = w->seeds[index];
    if (reference_h(w->grid, cell, seed) > w->radius) return "the owner is beyond the radius";
    if (wm_controller_cost(&w->controller, cell, seed) != wm_cover_cost(cover, cell))
        return "the cost is not the controller's";
    if (wm_controller_cost(&w->controller, seed, cell) == WM_COST_INFINITE)
        return "nothing leads from the seed to the cell";
    return NULL;
}

static void every_cell_reaches_its_seed_at_its_cost_and_is_reached_from_it(void** state)
{
    (void)state;
    uint32_t owned = 0;
    for (uint64_t number = 1; number <= 120; number++) {
        world w;
        world_begin(&w, number);
        wm_cover cover = cover_begin(&w);
        for (uint32_t i = 0; i < w.seed_count; i++) {
            wm_cover_flood(&cover, region_of(i), w.seeds[i]);
            // Also between the floods, now and then.
            if (i % 8 != 0 && i + 1 != w.seed_count) continue;
            for (wm_cell cell = 0; cell < w.grid->cell_count; cell++) {
                const char* complaint = owner_complaint(&w, &cover, cell);
                if (complaint != NULL) complain(&w, cell, complaint);
                owned += wm_cover_owner(&cover, cell) != WM_NO_REGION;
            }
        }
        wm_cover_free(&cover);
        world_end(&w);
    }
    assert_true(owned > 50000);
}

static void no_seed_that_serves_a_cell_is_cheaper_than_its_owner(void** state)
{
    (void)state;
    for (uint64_t number = 1; number <= 120; number++) {
        world w;
        world_begin(&w, number);
        wm_cover cover = cover_begin(&w);
        flood_all(&w, &cover);
        for (uint32_t i = 0; i < w.seed_count; i++) {
            wm_cost* cost = served_by(&w, w.seeds[i]);
            for (wm_cell cell = 0; cell < w.grid->cell_count; cell++) {
                if (cost[cell] == WM_COST_INFINITE) continue;
                if (wm_cover_owner(&cover, cell) == WM_NO_REGION)
                    complain(&w, cell, "it is served and has no owner");
                if (cost[cell] < wm_cover_cost(&cover, cell))
                    complain(&w, cell, "another seed is cheaper");
                if (cost[cell] == wm_cover_cost(&cover, cell) &&
                    wm_cover_owner(&cover, cell) > region_of(i))
                    complain(&w, cell, "a later seed took it at the same cost");
            }
            free(cost);
        }
        wm_cover_free(&cover);
        world_end(&w);
    }
}

static void a_flood_alone_takes_exactly_what_its_seed_serves(void** state)
{
    (void)state;
    for (uint64_t number = 1; number <= 120; number++) {
        world w;
        world_begin(&w, number);
        wm_cover cover = cover_begin(&w);
        for (uint32_t i = 0; i < w.seed_count && i < 4; i++) {
            wm_cover_reset(&cover);
            wm_cover_flood(&cover, region_of(i), w.seeds[i]);
            wm_cost* cost = served_by(&w, w.seeds[i]);
            for (wm_cell cell = 0; cell < w.grid->cell_count; cell++) {
                const bool served = cost[cell] != WM_COST_INFINITE;
                if (wm_cover_owner(&cover, cell) != (served ? region_of(i) : WM_NO_REGION))
                    complain(&w, cell, served ? "it is not taken" : "it is taken");
                if (served && cost[cell] != wm_cover_cost(&cover, cell))
                    complain(&w, cell, "it has another cost");
            }
            free(cost);
        }
        wm_cover_free(&cover);
        world_end(&w);
    }
}

static void a_flood_never_makes_a_cell_worse_and_leaves_what_is_far_alone(void** state)
{
    (void)state;
    for (uint64_t number = 1; number <= 120; number++) {
        world w;
        world_begin(&w, number);
        const uint32_t cells = w.grid->cell_count;
        wm_cover cover = cover_begin(&w);
        uint32_t* owner = malloc(cells * sizeof *owner);
        wm_cost* cost = malloc(cells * sizeof *cost);
        for (uint32_t i = 0; i < w.seed_count; i++) {
            for (wm_cell cell = 0; cell < cells; cell++) {
                owner[cell] = wm_cover_owner(&cover, cell);
                cost[cell] = wm_cover_cost(&cover, cell);
            }
            wm_cover_flood(&cover, region_of(i), w.seeds[i]);
            for (wm_cell cell = 0; cell < cells; cell++) {
                if (wm_cover_owner(&cover, cell) == owner[cell]) continue;
                if (wm_cover_owner(&cover, cell) != region_of(i))
                    complain(&w, cell, "a stranger took it");
                if (reference_h(w.grid, cell, w.seeds[i]) > w.radius)
                    complain(&w, cell, "it was taken from beyond the radius");
                if (owner[cell] != WM_NO_REGION && wm_cover_cost(&cover, cell) >= cost[cell])
                    complain(&w, cell, "it was taken and is no cheaper");
            }
        }
        for (uint32_t i = 0; i < w.seed_count; i++) {
            if (wm_cover_owner(&cover, w.seeds[i]) != region_of(i) ||
                wm_cover_cost(&cover, w.seeds[i]) != 0)
                complain(&w, w.seeds[i], "the seed is not its own");
        }
        free(owner);
        free(cost);
        wm_cover_free(&cover);
        world_end(&w);
    }
}

static void assert_same_cover(const world* w, const wm_cover* a, const wm_cover* b)
{
    for (wm_cell cell = 0; cell < w->grid->cell_count; cell++) {
        if (wm_cover_owner(a, cell) != wm_cover_owner(b, cell))
            complain(w, cell, "two covers have two owners");
        if (wm_cover_owner(a, cell) != WM_NO_REGION &&
            wm_cover_cost(a, cell) != wm_cover_cost(b, cell))
            complain(w, cell, "two covers have two costs");
    }
}

static void the_same_floods_give_the_same_regions_also_after_a_reset(void** state)
{
    (void)state;
    for (uint64_t number = 1; number <= 120; number++) {
        world w;
        world_begin(&w, number);
        wm_cover first = cover_begin(&w);
        wm_cover again = cover_begin(&w);
        flood_all(&w, &first);
        // Other regions first, which the reset must forget.
        for (uint32_t i = w.seed_count; i > 0; i--) wm_cover_flood(&again, i, w.seeds[i - 1]);
        wm_cover_reset(&again);
        for (wm_cell cell = 0; cell < w.grid->cell_count; cell++)
            assert_int_equal(wm_cover_owner(&again, cell), WM_NO_REGION);
        flood_all(&w, &again);
        assert_same_cover(&w, &first, &again);
        wm_cover_free(&first);
        wm_cover_free(&again);
        world_end(&w);
    }
}

static void a_radius_of_nothing_leaves_each_seed_alone(void** state)
{
    (void)state;
    world w;
    world_begin(&w, 5);
    w.radius = 0;
    wm_cover cover = cover_begin(&w);
    flood_all(&w, &cover);
    uint32_t owned = 0;
    for (wm_cell cell = 0; cell < w.grid->cell_count; cell++)
        owned += wm_cover_owner(&cover, cell) != WM_NO_REGION;
    assert_true(w.seed_count > 0);
    assert_int_equal(owned, w.seed_count);
    wm_cover_free(&cover);
    world_end(&w);
}

static void an_open_field_is_owned_as_far_as_the_radius(void** state)
{
    (void)state;
    enum { SIDE = 61, MIDDLE = SIDE / 2 };
    wm_grid grid = grid_random(1, SIDE, SIDE, 0, WM_DIAGONAL_NONE);
    wm_planes planes;
    assert_int_equal(wm_planes_create(&planes, &grid, NULL, NULL), WM_OK);
    const wm_controller controller = {&grid, &planes, 0};
    const wm_cell seed = MIDDLE * SIDE + MIDDLE;
    for (wm_cost radius = 0; radius < 25 * WM_COST_STRAIGHT; radius += 1777) {
        wm_cover cover;
        assert_int_equal(wm_cover_create(&cover, &controller, radius, NULL, NULL), WM_OK);
        wm_cover_flood(&cover, 0, seed);
        for (wm_cell cell = 0; cell < grid.cell_count; cell++) {
            const wm_cost h = reference_h(&grid, cell, seed);
            assert_int_equal(wm_cover_owner(&cover, cell), h <= radius ? 0 : WM_NO_REGION);
            if (h <= radius) assert_true(wm_cover_cost(&cover, cell) == h);
        }
        wm_cover_free(&cover);
    }
    wm_planes_free(&planes);
    wm_grid_free(&grid);
}

static void two_seeds_share_a_corridor_and_the_first_keeps_the_middle(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, ".......#.\n");
    wm_planes planes;
    assert_int_equal(wm_planes_create(&planes, &grid, NULL, NULL), WM_OK);
    const wm_controller controller = {&grid, &planes, 0};
    wm_cover cover;
    assert_int_equal(wm_cover_create(&cover, &controller, 100 * WM_COST_STRAIGHT, NULL, NULL),
                     WM_OK);
    wm_cover_flood(&cover, 7, 6);
    wm_cover_flood(&cover, 3, 0);
    static const uint32_t owners[] = {3, 3, 3, 7, 7, 7, 7, WM_NO_REGION, WM_NO_REGION};
    for (wm_cell cell = 0; cell < grid.cell_count; cell++)
        assert_int_equal(wm_cover_owner(&cover, cell), owners[cell]);
    wm_cover_free(&cover);
    wm_planes_free(&planes);
    wm_grid_free(&grid);
}

static void creating_without_memory_fails_and_leaks_nothing(void** state)
{
    (void)state;
    world w;
    world_begin(&w, 5);
    test_memory memory = {0};
    wm_allocator allocator = test_allocator(&memory);
    wm_cover cover;
    assert_int_equal(wm_cover_create(&cover, &w.controller, w.radius, &allocator, NULL), WM_OK);
    wm_cover_free(&cover);
    assert_int_equal(memory.bytes, 0);
    assert_true(memory.calls > 0);
    for (size_t n = memory.calls; n > 0; n--) {
        memory = (test_memory){.fail_at = n};
        wm_error error = {""};
        assert_int_equal(wm_cover_create(&cover, &w.controller, w.radius, &allocator, &error),
                         WM_ERR_MEMORY);
        assert_true(error.message[0] != '\0');
        assert_int_equal(memory.bytes, 0);
        wm_cover_free(&cover);
    }
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_reaches_its_seed_at_its_cost_and_is_reached_from_it),
        cmocka_unit_test(no_seed_that_serves_a_cell_is_cheaper_than_its_owner),
        cmocka_unit_test(a_flood_alone_takes_exactly_what_its_seed_serves),
        cmocka_unit_test(a_flood_never_makes_a_cell_worse_and_leaves_what_is_far_alone),
        cmocka_unit_test(the_same_floods_give_the_same_regions_also_after_a_reset),
        cmocka_unit_test(a_radius_of_nothing_leaves_each_seed_alone),
        cmocka_unit_test(an_open_field_is_owned_as_far_as_the_radius),
        cmocka_unit_test(two_seeds_share_a_corridor_and_the_first_keeps_the_middle),
        cmocka_unit_test(creating_without_memory_fails_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("cover", tests, NULL, NULL);
}
