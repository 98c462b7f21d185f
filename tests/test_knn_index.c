// SPDX-License-Identifier: MIT
//
// The order of the index is compared with sorting all records by distance and record number.
#include "knn_index.h"

#include <stdlib.h>

#include "reference.h"
#include "rng.h"
#include "support.h"

typedef enum spread { UNIFORM, CLUSTERED, DUPLICATES, ALL_THE_SAME, SPREADS } spread;

static wm_cell random_cell(const wm_grid* grid, wm_rng* rng, spread how)
{
    const uint32_t width = (uint32_t)grid->width;
    const uint32_t height = (uint32_t)grid->height;
    const uint64_t cluster = wm_rng_below(rng, 4);
    switch (how) {
    case UNIFORM: return (wm_cell)wm_rng_below(rng, grid->cell_count);
    case CLUSTERED: {
        const uint64_t x = (cluster * width / 5 + wm_rng_below(rng, 3)) % width;
        const uint64_t y = (cluster * height / 5 + wm_rng_below(rng, 3)) % height;
        return (wm_cell)(y * width + x);
    }
    case DUPLICATES: return (wm_cell)(cluster * (grid->cell_count - 1) / 3);
    default: return grid->cell_count / 2;
    }
}

static wm_knn make_records(const wm_grid* grid, uint32_t count, spread how, wm_rng* rng)
{
    wm_knn knn = {.width = grid->width, .height = grid->height, .count = count};
    knn.records = calloc(count + 1, sizeof *knn.records);
    for (uint32_t i = 0; i < count; i++) {
        knn.records[i].start = random_cell(grid, rng, how);
        knn.records[i].goal = random_cell(grid, rng, how);
    }
    return knn;
}

static int compare_matches(const void* left, const void* right)
{
    const wm_knn_match* a = left;
    const wm_knn_match* b = right;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return (a->record > b->record) - (a->record < b->record);
}

static wm_knn_match* sorted_scan(const wm_knn* knn, const wm_grid* grid, wm_cell start,
                                 wm_cell goal)
{
    wm_knn_match* matches = malloc((knn->count + 1) * sizeof *matches);
    for (uint32_t i = 0; i < knn->count; i++) {
        const wm_cost distance = reference_h(grid, knn->records[i].start, start) +
                                 reference_h(grid, knn->records[i].goal, goal);
        matches[i] = (wm_knn_match){(uint32_t)distance, i};
    }
    qsort(matches, knn->count, sizeof *matches, compare_matches);
    return matches;
}

static void check_query(const wm_knn_index* index, const wm_grid* grid, wm_cell start, wm_cell goal,
                        uint64_t seed)
{
    const uint32_t count = index->knn->count;
    wm_knn_match* expected = sorted_scan(index->knn, grid, start, goal);
    wm_knn_cursor cursor;
    wm_knn_match match;
    wm_knn_match* matches = calloc(count, sizeof *matches);
    wm_knn_cursor_begin(&cursor, index, matches, wm_grid_point(grid, start),
                        wm_grid_point(grid, goal));
    for (uint32_t i = 0; i < count; i++) {
        if (!wm_knn_cursor_next(&cursor, &match))
            fail_msg("seed %llu: %u of %u records came", (unsigned long long)seed, i, count);
        if (match.distance != expected[i].distance || match.record != expected[i].record)
            fail_msg("seed %llu, %u records, place %u: record %u at %u instead of %u at %u",
                     (unsigned long long)seed, count, i, match.record, match.distance,
                     expected[i].record, expected[i].distance);
    }
    for (int i = 0; i < 3; i++) assert_false(wm_knn_cursor_next(&cursor, &match));
    free(matches);
    free(expected);
}

static void check_database(const wm_grid* grid, uint32_t count, spread how, uint64_t seed)
{
    wm_rng rng = wm_rng_start(seed, count);
    wm_knn knn = make_records(grid, count, how, &rng);
    wm_knn_index index;
    assert_int_equal(wm_knn_index_create(&index, &knn, grid, NULL, NULL), WM_OK);
    for (int i = 0; i < 6; i++) {
        // Questions from anywhere, from where the records are, and one that is a record itself.
        wm_cell start = random_cell(grid, &rng, i % 2 == 0 ? UNIFORM : how);
        wm_cell goal = random_cell(grid, &rng, i % 2 == 0 ? UNIFORM : how);
        if (i == 5 && count > 0) {
            start = knn.records[count - 1].start;
            goal = knn.records[count - 1].goal;
        }
        check_query(&index, grid, start, goal, seed);
    }
    wm_knn_index_free(&index);
    free(knn.records);
}

static void records_come_in_the_order_of_a_sorted_scan(void** state)
{
    (void)state;
    static const uint32_t counts[] = {0,  1,  2,  3,  4,   5,   7,   8,    9,    15,  16,
                                      17, 31, 33, 64, 100, 341, 342, 1000, 1024, 5000};
    wm_grid grid = grid_random(1, 120, 90, 0, WM_DIAGONAL_NONE);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (int how = 0; how < SPREADS; how++)
            check_database(&grid, counts[i], (spread)how, 10 * i + (uint64_t)how);
    }
    wm_grid_free(&grid);
}

static void records_come_in_order_for_hundreds_of_small_databases(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 23, 17, 0, WM_DIAGONAL_NONE);
    for (uint64_t seed = 1000; seed < 1400; seed++) {
        wm_rng rng = wm_rng_start(seed, 0);
        check_database(&grid, 1 + (uint32_t)wm_rng_below(&rng, 200), (spread)(seed % SPREADS),
                       seed);
    }
    wm_grid_free(&grid);
}

static void the_longest_maps_give_exact_distances(void** state)
{
    (void)state;
    static const int32_t sizes[][2] = {{4096, 5}, {5, 4096}, {1, 4096}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        wm_grid grid = grid_random(1, sizes[i][0], sizes[i][1], 0, WM_DIAGONAL_NONE);
        for (int how = 0; how < SPREADS; how++)
            check_database(&grid, 700, (spread)how, 2000 + (uint64_t)how);
        wm_grid_free(&grid);
    }
}

static void a_query_can_be_left_and_another_begun(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 50, 50, 0, WM_DIAGONAL_NONE);
    wm_rng rng = wm_rng_start(3000, 0);
    wm_knn knn = make_records(&grid, 800, UNIFORM, &rng);
    wm_knn_index index;
    assert_int_equal(wm_knn_index_create(&index, &knn, &grid, NULL, NULL), WM_OK);
    wm_knn_match* matches = malloc(knn.count * sizeof *matches);
    wm_knn_cursor cursor;
    for (uint32_t taken = 0; taken < 400; taken += 3) {
        wm_knn_match match = {0};
        wm_knn_cursor_begin(&cursor, &index, matches, (wm_point){1, 2}, (wm_point){40, 45});
        for (uint32_t i = 0; i < taken; i++) assert_true(wm_knn_cursor_next(&cursor, &match));
        const wm_cell start = random_cell(&grid, &rng, UNIFORM);
        const wm_cell goal = random_cell(&grid, &rng, UNIFORM);
        wm_knn_match* expected = sorted_scan(&knn, &grid, start, goal);
        wm_knn_cursor_begin(&cursor, &index, matches, wm_grid_point(&grid, start),
                            wm_grid_point(&grid, goal));
        for (uint32_t i = 0; i < 100; i++) {
            assert_true(wm_knn_cursor_next(&cursor, &match));
            assert_int_equal(match.record, expected[i].record);
        }
        free(expected);
    }
    free(matches);
    wm_knn_index_free(&index);
    free(knn.records);
    wm_grid_free(&grid);
}

static void asking_allocates_nothing_and_freeing_gives_all_back(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 60, 60, 0, WM_DIAGONAL_NONE);
    wm_rng rng = wm_rng_start(4000, 0);
    wm_knn knn = make_records(&grid, 3000, UNIFORM, &rng);
    test_memory memory = {0};
    const wm_allocator allocator = test_allocator(&memory);
    wm_knn_index index;
    assert_int_equal(wm_knn_index_create(&index, &knn, &grid, &allocator, NULL), WM_OK);
    const size_t calls = memory.calls;
    const size_t bytes = memory.bytes;
    assert_true(calls > 0 && bytes > 0);
    for (int i = 0; i < 5; i++)
        check_query(&index, &grid, random_cell(&grid, &rng, UNIFORM),
                    random_cell(&grid, &rng, UNIFORM), 4000);
    assert_int_equal(memory.calls, calls);
    assert_int_equal(memory.bytes, bytes);
    wm_knn_index_free(&index);
    assert_int_equal(memory.bytes, 0);
    free(knn.records);
    wm_grid_free(&grid);
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 20, 20, 0, WM_DIAGONAL_NONE);
    wm_rng rng = wm_rng_start(5000, 0);
    wm_knn knn = make_records(&grid, 50, UNIFORM, &rng);
    test_memory memory = {0};
    const wm_allocator allocator = test_allocator(&memory);
    wm_status status = WM_ERR_MEMORY;
    size_t n = 0;
    while (status == WM_ERR_MEMORY) {
        wm_knn_index index;
        wm_error error = {""};
        memory = (test_memory){.fail_at = ++n};
        status = wm_knn_index_create(&index, &knn, &grid, &allocator, &error);
        if (status == WM_ERR_MEMORY) assert_true(error.message[0] != '\0');
        wm_knn_index_free(&index);
        assert_int_equal(memory.bytes, 0);
    }
    assert_int_equal(status, WM_OK);
    assert_true(n > 1);
    free(knn.records);
    wm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_in_the_order_of_a_sorted_scan),
        cmocka_unit_test(records_come_in_order_for_hundreds_of_small_databases),
        cmocka_unit_test(the_longest_maps_give_exact_distances),
        cmocka_unit_test(a_query_can_be_left_and_another_begun),
        cmocka_unit_test(asking_allocates_nothing_and_freeing_gives_all_back),
        cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests_name("knn_index", tests, NULL, NULL);
}
