// SPDX-License-Identifier: MIT
//
// Paper P, figures 6 and 7: LRTA*, RTA* and PRTA* with three heuristics, RTAA*(k) and LRTA*_LS(k)
// with the high one, on unknown terrain with sight of the eight neighbours. The paper's figure has
// k = 10, its text says what smaller ones do. Starts lie in the first 20 columns, goals in the last
// 20. The paper's maps are not public; stand-ins are the three of
// wc3maps and one of bgmaps.
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "plot.h"
#include "rng.h"

#define CASES 1000
#define STRIP 20

enum { HIGH, MEDIUM, LOW, HEURISTICS };
enum { LRTA, RTA, PRTA, ALGORITHMS };
enum { RTAA, LRTA_LS, RIVALS };
#define FIRST_RIVAL (HEURISTICS * ALGORITHMS)

static const int lookaheads[] = {10, 5, 2, 1};
enum { PAPERS_K, LOOKAHEADS = 4 };

static const char* const heuristic_names[] = {"high", "medium", "low"};
static const char* const algorithm_names[] = {"LRTA*", "RTA*", "PRTA*"};
static const char* const rival_names[] = {"RTAA*", "LRTA*_LS"};

typedef enum measure { COST, EXPANSIONS, TIME, MEASURES } measure;

static const wm_study_measure study_measures[] = {WM_STUDY_COST, WM_STUDY_EXPANSIONS,
                                                  WM_STUDY_MILLISECONDS};
static const char* const measure_names[] = {"cost", "expansions", "time"};
static const char* const axis_names[] = {"mean cost", "mean expansions", "mean time per case, ms"};

typedef struct paper_row {
    double cost;
    double expansions;
    double milliseconds;
} paper_row;

// By setting, as far as the paper has it.
static const paper_row paper[] = {
    {1958, 1753, .23}, {1608, 1369, .21}, {599, 526, .13},   {3181, 2999, .33},
    {2700, 2330, .31}, {830, 774, .17},   {8093, 7736, .76}, {5778, 5105, .66},
    {3199, 3027, .48}, {613, 2399, .58},  {527, 2318, .78},
};

static wm_status add_setting(wm_study* study, const char* title, const char* spec, int heuristic,
                             wm_error* error)
{
    wm_study_setting setting = {.terrain = WM_TERRAIN_UNKNOWN,
                                .heuristic = (wm_heuristic)heuristic};
    snprintf(setting.label, sizeof setting.label, "%s %s", title, heuristic_names[heuristic]);
    snprintf(setting.spec, sizeof setting.spec, "%s", spec);
    return wm_study_add_setting(study, &setting, error);
}

static wm_status add_rival(wm_study* study, int rival, int k, wm_error* error)
{
    static const char* const specs[] = {"rtaa", "lrta-ls"};
    char title[32];
    char spec[32];
    snprintf(title, sizeof title, "%s(%d)", rival_names[rival], k);
    snprintf(spec, sizeof spec, "%s:k=%d", specs[rival], k);
    return add_setting(study, title, spec, HIGH, error);
}

// An open cell of the columns from `left` on; luck has many tries.
static wm_cell draw_cell(const wm_grid* grid, wm_rng* rng, int32_t left, int32_t columns)
{
    for (;;) {
        const wm_point p = {left + (int32_t)wm_rng_below(rng, (uint64_t)columns),
                            (int32_t)wm_rng_below(rng, (uint64_t)grid->height)};
        const wm_cell cell = wm_grid_cell(grid, p);
        if (wm_grid_is_open(grid, cell)) return cell;
    }
}

static bool has_open_cell(const wm_grid* grid, int32_t left, int32_t columns)
{
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        const int32_t x = wm_grid_point(grid, cell).x;
        if (x >= left && x < left + columns && wm_grid_is_open(grid, cell)) return true;
    }
    return false;
}

#define MAX_DRAWS 100000

static wm_status draw_cases(wm_problems* problems, const wm_grid* grid, const char* name,
                            size_t count, uint64_t seed, wm_error* error)
{
    const int32_t columns = grid->width < STRIP ? grid->width : STRIP;
    wm_rng rng = wm_rng_start(seed, 0);
    problems->list = calloc(count, sizeof *problems->list);
    if (problems->list == NULL) return wm_fail_memory(error, count * sizeof *problems->list);
    const bool possible =
        has_open_cell(grid, 0, columns) && has_open_cell(grid, grid->width - columns, columns);
    for (int draws = 0; possible && problems->count < count && draws < MAX_DRAWS; draws++) {
        const wm_cell start = draw_cell(grid, &rng, 0, columns);
        const wm_cell goal = draw_cell(grid, &rng, grid->width - columns, columns);
        if (start == goal || !wm_grid_connected(grid, start, goal)) continue;
        problems->list[problems->count].start = start;
        problems->list[problems->count++].goal = goal;
    }
    if (problems->count == count) return WM_OK;
    return wm_fail(error, WM_ERR_TOO_FEW, "%s has no ways from its first %d columns to its last",
                   name, STRIP);
}

static wm_status add_stand_in(wm_study* study, const char* name, wm_error* error)
{
    char path[4096];
    wm_map* map;
    wm_problems problems = {0};
    wm_map_config config = wm_map_config_default();
    config.diagonal = study->diagonal;
    snprintf(path, sizeof path, "%s/%s.map", study->options.maps, name);
    wm_status status = wm_map_load(&map, path, &config, error);
    if (status != WM_OK) return status;
    status = draw_cases(&problems, &map->grid, path, wm_study_scaled(study, CASES),
                        wm_study_map_seed(study), error);
    if (status == WM_OK) return wm_study_add_map(study, name, 0, map, &problems, error);
    wm_problems_free(&problems);
    wm_map_unload(map);
    return status;
}

static wm_status plan(wm_study* study, wm_error* error)
{
    static const char* const specs[] = {"lrta", "rta", "prta"};
    wm_status status = WM_OK;
    for (int h = 0; h < HEURISTICS; h++) {
        for (int a = 0; a < ALGORITHMS && status == WM_OK; a++)
            status = add_setting(study, algorithm_names[a], specs[a], h, error);
    }
    for (int i = 0; i < LOOKAHEADS * RIVALS && status == WM_OK; i++)
        status = add_rival(study, i % RIVALS, lookaheads[i / RIVALS], error);
    return status;
}

static wm_status add_maps(wm_study* study, wm_error* error)
{
    static const char* const maps[] = {"wc3maps/battleground", "wc3maps/divideandconquer",
                                       "wc3maps/icecrown", "bgmaps/AR0202SR"};
    if (study->options.maps == NULL)
        return wm_fail(error, WM_ERR_NOT_FOUND, "prta needs maps; name their folder with --maps");
    wm_status status = WM_OK;
    for (size_t i = 0; i < sizeof maps / sizeof maps[0] && status == WM_OK; i++)
        status = add_stand_in(study, maps[i], error);
    return status;
}

static double mean(const wm_study* study, uint32_t setting, measure which)
{
    return wm_study_mean(study, -1, setting, study_measures[which]);
}

static uint32_t setting_of(int heuristic, int algorithm)
{
    return (uint32_t)(heuristic * ALGORITHMS + algorithm);
}

static uint32_t rival_setting(int rival, int lookahead)
{
    return (uint32_t)(FIRST_RIVAL + lookahead * RIVALS + rival);
}

static void print_table(const wm_study* study, FILE* out)
{
    const uint32_t paper_rows = sizeof paper / sizeof paper[0];
    fprintf(out, "Means per case; the paper's in brackets, where it has them.\n\n"
                 "| setting | cost | expansions | ms |\n|---|---|---|---|\n");
    for (uint32_t s = 0; s < study->setting_count; s++) {
        const double cost = mean(study, s, COST);
        const double expansions = mean(study, s, EXPANSIONS);
        const double ms = mean(study, s, TIME);
        if (s < paper_rows)
            fprintf(out, "| %s | %.0f (%.0f) | %.0f (%.0f) | %.3f (%.2f) |\n",
                    study->settings[s].label, cost, paper[s].cost, expansions, paper[s].expansions,
                    ms, paper[s].milliseconds);
        else
            fprintf(out, "| %s | %.0f | %.0f | %.3f |\n", study->settings[s].label, cost,
                    expansions, ms);
    }
    fprintf(out, "\n");
}

// ---------------------------------------------------------------------------------------------
// Shapes, in the order of the paper

static void judge_order(const wm_study* study, FILE* out, int heuristic)
{
    for (int m = 0; m < MEASURES; m++) {
        const double lrta = mean(study, setting_of(heuristic, LRTA), (measure)m);
        const double rta = mean(study, setting_of(heuristic, RTA), (measure)m);
        const double prta = mean(study, setting_of(heuristic, PRTA), (measure)m);
        wm_report_shape(out, prta < rta && rta < lrta,
                        "heuristic %s: PRTA* < RTA* < LRTA* in %s: %.4g, %.4g, %.4g",
                        heuristic_names[heuristic], measure_names[m], prta, rta, lrta);
    }
}

static void judge_heuristics(const wm_study* study, FILE* out)
{
    const double prta_medium = mean(study, setting_of(MEDIUM, PRTA), COST);
    const double prta_low = mean(study, setting_of(LOW, PRTA), COST);
    const double lrta = mean(study, setting_of(HIGH, LRTA), COST);
    const double rta = mean(study, setting_of(HIGH, RTA), COST);
    const double lrta_medium = mean(study, setting_of(MEDIUM, LRTA), COST);
    wm_report_shape(out, prta_medium < lrta && prta_medium < rta,
                    "PRTA* with the medium heuristic is cheaper than LRTA* and RTA* with the high "
                    "one: %.0f, %.0f, %.0f",
                    prta_medium, lrta, rta);
    wm_report_shape(out, prta_low > 0.5 * lrta_medium && prta_low < 2 * lrta_medium,
                    "PRTA* with the low heuristic costs about what LRTA* does with the medium one "
                    "(within a factor of 2): %.0f, %.0f",
                    prta_low, lrta_medium);
}

// Those with the paper's k.
static void judge_rival(const wm_study* study, FILE* out, int rival)
{
    const uint32_t s = rival_setting(rival, PAPERS_K);
    double ratio[MEASURES];
    for (int m = 0; m < MEASURES; m++)
        ratio[m] = mean(study, s, (measure)m) / mean(study, setting_of(HIGH, PRTA), (measure)m);
    wm_report_shape(
        out,
        ratio[COST] > 0.85 && ratio[COST] < 1.15 && ratio[EXPANSIONS] > 4 && ratio[EXPANSIONS] < 5,
        "%s costs about as much as PRTA* (within 15 %%: %.2f times) with 4.4 to 4.6 times the "
        "expansions (4 to 5: %.1f)",
        study->settings[s].label, ratio[COST], ratio[EXPANSIONS]);
    wm_report_shape(out, ratio[TIME] > 4 && ratio[TIME] < 6.5,
                    "%s takes 4.5 to 6 times as long (4 to 6.5: %.1f; what an agent does to know "
                    "the terrain counts for all alike)",
                    study->settings[s].label, ratio[TIME]);
}

static void judge_smaller_lookaheads(const wm_study* study, FILE* out)
{
    const double prta = mean(study, setting_of(HIGH, PRTA), COST);
    for (int i = (PAPERS_K + 1) * RIVALS; i < LOOKAHEADS * RIVALS; i++) {
        const uint32_t s = rival_setting(i % RIVALS, i / RIVALS);
        const double cost = mean(study, s, COST);
        wm_report_shape(out, cost > prta, "%s costs more than PRTA*: %.0f, %.0f",
                        study->settings[s].label, cost, prta);
    }
}

static void judge(const wm_study* study, FILE* out)
{
    fprintf(out, "## Expected shapes\n\n");
    for (int h = 0; h < HEURISTICS; h++) judge_order(study, out, h);
    judge_heuristics(study, out);
    for (int r = 0; r < RIVALS; r++) judge_rival(study, out, r);
    judge_smaller_lookaheads(study, out);
    fprintf(out, "\n");
}

// ---------------------------------------------------------------------------------------------
// Figures

static void draw_figure6(const wm_study* study, FILE* out, measure which)
{
    char name[64];
    wm_plot plot;
    snprintf(name, sizeof name, "figure6-%s", measure_names[which]);
    wm_plot_begin(&plot, study, name,
                  &(wm_plot_axes){.title = "Figure 6: three heuristics",
                                  .x = "heuristic",
                                  .x_tics = "('high' 1, 'medium' 2, 'low' 3)",
                                  .y = axis_names[which],
                                  .log_y = true});
    for (int a = 0; a < ALGORITHMS; a++) {
        wm_plot_series(&plot, WM_PLOT_LINE, algorithm_names[a]);
        for (int h = 0; h < HEURISTICS; h++)
            wm_plot_point(&plot, h + 1, mean(study, setting_of(h, a), which));
    }
    wm_plot_end(&plot, out);
}

static void draw_figure7(const wm_study* study, FILE* out, measure which)
{
    char name[64];
    wm_plot plot;
    snprintf(name, sizeof name, "figure7-%s", measure_names[which]);
    wm_plot_begin(&plot, study, name,
                  &(wm_plot_axes){.title = "Figure 7: with the high heuristic",
                                  .x = "states looked at in a search, at most",
                                  .x_tics = "('1' 1, '1' 3, '2' 4, '5' 5, '10' 6, '1' 8, '2' 9, "
                                            "'5' 10, '10' 11)",
                                  .y = axis_names[which],
                                  .bar_width = 0.8});
    wm_plot_series(&plot, WM_PLOT_BARS, algorithm_names[PRTA]);
    wm_plot_point(&plot, 1, mean(study, setting_of(HIGH, PRTA), which));
    for (int r = 0; r < RIVALS; r++) {
        wm_plot_series(&plot, WM_PLOT_BARS, rival_names[r]);
        for (int l = 0; l < LOOKAHEADS; l++)
            wm_plot_point(&plot, 2 + r * (LOOKAHEADS + 1) + LOOKAHEADS - l,
                          mean(study, rival_setting(r, l), which));
    }
    wm_plot_end(&plot, out);
}

static wm_status report(const wm_study* study, FILE* out, wm_error* error)
{
    (void)error;
    print_table(study, out);
    judge(study, out);
    for (int m = 0; m < MEASURES; m++) draw_figure6(study, out, (measure)m);
    for (int m = 0; m < MEASURES; m++) draw_figure7(study, out, (measure)m);
    return WM_OK;
}

const wm_experiment wm_experiment_prta = {
    .name = "prta",
    .summary = "paper P, figures 6 and 7: LRTA*, RTA* and PRTA* with three heuristics on unknown "
               "terrain",
    .diagonal = WM_DIAGONAL_SQUEEZE,
    .rules = WM_STUDY_BOTH_RULES,
    .why_diagonal =
        "The paper names no rule, but lets an agent enter any unblocked neighbour, which "
        "is squeeze",
    .plan = plan,
    .add_maps = add_maps,
    .walk = wm_study_walk,
    .report = report,
};
