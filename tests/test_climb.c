// SPDX-License-Identifier: MIT
//
// Climbing is compared with its definition: look at all eight neighbours, order them by step cost
// + distance, then distance, then direction, and go there if the distance falls.
#include "climb.h"

#include "reference.h"
#include "walk.h"

static void check(const wm_grid* grid, wm_cell from, wm_cell to, uint32_t max_steps, uint64_t seed)
{
    const wm_climb climb = wm_climb_run(grid, from, to, max_steps);
    const reference_climb expected = reference_climb_run(grid, from, to, max_steps);
    if (climb.reached != expected.reached || climb.steps != expected.steps ||
        climb.cost != expected.cost)
        fail_msg("seed %llu, %u to %u within %u steps: reached %d, %u steps, cost %lld instead of "
                 "%d, %u, %lld",
                 (unsigned long long)seed, from, to, max_steps, climb.reached, climb.steps,
                 (long long)climb.cost, expected.reached, expected.steps, (long long)expected.cost);
}

static void check_pairs(const wm_grid* grid, uint64_t seed, int pairs)
{
    static const uint32_t limits[] = {0, 1, 2, 5, 25, WM_CLIMB_UNLIMITED};
    wm_rng rng = wm_rng_start(seed, 1);
    for (int i = 0; i < pairs && grid->open_count > 0; i++) {
        // Any two open cells: climbing is also asked about what cannot be reached.
        const wm_cell from = random_open_cell(grid, &rng);
        const wm_cell to = random_open_cell(grid, &rng);
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
            check(grid, from, to, limits[k], seed);
    }
}

static void climbing_follows_its_definition_on_random_maps(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        wm_map* map = map_random(seed, 40);
        check_pairs(&map->grid, seed, 40);
        wm_map_unload(map);
    }
}

static void climbing_follows_its_definition_on_built_maps(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        wm_map* map =
            map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 60, 50, WM_GENERATE_DEFAULT,
                          WM_GENERATE_DEFAULT, seed, (wm_diagonal)(seed / 4 % 2));
        check_pairs(&map->grid, seed, 200);
        wm_map_unload(map);
    }
}

// The definition again, for any mask of legal moves.
static int defined_direction(unsigned moves, int32_t dx, int32_t dy)
{
    int best = -1;
    wm_cost best_f = INT64_MAX;
    wm_cost best_h = INT64_MAX;
    for (int d = 0; d < WM_DIRECTIONS; d++) {
        if ((moves >> d & 1) == 0) continue;
        const wm_cost h = wm_octile(dx - wm_direction_x[d], dy - wm_direction_y[d]);
        const wm_cost f = wm_direction_cost[d] + h;
        if (f > best_f || (f == best_f && h >= best_h)) continue;
        best = d;
        best_f = f;
        best_h = h;
    }
    return best >= 0 && best_h < wm_octile(dx, dy) ? best : -1;
}

static void every_mask_of_moves_gives_the_direction_of_the_definition(void** state)
{
    (void)state;
    for (int32_t dy = -9; dy <= 9; dy++) {
        for (int32_t dx = -9; dx <= 9; dx++) {
            for (unsigned moves = 0; moves < 256 && (dx != 0 || dy != 0); moves++) {
                if (wm_climb_direction(moves, dx, dy) != defined_direction(moves, dx, dy))
                    fail_msg("moves %#x, target at %d,%d", moves, (int)dx, (int)dy);
            }
        }
    }
}

static void an_open_field_is_climbed_at_the_octile_distance(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 30, 20, 0, WM_DIAGONAL_NONE);
    for (wm_cell from = 0; from < grid.cell_count; from += 7) {
        for (wm_cell to = 0; to < grid.cell_count; to += 11) {
            const wm_climb climb = wm_climb_run(&grid, from, to, WM_CLIMB_UNLIMITED);
            assert_true(climb.reached);
            assert_true(climb.cost == reference_h(&grid, from, to));
        }
    }
    wm_grid_free(&grid);
}

static void the_limit_is_the_number_of_steps_made(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, "..........\n");
    wm_climb climb = wm_climb_run(&grid, 0, 9, 9);
    assert_true(climb.reached);
    assert_int_equal(climb.steps, 9);
    climb = wm_climb_run(&grid, 0, 9, 8);
    assert_false(climb.reached);
    assert_int_equal(climb.steps, 8);
    assert_true(climb.cost == 8 * WM_COST_STRAIGHT);
    climb = wm_climb_run(&grid, 4, 4, 0);
    assert_true(climb.reached);
    assert_int_equal(climb.steps, 0);
    wm_grid_free(&grid);
}

static void a_wall_across_the_way_stops_the_climb(void** state)
{
    (void)state;
    // In the notch every neighbour is farther from the goal.
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, "....#...\n"
                                                    "....#...\n"
                                                    "....#...\n"
                                                    "....#...\n"
                                                    "........\n");
    const wm_climb climb = wm_climb_run(&grid, 8, 15, WM_CLIMB_UNLIMITED);
    assert_false(climb.reached);
    assert_int_equal(climb.steps, 3);
    assert_true(climb.cost == 3 * WM_COST_STRAIGHT);
    wm_grid_free(&grid);
}

static void equal_sums_go_to_the_smaller_distance_then_to_the_first_direction(void** state)
{
    (void)state;
    // Toward the east both diagonals cost the same and leave the same distance: north-east wins.
    const unsigned both = 1u << WM_NORTH_EAST | 1u << WM_SOUTH_EAST;
    assert_int_equal(wm_climb_direction(both, 5, 0), WM_NORTH_EAST);
    // Two east and one south: east and south-east lose nothing, south-east leaves less.
    const unsigned level = 1u << WM_EAST | 1u << WM_SOUTH_EAST;
    assert_int_equal(wm_climb_direction(level, 2, 1), WM_SOUTH_EAST);
    assert_int_equal(wm_climb_direction(1u << WM_EAST, 2, 1), WM_EAST);
    // Nothing leads nearer: stuck.
    assert_int_equal(wm_climb_direction(1u << WM_WEST | 1u << WM_NORTH, 2, 1), -1);
    assert_int_equal(wm_climb_direction(0, 2, 1), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(climbing_follows_its_definition_on_random_maps),
        cmocka_unit_test(climbing_follows_its_definition_on_built_maps),
        cmocka_unit_test(every_mask_of_moves_gives_the_direction_of_the_definition),
        cmocka_unit_test(an_open_field_is_climbed_at_the_octile_distance),
        cmocka_unit_test(the_limit_is_the_number_of_steps_made),
        cmocka_unit_test(a_wall_across_the_way_stops_the_climb),
        cmocka_unit_test(equal_sums_go_to_the_smaller_distance_then_to_the_first_direction),
    };
    return cmocka_run_group_tests_name("climb", tests, NULL, NULL);
}
