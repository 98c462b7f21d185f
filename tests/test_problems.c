// SPDX-License-Identifier: MIT
#include "problems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "census.h"
#include "distance.h"
#include "support.h"

static wm_problems draw(const wm_grid* grid, size_t count, wm_cost min_cost, wm_cost max_cost,
                        uint64_t seed)
{
    const wm_problem_range range = {count, min_cost, max_cost, seed};
    wm_problems problems;
    wm_error error = {""};
    if (wm_problems_draw(&problems, grid, &range, "x.map", &error) != WM_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
    assert_int_equal(problems.count, count);
    return problems;
}

// All pairs with their costs, one search a cell. Returns how many are in the range.
static uint64_t count_pairs(const wm_grid* grid, wm_cost min_cost, wm_cost max_cost)
{
    uint64_t count = 0;
    wm_distances distances;
    assert_int_equal(wm_distances_create(&distances, grid, NULL), WM_OK);
    for (wm_cell start = 0; start < grid->cell_count; start++) {
        if (!wm_grid_is_open(grid, start)) continue;
        assert_int_equal(wm_distances_from(&distances, start, WM_COST_INFINITE), WM_OK);
        for (wm_cell goal = 0; goal < grid->cell_count; goal++) {
            const wm_cost cost = distances.cost[goal];
            if (goal == start || cost == WM_COST_INFINITE) continue;
            count += cost >= min_cost && cost <= max_cost;
        }
    }
    wm_distances_free(&distances);
    return count;
}

static int compare_pairs(const void* a, const void* b)
{
    const wm_problem* p = a;
    const wm_problem* q = b;
    if (p->start != q->start) return p->start < q->start ? -1 : 1;
    return (p->goal > q->goal) - (p->goal < q->goal);
}

// Different pairs of connected cells, in the range, with their exact costs. Sorts the problems.
static void check_sound(const wm_grid* grid, wm_problems* problems, wm_cost min_cost,
                        wm_cost max_cost, uint64_t seed)
{
    wm_distances distances;
    bool sound = true;
    assert_int_equal(wm_distances_create(&distances, grid, NULL), WM_OK);
    qsort(problems->list, problems->count, sizeof *problems->list, compare_pairs);
    for (size_t i = 0; i < problems->count; i++) {
        const wm_problem* p = &problems->list[i];
        sound &= i == 0 || compare_pairs(p - 1, p) != 0;
        sound &= p->start != p->goal && wm_grid_connected(grid, p->start, p->goal);
        if (i == 0 || p->start != p[-1].start)
            assert_int_equal(wm_distances_from(&distances, p->start, WM_COST_INFINITE), WM_OK);
        const wm_cost cost = distances.cost[p->goal];
        sound &= cost >= min_cost && cost <= max_cost && p->optimal == wm_cost_to_double(cost);
    }
    if (!sound) fail_msg("seed %llu", (unsigned long long)seed);
    wm_distances_free(&distances);
}

static void problems_are_sound_and_different(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        wm_grid grid = grid_random(seed, 40, 30, 30, (wm_diagonal)(seed % 2));
        const wm_cost min_cost = (wm_cost)(seed % 3) * 5 * WM_COST_STRAIGHT;
        const wm_cost max_cost =
            seed % 4 == 0 ? WM_COST_INFINITE : (wm_cost)(12 + seed % 9) * WM_COST_STRAIGHT;
        wm_problems problems = draw(&grid, 200, min_cost, max_cost, seed);
        check_sound(&grid, &problems, min_cost, max_cost, seed);
        wm_problems_free(&problems);
        wm_grid_free(&grid);
    }
}

static void the_seed_decides_everything(void** state)
{
    (void)state;
    wm_grid grid = grid_random(5, 64, 64, 30, WM_DIAGONAL_NONE);
    wm_problems first = draw(&grid, 100, 0, WM_COST_INFINITE, 9);
    wm_problems again = draw(&grid, 100, 0, WM_COST_INFINITE, 9);
    wm_problems other = draw(&grid, 100, 0, WM_COST_INFINITE, 10);
    size_t same = 0;
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(compare_pairs(&first.list[i], &again.list[i]), 0);
        same += compare_pairs(&first.list[i], &other.list[i]) == 0;
    }
    assert_true(same < 5);
    wm_problems_free(&first);
    wm_problems_free(&again);
    wm_problems_free(&other);
    wm_grid_free(&grid);
}

static void too_few_problems_are_counted_exactly(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        wm_grid grid =
            grid_random(seed, 15, 12, 20 + (unsigned)(seed % 4) * 10, (wm_diagonal)(seed % 2));
        const wm_cost min_cost = (wm_cost)(seed % 15) * WM_COST_STRAIGHT;
        const wm_cost max_cost =
            seed % 3 == 0 ? WM_COST_INFINITE : min_cost + (wm_cost)(seed % 5) * WM_COST_STRAIGHT;
        const wm_problem_range range = {1000000, min_cost, max_cost, seed};
        wm_problems problems;
        wm_error error = {""};
        char expected[100];
        assert_int_equal(wm_problems_draw(&problems, &grid, &range, "x.map", &error),
                         WM_ERR_TOO_FEW);
        assert_null(problems.list);
        snprintf(expected, sizeof expected, "x.map has only %llu problems",
                 (unsigned long long)count_pairs(&grid, min_cost, max_cost));
        assert_contains(error.message, expected);
        assert_contains(error.message, "1000000 were asked for");
        wm_grid_free(&grid);
    }
}

static void the_sentence_repeats_the_range(void** state)
{
    (void)state;
    static const struct {
        wm_cost min_cost;
        wm_cost max_cost;
        const char* sentence;
    } cases[] = {
        {100 * WM_COST_STRAIGHT, 150 * WM_COST_STRAIGHT,
         "x.map has only 0 problems of cost 100 to 150, 500 were asked for; widen the range or ask "
         "for fewer"},
        {0, 1, "0 problems of cost 0 to 0, 500"},
        {0, 5 * WM_COST_STRAIGHT / 2, "of cost 0 to 2.50, 500"},
        {1000000 * WM_COST_STRAIGHT, WM_COST_INFINITE, "of cost 1000000 or more, 500"},
        {0, WM_COST_INFINITE, "x.map has only 12 problems, 500 were asked for; ask for fewer"},
        {2 * WM_COST_STRAIGHT, WM_COST_STRAIGHT, "only 0 problems of cost 2 to 1, 500"},
    };
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, "..\n..\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const wm_problem_range range = {500, cases[i].min_cost, cases[i].max_cost, 1};
        wm_problems problems;
        wm_error error = {""};
        assert_int_equal(wm_problems_draw(&problems, &grid, &range, "x.map", &error),
                         WM_ERR_TOO_FEW);
        assert_contains(error.message, cases[i].sentence);
    }
    wm_grid_free(&grid);
}

static void maps_without_any_problem_are_answered(void** state)
{
    (void)state;
    static const char* const maps[] = {"#\n", ".\n", "##\n##\n", ".#.\n###\n.#.\n"};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        for (wm_cost min_cost = 0; min_cost < 3 * WM_COST_STRAIGHT; min_cost += WM_COST_STRAIGHT) {
            wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, maps[i]);
            const wm_problem_range range = {1, min_cost, 5 * WM_COST_STRAIGHT, 1};
            wm_problems problems;
            wm_error error = {""};
            assert_int_equal(wm_problems_draw(&problems, &grid, &range, "x.map", &error),
                             WM_ERR_TOO_FEW);
            assert_contains(error.message, "only 0 problems");
            wm_grid_free(&grid);
        }
    }
}

static void all_problems_of_a_range_can_be_had(void** state)
{
    (void)state;
    wm_grid grid = grid_random(3, 12, 12, 30, WM_DIAGONAL_NONE);
    const wm_cost min_cost = 9 * WM_COST_STRAIGHT;
    const uint64_t count = count_pairs(&grid, min_cost, WM_COST_INFINITE);
    assert_true(count > 100);
    wm_problems problems = draw(&grid, (size_t)count, min_cost, WM_COST_INFINITE, 1);
    check_sound(&grid, &problems, min_cost, WM_COST_INFINITE, 1);
    wm_problems_free(&problems);
    wm_grid_free(&grid);
}

// ---------------------------------------------------------------------------------------------
// Uniformity: how often every pair of a small map comes up over many seeds.

#define SMALL_MAP "....#...\n.##.#.#.\n.......#\n##.#.#..\n.#.....#\n"
#define SMALL_CELLS 40

typedef struct tally {
    uint32_t hits[SMALL_CELLS * SMALL_CELLS];
    uint32_t total;
} tally;

// Every pair in the range must come up about equally often: the sum of squared deviations, each in
// units of what chance allows, stays near the number of pairs.
static void check_uniform(const tally* t, uint64_t pairs)
{
    const double expected = (double)t->total / (double)pairs;
    double chi_squared = 0;
    uint64_t seen = 0;
    for (size_t i = 0; i < SMALL_CELLS * SMALL_CELLS; i++) {
        if (t->hits[i] == 0) continue;
        seen++;
        chi_squared += (t->hits[i] - expected) * (t->hits[i] - expected) / expected;
    }
    assert_int_equal(seen, pairs);
    // Six deviations to either side of the mean; the deviation is sqrt(2 n), n over 200 here.
    assert_true(pairs > 200);
    const double slack = 6 * 0.1 * (double)pairs;
    if (chi_squared > (double)pairs + slack)
        fail_msg("chi squared %f of %llu pairs", chi_squared, (unsigned long long)pairs);
}

static void check_draws(const wm_grid* grid, wm_cost min_cost, wm_cost max_cost)
{
    tally t = {.total = 0};
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        wm_problems problems = draw(grid, 5, min_cost, max_cost, seed);
        for (size_t i = 0; i < problems.count; i++)
            t.hits[problems.list[i].start * SMALL_CELLS + problems.list[i].goal]++;
        t.total += (uint32_t)problems.count;
        wm_problems_free(&problems);
    }
    check_uniform(&t, count_pairs(grid, min_cost, max_cost));
}

static void draws_are_uniform(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_SQUEEZE, SMALL_MAP);
    assert_int_equal(grid.cell_count, SMALL_CELLS);
    check_draws(&grid, 0, WM_COST_INFINITE);
    check_draws(&grid, 4 * WM_COST_STRAIGHT, WM_COST_INFINITE);
    check_draws(&grid, 0, 5 * WM_COST_STRAIGHT / 2); // goals are drawn around the starts
    wm_grid_free(&grid);
}

static void the_census_keeps_a_uniform_draw(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_SQUEEZE, SMALL_MAP);
    wm_pairs pairs;
    wm_distances distances;
    tally t = {.total = 0};
    const wm_cost min_cost = 4 * WM_COST_STRAIGHT;
    const uint64_t count = count_pairs(&grid, min_cost, WM_COST_INFINITE);
    assert_int_equal(wm_pairs_create(&pairs, &grid, false, NULL), WM_OK);
    assert_int_equal(wm_distances_create(&distances, &grid, NULL), WM_OK);
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        const wm_census_query query = {&pairs, min_cost, WM_COST_INFINITE, seed, 5};
        wm_census census;
        assert_int_equal(wm_census_take(&census, &query, &distances, NULL), WM_OK);
        assert_true(census.total == count);
        assert_int_equal(census.kept_count, 5);
        for (size_t i = 0; i < 5; i++)
            t.hits[census.kept[i].start * SMALL_CELLS + census.kept[i].goal]++;
        t.total += 5;
        wm_census_free(&census);
    }
    check_uniform(&t, count);
    wm_distances_free(&distances);
    wm_pairs_free(&pairs);
    wm_grid_free(&grid);
}

static void a_census_agrees_with_brute_force(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        wm_grid grid = grid_random(seed, 20, 15, 35, (wm_diagonal)(seed % 2));
        wm_pairs pairs;
        wm_distances distances;
        const wm_cost min_cost = (wm_cost)(seed % 23) * WM_COST_STRAIGHT;
        const wm_cost max_cost = seed % 2 == 0 ? WM_COST_INFINITE : min_cost + 30000;
        assert_int_equal(wm_pairs_create(&pairs, &grid, false, NULL), WM_OK);
        assert_int_equal(wm_distances_create(&distances, &grid, NULL), WM_OK);
        const wm_census_query query = {&pairs, min_cost, max_cost, seed, SIZE_MAX};
        wm_census census;
        assert_int_equal(wm_census_take(&census, &query, &distances, NULL), WM_OK);
        const uint64_t expected = count_pairs(&grid, min_cost, max_cost);
        if (census.total != expected || census.kept_count != expected)
            fail_msg("seed %llu", (unsigned long long)seed);
        for (size_t i = 1; i < census.kept_count; i++)
            assert_true(census.kept[i - 1].key < census.kept[i].key);
        wm_census_free(&census);
        wm_distances_free(&distances);
        wm_pairs_free(&pairs);
        wm_grid_free(&grid);
    }
}

static void impossible_ranges_on_large_maps_end_soon(void** state)
{
    (void)state;
    // Many thousands of components; CTest's time limit is the judge.
    wm_grid grid = grid_random(1, 512, 512, 45, WM_DIAGONAL_NONE);
    const wm_problem_range range = {10, 1000000 * WM_COST_STRAIGHT, WM_COST_INFINITE, 1};
    wm_problems problems;
    assert_true(grid.component_count > 5000);
    assert_int_equal(wm_problems_draw(&problems, &grid, &range, "x.map", NULL), WM_ERR_TOO_FEW);
    wm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_are_sound_and_different),
        cmocka_unit_test(the_seed_decides_everything),
        cmocka_unit_test(too_few_problems_are_counted_exactly),
        cmocka_unit_test(the_sentence_repeats_the_range),
        cmocka_unit_test(maps_without_any_problem_are_answered),
        cmocka_unit_test(all_problems_of_a_range_can_be_had),
        cmocka_unit_test(draws_are_uniform),
        cmocka_unit_test(the_census_keeps_a_uniform_draw),
        cmocka_unit_test(a_census_agrees_with_brute_force),
        cmocka_unit_test(impossible_ranges_on_large_maps_end_soon),
    };
    return cmocka_run_group_tests_name("problems", tests, NULL, NULL);
}
