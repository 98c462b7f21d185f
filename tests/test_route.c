// SPDX-License-Identifier: MIT
//
// The route that an agent tells is the one that it then walks, and telling it changes nothing: beside
// every agent that is asked walks a twin that is not.
#include <stdlib.h>
#include <string.h>

#include "walk.h"

#define MAX_STEPS 100000
#define ROOM 4096

typedef struct pair {
    wm_agent* asked;
    wm_agent* twin;
    wm_scratch* scratch; // of both, or NULL
    const char* name;
    uint64_t seed;
} pair;

static pair pair_of(const wm_map* map, const wm_db* db, const char* name, bool shares,
                    uint64_t seed)
{
    pair p = {.name = name, .seed = seed};
    const wm_scratch_config scratch_config = wm_scratch_config_default();
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = name;
    if (shares) assert_int_equal(wm_scratch_create(&p.scratch, map, &scratch_config, NULL), WM_OK);
    config.scratch = p.scratch;
    assert_int_equal(wm_agent_create(&p.asked, map, db, &config, NULL), WM_OK);
    assert_int_equal(wm_agent_create(&p.twin, map, db, &config, NULL), WM_OK);
    return p;
}

static void pair_free(pair* p)
{
    wm_agent_destroy(p->asked);
    wm_agent_destroy(p->twin);
    wm_scratch_destroy(p->scratch);
}

static bool is_same_point(wm_point a, wm_point b)
{
    return a.x == b.x && a.y == b.y;
}

static wm_status step_both(const pair* p)
{
    const wm_status status = wm_agent_step(p->asked);
    const wm_status other = wm_agent_step(p->twin);
    if (status != other || p->asked->position != p->twin->position ||
        p->asked->expansions != p->twin->expansions || p->asked->waits != p->twin->waits ||
        p->asked->cost != p->twin->cost)
        fail_msg("%s, seed %llu: asking changed the walk", p->name, (unsigned long long)p->seed);
    return status;
}

// Asks with all kinds of buffers, then walks to the end.
static void check_route(const pair* p)
{
    static wm_point route[ROOM];
    static wm_point again[ROOM];
    size_t length = 7;
    size_t again_length = 7;
    wm_status status = wm_agent_route(p->asked, route, ROOM, &length);
    if (status != WM_OK || length == 0)
        fail_msg("%s, seed %llu: %s", p->name, (unsigned long long)p->seed, wm_status_name(status));
    assert_int_equal(wm_agent_route(p->asked, NULL, 0, &again_length), WM_ERR_SHORT);
    assert_int_equal(again_length, length);
    memset(again, 0x77, sizeof again);
    again_length = 0;
    assert_int_equal(wm_agent_route(p->asked, again, length / 2, &again_length), WM_ERR_SHORT);
    assert_int_equal(again_length, length);
    assert_memory_equal(again, route, length / 2 * sizeof *route);
    assert_int_equal(again[length / 2].x, 0x77777777);
    assert_int_equal(wm_agent_route(p->asked, again, length, &again_length), WM_OK);
    assert_memory_equal(again, route, length * sizeof *route);

    size_t walked = 0;
    wm_point before = wm_agent_position(p->asked);
    for (int i = 0; i < MAX_STEPS && status == WM_OK; i++) {
        status = step_both(p);
        const wm_point now = wm_agent_position(p->asked);
        if (is_same_point(before, now)) continue;
        before = now;
        if (walked >= length || !is_same_point(route[walked], now))
            fail_msg("%s, seed %llu: move %zu of %zu is to %d,%d", p->name,
                     (unsigned long long)p->seed, walked, length, (int)now.x, (int)now.y);
        walked++;
    }
    assert_int_equal(status, WM_ARRIVED);
    assert_int_equal(walked, length);
}

// Blocks and opens cells, none of them under an agent or on its goal.
static void edit_somewhere(wm_map* map, const wm_agent* agent, int cells, wm_rng* rng)
{
    for (int i = 0; i < cells; i++) {
        const wm_cell cell = (wm_cell)wm_rng_below(rng, map->grid.cell_count);
        if (cell == agent->position || cell == agent->goal) continue;
        const wm_cell_edit edit = {wm_grid_point(&map->grid, cell),
                                   !wm_grid_is_open(&map->grid, cell)};
        assert_int_equal(wm_map_edit(map, &edit, 1, NULL), WM_OK);
    }
}

// Walks a little, then asks, on a map that is edited before; where that leaves a way.
static void try_problem(wm_map* map, const pair* p, wm_rng* rng, bool edits)
{
    wm_cell start;
    wm_cell goal;
    if (!random_problem(&map->grid, rng, &start, &goal)) return;
    const wm_point from = wm_grid_point(&map->grid, start);
    const wm_point to = wm_grid_point(&map->grid, goal);
    assert_int_equal(wm_agent_begin(p->asked, from, to), WM_OK);
    assert_int_equal(wm_agent_begin(p->twin, from, to), WM_OK);
    wm_status status = WM_OK;
    for (uint64_t i = wm_rng_below(rng, 8); i > 0 && status == WM_OK; i--) status = step_both(p);
    if (edits && status == WM_OK) edit_somewhere(map, p->asked, 6, rng);
    if (status != WM_OK) return;
    if (wm_grid_connected(&map->grid, p->asked->position, p->asked->goal)) {
        check_route(p);
        return;
    }
    size_t length = 7;
    assert_int_equal(wm_agent_route(p->asked, NULL, 0, &length), WM_NO_PATH);
    assert_int_equal(length, 0);
    assert_int_equal(wm_agent_result(p->asked), WM_OK);
    assert_int_equal(step_both(p), WM_NO_PATH);
}

static void check_algorithms(bool edits, bool shares)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        for (size_t i = 0; i < wm_algorithm_count(); i++) {
            wm_map* map = map_random_editable(seed, 20);
            wm_db* db = db_build(map, 40, seed % 2 == 0, seed);
            if (db != NULL) {
                wm_rng rng = wm_rng_start(seed, 9);
                pair p = pair_of(map, db, wm_algorithm_at(i)->name, shares, seed);
                for (int k = 0; k < 4; k++) try_problem(map, &p, &rng, edits);
                pair_free(&p);
            }
            wm_db_close(db);
            wm_map_unload(map);
        }
    }
}

static void every_algorithm_walks_the_route_that_it_told(void** state)
{
    (void)state;
    check_algorithms(false, false);
}

static void routes_hold_for_agents_that_share_a_scratch(void** state)
{
    (void)state;
    check_algorithms(false, true);
}

static void routes_know_the_map_as_it_was_edited(void** state)
{
    (void)state;
    check_algorithms(true, false);
    check_algorithms(true, true);
}

// One of them is asked after every edit, of which there may be more than one between two steps.
static void check_asking(wm_map* map, const pair* p, wm_rng* rng)
{
    wm_cell start;
    wm_cell goal;
    if (!random_problem(&map->grid, rng, &start, &goal)) return;
    const wm_point from = wm_grid_point(&map->grid, start);
    const wm_point to = wm_grid_point(&map->grid, goal);
    assert_int_equal(wm_agent_begin(p->asked, from, to), WM_OK);
    assert_int_equal(wm_agent_begin(p->twin, from, to), WM_OK);
    wm_status status = WM_OK;
    for (int i = 0; i < MAX_STEPS && status == WM_OK; i++) {
        for (int edits = i < 60 ? i % 3 : 0; edits > 0; edits--) {
            size_t length;
            edit_somewhere(map, p->asked, 1, rng);
            wm_agent_route(p->asked, NULL, 0, &length);
        }
        assert_int_equal(wm_agent_statistics(p->asked).memory_bytes,
                         wm_agent_statistics(p->twin).memory_bytes);
        status = step_both(p);
    }
    assert_true(status == WM_ARRIVED || status == WM_NO_PATH);
}

static void asking_changes_nothing_however_the_map_is_edited(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(12); seed++) {
        for (size_t i = 0; i < 2 * wm_algorithm_count(); i++) {
            wm_map* map = map_random_editable(seed, 20);
            wm_db* db = db_build(map, 40, seed % 2 == 0, seed);
            if (db != NULL) {
                wm_rng rng = wm_rng_start(seed, 12);
                pair p = pair_of(map, db, wm_algorithm_at(i / 2)->name, i % 2 == 0, seed);
                p.asked->nearest_goal = p.twin->nearest_goal = seed % 2 == 0;
                for (int k = 0; k < 3; k++) check_asking(map, &p, &rng);
                pair_free(&p);
            }
            wm_db_close(db);
            wm_map_unload(map);
        }
    }
}

static wm_agent* room_agent(wm_map** map, wm_terrain terrain, const wm_allocator* allocator)
{
    static uint8_t cells[12][12];
    memset(cells, 1, sizeof cells);
    cells[1][1] = 0;
    const wm_map_config map_config = wm_map_config_default();
    wm_agent_config config = wm_agent_config_default();
    wm_agent* agent = NULL;
    config.terrain = terrain;
    config.allocator = *allocator;
    assert_int_equal(wm_map_create(map, cells[0], 12, 12, 12, &map_config, NULL), WM_OK);
    assert_int_equal(wm_agent_create(&agent, *map, NULL, &config, NULL), WM_OK);
    return agent;
}

static void mistakes_with_routes_are_refused(void** state)
{
    (void)state;
    test_memory memory = {0};
    const wm_allocator allocator = test_allocator(&memory);
    const wm_point here = {0, 0};
    const wm_point there = {2, 2};
    wm_map* map = NULL;
    wm_point cells[8];
    size_t length = 7;
    wm_agent* agent = room_agent(&map, WM_TERRAIN_KNOWN, &allocator);
    assert_int_equal(wm_agent_route(NULL, cells, 8, &length), WM_ERR_ARGUMENT);
    assert_int_equal(length, 0);
    assert_int_equal(wm_agent_route(agent, cells, 8, &length), WM_ERR_ARGUMENT); // not begun
    assert_int_equal(wm_agent_begin(agent, here, there), WM_OK);
    assert_int_equal(wm_agent_route(agent, NULL, 8, &length), WM_ERR_ARGUMENT);
    assert_int_equal(wm_agent_route(agent, cells, 8, NULL), WM_ERR_ARGUMENT);
    memory.fail_at = memory.calls + 1;
    length = 7;
    assert_int_equal(wm_agent_route(agent, cells, 8, &length), WM_ERR_MEMORY);
    assert_int_equal(length, 0);
    memory.fail_at = 0;
    const size_t bytes = memory.bytes;
    assert_int_equal(wm_agent_route(agent, cells, 8, &length), WM_OK);
    assert_int_equal(length, 4);
    assert_int_equal(memory.bytes, bytes);
    while (wm_agent_step(agent) == WM_OK) continue;
    assert_int_equal(wm_agent_route(agent, cells, 8, &length), WM_ERR_ARGUMENT); // arrived
    wm_agent_destroy(agent);
    wm_map_unload(map);

    agent = room_agent(&map, WM_TERRAIN_UNKNOWN, &allocator);
    assert_int_equal(wm_agent_begin(agent, here, there), WM_OK);
    assert_int_equal(wm_agent_route(agent, cells, 8, &length), WM_ERR_ARGUMENT);
    wm_agent_destroy(agent);
    wm_map_unload(map);
    assert_int_equal(memory.bytes, 0);
}

// With the check switched off an agent may be on its way to where no way leads.
static void an_agent_without_a_way_has_no_route(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        wm_map* map = map_random(seed, 20);
        wm_rng rng = wm_rng_start(seed, 10);
        wm_cell start;
        wm_cell goal;
        if (random_unsolvable_problem(&map->grid, &rng, &start, &goal)) {
            wm_agent* agent = agent_create(map, NULL, "lrta", true);
            size_t length = 7;
            assert_int_equal(wm_agent_begin(agent, wm_grid_point(&map->grid, start),
                                            wm_grid_point(&map->grid, goal)),
                             WM_OK);
            assert_int_equal(wm_agent_route(agent, NULL, 0, &length), WM_NO_PATH);
            assert_int_equal(wm_agent_result(agent), WM_OK);
            wm_agent_destroy(agent);
        }
        wm_map_unload(map);
    }
}

// Agents of regions are copied to the stack.
static void regions_tell_their_route_without_memory(void** state)
{
    (void)state;
    wm_map* map =
        map_generated(WM_GENERATE_ROOMS, 40, 40, WM_GENERATE_DEFAULT, 8, 2, WM_DIAGONAL_NONE);
    wm_db* db = db_build(map, 40, false, 4);
    test_memory memory = {0};
    wm_agent_config config = wm_agent_config_default();
    wm_agent* agent = NULL;
    wm_rng rng = wm_rng_start(1, 1);
    wm_cell start;
    wm_cell goal;
    config.algorithm = "regions";
    config.allocator = test_allocator(&memory);
    assert_int_equal(wm_agent_create(&agent, map, db, &config, NULL), WM_OK);
    assert_true(random_problem(&map->grid, &rng, &start, &goal));
    assert_int_equal(
        wm_agent_begin(agent, wm_grid_point(&map->grid, start), wm_grid_point(&map->grid, goal)),
        WM_OK);
    const size_t calls = memory.calls;
    static wm_point cells[ROOM];
    size_t length = 0;
    assert_int_equal(wm_agent_route(agent, cells, ROOM, &length), WM_OK);
    assert_true(length > 0);
    assert_int_equal(memory.calls, calls);
    wm_agent_destroy(agent);
    wm_db_close(db);
    wm_map_unload(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_walks_the_route_that_it_told),
        cmocka_unit_test(routes_hold_for_agents_that_share_a_scratch),
        cmocka_unit_test(routes_know_the_map_as_it_was_edited),
        cmocka_unit_test(asking_changes_nothing_however_the_map_is_edited),
        cmocka_unit_test(mistakes_with_routes_are_refused),
        cmocka_unit_test(an_agent_without_a_way_has_no_route),
        cmocka_unit_test(regions_tell_their_route_without_memory),
    };
    return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
