// SPDX-License-Identifier: MIT
//
// Paper K, table 1 and figure 8: kNN LRTA* with databases of 1000, 5000 and 10,000 records, D LRTA*
// at the levels 3, 5, 6 and 7, and LRTA*, on random problems of optimal cost 100 to 150. The paper
// does not name its maps; stand-ins are five of bgmaps and three of wc3maps.
#include <stdlib.h>

#include "internal.h"
#include "methods/d_lrta_method.h"
#include "methods/knn_method.h"
#include "plot.h"

#define PROBLEMS 128

typedef struct paper_row {
    const char* label;
    const char* spec;
    uint32_t records; // of a kNN database; 0 for none
    uint32_t level;   // of a D LRTA* database; 0 for none
    double minutes;
    double size;
    double suboptimality;
    double expansions_per_move;
} paper_row;

// In the order of the paper.
static const paper_row rows[] = {
    {"LRTA*", "lrta:d=3", 0, 0, 0, 0, 447.95, 20.44},
    {"kNN 1000", "knn-lrta", 1000, 0, .62, .09, 49.91, 42.68},
    {"kNN 5000", "knn-lrta", 5000, 0, 3.08, .46, 27.24, 28.54},
    {"kNN 10000", "knn-lrta", 10000, 0, 6.23, .92, 19.52, 25.11},
    {"D LRTA* 7", "d-lrta", 0, 7, .29, 1.06, 55.87, 20.34},
    {"D LRTA* 6", "d-lrta", 0, 6, .35, 1.14, 22.57, 20.14},
    {"D LRTA* 5", "d-lrta", 0, 5, .50, 1.39, 13.35, 19.98},
    {"D LRTA* 3", "d-lrta", 0, 3, 1.91, 8.22, 10.13, 17.50},
};
enum { LRTA, KNN_1000, KNN_5000, KNN_10000, D_7, D_6, D_5, D_3, ROWS };

// ---------------------------------------------------------------------------------------------
// Walking

typedef struct database {
    wm_buffer blob;
    uint64_t numbers;  // as the paper counts them
    uint64_t build_ns; // on the thread that asks for it
} database;

static wm_status build_knn(database* db, const wm_study* study, const wm_grid* grid,
                           uint32_t records, wm_error* error)
{
    const wm_knn_build_options options = {
        .parameters = {.total = records, .shard = 1, .shards = 1, .seed = study->options.seed},
        .threads = 1};
    wm_knn knn;
    wm_status status = wm_knn_build(&knn, grid, &options, "the map", error);
    if (status != WM_OK) return status;
    db->numbers = wm_knn_numbers(&knn);
    status = wm_knn_seal(&db->blob, NULL, &knn);
    wm_knn_free(&knn);
    return status;
}

static wm_status build_d_lrta(database* db, const wm_grid* grid, uint32_t level, wm_error* error)
{
    const wm_d_lrta_options options = {.level = level, .threads = 1};
    wm_d_lrta d_lrta;
    wm_status status = wm_d_lrta_build(&d_lrta, grid, &options, "the map", error);
    if (status != WM_OK) return status;
    db->numbers = wm_d_lrta_numbers(&d_lrta);
    status = wm_d_lrta_seal(&db->blob, NULL, &d_lrta);
    wm_d_lrta_free(&d_lrta);
    return status;
}

static wm_status build(database* db, const wm_study* study, const wm_grid* grid,
                       const paper_row* row, wm_error* error)
{
    const uint64_t begun = wm_race_thread_ns(); // other programs do not lengthen it
    wm_status status = WM_OK;
    if (row->records > 0) status = build_knn(db, study, grid, row->records, error);
    if (row->level > 0) status = build_d_lrta(db, grid, row->level, error);
    db->build_ns = wm_race_thread_ns() - begun;
    return status;
}

static wm_status walk_row(const wm_study* study, uint32_t map, uint32_t first, uint32_t end,
                          uint32_t row, wm_study_results* results, wm_error* error)
{
    const wm_study_map* m = &study->maps[map];
    const wm_db_config db_config = wm_db_config_default();
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = rows[row].spec;
    database built = {0};
    wm_race race = {0};
    wm_db* db = NULL;
    wm_agent* agent = NULL;
    wm_status status = build(&built, study, &m->map->grid, &rows[row], error);
    if (status == WM_OK && built.blob.size > 0)
        status =
            wm_db_open_memory(&db, m->map, built.blob.data, built.blob.size, &db_config, error);
    if (status == WM_OK) status = wm_agent_create(&agent, m->map, db, &config, error);
    if (status == WM_OK) status = wm_race_create(&race, m->map, WM_RACE_GIVE_UP, false, error);
    for (uint32_t p = first; p < end && status == WM_OK; p++) {
        const wm_problem* problem = &m->problems.list[p];
        wm_race_run run;
        status = wm_race_set_problem(&race, wm_grid_point(&m->map->grid, problem->start),
                                     wm_grid_point(&m->map->grid, problem->goal), error);
        if (status == WM_OK) status = wm_race_walk(&race, agent, &run, NULL, error);
        if (status != WM_OK) break;
        wm_study_result result = wm_study_result_of(map, row, p, &run);
        result.numbers = built.numbers;
        result.stored_bytes = built.blob.size;
        result.build_ns = built.build_ns;
        status = wm_study_keep(results, &result);
    }
    wm_race_free(&race);
    wm_agent_destroy(agent);
    wm_db_close(db);
    wm_buffer_free(&built.blob);
    return status;
}

static wm_status walk(const wm_study* study, uint32_t map, uint32_t first, uint32_t end,
                      wm_study_results* results, wm_error* error)
{
    wm_status status = WM_OK;
    for (uint32_t row = 0; row < ROWS && status == WM_OK; row++)
        status = walk_row(study, map, first, end, row, results, error);
    return status;
}

static wm_status add_map(wm_study* study, const char* name, wm_error* error)
{
    char path[4096];
    wm_map* map;
    wm_problems problems = {0};
    wm_map_config config = wm_map_config_default();
    config.diagonal = study->diagonal;
    snprintf(path, sizeof path, "%s/%s.map", study->options.maps, name);
    wm_status status = wm_map_load(&map, path, &config, error);
    if (status != WM_OK) return status;
    const wm_problem_range range = {.count = wm_study_scaled(study, PROBLEMS),
                                    .min_cost = 100 * WM_COST_STRAIGHT,
                                    .max_cost = 150 * WM_COST_STRAIGHT,
                                    .seed = study->options.seed};
    status = wm_problems_draw(&problems, &map->grid, &range, path, error);
    if (status == WM_OK) return wm_study_add_map(study, name, 0, map, &problems, error);
    wm_map_unload(map);
    return status;
}

static wm_status plan(wm_study* study, wm_error* error)
{
    wm_status status = WM_OK;
    for (int i = 0; i < ROWS && status == WM_OK; i++) {
        wm_study_setting setting = {.x = rows[i].records, .y = rows[i].level};
        snprintf(setting.label, sizeof setting.label, "%s", rows[i].label);
        snprintf(setting.spec, sizeof setting.spec, "%s", rows[i].spec);
        status = wm_study_add_setting(study, &setting, error);
    }
    study->problems_per_job = PROBLEMS; // a map's databases are built once
    return status;
}

static wm_status add_maps(wm_study* study, wm_error* error)
{
    static const char* const maps[] = {
        "bgmaps/AR0202SR", "bgmaps/AR0400SR",      "bgmaps/AR0404SR",  "bgmaps/AR0411SR",
        "bgmaps/AR0603SR", "wc3maps/battleground", "wc3maps/icecrown", "wc3maps/divideandconquer",
    };
    if (study->options.maps == NULL)
        return wm_fail(error, WM_ERR_NOT_FOUND,
                       "knn-table1 needs maps; name their folder with --maps");
    wm_status status = WM_OK;
    for (size_t i = 0; i < sizeof maps / sizeof maps[0] && status == WM_OK; i++)
        status = add_map(study, maps[i], error);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Report

static double mean(const wm_study* study, uint32_t row, wm_study_measure measure)
{
    return wm_study_mean(study, -1, row, measure);
}

// Stored numbers over cells, and seconds to build: per map, so that all maps count alike.
static double size_of(const wm_study* study, uint32_t row)
{
    return mean(study, row, WM_STUDY_SIZE);
}

static void print_table(const wm_study* study, FILE* out)
{
    fprintf(out, "m = 25, d = 3, k = 1. size: stored numbers over cells of the map "
                 "(3 N for kNN, V + V_l^2 for D LRTA*); bytes: as packed into a file, and these by "
                 "the bytes of the map's file; states per move: mean over problems. The "
                 "paper's numbers in brackets; its minutes are MATLAB times divided by 16.4.\n\n"
                 "| algorithm | build s (min) | size | bytes | bytes by map's | suboptimality %% | "
                 "states per move |\n|---|---|---|---|---|---|---|\n");
    for (uint32_t row = 0; row < ROWS; row++)
        fprintf(out,
                "| %s | %.3f (%.2f) | %.2f (%.2f) | %.0f | %.2f | %.2f (%.2f) | %.2f (%.2f) |\n",
                rows[row].label, mean(study, row, WM_STUDY_BUILD_SECONDS), rows[row].minutes,
                size_of(study, row), rows[row].size, mean(study, row, WM_STUDY_STORED_BYTES),
                mean(study, row, WM_STUDY_STORED_SIZE), mean(study, row, WM_STUDY_SUBOPTIMALITY),
                rows[row].suboptimality, mean(study, row, WM_STUDY_EXPANSIONS_PER_MOVE),
                rows[row].expansions_per_move);
    fprintf(out, "\n");
}

// Whether a measure falls from one row to another, which may be the upper one.
static void judge_falling(const wm_study* study, FILE* out, const char* claim,
                          wm_study_measure measure, int from, int to)
{
    double values[ROWS];
    int count = 0;
    const int step = from < to ? 1 : -1;
    for (int row = from; row != to + step; row += step)
        values[count++] = mean(study, (uint32_t)row, measure);
    wm_report_falling(out, claim, values, count, 1);
}

#define CLAIMED_SIZE 70.0 // by the map: the most that the paper says of D LRTA*'s databases

static void judge_largest(const wm_study* study, FILE* out)
{
    const wm_study_result* largest = NULL;
    double most = 0;
    for (size_t i = 0; i < study->results.count; i++) {
        const wm_study_result* r = &study->results.list[i];
        const double size = (double)r->numbers / (double)study->maps[r->map].map->grid.cell_count;
        if (r->setting < D_7 || (largest != NULL && size <= most)) continue;
        largest = r;
        most = size;
    }
    if (largest == NULL) return;
    wm_report_shape(out, most > CLAIMED_SIZE / 2 && most < 2 * CLAIMED_SIZE,
                    "D LRTA*: databases take up to 70 times the map (within a factor of 2): %.1f "
                    "times, %s on %s",
                    most, rows[largest->setting].label, study->maps[largest->map].name);
}

static void judge(const wm_study* study, FILE* out)
{
    fprintf(out, "## Expected shapes\n\n");
    judge_falling(study, out, "kNN: suboptimality falls with N", WM_STUDY_SUBOPTIMALITY, KNN_1000,
                  KNN_10000);
    judge_falling(study, out, "D LRTA*: suboptimality falls with the level", WM_STUDY_SUBOPTIMALITY,
                  D_7, D_3);
    judge_falling(study, out, "kNN: states per move fall with N", WM_STUDY_EXPANSIONS_PER_MOVE,
                  KNN_1000, KNN_10000);
    const double knn = mean(study, KNN_10000, WM_STUDY_SUBOPTIMALITY);
    const double d_6 = mean(study, D_6, WM_STUDY_SUBOPTIMALITY);
    wm_report_shape(out, knn < d_6 && size_of(study, KNN_10000) < size_of(study, D_6),
                    "kNN 10000 is smaller and better than D LRTA* 6: size %.2f and %.2f, %.2f and "
                    "%.2f %%",
                    size_of(study, KNN_10000), size_of(study, D_6), knn, d_6);
    double least_knn = mean(study, KNN_1000, WM_STUDY_EXPANSIONS_PER_MOVE);
    double most_d = 0;
    for (uint32_t row = KNN_1000; row <= D_3; row++) {
        const double states = mean(study, row, WM_STUDY_EXPANSIONS_PER_MOVE);
        if (row <= KNN_10000 && states < least_knn) least_knn = states;
        if (row > KNN_10000 && states > most_d) most_d = states;
    }
    wm_report_shape(out, least_knn > most_d,
                    "kNN looks at more states per move than D LRTA* in every setting: %.1f at "
                    "least, %.1f at most",
                    least_knn, most_d);
    judge_falling(study, out, "D LRTA*: seconds to build fall from level 3 to 5, 6 and 7",
                  WM_STUDY_BUILD_SECONDS, D_3, D_7);
    judge_largest(study, out);
    const double ratio = mean(study, KNN_10000, WM_STUDY_BUILD_SECONDS) /
                         mean(study, KNN_1000, WM_STUDY_BUILD_SECONDS);
    wm_report_shape(out, ratio > 5 && ratio < 20,
                    "kNN: building time is linear in N (10 times the records: %.1f times)", ratio);
}

static void draw(const wm_study* study, FILE* out)
{
    wm_plot plot;
    wm_plot_begin(&plot, study, "figure8",
                  &(wm_plot_axes){.title = "Figure 8: suboptimality by size of the database",
                                  .x = "stored numbers over cells of the map",
                                  .y = "mean suboptimality, %",
                                  .log_x = true,
                                  .log_y = true});
    wm_plot_series(&plot, WM_PLOT_LINE, "kNN LRTA*");
    for (uint32_t row = KNN_1000; row <= KNN_10000; row++)
        wm_plot_point(&plot, size_of(study, row), mean(study, row, WM_STUDY_SUBOPTIMALITY));
    wm_plot_series(&plot, WM_PLOT_LINE, "D LRTA*");
    for (uint32_t row = D_7; row <= D_3; row++)
        wm_plot_point(&plot, size_of(study, row), mean(study, row, WM_STUDY_SUBOPTIMALITY));
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

const wm_experiment wm_experiment_knn_table1 = {
    .name = "knn-table1",
    .summary = "paper K, table 1 and figure 8: kNN LRTA* and D LRTA* beside LRTA*",
    .diagonal = WM_DIAGONAL_NONE,
    .rules = WM_STUDY_BOTH_RULES,
    .why_diagonal = "The paper does not say which rule it has",
    .plan = plan,
    .add_maps = add_maps,
    .walk = walk,
    .report = report,
};
