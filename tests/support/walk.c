// SPDX-License-Identifier: MIT
#include "walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "reference.h"

static wm_map* map_of(const uint8_t* open, int32_t width, int32_t height, wm_diagonal diagonal,
                      bool editable)
{
    wm_map* map = NULL;
    wm_map_config config = wm_map_config_default();
    config.diagonal = diagonal;
    config.editable = editable;
    assert_int_equal(wm_map_create(&map, open, width, height, (size_t)width, &config, NULL), WM_OK);
    return map;
}

static wm_map* map_by_chance(uint64_t seed, int32_t max_side, bool editable)
{
    wm_rng rng = wm_rng_start(seed, 100);
    const int32_t width = 1 + (int32_t)wm_rng_below(&rng, (uint64_t)max_side);
    const int32_t height = 1 + (int32_t)wm_rng_below(&rng, (uint64_t)max_side);
    const uint64_t blocked = wm_rng_below(&rng, 51);
    const wm_diagonal diagonal = (wm_diagonal)wm_rng_below(&rng, 2);
    uint8_t* open = malloc((size_t)width * (size_t)height);
    for (int32_t i = 0; i < width * height; i++) open[i] = wm_rng_below(&rng, 100) >= blocked;
    wm_map* map = map_of(open, width, height, diagonal, editable);
    free(open);
    return map;
}

wm_map* map_random(uint64_t seed, int32_t max_side)
{
    return map_by_chance(seed, max_side, false);
}

wm_map* map_random_editable(uint64_t seed, int32_t max_side)
{
    return map_by_chance(seed, max_side, true);
}

wm_map* map_generated(wm_generate_kind kind, int32_t width, int32_t height, int32_t density,
                      int32_t grain, uint64_t seed, wm_diagonal diagonal)
{
    const wm_generate_options options = {.density = density, .grain = grain};
    uint8_t* open = malloc((size_t)width * (size_t)height);
    assert_int_equal(wm_generate(open, width, height, kind, &options, seed, NULL), WM_OK);
    wm_map* map = map_of(open, width, height, diagonal, false);
    free(open);
    return map;
}

wm_map* map_benchmark(const char* name, wm_diagonal diagonal)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", benchmarks_folder(), name);
    wm_map* map = NULL;
    wm_error error = {""};
    wm_map_config config = wm_map_config_default();
    config.diagonal = diagonal;
    if (wm_map_load(&map, path, &config, &error) != WM_OK) fail_msg("%s", error.message);
    return map;
}

wm_cell random_open_cell(const wm_grid* grid, wm_rng* rng)
{
    wm_cell cell;
    assert_true(grid->open_count > 0);
    do cell = (wm_cell)wm_rng_below(rng, grid->cell_count);
    while (!wm_grid_is_open(grid, cell));
    return cell;
}

static bool random_pair(const wm_grid* grid, wm_rng* rng, bool connected, wm_cell* start,
                        wm_cell* goal)
{
    for (int i = 0; i < 1000 && grid->open_count > 1; i++) {
        *start = random_open_cell(grid, rng);
        *goal = random_open_cell(grid, rng);
        if (*start != *goal && (grid->component[*start] == grid->component[*goal]) == connected)
            return true;
    }
    return false;
}

bool random_problem(const wm_grid* grid, wm_rng* rng, wm_cell* start, wm_cell* goal)
{
    return random_pair(grid, rng, true, start, goal);
}

bool random_unsolvable_problem(const wm_grid* grid, wm_rng* rng, wm_cell* start, wm_cell* goal)
{
    return random_pair(grid, rng, false, start, goal);
}

// ---------------------------------------------------------------------------------------------
// Databases and agents

// Regions of some radius, with chains or portals, with and without searches.
static void store_regions(wm_archive* archive, const wm_map* map, uint64_t seed)
{
    const wm_regions_parameters parameters = {.radius = (uint32_t)(4 + seed % 20),
                                              .epsilon = (uint32_t)(seed % 3) * 40,
                                              .portals = seed % 8 >= 6 ? 16 : 0,
                                              .max_expansions = seed % 4 == 3 ? 40 : 0};
    wm_error error = {""};
    wm_regions regions;
    wm_buffer blob = {0};
    size_t dropped;
    if (wm_regions_build(&regions, &map->grid, &parameters, "map", &error) != WM_OK ||
        wm_regions_seal(&blob, NULL, &regions, &map->grid) != WM_OK ||
        wm_build_store_blob(archive, "map", &map->grid, WM_METHOD_REGIONS, &blob, &dropped,
                            &error) != WM_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
    wm_regions_free(&regions);
}

// A table of some level, so that every algorithm finds what it needs.
static void store_d_lrta(wm_archive* archive, const wm_map* map, uint64_t seed)
{
    // Low levels of large maps have thousands of regions, and take their time.
    const bool large = map->grid.cell_count > 3000;
    const wm_d_lrta_options options = {.level = large ? 5 : 2 + (uint32_t)(seed % 4), .threads = 1};
    wm_error error = {""};
    wm_d_lrta d_lrta;
    wm_buffer blob = {0};
    size_t dropped;
    if (wm_d_lrta_build(&d_lrta, &map->grid, &options, "map", &error) != WM_OK ||
        wm_d_lrta_seal(&blob, NULL, &d_lrta) != WM_OK ||
        wm_build_store_blob(archive, "map", &map->grid, WM_METHOD_D_LRTA, &blob, &dropped,
                            &error) != WM_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
    wm_d_lrta_free(&d_lrta);
}

bool db_build_file(const wm_map* map, uint32_t records, bool chains, uint64_t seed,
                   const test_path* path)
{
    const wm_knn_build_options options = {
        .parameters = {.total = records, .shard = 1, .shards = 1, .chains = chains, .seed = seed},
        .threads = 1};
    wm_error error = {""};
    wm_knn knn;
    const wm_status status = wm_knn_build(&knn, &map->grid, &options, "map", &error);
    if (status == WM_ERR_TOO_FEW) return false;
    if (status != WM_OK) fail_msg("%s", error.message);
    wm_edit edit;
    wm_build_report report;
    if (wm_edit_begin(&edit, path->text, &error) != WM_OK ||
        wm_build_store_knn(&edit.archive, "map", map->grid.diagonal, &knn, &report, &error) !=
            WM_OK)
        fail_msg("%s", error.message);
    store_regions(&edit.archive, map, seed);
    store_d_lrta(&edit.archive, map, seed);
    if (wm_edit_commit(&edit, &error) != WM_OK) fail_msg("%s", error.message);
    wm_knn_free(&knn);
    return true;
}

wm_db* db_build(const wm_map* map, uint32_t records, bool chains, uint64_t seed)
{
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "map.wmdb");
    const wm_db_config config = wm_db_config_default();
    wm_db* db = NULL;
    wm_error error = {""};
    if (db_build_file(map, records, chains, seed, &path) &&
        wm_db_open(&db, map, path.text, &config, &error) != WM_OK)
        fail_msg("%s", error.message);
    scratch_remove(&folder);
    return db;
}

wm_agent* agent_create(const wm_map* map, const wm_db* db, const char* spec,
                       bool skip_reachable_check)
{
    wm_agent* agent = NULL;
    wm_error error = {""};
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = spec;
    config.skip_reachable_check = skip_reachable_check;
    if (wm_agent_create(&agent, map, db, &config, &error) != WM_OK)
        fail_msg("%s: %s", spec, error.message);
    return agent;
}

// ---------------------------------------------------------------------------------------------
// Walks

void walk_add(walk* w, wm_cell cell, uint64_t expansions, uint64_t back_moves)
{
    if (w->count == w->capacity) {
        w->capacity = w->capacity == 0 ? 256 : 2 * w->capacity;
        w->steps = realloc(w->steps, w->capacity * sizeof *w->steps);
        assert_non_null(w->steps);
    }
    w->steps[w->count++] = (walk_step){cell, expansions, back_moves};
}

walk walk_take(wm_agent* agent, wm_cell start, wm_cell goal, size_t max_steps)
{
    const wm_grid* grid = &agent->map->grid;
    walk w = {0};
    walk_add(&w, start, 0, 0);
    w.status = wm_agent_begin(agent, wm_grid_point(grid, start), wm_grid_point(grid, goal));
    for (size_t i = 0; i < max_steps && w.status == WM_OK; i++) {
        w.status = wm_agent_step(agent);
        if (w.status < 0 || w.status == WM_NO_PATH) break;
        const wm_agent_stats stats = wm_agent_statistics(agent);
        walk_add(&w, wm_grid_cell(grid, wm_agent_position(agent)), stats.expansions,
                 stats.back_moves);
    }
    return w;
}

void walk_free(walk* w)
{
    free(w->steps);
    *w = (walk){0};
}

void assert_same_walk(const walk* actual, const walk* expected, const char* what, uint64_t seed)
{
    for (size_t i = 0; i < actual->count && i < expected->count; i++) {
        const walk_step a = actual->steps[i];
        const walk_step b = expected->steps[i];
        if (a.cell != b.cell || a.expansions != b.expansions || a.back_moves != b.back_moves)
            fail_msg("%s, seed %llu: after step %zu cell %u, %llu expansions, %llu back moves "
                     "instead of cell %u, %llu, %llu",
                     what, (unsigned long long)seed, i, a.cell, (unsigned long long)a.expansions,
                     (unsigned long long)a.back_moves, b.cell, (unsigned long long)b.expansions,
                     (unsigned long long)b.back_moves);
    }
    if (actual->count != expected->count || actual->status != expected->status)
        fail_msg("%s, seed %llu: %zu steps and status %s instead of %zu and %s", what,
                 (unsigned long long)seed, actual->count, wm_status_name(actual->status),
                 expected->count, wm_status_name(expected->status));
}

wm_cost assert_legal_walk(const walk* w, const wm_grid* grid, wm_cell start, wm_cell goal,
                          const char* what, uint64_t seed)
{
    const unsigned long long number = seed;
    wm_cost cost = 0;
    if (w->status != WM_ARRIVED)
        fail_msg("%s, seed %llu: the walk from %u to %u ended with %s after %zu steps", what,
                 number, start, goal, wm_status_name(w->status), w->count - 1);
    if (w->steps[0].cell != start || w->steps[w->count - 1].cell != goal)
        fail_msg("%s, seed %llu: a walk from %u to %u instead of from %u to %u", what, number,
                 w->steps[0].cell, w->steps[w->count - 1].cell, start, goal);
    for (size_t i = 1; i < w->count; i++) {
        const wm_cell from = w->steps[i - 1].cell;
        const wm_cell to = w->steps[i].cell;
        if (from == to) continue;
        const int direction = reference_direction(grid, from, to);
        if (direction < 0)
            fail_msg("%s, seed %llu: step %zu from %u to %u is not legal", what, number, i, from,
                     to);
        cost += reference_step_cost(direction);
    }
    return cost;
}
