// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/histogram.h"
#include "experiments/race.h"
#include "experiments/summary.h"
#include "internal.h"
#include "rng.h"

// ---------------------------------------------------------------------------------------------
// Helpers

#define MAX_CELLS 1024

static wm_map* map_from_rows(const char* const* rows, int32_t height)
{
    uint8_t open[MAX_CELLS];
    wm_map* map = NULL;
    const wm_map_config config = wm_map_config_default();
    const int32_t width = (int32_t)strlen(rows[0]);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) open[y * width + x] = rows[y][x] == '.';
    assert_int_equal(wm_map_create(&map, open, width, height, (size_t)width, &config, NULL), WM_OK);
    return map;
}

// The upper passage is a dead end just before the goal.
static wm_map* dead_end_map(void)
{
    static const char* const rows[] = {
        "...@.", //
        ".@@@.", //
        ".....",
    };
    return map_from_rows(rows, 3);
}

static wm_agent* agent_of(const wm_map* map, const char* spec)
{
    wm_agent* agent = NULL;
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = spec;
    assert_int_equal(wm_agent_create(&agent, map, NULL, &config, NULL), WM_OK);
    return agent;
}

typedef struct world {
    wm_map* map;
    wm_agent* agent;
    wm_race race;
} world;

static world world_of(wm_map* map, const char* spec, uint64_t give_up)
{
    world w = {.map = map, .agent = agent_of(map, spec)};
    assert_int_equal(wm_race_create(&w.race, map, give_up, true, NULL), WM_OK);
    return w;
}

static void world_free(world* w)
{
    wm_race_free(&w->race);
    wm_agent_destroy(w->agent);
    wm_map_unload(w->map);
}

static wm_race_run race(world* w, wm_point start, wm_point goal, wm_histogram* steps)
{
    wm_race_run run;
    assert_int_equal(wm_race_set_problem(&w->race, start, goal, NULL), WM_OK);
    assert_int_equal(wm_race_walk(&w->race, w->agent, &run, steps, NULL), WM_OK);
    return run;
}

static const wm_point LEFT = {0, 0};
static const wm_point RIGHT = {4, 0};

// ---------------------------------------------------------------------------------------------
// Counts known by hand

// PRTA* walks into the dead end (1,0) (2,0), comes back over (1,0) (0,0), then round the bottom:
// 12 moves where 8 would do. Only the two moves into the dead end are not optimal from where they
// were made; the two on the way back enter cells that had been entered.
static void a_dead_end_is_counted_move_by_move(void** state)
{
    (void)state;
    world w = world_of(dead_end_map(), "prta", 1000);
    const wm_race_run run = race(&w, LEFT, RIGHT, NULL);
    assert_int_equal(run.outcome, WM_RACE_SOLVED);
    assert_int_equal(run.optimal, 8 * WM_COST_STRAIGHT);
    assert_int_equal(run.cost, 12 * WM_COST_STRAIGHT);
    assert_int_equal(run.moves, 12);
    assert_int_equal(run.diagonal_moves, 0);
    assert_int_equal(run.non_optimal_moves, 2);
    assert_int_equal(run.revisits, 2);
    assert_int_equal(run.back_moves, 0);
    assert_int_equal(run.expansions, 12);
    assert_int_equal(run.max_expansions_per_move, 1);
    assert_true(fabs(wm_race_suboptimality(&run) - 50) < 1e-9);
    assert_true(fabs(wm_race_length(&run) - 12) < 1e-9);
    world_free(&w);
}

static void the_optimal_walk_has_no_non_optimal_moves_and_no_revisits(void** state)
{
    (void)state;
    world w = world_of(dead_end_map(), "astar", 1000);
    const wm_race_run run = race(&w, LEFT, RIGHT, NULL);
    assert_int_equal(run.outcome, WM_RACE_SOLVED);
    assert_int_equal(run.cost, run.optimal);
    assert_int_equal(run.moves, 8);
    assert_int_equal(run.non_optimal_moves, 0);
    assert_int_equal(run.revisits, 0);
    assert_true(wm_race_suboptimality(&run) == 0);
    assert_int_equal(run.expansions, run.max_expansions_per_move); // all before the first move
    world_free(&w);
}

static void the_path_is_kept_from_start_to_goal(void** state)
{
    (void)state;
    world w = world_of(dead_end_map(), "prta", 1000);
    race(&w, LEFT, RIGHT, NULL);
    const wm_cell expected[] = {0, 1, 2, 1, 0, 5, 10, 11, 12, 13, 14, 9, 4};
    assert_int_equal(w.race.path_length, 13);
    assert_memory_equal(w.race.path, expected, sizeof expected);
    world_free(&w);
}

static void a_walk_gives_up_as_soon_as_it_costs_more_than_allowed(void** state)
{
    (void)state;
    world w = world_of(dead_end_map(), "prta", 1);
    const wm_race_run run = race(&w, LEFT, RIGHT, NULL);
    assert_int_equal(run.outcome, WM_RACE_GAVE_UP);
    assert_int_equal(run.moves, 9);
    assert_int_equal(run.cost, 9 * WM_COST_STRAIGHT);
    world_free(&w);
}

static void an_unreachable_goal_is_no_path_without_a_move(void** state)
{
    (void)state;
    static const char* const rows[] = {"..@.."};
    world w = world_of(map_from_rows(rows, 1), "tb-wa", 1000);
    const wm_race_run run = race(&w, LEFT, RIGHT, NULL);
    assert_int_equal(run.outcome, WM_RACE_NO_PATH);
    assert_int_equal(run.optimal, WM_COST_INFINITE);
    assert_int_equal(run.cost, 0);
    assert_int_equal(run.moves, 0);
    world_free(&w);
}

static void a_start_on_the_goal_is_solved_without_a_move(void** state)
{
    (void)state;
    world w = world_of(dead_end_map(), "tb-wa", 1000);
    const wm_race_run run = race(&w, LEFT, LEFT, NULL);
    assert_int_equal(run.outcome, WM_RACE_SOLVED);
    assert_int_equal(run.moves, 0);
    assert_int_equal(run.optimal, 0);
    assert_true(wm_race_suboptimality(&run) == 0);
    world_free(&w);
}

static void every_step_gives_one_time(void** state)
{
    (void)state;
    static wm_histogram steps;
    memset(&steps, 0, sizeof steps);
    world w = world_of(dead_end_map(), "prta", 1000);
    const wm_race_run run = race(&w, LEFT, RIGHT, &steps);
    assert_int_equal(steps.total, 12);
    assert_int_equal(steps.max, run.plan_ns_max);
    assert_true(run.plan_ns_first <= run.plan_ns_max);
    world_free(&w);
}

// ---------------------------------------------------------------------------------------------
// Counts against the walked path, for every algorithm that needs no database

static wm_map* random_map(uint64_t seed)
{
    enum { SIDE = 24 };
    uint8_t open[SIDE * SIDE];
    wm_map* map = NULL;
    wm_map_config config = wm_map_config_default();
    wm_rng rng = wm_rng_start(seed, 0);
    for (int i = 0; i < SIDE * SIDE; i++) open[i] = wm_rng_below(&rng, 100) >= 30;
    config.diagonal = seed % 2 == 0 ? WM_DIAGONAL_NONE : WM_DIAGONAL_SQUEEZE;
    assert_int_equal(wm_map_create(&map, open, SIDE, SIDE, SIDE, &config, NULL), WM_OK);
    return map;
}

static wm_cell random_open_cell(const wm_grid* grid, wm_rng* rng)
{
    wm_cell cell;
    do cell = (wm_cell)wm_rng_below(rng, grid->cell_count);
    while (!wm_grid_is_open(grid, cell));
    return cell;
}

static size_t count_distinct(const wm_cell* path, size_t length)
{
    size_t distinct = 0;
    for (size_t i = 0; i < length; i++) {
        size_t j = 0;
        while (path[j] != path[i]) j++;
        distinct += j == i;
    }
    return distinct;
}

static void check_against_path(const world* w, const wm_race_run* run, const char* spec,
                               uint64_t seed)
{
    const wm_grid* grid = &w->map->grid;
    const wm_cell* path = w->race.path;
    const size_t length = w->race.path_length;
    wm_cost cost = 0;
    uint64_t non_optimal = 0;
    bool legal = true;
    for (size_t i = 0; i + 1 < length; i++) {
        const int direction = wm_grid_direction_between(grid, path[i], path[i + 1]);
        legal = legal && direction >= 0;
        if (!legal) break;
        const wm_cost step = wm_direction_cost[direction];
        cost += step;
        non_optimal += step + w->race.to_goal.cost[path[i + 1]] > w->race.to_goal.cost[path[i]];
    }
    if (!legal || cost != run->cost || run->moves != length - 1 ||
        non_optimal != run->non_optimal_moves ||
        run->revisits != length - count_distinct(path, length))
        fail_msg("%s, seed %llu", spec, (unsigned long long)seed);
}

static void check_map(uint64_t seed, const char* spec)
{
    world w = world_of(random_map(seed), spec, 50);
    const wm_grid* grid = &w.map->grid;
    wm_rng rng = wm_rng_start(seed, 1);
    for (int i = 0; i < 5; i++) {
        const wm_cell start = random_open_cell(grid, &rng);
        const wm_cell goal = random_open_cell(grid, &rng);
        const wm_race_run run =
            race(&w, wm_grid_point(grid, start), wm_grid_point(grid, goal), NULL);
        check_against_path(&w, &run, spec, seed);
        if ((run.outcome == WM_RACE_NO_PATH) == wm_grid_connected(grid, start, goal))
            fail_msg("%s, seed %llu: wrong about the path", spec, (unsigned long long)seed);
    }
    world_free(&w);
}

static void counts_agree_with_the_walked_path(void** state)
{
    (void)state;
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const wm_algorithm* algorithm = wm_algorithm_at(i);
        if (algorithm->needs_database) continue;
        for (uint64_t seed = 1; seed <= 20; seed++) check_map(seed, algorithm->name);
    }
}

// ---------------------------------------------------------------------------------------------
// Numbers

static void costs_are_printed_with_the_true_root(void** state)
{
    (void)state;
    for (wm_cost straight = 0; straight < 5000; straight += 37) {
        for (wm_cost diagonal = 0; diagonal < 5741; diagonal += 41) {
            const wm_cost cost = straight * WM_COST_STRAIGHT + diagonal * WM_COST_DIAGONAL;
            const double expected = (double)straight + sqrt(2) * (double)diagonal;
            assert_true(fabs(wm_cost_to_double(cost) - expected) < 1e-9 * (1 + expected));
        }
    }
}

static void percentiles_are_exact_when_small_and_close_when_large(void** state)
{
    (void)state;
    static wm_histogram small;
    static wm_histogram large;
    memset(&small, 0, sizeof small);
    memset(&large, 0, sizeof large);
    assert_int_equal(wm_histogram_percentile(&small, 50), 0);
    for (uint64_t i = 1; i <= 100; i++) {
        wm_histogram_add(&small, i);
        wm_histogram_add(&large, i * 1000000007);
    }
    assert_int_equal(wm_histogram_percentile(&small, 50), 50);
    assert_int_equal(wm_histogram_percentile(&small, 99), 99);
    assert_int_equal(wm_histogram_percentile(&small, 100), 100);
    const double p99 = (double)wm_histogram_percentile(&large, 99);
    assert_true(fabs(p99 / (99.0 * 1000000007) - 1) < 0.01);
    wm_histogram_add(&large, UINT64_MAX);
    assert_true(wm_histogram_percentile(&large, 100) <= large.max);
    assert_true(large.max == UINT64_MAX);
}

static void a_summary_knows_mean_median_p95_and_worst(void** state)
{
    (void)state;
    static wm_summary summary;
    memset(&summary, 0, sizeof summary);
    for (int i = 20; i >= 1; i--) { // 1 % to 20 % above the optimum, in falling order
        const wm_race_run run = {.optimal = 100, .cost = 100 + i, .moves = 2, .expansions = 7};
        assert_true(wm_summary_add(&summary, &run));
    }
    const wm_race_run no_path = {.outcome = WM_RACE_NO_PATH, .optimal = WM_COST_INFINITE};
    assert_true(wm_summary_add(&summary, &no_path));
    const wm_spread spread = wm_summary_suboptimality(&summary);
    assert_true(fabs(spread.mean - 10.5) < 1e-9);
    assert_true(fabs(spread.median - 10.5) < 1e-9);
    assert_true(fabs(spread.p95 - 19) < 1e-9);
    assert_true(fabs(spread.worst - 20) < 1e-9);
    assert_int_equal(summary.runs, 21);
    assert_int_equal(summary.outcomes[WM_RACE_NO_PATH], 1);
    assert_true(fabs(wm_summary_expansions_per_move(&summary) - 3.5) < 1e-9);
    wm_summary_free(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dead_end_is_counted_move_by_move),
        cmocka_unit_test(the_optimal_walk_has_no_non_optimal_moves_and_no_revisits),
        cmocka_unit_test(the_path_is_kept_from_start_to_goal),
        cmocka_unit_test(a_walk_gives_up_as_soon_as_it_costs_more_than_allowed),
        cmocka_unit_test(an_unreachable_goal_is_no_path_without_a_move),
        cmocka_unit_test(a_start_on_the_goal_is_solved_without_a_move),
        cmocka_unit_test(every_step_gives_one_time),
        cmocka_unit_test(counts_agree_with_the_walked_path),
        cmocka_unit_test(costs_are_printed_with_the_true_root),
        cmocka_unit_test(percentiles_are_exact_when_small_and_close_when_large),
        cmocka_unit_test(a_summary_knows_mean_median_p95_and_worst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
