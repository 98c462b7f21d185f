// SPDX-License-Identifier: MIT
#include "mapfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "support.h"

#define HEADER "type octile\nheight 2\nwidth 3\nmap\n"

static wm_status parse(wm_grid* grid, const char* text, size_t size, wm_error* error)
{
    return wm_mapfile_parse(grid, text, size, "x.map", WM_DIAGONAL_NONE, NULL, error);
}

static void every_way_to_write_the_same_map_is_read(void** state)
{
    (void)state;
    static const char* const texts[] = {
        HEADER ".GS\n@.W\n",
        HEADER "...\nO.T",
        HEADER "...\n@.@\n\n \t\n\r\n",
        "type octile\r\nheight 2\r\nwidth 3\r\nmap\r\n...\r\n@.@\r\n",
        "width 3\nheight 2\ntype octile\nmap\n...\n@.@\n",
        "  type\toctile \nheight   2\nwidth 3\t\nmap \n...\n@.@\n",
        "\ntype octile\n\nheight 0002\nwidth 3\n\nmap\n...\n@.@\n",
    };
    wm_grid expected = grid_from_text(WM_DIAGONAL_NONE, "...\n@.@\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        wm_grid grid;
        wm_error error = {""};
        const wm_status status = parse(&grid, texts[i], strlen(texts[i]), &error);
        if (status != WM_OK) fail_msg("text %zu: %s", i, error.message);
        assert_int_equal(grid.width, 3);
        assert_int_equal(grid.height, 2);
        assert_true(grid.hash == expected.hash);
        wm_grid_free(&grid);
    }
    wm_grid_free(&expected);
}

static void what_is_wrong_is_said_with_its_line(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        const char* sentence;
    } cases[] = {
        {"", "x.map: the file is empty"},
        {"\n\n", "x.map:2: the file ends before the line 'map'"},
        {"type octile\nheight 2\nwidth 3\n", "x.map:3: the file ends before the line 'map'"},
        {"type octile-corner\nheight 2\n",
         "x.map:1: the map is of type 'octile-corner', but only type octile is read"},
        {"type tile\n", "'tile', but only type octile"},
        {"type\n", "x.map:1: the map is of type ''"},
        {"height 2\nwidth 3\nmap\n...\n...\n", "x.map:3: the header has no line 'type octile'"},
        {"type octile\nwidth 3\nmap\n", "x.map:3: the header has no line 'height H'"},
        {"type octile\nheight 3\nmap\n", "x.map:3: the header has no line 'width W'"},
        {"type octile\ntype octile\n", "x.map:2: a second type"},
        {"height 3\nheight 3\n", "x.map:2: a second height"},
        {"width 3\nwidth 3\n", "x.map:2: a second width"},
        {"type octile\nheight 0\n", "x.map:2: the height is '0'"},
        {"type octile\nheight -5\n", "x.map:2: the height is '-5'"},
        {"type octile\nheight 4097\n", "x.map:2: the height is '4097', but must be a whole number"},
        {"type octile\nwidth 4294967298\n", "from 1 to 4096"},
        {"type octile\nwidth 99999999999999999999\n", "from 1 to 4096"},
        {"type octile\nwidth 3x\n", "'3x'"},
        {"type octile\nwidth 3 4\n", "'3 4'"},
        {"type octile\nwidth\n", "the width is ''"},
        {"hello\n", "x.map:1: 'hello' is no header line"},
        {"\x89PNG\r\n\x1A\n", "x.map:1: '?PNG' is no header line"},
        {HEADER "...\n.x.\n", "x.map:6: column 2 holds 'x'; passable are . G S"},
        {HEADER "..\x07\n...\n", "x.map:5: column 3 holds the byte 7"},
        {HEADER ". .\n...\n", "x.map:5: column 2 holds the byte 32"},
        {HEADER "..\n...\n", "x.map:5: the row has 2 cells where the width is 3"},
        {HEADER "....\n...\n", "x.map:5: the row has 4 cells where the width is 3"},
        {HEADER "...\n\n...\n", "x.map:6: the row has 0 cells"},
        {HEADER "...\n", "x.map:5: the map ends after 1 rows where the height is 2"},
        {HEADER, "x.map:4: the map ends after 0 rows"},
        {HEADER "...\n...\n...\n", "x.map:7: the map goes on after 2 rows"},
        {HEADER "...\n...\n\n...\n", "x.map:8: the map goes on after 2 rows"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wm_grid grid;
        wm_error error = {""};
        assert_int_equal(parse(&grid, cases[i].text, strlen(cases[i].text), &error), WM_ERR_FORMAT);
        assert_contains(error.message, cases[i].sentence);
        wm_grid_free(&grid);
    }
}

static void a_zero_byte_anywhere_is_refused(void** state)
{
    (void)state;
    static const char good[] = HEADER "...\n...\n";
    for (size_t i = 0; i < strlen(good); i++) {
        char text[sizeof good];
        wm_grid grid;
        wm_error error = {""};
        memcpy(text, good, sizeof good);
        text[i] = '\0';
        assert_int_equal(parse(&grid, text, sizeof good - 1, &error), WM_ERR_FORMAT);
        assert_contains(error.message, "zero byte");
    }
}

static void damaged_maps_are_refused_or_still_maps(void** state)
{
    (void)state;
    static const char good[] = "type octile\nheight 3\nwidth 5\nmap\n.....\n@@.@@\n..T.W\n";
    static const char bytes[] = "\n\r\t .@OTWGSx0123456789\xFF-";
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        char text[sizeof good];
        wm_rng rng = wm_rng_start(seed, 0);
        size_t size = sizeof good - 1;
        memcpy(text, good, sizeof good);
        for (int i = 0; i < 3; i++)
            text[wm_rng_below(&rng, size)] = bytes[wm_rng_below(&rng, sizeof bytes - 1)];
        if (seed % 4 == 0) size = (size_t)wm_rng_below(&rng, size + 1);
        wm_grid grid;
        const wm_status status = parse(&grid, text, size, NULL);
        const bool sound = status == WM_OK ? grid.cell_count > 0 : status == WM_ERR_FORMAT;
        wm_grid_free(&grid);
        if (!sound) fail_msg("seed %llu", (unsigned long long)seed);
    }
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void** state)
{
    (void)state;
    static const char text[] = HEADER "...\n...\n";
    test_memory memory = {0};
    const wm_allocator allocator = test_allocator(&memory);
    wm_status status = WM_ERR_MEMORY;
    size_t n = 0;
    while (status == WM_ERR_MEMORY) {
        wm_grid grid;
        memory = (test_memory){.fail_at = ++n};
        status = wm_mapfile_parse(&grid, text, strlen(text), "x.map", WM_DIAGONAL_NONE, &allocator,
                                  NULL);
        wm_grid_free(&grid);
        assert_int_equal(memory.bytes, 0);
    }
    assert_int_equal(status, WM_OK);
    assert_true(n > 3);
}

static void a_saved_map_is_loaded_again(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "a map.map");
    static const uint8_t open[] = {1, 0, 7, 0, 1, 1};
    wm_grid grid;
    assert_int_equal(wm_mapfile_save(path.text, open, 3, 2, NULL), WM_OK);
    char* text = file_get(&path, NULL);
    assert_string_equal(text, HEADER ".@.\n@..\n");
    free(text);
    assert_int_equal(wm_mapfile_load(&grid, path.text, WM_DIAGONAL_SQUEEZE, NULL, NULL), WM_OK);
    assert_int_equal(grid.diagonal, WM_DIAGONAL_SQUEEZE);
    assert_int_equal(grid.open_count, 4);
    wm_grid_free(&grid);
    scratch_remove(&folder);
}

static void the_largest_map_fits_with_either_line_end(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "large.map");
    const size_t side = WM_GRID_MAX_SIDE;
    uint8_t* open = malloc(side * side);
    memset(open, 1, side * side);
    assert_int_equal(wm_mapfile_save(path.text, open, (int32_t)side, (int32_t)side, NULL), WM_OK);
    free(open);

    wm_grid grid;
    assert_int_equal(wm_mapfile_load(&grid, path.text, WM_DIAGONAL_NONE, NULL, NULL), WM_OK);
    assert_int_equal(grid.open_count, side * side);
    const uint64_t hash = grid.hash;
    wm_grid_free(&grid);

    FILE* file = fopen(path.text, "wb");
    fprintf(file, "type octile\r\nheight %zu\r\nwidth %zu\r\nmap\r\n", side, side);
    for (size_t y = 0; y < side; y++) {
        for (size_t x = 0; x < side; x++) fputc('G', file);
        fputs("\r\n", file);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(wm_mapfile_load(&grid, path.text, WM_DIAGONAL_NONE, NULL, NULL), WM_OK);
    assert_true(grid.hash == hash);
    wm_grid_free(&grid);
    scratch_remove(&folder);
}

static void a_file_larger_than_any_map_is_not_read(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "huge.map");
    file_put_text(&path, HEADER "...\n...\n");
    FILE* file = fopen(path.text, "r+b");
    assert_int_equal(fseek(file, 2000000000, SEEK_SET), 0);
    fputc('\n', file); // the disk holds a hole instead of two gigabytes
    assert_int_equal(fclose(file), 0);
    wm_grid grid;
    wm_error error = {""};
    assert_int_equal(wm_mapfile_load(&grid, path.text, WM_DIAGONAL_NONE, NULL, &error),
                     WM_ERR_FORMAT);
    assert_contains(error.message, "bytes allowed");
    assert_int_equal(wm_mapfile_load(&grid, folder.text, WM_DIAGONAL_NONE, NULL, &error),
                     WM_ERR_IO);
    scratch_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_write_the_same_map_is_read),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(a_zero_byte_anywhere_is_refused),
        cmocka_unit_test(damaged_maps_are_refused_or_still_maps),
        cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
        cmocka_unit_test(a_saved_map_is_loaded_again),
        cmocka_unit_test(the_largest_map_fits_with_either_line_end),
        cmocka_unit_test(a_file_larger_than_any_map_is_not_read),
    };
    return cmocka_run_group_tests_name("mapfile", tests, NULL, NULL);
}
