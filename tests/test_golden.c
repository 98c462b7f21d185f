// SPDX-License-Identifier: MIT
//
// Files that were made by a version of the format stay as they are in a folder of golden/: they open, and
// agents walk by them as they always did, or are refused by name; damaged ones, and those of other
// versions, have the status that they always had. golden/README.md says how they were made.
//
//   test_golden --walks               prints what is in walks.csv
//   test_golden --make-damaged FOLDER writes the damaged files anew
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "forge.h"
#include "single.h"
#include "store.h"
#include "walk.h"

#define CURRENT "v2.0"

static test_path golden_of(const char* version, const char* name)
{
    const char* source = getenv("WAYMARK_SOURCE");
    test_path path;
    snprintf(path.text, sizeof path.text, "%s/tests/golden/%s/%s", source == NULL ? "." : source,
             version, name);
    return path;
}

static test_path golden(const char* name)
{
    return golden_of(CURRENT, name);
}

// ---------------------------------------------------------------------------------------------
// Maps and walks

static const struct {
    const char* name;
    wm_diagonal diagonal;
} maps[] = {{"rooms", WM_DIAGONAL_NONE}, {"caves", WM_DIAGONAL_SQUEEZE}};
#define MAPS (sizeof maps / sizeof maps[0])

static const char* const specs[] = {"regions:preset=fast",
                                    "regions:preset=best",
                                    "knn-lrta",
                                    "knn-lrta:walk=climb",
                                    "d-lrta",
                                    "auto"};
#define SPECS (sizeof specs / sizeof specs[0])

static wm_map* load_map(size_t which)
{
    char name[32];
    wm_map* map = NULL;
    wm_error error = {""};
    wm_map_config config = wm_map_config_default();
    snprintf(name, sizeof name, "%s.map", maps[which].name);
    const test_path path = golden(name);
    config.diagonal = maps[which].diagonal;
    if (wm_map_load(&map, path.text, &config, &error) != WM_OK) fail_msg("%s", error.message);
    return map;
}

static size_t map_by_name(const char* name)
{
    size_t which = 0;
    while (which < MAPS && strcmp(maps[which].name, name) != 0) which++;
    assert_true(which < MAPS);
    return which;
}

static wm_db* open_golden(const wm_map* map, const char* name)
{
    const test_path path = golden(name);
    const wm_db_config config = wm_db_config_default();
    wm_error error = {""};
    wm_db* db = NULL;
    if (wm_db_open(&db, map, path.text, &config, &error) != WM_OK) fail_msg("%s", error.message);
    return db;
}

// Appends a line: map, SPEC, and the cells that an agent enters, start and goal included.
static void put_walk(wm_buffer* text, size_t which, const char* spec, wm_agent* agent,
                     wm_cell start, wm_cell goal)
{
    char part[64];
    const wm_grid* grid = &agent->map->grid;
    walk w = walk_take(agent, start, goal, 10000);
    assert_legal_walk(&w, grid, start, goal, spec, which);
    wm_put_bytes(text, part, (size_t)snprintf(part, sizeof part, "%s,%s,", maps[which].name, spec));
    for (size_t i = 0; i < w.count; i++) {
        const wm_point p = wm_grid_point(grid, w.steps[i].cell);
        wm_put_bytes(
            text, part,
            (size_t)snprintf(part, sizeof part, "%s%d:%d", i == 0 ? "" : " ", (int)p.x, (int)p.y));
    }
    wm_put_u8(text, '\n');
    walk_free(&w);
}

// All walks of a map by a database.
static void put_walks(wm_buffer* text, size_t which, const wm_map* map, const wm_db* db)
{
    enum { PROBLEMS = 4 };
    for (size_t i = 0; i < SPECS; i++) {
        wm_agent* agent = agent_create(map, db, specs[i], false);
        wm_rng rng = wm_rng_start(i, which);
        for (int k = 0; k < PROBLEMS; k++) {
            wm_cell start;
            wm_cell goal;
            assert_true(random_problem(&map->grid, &rng, &start, &goal));
            put_walk(text, which, specs[i], agent, start, goal);
        }
        wm_agent_destroy(agent);
    }
}

static wm_buffer all_walks(bool single)
{
    wm_buffer text = {0};
    for (size_t i = 0; i < MAPS; i++) {
        char name[32];
        wm_map* map = load_map(i);
        snprintf(name, sizeof name, "%s.wmb", maps[i].name);
        wm_db* db = open_golden(map, single ? name : "golden.wmdb");
        put_walks(&text, i, map, db);
        wm_db_close(db);
        wm_map_unload(map);
    }
    wm_put_u8(&text, '\0');
    return text;
}

static void expect_walks(bool single)
{
    const test_path path = golden("walks.csv");
    wm_buffer walks = all_walks(single);
    char* expected = file_get(&path, NULL);
    assert_non_null(expected);
    assert_string_equal((const char*)walks.data, expected);
    free(expected);
    wm_buffer_free(&walks);
}

static void agents_walk_by_a_golden_wmdb_as_they_always_did(void** state)
{
    (void)state;
    expect_walks(false);
}

static void agents_walk_by_a_golden_wmb_as_they_always_did(void** state)
{
    (void)state;
    expect_walks(true);
}

// ---------------------------------------------------------------------------------------------
// Damaged files and other versions

static void expect_status(const char* version, size_t least)
{
    const test_path list = golden_of(version, "files.csv");
    char* text = file_get(&list, NULL);
    assert_non_null(text);
    size_t count = 0;
    for (char* line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char name[64];
        char map_name[16];
        char status[64];
        char part[128];
        if (line[0] == '#') continue;
        if (sscanf(line, "%63[^,],%15[^,],%63[^,],%127[^\n]", name, map_name, status, part) != 4)
            fail_msg("files.csv: %s", line);
        wm_map* map = load_map(map_by_name(map_name));
        const test_path path = golden_of(version, name);
        const wm_db_config config = wm_db_config_default();
        wm_db* db = NULL;
        wm_error error = {"it opens"};
        const wm_status found = wm_db_open(&db, map, path.text, &config, &error);
        if (strcmp(wm_status_name(found), status) != 0)
            fail_msg("%s: %s, not %s: %s", name, wm_status_name(found), status, error.message);
        assert_contains(error.message, part);
        if (db != NULL) {
            wm_agent* agent = agent_create(map, db, "regions", false);
            wm_agent_destroy(agent);
        }
        wm_db_close(db);
        wm_map_unload(map);
        count++;
    }
    free(text);
    assert_true(count >= least);
}

static void files_have_the_status_that_they_always_had(void** state)
{
    (void)state;
    expect_status(CURRENT, 15);
}

static void databases_of_version_1_are_refused_by_name(void** state)
{
    (void)state;
    expect_status("v1.0", 4);
}

// ---------------------------------------------------------------------------------------------
// Making them

static const char* folder;

static void put_file(const char* name, const void* bytes, size_t size)
{
    test_path path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    file_put(&path, bytes, size);
}

// A copy of a `.wmb` with `value` at `at`, and the right hash where one is wanted.
static void put_changed(const char* name, size_t at, uint8_t value, bool rehash)
{
    const test_path path = golden("rooms.wmb");
    size_t size;
    char* bytes = file_get(&path, &size);
    bytes[at] = (char)value;
    if (rehash) forge_rehash((uint8_t*)bytes, size);
    put_file(name, bytes, size);
    free(bytes);
}

// A copy of a `.wmb` in which a blob has another number at `at`.
static void put_changed_blob(const char* name, wm_method method, size_t at, uint8_t value)
{
    const test_path path = golden("rooms.wmb");
    wm_stored_map map;
    wm_buffer file = {0};
    assert_int_equal(wm_single_load(&map, path.text, NULL), WM_OK);
    for (size_t i = 0; i < map.payload_count; i++) {
        if (map.payloads[i].method == method) map.payloads[i].blob.data[at] = value;
    }
    assert_int_equal(wm_single_encode(&file, &map), WM_OK);
    put_file(name, file.data, file.size);
    wm_buffer_free(&file);
    wm_stored_map_free(&map);
}

// A newer minor version adds a payload of its own and something at the end.
static void put_newer_minor(const char* name)
{
    const test_path path = golden("rooms.wmb");
    wm_buffer file = {0};
    size_t size;
    char* bytes = file_get(&path, &size);
    wm_put_bytes(&file, bytes, size - 8);
    file.data[6] = 1;
    wm_put_bytes(&file, "what a newer version adds", 25);
    wm_put_u64(&file, 0);
    forge_rehash(file.data, file.size);
    put_file(name, file.data, file.size);
    free(bytes);
    wm_buffer_free(&file);
}

// A payload that is no longer what its map bears out, under right checksums.
static void put_lie(const char* name, wm_method method, size_t at, uint8_t value)
{
    const test_path path = golden("rooms.wmb");
    wm_stored_map map;
    wm_buffer file = {0};
    assert_int_equal(wm_single_load(&map, path.text, NULL), WM_OK);
    for (size_t i = 0; i < map.payload_count; i++) {
        wm_buffer payload;
        wm_buffer* blob = &map.payloads[i].blob;
        if (map.payloads[i].method != method) continue;
        assert_true(forge_unpack(&payload, &method, blob->data, blob->size));
        payload.data[at] = value;
        wm_buffer_free(blob);
        *blob = forge_seal(method, &payload);
        wm_buffer_free(&payload);
    }
    assert_int_equal(wm_single_encode(&file, &map), WM_OK);
    put_file(name, file.data, file.size);
    wm_buffer_free(&file);
    wm_stored_map_free(&map);
}

static void put_sql(const char* name, const char* sql)
{
    const test_path path = golden("golden.wmdb");
    test_path copy;
    size_t size;
    sqlite3* db = NULL;
    char* bytes = file_get(&path, &size);
    put_file(name, bytes, size);
    free(bytes);
    snprintf(copy.text, sizeof copy.text, "%s/%s", folder, name);
    assert_int_equal(sqlite3_open(copy.text, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

static void make_damaged(void)
{
    size_t size;
    const test_path single = golden("rooms.wmb");
    const test_path store = golden("golden.wmdb");
    char* bytes = file_get(&single, &size);
    put_file("cut.wmb", bytes, size / 2);
    free(bytes);
    bytes = file_get(&store, &size);
    put_file("cut.wmdb", bytes, size - 100);
    free(bytes);
    put_changed("bit.wmb", 200, 0xA5, false);
    put_changed("newer-major.wmb", 4, 2, true);
    put_newer_minor("newer-minor.wmb");
    put_changed_blob("newer-major-blob.wmb", WM_METHOD_REGIONS, 4, 3);
    put_changed_blob("newer-minor-blob.wmb", WM_METHOD_KNN, 6, 1);
    put_changed_blob("flags-blob.wmb", WM_METHOD_REGIONS, 10, 1);
    put_changed_blob("damaged-choice.wmb", WM_METHOD_CHOICE, 20, 0);
    put_lie("lie-knn.wmb", WM_METHOD_KNN, 40, 200);       // records
    put_lie("lie-regions.wmb", WM_METHOD_REGIONS, 90, 0); // in the coded body
    put_lie("lie-d-lrta.wmb", WM_METHOD_D_LRTA, 60, 3);   // a cell's region
    put_sql("row.wmdb", "UPDATE map SET height=height+1");
    put_sql("view.wmdb", "ALTER TABLE map RENAME TO m; CREATE VIEW map AS SELECT * FROM m");
    put_sql("newer-schema.wmdb", "PRAGMA user_version=2");
    put_sql("other-program.wmdb", "PRAGMA application_id=1");
}

int main(int argc, char** argv)
{
    if (argc == 2 && strcmp(argv[1], "--walks") == 0) {
        wm_buffer walks = all_walks(false);
        fputs((const char*)walks.data, stdout);
        wm_buffer_free(&walks);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--make-damaged") == 0) {
        folder = argv[2];
        make_damaged();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_walk_by_a_golden_wmdb_as_they_always_did),
        cmocka_unit_test(agents_walk_by_a_golden_wmb_as_they_always_did),
        cmocka_unit_test(files_have_the_status_that_they_always_had),
        cmocka_unit_test(databases_of_version_1_are_refused_by_name),
    };
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
