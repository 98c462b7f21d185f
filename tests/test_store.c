// SPDX-License-Identifier: MIT
//
// The container: what goes in comes out, and whatever happens to the file is noticed.
#include "store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "hash.h"
#include "records.h"
#include "rng.h"
#include "support.h"

static test_path folder;

static int set_up(void** state)
{
    (void)state;
    folder = scratch_create();
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    scratch_remove(&folder);
    return 0;
}

// ---------------------------------------------------------------------------------------------
// Archives to store

// Adds a map with real records.
static void add_map(wm_archive* archive, const char* name, uint64_t seed, wm_diagonal diagonal,
                    uint32_t records)
{
    wm_grid grid = grid_random(seed, 12, 9, 20, diagonal);
    wm_knn knn = records_build(&grid, records_parameters(records, seed), 1);
    wm_build_report report;
    assert_int_equal(wm_build_store_knn(archive, name, diagonal, &knn, &report, NULL), WM_OK);
    wm_knn_free(&knn);
    wm_grid_free(&grid);
}

static uint64_t map_hash(uint64_t seed, wm_diagonal diagonal)
{
    wm_grid grid = grid_random(seed, 12, 9, 20, diagonal);
    const uint64_t hash = grid.hash;
    wm_grid_free(&grid);
    return hash;
}

static bool same_map(const wm_stored_map* a, const wm_stored_map* b)
{
    if (strcmp(a->name, b->name) != 0 || a->width != b->width || a->height != b->height ||
        a->diagonal != b->diagonal || a->hash != b->hash || a->payload_count != b->payload_count)
        return false;
    for (size_t i = 0; i < a->payload_count; i++) {
        const wm_buffer* x = &a->payloads[i].blob;
        const wm_buffer* y = &b->payloads[i].blob;
        if (a->payloads[i].method != b->payloads[i].method || x->size != y->size ||
            (x->size > 0 && memcmp(x->data, y->data, x->size) != 0))
            return false;
    }
    return true;
}

static bool same_archive(const wm_archive* a, const wm_archive* b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (!same_map(&a->maps[i], &b->maps[i])) return false;
    return true;
}

static test_path save(const wm_archive* archive, const char* name)
{
    const test_path path = scratch_path(&folder, name);
    wm_error error = {0};
    unlink(path.text);
    if (wm_archive_save(archive, path.text, &error) != WM_OK) fail_msg("%s", error.message);
    return path;
}

static void expect_refusal(const test_path* path, wm_status expected, const char* sentence)
{
    wm_archive archive;
    wm_stored_map map;
    wm_error error = {0};
    wm_status status = wm_archive_load(&archive, path->text, &error);
    if (status != expected)
        fail_msg("status %d, not %d: %s", (int)status, (int)expected, error.message);
    assert_contains(error.message, path->text);
    assert_contains(error.message, sentence);
    assert_int_equal(archive.count, 0);
    status = wm_store_read_map(&map, path->text, 1, 0, NULL, &error);
    if (status != expected)
        fail_msg("reading one map: status %d, not %d: %s", (int)status, (int)expected,
                 error.message);
    assert_contains(error.message, sentence);
    assert_null(map.name);
}

// ---------------------------------------------------------------------------------------------
// Round trips

static void an_archive_comes_back_as_it_was(void** state)
{
    (void)state;
    wm_archive archive = {0};
    wm_archive back;
    char longest[WM_STORE_MAX_NAME + 1];
    memset(longest, 'n', WM_STORE_MAX_NAME);
    longest[WM_STORE_MAX_NAME] = '\0';
    const char* const names[] = {"room",
                                 "it's a \"room\"",
                                 "'; DROP TABLE",
                                 "Gr\xC3\xBC\xC3\x9F"
                                 "e",
                                 "\xE5\x9C\xB0",
                                 "\xF0\x9F\x97\xBA",
                                 longest,
                                 "a\\b/c",
                                 " ",
                                 "Room"};
    const size_t count = sizeof names / sizeof names[0];
    for (size_t i = 0; i < count; i++)
        add_map(&archive, names[i], i, (wm_diagonal)(i % 2), 5 + (uint32_t)i);
    const test_path path = save(&archive, "several.wmdb");
    wm_error error = {0};
    if (wm_archive_load(&back, path.text, &error) != WM_OK) fail_msg("%s", error.message);
    assert_int_equal(back.count, count);
    assert_true(same_archive(&archive, &back));
    for (size_t i = 0; i < count; i++) {
        wm_stored_map map;
        assert_non_null(wm_archive_find(&back, names[i]));
        assert_int_equal(wm_store_read_map(&map, path.text, map_hash(i, (wm_diagonal)(i % 2)),
                                           (wm_diagonal)(i % 2), names[i], &error),
                         WM_OK);
        assert_true(same_map(&map, wm_archive_find(&archive, names[i])));
        wm_stored_map_free(&map);
    }
    for (size_t i = 1; i < count; i++)
        assert_true(strcmp(back.maps[i - 1].name, back.maps[i].name) < 0);
    wm_archive_free(&archive);
    wm_archive_free(&back);
}

static void an_empty_archive_and_a_map_without_payloads_come_back(void** state)
{
    (void)state;
    wm_archive archive = {0};
    wm_archive back;
    test_path path = save(&archive, "empty.wmdb");
    assert_int_equal(wm_archive_load(&back, path.text, NULL), WM_OK);
    assert_int_equal(back.count, 0);
    wm_archive_free(&back);
    wm_stored_map* map = wm_archive_put_map(&archive, "bare");
    map->width = 4096;
    map->height = 1;
    map->hash = UINT64_MAX; // all 64 bits survive SQLite's signed numbers
    path = save(&archive, "bare.wmdb");
    assert_int_equal(wm_archive_load(&back, path.text, NULL), WM_OK);
    assert_true(same_archive(&archive, &back));
    wm_archive_free(&back);
    wm_archive_free(&archive);
}

// Nobody writes one, but a file may have it, and reading and writing that must not lose the file.
static void an_empty_payload_comes_back(void** state)
{
    (void)state;
    wm_archive archive = {0};
    wm_archive back;
    wm_buffer nothing = {0};
    add_map(&archive, "room", 1, WM_DIAGONAL_NONE, 5);
    assert_true(wm_stored_map_put_payload(&archive.maps[0], WM_METHOD_REGIONS, &nothing));
    const test_path path = save(&archive, "nothing.wmdb");
    assert_int_equal(wm_archive_load(&back, path.text, NULL), WM_OK);
    assert_true(same_archive(&archive, &back));
    wm_archive_free(&back);
    wm_archive_free(&archive);
}

static void large_payloads_come_back(void** state)
{
    (void)state;
    wm_archive archive = {0};
    wm_archive back;
    wm_rng rng = wm_rng_start(1, 1);
    wm_stored_map* map = wm_archive_put_map(&archive, "large");
    wm_buffer blob = {0};
    for (int i = 0; i < 400000; i++) wm_put_u64(&blob, wm_rng_next(&rng));
    map->width = map->height = 1;
    assert_true(wm_stored_map_put_payload(map, WM_METHOD_KNN, &blob));
    const test_path path = save(&archive, "large.wmdb");
    assert_int_equal(wm_archive_load(&back, path.text, NULL), WM_OK);
    assert_true(same_archive(&archive, &back));
    wm_archive_free(&back);
    wm_archive_free(&archive);
}

static void the_file_is_what_the_format_says(void** state)
{
    (void)state;
    wm_archive archive = {0};
    add_map(&archive, "room", 1, WM_DIAGONAL_SQUEEZE, 5);
    const test_path path = save(&archive, "raw.wmdb");
    size_t size;
    char* bytes = file_get(&path, &size);
    assert_memory_equal(bytes, "SQLite format 3", 16);
    assert_memory_equal(bytes + 60, "\0\0\0\1", 4); // user_version
    assert_memory_equal(bytes + 68, "WMDB", 4);     // application_id
    free(bytes);
    sqlite3* db = NULL;
    sqlite3_stmt* row = NULL;
    assert_int_equal(sqlite3_open(path.text, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT name, width, height, diagonal, hash, method, "
                                        "length(blob) FROM map JOIN payload ON map = name",
                                        -1, &row, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_string_equal(sqlite3_column_text(row, 0), "room");
    assert_int_equal(sqlite3_column_int(row, 1), 12);
    assert_int_equal(sqlite3_column_int(row, 2), 9);
    assert_int_equal(sqlite3_column_int(row, 3), 1);
    assert_true((uint64_t)sqlite3_column_int64(row, 4) == archive.maps[0].hash);
    assert_string_equal(sqlite3_column_text(row, 5), "knn");
    assert_int_equal(sqlite3_column_int(row, 6), archive.maps[0].payloads[0].blob.size);
    assert_int_equal(sqlite3_step(row), SQLITE_DONE);
    sqlite3_finalize(row);
    sqlite3_close(db);
    wm_archive_free(&archive);
}

static void maps_and_payloads_are_replaced_and_dropped(void** state)
{
    (void)state;
    wm_archive archive = {0};
    wm_stored_map* map = wm_archive_put_map(&archive, "b");
    assert_ptr_equal(wm_archive_put_map(&archive, "b"), map);
    wm_archive_put_map(&archive, "c");
    wm_archive_put_map(&archive, "a");
    assert_int_equal(archive.count, 3);
    assert_string_equal(archive.maps[0].name, "a");
    assert_string_equal(archive.maps[2].name, "c");
    assert_null(wm_archive_find(&archive, "d"));
    map = wm_archive_find(&archive, "b");
    assert_null(wm_stored_map_payload(map, WM_METHOD_KNN));
    for (int i = 0; i < 3; i++) {
        wm_buffer blob = {0};
        wm_put_u8(&blob, (uint8_t)i);
        assert_true(wm_stored_map_put_payload(map, WM_METHOD_KNN, &blob));
        assert_null(blob.data); // taken over
    }
    assert_int_equal(map->payload_count, 1);
    assert_int_equal(wm_stored_map_payload(map, WM_METHOD_KNN)->blob.data[0], 2);
    wm_stored_map_drop_payloads(map);
    assert_int_equal(map->payload_count, 0);
    wm_archive_free(&archive);
}

static void names_are_1_to_255_bytes_of_printable_utf_8(void** state)
{
    (void)state;
    char name[WM_STORE_MAX_NAME + 2];
    memset(name, 'x', sizeof name);
    name[WM_STORE_MAX_NAME + 1] = '\0';
    assert_false(wm_store_name_is_valid(name));
    name[WM_STORE_MAX_NAME] = '\0';
    assert_true(wm_store_name_is_valid(name));
    static const char* const valid[] = {"a",
                                        " ",
                                        "'\"\\",
                                        "~",
                                        "\xC2\xA0",
                                        "\xDF\xBF",
                                        "\xE0\xA0\x80",
                                        "\xEF\xBF\xBD",
                                        "\xED\x9F\xBF",
                                        "\xEE\x80\x80",
                                        "\xF0\x90\x80\x80",
                                        "\xF4\x8F\xBF\xBF"};
    static const char* const invalid[] = {
        "",
        "\n",
        "a\tb",
        "\x7F",
        "\x1B[2J",
        "\x80",         // a byte that only follows others
        "\xC3",         // cut short
        "\xC3(",        // followed by the wrong byte
        "\xE2\x82",     // cut short
        "\xF0\x9F\x97", // cut short
        "\xC0\xAF",     // longer than needed
        "\xC1\xBF",
        "\xE0\x80\xAF",
        "\xE0\x9F\xBF",
        "\xF0\x80\x80\xAF",
        "\xF0\x8F\xBF\xBF",
        "\xED\xA0\x80", // half of a UTF-16 pair
        "\xED\xBF\xBF",
        "\xF4\x90\x80\x80", // behind the last character
        "\xF5\x80\x80\x80",
        "\xFF",
        "\xC2\x85", // a control character
        "\xC2\x9B",
        "a\xC3",
    };
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++)
        if (!wm_store_name_is_valid(valid[i])) fail_msg("valid name %zu is refused", i);
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        if (wm_store_name_is_valid(invalid[i])) fail_msg("invalid name %zu is accepted", i);
}

// ---------------------------------------------------------------------------------------------
// One map

static void a_map_is_found_by_its_hash_and_name(void** state)
{
    (void)state;
    wm_archive archive = {0};
    add_map(&archive, "first", 1, WM_DIAGONAL_NONE, 5);
    add_map(&archive, "second", 2, WM_DIAGONAL_NONE, 6);
    add_map(&archive, "twin", 1, WM_DIAGONAL_NONE, 7); // the same map under another name
    const test_path path = save(&archive, "find.wmdb");
    const uint64_t one = map_hash(1, WM_DIAGONAL_NONE);
    const uint64_t two = map_hash(2, WM_DIAGONAL_NONE);
    static const struct {
        int which;
        const char* name;
        const char* found;
    } cases[] = {{1, NULL, "first"},
                 {2, NULL, "second"},
                 {1, "twin", "twin"},
                 {1, "first", "first"},
                 {2, "second", "second"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wm_stored_map map;
        wm_error error = {0};
        if (wm_store_read_map(&map, path.text, cases[i].which == 1 ? one : two, WM_DIAGONAL_NONE,
                              cases[i].name, &error) != WM_OK)
            fail_msg("%s", error.message);
        assert_string_equal(map.name, cases[i].found);
        assert_true(same_map(&map, wm_archive_find(&archive, cases[i].found)));
        wm_stored_map_free(&map);
    }
    wm_archive_free(&archive);
}

static void expect_missing(const test_path* path, uint64_t hash, uint64_t other_rule_hash,
                           const char* name, wm_status expected, const char* sentence)
{
    wm_stored_map map;
    wm_error error = {0};
    assert_int_equal(wm_store_read_map(&map, path->text, hash, other_rule_hash, name, &error),
                     expected);
    assert_contains(error.message, path->text);
    assert_contains(error.message, sentence);
    assert_null(map.name);
}

static void expect_mismatch(const test_path* path, uint64_t hash, uint64_t other_rule_hash,
                            const char* name, const char* sentence)
{
    expect_missing(path, hash, other_rule_hash, name, WM_ERR_MISMATCH, sentence);
}

static void a_map_that_is_not_there_gets_a_sentence_that_says_why(void** state)
{
    (void)state;
    wm_archive archive = {0};
    add_map(&archive, "room", 1, WM_DIAGONAL_NONE, 5);
    const test_path alone = save(&archive, "alone.wmdb");
    add_map(&archive, "hall", 2, WM_DIAGONAL_SQUEEZE, 5);
    const test_path both = save(&archive, "both.wmdb");
    const uint64_t other = map_hash(3, WM_DIAGONAL_NONE);
    const uint64_t squeezed = map_hash(1, WM_DIAGONAL_SQUEEZE);
    const uint64_t plain = map_hash(1, WM_DIAGONAL_NONE);
    expect_mismatch(&both, other, 0, "room", "another version of \"room\"");
    expect_mismatch(&both, other, 0, NULL, "it holds 2 maps, the first is hall");
    expect_mismatch(&both, other, 0, "nowhere", "it holds 2 maps");
    expect_mismatch(&both, squeezed, plain, "room", "as \"room\", with diagonal rule none");
    expect_mismatch(&both, squeezed, plain, NULL, "--diagonal none");
    expect_mismatch(&alone, other, 0, NULL, "it holds 1 map, the first is room");
    // The right map under the wrong name is not what was asked for.
    expect_missing(&both, plain, squeezed, "hall", WM_ERR_NOT_FOUND, "as \"room\", not \"hall\"");
    expect_missing(&both, plain, squeezed, "attic", WM_ERR_NOT_FOUND, "not \"attic\"");
    wm_archive_free(&archive);
}

// ---------------------------------------------------------------------------------------------
// Files that are not ours

static void run_sql(const test_path* path, const char* sql)
{
    sqlite3* db = NULL;
    assert_int_equal(sqlite3_open(path->text, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static void files_of_another_kind_are_refused(void** state)
{
    (void)state;
    test_path path = scratch_path(&folder, "missing.wmdb");
    expect_refusal(&path, WM_ERR_NOT_FOUND, "no such file");
    path = scratch_path(&folder, "text.wmdb");
    file_put_text(&path, "This is a text of more than a hundred bytes, so that it is long enough "
                         "for the header of a database, which it is not.\n");
    expect_refusal(&path, WM_ERR_FORMAT, "not a Waymark database");
    path = scratch_path(&folder, "short.wmdb");
    file_put_text(&path, "short");
    expect_refusal(&path, WM_ERR_FORMAT, "not a Waymark database");
    path = scratch_path(&folder, "nothing.wmdb");
    file_put_text(&path, "");
    expect_refusal(&path, WM_ERR_FORMAT, "not a Waymark database");
    path = scratch_path(&folder, "foreign.wmdb");
    run_sql(&path, "CREATE TABLE notes(text); INSERT INTO notes VALUES('mine')");
    expect_refusal(&path, WM_ERR_FORMAT, "not a Waymark database");
    path = scratch_path(&folder, "shell.wmdb");
    run_sql(&path, "PRAGMA application_id=1464681538; PRAGMA user_version=1; CREATE TABLE t(x)");
    expect_refusal(&path, WM_ERR_FORMAT, "damaged");
    path = scratch_path(&folder, "folder.wmdb");
    assert_int_equal(mkdir(path.text, 0700), 0);
    expect_refusal(&path, WM_ERR_IO, "");
}

static void changed_identities_are_refused_with_both_versions(void** state)
{
    (void)state;
    static const struct {
        const char* sql;
        wm_status status;
        const char* sentence;
    } cases[] = {
        {"PRAGMA application_id=0", WM_ERR_FORMAT, "not a Waymark database"},
        {"PRAGMA application_id=-1", WM_ERR_FORMAT, "not a Waymark database"},
        {"PRAGMA user_version=2", WM_ERR_VERSION, "version 2 and this program reads version 1"},
        {"PRAGMA user_version=0", WM_ERR_VERSION, "version 0 and this program reads version 1"},
        {"PRAGMA user_version=-7", WM_ERR_VERSION, "version -7 and this program reads version 1"},
    };
    wm_archive archive = {0};
    add_map(&archive, "room", 1, WM_DIAGONAL_NONE, 5);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const test_path path = save(&archive, "identity.wmdb");
        run_sql(&path, cases[i].sql);
        expect_refusal(&path, cases[i].status, cases[i].sentence);
    }
    wm_archive_free(&archive);
}

// What someone with a database shell could do: every row is sealed.
static void rows_changed_by_other_programs_are_noticed(void** state)
{
    (void)state;
    static const char* const changes[] = {
        "UPDATE map SET width=11 WHERE name='room'",
        "UPDATE map SET height=0 WHERE name='room'",
        "UPDATE map SET width=100000 WHERE name='room'",
        "UPDATE map SET diagonal=1 WHERE name='room'",
        "UPDATE map SET diagonal=2 WHERE name='room'",
        "UPDATE map SET hash=hash+1 WHERE name='room'",
        "UPDATE map SET name='' WHERE name='room'",
        "UPDATE map SET name='other' WHERE name='room'",
        "UPDATE map SET name=x'726F6F6D00' WHERE name='room'",
        "UPDATE map SET seal=0",
        "UPDATE payload SET map='hall' WHERE map='room' AND (SELECT count(*) FROM payload)=1",
        "UPDATE payload SET map='nowhere' WHERE map='room'",
        "UPDATE payload SET method='newer' WHERE map='room'",
        "UPDATE payload SET blob=x'00' WHERE map='room'",
        "UPDATE payload SET blob=substr(blob,1,length(blob)-1) WHERE map='room'",
        "UPDATE payload SET blob=12345 WHERE map='room'",
        "UPDATE payload SET blob=(SELECT blob FROM payload WHERE map='hall') WHERE map='room'",
        "DELETE FROM payload WHERE map='room'",
        "DELETE FROM map WHERE name='room'",
        "DELETE FROM map; DELETE FROM payload",
        "DELETE FROM file",
        "UPDATE file SET seal=seal+1",
        "DROP TABLE file",
        "DROP TABLE payload",
        "DROP TABLE map",
        "ALTER TABLE map RENAME COLUMN seal TO sea",
    };
    wm_archive archive = {0};
    add_map(&archive, "room", 1, WM_DIAGONAL_NONE, 5);
    add_map(&archive, "hall", 2, WM_DIAGONAL_NONE, 6);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const test_path path = save(&archive, "changed.wmdb");
        wm_archive back;
        wm_error error = {0};
        run_sql(&path, changes[i]);
        const wm_status status = wm_archive_load(&back, path.text, &error);
        if (status == WM_OK && !same_archive(&archive, &back))
            fail_msg("not noticed: %s", changes[i]);
        if (status == WM_OK) wm_archive_free(&back);
        if (status != WM_OK) assert_int_equal(status, WM_ERR_FORMAT);
        // The runtime reads one map, and notices what happens to that map.
        wm_stored_map map;
        if (wm_store_read_map(&map, path.text, archive.maps[1].hash, WM_DIAGONAL_NONE, "room",
                              &error) == WM_OK) {
            if (!same_map(&map, &archive.maps[1]))
                fail_msg("not noticed by the reader of one map: %s", changes[i]);
            wm_stored_map_free(&map);
        }
    }
    wm_archive_free(&archive);
}

// What reads the same and carries right seals, but is not made as we make it, could run what a
// stranger wrote, or give another content the next time.
static void tables_that_are_not_ours_are_refused(void** state)
{
    (void)state;
    static const char* const attacks[] = {
        "ALTER TABLE map RENAME TO m; CREATE VIEW map AS SELECT * FROM m",
        "CREATE TABLE p AS SELECT * FROM payload; DROP TABLE payload;"
        "CREATE VIEW payload AS SELECT map, method, blob FROM p",
        "CREATE TABLE f AS SELECT seal FROM file; DROP TABLE file;"
        "CREATE VIEW file AS SELECT seal FROM f",
        "CREATE VIEW more AS SELECT load_extension('evil')",
        "CREATE TRIGGER t AFTER UPDATE ON map BEGIN DELETE FROM payload; END",
        "ALTER TABLE map ADD COLUMN g AS (upper(name))",
        "ALTER TABLE payload ADD COLUMN g AS (abs(length(blob)))",
        "ALTER TABLE map ADD COLUMN more",
        "CREATE TABLE p AS SELECT * FROM payload; DROP TABLE payload;"
        "ALTER TABLE p RENAME TO payload",
        "CREATE TABLE notes(text)",
        "CREATE INDEX slow ON payload(upper(method))",
        "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql='CREATE TABLE file(seal)' WHERE "
        "name='file'",
    };
    wm_archive archive = {0};
    add_map(&archive, "room", 1, WM_DIAGONAL_NONE, 5);
    for (size_t i = 0; i < sizeof attacks / sizeof attacks[0]; i++) {
        const test_path path = save(&archive, "attack.wmdb");
        run_sql(&path, attacks[i]);
        expect_refusal(&path, WM_ERR_FORMAT, "is damaged");
    }
    wm_archive_free(&archive);
}

static void a_value_of_another_type_is_refused(void** state)
{
    (void)state;
    // A seal over a text is that over the same bytes, so that only the type tells them apart.
    static const char* const changes[] = {
        "UPDATE payload SET blob=CAST(blob AS TEXT)",
        "UPDATE payload SET method=CAST(method AS BLOB)",
        "UPDATE map SET name=CAST(name AS BLOB)",
        "UPDATE map SET width=width+0.5",
        "UPDATE map SET diagonal='none'",
        "UPDATE map SET hash=1e300",
        "UPDATE map SET seal='room'",
        "UPDATE file SET seal='1'||seal||'0'",
        "UPDATE file SET seal=CAST(seal AS BLOB)",
    };
    wm_archive archive = {0};
    add_map(&archive, "room", 1, WM_DIAGONAL_NONE, 5);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        wm_archive back;
        const test_path path = save(&archive, "type.wmdb");
        run_sql(&path, changes[i]);
        if (wm_archive_load(&back, path.text, NULL) != WM_ERR_FORMAT)
            fail_msg("not refused: %s", changes[i]);
    }
    wm_archive_free(&archive);
}

static void a_file_with_a_journal_beside_it_is_not_taken_for_the_whole(void** state)
{
    (void)state;
    static const char* const suffixes[] = {"-journal", "-wal"};
    wm_archive archive = {0};
    wm_archive back;
    add_map(&archive, "room", 1, WM_DIAGONAL_NONE, 5);
    const test_path path = save(&archive, "beside.wmdb");
    for (size_t i = 0; i < 2; i++) {
        test_path beside = path;
        strcat(beside.text, suffixes[i]);
        file_put_text(&beside, "");
        assert_int_equal(wm_archive_load(&back, path.text, NULL), WM_OK);
        wm_archive_free(&back);
        file_put_text(&beside, "pages");
        expect_refusal(&path, WM_ERR_IO, beside.text);
        unlink(beside.text);
    }
    // As another program leaves it, in the middle of its work.
    sqlite3* db = NULL;
    assert_int_equal(sqlite3_open(path.text, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "PRAGMA journal_mode=WAL; DELETE FROM payload", NULL, NULL, NULL),
        SQLITE_OK);
    expect_refusal(&path, WM_ERR_IO, "-wal");
    sqlite3_close(db);
    expect_refusal(&path, WM_ERR_FORMAT, "damaged"); // without its payload
    wm_archive_free(&archive);
}

// ---------------------------------------------------------------------------------------------
// Damage

// Whether a map that was read is the one that was written, or is refused when it is unpacked.
static bool is_unharmed(const wm_stored_map* map, const wm_stored_map* expected)
{
    wm_knn knn;
    wm_knn old;
    if (same_map(map, expected)) return true;
    if (strcmp(map->name, expected->name) != 0 || map->width != expected->width ||
        map->height != expected->height || map->diagonal != expected->diagonal ||
        map->hash != expected->hash || map->payload_count != expected->payload_count)
        return false;
    // The packing may differ as long as the content does not.
    if (wm_build_load_knn(&knn, map, "test", NULL) != WM_OK) return true;
    assert_int_equal(wm_build_load_knn(&old, expected, "test", NULL), WM_OK);
    const bool unharmed = records_hash(&knn) == records_hash(&old);
    wm_knn_free(&knn);
    wm_knn_free(&old);
    return unharmed;
}

typedef struct victim {
    wm_archive archive;
    test_path path;
    char* bytes;
    size_t size;
} victim;

static victim make_victim(const char* name)
{
    victim v = {0};
    add_map(&v.archive, "hall", 2, WM_DIAGONAL_SQUEEZE, 30);
    add_map(&v.archive, "room", 1, WM_DIAGONAL_NONE, 400);
    v.path = save(&v.archive, name);
    v.bytes = file_get(&v.path, &v.size);
    return v;
}

static void free_victim(victim* v)
{
    wm_archive_free(&v->archive);
    free(v->bytes);
}

// Whether the damaged file is refused or has the old content, for a reader of all of it and for one
// of map `which`.
static bool is_harmless(const victim* v, size_t which, bool* refused)
{
    const wm_stored_map* expected = &v->archive.maps[which];
    wm_archive archive;
    wm_stored_map map;
    bool harmless = true;
    *refused = wm_archive_load(&archive, v->path.text, NULL) != WM_OK;
    if (!*refused) {
        harmless = archive.count == v->archive.count;
        for (size_t i = 0; i < archive.count && harmless; i++)
            harmless = is_unharmed(&archive.maps[i], &v->archive.maps[i]);
        wm_archive_free(&archive);
    }
    if (harmless && wm_store_read_map(&map, v->path.text, expected->hash, expected->diagonal,
                                      expected->name, NULL) == WM_OK) {
        harmless = is_unharmed(&map, expected);
        wm_stored_map_free(&map);
    }
    return harmless;
}

static void every_byte_changed_is_refused_or_changes_nothing(void** state)
{
    (void)state;
    static const uint8_t changes[] = {0xFF, 0x01};
    victim v = make_victim("byte.wmdb");
    const int file = open(v.path.text, O_WRONLY);
    size_t refused_count = 0;
    assert_true(file >= 0);
    for (size_t at = 0; at < v.size; at++) {
        for (size_t i = 0; i < sizeof changes; i++) {
            bool refused;
            const uint8_t changed = (uint8_t)v.bytes[at] ^ changes[i];
            assert_int_equal(pwrite(file, &changed, 1, (off_t)at), 1);
            if (!is_harmless(&v, (at + i) % 2, &refused))
                fail_msg("byte %zu of %zu changed by %u gives another content", at, v.size,
                         changes[i]);
            refused_count += refused;
        }
        assert_int_equal(pwrite(file, &v.bytes[at], 1, (off_t)at), 1);
    }
    close(file);
    print_message("%zu of %zu changes were refused\n", refused_count, v.size * sizeof changes);
    assert_true(refused_count > 1000);
    bool refused;
    assert_true(is_harmless(&v, 0, &refused));
    assert_false(refused); // all is as it was
    free_victim(&v);
}

static void a_file_cut_short_or_made_longer_is_refused(void** state)
{
    (void)state;
    victim v = make_victim("cut.wmdb");
    // Dense at the front and around pages, where something begins or ends.
    for (size_t size = 0; size < v.size; size += size < 200 || size % 4096 > 4080 ? 1 : 13) {
        bool refused;
        file_put(&v.path, v.bytes, size);
        if (!is_harmless(&v, size % 2, &refused) || !refused)
            fail_msg("cut to %zu of %zu bytes and accepted", size, v.size);
        wm_stored_map map;
        const wm_stored_map* old = &v.archive.maps[1];
        if (wm_store_read_map(&map, v.path.text, old->hash, old->diagonal, NULL, NULL) == WM_OK)
            fail_msg("cut to %zu of %zu bytes and read", size, v.size);
    }
    for (size_t more = 1; more <= 8192; more *= 2) {
        bool refused;
        file_put(&v.path, v.bytes, v.size);
        assert_int_equal(truncate(v.path.text, (off_t)(v.size + more)), 0);
        assert_true(is_harmless(&v, 0, &refused) && refused);
    }
    free_victim(&v);
}

static void many_random_changes_are_refused_or_change_nothing(void** state)
{
    (void)state;
    victim v = make_victim("random.wmdb");
    char* copy = malloc(v.size);
    assert_non_null(copy);
    for (uint64_t seed = 1; seed <= test_cases(1500); seed++) {
        wm_rng rng = wm_rng_start(seed, 0);
        bool refused;
        memcpy(copy, v.bytes, v.size);
        const uint64_t changes = 1 + wm_rng_below(&rng, 20);
        // Half of them where SQLite keeps its own books.
        const size_t range = seed % 2 == 0 ? v.size : 1000;
        for (uint64_t i = 0; i < changes; i++)
            copy[wm_rng_below(&rng, range)] = (char)wm_rng_next(&rng);
        file_put(&v.path, copy, v.size);
        if (!is_harmless(&v, seed / 2 % 2, &refused))
            fail_msg("seed %llu gives another content", (unsigned long long)seed);
    }
    free(copy);
    free_victim(&v);
}

// A file that asks for SQLite's write-ahead log must not make a reader write beside it.
static void reading_leaves_nothing_behind(void** state)
{
    (void)state;
    victim v = make_victim("tidy.wmdb");
    const size_t before = scratch_count(&folder);
    bool refused;
    v.bytes[18] = v.bytes[19] = 2;
    file_put(&v.path, v.bytes, v.size);
    assert_true(is_harmless(&v, 0, &refused));
    assert_int_equal(scratch_count(&folder), before);
    free_victim(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_archive_comes_back_as_it_was),
        cmocka_unit_test(an_empty_archive_and_a_map_without_payloads_come_back),
        cmocka_unit_test(an_empty_payload_comes_back),
        cmocka_unit_test(large_payloads_come_back),
        cmocka_unit_test(the_file_is_what_the_format_says),
        cmocka_unit_test(maps_and_payloads_are_replaced_and_dropped),
        cmocka_unit_test(names_are_1_to_255_bytes_of_printable_utf_8),
        cmocka_unit_test(a_map_is_found_by_its_hash_and_name),
        cmocka_unit_test(a_map_that_is_not_there_gets_a_sentence_that_says_why),
        cmocka_unit_test(files_of_another_kind_are_refused),
        cmocka_unit_test(changed_identities_are_refused_with_both_versions),
        cmocka_unit_test(rows_changed_by_other_programs_are_noticed),
        cmocka_unit_test(tables_that_are_not_ours_are_refused),
        cmocka_unit_test(a_value_of_another_type_is_refused),
        cmocka_unit_test(a_file_with_a_journal_beside_it_is_not_taken_for_the_whole),
        cmocka_unit_test(every_byte_changed_is_refused_or_changes_nothing),
        cmocka_unit_test(a_file_cut_short_or_made_longer_is_refused),
        cmocka_unit_test(many_random_changes_are_refused_or_change_nothing),
        cmocka_unit_test(reading_leaves_nothing_behind),
    };
    return cmocka_run_group_tests_name("store", tests, set_up, tear_down);
}
