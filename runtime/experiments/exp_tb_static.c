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
static const char* const large_maps[] = {"Cauldron",      "Expedition",   "Octopus",
                                         "PrimevalIsles", "TheFrozenSea", NULL};
static const wm_study_family families[] = {
    [BG] = {"bg512", SMALL_SIDE, NULL},
    [WC3] = {"wc3maps512", SMALL_SIDE, NULL},
    [ROOMS] = {"rooms", SMALL_SIDE, NULL},
    [LARGE] = {"sc1", LARGE_SIDE, large_maps},
};

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

static wm_status add_settings(wm_study* study, variant v, unsigned mask, const int* k, int count,
                              wm_error* error)
{
    wm_status status = WM_OK;
    for (int i = 0; i < count; i++) {
        for (int w = 0; w < COLUMNS && status == WM_OK; w++) {
            wm_study_setting setting = {
                .families = mask, .x = k[i], .y = w == GREEDY ? 0 : weights[w]};
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
        status = wm_study_add_family(study, &families[f], f, wm_study_scaled(study, CASES),
                                     &found[f], error);
        all += found[f];
    }
    if (status == WM_OK && all == 0 && study->options.maps != NULL)
        return wm_fail(
            error, WM_ERR_NOT_FOUND,
            "%s has none of the paper's maps in folders bg512, wc3maps512, rooms and sc1; name "
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

// What the paper leaves open: its search steps may or may not count those without a search.
static void print_steps(const table* t, FILE* out)
{
    static const int columns[] = {0, WEIGHTS - 1, GREEDY};
    static const char* const names[] = {"w=1", "w=3", "greedy"};
    fprintf(out,
            "Steps, %s, %s\n\n| k | search | longest step, ms (wall clock) | waits in a walk | "
            "expansions in a "
            "search step | expansions in a move |\n|---|---|---|---|---|---|\n",
            family_names[t->family], variant_names[t->v]);
    for (int i = 0; i < k_count(t->family) * 3; i++) {
        const uint32_t s = setting_of(t, i / 3, columns[i % 3]);
        const double expansions = wm_study_mean(t->study, t->family, s, WM_STUDY_EXPANSIONS);
        fprintf(out, "| %d | %s | %.3f | %.3g | %.4g | %.4g |\n", k_values(t->family)[i / 3],
                names[i % 3], wm_study_longest_step(t->study, t->family, s),
                wm_study_mean(t->study, t->family, s, WM_STUDY_WAITS),
                expansions / wm_study_mean(t->study, t->family, s, WM_STUDY_SEARCH_STEPS),
                expansions / wm_study_mean(t->study, t->family, s, WM_STUDY_MOVES));
    }
    fprintf(out, "\n");
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

enum { TBA = 0, LAST_WEIGHT = WEIGHTS - 1, LEAST_K = 0 };

#define SHARE_NOISE 1.0 // points
#define MIDDLE_K 64     // the largest that the paper takes together with the small ones
#define ALIKE 2.0

static const char* name_of(const table* t)
{
    return family_names[t->family];
}

static double gain(const table* t, figure which, int k)
{
    return value(t, which, k, TBA) / value(t, which, k, LAST_WEIGHT);
}

static void get_row(const table* t, figure which, int k, double* row)
{
    for (int w = 0; w < WEIGHTS; w++) row[w] = value(t, which, k, w);
}

static void report_falling(const table* t, FILE* out, figure which, int k, double noise)
{
    char what[128];
    double row[WEIGHTS];
    get_row(t, which, k, row);
    snprintf(what, sizeof what, "%s, k=%d: %s falls with w", name_of(t), k_values(t->family)[k],
             figure_names[which]);
    wm_report_falling(out, what, row, WEIGHTS, noise);
}

// The effect of w, strongest at the least k.
static void judge_strongest(const table* t, FILE* out, figure which)
{
    const int last = k_count(t->family) - 1;
    int strongest = 0;
    for (int k = 1; k <= last; k++) {
        if (gain(t, which, k) > gain(t, which, strongest)) strongest = k;
    }
    wm_report_shape(
        out, strongest == LEAST_K,
        "%s: w=1 by w=3 in %s is largest at k=%d: %.2f there, %.2f at k=%d, the largest "
        "is %.2f at k=%d",
        name_of(t), figure_names[which], k_values(t->family)[LEAST_K], gain(t, which, LEAST_K),
        gain(t, which, last), k_values(t->family)[last], gain(t, which, strongest),
        k_values(t->family)[strongest]);
}

// The least cost of a row; greedy search counts too.
static double cheapest(const table* t, int k)
{
    double least = value(t, COST, k, 0);
    for (int column = 1; column < COLUMNS; column++) {
        const double cost = value(t, COST, k, column);
        if (cost < least) least = cost;
    }
    return least;
}

static void judge_cost(const table* t, FILE* out)
{
    const char* name = name_of(t);
    for (int k = 0; k < k_count(t->family); k++) {
        const int lookahead = k_values(t->family)[k];
        const double tba = value(t, COST, k, TBA);
        const double wa = value(t, COST, k, LAST_WEIGHT);
        const double least = cheapest(t, k);
        if (lookahead <= MIDDLE_K)
            report_falling(t, out, COST, k, WM_NOISE);
        else
            wm_report_shape(out, wa > 0.8 * tba && wa < 1.2 * tba,
                            "%s, k=%d: w has little effect on cost (20 %%): %.4g, %.4g", name,
                            lookahead, tba, wa);
        if (lookahead >= MIDDLE_K)
            wm_report_shape(out, wa <= WM_NOISE * least,
                            "%s, k=%d: TB-WA*(3) is cheapest: %.4g, the least %.4g", name,
                            lookahead, wa, least);
    }
    judge_strongest(t, out, COST);
    const double greedy = value(t, COST, LEAST_K, GREEDY);
    wm_report_shape(out, greedy <= WM_NOISE * cheapest(t, LEAST_K),
                    "%s, k=1: TB-GBFS is cheapest: %.4g, the least %.4g", name, greedy,
                    cheapest(t, LEAST_K));
    if (t->family == ROOMS)
        wm_report_shape(out, value(t, COST, LEAST_K, TBA) > 5 * greedy,
                        "ROOMS, k=1: TB-GBFS is nearly 10 times cheaper than TBA* (more than 5): "
                        "%.1f times",
                        value(t, COST, LEAST_K, TBA) / greedy);
}

// How many of the settings with a weight above 1 are faster than greedy search with the same k.
static void judge_weighted_beside_greedy(const table* t, FILE* out)
{
    const int all = k_count(t->family) * LAST_WEIGHT;
    int faster = 0;
    for (int i = 0; i < all; i++) {
        const int k = i / LAST_WEIGHT;
        faster += value(t, TIME, k, 1 + i % LAST_WEIGHT) < value(t, TIME, k, GREEDY);
    }
    wm_report_shape(out, 2 * faster > all,
                    "%s: TB-WA* with w > 1 is mostly faster than TB-GBFS: in %d of %d settings",
                    name_of(t), faster, all);
}

static void judge_time(const table* t, FILE* out)
{
    const char* name = name_of(t);
    for (int k = 0; k < k_count(t->family); k++) {
        const double tba = value(t, TIME, k, TBA);
        const double wa = value(t, TIME, k, LAST_WEIGHT);
        const double greedy = value(t, TIME, k, GREEDY);
        const int lookahead = k_values(t->family)[k];
        report_falling(t, out, TIME, k, WM_TIME_NOISE);
        wm_report_shape(out, greedy < tba, "%s, k=%d: TB-GBFS is faster than TBA*: %.3g, %.3g ms",
                        name, lookahead, greedy, tba);
        if (t->family == LARGE && lookahead > 128)
            wm_report_shape(out, 6 * wa <= tba && 6 * greedy <= tba,
                            "large, k=%d: TB-WA*(3) and TB-GBFS are at least 6 times faster: %.1f "
                            "and %.1f times",
                            lookahead, tba / wa, tba / greedy);
    }
    judge_strongest(t, out, TIME);
    judge_weighted_beside_greedy(t, out);
}

static void judge_non_optimal(const table* t, FILE* out)
{
    const char* name = name_of(t);
    const int high = t->family == LARGE ? 512 : 256;
    const int last = k_count(t->family) - 1;
    for (int k = 0; k <= last; k++) {
        double row[WEIGHTS];
        get_row(t, NON_OPTIMAL, k, row);
        if (k_values(t->family)[k] < high)
            report_falling(t, out, NON_OPTIMAL, k, WM_NOISE);
        else
            wm_report_shape(out, !wm_falls(row, WEIGHTS, WM_NOISE),
                            "%s, k=%d: there non-optimal moves do not fall with w: %.4g, %.4g",
                            name, k_values(t->family)[k], row[TBA], row[LAST_WEIGHT]);
    }
    const double fewest = value(t, NON_OPTIMAL, last, TBA);
    const double middle = value(t, NON_OPTIMAL, last, LAST_WEIGHT);
    const double most = value(t, NON_OPTIMAL, last, GREEDY);
    wm_report_shape(out, fewest <= middle && middle <= most,
                    "%s, the highest k: TBA* has the fewest non-optimal moves, TB-GBFS the most: "
                    "%.4g, w=3 %.4g, %.4g",
                    name, fewest, middle, most);
    const double many = value(t, NON_OPTIMAL, LEAST_K, TBA);
    const double few = value(t, NON_OPTIMAL, LEAST_K, GREEDY);
    wm_report_shape(out, 2 * few < many,
                    "%s, k=1: TB-GBFS has few non-optimal moves (half of TBA*'s): %.4g, %.4g", name,
                    few, many);
}

static void judge_back_moves(const table* t, FILE* out)
{
    for (int k = 0; k < k_count(t->family); k++) {
        bool falling = true;
        for (int column = 1; column < COLUMNS; column++)
            falling = falling && value(t, BACK_SHARE, k, column) <=
                                     value(t, BACK_SHARE, k, column - 1) + SHARE_NOISE;
        wm_report_shape(out, falling,
                        "%s, k=%d: the share of back-moves falls from TBA* with w to TB-GBFS: "
                        "%.3g, w=3 %.3g, %.3g %%",
                        name_of(t), k_values(t->family)[k], value(t, BACK_SHARE, k, TBA),
                        value(t, BACK_SHARE, k, LAST_WEIGHT), value(t, BACK_SHARE, k, GREEDY));
    }
}

// How far two families are apart in what a search costs beside TBA* with the same k, at most.
static double difference(const table* a, const table* b)
{
    double most = 1;
    for (int i = 0; i < SMALL_K * (COLUMNS - 1); i++) {
        const int k = i / (COLUMNS - 1);
        const int column = 1 + i % (COLUMNS - 1);
        const double in_a = value(a, COST, k, column) / value(a, COST, k, TBA);
        const double in_b = value(b, COST, k, column) / value(b, COST, k, TBA);
        const double factor = in_a > in_b ? in_a / in_b : in_b / in_a;
        if (factor > most) most = factor;
    }
    return most;
}

static void judge_likeness(const wm_study* study, FILE* out)
{
    fprintf(out, "\nBetween families:\n\n");
    for (int v = 0; v < VARIANTS; v++) {
        const table bg = {study, (variant)v, BG};
        const table wc3 = {study, (variant)v, WC3};
        const double factor = difference(&bg, &wc3);
        wm_report_shape(out, factor < ALIKE,
                        "%s: WC3 looks like BG: costs beside those of TBA* differ by a factor of "
                        "%.2f at most (%.0f)",
                        variant_names[v], factor, ALIKE);
    }
}

static void report_family(const wm_study* study, FILE* out, int family)
{
    for (int v = 0; v < VARIANTS; v++) {
        const table t = {study, (variant)v, family};
        for (int which = COST; which < FIGURES; which++) {
            print_figure(&t, out, (figure)which);
            draw_figure(&t, out, (figure)which);
        }
        print_steps(&t, out);
    }
}

static void judge_family(const wm_study* study, FILE* out, int family)
{
    for (int v = 0; v < VARIANTS; v++) {
        const table t = {study, (variant)v, family};
        fprintf(out, "\n%s, %s:\n\n", family_names[family], variant_names[v]);
        judge_cost(&t, out);
        judge_time(&t, out);
        judge_non_optimal(&t, out);
        judge_back_moves(&t, out);
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
                    "with maps of the paper.\n\n",
                    family_names[f], f == ROOMS ? "rooms" : "caves", families[f].folder);
    }
    for (int f = 0; f < FAMILIES; f++) report_family(study, out, f);
    fprintf(
        out,
        "## Expected shapes\n\nA row falls with w if it falls from w=1 to w=3 and no step "
        "between raises it by more than %.0f %% (times %.0f %%, shares of back-moves %.0f point); "
        "what is cheapest may cost %.0f %% more than the least.\n",
        100 * (WM_NOISE - 1), 100 * (WM_TIME_NOISE - 1), SHARE_NOISE, 100 * (WM_NOISE - 1));
    for (int f = 0; f < FAMILIES; f++) judge_family(study, out, f);
    judge_likeness(study, out);
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
