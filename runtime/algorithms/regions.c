// SPDX-License-Identifier: MIT
//
// Region databases: walk along a short list of targets that is only ever skipped forward. Chains
// lead from region to region; every few moves the agent looks whether a line to the goal or to a
// later target is clear. docs/regions.md proves that it arrives, and bounds the work of a move.
#include <assert.h>
#include <string.h>

#include "climb.h"
#include "internal.h"

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

static uint32_t setting(const wm_agent* agent, int parameter)
{
    static const uint16_t by_preset[][4] = {
        [FAST] = {[LOOK] = 8, [NEAR] = 0, [FIRST] = 1},
        [BALANCED] = {[LOOK] = 3, [NEAR] = 60, [FIRST] = 1},
        [BEST] = {[LOOK] = 1, [NEAR] = 100, [FIRST] = 1},
    };
    const int64_t given = agent->values.at[parameter];
    return given == WM_PARAMETER_BY_PRESET ? by_preset[agent->values.at[PRESET]][parameter]
                                           : (uint32_t)given;
}

// Room for a chain, a seed before it, and what is left of the one before.
#define MAX_TARGETS (WM_REGIONS_MAX_CHAIN + 4)
// A near search is tried when the goal is within this many cells.
#define NEAR_CELLS 50
// The leg that a move needs, and tests of better ones as far as they fit; the move itself may be a
// climb step.
#define MAX_STATES (WM_REGIONS_MAX_STATES - 1)
#define SPARE_STATES (MAX_STATES - 3 * WM_MAX_LEG)

typedef struct regions_state {
    wm_cell targets[MAX_TARGETS]; // where to go, in order; targets[at] is next
    uint8_t at;
    uint8_t count;
    bool complete;      // the last target is the goal
    bool near_tried;    // since the last target
    uint8_t run;        // which of the leg's two runs is being walked
    uint16_t countdown; // moves until the next look ahead
    uint16_t path_at;   // which move of the leg's path is next
    uint16_t goal_region;
    uint16_t last_region; // whose chain was appended last; its own in the beginning
    wm_leg leg;           // the way to the next target
    wm_leg_path path;
} regions_state;

_Static_assert(sizeof(regions_state) <= 512, "an agent is small");

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    (void)values;
    return sizeof(regions_state);
}

static void init(wm_agent* agent)
{
    (void)agent;
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    regions_state* s = agent->state;
    const wm_cover* cover = &agent->db->region_map.cover;
    // Told by the map alone, should the check for reachable goals be switched off.
    if (!wm_grid_connected(&agent->map->grid, start, goal)) return WM_NO_PATH;
    memset(s, 0, sizeof *s);
    s->goal_region = (uint16_t)cover->owner[goal];
    s->last_region = (uint16_t)cover->owner[start];
    s->leg.kind = WM_LEG_NONE;
    return WM_OK;
}

// ---------------------------------------------------------------------------------------------
// The list of targets

static void push_target(regions_state* s, wm_cell target)
{
    assert(s->count < MAX_TARGETS);
    s->targets[s->count++] = target;
}

static void append_chain(regions_state* s, const wm_region_map* map, uint32_t region)
{
    const wm_chain* chain = wm_region_map_chain(map, region, s->goal_region);
    for (uint32_t i = 0; i < chain->length; i++)
        push_target(s, map->regions->subgoals[chain->first + i]);
    s->last_region = (uint16_t)region;
}

static void append_goal(regions_state* s, const wm_region_map* map, wm_cell goal)
{
    push_target(s, map->regions->seeds[s->goal_region]);
    push_target(s, goal);
    s->complete = true;
}

static void drop_passed(regions_state* s)
{
    memmove(s->targets, s->targets + s->at, (size_t)(s->count - s->at) * sizeof s->targets[0]);
    s->count = (uint8_t)(s->count - s->at);
    s->at = 0;
}

// Goes on from the last target, the end of a chain: into the next region's chain, by its seed where
// that is the better way.
static void extend(wm_agent* agent, regions_state* s)
{
    const wm_region_map* map = &agent->db->region_map;
    const size_t pair = (size_t)s->last_region * map->regions->count + s->goal_region;
    const wm_cell end = s->targets[s->count - 1];
    const uint32_t region = map->cover.owner[end];
    drop_passed(s);
    if (region == s->goal_region) {
        append_goal(s, map, agent->goal);
        return;
    }
    if (map->by_seed[pair]) push_target(s, map->regions->seeds[region]);
    append_chain(s, map, region);
}

static void skip_reached(wm_agent* agent, regions_state* s)
{
    while (s->at < s->count && s->targets[s->at] == agent->position) s->at++;
}

// Makes sure that there is a next target, and more behind it to look ahead to.
static void refill(wm_agent* agent, regions_state* s)
{
    skip_reached(agent, s);
    while (!s->complete && s->count - s->at < 3) {
        // What is left and the longest chain with a seed always fit.
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
    const wm_grid* grid = &agent->map->grid;
    const wm_point a = wm_grid_point(grid, agent->position);
    const wm_point b = wm_grid_point(grid, target);
    const int32_t far_x = abs(a.x - b.x);
    const int32_t far_y = abs(a.y - b.y);
    const int32_t steps = far_x > far_y ? far_x : far_y;
    if (steps == 0 || steps > WM_MAX_LEG || *states + 2 * (uint64_t)steps > limit) return false;
    return wm_planes_line(&agent->db->region_map.planes, a, b, line, states);
}

static void take_line(regions_state* s, uint8_t target, const wm_line* line)
{
    s->at = target;
    s->leg = (wm_leg){.kind = WM_LEG_LINE, .line = *line};
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
    const uint32_t most = setting(agent, NEAR);
    if (most == 0 || s->near_tried || *states + most > limit ||
        wm_grid_octile(&agent->map->grid, agent->position, agent->goal) >
            NEAR_CELLS * WM_COST_STRAIGHT)
        return false;
    s->near_tried = true;
    const wm_cost cost =
        wm_local_search(&agent->map->grid, agent->position, agent->goal, most, &s->path, states);
    if (cost == WM_COST_INFINITE) return false;
    aim_at_goal(agent, s);
    s->path_at = 0;
    s->leg = (wm_leg){.kind = WM_LEG_PATH, .cost = cost};
    return true;
}

// Goes for the goal or for a later target where a line there is clear.
static bool look_ahead(wm_agent* agent, regions_state* s, uint64_t* states, uint64_t limit)
{
    wm_line line;
    if (s->targets[s->at] == agent->goal && s->leg.kind != WM_LEG_NONE &&
        s->leg.kind != WM_LEG_CLIMB)
        return false; // on the best way already
    if (line_to(agent, agent->goal, &line, states, limit)) {
        aim_at_goal(agent, s);
        take_line(s, 0, &line);
        return true;
    }
    for (int ahead = 2; ahead >= 1; ahead--) {
        if (s->at + ahead < s->count &&
            line_to(agent, s->targets[s->at + ahead], &line, states, limit)) {
            take_line(s, (uint8_t)(s->at + ahead), &line);
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// The first region

// Of the start's region and those that touch it, the one whose chain costs least from here, among
// those whose first subgoal is in sight.
static uint32_t best_first_region(wm_agent* agent, const regions_state* s, wm_line* best_line,
                                  uint64_t* states)
{
    const wm_region_map* map = &agent->db->region_map;
    const wm_regions* regions = map->regions;
    const uint32_t own = s->last_region;
    const uint32_t begin = map->neighbours_begin[own];
    const uint32_t end = map->neighbours_begin[own + 1];
    uint32_t best = WM_NO_REGION;
    wm_cost least = WM_COST_INFINITE;
    for (uint32_t i = begin; i <= end; i++) {
        const uint32_t region = i == begin ? own : map->neighbours[i - 1];
        if (region == s->goal_region) continue;
        const wm_chain* chain = wm_region_map_chain(map, region, s->goal_region);
        const wm_cell first = regions->subgoals[chain->first];
        const wm_cost estimate =
            wm_grid_octile(&agent->map->grid, agent->position, first) +
            (wm_cost)map->value[(size_t)region * regions->count + s->goal_region] -
            (wm_cost)map->chain_first[chain - regions->chains];
        // As long as there is none, enough must be left for the way to the seed.
        const uint64_t limit = best == WM_NO_REGION ? SPARE_STATES : MAX_STATES;
        wm_line line;
        if (estimate >= least || !line_to(agent, first, &line, states, limit)) continue;
        least = estimate;
        best = region;
        *best_line = line;
    }
    return best;
}

// The list of a new walk. Sets the leg where it is known.
static void start_list(wm_agent* agent, regions_state* s, uint64_t* states)
{
    const wm_region_map* map = &agent->db->region_map;
    const uint32_t own = s->last_region;
    uint32_t first = WM_NO_REGION;
    wm_line line;
    if (own == s->goal_region) {
        append_goal(s, map, agent->goal);
        return;
    }
    if (setting(agent, FIRST) != 0) first = best_first_region(agent, s, &line, states);
    if (first == WM_NO_REGION) {
        push_target(s, map->regions->seeds[own]);
        append_chain(s, map, own);
    } else {
        append_chain(s, map, first);
        take_line(s, 0, &line);
    }
}

// ---------------------------------------------------------------------------------------------
// Moving

// At a target, or at the start.
static void decide(wm_agent* agent, regions_state* s, uint64_t* states)
{
    const wm_controller* controller = &agent->db->region_map.controller;
    s->near_tried = false;
    s->leg.kind = WM_LEG_NONE;
    if (s->count == 0) start_list(agent, s, states);
    refill(agent, s);
    if (s->leg.kind == WM_LEG_NONE) {
        // Promised by the database: from the last target, or from the start to its seed.
        s->leg =
            wm_controller_leg(controller, agent->position, s->targets[s->at], &s->path, states);
        s->run = 0;
        s->path_at = 0;
    }
    const uint64_t limit = MAX_STATES + controller->max_expansions;
    if (!look_ahead(agent, s, states, limit) && s->targets[s->at] != agent->goal)
        near_search(agent, s, states, limit);
}

static int next_direction(wm_agent* agent, regions_state* s, uint64_t* states)
{
    if (s->leg.kind == WM_LEG_LINE) {
        if (s->leg.line.steps[s->run] == 0) s->run++;
        s->leg.line.steps[s->run]--;
        return s->leg.line.direction[s->run];
    }
    if (s->leg.kind == WM_LEG_PATH) return wm_leg_path_move(&s->path, s->path_at++);
    const wm_grid* grid = &agent->map->grid;
    const wm_point p = wm_grid_point(grid, agent->position);
    const wm_point q = wm_grid_point(grid, s->targets[s->at]);
    *states += 1;
    return wm_climb_direction(grid->moves[agent->position], q.x - p.x, q.y - p.y);
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    regions_state* s = agent->state;
    const uint32_t interval = setting(agent, LOOK);
    uint64_t states = 0;
    if (s->leg.kind == WM_LEG_NONE || s->targets[s->at] == agent->position) {
        decide(agent, s, &states);
        s->countdown = (uint16_t)interval;
    } else if (interval > 0 && --s->countdown == 0) {
        look_ahead(agent, s, &states, MAX_STATES);
        s->countdown = (uint16_t)interval;
    }
    assert(s->leg.kind != WM_LEG_NONE);
    const int direction = next_direction(agent, s, &states);
    assert(direction >= 0);
    agent->expansions += states;
    *next = wm_grid_step(&agent->map->grid, agent->position, direction);
    return WM_OK;
}

static bool has_data(const wm_db* db)
{
    return db->has_regions;
}

static wm_cell target(const wm_agent* agent)
{
    const regions_state* s = agent->state;
    return s->targets[s->at];
}

const wm_algorithm wm_algorithm_regions = {
    .name = "regions",
    .summary = "region database: follows stored chains of subgoals from region to region",
    .parameters = parameters,
    .needs_database = true,
    .has_data = has_data,
    .state_bytes = state_bytes,
    .init = init,
    .begin = begin,
    .step = step,
    .target = target,
};
