// SPDX-License-Identifier: MIT
//
// What a file claims is not believed before it was held against what the file has: a file of 1 KB that
// claims gigabytes is refused at once, for next to no memory. Every number in every header is tried.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "forge.h"
#include "mapfile.h"
#include "scenfile.h"
#include "single.h"
#include "store.h"
#include "walk.h"

// ---------------------------------------------------------------------------------------------
// What a call took

static size_t requested; // bytes, since the last begin_measuring()

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* block, size_t size);

void* __wrap_malloc(size_t size)
{
    requested += size;
    return __real_malloc(size);
}

void* __wrap_calloc(size_t count, size_t size)
{
    requested += count * size;
    return __real_calloc(count, size);
}

void* __wrap_realloc(void* block, size_t size)
{
    requested += size;
    return __real_realloc(block, size);
}

typedef struct measure {
    const char* what;
    size_t most_bytes; // that any call may ask for
    size_t worst_bytes;
    clock_t begun;
    clock_t worst;
    size_t calls;
} measure;

static void begin_measuring(measure* m)
{
    requested = 0;
    sqlite3_memory_highwater(true);
    m->begun = clock();
}

static void end_measuring(measure* m, size_t at)
{
    const clock_t taken = clock() - m->begun;
    requested += (size_t)sqlite3_memory_highwater(true); // it takes its memory by itself
    if (requested > m->worst_bytes) m->worst_bytes = requested;
    if (taken > m->worst) m->worst = taken;
    m->calls++;
    if (requested > m->most_bytes)
        fail_msg("%s, changed at %zu: %zu bytes were asked for", m->what, at, requested);
}

// Processor time, so that a busy machine does not matter; a thousand times what it should take.
static void report(const measure* m)
{
    const double ms = 1000.0 * (double)m->worst / CLOCKS_PER_SEC;
    print_message("%s: %zu claims, at most %zu bytes and %.1f ms each\n", m->what, m->calls,
                  m->worst_bytes, ms);
    if (ms > 1000) fail_msg("%s: %.1f ms", m->what, ms);
}

static const uint64_t claims[] = {UINT64_MAX,        INT64_MAX, UINT32_MAX, UINT32_MAX - 1,
                                  INT32_MAX,         1u << 30,  1u << 24,   WM_GRID_MAX_SIDE,
                                  UINT64_C(1) << 32, 0};
#define CLAIMS (sizeof claims / sizeof claims[0])

static void put_claim(uint8_t* bytes, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> (8 * i));
}

// ---------------------------------------------------------------------------------------------
// Text

#define KB 1024

static void a_map_of_1_kb_that_claims_more_takes_no_memory(void** state)
{
    (void)state;
    static const char* const fronts[] = {
        "type octile\nheight 4096\nwidth 4096\nmap\n",
        "type octile\nheight 4096\nwidth 1\nmap\n",
        "type octile\nheight 65536\nwidth 65536\nmap\n",
        "type octile\nheight 4294967295\nwidth 4294967297\nmap\n",
        "type octile\nheight 18446744073709551617\nwidth 1\nmap\n",
    };
    measure m = {.what = "a map", .most_bytes = 4096};
    for (size_t i = 0; i < sizeof fronts / sizeof fronts[0]; i++) {
        for (int lines = 0; lines < 2; lines++) {
            char text[KB];
            wm_grid grid;
            memset(text, lines == 0 ? '.' : '\n', sizeof text);
            memcpy(text, fronts[i], strlen(fronts[i]));
            begin_measuring(&m);
            assert_int_equal(wm_mapfile_parse(&grid, text, sizeof text, "claim.map",
                                              WM_DIAGONAL_NONE, NULL, NULL),
                             WM_ERR_FORMAT);
            end_measuring(&m, i);
        }
    }
    report(&m);
}

static void problems_of_1_kb_that_claim_more_take_no_memory(void** state)
{
    (void)state;
    static const char* const lines[] = {
        "0\tm\t4294967295\t4294967295\t0\t0\t1\t1\t1\n",
        "4294967295\tm\t8\t8\t4294967295\t4294967295\t0\t0\t1\n",
        "0\tm\t8\t8\t0\t0\t1\t1\t99999999999999999999e99\n",
        "0\tm\t99999999999999999999\t8\t0\t0\t1\t1\t1\n",
    };
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "claim.scen");
    wm_grid grid = grid_random(1, 8, 8, 0, WM_DIAGONAL_NONE);
    measure m = {.what = "problems", .most_bytes = 16384};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[KB] = "version 1\n";
        while (strlen(text) + strlen(lines[i]) < sizeof text) strcat(text, lines[i]);
        file_put_text(&path, text);
        wm_problems problems;
        begin_measuring(&m);
        const wm_status status = wm_scenfile_load(&problems, &grid, path.text, NULL);
        end_measuring(&m, i);
        assert_true(status == WM_ERR_FORMAT || i == 2);
        wm_problems_free(&problems);
    }
    report(&m);
    wm_grid_free(&grid);
    scratch_remove(&folder);
}

// ---------------------------------------------------------------------------------------------
// Databases

// What opening a good database of the map may ask for, several times over.
#define MOST_FOR_A_DATABASE ((size_t)8 << 20)

typedef struct victim {
    wm_map* map;
    wm_stored_map stored;
} victim;

static victim make_victim(void)
{
    const forge_recipe recipe = {
        .records = 40, .radius = 6, .level = 2, .seed = 1, .threads = 1, .choice = "tb-wa:k=25"};
    victim v = {.map = map_generated(WM_GENERATE_CAVES, 24, 20, WM_GENERATE_DEFAULT,
                                     WM_GENERATE_DEFAULT, 2, WM_DIAGONAL_NONE)};
    v.stored = forge_map(v.map, &recipe);
    assert_int_equal(v.stored.payload_count, 4);
    return v;
}

static void free_victim(victim* v)
{
    wm_stored_map_free(&v->stored);
    wm_map_unload(v->map);
}

static void try_to_open(const victim* v, const void* bytes, size_t size, measure* m, size_t at)
{
    const wm_db_config config = wm_db_config_default();
    wm_db* db = NULL;
    wm_error error = {""};
    begin_measuring(m);
    const wm_status status = wm_db_open_memory(&db, v->map, bytes, size, &config, &error);
    end_measuring(m, at);
    if (status == WM_ERR_MEMORY || (status != WM_OK && error.message[0] == '\0'))
        fail_msg("%s, changed at %zu: %s", m->what, at, wm_status_name(status));
    wm_db_close(db);
}

// Numbers of 4 and of 8 bytes, wherever they may begin.
static void claim_in_payload(const victim* v, const wm_stored_payload* stored)
{
    wm_buffer payload;
    wm_method method;
    measure m = {.what = wm_method_name(stored->method), .most_bytes = MOST_FOR_A_DATABASE};
    assert_true(forge_unpack(&payload, &method, stored->blob.data, stored->blob.size));
    assert_true(stored->blob.size <= KB);
    const size_t end = payload.size < 100 ? payload.size : 100;
    for (size_t at = 0; at + 4 <= end; at += 4) {
        for (size_t i = 0; i < CLAIMS; i++) {
            uint8_t kept[8];
            const size_t width = at + 8 <= end ? 4 + i % 2 * 4 : 4;
            memcpy(kept, payload.data + at, width);
            put_claim(payload.data + at, claims[i], width);
            wm_buffer blob = forge_seal(method, &payload);
            try_to_open(v, blob.data, blob.size, &m, at);
            memcpy(payload.data + at, kept, width);
            wm_buffer_free(&blob);
        }
    }
    report(&m);
    wm_buffer_free(&payload);
}

static void numbers_in_payloads_are_not_believed(void** state)
{
    (void)state;
    victim v = make_victim();
    for (size_t i = 0; i < v.stored.payload_count; i++) claim_in_payload(&v, &v.stored.payloads[i]);
    free_victim(&v);
}

static void numbers_before_payloads_are_not_believed(void** state)
{
    (void)state;
    victim v = make_victim();
    measure m = {.what = "a blob's header", .most_bytes = MOST_FOR_A_DATABASE};
    for (size_t p = 0; p < v.stored.payload_count; p++) {
        wm_buffer* blob = &v.stored.payloads[p].blob;
        for (size_t at = 4; at < 44; at++) {
            for (size_t i = 0; i < CLAIMS; i++) {
                uint8_t kept[8];
                memcpy(kept, blob->data + at, 8);
                put_claim(blob->data + at, claims[i], 8);
                try_to_open(&v, blob->data, blob->size, &m, at);
                memcpy(blob->data + at, kept, 8);
            }
        }
    }
    report(&m);
    free_victim(&v);
}

static void numbers_in_a_wmb_file_are_not_believed(void** state)
{
    (void)state;
    victim v = make_victim();
    wm_buffer file = {0};
    measure m = {.what = "a .wmb file", .most_bytes = MOST_FOR_A_DATABASE};
    assert_int_equal(wm_single_encode(&file, &v.stored), WM_OK);
    for (size_t at = 4; at + 16 < file.size; at++) {
        for (size_t i = 0; i < CLAIMS; i++) {
            uint8_t kept[4];
            memcpy(kept, file.data + at, 4);
            put_claim(file.data + at, claims[i], 4);
            forge_rehash(file.data, file.size);
            try_to_open(&v, file.data, file.size, &m, at);
            memcpy(file.data + at, kept, 4);
        }
    }
    report(&m);
    wm_buffer_free(&file);
    free_victim(&v);
}

static void numbers_in_a_wmdb_file_are_not_believed(void** state)
{
    (void)state;
    victim v = make_victim();
    wm_archive archive = {.maps = &v.stored, .count = 1};
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "claim.wmdb");
    measure m = {.what = "a .wmdb file", .most_bytes = MOST_FOR_A_DATABASE};
    wm_error error = {""};
    size_t size;
    if (wm_archive_save(&archive, path.text, &error) != WM_OK) fail_msg("%s", error.message);
    char* bytes = file_get(&path, &size);
    // SQLite's own numbers are big-endian; all bits set is much either way.
    for (size_t at = 16; at + 8 <= size; at += at < 200 || at % 4096 < 32 ? 1 : 11) {
        uint8_t kept[8];
        wm_archive back;
        memcpy(kept, bytes + at, 8);
        memset(bytes + at, at % 2 == 0 ? 0xFF : 0x7F, 8);
        file_put(&path, bytes, size);
        begin_measuring(&m);
        const wm_status status = wm_archive_load(&back, path.text, &error);
        end_measuring(&m, at);
        assert_int_not_equal(status, WM_ERR_MEMORY);
        wm_archive_free(&back);
        memcpy(bytes + at, kept, 8);
    }
    report(&m);
    free(bytes);
    scratch_remove(&folder);
    free_victim(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_of_1_kb_that_claims_more_takes_no_memory),
        cmocka_unit_test(problems_of_1_kb_that_claim_more_take_no_memory),
        cmocka_unit_test(numbers_in_payloads_are_not_believed),
        cmocka_unit_test(numbers_before_payloads_are_not_believed),
        cmocka_unit_test(numbers_in_a_wmb_file_are_not_believed),
        cmocka_unit_test(numbers_in_a_wmdb_file_are_not_believed),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
