// SPDX-License-Identifier: MIT
//
// Groups of agents within a bound: nobody is forgotten, nothing is exceeded, and everyone walks as if
// he were stepped alone.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

#define CROWD 60
#define MAX_FRAMES 200000

typedef struct crowd {
    wm_map* map;
    wm_db* db;
    wm_agent* agents[CROWD]; // some are missing
    wm_agent* twins[CROWD];
    wm_rng rng;
    uint64_t seed;
} crowd;

// Agents of all kinds, or of one.
static crowd crowd_create(uint64_t seed, const char* only, bool begins)
{
    crowd c = {.rng = wm_rng_start(seed, 12), .seed = seed};
    c.map =
        map_generated(WM_GENERATE_ROOMS, 40, 40, WM_GENERATE_DEFAULT, 8, seed, WM_DIAGONAL_NONE);
    c.db = db_build(c.map, 60, false, seed);
    assert_non_null(c.db);
    for (size_t i = 0; i < CROWD; i++) {
        wm_cell start;
        wm_cell goal;
        if (i % 13 == 5 && only == NULL) continue;
        const char* name = only != NULL ? only : wm_algorithm_at(i % wm_algorithm_count())->name;
        c.agents[i] = agent_create(c.map, c.db, name, false);
        c.twins[i] = agent_create(c.map, c.db, name, false);
        assert_true(random_problem(&c.map->grid, &c.rng, &start, &goal));
        const wm_point from = wm_grid_point(&c.map->grid, start);
        const wm_point to = wm_grid_point(&c.map->grid, goal);
        if (!begins || (i % 17 == 3 && only == NULL)) continue; // never begun
        assert_int_equal(wm_agent_begin(c.agents[i], from, to), WM_OK);
        assert_int_equal(wm_agent_begin(c.twins[i], from, to), WM_OK);
    }
    return c;
}

static void crowd_free(crowd* c)
{
    for (size_t i = 0; i < CROWD; i++) {
        wm_agent_destroy(c->agents[i]);
        wm_agent_destroy(c->twins[i]);
    }
    wm_db_close(c->db);
    wm_map_unload(c->map);
}

static size_t under_way(const crowd* c)
{
    size_t count = 0;
    for (size_t i = 0; i < CROWD; i++) count += wm_agent_result(c->agents[i]) == WM_OK;
    return count;
}

// Steps the twins of those that were stepped, and compares.
static void follow(crowd* c, const uint64_t* steps_before, const wm_frame* frame)
{
    size_t moved = 0;
    size_t ended = 0;
    uint64_t expansions = 0;
    for (size_t i = 0; i < CROWD; i++) {
        wm_agent* agent = c->agents[i];
        if (agent == NULL || agent->moves + agent->waits == steps_before[i]) continue;
        assert_true(agent->moves + agent->waits == steps_before[i] + 1);
        const uint64_t before = c->twins[i]->expansions;
        const wm_status status = wm_agent_step(c->twins[i]);
        if (status != wm_agent_result(agent) || c->twins[i]->position != agent->position ||
            c->twins[i]->expansions != agent->expansions)
            fail_msg("seed %llu: agent %zu is not where it would be alone",
                     (unsigned long long)c->seed, i);
        expansions += agent->expansions - before;
        moved++;
        ended += status != WM_OK;
    }
    assert_int_equal(frame->moved, moved);
    assert_int_equal(frame->ended, ended);
    assert_true(frame->expansions == expansions);
}

static void walk_within(uint64_t seed, const char* only, uint64_t bound)
{
    crowd c = crowd_create(seed, only, true);
    wm_frame frame = {.max_expansions = bound};
    uint64_t steps[CROWD] = {0};
    uint64_t last_step[CROWD] = {0}; // the frame of it
    for (uint64_t i = 1; under_way(&c) > 0; i++) {
        assert_true(i < MAX_FRAMES);
        const size_t walking = under_way(&c);
        assert_int_equal(wm_agents_step(c.agents, CROWD, &frame), WM_OK);
        follow(&c, steps, &frame);
        assert_true(frame.moved > 0);
        if (frame.moved > 1 && frame.expansions > bound)
            fail_msg("seed %llu: %llu expansions", (unsigned long long)seed,
                     (unsigned long long)frame.expansions);
        if (bound == UINT64_MAX) assert_int_equal(frame.moved, walking);
        for (size_t k = 0; k < CROWD; k++) {
            const wm_agent* agent = c.agents[k];
            if (agent == NULL) continue;
            if (agent->moves + agent->waits != steps[k]) last_step[k] = i;
            steps[k] = agent->moves + agent->waits;
            // Each frame moves one on at least, so no one waits for more than all others.
            assert_true(agent->result != WM_OK || i - last_step[k] <= CROWD);
        }
    }
    for (size_t i = 0; i < CROWD; i++) {
        if (c.agents[i] != NULL && steps[i] > 0)
            assert_int_equal(wm_agent_result(c.agents[i]), WM_ARRIVED);
    }
    assert_int_equal(wm_agents_step(c.agents, CROWD, &frame), WM_OK);
    assert_true(frame.moved == 0 && frame.ended == 0 && frame.expansions == 0);
    crowd_free(&c);
}

static void crowds_of_all_kinds_arrive_at_any_bound(void** state)
{
    (void)state;
    static const uint64_t bounds[] = {0, 1, 30, 1000, 30000, UINT64_MAX};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) walk_within(1 + i, NULL, bounds[i]);
}

static void a_frame_keeps_its_bound(void** state)
{
    (void)state;
    static const char* const names[] = {"regions", "tb-wa", "lrta", "rths", "lss-lrta:k=7"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        crowd c = crowd_create(20 + i, names[i], true);
        const uint64_t most = c.agents[0]->most_expansions;
        assert_true(most < UINT64_MAX);
        for (uint64_t k = 1; k < 6; k++) {
            wm_frame frame = {.max_expansions = k * most};
            for (int round = 0; round < 300; round++) {
                assert_int_equal(wm_agents_step(c.agents, CROWD, &frame), WM_OK);
                assert_true(frame.expansions <= frame.max_expansions);
                // So many fit whatever they do.
                assert_true(frame.moved >= (k < under_way(&c) ? k : under_way(&c)));
            }
        }
        crowd_free(&c);
    }
}

static void those_left_out_go_first_in_the_next_frame(void** state)
{
    (void)state;
    crowd c = crowd_create(3, "lrta", true); // an expansion a step
    wm_frame frame = {.max_expansions = 7};
    size_t next = 0;
    for (int i = 0; i < 20; i++) {
        uint64_t before[CROWD];
        for (size_t k = 0; k < CROWD; k++) before[k] = c.agents[k]->moves;
        bool walking[CROWD];
        for (size_t k = 0; k < CROWD; k++) walking[k] = c.agents[k]->result == WM_OK;
        assert_int_equal(wm_agents_step(c.agents, CROWD, &frame), WM_OK);
        assert_int_equal(frame.moved, 7);
        for (int moved = 0; moved < 7; next = (next + 1) % CROWD) {
            if (!walking[next]) continue;
            assert_true(c.agents[next]->moves == before[next] + 1);
            moved++;
        }
    }
    crowd_free(&c);
}

static void a_frame_has_no_bound_by_default_and_none_to_give_when_zeroed(void** state)
{
    (void)state;
    crowd c = crowd_create(4, NULL, true);
    const size_t ready = under_way(&c);
    wm_frame unbounded = wm_frame_default();
    wm_frame zeroed = {0};
    assert_int_equal(wm_agents_step(c.agents, CROWD, &unbounded), WM_OK);
    assert_int_equal(unbounded.moved, ready);
    assert_int_equal(wm_agents_step(c.agents, CROWD, &zeroed), WM_OK);
    assert_int_equal(zeroed.moved, 1); // so that everyone moves on at any bound
    crowd_free(&c);
}

static void odd_groups_are_taken_as_they_are(void** state)
{
    (void)state;
    crowd c = crowd_create(4, "lrta", true);
    wm_frame frame = {.max_expansions = 1000, .next = 12345, .moved = 7, .ended = 7};
    assert_int_equal(wm_agents_step(NULL, 3, &frame), WM_ERR_ARGUMENT);
    assert_int_equal(wm_agents_step(NULL, 0, &frame), WM_ERR_ARGUMENT);
    assert_int_equal(wm_agents_step(c.agents, CROWD, NULL), WM_ERR_ARGUMENT);
    assert_int_equal(wm_agents_step(c.agents, 0, &frame), WM_OK);
    assert_true(frame.moved == 0 && frame.ended == 0 && frame.expansions == 0);
    wm_agent* const nobody[3] = {NULL, NULL, NULL};
    assert_int_equal(wm_agents_step(nobody, 3, &frame), WM_OK);
    assert_int_equal(frame.moved, 0);
    wm_agent* const one[1] = {c.agents[0]};
    frame.next = SIZE_MAX; // the crowd has shrunk
    assert_int_equal(wm_agents_step(one, 1, &frame), WM_OK);
    assert_int_equal(frame.moved, 1);
    crowd_free(&c);
    crowd idle = crowd_create(5, NULL, false);
    assert_int_equal(wm_agents_step(idle.agents, CROWD, &frame), WM_OK);
    assert_int_equal(frame.moved, 0);
    crowd_free(&idle);
}

// ---------------------------------------------------------------------------------------------
// Threads

enum { THREADS = 4, SQUAD = 24 };

// A thread's own agents and its own scratch, on the map and database of all.
typedef struct squad {
    const wm_map* map;
    const wm_db* db;
    uint64_t seed;
    uint64_t moves;
    uint64_t expansions;
    bool failed;
} squad;

static bool create_squad(squad* s, wm_scratch** scratch, wm_agent** agents)
{
    const wm_scratch_config scratch_config = wm_scratch_config_default();
    if (wm_scratch_create(scratch, s->map, &scratch_config, NULL) != WM_OK) return false;
    for (size_t i = 0; i < SQUAD; i++) {
        wm_agent_config config = wm_agent_config_default();
        config.algorithm = i % 2 == 0 ? "regions" : wm_algorithm_at(i / 2)->name;
        config.scratch = *scratch;
        if (wm_agent_create(&agents[i], s->map, s->db, &config, NULL) != WM_OK) return false;
    }
    return true;
}

// No assertions: cmocka keeps its state per thread.
static void* march(void* argument)
{
    squad* s = argument;
    const wm_grid* grid = &s->map->grid;
    wm_rng rng = wm_rng_start(s->seed, 13);
    wm_scratch* scratch = NULL;
    wm_agent* agents[SQUAD] = {NULL};
    wm_frame frame = {.max_expansions = 3000};
    s->failed = !create_squad(s, &scratch, agents);
    for (int i = 0; i < 400 && !s->failed; i++) {
        for (size_t k = 0; k < SQUAD; k++) {
            if (wm_agent_result(agents[k]) == WM_OK) continue;
            wm_agent_begin(agents[k],
                           wm_grid_point(grid, (wm_cell)wm_rng_below(&rng, grid->cell_count)),
                           wm_grid_point(grid, (wm_cell)wm_rng_below(&rng, grid->cell_count)));
        }
        wm_agents_step(agents, SQUAD, &frame);
        s->moves += frame.moved;
        s->expansions += frame.expansions;
        size_t length;
        wm_agent_route(agents[i % SQUAD], NULL, 0, &length);
        s->moves += length;
    }
    for (size_t k = 0; k < SQUAD; k++) wm_agent_destroy(agents[k]);
    wm_scratch_destroy(scratch);
    return NULL;
}

static void crowds_of_several_threads_share_a_map_and_a_database(void** state)
{
    (void)state;
    wm_map* map =
        map_generated(WM_GENERATE_ROOMS, 48, 48, WM_GENERATE_DEFAULT, 8, 2, WM_DIAGONAL_NONE);
    wm_db* db = db_build(map, 100, false, 2);
    squad alone[THREADS];
    squad together[THREADS];
    pthread_t threads[THREADS];
    for (uint64_t i = 0; i < THREADS; i++) {
        alone[i] = together[i] = (squad){.map = map, .db = db, .seed = i};
        march(&alone[i]);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, march, &together[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_false(alone[i].failed || together[i].failed);
        assert_true(alone[i].moves > 1000);
        assert_true(together[i].moves == alone[i].moves);
        assert_true(together[i].expansions == alone[i].expansions);
    }
    wm_db_close(db);
    wm_map_unload(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crowds_of_all_kinds_arrive_at_any_bound),
        cmocka_unit_test(a_frame_keeps_its_bound),
        cmocka_unit_test(those_left_out_go_first_in_the_next_frame),
        cmocka_unit_test(a_frame_has_no_bound_by_default_and_none_to_give_when_zeroed),
        cmocka_unit_test(odd_groups_are_taken_as_they_are),
        cmocka_unit_test(crowds_of_several_threads_share_a_map_and_a_database),
    };
    return cmocka_run_group_tests_name("crowd", tests, NULL, NULL);
}
