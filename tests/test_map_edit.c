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

// Both say the same of every two cells; only the numbers may be others.
static void check_components(const wm_grid* grid, const wm_grid* fresh, uint64_t seed)
{
    uint32_t* named = calloc((size_t)fresh->component_count + 1, sizeof *named);
    uint32_t* back = calloc((size_t)grid->component_count + 1, sizeof *back);
    assert_non_null(named);
    assert_non_null(back);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        const uint32_t number = grid->component[cell];
        const uint32_t expected = fresh->component[cell];
        if (number > grid->component_count || (number == 0) != (expected == 0))
            fail_msg("seed %llu: cell %u has the number %u", (unsigned long long)seed, cell,
                     number);
        if (number == 0) continue;
        if (named[expected] == 0) named[expected] = number;
        if (back[number] == 0) back[number] = expected;
        if (named[expected] != number || back[number] != expected)
            fail_msg("seed %llu: cell %u is in component %u, not with its own",
                     (unsigned long long)seed, cell, number);
    }
    free(named);
    free(back);
}

// Flips some cells, but for two that stay open; WM_NO_CELL where all may be flipped.
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
            flip_cells(map, &rng, WM_NO_CELL, WM_NO_CELL);
            wm_grid fresh = made_anew(&map->grid);
            assert_int_equal(wm_map_revision(map), i);
            assert_true(wm_map_hash(map) == hash);
            assert_int_equal(map->grid.open_count, fresh.open_count);
            assert_memory_equal(map->grid.moves, fresh.moves, fresh.cell_count);
            check_components(&map->grid, &fresh, seed);
            wm_grid_free(&fresh);
        }
        wm_map_unload(map);
    }
}

// Open areas, mazes of one cell's width, and what is between: blocked cells in 10 to 60 of 100.
static void check_edits(wm_diagonal diagonal, uint64_t seed)
{
    wm_rng rng = wm_rng_start(seed, 7);
    const int32_t side = 3 + (int32_t)wm_rng_below(&rng, 120);
    const unsigned percent = 10 + (unsigned)wm_rng_below(&rng, 51);
    wm_grid grid = grid_random(seed, side, 3 + (int32_t)wm_rng_below(&rng, 120), percent, diagonal);
    for (int call = 0; call < 60; call++) {
        wm_cell_edit edits[300];
        // One as a rule; sometimes so many that all is labelled anew; cells may come twice.
        const size_t count = call % 4 != 3 ? 1 : 1 + wm_rng_below(&rng, 300);
        for (size_t i = 0; i < count; i++) {
            const wm_cell cell = (wm_cell)wm_rng_below(&rng, grid.cell_count);
            const bool open = wm_rng_below(&rng, 100) >= percent;
            edits[i] = (wm_cell_edit){wm_grid_point(&grid, cell), open};
        }
        assert_int_equal(wm_grid_edit(&grid, edits, count, NULL), WM_OK);
        wm_grid fresh = made_anew(&grid);
        assert_int_equal(grid.open_count, fresh.open_count);
        assert_memory_equal(grid.moves, fresh.moves, fresh.cell_count);
        check_components(&grid, &fresh, seed);
        wm_grid_free(&fresh);
    }
    wm_grid_free(&grid);
}

static void what_is_connected_is_right_after_thousands_of_edits(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(100); seed++) {
        check_edits(WM_DIAGONAL_NONE, seed);
        check_edits(WM_DIAGONAL_SQUEEZE, seed);
    }
}

// A wall across a map of many cells, whose one door opens and shuts: more to look at than is looked
// at for a single edit; and cells that are blocked and opened until numbers are used up.
static void a_door_joins_and_parts_large_areas(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 200, 200, 0, WM_DIAGONAL_NONE);
    const wm_cell_edit shut = {{100, 77}, false};
    const wm_cell_edit open = {{100, 77}, true};
    for (int32_t y = 0; y < 200; y++) {
        const wm_cell_edit wall = {{100, y}, false};
        if (y != 77) assert_int_equal(wm_grid_edit(&grid, &wall, 1, NULL), WM_OK);
    }
    for (int i = 0; i < 5; i++) {
        assert_true(wm_grid_connected(&grid, 0, 199));
        assert_int_equal(wm_grid_edit(&grid, &shut, 1, NULL), WM_OK);
        assert_false(wm_grid_connected(&grid, 0, 199));
        assert_int_equal(grid.component_count, 2);
        assert_int_equal(wm_grid_edit(&grid, &open, 1, NULL), WM_OK);
    }
    wm_grid_free(&grid);
    grid = grid_random(1, 5, 1, 0, WM_DIAGONAL_NONE);
    for (int i = 0; i < 100; i++) {
        const wm_cell_edit edit = {{2, 0}, i % 2 == 1};
        assert_int_equal(wm_grid_edit(&grid, &edit, 1, NULL), WM_OK);
        assert_int_equal(wm_grid_connected(&grid, 0, 4), i % 2 == 1);
        assert_true(grid.component_count <= 5);
    }
    wm_grid_free(&grid);
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
            flip_cells(map, &rng, WM_NO_CELL, WM_NO_CELL);
            check_changed(&before, &map->grid);
            wm_grid_free(&before);
        }
        wm_map_unload(map);
    }
}

// Nobody is to plan anew for nothing; and who is one edit behind still needs what that changed.
static void an_edit_that_changes_nothing_is_none(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(100); seed++) {
        wm_map* map = map_random_editable(seed, 28);
        wm_rng rng = wm_rng_start(seed, 5);
        flip_cells(map, &rng, WM_NO_CELL, WM_NO_CELL);
        const uint32_t revision = wm_map_revision(map);
        const size_t changed_count = map->grid.changed_count;
        wm_cell_edit nothing[10];
        for (size_t i = 0; i < 10; i++) {
            const wm_cell cell = (wm_cell)wm_rng_below(&rng, map->grid.cell_count);
            nothing[i].at = wm_grid_point(&map->grid, cell);
            nothing[i].open = wm_map_is_open(map, nothing[i].at);
        }
        assert_int_equal(wm_map_edit(map, nothing, 10, NULL), WM_OK);
        assert_int_equal(wm_map_edit(map, nothing, 0, NULL), WM_OK);
        assert_int_equal(wm_map_revision(map), revision);
        assert_int_equal(map->grid.changed_count, changed_count);
        nothing[9].open = !nothing[9].open; // now it is one
        assert_int_equal(wm_map_edit(map, nothing, 10, NULL), WM_OK);
        assert_int_equal(wm_map_revision(map), revision + 1);
        wm_map_unload(map);
    }
}

// A cell that larger agents could not stand on anyway is one of the map all the same.
static void an_edit_that_no_large_agent_sees_is_one(void** state)
{
    (void)state;
    static const uint8_t cells[3][4] = {{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 0, 0}};
    wm_map_config config = wm_map_config_default();
    wm_map* map = NULL;
    config.editable = true;
    config.agent_size = 2;
    assert_int_equal(wm_map_create(&map, cells[0], 4, 3, 4, &config, NULL), WM_OK);
    const wm_cell_edit again = {{3, 2}, false};
    const wm_cell_edit beside[2] = {{{2, 0}, true}, {{2, 1}, true}};
    assert_int_equal(wm_map_edit(map, &again, 1, NULL), WM_OK);
    assert_int_equal(wm_map_revision(map), 0);
    assert_int_equal(wm_map_edit(map, &beside[0], 1, NULL), WM_OK);
    assert_int_equal(wm_map_revision(map), 1);
    assert_false(wm_map_is_open(map, (wm_point){1, 0}));
    assert_int_equal(wm_map_edit(map, &beside[1], 1, NULL), WM_OK);
    assert_true(wm_map_is_open(map, (wm_point){1, 0})); // both are known
    wm_map_unload(map);
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
    memory.fail_at = memory.calls + 1;
    assert_int_equal(wm_map_edit(map, edits, 1, &error), WM_ERR_MEMORY);
    assert_true(wm_map_is_open(map, (wm_point){0, 0}));
    assert_int_equal(wm_map_revision(map), 0);
    assert_int_equal(wm_map_edit(map, edits, 1, &error), WM_OK);
    wm_map_unload(map);
    assert_int_equal(memory.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edited_map_is_the_map_of_its_cells),
        cmocka_unit_test(what_is_connected_is_right_after_thousands_of_edits),
        cmocka_unit_test(a_door_joins_and_parts_large_areas),
        cmocka_unit_test(an_edit_lists_the_cells_that_it_changed),
        cmocka_unit_test(an_edit_that_changes_nothing_is_none),
        cmocka_unit_test(an_edit_that_no_large_agent_sees_is_one),
        cmocka_unit_test(every_algorithm_survives_edits),
        cmocka_unit_test(walls_on_the_agent_or_its_goal_end_the_walk),
        cmocka_unit_test(wrong_edits_change_nothing),
    };
    return cmocka_run_group_tests_name("map_edit", tests, NULL, NULL);
}
