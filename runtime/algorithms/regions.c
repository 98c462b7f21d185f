// SPDX-License-Identifier: MIT
//
// Region databases: walk along a short list of targets that is only ever skipped forward. Chains
// lead from region to region; every few moves the agent looks whether a line to the goal or to a
// later target is clear. docs/regions.md proves that it arrives, and bounds the work of a move.
#include <assert.h>
#include <string.h>

#include "climb.h"
#include "internal.h"
#include "region_query.h"
#include "tb_bfs.h"

enum { PRESET, LOOK, NEAR, FIRST };

enum { FAST, BALANCED, BEST };

static const char* const presets[] = {"fast", "balanced", "best", NULL};

static const wm_parameter parameters[] = {
    [PRESET] = {"preset", WM_PARAMETER_CHOICE, BALANCED, 0, 2, "speed against quality", presets},
    [LOOK] = {"look", WM_PARAMETER_INTEGER, WM_PARAMETER_BY_PRESET, 0, 1000,
              "moves between looks ahead; 0: only at targets", NULL},
    [NEAR] = {"near", WM_PARAMETER_INTEGER, WM_PARAMETER_BY_PRESET, 0, 100,
              "expansions of the search for a near goal out of sight; 0: none", NULL},
    [FIRST] = {"first", WM_PARAMETER_INTEGER, WM_PARAMETER_BY_PRESET, 0, 1,
               "1: choose the first region by cost", NULL},
    {0},
};

static uint32_t setting(const wm_parameter_values* values, int parameter)
{
    static const uint16_t by_preset[][4] = {
        [FAST] = {[LOOK] = 4, [NEAR] = 0, [FIRST] = 1},
        [BALANCED] = {[LOOK] = 2, [NEAR] = 0, [FIRST] = 1},
        [BEST] = {[LOOK] = 1, [NEAR] = 50, [FIRST] = 1},
    };
    const int64_t given = values->at[parameter];
    return given == WM_PARAMETER_BY_PRESET ? by_preset[values->at[PRESET]][parameter]
                                           : (uint32_t)given;
}

// How far the list reaches ahead, and its room: an extension may add two.
#define LIST_AHEAD WM_REGION_AHEAD
#define MAX_TARGETS (LIST_AHEAD + 1)
// Instead of a waypoint: the list ends at a seed.
#define AT_SEED WM_NO_WAYPOINT
// A near search is tried when the goal is within this many cells.
#define NEAR_CELLS 50
// Farther than so many cells for 100 expansions searches rarely get.
#define LEAP_CELLS_PER_100 40
// The leg that a move needs, and tests of better ones as far as they fit; the move itself may be a
// climb step.
#define MAX_STATES (WM_REGIONS_MAX_STATES - 1)

typedef struct regions_state {
    wm_cell targets[MAX_TARGETS]; // where to go, in order; targets[at] is next
    uint32_t last;                // the waypoint that the list ends at, or AT_SEED
    uint16_t region;              // whose seed the list ends at, if it does
    uint16_t goal_region;
    uint16_t interval;  // of looking ahead, in moves
    uint16_t countdown; // moves until the next look ahead
    uint16_t path_at;   // which move of the leg's path is next
    wm_line line;       // the leg to the next target, if it is one: steps still to walk
    uint8_t run;        // which of the line's two runs is being walked
    uint8_t leg;        // wm_leg_kind
    uint8_t at;
    uint8_t count;
    bool complete;   // the last target is the goal
    bool near_tried; // since the last target
    bool guarded;    // the guard leads
} regions_state;

// Crowds are large: a step should find all this in one cache line.
_Static_assert(sizeof(regions_state) <= 64, "an agent is small");

// Legs that are paths need room behind it.
static wm_leg_path* path_of(regions_state* s)
{
    return (wm_leg_path*)(s + 1);
}

// On a map that was edited nothing that the database promises can be trusted: the guard, a complete
// search, takes over. It is the state, of agents on maps that can be edited.
#define GUARD_EXPANSIONS 25
#define GUARD_WEIGHTS                                                                              \
    (wm_search_weights)                                                                            \
    {                                                                                              \
        1000, 3000                                                                                 \
    }

static size_t own_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    (void)values;
    return sizeof(regions_state) + sizeof(wm_leg_path);
}

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    (void)values;
    return map->grid.editable ? wm_tb_bytes(&map->grid) : 0;
}

static void init(wm_agent* agent)
{
    wm_tb_init(agent->state, agent->grid);
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    regions_state* s = wm_agent_own(agent);
    const wm_cover* cover = &agent->db->region_map.cover;
    // Told by the map alone, should the check for reachable goals be switched off.
    if (!wm_grid_connected(agent->grid, start, goal)) return WM_NO_PATH;
    *s = (regions_state){.last = AT_SEED, .leg = WM_LEG_NONE};
    s->guarded = agent->grid->revision != 0;
    if (s->guarded) {
        const wm_status status = wm_agent_take_state(agent);
        if (status == WM_OK) wm_tb_begin(agent->state, start, goal, GUARD_WEIGHTS);
        return status;
    }
    s->interval = (uint16_t)setting(&agent->values, LOOK);
    s->goal_region = (uint16_t)wm_cover_owner(cover, goal);
    s->region = (uint16_t)wm_cover_owner(cover, start);
    return WM_OK;
}

// ---------------------------------------------------------------------------------------------
// The list of targets

static void push_target(regions_state* s, wm_cell target)
{
    assert(s->count < MAX_TARGETS);
    s->targets[s->count++] = target;
}

static void drop_passed(regions_state* s)
{
    memmove(s->targets, s->targets + s->at, (size_t)(s->count - s->at) * sizeof s->targets[0]);
    s->count = (uint8_t)(s->count - s->at);
    s->at = 0;
}

// Goes on from the last target: to the waypoint after it, by a seed where that is the way, or by
// the seed of the goal's region, if it is not there yet, to the goal.
static void extend(wm_agent* agent, regions_state* s)
{
    const wm_region_map* map = &agent->db->region_map;
    const wm_waypoints* waypoints = &map->waypoints;
    drop_passed(s);
    if (s->last == AT_SEED) {
        if (s->region == s->goal_region) {
            push_target(s, agent->goal);
            s->complete = true;
            return;
        }
        s->last = wm_region_leave(map, s->region, s->goal_region);
        push_target(s, waypoints->cell[s->last]);
        return;
    }
    const wm_region_hop hop = wm_region_hop_from(map, s->last, s->goal_region);
    if (hop.waypoint == WM_NO_WAYPOINT &&
        wm_cover_owner(&map->cover, waypoints->cell[s->last]) == s->goal_region) {
        push_target(s, agent->goal);
        s->complete = true;
        return;
    }
    if (hop.waypoint == WM_NO_WAYPOINT) {
        s->last = AT_SEED;
        s->region = s->goal_region;
        push_target(s, map->regions.seeds[s->goal_region]);
        return;
    }
    if (hop.by_seed)
        push_target(s, map->regions.seeds[wm_cover_owner(&map->cover, waypoints->cell[s->last])]);
    s->last = hop.waypoint;
    push_target(s, waypoints->cell[hop.waypoint]);
}

static void skip_reached(wm_agent* agent, regions_state* s)
{
    while (s->at < s->count && s->targets[s->at] == agent->position) s->at++;
}

// Makes sure that there is a next target, and more behind it to look ahead to.
static void refill(wm_agent* agent, regions_state* s)
{
    skip_reached(agent, s);
    while (!s->complete && s->count - s->at < LIST_AHEAD) {
        extend(agent, s);
        skip_reached(agent, s);
    }
}

// ---------------------------------------------------------------------------------------------
// Better ways than to the next target

// Only where the test is sure to keep within `limit` states.
static bool line_to(wm_agent* agent, wm_cell target, wm_line* line, uint64_t* states,
                    uint64_t limit)
{
    return wm_region_line(&agent->db->region_map, agent->position, target, line, states, limit);
}

static void take_line(regions_state* s, uint8_t target, const wm_line* line)
{
    s->at = target;
    s->leg = WM_LEG_LINE;
    s->line = *line;
    s->run = 0;
}

static void aim_at_goal(wm_agent* agent, regions_state* s)
{
    s->targets[0] = agent->goal;
    s->at = 0;
    s->count = 1;
    s->complete = true;
}

static bool near_search(wm_agent* agent, regions_state* s, uint64_t* states, uint64_t limit)
{
    const uint32_t most = setting(&agent->values, NEAR);
    if (most == 0 || s->near_tried || *states + most > limit ||
        wm_grid_octile(agent->grid, agent->position, agent->goal) > NEAR_CELLS * WM_COST_STRAIGHT)
        return false;
    if (s->targets[s->at] == agent->goal && s->leg != WM_LEG_PATH) return false;
    s->near_tried = true;
    const wm_cost cost =
        wm_local_search(agent->grid, agent->position, agent->goal, most, path_of(s), states);
    if (cost == WM_COST_INFINITE) return false;
    aim_at_goal(agent, s);
    s->path_at = 0;
    s->leg = WM_LEG_PATH;
    return true;
}

// Where lines are rarely clear a search may find the way to a later target, or a better one to the next.
static void leap(wm_agent* agent, regions_state* s, uint64_t* states)
{
    const uint32_t most = agent->db->region_map.regions.parameters.max_expansions;
    const wm_cost farthest = LEAP_CELLS_PER_100 * WM_COST_STRAIGHT * (wm_cost)most / 100;
    for (int ahead = WM_REGIONS_LEAPS - 1; ahead >= 0; ahead--) {
        if (s->at + ahead >= s->count || (ahead == 0 && s->leg == WM_LEG_LINE)) continue;
        const wm_cell target = s->targets[s->at + ahead];
        const wm_cost octile = wm_grid_octile(agent->grid, agent->position, target);
        if (octile == 0 || octile > farthest) continue; // a path needs a move
        const wm_cost cost =
            wm_local_search(agent->grid, agent->position, target, most, path_of(s), states);
        if (cost == WM_COST_INFINITE) continue;
        s->at = (uint8_t)(s->at + ahead);
        s->path_at = 0;
        s->leg = WM_LEG_PATH;
        return;
    }
}

// Goes for the goal or for a later target where a line there is clear.
static bool look_ahead(wm_agent* agent, regions_state* s, uint64_t* states, uint64_t limit)
{
    wm_line line;
    if (s->targets[s->at] == agent->goal && s->leg != WM_LEG_NONE && s->leg != WM_LEG_CLIMB)
        return false; // on the best way already
    if (line_to(agent, agent->goal, &line, states, limit)) {
        aim_at_goal(agent, s);
        take_line(s, 0, &line);
        return true;
    }
    // Where the next one is out of sight those behind it rarely are in sight.
    bool found = false;
    while (s->at + 1 < s->count && line_to(agent, s->targets[s->at + 1], &line, states, limit)) {
        take_line(s, (uint8_t)(s->at + 1), &line);
        found = true;
    }
    return found;
}

// ---------------------------------------------------------------------------------------------
// The first waypoint

static bool choose_first(wm_agent* agent, regions_state* s, wm_line* line, uint64_t* states)
{
    const wm_region_map* map = &agent->db->region_map;
    // The leg to the seed, two lines and the way there, must fit even if nothing is in sight.
    const uint64_t limit = MAX_STATES - 3 * map->regions.parameters.radius;
    const uint32_t first =
        wm_region_first(map, agent->position, s->goal_region, line, states, limit);
    if (first != WM_NO_WAYPOINT) s->last = first;
    return first != WM_NO_WAYPOINT;
}

// The list of a new walk. Sets the leg where it is known.
static void start_list(wm_agent* agent, regions_state* s, uint64_t* states)
{
    const wm_region_map* map = &agent->db->region_map;
    wm_line line;
    if (s->region == s->goal_region) {
        push_target(s, agent->goal);
        s->complete = true;
        return;
    }
    const bool found = setting(&agent->values, FIRST) != 0 && choose_first(agent, s, &line, states);
    push_target(s, found ? map->waypoints.cell[s->last] : map->regions.seeds[s->region]);
    if (found) take_line(s, 0, &line);
}

// ---------------------------------------------------------------------------------------------
// Moving

// At a target, or at the start.
static void decide(wm_agent* agent, regions_state* s, uint64_t* states)
{
    const wm_region_map* map = &agent->db->region_map;
    const uint32_t most = map->regions.parameters.max_expansions;
    s->near_tried = false;
    s->leg = WM_LEG_NONE;
    if (s->count == 0) start_list(agent, s, states);
    refill(agent, s);
    if (s->leg == WM_LEG_NONE) {
        // Promised by the database: from the last target, or from the start to its seed.
        const wm_leg leg = wm_controller_leg(&map->controller, agent->position, s->targets[s->at],
                                             path_of(s), states);
        s->leg = (uint8_t)leg.kind;
        s->line = leg.line;
        s->run = 0;
        s->path_at = 0;
    }
    if (look_ahead(agent, s, states, MAX_STATES) || near_search(agent, s, states, MAX_STATES))
        return;
    if (most > 0) leap(agent, s, states);
}

static int next_direction(wm_agent* agent, regions_state* s, uint64_t* states)
{
    if (s->leg == WM_LEG_LINE) {
        if (s->line.steps[s->run] == 0) s->run++;
        s->line.steps[s->run]--;
        return s->line.direction[s->run];
    }
    if (s->leg == WM_LEG_PATH) return wm_leg_path_move(path_of(s), s->path_at++);
    const wm_grid* grid = agent->grid;
    const wm_point p = wm_grid_point(grid, agent->position);
    const wm_point q = wm_grid_point(grid, s->targets[s->at]);
    *states += 1;
    return wm_climb_direction(grid->moves[agent->position], q.x - p.x, q.y - p.y);
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    regions_state* s = wm_agent_own(agent);
    if (s->guarded) return wm_tb_step(agent->state, agent, GUARD_EXPANSIONS, next);
    uint64_t states = 0;
    if (s->leg == WM_LEG_NONE || s->targets[s->at] == agent->position) {
        decide(agent, s, &states);
        s->countdown = s->interval;
    } else if (s->interval > 0 && --s->countdown == 0) {
        look_ahead(agent, s, &states, MAX_STATES);
        s->countdown = s->interval;
    }
    assert(s->leg != WM_LEG_NONE);
    const int direction = next_direction(agent, s, &states);
    assert(direction >= 0);
    agent->expansions += states;
    *next = wm_grid_step(agent->grid, agent->position, direction);
    return WM_OK;
}

static bool has_data(const wm_db* db)
{
    return db->has_regions;
}

static wm_cell target(const wm_agent* agent)
{
    const regions_state* s = wm_agent_own(agent);
    return s->guarded ? agent->goal : s->targets[s->at];
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)values;
    const uint64_t most = wm_regions_bound(&db->region_map.regions.parameters);
    return map->grid.editable && most < GUARD_EXPANSIONS ? GUARD_EXPANSIONS : most;
}

const wm_algorithm wm_algorithm_regions = {
    .name = "regions",
    .summary = "region database: follows stored chains of subgoals from region to region",
    .parameters = parameters,
    .needs_database = true,
    .has_data = has_data,
    .own_bytes = own_bytes,
    .state_bytes = state_bytes,
    .takes_state = true,
    .init = init,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
    .target = target,
};
