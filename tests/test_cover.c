// SPDX-License-Identifier: MIT
//
// Regions are compared with plain distances from every seed; the ways in them are walked step by step.
#include "cover.h"

#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "walk.h"

#define MAX_SEEDS 24
#define WORLDS 120

typedef struct world {
    wm_map* map;
    const wm_grid* grid;
    uint32_t radius;
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
    wm_rng rng = wm_rng_start(number, 1);
    *w = (world){.number = number};
    w->map = number % 2 == 0 ? map_random(number, 60)
                             : map_generated((wm_generate_kind)(number / 2 % WM_GENERATE_KINDS), 50,
                                             40, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, number,
                                             (wm_diagonal)(number / 8 % 2));
    w->grid = &w->map->grid;
    w->radius = (uint32_t)wm_rng_below(&rng, number % 5 == 0 ? WM_COVER_MAX_RADIUS + 1 : 16);
    draw_seeds(w, &rng);
}

static wm_cover cover_begin(const world* w)
{
    wm_cover cover;
    assert_int_equal(wm_cover_create(&cover, w->grid, w->radius, NULL, NULL), WM_OK);
    return cover;
}

static wm_cover flooded(const world* w)
{
    wm_cover cover = cover_begin(w);
    assert_int_equal(wm_cover_flood(&cover, 0, w->seeds, w->seed_count), WM_OK);
    return cover;
}

static void complain(const world* w, wm_cell cell, const char* what)
{
    fail_msg("seed %llu, %d x %d, %s, radius %u, cell %u: %s", (unsigned long long)w->number,
             w->grid->width, w->grid->height, wm_diagonal_name(w->grid->diagonal), w->radius, cell,
             what);
}

// Distances from a cell by going over all steps until nothing improves.
static wm_cost* plain_distances(const wm_grid* grid, wm_cell from)
{
    wm_cost* cost = malloc(grid->cell_count * sizeof *cost);
    assert_non_null(cost);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) cost[cell] = WM_COST_INFINITE;
    cost[from] = 0;
    for (bool improved = true; improved;) {
        improved = false;
        for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
            for (int d = 0; cost[cell] != WM_COST_INFINITE && d < WM_DIRECTIONS; d++) {
                const wm_cell next = reference_step(grid, cell, d);
                if (next == WM_NO_CELL || cost[next] <= cost[cell] + reference_step_cost(d))
                    continue;
                cost[next] = cost[cell] + reference_step_cost(d);
                improved = true;
            }
        }
    }
    return cost;
}

static void every_cell_belongs_to_the_nearest_seed_and_of_several_to_the_first(void** state)
{
    (void)state;
    for (uint64_t number = 1; number <= WORLDS; number++) {
        world w;
        world_begin(&w, number);
        wm_cover cover = flooded(&w);
        wm_cost* distances[MAX_SEEDS];
        for (uint32_t i = 0; i < w.seed_count; i++)
            distances[i] = plain_distances(w.grid, w.seeds[i]);
        for (wm_cell cell = 0; cell < w.grid->cell_count; cell++) {
            uint32_t nearest = WM_NO_REGION;
            wm_cost least = w.radius * WM_COST_STRAIGHT + 1;
            for (uint32_t i = 0; i < w.seed_count; i++) {
                if (distances[i][cell] >= least) continue;
                least = distances[i][cell];
                nearest = i;
            }
            if (wm_cover_owner(&cover, cell) != nearest) complain(&w, cell, "another owner");
            if (nearest != WM_NO_REGION && wm_cover_cost(&cover, cell) != least)
                complain(&w, cell, "another cost");
        }
        for (uint32_t i = 0; i < w.seed_count; i++) free(distances[i]);
        wm_cover_free(&cover);
        wm_map_unload(w.map);
    }
}

static void seeds_flooded_one_by_one_come_to_the_same_also_after_a_reset(void** state)
{
    (void)state;
    for (uint64_t number = 1; number <= WORLDS; number++) {
        world w;
        world_begin(&w, number);
        wm_cover together = flooded(&w);
        wm_cover single = cover_begin(&w);
        // Others first, which the reset must forget.
        assert_int_equal(wm_cover_flood(&single, 2000, w.seeds, w.seed_count), WM_OK);
        wm_cover_reset(&single);
        for (uint32_t i = 0; i < w.seed_count; i++)
            assert_int_equal(wm_cover_flood(&single, i, &w.seeds[i], 1), WM_OK);
        for (wm_cell cell = 0; cell < w.grid->cell_count; cell++) {
            if (together.tenure[cell] != single.tenure[cell]) complain(&w, cell, "they differ");
        }
        wm_cover_free(&together);
        wm_cover_free(&single);
        wm_map_unload(w.map);
    }
}

static void the_way_home_is_a_shortest_one_within_the_region(void** state)
{
    (void)state;
    for (uint64_t number = 1; number <= WORLDS; number++) {
        world w;
        world_begin(&w, number);
        wm_cover cover = flooded(&w);
        for (wm_cell cell = 0; cell < w.grid->cell_count; cell++) {
            const uint32_t region = wm_cover_owner(&cover, cell);
            if (region == WM_NO_REGION) continue;
            wm_cell at = cell;
            wm_cost cost = 0;
            for (uint32_t steps = 0; at != w.seeds[region]; steps++) {
                const int d = wm_cover_homeward(&cover, at);
                if (d < 0 || steps > w.radius) complain(&w, cell, "it does not get home");
                at = reference_step(w.grid, at, d);
                if (at == WM_NO_CELL) complain(&w, cell, "an illegal step");
                if (wm_cover_owner(&cover, at) != region) complain(&w, cell, "by another region");
                cost += reference_step_cost(d);
            }
            if (cost != wm_cover_cost(&cover, cell)) complain(&w, cell, "it costs something else");
            assert_int_equal(wm_cover_homeward(&cover, at), -1);
        }
        wm_cover_free(&cover);
        wm_map_unload(w.map);
    }
}

static void check_way(const world* w, const wm_cover* cover, wm_cell from, wm_cell to)
{
    uint8_t moves[2 * WM_COVER_MAX_RADIUS];
    const unsigned count = wm_cover_way(cover, from, to, moves);
    wm_cell at = from;
    wm_cost cost = 0;
    if (count > 2 * w->radius) complain(w, from, "the way has too many steps");
    for (unsigned i = 0; i < count; i++) {
        at = reference_step(w->grid, at, moves[i]);
        if (at == WM_NO_CELL) complain(w, from, "an illegal step on the way");
        if (at == from || (at == to && i + 1 != count)) complain(w, from, "the way has a loop");
        cost += reference_step_cost(moves[i]);
    }
    if (at != to) complain(w, from, "the way ends elsewhere");
    if (cost > wm_cover_cost(cover, from) + wm_cover_cost(cover, to))
        complain(w, from, "the way by the seed is shorter");
}

static void ways_between_cells_of_a_region_leave_out_what_they_share(void** state)
{
    (void)state;
    uint32_t checked = 0;
    for (uint64_t number = 1; number <= WORLDS; number++) {
        world w;
        world_begin(&w, number);
        wm_rng rng = wm_rng_start(number, 2);
        wm_cover cover = flooded(&w);
        for (int i = 0; i < 3000 && w.grid->open_count > 0; i++) {
            const wm_cell from = random_open_cell(w.grid, &rng);
            const wm_cell to = random_open_cell(w.grid, &rng);
            const uint32_t region = wm_cover_owner(&cover, from);
            if (region == WM_NO_REGION || region != wm_cover_owner(&cover, to)) continue;
            check_way(&w, &cover, from, to);
            check_way(&w, &cover, from, w.seeds[region]);
            check_way(&w, &cover, w.seeds[region], to);
            checked++;
        }
        wm_cover_free(&cover);
        wm_map_unload(w.map);
    }
    assert_true(checked > 5000);
}

static void pockets_are_what_no_seed_lies_in_around_their_first_cells(void** state)
{
    (void)state;
    uint32_t inside = 0;
    for (uint64_t number = 1; number <= WORLDS; number++) {
        world w;
        world_begin(&w, number);
        const wm_grid* grid = w.grid;
        const uint32_t narrow =
            w.radius < WM_COVER_POCKET_RADIUS ? w.radius : WM_COVER_POCKET_RADIUS;
        wm_cover before = flooded(&w);
        wm_cover cover = flooded(&w);
        assert_int_equal(wm_cover_flood_pockets(&cover, w.seeds, w.seed_count), WM_OK);
        bool* seen = calloc(grid->component_count + 1, sizeof *seen);
        for (uint32_t i = 0; i < w.seed_count; i++) seen[grid->component[w.seeds[i]]] = true;
        for (wm_cell first = 0; first < grid->cell_count; first++) {
            const uint32_t component = grid->component[first];
            if (component == 0) assert_int_equal(wm_cover_owner(&cover, first), WM_NO_REGION);
            if (component == 0 || seen[component]) continue;
            seen[component] = true;
            wm_cost* cost = plain_distances(grid, first);
            for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
                if (grid->component[cell] != component) continue;
                const bool near = cost[cell] <= narrow * WM_COST_STRAIGHT;
                if (wm_cover_owner(&cover, cell) != (near ? WM_COVER_POCKETS : WM_NO_REGION))
                    complain(&w, cell, near ? "it is in no pocket" : "it is in a pocket");
                inside += near;
            }
            free(cost);
        }
        for (uint32_t i = 0; i < w.seed_count; i++) seen[grid->component[w.seeds[i]]] = false;
        for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
            if (!seen[grid->component[cell]] && cover.tenure[cell] != before.tenure[cell])
                complain(&w, cell, "a pocket took it");
        }
        free(seen);
        wm_cover_free(&before);
        wm_cover_free(&cover);
        wm_map_unload(w.map);
    }
    assert_true(inside > 1000);
}

static void two_seeds_share_a_corridor_and_the_first_keeps_the_middle(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, ".......#.\n");
    wm_cover cover;
    static const wm_cell seeds[] = {6, 0};
    assert_int_equal(wm_cover_create(&cover, &grid, WM_COVER_MAX_RADIUS, NULL, NULL), WM_OK);
    assert_int_equal(wm_cover_flood(&cover, 3, seeds, 2), WM_OK);
    static const uint32_t owners[] = {4, 4, 4, 3, 3, 3, 3, WM_NO_REGION, WM_NO_REGION};
    for (wm_cell cell = 0; cell < grid.cell_count; cell++)
        assert_int_equal(wm_cover_owner(&cover, cell), owners[cell]);
    wm_cover_free(&cover);
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
    assert_int_equal(wm_cover_create(&cover, w.grid, w.radius, &allocator, NULL), WM_OK);
    wm_cover_free(&cover);
    assert_int_equal(memory.bytes, 0);
    assert_true(memory.calls > 0);
    for (size_t n = memory.calls; n > 0; n--) {
        memory = (test_memory){.fail_at = n};
        wm_error error = {""};
        assert_int_equal(wm_cover_create(&cover, w.grid, w.radius, &allocator, &error),
                         WM_ERR_MEMORY);
        assert_true(error.message[0] != '\0');
        assert_int_equal(memory.bytes, 0);
    }
    wm_map_unload(w.map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_belongs_to_the_nearest_seed_and_of_several_to_the_first),
        cmocka_unit_test(seeds_flooded_one_by_one_come_to_the_same_also_after_a_reset),
        cmocka_unit_test(the_way_home_is_a_shortest_one_within_the_region),
        cmocka_unit_test(ways_between_cells_of_a_region_leave_out_what_they_share),
        cmocka_unit_test(pockets_are_what_no_seed_lies_in_around_their_first_cells),
        cmocka_unit_test(two_seeds_share_a_corridor_and_the_first_keeps_the_middle),
        cmocka_unit_test(creating_without_memory_fails_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("cover", tests, NULL, NULL);
}
