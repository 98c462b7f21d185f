// SPDX-License-Identifier: MIT
//
// Paper P, figures 6 and 7: LRTA*, RTA* and PRTA* with three heuristics, RTAA*(10) and
// LRTA*_LS(10), on unknown terrain with sight of the eight neighbours. Starts lie in the first 20
// columns, goals in the last 20. The paper's maps are not public; stand-ins are the three of
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
#define RTAA (HEURISTICS * ALGORITHMS)
#define LRTA_LS (RTAA + 1)

static const char* const heuristic_names[] = {"high", "medium", "low"};
static const char* const algorithm_names[] = {"LRTA*", "RTA*", "PRTA*"};

typedef struct paper_row {
    double cost;
    double expansions;
    double milliseconds;
} paper_row;

// By setting.
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
    if (status == WM_OK) status = add_setting(study, "RTAA*(10)", "rtaa:k=10", HIGH, error);
    if (status == WM_OK) status = add_setting(study, "LRTA*_LS(10)", "lrta-ls:k=10", HIGH, error);
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

static double mean(const wm_study* study, uint32_t setting, wm_study_measure measure)
{
    return wm_study_mean(study, -1, setting, measure);
}

static uint32_t setting_of(int heuristic, int algorithm)
{
    return (uint32_t)(heuristic * ALGORITHMS + algorithm);
}

static void print_table(const wm_study* study, FILE* out)
{
    fprintf(out, "Means per case; the paper's in brackets.\n\n"
                 "| setting | cost | expansions | ms |\n|---|---|---|---|\n");
    for (uint32_t s = 0; s < study->setting_count; s++)
        fprintf(out, "| %s | %.0f (%.0f) | %.0f (%.0f) | %.3f (%.2f) |\n", study->settings[s].label,
                mean(study, s, WM_STUDY_COST), paper[s].cost, mean(study, s, WM_STUDY_EXPANSIONS),
                paper[s].expansions, mean(study, s, WM_STUDY_MILLISECONDS), paper[s].milliseconds);
    fprintf(out, "\n");
}

static void judge_order(const wm_study* study, FILE* out, int heuristic)
{
    static const char* const names[] = {"cost", "expansions", "time"};
    static const wm_study_measure measures[] = {WM_STUDY_COST, WM_STUDY_EXPANSIONS,
                                                WM_STUDY_MILLISECONDS};
    for (int i = 0; i < 3; i++) {
        const double lrta = mean(study, setting_of(heuristic, LRTA), measures[i]);
        const double rta = mean(study, setting_of(heuristic, RTA), measures[i]);
        const double prta = mean(study, setting_of(heuristic, PRTA), measures[i]);
        wm_report_shape(out, prta < rta && rta < lrta,
                        "heuristic %s: PRTA* < RTA* < LRTA* in %s: %.4g, %.4g, %.4g",
                        heuristic_names[heuristic], names[i], prta, rta, lrta);
    }
}

static void judge(const wm_study* study, FILE* out)
{
    const double prta = mean(study, setting_of(HIGH, PRTA), WM_STUDY_COST);
    const double prta_medium = mean(study, setting_of(MEDIUM, PRTA), WM_STUDY_COST);
    const double prta_low = mean(study, setting_of(LOW, PRTA), WM_STUDY_COST);
    const double lrta = mean(study, setting_of(HIGH, LRTA), WM_STUDY_COST);
    const double rta = mean(study, setting_of(HIGH, RTA), WM_STUDY_COST);
    const double lrta_medium = mean(study, setting_of(MEDIUM, LRTA), WM_STUDY_COST);
    fprintf(out, "## Expected shapes\n\n");
    for (int h = 0; h < HEURISTICS; h++) judge_order(study, out, h);
    wm_report_shape(out, prta_medium < lrta && prta_medium < rta,
                    "PRTA* with the medium heuristic is cheaper than LRTA* and RTA* with the high "
                    "one: %.0f, %.0f, %.0f",
                    prta_medium, lrta, rta);
    wm_report_shape(out, prta_low > 0.5 * lrta_medium && prta_low < 2 * lrta_medium,
                    "PRTA* with the low heuristic costs about what LRTA* does with the medium one "
                    "(within a factor of 2): %.0f, %.0f",
                    prta_low, lrta_medium);
    const double expansions = mean(study, setting_of(HIGH, PRTA), WM_STUDY_EXPANSIONS);
    const double ms = mean(study, setting_of(HIGH, PRTA), WM_STUDY_MILLISECONDS);
    for (uint32_t s = RTAA; s <= LRTA_LS; s++) {
        const double ratio = mean(study, s, WM_STUDY_COST) / prta;
        const double more = mean(study, s, WM_STUDY_EXPANSIONS) / expansions;
        const double longer = mean(study, s, WM_STUDY_MILLISECONDS) / ms;
        wm_report_shape(
            out, ratio > 0.85 && ratio < 1.15 && more > 4 && more < 5,
            "%s costs about as much as PRTA* (within 15 %%: %.2f times) with 4.4 to 4.6 "
            "times the expansions (4 to 5: %.1f)",
            study->settings[s].label, ratio, more);
        wm_report_shape(out, longer > 4 && longer < 6.5,
                        "%s takes 4.5 to 6 times as long (4 to 6.5: %.1f; what an agent does to "
                        "know the terrain counts for all alike)",
                        study->settings[s].label, longer);
    }
}

static void draw(const wm_study* study, FILE* out)
{
    wm_plot plot;
    wm_plot_begin(&plot, study, "figure6",
                  &(wm_plot_axes){.title = "Figure 6: cost by heuristic (1 high, 2 medium, 3 low)",
                                  .x = "heuristic",
                                  .y = "mean cost",
                                  .log_y = true});
    for (int a = 0; a < ALGORITHMS; a++) {
        wm_plot_line(&plot, algorithm_names[a]);
        for (int h = 0; h < HEURISTICS; h++)
            wm_plot_point(&plot, h + 1, mean(study, setting_of(h, a), WM_STUDY_COST));
    }
    fprintf(out, "\n");
    wm_plot_end(&plot, out);
}

static wm_status report(const wm_study* study, FILE* out, wm_error* error)
{
    (void)error;
    print_table(study, out);
    judge(study, out);
    draw(study, out);
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
