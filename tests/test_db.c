// SPDX-License-Identifier: MIT
//
// Opening a database when something is wrong: the call, the memory, or the one payload that is only
// advice. This program's own malloc fails on demand, whoever calls it.
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "walk.h"

// ---------------------------------------------------------------------------------------------
// Memory that fails: the linker sends all calls of the project's code here (--wrap).

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
char* __real_strdup(const char* text);
void __real_free(void* block);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* block, size_t size);
char* __wrap_strdup(const char* text);
void __wrap_free(void* block);

static struct {
    bool on;
    size_t calls;
    size_t fail_at; // the call that fails, from 1; 0 for none
    long blocks;    // not yet given back
} memory;

static bool may_allocate(void)
{
    return !memory.on || ++memory.calls != memory.fail_at;
}

static void* handed_out(void* block)
{
    if (memory.on && block != NULL) memory.blocks++;
    return block;
}

void* __wrap_malloc(size_t size)
{
    return may_allocate() ? handed_out(__real_malloc(size)) : NULL;
}

void* __wrap_calloc(size_t count, size_t size)
{
    return may_allocate() ? handed_out(__real_calloc(count, size)) : NULL;
}

void* __wrap_realloc(void* block, size_t size)
{
    if (!may_allocate()) return NULL;
    void* grown = __real_realloc(block, size);
    return block == NULL ? handed_out(grown) : grown;
}

char* __wrap_strdup(const char* text)
{
    return may_allocate() ? handed_out(__real_strdup(text)) : NULL;
}

void __wrap_free(void* block)
{
    if (memory.on && block != NULL) memory.blocks--;
    __real_free(block);
}

// ---------------------------------------------------------------------------------------------
// A world with data of every method

typedef struct world {
    test_path folder;
    test_path store;
    test_path single;
    char* bytes; // of the single file
    size_t size;
    wm_map* map;
} world;

static void put_blob(const world* w, wm_method method, wm_buffer* blob)
{
    wm_edit edit;
    size_t dropped;
    wm_error error = {""};
    if (wm_edit_begin(&edit, w->store.text, &error) != WM_OK ||
        wm_build_store_blob(&edit.archive, "map", &w->map->grid, method, blob, &dropped, &error) !=
            WM_OK ||
        wm_edit_commit(&edit, &error) != WM_OK)
        fail_msg("%s", error.message);
    wm_buffer_free(blob);
}

static wm_buffer sealed_choice(uint64_t map_hash)
{
    const wm_choice choice = {.map_hash = map_hash, .spec = "lrta:d=3", .problems = 1};
    wm_buffer blob = {0};
    assert_int_equal(wm_choice_seal(&blob, NULL, &choice), WM_OK);
    return blob;
}

static void export_single(world* w)
{
    wm_archive archive;
    wm_error error = {""};
    size_t size;
    assert_int_equal(wm_build_load(&archive, w->store.text, NULL), WM_OK);
    if (wm_build_export(&archive.maps[0], "x", w->single.text, &size, &error) != WM_OK)
        fail_msg("%s", error.message);
    wm_archive_free(&archive);
    free(w->bytes);
    w->bytes = file_get(&w->single, &w->size);
}

static world world_of(uint64_t seed)
{
    world w = {.folder = scratch_create()};
    w.store = scratch_path(&w.folder, "map.wmdb");
    w.single = scratch_path(&w.folder, "map.wmb");
    w.map = map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 26, 24, WM_GENERATE_DEFAULT,
                          5, seed, WM_DIAGONAL_NONE);
    assert_true(db_build_file(w.map, 30, true, seed, &w.store));
    wm_buffer blob = sealed_choice(wm_map_hash(w.map));
    put_blob(&w, WM_METHOD_CHOICE, &blob);
    export_single(&w);
    return w;
}

static void world_free(world* w)
{
    free(w->bytes);
    wm_map_unload(w->map);
    scratch_remove(&w->folder);
}

typedef wm_status (*opener)(wm_db** db, const world* w, const wm_db_config* config,
                            wm_error* error);

static wm_status open_store(wm_db** db, const world* w, const wm_db_config* config, wm_error* error)
{
    return wm_db_open(db, w->map, w->store.text, config, error);
}

static wm_status open_single(wm_db** db, const world* w, const wm_db_config* config,
                             wm_error* error)
{
    return wm_db_open(db, w->map, w->single.text, config, error);
}

static wm_status open_memory(wm_db** db, const world* w, const wm_db_config* config,
                             wm_error* error)
{
    return wm_db_open_memory(db, w->map, w->bytes, w->size, config, error);
}

static const opener openers[] = {open_store, open_single, open_memory};
#define OPENERS (sizeof openers / sizeof openers[0])

// ---------------------------------------------------------------------------------------------

static void every_allocation_of_opening_may_fail(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        world w = world_of(seed);
        for (size_t i = 0; i < OPENERS; i++) {
            const wm_db_config config = wm_db_config_default();
            size_t failed = 0;
            for (size_t n = 1;; n++) {
                wm_db* db = NULL;
                wm_error error = {""};
                memset(&memory, 0, sizeof memory);
                memory.on = true;
                memory.fail_at = n;
                const wm_status status = openers[i](&db, &w, &config, n % 4 == 0 ? NULL : &error);
                assert_true((db != NULL) == (status == WM_OK));
                wm_db_close(db);
                memory.on = false;
                if (memory.blocks != 0)
                    fail_msg("opener %zu, allocation %zu: %ld blocks leak", i, n, memory.blocks);
                if (memory.calls < n) break; // none failed
                // What makes it only faster it can do without.
                if (status == WM_OK) continue;
                if (status != WM_ERR_MEMORY)
                    fail_msg("opener %zu, allocation %zu: %s: %s", i, n, wm_status_name(status),
                             error.message);
                if (n % 4 != 0) assert_contains(error.message, "memory");
                failed++;
            }
            assert_true(failed > 20);
        }
        world_free(&w);
    }
}

static void every_allocation_of_the_caller_may_fail(void** state)
{
    (void)state;
    world w = world_of(2);
    for (size_t i = 0; i < OPENERS; i++) {
        wm_status status = WM_ERR_MEMORY;
        for (size_t n = 1; status == WM_ERR_MEMORY; n++) {
            test_memory counted = {.fail_at = n};
            wm_db_config config = wm_db_config_default();
            wm_db* db = NULL;
            config.allocator = test_allocator(&counted);
            status = openers[i](&db, &w, &config, NULL);
            assert_true((db != NULL) == (status == WM_OK));
            wm_db_close(db);
            assert_int_equal(counted.bytes, 0);
            assert_true(n < 1000);
            if (status == WM_OK) assert_true(n > 10);
        }
        assert_int_equal(status, WM_OK);
    }
    world_free(&w);
}

static void* allocate_uncounted(void* user, size_t size_bytes, size_t alignment)
{
    (void)user;
    (void)alignment;
    return __real_malloc(size_bytes);
}

static void release_uncounted(void* user, void* block, size_t size_bytes)
{
    (void)user;
    (void)size_bytes;
    __real_free(block);
}

static void what_stays_of_a_database_is_the_callers_memory(void** state)
{
    (void)state;
    world w = world_of(2);
    for (size_t i = 0; i < OPENERS; i++) {
        wm_db_config config = wm_db_config_default();
        wm_db* db = NULL;
        config.allocator = (wm_allocator){allocate_uncounted, release_uncounted, NULL};
        memset(&memory, 0, sizeof memory);
        memory.on = true;
        const wm_status status = openers[i](&db, &w, &config, NULL);
        memory.on = false;
        assert_int_equal(status, WM_OK);
        assert_int_equal(memory.blocks, 0);
        wm_db_close(db);
    }
    world_free(&w);
}

static void a_database_tells_what_it_has(void** state)
{
    (void)state;
    static const char* const methods[] = {"knn", "regions", "d-lrta", "choice"};
    const wm_db_config config = wm_db_config_default();
    world w = world_of(1);
    wm_archive archive;
    wm_db* db;
    assert_int_equal(wm_build_load(&archive, w.store.text, NULL), WM_OK);
    assert_int_equal(open_store(&db, &w, &config, NULL), WM_OK);
    for (int i = 0; i < 4; i++) assert_true(wm_db_has(db, methods[i]));
    assert_false(wm_db_has(db, "auto"));
    assert_false(wm_db_has(db, ""));
    assert_false(wm_db_has(db, NULL));
    assert_false(wm_db_has(NULL, "knn"));
    wm_db_close(db);
    for (size_t k = 0; k < 4; k++) {
        const wm_buffer* blob = &archive.maps[0].payloads[k].blob;
        assert_int_equal(wm_db_open_memory(&db, w.map, blob->data, blob->size, &config, NULL),
                         WM_OK);
        for (size_t i = 0; i < 4; i++) assert_int_equal(wm_db_has(db, methods[i]), i == k);
        wm_db_close(db);
    }
    wm_archive_free(&archive);
    world_free(&w);
}

#define USELESS_LIMIT ((size_t)512 << 10)

static void expect_standard(const wm_map* map, const wm_db* db, wm_terrain terrain,
                            const char* algorithm)
{
    wm_agent_config config = wm_agent_config_default();
    wm_agent* agent = NULL;
    config.terrain = terrain;
    assert_int_equal(wm_agent_create(&agent, map, db, &config, NULL), WM_OK);
    assert_string_equal(agent->algorithm->name, algorithm);
    wm_agent_destroy(agent);
}

static void agents_do_what_the_database_allows_unless_told(void** state)
{
    (void)state;
    const wm_db_config config = wm_db_config_default();
    world w = world_of(3);
    wm_db* db;
    assert_int_equal(open_store(&db, &w, &config, NULL), WM_OK);
    expect_standard(w.map, db, WM_TERRAIN_KNOWN, "lrta"); // the choice
    expect_standard(w.map, db, WM_TERRAIN_UNKNOWN, "tb-wa");
    expect_standard(w.map, NULL, WM_TERRAIN_KNOWN, "tb-wa");
    db->has_choice = false;
    expect_standard(w.map, db, WM_TERRAIN_KNOWN, "regions");
    db->has_regions = false;
    expect_standard(w.map, db, WM_TERRAIN_KNOWN, "tb-wa");
    wm_db_close(db);
    world_free(&w);
}

// Every way in which a choice can be of no use.
static wm_buffer useless_choice(const world* w, int kind)
{
    wm_buffer blob = sealed_choice(wm_map_hash(w->map) ^ (kind == 0 ? 1 : 0));
    if (kind == 7) { // it does unpack to more than the limit
        const size_t size = 2 * USELESS_LIMIT;
        const wm_buffer zeros = {.data = calloc(size, 1), .size = size, .capacity = size};
        blob.size = 0;
        assert_int_equal(wm_format_seal(&blob, WM_METHOD_CHOICE, &zeros, &size, 1), WM_OK);
        free(zeros.data);
    }
    switch (kind) {
    case 1: blob.data[blob.size - 1] ^= 0x10; break; // damaged
    case 2: blob.data[4] = 9; break;                 // a newer major version
    case 3: blob.data[20] ^= 1; break;               // another content hash
    case 4: blob.size = 11; break;                   // cut short
    case 5: blob.data[8] = 1; break;                 // says that it is knn data
    case 6: blob.data[14] = 0xFF; break;             // as if it were large
    default: break;
    }
    return blob;
}

static void a_choice_of_no_use_takes_nothing_else_away(void** state)
{
    (void)state;
    world w = world_of(3);
    wm_db_config config = wm_db_config_default();
    config.max_bytes = USELESS_LIMIT;
    for (int kind = 0; kind < 8; kind++) {
        wm_buffer blob = useless_choice(&w, kind);
        wm_error error = {""};
        wm_db* db = NULL;
        // By itself it is what was asked for, and an error.
        assert_true(wm_db_open_memory(&db, w.map, blob.data, blob.size, &config, &error) < 0);
        assert_true(error.message[0] != '\0');
        put_blob(&w, WM_METHOD_CHOICE, &blob);
        export_single(&w);
        for (size_t i = 0; i < OPENERS; i++) {
            error.message[0] = '\0';
            assert_int_equal(openers[i](&db, &w, &config, &error), WM_OK);
            assert_string_equal(error.message, "");
            assert_true(wm_db_has(db, "regions") && wm_db_has(db, "knn"));
            assert_false(wm_db_has(db, "choice"));
            wm_agent* agent = agent_create(w.map, db, "auto", false);
            assert_string_equal(agent->algorithm->name, "regions");
            wm_agent_destroy(agent);
            wm_db_close(db);
        }
    }
    world_free(&w);
}

static void damage_to_anything_but_a_choice_is_an_error(void** state)
{
    (void)state;
    const wm_db_config config = wm_db_config_default();
    for (unsigned method = WM_METHOD_KNN; method < WM_METHOD_CHOICE; method++) {
        world w = world_of(5);
        wm_archive archive;
        wm_buffer blob = {0};
        assert_int_equal(wm_build_load(&archive, w.store.text, NULL), WM_OK);
        const wm_buffer* stored = &wm_stored_map_payload(&archive.maps[0], (wm_method)method)->blob;
        wm_put_bytes(&blob, stored->data, stored->size);
        wm_archive_free(&archive);
        blob.data[20] ^= 1;
        put_blob(&w, (wm_method)method, &blob);
        export_single(&w);
        for (size_t i = 0; i < OPENERS; i++) {
            wm_error error = {""};
            wm_db* db = NULL;
            assert_int_equal(openers[i](&db, &w, &config, &error), WM_ERR_FORMAT);
            assert_null(db);
            assert_contains(error.message, wm_method_name((wm_method)method));
        }
        world_free(&w);
    }
}

static void a_wrong_call_gets_a_status_and_a_sentence(void** state)
{
    (void)state;
    world w = world_of(4);
    const wm_db_config good = wm_db_config_default();
    const wm_db_config forgotten = {0};
    wm_db* db = NULL;
    const char* path = w.single.text;
    const struct {
        wm_db** out;
        const wm_map* map;
        const void* source;
        const wm_db_config* config;
    } calls[] = {
        {NULL, w.map, path, &good}, {&db, NULL, path, &good},       {&db, w.map, NULL, &good},
        {&db, w.map, path, NULL},   {&db, w.map, path, &forgotten},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        for (int memory_call = 0; memory_call < 2; memory_call++) {
            wm_error error = {""};
            const wm_status status =
                memory_call ? wm_db_open_memory(calls[i].out, calls[i].map, calls[i].source, 8,
                                                calls[i].config, &error)
                            : wm_db_open(calls[i].out, calls[i].map, calls[i].source,
                                         calls[i].config, &error);
            assert_int_equal(status, WM_ERR_ARGUMENT);
            assert_contains(error.message, memory_call ? "wm_db_open_memory" : "wm_db_open");
            assert_null(db);
        }
    }
    wm_error error = {""};
    assert_int_equal(wm_db_open_memory(&db, w.map, "", 0, &good, &error), WM_ERR_FORMAT);
    assert_int_equal(wm_db_open_memory(&db, w.map, "SQLite format 3", 15, &good, &error),
                     WM_ERR_FORMAT);
    assert_contains(error.message, "not Waymark search data");
    wm_db_config small = wm_db_config_default();
    small.max_bytes = 100;
    assert_int_equal(open_memory(&db, &w, &small, &error), WM_ERR_MEMORY);
    assert_contains(error.message, "limit of 100");
    wm_db_close(NULL);
    world_free(&w);
}

// What a game passes on as a name may be anything: it is found in no file, and told in a short line.
static void a_name_that_no_map_can_have_is_refused_in_one_line(void** state)
{
    (void)state;
    world w = world_of(3);
    char* long_name = malloc(100001);
    memset(long_name, 'x', 100000);
    long_name[100000] = '\0';
    const char* names[] = {"", "a\nb", "\x1b[31m", "caf\xC3", "\xFF", long_name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char* paths[] = {w.single.text, w.store.text};
        for (size_t k = 0; k < 2; k++) {
            wm_db_config config = wm_db_config_default();
            wm_db* db = (wm_db*)&db;
            wm_error error = {""};
            config.name = names[i];
            assert_int_equal(wm_db_open(&db, w.map, paths[k], &config, i == 0 ? NULL : &error),
                             WM_ERR_NOT_FOUND);
            assert_null(db);
            if (i == 0) continue;
            assert_contains(error.message, "no map can have the name");
            assert_true(strlen(error.message) < 200);
            for (const char* at = error.message; *at != '\0'; at++)
                assert_true(*at >= ' ' && *at <= '~');
        }
    }
    free(long_name);
    world_free(&w);
}

// Planes and chains are checked against the cells as they are: an edit is no damage to the file.
static void a_database_is_opened_before_the_first_edit(void** state)
{
    (void)state;
    world w = world_of(2);
    const wm_db_config config = wm_db_config_default();
    w.map->grid.editable = true;
    for (wm_cell cell = 0; cell < w.map->grid.cell_count; cell += 3) {
        const wm_cell_edit wall = {wm_grid_point(&w.map->grid, cell), false};
        assert_int_equal(wm_map_edit(w.map, &wall, 1, NULL), WM_OK);
    }
    for (size_t i = 0; i < OPENERS; i++) {
        wm_db* db = NULL;
        wm_error error = {""};
        assert_int_equal(openers[i](&db, &w, &config, &error), WM_ERR_MISMATCH);
        assert_null(db);
        assert_contains(error.message, "before the first edit");
    }
    world_free(&w);
}

static void success_leaves_the_error_alone(void** state)
{
    (void)state;
    world w = world_of(2);
    const wm_db_config config = wm_db_config_default();
    for (size_t i = 0; i < OPENERS; i++) {
        wm_error error = {"as it was"};
        wm_db* db = NULL;
        assert_int_equal(openers[i](&db, &w, &config, &error), WM_OK);
        assert_string_equal(error.message, "as it was");
        wm_db_close(db);
    }
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_opening_may_fail),
        cmocka_unit_test(every_allocation_of_the_caller_may_fail),
        cmocka_unit_test(what_stays_of_a_database_is_the_callers_memory),
        cmocka_unit_test(a_database_tells_what_it_has),
        cmocka_unit_test(agents_do_what_the_database_allows_unless_told),
        cmocka_unit_test(a_choice_of_no_use_takes_nothing_else_away),
        cmocka_unit_test(damage_to_anything_but_a_choice_is_an_error),
        cmocka_unit_test(a_wrong_call_gets_a_status_and_a_sentence),
        cmocka_unit_test(a_name_that_no_map_can_have_is_refused_in_one_line),
        cmocka_unit_test(a_database_is_opened_before_the_first_edit),
        cmocka_unit_test(success_leaves_the_error_alone),
    };
    return cmocka_run_group_tests_name("db", tests, NULL, NULL);
}
