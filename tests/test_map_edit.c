// SPDX-License-Identifier: MIT
//
// Maps that change under walking agents. What is legal is asked of the reference, from the open
// cells alone; whether there is a path, of a grid made anew from the same cells.
#include <stdlib.h>

#include "reference.h"
#include "walk.h"

static wm_grid made_anew(const wm_grid* grid)
{
    wm_grid fresh;
    uint8_t* open = malloc(grid->cell_count);
    assert_non_null(open);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++)
        open[cell] = wm_grid_is_open(grid, cell);
    assert_int_equal(wm_grid_create(&fresh, open, grid->width, grid->height, (size_t)grid->width,
                                    grid->diagonal, NULL, NULL),
                     WM_OK);
    free(open);
    return fresh;
}

// Flips some cells, but for two that stay open.
static void flip_cells(wm_map* map, wm_rng* rng, wm_cell keep, wm_cell keep_too)
{
    wm_cell_edit edits[12];
    const size_t count = 1 + wm_rng_below(rng, 12);
    for (size_t i = 0; i < count; i++) {
        const wm_cell cell = (wm_cell)wm_rng_below(rng, map->grid.cell_count);
        const bool flipped = !wm_grid_is_open(&map->grid, cell);
        edits[i] = (wm_cell_edit){wm_grid_point(&map->grid, cell),
                                  cell == keep || cell == keep_too || flipped};
    }
    assert_int_equal(wm_map_edit(map, edits, count, NULL), WM_OK);
}

static void an_edited_map_is_the_map_of_its_cells(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(100); seed++) {
        wm_map* map = map_random_editable(seed, 28);
        wm_rng rng = wm_rng_start(seed, 2);
        const uint64_t hash = wm_map_hash(map);
        for (uint32_t i = 1; i <= 10; i++) {
            flip_cells(map, &rng, 0, 0);
            wm_grid fresh = made_anew(&map->grid);
            assert_int_equal(wm_map_revision(map), i);
            assert_true(wm_map_hash(map) == hash);
            assert_int_equal(map->grid.open_count, fresh.open_count);
            assert_int_equal(map->grid.component_count, fresh.component_count);
            assert_memory_equal(map->grid.moves, fresh.moves, fresh.cell_count);
            assert_memory_equal(map->grid.component, fresh.component,
                                fresh.cell_count * sizeof *fresh.component);
            wm_grid_free(&fresh);
        }
        wm_map_unload(map);
    }
}

// Every cell that differs is listed once or thrice, every other one never or twice.
static void check_changed(const wm_grid* before, const wm_grid* after)
{
    for (wm_cell cell = 0; cell < after->cell_count; cell++) {
        const bool differs = wm_grid_is_open(before, cell) != wm_grid_is_open(after, cell);
        size_t listed = 0;
        for (size_t i = 0; i < after->changed_count; i++) listed += after->changed[i] == cell;
        assert_int_equal(listed % 2, differs);
    }
}

static void an_edit_lists_the_cells_that_it_changed(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(100); seed++) {
        wm_map* map = map_random_editable(seed, 28);
        wm_rng rng = wm_rng_start(seed, 3);
        assert_int_equal(map->grid.changed_count, 0);
        for (int i = 0; i < 10; i++) {
            wm_grid before = made_anew(&map->grid);
            flip_cells(map, &rng, 0, 0);
            check_changed(&before, &map->grid);
            wm_grid_free(&before);
        }
        const wm_point somewhere = {0, 0};
        const wm_cell_edit nothing = {somewhere, wm_map_is_open(map, somewhere)};
        assert_int_equal(wm_map_edit(map, &nothing, 1, NULL), WM_OK);
        assert_int_equal(map->grid.changed_count, 0);
        wm_map_unload(map);
    }
}

// Walks with an edit every few moves; then, with none, to the end.
static void check_walk(wm_map* map, wm_agent* agent, wm_rng* rng, const char* what, uint64_t seed)
{
    wm_cell start;
    wm_cell goal;
    if (!random_problem(&map->grid, rng, &start, &goal)) return;
    const wm_grid* grid = &map->grid;
    wm_cell at = start;
    wm_status status = wm_agent_begin(agent, wm_grid_point(grid, start), wm_grid_point(grid, goal));
    assert_int_equal(status, WM_OK);
    for (int moves = 0; status == WM_OK; moves++) {
        if (moves > 200000) fail_msg("%s, seed %llu: no end", what, (unsigned long long)seed);
        if (moves < 60 && moves % 6 == 5) flip_cells(map, rng, at, goal);
        status = wm_agent_step(agent);
        const wm_cell next = wm_grid_cell(grid, wm_agent_position(agent));
        if (next != at && reference_direction(grid, at, next) < 0)
            fail_msg("%s, seed %llu: from %u to %u is not legal", what, (unsigned long long)seed,
                     at, next);
        at = next;
    }
    wm_grid fresh = made_anew(grid);
    const bool connected = wm_grid_connected(&fresh, at, goal);
    wm_grid_free(&fresh);
    if (status != (connected ? WM_ARRIVED : WM_NO_PATH) || (connected && at != goal))
        fail_msg("%s, seed %llu: %s, and goal and agent are %sconnected", what,
                 (unsigned long long)seed, wm_status_name(status), connected ? "" : "not ");
}

static void every_algorithm_survives_edits(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(60); seed++) {
        for (size_t i = 0; i < wm_algorithm_count(); i++) {
            wm_map* map = map_random_editable(seed, 28);
            wm_db* db = db_build(map, 200, seed % 2 == 0, seed);
            const char* name = wm_algorithm_at(i)->name;
            if (db != NULL) {
                wm_agent* agent = agent_create(map, db, name, false);
                wm_rng rng = wm_rng_start(seed, 10 + i);
                for (int k = 0; k < 4; k++) check_walk(map, agent, &rng, name, seed);
                wm_agent_destroy(agent);
            }
            wm_db_close(db);
            wm_map_unload(map);
        }
    }
}

static void walls_on_the_agent_or_its_goal_end_the_walk(void** state)
{
    (void)state;
    wm_map_config config = wm_map_config_default();
    config.editable = true;
    uint8_t open[100];
    for (int i = 0; i < 100; i++) open[i] = 1;
    for (int who = 0; who < 2; who++) {
        wm_map* map = NULL;
        assert_int_equal(wm_map_create(&map, open, 10, 10, 10, &config, NULL), WM_OK);
        wm_agent* agent = agent_create(map, NULL, "tb-wa", false);
        assert_int_equal(wm_agent_begin(agent, (wm_point){0, 0}, (wm_point){9, 9}), WM_OK);
        assert_int_equal(wm_agent_step(agent), WM_OK);
        const wm_cell_edit wall = {who == 0 ? wm_agent_position(agent) : (wm_point){9, 9}, false};
        assert_int_equal(wm_map_edit(map, &wall, 1, NULL), WM_OK);
        assert_int_equal(wm_agent_step(agent), WM_NO_PATH);
        assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
        wm_agent_destroy(agent);
        wm_map_unload(map);
    }
}

static void wrong_edits_change_nothing(void** state)
{
    (void)state;
    wm_error error = {""};
    uint8_t open[4] = {1, 1, 1, 0};
    wm_map_config config = wm_map_config_default();
    wm_map* map = NULL;
    const wm_cell_edit edits[2] = {{{0, 0}, false}, {{2, 0}, false}};
    assert_int_equal(wm_map_create(&map, open, 2, 2, 2, &config, NULL), WM_OK);
    assert_int_equal(wm_map_edit(map, edits, 1, &error), WM_ERR_ARGUMENT);
    assert_contains(error.message, "not editable");
    wm_map_unload(map);
    config.editable = true;
    assert_int_equal(wm_map_create(&map, open, 2, 2, 2, &config, NULL), WM_OK);
    assert_int_equal(wm_map_edit(map, edits, 2, &error), WM_ERR_ARGUMENT);
    assert_contains(error.message, "edit 1 is at 2,0");
    assert_int_equal(wm_map_edit(NULL, edits, 1, &error), WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_edit(map, NULL, 1, &error), WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_edit(map, NULL, 0, &error), WM_OK);
    assert_true(wm_map_is_open(map, (wm_point){0, 0}));
    assert_int_equal(wm_map_revision(map), 0);
    wm_map_unload(map);

    test_memory memory = {0};
    config.allocator = test_allocator(&memory);
    assert_int_equal(wm_map_create(&map, open, 2, 2, 2, &config, NULL), WM_OK);
    for (size_t which = 1; which <= 2; which++) {
        memory.fail_at = memory.calls + which;
        assert_int_equal(wm_map_edit(map, edits, 1, &error), WM_ERR_MEMORY);
        assert_true(wm_map_is_open(map, (wm_point){0, 0}));
        assert_int_equal(wm_map_revision(map), 0);
    }
    assert_int_equal(wm_map_edit(map, edits, 1, &error), WM_OK);
    wm_map_unload(map);
    assert_int_equal(memory.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edited_map_is_the_map_of_its_cells),
        cmocka_unit_test(an_edit_lists_the_cells_that_it_changed),
        cmocka_unit_test(every_algorithm_survives_edits),
        cmocka_unit_test(walls_on_the_agent_or_its_goal_end_the_walk),
        cmocka_unit_test(wrong_edits_change_nothing),
    };
    return cmocka_run_group_tests_name("map_edit", tests, NULL, NULL);
}
