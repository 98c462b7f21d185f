// SPDX-License-Identifier: MIT
#include <assert.h>

#include "alloc.h"
#include "belief.h"
#include "internal.h"

wm_agent_config wm_agent_config_default(void)
{
    return (wm_agent_config){.size = sizeof(wm_agent_config), .algorithm = "tb-wa"};
}

wm_status wm_agent_create(wm_agent** out, const wm_map* map, const wm_db* db,
                          const wm_agent_config* config, wm_error* error)
{
    if (out == NULL || map == NULL)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "wm_agent_create needs a place for the agent and a map");
    *out = NULL;
    if (config == NULL || config->size != sizeof *config)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "the agent's config was not made by wm_agent_config_default()");
    if (db != NULL && db->map->grid.hash != map->grid.hash)
        return wm_fail(error, WM_ERR_MISMATCH, "the database was opened for another map");
    const wm_algorithm* algorithm;
    wm_parameter_values values;
    wm_status status = wm_algorithm_parse(config->algorithm, &algorithm, &values, error);
    // Databases are for known terrain and the octile heuristic, and so is what was chosen with them.
    const bool may_use_db =
        config->terrain == WM_TERRAIN_KNOWN && config->heuristic == WM_HEURISTIC_OCTILE;
    if (status == WM_OK && algorithm->resolve != NULL)
        status = wm_algorithm_parse(algorithm->resolve(may_use_db ? db : NULL), &algorithm, &values,
                                    error);
    if (status != WM_OK) return status;
    if (algorithm->needs_database && (db == NULL || !algorithm->has_data(db)))
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "%s needs a database that was built for it; build one with waymark-build",
                       algorithm->name);

    if (algorithm->needs_database && !may_use_db)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "%s follows a database, which needs known terrain and the octile heuristic",
                       algorithm->name);

    const size_t state_bytes = algorithm->state_bytes(map, db, &values);
    wm_agent* agent = wm_alloc(&config->allocator, 1, sizeof *agent);
    if (agent == NULL) return wm_fail_memory(error, sizeof *agent);
    *agent = (wm_agent){.map = map,
                        .grid = &map->grid,
                        .db = db,
                        .algorithm = algorithm,
                        .values = values,
                        .heuristic = config->heuristic,
                        .state_bytes = state_bytes,
                        .skip_reachable_check = config->skip_reachable_check,
                        .allocator = config->allocator};
    agent->state = wm_alloc(&config->allocator, 1, state_bytes);
    if (config->terrain == WM_TERRAIN_UNKNOWN) {
        agent->belief = wm_belief_create(&map->grid, &config->allocator);
        agent->grid = agent->belief;
    }
    if (agent->state == NULL || agent->grid == NULL) {
        wm_agent_destroy(agent);
        return wm_fail_memory(error, state_bytes);
    }
    algorithm->init(agent);
    *out = agent;
    return WM_OK;
}

static bool terrain_is_known(const wm_agent* agent)
{
    return agent->belief == NULL;
}

void wm_agent_destroy(wm_agent* agent)
{
    if (agent == NULL) return;
    const wm_allocator allocator = agent->allocator;
    wm_belief_destroy(agent->belief);
    wm_release(&allocator, agent->state, 1, agent->state_bytes);
    wm_release(&allocator, agent, 1, sizeof *agent);
}

// Begins; or takes up the one edit that the algorithm's plan is behind, where it knows how to.
static wm_status plan_from_here(wm_agent* agent, bool is_one_edit_behind)
{
    const wm_grid* grid = &agent->map->grid;
    const wm_algorithm* algorithm = agent->algorithm;
    agent->phase = WM_AGENT_IDLE;
    agent->revision = grid->revision;
    // The one place where an unreachable goal is answered in advance, for those who know the map.
    if (!agent->skip_reachable_check && terrain_is_known(agent) &&
        !wm_grid_connected(grid, agent->position, agent->goal))
        return WM_NO_PATH;
    const wm_status status = is_one_edit_behind && algorithm->changed != NULL
                                 ? algorithm->changed(agent)
                                 : algorithm->begin(agent, agent->position, agent->goal);
    if (status == WM_OK) agent->phase = WM_AGENT_WALKING;
    return status;
}

// Before each move an agent on unknown terrain looks around it.
static wm_status look_around(wm_agent* agent)
{
    if (!wm_belief_look(agent->belief, &agent->map->grid, agent->position) ||
        !agent->algorithm->plans_ahead)
        return WM_OK;
    return agent->algorithm->begin(agent, agent->position, agent->goal);
}

// After an edit of the map. Walls may have risen under the agent or on its goal.
static wm_status plan_anew(wm_agent* agent)
{
    const wm_grid* grid = &agent->map->grid;
    if (wm_grid_is_open(grid, agent->position) && wm_grid_is_open(grid, agent->goal))
        return plan_from_here(agent, grid->revision - agent->revision == 1);
    agent->phase = WM_AGENT_IDLE;
    return WM_NO_PATH;
}

wm_status wm_agent_begin(wm_agent* agent, wm_point start, wm_point goal)
{
    if (agent == NULL) return WM_ERR_ARGUMENT;
    agent->phase = WM_AGENT_IDLE;
    if (!wm_map_is_open(agent->map, start) || !wm_map_is_open(agent->map, goal))
        return WM_ERR_ARGUMENT;
    const wm_grid* grid = &agent->map->grid;
    agent->position = wm_grid_cell(grid, start);
    agent->goal = wm_grid_cell(grid, goal);
    agent->cost = 0;
    agent->expansions = 0;
    agent->expansions_before = 0;
    agent->max_expansions_per_move = 0;
    agent->back_moves = 0;
    agent->moves = 0;
    agent->waits = 0;
    if (agent->position == agent->goal) return WM_ARRIVED;
    if (!terrain_is_known(agent)) wm_belief_reset(agent->belief);
    return plan_from_here(agent, false);
}

static void count_work(wm_agent* agent)
{
    const uint64_t work = agent->expansions - agent->expansions_before;
    agent->expansions_before = agent->expansions;
    if (work > agent->max_expansions_per_move) agent->max_expansions_per_move = work;
}

wm_status wm_agent_step(wm_agent* agent)
{
    if (agent == NULL || agent->phase != WM_AGENT_WALKING) return WM_ERR_ARGUMENT;
    const wm_grid* grid = &agent->map->grid;
    wm_cell next = agent->position;
    wm_status status = WM_OK;
    if (!terrain_is_known(agent))
        status = look_around(agent);
    else if (agent->revision != grid->revision)
        status = plan_anew(agent);
    if (status == WM_OK) status = agent->algorithm->step(agent, &next);
    count_work(agent);
    if (status != WM_OK) {
        agent->phase = WM_AGENT_IDLE;
        return status;
    }
    if (next == agent->position) {
        agent->waits++;
        return WM_OK;
    }
    const int direction = wm_grid_direction_between(grid, agent->position, next);
    assert(direction >= 0);
    agent->cost += wm_direction_cost[direction];
    agent->position = next;
    agent->moves++;
    if (next != agent->goal) return WM_OK;
    agent->phase = WM_AGENT_IDLE;
    return WM_ARRIVED;
}

wm_point wm_agent_position(const wm_agent* agent)
{
    return wm_grid_point(&agent->map->grid, agent->position);
}

wm_agent_stats wm_agent_statistics(const wm_agent* agent)
{
    return (wm_agent_stats){.moves = agent->moves,
                            .waits = agent->waits,
                            .back_moves = agent->back_moves,
                            .expansions = agent->expansions,
                            .max_expansions_per_move = agent->max_expansions_per_move,
                            .cost = wm_cost_to_double(agent->cost),
                            .memory_bytes =
                                sizeof *agent + agent->state_bytes +
                                (agent->belief == NULL ? 0 : wm_belief_bytes(agent->belief))};
}
