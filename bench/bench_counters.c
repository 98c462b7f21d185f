// SPDX-License-Identifier: MIT
//
// What does not depend on the machine: bytes, suboptimality and states of region databases on the
// project's own maps and, where they are, on small public ones. bench/counters.csv keeps it.
#include <stdlib.h>
#include <string.h>

#include "bench_walks.h"
#include "mapfile.h"
#include "methods/regions_method.h"

static const char* const maps[] = {
    "data/barracks",   "data/catacombs",  "data/caverns",     "data/cellars",    "data/grotto",
    "data/labyrinth",  "data/rubble",     "data/scrub",       "bgmaps/AR0202SR", "bgmaps/AR0400SR",
    "bgmaps/AR0404SR", "bgmaps/AR0411SR", "wc3maps/icecrown", "bg512/AR0602SR",  "dao/den501d",
};

static wm_status count_map(const wm_map* map, const char* name, wm_error* error)
{
    static const char* const presets[] = {"fast", "balanced", "best"};
    // As many bytes as a map of one bit a cell.
    const wm_regions_contract contract = {.max_bytes = (map->grid.cell_count + 7) / 8, .seed = 1};
    const wm_db_config config = wm_db_config_default();
    wm_regions_result built;
    wm_problems problems = {0};
    wm_db* db = NULL;
    wm_status status = wm_regions_fulfil(&built, &map->grid, &contract, name, error);
    if (status == WM_OK)
        status = wm_db_open_memory(&db, map, built.blob.data, built.blob.size, &config, error);
    if (status == WM_OK) status = bench_draw_problems(&problems, name, &map->grid, true, error);
    for (int i = 0; i < 3 && status == WM_OK; i++) {
        char spec[64];
        wm_summary* summary = calloc(1, sizeof *summary);
        if (summary == NULL) status = WM_ERR_MEMORY;
        snprintf(spec, sizeof spec, "regions:preset=%s", presets[i]);
        if (status == WM_OK) status = bench_walk(summary, map, db, spec, &problems, error);
        if (status == WM_OK) {
            const wm_spread spread = wm_summary_suboptimality(summary);
            printf("%s,%s,%zu,%.3f,%.3f,%.2f,%llu\n", name, presets[i], built.blob.size,
                   spread.mean, spread.p95, wm_summary_expansions_per_move(summary),
                   (unsigned long long)summary->max_expansions_per_move);
            wm_summary_free(summary);
        }
        free(summary);
    }
    wm_problems_free(&problems);
    wm_db_close(db);
    wm_buffer_free(&built.blob);
    return status;
}

void bench_counters(bench_run* bench, const char* project)
{
    printf("map,preset,bytes,mean_percent,p95_percent,states_per_move,worst_states\n");
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        char path[4096];
        wm_error error = {0};
        wm_map map = {0};
        const bool own = strncmp(maps[i], "data/", 5) == 0;
        snprintf(path, sizeof path, "%s/%s.map", own ? project : bench->folder, maps[i]);
        wm_status status = wm_mapfile_load(&map.grid, path, WM_DIAGONAL_NONE, NULL, &error);
        if (status == WM_ERR_NOT_FOUND && !own) continue; // the summary of the tests says so
        if (status == WM_OK) status = count_map(&map, maps[i], &error);
        if (status != WM_OK) bench_fail(bench, &error);
        wm_grid_free(&map.grid);
        fflush(stdout);
    }
}
