// SPDX-License-Identifier: MIT
//
// LRTA*(d) is compared move by move with plain recursion: V0(n) = h(n), Vk(n) = max(h(n), least
// step cost + Vk-1 of a neighbour), the target's value is 0, the first least neighbour is taken.
#include "algorithms/lookahead.h"

#include <stdio.h>
#include <stdlib.h>

#include "reference.h"
#include "walk.h"

#define MAX_MOVES 100000

// Walks with the recursion; expansions are the different states within d - 1 moves.
static walk reference_walk(const wm_grid* grid, wm_cell start, wm_cell goal, int depth)
{
    walk w = {.status = WM_OK};
    reference_lrta lrta = reference_lrta_aim(grid, goal);
    uint64_t expansions = 0;
    wm_cell cell = start;
    walk_add(&w, cell, 0, 0);
    while (cell != goal && w.count <= MAX_MOVES) {
        const int direction = reference_lrta_step(&lrta, cell, depth);
        expansions += reference_cells_within(grid, cell, depth - 1);
        cell = reference_step(grid, cell, direction);
        walk_add(&w, cell, expansions, 0);
    }
    if (cell == goal) w.status = WM_ARRIVED;
    reference_lrta_free(&lrta);
    return w;
}

static void check_problem(const wm_map* map, wm_cell start, wm_cell goal, int depth, uint64_t seed)
{
    char spec[32];
    snprintf(spec, sizeof spec, "lrta:d=%d", depth);
    wm_agent* agent = agent_create(map, NULL, spec, false);
    walk actual = walk_take(agent, start, goal, MAX_MOVES);
    walk expected = reference_walk(&map->grid, start, goal, depth);
    assert_same_walk(&actual, &expected, spec, seed);
    walk_free(&expected);
    walk_free(&actual);
    wm_agent_destroy(agent);
}

static void check_random_maps(int depth, uint64_t first_seed, uint64_t last_seed, int32_t max_side)
{
    for (uint64_t seed = first_seed; seed <= last_seed; seed++) {
        wm_map* map = map_random(seed, max_side);
        wm_rng rng = wm_rng_start(seed, 1);
        wm_cell start;
        wm_cell goal;
        for (int i = 0; i < 3 && random_problem(&map->grid, &rng, &start, &goal); i++)
            check_problem(map, start, goal, depth, seed);
        wm_map_unload(map);
    }
}

static void one_move_of_lookahead_walks_as_the_recursion(void** state)
{
    (void)state;
    check_random_maps(1, 1, 1000, 40);
}

static void two_moves_of_lookahead_walk_as_the_recursion(void** state)
{
    (void)state;
    check_random_maps(2, 1, 600, 30);
}

static void three_moves_of_lookahead_walk_as_the_recursion(void** state)
{
    (void)state;
    check_random_maps(3, 1, 300, 25);
}

static void four_moves_of_lookahead_walk_as_the_recursion(void** state)
{
    (void)state;
    check_random_maps(4, 1, 100, 20);
}

static void the_deepest_lookahead_walks_as_the_recursion_in_a_corridor(void** state)
{
    (void)state;
    // Narrow ways keep the recursion small.
    wm_map* map =
        map_generated(WM_GENERATE_MAZE, 13, 13, WM_GENERATE_DEFAULT, 1, 5, WM_DIAGONAL_NONE);
    wm_rng rng = wm_rng_start(5, 2);
    wm_cell start;
    wm_cell goal;
    for (int i = 0; i < 10 && random_problem(&map->grid, &rng, &start, &goal); i++)
        check_problem(map, start, goal, WM_MAX_LOOKAHEAD, 5);
    wm_map_unload(map);
}

static void a_move_expands_at_most_the_square_of_d_minus_1(void** state)
{
    (void)state;
    for (int depth = 1; depth <= WM_MAX_LOOKAHEAD; depth++) {
        const uint64_t side = 2 * (uint64_t)depth - 1;
        const uint64_t most = side * side; // 1, 9, 25, 49 ...
        uint64_t seen = 0;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            const int32_t density = 2 * (int32_t)(seed - 1); // the first map is an open field
            wm_map* map = map_generated(WM_GENERATE_RANDOM, 60, 60, density, WM_GENERATE_DEFAULT,
                                        seed, (wm_diagonal)(seed % 2));
            char spec[32];
            snprintf(spec, sizeof spec, "lrta:d=%d", depth);
            wm_agent* agent = agent_create(map, NULL, spec, false);
            wm_rng rng = wm_rng_start(seed, 3);
            wm_cell start;
            wm_cell goal;
            assert_true(random_problem(&map->grid, &rng, &start, &goal));
            walk w = walk_take(agent, start, goal, MAX_MOVES);
            const wm_agent_stats stats = wm_agent_statistics(agent);
            if (stats.max_expansions_per_move > most)
                fail_msg("seed %llu, %s: %llu states in one move", (unsigned long long)seed, spec,
                         (unsigned long long)stats.max_expansions_per_move);
            if (stats.max_expansions_per_move > seen) seen = stats.max_expansions_per_move;
            walk_free(&w);
            wm_agent_destroy(agent);
            wm_map_unload(map);
        }
        assert_true(seen == most); // the bound is met in the open
    }
}

static void equal_moves_go_to_the_first_in_clockwise_order(void** state)
{
    (void)state;
    // From the middle of the west side to the east, north-east and south-east are level.
    wm_grid grid = grid_from_text(WM_DIAGONAL_SQUEEZE, "....\n"
                                                       ".#..\n"
                                                       "....\n");
    uint64_t* memory = calloc(1, wm_lookahead_bytes(&grid));
    wm_lookahead lookahead;
    uint64_t expansions = 0;
    wm_lookahead_init(&lookahead, &grid, memory);
    for (int depth = 1; depth <= WM_MAX_LOOKAHEAD; depth++) {
        wm_lookahead_aim(&lookahead, 7);
        assert_int_equal(wm_lookahead_step(&lookahead, 4, depth, &expansions), WM_NORTH_EAST);
    }
    free(memory);
    wm_grid_free(&grid);
}

static void a_cell_without_moves_is_told(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, ".#.\n");
    uint64_t* memory = calloc(1, wm_lookahead_bytes(&grid));
    wm_lookahead lookahead;
    uint64_t expansions = 0;
    wm_lookahead_init(&lookahead, &grid, memory);
    for (int depth = 1; depth <= WM_MAX_LOOKAHEAD; depth++) {
        wm_lookahead_aim(&lookahead, 2);
        assert_int_equal(wm_lookahead_step(&lookahead, 0, depth, &expansions), -1);
    }
    free(memory);
    wm_grid_free(&grid);
}

// Walks to `goal` with both and compares every direction.
static void check_aim(wm_lookahead* lookahead, const wm_grid* grid, wm_cell start, wm_cell goal,
                      int depth)
{
    reference_lrta expected = reference_lrta_aim(grid, goal);
    uint64_t expansions = 0;
    wm_lookahead_aim(lookahead, goal);
    for (wm_cell cell = start; cell != goal;) {
        const int direction = reference_lrta_step(&expected, cell, depth);
        assert_int_equal(wm_lookahead_step(lookahead, cell, depth, &expansions), direction);
        cell = reference_step(grid, cell, direction);
    }
    reference_lrta_free(&expected);
}

static void aiming_forgets_what_was_learned_also_for_the_millionth_time(void** state)
{
    (void)state;
    wm_grid grid = grid_random(9, 15, 15, 30, WM_DIAGONAL_NONE);
    wm_rng rng = wm_rng_start(9, 4);
    uint64_t* memory = calloc(1, wm_lookahead_bytes(&grid));
    wm_lookahead lookahead;
    wm_lookahead_init(&lookahead, &grid, memory);
    const wm_cell goal = random_open_cell(&grid, &rng);
    for (int i = 0; i < 60; i++) {
        // Learned values are marked with 24 bits: as if it had been aimed that often.
        if (i == 20) lookahead.learned.generation = (UINT32_C(1) << 24) - 20;
        wm_cell start;
        wm_cell other;
        assert_true(random_problem(&grid, &rng, &start, &other));
        const bool to_goal = i % 2 == 0 && start != goal && wm_grid_connected(&grid, start, goal);
        check_aim(&lookahead, &grid, start, to_goal ? goal : other, 1 + i % 2);
    }
    assert_true(lookahead.learned.generation < 100);
    free(memory);
    wm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_move_of_lookahead_walks_as_the_recursion),
        cmocka_unit_test(two_moves_of_lookahead_walk_as_the_recursion),
        cmocka_unit_test(three_moves_of_lookahead_walk_as_the_recursion),
        cmocka_unit_test(four_moves_of_lookahead_walk_as_the_recursion),
        cmocka_unit_test(the_deepest_lookahead_walks_as_the_recursion_in_a_corridor),
        cmocka_unit_test(a_move_expands_at_most_the_square_of_d_minus_1),
        cmocka_unit_test(equal_moves_go_to_the_first_in_clockwise_order),
        cmocka_unit_test(a_cell_without_moves_is_told),
        cmocka_unit_test(aiming_forgets_what_was_learned_also_for_the_millionth_time),
    };
    return cmocka_run_group_tests_name("lookahead", tests, NULL, NULL);
}
