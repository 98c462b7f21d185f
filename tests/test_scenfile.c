// SPDX-License-Identifier: MIT
#include "scenfile.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distance.h"
#include "mapfile.h"
#include "rng.h"
#include "support.h"

#define ROWS "....\n.##.\n....\n"
#define PROBLEMS_A_FILE 40

// Loads `text` as problems for the map above.
static wm_status load_text(wm_problems* problems, const char* text, size_t size, wm_error* error)
{
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "x.scen");
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, ROWS);
    file_put(&path, text, size);
    const wm_status status = wm_scenfile_load(problems, &grid, path.text, error);
    wm_grid_free(&grid);
    scratch_remove(&folder);
    return status;
}

static void every_way_to_write_the_same_problems_is_read(void** state)
{
    (void)state;
    static const char* const texts[] = {
        "version 1\n0\tm.map\t4\t3\t0\t0\t3\t2\t5.00\n1\tm.map\t4\t3\t1\t2\t2\t2\t1\n",
        "version 1.0\n0 m.map 4 3 0 0 3 2 5\n1 m.map 4 3 1 2 2 2 1.0",
        "version 1\r\n0\tm\t4\t3\t0\t0\t3\t2\t5\r\n1\tm\t4\t3\t1\t2\t2\t2\t1\r\n",
        "version 1\n\n0\tC:\\my maps\\m\t4\t3\t0\t0\t3\t2\t5\n\n \n1\tm\t4\t3\t1\t2\t2\t2\t1\n\n",
        "version 1.0 \n  0  m.map   4 3 0 0 3 2 5 \n1 m.map 4 3 1 2 2 2 1\n",
        "version 1\n0 m.map 4 3 0 0 3 2 5\n1\tm.map\t4\t3\t1\t2\t2\t2\t1e0\t\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        wm_problems problems;
        wm_error error = {""};
        if (load_text(&problems, texts[i], strlen(texts[i]), &error) != WM_OK)
            fail_msg("text %zu: %s", i, error.message);
        assert_int_equal(problems.count, 2);
        assert_int_equal(problems.list[0].start, 0);
        assert_int_equal(problems.list[0].goal, 11);
        assert_true(problems.list[0].optimal == 5);
        assert_int_equal(problems.list[1].start, 9);
        assert_int_equal(problems.list[1].goal, 10);
        assert_true(problems.list[1].optimal == 1);
        wm_problems_free(&problems);
    }
}

static void problems_without_an_answer_are_left_out_on_demand(void** state)
{
    (void)state;
    static const char text[] = "version 1\n"
                               "0\tm\t4\t3\t0\t0\t3\t2\t5\n"  // sound
                               "0\tm\t4\t3\t1\t1\t3\t2\t5\n"  // starts in a wall
                               "0\tm\t4\t3\t0\t0\t2\t1\t5\n"  // ends in a wall
                               "0\tm\t4\t3\t3\t2\t3\t2\t0\n"; // has nowhere to go
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "x.scen");
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, ROWS);
    wm_problems problems;
    file_put(&path, text, sizeof text - 1);
    assert_int_equal(wm_scenfile_load(&problems, &grid, path.text, NULL), WM_ERR_FORMAT);
    assert_int_equal(wm_scenfile_load_solvable(&problems, &grid, path.text, NULL), WM_OK);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.list[0].goal, 11);
    wm_problems_free(&problems);
    wm_grid_free(&grid);
    scratch_remove(&folder);
}

static void what_is_wrong_is_said_with_its_line(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        const char* sentence;
    } cases[] = {
        {"", "x.scen: the file is empty"},
        {"\n\n", "x.scen: the file is empty"},
        {"version 1\n", "x.scen:1: the file ends without a problem"},
        {"version 2\n0\tm\t4\t3\t0\t0\t3\t2\t5\n", "x.scen:1: the version is '2'"},
        {"0\tm\t4\t3\t0\t0\t3\t2\t5\n", "x.scen:1: '0?m?4?3?0?0?3?2?5' stands where"},
        {"version 1\n0\tm\t4\t3\t0\t0\t3\t2\n", "x.scen:2: the line has 8 columns"},
        {"version 1\n0\tm\t4\t3\t0\t0\t3\t2\t5\t6\n", "x.scen:2: the line has 10 columns"},
        {"version 1\n0 m 4 3 0 0 3 2\n", "x.scen:2: the line has 8 columns"},
        {"version 1\n\n0\tm\t4\t3\t0\t0\t4\t2\t5\n",
         "x.scen:3: the goal 4,2 is outside the map of 4 x 3 cells"},
        {"version 1\n0\tm\t4\t3\t0\t3\t3\t2\t5\n", "x.scen:2: the start 0,3 is outside"},
        {"version 1\n0\tm\t4\t3\t1\t1\t3\t2\t5\n", "x.scen:2: the start 1,1 is blocked"},
        {"version 1\n0\tm\t4\t3\t0\t0\t2\t1\t5\n", "x.scen:2: the goal 2,1 is blocked"},
        {"version 1\n0\tm\t5\t3\t0\t0\t3\t2\t5\n", "x.scen:2: the problem is for a map of 5 x 3"},
        {"version 1\n0\tm\t4\t4\t0\t0\t3\t2\t5\n", "this one has 4 x 3"},
        {"version 1\nx\tm\t4\t3\t0\t0\t3\t2\t5\n", "x.scen:2: the bucket is 'x'"},
        {"version 1\n0\tm\t4\t3\t-1\t0\t3\t2\t5\n", "x.scen:2: the start x is '-1'"},
        {"version 1\n0\tm\t4\t3\t0\t4294967296\t3\t2\t5\n", "the start y is '4294967296'"},
        {"version 1\n0\tm\t4\t3\t0\t0\t1.5\t2\t5\n", "the goal x is '1.5'"},
        {"version 1\n0\tm\t4\t3\t0\t0\t3\t\t5\n", "the goal y is ''"},
        {"version 1\n0\tm\t4\t3\t0\t0\t3\t2\tfive\n", "x.scen:2: the optimal cost is 'five'"},
        {"version 1\n0\tm\t4\t3\t0\t0\t3\t2\t-5\n", "the optimal cost is '-5'"},
        {"version 1\n0\tm\t4\t3\t0\t0\t3\t2\tnan\n", "the optimal cost is 'nan'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wm_problems problems;
        wm_error error = {""};
        assert_int_equal(load_text(&problems, cases[i].text, strlen(cases[i].text), &error),
                         WM_ERR_FORMAT);
        assert_contains(error.message, cases[i].sentence);
        assert_null(problems.list);
    }
}

static void damaged_files_are_refused_or_hold_sound_problems(void** state)
{
    (void)state;
    static const char good[] = "version 1\n0\tm\t4\t3\t0\t0\t3\t2\t5.5\n1 m 4 3 1 2 2 2 1\n";
    static const char bytes[] = "\n\r\t .-0123456789e\xFF\0x";
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "x.scen");
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, ROWS);
    for (uint64_t seed = 1; seed <= test_cases(5000); seed++) {
        char text[sizeof good];
        wm_rng rng = wm_rng_start(seed, 0);
        size_t size = sizeof good - 1;
        memcpy(text, good, sizeof good);
        for (int i = 0; i < 2; i++)
            text[wm_rng_below(&rng, size)] = bytes[wm_rng_below(&rng, sizeof bytes - 1)];
        if (seed % 4 == 0) size = (size_t)wm_rng_below(&rng, size + 1);
        file_put(&path, text, size);
        wm_problems problems;
        const wm_status status = wm_scenfile_load(&problems, &grid, path.text, NULL);
        bool sound = status == WM_OK || status == WM_ERR_FORMAT;
        for (size_t i = 0; i < problems.count; i++)
            sound &= problems.list[i].start < 12 && problems.list[i].goal < 12;
        wm_problems_free(&problems);
        if (!sound) fail_msg("seed %llu", (unsigned long long)seed);
    }
    wm_grid_free(&grid);
    scratch_remove(&folder);
}

static void saved_problems_are_loaded_again(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "x.scen");
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, ROWS);
    wm_problems problems = {0};
    wm_problems again;
    assert_true(wm_problems_add(&problems, (wm_problem){0, 11, 5}));
    assert_true(wm_problems_add(&problems, (wm_problem){9, 10, 1.41421356}));
    assert_true(wm_problems_add(&problems, (wm_problem){3, 3, 0}));
    assert_true(wm_problems_add(&problems, (wm_problem){3, 4, 15.999999999}));
    assert_int_equal(wm_scenfile_save(path.text, &problems, &grid, "my\tmap 1.map", NULL), WM_OK);
    char* text = file_get(&path, NULL);
    assert_string_equal(text, "version 1\n"
                              "1\tmy_map 1.map\t4\t3\t0\t0\t3\t2\t5.00000000\n"
                              "0\tmy_map 1.map\t4\t3\t1\t2\t2\t2\t1.41421356\n"
                              "0\tmy_map 1.map\t4\t3\t3\t0\t3\t0\t0.00000000\n"
                              "3\tmy_map 1.map\t4\t3\t3\t0\t0\t1\t16.00000000\n");
    free(text);
    assert_int_equal(wm_scenfile_load(&again, &grid, path.text, NULL), WM_OK);
    assert_int_equal(again.count, problems.count);
    for (size_t i = 0; i < again.count; i++) {
        assert_int_equal(again.list[i].start, problems.list[i].start);
        assert_int_equal(again.list[i].goal, problems.list[i].goal);
        assert_true(again.list[i].optimal - problems.list[i].optimal < 1e-8);
        assert_true(problems.list[i].optimal - again.list[i].optimal < 1e-8);
    }
    wm_problems_free(&again);
    wm_problems_free(&problems);
    wm_grid_free(&grid);
    scratch_remove(&folder);
}

// Checks problems spread over the whole file: its costs are printed with six digits, or with two
// decimals.
static void check_costs(const char* map_path)
{
    char scen_path[1200];
    wm_grid grid;
    wm_problems problems;
    wm_distances distances;
    wm_error error = {""};
    snprintf(scen_path, sizeof scen_path, "%s.scen", map_path);
    if (wm_mapfile_load(&grid, map_path, WM_DIAGONAL_NONE, NULL, &error) != WM_OK ||
        wm_scenfile_load(&problems, &grid, scen_path, &error) != WM_OK ||
        wm_distances_create(&distances, &grid, &error) != WM_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < PROBLEMS_A_FILE; i++) {
        const wm_problem* problem =
            &problems.list[i * (problems.count - 1) / (PROBLEMS_A_FILE - 1)];
        assert_int_equal(wm_distances_from(&distances, problem->start, WM_COST_INFINITE), WM_OK);
        const double cost = wm_cost_to_double(distances.cost[problem->goal]);
        const double difference =
            cost > problem->optimal ? cost - problem->optimal : problem->optimal - cost;
        if (difference > 1e-2 && difference > 1e-5 * problem->optimal)
            fail_msg("%s: %f instead of %f", scen_path, cost, problem->optimal);
    }
    wm_distances_free(&distances);
    wm_problems_free(&problems);
    wm_grid_free(&grid);
}

static size_t check_set(const char* folder)
{
    size_t count = 0;
    DIR* entries = opendir(folder);
    if (entries == NULL) return 0;
    for (struct dirent* entry; (entry = readdir(entries)) != NULL;) {
        char path[1000];
        char* suffix = strstr(entry->d_name, ".map.scen");
        if (suffix == NULL) continue;
        suffix[4] = '\0';
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_costs(path);
        count++;
    }
    closedir(entries);
    return count;
}

static void optimal_costs_of_the_public_problems_are_ours(void** state)
{
    (void)state;
    static const char* const sets[] = {"bg512", "dao", "sc1", "rooms", "random", "mazes"};
    const char* folder = benchmarks_folder();
    size_t count = 0;
    if (folder == NULL) {
        print_message("no public maps: set WAYMARK_BENCHMARKS to their folder\n");
        skip();
    }
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char set[700];
        snprintf(set, sizeof set, "%s/%s", folder, sets[i]);
        count += check_set(set);
    }
    print_message("%zu public scenario files checked\n", count);
    assert_true(count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_write_the_same_problems_is_read),
        cmocka_unit_test(problems_without_an_answer_are_left_out_on_demand),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(damaged_files_are_refused_or_hold_sound_problems),
        cmocka_unit_test(saved_problems_are_loaded_again),
        cmocka_unit_test(optimal_costs_of_the_public_problems_are_ours),
    };
    return cmocka_run_group_tests_name("scenfile", tests, NULL, NULL);
}
