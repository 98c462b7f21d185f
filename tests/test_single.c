// SPDX-License-Identifier: MIT
//
// The .wmb file of one map: what is read is what was written, whatever is damaged is refused, and a
// game walks with it as with the .wmdb that it comes from.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "hash.h"
#include "walk.h"

// Fields of the file that tests lie about: where they begin.
enum { AT_MAJOR = 4, AT_MINOR = 6, AT_WIDTH = 8, AT_HEIGHT = 12, AT_DIAGONAL = 24, AT_NAME = 26 };

static wm_stored_map some_map(uint64_t seed)
{
    wm_rng rng = wm_rng_start(seed, 0);
    wm_stored_map map = {.name = strdup(seed % 2 == 0 ? "caf\xC3\xA9@2" : "room"),
                         .width = (int32_t)(1 + wm_rng_below(&rng, WM_GRID_MAX_SIDE)),
                         .height = (int32_t)(1 + wm_rng_below(&rng, WM_GRID_MAX_SIDE)),
                         .diagonal = (wm_diagonal)(seed % 2),
                         .hash = wm_rng_next(&rng)};
    for (unsigned method = WM_METHOD_KNN; method <= WM_METHOD_CHOICE; method++) {
        wm_buffer blob = {0};
        const size_t size = wm_rng_below(&rng, 300);
        if (wm_rng_below(&rng, 4) == 0) continue;
        for (size_t i = 0; i < size; i++) wm_put_u8(&blob, (uint8_t)wm_rng_below(&rng, 256));
        assert_true(wm_stored_map_put_payload(&map, (wm_method)method, &blob));
    }
    return map;
}

static bool same_map(const wm_stored_map* a, const wm_stored_map* b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->width == b->width && a->height == b->height &&
                a->diagonal == b->diagonal && a->hash == b->hash &&
                a->payload_count == b->payload_count;
    for (size_t i = 0; same && i < a->payload_count; i++) {
        const wm_stored_payload* p = &a->payloads[i];
        const wm_stored_payload* q = &b->payloads[i];
        same = p->method == q->method && p->blob.size == q->blob.size &&
               (p->blob.size == 0 || memcmp(p->blob.data, q->blob.data, p->blob.size) == 0);
    }
    return same;
}

static wm_buffer encoded(const wm_stored_map* map)
{
    wm_buffer file = {0};
    assert_int_equal(wm_single_encode(&file, map), WM_OK);
    return file;
}

// Makes the hash at the end right again.
static void seal(wm_buffer* file)
{
    const size_t end = file->size - sizeof(uint64_t);
    file->size = end;
    wm_put_u64(file, wm_hash_bytes(WM_HASH_START, file->data, end));
}

static wm_status decode(wm_stored_map* map, const wm_buffer* file, size_t size, wm_error* error)
{
    // At the end of a block of its own, so that sanitizers see whoever reads on.
    uint8_t* bytes = malloc(size + 1);
    memcpy(bytes + 1, file->data, size);
    const wm_status status = wm_single_decode(map, bytes + 1, size, "x.wmb", error);
    free(bytes);
    return status;
}

static void expect_refused(const wm_buffer* file, size_t size, wm_status expected, const char* part)
{
    wm_stored_map map;
    wm_error error = {""};
    assert_int_equal(decode(&map, file, size, &error), expected);
    assert_contains(error.message, "x.wmb");
    assert_contains(error.message, part);
    assert_null(map.name);
    assert_null(map.payloads);
}

// ---------------------------------------------------------------------------------------------
// Bytes

static void what_is_read_is_what_was_written(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        wm_stored_map map = some_map(seed);
        wm_stored_map again;
        wm_error error = {""};
        wm_buffer file = encoded(&map);
        if (decode(&again, &file, file.size, &error) != WM_OK)
            fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
        if (!same_map(&map, &again)) fail_msg("seed %llu: another map", (unsigned long long)seed);
        wm_stored_map_free(&again);
        wm_stored_map_free(&map);
        wm_buffer_free(&file);
    }
}

// Written out once, byte by byte, so that the format cannot change by accident.
static void the_bytes_are_those_of_the_documentation(void** state)
{
    (void)state;
    static const uint8_t expected[] = {
        'W',  'M',  'B',  'M',  1,    0,    0,    0,    // magic, version 1.0
        3,    0,    0,    0,    2,    0,    0,    0,    // 3 x 2 cells
        0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01, // hash of the map
        1,    0,    4,    'r',  'o',  'o',  'm',        // squeeze, name
        2,    0,                                        // payloads
        1,    0,    2,    0,    0,    0,    0xAA, 0xBB, // knn, 2 bytes
        4,    0,    1,    0,    0,    0,    0xCC,       // choice, 1 byte
    };
    wm_stored_map map = {.name = strdup("room"),
                         .width = 3,
                         .height = 2,
                         .diagonal = WM_DIAGONAL_SQUEEZE,
                         .hash = UINT64_C(0x0123456789ABCDEF)};
    wm_buffer knn = {0};
    wm_buffer choice = {0};
    wm_put_u16(&knn, 0xBBAA);
    wm_put_u8(&choice, 0xCC);
    assert_true(wm_stored_map_put_payload(&map, WM_METHOD_KNN, &knn));
    assert_true(wm_stored_map_put_payload(&map, WM_METHOD_CHOICE, &choice));
    wm_buffer file = encoded(&map);
    assert_int_equal(file.size, sizeof expected + 8);
    assert_memory_equal(file.data, expected, sizeof expected);
    wm_reader end = {.data = file.data + sizeof expected, .left = 8};
    assert_true(wm_get_u64(&end) == wm_hash_bytes(WM_HASH_START, expected, sizeof expected));
    wm_buffer_free(&file);
    wm_stored_map_free(&map);
}

static void a_file_that_is_cut_anywhere_is_refused(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        wm_stored_map map = some_map(seed);
        wm_buffer file = encoded(&map);
        for (size_t size = 0; size < file.size; size++)
            expect_refused(&file, size, WM_ERR_FORMAT, size < 4 ? "not the .wmb" : "cut short");
        wm_stored_map_free(&map);
        wm_buffer_free(&file);
    }
}

static void a_change_of_any_bit_is_noticed(void** state)
{
    (void)state;
    wm_stored_map map = some_map(3);
    wm_buffer file = encoded(&map);
    for (size_t at = 0; at < file.size; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            wm_stored_map again;
            file.data[at] ^= (uint8_t)(1u << bit);
            const wm_status status = decode(&again, &file, file.size, NULL);
            assert_int_equal(status,
                             at == AT_MAJOR || at == AT_MAJOR + 1 ? WM_ERR_VERSION : WM_ERR_FORMAT);
            file.data[at] ^= (uint8_t)(1u << bit);
        }
    }
    wm_stored_map_free(&map);
    wm_buffer_free(&file);
}

static void lies_under_a_right_hash_are_refused(void** state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
        wm_status status;
    } lies[] = {
        {AT_MAJOR, 2, WM_ERR_VERSION},        {AT_MAJOR + 1, 1, WM_ERR_VERSION},
        {AT_WIDTH + 3, 1, WM_ERR_FORMAT},     {AT_WIDTH, 0, WM_ERR_FORMAT},
        {AT_HEIGHT + 3, 0xFF, WM_ERR_FORMAT}, {AT_HEIGHT, 0, WM_ERR_FORMAT},
        {AT_DIAGONAL, 2, WM_ERR_FORMAT},      {AT_NAME, 0, WM_ERR_FORMAT},
        {AT_NAME, 255, WM_ERR_FORMAT},        {AT_NAME + 1, 0, WM_ERR_FORMAT},
        {AT_NAME + 1, '\n', WM_ERR_FORMAT},   {AT_NAME + 5, 1, WM_ERR_FORMAT},   // payloads
        {AT_NAME + 5, 255, WM_ERR_FORMAT},    {AT_NAME + 9, 200, WM_ERR_FORMAT}, // a size
        {AT_NAME + 12, 0xFF, WM_ERR_FORMAT},  {AT_NAME + 7, 4, WM_ERR_FORMAT},   // methods: twice 4
        {AT_NAME + 7, 0, WM_ERR_FORMAT},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        wm_stored_map map = {.name = strdup("room"), .width = 3, .height = 2};
        for (unsigned method = WM_METHOD_KNN; method <= WM_METHOD_CHOICE; method += 3) {
            wm_buffer blob = {0};
            wm_put_u16(&blob, 77);
            assert_true(wm_stored_map_put_payload(&map, (wm_method)method, &blob));
        }
        wm_buffer file = encoded(&map);
        file.data[lies[i].at] = lies[i].value;
        seal(&file);
        expect_refused(&file, file.size, lies[i].status, "");
        wm_stored_map_free(&map);
        wm_buffer_free(&file);
    }
}

static void any_bytes_under_a_right_hash_are_refused_or_make_a_map(void** state)
{
    (void)state;
    size_t read = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        wm_rng rng = wm_rng_start(seed, 1);
        wm_stored_map map = some_map(1 + seed % 7);
        wm_stored_map again;
        wm_buffer file = encoded(&map);
        const size_t changes = 1 + wm_rng_below(&rng, 3);
        for (size_t i = 0; i < changes; i++)
            file.data[4 + wm_rng_below(&rng, file.size - 4)] = (uint8_t)wm_rng_below(&rng, 256);
        if (seed % 3 == 0) file.size = 16 + wm_rng_below(&rng, file.size - 16);
        seal(&file);
        if (decode(&again, &file, file.size, NULL) == WM_OK) {
            read++;
            assert_true(wm_store_name_is_valid(again.name));
            wm_stored_map_free(&again);
        }
        wm_stored_map_free(&map);
        wm_buffer_free(&file);
    }
    assert_true(read > 1000 && read < 19000);
}

// A newer minor version may have methods that we do not know, and more behind the payloads.
static void a_newer_minor_version_is_read_as_far_as_it_is_known(void** state)
{
    (void)state;
    wm_stored_map map = {.name = strdup("room"), .width = 3, .height = 2};
    wm_buffer blob = {0};
    wm_put_u16(&blob, 77);
    assert_true(wm_stored_map_put_payload(&map, WM_METHOD_KNN, &blob));
    wm_buffer file = encoded(&map);
    file.size -= sizeof(uint64_t);
    wm_put_u16(&file, 900); // a payload of an unknown method
    wm_put_u32(&file, 3);
    wm_put_bytes(&file, "new", 3);
    file.data[AT_NAME + 5] = 2;
    wm_put_u64(&file, 0);
    seal(&file);
    wm_stored_map again;
    assert_int_equal(decode(&again, &file, file.size, NULL), WM_OK);
    assert_int_equal(again.unknown_payloads, 1);
    assert_true(same_map(&map, &again));
    wm_stored_map_free(&again);

    wm_put_u64(&file, 0);
    seal(&file);
    expect_refused(&file, file.size, WM_ERR_FORMAT, "damaged");
    file.data[AT_MINOR] = 1;
    seal(&file);
    assert_int_equal(decode(&again, &file, file.size, NULL), WM_OK);
    assert_true(same_map(&map, &again));
    wm_stored_map_free(&again);
    wm_stored_map_free(&map);
    wm_buffer_free(&file);
}

// ---------------------------------------------------------------------------------------------
// Files

typedef struct files {
    test_path folder;
    test_path store;  // the .wmdb
    test_path single; // the .wmb made of it
    wm_map* map;
} files;

static files files_of(uint64_t seed, wm_diagonal diagonal)
{
    files f = {.folder = scratch_create()};
    wm_archive archive;
    wm_error error = {""};
    size_t bytes = 0;
    size_t size = 0;
    f.store = scratch_path(&f.folder, "map.wmdb");
    f.single = scratch_path(&f.folder, "map.wmb");
    f.map = map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 36, 30, WM_GENERATE_DEFAULT,
                          5, seed, diagonal);
    assert_true(db_build_file(f.map, 60, seed % 2 == 0, seed, &f.store));
    assert_int_equal(wm_build_load(&archive, f.store.text, NULL), WM_OK);
    if (wm_build_export(&archive.maps[0], f.store.text, f.single.text, &bytes, &error) != WM_OK)
        fail_msg("%s", error.message);
    free(file_get(&f.single, &size));
    assert_int_equal(size, bytes);
    wm_archive_free(&archive);
    return f;
}

static void files_free(files* f)
{
    wm_map_unload(f->map);
    scratch_remove(&f->folder);
}

static wm_db* open_file(const wm_map* map, const test_path* path)
{
    const wm_db_config config = wm_db_config_default();
    wm_error error = {""};
    wm_db* db = NULL;
    if (wm_db_open(&db, map, path->text, &config, &error) != WM_OK) fail_msg("%s", error.message);
    return db;
}

static void walks_are_the_same_from_both_files_and_from_memory(void** state)
{
    (void)state;
    static const char* const specs[] = {"regions", "knn-lrta", "d-lrta"};
    for (uint64_t seed = 1; seed <= 8; seed++) {
        files f = files_of(seed, (wm_diagonal)(seed % 2));
        size_t size;
        const wm_db_config config = wm_db_config_default();
        char* bytes = file_get(&f.single, &size);
        wm_db* dbs[3] = {open_file(f.map, &f.store), open_file(f.map, &f.single), NULL};
        assert_int_equal(wm_db_open_memory(&dbs[2], f.map, bytes, size, &config, NULL), WM_OK);
        free(bytes);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(wm_db_stored_bytes(dbs[i]), wm_db_stored_bytes(dbs[0]));
            for (size_t k = 0; k < 3; k++) {
                wm_agent* agent = agent_create(f.map, dbs[i], specs[k], false);
                wm_agent* first = agent_create(f.map, dbs[0], specs[k], false);
                wm_rng rng = wm_rng_start(seed, 2);
                for (int n = 0; n < 10; n++) {
                    wm_cell start;
                    wm_cell goal;
                    if (!random_problem(&f.map->grid, &rng, &start, &goal)) continue;
                    walk a = walk_take(agent, start, goal, 100000);
                    walk b = walk_take(first, start, goal, 100000);
                    assert_same_walk(&a, &b, specs[k], seed);
                    walk_free(&a);
                    walk_free(&b);
                }
                wm_agent_destroy(agent);
                wm_agent_destroy(first);
            }
        }
        for (int i = 0; i < 3; i++) wm_db_close(dbs[i]);
        files_free(&f);
    }
}

static void expect_open_fails(const wm_map* map, const test_path* path, const char* name,
                              wm_status expected, const char* part)
{
    wm_db_config config = wm_db_config_default();
    wm_error error = {""};
    wm_db* db = NULL;
    config.name = name;
    assert_int_equal(wm_db_open(&db, map, path->text, &config, &error), expected);
    assert_null(db);
    assert_contains(error.message, path->text);
    assert_contains(error.message, part);
}

static void another_map_rule_size_or_name_is_told(void** state)
{
    (void)state;
    files f = files_of(2, WM_DIAGONAL_NONE);
    files squeeze = files_of(2, WM_DIAGONAL_SQUEEZE);
    files other = files_of(3, WM_DIAGONAL_NONE);
    expect_open_fails(squeeze.map, &f.single, NULL, WM_ERR_MISMATCH, "--diagonal none");
    expect_open_fails(f.map, &squeeze.single, NULL, WM_ERR_MISMATCH, "--diagonal squeeze");
    expect_open_fails(other.map, &f.single, NULL, WM_ERR_MISMATCH, "another version");
    expect_open_fails(f.map, &f.single, "cellar", WM_ERR_NOT_FOUND, "\"cellar\"");
    wm_db_config config = wm_db_config_default();
    wm_db* db = NULL;
    config.name = "map";
    assert_int_equal(wm_db_open(&db, f.map, f.single.text, &config, NULL), WM_OK);
    wm_db_close(db);

    uint8_t* open = malloc(f.map->grid.cell_count);
    wm_map_config sized = wm_map_config_default();
    wm_map* large = NULL;
    sized.agent_size = 2;
    wm_grid_cover_cells(&f.map->grid, open);
    assert_int_equal(wm_map_create(&large, open, 36, 30, 36, &sized, NULL), WM_OK);
    expect_open_fails(large, &f.single, NULL, WM_ERR_MISMATCH, "agents of size 1, not 2");
    expect_open_fails(large, &f.store, NULL, WM_ERR_MISMATCH, "nothing for this map");
    wm_map_unload(large);
    free(open);
    files_free(&f);
    files_free(&squeeze);
    files_free(&other);
}

static void damage_to_the_file_is_told_when_it_is_opened(void** state)
{
    (void)state;
    files f = files_of(4, WM_DIAGONAL_NONE);
    size_t size;
    char* bytes = file_get(&f.single, &size);
    for (size_t at = 4; at < size; at += 1 + at / 9) {
        bytes[at] = (char)(bytes[at] ^ 0x40);
        file_put(&f.single, bytes, size);
        bytes[at] = (char)(bytes[at] ^ 0x40);
        expect_open_fails(f.map, &f.single, NULL, at < 6 ? WM_ERR_VERSION : WM_ERR_FORMAT, "");
    }
    for (size_t cut = 0; cut < size; cut += 1 + cut / 9) {
        file_put(&f.single, bytes, cut);
        expect_open_fails(f.map, &f.single, NULL, WM_ERR_FORMAT, "");
    }
    unlink(f.single.text);
    expect_open_fails(f.map, &f.single, NULL, WM_ERR_NOT_FOUND, "no such file");
    free(bytes);
    files_free(&f);
}

static void an_export_replaces_nothing_but_exports(void** state)
{
    (void)state;
    files f = files_of(5, WM_DIAGONAL_NONE);
    const test_path text = scratch_path(&f.folder, "notes.txt");
    wm_archive archive;
    wm_error error = {""};
    size_t bytes;
    file_put_text(&text, "dear diary");
    assert_int_equal(wm_build_load(&archive, f.single.text, NULL), WM_OK);
    const wm_stored_map* map = &archive.maps[0];
    assert_int_equal(wm_build_export(map, "x", text.text, &bytes, &error), WM_ERR_FORMAT);
    assert_contains(error.message, "no .wmb file");
    assert_int_equal(wm_build_export(map, "x", f.store.text, &bytes, &error), WM_ERR_FORMAT);
    assert_int_equal(wm_build_export(map, "x", f.folder.text, &bytes, &error), WM_ERR_IO);
    size_t size;
    char* before = file_get(&f.single, &size);
    file_put(&f.single, before, size / 2); // damaged: written anew
    assert_int_equal(wm_build_export(map, "x", f.single.text, &bytes, &error), WM_OK);
    char* after = file_get(&f.single, NULL);
    assert_memory_equal(before, after, size);
    archive.maps[0].unknown_payloads = 1;
    assert_int_equal(wm_build_export(map, "x", f.single.text, &bytes, &error), WM_ERR_VERSION);
    free(before);
    free(after);
    wm_archive_free(&archive);
    files_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_what_was_written),
        cmocka_unit_test(the_bytes_are_those_of_the_documentation),
        cmocka_unit_test(a_file_that_is_cut_anywhere_is_refused),
        cmocka_unit_test(a_change_of_any_bit_is_noticed),
        cmocka_unit_test(lies_under_a_right_hash_are_refused),
        cmocka_unit_test(any_bytes_under_a_right_hash_are_refused_or_make_a_map),
        cmocka_unit_test(a_newer_minor_version_is_read_as_far_as_it_is_known),
        cmocka_unit_test(walks_are_the_same_from_both_files_and_from_memory),
        cmocka_unit_test(another_map_rule_size_or_name_is_told),
        cmocka_unit_test(damage_to_the_file_is_told_when_it_is_opened),
        cmocka_unit_test(an_export_replaces_nothing_but_exports),
    };
    return cmocka_run_group_tests_name("single", tests, NULL, NULL);
}
