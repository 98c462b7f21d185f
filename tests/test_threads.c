// SPDX-License-Identifier: MIT
//
// One map and one database for the agents of eight threads, and builders of eight threads: made to
// be run under ThreadSanitizer, and everybody comes to what one thread alone comes to.
#include <pthread.h>
#include <stdlib.h>

#include "algorithms/algorithm.h"
#include "build.h"
#include "hash.h"
#include "walk.h"

#define THREADS 8
#define WALKS 6
#define MAX_STEPS 3000

typedef struct crowd {
    const wm_map* map;
    const wm_db* db;
    uint64_t hash; // of all walks
    wm_status status;
} crowd;

static wm_status walk_one(crowd* c, wm_agent* agent, uint64_t seed)
{
    const wm_grid* grid = &c->map->grid;
    wm_rng rng = wm_rng_start(seed, 0);
    wm_cell start;
    wm_cell goal;
    wm_point subgoal;
    if (!random_problem(grid, &rng, &start, &goal)) return WM_OK;
    wm_status status = wm_agent_begin(agent, wm_grid_point(grid, start), wm_grid_point(grid, goal));
    for (int i = 0; i < MAX_STEPS && status == WM_OK; i++) {
        status = wm_agent_step(agent);
        c->hash = wm_hash_u64(c->hash, wm_grid_cell(grid, wm_agent_position(agent)));
    }
    // The questions that any thread may ask.
    const wm_status asked =
        wm_db_subgoal(c->db, wm_grid_point(grid, start), wm_grid_point(grid, goal), &subgoal);
    if (asked == WM_OK) c->hash = wm_hash_u64(c->hash, wm_grid_cell(grid, subgoal));
    return status < 0 ? status : WM_OK;
}

static void* walk_all(void* argument)
{
    crowd* c = argument;
    wm_scratch* scratch = NULL;
    const wm_scratch_config scratch_config = wm_scratch_config_default();
    c->hash = WM_HASH_START;
    c->status = wm_scratch_create(&scratch, c->map, &scratch_config, NULL);
    for (size_t i = 0; i < 2 * wm_algorithm_count() && c->status == WM_OK; i++) {
        wm_agent* agent = NULL;
        wm_agent_config config = wm_agent_config_default();
        config.algorithm = wm_algorithm_at(i / 2)->name;
        config.scratch = i % 2 == 0 ? scratch : NULL;
        c->status = wm_agent_create(&agent, c->map, c->db, &config, NULL);
        for (uint64_t seed = 0; seed < WALKS && c->status == WM_OK; seed++)
            c->status = walk_one(c, agent, seed);
        wm_agent_destroy(agent);
    }
    wm_scratch_destroy(scratch);
    return NULL;
}

// All threads walk the same, at the same time; then the map changes, and they do again.
static void agents_of_eight_threads_share_a_map_and_a_database(void** state)
{
    (void)state;
    wm_map* map = map_random_editable(5, 40);
    wm_db* db = db_build(map, 60, true, 5);
    assert_non_null(db);
    for (int round = 0; round < 3; round++) {
        crowd alone = {.map = map, .db = db};
        crowd crowds[THREADS];
        pthread_t threads[THREADS];
        walk_all(&alone);
        assert_int_equal(alone.status, WM_OK);
        for (int i = 0; i < THREADS; i++) {
            crowds[i] = (crowd){.map = map, .db = db};
            assert_int_equal(pthread_create(&threads[i], NULL, walk_all, &crowds[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(crowds[i].status, WM_OK);
            assert_true(crowds[i].hash == alone.hash);
        }
        // The map to itself: nobody walks.
        const wm_point at = wm_grid_point(&map->grid, random_open_cell(&map->grid, &(wm_rng){0}));
        const wm_cell_edit edit = {at, false};
        assert_int_equal(wm_map_edit(map, &edit, 1, NULL), WM_OK);
    }
    wm_db_close(db);
    wm_map_unload(map);
}

// ---------------------------------------------------------------------------------------------
// Builders

static bool go_on(void* context, size_t done, size_t total)
{
    size_t* last = context; // one thread at a time, so this needs no lock
    assert_true(done >= *last && done <= total);
    *last = done;
    return true;
}

static uint64_t build_knn(const wm_grid* grid, unsigned threads, bool coverage)
{
    wm_knn knn;
    wm_buffer blob = {0};
    uint64_t hash = 0;
    size_t last = 0;
    const wm_knn_build_options options = {.parameters = {.total = 2000,
                                                         .shard = 1,
                                                         .shards = 1,
                                                         .chains = true,
                                                         .coverage = coverage},
                                          .threads = threads,
                                          .progress = go_on,
                                          .progress_context = &last};
    wm_knn_verify_result verified;
    assert_int_equal(wm_knn_build(&knn, grid, &options, "map", NULL), WM_OK);
    last = 0;
    assert_int_equal(wm_knn_verify(&verified, &knn, grid, &options, NULL), WM_OK);
    assert_int_equal(verified.broken, 0);
    assert_int_equal(wm_knn_seal(&blob, &hash, &knn), WM_OK);
    wm_buffer_free(&blob);
    wm_knn_free(&knn);
    return hash;
}

static uint64_t build_d_lrta(const wm_grid* grid, unsigned threads)
{
    wm_d_lrta d;
    wm_buffer blob = {0};
    uint64_t hash = 0;
    const wm_d_lrta_options options = {.level = 3, .threads = threads};
    assert_int_equal(wm_d_lrta_build(&d, grid, &options, "map", NULL), WM_OK);
    assert_int_equal(wm_d_lrta_seal(&blob, &hash, &d), WM_OK);
    wm_buffer_free(&blob);
    wm_d_lrta_free(&d);
    return hash;
}

static uint64_t choose(const wm_grid* grid, unsigned threads)
{
    const wm_select_options options = {
        .algorithms = 12, .problems = 10, .budget = 250, .seed = 1, .threads = threads};
    wm_candidates candidates;
    wm_arena arena;
    wm_choice choice;
    wm_buffer blob = {0};
    uint64_t hash = 0;
    assert_int_equal(wm_candidates_sample(&candidates, &options, NULL), WM_OK);
    uint32_t* means = calloc(candidates.count, sizeof *means);
    assert_int_equal(wm_arena_open(&arena, grid, "map", NULL, "map", NULL), WM_OK);
    assert_int_equal(wm_select(&choice, means, &arena, &candidates, &options, NULL), WM_OK);
    assert_int_equal(wm_choice_seal(&blob, &hash, &choice), WM_OK);
    wm_buffer_free(&blob);
    wm_arena_close(&arena);
    wm_candidates_free(&candidates);
    free(means);
    return hash;
}

static void builders_of_eight_threads_make_what_one_makes(void** state)
{
    (void)state;
    wm_grid grid = grid_random(3, 40, 36, 25, WM_DIAGONAL_NONE);
    for (int coverage = 0; coverage < 2; coverage++)
        assert_true(build_knn(&grid, THREADS, coverage) == build_knn(&grid, 1, coverage));
    assert_true(build_d_lrta(&grid, THREADS) == build_d_lrta(&grid, 1));
    assert_true(choose(&grid, THREADS) == choose(&grid, 1));
    wm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_of_eight_threads_share_a_map_and_a_database),
        cmocka_unit_test(builders_of_eight_threads_make_what_one_makes),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
