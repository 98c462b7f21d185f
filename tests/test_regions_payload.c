// SPDX-License-Identifier: MIT
//
// The bytes of a region database: what is written is read again, and whatever else is in a payload
// is refused or as good as any.
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "region_world.h"

// ---------------------------------------------------------------------------------------------
// Round trip

static int compare_chains(const wm_regions* a, uint32_t i, const wm_regions* b, uint32_t k)
{
    const wm_chain* x = &a->chains[i];
    const wm_chain* y = &b->chains[k];
    if (x->length != y->length) return 1;
    return memcmp(a->subgoals + x->first, b->subgoals + y->first, x->length * sizeof(wm_cell));
}

// Every chain of `a`'s region is as often in `b`'s.
static void assert_same_chains(const wm_regions* a, const wm_regions* b, uint32_t region)
{
    assert_int_equal(a->chains_begin[region + 1] - a->chains_begin[region],
                     b->chains_begin[region + 1] - b->chains_begin[region]);
    for (uint32_t i = a->chains_begin[region]; i < a->chains_begin[region + 1]; i++) {
        int balance = 0;
        for (uint32_t k = a->chains_begin[region]; k < a->chains_begin[region + 1]; k++)
            balance += compare_chains(a, i, a, k) == 0;
        for (uint32_t k = b->chains_begin[region]; k < b->chains_begin[region + 1]; k++)
            balance -= compare_chains(a, i, b, k) == 0;
        if (balance != 0) fail_msg("region %u has another set of chains", region);
    }
}

static void assert_same_regions(const wm_regions* a, const wm_regions* b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->chain_count, b->chain_count);
    assert_int_equal(a->subgoal_count, b->subgoal_count);
    assert_true(a->map_hash == b->map_hash && a->width == b->width && a->height == b->height);
    assert_memory_equal(&a->parameters, &b->parameters, sizeof a->parameters);
    assert_int_equal(a->certificate.mean, b->certificate.mean);
    assert_true(a->certificate.seed == b->certificate.seed);
    assert_memory_equal(a->seeds, b->seeds, a->count * sizeof *a->seeds);
    for (uint32_t r = 0; r < a->count; r++) assert_same_chains(a, b, r);
}

static void check_same_walks(const region_world* w, const wm_db* a, const wm_db* b, uint64_t seed)
{
    wm_rng rng = wm_rng_start(seed, 3);
    for (int i = 0; i < 150; i++) {
        wm_cell start;
        wm_cell goal;
        if (!random_problem(&w->map->grid, &rng, &start, &goal)) return;
        wm_agent* first = agent_create(w->map, a, region_presets[i % REGION_PRESETS], false);
        wm_agent* second = agent_create(w->map, b, region_presets[i % REGION_PRESETS], false);
        walk x = walk_take(first, start, goal, 100000);
        walk y = walk_take(second, start, goal, 100000);
        assert_legal_walk(&x, &w->map->grid, start, goal, w->title, seed);
        assert_same_walk(&y, &x, w->title, seed);
        walk_free(&x);
        walk_free(&y);
        wm_agent_destroy(first);
        wm_agent_destroy(second);
    }
}

static void check_round_trip(const region_world* w, wm_regions_parameters parameters, uint64_t seed)
{
    const wm_grid* grid = &w->map->grid;
    wm_regions built = region_world_build(w->map, parameters, w->title);
    wm_regions again = region_world_build(w->map, parameters, w->title);
    wm_regions decoded;
    wm_buffer payload = {0};
    size_t sections[WM_REGIONS_SECTIONS];
    wm_error error = {""};
    built.certificate = again.certificate = (wm_certificate){1, 2, 3, 4, 5, 6, 7, UINT64_MAX - 8};
    wm_buffer blob = {0};
    wm_buffer blob_again = {0};
    wm_buffer repacked = {0};
    uint64_t hash[3];
    assert_int_equal(wm_regions_encode(&payload, sections, &built, grid), WM_OK);
    assert_int_equal(sections[0] + sections[1], payload.size);
    wm_planes planes;
    assert_int_equal(wm_planes_create(&planes, grid, NULL, NULL), WM_OK);
    if (wm_regions_decode(&decoded, &planes, payload.data, payload.size, "it", &error) != WM_OK)
        fail_msg("%s: %s", w->title, error.message);
    wm_planes_free(&planes);
    assert_same_regions(&built, &decoded);
    assert_int_equal(wm_regions_seal(&blob, &hash[0], &built, grid), WM_OK);
    assert_int_equal(wm_regions_seal(&blob_again, &hash[1], &again, grid), WM_OK);
    assert_int_equal(wm_regions_seal(&repacked, &hash[2], &decoded, grid), WM_OK);
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    wm_db* a = region_world_open(w->map, &blob, w->title);
    wm_db* b = region_world_open(w->map, &repacked, w->title);
    check_same_walks(w, a, b, seed);
    wm_db_close(a);
    wm_db_close(b);
    wm_buffer_free(&payload);
    wm_buffer_free(&blob);
    wm_buffer_free(&blob_again);
    wm_buffer_free(&repacked);
    wm_regions_free(&built);
    wm_regions_free(&again);
    wm_regions_free(&decoded);
}

static void what_is_read_is_what_was_written(void** state)
{
    (void)state;
    for (uint32_t i = 0; i < 4 * WM_GENERATE_KINDS; i++) {
        const wm_generate_kind kind = (wm_generate_kind)(i % WM_GENERATE_KINDS);
        region_world w =
            region_world_of(map_generated(kind, 60, 70, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, i,
                                          (wm_diagonal)(i / 4 % 2)),
                            wm_generate_kind_name((int)kind));
        check_round_trip(&w,
                         (wm_regions_parameters){.radius = 3 + i,
                                                 .epsilon = 30,
                                                 .portals = i % 3 == 2 ? i : 0,
                                                 .max_expansions = i / 8 * 40},
                         i);
        region_world_free(&w);
    }
}

// ---------------------------------------------------------------------------------------------
// Bad payloads

typedef struct unpacked {
    wm_buffer payload;
    size_t header; // bytes of the first section
} unpacked;

static unpacked unpack(const wm_map* map, const wm_regions* regions)
{
    unpacked u = {0};
    size_t sections[WM_REGIONS_SECTIONS];
    assert_int_equal(wm_regions_encode(&u.payload, sections, regions, &map->grid), WM_OK);
    u.header = sections[WM_REGIONS_SECTION_HEADER];
    return u;
}

// Seals the first `size` bytes with a right checksum and opens them.
static wm_status open_bytes(wm_db** db, const wm_map* map, const unpacked* u, size_t size)
{
    const wm_db_config config = wm_db_config_default();
    const wm_buffer part = {.data = u->payload.data, .size = size};
    const size_t sections[WM_REGIONS_SECTIONS] = {size < u->header ? size : u->header,
                                                  size < u->header ? 0 : size - u->header};
    wm_buffer blob = {0};
    wm_error error = {""};
    assert_int_equal(wm_format_seal(&blob, WM_METHOD_REGIONS, &part, sections, WM_REGIONS_SECTIONS),
                     WM_OK);
    const wm_status status = wm_db_open_memory(db, map, blob.data, blob.size, &config, &error);
    assert_true((status == WM_OK) == (error.message[0] == '\0'));
    assert_true((status == WM_OK) == (*db != NULL));
    wm_buffer_free(&blob);
    return status;
}

// Refused, or as good as any. Returns whether it was refused.
static bool check_bad(region_world* w, const unpacked* u, size_t size, uint64_t seed)
{
    wm_db* db = NULL;
    const wm_status status = open_bytes(&db, w->map, u, size);
    if (status == WM_OK) {
        region_world_check(w, db, 2, seed);
        wm_db_close(db);
    } else if (status != WM_ERR_FORMAT && status != WM_ERR_MISMATCH) {
        fail_msg("%s, seed %llu: %s", w->title, (unsigned long long)seed, wm_status_name(status));
    }
    return status != WM_OK;
}

static void cut_payloads_are_refused_or_good(void** state)
{
    (void)state;
    region_world w = region_world_of(
        map_generated(WM_GENERATE_ROOMS, 20, 20, WM_GENERATE_DEFAULT, 6, 3, WM_DIAGONAL_NONE),
        "rooms");
    wm_regions regions = region_world_build(w.map, (wm_regions_parameters){.radius = 5}, w.title);
    unpacked u = unpack(w.map, &regions);
    size_t refused = 0;
    for (size_t size = 0; size < u.payload.size; size++) refused += check_bad(&w, &u, size, size);
    // The last bytes of the coder need not be there.
    assert_true(refused + 8 >= u.payload.size);
    wm_buffer_free(&u.payload);
    wm_regions_free(&regions);
    region_world_free(&w);
}

static void changed_payloads_are_refused_or_good(void** state)
{
    (void)state;
    size_t refused = 0;
    for (uint32_t i = 0; i < 6; i++) {
        const wm_generate_kind kind = (wm_generate_kind)(i % WM_GENERATE_KINDS);
        region_world w = region_world_of(
            map_generated(kind, 22, 18, WM_GENERATE_DEFAULT, 4, i, (wm_diagonal)(i % 2)),
            wm_generate_kind_name((int)kind));
        wm_regions regions = region_world_build(
            w.map,
            (wm_regions_parameters){
                .radius = 3 + i, .portals = i % 2 * 9, .max_expansions = i / 3 * 30},
            w.title);
        unpacked u = unpack(w.map, &regions);
        wm_rng rng = wm_rng_start(i, 4);
        for (uint64_t k = 0; k < 600; k++) {
            uint8_t* byte = &u.payload.data[wm_rng_below(&rng, u.payload.size)];
            const uint8_t change = (uint8_t)(1 + wm_rng_below(&rng, 255));
            *byte ^= change;
            refused += check_bad(&w, &u, u.payload.size, 1000 * i + k);
            *byte ^= change;
        }
        wm_buffer_free(&u.payload);
        wm_regions_free(&regions);
        region_world_free(&w);
    }
    assert_true(refused > 300 && refused < 3300);
}

// Many more could not be numbered by the table.
static void a_region_with_too_many_chains_is_refused(void** state)
{
    (void)state;
    // So long that nobody sees the goal from the first region.
    region_world w = region_world_of(
        map_generated(WM_GENERATE_RANDOM, 120, 1, 0, WM_GENERATE_DEFAULT, 1, WM_DIAGONAL_NONE),
        "a row");
    static const wm_cell seeds[] = {20, 60, 100};
    enum { COPIES = 5000 };
    wm_regions regions = {.width = 120,
                          .height = 1,
                          .map_hash = w.map->grid.hash,
                          .parameters = {.radius = 20},
                          .count = 3,
                          .chain_count = COPIES + 3,
                          .subgoal_count = COPIES + 3};
    regions.seeds = malloc(sizeof seeds);
    regions.chains_begin = calloc(4, sizeof *regions.chains_begin);
    regions.chains = calloc(regions.chain_count, sizeof *regions.chains);
    regions.subgoals = calloc(regions.subgoal_count, sizeof *regions.subgoals);
    assert_true(regions.seeds != NULL && regions.chains_begin != NULL && regions.chains != NULL &&
                regions.subgoals != NULL);
    memcpy(regions.seeds, seeds, sizeof seeds);
    for (uint32_t i = 0; i < regions.chain_count; i++) regions.chains[i] = (wm_chain){i, 1};
    // The middle region's only chain to the right comes last.
    regions.chains_begin[1] = 1;
    regions.chains_begin[2] = COPIES + 2;
    regions.chains_begin[3] = COPIES + 3;
    for (uint32_t i = 1; i <= COPIES; i++) regions.subgoals[i] = 39;
    regions.subgoals[0] = 41;
    regions.subgoals[COPIES + 1] = 81;
    regions.subgoals[COPIES + 2] = 79;
    unpacked u = unpack(w.map, &regions);
    wm_db* db = NULL;
    assert_int_equal(open_bytes(&db, w.map, &u, u.payload.size), WM_ERR_FORMAT);
    wm_buffer_free(&u.payload);
    wm_regions_free(&regions);
    region_world_free(&w);
}

// All cells of an open map as waypoints, in four regions that lead to each other.
static wm_regions all_cells(const wm_map* map, uint32_t side)
{
    enum { LENGTH = 13, REGIONS = 4 };
    const uint32_t half = side / 2;
    wm_regions regions = {.width = (int32_t)side,
                          .height = (int32_t)side,
                          .map_hash = map->grid.hash,
                          .parameters = {.radius = 48},
                          .count = REGIONS};
    regions.seeds = calloc(REGIONS, sizeof *regions.seeds);
    regions.chains_begin = calloc(REGIONS + 1, sizeof *regions.chains_begin);
    regions.chains = calloc((size_t)side * side, sizeof *regions.chains);
    regions.subgoals = calloc((size_t)side * side + REGIONS * REGIONS, sizeof *regions.subgoals);
    assert_true(regions.seeds != NULL && regions.chains_begin != NULL && regions.chains != NULL &&
                regions.subgoals != NULL);
    for (uint32_t r = 0; r < REGIONS; r++)
        regions.seeds[r] = (half / 2 + r / 2 * half) * side + half / 2 + r % 2 * half;
    for (uint32_t r = 0; r < REGIONS; r++) {
        // To and fro through its quarter, a new chain now and then; then to the others' seeds.
        for (uint32_t i = 0; i < half * half + REGIONS; i++) {
            const uint32_t y = i / half;
            const uint32_t x = y % 2 == 0 ? i % half : half - 1 - i % half;
            const bool is_seed = i >= half * half;
            if (i % LENGTH == 0 || is_seed)
                regions.chains[regions.chain_count++] = (wm_chain){regions.subgoal_count, 0};
            regions.chains[regions.chain_count - 1].length++;
            regions.subgoals[regions.subgoal_count++] =
                is_seed ? regions.seeds[i - half * half]
                        : (r / 2 * half + y) * side + r % 2 * half + x;
        }
        regions.chains_begin[r + 1] = regions.chain_count;
    }
    return regions;
}

// Tables for all of them and all regions would take more than any map needs.
static void more_waypoints_than_any_database_needs_are_refused(void** state)
{
    (void)state;
    static const struct {
        int32_t side;
        wm_status status;
    } cases[] = {{60, WM_OK}, {70, WM_ERR_FORMAT}};
    for (size_t i = 0; i < 2; i++) {
        const int32_t side = cases[i].side;
        region_world w = region_world_of(map_generated(WM_GENERATE_RANDOM, side, side, 0,
                                                       WM_GENERATE_DEFAULT, 1, WM_DIAGONAL_NONE),
                                         "all open");
        wm_regions regions = all_cells(w.map, (uint32_t)side);
        unpacked u = unpack(w.map, &regions);
        wm_db* db = NULL;
        assert_int_equal(open_bytes(&db, w.map, &u, u.payload.size), cases[i].status);
        wm_db_close(db);
        wm_buffer_free(&u.payload);
        wm_regions_free(&regions);
        region_world_free(&w);
    }
}

static void refuse_other(const wm_map* map, const wm_buffer* blob)
{
    const wm_db_config config = wm_db_config_default();
    wm_error error = {""};
    wm_db* db = NULL;
    assert_int_equal(wm_db_open_memory(&db, map, blob->data, blob->size, &config, &error),
                     WM_ERR_MISMATCH);
    assert_null(db);
    assert_contains(error.message, "another map");
}

static void the_payload_of_another_map_or_rule_is_refused(void** state)
{
    (void)state;
    wm_map* maps[] = {
        map_generated(WM_GENERATE_CAVES, 30, 20, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, 1,
                      WM_DIAGONAL_NONE),
        map_generated(WM_GENERATE_CAVES, 30, 20, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, 1,
                      WM_DIAGONAL_SQUEEZE),
        map_generated(WM_GENERATE_CAVES, 30, 20, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, 2,
                      WM_DIAGONAL_NONE),
        map_generated(WM_GENERATE_CAVES, 20, 30, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, 1,
                      WM_DIAGONAL_NONE),
    };
    for (size_t i = 0; i < 4; i++) {
        wm_regions regions =
            region_world_build(maps[i], (wm_regions_parameters){.radius = 6}, "caves");
        wm_buffer blob = region_world_seal(maps[i], &regions);
        for (size_t k = 0; k < 4; k++) {
            if (k != i) refuse_other(maps[k], &blob);
        }
        wm_buffer_free(&blob);
        wm_regions_free(&regions);
    }
    for (size_t i = 0; i < 4; i++) wm_map_unload(maps[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_what_was_written),
        cmocka_unit_test(cut_payloads_are_refused_or_good),
        cmocka_unit_test(changed_payloads_are_refused_or_good),
        cmocka_unit_test(a_region_with_too_many_chains_is_refused),
        cmocka_unit_test(more_waypoints_than_any_database_needs_are_refused),
        cmocka_unit_test(the_payload_of_another_map_or_rule_is_refused),
    };
    return cmocka_run_group_tests_name("regions_payload", tests, NULL, NULL);
}
