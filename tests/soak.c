// SPDX-License-Identifier: MIT
//
// Ten thousand agents of all algorithms on one map that changes every 100 ms, for as long as is
// wanted. Fails where memory grows after the warm-up, where a step takes more expansions than its
// algorithm may, or where a call says what it must not.
//
//   soak [SECONDS [AGENTS]]
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "algorithms/algorithm.h"
#include "walk.h"

#define SIDE 64
#define EDIT_MS 100
#define EDIT_CELLS 3
#define EDITS_KEPT 30
#define FRAME_EXPANSIONS 100000
// To find a place in a full scratch takes longer the more agents share it.
#define SCRATCHES 128
#define SCRATCH_BYTES ((size_t)2 << 20)
// Whoever may exceed the frame's bound is stepped as the first of a call only.
#define CALLS_A_FRAME 60
// Agents that are looked at in a frame for their end.
#define ENDS_A_FRAME 1000
// What is destroyed and made anew in a frame.
#define SPAWNS 4
// Of the resident set; what malloc and the kernel do with it is not ours.
#define SLACK_PAGES 512

typedef struct soak {
    wm_map* map;
    wm_db* db;
    wm_scratch* scratches[SCRATCHES];
    wm_agent** agents;
    size_t count;
    size_t next; // whose end is looked at
    wm_point changed[EDITS_KEPT][EDIT_CELLS];
    test_memory memory; // of all that the library allocates
    wm_rng rng;
    uint64_t begun, full, ended, lost, edits, frames, steps, expansions;
    uint64_t* worst; // per algorithm
} soak;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t resident_pages(void)
{
    size_t size = 0;
    size_t resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%zu %zu", &size, &resident) != 2) resident = 0;
    fclose(file);
    return resident;
}

// Those of one algorithm stand together, as units of one kind do in a game.
static size_t kind_of(const soak* s, size_t agent)
{
    return agent * wm_algorithm_count() / s->count;
}

static const wm_algorithm* algorithm_of(const soak* s, size_t agent)
{
    return wm_algorithm_at(kind_of(s, agent));
}

static void spawn(soak* s, size_t i)
{
    wm_error error = {""};
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = algorithm_of(s, i)->name;
    config.scratch = s->scratches[i % SCRATCHES];
    config.allocator = test_allocator(&s->memory);
    config.nearest_goal = i % 2 == 1;
    wm_agent_destroy(s->agents[i]);
    if (wm_agent_create(&s->agents[i], s->map, s->db, &config, &error) != WM_OK)
        fail_msg("%s: %s", config.algorithm, error.message);
}

static wm_point random_point(soak* s)
{
    return (wm_point){(int32_t)wm_rng_below(&s->rng, SIDE), (int32_t)wm_rng_below(&s->rng, SIDE)};
}

static wm_point open_point(soak* s)
{
    wm_point point = random_point(s);
    for (int tries = 0; tries < 20 && !wm_map_is_open(s->map, point); tries++)
        point = random_point(s);
    return point;
}

// What became of the walk, and a new one. A full scratch means: later.
static void send_on(soak* s, size_t i)
{
    wm_agent* agent = s->agents[i];
    const wm_agent_stats stats = wm_agent_statistics(agent);
    uint64_t* worst = &s->worst[kind_of(s, i)];
    if (stats.max_expansions_per_move > agent->most_expansions)
        fail_msg("%s took %" PRIu64 " expansions in a step, and %" PRIu64 " are its bound",
                 algorithm_of(s, i)->name, stats.max_expansions_per_move, agent->most_expansions);
    if (stats.max_expansions_per_move > *worst) *worst = stats.max_expansions_per_move;
    const wm_status was = wm_agent_result(agent);
    if (was == WM_ARRIVED) s->ended++;
    if (was == WM_NO_PATH || was == WM_ERR_BLOCKED) s->lost++;
    if (was < 0 && was != WM_ERR_BLOCKED && was != WM_ERR_ARGUMENT && was != WM_ERR_MEMORY)
        fail_msg("%s: %s", algorithm_of(s, i)->name, wm_status_name(was));
    const wm_status status = wm_agent_begin(agent, open_point(s), open_point(s));
    s->begun += status == WM_OK;
    s->full += status == WM_ERR_MEMORY;
}

// Changes some cells, and changes those back that were changed a while ago, or the map would turn
// into noise.
static void edit(soak* s)
{
    wm_cell_edit edits[2 * EDIT_CELLS];
    wm_point* old = s->changed[s->edits % EDITS_KEPT];
    size_t count = 0;
    for (size_t i = 0; i < EDIT_CELLS && s->edits >= EDITS_KEPT; i++)
        edits[count++] = (wm_cell_edit){old[i], !wm_map_is_open(s->map, old[i])};
    for (size_t i = 0; i < EDIT_CELLS; i++) {
        old[i] = random_point(s);
        edits[count++] = (wm_cell_edit){old[i], !wm_map_is_open(s->map, old[i])};
    }
    wm_error error = {""};
    if (wm_map_edit(s->map, edits, count, &error) != WM_OK) fail_msg("%s", error.message);
    s->edits++;
}

static void set_up(soak* s, size_t count)
{
    const wm_generate_options options = {.density = WM_GENERATE_DEFAULT, .grain = 12};
    uint8_t open[SIDE * SIDE];
    wm_map_config config = wm_map_config_default();
    wm_scratch_config scratch = wm_scratch_config_default();
    *s = (soak){.count = count, .rng = wm_rng_start(6, 0)};
    config.editable = true;
    config.allocator = test_allocator(&s->memory);
    scratch.bytes = SCRATCH_BYTES;
    scratch.allocator = config.allocator;
    assert_int_equal(wm_generate(open, SIDE, SIDE, WM_GENERATE_ROOMS, &options, 1, NULL), WM_OK);
    assert_int_equal(wm_map_create(&s->map, open, SIDE, SIDE, SIDE, &config, NULL), WM_OK);
    s->db = db_build(s->map, 500, true, 1);
    assert_non_null(s->db);
    for (int i = 0; i < SCRATCHES; i++)
        assert_int_equal(wm_scratch_create(&s->scratches[i], s->map, &scratch, NULL), WM_OK);
    s->agents = calloc(count, sizeof *s->agents);
    s->worst = calloc(wm_algorithm_count(), sizeof *s->worst);
    for (size_t i = 0; i < count; i++) spawn(s, i);
}

static void tear_down(soak* s)
{
    for (size_t i = 0; i < s->count; i++) wm_agent_destroy(s->agents[i]);
    for (int i = 0; i < SCRATCHES; i++) wm_scratch_destroy(s->scratches[i]);
    wm_db_close(s->db);
    wm_map_unload(s->map);
    assert_int_equal(s->memory.bytes, 0);
    free(s->agents);
    free(s->worst);
}

static void run_frame(soak* s, wm_frame* frame)
{
    for (size_t i = 0; i < ENDS_A_FRAME; i++, s->next = (s->next + 1) % s->count) {
        if (wm_agent_result(s->agents[s->next]) != WM_OK) send_on(s, s->next);
    }
    for (int i = 0; i < CALLS_A_FRAME; i++) {
        assert_int_equal(wm_agents_step(s->agents, s->count, frame), WM_OK);
        s->expansions += frame->expansions;
        s->steps += frame->moved;
    }
    for (int i = 0; i < SPAWNS; i++) spawn(s, wm_rng_below(&s->rng, s->count));
    s->frames++;
}

static void report(const soak* s, double seconds)
{
    printf("%zu agents, %.0f s: %" PRIu64 " frames, %" PRIu64 " steps, %" PRIu64
           " expansions, %" PRIu64 " edits, %" PRIu64 " walks begun, %" PRIu64 " arrived, %" PRIu64
           " without a path, %" PRIu64 " times the scratch was full\n",
           s->count, seconds, s->frames, s->steps, s->expansions, s->edits, s->begun, s->ended,
           s->lost, s->full);
    for (size_t i = 0; i < s->count; i++) {
        if (i > 0 && kind_of(s, i) == kind_of(s, i - 1)) continue;
        const uint64_t bound = s->agents[i]->most_expansions;
        printf("  %-10s at most %" PRIu64 " in a step", algorithm_of(s, i)->name,
               s->worst[kind_of(s, i)]);
        if (bound == UINT64_MAX)
            printf(", unbounded\n");
        else
            printf(" of %" PRIu64 "\n", bound);
    }
}

static double wanted_seconds;
static size_t wanted_agents;

static void nothing_grows_and_every_step_keeps_to_its_bound(void** state)
{
    (void)state;
    soak s;
    wm_frame frame = {.max_expansions = FRAME_EXPANSIONS};
    size_t warm_bytes = 0;
    size_t warm_pages = 0;
    set_up(&s, wanted_agents);
    const double begin = now_s();
    double next_edit = begin;
    double now = begin;
    for (; now < begin + wanted_seconds; now = now_s()) {
        if (now >= next_edit) {
            edit(&s);
            next_edit = now + EDIT_MS / 1000.0;
        }
        run_frame(&s, &frame);
        // The first half is the warm-up: all that will be touched has been, then.
        if (now < begin + wanted_seconds / 2) {
            if (s.memory.bytes > warm_bytes) warm_bytes = s.memory.bytes;
            warm_pages = resident_pages();
        } else if (s.memory.bytes > warm_bytes + warm_bytes / 100) {
            fail_msg("%zu bytes have become %zu", warm_bytes, s.memory.bytes);
        }
    }
    const size_t pages = resident_pages();
    report(&s, now - begin);
    printf("memory: %zu bytes of the library's; resident pages %zu after the warm-up, %zu at the "
           "end\n",
           s.memory.bytes, warm_pages, pages);
    assert_true(s.edits > 0 && s.begun > 0 && s.ended > 0);
#ifndef __SANITIZE_ADDRESS__ // which keeps freed memory
    if (wanted_seconds >= 60 && pages > warm_pages + SLACK_PAGES)
        fail_msg("%zu resident pages have become %zu", warm_pages, pages);
#endif
    tear_down(&s);
}

int main(int argc, char** argv)
{
    wanted_seconds = argc > 1 ? atof(argv[1]) : 3;
    wanted_agents = argc > 2 ? (size_t)atol(argv[2]) : 10000;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_grows_and_every_step_keeps_to_its_bound),
    };
    return cmocka_run_group_tests_name("soak", tests, NULL, NULL);
}
