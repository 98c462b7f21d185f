// SPDX-License-Identifier: MIT
//
// Paper T, figures 1 to 4: time-bounded search over the lookahead k and the weight w on maps that
// do not change: cost, search time, non-optimal moves, and back-moves in percent of these. The
// paper's weight 1 is TBA*; greedy best-first search stands at the end of the weights. All of it
// twice: as the pseudo-code has it, which expands a state again when a better way to it is found,
// and without that, which fits what the paper reports.
#include "internal.h"
#include "plot.h"

#define CASES 100
#define SMALL_SIDE 512
#define LARGE_SIDE 1024

enum { BG, WC3, ROOMS, LARGE, FAMILIES };
#define SMALL_FAMILIES (1u << BG | 1u << WC3 | 1u << ROOMS)
#define LARGE_FAMILIES (1u << LARGE)

static const char* const family_names[] = {"BG", "WC3", "ROOMS", "large"};
static const char* const folders[] = {"bg512", "wc3maps512", "rooms", "sc1"};

static const int small_k[] = {1, 4, 16, 64, 256};
static const int large_k[] = {1, 32, 128, 256, 512, 1024};
#define SMALL_K ((int)(sizeof small_k / sizeof small_k[0]))
#define LARGE_K ((int)(sizeof large_k / sizeof large_k[0]))

static const double weights[] = {1.0, 1.4, 1.8, 2.2, 2.6, 3.0};
#define WEIGHTS 6
#define GREEDY WEIGHTS // the column behind the weights
#define COLUMNS (WEIGHTS + 1)

typedef enum variant { REOPENING, KEEPING_CLOSED, VARIANTS } variant;

static const char* const variant_names[] = {"reopening", "without reopening"};

static wm_status add_settings(wm_study* study, variant v, unsigned families, const int* k,
                              int count, wm_error* error)
{
    wm_status status = WM_OK;
    for (int i = 0; i < count; i++) {
        for (int w = 0; w < COLUMNS && status == WM_OK; w++) {
            wm_study_setting setting = {
                .families = families, .x = k[i], .y = w == GREEDY ? 0 : weights[w]};
            if (w == GREEDY)
                snprintf(setting.spec, sizeof setting.spec, "tb-gbfs:k=%d", k[i]);
            else
                snprintf(setting.spec, sizeof setting.spec, "tb-wa:k=%d:w=%.1f:reopen=%d", k[i],
                         weights[w], v == REOPENING);
            snprintf(setting.label, sizeof setting.label, "%s", setting.spec);
            status = wm_study_add_setting(study, &setting, error);
        }
    }
    return status;
}

static wm_status plan(wm_study* study, wm_error* error)
{
    wm_status status = WM_OK;
    for (int v = 0; v < VARIANTS; v++) {
        if (status == WM_OK)
            status = add_settings(study, (variant)v, SMALL_FAMILIES, small_k, SMALL_K, error);
        if (status == WM_OK)
            status = add_settings(study, (variant)v, LARGE_FAMILIES, large_k, LARGE_K, error);
    }
    study->problems_per_job = 1;
    return status;
}

// What stands in for the maps of a family that are not there: as many as the paper has. Rooms are
// what the paper's are; of games there are no generators, and caves are the next best.
static wm_status generate_family(wm_study* study, int family, wm_error* error)
{
    static const int32_t rooms[] = {8, 16, 32, 64};
    static const size_t maps_of_paper[] = {[BG] = 75, [WC3] = 36, [ROOMS] = 40, [LARGE] = 5};
    const size_t kinds = family == ROOMS ? sizeof rooms / sizeof rooms[0] : 1;
    const size_t count = kinds * wm_study_scaled(study, maps_of_paper[family] / kinds);
    wm_status status = WM_OK;
    for (size_t i = 0; i < count && status == WM_OK; i++) {
        const wm_study_recipe recipe = {
            .kind = family == ROOMS ? WM_GENERATE_ROOMS : WM_GENERATE_CAVES,
            .side = family == LARGE ? LARGE_SIDE : SMALL_SIDE,
            .density = WM_GENERATE_DEFAULT,
            .grain = family == ROOMS ? rooms[i % kinds] : WM_GENERATE_DEFAULT};
        // Other seeds for other families, because two of them have maps of one kind and size.
        const uint64_t seed = study->options.seed + (uint64_t)family * 1000 + i;
        status = wm_study_add_generated(study, &recipe, family, seed, wm_study_scaled(study, CASES),
                                        error);
    }
    return status;
}

static wm_status add_maps(wm_study* study, wm_error* error)
{
    size_t found[FAMILIES] = {0};
    size_t all = 0;
    wm_status status = WM_OK;
    for (int f = 0; f < FAMILIES && status == WM_OK; f++) {
        status = wm_study_add_folder(study, folders[f], f, wm_study_scaled(study, CASES), &found[f],
                                     error);
        all += found[f];
    }
    if (status == WM_OK && all == 0 && study->options.maps != NULL)
        return wm_fail(
            error, WM_ERR_NOT_FOUND,
            "%s has none of the folders bg512, wc3maps512, rooms and sc1 with maps; name "
            "the folder that holds them with --maps, or leave it out for generated maps",
            study->options.maps);
    for (int f = 0; f < FAMILIES && status == WM_OK; f++) {
        if (found[f] == 0) status = generate_family(study, f, error);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Tables

// Which of the tables is meant.
typedef struct table {
    const wm_study* study;
    variant v;
    int family;
} table;

static uint32_t setting_of(const table* t, int k, int column)
{
    const int rows_before = (int)t->v * (SMALL_K + LARGE_K) + (t->family == LARGE ? SMALL_K : 0);
    return (uint32_t)((rows_before + k) * COLUMNS + column);
}

static int k_count(int family)
{
    return family == LARGE ? LARGE_K : SMALL_K;
}

static const int* k_values(int family)
{
    return family == LARGE ? large_k : small_k;
}

typedef enum figure { COST, TIME, NON_OPTIMAL, BACK_SHARE, FIGURES } figure;

static const char* const figure_names[] = {"mean cost", "mean search time, ms",
                                           "mean number of non-optimal moves",
                                           "back-moves, % of non-optimal moves"};

static double value(const table* t, figure which, int k, int column)
{
    const wm_study* study = t->study;
    const int family = t->family;
    const uint32_t setting = setting_of(t, k, column);
    const double wrong = wm_study_mean(study, family, setting, WM_STUDY_NON_OPTIMAL_MOVES);
    switch (which) {
    case COST: return wm_study_mean(study, family, setting, WM_STUDY_COST);
    case TIME: return wm_study_mean(study, family, setting, WM_STUDY_MILLISECONDS);
    case NON_OPTIMAL: return wrong;
    default: {
        const double back = wm_study_mean(study, family, setting, WM_STUDY_BACK_MOVES);
        const double share = wrong > 0 ? 100 * back / wrong : 0;
        return share < 100 ? share : 100; // a back-move can be an optimal one
    }
    }
}

static void print_figure(const table* t, FILE* out, figure which)
{
    const int family = t->family;
    fprintf(out, "Figure %d: %s, %s, %s\n\n| k | w=1 |", (int)which + 1, figure_names[which],
            family_names[family], variant_names[t->v]);
    for (int w = 1; w < WEIGHTS; w++) fprintf(out, " %.1f |", weights[w]);
    fprintf(out, " greedy |\n|---|---|---|---|---|---|---|---|\n");
    for (int k = 0; k < k_count(family); k++) {
        fprintf(out, "| %d |", k_values(family)[k]);
        for (int w = 0; w < COLUMNS; w++) fprintf(out, " %.4g |", value(t, which, k, w));
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
}

static void draw_figure(const table* t, FILE* out, figure which)
{
    const int family = t->family;
    char name[64];
    char title[128];
    wm_plot plot;
    snprintf(name, sizeof name, "figure%d-%s-%s", (int)which + 1, family_names[family],
             t->v == REOPENING ? "reopening" : "closed");
    snprintf(title, sizeof title, "Figure %d: %s, %s", (int)which + 1, family_names[family],
             variant_names[t->v]);
    wm_plot_begin(&plot, t->study, name,
                  &(wm_plot_axes){.title = title,
                                  .x = "w",
                                  .y = figure_names[which],
                                  .x_tics = "('1.0' 1, '1.4' 1.4, '1.8' 1.8, '2.2' 2.2, "
                                            "'2.6' 2.6, '3.0' 3, 'greedy' 3.4)",
                                  .log_y = which == COST || which == TIME});
    for (int k = 0; k < k_count(family); k++) {
        char line[32];
        snprintf(line, sizeof line, "k=%d", k_values(family)[k]);
        wm_plot_series(&plot, WM_PLOT_LINE, line);
        for (int w = 0; w < WEIGHTS; w++) wm_plot_point(&plot, weights[w], value(t, which, k, w));
        wm_plot_gap(&plot); // greedy search is no weight
        wm_plot_point(&plot, 3.4, value(t, which, k, GREEDY));
    }
    wm_plot_end(&plot, out);
}

// ---------------------------------------------------------------------------------------------
// Shapes, in the order of the paper

enum { FIRST = 0, LAST_WEIGHT = WEIGHTS - 1 };

static void judge_cost(const table* t, FILE* out)
{
    const int family = t->family;
    const char* name = family_names[family];
    for (int k = 0; k < k_count(family); k++) {
        const double tba = value(t, COST, k, FIRST);
        const double wa = value(t, COST, k, LAST_WEIGHT);
        const int lookahead = k_values(family)[k];
        if (lookahead <= 64)
            wm_report_shape(out, wa < tba, "%s, k=%d: cost falls from w=1 to w=3: %.4g, %.4g", name,
                            lookahead, tba, wa);
        else
            wm_report_shape(out, wa > 0.8 * tba && wa < 1.2 * tba,
                            "%s, k=%d: w has little effect on cost (20 %%): %.4g, %.4g", name,
                            lookahead, tba, wa);
    }
    double cheapest = value(t, COST, 0, FIRST);
    for (int w = 1; w < WEIGHTS; w++) {
        const double cost = value(t, COST, 0, w);
        if (cost < cheapest) cheapest = cost;
    }
    const double greedy = value(t, COST, 0, GREEDY);
    wm_report_shape(out, greedy <= cheapest, "%s, k=1: TB-GBFS is cheapest: %.4g, the best w %.4g",
                    name, greedy, cheapest);
    if (family == ROOMS)
        wm_report_shape(out, value(t, COST, 0, FIRST) > 5 * greedy,
                        "ROOMS, k=1: TB-GBFS is nearly 10 times cheaper than TBA* (more than 5): "
                        "%.1f times",
                        value(t, COST, 0, FIRST) / greedy);
}

static void judge_time(const table* t, FILE* out)
{
    const int family = t->family;
    const char* name = family_names[family];
    for (int k = 0; k < k_count(family); k++) {
        const double tba = value(t, TIME, k, FIRST);
        const double wa = value(t, TIME, k, LAST_WEIGHT);
        const double greedy = value(t, TIME, k, GREEDY);
        const int lookahead = k_values(family)[k];
        wm_report_shape(out, wa < tba && greedy < tba,
                        "%s, k=%d: TB-WA*(3) and TB-GBFS are faster than TBA*: %.3g, %.3g, %.3g ms",
                        name, lookahead, wa, greedy, tba);
        if (family == LARGE && lookahead > 128)
            wm_report_shape(out, 6 * wa <= tba && 6 * greedy <= tba,
                            "large, k=%d: at least 6 times faster: %.1f and %.1f times", lookahead,
                            tba / wa, tba / greedy);
    }
}

static void judge_moves(const table* t, FILE* out)
{
    const int family = t->family;
    const char* name = family_names[family];
    const int high = family == LARGE ? 512 : 256;
    const int last = k_count(family) - 1;
    for (int k = 0; k < k_count(family); k++) {
        const double tba = value(t, NON_OPTIMAL, k, FIRST);
        const double wa = value(t, NON_OPTIMAL, k, LAST_WEIGHT);
        if (k_values(family)[k] < high)
            wm_report_shape(out, wa < tba, "%s, k=%d: non-optimal moves fall with w: %.4g, %.4g",
                            name, k_values(family)[k], tba, wa);
    }
    const double fewest = value(t, NON_OPTIMAL, last, FIRST);
    const double middle = value(t, NON_OPTIMAL, last, LAST_WEIGHT);
    const double most = value(t, NON_OPTIMAL, last, GREEDY);
    wm_report_shape(out, fewest <= middle && middle <= most,
                    "%s, the highest k: TBA* has the fewest non-optimal moves, TB-GBFS the most: "
                    "%.4g, w=3 %.4g, %.4g",
                    name, fewest, middle, most);
    const double tba = value(t, BACK_SHARE, 0, FIRST);
    const double wa = value(t, BACK_SHARE, 0, LAST_WEIGHT);
    const double greedy = value(t, BACK_SHARE, 0, GREEDY);
    wm_report_shape(out, tba >= wa && wa >= greedy,
                    "%s, k=1: the share of back-moves is highest for TBA*, lowest for TB-GBFS: "
                    "%.3g, w=3 %.3g, %.3g %%",
                    name, tba, wa, greedy);
}

static void report_family(const wm_study* study, FILE* out, int family)
{
    for (int v = 0; v < VARIANTS; v++) {
        const table t = {study, (variant)v, family};
        for (int which = COST; which < FIGURES; which++) {
            print_figure(&t, out, (figure)which);
            draw_figure(&t, out, (figure)which);
        }
    }
}

static void judge_family(const wm_study* study, FILE* out, int family)
{
    for (int v = 0; v < VARIANTS; v++) {
        const table t = {study, (variant)v, family};
        fprintf(out, "\n%s, %s:\n\n", family_names[family], variant_names[v]);
        judge_cost(&t, out);
        judge_time(&t, out);
        judge_moves(&t, out);
    }
}

// Whether the maps of a family are stand-ins.
static bool is_generated(const wm_study* study, int family)
{
    for (uint32_t m = 0; m < study->map_count; m++) {
        if (study->maps[m].family == family) return wm_study_is_generated(&study->maps[m]);
    }
    return false;
}

static wm_status report(const wm_study* study, FILE* out, wm_error* error)
{
    (void)error;
    fprintf(out, "The paper gives no numbers for its figures, so that shapes are what can be "
                 "compared.\n\n");
    for (int f = 0; f < FAMILIES; f++) {
        if (is_generated(study, f))
            fprintf(out,
                    "The maps of the family %s are generated %s, because there is no folder %s "
                    "with maps.\n\n",
                    family_names[f], f == ROOMS ? "rooms" : "caves", folders[f]);
    }
    for (int f = 0; f < FAMILIES; f++) report_family(study, out, f);
    fprintf(out, "## Expected shapes\n");
    for (int f = 0; f < FAMILIES; f++) judge_family(study, out, f);
    fprintf(out, "\n");
    return WM_OK;
}

const wm_experiment wm_experiment_tb_static = {
    .name = "tb-static",
    .summary = "paper T, figures 1 to 4: time-bounded search over lookahead and weight",
    .diagonal = WM_DIAGONAL_NONE,
    .rules = WM_STUDY_BOTH_RULES,
    .why_diagonal = "The paper does not say which rule it has",
    .plan = plan,
    .add_maps = add_maps,
    .walk = wm_study_walk,
    .report = report,
};
