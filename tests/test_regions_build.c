// SPDX-License-Identifier: MIT
//
// Region databases by contract, as a library and through the programs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "cli.h"
#include "format.h"
#include "json_check.h"
#include "mapfile.h"
#include "records.h"
#include "region_world.h"

#define GRIDS 4

static wm_grid some_grid(int kind)
{
    return grid_generated(kind, 7, 64, 56, (wm_diagonal)(kind % 2));
}

static wm_regions_result fulfil(const wm_grid* grid, const wm_regions_contract* contract)
{
    wm_regions_result result;
    wm_error error = {""};
    if (wm_regions_fulfil(&result, grid, contract, "it", &error) != WM_OK)
        fail_msg("%zu bytes, mean %u: %s", contract->max_bytes, contract->max_mean, error.message);
    return result;
}

static void refuse(const wm_grid* grid, const wm_regions_contract* contract, wm_status expected,
                   const char* pattern)
{
    wm_regions_result result;
    wm_error error = {""};
    const wm_status status = wm_regions_fulfil(&result, grid, contract, "it", &error);
    if (status != expected || !cli_matches(error.message, pattern))
        fail_msg("%s: %s", wm_status_name(status), error.message);
    assert_null(result.blob.data);
}

#define WHAT_CAN_BE_HAD "; [1-9][0-9]* bytes with a mean of [0-9]+[.][0-9]+ % can be had"

// The number before " bytes" in the sentence.
static size_t bytes_that_can_be_had(const wm_grid* grid)
{
    const wm_regions_contract contract = {.max_bytes = 1, .bytes_are_hard = true, .seed = 1};
    wm_regions_result result;
    wm_error error = {""};
    assert_int_equal(wm_regions_fulfil(&result, grid, &contract, "it", &error), WM_ERR_TOO_FEW);
    const char* number = strstr(error.message, "; ");
    assert_non_null(number);
    return (size_t)strtoul(number + 2, NULL, 10);
}

// ---------------------------------------------------------------------------------------------
// Bytes

static void bytes_are_kept_and_fewer_allowed_give_no_more(void** state)
{
    (void)state;
    static const size_t allowed[] = {6000, 2000, 1000, 600, 400};
    for (int kind = 0; kind < GRIDS; kind++) {
        wm_grid grid = some_grid(kind);
        size_t before = SIZE_MAX;
        for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
            const wm_regions_contract contract = {
                .max_bytes = allowed[i], .bytes_are_hard = true, .seed = 1};
            wm_regions_result result;
            wm_error error = {""};
            const wm_status status = wm_regions_fulfil(&result, &grid, &contract, "it", &error);
            if (status == WM_ERR_TOO_FEW) break;
            assert_int_equal(status, WM_OK);
            if (result.blob.size > allowed[i] || result.blob.size > before)
                fail_msg("kind %d: %zu bytes where %zu are allowed, %zu before", kind,
                         result.blob.size, allowed[i], before);
            before = result.blob.size;
            wm_buffer_free(&result.blob);
        }
        assert_true(before != SIZE_MAX);
        wm_grid_free(&grid);
    }
}

static void what_the_sentence_offers_can_be_had(void** state)
{
    (void)state;
    for (int kind = 0; kind < GRIDS; kind++) {
        wm_grid grid = some_grid(kind);
        wm_regions_contract contract = {.bytes_are_hard = true, .seed = 1};
        contract.max_bytes = bytes_that_can_be_had(&grid);
        wm_regions_result result = fulfil(&grid, &contract);
        assert_true(result.blob.size <= contract.max_bytes);
        wm_buffer_free(&result.blob);
        wm_grid_free(&grid);
    }
}

static void without_a_limit_it_is_the_one_bit_map(void** state)
{
    (void)state;
    wm_grid grid = some_grid(0);
    wm_regions_contract contract = {.seed = 1};
    wm_regions_result by_default = fulfil(&grid, &contract);
    contract.max_bytes = (grid.cell_count + 7) / 8;
    wm_regions_result given = fulfil(&grid, &contract);
    assert_true(by_default.content_hash == given.content_hash);
    assert_int_equal(by_default.blob.size, given.blob.size);
    wm_buffer_free(&by_default.blob);
    wm_buffer_free(&given.blob);
    wm_grid_free(&grid);
}

// Edges between waypoints times regions: what opening a database takes.
static uint64_t opening_work(const wm_grid* grid, const wm_buffer* blob)
{
    wm_buffer payload = {0};
    wm_region_map map;
    assert_int_equal(wm_format_open(&payload, blob->data, blob->size, WM_METHOD_REGIONS,
                                    (size_t)1 << 28, "it", NULL),
                     WM_OK);
    assert_int_equal(wm_region_map_create(&map, grid, payload.data, payload.size, NULL, "it", NULL),
                     WM_OK);
    const uint64_t work =
        (uint64_t)map.waypoints.onward.begin[map.waypoints.count] * map.regions.count;
    wm_region_map_free(&map);
    wm_buffer_free(&payload);
    return work;
}

// The bytes that a database holds when it is open.
static size_t held_bytes(const wm_grid* grid, const wm_buffer* blob)
{
    test_memory memory = {0};
    wm_db_config config = wm_db_config_default();
    config.allocator = test_allocator(&memory);
    const wm_map map = {.grid = *grid};
    wm_db* db;
    assert_int_equal(wm_db_open_memory(&db, &map, blob->data, blob->size, &config, NULL), WM_OK);
    const size_t held = memory.bytes;
    wm_db_close(db);
    return held;
}

// An open field with boulders: walks are good long before the one-bit map's bytes are used.
static wm_grid field_with_boulders(uint64_t seed, int32_t side, int boulders)
{
    wm_grid grid;
    wm_rng rng = wm_rng_start(seed, 0);
    uint8_t* open = malloc((size_t)side * (size_t)side);
    memset(open, 1, (size_t)side * (size_t)side);
    for (int i = 0; i < boulders; i++) {
        const int32_t width = 4 + (int32_t)wm_rng_below(&rng, 20);
        const int32_t height = 4 + (int32_t)wm_rng_below(&rng, 20);
        const int32_t x = (int32_t)wm_rng_below(&rng, (uint32_t)(side - width));
        const int32_t y = (int32_t)wm_rng_below(&rng, (uint32_t)(side - height));
        for (int32_t row = y; row < y + height; row++)
            memset(open + row * side + x, 0, (size_t)width);
    }
    assert_int_equal(
        wm_grid_create(&grid, open, side, side, (size_t)side, WM_DIAGONAL_NONE, NULL, NULL), WM_OK);
    free(open);
    return grid;
}

static void a_large_map_gets_a_database_that_opens_soon_unless_asked(void** state)
{
    (void)state;
    const uint64_t most = UINT64_C(64) * 512 * 512; // 10 ms, and twice that
    wm_grid grid = field_with_boulders(3, 512, 60);
    wm_regions_contract contract = {.seed = 1};
    wm_regions_result by_default = fulfil(&grid, &contract);
    contract.bytes_are_hard = true;
    contract.max_bytes = grid.cell_count / 8;
    wm_regions_result asked = fulfil(&grid, &contract);
    assert_true(opening_work(&grid, &by_default.blob) <= most);
    assert_in_range(held_bytes(&grid, &by_default.blob), 1, 8000000);
    assert_true(by_default.certificate.mean <= 1200); // one percent, and chance
    assert_true(opening_work(&grid, &asked.blob) > most);
    assert_true(asked.certificate.mean < by_default.certificate.mean);
    wm_buffer_free(&by_default.blob);
    wm_buffer_free(&asked.blob);
    wm_grid_free(&grid);
}

// ---------------------------------------------------------------------------------------------
// Quality

static void a_mean_alone_is_met_up_to_chance(void** state)
{
    (void)state;
    static const uint32_t means[] = {20000, 5000, 2000};
    for (int kind = 0; kind < GRIDS; kind++) {
        wm_grid grid = some_grid(kind);
        for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
            const wm_regions_contract contract = {.max_mean = means[i], .seed = 5};
            wm_regions_result result = fulfil(&grid, &contract);
            const wm_certificate* c = &result.certificate;
            if (c->mean > means[i] + 4 * c->deviation / sqrt(c->problems))
                fail_msg("kind %d: mean %u, not %u", kind, c->mean, means[i]);
            wm_buffer_free(&result.blob);
        }
        wm_grid_free(&grid);
    }
}

static void what_cannot_be_is_refused_with_numbers(void** state)
{
    (void)state;
    wm_grid grid = some_grid(1);
    wm_regions_contract contract = {.max_bytes = 60, .bytes_are_hard = true};
    refuse(&grid, &contract, WM_ERR_TOO_FEW,
           "it: no database keeps to --max-bytes" WHAT_CAN_BE_HAD);
    contract = (wm_regions_contract){.max_mean = 1};
    refuse(&grid, &contract, WM_ERR_TOO_FEW,
           "it: no database keeps to --max-suboptimality" WHAT_CAN_BE_HAD);
    contract = (wm_regions_contract){
        .max_bytes = bytes_that_can_be_had(&grid), .bytes_are_hard = true, .max_mean = 1};
    refuse(&grid, &contract, WM_ERR_TOO_FEW,
           "it: no database keeps to both --max-bytes and --max-suboptimality" WHAT_CAN_BE_HAD);
    contract =
        (wm_regions_contract){.fixed = {.radius = 5}, .max_bytes = 300, .bytes_are_hard = true};
    refuse(&grid, &contract, WM_ERR_TOO_FEW,
           "it: no database keeps to --max-bytes" WHAT_CAN_BE_HAD);
    contract = (wm_regions_contract){.fixed = {.radius = 5}, .max_mean = 1};
    refuse(&grid, &contract, WM_ERR_TOO_FEW,
           "it: no database keeps to --max-suboptimality" WHAT_CAN_BE_HAD);
    wm_grid_free(&grid);
}

static void too_many_regions_are_refused(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 128, 128, 35, WM_DIAGONAL_NONE);
    const wm_regions_contract contract = {.fixed = {.radius = 1}, .fixed_controller = true};
    refuse(&grid, &contract, WM_ERR_TOO_FEW, "it needs more than 1536 regions of radius 1; .*");
    wm_grid_free(&grid);
}

static void a_map_without_open_cells_is_refused(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, "###\n###\n");
    const wm_regions_contract contract = {.seed = 1};
    refuse(&grid, &contract, WM_ERR_TOO_FEW, "it has no open cell; .*");
    const wm_regions_parameters parameters = {.radius = 5};
    wm_regions regions;
    assert_int_equal(wm_regions_build(&regions, &grid, &parameters, "it", NULL), WM_ERR_TOO_FEW);
    assert_null(regions.seeds);
    wm_grid_free(&grid);
}

static void maps_without_problems_have_a_certificate_of_none(void** state)
{
    (void)state;
    static const char* const rows[] = {".\n", ".#.\n", "#.#\n###\n.#.\n"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, rows[i]);
        const wm_regions_contract contract = {.seed = i};
        wm_regions_result result = fulfil(&grid, &contract);
        assert_int_equal(result.certificate.problems, 0);
        assert_int_equal(result.certificate.mean, 0);
        assert_int_equal(result.regions, 1); // others are pockets
        wm_buffer_free(&result.blob);
        wm_grid_free(&grid);
    }
}

// ---------------------------------------------------------------------------------------------
// What experts fix

static void what_experts_fix_is_used(void** state)
{
    (void)state;
    wm_grid grid = some_grid(2);
    for (uint32_t i = 0; i < 6; i++) {
        const wm_regions_contract contract = {.fixed = {.radius = 7 + i,
                                                        .epsilon = 11 * i,
                                                        .portals = i % 3 * 7,
                                                        .max_expansions = i % 2 * 33},
                                              .fixed_epsilon = true,
                                              .fixed_portals = true,
                                              .fixed_controller = true};
        wm_regions_result result = fulfil(&grid, &contract);
        assert_memory_equal(&result.parameters, &contract.fixed, sizeof contract.fixed);
        wm_buffer_free(&result.blob);
    }
    wm_regions_contract contract = {.fixed = {.max_expansions = 17}, .fixed_controller = true};
    wm_regions_result result = fulfil(&grid, &contract);
    assert_int_equal(result.parameters.max_expansions, 17);
    wm_buffer_free(&result.blob);
    contract = (wm_regions_contract){.fixed_epsilon = true, .max_bytes = 100000};
    result = fulfil(&grid, &contract);
    assert_int_equal(result.parameters.epsilon, 0);
    wm_buffer_free(&result.blob);
    wm_grid_free(&grid);
}

// ---------------------------------------------------------------------------------------------
// Interruption

typedef struct patience {
    int left;
    int asked;
} patience;

static bool ask(void* context)
{
    patience* p = context;
    p->asked++;
    return p->left-- > 0;
}

static void an_interruption_ends_it_at_any_time(void** state)
{
    (void)state;
    wm_grid grid = some_grid(0);
    int asked = 0;
    for (int left = 0; left < 100; left++) {
        patience p = {.left = left};
        const wm_regions_contract contract = {.seed = 1, .go_on = ask, .context = &p};
        wm_regions_result result;
        wm_error error = {""};
        const wm_status status = wm_regions_fulfil(&result, &grid, &contract, "it", &error);
        wm_buffer_free(&result.blob);
        asked = p.asked;
        if (status == WM_OK) break;
        assert_int_equal(status, WM_ERR_INTERRUPTED);
        assert_string_equal(error.message, "interrupted");
        assert_int_equal(p.asked, left + 1);
    }
    assert_true(asked > 2 && asked < 100);
    wm_grid_free(&grid);
}

// ---------------------------------------------------------------------------------------------
// The certificate

static void assert_same_certificate(const wm_certificate* a, const wm_certificate* b)
{
    assert_int_equal(a->problems, b->problems);
    assert_int_equal(a->mean, b->mean);
    assert_int_equal(a->p95, b->p95);
    assert_int_equal(a->p99, b->p99);
    assert_int_equal(a->worst, b->worst);
    assert_int_equal(a->deviation, b->deviation);
    assert_int_equal(a->worst_states, b->worst_states);
    assert_true(a->seed == b->seed);
}

static void a_certificate_can_be_measured_again(void** state)
{
    (void)state;
    for (int kind = 0; kind < GRIDS; kind++) {
        wm_grid grid = some_grid(kind);
        const wm_regions_contract contract = {.seed = 3};
        wm_regions_result result = fulfil(&grid, &contract);
        const wm_certificate* c = &result.certificate;
        // Not the problems that the search of the parameters used.
        assert_true(c->seed != contract.seed);
        assert_int_equal(c->problems, 1000);
        assert_true(c->p95 <= c->p99 && c->p99 <= c->worst && c->mean <= c->worst);
        assert_true(c->worst_states <= wm_regions_bound(&result.parameters));
        wm_certificate again;
        assert_int_equal(
            wm_regions_measure(&again, &grid, &result.blob, c->problems, c->seed, NULL), WM_OK);
        assert_same_certificate(&again, c);
        wm_certificate other;
        assert_int_equal(
            wm_regions_measure(&other, &grid, &result.blob, c->problems, c->seed + 1, NULL), WM_OK);
        assert_true(other.mean != c->mean || other.deviation != c->deviation);
        wm_regions_result twin = fulfil(&grid, &contract);
        assert_true(twin.content_hash == result.content_hash);
        wm_buffer_free(&twin.blob);
        wm_buffer_free(&result.blob);
        wm_grid_free(&grid);
    }
}

// ---------------------------------------------------------------------------------------------
// Through the programs

static test_path folder;

static int make_maps(void** state)
{
    (void)state;
    folder = scratch_create();
    process run =
        cli_run(&folder, "waymark-build generate --kind rooms --size 64x60 --seed 3 -o rooms.map &&"
                         "waymark-build generate --kind caves --size 64x60 --seed 3 -o caves.map");
    const bool failed = run.status != 0;
    process_free(&run);
    return failed;
}

static int remove_maps(void** state)
{
    (void)state;
    scratch_remove(&folder);
    return 0;
}

static void succeed(const char* command, const char* part)
{
    process run = cli_succeed(&folder, command);
    if (strstr(run.out, part) == NULL) fail_msg("%s: no '%s' in %s", command, part, run.out);
    process_free(&run);
}

static void build_info_and_verify_speak_of_the_certificate(void** state)
{
    (void)state;
    succeed("waymark-build build rooms.map --method regions -o some.wmdb", "rooms: regions, ");
    process run = cli_succeed(&folder, "waymark-build info some.wmdb");
    assert_contains(run.out, "regions: ");
    assert_contains(run.out, "certificate: 1000 problems, mean ");
    assert_contains(run.out, " states in a move");
    assert_null(strstr(run.out, "knn"));
    process_free(&run);
    run = cli_succeed(&folder, "waymark-build info --json some.wmdb");
    assert_true(json_is_valid(run.out));
    assert_contains(run.out, "\"method\":\"regions\"");
    assert_contains(run.out, "\"certificate\":{\"problems\":1000,\"mean_percent\":");
    process_free(&run);
    succeed("waymark-build verify some.wmdb rooms.map", "rooms: regions, mean ");
}

static void all_methods_share_a_file(void** state)
{
    (void)state;
    succeed("waymark-build build rooms.map caves.map --method all -n 200 -o all.wmdb",
            "caves: regions, ");
    process run = cli_succeed(&folder, "waymark-build info all.wmdb");
    assert_contains(run.out, "knn: 200 records");
    assert_contains(run.out, "certificate: ");
    process_free(&run);
    succeed("waymark-build verify all.wmdb rooms.map caves.map", "keep their promises");
}

// Stores the regions of "rooms" anew with another mean.
static void falsify_mean(const char* file, uint32_t mean)
{
    const test_path path = scratch_path(&folder, file);
    const test_path map_path = scratch_path(&folder, "rooms.map");
    wm_grid grid;
    wm_edit edit;
    wm_buffer payload = {0};
    wm_buffer blob = {0};
    wm_regions regions;
    size_t dropped;
    assert_int_equal(wm_mapfile_load(&grid, map_path.text, WM_DIAGONAL_NONE, NULL, NULL), WM_OK);
    assert_int_equal(wm_edit_begin(&edit, path.text, NULL), WM_OK);
    const wm_stored_map* map = wm_archive_find(&edit.archive, "rooms");
    assert_non_null(map);
    const wm_stored_payload* stored = wm_stored_map_payload(map, WM_METHOD_REGIONS);
    assert_non_null(stored);
    assert_int_equal(wm_build_open_payload(&payload, map, stored, file, NULL), WM_OK);
    wm_planes planes;
    assert_int_equal(wm_planes_create(&planes, &grid, NULL, NULL), WM_OK);
    assert_int_equal(wm_regions_decode(&regions, &planes, payload.data, payload.size, file, NULL),
                     WM_OK);
    wm_planes_free(&planes);
    regions.certificate.mean = mean;
    assert_int_equal(wm_regions_seal(&blob, NULL, &regions, &grid), WM_OK);
    assert_int_equal(wm_build_store_blob(&edit.archive, "rooms", &grid, WM_METHOD_REGIONS, &blob,
                                         &dropped, NULL),
                     WM_OK);
    assert_int_equal(dropped, 0);
    assert_int_equal(wm_edit_commit(&edit, NULL), WM_OK);
    wm_regions_free(&regions);
    wm_buffer_free(&payload);
    wm_grid_free(&grid);
}

static void both_methods_are_the_default(void** state)
{
    (void)state;
    succeed("waymark-build build rooms.map -n 50 -o both.wmdb", "rooms: knn, 50 records");
    succeed("waymark-build info both.wmdb --json", "\"method\":\"regions\"");
    succeed("waymark-build info both.wmdb --json", "\"method\":\"knn\"");
    succeed("waymark-build build rooms.map -n 50 --shard 1/2 -o half.wmdb", "rooms: knn, 25");
    succeed("awk 'BEGIN { print \"type octile\\nheight 400\\nwidth 403\\nmap\"; "
            "for (y = 0; y < 400; y++) { for (x = 0; x < 403; x++) "
            "printf y % 2 || x % 13 == 12 ? \"@\" : \".\"; print \"\" } }' > hard.map && "
            "waymark-build build hard.map -n 50 -o hard.wmdb 2>&1",
            "no regions are stored for it");
}

static void satellites_make_a_smaller_payload_that_still_leads_everywhere(void** state)
{
    (void)state;
    region_world w = region_world_of(map_generated(WM_GENERATE_CAVES, 90, 70, WM_GENERATE_DEFAULT,
                                                   WM_GENERATE_DEFAULT, 5, WM_DIAGONAL_NONE),
                                     "satellites");
    wm_regions_parameters parameters = {.radius = 8, .epsilon = 0};
    wm_regions all = region_world_build(w.map, parameters, w.title);
    parameters.satellite = 60;
    wm_regions some = region_world_build(w.map, parameters, w.title);
    assert_true(some.chain_count < all.chain_count);
    wm_db* db = region_world_db(w.map, parameters, w.title);
    region_world_check(&w, db, 40, 1);
    wm_db_close(db);
    wm_regions_free(&all);
    wm_regions_free(&some);
    region_world_free(&w);
}

static void verify_finds_a_false_certificate(void** state)
{
    (void)state;
    succeed("waymark-build build rooms.map --method regions -o false.wmdb", "rooms: ");
    falsify_mean("false.wmdb", 0);
    cli_fail(&folder, "waymark-build verify -q false.wmdb rooms.map", 1, "break their promise");
    falsify_mean("false.wmdb", 100000);
    succeed("waymark-build verify false.wmdb rooms.map", "certified 100.00 %");
}

static void what_cannot_be_built_is_said(void** state)
{
    (void)state;
    cli_fail(&folder, "waymark-build build -q rooms.map --method regions --max-bytes 50 -o no.wmdb",
             3, "bytes with a mean of");
    cli_fail(
        &folder,
        "waymark-build build -q rooms.map --method regions --max-suboptimality 0.001 -o no.wmdb", 3,
        "can be had");
    cli_fail(&folder,
             "waymark-build build -q rooms.map --method regions --radius 4 --max-bytes 300 "
             "-o no.wmdb",
             3, "--max-bytes");
}

static void options_of_regions_need_the_method(void** state)
{
    (void)state;
    static const char* const options[] = {"--max-bytes 1000", "--max-suboptimality 5", "--radius 9",
                                          "--epsilon 3", "--controller climb"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char command[200];
        snprintf(command, sizeof command,
                 "waymark-build build -q rooms.map --method knn -n 10 %s -o no.wmdb", options[i]);
        cli_fail(&folder, command, 2, "--method regions or all");
    }
    static const char* const wrong[] = {
        "--max-bytes 0",        "--max-bytes x",     "--max-suboptimality 0",
        "--radius 0",           "--radius 49",       "--epsilon -1",
        "--controller search:", "--controller fast", "--controller search:201"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char command[200];
        snprintf(command, sizeof command,
                 "waymark-build build -q rooms.map --method regions %s -o no.wmdb", wrong[i]);
        cli_fail(&folder, command, 2, "must be");
    }
}

static void options_of_experts_are_stored(void** state)
{
    (void)state;
    succeed("waymark-build build rooms.map --method regions --radius 9 --satellite 12 --epsilon "
            "2.5 "
            "--controller search:40 -o expert.wmdb",
            "rooms: regions, ");
    succeed("waymark-build info --json expert.wmdb",
            "{\"radius\":9,\"satellite\":12,\"epsilon\":2.5,\"portals\":0,\"controller\":\"search:"
            "40\"}");
    succeed("waymark-build build caves.map --method regions --radius 9 --epsilon 0 "
            "--controller climb -o expert2.wmdb",
            "caves: regions, ");
    succeed("waymark-build info --json expert2.wmdb",
            "{\"radius\":9,\"satellite\":0,\"epsilon\":0,\"portals\":0,\"controller\":\"climb\"}");
}

static void agents_walk_with_what_was_built(void** state)
{
    (void)state;
    static const char* const specs[] = {"regions", "regions:preset=fast", "regions:preset=best",
                                        "regions:look=0:near=0:first=0", "auto"};
    succeed("waymark-build build rooms.map --method regions -o walk.wmdb", "rooms: ");
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char command[200];
        snprintf(command, sizeof command,
                 "waymark-run path rooms.map --from 1,1 --to 58,56 --db walk.wmdb --algorithm %s",
                 specs[i]);
        succeed(command, "58:56\n");
    }
    succeed("waymark-build build rooms.map --method knn -n 50 -o knn.wmdb", "rooms: knn");
    cli_fail(&folder,
             "waymark-run path rooms.map --from 1,1 --to 58,56 --db knn.wmdb --algorithm regions",
             2, "regions");
    cli_fail(&folder, "waymark-run path rooms.map --from 1,1 --to 58,56 --algorithm regions", 2,
             "regions");
    succeed("waymark-run path rooms.map --from 1,1 --to 58,56 --db knn.wmdb --algorithm auto",
            "58:56\n");
    succeed("waymark-run path rooms.map --from 1,1 --to 58,56 --algorithm auto", "58:56\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_kept_and_fewer_allowed_give_no_more),
        cmocka_unit_test(what_the_sentence_offers_can_be_had),
        cmocka_unit_test(without_a_limit_it_is_the_one_bit_map),
        cmocka_unit_test(a_large_map_gets_a_database_that_opens_soon_unless_asked),
        cmocka_unit_test(a_mean_alone_is_met_up_to_chance),
        cmocka_unit_test(what_cannot_be_is_refused_with_numbers),
        cmocka_unit_test(too_many_regions_are_refused),
        cmocka_unit_test(a_map_without_open_cells_is_refused),
        cmocka_unit_test(maps_without_problems_have_a_certificate_of_none),
        cmocka_unit_test(what_experts_fix_is_used),
        cmocka_unit_test(an_interruption_ends_it_at_any_time),
        cmocka_unit_test(a_certificate_can_be_measured_again),
        cmocka_unit_test(build_info_and_verify_speak_of_the_certificate),
        cmocka_unit_test(all_methods_share_a_file),
        cmocka_unit_test(both_methods_are_the_default),
        cmocka_unit_test(satellites_make_a_smaller_payload_that_still_leads_everywhere),
        cmocka_unit_test(verify_finds_a_false_certificate),
        cmocka_unit_test(what_cannot_be_built_is_said),
        cmocka_unit_test(options_of_regions_need_the_method),
        cmocka_unit_test(options_of_experts_are_stored),
        cmocka_unit_test(agents_walk_with_what_was_built),
    };
    return cmocka_run_group_tests_name("regions_build", tests, make_maps, remove_maps);
}
