// SPDX-License-Identifier: MIT
#include "generate.h"

#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "hash.h"
#include "support.h"

static uint8_t* generate(int32_t width, int32_t height, int kind, int32_t density, int32_t grain,
                         uint64_t seed)
{
    const size_t count = (size_t)width * (size_t)height;
    const wm_generate_options options = {density, grain};
    uint8_t* open = malloc(count);
    memset(open, 77, count);
    wm_error error = {""};
    if (wm_generate(open, width, height, (wm_generate_kind)kind, &options, seed, &error) != WM_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < count; i++) assert_true(open[i] <= 1);
    return open;
}

static wm_grid grid_of(const uint8_t* open, int32_t width, int32_t height)
{
    wm_grid grid;
    assert_int_equal(
        wm_grid_create(&grid, open, width, height, (size_t)width, WM_DIAGONAL_NONE, NULL, NULL),
        WM_OK);
    return grid;
}

static void kinds_have_names(void** state)
{
    (void)state;
    for (int i = 0; i < WM_GENERATE_KINDS; i++) {
        wm_generate_kind kind = WM_GENERATE_KINDS;
        assert_true(wm_generate_kind_from_name(&kind, wm_generate_kind_name(i)));
        assert_int_equal(kind, i);
    }
    wm_generate_kind kind;
    assert_false(wm_generate_kind_from_name(&kind, "swamp"));
    assert_false(wm_generate_kind_from_name(&kind, ""));
    assert_null(wm_generate_kind_name(WM_GENERATE_KINDS));
    assert_null(wm_generate_kind_name(-1));
}

static void the_same_seed_gives_the_same_map_everywhere(void** state)
{
    (void)state;
    // The maps in data/ are made by these: a change here changes them.
    static const uint64_t expected[WM_GENERATE_KINDS] = {
        [WM_GENERATE_CAVES] = UINT64_C(0x3716925E12D585E8),
        [WM_GENERATE_ROOMS] = UINT64_C(0xE1AA8736E255B537),
        [WM_GENERATE_MAZE] = UINT64_C(0x427B32F3F8F08846),
        [WM_GENERATE_RANDOM] = UINT64_C(0x7746F0C47C5A3E3C),
    };
    for (int kind = 0; kind < WM_GENERATE_KINDS; kind++) {
        uint8_t* open = generate(130, 70, kind, -1, -1, 42);
        uint8_t* other = generate(130, 70, kind, -1, -1, 43);
        const uint64_t hash = wm_hash_bytes(WM_HASH_START, open, 130 * 70);
        if (hash != expected[kind])
            fail_msg("%s: 0x%016llX", wm_generate_kind_name(kind), (unsigned long long)hash);
        assert_memory_not_equal(open, other, 130 * 70);
        free(open);
        free(other);
    }
}

static void caves_rooms_and_mazes_are_in_one_piece(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        for (int kind = WM_GENERATE_CAVES; kind <= WM_GENERATE_MAZE; kind++) {
            uint8_t* open = generate(100, 80, kind, -1, -1, seed);
            wm_grid grid = grid_of(open, 100, 80);
            if (grid.component_count != 1 || grid.open_count < 100 * 80 / 3)
                fail_msg("%s, seed %llu: %u pieces, %u cells", wm_generate_kind_name(kind),
                         (unsigned long long)seed, grid.component_count, grid.open_count);
            wm_grid_free(&grid);
            free(open);
        }
    }
}

static void caves_stay_in_one_piece_at_every_density(void** state)
{
    (void)state;
    for (int32_t density = 0; density <= 100; density += 5) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            uint8_t* open = generate(90, 90, WM_GENERATE_CAVES, density, -1, seed);
            wm_grid grid = grid_of(open, 90, 90);
            if (grid.component_count != 1)
                fail_msg("density %d, seed %llu", (int)density, (unsigned long long)seed);
            wm_grid_free(&grid);
            free(open);
        }
    }
}

static void every_size_and_grain_gives_a_map(void** state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 50};
    static const int32_t grains[] = {1, 2, 3, 8, 16, 1024};
    const size_t size_count = sizeof sizes / sizeof *sizes;
    for (size_t i = 0; i < size_count * size_count * 6; i++) {
        const int32_t width = sizes[i % size_count];
        const int32_t height = sizes[i / size_count % size_count];
        const int32_t grain = grains[i / size_count / size_count];
        for (int kind = 0; kind < WM_GENERATE_KINDS; kind++) {
            uint8_t* open = generate(width, height, kind, -1, grain, i);
            wm_grid grid = grid_of(open, width, height);
            if (grid.open_count == 0 || (kind != WM_GENERATE_RANDOM && grid.component_count != 1))
                fail_msg("%s %dx%d, grain %d", wm_generate_kind_name(kind), (int)width, (int)height,
                         (int)grain);
            wm_grid_free(&grid);
            free(open);
        }
    }
}

static void a_maze_has_no_loops(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        // 31 cells are 16 squares of one cell with walls between: a tree has one wall fewer open.
        uint8_t* open = generate(31, 31, WM_GENERATE_MAZE, -1, 1, seed);
        wm_grid grid = grid_of(open, 31, 31);
        assert_int_equal(grid.component_count, 1);
        assert_int_equal(grid.open_count, 16 * 16 + 16 * 16 - 1);
        wm_grid_free(&grid);
        free(open);
    }
}

static void the_density_is_what_was_asked_for(void** state)
{
    (void)state;
    static const int32_t densities[] = {-1, 0, 10, 50, 90, 100};
    for (size_t i = 0; i < sizeof densities / sizeof *densities; i++) {
        uint8_t* open = generate(300, 300, WM_GENERATE_RANDOM, densities[i], -1, 1);
        wm_grid grid = grid_of(open, 300, 300);
        const int32_t density = densities[i] < 0 ? 25 : densities[i];
        const int32_t blocked = (int32_t)(grid.cell_count - grid.open_count);
        assert_true(abs(blocked - 900 * density) < 900);
        wm_grid_free(&grid);
        free(open);
    }
}

static void what_is_out_of_range_is_refused(void** state)
{
    (void)state;
    static const struct {
        int32_t width;
        int32_t height;
        wm_generate_options options;
        const char* sentence;
    } cases[] = {
        {0, 5, {-1, -1}, "the size 0x5"},     {5, 4097, {-1, -1}, "1 to 4096"},
        {-3, 5, {-1, -1}, "the size -3x5"},   {5, 5, {101, -1}, "the density 101"},
        {5, 5, {-2, -1}, "the density -2"},   {5, 5, {-1, 0}, "the grain 0"},
        {5, 5, {-1, 1025}, "the grain 1025"},
    };
    uint8_t open[25];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wm_error error = {""};
        assert_int_equal(wm_generate(open, cases[i].width, cases[i].height, WM_GENERATE_ROOMS,
                                     &cases[i].options, 1, &error),
                         WM_ERR_ARGUMENT);
        assert_contains(error.message, cases[i].sentence);
    }
}

static void the_largest_maps_can_be_made(void** state)
{
    (void)state;
    for (int kind = 0; kind < WM_GENERATE_KINDS; kind++)
        free(generate(4096, 4096, kind, -1, -1, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(the_same_seed_gives_the_same_map_everywhere),
        cmocka_unit_test(caves_rooms_and_mazes_are_in_one_piece),
        cmocka_unit_test(caves_stay_in_one_piece_at_every_density),
        cmocka_unit_test(every_size_and_grain_gives_a_map),
        cmocka_unit_test(a_maze_has_no_loops),
        cmocka_unit_test(the_density_is_what_was_asked_for),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(the_largest_maps_can_be_made),
    };
    return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
