// SPDX-License-Identifier: MIT
//
// The distances are compared with those of a relaxation that goes over all cells until nothing
// changes (Bellman and Ford), which looks at open cells only and knows no table of moves.
#include "distance.h"

#include <stdlib.h>

#include "rng.h"
#include "support.h"

static bool open_at(const wm_grid* grid, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x < grid->width && y < grid->height &&
           grid->component[y * grid->width + x] != 0;
}

static bool can_step(const wm_grid* grid, int32_t x, int32_t y, int32_t dx, int32_t dy)
{
    if ((dx == 0 && dy == 0) || !open_at(grid, x, y) || !open_at(grid, x + dx, y + dy))
        return false;
    if (dx == 0 || dy == 0 || grid->diagonal == WM_DIAGONAL_SQUEEZE) return true;
    return open_at(grid, x + dx, y) && open_at(grid, x, y + dy);
}

// The least cost over one of the eight neighbours.
static wm_cost best_over_neighbours(const wm_grid* grid, const wm_cost* cost, int32_t x, int32_t y)
{
    wm_cost best = cost[y * grid->width + x];
    for (int32_t dy = -1; dy <= 1; dy++) {
        for (int32_t dx = -1; dx <= 1; dx++) {
            if (!can_step(grid, x, y, dx, dy)) continue;
            const wm_cost over = cost[(y + dy) * grid->width + x + dx];
            const wm_cost step = dx != 0 && dy != 0 ? 8119 : 5741;
            if (over != WM_COST_INFINITE && over + step < best) best = over + step;
        }
    }
    return best;
}

static wm_cost* brute_force(const wm_grid* grid, const wm_cell* sources, size_t count)
{
    wm_cost* cost = malloc(grid->cell_count * sizeof *cost);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) cost[cell] = WM_COST_INFINITE;
    for (size_t i = 0; i < count; i++) cost[sources[i]] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t y = 0; y < grid->height; y++) {
            for (int32_t x = 0; x < grid->width; x++) {
                const wm_cost best = best_over_neighbours(grid, cost, x, y);
                changed |= best < cost[y * grid->width + x];
                cost[y * grid->width + x] = best;
            }
        }
    }
    return cost;
}

// Compares with the brute force; what lies above the limit may also be infinite.
static void check(const wm_distances* distances, const wm_cost* expected, wm_cost limit,
                  uint64_t seed)
{
    size_t finite = 0;
    for (wm_cell cell = 0; cell < distances->grid->cell_count; cell++) {
        const wm_cost cost = distances->cost[cell];
        const bool left_out = cost == WM_COST_INFINITE && expected[cell] > limit;
        if (cost != expected[cell] && !left_out)
            fail_msg("seed %llu, cell %u: %lld instead of %lld", (unsigned long long)seed, cell,
                     (long long)cost, (long long)expected[cell]);
        finite += cost != WM_COST_INFINITE;
    }
    assert_int_equal(distances->reached_count, finite);
    for (size_t i = 0; i < finite; i++)
        assert_true(distances->cost[distances->reached[i]] != WM_COST_INFINITE);
}

static wm_cell random_open_cell(const wm_grid* grid, wm_rng* rng)
{
    wm_cell cell;
    do {
        cell = (wm_cell)wm_rng_below(rng, grid->cell_count);
    } while (!wm_grid_is_open(grid, cell));
    return cell;
}

static void check_random_map(uint64_t seed, wm_diagonal diagonal)
{
    wm_rng rng = wm_rng_start(seed, 1);
    const int32_t width = 1 + (int32_t)wm_rng_below(&rng, 30);
    const int32_t height = 1 + (int32_t)wm_rng_below(&rng, 30);
    wm_grid grid = grid_random(seed, width, height, (unsigned)wm_rng_below(&rng, 60), diagonal);
    wm_distances distances;
    assert_int_equal(wm_distances_create(&distances, &grid, NULL), WM_OK);
    // The same object again and again: nothing of an earlier answer may be left in a later one.
    for (int i = 0; i < 4 && grid.open_count > 0; i++) {
        const wm_cell source = random_open_cell(&grid, &rng);
        wm_cost* expected = brute_force(&grid, &source, 1);
        const wm_cost limit =
            i % 2 == 0 ? WM_COST_INFINITE : (wm_cost)wm_rng_below(&rng, 20 * WM_COST_STRAIGHT);
        assert_int_equal(wm_distances_from(&distances, source, limit), WM_OK);
        check(&distances, expected, limit, seed);
        free(expected);
    }
    wm_distances_free(&distances);
    wm_grid_free(&grid);
}

static void distances_equal_those_of_brute_force_without_corner_cutting(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) check_random_map(seed, WM_DIAGONAL_NONE);
}

static void distances_equal_those_of_brute_force_with_squeezing(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) check_random_map(seed, WM_DIAGONAL_SQUEEZE);
}

static void several_sources_give_the_distance_to_the_nearest(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        wm_rng rng = wm_rng_start(seed, 2);
        wm_grid grid = grid_random(seed, 25, 25, 30, WM_DIAGONAL_NONE);
        const wm_cell sources[2] = {random_open_cell(&grid, &rng), random_open_cell(&grid, &rng)};
        const size_t count = sources[0] == sources[1] ? 1 : 2;
        wm_cost* expected = brute_force(&grid, sources, count);
        wm_distances distances;
        assert_int_equal(wm_distances_create(&distances, &grid, NULL), WM_OK);
        assert_int_equal(wm_distances_from_any(&distances, sources, count, WM_COST_INFINITE),
                         WM_OK);
        check(&distances, expected, WM_COST_INFINITE, seed);
        assert_int_equal(wm_distances_from_any(&distances, NULL, 0, WM_COST_INFINITE), WM_OK);
        assert_int_equal(distances.reached_count, 0);
        free(expected);
        wm_distances_free(&distances);
        wm_grid_free(&grid);
    }
}

static void a_limit_spares_the_cells_behind_it(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 400, 400, 0, WM_DIAGONAL_NONE);
    wm_distances distances;
    assert_int_equal(wm_distances_create(&distances, &grid, NULL), WM_OK);
    assert_int_equal(wm_distances_from(&distances, 200 * 400 + 200, 10 * WM_COST_STRAIGHT), WM_OK);
    assert_true(distances.cost[200 * 400 + 210] == 10 * WM_COST_STRAIGHT);
    assert_true(distances.reached_count < 23 * 23);
    wm_distances_free(&distances);
    wm_grid_free(&grid);
}

static void long_ways_are_counted_without_overflow(void** state)
{
    (void)state;
    // A corridor back and forth, a hundred thousand steps and more.
    const int32_t side = 601;
    uint8_t* open = calloc((size_t)side, (size_t)side);
    for (int32_t y = 0; y < side; y++) {
        for (int32_t x = 0; x < side; x++)
            open[y * side + x] = y % 2 == 0 || x == (y % 4 == 1 ? side - 1 : 0);
    }
    wm_grid grid;
    wm_distances distances;
    assert_int_equal(
        wm_grid_create(&grid, open, side, side, (size_t)side, WM_DIAGONAL_NONE, NULL, NULL), WM_OK);
    assert_int_equal(wm_distances_create(&distances, &grid, NULL), WM_OK);
    assert_int_equal(wm_distances_from(&distances, 0, WM_COST_INFINITE), WM_OK);
    const wm_cost steps = 301 * 600 + 300 * 2;
    assert_true(distances.cost[grid.cell_count - 1] == steps * WM_COST_STRAIGHT);
    wm_distances_free(&distances);
    wm_grid_free(&grid);
    free(open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_equal_those_of_brute_force_without_corner_cutting),
        cmocka_unit_test(distances_equal_those_of_brute_force_with_squeezing),
        cmocka_unit_test(several_sources_give_the_distance_to_the_nearest),
        cmocka_unit_test(a_limit_spares_the_cells_behind_it),
        cmocka_unit_test(long_ways_are_counted_without_overflow),
    };
    return cmocka_run_group_tests_name("distance", tests, NULL, NULL);
}
