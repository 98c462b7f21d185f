// SPDX-License-Identifier: MIT
#include "bench_walks.h"

#include "scenfile.h"

wm_status bench_draw_problems(wm_problems* problems, const char* map, const wm_grid* grid,
                              bool any_cost, wm_error* error)
{
    const wm_problem_range range = {.count = BENCH_PROBLEMS,
                                    .min_cost = any_cost ? 0 : 100 * WM_COST_STRAIGHT,
                                    .max_cost =
                                        any_cost ? WM_COST_INFINITE : 150 * WM_COST_STRAIGHT,
                                    .seed = 1};
    return wm_problems_draw(problems, grid, &range, map, error);
}

wm_status bench_load_problems(wm_problems* problems, const bench_run* bench, const char* map,
                              const wm_grid* grid, wm_error* error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.map.scen", bench->folder, map);
    const wm_status status = wm_scenfile_load(problems, grid, path, error);
    if (status != WM_OK || problems->count <= BENCH_SCEN_PROBLEMS) return status;
    // The file goes from short to long.
    for (size_t i = 0; i < BENCH_SCEN_PROBLEMS; i++)
        problems->list[i] = problems->list[i * problems->count / BENCH_SCEN_PROBLEMS];
    problems->count = BENCH_SCEN_PROBLEMS;
    return WM_OK;
}

wm_status bench_walk(wm_summary* summary, const wm_map* map, const wm_db* db, const char* spec,
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
