// SPDX-License-Identifier: MIT
//
// Shards, joined record by record and file by file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "generate.h"
#include "records.h"
#include "rng.h"
#include "support.h"

#define MOST_SHARDS 13

static void shuffle(wm_knn* shards, size_t count, wm_rng* rng)
{
    for (size_t i = count; i-- > 1;) {
        const size_t j = wm_rng_below(rng, i + 1);
        const wm_knn swap = shards[i];
        shards[i] = shards[j];
        shards[j] = swap;
    }
}

static void build_shards(wm_knn* shards, uint32_t count, const wm_grid* grid,
                         wm_knn_parameters parameters)
{
    parameters.shards = count;
    for (uint32_t i = 0; i < count; i++) {
        parameters.shard = i + 1;
        shards[i] = records_build(grid, parameters, 1 + i % 2);
    }
}

static void free_shards(wm_knn* shards, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) wm_knn_free(&shards[i]);
}

static void all_shards_in_any_order_make_the_whole(void** state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 7, MOST_SHARDS};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        wm_rng rng = wm_rng_start(seed, 9);
        wm_grid grid = seed % 3 == 0 ? grid_random(seed, 50, 40, 25, (wm_diagonal)(seed % 2))
                                     : grid_generated((int)(seed % WM_GENERATE_KINDS), seed, 60, 50,
                                                      (wm_diagonal)(seed % 2));
        wm_knn_parameters parameters =
            records_parameters(MOST_SHARDS + (uint32_t)wm_rng_below(&rng, 500), seed);
        parameters.chains = seed / 2 % 2 == 1;
        wm_knn whole = records_build(&grid, parameters, 2);
        const uint64_t expected = records_hash(&whole);
        wm_knn_free(&whole);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            wm_knn shards[MOST_SHARDS];
            wm_knn joined;
            build_shards(shards, counts[i], &grid, parameters);
            shuffle(shards, counts[i], &rng);
            assert_int_equal(wm_knn_merge(&joined, shards, counts[i], "test", NULL), WM_OK);
            if (records_hash(&joined) != expected)
                fail_msg("seed %llu: %u shards make something else", (unsigned long long)seed,
                         counts[i]);
            wm_knn_free(&joined);
            free_shards(shards, counts[i]);
        }
        wm_grid_free(&grid);
    }
}

static void expect_refusal(const wm_knn* shards, size_t count, const char* sentence)
{
    wm_knn joined;
    wm_error error = {0};
    assert_int_equal(wm_knn_merge(&joined, shards, count, "the map", &error), WM_ERR_MISMATCH);
    assert_contains(error.message, "the map");
    assert_contains(error.message, sentence);
    assert_null(joined.records);
}

static void shards_that_are_not_complete_are_refused(void** state)
{
    (void)state;
    wm_knn shards[7];
    wm_grid grid = grid_random(1, 30, 30, 20, WM_DIAGONAL_NONE);
    build_shards(shards, 7, &grid, records_parameters(100, 1));
    expect_refusal(shards, 6, "6 of 7 shards");
    expect_refusal(shards + 1, 6, "6 of 7 shards");
    expect_refusal(shards + 3, 1, "1 of 7 shards");
    free_shards(shards, 7);
    wm_grid_free(&grid);
}

static void a_shard_that_is_there_twice_is_refused(void** state)
{
    (void)state;
    wm_knn shards[3];
    wm_grid grid = grid_random(1, 30, 30, 20, WM_DIAGONAL_NONE);
    build_shards(shards, 3, &grid, records_parameters(100, 1));
    const wm_knn twice[] = {shards[2], shards[1], shards[1]};
    const wm_knn four[] = {shards[2], shards[1], shards[0], shards[2]};
    expect_refusal(twice, 3, "shard 2/3");
    expect_refusal(four, 4, "shard 3/3");
    free_shards(shards, 3);
    wm_grid_free(&grid);
}

static void shards_of_different_databases_are_refused(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 30, 30, 20, WM_DIAGONAL_NONE);
    wm_grid other = grid_random(2, 30, 30, 20, WM_DIAGONAL_NONE);
    const wm_knn_parameters base = records_parameters(100, 1);
    wm_knn_parameters different[3] = {base, base, base};
    different[0].seed = 2;
    different[1].total = 101;
    different[2].chains = true;
    wm_knn shards[2];
    build_shards(shards, 2, &grid, base);
    for (int i = 0; i < 3; i++) {
        wm_knn strangers[2];
        build_shards(strangers, 2, &grid, different[i]);
        const wm_knn mixed[] = {shards[0], strangers[1]};
        expect_refusal(mixed, 2, "different options");
        free_shards(strangers, 2);
    }
    wm_knn thirds[3];
    build_shards(thirds, 3, &grid, base);
    const wm_knn halves_and_thirds[] = {shards[0], thirds[1]};
    expect_refusal(halves_and_thirds, 2, "different options");
    free_shards(thirds, 3);
    wm_knn elsewhere[2];
    build_shards(elsewhere, 2, &other, base);
    const wm_knn two_maps[] = {shards[0], elsewhere[1]};
    expect_refusal(two_maps, 2, "different maps");
    free_shards(elsewhere, 2);
    free_shards(shards, 2);
    wm_grid_free(&grid);
    wm_grid_free(&other);
}

// ---------------------------------------------------------------------------------------------
// Archives

// An archive as `build` would make it, with one map.
static wm_archive archive_of(const char* name, const wm_grid* grid, wm_knn_parameters parameters)
{
    wm_archive archive = {0};
    wm_build_report report;
    wm_knn knn = records_build(grid, parameters, 1);
    assert_int_equal(wm_build_store_knn(&archive, name, grid->diagonal, &knn, &report, NULL),
                     WM_OK);
    assert_true(report.content_hash == records_hash(&knn));
    assert_int_equal(report.dropped_payloads, 0);
    wm_knn_free(&knn);
    return archive;
}

static wm_archive archive_of_shard(const char* name, const wm_grid* grid, uint32_t shard,
                                   uint32_t shards)
{
    wm_knn_parameters parameters = records_parameters(90, 1);
    parameters.shard = shard;
    parameters.shards = shards;
    return archive_of(name, grid, parameters);
}

static uint64_t hash_in(const wm_archive* archive, const char* name)
{
    const wm_stored_map* map = wm_archive_find(archive, name);
    wm_knn knn;
    wm_error error = {0};
    assert_non_null(map);
    if (wm_build_load_knn(&knn, map, "test", &error) != WM_OK) fail_msg("%s", error.message);
    const uint64_t hash = records_hash(&knn);
    wm_knn_free(&knn);
    return hash;
}

static void free_inputs(wm_merge_input* inputs, size_t count)
{
    for (size_t i = 0; i < count; i++) wm_archive_free(&inputs[i].archive);
}

static void files_with_shards_of_several_maps_are_joined(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 30, 30, 20, WM_DIAGONAL_NONE);
    wm_grid other = grid_random(2, 25, 35, 20, WM_DIAGONAL_SQUEEZE);
    wm_merge_input inputs[] = {
        {"b2", archive_of_shard("b", &other, 2, 2)},
        {"a3", archive_of_shard("a", &grid, 3, 3)},
        {"a1", archive_of_shard("a", &grid, 1, 3)},
        {"b1", archive_of_shard("b", &other, 1, 2)},
        {"c", archive_of_shard("c", &grid, 1, 1)},
        {"a2", archive_of_shard("a", &grid, 2, 3)},
        {"c again", archive_of_shard("c", &grid, 1, 1)},
    };
    wm_archive whole_a = archive_of_shard("a", &grid, 1, 1);
    wm_archive whole_b = archive_of_shard("b", &other, 1, 1);
    wm_archive kept = archive_of("kept", &other, records_parameters(10, 3));
    const uint64_t kept_hash = hash_in(&kept, "kept");
    wm_error error = {0};
    if (wm_build_merge(&kept, inputs, 7, &error) != WM_OK) fail_msg("%s", error.message);
    assert_int_equal(kept.count, 4);
    assert_true(hash_in(&kept, "a") == hash_in(&whole_a, "a"));
    assert_true(hash_in(&kept, "b") == hash_in(&whole_b, "b"));
    assert_true(hash_in(&kept, "c") == hash_in(&whole_a, "a"));
    assert_true(hash_in(&kept, "kept") == kept_hash);
    assert_int_equal(wm_archive_find(&kept, "b")->diagonal, WM_DIAGONAL_SQUEEZE);
    free_inputs(inputs, 7);
    wm_archive_free(&whole_a);
    wm_archive_free(&whole_b);
    wm_archive_free(&kept);
    wm_grid_free(&grid);
    wm_grid_free(&other);
}

// Merges and expects a refusal that names both, and an archive that is as it was.
static void expect_archive_refusal(wm_archive* archive, wm_merge_input* inputs, size_t count,
                                   const char* first, const char* second)
{
    const size_t before = archive->count;
    wm_error error = {0};
    assert_int_equal(wm_build_merge(archive, inputs, count, &error), WM_ERR_MISMATCH);
    assert_contains(error.message, first);
    assert_contains(error.message, second);
    assert_int_equal(archive->count, before);
    free_inputs(inputs, count);
}

static void one_name_with_different_maps_is_refused(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 30, 30, 20, WM_DIAGONAL_NONE);
    wm_grid squeeze = grid_random(1, 30, 30, 20, WM_DIAGONAL_SQUEEZE);
    wm_grid other = grid_random(2, 30, 30, 20, WM_DIAGONAL_NONE);
    wm_archive empty = {0};
    wm_merge_input inputs[] = {{"first", archive_of_shard("room", &grid, 1, 1)},
                               {"second", archive_of_shard("room", &other, 1, 1)}};
    expect_archive_refusal(&empty, inputs, 2, "second", "\"room\"");
    wm_merge_input rules[] = {{"first", archive_of_shard("room", &grid, 1, 1)},
                              {"second", archive_of_shard("room", &squeeze, 1, 1)}};
    expect_archive_refusal(&empty, rules, 2, "second", "\"room\"");
    wm_merge_input shards[] = {{"first", archive_of_shard("room", &grid, 1, 2)},
                               {"second", archive_of_shard("room", &other, 2, 2)}};
    expect_archive_refusal(&empty, shards, 2, "second", "\"room\"");
    // What the output already holds counts as well.
    wm_archive output = archive_of_shard("room", &other, 1, 1);
    wm_merge_input one[] = {{"first", archive_of_shard("room", &grid, 1, 1)}};
    expect_archive_refusal(&output, one, 1, "output", "\"room\"");
    wm_archive_free(&output);
    wm_grid_free(&grid);
    wm_grid_free(&squeeze);
    wm_grid_free(&other);
}

static void files_whose_shards_do_not_fit_are_refused(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 30, 30, 20, WM_DIAGONAL_NONE);
    wm_archive empty = {0};
    wm_merge_input incomplete[] = {{"first", archive_of_shard("room", &grid, 1, 3)},
                                   {"second", archive_of_shard("room", &grid, 3, 3)}};
    expect_archive_refusal(&empty, incomplete, 2, "\"room\"", "2 of 3");
    wm_merge_input twice[] = {{"first", archive_of_shard("room", &grid, 1, 2)},
                              {"second", archive_of_shard("room", &grid, 1, 2)}};
    expect_archive_refusal(&empty, twice, 2, "\"room\"", "1/2");
    wm_merge_input whole_and_part[] = {{"first", archive_of_shard("room", &grid, 1, 1)},
                                       {"second", archive_of_shard("room", &grid, 1, 2)}};
    expect_archive_refusal(&empty, whole_and_part, 2, "\"room\"", "different");
    wm_merge_input part_and_whole[] = {{"first", archive_of_shard("room", &grid, 1, 2)},
                                       {"second", archive_of_shard("room", &grid, 1, 1)}};
    expect_archive_refusal(&empty, part_and_whole, 2, "\"room\"", "different");
    wm_merge_input two_wholes[] = {
        {"first", archive_of("room", &grid, records_parameters(90, 1))},
        {"second", archive_of("room", &grid, records_parameters(90, 2))}};
    expect_archive_refusal(&empty, two_wholes, 2, "\"room\"", "different");
    wm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_shards_in_any_order_make_the_whole),
        cmocka_unit_test(shards_that_are_not_complete_are_refused),
        cmocka_unit_test(a_shard_that_is_there_twice_is_refused),
        cmocka_unit_test(shards_of_different_databases_are_refused),
        cmocka_unit_test(files_with_shards_of_several_maps_are_joined),
        cmocka_unit_test(one_name_with_different_maps_is_refused),
        cmocka_unit_test(files_whose_shards_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests_name("knn_merge", tests, NULL, NULL);
}
