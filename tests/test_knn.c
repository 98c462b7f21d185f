// SPDX-License-Identifier: MIT
//
// The codec of kNN payloads, with records that no builder would make and bytes that no encoder
// would write.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "knn.h"
#include "rng.h"
#include "support.h"

// What a random database looks like.
typedef struct shape {
    int32_t width;
    int32_t height;
    uint32_t count;
    uint32_t pool; // subgoals are drawn from so many cells; 0: from all
    bool chains;
    bool extreme; // starts, goals and subgoals in the corners of the map
} shape;

static wm_cell random_cell(const shape* s, wm_rng* rng)
{
    const uint32_t cells = (uint32_t)(s->width * s->height);
    if (!s->extreme) return (wm_cell)wm_rng_below(rng, cells);
    const wm_cell corners[] = {0, (wm_cell)s->width - 1, cells - (wm_cell)s->width, cells - 1};
    return corners[wm_rng_below(rng, 4)];
}

static wm_cell random_subgoal(const shape* s, wm_rng* rng)
{
    const uint32_t cells = (uint32_t)(s->width * s->height);
    if (s->pool == 0) return random_cell(s, rng);
    // Spread over the map, so that a pool is not one row of neighbours.
    return (wm_cell)(wm_rng_below(rng, s->pool) * UINT64_C(2654435761) % cells);
}

// Records of random cells, unsorted. Chains end with their goal and hold it only there.
static wm_knn random_records(const shape* s, uint64_t seed)
{
    wm_rng rng = wm_rng_start(seed, 0);
    wm_knn knn = {.width = s->width, .height = s->height, .map_hash = wm_rng_next(&rng)};
    const uint32_t shards = 1 + (uint32_t)wm_rng_below(&rng, 3);
    const uint32_t most = s->chains ? 6 : 1;
    knn.parameters = (wm_knn_parameters){.total = s->count * shards,
                                         .shard = 1 + (uint32_t)wm_rng_below(&rng, shards),
                                         .shards = shards,
                                         .chains = s->chains,
                                         .seed = wm_rng_next(&rng)};
    wm_cell* subgoals = calloc((size_t)s->count * most, sizeof *subgoals);
    knn.records = wm_alloc(NULL, s->count, sizeof *knn.records);
    assert_true(subgoals != NULL && knn.records != NULL);
    knn.count = s->count;
    for (uint32_t i = 0; i < s->count; i++) {
        wm_knn_record* record = &knn.records[i];
        *record = (wm_knn_record){.start = random_cell(s, &rng),
                                  .goal = random_cell(s, &rng),
                                  .first_subgoal = knn.subgoal_count};
        const uint32_t length = 1 + (uint32_t)wm_rng_below(&rng, most);
        while (record->subgoal_count < length) {
            wm_cell subgoal = random_subgoal(s, &rng);
            if (s->chains && ++record->subgoal_count == length) subgoal = record->goal;
            if (!s->chains) record->subgoal_count = 1;
            subgoals[knn.subgoal_count++] = subgoal;
            if (subgoal == record->goal) break;
        }
    }
    knn.subgoals = wm_alloc(NULL, knn.subgoal_count, sizeof *knn.subgoals);
    assert_non_null(knn.subgoals);
    memcpy(knn.subgoals, subgoals, knn.subgoal_count * sizeof *subgoals);
    free(subgoals);
    return knn;
}

static wm_knn sorted_records(const shape* s, uint64_t seed)
{
    wm_knn knn = random_records(s, seed);
    assert_int_equal(wm_knn_sort(&knn), WM_OK);
    return knn;
}

static wm_buffer encode(const wm_knn* knn)
{
    wm_buffer payload = {0};
    size_t sections[WM_KNN_SECTIONS];
    size_t sum = 0;
    assert_int_equal(wm_knn_encode(&payload, sections, knn), WM_OK);
    for (int i = 0; i < WM_KNN_SECTIONS; i++) sum += sections[i];
    assert_int_equal(sum, payload.size);
    return payload;
}

// Field by field: what is compared is not left to the module.
static bool same_records(const wm_knn* a, const wm_knn* b)
{
    const wm_knn_parameters* p = &a->parameters;
    const wm_knn_parameters* q = &b->parameters;
    if (a->width != b->width || a->height != b->height || a->map_hash != b->map_hash ||
        a->count != b->count || a->subgoal_count != b->subgoal_count || p->total != q->total ||
        p->shard != q->shard || p->shards != q->shards || p->chains != q->chains ||
        p->seed != q->seed)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const wm_knn_record* r = &a->records[i];
        const wm_knn_record* s = &b->records[i];
        if (r->start != s->start || r->goal != s->goal || r->first_subgoal != s->first_subgoal ||
            r->subgoal_count != s->subgoal_count)
            return false;
    }
    for (uint32_t i = 0; i < a->subgoal_count; i++)
        if (a->subgoals[i] != b->subgoals[i]) return false;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Round trips

static void check_round_trip(const shape* s, uint64_t seed)
{
    wm_knn knn = sorted_records(s, seed);
    wm_buffer payload = encode(&knn);
    wm_knn back;
    wm_error error = {0};
    const wm_status status = wm_knn_decode(&back, payload.data, payload.size, NULL, "test", &error);
    if (status != WM_OK || !same_records(&knn, &back) || !wm_knn_equal(&knn, &back))
        fail_msg("%d x %d, %u records of %u subgoals, chains %d, seed %llu: %s", s->width,
                 s->height, s->count, s->pool, s->chains, (unsigned long long)seed, error.message);
    wm_knn_free(&back);
    wm_knn_free(&knn);
    wm_buffer_free(&payload);
}

static void random_records_come_back_as_they_were(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        wm_rng rng = wm_rng_start(seed, 1);
        const shape s = {.width = 1 + (int32_t)wm_rng_below(&rng, 100),
                         .height = 1 + (int32_t)wm_rng_below(&rng, 100),
                         .count = 1 + (uint32_t)wm_rng_below(&rng, 400),
                         .pool = (uint32_t)wm_rng_below(&rng, 3) * 20,
                         .chains = seed % 2 == 0};
        check_round_trip(&s, seed);
    }
}

static void records_of_the_narrowest_and_the_widest_maps_come_back(void** state)
{
    (void)state;
    static const int32_t sizes[][2] = {{1, 1},    {1, 2},    {2, 1},       {1, 300}, {300, 1},
                                       {1, 4096}, {4096, 1}, {4096, 4096}, {4096, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int variant = 0; variant < 4; variant++) {
            const shape s = {.width = sizes[i][0],
                             .height = sizes[i][1],
                             .count = 100,
                             .chains = variant % 2 == 1,
                             .extreme = variant >= 2};
            check_round_trip(&s, i);
        }
    }
}

static void dictionaries_beyond_one_byte_and_beyond_two_bytes_come_back(void** state)
{
    (void)state;
    static const uint32_t pools[] = {200, 253, 254, 255, 256, 257, 1000, 70000};
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        for (int chains = 0; chains < 2; chains++) {
            const shape s = {.width = 601,
                             .height = 503,
                             .count = 8 * pools[i],
                             .pool = pools[i],
                             .chains = chains == 1};
            check_round_trip(&s, i);
        }
    }
}

static void a_dictionary_makes_common_subgoals_cheap(void** state)
{
    (void)state;
    const shape common = {.width = 512, .height = 512, .count = 10000, .pool = 100};
    const shape rare = {.width = 512, .height = 512, .count = 10000};
    wm_knn knn = sorted_records(&common, 1);
    wm_buffer payload = encode(&knn);
    wm_knn_free(&knn);
    knn = sorted_records(&rare, 1);
    wm_buffer larger = encode(&knn);
    wm_knn_free(&knn);
    assert_true(payload.size + 2 * 10000 < larger.size);
    wm_buffer_free(&payload);
    wm_buffer_free(&larger);
}

static void equal_content_is_encoded_to_equal_bytes_whatever_its_order_was(void** state)
{
    (void)state;
    const shape s = {.width = 40, .height = 30, .count = 500, .pool = 30, .chains = true};
    wm_knn first = random_records(&s, 7);
    wm_knn second = random_records(&s, 7);
    wm_rng rng = wm_rng_start(7, 2);
    for (uint32_t i = second.count; i-- > 1;) {
        const uint32_t j = (uint32_t)wm_rng_below(&rng, i + 1);
        const wm_knn_record swap = second.records[i];
        second.records[i] = second.records[j];
        second.records[j] = swap;
    }
    assert_false(same_records(&first, &second));
    assert_int_equal(wm_knn_sort(&first), WM_OK);
    assert_int_equal(wm_knn_sort(&second), WM_OK);
    wm_buffer a = encode(&first);
    wm_buffer b = encode(&second);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    wm_buffer_free(&a);
    wm_buffer_free(&b);
    wm_knn_free(&first);
    wm_knn_free(&second);
}

static void sorting_orders_records_and_loses_none(void** state)
{
    (void)state;
    const shape s = {.width = 9, .height = 7, .count = 3000, .chains = true};
    wm_knn knn = random_records(&s, 3);
    uint64_t before = 0; // does not depend on the order
    uint64_t after = 0;
    for (int pass = 0; pass < 2; pass++) {
        uint64_t* sum = pass == 0 ? &before : &after;
        for (uint32_t i = 0; i < knn.count; i++) {
            const wm_knn_record* r = &knn.records[i];
            uint64_t mix = r->start * UINT64_C(1000003) + r->goal;
            for (uint32_t j = 0; j < r->subgoal_count; j++)
                mix = mix * UINT64_C(1000003) + knn.subgoals[r->first_subgoal + j] + 1;
            *sum += wm_rng_start(mix, 0).state;
        }
        if (pass == 0) assert_int_equal(wm_knn_sort(&knn), WM_OK);
    }
    assert_true(before == after);
    uint32_t at = 0;
    for (uint32_t i = 0; i < knn.count; i++) {
        const wm_knn_record* r = &knn.records[i];
        assert_int_equal(r->first_subgoal, at);
        at += r->subgoal_count;
        if (i == 0) continue;
        assert_true(r[-1].start < r->start || (r[-1].start == r->start && r[-1].goal <= r->goal));
    }
    assert_int_equal(at, knn.subgoal_count);
    wm_knn_free(&knn);
}

static void shards_share_all_records(void** state)
{
    (void)state;
    for (uint32_t total = 1; total < 60; total++) {
        for (uint32_t shards = 1; shards <= total; shards++) {
            uint32_t sum = 0;
            for (uint32_t i = 1; i <= shards; i++) {
                const uint32_t size = wm_knn_shard_size(total, i, shards);
                assert_in_range(size, total / shards, total / shards + 1);
                sum += size;
            }
            assert_int_equal(sum, total);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Bytes from strangers

// An allocator that remembers its largest block.
static void* allocate(void* user, size_t size_bytes, size_t alignment)
{
    (void)alignment;
    size_t* largest = user;
    if (size_bytes > *largest) *largest = size_bytes;
    return malloc(size_bytes);
}

static void release(void* user, void* block, size_t size_bytes)
{
    (void)user;
    (void)size_bytes;
    free(block);
}

// Everything that a user of the records relies on.
static bool is_sound(const wm_knn* knn)
{
    const uint64_t cells = (uint64_t)knn->width * (uint64_t)knn->height;
    uint64_t at = 0;
    if (knn->width < 1 || knn->width > WM_GRID_MAX_SIDE || knn->height < 1 ||
        knn->height > WM_GRID_MAX_SIDE || knn->count == 0)
        return false;
    for (uint32_t i = 0; i < knn->count; i++) {
        const wm_knn_record* r = &knn->records[i];
        if (r->start >= cells || r->goal >= cells || r->first_subgoal != at ||
            r->subgoal_count == 0 || (!knn->parameters.chains && r->subgoal_count != 1))
            return false;
        at += r->subgoal_count;
        if (at > knn->subgoal_count) return false;
        if (knn->parameters.chains && knn->subgoals[at - 1] != r->goal) return false;
    }
    for (uint32_t i = 0; i < knn->subgoal_count; i++)
        if (knn->subgoals[i] >= cells) return false;
    return at == knn->subgoal_count;
}

// Decodes from a block of exactly `size` bytes, so that a sanitizer sees every step outside.
// True when it was accepted; fails the test when what it gives is not sound.
static bool decode_hostile(const uint8_t* bytes, size_t size, const char* what, uint64_t number)
{
    size_t largest = 0;
    const wm_allocator allocator = {allocate, release, &largest};
    uint8_t* copy = malloc(size == 0 ? 1 : size);
    wm_knn knn;
    wm_error error = {0};
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const wm_status status = wm_knn_decode(&knn, copy, size, &allocator, "test", &error);
    free(copy);
    if (largest > 64 * (size + 1))
        fail_msg("%s %llu: %zu bytes were asked for to read %zu", what, (unsigned long long)number,
                 largest, size);
    if (status == WM_OK) {
        if (!is_sound(&knn))
            fail_msg("%s %llu: impossible records were accepted", what, (unsigned long long)number);
        wm_knn_free(&knn);
        return true;
    }
    if (status != WM_ERR_FORMAT || strncmp(error.message, "test ", 5) != 0)
        fail_msg("%s %llu: status %d, '%s'", what, (unsigned long long)number, (int)status,
                 error.message);
    return false;
}

static const shape victims[] = {
    {.width = 31, .height = 23, .count = 60, .pool = 5},
    {.width = 31, .height = 23, .count = 40, .pool = 5, .chains = true},
    {.width = 300, .height = 1, .count = 25, .extreme = true},
    {.width = 64, .height = 64, .count = 900, .pool = 280}, // more entries than one byte can tell
};
#define VICTIMS (sizeof victims / sizeof victims[0])

static void a_payload_cut_short_anywhere_is_refused(void** state)
{
    (void)state;
    for (size_t v = 0; v < VICTIMS; v++) {
        wm_knn knn = sorted_records(&victims[v], v);
        wm_buffer payload = encode(&knn);
        assert_true(decode_hostile(payload.data, payload.size, "whole", v));
        for (size_t size = 0; size < payload.size; size++)
            if (decode_hostile(payload.data, size, "cut to", size))
                fail_msg("cut to %zu of %zu bytes and accepted", size, payload.size);
        wm_put_u8(&payload, 0);
        assert_false(decode_hostile(payload.data, payload.size, "a byte more", v));
        wm_buffer_free(&payload);
        wm_knn_free(&knn);
    }
}

static void a_changed_byte_is_refused_or_gives_cells_on_the_map(void** state)
{
    (void)state;
    for (size_t v = 0; v < VICTIMS; v++) {
        wm_knn knn = sorted_records(&victims[v], v);
        wm_buffer payload = encode(&knn);
        size_t accepted = 0;
        for (uint64_t seed = 1; seed <= 2000; seed++) {
            wm_rng rng = wm_rng_start(seed, v);
            // Every other change hits the front, where sizes and counts are.
            const size_t range = seed % 2 == 0 && payload.size > 100 ? 100 : payload.size;
            uint8_t* byte = &payload.data[wm_rng_below(&rng, range)];
            const uint8_t old = *byte;
            *byte = (uint8_t)(old ^ (1 + wm_rng_below(&rng, 255)));
            accepted += decode_hostile(payload.data, payload.size, "seed", seed);
            *byte = old;
        }
        // Seeds, hashes and many cells may be anything; counts and sizes may not.
        assert_in_range(accepted, 200, 1800);
        wm_buffer_free(&payload);
        wm_knn_free(&knn);
    }
}

static void numbers_at_the_limits_in_the_header_are_refused(void** state)
{
    (void)state;
    static const uint32_t limits[] = {0,          1,          2,          255,        65535,
                                      65536,      0x00FFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE,
                                      0xFFFFFFFF, 4096,       4097,       10000000,   10000001};
    for (size_t v = 0; v < VICTIMS; v++) {
        wm_knn knn = sorted_records(&victims[v], v);
        wm_buffer payload = encode(&knn);
        wm_knn_header header;
        assert_int_equal(wm_knn_read_header(&header, payload.data, payload.size, "test", NULL),
                         WM_OK);
        const size_t length = header.section_sizes[WM_KNN_SECTION_HEADER];
        for (size_t at = 0; at + 4 <= length; at++) {
            uint8_t old[4];
            memcpy(old, payload.data + at, 4);
            for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
                for (unsigned j = 0; j < 4; j++)
                    payload.data[at + j] = (uint8_t)(limits[i] >> (8 * j));
                decode_hostile(payload.data, payload.size, "limit at", at);
            }
            memcpy(payload.data + at, old, 4);
        }
        wm_buffer_free(&payload);
        wm_knn_free(&knn);
    }
}

static void random_bytes_are_refused(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        wm_rng rng = wm_rng_start(seed, 0);
        uint8_t bytes[300];
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)wm_rng_next(&rng);
        if (decode_hostile(bytes, wm_rng_below(&rng, sizeof bytes + 1), "seed", seed))
            fail_msg("seed %llu: random bytes were accepted", (unsigned long long)seed);
    }
}

static void a_failed_allocation_is_told_and_nothing_leaks(void** state)
{
    (void)state;
    wm_knn knn = sorted_records(&victims[1], 1);
    wm_buffer payload = encode(&knn);
    test_memory memory = {0};
    wm_status status = WM_ERR_MEMORY;
    for (size_t n = 1; status == WM_ERR_MEMORY; n++) {
        wm_knn back;
        memory = (test_memory){.fail_at = n};
        const wm_allocator allocator = test_allocator(&memory);
        status = wm_knn_decode(&back, payload.data, payload.size, &allocator, "test", NULL);
        if (status == WM_OK) wm_knn_free(&back);
        assert_int_equal(memory.bytes, 0);
        assert_true(n < 10);
    }
    assert_int_equal(status, WM_OK);
    assert_true(memory.calls >= 3);
    wm_buffer_free(&payload);
    wm_knn_free(&knn);
}

// ---------------------------------------------------------------------------------------------
// The map they are for

#define TWO_ROOMS                                                                                  \
    "....#..\n"                                                                                    \
    "....#..\n"                                                                                    \
    "....#..\n"

// One record of three cells on the map.
static wm_knn one_record(const wm_grid* grid, wm_cell start, wm_cell goal, wm_cell subgoal)
{
    wm_knn knn = {.width = grid->width,
                  .height = grid->height,
                  .map_hash = grid->hash,
                  .parameters = {.total = 1, .shard = 1, .shards = 1},
                  .count = 1,
                  .subgoal_count = 1};
    knn.records = wm_alloc(NULL, 1, sizeof *knn.records);
    knn.subgoals = wm_alloc(NULL, 1, sizeof *knn.subgoals);
    assert_true(knn.records != NULL && knn.subgoals != NULL);
    knn.records[0] = (wm_knn_record){.start = start, .goal = goal, .subgoal_count = 1};
    knn.subgoals[0] = subgoal;
    return knn;
}

static wm_status check_one(const wm_grid* grid, wm_cell start, wm_cell goal, wm_cell subgoal)
{
    wm_knn knn = one_record(grid, start, goal, subgoal);
    wm_error error = {0};
    const wm_status status = wm_knn_check_map(&knn, grid, "test", &error);
    if (status != WM_OK) assert_int_equal(strncmp(error.message, "test ", 5), 0);
    wm_knn_free(&knn);
    return status;
}

static void records_for_another_map_are_a_mismatch(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, TWO_ROOMS);
    wm_grid squeeze = grid_from_text(WM_DIAGONAL_SQUEEZE, TWO_ROOMS);
    wm_grid door = grid_from_text(WM_DIAGONAL_NONE, "....#..\n.......\n....#..\n");
    wm_grid turned = grid_from_text(WM_DIAGONAL_NONE, "...\n...\n...\n...\n...\n...\n...\n");
    wm_knn knn = one_record(&grid, 0, 16, 9);
    wm_error error = {0};
    assert_int_equal(wm_knn_check_map(&knn, &grid, "test", &error), WM_OK);
    assert_int_equal(wm_knn_check_map(&knn, &squeeze, "test", &error), WM_ERR_MISMATCH);
    assert_contains(error.message, "test was built for another map");
    assert_int_equal(wm_knn_check_map(&knn, &door, "test", NULL), WM_ERR_MISMATCH);
    assert_int_equal(wm_knn_check_map(&knn, &turned, "test", NULL), WM_ERR_MISMATCH);
    // The right hash, and still not the right size.
    knn.map_hash = turned.hash;
    assert_int_equal(wm_knn_check_map(&knn, &turned, "test", NULL), WM_ERR_MISMATCH);
    wm_knn_free(&knn);
    wm_grid_free(&grid);
    wm_grid_free(&squeeze);
    wm_grid_free(&door);
    wm_grid_free(&turned);
}

static void records_in_walls_or_on_both_sides_of_one_are_refused(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, TWO_ROOMS);
    const wm_cell left = 0;
    const wm_cell other_left = 16;
    const wm_cell wall = 4;
    const wm_cell right = 6;
    assert_int_equal(check_one(&grid, left, other_left, left + 1), WM_OK);
    assert_int_equal(check_one(&grid, wall, other_left, left), WM_ERR_FORMAT);
    assert_int_equal(check_one(&grid, left, wall, left), WM_ERR_FORMAT);
    assert_int_equal(check_one(&grid, left, other_left, wall), WM_ERR_FORMAT);
    assert_int_equal(check_one(&grid, wall, wall, wall), WM_ERR_FORMAT);
    assert_int_equal(check_one(&grid, left, right, left), WM_ERR_FORMAT);
    assert_int_equal(check_one(&grid, left, other_left, right), WM_ERR_FORMAT);
    assert_int_equal(check_one(&grid, right, right + 7, right), WM_OK);
    wm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_records_come_back_as_they_were),
        cmocka_unit_test(records_of_the_narrowest_and_the_widest_maps_come_back),
        cmocka_unit_test(dictionaries_beyond_one_byte_and_beyond_two_bytes_come_back),
        cmocka_unit_test(a_dictionary_makes_common_subgoals_cheap),
        cmocka_unit_test(equal_content_is_encoded_to_equal_bytes_whatever_its_order_was),
        cmocka_unit_test(sorting_orders_records_and_loses_none),
        cmocka_unit_test(shards_share_all_records),
        cmocka_unit_test(a_payload_cut_short_anywhere_is_refused),
        cmocka_unit_test(a_changed_byte_is_refused_or_gives_cells_on_the_map),
        cmocka_unit_test(numbers_at_the_limits_in_the_header_are_refused),
        cmocka_unit_test(random_bytes_are_refused),
        cmocka_unit_test(a_failed_allocation_is_told_and_nothing_leaks),
        cmocka_unit_test(records_for_another_map_are_a_mismatch),
        cmocka_unit_test(records_in_walls_or_on_both_sides_of_one_are_refused),
    };
    return cmocka_run_group_tests_name("knn", tests, NULL, NULL);
}
