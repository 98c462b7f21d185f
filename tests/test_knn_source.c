// SPDX-License-Identifier: MIT
//
// Pairs for coverage: every open cell climbs to the start of a record, and the same records come
// from any number of threads and shards.
#include "methods/knn_source.h"

#include <stdlib.h>

#include "climb.h"
#include "methods/knn_method.h"
#include "walk.h"

static wm_map* world(uint64_t seed)
{
    return map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 60, 50, WM_GENERATE_DEFAULT,
                         WM_GENERATE_DEFAULT, seed, (wm_diagonal)(seed / 4 % 2));
}

static wm_knn build(const wm_map* map, wm_knn_parameters parameters, unsigned threads)
{
    const wm_knn_build_options options = {.parameters = parameters, .threads = threads};
    wm_error error = {""};
    wm_knn knn;
    if (wm_knn_build(&knn, &map->grid, &options, "map", &error) != WM_OK)
        fail_msg("%s", error.message);
    return knn;
}

static void every_cell_climbs_to_the_start_of_a_record(void** state)
{
    (void)state;
    int covered = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        wm_map* map = world(seed);
        const wm_grid* grid = &map->grid;
        const wm_knn_parameters parameters = {
            .total = 30000, .shard = 1, .shards = 1, .coverage = true, .seed = seed};
        wm_knn_source source;
        assert_int_equal(wm_knn_source_create(&source, grid, &parameters, NULL), WM_OK);
        if (source.covering_count > 0 && source.covering_count <= parameters.total) {
            for (int i = 0; i < 200; i++) {
                wm_rng rng = wm_rng_start(seed, 100 + (uint64_t)i);
                const wm_cell cell = random_open_cell(grid, &rng);
                bool alone = true; // its component may be one region
                bool climbs = false;
                for (uint64_t n = 0; n < source.covering_count && !climbs; n++) {
                    wm_cell start;
                    wm_cell goal;
                    wm_knn_source_draw(&source, &parameters, n, &start, &goal);
                    assert_true(wm_grid_connected(grid, start, goal) && start != goal);
                    if (!wm_grid_connected(grid, cell, start)) continue;
                    alone = false;
                    climbs = wm_climb_run(grid, cell, start, 100).reached;
                }
                if (!alone && !climbs)
                    fail_msg("seed %llu: cell %u climbs to no start", (unsigned long long)seed,
                             cell);
            }
            covered++;
        }
        wm_knn_source_free(&source);
        wm_map_unload(map);
    }
    assert_true(covered >= 8);
}

static void records_are_verified_and_do_not_depend_on_threads_or_shards(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        wm_map* map = world(seed);
        wm_knn_parameters parameters = {.total = 3000,
                                        .shard = 1,
                                        .shards = 1,
                                        .chains = seed % 2 == 0,
                                        .coverage = true,
                                        .seed = seed};
        const wm_knn_build_options options = {.parameters = parameters, .threads = 2};
        wm_knn one = build(map, parameters, 1);
        wm_knn eight = build(map, parameters, 8);
        assert_true(wm_knn_equal(&one, &eight));
        wm_knn_verify_result result;
        assert_int_equal(wm_knn_verify(&result, &one, &map->grid, &options, NULL), WM_OK);
        assert_int_equal(result.records, 3000);
        if (result.broken != 0) fail_msg("seed %llu: %s", (unsigned long long)seed, result.first);

        wm_knn shards[3];
        parameters.shards = 3;
        for (uint32_t i = 0; i < 3; i++) {
            parameters.shard = 3 - i;
            shards[i] = build(map, parameters, 1);
        }
        wm_knn whole;
        assert_int_equal(wm_knn_merge(&whole, shards, 3, "map", NULL), WM_OK);
        assert_true(wm_knn_equal(&one, &whole));
        wm_knn_free(&whole);
        for (int i = 0; i < 3; i++) wm_knn_free(&shards[i]);

        // Told to be random, the same records are not what was drawn.
        one.parameters.coverage = false;
        assert_int_equal(wm_knn_verify(&result, &one, &map->grid, &options, NULL), WM_OK);
        assert_true(result.broken > 0);
        wm_knn_free(&one);
        wm_knn_free(&eight);
        wm_map_unload(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_climbs_to_the_start_of_a_record),
        cmocka_unit_test(records_are_verified_and_do_not_depend_on_threads_or_shards),
    };
    return cmocka_run_group_tests_name("knn_source", tests, NULL, NULL);
}
