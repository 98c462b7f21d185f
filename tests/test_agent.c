// SPDX-License-Identifier: MIT
//
// The public API as a careless caller uses it: nothing crashes, every mistake gets its status and a
// sentence, memory that runs out is told and given back, and stepping allocates nothing.
#include <waymark.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

#define MAX_STEPS 100000

// A room with a pillar, and a cell that nothing leads to.
static const uint8_t room[] = {
    1, 1, 1, 1, 1, 0, 1, //
    1, 1, 0, 1, 1, 0, 0, //
    1, 1, 0, 1, 1, 1, 1, //
    1, 1, 1, 1, 1, 1, 1,
};
enum { ROOM_WIDTH = 7, ROOM_HEIGHT = 4 };

static const wm_point HERE = {0, 0};
static const wm_point THERE = {6, 3};
static const wm_point PILLAR = {2, 1};
static const wm_point ISLAND = {6, 0};

static wm_map* room_map(wm_diagonal diagonal)
{
    wm_map* map = NULL;
    wm_map_config config = wm_map_config_default();
    config.diagonal = diagonal;
    assert_int_equal(wm_map_create(&map, room, ROOM_WIDTH, ROOM_HEIGHT, ROOM_WIDTH, &config, NULL),
                     WM_OK);
    return map;
}

static wm_status create_agent(wm_agent** agent, const wm_map* map, const wm_db* db,
                              const char* algorithm, wm_error* error)
{
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = algorithm;
    return wm_agent_create(agent, map, db, &config, error);
}

static bool is_sentence(const wm_error* error)
{
    const size_t length = strlen(error->message);
    return length > 10 && length < sizeof error->message - 1 &&
           strchr(error->message, '\n') == NULL;
}

// ---------------------------------------------------------------------------------------------
// Maps

static void a_map_answers_questions_about_any_point(void** state)
{
    (void)state;
    wm_map* map = room_map(WM_DIAGONAL_NONE);
    assert_int_equal(wm_map_width(map), ROOM_WIDTH);
    assert_int_equal(wm_map_height(map), ROOM_HEIGHT);
    assert_true(wm_map_is_open(map, HERE));
    assert_false(wm_map_is_open(map, PILLAR));
    assert_true(wm_map_connected(map, HERE, THERE));
    assert_true(wm_map_connected(map, HERE, HERE));
    assert_false(wm_map_connected(map, HERE, ISLAND));
    assert_false(wm_map_connected(map, PILLAR, PILLAR));
    static const wm_point outside[] = {{-1, 0},        {0, -1},        {7, 0},        {0, 4},
                                       {INT32_MAX, 0}, {0, INT32_MIN}, {INT32_MIN, 3}};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_false(wm_map_is_open(map, outside[i]));
        assert_false(wm_map_connected(map, HERE, outside[i]));
        assert_false(wm_map_connected(map, outside[i], HERE));
    }
    wm_map_unload(map);
}

static void the_cells_are_copied_and_the_stride_is_kept_to(void** state)
{
    (void)state;
    uint8_t cells[ROOM_HEIGHT][ROOM_WIDTH + 3];
    memset(cells, 1, sizeof cells);
    for (int y = 0; y < ROOM_HEIGHT; y++) memcpy(cells[y], room + y * ROOM_WIDTH, ROOM_WIDTH);
    wm_map* map = NULL;
    const wm_map_config config = wm_map_config_default();
    assert_int_equal(
        wm_map_create(&map, cells[0], ROOM_WIDTH, ROOM_HEIGHT, ROOM_WIDTH + 3, &config, NULL),
        WM_OK);
    memset(cells, 0, sizeof cells);
    wm_map* same = room_map(WM_DIAGONAL_NONE);
    wm_map* squeeze = room_map(WM_DIAGONAL_SQUEEZE);
    assert_true(wm_map_hash(map) == wm_map_hash(same));
    assert_true(wm_map_hash(map) != wm_map_hash(squeeze));
    assert_true(wm_map_is_open(map, HERE));
    wm_map_unload(squeeze);
    wm_map_unload(same);
    wm_map_unload(map);
}

static void mistakes_with_maps_are_refused(void** state)
{
    (void)state;
    const wm_map_config good = wm_map_config_default();
    const wm_map_config forgotten = {0};
    wm_map_config odd = good;
    odd.diagonal = (wm_diagonal)7;
    const struct {
        const uint8_t* cells;
        int32_t width;
        int32_t height;
        size_t stride;
        const wm_map_config* config;
    } calls[] = {
        {NULL, 7, 4, 7, &good},
        {room, 0, 4, 7, &good},
        {room, -1, 4, 7, &good},
        {room, 7, 0, 7, &good},
        {room, 7, -4, 7, &good},
        {room, 7, 4, 6, &good},
        {room, 4097, 1, 4097, &good},
        {room, 1, 4097, 1, &good},
        {room, INT32_MIN, 1, 7, &good},
        {room, 7, 4, 7, NULL},
        {room, 7, 4, 7, &forgotten},
        {room, 7, 4, 7, &odd},
        {room, 7, 4, SIZE_MAX, &good},
        {room, 7, 4, (size_t)-7, &good}, // the last row first
        {room, 7, 4, PTRDIFF_MAX / 3, &good},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        wm_map* map = (wm_map*)&map;
        wm_error error = {""};
        const wm_status status =
            wm_map_create(&map, calls[i].cells, calls[i].width, calls[i].height, calls[i].stride,
                          calls[i].config, i % 2 == 0 ? &error : NULL);
        if (status != WM_ERR_ARGUMENT) fail_msg("call %zu gave %s", i, wm_status_name(status));
        if (map != NULL) fail_msg("call %zu left its result as it was", i);
        if (i % 2 == 0) assert_true(is_sentence(&error));
    }
    assert_int_equal(wm_map_create(NULL, room, 7, 4, 7, &good, NULL), WM_ERR_ARGUMENT);
    assert_int_equal(wm_map_load(NULL, "x.map", &good, NULL), WM_ERR_ARGUMENT);
    const struct {
        const char* path;
        const wm_map_config* config;
    } loads[] = {{NULL, &good}, {"x.map", NULL}, {"x.map", &forgotten}, {"x.map", &odd}};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        wm_map* map = (wm_map*)&map;
        assert_int_equal(wm_map_load(&map, loads[i].path, loads[i].config, NULL), WM_ERR_ARGUMENT);
        assert_null(map);
    }
    wm_map_unload(NULL);
}

static void nothing_comes_out_of_a_call_that_fails(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path missing = scratch_path(&folder, "missing");
    wm_map* kept = room_map(WM_DIAGONAL_NONE);
    wm_map* map = kept;
    const wm_map_config map_config = wm_map_config_default();
    assert_true(wm_map_load(&map, missing.text, &map_config, NULL) < 0);
    assert_null(map);
    wm_db* db = (wm_db*)&db;
    const wm_db_config db_config = wm_db_config_default();
    assert_int_equal(wm_db_open(&db, kept, missing.text, &db_config, NULL), WM_ERR_NOT_FOUND);
    assert_null(db);
    wm_agent* agent = (wm_agent*)&agent;
    assert_int_equal(create_agent(&agent, kept, NULL, "nobody", NULL), WM_ERR_ARGUMENT);
    assert_null(agent);
    wm_map_unload(kept);
    scratch_remove(&folder);
}

// ---------------------------------------------------------------------------------------------
// Databases

static void mistakes_with_databases_are_refused(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "room.wmdb");
    wm_map* map = room_map(WM_DIAGONAL_NONE);
    assert_true(db_build_file(map, 20, false, 1, &path));
    const wm_db_config good = wm_db_config_default();
    const wm_db_config forgotten = {.max_bytes = 1000};
    wm_db* db = NULL;
    wm_error error = {""};
    assert_int_equal(wm_db_open(NULL, map, path.text, &good, &error), WM_ERR_ARGUMENT);
    assert_int_equal(wm_db_open(&db, NULL, path.text, &good, &error), WM_ERR_ARGUMENT);
    assert_int_equal(wm_db_open(&db, map, NULL, &good, &error), WM_ERR_ARGUMENT);
    assert_int_equal(wm_db_open(&db, map, path.text, NULL, &error), WM_ERR_ARGUMENT);
    assert_int_equal(wm_db_open(&db, map, path.text, &forgotten, &error), WM_ERR_ARGUMENT);
    assert_true(is_sentence(&error));
    wm_db_config small = good;
    small.max_bytes = 10;
    assert_int_equal(wm_db_open(&db, map, path.text, &small, &error), WM_ERR_MEMORY);
    assert_contains(error.message, "limit");
    wm_db_config named = good;
    named.name = "another";
    assert_int_equal(wm_db_open(&db, map, path.text, &named, &error), WM_ERR_NOT_FOUND);
    assert_contains(error.message, "has this map as \"map\", not \"another\"");
    assert_null(db);
    named.name = "map";
    assert_int_equal(wm_db_open(&db, map, path.text, &named, &error), WM_OK);
    assert_true(wm_db_stored_bytes(db) > 0);
    wm_db_close(db);
    wm_db_close(NULL);
    wm_map_unload(map);
    scratch_remove(&folder);
}

static void a_database_of_another_map_is_refused(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "room.wmdb");
    wm_map* map = room_map(WM_DIAGONAL_NONE);
    wm_map* squeeze = room_map(WM_DIAGONAL_SQUEEZE);
    wm_map* other = map_random(5, 30);
    assert_true(db_build_file(map, 20, false, 1, &path));
    wm_db* db = NULL;
    wm_error error = {""};
    wm_db_config config = wm_db_config_default();
    config.name = "map";
    assert_int_equal(wm_db_open(&db, other, path.text, &config, &error), WM_ERR_MISMATCH);
    assert_true(is_sentence(&error));
    assert_int_equal(wm_db_open(&db, squeeze, path.text, &config, &error), WM_ERR_MISMATCH);
    assert_true(is_sentence(&error));
    // An agent does not take it either.
    assert_int_equal(wm_db_open(&db, map, path.text, &config, &error), WM_OK);
    wm_agent* agent = NULL;
    assert_int_equal(create_agent(&agent, squeeze, db, "knn-lrta", &error), WM_ERR_MISMATCH);
    assert_true(is_sentence(&error));
    assert_int_equal(create_agent(&agent, other, db, "astar", &error), WM_ERR_MISMATCH);
    // Nor on another copy of the same map: it may be edited while this one is not.
    wm_map* copy = room_map(WM_DIAGONAL_NONE);
    assert_int_equal(create_agent(&agent, copy, db, "knn-lrta", &error), WM_ERR_MISMATCH);
    assert_contains(error.message, "open it again");
    assert_null(agent);
    wm_map_unload(copy);
    wm_db_close(db);
    wm_map_unload(other);
    wm_map_unload(squeeze);
    wm_map_unload(map);
    scratch_remove(&folder);
}

// ---------------------------------------------------------------------------------------------
// Agents

static void malformed_algorithms_are_refused_with_a_sentence(void** state)
{
    (void)state;
    static const char* const specs[] = {
        "",
        ":",
        "nobody",
        "TB-WA",
        "tb-wa ",
        " tb-wa",
        "tb",
        "tb-wa:",
        "tb-wa::",
        "tb-wa:k=1:",
        "tb-wa::k=1",
        "tb-wa:k",
        "tb-wa:k=",
        "tb-wa:=1",
        "tb-wa:K=1",
        "tb-wa:x=1",
        "tb-wa:k=0",
        "tb-wa:k=-1",
        "tb-wa:k=+1",
        "tb-wa:k= 1",
        "tb-wa:k=1 ",
        "tb-wa:k=1.5",
        "tb-wa:k=1e9",
        "tb-wa:k=0x10",
        "tb-wa:k=1000000001",
        "tb-wa:k=99999999999999999999",
        "tb-wa:k=18446744073709551617",
        "tb-wa:k=1=1",
        "tb-wa:w=0.5",
        "tb-wa:w=0.999",
        "tb-wa:w=1000.001",
        "tb-wa:w=1.0001",
        "tb-wa:w=.5",
        "tb-wa:w=1,5",
        "tb-wa:w=1.5.5",
        "tb-wa:w=inf",
        "tb-wa:w=nan",
        "tb-wa:w=99999999999999999999.5",
        "tba:w=1",
        "astar:k=1",
        "prta:",
        "lrta:d=0",
        "lrta:d=9",
        "lrta:k=1",
        "tb-gbfs:k=1:w=2",
    };
    wm_map* map = room_map(WM_DIAGONAL_NONE);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        wm_agent* agent = NULL;
        wm_error error = {""};
        const wm_status status = create_agent(&agent, map, NULL, specs[i], &error);
        if (status != WM_ERR_ARGUMENT || agent != NULL || !is_sentence(&error))
            fail_msg("\"%s\" gave %s: %s", specs[i], wm_status_name(status), error.message);
        assert_int_equal(create_agent(&agent, map, NULL, specs[i], NULL), WM_ERR_ARGUMENT);
    }
    wm_map_unload(map);
}

static void a_long_or_dirty_algorithm_is_refused_in_one_short_line(void** state)
{
    (void)state;
    wm_map* map = room_map(WM_DIAGONAL_NONE);
    char* spec = malloc(100001);
    static const char* const fronts[] = {"", "tb-wa:", "tb-wa:k=", "tb-wa:w=1."};
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        wm_agent* agent = NULL;
        wm_error error = {""};
        memset(spec, '9', 100000);
        spec[100000] = '\0';
        memcpy(spec, fronts[i], strlen(fronts[i]));
        assert_int_equal(create_agent(&agent, map, NULL, spec, &error), WM_ERR_ARGUMENT);
        assert_true(is_sentence(&error) && strlen(error.message) < 200);
    }
    free(spec);
    // What is quoted from it is printable.
    wm_agent* agent = NULL;
    wm_error error = {""};
    assert_int_equal(create_agent(&agent, map, NULL, "tb\nwa", &error), WM_ERR_ARGUMENT);
    assert_true(is_sentence(&error));
    assert_int_equal(create_agent(&agent, map, NULL, "tb-wa:k=\n", &error), WM_ERR_ARGUMENT);
    assert_true(is_sentence(&error));
    wm_map_unload(map);
}

static void good_algorithms_are_accepted(void** state)
{
    (void)state;
    static const char* const specs[] = {
        "astar",         "lrta",          "lrta:d=8",         "tba:k=1",
        "tb-wa",         "tb-wa:w=1",     "tb-wa:w=1.5",      "tb-wa:w=1000:k=1000000000",
        "tb-wa:k=7:w=3", "tb-wa:w=2.125", "tb-wa:w=1000.000", "tb-gbfs:k=0025",
        "prta",
    };
    wm_map* map = room_map(WM_DIAGONAL_NONE);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        wm_agent* agent = NULL;
        wm_error error = {""};
        if (create_agent(&agent, map, NULL, specs[i], &error) != WM_OK)
            fail_msg("%s: %s", specs[i], error.message);
        wm_agent_destroy(agent);
    }
    wm_map_unload(map);
}

static void mistakes_with_agents_are_refused(void** state)
{
    (void)state;
    wm_map* map = room_map(WM_DIAGONAL_NONE);
    const wm_agent_config good = wm_agent_config_default();
    const wm_agent_config forgotten = {.algorithm = "astar"};
    wm_agent_config nameless = good;
    nameless.algorithm = NULL;
    wm_agent* agent = NULL;
    wm_error error = {""};
    assert_int_equal(wm_agent_create(NULL, map, NULL, &good, &error), WM_ERR_ARGUMENT);
    assert_int_equal(wm_agent_create(&agent, NULL, NULL, &good, &error), WM_ERR_ARGUMENT);
    assert_int_equal(wm_agent_create(&agent, map, NULL, NULL, &error), WM_ERR_ARGUMENT);
    assert_int_equal(wm_agent_create(&agent, map, NULL, &forgotten, &error), WM_ERR_ARGUMENT);
    assert_contains(error.message, "wm_agent_config_default");
    assert_int_equal(wm_agent_create(&agent, map, NULL, &nameless, &error), WM_ERR_ARGUMENT);
    assert_int_equal(create_agent(&agent, map, NULL, "knn-lrta", &error), WM_ERR_ARGUMENT);
    assert_contains(error.message, "database");
    assert_int_equal(create_agent(&agent, map, NULL, "tb-wa:k=0", &error), WM_ERR_ARGUMENT);
    assert_contains(error.message, "k=0");
    assert_int_equal(wm_agent_begin(NULL, HERE, THERE), WM_ERR_ARGUMENT);
    assert_int_equal(wm_agent_step(NULL), WM_ERR_ARGUMENT);
    wm_agent_destroy(NULL);
    wm_map_unload(map);
}

static void check_idle(wm_agent* agent)
{
    assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
    assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
}

static void an_agent_steps_only_between_begin_and_arrival(void** state)
{
    (void)state;
    wm_map* map = room_map(WM_DIAGONAL_NONE);
    wm_db* db = db_build(map, 20, false, 1);
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        wm_agent* agent = agent_create(map, db, wm_algorithm_at(i)->name, false);
        check_idle(agent);
        static const wm_point outside[] = {{-1, 0}, {7, 3}, {0, 4}, {INT32_MAX, INT32_MIN}};
        for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
            assert_int_equal(wm_agent_begin(agent, outside[k], THERE), WM_ERR_ARGUMENT);
            check_idle(agent);
            assert_int_equal(wm_agent_begin(agent, HERE, outside[k]), WM_ERR_ARGUMENT);
            check_idle(agent);
        }
        assert_int_equal(wm_agent_begin(agent, PILLAR, THERE), WM_ERR_BLOCKED);
        check_idle(agent);
        assert_int_equal(wm_agent_begin(agent, HERE, PILLAR), WM_ERR_BLOCKED);
        check_idle(agent);
        assert_int_equal(wm_agent_begin(agent, HERE, HERE), WM_ARRIVED);
        check_idle(agent);
        assert_int_equal(wm_agent_begin(agent, HERE, ISLAND), WM_NO_PATH);
        check_idle(agent);
        assert_int_equal(wm_agent_begin(agent, HERE, THERE), WM_OK);
        wm_status status = WM_OK;
        for (int k = 0; k < MAX_STEPS && status == WM_OK; k++) status = wm_agent_step(agent);
        assert_int_equal(status, WM_ARRIVED);
        const wm_point end = wm_agent_position(agent);
        assert_true(end.x == THERE.x && end.y == THERE.y);
        check_idle(agent);
        wm_agent_destroy(agent);
    }
    wm_db_close(db);
    wm_map_unload(map);
}

static void a_second_begin_starts_anew_and_a_bad_one_stops_the_agent(void** state)
{
    (void)state;
    wm_map* map = room_map(WM_DIAGONAL_NONE);
    wm_db* db = db_build(map, 20, false, 1);
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        wm_agent* agent = agent_create(map, db, wm_algorithm_at(i)->name, false);
        assert_int_equal(wm_agent_begin(agent, HERE, THERE), WM_OK);
        assert_int_equal(wm_agent_step(agent), WM_OK);
        assert_int_equal(wm_agent_step(agent), WM_OK);
        assert_true(wm_agent_statistics(agent).moves == 2);
        assert_int_equal(wm_agent_begin(agent, HERE, THERE), WM_OK);
        const wm_agent_stats stats = wm_agent_statistics(agent);
        assert_true(stats.moves == 0 && stats.expansions == 0 && stats.cost == 0 &&
                    stats.waits == 0 && stats.back_moves == 0 &&
                    stats.max_expansions_per_move == 0);
        assert_true(wm_agent_position(agent).x == HERE.x && wm_agent_position(agent).y == HERE.y);
        assert_int_equal(wm_agent_step(agent), WM_OK);
        assert_int_equal(wm_agent_begin(agent, HERE, PILLAR), WM_ERR_BLOCKED);
        check_idle(agent);
        wm_agent_destroy(agent);
    }
    wm_db_close(db);
    wm_map_unload(map);
}

static void every_status_has_a_name(void** state)
{
    (void)state;
    for (int status = WM_ERR_SHORT; status <= WM_NO_PATH; status++) {
        const char* name = wm_status_name((wm_status)status);
        assert_non_null(name);
        for (int other = WM_ERR_SHORT; other < status; other++)
            assert_string_not_equal(name, wm_status_name((wm_status)other));
    }
    assert_non_null(wm_status_name((wm_status)1234));
}

// ---------------------------------------------------------------------------------------------
// Memory

// Gives out dirty memory, wants every block back with its size, and fails on demand.
typedef struct strict_memory {
    size_t calls;
    size_t fail_at; // from 1; 0 for never
    size_t bytes;
    size_t blocks;
} strict_memory;

#define BLOCK_FRONT 32

static void* strict_allocate(void* user, size_t size_bytes, size_t alignment)
{
    strict_memory* memory = user;
    assert_true(size_bytes > 0);
    assert_true(alignment > 0 && (alignment & (alignment - 1)) == 0 && alignment <= BLOCK_FRONT);
    if (++memory->calls == memory->fail_at) return NULL;
    uint8_t* block = malloc(BLOCK_FRONT + size_bytes);
    assert_non_null(block);
    memset(block, 0xA5, BLOCK_FRONT + size_bytes);
    memcpy(block, &size_bytes, sizeof size_bytes);
    memory->bytes += size_bytes;
    memory->blocks++;
    return block + BLOCK_FRONT;
}

static void strict_release(void* user, void* block, size_t size_bytes)
{
    strict_memory* memory = user;
    assert_non_null(block);
    uint8_t* front = (uint8_t*)block - BLOCK_FRONT;
    size_t size;
    memcpy(&size, front, sizeof size);
    assert_true(size == size_bytes);
    memset(front, 0x5A, BLOCK_FRONT + size);
    memory->bytes -= size;
    memory->blocks--;
    free(front);
}

static wm_allocator strict_allocator(strict_memory* memory)
{
    return (wm_allocator){strict_allocate, strict_release, memory};
}

// One function without the other would be memory of one allocator given back to another, or never.
static void half_an_allocator_is_refused(void** state)
{
    (void)state;
    strict_memory memory = {0};
    const wm_allocator whole = strict_allocator(&memory);
    const wm_allocator halves[] = {{whole.allocate, NULL, &memory}, {NULL, whole.release, &memory}};
    wm_map* map = room_map(WM_DIAGONAL_NONE);
    for (size_t i = 0; i < 2; i++) {
        wm_map_config map_config = wm_map_config_default();
        wm_db_config db_config = wm_db_config_default();
        wm_scratch_config scratch_config = wm_scratch_config_default();
        wm_agent_config agent_config = wm_agent_config_default();
        map_config.allocator = db_config.allocator = scratch_config.allocator =
            agent_config.allocator = halves[i];
        wm_map* made = NULL;
        wm_db* db = NULL;
        wm_scratch* scratch = NULL;
        wm_agent* agent = NULL;
        wm_error errors[6] = {{""}};
        const wm_status statuses[] = {
            wm_map_create(&made, room, ROOM_WIDTH, ROOM_HEIGHT, ROOM_WIDTH, &map_config,
                          &errors[0]),
            wm_map_load(&made, "x.map", &map_config, &errors[1]),
            wm_db_open(&db, map, "x.wmdb", &db_config, &errors[2]),
            wm_db_open_memory(&db, map, "x", 1, &db_config, &errors[3]),
            wm_scratch_create(&scratch, map, &scratch_config, &errors[4]),
            wm_agent_create(&agent, map, NULL, &agent_config, &errors[5]),
        };
        for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++) {
            if (statuses[k] != WM_ERR_ARGUMENT)
                fail_msg("call %zu gave %s", k, wm_status_name(statuses[k]));
            assert_contains(errors[k].message, i == 0 ? "release" : "allocate");
        }
        assert_true(made == NULL && db == NULL && scratch == NULL && agent == NULL);
    }
    assert_true(memory.calls == 0);
    wm_map_unload(map);
}

// What the failing calls work on.
typedef struct memory_case {
    wm_allocator allocator;
    const char* map_path;
    const char* db_path;
    const wm_map* map;
    const wm_db* db;
    const char* algorithm;
} memory_case;

static wm_status make_map(const memory_case* c, wm_error* error)
{
    wm_map* map = NULL;
    wm_map_config config = wm_map_config_default();
    config.allocator = c->allocator;
    const wm_status status =
        wm_map_create(&map, room, ROOM_WIDTH, ROOM_HEIGHT, ROOM_WIDTH, &config, error);
    assert_true((map != NULL) == (status == WM_OK));
    wm_map_unload(map);
    return status;
}

static wm_status load_map(const memory_case* c, wm_error* error)
{
    wm_map* map = NULL;
    wm_map_config config = wm_map_config_default();
    config.allocator = c->allocator;
    const wm_status status = wm_map_load(&map, c->map_path, &config, error);
    assert_true((map != NULL) == (status == WM_OK));
    wm_map_unload(map);
    return status;
}

static wm_status open_db(const memory_case* c, wm_error* error)
{
    wm_db* db = NULL;
    wm_db_config config = wm_db_config_default();
    config.allocator = c->allocator;
    const wm_status status = wm_db_open(&db, c->map, c->db_path, &config, error);
    assert_true((db != NULL) == (status == WM_OK));
    wm_db_close(db);
    return status;
}

static wm_status make_agent(const memory_case* c, wm_error* error)
{
    wm_agent* agent = NULL;
    wm_agent_config config = wm_agent_config_default();
    config.allocator = c->allocator;
    config.algorithm = c->algorithm;
    const wm_status status = wm_agent_create(&agent, c->map, c->db, &config, error);
    assert_true((agent != NULL) == (status == WM_OK));
    wm_agent_destroy(agent);
    return status;
}

// Fails the first allocation, then the second, and so on until the call succeeds.
static void fail_every_allocation(memory_case* c,
                                  wm_status (*call)(const memory_case* c, wm_error* error),
                                  const char* what)
{
    wm_status status = WM_ERR_MEMORY;
    size_t n = 0;
    while (status == WM_ERR_MEMORY) {
        strict_memory memory = {.fail_at = ++n};
        wm_error error = {""};
        c->allocator = strict_allocator(&memory);
        status = call(c, n % 2 == 0 ? NULL : &error);
        if (memory.bytes != 0 || memory.blocks != 0)
            fail_msg("%s: %zu bytes leak when allocation %zu fails", what, memory.bytes, n);
        if (status == WM_ERR_MEMORY && n % 2 != 0) assert_contains(error.message, "memory");
        assert_true(n < 1000);
    }
    if (status != WM_OK) fail_msg("%s: %s instead of out of memory", what, wm_status_name(status));
    if (n < 2) fail_msg("%s does not use the allocator that it was given", what);
}

static void every_failed_allocation_is_told_and_nothing_leaks(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path map_path = scratch_path(&folder, "room.map");
    const test_path db_path = scratch_path(&folder, "room.wmdb");
    file_put_text(&map_path, "type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n");
    wm_map* map = room_map(WM_DIAGONAL_NONE);
    assert_true(db_build_file(map, 200, true, 1, &db_path));
    wm_db* db = NULL;
    const wm_db_config config = wm_db_config_default();
    assert_int_equal(wm_db_open(&db, map, db_path.text, &config, NULL), WM_OK);
    memory_case c = {.map_path = map_path.text, .db_path = db_path.text, .map = map, .db = db};
    fail_every_allocation(&c, make_map, "wm_map_create");
    fail_every_allocation(&c, load_map, "wm_map_load");
    fail_every_allocation(&c, open_db, "wm_db_open");
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        c.algorithm = wm_algorithm_at(i)->name;
        fail_every_allocation(&c, make_agent, c.algorithm);
    }
    wm_db_close(db);
    wm_map_unload(map);
    scratch_remove(&folder);
}

// Walks with all three objects in strict memory and gives everything back.
static walk strict_walk(const wm_map* plain, const test_path* db_path, const char* algorithm,
                        wm_cell start, wm_cell goal)
{
    strict_memory map_memory = {0};
    strict_memory db_memory = {0};
    strict_memory agent_memory = {0};
    wm_map_config map_config = wm_map_config_default();
    wm_db_config db_config = wm_db_config_default();
    wm_agent_config agent_config = wm_agent_config_default();
    map_config.allocator = strict_allocator(&map_memory);
    map_config.diagonal = plain->grid.diagonal;
    db_config.allocator = strict_allocator(&db_memory);
    agent_config.allocator = strict_allocator(&agent_memory);
    agent_config.algorithm = algorithm;

    uint8_t* cells = malloc(plain->grid.cell_count);
    for (wm_cell i = 0; i < plain->grid.cell_count; i++)
        cells[i] = wm_grid_is_open(&plain->grid, i);
    const int32_t width = wm_map_width(plain);
    wm_map* map = NULL;
    wm_db* db = NULL;
    wm_agent* agent = NULL;
    assert_int_equal(
        wm_map_create(&map, cells, width, wm_map_height(plain), (size_t)width, &map_config, NULL),
        WM_OK);
    free(cells);
    assert_int_equal(wm_db_open(&db, map, db_path->text, &db_config, NULL), WM_OK);
    assert_int_equal(wm_agent_create(&agent, map, db, &agent_config, NULL), WM_OK);
    assert_true(agent_memory.calls > 0);
    assert_true(wm_agent_statistics(agent).memory_bytes == agent_memory.bytes);
    const size_t calls = map_memory.calls + db_memory.calls + agent_memory.calls;
    const size_t blocks = map_memory.blocks + db_memory.blocks + agent_memory.blocks;
    walk w = walk_take(agent, start, goal, MAX_STEPS);
    // Begun and stepped to the end: nobody has asked for memory or given any back.
    assert_int_equal(map_memory.calls + db_memory.calls + agent_memory.calls, calls);
    assert_int_equal(map_memory.blocks + db_memory.blocks + agent_memory.blocks, blocks);
    wm_agent_destroy(agent);
    wm_db_close(db);
    wm_map_unload(map);
    assert_true(agent_memory.bytes == 0 && db_memory.bytes == 0 && map_memory.bytes == 0);
    return w;
}

static void stepping_allocates_nothing_and_dirty_memory_changes_nothing(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "caves.wmdb");
    wm_map* map = map_generated(WM_GENERATE_CAVES, 50, 40, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                3, WM_DIAGONAL_NONE);
    assert_true(db_build_file(map, 300, true, 3, &path));
    wm_db* db = NULL;
    const wm_db_config config = wm_db_config_default();
    assert_int_equal(wm_db_open(&db, map, path.text, &config, NULL), WM_OK);
    wm_rng rng = wm_rng_start(3, 1);
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const char* name = wm_algorithm_at(i)->name;
        wm_agent* agent = agent_create(map, db, name, false);
        for (int k = 0; k < 5; k++) {
            wm_cell start;
            wm_cell goal;
            assert_true(random_problem(&map->grid, &rng, &start, &goal));
            walk expected = walk_take(agent, start, goal, MAX_STEPS);
            walk actual = strict_walk(map, &path, name, start, goal);
            assert_same_walk(&actual, &expected, name, 3);
            walk_free(&actual);
            walk_free(&expected);
        }
        wm_agent_destroy(agent);
    }
    wm_db_close(db);
    wm_map_unload(map);
    scratch_remove(&folder);
}

// ---------------------------------------------------------------------------------------------
// Threads

typedef struct errand {
    const wm_map* map;
    const wm_db* db;
    uint64_t seed;
    uint64_t moves;
    uint64_t expansions;
    bool failed;
} errand;

// No assertions: cmocka keeps its state per thread.
static void* run_errand(void* argument)
{
    errand* e = argument;
    wm_rng rng = wm_rng_start(e->seed, 4);
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        wm_agent* agent = NULL;
        if (create_agent(&agent, e->map, e->db, wm_algorithm_at(i)->name, NULL) != WM_OK) {
            e->failed = true;
            return NULL;
        }
        for (int k = 0; k < 3; k++) {
            const wm_cell start = (wm_cell)wm_rng_below(&rng, e->map->grid.cell_count);
            const wm_cell goal = (wm_cell)wm_rng_below(&rng, e->map->grid.cell_count);
            wm_status status = wm_agent_begin(agent, wm_grid_point(&e->map->grid, start),
                                              wm_grid_point(&e->map->grid, goal));
            for (int step = 0; step < MAX_STEPS && status == WM_OK; step++)
                status = wm_agent_step(agent);
            e->moves += wm_agent_statistics(agent).moves;
            e->expansions += wm_agent_statistics(agent).expansions;
        }
        wm_agent_destroy(agent);
    }
    return NULL;
}

static void agents_of_several_threads_share_a_map_and_a_database(void** state)
{
    (void)state;
    enum { THREADS = 4 };
    wm_map* map =
        map_generated(WM_GENERATE_ROOMS, 48, 48, WM_GENERATE_DEFAULT, 8, 2, WM_DIAGONAL_NONE);
    wm_db* db = db_build(map, 300, false, 2);
    errand alone[THREADS];
    errand together[THREADS];
    pthread_t threads[THREADS];
    for (uint64_t i = 0; i < THREADS; i++) {
        alone[i] = together[i] = (errand){.map = map, .db = db, .seed = i};
        run_errand(&alone[i]);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_errand, &together[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_false(alone[i].failed || together[i].failed);
        assert_true(alone[i].moves > 0);
        assert_true(together[i].moves == alone[i].moves);
        assert_true(together[i].expansions == alone[i].expansions);
    }
    wm_db_close(db);
    wm_map_unload(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_answers_questions_about_any_point),
        cmocka_unit_test(the_cells_are_copied_and_the_stride_is_kept_to),
        cmocka_unit_test(mistakes_with_maps_are_refused),
        cmocka_unit_test(nothing_comes_out_of_a_call_that_fails),
        cmocka_unit_test(mistakes_with_databases_are_refused),
        cmocka_unit_test(a_database_of_another_map_is_refused),
        cmocka_unit_test(malformed_algorithms_are_refused_with_a_sentence),
        cmocka_unit_test(a_long_or_dirty_algorithm_is_refused_in_one_short_line),
        cmocka_unit_test(good_algorithms_are_accepted),
        cmocka_unit_test(mistakes_with_agents_are_refused),
        cmocka_unit_test(an_agent_steps_only_between_begin_and_arrival),
        cmocka_unit_test(a_second_begin_starts_anew_and_a_bad_one_stops_the_agent),
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(half_an_allocator_is_refused),
        cmocka_unit_test(every_failed_allocation_is_told_and_nothing_leaks),
        cmocka_unit_test(stepping_allocates_nothing_and_dirty_memory_changes_nothing),
        cmocka_unit_test(agents_of_several_threads_share_a_map_and_a_database),
    };
    return cmocka_run_group_tests_name("agent", tests, NULL, NULL);
}
