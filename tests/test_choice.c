// SPDX-License-Identifier: MIT
//
// Choices: what is stored of one, what `auto` makes of it, and that it is the best there is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "problems.h"
#include "walk.h"

static wm_choice some_choice(uint64_t map_hash, const char* spec)
{
    wm_choice choice = {.map_hash = map_hash,
                        .tried = 75,
                        .budget = 250,
                        .problems = 100,
                        .mean = 12345,
                        .max_expansions = 249,
                        .seed = UINT64_C(0xFEDCBA9876543210)};
    snprintf(choice.spec, sizeof choice.spec, "%s", spec);
    return choice;
}

static void assert_same_choice(const wm_choice* a, const wm_choice* b)
{
    assert_string_equal(a->spec, b->spec);
    assert_true(a->map_hash == b->map_hash && a->seed == b->seed);
    assert_int_equal(a->tried, b->tried);
    assert_int_equal(a->budget, b->budget);
    assert_int_equal(a->problems, b->problems);
    assert_int_equal(a->mean, b->mean);
    assert_int_equal(a->max_expansions, b->max_expansions);
}

// ---------------------------------------------------------------------------------------------
// Payloads

// A copy of just these bytes, so that the sanitizer sees every read beyond them.
static wm_status decode(wm_choice* choice, const uint8_t* data, size_t size, wm_error* error)
{
    uint8_t* copy = malloc(size + (size == 0));
    assert_non_null(copy);
    memcpy(copy, data, size);
    const wm_status status = wm_choice_decode(choice, copy, size, "it", error);
    free(copy);
    return status;
}

static void a_payload_is_read_as_it_was_written(void** state)
{
    (void)state;
    char longest[WM_CHOICE_MAX_SPEC + 1];
    memset(longest, 'x', WM_CHOICE_MAX_SPEC);
    longest[WM_CHOICE_MAX_SPEC] = '\0';
    const char* const specs[] = {"tb-wa:k=25:w=3", "x", longest};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        const wm_choice choice = some_choice(77, specs[i]);
        wm_choice again;
        wm_buffer payload = {0};
        wm_error error = {""};
        assert_int_equal(wm_choice_encode(&payload, &choice), WM_OK);
        assert_int_equal(payload.size, 40 + strlen(specs[i]));
        assert_int_equal(decode(&again, payload.data, payload.size, &error), WM_OK);
        assert_same_choice(&choice, &again);
        wm_buffer_free(&payload);
    }
}

static void a_payload_of_another_length_is_refused(void** state)
{
    (void)state;
    const wm_choice choice = some_choice(77, "tb-wa:k=25:w=3");
    wm_choice again;
    wm_buffer payload = {0};
    assert_int_equal(wm_choice_encode(&payload, &choice), WM_OK);
    for (size_t size = 0; size < payload.size; size++) {
        wm_error error = {""};
        assert_int_equal(decode(&again, payload.data, size, &error), WM_ERR_FORMAT);
        assert_contains(error.message, "it is damaged");
    }
    wm_put_bytes(&payload, "x", 1);
    assert_int_equal(decode(&again, payload.data, payload.size, NULL), WM_ERR_FORMAT);
    wm_buffer_free(&payload);
}

static void damaged_fields_are_refused(void** state)
{
    (void)state;
    wm_choice choice = some_choice(77, "");
    const char* const specs[] = {"", "two words", "new\nline", "caf\xC3\xA9", "\x7F"};
    wm_choice again;
    for (size_t i = 0; i <= sizeof specs / sizeof specs[0] + 1; i++) {
        const bool is_spec = i < sizeof specs / sizeof specs[0];
        choice = some_choice(77, is_spec ? specs[i] : "lrta");
        if (!is_spec) choice.problems = i % 2 == 0 ? 0 : WM_CHOICE_MAX_PROBLEMS + 1;
        wm_buffer payload = {0};
        assert_int_equal(wm_choice_encode(&payload, &choice), WM_OK);
        assert_int_equal(decode(&again, payload.data, payload.size, NULL), WM_ERR_FORMAT);
        wm_buffer_free(&payload);
    }
}

static void random_bytes_are_refused_or_harmless(void** state)
{
    (void)state;
    const wm_choice choice = some_choice(77, "tb-wa:k=25:w=3");
    wm_buffer payload = {0};
    assert_int_equal(wm_choice_encode(&payload, &choice), WM_OK);
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        wm_rng rng = wm_rng_start(seed, 0);
        uint8_t bytes[80];
        size_t size = payload.size;
        memcpy(bytes, payload.data, size);
        if (seed % 2 == 0) size = wm_rng_below(&rng, sizeof bytes);
        const size_t changes = seed % 2 == 0 ? size : 1 + wm_rng_below(&rng, 4);
        for (size_t i = 0; i < changes; i++)
            bytes[seed % 2 == 0 ? i : wm_rng_below(&rng, (uint32_t)size)] =
                (uint8_t)wm_rng_below(&rng, 256);
        wm_choice again;
        if (decode(&again, bytes, size, NULL) != WM_OK) continue;
        const size_t length = strlen(again.spec);
        assert_true(length > 0 && length <= WM_CHOICE_MAX_SPEC);
        assert_true(again.problems > 0 && again.problems <= WM_CHOICE_MAX_PROBLEMS);
    }
    wm_buffer_free(&payload);
}

// ---------------------------------------------------------------------------------------------
// auto

static wm_status open_choice(wm_db** db, const wm_map* map, const wm_choice* choice,
                             wm_error* error)
{
    const wm_db_config config = wm_db_config_default();
    wm_buffer blob = {0};
    assert_int_equal(wm_choice_seal(&blob, NULL, choice), WM_OK);
    const wm_status status = wm_db_open_memory(db, map, blob.data, blob.size, &config, error);
    wm_buffer_free(&blob);
    return status;
}

static wm_map* world(void)
{
    return map_generated(WM_GENERATE_CAVES, 40, 36, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, 3,
                         WM_DIAGONAL_NONE);
}

// The database of the map with all other data, and a choice in it.
static wm_db* db_with_choice(const wm_map* map, const char* spec)
{
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "map.wmdb");
    const wm_db_config config = wm_db_config_default();
    const wm_choice choice = some_choice(map->grid.hash, spec);
    wm_db* db = NULL;
    wm_edit edit;
    wm_buffer blob = {0};
    size_t dropped;
    wm_error error = {""};
    assert_true(db_build_file(map, 50, false, 1, &path));
    assert_int_equal(wm_edit_begin(&edit, path.text, &error), WM_OK);
    assert_int_equal(wm_choice_seal(&blob, NULL, &choice), WM_OK);
    assert_int_equal(wm_build_store_blob(&edit.archive, "map", &map->grid, WM_METHOD_CHOICE, &blob,
                                         &dropped, &error),
                     WM_OK);
    assert_int_equal(dropped, 0);
    assert_int_equal(wm_edit_commit(&edit, &error), WM_OK);
    if (wm_db_open(&db, map, path.text, &config, &error) != WM_OK) fail_msg("%s", error.message);
    scratch_remove(&folder);
    return db;
}

static void expect_algorithm(const wm_map* map, const wm_db* db, const char* name)
{
    wm_agent* agent = agent_create(map, db, "auto", false);
    assert_string_equal(agent->algorithm->name, name);
    wm_agent_destroy(agent);
}

static void auto_takes_the_stored_choice(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"lrta:d=4", "lrta"},     {"prta", "prta"},      {"regions:preset=fast", "regions"},
        {"knn-lrta", "knn-lrta"}, {"da-lrta-e", "rths"}, {"d-lrta", "d-lrta"},
    };
    wm_map* map = world();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wm_db* db = db_with_choice(map, cases[i][0]);
        expect_algorithm(map, db, cases[i][1]);
        wm_db_close(db);
    }
    // With its parameters.
    wm_db* db = db_with_choice(map, "tb-wa:k=17");
    wm_agent* chosen = agent_create(map, db, "auto", false);
    wm_agent* named = agent_create(map, db, "tb-wa:k=17", false);
    assert_memory_equal(&chosen->values.at[0], &named->values.at[0], sizeof chosen->values.at[0]);
    wm_rng rng = wm_rng_start(1, 1);
    wm_cell start;
    wm_cell goal;
    assert_true(random_problem(&map->grid, &rng, &start, &goal));
    walk a = walk_take(chosen, start, goal, 10000);
    walk b = walk_take(named, start, goal, 10000);
    assert_same_walk(&a, &b, "auto", 1);
    walk_free(&a);
    walk_free(&b);
    wm_agent_destroy(chosen);
    wm_agent_destroy(named);
    wm_db_close(db);
    wm_map_unload(map);
}

static void auto_passes_over_a_choice_that_means_nothing(void** state)
{
    (void)state;
    static const char* const nonsense[] = {"auto",     "auto:k=1", "frobnicate",   "tb-wa:k=0",
                                           "tb-wa:k=", ":",        "tb-wa:k=1:k=1"};
    wm_map* map = world();
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        wm_db* db = db_with_choice(map, nonsense[i]);
        expect_algorithm(map, db, "regions");
        wm_db_close(db);
        const wm_choice choice = some_choice(map->grid.hash, nonsense[i]);
        assert_int_equal(open_choice(&db, map, &choice, NULL), WM_OK);
        expect_algorithm(map, db, "tb-wa");
        wm_db_close(db);
    }
    wm_map_unload(map);
}

static void auto_passes_over_a_choice_without_its_data(void** state)
{
    (void)state;
    static const char* const specs[] = {"regions:preset=best", "knn-lrta", "d-lrta"};
    wm_map* map = world();
    wm_db* db;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        const wm_choice choice = some_choice(map->grid.hash, specs[i]);
        assert_int_equal(open_choice(&db, map, &choice, NULL), WM_OK);
        expect_algorithm(map, db, "tb-wa");
        wm_db_close(db);
    }
    wm_map_unload(map);
}

static void auto_needs_no_database_on_unknown_terrain_or_with_another_heuristic(void** state)
{
    (void)state;
    wm_map* map = world();
    wm_db* db = db_with_choice(map, "regions:preset=fast");
    for (int i = 0; i < 2; i++) {
        wm_agent_config config = wm_agent_config_default();
        wm_agent* agent;
        wm_error error = {""};
        config.algorithm = "auto";
        if (i == 0)
            config.terrain = WM_TERRAIN_UNKNOWN;
        else
            config.heuristic = WM_HEURISTIC_MAX;
        if (wm_agent_create(&agent, map, db, &config, &error) != WM_OK)
            fail_msg("%s", error.message);
        assert_string_equal(agent->algorithm->name, "tb-wa");
        wm_agent_destroy(agent);
    }
    wm_db_close(db);
    wm_map_unload(map);
}

static void a_choice_for_another_map_is_refused(void** state)
{
    (void)state;
    wm_map* map = world();
    wm_db* db;
    wm_error error = {""};
    const wm_choice choice = some_choice(map->grid.hash ^ 1, "lrta");
    assert_int_equal(open_choice(&db, map, &choice, &error), WM_ERR_MISMATCH);
    assert_contains(error.message, "another map");
    wm_map_unload(map);
}

// ---------------------------------------------------------------------------------------------
// Choosing

static wm_select_options some_options(uint64_t seed, unsigned threads)
{
    return (wm_select_options){
        .algorithms = 12, .problems = 15, .budget = 230, .seed = seed, .threads = threads};
}

// A candidate's mean by other means: a fresh agent for every walk, distances by the whole map.
static uint32_t mean_by_hand(const wm_map* map, const wm_db* db, const char* spec,
                             const wm_select_options* options)
{
    const wm_grid* grid = &map->grid;
    const wm_problem_range range = {
        .count = options->problems, .max_cost = WM_COST_INFINITE, .seed = options->seed};
    wm_problems problems;
    wm_distances distances;
    assert_int_equal(wm_problems_draw(&problems, grid, &range, "map", NULL), WM_OK);
    assert_int_equal(wm_distances_create(&distances, grid, NULL), WM_OK);
    double sum = 0;
    bool in = true;
    for (size_t i = 0; i < problems.count && in; i++) {
        const wm_problem* p = &problems.list[i];
        wm_agent_config config = wm_agent_config_default();
        wm_agent* agent;
        config.algorithm = spec;
        in = wm_agent_create(&agent, map, db, &config, NULL) == WM_OK;
        if (!in) break;
        assert_int_equal(wm_distances_from_any(&distances, &p->goal, 1, WM_COST_INFINITE), WM_OK);
        const double optimal = wm_cost_to_double(distances.cost[p->start]);
        walk w = walk_take(agent, p->start, p->goal, 1000000);
        const wm_agent_stats stats = wm_agent_statistics(agent);
        assert_int_equal(w.status, WM_ARRIVED);
        sum += 100 * (stats.cost / optimal - 1);
        in = stats.max_expansions_per_move <= options->budget;
        walk_free(&w);
        wm_agent_destroy(agent);
    }
    wm_distances_free(&distances);
    const double mean = 1000 * sum / (double)problems.count;
    wm_problems_free(&problems);
    return in ? (uint32_t)(mean + 0.5) : WM_SELECT_OUT;
}

static void the_least_mean_wins(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        wm_map* map = map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 32, 30,
                                    WM_GENERATE_DEFAULT, 5, seed, (wm_diagonal)(seed % 2));
        wm_db* db = seed % 2 == 0 ? NULL : db_build(map, 60, false, seed);
        const wm_arena arena = {.grid = &map->grid, .name = "map", .map = map, .db = db};
        wm_select_options options = some_options(seed, 1);
        if (seed == 2) options.budget = 5;
        wm_candidates candidates;
        wm_choice choice;
        wm_error error = {""};
        assert_int_equal(wm_candidates_sample(&candidates, &options, &error), WM_OK);
        uint32_t* means = calloc(candidates.count, sizeof *means);
        if (wm_select(&choice, means, &arena, &candidates, &options, &error) != WM_OK)
            fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
        uint32_t least = WM_SELECT_OUT;
        uint32_t best = 0;
        for (uint32_t i = 0; i < candidates.count; i++) {
            const uint32_t mean = mean_by_hand(map, db, candidates.list[i].spec, &options);
            // A winner that is out on the problems to measure on would differ; here none is.
            assert_int_equal(means[i], mean);
            if (mean < least) {
                least = mean;
                best = i;
            }
        }
        assert_string_equal(choice.spec, candidates.list[best].spec);
        assert_true(choice.max_expansions <= options.budget);
        assert_int_equal(choice.tried, candidates.count);
        wm_choice again = choice;
        again.mean = 0;
        assert_int_equal(wm_choice_measure(&again, &arena, NULL, &error), WM_OK);
        assert_same_choice(&choice, &again);
        free(means);
        wm_candidates_free(&candidates);
        wm_db_close(db);
        wm_map_unload(map);
    }
}

static void the_choice_does_not_depend_on_the_threads(void** state)
{
    (void)state;
    wm_map* map = world();
    wm_db* db = db_build(map, 60, false, 1);
    const wm_arena arena = {.grid = &map->grid, .name = "map", .map = map, .db = db};
    wm_choice choices[2];
    uint32_t* means[2];
    wm_candidates candidates;
    wm_select_options options = some_options(9, 1);
    assert_int_equal(wm_candidates_sample(&candidates, &options, NULL), WM_OK);
    for (int i = 0; i < 2; i++) {
        means[i] = calloc(candidates.count, sizeof *means[i]);
        options.threads = i == 0 ? 1 : 3;
        assert_int_equal(wm_select(&choices[i], means[i], &arena, &candidates, &options, NULL),
                         WM_OK);
    }
    assert_same_choice(&choices[0], &choices[1]);
    assert_memory_equal(means[0], means[1], candidates.count * sizeof *means[0]);
    free(means[0]);
    free(means[1]);
    wm_candidates_free(&candidates);
    wm_db_close(db);
    wm_map_unload(map);
}

static void every_sampled_algorithm_exists(void** state)
{
    (void)state;
    for (uint32_t budget = 1; budget <= WM_SELECT_MAX_BUDGET; budget = budget * 7 + 3) {
        const wm_select_options options = {.algorithms = 200, .budget = budget, .seed = budget};
        wm_candidates candidates;
        assert_int_equal(wm_candidates_sample(&candidates, &options, NULL), WM_OK);
        assert_true(candidates.count > 200);
        for (uint32_t i = 0; i < candidates.count; i++) {
            const wm_algorithm* algorithm;
            wm_parameter_values values;
            wm_error error = {""};
            if (wm_algorithm_parse(candidates.list[i].spec, &algorithm, &values, &error) != WM_OK)
                fail_msg("%s", error.message);
        }
        wm_candidates_free(&candidates);
    }
}

static bool stop(void)
{
    return false;
}

static void an_interrupted_choice_says_so(void** state)
{
    (void)state;
    wm_map* map = world();
    const wm_arena arena = {.grid = &map->grid, .name = "map", .map = map};
    wm_select_options options = some_options(1, 1);
    wm_candidates candidates;
    wm_choice choice;
    uint32_t means[100];
    options.go_on = stop;
    assert_int_equal(wm_candidates_sample(&candidates, &options, NULL), WM_OK);
    assert_true(candidates.count <= 100);
    assert_int_equal(wm_select(&choice, means, &arena, &candidates, &options, NULL),
                     WM_ERR_INTERRUPTED);
    wm_candidates_free(&candidates);
    wm_map_unload(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_payload_is_read_as_it_was_written),
        cmocka_unit_test(a_payload_of_another_length_is_refused),
        cmocka_unit_test(damaged_fields_are_refused),
        cmocka_unit_test(random_bytes_are_refused_or_harmless),
        cmocka_unit_test(auto_takes_the_stored_choice),
        cmocka_unit_test(auto_passes_over_a_choice_that_means_nothing),
        cmocka_unit_test(auto_passes_over_a_choice_without_its_data),
        cmocka_unit_test(auto_needs_no_database_on_unknown_terrain_or_with_another_heuristic),
        cmocka_unit_test(a_choice_for_another_map_is_refused),
        cmocka_unit_test(the_least_mean_wins),
        cmocka_unit_test(the_choice_does_not_depend_on_the_threads),
        cmocka_unit_test(every_sampled_algorithm_exists),
        cmocka_unit_test(an_interrupted_choice_says_so),
    };
    return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
