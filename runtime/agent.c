// SPDX-License-Identifier: MIT
#include <assert.h>

#include "alloc.h"
#include "belief.h"
#include "internal.h"
#include "scratch.h"

wm_agent_config wm_agent_config_default(void)
{
    return (wm_agent_config){.size = sizeof(wm_agent_config), .algorithm = "auto"};
}

// ---------------------------------------------------------------------------------------------
// Creating

static wm_status check_request(const wm_map* map, const wm_db* db, const wm_agent_config* config,
                               wm_error* error)
{
    if (config == NULL || config->size != sizeof *config)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "the agent's config was not made by wm_agent_config_default()");
    if (config->terrain != WM_TERRAIN_KNOWN && config->terrain != WM_TERRAIN_UNKNOWN)
        return wm_fail(error, WM_ERR_ARGUMENT, "%d is no terrain", (int)config->terrain);
    if (config->heuristic < WM_HEURISTIC_OCTILE || config->heuristic > WM_HEURISTIC_MIN)
        return wm_fail(error, WM_ERR_ARGUMENT, "%d is no heuristic", (int)config->heuristic);
    if (config->nearest_goal && config->terrain == WM_TERRAIN_UNKNOWN)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "nearest_goal needs known terrain: nobody knows what can be reached in "
                       "unknown terrain");
    if (db != NULL && db->map != map)
        return wm_fail(error, WM_ERR_MISMATCH,
                       "the database was opened with another wm_map object, perhaps a copy of this "
                       "map; open it again with this one");
    if (config->scratch != NULL && wm_scratch_map(config->scratch) != map)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "the scratch was made for another map; make one for each");
    return wm_check_allocator(&config->allocator, error);
}

// Fills in the algorithm and its values.
static wm_status choose_algorithm(wm_agent* agent, const wm_agent_config* config, wm_error* error)
{
    // Databases are for known terrain and the octile heuristic, and so is what was chosen with them.
    const bool may_use_db =
        config->terrain == WM_TERRAIN_KNOWN && config->heuristic == WM_HEURISTIC_OCTILE;
    const wm_algorithm* algorithm;
    wm_status status = wm_algorithm_parse(config->algorithm, &algorithm, &agent->values, error);
    if (status == WM_OK && algorithm->resolve != NULL)
        status = wm_algorithm_parse(algorithm->resolve(may_use_db ? agent->db : NULL), &algorithm,
                                    &agent->values, error);
    if (status != WM_OK) return status;
    agent->algorithm = algorithm;
    if (!algorithm->needs_database) return WM_OK;
    if (agent->db == NULL || !algorithm->has_data(agent->db))
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "%s needs a database that was built for it; build one with waymark-build",
                       algorithm->name);
    if (!may_use_db)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "%s follows a database, which needs known terrain and the octile heuristic",
                       algorithm->name);
    return WM_OK;
}

static wm_status measure(wm_agent* agent, wm_error* error)
{
    const wm_algorithm* algorithm = agent->algorithm;
    if (algorithm->own_bytes != NULL)
        agent->own_bytes = algorithm->own_bytes(agent->map, agent->db, &agent->values);
    agent->state_bytes = algorithm->state_bytes(agent->map, agent->db, &agent->values);
    agent->most_expansions = algorithm->most_expansions(agent->map, agent->db, &agent->values);
    if (agent->scratch != NULL && !wm_scratch_fits(agent->scratch, agent->state_bytes))
        return wm_fail(error, WM_ERR_MEMORY,
                       "the scratch is too small: one agent of %s takes %zu bytes of it",
                       algorithm->name, wm_scratch_slot_bytes(agent->state_bytes));
    return WM_OK;
}

// What an agent has for as long as it lives. @return false where there is no memory
static bool reserve(wm_agent* agent, const wm_agent_config* config)
{
    if (config->terrain == WM_TERRAIN_UNKNOWN) {
        agent->belief = wm_belief_create(agent->grid, &agent->allocator);
        if (agent->belief == NULL) return false;
        agent->grid = agent->belief;
    }
    if (agent->scratch != NULL || agent->state_bytes == 0) return true;
    agent->reserved = wm_alloc(&agent->allocator, 1, agent->state_bytes);
    if (agent->reserved == NULL) return false;
    agent->state = agent->reserved;
    agent->algorithm->init(agent);
    if (agent->algorithm->takes_state) agent->state = NULL;
    return true;
}

wm_status wm_agent_create(wm_agent** out, const wm_map* map, const wm_db* db,
                          const wm_agent_config* config, wm_error* error)
{
    if (out != NULL) *out = NULL;
    if (out == NULL || map == NULL)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "wm_agent_create needs a place for the agent and a map");
    wm_status status = check_request(map, db, config, error);
    if (status != WM_OK) return status;
    wm_agent made = {.map = map,
                     .grid = &map->grid,
                     .db = db,
                     .position = WM_NO_CELL,
                     .goal = WM_NO_CELL,
                     .result = WM_ERR_ARGUMENT,
                     .heuristic = config->heuristic,
                     .skip_reachable_check = config->skip_reachable_check,
                     .nearest_goal = config->nearest_goal,
                     .scratch = config->scratch,
                     .allocator = config->allocator};
    status = choose_algorithm(&made, config, error);
    if (status == WM_OK) status = measure(&made, error);
    if (status != WM_OK) return status;
    wm_agent* agent = wm_alloc(&config->allocator, 1, sizeof *agent + made.own_bytes);
    if (agent == NULL) return wm_fail_memory(error, sizeof *agent + made.own_bytes);
    *agent = made;
    if (!reserve(agent, config)) {
        const size_t bytes = agent->state_bytes;
        wm_agent_destroy(agent);
        return wm_fail_memory(error, bytes);
    }
    *out = agent;
    return WM_OK;
}

// ---------------------------------------------------------------------------------------------
// The state

wm_status wm_agent_take_state(wm_agent* agent)
{
    if (agent->state != NULL || agent->state_bytes == 0) return WM_OK;
    if (agent->scratch == NULL) {
        agent->state = agent->reserved;
        return WM_OK;
    }
    const wm_slot_kind kind = {.algorithm = agent->algorithm,
                               .grid = agent->grid,
                               .db = agent->db,
                               .heuristic = agent->heuristic,
                               .values = agent->values};
    bool is_fresh;
    agent->state = wm_scratch_take(agent->scratch, &kind, agent->state_bytes, &is_fresh);
    if (agent->state == NULL) return WM_ERR_MEMORY;
    if (is_fresh) agent->algorithm->init(agent);
    return WM_OK;
}

static void give_state_back(wm_agent* agent)
{
    if (agent->state == NULL) return;
    if (agent->scratch != NULL) wm_scratch_give_back(agent->scratch, agent->state);
    if (agent->scratch != NULL || agent->algorithm->takes_state) agent->state = NULL;
}

void wm_agent_destroy(wm_agent* agent)
{
    if (agent == NULL) return;
    const wm_allocator allocator = agent->allocator;
    give_state_back(agent);
    wm_belief_destroy(agent->belief);
    wm_release(&allocator, agent->reserved, 1, agent->state_bytes);
    wm_release(&allocator, agent, 1, sizeof *agent + agent->own_bytes);
}

// ---------------------------------------------------------------------------------------------
// Beginning

static bool terrain_is_known(const wm_agent* agent)
{
    return agent->belief == NULL;
}

// The agent is no longer on its way.
static wm_status end(wm_agent* agent, wm_status result)
{
    give_state_back(agent);
    agent->result = result;
    return result;
}

// Begins; or takes up the one edit that the algorithm's plan is behind, where it knows how to.
static wm_status plan_from_here(wm_agent* agent, bool is_one_edit_behind)
{
    const wm_grid* grid = &agent->map->grid;
    const wm_algorithm* algorithm = agent->algorithm;
    agent->revision = grid->revision;
    // The one place where an unreachable goal is answered in advance, for those who know the map.
    if (!agent->skip_reachable_check && terrain_is_known(agent) &&
        !wm_grid_connected(grid, agent->position, agent->goal))
        return WM_NO_PATH;
    if (is_one_edit_behind && algorithm->changed != NULL) return algorithm->changed(agent);
    const wm_status status = algorithm->takes_state ? WM_OK : wm_agent_take_state(agent);
    return status == WM_OK ? algorithm->begin(agent, agent->position, agent->goal) : status;
}

// Sets the goal: the one wanted, or what is nearest to it where that is asked for.
static wm_status choose_goal(wm_agent* agent, wm_point start, wm_point wanted)
{
    const wm_map* map = agent->map;
    wm_point goal = wanted;
    if (agent->nearest_goal && !wm_map_connected(map, start, wanted)) {
        const wm_status status = wm_map_nearest(map, start, wanted, &goal);
        if (status != WM_OK) return status;
    }
    if (!wm_grid_contains(&map->grid, goal)) return WM_ERR_ARGUMENT;
    if (!wm_map_is_open(map, goal)) return WM_ERR_BLOCKED;
    agent->goal = wm_grid_cell(&map->grid, goal);
    return WM_OK;
}

static wm_status set_out(wm_agent* agent, wm_point start, wm_point goal)
{
    const wm_grid* grid = &agent->map->grid;
    if (!wm_grid_contains(grid, start)) return WM_ERR_ARGUMENT;
    if (!wm_grid_contains(grid, goal) && !agent->nearest_goal) return WM_ERR_ARGUMENT;
    if (!wm_map_is_open(agent->map, start)) return WM_ERR_BLOCKED;
    const wm_status status = choose_goal(agent, start, goal);
    if (status != WM_OK) return status;
    agent->position = wm_grid_cell(grid, start);
    agent->wanted = goal;
    agent->cost = 0;
    agent->expansions = 0;
    agent->max_expansions_per_move = 0;
    agent->back_moves = 0;
    agent->moves = 0;
    agent->waits = 0;
    if (agent->position == agent->goal) return WM_ARRIVED;
    if (!terrain_is_known(agent)) wm_belief_reset(agent->belief);
    return plan_from_here(agent, false);
}

wm_status wm_agent_begin(wm_agent* agent, wm_point start, wm_point goal)
{
    if (agent == NULL) return WM_ERR_ARGUMENT;
    wm_agent_reset(agent);
    agent->result = set_out(agent, start, goal);
    return agent->result == WM_OK ? WM_OK : end(agent, agent->result);
}

void wm_agent_reset(wm_agent* agent)
{
    if (agent == NULL) return;
    end(agent, WM_ERR_ARGUMENT);
    agent->goal = WM_NO_CELL;
}

// ---------------------------------------------------------------------------------------------
// Stepping

// Before each move an agent on unknown terrain looks around it. That there is a wall on its goal is
// all it can see of there being no path: a dividing wall has to be found by searching.
static wm_status look_around(wm_agent* agent)
{
    const bool surprised = wm_belief_look(agent->belief, &agent->map->grid, agent->position);
    if (!wm_grid_is_open(agent->belief, agent->goal)) return WM_NO_PATH;
    if (!surprised || !agent->algorithm->plans_ahead) return WM_OK;
    return agent->algorithm->begin(agent, agent->position, agent->goal);
}

// Whether no other cell can be nearer to the goal that the agent was given than the one that it goes to:
// nothing has opened since, so it can go nowhere where it could not go before. Crowds rely on this:
// a look for the nearest cell may take as long as many moves.
static bool is_nearest_still(const wm_agent* agent)
{
    const wm_grid* grid = &agent->map->grid;
    return grid->opened <= agent->revision && wm_grid_connected(grid, agent->position, agent->goal);
}

// After an edit of the map. A wall may have risen on the goal, and what is nearest to the goal that
// it was given may be another cell now.
static wm_status plan_anew(wm_agent* agent)
{
    const wm_grid* grid = &agent->map->grid;
    const wm_cell goal = agent->goal;
    if (agent->nearest_goal &&
        !is_nearest_still(agent)) // there is one: its own cell, if nothing else
        choose_goal(agent, wm_grid_point(grid, agent->position), agent->wanted);
    if (!wm_grid_is_open(grid, agent->goal)) return WM_NO_PATH;
    if (agent->goal == agent->position) return WM_ARRIVED;
    return plan_from_here(agent, agent->goal == goal && grid->revision - agent->revision == 1);
}

wm_status wm_agent_catch_up(wm_agent* agent)
{
    const wm_grid* grid = &agent->map->grid;
    const bool is_known = terrain_is_known(agent);
    if (is_known && agent->revision == grid->revision) return WM_OK;
    // A wall may have risen under the agent: that it feels, whatever it knows of the map.
    if (!wm_grid_is_open(grid, agent->position)) return WM_NO_PATH;
    return is_known ? plan_anew(agent) : look_around(agent);
}

// Of a legal step. On maps of two columns the same number leads east and south-west.
static wm_cost cost_of_step(const wm_grid* grid, wm_cell from, wm_cell to)
{
    assert(wm_grid_direction_between(grid, from, to) >= 0);
    const uint32_t width = (uint32_t)grid->width;
    if (width <= 2) return wm_direction_cost[wm_grid_direction_between(grid, from, to)];
    const uint32_t apart = from < to ? to - from : from - to;
    return apart == 1 || apart == width ? WM_COST_STRAIGHT : WM_COST_DIAGONAL;
}

wm_status wm_agent_step(wm_agent* agent)
{
    if (agent == NULL || agent->result != WM_OK) return WM_ERR_ARGUMENT;
    const uint64_t before = agent->expansions;
    wm_cell next = agent->position;
    wm_status status = wm_agent_catch_up(agent);
    if (status == WM_OK) status = agent->algorithm->step(agent, &next);
    const uint64_t work = agent->expansions - before;
    if (work > agent->max_expansions_per_move) agent->max_expansions_per_move = work;
    if (status != WM_OK) return end(agent, status);
    if (next == agent->position) {
        agent->waits++;
        return WM_OK;
    }
    agent->cost += cost_of_step(&agent->map->grid, agent->position, next);
    agent->position = next;
    agent->moves++;
    return next == agent->goal ? end(agent, WM_ARRIVED) : WM_OK;
}

// ---------------------------------------------------------------------------------------------
// Questions

static wm_point point_of(const wm_agent* agent, wm_cell cell)
{
    return cell == WM_NO_CELL ? (wm_point){-1, -1} : wm_grid_point(&agent->map->grid, cell);
}

wm_status wm_agent_result(const wm_agent* agent)
{
    return agent == NULL ? WM_ERR_ARGUMENT : agent->result;
}

wm_point wm_agent_position(const wm_agent* agent)
{
    return point_of(agent, agent == NULL ? WM_NO_CELL : agent->position);
}

wm_point wm_agent_goal(const wm_agent* agent)
{
    return point_of(agent, agent == NULL ? WM_NO_CELL : agent->goal);
}

// All that the agent holds: a reserved state also while it is not in use, one of a scratch only then.
static size_t memory_bytes(const wm_agent* agent)
{
    size_t bytes = sizeof *agent + agent->own_bytes;
    if (agent->reserved != NULL)
        bytes += agent->state_bytes;
    else if (agent->state != NULL)
        bytes += wm_scratch_slot_bytes(agent->state_bytes);
    if (agent->belief != NULL) bytes += wm_belief_bytes(agent->belief);
    return bytes;
}

wm_agent_stats wm_agent_statistics(const wm_agent* agent)
{
    if (agent == NULL) return (wm_agent_stats){0};
    return (wm_agent_stats){.moves = agent->moves,
                            .waits = agent->waits,
                            .back_moves = agent->back_moves,
                            .expansions = agent->expansions,
                            .max_expansions_per_move = agent->max_expansions_per_move,
                            .cost = wm_cost_to_double(agent->cost),
                            .memory_bytes = memory_bytes(agent)};
}
