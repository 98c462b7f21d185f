// SPDX-License-Identifier: MIT
//
// The questions of the public API, at every time they can be asked: before an agent is begun, on its
// way, after its end, after a reset, and of nothing at all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

#define MAX_STEPS 10000

// Two rooms that nothing joins, and a wall between them.
enum { WIDTH = 9, HEIGHT = 5, WALL = 5 };

static const wm_point HERE = {0, 0};
static const wm_point THERE = {4, 4};
static const wm_point IN_WALL = {WALL, 2};
static const wm_point BEYOND = {8, 0};

static const wm_point outside[] = {
    {-1, 0},        {0, -1},        {WIDTH, 0},     {0, HEIGHT},
    {INT32_MAX, 0}, {0, INT32_MAX}, {INT32_MIN, 0}, {INT32_MIN, INT32_MIN},
};

static wm_map* two_rooms(void)
{
    uint8_t cells[HEIGHT][WIDTH];
    wm_map* map = NULL;
    wm_map_config config = wm_map_config_default();
    config.editable = true;
    memset(cells, 1, sizeof cells);
    for (int y = 0; y < HEIGHT; y++) cells[y][WALL] = 0;
    assert_int_equal(wm_map_create(&map, cells[0], WIDTH, HEIGHT, WIDTH, &config, NULL), WM_OK);
    return map;
}

static bool is_point(wm_point p, int32_t x, int32_t y)
{
    return p.x == x && p.y == y;
}

static void the_version_is_that_of_the_project(void** state)
{
    (void)state;
    int major;
    int minor;
    int patch;
    char rest;
    assert_int_equal(sscanf(wm_version(), "%d.%d.%d%c", &major, &minor, &patch, &rest), 3);
}

static void no_map_has_no_cells(void** state)
{
    (void)state;
    assert_int_equal(wm_map_width(NULL), 0);
    assert_int_equal(wm_map_height(NULL), 0);
    assert_int_equal(wm_map_agent_size(NULL), 0);
    assert_true(wm_map_hash(NULL) == 0);
    assert_int_equal(wm_map_revision(NULL), 0);
    assert_false(wm_map_is_open(NULL, HERE));
    assert_false(wm_map_connected(NULL, HERE, HERE));
    assert_int_equal(wm_map_component(NULL, HERE), 0);
}

static void no_database_has_no_data(void** state)
{
    (void)state;
    wm_point subgoal;
    assert_int_equal(wm_db_stored_bytes(NULL), 0);
    assert_false(wm_db_has(NULL, "regions"));
    assert_false(wm_db_has(NULL, NULL));
    assert_int_equal(wm_db_subgoal(NULL, HERE, THERE, &subgoal), WM_ERR_ARGUMENT);
    assert_int_equal(wm_db_subgoal(NULL, HERE, THERE, NULL), WM_ERR_ARGUMENT);
    wm_db_close(NULL);
}

// Every other function that takes a pointer, without any; the error too is missing.
static void nothing_where_something_is_needed_is_refused(void** state)
{
    (void)state;
    wm_map* map = two_rooms();
    wm_point point;
    size_t length = 7;
    const wm_cell_edit edit = {HERE, false};
    wm_frame frame = {0};
    assert_int_equal(wm_map_load(NULL, NULL, NULL, NULL), WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_load_memory(NULL, NULL, 0, NULL, NULL), WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_create(NULL, NULL, 1, 1, 1, NULL, NULL), WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_edit(NULL, &edit, 1, NULL), WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_edit(map, NULL, 1, NULL), WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_nearest(NULL, HERE, THERE, &point), WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_nearest(map, HERE, THERE, NULL), WM_ERR_ARGUMENT);
    wm_map_unload(NULL);
    assert_int_equal(wm_db_open(NULL, NULL, NULL, NULL, NULL), WM_ERR_ARGUMENT);
    assert_int_equal(wm_db_open_memory(NULL, NULL, NULL, 0, NULL, NULL), WM_ERR_ARGUMENT);
    assert_int_equal(wm_scratch_create(NULL, NULL, NULL, NULL), WM_ERR_ARGUMENT);
    wm_scratch_destroy(NULL);
    assert_int_equal(wm_agent_create(NULL, NULL, NULL, NULL, NULL), WM_ERR_ARGUMENT);
    wm_agent_destroy(NULL);
    assert_int_equal(wm_agent_route(NULL, NULL, 0, &length), WM_ERR_ARGUMENT);
    assert_int_equal(length, 0);
    assert_int_equal(wm_agent_route(NULL, NULL, 0, NULL), WM_ERR_ARGUMENT);
    assert_int_equal(wm_agents_step(NULL, 0, &frame), WM_ERR_ARGUMENT);
    assert_int_equal(wm_agents_step((wm_agent*[]){NULL}, 1, NULL), WM_ERR_ARGUMENT);
    wm_map_unload(map);
}

static void components_tell_what_is_connected(void** state)
{
    (void)state;
    wm_map* map = two_rooms();
    assert_int_equal(wm_map_component(map, HERE), 1);
    assert_int_equal(wm_map_component(map, THERE), 1);
    assert_int_equal(wm_map_component(map, BEYOND), 2);
    assert_int_equal(wm_map_component(map, IN_WALL), 0);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_int_equal(wm_map_component(map, outside[i]), 0);
    const wm_cell_edit door = {IN_WALL, true};
    assert_int_equal(wm_map_edit(map, &door, 1, NULL), WM_OK);
    assert_int_equal(wm_map_component(map, BEYOND), 1);
    assert_int_equal(wm_map_component(map, IN_WALL), 1);
    wm_map_unload(map);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        map = map_random(seed, 20);
        wm_rng rng = wm_rng_start(seed, 15);
        for (int i = 0; i < 200; i++) {
            const wm_point a = {(int32_t)wm_rng_below(&rng, 22) - 1,
                                (int32_t)wm_rng_below(&rng, 22) - 1};
            const wm_point b = {(int32_t)wm_rng_below(&rng, 22) - 1,
                                (int32_t)wm_rng_below(&rng, 22) - 1};
            const uint32_t in = wm_map_component(map, a);
            assert_true((in != 0) == wm_map_is_open(map, a));
            assert_true(in <= map->grid.component_count);
            assert_true((in != 0 && in == wm_map_component(map, b)) == wm_map_connected(map, a, b));
        }
        wm_map_unload(map);
    }
}

static void no_agent_is_one_that_was_never_begun(void** state)
{
    (void)state;
    wm_map* map = two_rooms();
    wm_agent* agents[] = {NULL, agent_create(map, NULL, "tb-wa", false)};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wm_agent_result(agents[i]), WM_ERR_ARGUMENT);
        assert_true(is_point(wm_agent_position(agents[i]), -1, -1));
        assert_true(is_point(wm_agent_goal(agents[i]), -1, -1));
        assert_int_equal(wm_agent_step(agents[i]), WM_ERR_ARGUMENT);
        const wm_agent_stats stats = wm_agent_statistics(agents[i]);
        assert_true(stats.moves == 0 && stats.waits == 0 && stats.back_moves == 0 &&
                    stats.expansions == 0 && stats.max_expansions_per_move == 0 && stats.cost == 0);
        assert_true((stats.memory_bytes == 0) == (agents[i] == NULL));
        wm_agent_reset(agents[i]);
        assert_int_equal(wm_agent_result(agents[i]), WM_ERR_ARGUMENT);
        assert_true(is_point(wm_agent_position(agents[i]), -1, -1));
    }
    assert_int_equal(wm_agent_begin(NULL, HERE, THERE), WM_ERR_ARGUMENT);
    wm_agent_destroy(agents[1]);
    wm_map_unload(map);
}

// What is refused is refused by all, and leaves the agent where it was, without a goal.
static void a_start_or_a_goal_that_is_no_place_is_told(void** state)
{
    (void)state;
    wm_map* map = two_rooms();
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        if (wm_algorithm_at(i)->needs_database) continue;
        wm_agent* agent = agent_create(map, NULL, wm_algorithm_at(i)->name, false);
        for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
            assert_int_equal(wm_agent_begin(agent, HERE, THERE), WM_OK);
            assert_int_equal(wm_agent_begin(agent, outside[k], THERE), WM_ERR_ARGUMENT);
            assert_int_equal(wm_agent_result(agent), WM_ERR_ARGUMENT);
            assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
            assert_int_equal(wm_agent_begin(agent, HERE, outside[k]), WM_ERR_ARGUMENT);
            // Both are wrong: the worse mistake is told.
            assert_int_equal(wm_agent_begin(agent, IN_WALL, outside[k]), WM_ERR_ARGUMENT);
        }
        assert_int_equal(wm_agent_begin(agent, HERE, THERE), WM_OK);
        assert_int_equal(wm_agent_begin(agent, IN_WALL, THERE), WM_ERR_BLOCKED);
        assert_int_equal(wm_agent_result(agent), WM_ERR_BLOCKED);
        assert_int_equal(wm_agent_begin(agent, THERE, IN_WALL), WM_ERR_BLOCKED);
        assert_true(is_point(wm_agent_position(agent), 0, 0));
        assert_true(is_point(wm_agent_goal(agent), -1, -1));
        assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
        assert_int_equal(wm_agent_result(agent), WM_ERR_BLOCKED); // that was the last news
        wm_agent_destroy(agent);
    }
    wm_map_unload(map);
}

static void an_agent_remembers_what_it_said_last(void** state)
{
    (void)state;
    wm_map* map = two_rooms();
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        if (wm_algorithm_at(i)->needs_database) continue;
        wm_agent* agent = agent_create(map, NULL, wm_algorithm_at(i)->name, false);
        assert_int_equal(wm_agent_begin(agent, HERE, BEYOND), WM_NO_PATH);
        assert_int_equal(wm_agent_result(agent), WM_NO_PATH);
        assert_true(is_point(wm_agent_goal(agent), BEYOND.x, BEYOND.y));
        assert_int_equal(wm_agent_begin(agent, HERE, HERE), WM_ARRIVED);
        assert_int_equal(wm_agent_result(agent), WM_ARRIVED);
        assert_int_equal(wm_agent_begin(agent, HERE, THERE), WM_OK);
        assert_int_equal(wm_agent_result(agent), WM_OK);
        assert_true(is_point(wm_agent_goal(agent), THERE.x, THERE.y));
        wm_status status = WM_OK;
        for (int k = 0; k < MAX_STEPS && status == WM_OK; k++) {
            status = wm_agent_step(agent);
            assert_int_equal(wm_agent_result(agent), status);
        }
        assert_int_equal(status, WM_ARRIVED);
        assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
        assert_int_equal(wm_agent_result(agent), WM_ARRIVED);
        assert_true(is_point(wm_agent_position(agent), THERE.x, THERE.y));
        wm_agent_reset(agent);
        assert_int_equal(wm_agent_result(agent), WM_ERR_ARGUMENT);
        assert_true(is_point(wm_agent_position(agent), THERE.x, THERE.y));
        assert_true(is_point(wm_agent_goal(agent), -1, -1));
        assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
        // In the middle of a walk, and twice.
        assert_int_equal(wm_agent_begin(agent, HERE, THERE), WM_OK);
        wm_agent_step(agent);
        wm_agent_reset(agent);
        wm_agent_reset(agent);
        assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
        assert_int_equal(wm_agent_begin(agent, HERE, THERE), WM_OK);
        wm_agent_destroy(agent);
    }
    wm_map_unload(map);
}

// A wall rises under an agent that has made `moves` moves, or on its goal.
static void check_wall(const char* algorithm, wm_terrain terrain, int moves, bool on_goal)
{
    wm_map* map = two_rooms();
    wm_agent_config config = wm_agent_config_default();
    wm_agent* agent = NULL;
    config.algorithm = algorithm;
    config.terrain = terrain;
    assert_int_equal(wm_agent_create(&agent, map, NULL, &config, NULL), WM_OK);
    assert_int_equal(wm_agent_begin(agent, HERE, THERE), WM_OK);
    for (int i = 0; i < moves; i++) assert_int_equal(wm_agent_step(agent), WM_OK);
    const wm_point at = wm_agent_position(agent);
    const wm_cell_edit wall = {on_goal ? THERE : at, false};
    assert_int_equal(wm_map_edit(map, &wall, 1, NULL), WM_OK);
    if (wm_agent_step(agent) != WM_NO_PATH)
        fail_msg("%s, terrain %d, after %d moves: no end", algorithm, (int)terrain, moves);
    assert_int_equal(wm_agent_result(agent), WM_NO_PATH);
    assert_true(is_point(wm_agent_position(agent), at.x, at.y));
    assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
    wm_agent_destroy(agent);
    wm_map_unload(map);
}

// On unknown terrain a wall on the goal is seen later.
static void an_edit_may_end_a_walk(void** state)
{
    (void)state;
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const char* name = wm_algorithm_at(i)->name;
        if (wm_algorithm_at(i)->needs_database) continue;
        for (int moves = 0; moves < 3; moves++) {
            check_wall(name, WM_TERRAIN_KNOWN, moves, true);
            check_wall(name, WM_TERRAIN_KNOWN, moves, false);
            check_wall(name, WM_TERRAIN_UNKNOWN, moves, false);
        }
    }
}

static void settings_out_of_range_are_refused(void** state)
{
    (void)state;
    wm_map* map = two_rooms();
    const wm_agent_config good = wm_agent_config_default();
    wm_agent_config bad[5] = {good, good, good, good, good};
    bad[0].terrain = (wm_terrain)2;
    bad[1].terrain = (wm_terrain)-1;
    bad[2].heuristic = (wm_heuristic)3;
    bad[3].heuristic = (wm_heuristic)-1;
    bad[4].size--; // of another version of the header
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        wm_agent* agent = (wm_agent*)&agent;
        wm_error error = {""};
        assert_int_equal(wm_agent_create(&agent, map, NULL, &bad[i], &error), WM_ERR_ARGUMENT);
        assert_null(agent);
        assert_true(strlen(error.message) > 10);
        assert_int_equal(wm_agent_create(&agent, map, NULL, &bad[i], NULL), WM_ERR_ARGUMENT);
    }
    wm_map_unload(map);
}

// Agents on unknown terrain reserve a map of their own as well.
static void every_failed_allocation_of_an_agent_is_told(void** state)
{
    (void)state;
    wm_map* map = two_rooms();
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        if (wm_algorithm_at(i)->needs_database) continue;
        wm_status status = WM_ERR_MEMORY;
        for (size_t n = 1; status == WM_ERR_MEMORY; n++) {
            test_memory memory = {.fail_at = n};
            wm_agent_config config = wm_agent_config_default();
            wm_agent* agent = NULL;
            wm_error error = {""};
            config.algorithm = wm_algorithm_at(i)->name;
            config.terrain = WM_TERRAIN_UNKNOWN;
            config.allocator = test_allocator(&memory);
            status = wm_agent_create(&agent, map, NULL, &config, &error);
            assert_true((agent != NULL) == (status == WM_OK));
            assert_true(status != WM_ERR_MEMORY || strstr(error.message, "memory") != NULL);
            assert_true(status == WM_ERR_MEMORY || n >= 4);
            wm_agent_destroy(agent);
            assert_int_equal(memory.bytes, 0);
        }
        assert_int_equal(status, WM_OK);
    }
    wm_map_unload(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_that_of_the_project),
        cmocka_unit_test(no_map_has_no_cells),
        cmocka_unit_test(no_database_has_no_data),
        cmocka_unit_test(nothing_where_something_is_needed_is_refused),
        cmocka_unit_test(components_tell_what_is_connected),
        cmocka_unit_test(no_agent_is_one_that_was_never_begun),
        cmocka_unit_test(a_start_or_a_goal_that_is_no_place_is_told),
        cmocka_unit_test(an_agent_remembers_what_it_said_last),
        cmocka_unit_test(an_edit_may_end_a_walk),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(every_failed_allocation_of_an_agent_is_told),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
