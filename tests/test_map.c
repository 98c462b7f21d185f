// SPDX-License-Identifier: MIT
//
// Maps from the content of a `.map` file in memory: as from the file itself, and no worse for bytes that
// are no map. What the parser says of each mistake is in test_mapfile.c.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mapfile.h"
#include "walk.h"

static const char SMALL[] = "type octile\nheight 3\nwidth 4\nmap\n..@.\nG.T.\nS..W\n";
#define SMALL_SIZE (sizeof SMALL - 1)

static void a_map_from_memory_is_that_of_the_file(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "some.map");
    for (uint64_t seed = 1; seed <= 60; seed++) {
        wm_grid grid = grid_random(seed, 1 + (int32_t)(seed % 29), 1 + (int32_t)(seed % 17), 30,
                                   WM_DIAGONAL_NONE);
        uint8_t* open = malloc(grid.cell_count);
        wm_grid_cover_cells(&grid, open);
        assert_int_equal(wm_mapfile_save(path.text, open, grid.width, grid.height, NULL), WM_OK);
        size_t size;
        char* bytes = file_get(&path, &size);
        wm_map_config config = wm_map_config_default();
        config.diagonal = (wm_diagonal)(seed % 2);
        config.agent_size = 1 + (int32_t)(seed % 3);
        config.editable = seed % 5 == 0;
        wm_map* loaded = NULL;
        wm_map* in_memory = NULL;
        assert_int_equal(wm_map_load(&loaded, path.text, &config, NULL), WM_OK);
        assert_int_equal(wm_map_load_memory(&in_memory, bytes, size, &config, NULL), WM_OK);
        memset(bytes, '#', size); // they are not kept
        assert_true(wm_map_hash(in_memory) == wm_map_hash(loaded));
        assert_int_equal(wm_map_agent_size(in_memory), config.agent_size);
        assert_true(in_memory->grid.editable == config.editable);
        wm_map_unload(loaded);
        wm_map_unload(in_memory);
        free(bytes);
        free(open);
        wm_grid_free(&grid);
    }
    scratch_remove(&folder);
}

// At the end of a block of its own, so that sanitizers see whoever reads on.
static wm_status load_prefix(wm_map** map, size_t size, wm_error* error)
{
    const wm_map_config config = wm_map_config_default();
    char* bytes = malloc(size + 1);
    memcpy(bytes + 1, SMALL, size);
    const wm_status status = wm_map_load_memory(map, bytes + 1, size, &config, error);
    free(bytes);
    return status;
}

static void bytes_that_are_no_map_get_a_sentence(void** state)
{
    (void)state;
    for (size_t size = 0; size < SMALL_SIZE - 1; size++) { // the last line end may be missing
        wm_map* map = (wm_map*)&map;
        wm_error error = {""};
        assert_int_equal(load_prefix(&map, size, &error), WM_ERR_FORMAT);
        assert_null(map);
        assert_contains(error.message, "the .map file in memory");
    }
    static const char zero[] = "type octile\nheight 1\nwidth 2\nmap\n.\0\n";
    static const char huge[] = "type octile\nheight 4096\nwidth 4096\nmap\n.\n";
    static const char larger[] = "type octile\nheight 1\nwidth 4097\nmap\n.\n";
    const struct {
        const char* bytes;
        size_t size;
        const char* part;
    } cases[] = {{zero, sizeof zero - 1, "zero byte"},
                 {huge, sizeof huge - 1, "where the width is 4096"},
                 {larger, sizeof larger - 1, "from 1 to 4096"},
                 {"SQLite format 3", 15, "no header line"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const wm_map_config config = wm_map_config_default();
        wm_map* map = (wm_map*)&map;
        wm_error error = {""};
        assert_int_equal(wm_map_load_memory(&map, cases[i].bytes, cases[i].size, &config, &error),
                         WM_ERR_FORMAT);
        assert_null(map);
        assert_contains(error.message, cases[i].part);
    }
}

static void wrong_calls_are_refused(void** state)
{
    (void)state;
    const wm_map_config good = wm_map_config_default();
    const wm_map_config forgotten = {0};
    wm_map_config sized = good;
    sized.agent_size = 4;
    const struct {
        const void* bytes;
        const wm_map_config* config;
    } calls[] = {{NULL, &good}, {SMALL, NULL}, {SMALL, &forgotten}, {SMALL, &sized}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        wm_map* map = (wm_map*)&map;
        wm_error error = {""};
        assert_int_equal(
            wm_map_load_memory(&map, calls[i].bytes, SMALL_SIZE, calls[i].config, &error),
            WM_ERR_ARGUMENT);
        assert_null(map);
        assert_true(error.message[0] != '\0');
    }
    assert_int_equal(wm_map_load_memory(NULL, SMALL, SMALL_SIZE, &good, NULL), WM_ERR_ARGUMENT);
}

static void every_failed_allocation_is_told(void** state)
{
    (void)state;
    wm_status status = WM_ERR_MEMORY;
    for (size_t n = 1; status == WM_ERR_MEMORY; n++) {
        test_memory memory = {.fail_at = n};
        wm_map_config config = wm_map_config_default();
        wm_map* map = NULL;
        wm_error error = {""};
        config.allocator = test_allocator(&memory);
        config.agent_size = 2;
        config.editable = true;
        status = wm_map_load_memory(&map, SMALL, SMALL_SIZE, &config, &error);
        assert_true((map != NULL) == (status == WM_OK));
        if (status != WM_OK) assert_contains(error.message, "memory");
        wm_map_unload(map);
        assert_int_equal(memory.bytes, 0);
        assert_true(n < 100);
    }
    assert_int_equal(status, WM_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_from_memory_is_that_of_the_file),
        cmocka_unit_test(bytes_that_are_no_map_get_a_sentence),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
