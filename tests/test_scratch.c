// SPDX-License-Identifier: MIT
//
// Agents that share a scratch walk as those with memory of their own, whoever used it before; a full
// scratch is told; and no agent asks for memory once it is there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scratch.h"
#include "walk.h"

#define MAX_STEPS 100000
#define MAX_AGENTS 40

typedef struct world {
    wm_map* map;
    wm_db* db;
    wm_rng rng;
} world;

static world world_create(uint64_t seed)
{
    world w = {.rng = wm_rng_start(seed, 11)};
    for (uint64_t other = seed; w.db == NULL; other += 1000) {
        wm_map_unload(w.map);
        w.map = map_random_editable(other, 20);
        w.db = db_build(w.map, 30, false, other);
    }
    return w;
}

static void world_free(world* w)
{
    wm_db_close(w->db);
    wm_map_unload(w->map);
}

static wm_scratch* scratch_of(const wm_map* map, size_t bytes)
{
    wm_scratch_config config = wm_scratch_config_default();
    wm_scratch* scratch = NULL;
    wm_error error = {""};
    config.bytes = bytes;
    if (wm_scratch_create(&scratch, map, &config, &error) != WM_OK) fail_msg("%s", error.message);
    return scratch;
}

static wm_status try_agent(wm_agent** agent, const world* w, const char* spec, wm_scratch* scratch,
                           wm_terrain terrain, wm_error* error)
{
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = spec;
    config.scratch = scratch;
    config.terrain = terrain;
    return wm_agent_create(agent, w->map, w->db, &config, error);
}

static wm_agent* agent_of(const world* w, const char* spec, wm_scratch* scratch)
{
    wm_agent* agent = NULL;
    wm_error error = {""};
    if (try_agent(&agent, w, spec, scratch, WM_TERRAIN_KNOWN, &error) != WM_OK)
        fail_msg("%s: %s", spec, error.message);
    return agent;
}

// What an agent takes of a scratch.
static size_t share_of(const world* w, const char* spec)
{
    wm_scratch* scratch = scratch_of(w->map, 0);
    wm_agent* agent = agent_of(w, spec, scratch);
    world copy = *w;
    wm_cell start;
    wm_cell goal;
    const size_t before = wm_agent_statistics(agent).memory_bytes;
    assert_true(random_problem(&w->map->grid, &copy.rng, &start, &goal));
    assert_int_equal(wm_agent_begin(agent, wm_grid_point(&w->map->grid, start),
                                    wm_grid_point(&w->map->grid, goal)),
                     WM_OK);
    const size_t after = wm_agent_statistics(agent).memory_bytes;
    wm_agent_destroy(agent);
    wm_scratch_destroy(scratch);
    return after - before;
}

static void edit_randomly(world* w, int cells)
{
    for (int i = 0; i < cells; i++) {
        const wm_cell cell = (wm_cell)wm_rng_below(&w->rng, w->map->grid.cell_count);
        const wm_cell_edit edit = {wm_grid_point(&w->map->grid, cell),
                                   !wm_grid_is_open(&w->map->grid, cell)};
        assert_int_equal(wm_map_edit(w->map, &edit, 1, NULL), WM_OK);
    }
}

// ---------------------------------------------------------------------------------------------
// The same walks

static void every_algorithm_walks_alike_with_a_scratch(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 15; seed++) {
        world w = world_create(seed);
        for (int edited = 0; edited < 2; edited++) {
            wm_scratch* scratch = scratch_of(w.map, 0);
            for (size_t i = 0; i < wm_algorithm_count(); i++) {
                const char* name = wm_algorithm_at(i)->name;
                wm_agent* shares = agent_of(&w, name, scratch);
                wm_agent* alone = agent_of(&w, name, NULL);
                for (int k = 0; k < 6; k++) {
                    wm_cell start;
                    wm_cell goal;
                    if (!random_problem(&w.map->grid, &w.rng, &start, &goal)) continue;
                    // Now and then one is left half way.
                    const size_t steps = k % 3 == 0 ? 5 : MAX_STEPS;
                    walk expected = walk_take(alone, start, goal, steps);
                    walk actual = walk_take(shares, start, goal, steps);
                    assert_same_walk(&actual, &expected, name, seed);
                    walk_free(&actual);
                    walk_free(&expected);
                }
                wm_agent_destroy(alone);
                wm_agent_destroy(shares);
            }
            wm_scratch_destroy(scratch);
            edit_randomly(&w, 5); // now `regions` needs its guard
        }
        world_free(&w);
    }
}

static void unknown_terrain_is_each_agents_own(void** state)
{
    (void)state;
    static const char* const names[] = {"tb-wa", "lrta", "lss-lrta", "rths", "prta", "astar"};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        world w = world_create(seed);
        wm_scratch* scratch = scratch_of(w.map, 0);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            wm_agent* shares[2];
            wm_agent* alone = NULL;
            assert_int_equal(try_agent(&alone, &w, names[i], NULL, WM_TERRAIN_UNKNOWN, NULL),
                             WM_OK);
            for (int k = 0; k < 2; k++)
                assert_int_equal(
                    try_agent(&shares[k], &w, names[i], scratch, WM_TERRAIN_UNKNOWN, NULL), WM_OK);
            for (int k = 0; k < 4; k++) {
                wm_cell start;
                wm_cell goal;
                if (!random_problem(&w.map->grid, &w.rng, &start, &goal)) continue;
                walk expected = walk_take(alone, start, goal, MAX_STEPS);
                walk actual = walk_take(shares[k % 2], start, goal, MAX_STEPS);
                assert_same_walk(&actual, &expected, names[i], seed);
                walk_free(&actual);
                walk_free(&expected);
            }
            wm_agent_destroy(alone);
            for (int k = 0; k < 2; k++) wm_agent_destroy(shares[k]);
        }
        wm_scratch_destroy(scratch);
        world_free(&w);
    }
}

// An agent on a scratch, and its twin with memory of its own.
typedef struct pair {
    wm_agent* shares;
    wm_agent* alone;
} pair;

static void begin_both(const pair* p, world* w, bool* is_full)
{
    wm_cell start;
    wm_cell goal;
    if (!random_problem(&w->map->grid, &w->rng, &start, &goal)) return;
    const wm_point from = wm_grid_point(&w->map->grid, start);
    const wm_point to = wm_grid_point(&w->map->grid, goal);
    assert_int_equal(wm_agent_begin(p->alone, from, to), WM_OK);
    const wm_status status = wm_agent_begin(p->shares, from, to);
    if (status == WM_ERR_MEMORY) {
        *is_full = true;
        assert_int_equal(wm_agent_result(p->shares), WM_ERR_MEMORY);
        assert_int_equal(wm_agent_step(p->shares), WM_ERR_ARGUMENT);
        wm_agent_reset(p->alone);
        return;
    }
    assert_int_equal(status, WM_OK);
}

static void step_pair(const pair* p, const char* name, uint64_t seed, bool* is_full)
{
    if (wm_agent_result(p->shares) != WM_OK) return;
    const wm_status expected = wm_agent_step(p->alone);
    const wm_status actual = wm_agent_step(p->shares);
    if (actual == WM_ERR_MEMORY && expected != WM_ERR_MEMORY) {
        *is_full = true; // the guard of regions found no room
        wm_agent_reset(p->alone);
        return;
    }
    if (actual != expected || p->shares->position != p->alone->position ||
        p->shares->expansions != p->alone->expansions)
        fail_msg("%s, seed %llu: %s at %u instead of %s at %u", name, (unsigned long long)seed,
                 wm_status_name(actual), p->shares->position, wm_status_name(expected),
                 p->alone->position);
}

// Agents of all kinds come and go in any order on a scratch that is too small for all of them.
static void many_kinds_of_agents_share_a_tight_scratch(void** state)
{
    (void)state;
    bool is_full = false;
    uint64_t steps = 0;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        world w = world_create(seed);
        // The first takes most on large maps, the second on small ones.
        const size_t share = share_of(&w, "tb-wa") + share_of(&w, "prta");
        wm_scratch* scratch = scratch_of(w.map, (2 + seed % 3) * share + seed % 7 * 100);
        pair pairs[MAX_AGENTS] = {{0}};
        const char* names[MAX_AGENTS];
        for (int i = 0; i < 3000; i++) {
            const size_t at = (size_t)wm_rng_below(&w.rng, MAX_AGENTS);
            pair* p = &pairs[at];
            if (p->alone == NULL) {
                names[at] = wm_algorithm_at(at % wm_algorithm_count())->name;
                p->alone = agent_of(&w, names[at], NULL);
                p->shares = agent_of(&w, names[at], scratch);
            }
            switch (wm_rng_below(&w.rng, 40)) {
            case 0:
                wm_agent_destroy(p->alone);
                wm_agent_destroy(p->shares);
                *p = (pair){0};
                break;
            case 1:
                wm_agent_reset(p->alone);
                wm_agent_reset(p->shares);
                break;
            case 2:
                if (i % 5 == 0) edit_randomly(&w, 2);
                break;
            default:
                if (wm_agent_result(p->shares) != WM_OK) begin_both(p, &w, &is_full);
                for (int k = 0; k < 6; k++, steps++) step_pair(p, names[at], seed, &is_full);
            }
        }
        for (size_t i = 0; i < MAX_AGENTS; i++) {
            wm_agent_destroy(pairs[i].alone);
            wm_agent_destroy(pairs[i].shares);
        }
        wm_scratch_destroy(scratch);
        world_free(&w);
    }
    assert_true(is_full);
    assert_true(steps > 10000);
}

// ---------------------------------------------------------------------------------------------
// Full

static wm_status begin_anywhere(wm_agent* agent, world* w)
{
    wm_cell start;
    wm_cell goal;
    do assert_true(random_problem(&w->map->grid, &w->rng, &start, &goal));
    while (abs(wm_grid_point(&w->map->grid, start).x - wm_grid_point(&w->map->grid, goal).x) < 3);
    return wm_agent_begin(agent, wm_grid_point(&w->map->grid, start),
                          wm_grid_point(&w->map->grid, goal));
}

static void a_full_scratch_is_told_and_has_room_again_when_an_agent_ends(void** state)
{
    (void)state;
    world w = {.rng = wm_rng_start(1, 1)};
    w.map = map_generated(WM_GENERATE_ROOMS, 30, 30, WM_GENERATE_DEFAULT, 8, 2, WM_DIAGONAL_NONE);
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const char* name = wm_algorithm_at(i)->name;
        if (wm_algorithm_at(i)->needs_database) continue;
        wm_scratch* scratch = scratch_of(w.map, 2 * share_of(&w, name));
        wm_agent* agents[3];
        for (int k = 0; k < 3; k++) agents[k] = agent_of(&w, name, scratch);
        const size_t idle_bytes = wm_agent_statistics(agents[2]).memory_bytes;
        assert_true(idle_bytes < 1024);
        assert_int_equal(begin_anywhere(agents[0], &w), WM_OK);
        assert_int_equal(begin_anywhere(agents[1], &w), WM_OK);
        assert_int_equal(begin_anywhere(agents[2], &w), WM_ERR_MEMORY);
        assert_int_equal(wm_agent_result(agents[2]), WM_ERR_MEMORY);
        assert_int_equal(wm_agent_step(agents[2]), WM_ERR_ARGUMENT);
        assert_int_equal(begin_anywhere(agents[1], &w), WM_OK); // its own again
        while (wm_agent_step(agents[0]) == WM_OK) continue;     // arrival
        assert_int_equal(wm_agent_result(agents[0]), WM_ARRIVED);
        assert_int_equal(begin_anywhere(agents[2], &w), WM_OK);
        assert_int_equal(begin_anywhere(agents[0], &w), WM_ERR_MEMORY);
        wm_agent_reset(agents[2]); // reset
        assert_true(wm_agent_statistics(agents[2]).memory_bytes == idle_bytes);
        assert_int_equal(begin_anywhere(agents[0], &w), WM_OK);
        wm_agent_destroy(agents[1]); // destroy
        assert_int_equal(begin_anywhere(agents[2], &w), WM_OK);
        assert_int_equal(wm_agent_begin(agents[2], (wm_point){-1, 0}, (wm_point){0, 0}),
                         WM_ERR_ARGUMENT); // a bad begin
        agents[1] = agent_of(&w, name, scratch);
        assert_int_equal(begin_anywhere(agents[1], &w), WM_OK);
        for (int k = 0; k < 3; k++) wm_agent_destroy(agents[k]);
        wm_scratch_destroy(scratch);
    }
    wm_map_unload(w.map);
}

static void a_scratch_that_no_agent_fits_into_is_refused(void** state)
{
    (void)state;
    world w = world_create(3);
    const size_t share = share_of(&w, "tb-wa");
    wm_scratch* scratch = scratch_of(w.map, share - 1);
    wm_agent* agent = (wm_agent*)&agent;
    wm_error error = {""};
    assert_int_equal(try_agent(&agent, &w, "tb-wa", scratch, WM_TERRAIN_KNOWN, &error),
                     WM_ERR_MEMORY);
    assert_null(agent);
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%zu", share);
    assert_contains(error.message, bytes);
    wm_scratch_destroy(scratch);
    // What it told is enough.
    scratch = scratch_of(w.map, share);
    agent = agent_of(&w, "tb-wa", scratch);
    assert_int_equal(begin_anywhere(agent, &w), WM_OK);
    wm_agent_destroy(agent);
    wm_scratch_destroy(scratch);
    world_free(&w);
}

static void a_default_scratch_has_room_for_eight_agents_of_any_parameters(void** state)
{
    (void)state;
    static const char* const specs[] = {
        "lrta-ls:k=10000", "lss-lrta:k=10000", "rtaa:k=10000", "tb-wa", "rths", "prta"};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        world w = world_create(seed);
        for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
            wm_scratch* scratch = scratch_of(w.map, 0);
            wm_agent* agents[8];
            wm_cell start;
            wm_cell goal;
            assert_true(random_problem(&w.map->grid, &w.rng, &start, &goal));
            for (int k = 0; k < 8; k++) {
                agents[k] = agent_of(&w, specs[i], scratch);
                assert_int_equal(wm_agent_begin(agents[k], wm_grid_point(&w.map->grid, start),
                                                wm_grid_point(&w.map->grid, goal)),
                                 WM_OK);
            }
            for (int k = 0; k < 8; k++) wm_agent_destroy(agents[k]);
            wm_scratch_destroy(scratch);
        }
        world_free(&w);
    }
}

// Ten thousand agents of regions on a map that can be edited need no ten thousand guards.
static void a_crowd_on_an_editable_map_is_small(void** state)
{
    (void)state;
    enum { CROWD = 10000, GUARDS = 50 };
    world w = {.rng = wm_rng_start(2, 2)};
    for (uint64_t seed = 1; w.db == NULL || w.map->grid.open_count < 300; seed++) {
        wm_db_close(w.db);
        wm_map_unload(w.map);
        w.map = map_random_editable(seed, 40);
        w.db = db_build(w.map, 30, false, seed);
    }
    wm_scratch* scratch = scratch_of(w.map, GUARDS * share_of(&w, "tb-wa"));
    wm_agent** agents = calloc(CROWD, sizeof(wm_agent*));
    for (size_t i = 0; i < CROWD; i++) {
        agents[i] = agent_of(&w, "regions", scratch);
        assert_true(wm_agent_statistics(agents[i]).memory_bytes <= 512);
        assert_int_equal(begin_anywhere(agents[i], &w), WM_OK);
    }
    wm_frame frame = {.max_expansions = UINT64_MAX};
    assert_int_equal(wm_agents_step(agents, CROWD, &frame), WM_OK);
    assert_int_equal(frame.moved, CROWD);
    const size_t under_way = CROWD - frame.ended;
    edit_randomly(&w, 1);
    assert_int_equal(wm_agents_step(agents, CROWD, &frame), WM_OK);
    assert_int_equal(frame.moved, under_way);
    size_t guarded = 0;
    size_t told = 0;
    for (size_t i = 0; i < CROWD; i++) {
        if (wm_agent_result(agents[i]) == WM_OK) guarded++;
        if (wm_agent_result(agents[i]) == WM_ERR_MEMORY) told++;
    }
    assert_true(guarded > 0 && guarded <= GUARDS);
    assert_true(told > under_way / 2);
    // Those who were told wait their turn.
    for (int rounds = 0; guarded > 0 && rounds < 1000; rounds++) {
        wm_agents_step(agents, CROWD, &frame);
        guarded -= frame.ended;
    }
    assert_int_equal(guarded, 0);
    assert_int_equal(begin_anywhere(agents[0], &w), WM_OK);
    for (size_t i = 0; i < CROWD; i++) wm_agent_destroy(agents[i]);
    free(agents);
    wm_scratch_destroy(scratch);
    world_free(&w);
}

// ---------------------------------------------------------------------------------------------
// Slots

enum { KINDS = 6, SLOTS = 60 };

typedef struct held_slot {
    uint8_t* state;
    size_t bytes;
    size_t kind;
} held_slot;

// The kinds are told apart by their first value.
static void* take_slot(wm_scratch* scratch, size_t kind, size_t bytes, bool* is_fresh)
{
    const wm_slot_kind like = {.values.at = {(int64_t)kind}};
    return wm_scratch_take(scratch, &like, bytes, is_fresh);
}

static bool is_filled(const uint8_t* state, size_t bytes, uint8_t with)
{
    for (size_t i = 0; i < bytes; i++) {
        if (state[i] != with) return false;
    }
    return true;
}

static int by_address(const void* a, const void* b)
{
    const uint8_t* const left = ((const held_slot*)a)->state;
    const uint8_t* const right = ((const held_slot*)b)->state;
    return (left > right) - (left < right);
}

// The most bytes without a held slot; one may be up to `slack` longer than was asked for.
static size_t largest_gap(held_slot* held, size_t count, const uint8_t* begin, size_t total)
{
    size_t most = 0;
    const uint8_t* end = begin;
    qsort(held, count, sizeof *held, by_address);
    for (size_t i = 0; i < count; i++) {
        const uint8_t* header = held[i].state - wm_scratch_slot_bytes(0);
        assert_true(header >= end); // and none overlaps another
        if ((size_t)(header - end) > most) most = (size_t)(header - end);
        end = held[i].state + held[i].bytes;
    }
    assert_true(end <= begin + total);
    const size_t left = (size_t)(begin + total - end);
    return left > most ? left : most;
}

// What is taken is zero or as the kind left it, and is refused only where nothing is large enough.
static void check_take(wm_scratch* scratch, held_slot* held, size_t* count, size_t kind,
                       size_t bytes, const uint8_t* begin, size_t total)
{
    bool is_fresh;
    uint8_t* state = take_slot(scratch, kind, bytes, &is_fresh);
    const uint8_t mark = (uint8_t)(kind + 1);
    if (state == NULL) {
        const size_t slack = wm_scratch_slot_bytes(1024);
        assert_true(largest_gap(held, *count, begin, total) < wm_scratch_slot_bytes(bytes) + slack);
        return;
    }
    assert_int_equal((uintptr_t)state % _Alignof(max_align_t), 0);
    assert_true(is_filled(state, bytes, is_fresh ? 0 : mark));
    memset(state, mark, bytes);
    held[(*count)++] = (held_slot){state, bytes, kind};
    largest_gap(held, *count, begin, total);
}

static void slots_are_apart_and_refused_only_where_none_fits(void** state)
{
    (void)state;
    world w = world_create(1);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        wm_rng rng = wm_rng_start(seed, 16);
        size_t sizes[KINDS];
        for (size_t i = 0; i < KINDS; i++) sizes[i] = 1 + (size_t)wm_rng_below(&rng, 6000);
        const size_t total = 8000 + (size_t)wm_rng_below(&rng, 100000);
        wm_scratch* scratch = scratch_of(w.map, total);
        held_slot held[SLOTS];
        size_t count = 0;
        bool is_fresh;
        const uint8_t* begin = take_slot(scratch, 0, sizes[0], &is_fresh);
        wm_scratch_give_back(scratch, (void*)begin);
        memset((void*)begin, 1, sizes[0]);
        begin -= wm_scratch_slot_bytes(0);
        for (int i = 0; i < 1000; i++) {
            // They come and go in waves, so that it is full and empty by turns.
            const bool is_rising = i / 50 % 2 == 0;
            if (count < SLOTS && wm_rng_below(&rng, 10) < (is_rising ? 8 : 2)) {
                const size_t kind = (size_t)wm_rng_below(&rng, KINDS);
                check_take(scratch, held, &count, kind, sizes[kind], begin, total);
            } else if (count > 0) {
                const size_t at = (size_t)wm_rng_below(&rng, count);
                assert_true(
                    is_filled(held[at].state, held[at].bytes, (uint8_t)(held[at].kind + 1)));
                wm_scratch_give_back(scratch, held[at].state);
                held[at] = held[--count];
            }
        }
        wm_scratch_destroy(scratch);
    }
    world_free(&w);
}

// A database may lie where another one lay that is gone, and have more records.
static void a_slot_that_is_too_small_is_not_ready(void** state)
{
    (void)state;
    world w = world_create(1);
    wm_scratch* scratch = scratch_of(w.map, 20000);
    bool is_fresh;
    wm_scratch_give_back(scratch, take_slot(scratch, 0, 1000, &is_fresh));
    uint8_t* larger = take_slot(scratch, 0, 2000, &is_fresh);
    uint8_t* other = take_slot(scratch, 1, 1000, &is_fresh);
    assert_true(larger + 2000 <= other || other + 1000 <= larger);
    wm_scratch_destroy(scratch);
    world_free(&w);
}

// The least time in ns of a refusal, and of a refusal after another slot was given back, where every
// other one of so many slots is free.
static double time_refusals(const wm_map* map, size_t slots)
{
    enum { SMALL_SLOT = 1000, LARGE_SLOT = 3000, REFUSALS = 200 };
    void** states = calloc(slots, sizeof *states);
    double least = 0;
    bool is_fresh;
    for (int round = 0; round < 5; round++) {
        wm_scratch* scratch = scratch_of(map, slots * wm_scratch_slot_bytes(SMALL_SLOT));
        for (size_t i = 0; i < slots; i++) {
            states[i] = take_slot(scratch, 0, SMALL_SLOT, &is_fresh);
            assert_non_null(states[i]);
        }
        for (size_t i = 0; i < slots; i += 2) wm_scratch_give_back(scratch, states[i]);
        assert_null(take_slot(scratch, 1, LARGE_SLOT, &is_fresh)); // joins all that is free
        const clock_t begun = clock();
        for (size_t i = 0; i < REFUSALS; i++) {
            void* small = take_slot(scratch, 0, SMALL_SLOT, &is_fresh);
            assert_null(take_slot(scratch, 1, LARGE_SLOT, &is_fresh));
            wm_scratch_give_back(scratch, small);
            assert_null(take_slot(scratch, 1, LARGE_SLOT, &is_fresh));
        }
        const double taken = (double)(clock() - begun) * 1e9 / CLOCKS_PER_SEC / REFUSALS;
        if (round == 0 || taken < least) least = taken;
        wm_scratch_destroy(scratch);
    }
    free(states);
    return least;
}

// A hundred times as many slots: looking at all of them would take a hundred times as long.
static void a_full_scratch_is_told_without_a_look_at_all_slots(void** state)
{
    (void)state;
    world w = world_create(1);
    const double few = time_refusals(w.map, 100);
    const double many = time_refusals(w.map, 10000);
    if (many > 20 * few + 2000) fail_msg("%.0f ns with 100 slots, %.0f with 10,000", few, many);
    world_free(&w);
}

// ---------------------------------------------------------------------------------------------
// Memory

static void stepping_and_edits_allocate_nothing_for_agents(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        world w = world_create(seed);
        for (size_t i = 0; i < 2 * wm_algorithm_count(); i++) {
            test_memory memory = {0};
            wm_scratch* scratch = NULL;
            wm_agent* agent = NULL;
            wm_scratch_config scratch_config = wm_scratch_config_default();
            wm_agent_config config = wm_agent_config_default();
            scratch_config.allocator = config.allocator = test_allocator(&memory);
            if (i % 2 == 0)
                assert_int_equal(wm_scratch_create(&scratch, w.map, &scratch_config, NULL), WM_OK);
            config.scratch = scratch;
            config.algorithm = wm_algorithm_at(i / 2)->name;
            assert_int_equal(wm_agent_create(&agent, w.map, w.db, &config, NULL), WM_OK);
            const size_t calls = memory.calls;
            const size_t bytes = memory.bytes;
            memory.fail_at = calls + 1;
            for (int k = 0; k < 3; k++) {
                wm_cell start;
                wm_cell goal;
                if (!random_problem(&w.map->grid, &w.rng, &start, &goal)) continue;
                assert_int_equal(wm_agent_begin(agent, wm_grid_point(&w.map->grid, start),
                                                wm_grid_point(&w.map->grid, goal)),
                                 WM_OK);
                wm_agent_step(agent);
                if (k > 0) edit_randomly(&w, 3);
                wm_status status = wm_agent_result(agent);
                for (int s = 0; s < MAX_STEPS && status == WM_OK; s++)
                    status = wm_agent_step(agent);
                assert_true(status == WM_ARRIVED || status == WM_NO_PATH);
            }
            wm_agent_reset(agent);
            assert_int_equal(memory.calls, calls);
            assert_int_equal(memory.bytes, bytes);
            wm_agent_destroy(agent);
            wm_scratch_destroy(scratch);
            assert_int_equal(memory.bytes, 0);
        }
        world_free(&w);
    }
}

// What an agent holds of a scratch comes on top of what it asked its allocator for.
static void check_told_memory(const wm_agent* agent, const test_memory* memory, const char* when)
{
    const bool holds_slot = agent->scratch != NULL && agent->state != NULL;
    const size_t slot = holds_slot ? wm_scratch_slot_bytes(agent->state_bytes) : 0;
    const size_t told = wm_agent_statistics(agent).memory_bytes;
    if (told != memory->bytes + slot)
        fail_msg("%s %s: told %zu bytes, holds %zu", agent->algorithm->name, when, told,
                 memory->bytes + slot);
}

static void check_memory_of(world* w, const wm_agent_config* config)
{
    test_memory memory = {0};
    wm_agent_config counted = *config;
    wm_agent* agent = NULL;
    wm_cell start;
    wm_cell goal;
    counted.allocator = test_allocator(&memory);
    assert_int_equal(wm_agent_create(&agent, w->map, w->db, &counted, NULL), WM_OK);
    check_told_memory(agent, &memory, "at rest");
    assert_true(random_problem(&w->map->grid, &w->rng, &start, &goal));
    wm_status status = wm_agent_begin(agent, wm_grid_point(&w->map->grid, start),
                                      wm_grid_point(&w->map->grid, goal));
    check_told_memory(agent, &memory, "on its way");
    if (w->map->grid.editable) edit_randomly(w, 1);
    status = wm_agent_step(agent);
    check_told_memory(agent, &memory, "after an edit");
    for (int i = 0; i < MAX_STEPS && status == WM_OK; i++) status = wm_agent_step(agent);
    check_told_memory(agent, &memory, "at its end");
    wm_agent_destroy(agent);
    assert_int_equal(memory.bytes, 0);
}

static void agents_tell_all_the_memory_that_they_hold(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        world w = world_create(seed);
        w.map->grid.editable = seed % 2 == 0; // what agents reserve is decided by this alone
        wm_scratch* scratch = scratch_of(w.map, 0);
        for (size_t i = 0; i < 4 * wm_algorithm_count(); i++) {
            wm_agent_config config = wm_agent_config_default();
            config.algorithm = wm_algorithm_at(i / 4)->name;
            config.scratch = i % 2 == 0 ? scratch : NULL;
            config.terrain = i / 2 % 2 == 0 ? WM_TERRAIN_KNOWN : WM_TERRAIN_UNKNOWN;
            if (config.terrain == WM_TERRAIN_UNKNOWN && wm_algorithm_at(i / 4)->needs_database)
                continue;
            check_memory_of(&w, &config);
        }
        wm_scratch_destroy(scratch);
        world_free(&w);
    }
}

static void every_failed_allocation_of_a_scratch_is_told(void** state)
{
    (void)state;
    world w = world_create(1);
    wm_status status = WM_ERR_MEMORY;
    size_t n = 0;
    while (status == WM_ERR_MEMORY) {
        test_memory memory = {.fail_at = ++n};
        wm_scratch_config config = wm_scratch_config_default();
        wm_scratch* scratch = (wm_scratch*)&scratch;
        wm_error error = {""};
        config.allocator = test_allocator(&memory);
        status = wm_scratch_create(&scratch, w.map, &config, n == 1 ? NULL : &error);
        assert_true((scratch != NULL) == (status == WM_OK));
        if (status != WM_OK && n != 1) assert_contains(error.message, "memory");
        wm_scratch_destroy(scratch);
        assert_int_equal(memory.bytes, 0);
    }
    assert_int_equal(status, WM_OK);
    assert_int_equal(n, 3);
    world_free(&w);
}

static void mistakes_with_scratches_are_refused(void** state)
{
    (void)state;
    world w = world_create(1);
    world other = world_create(2);
    const wm_scratch_config good = wm_scratch_config_default();
    const wm_scratch_config forgotten = {.bytes = 1000};
    wm_scratch* scratch = (wm_scratch*)&scratch;
    wm_error error = {""};
    assert_int_equal(wm_scratch_create(NULL, w.map, &good, &error), WM_ERR_ARGUMENT);
    assert_int_equal(wm_scratch_create(&scratch, NULL, &good, &error), WM_ERR_ARGUMENT);
    assert_null(scratch);
    assert_int_equal(wm_scratch_create(&scratch, w.map, NULL, &error), WM_ERR_ARGUMENT);
    assert_int_equal(wm_scratch_create(&scratch, w.map, &forgotten, NULL), WM_ERR_ARGUMENT);
    assert_int_equal(wm_scratch_create(&scratch, w.map, &forgotten, &error), WM_ERR_ARGUMENT);
    assert_contains(error.message, "wm_scratch_config_default");
    wm_scratch_destroy(NULL);
    scratch = scratch_of(other.map, 0);
    wm_agent* agent = NULL;
    assert_int_equal(try_agent(&agent, &w, "tb-wa", scratch, WM_TERRAIN_KNOWN, &error),
                     WM_ERR_ARGUMENT);
    assert_contains(error.message, "another map");
    wm_scratch_destroy(scratch);
    world_free(&other);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_walks_alike_with_a_scratch),
        cmocka_unit_test(unknown_terrain_is_each_agents_own),
        cmocka_unit_test(many_kinds_of_agents_share_a_tight_scratch),
        cmocka_unit_test(a_full_scratch_is_told_and_has_room_again_when_an_agent_ends),
        cmocka_unit_test(a_scratch_that_no_agent_fits_into_is_refused),
        cmocka_unit_test(a_default_scratch_has_room_for_eight_agents_of_any_parameters),
        cmocka_unit_test(a_crowd_on_an_editable_map_is_small),
        cmocka_unit_test(slots_are_apart_and_refused_only_where_none_fits),
        cmocka_unit_test(a_slot_that_is_too_small_is_not_ready),
        cmocka_unit_test(a_full_scratch_is_told_without_a_look_at_all_slots),
        cmocka_unit_test(stepping_and_edits_allocate_nothing_for_agents),
        cmocka_unit_test(agents_tell_all_the_memory_that_they_hold),
        cmocka_unit_test(every_failed_allocation_of_a_scratch_is_told),
        cmocka_unit_test(mistakes_with_scratches_are_refused),
    };
    return cmocka_run_group_tests_name("scratch", tests, NULL, NULL);
}
