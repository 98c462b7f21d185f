// SPDX-License-Identifier: MIT
//
// Paper M, tables 1 and 2: choosing one of many random algorithms for each map or for each problem,
// when only a share of the walks is known. The paper chooses and scores on the same problems, which
// flatters the choice. So each table has a second part where the choice is made on one half of a
// map's problems and scored on the other.
#include <stdlib.h>

#include "exp_select.h"
#include "plot.h"
#include "selection.h"

#define ALGORITHMS 1500
#define PROBLEMS 4500
#define TRIALS 100
#define MAX_PROBLEMS_A_JOB 16
#define ALGORITHM_STREAM UINT64_MAX

// What one of the paper's two tables has.
typedef struct paper_table {
    const char* title;
    const char* column; // what is chosen for
    double exhaustive;
    double prior;
    double sample[WM_SELECTION_SHARES]; // 0 where the paper prints none
    double allowed;                     // how much worse than exhaustive 1 % of the data may be
} paper_table;

static const paper_table per_map = {
    .title = "Table 1: choosing for each map",
    .column = "map",
    .exhaustive = 12.6,
    .prior = 19.3,
    .sample = {[11] = 14.1, 14.3, 14.6, 15.0, 15.4, 15.9},
    .allowed = 26,
};

static const paper_table per_problem = {
    .title = "Table 2: choosing for each problem",
    .column = "problem",
    .exhaustive = 8.0,
    .prior = 19.2,
    .sample = {[11] = 8.9, 9.1, 9.3, 9.6, 10.0, 10.5},
    .allowed = 31,
};

static wm_status plan(wm_study* study, wm_error* error)
{
    const size_t algorithms = wm_study_scaled(study, ALGORITHMS);
    wm_rng rng = wm_rng_start(study->options.seed, ALGORITHM_STREAM);
    wm_status status = WM_OK;
    for (size_t i = 0; i < algorithms && status == WM_OK; i++)
        status = wm_select_add_algorithm(study, &rng, 0, error);
    study->problems_per_job =
        wm_select_job_size(wm_study_scaled(study, PROBLEMS), MAX_PROBLEMS_A_JOB);
    return status;
}

static wm_status add_maps(wm_study* study, wm_error* error)
{
    const size_t problems = wm_study_scaled(study, PROBLEMS);
    const wm_status status = wm_select_add_problems(study, 1, problems, error);
    if (status == WM_OK && study->map_count - study->first_map < 2)
        return wm_fail(
            error, WM_ERR_TOO_FEW,
            "%s splits maps into some to learn from and some to test on and needs two at "
            "least; give more with --maps or a greater --scale",
            study->experiment->name);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Walking

static wm_status walk_setting(const wm_study* study, const wm_study_result* job, uint32_t count,
                              wm_study_result* results, wm_error* error)
{
    const wm_problem* problems = &study->maps[job->map].problems.list[job->problem];
    wm_agent* agent;
    wm_status status = wm_select_agent(&agent, study, job->map, job->setting, error);
    if (status != WM_OK) return status;
    for (uint32_t i = 0; i < count && status == WM_OK; i++) {
        wm_select_walk walk = {0};
        status = wm_select_go(agent, &problems[i], WM_SELECT_ALPHA_MAX, &walk, error);
        wm_study_result* result = &results[(size_t)i * study->setting_count];
        *result = *job;
        result->problem += i;
        result->outcome = walk.outcome;
        result->optimal = problems[i].optimal;
        result->cost = walk.cost;
        result->moves = walk.moves;
        result->expansions = walk.moves; // one state a move
        result->max_expansions_per_move = 1;
    }
    wm_agent_destroy(agent);
    return status;
}

// An agent is made once for all problems; results stand by problem all the same.
static wm_status walk(const wm_study* study, uint32_t map, uint32_t first, uint32_t end,
                      wm_study_results* results, wm_error* error)
{
    const size_t count = (size_t)(end - first) * study->setting_count;
    wm_status status = WM_OK;
    results->list = calloc(count, sizeof *results->list);
    if (results->list == NULL) return wm_fail_memory(error, count * sizeof *results->list);
    results->capacity = count;
    for (uint32_t s = 0; s < study->setting_count && status == WM_OK; s++) {
        const wm_study_result job = {.map = map, .setting = s, .problem = first};
        status = walk_setting(study, &job, end - first, &results->list[s], error);
    }
    results->count = count;
    return status;
}

// ---------------------------------------------------------------------------------------------
// Tables of suboptimalities

typedef struct table {
    double* picks;
    double* scores;
    double* weights;
    uint32_t columns;
} table;

static wm_status table_create(table* t, const wm_study* study, uint32_t columns, wm_error* error)
{
    const size_t count = (size_t)columns * study->setting_count;
    t->columns = columns;
    t->picks = calloc(count + 1, sizeof *t->picks);
    t->scores = calloc(count + 1, sizeof *t->scores);
    t->weights = calloc((size_t)columns + 1, sizeof *t->weights);
    if (t->picks != NULL && t->scores != NULL && t->weights != NULL) return WM_OK;
    return wm_fail_memory(error, count * sizeof *t->picks);
}

static void table_free(table* t)
{
    free(t->picks);
    free(t->scores);
    free(t->weights);
}

// Mean suboptimality of each algorithm on `count` problems, of which `first` is the first in the
// study's results.
static void mean_over(const wm_study* study, size_t first, size_t count, double* means)
{
    const uint32_t algorithms = study->setting_count;
    for (size_t i = 0; i < count; i++) {
        const wm_study_result* walks = &study->results.list[(first + i) * algorithms];
        for (uint32_t a = 0; a < algorithms; a++)
            means[a] += walks[a].cost / walks[a].optimal / (double)count;
    }
}

// Fills the columns of one map. Held out: the first half of its problems, which are in a random
// order, is for the choice and the others for the score. Choosing for each problem must then do
// with the map's other problems, since what is to be predicted cannot be known.
static uint32_t fill_map(table* t, const wm_study* study, size_t first, size_t count, bool by_map,
                         bool held_out, uint32_t column)
{
    const size_t algorithms = study->setting_count;
    const size_t half = held_out ? count / 2 : 0;
    const size_t columns = by_map ? 1 : count;
    for (size_t c = 0; c < columns; c++, column++) {
        const bool scored = !held_out || (half > 0 && (by_map || c >= half));
        const size_t scored_first = by_map ? half : c;
        const size_t scored_count = by_map ? count - half : 1;
        double* picks = t->picks + column * algorithms;
        double* scores = t->scores + column * algorithms;
        mean_over(study, first + scored_first, scored_count, scores);
        if (held_out)
            mean_over(study, first, half, picks);
        else
            mean_over(study, first + scored_first, scored_count, picks);
        t->weights[column] = scored ? (double)scored_count : 0;
    }
    return column;
}

static wm_status table_fill(table* t, const wm_study* study, bool by_map, bool held_out,
                            wm_error* error)
{
    size_t problems = 0;
    for (uint32_t m = 0; m < study->map_count; m++) problems += study->maps[m].problems.count;
    const uint32_t columns = by_map ? study->map_count : (uint32_t)problems;
    const wm_status status = table_create(t, study, columns, error);
    size_t first = 0;
    uint32_t column = 0;
    for (uint32_t m = 0; m < study->map_count && status == WM_OK; m++) {
        const size_t count = study->maps[m].problems.count;
        column = fill_map(t, study, first, count, by_map, held_out, column);
        first += count;
    }
    return status;
}

static wm_status summarise(const wm_study* study, bool by_map, bool held_out,
                           wm_selection_summary* summary, wm_error* error)
{
    table t = {0};
    wm_status status = table_fill(&t, study, by_map, held_out, error);
    if (status == WM_OK) {
        const wm_selection selection = {.picks = t.picks,
                                        .scores = t.scores,
                                        .weights = t.weights,
                                        .columns = t.columns,
                                        .algorithms = study->setting_count};
        // The same seed for both parts: the same splits.
        status = wm_selection_run(&selection, TRIALS, study->options.seed, summary);
        if (status != WM_OK) wm_fail_memory(error, study->setting_count * sizeof(double));
    }
    table_free(&t);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Report

static void print_mean(FILE* out, const wm_selection_mean* mean)
{
    fprintf(out, " %.2f ± %.2f |", mean->mean, mean->standard_error);
}

static void print_table(const paper_table* paper, FILE* out, const wm_selection_summary* same,
                        const wm_selection_summary* held_out)
{
    fprintf(out, "%s. Mean suboptimality ± standard error over %u trials; the paper's in brackets",
            paper->title, (unsigned)same->trials);
    fprintf(out, " (exhaustive %.1f, prior %.1f).\n\n", paper->exhaustive, paper->prior);
    fprintf(out, "| data kept, %% | exhaustive | prior | sample | held out: exhaustive | "
                 "held out: sample |\n|---|---|---|---|---|---|\n");
    for (int s = 0; s < WM_SELECTION_SHARES; s++) {
        fprintf(out, "| %.1f |", 100 - wm_selection_removed[s]);
        print_mean(out, &same->exhaustive);
        print_mean(out, &same->prior);
        fprintf(out, " %.2f ± %.2f", same->sample[s].mean, same->sample[s].standard_error);
        if (paper->sample[s] > 0) fprintf(out, " (%.1f)", paper->sample[s]);
        fprintf(out, " |");
        print_mean(out, &held_out->exhaustive);
        print_mean(out, &held_out->sample[s]);
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
}

static void draw_line(wm_plot* plot, const char* title, const wm_selection_mean* means, bool varies)
{
    wm_plot_series(plot, WM_PLOT_LINE, title);
    for (int s = 0; s < WM_SELECTION_SHARES; s++)
        wm_plot_point(plot, 100 - wm_selection_removed[s], means[varies ? s : 0].mean);
}

static void draw(const wm_study* study, const paper_table* paper, FILE* out,
                 const wm_selection_summary* same, const wm_selection_summary* held_out)
{
    wm_plot plot;
    wm_plot_begin(
        &plot, study, "kept",
        &(wm_plot_axes){
            .title = paper->title, .x = "data kept, %", .y = "mean suboptimality", .log_x = true});
    draw_line(&plot, "exhaustive", &same->exhaustive, false);
    draw_line(&plot, "prior", &same->prior, false);
    draw_line(&plot, "sample", same->sample, true);
    draw_line(&plot, "sample, held out", held_out->sample, true);
    wm_plot_end(&plot, out);
}

static void judge_order(FILE* out, const wm_selection_summary* same)
{
    int falls = 1;   // shares at which the sample is no better than with more data
    int ordered = 1; // shares where the order holds
    for (int s = 1; s < WM_SELECTION_SHARES; s++) {
        falls += same->sample[s].mean >= same->sample[s - 1].mean;
        ordered +=
            same->exhaustive.mean < same->sample[s].mean && same->sample[s].mean < same->prior.mean;
    }
    wm_report_shape(out, same->sample[0].mean == same->exhaustive.mean,
                    "with all data sample is exhaustive, exactly: %.4f, %.4f", same->sample[0].mean,
                    same->exhaustive.mean);
    wm_report_shape(out, falls == WM_SELECTION_SHARES,
                    "sample falls with more data at every share: %d of %d steps, from %.2f to %.2f",
                    falls - 1, WM_SELECTION_SHARES - 1, same->sample[WM_SELECTION_SHARES - 1].mean,
                    same->sample[0].mean);
    wm_report_shape(out, ordered == WM_SELECTION_SHARES,
                    "exhaustive < sample < prior at every share below 100 %%: %d of %d shares "
                    "(%.2f, %.2f to %.2f, %.2f)",
                    ordered - 1, WM_SELECTION_SHARES - 1, same->exhaustive.mean,
                    same->sample[1].mean, same->sample[WM_SELECTION_SHARES - 1].mean,
                    same->prior.mean);
}

static void judge(const wm_study* study, const paper_table* paper, FILE* out,
                  const wm_selection_summary* same, const wm_selection_summary* held_out)
{
    const double least = same->sample[WM_SELECTION_SHARES - 1].mean;
    const uint32_t known = study->setting_count < 150 ? 1 : study->setting_count / 100;
    const double worse = 100 * (least / same->exhaustive.mean - 1);
    fprintf(out, "## Expected shapes\n\n");
    judge_order(out, same);
    wm_report_shape(out, worse < paper->allowed + 5,
                    "1 %% of the data is within about %.0f %% of exhaustive (5 points more are let "
                    "pass): %.1f %%, with about %u of %u algorithms known for each %s",
                    paper->allowed, worse, (unsigned)known, (unsigned)study->setting_count,
                    paper->column);
    wm_report_shape(out, held_out->exhaustive.mean > same->exhaustive.mean,
                    "held out, exhaustive loses some of its lead (not in the paper): %.2f, on the "
                    "same problems %.2f, prior %.2f",
                    held_out->exhaustive.mean, same->exhaustive.mean, same->prior.mean);
}

static wm_status report(const wm_study* study, FILE* out, const paper_table* paper, wm_error* error)
{
    wm_selection_summary same;
    wm_selection_summary held_out;
    const bool by_map = paper == &per_map;
    wm_status status = summarise(study, by_map, false, &same, error);
    if (status == WM_OK) status = summarise(study, by_map, true, &held_out, error);
    if (status != WM_OK) return status;
    fprintf(out,
            "A walk ends at %d times the optimal cost. Suboptimality is "
            "cost by optimal cost. Exhaustive: the best of all algorithms for each test %s. Prior: "
            "the one best in training. Sample: the best of those whose result is known. Held out: "
            "chosen on one half of a map's problems, scored on the other.\n\n",
            WM_SELECT_ALPHA_MAX, paper->column);
    print_table(paper, out, &same, &held_out);
    draw(study, paper, out, &same, &held_out);
    judge(study, paper, out, &same, &held_out);
    return WM_OK;
}

static wm_status report_per_map(const wm_study* study, FILE* out, wm_error* error)
{
    return report(study, out, &per_map, error);
}

static wm_status report_per_problem(const wm_study* study, FILE* out, wm_error* error)
{
    return report(study, out, &per_problem, error);
}

const wm_experiment wm_experiment_select_map = {
    .name = "select-map",
    .summary = "paper M, table 1: choosing an algorithm for each map from a share of the results",
    .diagonal = WM_DIAGONAL_SQUEEZE,
    .rules = WM_STUDY_SQUEEZING,
    .why_diagonal = WM_SELECT_WHY_DIAGONAL,
    .plan = plan,
    .add_maps = add_maps,
    .walk = walk,
    .report = report_per_map,
};

const wm_experiment wm_experiment_select_problem = {
    .name = "select-problem",
    .summary = "paper M, table 2: choosing an algorithm for each problem from a share of the "
               "results",
    .diagonal = WM_DIAGONAL_SQUEEZE,
    .rules = WM_STUDY_SQUEEZING,
    .why_diagonal = WM_SELECT_WHY_DIAGONAL,
    .plan = plan,
    .add_maps = add_maps,
    .walk = walk,
    .report = report_per_problem,
};
