// SPDX-License-Identifier: MIT
//
// The nearest reachable cell, against a look at every cell; and agents that go there.
#include <stdlib.h>

#include "walk.h"

// The points may be at the ends of the numbers.
static int64_t octile(wm_point a, wm_point b)
{
    const int64_t x = llabs((int64_t)a.x - b.x);
    const int64_t y = llabs((int64_t)a.y - b.y);
    return x > y ? 5741 * (x - y) + 8119 * y : 5741 * (y - x) + 8119 * x;
}

// Row by row, so that the first of equal ones is the one to find.
static wm_point nearest_by_hand(const wm_map* map, wm_point from, wm_point wanted)
{
    wm_point best = from;
    int64_t least = INT64_MAX;
    for (int32_t y = 0; y < wm_map_height(map); y++) {
        for (int32_t x = 0; x < wm_map_width(map); x++) {
            const wm_point p = {x, y};
            if (!wm_map_connected(map, from, p) || octile(p, wanted) >= least) continue;
            best = p;
            least = octile(p, wanted);
        }
    }
    return best;
}

static void check(const wm_map* map, wm_point from, wm_point wanted, uint64_t seed)
{
    wm_point found = {-7, -7};
    assert_int_equal(wm_map_nearest(map, from, wanted, &found), WM_OK);
    const wm_point expected = nearest_by_hand(map, from, wanted);
    if (found.x != expected.x || found.y != expected.y)
        fail_msg("seed %llu: from %d,%d to %d,%d it is %d,%d instead of %d,%d",
                 (unsigned long long)seed, (int)from.x, (int)from.y, (int)wanted.x, (int)wanted.y,
                 (int)found.x, (int)found.y, (int)expected.x, (int)expected.y);
}

static void the_nearest_cell_is_the_one_that_a_look_at_all_cells_finds(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        wm_map* map = map_random(seed, 25);
        wm_rng rng = wm_rng_start(seed, 7);
        if (map->grid.open_count == 0) {
            wm_map_unload(map);
            continue;
        }
        for (int i = 0; i < 20; i++) {
            const wm_point from = wm_grid_point(&map->grid, random_open_cell(&map->grid, &rng));
            const wm_point wanted = {(int32_t)wm_rng_below(&rng, 80) - 25,
                                     (int32_t)wm_rng_below(&rng, 80) - 25};
            check(map, from, wanted, seed);
        }
        static const wm_point far[] = {{INT32_MIN, INT32_MIN}, {INT32_MAX, INT32_MIN},
                                       {INT32_MAX, INT32_MAX}, {INT32_MIN, 3},
                                       {4, INT32_MAX},         {-1000000, 12345}};
        const wm_point from = wm_grid_point(&map->grid, random_open_cell(&map->grid, &rng));
        for (size_t i = 0; i < sizeof far / sizeof *far; i++) check(map, from, far[i], seed);
        wm_map_unload(map);
    }
}

static void only_an_open_start_has_a_nearest_cell(void** state)
{
    (void)state;
    wm_map_config config = wm_map_config_default();
    static const uint8_t cells[] = {1, 0, 1};
    wm_map* map = NULL;
    wm_point found = {-7, -7};
    assert_int_equal(wm_map_create(&map, cells, 3, 1, 3, &config, NULL), WM_OK);
    assert_int_equal(wm_map_nearest(map, (wm_point){1, 0}, (wm_point){0, 0}, &found),
                     WM_ERR_BLOCKED);
    assert_int_equal(wm_map_nearest(map, (wm_point){3, 0}, (wm_point){0, 0}, &found),
                     WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_nearest(map, (wm_point){0, -1}, (wm_point){0, 0}, &found),
                     WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_nearest(NULL, (wm_point){0, 0}, (wm_point){0, 0}, &found),
                     WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_nearest(map, (wm_point){0, 0}, (wm_point){0, 0}, NULL),
                     WM_ERR_ARGUMENT);
    assert_int_equal(found.x, -7);
    assert_int_equal(wm_map_nearest(map, (wm_point){0, 0}, (wm_point){2, 0}, &found), WM_OK);
    assert_true(found.x == 0 && found.y == 0);
    wm_map_unload(map);
}

static wm_agent* nearest_agent(const wm_map* map, const wm_db* db, const char* algorithm)
{
    wm_agent* agent = NULL;
    wm_error error = {""};
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = algorithm;
    config.nearest_goal = true;
    if (wm_agent_create(&agent, map, db, &config, &error) != WM_OK) fail_msg("%s", error.message);
    return agent;
}

static wm_status walk_on(wm_agent* agent)
{
    wm_status status = wm_agent_result(agent);
    for (int i = 0; i < 100000 && status == WM_OK; i++) status = wm_agent_step(agent);
    return status;
}

static void agents_go_to_the_nearest_cell_where_the_goal_cannot_be_reached(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        wm_map* map = map_random(seed, 25);
        wm_db* db = db_build(map, 30, false, seed);
        wm_rng rng = wm_rng_start(seed, 8);
        for (size_t i = 0; i < wm_algorithm_count() && db != NULL; i++) {
            wm_agent* agent = nearest_agent(map, db, wm_algorithm_at(i)->name);
            for (int k = 0; k < 5; k++) {
                const wm_point from = wm_grid_point(&map->grid, random_open_cell(&map->grid, &rng));
                const wm_point wanted = {(int32_t)wm_rng_below(&rng, 40) - 8,
                                         (int32_t)wm_rng_below(&rng, 40) - 8};
                const wm_point expected = nearest_by_hand(map, from, wanted);
                const wm_status status = wm_agent_begin(agent, from, wanted);
                assert_true(status == WM_OK || status == WM_ARRIVED);
                const wm_point goal = wm_agent_goal(agent);
                assert_true(goal.x == expected.x && goal.y == expected.y);
                if (walk_on(agent) != WM_ARRIVED)
                    fail_msg("%s, seed %llu: %s", wm_algorithm_at(i)->name,
                             (unsigned long long)seed, wm_status_name(wm_agent_result(agent)));
                const wm_point end = wm_agent_position(agent);
                assert_true(end.x == expected.x && end.y == expected.y);
            }
            wm_agent_destroy(agent);
        }
        wm_db_close(db);
        wm_map_unload(map);
    }
}

static void edit(wm_map* map, int32_t x, int32_t y, bool open)
{
    const wm_cell_edit change = {{x, y}, open};
    assert_int_equal(wm_map_edit(map, &change, 1, NULL), WM_OK);
}

// A corridor whose end is shut and opened again while the agent is under way.
static void an_edit_changes_what_is_nearest(void** state)
{
    (void)state;
    uint8_t cells[10];
    for (int i = 0; i < 10; i++) cells[i] = 1;
    wm_map_config config = wm_map_config_default();
    config.editable = true;
    wm_map* map = NULL;
    assert_int_equal(wm_map_create(&map, cells, 10, 1, 10, &config, NULL), WM_OK);
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        if (wm_algorithm_at(i)->needs_database) continue;
        wm_agent* agent = nearest_agent(map, NULL, wm_algorithm_at(i)->name);
        assert_int_equal(wm_agent_begin(agent, (wm_point){0, 0}, (wm_point){20, 0}), WM_OK);
        assert_int_equal(wm_agent_goal(agent).x, 9);
        assert_int_equal(wm_agent_step(agent), WM_OK);
        edit(map, 9, 0, false);
        assert_int_equal(wm_agent_step(agent), WM_OK);
        assert_int_equal(wm_agent_goal(agent).x, 8);
        edit(map, 5, 0, false);
        assert_int_equal(wm_agent_step(agent), WM_OK);
        assert_int_equal(wm_agent_goal(agent).x, 4);
        edit(map, 9, 0, true);
        edit(map, 5, 0, true);
        assert_int_equal(wm_agent_step(agent), WM_OK);
        assert_int_equal(wm_agent_goal(agent).x, 9);
        const int32_t here = wm_agent_position(agent).x;
        edit(map, here + 1, 0, false);
        assert_int_equal(wm_agent_step(agent), WM_ARRIVED);
        assert_int_equal(wm_agent_position(agent).x, here);
        edit(map, here + 1, 0, true);
        wm_agent_destroy(agent);
    }
    wm_map_unload(map);
}

// Edits of all kinds, one or several before a step: what is nearest is what a look at all cells finds.
static void agents_keep_to_the_nearest_cell_however_the_map_is_edited(void** state)
{
    (void)state;
    enum { AGENTS = 6, EDITS = 60 };
    uint64_t kept = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        wm_map* map = map_random_editable(seed, 20);
        wm_rng rng = wm_rng_start(seed, 17);
        wm_agent* agents[AGENTS];
        wm_point wanted[AGENTS];
        for (int i = 0; i < AGENTS; i++) {
            agents[i] = nearest_agent(map, NULL, "lrta");
            wanted[i] = (wm_point){(int32_t)wm_rng_below(&rng, 40) - 8,
                                   (int32_t)wm_rng_below(&rng, 40) - 8};
            wm_agent_begin(agents[i], wm_grid_point(&map->grid, random_open_cell(&map->grid, &rng)),
                           wanted[i]);
        }
        // Walls alone on every second map, where goals are mostly kept.
        for (int k = 0; k < EDITS && map->grid.open_count > AGENTS; k++) {
            const wm_cell cell = (wm_cell)wm_rng_below(&rng, map->grid.cell_count);
            const wm_point at = wm_grid_point(&map->grid, cell);
            edit(map, at.x, at.y, seed % 2 == 0 && wm_rng_below(&rng, 2) == 0);
            if (wm_rng_below(&rng, 2) == 0) continue;
            for (int i = 0; i < AGENTS; i++) {
                const wm_point here = wm_agent_position(agents[i]);
                if (wm_agent_result(agents[i]) != WM_OK || !wm_map_is_open(map, here)) continue;
                const wm_point expected = nearest_by_hand(map, here, wanted[i]);
                wm_agent_step(agents[i]);
                const wm_point goal = wm_agent_goal(agents[i]);
                assert_true(goal.x == expected.x && goal.y == expected.y);
                kept++;
            }
        }
        for (int i = 0; i < AGENTS; i++) wm_agent_destroy(agents[i]);
        wm_map_unload(map);
    }
    assert_true(kept > 1000);
}

static void nearest_goals_need_known_terrain(void** state)
{
    (void)state;
    wm_map* map = map_random(3, 20);
    wm_agent* agent = NULL;
    wm_error error = {""};
    wm_agent_config config = wm_agent_config_default();
    config.nearest_goal = true;
    config.terrain = WM_TERRAIN_UNKNOWN;
    assert_int_equal(wm_agent_create(&agent, map, NULL, &config, &error), WM_ERR_ARGUMENT);
    assert_null(agent);
    assert_contains(error.message, "known terrain");
    wm_map_unload(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_cell_is_the_one_that_a_look_at_all_cells_finds),
        cmocka_unit_test(only_an_open_start_has_a_nearest_cell),
        cmocka_unit_test(agents_go_to_the_nearest_cell_where_the_goal_cannot_be_reached),
        cmocka_unit_test(an_edit_changes_what_is_nearest),
        cmocka_unit_test(agents_keep_to_the_nearest_cell_however_the_map_is_edited),
        cmocka_unit_test(nearest_goals_need_known_terrain),
    };
    return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
