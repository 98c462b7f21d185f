// SPDX-License-Identifier: MIT
//
// Every allocation fails once, from reading a map to the last step of a walk: each stage then says
// WM_ERR_MEMORY, or has done without and come to the same; files are as they were, and all memory is
// given back. The linker sends the project's allocations here (--wrap), SQLite's come by its own
// interface, and of zstd's what its calls return stands for them.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "algorithms/algorithm.h"
#include "build.h"
#include "checkpoint.h"
#include "hash.h"
#include "mapfile.h"
#include "problems.h"
#include "walk.h"

// ---------------------------------------------------------------------------------------------
// Memory that fails

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
char* __real_strdup(const char* text);
char* __real_strndup(const char* text, size_t size);
char* __real_realpath(const char* path, char* resolved);
void __real_free(void* block);
size_t __real_ZSTD_compress(void* to, size_t capacity, const void* from, size_t size, int level);
size_t __real_ZSTD_decompress(void* to, size_t capacity, const void* from, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* block, size_t size);
char* __wrap_strdup(const char* text);
char* __wrap_strndup(const char* text, size_t size);
char* __wrap_realpath(const char* path, char* resolved);
void __wrap_free(void* block);
size_t __wrap_ZSTD_compress(void* to, size_t capacity, const void* from, size_t size, int level);
size_t __wrap_ZSTD_decompress(void* to, size_t capacity, const void* from, size_t size);

static struct {
    bool on;
    size_t calls;
    size_t fail_at; // the call that fails, from 1
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

char* __wrap_strndup(const char* text, size_t size)
{
    return may_allocate() ? handed_out(__real_strndup(text, size)) : NULL;
}

// Fails for other reasons too, which must stay what they are: only its block is counted.
char* __wrap_realpath(const char* path, char* resolved)
{
    return handed_out(__real_realpath(path, resolved));
}

void __wrap_free(void* block)
{
    if (memory.on && block != NULL) memory.blocks--;
    __real_free(block);
}

size_t __wrap_ZSTD_compress(void* to, size_t capacity, const void* from, size_t size, int level)
{
    if (!may_allocate()) return (size_t)-ZSTD_error_memory_allocation;
    return __real_ZSTD_compress(to, capacity, from, size, level);
}

size_t __wrap_ZSTD_decompress(void* to, size_t capacity, const void* from, size_t size)
{
    if (!may_allocate()) return (size_t)-ZSTD_error_memory_allocation;
    return __real_ZSTD_decompress(to, capacity, from, size);
}

// SQLite wants to be told how large a block is; so its size stands in front of it.
#define SIZE_BYTES 16

static void* sqlite_malloc(int size)
{
    if (!may_allocate()) return NULL;
    char* block = __real_malloc((size_t)size + SIZE_BYTES);
    if (block == NULL) return NULL;
    memcpy(block, &size, sizeof size);
    return block + SIZE_BYTES;
}

static void sqlite_free(void* block)
{
    if (block != NULL) __real_free((char*)block - SIZE_BYTES);
}

static void* sqlite_realloc(void* block, int size)
{
    if (!may_allocate()) return NULL;
    char* grown = __real_realloc((char*)block - SIZE_BYTES, (size_t)size + SIZE_BYTES);
    if (grown == NULL) return NULL;
    memcpy(grown, &size, sizeof size);
    return grown + SIZE_BYTES;
}

static int sqlite_size(void* block)
{
    int size = 0;
    if (block != NULL) memcpy(&size, (char*)block - SIZE_BYTES, sizeof size);
    return size;
}

static int sqlite_roundup(int size)
{
    return (size + 7) & ~7;
}

static int sqlite_init(void* context)
{
    (void)context;
    return SQLITE_OK;
}

static void sqlite_shutdown(void* context)
{
    (void)context;
}

// ---------------------------------------------------------------------------------------------
// The world: a small map, and a file with all that there is for it

typedef struct world {
    test_path folder;
    test_path map_file;
    test_path store;  // all methods
    test_path other;  // the same as `store`, for merging
    test_path target; // a copy of `store`, to be changed
    char* content;    // of the target
    size_t size;
    wm_grid grid;
    wm_map* map; // editable
    wm_db* db;
} world;

// What a stage came to, so that it can be compared.
typedef uint64_t outcome;

static void put_choice(const world* w)
{
    const wm_choice choice = {
        .map_hash = w->grid.hash, .spec = "lrta:d=3", .problems = 20, .budget = 100, .tried = 1};
    wm_edit edit;
    wm_buffer blob = {0};
    size_t dropped;
    assert_int_equal(wm_choice_seal(&blob, NULL, &choice), WM_OK);
    assert_int_equal(wm_edit_begin(&edit, w->store.text, NULL), WM_OK);
    assert_int_equal(wm_build_store_blob(&edit.archive, "map", &w->grid, WM_METHOD_CHOICE, &blob,
                                         &dropped, NULL),
                     WM_OK);
    assert_int_equal(wm_edit_commit(&edit, NULL), WM_OK);
}

static world world_create(void)
{
    static const char rows[] =
        "type octile\nheight 9\nwidth 12\nmap\n"
        "............\n.@@@@..@@@@.\n.@.......@..\n.@.@@@@@.@.@\n....@.....@.\n"
        ".@@.@.@@@.@.\n.@..@.@...@.\n.@@@@.@.@@@.\n............\n";
    world w = {.folder = scratch_create()};
    w.map_file = scratch_path(&w.folder, "map.map");
    w.store = scratch_path(&w.folder, "map.wmdb");
    w.other = scratch_path(&w.folder, "shard.wmdb");
    w.target = scratch_path(&w.folder, "target.wmdb");
    file_put_text(&w.map_file, rows);
    assert_int_equal(wm_mapfile_load(&w.grid, w.map_file.text, WM_DIAGONAL_NONE, NULL, NULL),
                     WM_OK);
    wm_map_config config = wm_map_config_default();
    config.editable = true;
    assert_int_equal(wm_map_load(&w.map, w.map_file.text, &config, NULL), WM_OK);
    assert_true(db_build_file(w.map, 12, true, 2, &w.store));
    put_choice(&w);
    w.content = file_get(&w.store, &w.size);
    const wm_db_config db_config = wm_db_config_default();
    assert_int_equal(wm_db_open(&w.db, w.map, w.store.text, &db_config, NULL), WM_OK);
    return w;
}

static void world_free(world* w)
{
    wm_db_close(w->db);
    wm_map_unload(w->map);
    wm_grid_free(&w->grid);
    free(w->content);
    scratch_remove(&w->folder);
}

// ---------------------------------------------------------------------------------------------
// Stages

static wm_status read_map(const world* w, outcome* out, wm_error* error)
{
    wm_map* map = NULL;
    wm_map_config config = wm_map_config_default();
    config.agent_size = 2;
    config.editable = true;
    const wm_status status = wm_map_load(&map, w->map_file.text, &config, error);
    assert_true((map != NULL) == (status == WM_OK));
    *out = wm_map_hash(map);
    wm_map_unload(map);
    return status;
}

static wm_status draw_problems(const world* w, outcome* out, wm_error* error)
{
    wm_problems problems = {0};
    const wm_problem_range range = {.count = 20, .max_cost = 60000, .seed = 3};
    const wm_status status = wm_problems_draw(&problems, &w->grid, &range, "map", error);
    for (size_t i = 0; i < problems.count; i++)
        *out = wm_hash_u64(*out, (uint64_t)problems.list[i].start << 32 | problems.list[i].goal);
    wm_problems_free(&problems);
    return status;
}

static wm_status build_knn_with(const world* w, outcome* out, bool coverage, wm_error* error)
{
    wm_archive archive = {0};
    wm_knn knn = {0};
    wm_build_report report = {0};
    const wm_knn_build_options options = {
        .parameters = {.total = 30, .shard = 1, .shards = 1, .chains = true, .coverage = coverage},
        .threads = 1};
    wm_status status = wm_knn_build(&knn, &w->grid, &options, "map", error);
    if (status == WM_OK)
        status = wm_build_store_knn(&archive, "map", WM_DIAGONAL_NONE, &knn, &report, error);
    *out = report.content_hash;
    wm_knn_free(&knn);
    wm_archive_free(&archive);
    return status;
}

static wm_status build_knn(const world* w, outcome* out, wm_error* error)
{
    return build_knn_with(w, out, false, error);
}

static wm_status build_knn_for_coverage(const world* w, outcome* out, wm_error* error)
{
    return build_knn_with(w, out, true, error);
}

static wm_status build_regions(const world* w, outcome* out, wm_error* error)
{
    wm_regions regions = {0};
    wm_buffer blob = {0};
    const wm_regions_parameters parameters = {.radius = 4, .epsilon = 5, .max_expansions = 30};
    wm_status status = wm_regions_build(&regions, &w->grid, &parameters, "map", error);
    if (status == WM_OK && wm_regions_seal(&blob, out, &regions, &w->grid) != WM_OK)
        status = wm_fail_memory(error, 1);
    wm_buffer_free(&blob);
    wm_regions_free(&regions);
    return status;
}

static wm_status fulfil_contract(const world* w, outcome* out, wm_error* error)
{
    wm_regions_result result = {0};
    const wm_regions_contract contract = {.fixed = {.radius = 8}, .seed = 1};
    const wm_status status = wm_regions_fulfil(&result, &w->grid, &contract, "map", error);
    *out = result.content_hash;
    wm_buffer_free(&result.blob);
    return status;
}

static wm_status build_d_lrta(const world* w, outcome* out, wm_error* error)
{
    wm_d_lrta d = {0};
    wm_buffer blob = {0};
    const wm_d_lrta_options options = {.level = 2, .threads = 1};
    wm_status status = wm_d_lrta_build(&d, &w->grid, &options, "map", error);
    if (status != WM_OK) return status;
    if (wm_d_lrta_seal(&blob, out, &d) != WM_OK) status = wm_fail_memory(error, 1);
    wm_buffer_free(&blob);
    wm_d_lrta_free(&d);
    return status;
}

static wm_status choose(const world* w, outcome* out, wm_error* error)
{
    const wm_select_options options = {
        .algorithms = 2, .problems = 6, .budget = 250, .seed = 1, .threads = 1};
    wm_candidates candidates = {0};
    wm_arena arena = {0};
    wm_choice choice = {0};
    wm_status status = wm_candidates_sample(&candidates, &options, error);
    uint32_t* means = NULL;
    if (status == WM_OK) {
        means = calloc(candidates.count, sizeof *means);
        if (means == NULL) status = wm_fail_memory(error, 1);
    }
    if (status == WM_OK)
        status = wm_arena_open(&arena, &w->grid, "map", w->store.text, "map", error);
    if (status == WM_OK) status = wm_select(&choice, means, &arena, &candidates, &options, error);
    wm_arena_close(&arena);
    wm_candidates_free(&candidates);
    free(means);
    if (status == WM_OK) *out = wm_hash_bytes(choice.mean, choice.spec, strlen(choice.spec));
    return status;
}

// Changes a file that is there: a map under another name, with a payload.
static wm_status change_file(const world* w, outcome* out, wm_error* error)
{
    wm_edit edit;
    wm_buffer blob = {0};
    size_t dropped;
    wm_status status = wm_edit_begin(&edit, w->target.text, error);
    if (status != WM_OK) return status;
    wm_put_bytes(&blob, "anything", 8);
    if (blob.failed) status = wm_fail_memory(error, 8);
    if (status == WM_OK)
        status = wm_build_store_blob(&edit.archive, "other", &w->grid, WM_METHOD_REGIONS, &blob,
                                     &dropped, error);
    wm_buffer_free(&blob);
    if (status == WM_OK)
        status = wm_edit_commit(&edit, error);
    else
        wm_edit_abandon(&edit);
    *out = 1;
    return status;
}

static wm_status merge_files(const world* w, outcome* out, wm_error* error)
{
    wm_archive archive = {0};
    wm_merge_input inputs[2] = {{.path = w->store.text}, {.path = w->other.text}};
    wm_status status = wm_build_load(&inputs[0].archive, inputs[0].path, error);
    if (status == WM_OK) status = wm_build_load(&inputs[1].archive, inputs[1].path, error);
    if (status == WM_OK) status = wm_build_merge(&archive, inputs, 2, error);
    for (size_t i = 0; i < archive.count; i++) *out += archive.maps[i].payload_count;
    for (int i = 0; i < 2; i++) wm_archive_free(&inputs[i].archive);
    wm_archive_free(&archive);
    return status;
}

static wm_status export_map(const world* w, outcome* out, wm_error* error)
{
    wm_archive archive = {0};
    size_t bytes = 0;
    const test_path path = scratch_path(&w->folder, "map.wmb");
    wm_status status = wm_build_load(&archive, w->store.text, error);
    if (status == WM_OK)
        status = wm_build_export(&archive.maps[0], w->store.text, path.text, &bytes, error);
    wm_archive_free(&archive);
    *out = bytes;
    return status;
}

static wm_status go_on_from_checkpoint(const world* w, outcome* out, wm_error* error)
{
    const wm_knn_parameters parameters = {.total = 3, .shard = 1, .shards = 1};
    const uint64_t key = wm_checkpoint_knn_key(&w->grid, &parameters);
    wm_buffer content = {0};
    wm_checkpoint c;
    wm_reader found;
    wm_put_bytes(&content, "finished", 8);
    wm_status status = wm_checkpoint_open(&c, w->store.text, true, error);
    if (status == WM_OK) {
        status = wm_checkpoint_keep(&c, key, &content, error);
        wm_checkpoint_close(&c);
    }
    if (status == WM_OK) status = wm_checkpoint_open(&c, w->store.text, true, error);
    if (status == WM_OK) {
        *out = wm_checkpoint_find(&c, key, &found);
        wm_checkpoint_remove(&c);
    }
    wm_buffer_free(&content);
    return status;
}

static wm_status open_database(const world* w, outcome* out, wm_error* error)
{
    wm_db* db = NULL;
    const wm_db_config config = wm_db_config_default();
    const wm_status status = wm_db_open(&db, w->map, w->store.text, &config, error);
    assert_true((db != NULL) == (status == WM_OK));
    if (db != NULL) *out = wm_db_stored_bytes(db);
    wm_db_close(db);
    return status;
}

static wm_status walk_to_the_end(wm_agent* agent, outcome* out)
{
    wm_point cells[4];
    size_t length = 0;
    wm_status status = wm_agent_begin(agent, (wm_point){0, 0}, (wm_point){9, 4});
    if (status == WM_OK) {
        const wm_status route = wm_agent_route(agent, cells, 4, &length);
        if (route == WM_ERR_MEMORY) return route;
        *out = wm_hash_u64(*out, length);
    }
    for (int i = 0; i < 5000 && status == WM_OK; i++) {
        status = wm_agent_step(agent);
        const wm_point at = wm_agent_position(agent);
        *out = wm_hash_u64(*out, (uint64_t)(at.y * 100 + at.x));
    }
    return status == WM_ARRIVED ? WM_OK : status;
}

// All algorithms, with memory of their own and from a scratch.
static wm_status walk_all(const world* w, outcome* out, wm_error* error)
{
    wm_scratch* scratch = NULL;
    wm_scratch_config scratch_config = wm_scratch_config_default();
    scratch_config.bytes = 1 << 20;
    wm_status status = wm_scratch_create(&scratch, w->map, &scratch_config, error);
    for (size_t i = 0; i < 2 * wm_algorithm_count() && status == WM_OK; i++) {
        wm_agent* agent = NULL;
        wm_agent_config config = wm_agent_config_default();
        config.algorithm = wm_algorithm_at(i / 2)->name;
        config.scratch = i % 2 == 0 ? NULL : scratch;
        status = wm_agent_create(&agent, w->map, w->db, &config, error);
        assert_true((agent != NULL) == (status == WM_OK));
        if (status == WM_OK) {
            status = walk_to_the_end(agent, out);
            if (status != WM_OK) wm_fail(error, status, "no memory while walking");
        }
        wm_agent_destroy(agent);
    }
    wm_scratch_destroy(scratch);
    return status;
}

static wm_status edit_map(const world* w, outcome* out, wm_error* error)
{
    wm_map* map = NULL;
    wm_map_config config = wm_map_config_default();
    config.editable = true;
    wm_status status = wm_map_load(&map, w->map_file.text, &config, error);
    for (int32_t x = 3; x < 9 && status == WM_OK; x++) {
        const wm_cell_edit edits[] = {{{x, 2}, x % 3 == 0}, {{x, 1}, true}};
        const bool before = wm_map_is_open(map, edits[0].at);
        const bool changes = before != edits[0].open || !wm_map_is_open(map, edits[1].at);
        const uint32_t revision = wm_map_revision(map);
        status = wm_map_edit(map, edits, 2, error);
        const bool wanted = status == WM_OK ? edits[0].open : before;
        assert_true(wm_map_is_open(map, edits[0].at) == wanted);
        assert_int_equal(wm_map_revision(map), revision + (status == WM_OK && changes));
    }
    wm_map_unload(map);
    *out = 1;
    return status;
}

static wm_status verify(const world* w, outcome* out, wm_error* error)
{
    wm_archive archive = {0};
    wm_knn knn = {0};
    wm_knn_verify_result result = {0};
    wm_certificate certificate = {0};
    const wm_knn_build_options options = {.threads = 1};
    wm_status status = wm_build_load(&archive, w->store.text, error);
    const wm_stored_map* map = archive.count == 0 ? NULL : &archive.maps[0];
    if (status == WM_OK) status = wm_build_load_knn(&knn, map, "file", error);
    if (status == WM_OK) status = wm_knn_verify(&result, &knn, &w->grid, &options, error);
    if (status == WM_OK)
        status =
            wm_regions_measure(&certificate, &w->grid,
                               &wm_stored_map_payload(map, WM_METHOD_REGIONS)->blob, 10, 1, error);
    wm_knn_free(&knn);
    wm_archive_free(&archive);
    *out = wm_hash_u64(result.records, certificate.mean) + result.broken;
    return status;
}

static wm_status verify_d_lrta(const world* w, outcome* out, wm_error* error)
{
    wm_archive archive = {0};
    wm_buffer payload = {0};
    wm_d_lrta d = {0};
    wm_d_lrta_verify_result result = {0};
    const wm_d_lrta_options options = {.level = 1, .threads = 1};
    wm_status status = wm_build_load(&archive, w->store.text, error);
    const wm_stored_map* map = archive.count == 0 ? NULL : &archive.maps[0];
    if (status == WM_OK)
        status = wm_build_open_payload(&payload, map, wm_stored_map_payload(map, WM_METHOD_D_LRTA),
                                       "file", error);
    if (status == WM_OK)
        status = wm_d_lrta_decode(&d, &w->grid, payload.data, payload.size, NULL, "file", error);
    if (status == WM_OK) {
        status = wm_d_lrta_verify(&result, &d, &w->grid, &options, "map", error);
        wm_d_lrta_free(&d);
    }
    wm_buffer_free(&payload);
    wm_archive_free(&archive);
    *out = (uint64_t)result.wrong_cells + result.wrong_pairs;
    return status;
}

// ---------------------------------------------------------------------------------------------

typedef struct stage {
    const char* name;
    wm_status (*run)(const world* w, outcome* out, wm_error* error);
} stage;

static const stage stages[] = {
    {"read a map", read_map},
    {"draw problems", draw_problems},
    {"build knn", build_knn},
    {"build knn for coverage", build_knn_for_coverage},
    {"build regions", build_regions},
    {"fulfil a contract", fulfil_contract},
    {"build d-lrta", build_d_lrta},
    {"choose", choose},
    {"change a file", change_file},
    {"merge", merge_files},
    {"export", export_map},
    {"go on from a checkpoint", go_on_from_checkpoint},
    {"open", open_database},
    {"walk", walk_all},
    {"edit", edit_map},
    {"verify", verify},
    {"verify d-lrta", verify_d_lrta},
};

static size_t complaints;

static void complain(const stage* s, size_t n, const char* what)
{
    complaints++;
    print_error("%s, allocation %zu: %s\n", s->name, n, what);
}

static void check_target(const world* w, const stage* s, size_t n)
{
    size_t size;
    char* content = file_get(&w->target, &size);
    if (content == NULL || size != w->size || memcmp(content, w->content, size) != 0)
        complain(s, n, "the file is not as it was");
    free(content);
}

// The n-th allocation of a stage fails; 0: none. False where the stage has fewer.
static bool try_stage(const world* w, const stage* s, size_t n, outcome* expected)
{
    wm_error error = {""};
    outcome out = 0;
    file_put(&w->target, w->content, w->size);
    const sqlite3_int64 before = sqlite3_memory_used();
    memset(&memory, 0, sizeof memory);
    memory.on = true;
    memory.fail_at = n;
    const wm_status status = s->run(w, &out, &error);
    memory.on = false;
    if (memory.blocks != 0) complain(s, n, "blocks leak");
    if (sqlite3_memory_used() != before) complain(s, n, "SQLite leaks");
    if (n == 0) *expected = out;
    // What only makes it faster, or what others can stand in for, it does without.
    if (status == WM_OK && out != *expected) complain(s, n, "another result");
    if (status == WM_OK) return memory.calls >= n;
    if (n == 0 || status != WM_ERR_MEMORY || strstr(error.message, "memory") == NULL)
        complain(s, n, error.message[0] == '\0' ? wm_status_name(status) : error.message);
    check_target(w, s, n);
    return memory.calls >= n;
}

static void every_allocation_may_fail_once(void** state)
{
    (void)state;
    world w = world_create();
    assert_true(db_build_file(w.map, 12, true, 2, &w.other));
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        outcome expected = 0;
        size_t n = 0;
        while (try_stage(&w, &stages[i], n, &expected)) n++;
        print_message("%s: %zu allocations\n", stages[i].name, n - 1);
        assert_true(n > 3);
    }
    assert_int_equal(complaints, 0);
    world_free(&w);
}

int main(void)
{
    static const sqlite3_mem_methods methods = {
        .xMalloc = sqlite_malloc,
        .xFree = sqlite_free,
        .xRealloc = sqlite_realloc,
        .xSize = sqlite_size,
        .xRoundup = sqlite_roundup,
        .xInit = sqlite_init,
        .xShutdown = sqlite_shutdown,
    };
    // This program is the host, so it may.
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK ||
        sqlite3_initialize() != SQLITE_OK)
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail_once)};
    return cmocka_run_group_tests_name("out_of_memory", tests, NULL, NULL);
}
