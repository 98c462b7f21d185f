// SPDX-License-Identifier: MIT
#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

static bool open_at(const wm_grid* grid, int32_t x, int32_t y)
{
    const wm_point p = {x, y};
    return wm_grid_contains(grid, p) && wm_grid_is_open(grid, wm_grid_cell(grid, p));
}

static void without_corner_cutting_both_sides_of_a_diagonal_are_open(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, "...\n"
                                                    "#..\n"
                                                    "...\n");
    const unsigned middle = grid.moves[wm_grid_cell(&grid, (wm_point){1, 1})];
    assert_int_equal(middle, 1u << WM_NORTH | 1u << WM_NORTH_EAST | 1u << WM_EAST |
                                 1u << WM_SOUTH_EAST | 1u << WM_SOUTH);
    assert_int_equal(grid.moves[wm_grid_cell(&grid, (wm_point){0, 0})], 1u << WM_EAST);
    assert_int_equal(grid.moves[wm_grid_cell(&grid, (wm_point){0, 1})], 0);
    wm_grid_free(&grid);
}

static void squeezing_asks_only_for_the_cell_entered(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_SQUEEZE, ".#\n"
                                                       "#.\n");
    assert_int_equal(grid.moves[0], 1u << WM_SOUTH_EAST);
    assert_int_equal(grid.moves[3], 1u << WM_NORTH_WEST);
    assert_int_equal(grid.component_count, 1);
    wm_grid_free(&grid);
    grid = grid_from_text(WM_DIAGONAL_NONE, ".#\n"
                                            "#.\n");
    assert_int_equal(grid.component_count, 2);
    assert_false(wm_grid_connected(&grid, 0, 3));
    wm_grid_free(&grid);
}

static bool step_is_legal(const wm_grid* grid, wm_point p, int d)
{
    const int32_t dx = wm_direction_x[d];
    const int32_t dy = wm_direction_y[d];
    if (!open_at(grid, p.x, p.y) || !open_at(grid, p.x + dx, p.y + dy)) return false;
    if (dx == 0 || dy == 0 || grid->diagonal == WM_DIAGONAL_SQUEEZE) return true;
    return open_at(grid, p.x + dx, p.y) && open_at(grid, p.x, p.y + dy);
}

static void check_moves(const wm_grid* grid, uint64_t seed)
{
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        const wm_point p = wm_grid_point(grid, cell);
        assert_int_equal(wm_grid_cell(grid, p), cell);
        for (int d = 0; d < WM_DIRECTIONS; d++) {
            const bool legal = grid->moves[cell] >> d & 1;
            if (legal != step_is_legal(grid, p, d))
                fail_msg("seed %llu, cell %u, direction %d", (unsigned long long)seed, cell, d);
            if (!legal) continue;
            const wm_cell next = wm_grid_step(grid, cell, d);
            assert_int_equal(wm_grid_direction_between(grid, cell, next), d);
            assert_int_equal(wm_grid_direction_between(grid, next, cell), (d + 4) % 8);
            assert_true(wm_grid_connected(grid, cell, next));
        }
    }
}

static void moves_follow_the_rule_on_random_maps(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const int32_t width = 1 + (int32_t)(seed % 13);
        const int32_t height = 1 + (int32_t)(seed % 7);
        for (int rule = 0; rule < 2; rule++) {
            wm_grid grid = grid_random(seed, width, height, 35, (wm_diagonal)rule);
            check_moves(&grid, seed);
            wm_grid_free(&grid);
        }
    }
}

static void components_are_numbered_in_the_order_of_their_first_cells(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, "..#.\n"
                                                    "..#.\n"
                                                    "####\n"
                                                    "....\n");
    assert_int_equal(grid.component_count, 3);
    assert_int_equal(grid.open_count, 10);
    assert_int_equal(grid.component[0], 1);
    assert_int_equal(grid.component[3], 2);
    assert_int_equal(grid.component[12], 3);
    assert_int_equal(grid.component[2], 0);
    assert_false(wm_grid_connected(&grid, 2, 2));
    wm_grid_free(&grid);
}

static uint64_t hash_of(wm_diagonal diagonal, const char* rows)
{
    wm_grid grid = grid_from_text(diagonal, rows);
    const uint64_t hash = grid.hash;
    wm_grid_free(&grid);
    return hash;
}

static void the_hash_covers_size_cells_and_rule(void** state)
{
    (void)state;
    const uint64_t hash = hash_of(WM_DIAGONAL_NONE, "..\n..\n");
    assert_true(hash == hash_of(WM_DIAGONAL_NONE, "..\n..\n"));
    assert_true(hash != hash_of(WM_DIAGONAL_SQUEEZE, "..\n..\n"));
    assert_true(hash != hash_of(WM_DIAGONAL_NONE, "....\n"));
    assert_true(hash != hash_of(WM_DIAGONAL_NONE, ".\n.\n.\n.\n"));
    assert_true(hash != hash_of(WM_DIAGONAL_NONE, "..\n.#\n"));
    // Databases in the world carry this number: it must never change.
    assert_true(hash == UINT64_C(0x64CA06FB4F50148A));
}

static void rows_may_lie_apart_in_memory(void** state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 1, 9, 0, 200, 9};
    wm_grid grid;
    assert_int_equal(wm_grid_create(&grid, bytes, 2, 2, 3, WM_DIAGONAL_NONE, NULL, NULL), WM_OK);
    assert_int_equal(grid.open_count, 3);
    assert_false(wm_grid_is_open(&grid, 2));
    assert_true(wm_grid_is_open(&grid, 3));
    wm_grid_free(&grid);
}

static void impossible_sizes_are_refused(void** state)
{
    (void)state;
    static const int32_t sizes[][2] = {{0, 5}, {5, 0}, {-1, 5}, {4097, 1}, {1, 4097}};
    const uint8_t open = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        wm_grid grid;
        wm_error error = {""};
        assert_int_equal(wm_grid_create(&grid, &open, sizes[i][0], sizes[i][1], 1, WM_DIAGONAL_NONE,
                                        NULL, &error),
                         WM_ERR_ARGUMENT);
        assert_contains(error.message, "4096");
        wm_grid_free(&grid);
    }
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void** state)
{
    (void)state;
    static const uint8_t open[64] = {1};
    test_memory memory = {0};
    wm_allocator allocator = test_allocator(&memory);
    wm_status status = WM_ERR_MEMORY;
    size_t n = 0;
    while (status == WM_ERR_MEMORY) {
        wm_grid grid;
        memory = (test_memory){.fail_at = ++n};
        status = wm_grid_create(&grid, open, 8, 8, 8, WM_DIAGONAL_NONE, &allocator, NULL);
        wm_grid_free(&grid);
        assert_int_equal(memory.bytes, 0);
    }
    assert_int_equal(status, WM_OK);
    assert_true(n > 2);
}

static void rules_have_names(void** state)
{
    (void)state;
    wm_diagonal diagonal = WM_DIAGONAL_NONE;
    assert_true(wm_diagonal_from_name(&diagonal, "squeeze"));
    assert_int_equal(diagonal, WM_DIAGONAL_SQUEEZE);
    assert_true(wm_diagonal_from_name(&diagonal, "none"));
    assert_int_equal(diagonal, WM_DIAGONAL_NONE);
    assert_false(wm_diagonal_from_name(&diagonal, "None"));
    assert_string_equal(wm_diagonal_name(WM_DIAGONAL_SQUEEZE), "squeeze");
}

static void directions_go_by_signs(void** state)
{
    (void)state;
    for (int d = 0; d < WM_DIRECTIONS; d++) {
        assert_int_equal(wm_direction_toward(7 * wm_direction_x[d], 7 * wm_direction_y[d]), d);
        const bool diagonal = wm_direction_x[d] != 0 && wm_direction_y[d] != 0;
        assert_true(wm_direction_cost[d] == (diagonal ? WM_COST_DIAGONAL : WM_COST_STRAIGHT));
    }
    assert_true(wm_octile(3, -5) == 3 * WM_COST_DIAGONAL + 2 * WM_COST_STRAIGHT);
    assert_true(wm_octile(0, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_corner_cutting_both_sides_of_a_diagonal_are_open),
        cmocka_unit_test(squeezing_asks_only_for_the_cell_entered),
        cmocka_unit_test(moves_follow_the_rule_on_random_maps),
        cmocka_unit_test(components_are_numbered_in_the_order_of_their_first_cells),
        cmocka_unit_test(the_hash_covers_size_cells_and_rule),
        cmocka_unit_test(rows_may_lie_apart_in_memory),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
        cmocka_unit_test(rules_have_names),
        cmocka_unit_test(directions_go_by_signs),
    };
    return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
