// SPDX-License-Identifier: MIT
#include "region_world.h"

#include <stdio.h>
#include <stdlib.h>

#include "reference.h"

const char* const region_presets[REGION_PRESETS] = {
    "regions:preset=fast", "regions:preset=balanced", "regions:preset=best"};

// ---------------------------------------------------------------------------------------------
// Worlds

region_world region_world_of(wm_map* map, const char* title)
{
    region_world w = {.map = map};
    const wm_grid* grid = &map->grid;
    snprintf(w.title, sizeof w.title, "%s, %s", title, wm_diagonal_name(grid->diagonal));
    w.legal = calloc(grid->cell_count, 1);
    assert_non_null(w.legal);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        for (int d = 0; d < WM_DIRECTIONS && wm_grid_is_open(grid, cell); d++)
            w.legal[cell] |= (uint8_t)((reference_step(grid, cell, d) != WM_NO_CELL) << d);
    }
    assert_int_equal(wm_distances_create(&w.distances, grid, NULL), WM_OK);
    return w;
}

void region_world_free(region_world* w)
{
    wm_distances_free(&w->distances);
    free(w->legal);
    wm_map_unload(w->map);
}

wm_map* map_from_text(wm_diagonal diagonal, const char* rows)
{
    wm_grid grid = grid_from_text(diagonal, rows);
    wm_map_config config = wm_map_config_default();
    wm_map* map = NULL;
    uint8_t* open = malloc(grid.cell_count);
    assert_non_null(open);
    for (wm_cell cell = 0; cell < grid.cell_count; cell++)
        open[cell] = wm_grid_is_open(&grid, cell);
    config.diagonal = diagonal;
    assert_int_equal(
        wm_map_create(&map, open, grid.width, grid.height, (size_t)grid.width, &config, NULL),
        WM_OK);
    free(open);
    wm_grid_free(&grid);
    return map;
}

wm_regions region_world_build(const wm_map* map, wm_regions_parameters parameters,
                              const char* title)
{
    wm_regions regions;
    wm_error error = {""};
    if (wm_regions_build(&regions, &map->grid, &parameters, "map", &error) != WM_OK)
        fail_msg("%s, radius %u, epsilon %u, portals %u, search %u: %s", title, parameters.radius,
                 parameters.epsilon, parameters.portals, parameters.max_expansions, error.message);
    return regions;
}

wm_buffer region_world_seal(const wm_map* map, const wm_regions* regions)
{
    wm_buffer blob = {0};
    assert_int_equal(wm_regions_seal(&blob, NULL, regions, &map->grid), WM_OK);
    return blob;
}

wm_db* region_world_open(const wm_map* map, const wm_buffer* blob, const char* title)
{
    const wm_db_config config = wm_db_config_default();
    wm_error error = {""};
    wm_db* db = NULL;
    if (wm_db_open_memory(&db, map, blob->data, blob->size, &config, &error) != WM_OK)
        fail_msg("%s: %s", title, error.message);
    return db;
}

wm_db* region_world_db(const wm_map* map, wm_regions_parameters parameters, const char* title)
{
    wm_regions regions = region_world_build(map, parameters, title);
    wm_buffer blob = region_world_seal(map, &regions);
    wm_db* db = region_world_open(map, &blob, title);
    wm_buffer_free(&blob);
    wm_regions_free(&regions);
    return db;
}

// ---------------------------------------------------------------------------------------------
// Walks

static void complain(const region_world* w, const wm_agent* agent, wm_cell start, const char* what)
{
    const wm_regions_parameters* p = &agent->db->region_map.regions.parameters;
    fail_msg(
        "%s, radius %u, epsilon %u, portals %u, search %u, preset %d: from %u to %u, at %u: %s",
        w->title, p->radius, p->epsilon, p->portals, p->max_expansions, (int)agent->values.at[0],
        start, agent->goal, agent->position, what);
}

static bool is_legal(const region_world* w, wm_cell from, wm_cell to)
{
    for (unsigned left = w->legal[from]; left != 0; left &= left - 1) {
        if (wm_grid_step(&w->map->grid, from, wm_lowest_direction(left)) == to) return true;
    }
    return false;
}

// `w->distances` are those from the start.
static void region_world_check_walk(region_world* w, wm_agent* agent, wm_cell start, wm_cell goal)
{
    const wm_grid* grid = &w->map->grid;
    const uint64_t bound = wm_regions_bound(&agent->db->region_map.regions.parameters);
    const size_t max_steps = 64 * (size_t)grid->open_count;
    wm_status status = wm_agent_begin(agent, wm_grid_point(grid, start), wm_grid_point(grid, goal));
    wm_cell before = start;
    wm_cost cost = 0;
    for (size_t i = 0; i < max_steps && status == WM_OK; i++) {
        status = wm_agent_step(agent);
        if (!is_legal(w, before, agent->position)) complain(w, agent, start, "no legal move");
        cost += wm_grid_octile(grid, before, agent->position);
        before = agent->position;
    }
    if (status != WM_ARRIVED || before != goal) complain(w, agent, start, wm_status_name(status));
    if (cost != agent->cost) complain(w, agent, start, "a wrong sum of costs");
    if (cost < w->distances.cost[goal]) complain(w, agent, start, "cheaper than optimal");
    if (agent->max_expansions_per_move > bound)
        complain(w, agent, start, "too many states in a move");
}

void region_world_check_pair(region_world* w, wm_agent* agent, wm_cell start, wm_cell goal)
{
    if (w->distances.cost[goal] != WM_COST_INFINITE) {
        if (start != goal) region_world_check_walk(w, agent, start, goal);
        return;
    }
    const wm_status status = wm_agent_begin(agent, wm_grid_point(&w->map->grid, start),
                                            wm_grid_point(&w->map->grid, goal));
    if (status != WM_NO_PATH) complain(w, agent, start, "should say that there is no path");
}

#define GOALS_A_START 25

void region_world_check(region_world* w, const wm_db* db, int starts, uint64_t seed)
{
    const wm_grid* grid = &w->map->grid;
    wm_rng rng = wm_rng_start(seed, 1);
    wm_agent* agents[REGION_PRESETS];
    for (int i = 0; i < REGION_PRESETS; i++)
        agents[i] = agent_create(w->map, db, region_presets[i], true);
    for (int i = 0; i < starts; i++) {
        const wm_cell start = random_open_cell(grid, &rng);
        assert_int_equal(wm_distances_from(&w->distances, start, WM_COST_INFINITE), WM_OK);
        for (int k = 0; k < GOALS_A_START; k++)
            region_world_check_pair(w, agents[(i + k) % REGION_PRESETS], start,
                                    random_open_cell(grid, &rng));
    }
    for (int i = 0; i < REGION_PRESETS; i++) wm_agent_destroy(agents[i]);
}
