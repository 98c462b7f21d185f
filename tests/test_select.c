// SPDX-License-Identifier: MIT
//
// Choosing algorithms from a table, against brute force on small random tables.
#include <math.h>
#include <stdlib.h>

#include "experiments/selection.h"
#include "support.h"

#define MAX_COLUMNS 12
#define MAX_ALGORITHMS 40
#define TABLES 300

typedef struct random_table {
    double picks[MAX_COLUMNS * MAX_ALGORITHMS];
    double scores[MAX_COLUMNS * MAX_ALGORITHMS];
    double weights[MAX_COLUMNS];
    wm_selection selection;
} random_table;

// Few different numbers, so that ties occur.
static void fill(random_table* t, uint64_t seed, bool scores_are_picks)
{
    wm_rng rng = wm_rng_start(seed, 0);
    const uint32_t columns = 2 + (uint32_t)wm_rng_below(&rng, MAX_COLUMNS - 1);
    const uint32_t algorithms = 1 + (uint32_t)wm_rng_below(&rng, MAX_ALGORITHMS);
    for (uint32_t i = 0; i < columns * algorithms; i++) {
        t->picks[i] = 1 + (double)wm_rng_below(&rng, 60) / 4;
        t->scores[i] = 1 + (double)wm_rng_below(&rng, 60) / 4;
    }
    for (uint32_t c = 0; c < columns; c++) t->weights[c] = 1 + (double)wm_rng_below(&rng, 9);
    t->selection = (wm_selection){.picks = t->picks,
                                  .scores = scores_are_picks ? t->picks : t->scores,
                                  .weights = t->weights,
                                  .columns = columns,
                                  .algorithms = algorithms};
}

static double pick(const wm_selection* s, uint32_t column, uint32_t algorithm)
{
    return s->picks[(size_t)column * s->algorithms + algorithm];
}

static void the_best_of_a_column_is_the_first_of_the_least(void** state)
{
    (void)state;
    static random_table t;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        fill(&t, seed, true);
        for (uint32_t c = 0; c < t.selection.columns; c++) {
            const uint32_t best = wm_selection_best(&t.selection, c);
            for (uint32_t a = 0; a < t.selection.algorithms; a++) {
                const double other = pick(&t.selection, c, a);
                const double least = pick(&t.selection, c, best);
                if (other < least || (other == least && a < best))
                    fail_msg("seed %llu, column %u: %u is not the best, %u is better",
                             (unsigned long long)seed, c, best, a);
            }
        }
    }
}

static void the_best_of_those_tried_does_not_depend_on_their_order(void** state)
{
    (void)state;
    static random_table t;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        fill(&t, seed, true);
        const uint32_t n = t.selection.algorithms;
        wm_rng rng = wm_rng_start(seed, 1);
        uint32_t up[MAX_ALGORITHMS];
        uint32_t down[MAX_ALGORITHMS];
        uint32_t count = 0;
        for (uint32_t a = 0; a < n; a++) {
            if (wm_rng_below(&rng, 2) == 0 || (count == 0 && a == n - 1)) up[count++] = a;
        }
        for (uint32_t i = 0; i < count; i++) down[i] = up[count - 1 - i];
        const uint32_t best = wm_selection_best_of(&t.selection, 0, up, count);
        assert_int_equal(wm_selection_best_of(&t.selection, 0, down, count), best);
        bool tried = false;
        for (uint32_t i = 0; i < count; i++) {
            tried |= up[i] == best;
            assert_true(pick(&t.selection, 0, best) <= pick(&t.selection, 0, up[i]));
        }
        assert_true(tried);
    }
}

static double training_mean(const wm_selection* s, const uint32_t* columns, uint32_t count,
                            uint32_t algorithm)
{
    double sum = 0;
    double weight = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += s->weights[columns[i]] * pick(s, columns[i], algorithm);
        weight += s->weights[columns[i]];
    }
    return sum / weight;
}

static void the_prior_has_the_least_weighted_mean_in_training(void** state)
{
    (void)state;
    static random_table t;
    double sums[MAX_ALGORITHMS];
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        fill(&t, seed, true);
        const uint32_t columns[] = {t.selection.columns - 1, 0};
        const uint32_t prior = wm_selection_prior(&t.selection, columns, 2, sums);
        const double best = training_mean(&t.selection, columns, 2, prior);
        for (uint32_t a = 0; a < t.selection.algorithms; a++)
            assert_true(best <= training_mean(&t.selection, columns, 2, a) + 1e-12);
    }
}

// Acceptance check 10.
static void with_all_data_a_sample_is_exhaustive_exactly(void** state)
{
    (void)state;
    static random_table t;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        wm_selection_trial trial;
        wm_selection_summary summary;
        wm_rng rng = wm_rng_start(seed, 2);
        fill(&t, seed, seed % 2 == 0); // scored on the same numbers or on others
        assert_int_equal(wm_selection_try(&t.selection, &rng, &trial), WM_OK);
        assert_true(wm_selection_removed[0] == 0);
        assert_true(trial.sample[0] == trial.exhaustive);
        assert_int_equal(wm_selection_run(&t.selection, 5, seed, &summary), WM_OK);
        assert_true(summary.sample[0].mean == summary.exhaustive.mean);
        assert_true(summary.sample[0].standard_error == summary.exhaustive.standard_error);
    }
}

static void no_choice_beats_exhaustive_on_the_same_numbers(void** state)
{
    (void)state;
    static random_table t;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        wm_selection_trial trial;
        wm_rng rng = wm_rng_start(seed, 3);
        fill(&t, seed, true);
        assert_int_equal(wm_selection_try(&t.selection, &rng, &trial), WM_OK);
        assert_true(trial.exhaustive <= trial.prior);
        for (int s = 0; s < WM_SELECTION_SHARES; s++)
            assert_true(trial.exhaustive <= trial.sample[s]);
    }
}

// Two columns: one is for training, the other's mean is known whichever it is.
static void a_trial_scores_what_it_picked_on_the_test_columns(void** state)
{
    (void)state;
    static const double picks[] = {3, 1, 2, 1, 5, 4};
    static const double scores[] = {10, 20, 30, 40, 50, 60};
    static const double weights[] = {2, 7};
    const wm_selection s = {picks, scores, weights, 2, 3};
    for (uint64_t seed = 0; seed < 20; seed++) {
        wm_selection_trial trial;
        wm_rng rng = wm_rng_start(seed, 0);
        assert_int_equal(wm_selection_try(&s, &rng, &trial), WM_OK);
        const bool tests_first = trial.weight == 2;
        assert_true(tests_first || trial.weight == 7);
        assert_true(trial.exhaustive == (tests_first ? 20 : 40));
        assert_true(trial.prior == (tests_first ? 10 : 50));
    }
}

static void columns_without_weight_are_left_out(void** state)
{
    (void)state;
    static const double picks[] = {1, 1, 1, 1};
    static const double scores[] = {5, 7, 7, 7};
    static const double weights[] = {0, 1, 1, 1};
    static const double nothing[] = {0, 0, 0, 0};
    wm_selection s = {picks, scores, weights, 4, 1};
    wm_selection_summary summary;
    assert_int_equal(wm_selection_run(&s, 50, 1, &summary), WM_OK);
    assert_true(summary.trials > 0 && summary.trials < 50); // one test column, at times the first
    assert_true(summary.exhaustive.mean == 7);
    assert_true(summary.exhaustive.standard_error == 0);
    s.weights = nothing;
    assert_int_equal(wm_selection_run(&s, 50, 1, &summary), WM_OK);
    assert_int_equal(summary.trials, 0);
}

static void shares_and_splits_are_those_of_the_paper(void** state)
{
    (void)state;
    const wm_selection s = {.algorithms = 1500};
    const wm_selection few = {.algorithms = 8};
    assert_int_equal(wm_selection_kept(&s, 0), 1500);
    assert_int_equal(wm_selection_kept(&s, 98.5), 23);
    assert_int_equal(wm_selection_kept(&s, 99), 15);
    assert_int_equal(wm_selection_kept(&few, 99), 1);
    assert_int_equal(wm_selection_training(329), 219);
    assert_int_equal(wm_selection_training(4500), 3000);
    assert_int_equal(wm_selection_training(2), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_of_a_column_is_the_first_of_the_least),
        cmocka_unit_test(the_best_of_those_tried_does_not_depend_on_their_order),
        cmocka_unit_test(the_prior_has_the_least_weighted_mean_in_training),
        cmocka_unit_test(with_all_data_a_sample_is_exhaustive_exactly),
        cmocka_unit_test(no_choice_beats_exhaustive_on_the_same_numbers),
        cmocka_unit_test(a_trial_scores_what_it_picked_on_the_test_columns),
        cmocka_unit_test(columns_without_weight_are_left_out),
        cmocka_unit_test(shares_and_splits_are_those_of_the_paper),
    };
    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
