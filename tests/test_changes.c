// SPDX-License-Identifier: MIT
//
// The changes of the dynamic experiment against their definition, cell by cell: each is the original
// map with the rate's share of both kinds of cells flipped, but for the cells that are kept open.
#include <stdlib.h>
#include <string.h>

#include "experiments/changes.h"
#include "walk.h"

#define EVENTS 12

static const unsigned rates[] = {0, 1, 5, 10, 200};
#define RATES (sizeof rates / sizeof rates[0])

static wm_map* random_map(uint64_t seed, int32_t width, int32_t height)
{
    wm_map_config config = wm_map_config_default();
    config.editable = true;
    wm_map* map = NULL;
    wm_rng rng = wm_rng_start(seed, 7);
    const size_t cells = (size_t)width * (size_t)height;
    uint8_t* open = malloc(cells);
    assert_non_null(open);
    for (size_t i = 0; i < cells; i++) open[i] = wm_rng_below(&rng, 10) > 0;
    assert_int_equal(wm_map_create(&map, open, width, height, (size_t)width, &config, NULL), WM_OK);
    free(open);
    return map;
}

// One byte a cell, 1 for open; free() it.
static uint8_t* cells_of(const wm_map* map)
{
    uint8_t* open = malloc(map->grid.cell_count);
    assert_non_null(open);
    for (wm_cell cell = 0; cell < map->grid.cell_count; cell++)
        open[cell] = wm_map_is_open(map, wm_grid_point(&map->grid, cell));
    return open;
}

static uint32_t count_cells(const uint8_t* original, const uint8_t* now, uint32_t count, bool open,
                            bool only_flipped)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += (original[i] != 0) == open && (!only_flipped || now[i] != original[i]);
    return found;
}

static void check_share(const uint8_t* original, const uint8_t* now, uint32_t count, bool open,
                        unsigned rate)
{
    const uint32_t all = count_cells(original, now, count, open, false);
    const uint32_t flipped = count_cells(original, now, count, open, true);
    assert_int_equal(flipped, all * rate / 200);
}

static void every_change_flips_the_share_of_the_original_map(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        wm_map* map = random_map(seed, 20 + (int32_t)seed, 31);
        uint8_t* original = cells_of(map);
        const uint32_t count = map->grid.cell_count;
        wm_changes changes;
        assert_int_equal(wm_changes_create(&changes, map, NULL), WM_OK);
        for (size_t r = 0; r < RATES; r++) {
            wm_changes_begin(&changes, rates[r], seed);
            for (int event = 0; event < EVENTS; event++) {
                assert_int_equal(wm_changes_apply(&changes, map, NULL, 0, NULL), WM_OK);
                uint8_t* now = cells_of(map);
                check_share(original, now, count, true, rates[r]);
                check_share(original, now, count, false, rates[r]);
                free(now);
            }
        }
        wm_changes_free(&changes);
        free(original);
        wm_map_unload(map);
    }
}

static void cells_that_are_kept_are_open_and_nothing_else_differs(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        wm_map* map = random_map(seed, 33, 29);
        wm_map* other = random_map(seed, 33, 29);
        wm_rng rng = wm_rng_start(seed, 8);
        wm_changes changes;
        wm_changes plain;
        assert_int_equal(wm_changes_create(&changes, map, NULL), WM_OK);
        assert_int_equal(wm_changes_create(&plain, other, NULL), WM_OK);
        const unsigned rate = rates[seed % RATES];
        wm_changes_begin(&changes, rate, seed);
        wm_changes_begin(&plain, rate, seed);
        for (int event = 0; event < EVENTS; event++) {
            wm_cell keep[3];
            for (int i = 0; i < 3; i++) keep[i] = (wm_cell)wm_rng_below(&rng, map->grid.cell_count);
            assert_int_equal(wm_changes_apply(&changes, map, keep, 3, NULL), WM_OK);
            assert_int_equal(wm_changes_apply(&plain, other, NULL, 0, NULL), WM_OK);
            uint8_t* now = cells_of(map);
            uint8_t* expected = cells_of(other);
            for (int i = 0; i < 3; i++) expected[keep[i]] = 1;
            assert_memory_equal(now, expected, map->grid.cell_count);
            free(now);
            free(expected);
        }
        wm_changes_free(&changes);
        wm_changes_free(&plain);
        wm_map_unload(map);
        wm_map_unload(other);
    }
}

// Also from a map that something else has changed meanwhile.
static void the_same_seed_gives_the_same_changes_from_any_state(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        wm_map* map = random_map(seed, 40, 30);
        uint8_t* original = cells_of(map);
        uint8_t* first[EVENTS];
        wm_changes changes;
        assert_int_equal(wm_changes_create(&changes, map, NULL), WM_OK);
        wm_changes_begin(&changes, 10, seed);
        for (int event = 0; event < EVENTS; event++) {
            assert_int_equal(wm_changes_apply(&changes, map, NULL, 0, NULL), WM_OK);
            first[event] = cells_of(map);
            if (event > 0)
                assert_memory_not_equal(first[event], first[event - 1], map->grid.cell_count);
        }
        wm_changes_begin(&changes, 10, seed);
        for (int event = 0; event < EVENTS; event++) {
            const wm_cell_edit foreign = {{event, event}, event % 2 == 0};
            assert_int_equal(wm_map_edit(map, &foreign, 1, NULL), WM_OK);
            assert_int_equal(wm_changes_apply(&changes, map, NULL, 0, NULL), WM_OK);
            uint8_t* now = cells_of(map);
            assert_memory_equal(now, first[event], map->grid.cell_count);
            free(now);
            free(first[event]);
        }
        assert_int_equal(wm_changes_revert(&changes, map, NULL), WM_OK);
        uint8_t* now = cells_of(map);
        assert_memory_equal(now, original, map->grid.cell_count);
        free(now);
        free(original);
        wm_changes_free(&changes);
        wm_map_unload(map);
    }
}

// Agents look at the list of what changed: it must be the difference, each cell once.
static void a_change_is_one_edit_of_what_differs(void** state)
{
    (void)state;
    wm_map* map = random_map(1, 50, 50);
    wm_changes changes;
    assert_int_equal(wm_changes_create(&changes, map, NULL), WM_OK);
    wm_changes_begin(&changes, 10, 1);
    for (uint32_t event = 1; event <= EVENTS; event++) {
        uint8_t* before = cells_of(map);
        assert_int_equal(wm_changes_apply(&changes, map, NULL, 0, NULL), WM_OK);
        uint8_t* after = cells_of(map);
        size_t different = 0;
        for (wm_cell cell = 0; cell < map->grid.cell_count; cell++)
            different += before[cell] != after[cell];
        assert_int_equal(wm_map_revision(map), event);
        assert_int_equal(map->grid.changed_count, different);
        for (size_t i = 0; i < map->grid.changed_count; i++)
            assert_int_not_equal(before[map->grid.changed[i]], after[map->grid.changed[i]]);
        free(before);
        free(after);
    }
    wm_changes_free(&changes);
    wm_map_unload(map);
}

static void maps_that_cannot_be_edited_are_refused(void** state)
{
    (void)state;
    const uint8_t open[4] = {1, 1, 1, 1};
    const wm_map_config config = wm_map_config_default();
    wm_map* map = NULL;
    wm_changes changes;
    wm_error error = {""};
    assert_int_equal(wm_map_create(&map, open, 2, 2, 2, &config, NULL), WM_OK);
    assert_int_equal(wm_changes_create(&changes, map, NULL), WM_OK);
    wm_changes_begin(&changes, 100, 1);
    assert_int_equal(wm_changes_apply(&changes, map, NULL, 0, &error), WM_ERR_ARGUMENT);
    assert_contains(error.message, "not editable");
    wm_changes_free(&changes);
    wm_map_unload(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_flips_the_share_of_the_original_map),
        cmocka_unit_test(cells_that_are_kept_are_open_and_nothing_else_differs),
        cmocka_unit_test(the_same_seed_gives_the_same_changes_from_any_state),
        cmocka_unit_test(a_change_is_one_edit_of_what_differs),
        cmocka_unit_test(maps_that_cannot_be_edited_are_refused),
    };
    return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
