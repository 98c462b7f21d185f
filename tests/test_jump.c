// SPDX-License-Identifier: MIT
//
// Jump search must give the costs of plain searches wherever it is tried; its table and its fast
// climbing are compared with walking cell by cell.
#include "jump.h"

#include <stdio.h>
#include <stdlib.h>

#include "climb.h"
#include "distance.h"
#include "reference.h"
#include "search.h"
#include "walk.h"

typedef struct jumper {
    const wm_grid* grid;
    wm_jump_table table;
    wm_jump_search search;
    wm_distances distances;
    wm_cell* path;
} jumper;

static void jumper_open(jumper* j, const wm_grid* grid)
{
    *j = (jumper){.grid = grid};
    assert_int_equal(wm_jump_table_create(&j->table, grid, NULL), WM_OK);
    // The search keeps a pointer to the table, so both stay where they are.
    assert_int_equal(wm_jump_search_create(&j->search, &j->table, NULL), WM_OK);
    assert_int_equal(wm_distances_create(&j->distances, grid, NULL), WM_OK);
    j->path = malloc(grid->cell_count * sizeof *j->path);
}

static void jumper_close(jumper* j)
{
    free(j->path);
    wm_distances_free(&j->distances);
    wm_jump_search_free(&j->search);
    wm_jump_table_free(&j->table);
}

// ---------------------------------------------------------------------------------------------
// Costs and paths

static void check_path(jumper* j, wm_cell start, wm_cell goal, wm_cost cost, uint64_t seed)
{
    const size_t length = wm_jump_search_path(&j->search, j->path, j->grid->cell_count);
    if (length < 1 || length > j->grid->cell_count || j->path[0] != start ||
        j->path[length - 1] != goal)
        fail_msg("seed %llu: no path from %u to %u", (unsigned long long)seed, start, goal);
    wm_cost sum = 0;
    for (size_t i = 1; i < length; i++) {
        const int direction = reference_direction(j->grid, j->path[i - 1], j->path[i]);
        if (direction < 0)
            fail_msg("seed %llu: the path from %u to %u steps from %u to %u",
                     (unsigned long long)seed, start, goal, j->path[i - 1], j->path[i]);
        sum += reference_step_cost(direction);
    }
    if (sum != cost)
        fail_msg("seed %llu: the path from %u to %u costs %lld, not %lld", (unsigned long long)seed,
                 start, goal, (long long)sum, (long long)cost);
}

static void check_problem(jumper* j, wm_cell start, wm_cell goal, uint64_t seed)
{
    const wm_cost expected = j->distances.cost[goal];
    const wm_cost cost = wm_jump_search_cost(&j->search, start, goal);
    if (cost != expected)
        fail_msg("seed %llu: %u to %u costs %lld instead of %lld", (unsigned long long)seed, start,
                 goal, (long long)cost, (long long)expected);
    if (cost != WM_COST_INFINITE) check_path(j, start, goal, cost, seed);
}

static void check_map(const wm_grid* grid, uint64_t seed, int starts, int goals)
{
    wm_rng rng = wm_rng_start(seed, 1);
    jumper j;
    jumper_open(&j, grid);
    for (int i = 0; i < starts && grid->open_count > 0; i++) {
        const wm_cell start = random_open_cell(grid, &rng);
        assert_int_equal(wm_distances_from(&j.distances, start, WM_COST_INFINITE), WM_OK);
        for (int k = 0; k < goals; k++)
            check_problem(&j, start, random_open_cell(grid, &rng), seed);
    }
    jumper_close(&j);
}

static void costs_are_exact_and_paths_legal_on_random_maps(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(1500); seed++) {
        wm_map* map = map_random(seed, 40);
        check_map(&map->grid, seed, 3, 8);
        wm_map_unload(map);
    }
}

static void every_pair_of_a_small_map_is_solved_exactly(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(300); seed++) {
        wm_grid grid =
            grid_random(seed, 7, 6, 20 + (unsigned)(seed % 30), (wm_diagonal)(seed / 30 % 2));
        jumper j;
        jumper_open(&j, &grid);
        for (wm_cell start = 0; start < grid.cell_count; start++) {
            if (!wm_grid_is_open(&grid, start)) continue;
            assert_int_equal(wm_distances_from(&j.distances, start, WM_COST_INFINITE), WM_OK);
            for (wm_cell goal = 0; goal < grid.cell_count; goal++)
                check_problem(&j, start, goal, seed);
        }
        jumper_close(&j);
        wm_grid_free(&grid);
    }
}

static void costs_are_exact_on_caves_rooms_and_mazes(void** state)
{
    (void)state;
    static const int32_t grains[] = {1, 2, 4, 9};
    for (uint64_t seed = 1; seed <= 64; seed++) {
        wm_map* map =
            map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 90, 70, WM_GENERATE_DEFAULT,
                          grains[seed / 4 % 4], seed, (wm_diagonal)(seed / 16 % 2));
        check_map(&map->grid, seed, 4, 40);
        wm_map_unload(map);
    }
}

static void plain_astar_and_jump_search_agree(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        wm_map* map = map_random(seed, 40);
        const wm_grid* grid = &map->grid;
        wm_rng rng = wm_rng_start(seed, 2);
        void* memory = calloc(1, wm_search_bytes(grid));
        wm_search plain;
        jumper j;
        jumper_open(&j, grid);
        wm_search_init(&plain, grid, memory);
        for (int i = 0; i < 10 && grid->open_count > 0; i++) {
            const wm_cell start = random_open_cell(grid, &rng);
            const wm_cell goal = random_open_cell(grid, &rng);
            wm_search_begin(&plain, start, goal, (wm_search_weights){1, 1});
            const bool found = wm_search_run(&plain, UINT64_MAX) == WM_SEARCH_FOUND;
            const wm_cost expected = found ? wm_search_g(&plain, goal) : WM_COST_INFINITE;
            if (wm_jump_search_cost(&j.search, start, goal) != expected)
                fail_msg("seed %llu: %u to %u", (unsigned long long)seed, start, goal);
        }
        jumper_close(&j);
        free(memory);
        wm_map_unload(map);
    }
}

static void costs_are_exact_on_real_maps_under_both_rules(void** state)
{
    (void)state;
    static const char* const names[] = {
        "bgmaps/AR0202SR.map",  "bgmaps/AR0411SR.map",         "dao/orz103d.map",
        "wc3maps/icecrown.map", "wc3maps512/battleground.map", "mazes/maze512-8-0.map",
        "rooms/16room_003.map", "random/random512-35-0.map",
    };
    if (benchmarks_folder() == NULL) {
        print_message("no benchmark folder: set WAYMARK_BENCHMARKS\n");
        skip();
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (int rule = 0; rule < 2; rule++) {
            wm_map* map = map_benchmark(names[i], (wm_diagonal)rule);
            check_map(&map->grid, i, 3, 60);
            wm_map_unload(map);
        }
    }
}

static void a_path_of_one_cell_costs_nothing(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, "..#.\n");
    jumper j;
    jumper_open(&j, &grid);
    assert_true(wm_jump_search_cost(&j.search, 1, 1) == 0);
    wm_cell path[2] = {WM_NO_CELL, WM_NO_CELL};
    assert_int_equal(wm_jump_search_path(&j.search, path, 2), 1);
    assert_int_equal(path[0], 1);
    assert_int_equal(path[1], WM_NO_CELL);
    assert_true(wm_jump_search_cost(&j.search, 0, 3) == WM_COST_INFINITE);
    assert_true(wm_jump_search_cost(&j.search, 0, 2) == WM_COST_INFINITE);
    assert_true(wm_jump_search_cost(&j.search, 2, 2) == WM_COST_INFINITE);
    jumper_close(&j);
    wm_grid_free(&grid);
}

static void a_path_tells_its_length_when_there_is_no_room_for_it(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 30, 30, 0, WM_DIAGONAL_NONE);
    jumper j;
    jumper_open(&j, &grid);
    assert_true(wm_jump_search_cost(&j.search, 0, 899) == 29 * WM_COST_DIAGONAL);
    assert_int_equal(wm_jump_search_path(&j.search, NULL, 0), 30);
    wm_cell path[6] = {0};
    path[5] = WM_NO_CELL;
    assert_int_equal(wm_jump_search_path(&j.search, path, 5), 30);
    assert_int_equal(path[5], WM_NO_CELL);
    jumper_close(&j);
    wm_grid_free(&grid);
}

static void a_search_begun_for_the_billionth_time_knows_nothing_of_the_ones_before(void** state)
{
    (void)state;
    wm_grid grid = grid_random(3, 25, 25, 25, WM_DIAGONAL_NONE);
    wm_rng rng = wm_rng_start(3, 3);
    jumper j;
    jumper_open(&j, &grid);
    j.search.generation = UINT32_MAX - 20; // as after that many searches
    for (int i = 0; i < 40; i++) {
        const wm_cell start = random_open_cell(&grid, &rng);
        assert_int_equal(wm_distances_from(&j.distances, start, WM_COST_INFINITE), WM_OK);
        check_problem(&j, start, random_open_cell(&grid, &rng), (uint64_t)i);
    }
    jumper_close(&j);
    wm_grid_free(&grid);
}

// ---------------------------------------------------------------------------------------------
// The table

// Steps in one direction that are legal from `cell` on.
static int clear_run(const wm_grid* grid, wm_cell cell, int d)
{
    int length = 0;
    for (wm_cell next = reference_step(grid, cell, d); next != WM_NO_CELL;
         next = reference_step(grid, next, d))
        length++;
    return length;
}

static void distances_are_clear_and_end_at_a_wall_where_not_positive(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        wm_map* map = map_random(seed, 30);
        const wm_grid* grid = &map->grid;
        wm_jump_table table;
        assert_int_equal(wm_jump_table_create(&table, grid, NULL), WM_OK);
        for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
            for (int d = 0; d < WM_DIRECTIONS; d++) {
                const int distance = table.distance[cell][d];
                const int clear = clear_run(grid, cell, d);
                if (distance > 0 ? distance > clear : -distance != clear)
                    fail_msg("seed %llu, cell %u, direction %d: distance %d, but %d clear steps",
                             (unsigned long long)seed, cell, d, distance, clear);
            }
        }
        wm_jump_table_free(&table);
        wm_map_unload(map);
    }
}

// Whether a straight walk in direction `d` that has come to `cell` meets a wall's end: a cell at
// its side is reached at the same cost by no way round the cell.
static bool wall_ends_here(const wm_grid* grid, wm_cell cell, int d)
{
    for (int side = 2; side <= 6; side += 4) {
        const wm_cell beside = reference_step(grid, cell, (d + side) % 8);
        const wm_cell ahead = reference_step(grid, cell, (d + (side == 2 ? 1 : 7)) % 8);
        const wm_cell before = reference_step(grid, cell, (d + 4) % 8);
        if (grid->diagonal == WM_DIAGONAL_SQUEEZE) {
            // The wall is beside; what lies behind it is entered by cutting its corner.
            if (beside == WM_NO_CELL && ahead != WM_NO_CELL) return true;
        } else {
            // The wall was beside the cell before; this is the first from which to go round.
            const wm_cell beside_before = reference_step(grid, before, (d + side) % 8);
            if (beside != WM_NO_CELL && beside_before == WM_NO_CELL) return true;
        }
    }
    return false;
}

static void straight_distances_stop_at_the_first_end_of_a_wall(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        wm_map* map = map_random(seed, 30);
        const wm_grid* grid = &map->grid;
        wm_jump_table table;
        assert_int_equal(wm_jump_table_create(&table, grid, NULL), WM_OK);
        for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
            for (int d = 0; d < WM_DIRECTIONS; d += 2) {
                int expected = 0;
                int steps = 0;
                for (wm_cell at = reference_step(grid, cell, d); at != WM_NO_CELL && expected == 0;
                     at = reference_step(grid, at, d)) {
                    steps++;
                    if (wall_ends_here(grid, at, d)) expected = steps;
                }
                if (expected == 0) expected = -steps;
                if (table.distance[cell][d] != expected)
                    fail_msg("seed %llu, cell %u, direction %d: %d instead of %d",
                             (unsigned long long)seed, cell, d, table.distance[cell][d], expected);
            }
        }
        wm_jump_table_free(&table);
        wm_map_unload(map);
    }
}

// ---------------------------------------------------------------------------------------------
// Climbing by jumps

static void check_climbs(const wm_grid* grid, uint64_t seed, int pairs)
{
    wm_rng rng = wm_rng_start(seed, 4);
    wm_jump_table table;
    assert_int_equal(wm_jump_table_create(&table, grid, NULL), WM_OK);
    for (int i = 0; i < pairs && grid->open_count > 0; i++) {
        const wm_cell from = random_open_cell(grid, &rng);
        const wm_cell to = random_open_cell(grid, &rng);
        const bool expected = wm_climb_run(grid, from, to, WM_CLIMB_UNLIMITED).reached;
        if (wm_jump_climbs(&table, from, to) != expected ||
            reference_climb_run(grid, from, to, WM_CLIMB_UNLIMITED).reached != expected)
            fail_msg("seed %llu: %u to %u is%s climbed", (unsigned long long)seed, from, to,
                     expected ? "" : " not");
    }
    wm_jump_table_free(&table);
}

static void climbing_by_jumps_answers_as_climbing_step_by_step(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(800); seed++) {
        wm_map* map = map_random(seed, 50);
        check_climbs(&map->grid, seed, 100);
        wm_map_unload(map);
    }
    for (uint64_t seed = 1; seed <= 24; seed++) {
        wm_map* map = map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 100, 100,
                                    WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, seed,
                                    (wm_diagonal)(seed / 4 % 2));
        check_climbs(&map->grid, seed, 1000);
        wm_map_unload(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_exact_and_paths_legal_on_random_maps),
        cmocka_unit_test(every_pair_of_a_small_map_is_solved_exactly),
        cmocka_unit_test(costs_are_exact_on_caves_rooms_and_mazes),
        cmocka_unit_test(plain_astar_and_jump_search_agree),
        cmocka_unit_test(costs_are_exact_on_real_maps_under_both_rules),
        cmocka_unit_test(a_path_of_one_cell_costs_nothing),
        cmocka_unit_test(a_path_tells_its_length_when_there_is_no_room_for_it),
        cmocka_unit_test(a_search_begun_for_the_billionth_time_knows_nothing_of_the_ones_before),
        cmocka_unit_test(distances_are_clear_and_end_at_a_wall_where_not_positive),
        cmocka_unit_test(straight_distances_stop_at_the_first_end_of_a_wall),
        cmocka_unit_test(climbing_by_jumps_answers_as_climbing_step_by_step),
    };
    return cmocka_run_group_tests_name("jump", tests, NULL, NULL);
}
