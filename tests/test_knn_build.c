// SPDX-License-Identifier: MIT
//
// What the builder stores, against the definition as the tests have written it down again.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "records.h"
#include "rng.h"
#include "support.h"

// ---------------------------------------------------------------------------------------------
// The definition

static void check_records(const wm_grid* grid, uint32_t count, uint64_t seed, bool chains,
                          const char* map)
{
    wm_knn_parameters parameters = records_parameters(count, seed);
    parameters.chains = chains;
    wm_knn knn = records_build(grid, parameters, 1);
    record_judge judge = record_judge_create(grid);
    assert_int_equal(knn.count, count);
    assert_true(knn.map_hash == grid->hash);
    for (uint32_t i = 0; i < knn.count; i++) {
        const wm_knn_record* record = &knn.records[i];
        const char* complaint = record_complaint(&judge, &knn, record);
        if (complaint != NULL)
            fail_msg("%s, diagonal %s, seed %llu, chains %d, record %u (%u to %u, subgoal %u): %s",
                     map, wm_diagonal_name(grid->diagonal), (unsigned long long)seed, chains, i,
                     record->start, record->goal, knn.subgoals[record->first_subgoal], complaint);
    }
    record_judge_free(&judge);
    wm_knn_free(&knn);
}

// Maps without two connected cells that are apart have nothing to check.
static bool has_records(const wm_grid* grid)
{
    const wm_knn_build_options options = {.parameters = records_parameters(1, 1), .threads = 1};
    wm_knn knn;
    if (wm_knn_build(&knn, grid, &options, "test", NULL) != WM_OK) return false;
    wm_knn_free(&knn);
    return true;
}

static void records_on_random_maps_satisfy_their_definition(void** state)
{
    (void)state;
    size_t checked = 0;
    for (uint64_t seed = 1; seed <= test_cases(240); seed++) {
        wm_rng rng = wm_rng_start(seed, 1);
        wm_grid grid = grid_random(seed, 2 + (int32_t)wm_rng_below(&rng, 23),
                                   2 + (int32_t)wm_rng_below(&rng, 23),
                                   (unsigned)wm_rng_below(&rng, 50), (wm_diagonal)(seed % 2));
        if (has_records(&grid)) {
            check_records(&grid, 60, seed, seed / 2 % 2 == 0, "random");
            checked++;
        }
        wm_grid_free(&grid);
    }
    assert_true(checked > test_cases(200));
}

static void records_on_generated_maps_satisfy_their_definition(void** state)
{
    (void)state;
    for (int kind = 0; kind < WM_GENERATE_KINDS; kind++) {
        for (int variant = 0; variant < 8; variant++) {
            wm_grid grid = grid_generated(kind, (uint64_t)variant, 40 + variant, 47 - variant,
                                          (wm_diagonal)(variant % 2));
            check_records(&grid, 150, (uint64_t)variant, variant / 2 % 2 == 0,
                          wm_generate_kind_name(kind));
            wm_grid_free(&grid);
        }
    }
}

static void records_in_corridors_one_cell_wide_satisfy_their_definition(void** state)
{
    (void)state;
    static const char* const maps[] = {
        "............................\n",
        ".\n.\n.\n.\n.\n.\n.\n",
        "...\n",
        ".....\n####.\n.....\n.####\n.....\n",
        ".#.\n#.#\n.#.\n",
        ("..........\n.########.\n.#......#.\n.#.####.#.\n.#.#..#.#.\n.#.##.#.#.\n.#....#.#.\n"
         ".######.#.\n........#.\n"),
    };
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        for (int rule = 0; rule < 2; rule++) {
            wm_grid grid = grid_from_text((wm_diagonal)rule, maps[i]);
            if (has_records(&grid)) {
                check_records(&grid, 100, i, false, maps[i]);
                check_records(&grid, 100, i, true, maps[i]);
            }
            wm_grid_free(&grid);
        }
    }
}

// One optimal path leads from (4,2) to (0,1). Climbing fails at (2,0), reaches (1,0) and (0,0) again
// and fails at the goal; what counts is the last state before the first failure.
static void a_subgoal_is_the_last_state_before_the_first_failure(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, "...#.\n"
                                                    ".#.#.\n"
                                                    "#....\n");
    wm_knn knn = records_build(&grid, records_parameters(2000, 1), 1);
    bool found = false;
    for (uint32_t i = 0; i < knn.count; i++) {
        const wm_knn_record* record = &knn.records[i];
        if (record->start != 14 || record->goal != 5) continue;
        assert_int_equal(knn.subgoals[record->first_subgoal], 7);
        found = true;
    }
    assert_true(found);
    wm_knn_free(&knn);
    wm_grid_free(&grid);
}

static void a_path_that_is_climbed_whole_stores_its_goal(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 20, 20, 0, WM_DIAGONAL_NONE);
    for (int chains = 0; chains < 2; chains++) {
        wm_knn_parameters parameters = records_parameters(500, 1);
        parameters.chains = chains == 1;
        wm_knn knn = records_build(&grid, parameters, 1);
        assert_int_equal(knn.subgoal_count, 500);
        for (uint32_t i = 0; i < knn.count; i++)
            assert_int_equal(knn.subgoals[i], knn.records[i].goal);
        wm_knn_free(&knn);
    }
    wm_grid_free(&grid);
}

// The first subgoals of a database with chains are those of one without.
static void chains_begin_with_the_first_subgoal(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        wm_grid grid = grid_random(seed, 40, 40, 30, (wm_diagonal)(seed % 2));
        wm_knn_parameters parameters = records_parameters(400, seed);
        wm_knn plain = records_build(&grid, parameters, 1);
        parameters.chains = true;
        wm_knn chains = records_build(&grid, parameters, 1);
        assert_true(chains.subgoal_count > plain.subgoal_count);
        for (uint32_t i = 0; i < plain.count; i++) {
            const wm_knn_record* a = &plain.records[i];
            const wm_knn_record* b = &chains.records[i];
            if (a->start != b->start || a->goal != b->goal ||
                plain.subgoals[a->first_subgoal] != chains.subgoals[b->first_subgoal])
                fail_msg("seed %llu, record %u", (unsigned long long)seed, i);
        }
        wm_knn_free(&plain);
        wm_knn_free(&chains);
        wm_grid_free(&grid);
    }
}

// ---------------------------------------------------------------------------------------------
// Which pairs are drawn

#define TWO_ISLANDS                                                                                \
    "......#...\n"                                                                                 \
    "......#...\n"                                                                                 \
    "......#...\n"                                                                                 \
    "......#...\n"

static void draws_cover_more_than_the_largest_component(void** state)
{
    (void)state;
    const uint32_t total = 20000;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, TWO_ISLANDS);
    wm_knn knn = records_build(&grid, records_parameters(total, 5), 2);
    uint32_t right = 0;
    uint32_t* starts = calloc(grid.cell_count, sizeof *starts);
    uint32_t* goals = calloc(grid.cell_count, sizeof *goals);
    for (uint32_t i = 0; i < total; i++) {
        right += knn.records[i].start % 10 > 6;
        starts[knn.records[i].start]++;
        goals[knn.records[i].goal]++;
    }
    // Of 24 x 23 and 12 x 11 ordered pairs 136 and 58 are neighbours; all others are alike.
    const double share = (double)right / total;
    const double expected = (132.0 - 58) / (552.0 - 136 + 132 - 58);
    assert_true(share > expected - 0.01 && share < expected + 0.01);
    for (wm_cell cell = 0; cell < grid.cell_count; cell++) {
        assert_int_equal(starts[cell] > 0, wm_grid_is_open(&grid, cell));
        assert_int_equal(goals[cell] > 0, wm_grid_is_open(&grid, cell));
    }
    free(starts);
    free(goals);
    wm_knn_free(&knn);
    wm_grid_free(&grid);
}

static void other_seeds_draw_other_pairs(void** state)
{
    (void)state;
    wm_grid grid = grid_random(3, 50, 50, 25, WM_DIAGONAL_NONE);
    wm_knn first = records_build(&grid, records_parameters(1000, 1), 1);
    wm_knn second = records_build(&grid, records_parameters(1000, 2), 1);
    uint32_t same = 0;
    for (uint32_t i = 0, j = 0; i < first.count && j < second.count;) {
        const wm_knn_record* a = &first.records[i];
        const wm_knn_record* b = &second.records[j];
        const uint64_t x = (uint64_t)a->start << 32 | a->goal;
        const uint64_t y = (uint64_t)b->start << 32 | b->goal;
        same += x == y;
        i += x <= y;
        j += y <= x;
    }
    assert_true(same < 10);
    wm_knn_free(&first);
    wm_knn_free(&second);
    wm_grid_free(&grid);
}

static void a_larger_database_holds_the_smaller_one(void** state)
{
    (void)state;
    wm_grid grid = grid_random(9, 40, 40, 25, WM_DIAGONAL_NONE);
    wm_knn few = records_build(&grid, records_parameters(300, 1), 1);
    wm_knn many = records_build(&grid, records_parameters(900, 1), 1);
    uint32_t j = 0;
    for (uint32_t i = 0; i < few.count; i++, j++) {
        while (j < many.count && (many.records[j].start != few.records[i].start ||
                                  many.records[j].goal != few.records[i].goal))
            j++;
        assert_true(j < many.count);
        assert_int_equal(few.subgoals[i], many.subgoals[j]);
    }
    wm_knn_free(&few);
    wm_knn_free(&many);
    wm_grid_free(&grid);
}

static void maps_with_nothing_to_store_are_told_so(void** state)
{
    (void)state;
    static const char* const maps[] = {
        ".\n",        "#\n",  "..\n",      "..\n..\n",       "###\n###\n",
        ".#.\n#.#\n", ".#\n", ".\n#\n.\n", "..#..\n..#..\n", ".##\n##.\n"};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        const wm_knn_build_options options = {.parameters = records_parameters(10, 1),
                                              .threads = 2};
        wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, maps[i]);
        wm_knn knn;
        wm_error error = {0};
        if (wm_knn_build(&knn, &grid, &options, "this.map", &error) != WM_ERR_TOO_FEW)
            fail_msg("not refused:\n%s", maps[i]);
        assert_contains(error.message, "this.map");
        wm_knn_free(&knn); // nothing is in it
        wm_grid_free(&grid);
    }
}

// ---------------------------------------------------------------------------------------------
// Threads

static void the_content_is_the_same_for_any_number_of_threads(void** state)
{
    (void)state;
    for (int kind = 0; kind < WM_GENERATE_KINDS; kind++) {
        for (int variant = 0; variant < 4; variant++) {
            static const unsigned threads[] = {1, 1, 2, 2, 8, 8, 3, 33};
            uint64_t expected = 0;
            wm_knn_parameters parameters = records_parameters(1500, (uint64_t)variant);
            parameters.chains = variant / 2 == 1;
            wm_grid grid =
                grid_generated(kind, (uint64_t)variant, 120, 90, (wm_diagonal)(variant % 2));
            for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
                wm_knn knn = records_build(&grid, parameters, threads[i]);
                const uint64_t hash = records_hash(&knn);
                if (i == 0) expected = hash;
                if (hash != expected)
                    fail_msg("%s %d: %u threads give another content", wm_generate_kind_name(kind),
                             variant, threads[i]);
                wm_knn_free(&knn);
            }
            wm_grid_free(&grid);
        }
    }
}

typedef struct interruption {
    size_t calls;
    size_t stop_at; // items done
    size_t last;
    size_t total;
} interruption;

static bool interrupt(void* context, size_t done, size_t total)
{
    interruption* progress = context;
    assert_true(done >= progress->last); // calls come one at a time and in order
    progress->calls++;
    progress->last = done;
    progress->total = total;
    return done < progress->stop_at;
}

// The size as the paper counts it, of what is read back from a file's bytes.
static void three_numbers_are_stored_for_a_record(void** state)
{
    (void)state;
    enum { RECORDS = 1000 };
    wm_grid grid = grid_random(4, 40, 40, 30, WM_DIAGONAL_NONE);
    for (int chains = 0; chains <= 1; chains++) {
        wm_knn_parameters parameters = records_parameters(RECORDS, 1);
        parameters.chains = chains == 1;
        wm_knn made = records_build(&grid, parameters, 1);
        wm_buffer payload = {0};
        size_t sections[WM_KNN_SECTIONS];
        wm_knn stored;
        assert_int_equal(wm_knn_encode(&payload, sections, &made), WM_OK);
        assert_int_equal(wm_knn_decode(&stored, payload.data, payload.size, NULL, "test", NULL),
                         WM_OK);
        uint64_t numbers = 0;
        for (uint32_t i = 0; i < stored.count; i++) numbers += 2 + stored.records[i].subgoal_count;
        assert_true(wm_knn_numbers(&stored) == numbers);
        assert_true(chains == 1 ? numbers > 3 * RECORDS : numbers == 3 * RECORDS);
        wm_knn_free(&stored);
        wm_buffer_free(&payload);
        wm_knn_free(&made);
    }
    wm_grid_free(&grid);
}

static void an_interrupted_build_stops_and_leaves_nothing(void** state)
{
    (void)state;
    wm_grid grid = grid_random(2, 100, 100, 20, WM_DIAGONAL_NONE);
    static const size_t stops[] = {0, 1, 100, 4000, 9000};
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
            interruption progress = {.stop_at = stops[i]};
            const wm_knn_build_options options = {.parameters = records_parameters(10000, 1),
                                                  .threads = threads,
                                                  .progress = interrupt,
                                                  .progress_context = &progress};
            wm_knn knn;
            wm_error error = {0};
            assert_int_equal(wm_knn_build(&knn, &grid, &options, "test", &error),
                             WM_ERR_INTERRUPTED);
            assert_contains(error.message, "interrupted");
            assert_null(knn.records);
            assert_int_equal(progress.total, 10000);
            assert_true(progress.last < stops[i] + 1000);
        }
    }
    wm_grid_free(&grid);
}

static void progress_counts_every_record(void** state)
{
    (void)state;
    wm_grid grid = grid_random(2, 60, 60, 20, WM_DIAGONAL_NONE);
    for (unsigned threads = 1; threads <= 4; threads++) {
        interruption progress = {.stop_at = SIZE_MAX};
        const wm_knn_build_options options = {.parameters = records_parameters(1234, 1),
                                              .threads = threads,
                                              .progress = interrupt,
                                              .progress_context = &progress};
        wm_knn knn;
        assert_int_equal(wm_knn_build(&knn, &grid, &options, "test", NULL), WM_OK);
        assert_int_equal(progress.last, 1234);
        wm_knn_free(&knn);
    }
    wm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_on_random_maps_satisfy_their_definition),
        cmocka_unit_test(records_on_generated_maps_satisfy_their_definition),
        cmocka_unit_test(records_in_corridors_one_cell_wide_satisfy_their_definition),
        cmocka_unit_test(a_subgoal_is_the_last_state_before_the_first_failure),
        cmocka_unit_test(a_path_that_is_climbed_whole_stores_its_goal),
        cmocka_unit_test(chains_begin_with_the_first_subgoal),
        cmocka_unit_test(draws_cover_more_than_the_largest_component),
        cmocka_unit_test(other_seeds_draw_other_pairs),
        cmocka_unit_test(a_larger_database_holds_the_smaller_one),
        cmocka_unit_test(maps_with_nothing_to_store_are_told_so),
        cmocka_unit_test(the_content_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(three_numbers_are_stored_for_a_record),
        cmocka_unit_test(an_interrupted_build_stops_and_leaves_nothing),
        cmocka_unit_test(progress_counts_every_record),
    };
    return cmocka_run_group_tests_name("knn_build", tests, NULL, NULL);
}
