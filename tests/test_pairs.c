// SPDX-License-Identifier: MIT
//
// Draws are counted per pair and compared with the uniform distribution over the pairs that a
// search over all cells finds.
#include "pairs.h"

#include <stdlib.h>

#include "reference.h"
#include "support.h"

#define DRAWS_PER_PAIR 400

// Six cells in a ring, three in a row, two, and one alone.
static wm_grid several_components(void)
{
    return grid_from_text(WM_DIAGONAL_NONE, "...#.\n"
                                            ".#.#.\n"
                                            "##.#.\n"
                                            "..###\n"
                                            "##.##\n");
}

// Which of all pairs of cells may be drawn: connected by legal steps, and `apart` not neighbours.
static bool* allowed_pairs(const wm_grid* grid, bool apart, size_t* count)
{
    const wm_cell cells = grid->cell_count;
    bool* allowed = calloc((size_t)cells * cells, sizeof *allowed);
    wm_cell* queue = malloc(cells * sizeof *queue);
    *count = 0;
    for (wm_cell start = 0; start < cells; start++) {
        bool* row = allowed + (size_t)start * cells;
        size_t reached = 0;
        queue[reached++] = start;
        row[start] = true;
        for (size_t at = 0; at < reached; at++) {
            for (int d = 0; d < 8; d++) {
                const wm_cell next = reference_step(grid, queue[at], d);
                if (next == WM_NO_CELL || row[next]) continue;
                row[next] = true;
                queue[reached++] = next;
            }
        }
        row[start] = false;
        for (wm_cell goal = 0; goal < cells; goal++) {
            if (apart && reference_direction(grid, start, goal) >= 0) row[goal] = false;
            *count += row[goal];
        }
    }
    free(queue);
    return allowed;
}

// The sum of squared differences from the expected count, in units of that count.
static double chi_square(const size_t* drawn, const bool* allowed, size_t places)
{
    double sum = 0;
    for (size_t i = 0; i < places; i++) {
        if (!allowed[i]) continue;
        const double difference = (double)drawn[i] - DRAWS_PER_PAIR;
        sum += difference * difference / DRAWS_PER_PAIR;
    }
    return sum;
}

static void check_uniform(const wm_grid* grid, bool apart, uint64_t seed)
{
    size_t pair_count;
    bool* allowed = allowed_pairs(grid, apart, &pair_count);
    const size_t places = (size_t)grid->cell_count * grid->cell_count;
    size_t* drawn = calloc(places, sizeof *drawn);
    wm_pairs pairs;
    assert_int_equal(wm_pairs_create(&pairs, grid, apart, NULL), WM_OK);
    if (!apart) assert_true(wm_pairs_count(&pairs) == pair_count);
    wm_rng rng = wm_rng_start(seed, 0);
    for (size_t i = 0; i < pair_count * DRAWS_PER_PAIR; i++) {
        wm_cell start = WM_NO_CELL;
        wm_cell goal = WM_NO_CELL;
        if (apart)
            wm_pairs_draw_apart(&pairs, &rng, &start, &goal);
        else
            wm_pairs_draw(&pairs, &rng, &start, &goal);
        const size_t place = (size_t)start * grid->cell_count + goal;
        if (start >= grid->cell_count || goal >= grid->cell_count || !allowed[place])
            fail_msg("seed %llu: the pair %u, %u must not be drawn", (unsigned long long)seed,
                     start, goal);
        drawn[place]++;
    }
    // With n pairs the sum has mean n - 1 and variance 2 (n - 1); six deviations are no accident.
    const double freedom = (double)pair_count - 1;
    const double sum = chi_square(drawn, allowed, places);
    if ((sum - freedom) * (sum - freedom) > 36 * 2 * freedom)
        fail_msg("seed %llu: chi-square %.1f for %.0f degrees of freedom", (unsigned long long)seed,
                 sum, freedom);
    wm_pairs_free(&pairs);
    free(drawn);
    free(allowed);
}

static void all_connected_pairs_are_equally_likely(void** state)
{
    (void)state;
    wm_grid grid = several_components();
    check_uniform(&grid, false, 1);
    check_uniform(&grid, false, 2);
    wm_grid_free(&grid);
}

static void neighbours_are_never_drawn_apart_and_the_others_equally(void** state)
{
    (void)state;
    wm_grid grid = several_components();
    check_uniform(&grid, true, 3);
    check_uniform(&grid, true, 4);
    wm_grid_free(&grid);
}

static void draws_are_uniform_on_random_maps_under_both_rules(void** state)
{
    (void)state;
    for (uint64_t seed = 10; seed < 30; seed++) {
        wm_grid grid = grid_random(seed, 5, 4, 45, (wm_diagonal)(seed % 2));
        size_t any;
        size_t apart;
        free(allowed_pairs(&grid, false, &any));
        free(allowed_pairs(&grid, true, &apart));
        if (any > 1) check_uniform(&grid, false, seed);
        if (apart > 1) check_uniform(&grid, true, seed);
        wm_grid_free(&grid);
    }
}

static uint64_t count_apart(wm_diagonal diagonal, const char* rows)
{
    wm_grid grid = grid_from_text(diagonal, rows);
    wm_pairs pairs;
    assert_int_equal(wm_pairs_create(&pairs, &grid, true, NULL), WM_OK);
    const uint64_t count = wm_pairs_count(&pairs);
    wm_pairs_free(&pairs);
    wm_grid_free(&grid);
    return count;
}

static void components_of_neighbours_only_are_left_out(void** state)
{
    (void)state;
    // A block of four, a pair and a single cell: no two cells are apart.
    assert_true(count_apart(WM_DIAGONAL_NONE, "..#..#.\n"
                                              "..#####\n") == 0);
    // Three in a row are.
    assert_true(count_apart(WM_DIAGONAL_NONE, "...\n") == 6);
    // Round a corner it depends on the rule.
    assert_true(count_apart(WM_DIAGONAL_NONE, "..\n"
                                              ".#\n") == 6);
    assert_true(count_apart(WM_DIAGONAL_SQUEEZE, "..\n"
                                                 ".#\n") == 0);
    // Those left out do not count beside one that stays.
    assert_true(count_apart(WM_DIAGONAL_NONE, "..#...\n"
                                              "..####\n") == 6);
}

static void the_component_left_out_is_never_drawn(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, "..#...#..\n"
                                                    "..#####..\n");
    check_uniform(&grid, true, 5);
    wm_grid_free(&grid);
}

static void a_map_without_pairs_says_so(void** state)
{
    (void)state;
    static const char* const rows[] = {"###\n###\n", ".\n", ".#.\n###\n.#.\n"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, rows[i]);
        for (int apart = 0; apart < 2; apart++) {
            wm_pairs pairs;
            assert_int_equal(wm_pairs_create(&pairs, &grid, apart, NULL), WM_OK);
            assert_true(wm_pairs_count(&pairs) == 0);
            wm_pairs_free(&pairs);
        }
        wm_grid_free(&grid);
    }
}

static void a_large_map_counts_its_pairs_without_overflow(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 1200, 1000, 0, WM_DIAGONAL_NONE);
    wm_pairs pairs;
    assert_int_equal(wm_pairs_create(&pairs, &grid, false, NULL), WM_OK);
    assert_true(wm_pairs_count(&pairs) == UINT64_C(1200000) * 1199999);
    wm_rng rng = wm_rng_start(1, 0);
    for (int i = 0; i < 1000; i++) {
        wm_cell start = WM_NO_CELL;
        wm_cell goal = WM_NO_CELL;
        wm_pairs_draw(&pairs, &rng, &start, &goal);
        assert_true(start != goal && start < grid.cell_count && goal < grid.cell_count);
    }
    wm_pairs_free(&pairs);
    wm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_connected_pairs_are_equally_likely),
        cmocka_unit_test(neighbours_are_never_drawn_apart_and_the_others_equally),
        cmocka_unit_test(draws_are_uniform_on_random_maps_under_both_rules),
        cmocka_unit_test(components_of_neighbours_only_are_left_out),
        cmocka_unit_test(the_component_left_out_is_never_drawn),
        cmocka_unit_test(a_map_without_pairs_says_so),
        cmocka_unit_test(a_large_map_counts_its_pairs_without_overflow),
    };
    return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
