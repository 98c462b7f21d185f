// SPDX-License-Identifier: MIT
//
// Verification against records that are broken by hand, one promise at a time, and against the
// tests' own judge where chance breaks them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "generate.h"
#include "records.h"
#include "rng.h"
#include "support.h"

static wm_knn_verify_result verify(const wm_knn* knn, const wm_grid* grid, unsigned threads)
{
    const wm_knn_build_options options = {.parameters = knn->parameters, .threads = threads};
    wm_knn_verify_result result;
    wm_error error = {0};
    if (wm_knn_verify(&result, knn, grid, &options, &error) != WM_OK) fail_msg("%s", error.message);
    assert_int_equal(result.records, knn->count);
    return result;
}

static void whatever_the_builder_makes_passes(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const wm_diagonal rule = (wm_diagonal)(seed % 2);
        wm_grid grid =
            seed % 4 < 2 ? grid_random(seed, 45, 38, (unsigned)seed, rule)
                         : grid_generated((int)(seed / 4 % WM_GENERATE_KINDS), seed, 70, 61, rule);
        for (int chains = 0; chains < 2; chains++) {
            wm_knn_parameters parameters = records_parameters(300, seed);
            parameters.chains = chains == 1;
            parameters.shards = 1 + (uint32_t)(seed % 3);
            parameters.shard = 1 + (uint32_t)(seed % parameters.shards);
            wm_knn knn = records_build(&grid, parameters, 2);
            const wm_knn_verify_result result = verify(&knn, &grid, 2);
            if (result.broken != 0)
                fail_msg("seed %llu: %s", (unsigned long long)seed, result.first);
            wm_knn_free(&knn);
        }
        wm_grid_free(&grid);
    }
}

// ---------------------------------------------------------------------------------------------
// Broken by chance

static wm_cell random_open_cell(const wm_grid* grid, wm_rng* rng, wm_cell like)
{
    wm_cell cell;
    do cell = (wm_cell)wm_rng_below(rng, grid->cell_count);
    while (!wm_grid_connected(grid, cell, like));
    return cell;
}

// Puts other subgoals into some records, near the old ones more often than not.
static void break_subgoals(wm_knn* knn, const wm_grid* grid, wm_rng* rng)
{
    for (uint32_t i = 0; i < knn->count; i++) {
        const wm_knn_record* record = &knn->records[i];
        // The last subgoal of a chain is its goal, whatever else happens to it.
        const uint32_t open = record->subgoal_count - knn->parameters.chains;
        if (open == 0 || wm_rng_below(rng, 3) == 0) continue;
        wm_cell* subgoal = &knn->subgoals[record->first_subgoal + wm_rng_below(rng, open)];
        wm_cell other = random_open_cell(grid, rng, *subgoal);
        for (int tries = 0; tries < 50 && wm_grid_direction_between(grid, *subgoal, other) < 0;
             tries++)
            other = random_open_cell(grid, rng, *subgoal);
        if (wm_rng_below(rng, 3) == 0) other = record->goal;
        if (!knn->parameters.chains || other != record->goal) *subgoal = other;
    }
}

static void verification_agrees_with_an_independent_judge(void** state)
{
    (void)state;
    uint32_t broken = 0;
    uint32_t whole = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        wm_rng rng = wm_rng_start(seed, 4);
        wm_grid grid = grid_random(seed, 5 + (int32_t)wm_rng_below(&rng, 12),
                                   5 + (int32_t)wm_rng_below(&rng, 12),
                                   10 + (unsigned)wm_rng_below(&rng, 35), (wm_diagonal)(seed % 2));
        wm_knn_parameters parameters = records_parameters(80, seed);
        parameters.chains = seed / 2 % 2 == 1;
        const wm_knn_build_options options = {.parameters = parameters, .threads = 1};
        record_judge judge = record_judge_create(&grid);
        wm_knn knn;
        if (wm_knn_build(&knn, &grid, &options, "test", NULL) == WM_OK) {
            uint32_t expected = 0;
            uint32_t first = 0;
            break_subgoals(&knn, &grid, &rng);
            for (uint32_t i = 0; i < knn.count; i++) {
                if (record_complaint(&judge, &knn, &knn.records[i]) == NULL) continue;
                if (expected++ == 0) first = i;
            }
            const wm_knn_verify_result result = verify(&knn, &grid, 1);
            char begin[32];
            snprintf(begin, sizeof begin, "record %u, ", first);
            if (result.broken != expected ||
                (expected > 0 && strncmp(result.first, begin, strlen(begin)) != 0))
                fail_msg("seed %llu, chains %d: %u broken records, not %u; the judge has %s%s",
                         (unsigned long long)seed, parameters.chains, result.broken, expected,
                         begin, result.first);
            broken += expected;
            whole += knn.count - expected;
            wm_knn_free(&knn);
        }
        record_judge_free(&judge);
        wm_grid_free(&grid);
    }
    // Enough of both, or the comparison says nothing.
    assert_true(broken > 2000 && whole > 2000);
}

// ---------------------------------------------------------------------------------------------
// Broken by hand

// One optimal path leads from (4,2) to (0,1): (3,2) (2,2) (2,1) (2,0) (1,0) (0,0). Climbing from
// the start fails at (2,0), reaches (1,0) and (0,0) again, and fails at the goal.
#define HOOK                                                                                       \
    "...#.\n"                                                                                      \
    ".#.#.\n"                                                                                      \
    "#....\n"

enum { HOOK_START = 14, HOOK_GOAL = 5, HOOK_SUBGOAL = 7 };

static uint32_t find_record(const wm_knn* knn, wm_cell start, wm_cell goal)
{
    for (uint32_t i = 0; i < knn->count; i++)
        if (knn->records[i].start == start && knn->records[i].goal == goal) return i;
    fail_msg("no record from %u to %u", start, goal);
    return 0;
}

static void expect_complaint(const wm_knn* knn, const wm_grid* grid, const char* complaint)
{
    const wm_knn_verify_result result = verify(knn, grid, 1);
    assert_int_equal(result.broken, 1);
    assert_contains(result.first, complaint);
}

static void every_kind_of_broken_promise_is_noticed(void** state)
{
    (void)state;
    static const struct {
        wm_cell subgoal;
        const char* complaint;
    } cases[] = {
        {HOOK_START, "not on an optimal path"}, // no step is made
        {4, "reached by climbing too"},         // away from the goal
        {13, "reached by climbing too"},        // one step, but three were climbed
        {12, "reached by climbing too"},
        {2, "not reached by climbing"},
        {HOOK_GOAL, "not reached by climbing"},
        {0, "before a subgoal"}, // climbed to, but (2,0) on the way to it is not
        {1, "reached by climbing too"},
    };
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, HOOK);
    wm_knn knn = records_build(&grid, records_parameters(300, 1), 1);
    assert_int_equal(verify(&knn, &grid, 1).broken, 0);
    const uint32_t at = find_record(&knn, HOOK_START, HOOK_GOAL);
    assert_int_equal(knn.subgoals[at], HOOK_SUBGOAL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        knn.subgoals[at] = cases[i].subgoal;
        const wm_knn_verify_result result = verify(&knn, &grid, 1);
        if (result.broken != 1 || strstr(result.first, "(4,2) to (0,1)") == NULL ||
            strstr(result.first, cases[i].complaint) == NULL)
            fail_msg("subgoal %u: %u broken, '%s'", cases[i].subgoal, result.broken, result.first);
        knn.subgoals[at] = HOOK_SUBGOAL;
    }
    wm_knn_free(&knn);
    wm_grid_free(&grid);
}

static void a_pair_that_the_seed_does_not_draw_is_noticed(void** state)
{
    (void)state;
    wm_grid grid = grid_random(4, 20, 20, 0, WM_DIAGONAL_NONE);
    wm_knn knn = records_build(&grid, records_parameters(50, 1), 1);
    // The last one, so that the order stays; the whole path can be climbed, as any can here.
    wm_knn_record* last = &knn.records[49];
    assert_int_not_equal(last->goal, 399 - 3 * 20);
    last->start = 399;
    last->goal = 399 - 3 * 20;
    knn.subgoals[49] = last->goal;
    expect_complaint(&knn, &grid, "not what the seed draws");
    // Neighbours are never drawn.
    last->goal = 398;
    knn.subgoals[49] = last->goal;
    expect_complaint(&knn, &grid, "not apart");
    last->goal = last->start;
    knn.subgoals[49] = last->goal;
    expect_complaint(&knn, &grid, "not apart");
    wm_knn_free(&knn);
    // Another seed draws nothing of it.
    knn = records_build(&grid, records_parameters(50, 1), 1);
    knn.parameters.seed = 2;
    assert_true(verify(&knn, &grid, 1).broken > 45);
    wm_knn_free(&knn);
    wm_grid_free(&grid);
}

static void a_record_in_place_of_another_drawn_one_is_noticed(void** state)
{
    (void)state;
    wm_grid grid = grid_random(4, 20, 20, 0, WM_DIAGONAL_NONE);
    wm_knn knn = records_build(&grid, records_parameters(50, 1), 1);
    knn.records[20].start = knn.records[21].start;
    knn.records[20].goal = knn.records[21].goal;
    knn.subgoals[20] = knn.subgoals[21];
    assert_true(verify(&knn, &grid, 1).broken > 0);
    wm_knn_free(&knn);
    wm_grid_free(&grid);
}

// Makes the chain of one record shorter by its last subgoal.
static void a_chain_that_ends_before_the_goal_is_noticed(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, HOOK);
    wm_knn_parameters parameters = records_parameters(300, 1);
    parameters.chains = true;
    wm_knn knn = records_build(&grid, parameters, 1);
    assert_int_equal(verify(&knn, &grid, 1).broken, 0);
    wm_knn_record* record = &knn.records[find_record(&knn, HOOK_START, HOOK_GOAL)];
    assert_int_equal(record->subgoal_count, 3);
    record->subgoal_count--;
    assert_int_equal(verify(&knn, &grid, 1).broken, 1);
    record->subgoal_count--;
    assert_int_equal(verify(&knn, &grid, 1).broken, 1);
    wm_knn_free(&knn);
    wm_grid_free(&grid);
}

static void what_is_found_does_not_depend_on_the_threads(void** state)
{
    (void)state;
    wm_grid grid = grid_random(8, 40, 40, 25, WM_DIAGONAL_NONE);
    wm_knn knn = records_build(&grid, records_parameters(500, 1), 1);
    wm_rng rng = wm_rng_start(8, 4);
    break_subgoals(&knn, &grid, &rng);
    const wm_knn_verify_result expected = verify(&knn, &grid, 1);
    assert_true(expected.broken > 10);
    for (unsigned threads = 2; threads <= 8; threads *= 2) {
        const wm_knn_verify_result result = verify(&knn, &grid, threads);
        assert_int_equal(result.broken, expected.broken);
        assert_string_equal(result.first, expected.first);
    }
    wm_knn_free(&knn);
    wm_grid_free(&grid);
}

static bool stop(void* context, size_t done, size_t total)
{
    (void)context;
    return done < total / 2;
}

static void verification_can_be_interrupted(void** state)
{
    (void)state;
    wm_grid grid = grid_random(8, 40, 40, 25, WM_DIAGONAL_NONE);
    wm_knn knn = records_build(&grid, records_parameters(500, 1), 1);
    const wm_knn_build_options options = {
        .parameters = knn.parameters, .threads = 2, .progress = stop};
    wm_knn_verify_result result;
    wm_error error = {0};
    assert_int_equal(wm_knn_verify(&result, &knn, &grid, &options, &error), WM_ERR_INTERRUPTED);
    assert_contains(error.message, "interrupted");
    wm_knn_free(&knn);
    wm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_the_builder_makes_passes),
        cmocka_unit_test(verification_agrees_with_an_independent_judge),
        cmocka_unit_test(every_kind_of_broken_promise_is_noticed),
        cmocka_unit_test(a_pair_that_the_seed_does_not_draw_is_noticed),
        cmocka_unit_test(a_record_in_place_of_another_drawn_one_is_noticed),
        cmocka_unit_test(a_chain_that_ends_before_the_goal_is_noticed),
        cmocka_unit_test(what_is_found_does_not_depend_on_the_threads),
        cmocka_unit_test(verification_can_be_interrupted),
    };
    return cmocka_run_group_tests_name("knn_verify", tests, NULL, NULL);
}
