// SPDX-License-Identifier: MIT
//
// Maps for agents of 2 x 2 and 3 x 3 cells. What is open is asked of the map's own cells, one by one;
// every walk, and every edit, is held against them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "mapfile.h"
#include "walk.h"

// The cells of a map as they are, and the map of agents of some size.
typedef struct sized {
    int32_t width;
    int32_t height;
    uint8_t* open; ///< Per cell: by itself.
    wm_map* map;
} sized;

static sized sized_of(const wm_grid* cells, int32_t size, bool editable)
{
    sized s = {.width = cells->width, .height = cells->height, .open = malloc(cells->cell_count)};
    wm_map_config config = wm_map_config_default();
    wm_error error = {""};
    config.diagonal = cells->diagonal;
    config.agent_size = size;
    config.editable = editable;
    assert_non_null(s.open);
    for (wm_cell cell = 0; cell < cells->cell_count; cell++)
        s.open[cell] = wm_grid_is_open(cells, cell);
    if (wm_map_create(&s.map, s.open, s.width, s.height, (size_t)s.width, &config, &error) != WM_OK)
        fail_msg("%s", error.message);
    return s;
}

static void sized_free(sized* s)
{
    wm_map_unload(s->map);
    free(s->open);
}

// A map of any kind, by the seed; open enough that larger agents find room.
static wm_grid some_cells(uint64_t seed, int32_t side)
{
    if (seed % 5 == 4) return grid_random(seed, side, side - 3, 4, (wm_diagonal)(seed / 5 % 2));
    wm_map* map = map_generated((wm_generate_kind)(seed % 5 % WM_GENERATE_KINDS), side, side - 2,
                                seed % 5 == 3 ? 6 : WM_GENERATE_DEFAULT, seed % 5 == 2 ? 4 : 8,
                                seed, (wm_diagonal)(seed / 5 % 2));
    uint8_t* open = malloc(map->grid.cell_count);
    wm_grid cells;
    wm_grid_cover_cells(&map->grid, open);
    assert_int_equal(wm_grid_create(&cells, open, map->grid.width, map->grid.height,
                                    (size_t)map->grid.width, map->grid.diagonal, NULL, NULL),
                     WM_OK);
    free(open);
    wm_map_unload(map);
    return cells;
}

// By the definition: all that the agent covers is on the map and open.
static bool fits(const sized* s, int32_t size, wm_point at)
{
    bool all = true;
    for (int32_t y = at.y; y < at.y + size; y++) {
        for (int32_t x = at.x; x < at.x + size; x++)
            all = all && x >= 0 && y >= 0 && x < s->width && y < s->height &&
                  s->open[y * s->width + x] != 0;
    }
    return all;
}

static void check_open(const sized* s, int32_t size, uint64_t seed)
{
    for (int32_t y = -1; y <= s->height; y++) {
        for (int32_t x = -1; x <= s->width; x++) {
            if (wm_map_is_open(s->map, (wm_point){x, y}) == fits(s, size, (wm_point){x, y}))
                continue;
            fail_msg("seed %llu, size %d: %d,%d is wrong", (unsigned long long)seed, (int)size,
                     (int)x, (int)y);
        }
    }
}

static void a_cell_is_open_where_all_of_the_agent_fits(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        wm_grid cells = seed % 2 == 0
                            ? grid_random(seed, 3 + (int32_t)seed % 20, 17, (unsigned)seed % 40,
                                          (wm_diagonal)(seed / 2 % 2))
                            : some_cells(seed, 30);
        for (int32_t size = 1; size <= 3; size++) {
            sized s = sized_of(&cells, size, seed % 3 == 0);
            check_open(&s, size, seed);
            assert_int_equal(wm_map_agent_size(s.map), size);
            assert_int_equal(wm_map_width(s.map), s.width);
            sized_free(&s);
        }
        wm_grid_free(&cells);
    }
}

static void maps_smaller_than_the_agent_are_all_blocked(void** state)
{
    (void)state;
    static const uint8_t open[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t sides[][2] = {{1, 1}, {2, 2}, {1, 3}, {3, 1}, {2, 3}, {3, 3}};
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        for (int32_t size = 1; size <= 3; size++) {
            wm_map_config config = wm_map_config_default();
            wm_map* map = NULL;
            config.agent_size = size;
            const int32_t w = sides[i][0];
            const int32_t h = sides[i][1];
            assert_int_equal(wm_map_create(&map, open, w, h, (size_t)w, &config, NULL), WM_OK);
            assert_int_equal(wm_map_is_open(map, (wm_point){0, 0}), size <= w && size <= h);
            wm_map_unload(map);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Hashes

static void every_size_has_a_hash_of_its_own(void** state)
{
    (void)state;
    // Where everything is blocked the cells are the same for every size.
    for (int blocked = 0; blocked < 2; blocked++) {
        uint64_t hashes[6];
        int count = 0;
        uint8_t open[20 * 10];
        memset(open, !blocked, sizeof open);
        for (int32_t size = 1; size <= 3; size++) {
            for (int rule = 0; rule < 2; rule++) {
                wm_map_config config = wm_map_config_default();
                wm_map* map = NULL;
                config.agent_size = size;
                config.diagonal = (wm_diagonal)rule;
                assert_int_equal(wm_map_create(&map, open, 20, 10, 20, &config, NULL), WM_OK);
                hashes[count] = wm_map_hash(map);
                for (int i = 0; i < count; i++) assert_true(hashes[i] != hashes[count]);
                count++;
                wm_map_unload(map);
            }
        }
    }
}

static void the_cells_that_agents_cover_make_the_same_map_again(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        wm_grid cells = some_cells(seed, 26);
        for (int32_t size = 1; size <= 3; size++) {
            sized s = sized_of(&cells, size, false);
            wm_map* again = NULL;
            assert_int_equal(wm_build_make_map(&again, &s.map->grid, NULL), WM_OK);
            assert_true(wm_map_hash(again) == wm_map_hash(s.map));
            assert_memory_equal(again->grid.moves, s.map->grid.moves, s.map->grid.cell_count);
            assert_int_equal(wm_map_agent_size(again), size);
            wm_map_unload(again);
            sized_free(&s);
        }
        wm_grid_free(&cells);
    }
}

static void a_map_is_loaded_for_the_same_size_as_it_is_made(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "x.map");
    wm_grid cells = some_cells(6, 30);
    for (int32_t size = 1; size <= 3; size++) {
        sized s = sized_of(&cells, size, false);
        wm_map_config config = wm_map_config_default();
        wm_map* loaded = NULL;
        config.diagonal = cells.diagonal;
        config.agent_size = size;
        assert_int_equal(wm_mapfile_save(path.text, s.open, s.width, s.height, NULL), WM_OK);
        assert_int_equal(wm_map_load(&loaded, path.text, &config, NULL), WM_OK);
        assert_true(wm_map_hash(loaded) == wm_map_hash(s.map));
        wm_map_unload(loaded);
        sized_free(&s);
    }
    wm_grid_free(&cells);
    scratch_remove(&folder);
}

// ---------------------------------------------------------------------------------------------
// Walks

// Along the whole walk the agent covers nothing but open cells, also while it takes a step: a
// straight one sweeps over the cells of both ends; so does a diagonal one, but for two corners that
// the rule is about.
static void check_walk(const sized* s, wm_agent* agent, wm_cell start, wm_cell goal,
                       const char* what, uint64_t seed)
{
    const wm_grid* grid = &s->map->grid;
    const int32_t size = grid->agent_size;
    walk w = walk_take(agent, start, goal, 200000);
    if (w.status != WM_ARRIVED) fail_msg("%s, seed %llu: no way", what, (unsigned long long)seed);
    for (size_t i = 0; i < w.count; i++) {
        const wm_point at = wm_grid_point(grid, w.steps[i].cell);
        bool legal = fits(s, size, at);
        if (i > 0) {
            const wm_point before = wm_grid_point(grid, w.steps[i - 1].cell);
            const int32_t dx = at.x - before.x;
            const int32_t dy = at.y - before.y;
            legal = legal && abs(dx) <= 1 && abs(dy) <= 1;
            if (dx != 0 && dy != 0 && grid->diagonal == WM_DIAGONAL_NONE)
                legal = legal && fits(s, size, (wm_point){at.x, before.y}) &&
                        fits(s, size, (wm_point){before.x, at.y});
        }
        if (!legal)
            fail_msg("%s, seed %llu: at %d,%d the agent is in a wall", what,
                     (unsigned long long)seed, (int)at.x, (int)at.y);
    }
    walk_free(&w);
}

static void larger_agents_walk_over_open_cells_alone(void** state)
{
    (void)state;
    size_t walks = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        wm_grid cells = some_cells(seed, 40);
        for (int32_t size = 2; size <= 3; size++) {
            sized s = sized_of(&cells, size, false);
            wm_rng rng = wm_rng_start(seed, (uint64_t)size);
            wm_cell start;
            wm_cell goal;
            wm_db* db = random_problem(&s.map->grid, &rng, &start, &goal)
                            ? db_build(s.map, 60, false, seed)
                            : NULL;
            for (size_t i = 0; db != NULL && i < wm_algorithm_count(); i++) {
                const char* name = wm_algorithm_at(i)->name;
                wm_agent* agent = agent_create(s.map, db, name, false);
                for (int k = 0; k < 6; k++) {
                    if (!random_problem(&s.map->grid, &rng, &start, &goal)) continue;
                    check_walk(&s, agent, start, goal, name, seed);
                    walks++;
                }
                wm_agent_destroy(agent);
            }
            wm_db_close(db);
            sized_free(&s);
        }
        wm_grid_free(&cells);
    }
    assert_true(walks > 2000);
}

static void a_database_is_for_one_size(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "map.wmdb");
    wm_grid cells = grid_random(3, 30, 30, 0, WM_DIAGONAL_NONE);
    sized maps[3];
    for (int32_t size = 1; size <= 3; size++) maps[size - 1] = sized_of(&cells, size, false);
    assert_true(db_build_file(maps[1].map, 30, false, 1, &path));
    for (int i = 0; i < 3; i++) {
        const wm_db_config config = wm_db_config_default();
        wm_db* db = NULL;
        wm_error error = {""};
        assert_int_equal(wm_db_open(&db, maps[i].map, path.text, &config, &error),
                         i == 1 ? WM_OK : WM_ERR_MISMATCH);
        wm_db_close(db);
    }
    for (int i = 0; i < 3; i++) sized_free(&maps[i]);
    wm_grid_free(&cells);
    scratch_remove(&folder);
}

// Something small for each of the maps into one file, under the names that waymark-build gives them,
// and the last of them exported.
static void store_sizes(const sized* maps, int count, const test_path* store,
                        const test_path* single)
{
    static const char* const names[] = {"hall", "hall@2", "hall@3"};
    wm_edit edit;
    wm_error error = {""};
    size_t bytes;
    assert_int_equal(wm_edit_begin(&edit, store->text, &error), WM_OK);
    for (int i = 0; i < count; i++) {
        const wm_choice choice = {
            .map_hash = wm_map_hash(maps[i].map), .spec = "lrta", .problems = 1};
        wm_buffer blob = {0};
        assert_int_equal(wm_choice_seal(&blob, NULL, &choice), WM_OK);
        assert_int_equal(wm_build_store_blob(&edit.archive, names[i], &maps[i].map->grid,
                                             WM_METHOD_CHOICE, &blob, &bytes, &error),
                         WM_OK);
        wm_buffer_free(&blob);
    }
    assert_int_equal(wm_build_export(wm_archive_find(&edit.archive, names[count - 1]), "x",
                                     single->text, &bytes, &error),
                     WM_OK);
    if (wm_edit_commit(&edit, &error) != WM_OK) fail_msg("%s", error.message);
}

static void check_name(const wm_map* map, const test_path* path, const char* name,
                       wm_status expected, const char* part)
{
    wm_db_config config = wm_db_config_default();
    wm_error error = {""};
    wm_db* db = NULL;
    config.name = name;
    const wm_status status = wm_db_open(&db, map, path->text, &config, &error);
    if (status != expected) fail_msg("%s: %s: %s", name, wm_status_name(status), error.message);
    assert_contains(error.message, part);
    wm_db_close(db);
}

static void a_plain_name_means_the_size_of_the_map(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path single = scratch_path(&folder, "hall.wmb");
    wm_grid cells = grid_random(3, 30, 30, 0, WM_DIAGONAL_NONE);
    sized maps[3];
    for (int32_t size = 1; size <= 3; size++) maps[size - 1] = sized_of(&cells, size, false);
    for (int count = 1; count <= 3; count++) {
        const test_path store = scratch_path(&folder, count == 1   ? "1.wmdb"
                                                      : count == 2 ? "2.wmdb"
                                                                   : "3.wmdb");
        const wm_map* last = maps[count - 1].map;
        store_sizes(maps, count, &store, &single);
        for (int i = 0; i < count; i++) check_name(maps[i].map, &store, "hall", WM_OK, "");
        check_name(last, &single, "hall", WM_OK, "");
        check_name(last, &store, "cellar", WM_ERR_NOT_FOUND, "as \"hall");
        check_name(last, &single, "cellar", WM_ERR_NOT_FOUND, "as \"hall");
        check_name(last, &store, "hall@4", WM_ERR_NOT_FOUND, "not \"hall@4");
        check_name(last, &single, "hall@4", WM_ERR_NOT_FOUND, "not \"hall@4");
        if (count == 3) break;
        check_name(maps[count].map, &store, "hall", WM_ERR_MISMATCH,
                   count == 1 ? "nothing for size 2" : "nothing for size 3");
        check_name(maps[count].map, &single, "hall", WM_ERR_MISMATCH, "--agent-size");
    }
    // Said in full it is the same.
    const test_path store = scratch_path(&folder, "3.wmdb");
    check_name(maps[2].map, &store, "hall@3", WM_OK, "");
    check_name(maps[1].map, &store, "hall@2", WM_OK, "");
    check_name(maps[1].map, &store, "hall@3", WM_ERR_NOT_FOUND, "as \"hall@2\"");
    for (int i = 0; i < 3; i++) sized_free(&maps[i]);
    wm_grid_free(&cells);
    scratch_remove(&folder);
}

// ---------------------------------------------------------------------------------------------
// Edits

// Whether the numbers of components say the same: each of one grid stands for one of the other.
static bool same_components(const wm_grid* a, const wm_grid* b)
{
    uint32_t* other = calloc((size_t)a->component_count + 1, sizeof *other);
    uint32_t* back = calloc((size_t)b->component_count + 1, sizeof *back);
    bool same = true;
    for (wm_cell cell = 0; same && cell < a->cell_count; cell++) {
        const uint32_t x = a->component[cell];
        const uint32_t y = b->component[cell];
        if (other[x] == 0) other[x] = y + 1;
        if (back[y] == 0) back[y] = x + 1;
        same = other[x] == y + 1 && back[y] == x + 1 && (x == 0) == (y == 0);
    }
    free(other);
    free(back);
    return same;
}

static void check_as_made_anew(const sized* s, uint64_t seed)
{
    wm_map_config config = wm_map_config_default();
    wm_map* fresh = NULL;
    config.diagonal = s->map->grid.diagonal;
    config.agent_size = s->map->grid.agent_size;
    assert_int_equal(
        wm_map_create(&fresh, s->open, s->width, s->height, (size_t)s->width, &config, NULL),
        WM_OK);
    const wm_grid* a = &s->map->grid;
    const wm_grid* b = &fresh->grid;
    if (a->open_count != b->open_count || memcmp(a->moves, b->moves, a->cell_count) != 0 ||
        !same_components(a, b))
        fail_msg("seed %llu, size %d: not the map of its cells", (unsigned long long)seed,
                 (int)a->agent_size);
    wm_map_unload(fresh);
}

static void check_changed(const sized* s, const uint8_t* before)
{
    const wm_grid* grid = &s->map->grid;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        size_t listed = 0;
        for (size_t i = 0; i < grid->changed_count; i++) listed += grid->changed[i] == cell;
        assert_int_equal(listed % 2, (before[cell] != 0) != wm_grid_is_open(grid, cell));
    }
}

static void edits_of_single_cells_make_the_same_as_a_new_map(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        wm_grid cells = some_cells(seed, 24);
        for (int32_t size = 1; size <= 3; size++) {
            sized s = sized_of(&cells, size, true);
            wm_rng rng = wm_rng_start(seed, 10 + (uint64_t)size);
            const uint64_t hash = wm_map_hash(s.map);
            uint8_t* before = malloc(cells.cell_count);
            for (int i = 0; i < 8; i++) {
                wm_cell_edit edits[20];
                const size_t count = 1 + wm_rng_below(&rng, 20);
                for (wm_cell cell = 0; cell < cells.cell_count; cell++)
                    before[cell] = wm_grid_is_open(&s.map->grid, cell);
                for (size_t k = 0; k < count; k++) {
                    const wm_cell cell = (wm_cell)wm_rng_below(&rng, cells.cell_count);
                    const bool drawn = wm_rng_below(&rng, 3) > 0;
                    const bool open = k == 0 ? s.open[cell] == 0 : drawn; // something changes
                    edits[k] = (wm_cell_edit){wm_grid_point(&cells, cell), open};
                    s.open[cell] = open;
                }
                assert_int_equal(wm_map_edit(s.map, edits, count, NULL), WM_OK);
                check_as_made_anew(&s, seed);
                check_changed(&s, before);
            }
            assert_true(wm_map_hash(s.map) == hash);
            assert_int_equal(wm_map_revision(s.map), 8);
            free(before);
            sized_free(&s);
        }
        wm_grid_free(&cells);
    }
}

static void larger_agents_keep_out_of_new_walls(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        wm_grid cells = some_cells(seed, 30);
        for (size_t i = 0; i < wm_algorithm_count(); i++) {
            sized s = sized_of(&cells, 2, true);
            const char* name = wm_algorithm_at(i)->name;
            wm_rng rng = wm_rng_start(seed, 30 + i);
            wm_cell start;
            wm_cell goal;
            wm_db* db = random_problem(&s.map->grid, &rng, &start, &goal)
                            ? db_build(s.map, 40, false, seed)
                            : NULL;
            if (db != NULL) {
                wm_agent* agent = agent_create(s.map, db, name, false);
                wm_status status = wm_agent_begin(agent, wm_grid_point(&cells, start),
                                                  wm_grid_point(&cells, goal));
                for (int step = 0; status == WM_OK && step < 20000; step++) {
                    const wm_cell at = (wm_cell)wm_rng_below(&rng, cells.cell_count);
                    const wm_cell_edit edit = {wm_grid_point(&cells, at), step % 3 == 0};
                    if (step < 60) {
                        s.open[at] = edit.open;
                        assert_int_equal(wm_map_edit(s.map, &edit, 1, NULL), WM_OK);
                    }
                    const wm_point before = wm_agent_position(agent);
                    status = wm_agent_step(agent);
                    const wm_point now = wm_agent_position(agent);
                    // Where a wall came down on it, it stays.
                    if ((now.x != before.x || now.y != before.y) && !fits(&s, 2, now))
                        fail_msg("%s, seed %llu: in a wall", name, (unsigned long long)seed);
                }
                assert_true(status == WM_ARRIVED || status == WM_NO_PATH);
                wm_agent_destroy(agent);
            }
            wm_db_close(db);
            sized_free(&s);
        }
        wm_grid_free(&cells);
    }
}

// ---------------------------------------------------------------------------------------------
// Bad calls

static void a_size_that_is_none_is_refused(void** state)
{
    (void)state;
    static const int32_t sizes[] = {0, -1, 4, INT32_MAX, INT32_MIN};
    static const uint8_t open[4] = {1, 1, 1, 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        wm_map_config config = wm_map_config_default();
        wm_error error = {""};
        wm_map* map = NULL;
        config.agent_size = sizes[i];
        assert_int_equal(wm_map_create(&map, open, 2, 2, 2, &config, &error), WM_ERR_ARGUMENT);
        assert_null(map);
        assert_contains(error.message, "agent size");
        assert_int_equal(wm_map_load(&map, "x.map", &config, NULL), WM_ERR_ARGUMENT);
    }
}

static void failed_memory_is_told_and_changes_nothing(void** state)
{
    (void)state;
    uint8_t open[12 * 12];
    memset(open, 1, sizeof open);
    wm_map_config config = wm_map_config_default();
    config.agent_size = 2;
    config.editable = true;
    wm_status status = WM_ERR_MEMORY;
    size_t n = 0;
    while (status == WM_ERR_MEMORY) {
        test_memory memory = {.fail_at = ++n};
        wm_map* map = NULL;
        wm_error error = {""};
        config.allocator = test_allocator(&memory);
        status = wm_map_create(&map, open, 12, 12, 12, &config, &error);
        if (status != WM_OK) assert_contains(error.message, "memory");
        wm_map_unload(map);
        assert_int_equal(memory.bytes, 0);
    }
    assert_int_equal(status, WM_OK);
    assert_true(n > 4);

    test_memory memory = {0};
    wm_map* map = NULL;
    const wm_cell_edit edit = {{5, 5}, false};
    config.allocator = test_allocator(&memory);
    assert_int_equal(wm_map_create(&map, open, 12, 12, 12, &config, NULL), WM_OK);
    memory.fail_at = memory.calls + 1;
    assert_int_equal(wm_map_edit(map, &edit, 1, NULL), WM_ERR_MEMORY);
    assert_true(wm_map_is_open(map, (wm_point){4, 4}));
    assert_int_equal(wm_map_revision(map), 0);
    assert_int_equal(wm_map_edit(map, &edit, 1, NULL), WM_OK);
    assert_false(wm_map_is_open(map, (wm_point){4, 4}));
    assert_false(wm_map_is_open(map, (wm_point){5, 5}));
    assert_true(wm_map_is_open(map, (wm_point){3, 5}));
    assert_true(wm_map_is_open(map, (wm_point){6, 5}));
    wm_map_unload(map);
    assert_int_equal(memory.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_open_where_all_of_the_agent_fits),
        cmocka_unit_test(maps_smaller_than_the_agent_are_all_blocked),
        cmocka_unit_test(every_size_has_a_hash_of_its_own),
        cmocka_unit_test(the_cells_that_agents_cover_make_the_same_map_again),
        cmocka_unit_test(a_map_is_loaded_for_the_same_size_as_it_is_made),
        cmocka_unit_test(larger_agents_walk_over_open_cells_alone),
        cmocka_unit_test(a_database_is_for_one_size),
        cmocka_unit_test(a_plain_name_means_the_size_of_the_map),
        cmocka_unit_test(edits_of_single_cells_make_the_same_as_a_new_map),
        cmocka_unit_test(larger_agents_keep_out_of_new_walls),
        cmocka_unit_test(a_size_that_is_none_is_refused),
        cmocka_unit_test(failed_memory_is_told_and_changes_nothing),
    };
    return cmocka_run_group_tests_name("clearance", tests, NULL, NULL);
}
