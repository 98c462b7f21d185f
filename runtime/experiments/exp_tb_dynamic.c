// SPDX-License-Identifier: MIT
//
// Paper T, figures 5 and 6: repeated time-bounded search on a random map that changes every ten
// moves: cost and search time over the lookahead k and the weight w with lazy restarts, and the time
// of lazy beside eager restarts when every search runs to its end. All of it twice: without reopening,
// since figures 1 to 4 showed that the paper's numbers were made so, and with it, as its pseudo-code
// has it. Every setting meets the same changes on a problem; they are not part of its time. A walk
// fails when for a moment there is no path.
#include <math.h>

#include "alloc.h"
#include "changes.h"
#include "internal.h"
#include "plot.h"

#define CASES 100
#define FULL_SIDE 1000
#define LEAST_SIDE 60
#define BLOCKED_PERCENT 10
#define MOVES_PER_CHANGE 10
#define UNBOUNDED 1000000000 // the most that k may be: every search runs to its end

static const int rates[] = {1, 5, 10};
static const int lookaheads[] = {1, 4, 16, 64, 256};
static const double weights[] = {1.0, 1.4, 1.8, 2.2, 2.6, 3.0};
enum { RATES = 3, LOOKAHEADS = 5, WEIGHTS = 6 };

typedef enum restart { EAGER, LAZY, RESTARTS } restart;

static const char* const restart_names[] = {"eager", "lazy"};

enum {
    FIGURE5_SETTINGS = RATES * LOOKAHEADS * WEIGHTS,
    VARIANT_SETTINGS = FIGURE5_SETTINGS + RATES * RESTARTS * WEIGHTS,
};

typedef enum variant { KEEPING_CLOSED, REOPENING, VARIANTS } variant;
enum { SETTINGS = VARIANTS * VARIANT_SETTINGS };

static const char* const variant_names[] = {"without reopening", "reopening"};
static const char* const variant_suffixes[] = {"", "-reopening"}; // of the plots

// ---------------------------------------------------------------------------------------------
// Plan: for each variant the settings of figure 5, by rate, k and w; then those of figure 6, by rate,
// restart and w

static uint32_t figure5_setting(variant v, int rate, int k, int w)
{
    return (uint32_t)((int)v * VARIANT_SETTINGS + (rate * LOOKAHEADS + k) * WEIGHTS + w);
}

static uint32_t figure6_setting(variant v, int rate, restart kind, int w)
{
    return (uint32_t)((int)v * VARIANT_SETTINGS + FIGURE5_SETTINGS +
                      (rate * RESTARTS + (int)kind) * WEIGHTS + w);
}

// The index of a setting's change rate.
static int rate_of(uint32_t setting)
{
    const int s = (int)setting % VARIANT_SETTINGS;
    return s < FIGURE5_SETTINGS ? s / (LOOKAHEADS * WEIGHTS)
                                : (s - FIGURE5_SETTINGS) / (RESTARTS * WEIGHTS);
}

static wm_status add_setting(wm_study* study, variant v, int rate, int k, double weight,
                             restart kind, wm_error* error)
{
    wm_study_setting setting = {.x = rate, .y = weight};
    snprintf(setting.spec, sizeof setting.spec,
             "rtb-bfs:family=tb-wa:k=%d:w=%.1f:restart=%s:reopen=%d", k, weight,
             restart_names[kind], v == REOPENING);
    snprintf(setting.label, sizeof setting.label, "cr=%d k=%d w=%.1f %s %s", rate, k, weight,
             restart_names[kind], variant_names[v]);
    return wm_study_add_setting(study, &setting, error);
}

static wm_status add_settings(wm_study* study, variant v, wm_error* error)
{
    wm_status status = WM_OK;
    for (int i = 0; i < FIGURE5_SETTINGS && status == WM_OK; i++)
        status =
            add_setting(study, v, rates[i / WEIGHTS / LOOKAHEADS],
                        lookaheads[i / WEIGHTS % LOOKAHEADS], weights[i % WEIGHTS], LAZY, error);
    for (int i = 0; i < VARIANT_SETTINGS - FIGURE5_SETTINGS && status == WM_OK; i++)
        status = add_setting(study, v, rates[i / WEIGHTS / RESTARTS], UNBOUNDED,
                             weights[i % WEIGHTS], (restart)(i / WEIGHTS % RESTARTS), error);
    return status;
}

// A share of the problems gets that share of the map too, so that a look takes seconds.
static int32_t side_of(const wm_study* study)
{
    const double scale = study->options.scale;
    const double side = scale < 1 ? FULL_SIDE * sqrt(scale) : FULL_SIDE;
    return side < LEAST_SIDE ? LEAST_SIDE : (int32_t)side;
}

static wm_status plan(wm_study* study, wm_error* error)
{
    wm_status status = WM_OK;
    study->problems_per_job = 1;
    for (int v = 0; v < VARIANTS && status == WM_OK; v++)
        status = add_settings(study, (variant)v, error);
    return status;
}

static wm_status add_maps(wm_study* study, wm_error* error)
{
    const wm_study_recipe recipe = {WM_GENERATE_RANDOM, side_of(study), BLOCKED_PERCENT,
                                    WM_GENERATE_DEFAULT};
    return wm_study_add_generated(study, &recipe, 0, study->options.seed,
                                  wm_study_scaled(study, CASES), error);
}

// ---------------------------------------------------------------------------------------------
// Walk

// What the settings of one problem share.
typedef struct dynamic_world {
    wm_map* map; // a copy of the study's, which the other threads look at
    wm_changes changes;
    uint64_t clock_ns; // what reading the clock costs
    uint64_t seed;
    const wm_problem* problem;
} dynamic_world;

typedef struct dynamic_walk {
    const dynamic_world* world;
    wm_agent* agent;
    wm_status status;
    uint64_t plan_ns;
    uint64_t search_steps;
    double spent;                           // cost and waits
    wm_point visited[MOVES_PER_CHANGE + 1]; // since the last change, with the cell it found us on
    int moves;
} dynamic_walk;

static wm_status copy_map(wm_map** copy, const wm_map* map, wm_error* error)
{
    const wm_grid* grid = &map->grid;
    wm_map_config config = wm_map_config_default();
    config.diagonal = grid->diagonal;
    config.editable = true;
    uint8_t* open = wm_alloc(NULL, grid->cell_count, sizeof *open);
    if (open == NULL) return wm_fail_memory(error, grid->cell_count);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++)
        open[cell] = wm_grid_is_open(grid, cell);
    const wm_status status =
        wm_map_create(copy, open, grid->width, grid->height, (size_t)grid->width, &config, error);
    wm_release(NULL, open, grid->cell_count, sizeof *open);
    return status;
}

// A walk cannot be repeated cheaply, so one that had to wait for a processor would spoil the means.
// This clock is a slow one. The least of many readings is what it takes if nothing interferes.
static uint64_t measure_clock(void)
{
    enum { READINGS = 1000 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        const uint64_t begun = wm_race_thread_ns();
        const uint64_t taken = wm_race_thread_ns() - begun;
        if (taken < least) least = taken;
    }
    return least;
}

static uint64_t elapsed(const dynamic_world* world, uint64_t since)
{
    const uint64_t all = wm_race_thread_ns() - since;
    return all > world->clock_ns ? all - world->clock_ns : 0;
}

// The first touch of fresh memory costs more than the planning that happens to touch it.
static void touch_memory(const wm_agent* agent)
{
    enum { PAGE = 4096 };
    volatile uint8_t* bytes = agent->state;
    for (size_t i = 0; i < agent->state_bytes; i += PAGE) bytes[i] = bytes[i];
}

// Asks the cells, not the moves that searches go by.
static bool is_legal(const wm_map* map, wm_point a, wm_point b)
{
    const bool entered = abs(a.x - b.x) <= 1 && abs(a.y - b.y) <= 1 && wm_map_is_open(map, b);
    if (map->grid.diagonal == WM_DIAGONAL_SQUEEZE) return entered;
    return entered && wm_map_is_open(map, (wm_point){a.x, b.y}) &&
           wm_map_is_open(map, (wm_point){b.x, a.y});
}

// Plans and moves until the next change is due. Nothing else is done meanwhile, so that one reading
// of the clock serves for all of these moves.
static void walk_to_change(dynamic_walk* w, double limit)
{
    const uint64_t begun = wm_race_thread_ns();
    while (w->status == WM_OK && w->moves < MOVES_PER_CHANGE && w->spent <= limit) {
        const uint64_t expansions = w->agent->expansions;
        w->status = wm_agent_step(w->agent);
        w->search_steps += w->agent->expansions > expansions;
        const wm_point before = w->visited[w->moves];
        const wm_point now = wm_agent_position(w->agent);
        const bool moved = now.x != before.x || now.y != before.y;
        w->spent += now.x != before.x && now.y != before.y ? sqrt(2) : 1;
        if (moved) w->visited[++w->moves] = now;
    }
    w->plan_ns += elapsed(w->world, begun);
}

static wm_status check_moves(const dynamic_walk* w, const char* spec, wm_error* error)
{
    for (int i = 0; i < w->moves; i++) {
        const wm_point a = w->visited[i];
        const wm_point b = w->visited[i + 1];
        if (!is_legal(w->world->map, a, b))
            return wm_fail(error, WM_ERR_MISMATCH, "%s moved from %d,%d to %d,%d, which is blocked",
                           spec, (int)a.x, (int)a.y, (int)b.x, (int)b.y);
    }
    return w->status < 0
               ? wm_fail(error, w->status, "%s broke off: %s", spec, wm_status_name(w->status))
               : WM_OK;
}

static wm_status change_map(dynamic_world* world, dynamic_walk* w, wm_error* error)
{
    const wm_point here = w->visited[w->moves];
    const wm_cell keep_open[] = {world->problem->start, world->problem->goal,
                                 wm_grid_cell(&world->map->grid, here)};
    w->visited[0] = here;
    w->moves = 0;
    return wm_changes_apply(&world->changes, world->map, keep_open, 3, error);
}

static wm_status walk_to_end(dynamic_world* world, dynamic_walk* w, const char* spec,
                             wm_error* error)
{
    const wm_grid* grid = &world->map->grid;
    const double limit = WM_RACE_GIVE_UP * world->problem->optimal;
    w->visited[0] = wm_grid_point(grid, world->problem->start);
    const uint64_t begun = wm_race_thread_ns();
    w->status = wm_agent_begin(w->agent, w->visited[0], wm_grid_point(grid, world->problem->goal));
    w->plan_ns = elapsed(world, begun);
    for (;;) {
        walk_to_change(w, limit);
        wm_status status = check_moves(w, spec, error);
        if (status != WM_OK || w->status != WM_OK || w->spent > limit) return status;
        status = change_map(world, w, error);
        if (status != WM_OK) return status;
    }
}

static wm_study_result result_of(const dynamic_walk* w)
{
    const wm_agent_stats stats = wm_agent_statistics(w->agent);
    return (wm_study_result){.outcome = w->status == WM_ARRIVED   ? WM_RACE_SOLVED
                                        : w->status == WM_NO_PATH ? WM_RACE_NO_PATH
                                                                  : WM_RACE_GAVE_UP,
                             .optimal = w->world->problem->optimal,
                             .cost = stats.cost,
                             .moves = stats.moves,
                             .waits = stats.waits,
                             .search_steps = w->search_steps,
                             .expansions = stats.expansions,
                             .max_expansions_per_move = stats.max_expansions_per_move,
                             .back_moves = stats.back_moves,
                             .plan_ns = w->plan_ns};
}

static wm_status walk_setting(dynamic_world* world, const wm_study_setting* setting,
                              wm_study_result* result, wm_error* error)
{
    dynamic_walk w = {.world = world};
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = setting->spec;
    wm_changes_begin(&world->changes, (unsigned)setting->x, world->seed);
    wm_status status = wm_changes_revert(&world->changes, world->map, error);
    if (status == WM_OK) status = wm_agent_create(&w.agent, world->map, NULL, &config, error);
    if (status != WM_OK) return status;
    touch_memory(w.agent);
    status = walk_to_end(world, &w, setting->spec, error);
    *result = result_of(&w);
    wm_agent_destroy(w.agent);
    return status;
}

static wm_status walk_problem(const wm_study* study, uint32_t map, uint32_t problem,
                              dynamic_world* world, wm_study_results* results, wm_error* error)
{
    wm_status status = WM_OK;
    wm_rng rng = wm_rng_start(study->options.seed, problem);
    world->seed = wm_rng_next(&rng);
    world->problem = &study->maps[map].problems.list[problem];
    for (uint32_t s = 0; s < study->setting_count && status == WM_OK; s++) {
        wm_study_result result;
        status = walk_setting(world, &study->settings[s], &result, error);
        if (status != WM_OK) break;
        result.map = map;
        result.setting = s;
        result.problem = problem;
        status = wm_study_keep(results, &result);
    }
    return status;
}

static wm_status walk(const wm_study* study, uint32_t map, uint32_t first, uint32_t end,
                      wm_study_results* results, wm_error* error)
{
    dynamic_world world = {.clock_ns = measure_clock()};
    wm_status status = copy_map(&world.map, study->maps[map].map, error);
    if (status == WM_OK) status = wm_changes_create(&world.changes, world.map, error);
    for (uint32_t p = first; p < end && status == WM_OK; p++)
        status = walk_problem(study, map, p, &world, results, error);
    wm_changes_free(&world.changes);
    wm_map_unload(world.map);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Means

typedef enum measure { COST, TIME, EXPANSIONS, MEASURES } measure;

static const char* const measure_names[] = {"cost", "search time in ms", "expansions"};

// A failed walk is a short one, so the means are over the cases that no setting of a rate failed.
typedef struct digest {
    const wm_study* study;
    variant v;       // the one that is being reported
    uint8_t* failed; // per rate and case: some setting failed it
    size_t case_count;
    size_t solved[RATES];   // cases that all settings solved
    size_t failures[RATES]; // walks
    size_t walks[RATES];    // the failed ones too
    size_t worst[RATES];    // the most failures of one setting
    double sum[SETTINGS][MEASURES];
} digest;

static bool counts(const digest* d, const wm_study_result* r)
{
    return d->failed[(size_t)rate_of(r->setting) * d->case_count + r->problem] == 0;
}

static void find_failures(digest* d)
{
    size_t of_setting[SETTINGS] = {0};
    for (size_t i = 0; i < d->study->results.count; i++) {
        const wm_study_result* r = &d->study->results.list[i];
        const int rate = rate_of(r->setting);
        d->walks[rate]++;
        if (r->outcome == WM_RACE_SOLVED) continue;
        d->failed[(size_t)rate * d->case_count + r->problem] = 1;
        d->failures[rate]++;
        if (++of_setting[r->setting] > d->worst[rate]) d->worst[rate] = of_setting[r->setting];
    }
    for (size_t i = 0; i < RATES * d->case_count; i++)
        d->solved[i / d->case_count] += d->failed[i] == 0;
}

static wm_status digest_create(digest* d, const wm_study* study, wm_error* error)
{
    *d = (digest){.study = study, .case_count = study->maps[0].problems.count};
    d->failed = wm_alloc(NULL, d->case_count, RATES);
    if (d->failed == NULL) return wm_fail_memory(error, d->case_count * RATES);
    find_failures(d);
    for (size_t i = 0; i < study->results.count; i++) {
        const wm_study_result* r = &study->results.list[i];
        if (!counts(d, r)) continue;
        d->sum[r->setting][COST] += r->cost;
        d->sum[r->setting][TIME] += (double)r->plan_ns / 1e6;
        d->sum[r->setting][EXPANSIONS] += (double)r->expansions;
    }
    return WM_OK;
}

static void digest_free(digest* d)
{
    wm_release(NULL, d->failed, d->case_count, RATES);
}

static double mean_of(const digest* d, uint32_t setting, measure which)
{
    const size_t cases = d->solved[rate_of(setting)];
    return cases == 0 ? 0 : d->sum[setting][which] / (double)cases;
}

static double figure5(const digest* d, measure which, int rate, int k, int w)
{
    return mean_of(d, figure5_setting(d->v, rate, k, w), which);
}

// Lazy beside eager.
static double figure6(const digest* d, measure which, int rate, int w)
{
    const double eager = mean_of(d, figure6_setting(d->v, rate, EAGER, w), which);
    return eager > 0 ? mean_of(d, figure6_setting(d->v, rate, LAZY, w), which) / eager : 0;
}

// ---------------------------------------------------------------------------------------------
// Tables

static void print_head(FILE* out, const char* corner)
{
    fprintf(out, "| %s |", corner);
    for (int w = 0; w < WEIGHTS; w++) fprintf(out, " w=%.1f |", weights[w]);
    fprintf(out, "\n|---|---|---|---|---|---|---|\n");
}

static void print_failures(const digest* d, FILE* out)
{
    fprintf(out, "| cr | walks | failed | most of one setting | cases that all settings solved |\n"
                 "|---|---|---|---|---|\n");
    for (int r = 0; r < RATES; r++)
        fprintf(out, "| %d %% | %zu | %zu | %zu | %zu of %zu |\n", rates[r], d->walks[r],
                d->failures[r], d->worst[r], d->solved[r], d->case_count);
    fprintf(out, "\nAll means are over the cases that all settings of the same change rate "
                 "solved.\n\n");
}

static void print_figure5(const digest* d, FILE* out, int rate, measure which)
{
    fprintf(out, "Figure 5: mean %s, cr = %d %%, %s\n\n", measure_names[which], rates[rate],
            variant_names[d->v]);
    print_head(out, "k");
    for (int k = 0; k < LOOKAHEADS; k++) {
        fprintf(out, "| %d |", lookaheads[k]);
        for (int w = 0; w < WEIGHTS; w++) fprintf(out, " %.4g |", figure5(d, which, rate, k, w));
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
}

static void draw_figure5(const digest* d, FILE* out, int rate, measure which)
{
    char name[64];
    char title[128];
    char axis[64];
    wm_plot plot;
    snprintf(name, sizeof name, "figure5-cr%d-%s%s", rates[rate], which == COST ? "cost" : "time",
             variant_suffixes[d->v]);
    snprintf(title, sizeof title, "Figure 5: cr = %d %%, %s", rates[rate], variant_names[d->v]);
    snprintf(axis, sizeof axis, "mean %s", measure_names[which]);
    wm_plot_begin(&plot, d->study, name,
                  &(wm_plot_axes){.title = title, .x = "w", .y = axis, .log_y = true});
    for (int k = 0; k < LOOKAHEADS; k++) {
        char line[32];
        snprintf(line, sizeof line, "k=%d", lookaheads[k]);
        wm_plot_series(&plot, WM_PLOT_LINE, line);
        for (int w = 0; w < WEIGHTS; w++)
            wm_plot_point(&plot, weights[w], figure5(d, which, rate, k, w));
    }
    wm_plot_end(&plot, out);
}

static void print_figure6(const digest* d, FILE* out, measure which)
{
    fprintf(out, "Figure 6: mean %s, lazy / eager, every search to its end, %s\n\n",
            measure_names[which], variant_names[d->v]);
    print_head(out, "cr");
    for (int r = 0; r < RATES; r++) {
        fprintf(out, "| %d %% |", rates[r]);
        for (int w = 0; w < WEIGHTS; w++) fprintf(out, " %.3f |", figure6(d, which, r, w));
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
}

static void draw_figure6(const digest* d, FILE* out)
{
    char name[64];
    char title[128];
    wm_plot plot;
    snprintf(name, sizeof name, "figure6%s", variant_suffixes[d->v]);
    snprintf(title, sizeof title, "Figure 6: every search to its end, %s", variant_names[d->v]);
    wm_plot_begin(&plot, d->study, name,
                  &(wm_plot_axes){.title = title, .x = "w", .y = "search time, lazy / eager"});
    for (int r = 0; r < RATES; r++) {
        char line[32];
        snprintf(line, sizeof line, "cr=%d", rates[r]);
        wm_plot_series(&plot, WM_PLOT_LINE, line);
        for (int w = 0; w < WEIGHTS; w++) wm_plot_point(&plot, weights[w], figure6(d, TIME, r, w));
    }
    wm_plot_end(&plot, out);
}

// ---------------------------------------------------------------------------------------------
// Shapes, in the order of the paper

enum { FIRST_WEIGHT = 0, LEAST_K = 0, SECOND_K = 1 };

#define CLEARLY_LESS 0.9
#define NEARLY_FLAT 1.2

static void judge_restarts(const digest* d, FILE* out, int rate)
{
    double worst = 0;
    double worst_expansions = 0;
    for (int w = 0; w < WEIGHTS; w++) {
        const double time = figure6(d, TIME, rate, w);
        const double expansions = figure6(d, EXPANSIONS, rate, w);
        if (time > worst) worst = time;
        if (expansions > worst_expansions) worst_expansions = expansions;
    }
    wm_report_shape(
        out, worst > 0 && worst < CLEARLY_LESS,
        "cr=%d: lazy restarts take clearly less time than eager ones for every w (below "
        "%.1f): at most %.3f; of the expansions at most %.3f",
        rates[rate], CLEARLY_LESS, worst, worst_expansions);
}

static void judge_weight(const digest* d, FILE* out, int rate, measure which)
{
    for (int k = 0; k < LOOKAHEADS; k++) {
        char what[128];
        double row[WEIGHTS];
        for (int w = 0; w < WEIGHTS; w++) row[w] = figure5(d, which, rate, k, w);
        snprintf(what, sizeof what, "cr=%d, k=%d: %s falls with w", rates[rate], lookaheads[k],
                 measure_names[which]);
        wm_report_falling(out, what, row, WEIGHTS, which == TIME ? WM_TIME_NOISE : WM_NOISE);
    }
}

// The index of the lookahead with the least mean.
static int best_lookahead(const digest* d, measure which, int rate, int w)
{
    int best = 0;
    for (int k = 1; k < LOOKAHEADS; k++) {
        if (figure5(d, which, rate, k, w) < figure5(d, which, rate, best, w)) best = k;
    }
    return best;
}

static void judge_best(const digest* d, FILE* out, int rate, measure which, int w, int expected)
{
    const int best = best_lookahead(d, which, rate, w);
    wm_report_shape(out, best == expected && d->solved[rate] > 0,
                    "cr=%d, w=%.1f: best %s at k=%d: %.4g; the best is %.4g at k=%d", rates[rate],
                    weights[w], measure_names[which], lookaheads[expected],
                    figure5(d, which, rate, expected, w), figure5(d, which, rate, best, w),
                    lookaheads[best]);
}

static void judge_flatness(const digest* d, FILE* out, int rate, int w)
{
    double least = figure5(d, COST, rate, 0, w);
    double most = least;
    for (int k = 1; k < LOOKAHEADS; k++) {
        const double cost = figure5(d, COST, rate, k, w);
        if (cost < least) least = cost;
        if (cost > most) most = cost;
    }
    wm_report_shape(out, least > 0 && most <= NEARLY_FLAT * least,
                    "cr=%d, w=%.1f: cost is nearly the same for every k (%.0f %%): %.4g to %.4g",
                    rates[rate], weights[w], 100 * (NEARLY_FLAT - 1), least, most);
}

// Best of all means fastest without being much dearer than the cheapest.
static void judge_overall(const digest* d, FILE* out, int rate)
{
    int best_k = 0;
    int best_w = 0;
    double cheapest = figure5(d, COST, rate, 0, 0);
    for (int i = 0; i < LOOKAHEADS * WEIGHTS; i++) {
        const int k = i / WEIGHTS;
        const int w = i % WEIGHTS;
        const double cost = figure5(d, COST, rate, k, w);
        if (cost < cheapest) cheapest = cost;
        if (figure5(d, TIME, rate, k, w) < figure5(d, TIME, rate, best_k, best_w)) {
            best_k = k;
            best_w = w;
        }
    }
    const double cost = figure5(d, COST, rate, best_k, best_w);
    wm_report_shape(
        out, best_k == LEAST_K && best_w > FIRST_WEIGHT && cost <= NEARLY_FLAT * cheapest,
        "cr=%d: k=1 with w>1 is best of all: the fastest is k=%d, w=%.1f with %.3g ms, "
        "its cost %.4g, the cheapest %.4g (within %.0f %%)",
        rates[rate], lookaheads[best_k], weights[best_w], figure5(d, TIME, rate, best_k, best_w),
        cost, cheapest, 100 * (NEARLY_FLAT - 1));
}

static void judge_rate(const digest* d, FILE* out, int rate)
{
    fprintf(out, "\ncr = %d %%, %s:\n\n", rates[rate], variant_names[d->v]);
    judge_restarts(d, out, rate);
    judge_weight(d, out, rate, COST);
    judge_weight(d, out, rate, TIME);
    judge_best(d, out, rate, COST, FIRST_WEIGHT, LOOKAHEADS - 1);
    judge_best(d, out, rate, TIME, FIRST_WEIGHT, SECOND_K);
    for (int w = 1; w < WEIGHTS; w++) judge_flatness(d, out, rate, w);
    for (int w = 1; w < WEIGHTS; w++) judge_best(d, out, rate, TIME, w, LEAST_K);
    judge_overall(d, out, rate);
}

// ---------------------------------------------------------------------------------------------

static void report_variant(const digest* d, FILE* out)
{
    for (int r = 0; r < RATES; r++) {
        for (int which = COST; which < MEASURES; which++) {
            print_figure5(d, out, r, (measure)which);
            if (which != EXPANSIONS) draw_figure5(d, out, r, (measure)which);
        }
    }
    print_figure6(d, out, TIME);
    draw_figure6(d, out);
    print_figure6(d, out, EXPANSIONS);
}

static wm_status report(const wm_study* study, FILE* out, wm_error* error)
{
    digest d;
    const wm_status status = digest_create(&d, study, error);
    if (status != WM_OK) return status;
    fprintf(out,
            "The map is a generated one. All is walked without reopening (`reopen=0`), which "
            "`tb-static` "
            "shows to fit the paper's figures, and with it, as the paper's pseudo-code has it. "
            "Every %d "
            "moves cr/2 %% of the originally open cells are blocked and cr/2 %% of the originally "
            "blocked ones opened, and those of the change before are as they were; start, goal and "
            "the agent's cell stay open. A walk fails when there is no path at some moment, or "
            "when it costs %d times the optimum of the original map.\n\n",
            MOVES_PER_CHANGE, WM_RACE_GIVE_UP);
    print_failures(&d, out);
    for (int v = 0; v < VARIANTS; v++) {
        d.v = (variant)v;
        report_variant(&d, out);
    }
    fprintf(out,
            "## Expected shapes\n\nA row falls with w if it falls from w=1 to w=3 and no step "
            "between raises it by more than %.0f %% (times %.0f %%).\n",
            100 * (WM_NOISE - 1), 100 * (WM_TIME_NOISE - 1));
    for (int i = 0; i < VARIANTS * RATES; i++) {
        d.v = (variant)(i / RATES);
        judge_rate(&d, out, i % RATES);
    }
    digest_free(&d);
    return WM_OK;
}

const wm_experiment wm_experiment_tb_dynamic = {
    .name = "tb-dynamic",
    .needs_no_maps = true,
    .summary = "paper T, figures 5 and 6: repeated time-bounded search on a map that changes",
    .diagonal = WM_DIAGONAL_NONE,
    .rules = WM_STUDY_BOTH_RULES,
    .why_diagonal = "The paper does not say which rule it has",
    .plan = plan,
    .add_maps = add_maps,
    .walk = walk,
    .report = report,
};
