// SPDX-License-Identifier: MIT
//
// Paper M, the space of algorithms: how good random points of the family w * lop_b(wc * c + h) are,
// and where named algorithms stand among them. Batches of 100 algorithms walk problems of their
// own; the named ones walk those of all batches, some of them to two limits, because the paper has
// them so. The paper's 278 million walks would not fit into memory one by one: a result is the sum
// over the problems of a job and a batch. Its `cost` is the sum of suboptimalities and its `optimal`
// the number of problems, so that their ratio is the mean.
#include <inttypes.h>
#include <stdlib.h>

#include "exp_select.h"
#include "plot.h"

#define BATCHES 557
#define BATCH_SIZE 100
#define PROBLEMS_A_BATCH 5000
#define MAX_PROBLEMS_A_JOB 64
#define ALGORITHM_STREAM UINT64_MAX
#define BINS 25

enum {
    LRTA,
    RTA,
    DA_LRTA_E,
    W_DA_LRTA,
    MEDIAN_E,
    PAPERS_BEST,
    DA_LRTA_E_ALL,
    W_DA_LRTA_ALL,
    MEDIAN_E_ALL,
    PAPERS_BEST_ALL,
    NAMED
};
#define FIRST_ALL DA_LRTA_E_ALL // the first whose walks may be longer
// Not an algorithm: the best of the batch on each problem. It stands behind the named ones.
#define BEST_PER_PROBLEM ((uint32_t)NAMED)
#define FIRST_SAMPLE ((uint32_t)NAMED + 1)

typedef struct named_point {
    const char* label;
    const char* spec;
    double alpha_max;
    const char* paper;
} named_point;

#define SAMPLES WM_SELECT_ALPHA_MAX   // the limit of the paper's samples
#define ALL WM_SELECT_LARGE_ALPHA_MAX // and of its numbers for all problems
#define MEDIAN_E_SPEC "rths:w=1:wc=7:b=1:lop=median:e=1"
#define PAPERS_BEST_SPEC "rths:w=2.654:wc=2.486:b=0.153:lop=median:da=1:e=1"

static const named_point named[NAMED] = {
    [LRTA] = {"LRTA*", "rths", SAMPLES, "-"},
    [RTA] = {"RTA*", "rta", SAMPLES, "186.7 (94.4 % better)"},
    [DA_LRTA_E] = {"daLRTA*+E", "da-lrta-e", SAMPLES, "30.5 (54.9 % better)"},
    [W_DA_LRTA] = {"7-daLRTA*", "w-da-lrta", SAMPLES, "-"},
    [MEDIAN_E] = {"median(7c+h)+E", MEDIAN_E_SPEC, SAMPLES, "-"},
    [PAPERS_BEST] = {"best sample of the paper", PAPERS_BEST_SPEC, SAMPLES, "17.84 (0 % better)"},
    [DA_LRTA_E_ALL] = {"daLRTA*+E", "da-lrta-e", ALL, "31.8"},
    [W_DA_LRTA_ALL] = {"7-daLRTA*", "w-da-lrta", ALL, "30.6"},
    [MEDIAN_E_ALL] = {"median(7c+h)+E", MEDIAN_E_SPEC, ALL, "19.3"},
    [PAPERS_BEST_ALL] = {"best sample of the paper", PAPERS_BEST_SPEC, ALL, "19.8"},
};

static double alpha_max_of(uint32_t setting)
{
    return setting < NAMED ? named[setting].alpha_max : WM_SELECT_ALPHA_MAX;
}

static wm_status add_named(wm_study* study, const named_point* point, wm_error* error)
{
    wm_study_setting setting = {.x = -1};
    snprintf(setting.label, sizeof setting.label, "%s (alpha_max %.0f)", point->label,
             point->alpha_max);
    snprintf(setting.spec, sizeof setting.spec, "%s", point->spec);
    return wm_study_add_setting(study, &setting, error);
}

// Fewer than the scale has it: most of the work is here, and a short look must be possible.
static double algorithm_count(const wm_study* study)
{
    return BATCHES * BATCH_SIZE * study->options.scale * study->options.scale;
}

static uint32_t batch_size(const wm_study* study)
{
    const double algorithms = algorithm_count(study);
    if (algorithms >= BATCH_SIZE) return BATCH_SIZE;
    return algorithms < 1 ? 1 : (uint32_t)algorithms;
}

static uint32_t batch_count(const wm_study* study)
{
    const double batches = algorithm_count(study) / BATCH_SIZE;
    return batches < 1 ? 1 : (uint32_t)(batches + 0.5);
}

static const named_point best_per_problem = {"best per problem", "rths", SAMPLES, "8.41"};

static wm_status plan(wm_study* study, wm_error* error)
{
    const uint32_t batches = batch_count(study);
    wm_rng rng = wm_rng_start(study->options.seed, ALGORITHM_STREAM);
    const uint32_t size = batch_size(study);
    wm_status status = WM_OK;
    for (int i = 0; i < NAMED && status == WM_OK; i++) status = add_named(study, &named[i], error);
    if (status == WM_OK) status = add_named(study, &best_per_problem, error);
    for (uint32_t i = 0; i < batches * size && status == WM_OK; i++)
        status = wm_select_add_algorithm(study, &rng, i / size, error);
    study->problems_per_job =
        wm_select_job_size(wm_study_scaled(study, PROBLEMS_A_BATCH), MAX_PROBLEMS_A_JOB);
    return status;
}

static wm_status add_maps(wm_study* study, wm_error* error)
{
    return wm_select_add_problems(study, batch_count(study),
                                  wm_study_scaled(study, PROBLEMS_A_BATCH), error);
}

// ---------------------------------------------------------------------------------------------
// Walking

// Problems `first` to `end` of a map, all of one batch.
typedef struct stretch {
    const wm_study* study;
    uint32_t map;
    uint32_t first;
    uint32_t end;
    double best[MAX_PROBLEMS_A_JOB]; // suboptimality per problem
} stretch;

static wm_study_result empty_result(const stretch* s, uint32_t setting)
{
    return (wm_study_result){.map = s->map,
                             .setting = setting,
                             .problem = s->first,
                             .outcome = WM_RACE_SOLVED,
                             .optimal = s->end - s->first};
}

static wm_status walk_setting(stretch* s, uint32_t setting, wm_study_results* results,
                              wm_error* error)
{
    wm_agent* agent;
    wm_study_result sum = empty_result(s, setting);
    wm_status status = wm_select_agent(&agent, s->study, s->map, setting, error);
    if (status != WM_OK) return status;
    for (uint32_t p = s->first; p < s->end && status == WM_OK; p++) {
        const wm_problem* problem = &s->study->maps[s->map].problems.list[p];
        wm_select_walk walk = {0};
        status = wm_select_go(agent, problem, alpha_max_of(setting), &walk, error);
        const double ratio = walk.cost / problem->optimal;
        double* best = &s->best[p - s->first];
        if (setting >= FIRST_SAMPLE && (*best == 0 || ratio < *best)) *best = ratio;
        sum.cost += ratio;
        sum.moves += walk.moves;
        if (walk.outcome > sum.outcome) sum.outcome = walk.outcome;
    }
    wm_agent_destroy(agent);
    if (status == WM_OK && wm_study_keep(results, &sum) != WM_OK)
        return wm_fail_memory(error, sizeof sum);
    return status;
}

static wm_status walk_stretch(stretch* s, uint32_t batch, wm_study_results* results,
                              wm_error* error)
{
    const uint32_t size = batch_size(s->study);
    const uint32_t first_of_batch = FIRST_SAMPLE + batch * size;
    wm_status status = WM_OK;
    for (uint32_t i = 0; i < NAMED && status == WM_OK; i++)
        status = walk_setting(s, i, results, error);
    for (uint32_t i = 0; i < size && status == WM_OK; i++)
        status = walk_setting(s, first_of_batch + i, results, error);
    if (status != WM_OK) return status;
    wm_study_result best = empty_result(s, BEST_PER_PROBLEM);
    for (uint32_t i = 0; i < s->end - s->first; i++) best.cost += s->best[i];
    return wm_study_keep(results, &best) == WM_OK ? WM_OK : wm_fail_memory(error, sizeof best);
}

static wm_status walk(const wm_study* study, uint32_t map, uint32_t first, uint32_t end,
                      wm_study_results* results, wm_error* error)
{
    const uint32_t* batch = study->maps[map].batch;
    wm_status status = WM_OK;
    while (first < end && status == WM_OK) {
        stretch s = {.study = study, .map = map, .first = first, .end = first + 1};
        while (s.end < end && batch[s.end] == batch[first]) s.end++;
        status = walk_stretch(&s, batch[first], results, error);
        first = s.end;
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Report

typedef struct space {
    const wm_study* study;
    double* mean;   // suboptimality by setting
    double* sorted; // of the samples
    uint32_t samples;
    uint32_t best; // setting
    double average;
    double median;
} space;

static int compare_numbers(const void* left, const void* right)
{
    const double a = *(const double*)left;
    const double b = *(const double*)right;
    return (a > b) - (a < b);
}

static wm_status sum_up(space* s, wm_error* error)
{
    const wm_study* study = s->study;
    const size_t count = study->setting_count;
    double* problems = calloc(count, sizeof *problems);
    s->samples = study->setting_count - FIRST_SAMPLE;
    s->mean = calloc(count, sizeof *s->mean);
    s->sorted = calloc(s->samples, sizeof *s->sorted);
    if (problems == NULL || s->mean == NULL || s->sorted == NULL) {
        free(problems);
        return wm_fail_memory(error, count * sizeof *problems);
    }
    for (size_t i = 0; i < study->results.count; i++) {
        const wm_study_result* r = &study->results.list[i];
        s->mean[r->setting] += r->cost;
        problems[r->setting] += r->optimal;
    }
    s->best = FIRST_SAMPLE;
    for (uint32_t i = 0; i < count; i++) {
        if (problems[i] > 0) s->mean[i] /= problems[i];
        if (i < FIRST_SAMPLE) continue;
        s->sorted[i - FIRST_SAMPLE] = s->mean[i];
        s->average += s->mean[i] / s->samples;
        if (s->mean[i] < s->mean[s->best]) s->best = i;
    }
    qsort(s->sorted, s->samples, sizeof *s->sorted, compare_numbers);
    s->median = (s->sorted[(s->samples - 1) / 2] + s->sorted[s->samples / 2]) / 2;
    free(problems);
    return WM_OK;
}

// Percent of the samples that are better.
static double share_better(const space* s, double suboptimality)
{
    uint32_t better = 0;
    while (better < s->samples && s->sorted[better] < suboptimality) better++;
    return 100.0 * better / s->samples;
}

static void print_points(const space* s, FILE* out)
{
    fprintf(out,
            "| algorithm | suboptimality | samples better, %% | paper |\n|---|---|---|---|\n"
            "| mean of the samples | %.2f | %.1f | 50.6 (73.4 %% better) |\n"
            "| median of the samples | %.2f | 50.0 | - |\n",
            s->average, share_better(s, s->average), s->median);
    for (int i = 0; i < FIRST_ALL; i++)
        fprintf(out, "| %s | %.2f | %.1f | %s |\n", named[i].label, s->mean[i],
                share_better(s, s->mean[i]), named[i].paper);
    fprintf(out, "| best sample, `%s` | %.2f | 0.0 | 17.84 |\n", s->study->settings[s->best].spec,
            s->mean[s->best]);
    fprintf(out, "| best of the batch for each problem | %.2f | - | %s |\n\n",
            s->mean[BEST_PER_PROBLEM], best_per_problem.paper);
    fprintf(out,
            "The same problems with walks of up to %d times the optimum, as the paper has it for "
            "its whole benchmark:\n\n| algorithm | suboptimality | paper |\n|---|---|---|\n",
            WM_SELECT_LARGE_ALPHA_MAX);
    for (int i = FIRST_ALL; i < NAMED; i++)
        fprintf(out, "| %s | %.2f | %s |\n", named[i].label, s->mean[i], named[i].paper);
    fprintf(out, "\n");
}

static void mark_named(const space* s, wm_plot* plot, double height)
{
    for (int i = 0; i < FIRST_ALL; i++) {
        wm_plot_series(plot, WM_PLOT_MARKS, named[i].label);
        wm_plot_point(plot, s->mean[i], height);
    }
}

static void print_histogram(const space* s, FILE* out)
{
    wm_plot plot;
    const double width = (double)(int64_t)(s->sorted[s->samples - 1] / BINS + 1);
    uint32_t next = 0;
    double highest = 0;
    wm_plot_begin(&plot, s->study, "histogram",
                  &(wm_plot_axes){.title = "Random algorithms, and where named ones stand",
                                  .x = "suboptimality",
                                  .y = "share of the samples, %",
                                  .bar_width = width});
    wm_plot_series(&plot, WM_PLOT_BARS, "samples");
    fprintf(out, "| suboptimality | samples | %% |\n|---|---|---|\n");
    for (int bin = 0; bin < BINS; bin++) {
        const uint32_t first = next;
        while (next < s->samples && s->sorted[next] < width * (bin + 1)) next++;
        const double share = 100.0 * (next - first) / s->samples;
        fprintf(out, "| %.0f to %.0f | %u | %.2f |\n", width * bin, width * (bin + 1),
                (unsigned)(next - first), share);
        wm_plot_point(&plot, width * (bin + 0.5), share);
        if (share > highest) highest = share;
    }
    fprintf(out, "\n");
    mark_named(s, &plot, highest);
    wm_plot_end(&plot, out);
}

static void judge(const space* s, FILE* out)
{
    const double worst = s->sorted[s->samples - 1];
    const double rta = share_better(s, s->mean[RTA]);
    const double da_lrta_e = share_better(s, s->mean[DA_LRTA_E]);
    const double best = share_better(s, s->mean[PAPERS_BEST]);
    const double average = share_better(s, s->average);
    fprintf(out, "## Expected shapes\n\n");
    wm_report_shape(out, s->average > s->median && worst > 2 * s->average,
                    "the histogram has a long right tail: median %.1f < mean %.1f, worst %.1f",
                    s->median, s->average, worst);
    wm_report_shape(out, average > 60,
                    "most samples are better than the mean (over 60 %%; paper 73.4 %%): %.1f %%",
                    average);
    wm_report_shape(out, rta > 85,
                    "RTA* is among the worst (over 85 %% better; paper 94.4 %%): %.1f %%", rta);
    wm_report_shape(out, da_lrta_e > 35 && da_lrta_e < 75,
                    "daLRTA*+E is near the middle (35 to 75 %% better; paper 54.9 %%): %.1f %%",
                    da_lrta_e);
    wm_report_shape(out, best < 5,
                    "the paper's best sample is among the best 5 %% here: %.1f %% better", best);
    wm_report_shape(out, s->mean[BEST_PER_PROBLEM] < 0.75 * s->mean[s->best],
                    "choosing for each problem beats the best single one by far (a quarter; paper "
                    "8.41 to 17.84): %.2f to %.2f",
                    s->mean[BEST_PER_PROBLEM], s->mean[s->best]);
}

// A row is a sum over the problems of a stretch.
static void write_results(const wm_study* study, FILE* out)
{
    fprintf(out, "map,diagonal,setting,first_problem,problems,worst_status,sum_of_ratios,moves\n");
    for (size_t i = 0; i < study->results.count; i++) {
        const wm_study_result* r = &study->results.list[i];
        const wm_study_map* m = &study->maps[r->map];
        fprintf(out, "%s,%s,%s,%" PRIu32 ",%.0f,%s,%.8f,%" PRIu64 "\n", m->name,
                wm_diagonal_name(m->map->grid.diagonal), study->settings[r->setting].label,
                r->problem, r->optimal, wm_race_outcome_name(r->outcome), r->cost, r->moves);
    }
}

static wm_status report(const wm_study* study, FILE* out, wm_error* error)
{
    space s = {.study = study};
    const wm_status status = sum_up(&s, error);
    if (status == WM_OK) {
        fprintf(
            out,
            "A walk ends at %d times the optimal cost. Suboptimality is cost by optimal cost.\n\n",
            WM_SELECT_ALPHA_MAX);
        print_points(&s, out);
        print_histogram(&s, out);
        judge(&s, out);
    }
    free(s.mean);
    free(s.sorted);
    return status;
}

const wm_experiment wm_experiment_select_space = {
    .name = "select-space",
    .summary = "paper M: how good random algorithms of a family are, and where known ones stand",
    .diagonal = WM_DIAGONAL_SQUEEZE,
    .rules = WM_STUDY_SQUEEZING,
    .why_diagonal = WM_SELECT_WHY_DIAGONAL,
    .plan = plan,
    .add_maps = add_maps,
    .walk = walk,
    .write_results = write_results,
    .report = report,
};
