// SPDX-License-Identifier: MIT
//
// All agents of a map live at the same time, so that the exact distances of a problem, which take
// longer than most runs, are computed once.
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "archive.h"
#include "files.h"
#include "internal.h"
#include "pairs.h"

typedef struct arena {
    wm_compare* compare;
    const char* path;
    const char* name;
    wm_map* map;
    wm_db* db;
    wm_problems problems;
    wm_race race;
    wm_agent** agents; // NULL where an algorithm stays out
} arena;

wm_status wm_compare_open_db(wm_db** db, const wm_map* map, const char* map_path, const char* path,
                             wm_error* error)
{
    char name[256];
    wm_db_config config = wm_db_config_default();
    const wm_status status = wm_db_open(db, map, path, &config, error);
    if (status != WM_ERR_MISMATCH || !wm_file_stem(name, sizeof name, map_path, ".map") ||
        !wm_store_name_for(name, sizeof name, wm_map_agent_size(map)))
        return status;
    // It is not there under any name. Asked by its own, the sentence can say more.
    config.name = name;
    return wm_db_open(db, map, path, &config, error);
}

static wm_status open_map(arena* a, wm_error* error)
{
    wm_map_config map_config = wm_map_config_default();
    map_config.diagonal = a->compare->rules.diagonal;
    if (a->compare->rules.agent_size > 0) map_config.agent_size = a->compare->rules.agent_size;
    wm_status status = wm_map_load(&a->map, a->path, &map_config, error);
    if (status != WM_OK || a->compare->db == NULL) return status;
    return wm_compare_open_db(&a->db, a->map, a->path, a->compare->db, error);
}

// Tries the path with `suffix` put after its first `length` characters. Not being there is no
// error: the caller then looks at the number of problems.
static wm_status load_beside(arena* a, size_t length, const char* suffix, wm_error* error)
{
    const size_t size = length + strlen(suffix) + 1;
    char* path = malloc(size);
    if (path == NULL) return wm_fail_memory(error, size);
    snprintf(path, size, "%.*s%s", (int)length, a->path, suffix);
    wm_status status = wm_scenfile_load(&a->problems, &a->map->grid, path, error);
    if (status == WM_OK)
        snprintf(a->compare->problems_from, sizeof a->compare->problems_from, "from %s", path);
    if (status == WM_ERR_NOT_FOUND) status = WM_OK;
    free(path);
    return status;
}

static wm_status draw_problems(arena* a, const wm_problem_range* range, wm_error* error)
{
    snprintf(a->compare->problems_from, sizeof a->compare->problems_from, "random, seed %llu",
             (unsigned long long)range->seed);
    return wm_problems_draw(&a->problems, &a->map->grid, range, a->path, error);
}

// As many as usual, or as there are on a tiny map.
static wm_status draw_standard_problems(arena* a, wm_error* error)
{
    wm_pairs pairs;
    wm_problem_range range = {WM_COMPARE_PROBLEMS, 0, WM_COST_INFINITE, 1};
    const wm_status status = wm_pairs_create(&pairs, &a->map->grid, false, error);
    if (status != WM_OK) return status;
    const uint64_t count = wm_pairs_count(&pairs);
    wm_pairs_free(&pairs);
    if (count > 0 && count < range.count) range.count = count;
    return draw_problems(a, &range, error);
}

static wm_status get_problems(arena* a, wm_error* error)
{
    static const char suffix[] = ".map";
    const wm_compare_source* source = &a->compare->source;
    const size_t length = strlen(a->path);
    if (source->random) return draw_problems(a, &source->range, error);
    if (source->scen != NULL) {
        snprintf(a->compare->problems_from, sizeof a->compare->problems_from, "from %s",
                 source->scen);
        return wm_scenfile_load(&a->problems, &a->map->grid, source->scen, error);
    }
    // The problems beside a map are those of single cells: many have no room for larger agents.
    if (wm_map_agent_size(a->map) > 1) return draw_standard_problems(a, error);
    wm_status status = load_beside(a, length, ".scen", error);
    const bool has_suffix =
        length >= strlen(suffix) && strcmp(a->path + length - strlen(suffix), suffix) == 0;
    if (status == WM_OK && a->problems.count == 0 && has_suffix)
        status = load_beside(a, length - strlen(suffix), ".scen", error);
    if (status != WM_OK || a->problems.count > 0) return status;
    return draw_standard_problems(a, error);
}

static wm_status create_agent(arena* a, size_t i, wm_error* error)
{
    wm_compare_algorithm* algorithm = &a->compare->algorithms[i];
    const bool is_other_world =
        a->compare->terrain != WM_TERRAIN_KNOWN || a->compare->heuristic != WM_HEURISTIC_OCTILE;
    const bool lacks_data =
        algorithm->algorithm->needs_database &&
        (a->db == NULL || is_other_world || !algorithm->algorithm->has_data(a->db));
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = algorithm->spec;
    config.terrain = a->compare->terrain;
    config.heuristic = a->compare->heuristic;
    algorithm->stayed_out = lacks_data && algorithm->optional;
    if (algorithm->stayed_out) return WM_OK;
    if (lacks_data && a->db != NULL && !is_other_world)
        return wm_fail(error, WM_ERR_NOT_FOUND,
                       "%s has no data of %s for %s; add it with waymark-build build",
                       a->compare->db, a->path, algorithm->spec);
    const wm_status status = wm_agent_create(&a->agents[i], a->map, a->db, &config, error);
    // The agent knows what it walks by: `auto` may have become an algorithm with a database.
    if (status == WM_OK && a->agents[i]->algorithm->needs_database)
        algorithm->summary.database_bytes += wm_db_stored_bytes(a->db);
    return status;
}

static wm_status create_agents(arena* a, wm_error* error)
{
    const size_t count = a->compare->algorithm_count;
    a->agents = wm_alloc(NULL, count, sizeof(wm_agent*));
    if (a->agents == NULL) return wm_fail_memory(error, count * sizeof(wm_agent*));
    wm_status status = WM_OK;
    for (size_t i = 0; status == WM_OK && i < count; i++) status = create_agent(a, i, error);
    return status;
}

static wm_status run_one(arena* a, size_t problem, size_t i, wm_error* error)
{
    wm_compare_algorithm* algorithm = &a->compare->algorithms[i];
    wm_race_run counts;
    wm_status status =
        wm_race_walk(&a->race, a->agents[i], &counts, &algorithm->summary.step_ns, error);
    if (status != WM_OK) return status;
    if (!wm_summary_add(&algorithm->summary, &counts))
        return wm_fail_memory(error, algorithm->summary.compared * sizeof(double));
    const wm_compare_run run = {
        .map = a->name,
        .spec = algorithm->spec,
        .problem = problem,
        .start = a->race.start,
        .goal = a->race.goal,
        .counts = &counts,
        .grid = &a->map->grid,
        .path = a->race.path,
        .path_length = a->race.path_length,
    };
    if (a->compare->on_run == NULL) return WM_OK;
    return a->compare->on_run(a->compare->context, &run, error);
}

static wm_status run_all(arena* a, wm_error* error)
{
    const wm_grid* grid = &a->map->grid;
    wm_status status = WM_OK;
    for (size_t n = 0; status == WM_OK && n < a->problems.count; n++) {
        const wm_problem* problem = &a->problems.list[n];
        status = wm_race_set_problem(&a->race, wm_grid_point(grid, problem->start),
                                     wm_grid_point(grid, problem->goal), error);
        for (size_t i = 0; status == WM_OK && i < a->compare->algorithm_count; i++)
            if (a->agents[i] != NULL) status = run_one(a, n, i, error);
    }
    return status;
}

static void close_arena(arena* a)
{
    for (size_t i = 0; a->agents != NULL && i < a->compare->algorithm_count; i++)
        wm_agent_destroy(a->agents[i]);
    free(a->agents);
    wm_race_free(&a->race);
    wm_problems_free(&a->problems);
    wm_db_close(a->db);
    wm_map_unload(a->map);
}

wm_status wm_compare_map(wm_compare* compare, const char* path, const char* name, wm_error* error)
{
    arena a = {.compare = compare, .path = path, .name = name};
    wm_status status = open_map(&a, error);
    if (status == WM_OK) status = get_problems(&a, error);
    if (status == WM_OK) status = create_agents(&a, error);
    if (status == WM_OK)
        status = wm_race_create(&a.race, a.map, compare->give_up, compare->keep_paths, error);
    if (status == WM_OK) {
        compare->map_count++;
        compare->problem_count += a.problems.count;
        status = run_all(&a, error);
    }
    close_arena(&a);
    return status;
}
