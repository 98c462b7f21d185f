// SPDX-License-Identifier: MIT
//
// Region databases by size: how good walks are from how few bytes, beside what it costs to plan.
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "experiments/summary.h"
#include "internal.h"
#include "problems.h"
#include "scenfile.h"

#define PROBLEMS 128
#define SCEN_PROBLEMS 300
#define MAX_MAPS 6

typedef struct map_family {
    const char* title;
    const char* maps[MAX_MAPS];
    bool scen;       // the problems of the .scen files instead of random ones of cost 100 to 150
    double sizes[4]; // stored bytes over those of a one-bit map; 0 ends them
} map_family;

static const map_family families[] = {
    {"bgmaps",
     {"bgmaps/AR0202SR", "bgmaps/AR0400SR", "bgmaps/AR0404SR", "bgmaps/AR0411SR",
      "bgmaps/AR0603SR"},
     false,
     {0.25, 0.5, 1.0}},
    {"wc3maps",
     {"wc3maps/battleground", "wc3maps/divideandconquer", "wc3maps/icecrown"},
     false,
     {1.0, 2.0}},
    {"bg512, dao",
     {"bg512/AR0046SR", "bg512/AR0400SR", "bg512/AR0602SR", "dao/arena2", "dao/brc202d",
      "dao/den501d"},
     true,
     {0.1, 0.3}},
    {"sc1", {"sc1/Aftershock"}, true, {0.35}},
    {"32room, maze-8", {"rooms/32room_000", "mazes/maze512-8-0"}, true, {0.35}},
};

// What all maps of a family come to at one size.
typedef struct size_result {
    double size; // the mean over maps
    int maps;
    wm_summary fast;
    wm_summary balanced;
    wm_summary best;
    wm_summary astar;
} size_result;

static wm_status load_problems(wm_problems* problems, const bench_run* bench, const char* map,
                               const wm_grid* grid, bool scen, wm_error* error)
{
    if (!scen) {
        const wm_problem_range range = {.count = PROBLEMS,
                                        .min_cost = 100 * WM_COST_STRAIGHT,
                                        .max_cost = 150 * WM_COST_STRAIGHT,
                                        .seed = 1};
        return wm_problems_draw(problems, grid, &range, map, error);
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.map.scen", bench->folder, map);
    const wm_status status = wm_scenfile_load(problems, grid, path, error);
    if (status != WM_OK || problems->count <= SCEN_PROBLEMS) return status;
    // Spread over the file, which goes from short to long.
    for (size_t i = 0; i < SCEN_PROBLEMS; i++)
        problems->list[i] = problems->list[i * problems->count / SCEN_PROBLEMS];
    problems->count = SCEN_PROBLEMS;
    return WM_OK;
}

static wm_status race(wm_summary* summary, const wm_map* map, const wm_db* db, const char* spec,
                      const wm_problems* problems, wm_error* error)
{
    wm_race race = {0};
    wm_agent* agent = NULL;
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = spec;
    wm_status status = wm_agent_create(&agent, map, db, &config, error);
    if (status == WM_OK) status = wm_race_create(&race, map, WM_RACE_GIVE_UP, false, error);
    for (size_t i = 0; i < problems->count && status == WM_OK; i++) {
        wm_race_run run;
        status = wm_race_set_problem(&race, wm_grid_point(&map->grid, problems->list[i].start),
                                     wm_grid_point(&map->grid, problems->list[i].goal), error);
        if (status == WM_OK) status = wm_race_walk(&race, agent, &run, &summary->step_ns, error);
        if (status == WM_OK && !wm_summary_add(summary, &run)) status = WM_ERR_MEMORY;
    }
    wm_race_free(&race);
    wm_agent_destroy(agent);
    return status;
}

static wm_status measure_map(size_result* result, const bench_run* bench, const wm_map* map,
                             const char* name, bool scen, double size, wm_error* error)
{
    const wm_regions_contract contract = {
        .max_bytes = (size_t)(size * map->grid.cell_count / 8), .bytes_are_hard = true, .seed = 1};
    const wm_db_config config = wm_db_config_default();
    wm_regions_result built;
    wm_problems problems = {0};
    wm_db* db = NULL;
    wm_status status = wm_regions_fulfil(&built, &map->grid, &contract, name, error);
    if (status == WM_OK)
        status = wm_db_open_payload(&db, map, built.blob.data, built.blob.size, &config, error);
    if (status == WM_OK) status = load_problems(&problems, bench, name, &map->grid, scen, error);
    if (status == WM_OK) {
        result->size += (double)built.blob.size * 8 / map->grid.cell_count;
        result->maps++;
        status = race(&result->fast, map, db, "regions:preset=fast", &problems, error);
    }
    if (status == WM_OK) status = race(&result->balanced, map, db, "regions", &problems, error);
    if (status == WM_OK)
        status = race(&result->best, map, db, "regions:preset=best", &problems, error);
    if (status == WM_OK) status = race(&result->astar, map, NULL, "astar", &problems, error);
    wm_problems_free(&problems);
    wm_db_close(db);
    wm_buffer_free(&built.blob);
    return status;
}

static double ns_per_move(const wm_summary* summary)
{
    return summary->moves == 0 ? 0 : (double)summary->plan_ns_total / (double)summary->moves;
}

static void print_row(const map_family* family, double limit, size_result* result)
{
    wm_summary* const presets[] = {&result->fast, &result->balanced, &result->best};
    printf("  %-15s %5.2f %5.2f", family->title, limit, result->size / result->maps);
    for (int i = 0; i < 3; i++) {
        const wm_spread spread = wm_summary_suboptimality(presets[i]);
        printf("  %5.2f %5.2f %4.0f %5.1f", spread.mean, spread.p95, ns_per_move(presets[i]),
               (double)wm_histogram_percentile(&presets[i]->first_ns, 99) / 1e3);
    }
    printf("  %5llu %6.0fx\n", (unsigned long long)result->best.max_expansions_per_move,
           ns_per_move(&result->astar) / ns_per_move(&result->balanced));
}

static void measure_family(bench_run* bench, const map_family* family, double limit)
{
    size_result* result = calloc(1, sizeof *result);
    for (int i = 0; result != NULL && i < MAX_MAPS && family->maps[i] != NULL; i++) {
        wm_map map = {0};
        wm_error error = {0};
        if (!bench_load(bench, &map.grid, family->maps[i])) continue;
        const wm_status status =
            measure_map(result, bench, &map, family->maps[i], family->scen, limit, &error);
        if (status != WM_OK) bench_fail(bench, &error);
        wm_grid_free(&map.grid);
    }
    if (result != NULL && result->maps > 0) print_row(family, limit, result);
    if (result != NULL) {
        wm_summary_free(&result->fast);
        wm_summary_free(&result->balanced);
        wm_summary_free(&result->best);
        wm_summary_free(&result->astar);
    }
    free(result);
}

void bench_regions(bench_run* bench)
{
    printf(
        "Region databases (--method regions --max-bytes): suboptimality mean and p95 in %%,\n"
        "planning in ns a move over whole walks, p99 of the first move in us, for the presets\n"
        "fast, balanced and best; most states in one move; A*'s time a move over balanced's.\n"
        "bgmaps and wc3maps: %d problems a map of cost 100 to 150; others: %d of the .scen file.\n"
        "Sizes are stored bytes over those of a map of one bit a cell.\n\n"
        "  %-15s %5s %5s  %-22s  %-22s  %-22s\n"
        "  %-15s %5s %5s  %5s %5s %4s %5s  %5s %5s %4s %5s  %5s %5s %4s %5s  %5s %7s\n",
        PROBLEMS, SCEN_PROBLEMS, "", "limit", "size", "fast", "balanced", "best", "", "", "",
        "mean", "p95", "ns", "p99", "mean", "p95", "ns", "p99", "mean", "p95", "ns", "p99", "worst",
        "A*");
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        for (int j = 0; j < 4 && families[i].sizes[j] > 0; j++)
            measure_family(bench, &families[i], families[i].sizes[j]);
    }
    printf("\n");
}
