// SPDX-License-Identifier: MIT
//
// wm_db_subgoal as a game with its own movement uses it: ask, go there as the controller does, ask
// again. All that is known of a walk is where it stands and where it wants to go.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel.h"
#include "reference.h"
#include "region_query.h"
#include "region_world.h"
#include "select.h"

typedef struct tour {
    const region_world* world;
    const wm_db* db;
    bool* seen;        // per cell: whether the present walk has asked there
    uint64_t subgoals; // all walks
    wm_cost cost;
} tour;

static tour tour_of(const region_world* world, const wm_db* db)
{
    tour t = {.world = world, .db = db, .seen = calloc(world->map->grid.cell_count, sizeof(bool))};
    assert_non_null(t.seen);
    return t;
}

static void complain(const tour* t, wm_cell start, wm_cell goal, wm_cell at, const char* what)
{
    const wm_regions_parameters* p = &t->db->region_map.regions.parameters;
    fail_msg("%s, radius %u, epsilon %u, search %u: from %u to %u, at %u: %s", t->world->title,
             p->radius, p->epsilon, p->max_expansions, start, goal, at, what);
}

// Goes to the subgoal by the controller, each step checked against the reference. Gives the cost.
static wm_cost go(const tour* t, wm_cell start, wm_cell goal, wm_cell from, wm_cell to)
{
    const wm_grid* grid = &t->world->map->grid;
    wm_leg_path path;
    uint64_t states = 0;
    const wm_leg leg = wm_controller_leg(&t->db->region_map.controller, from, to, &path, &states);
    if (leg.kind == WM_LEG_NONE) complain(t, start, goal, from, "the controller has no way");
    if (leg.kind == WM_LEG_CLIMB) {
        const reference_climb climb = reference_climb_run(grid, from, to, WM_MAX_LEG);
        if (!climb.reached || climb.cost != leg.cost) complain(t, start, goal, from, "no climb");
        return leg.cost;
    }
    wm_cell at = from;
    const int steps = leg.kind == WM_LEG_PATH ? path.length : leg.line.steps[0] + leg.line.steps[1];
    for (int i = 0; i < steps; i++) {
        const int d = leg.kind == WM_LEG_PATH ? wm_leg_path_move(&path, (unsigned)i)
                                              : leg.line.direction[i >= leg.line.steps[0]];
        if ((t->world->legal[at] >> d & 1) == 0) complain(t, start, goal, at, "an illegal step");
        at = wm_grid_step(grid, at, d);
    }
    if (at != to) complain(t, start, goal, at, "the leg ends elsewhere");
    return leg.cost;
}

// One walk from subgoal to subgoal.
static void take(tour* t, wm_cell start, wm_cell goal)
{
    const wm_grid* grid = &t->world->map->grid;
    const uint64_t bound = wm_regions_bound(&t->db->region_map.regions.parameters);
    const wm_point there = wm_grid_point(grid, goal);
    wm_cell at = start;
    memset(t->seen, 0, grid->cell_count * sizeof *t->seen);
    while (at != goal) {
        wm_point next = {-1, -1};
        uint64_t states = 0;
        // Where less is left at every subgoal none comes twice.
        if (t->seen[at]) complain(t, start, goal, at, "it has been there before");
        t->seen[at] = true;
        if (wm_db_subgoal(t->db, wm_grid_point(grid, at), there, &next) != WM_OK)
            complain(t, start, goal, at, "no subgoal");
        const wm_cell to = wm_grid_cell(grid, next);
        if (wm_region_subgoal(&t->db->region_map, at, goal, &states) != to)
            complain(t, start, goal, at, "another answer to the same question");
        if (states > bound) complain(t, start, goal, at, "too many states in a query");
        t->cost += go(t, start, goal, at, to);
        t->subgoals++;
        at = to;
    }
}

static void check_all_pairs(region_world* w, wm_regions_parameters parameters)
{
    const wm_grid* grid = &w->map->grid;
    wm_db* db = region_world_db(w->map, parameters, w->title);
    tour t = tour_of(w, db);
    for (wm_cell start = 0; start < grid->cell_count; start++) {
        for (wm_cell goal = 0; goal < grid->cell_count; goal++) {
            if (wm_grid_connected(grid, start, goal)) take(&t, start, goal);
        }
    }
    free(t.seen);
    wm_db_close(db);
}

static void asking_again_ends_at_the_goal_for_every_pair_of_small_maps(void** state)
{
    (void)state;
    static const uint32_t radii[] = {1, 3, 9, 48};
    for (uint32_t i = 0; i < 2 * WM_GENERATE_KINDS; i++) {
        const wm_generate_kind kind = (wm_generate_kind)(i / 2);
        const int32_t grain = kind == WM_GENERATE_MAZE ? 1 : 5;
        region_world w = region_world_of(
            map_generated(kind, 13, 12, WM_GENERATE_DEFAULT, grain, i, (wm_diagonal)(i % 2)),
            wm_generate_kind_name((int)kind));
        for (uint32_t k = 0; k < 8; k++)
            check_all_pairs(&w, (wm_regions_parameters){.radius = radii[k / 2],
                                                        .epsilon = 30 * (k % 3),
                                                        .portals = k % 2 * 6,
                                                        .max_expansions = k % 4 * 20});
        region_world_free(&w);
    }
}

static void asking_again_ends_at_the_goal_on_random_maps(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 250; seed++) {
        char title[40];
        wm_rng rng = wm_rng_start(seed, 7);
        snprintf(title, sizeof title, "seed %llu", (unsigned long long)seed);
        region_world w = region_world_of(map_random(seed, 60), title);
        const wm_regions_parameters parameters = {
            .radius = (uint32_t)(1 + wm_rng_below(&rng, WM_MAX_LEG)),
            .epsilon = (uint32_t)wm_rng_below(&rng, 200),
            .portals = seed % 2 * 8,
            .max_expansions = (uint32_t)(seed % 3 == 0 ? 1 + wm_rng_below(&rng, 200) : 0)};
        wm_cell start;
        wm_cell goal;
        if (random_problem(&w.map->grid, &rng, &start, &goal)) {
            wm_db* db = region_world_db(w.map, parameters, w.title);
            tour t = tour_of(&w, db);
            for (int i = 0; i < 200; i++) {
                if (random_problem(&w.map->grid, &rng, &start, &goal)) take(&t, start, goal);
            }
            free(t.seen);
            wm_db_close(db);
        }
        region_world_free(&w);
    }
}

// ---------------------------------------------------------------------------------------------
// Quality

static double cost_of_agent(wm_agent* agent, const wm_grid* grid, wm_cell start, wm_cell goal)
{
    assert_int_equal(wm_agent_begin(agent, wm_grid_point(grid, start), wm_grid_point(grid, goal)),
                     WM_OK);
    wm_status status = WM_OK;
    while (status == WM_OK) status = wm_agent_step(agent);
    assert_int_equal(status, WM_ARRIVED);
    return wm_agent_statistics(agent).cost;
}

static void walks_from_subgoal_to_subgoal_are_as_good_as_those_of_agents(void** state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * WM_GENERATE_KINDS; i++) {
        const wm_generate_kind kind = (wm_generate_kind)(i / 2);
        region_world w =
            region_world_of(map_generated(kind, 128, 112, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                          i, (wm_diagonal)(i % 2)),
                            wm_generate_kind_name((int)kind));
        const wm_regions_parameters parameters = {
            .radius = 12, .epsilon = 40, .portals = i % 4 == 3 ? 32 : 0};
        wm_db* db = region_world_db(w.map, parameters, w.title);
        wm_agent* agent = agent_create(w.map, db, "regions:look=0", false);
        tour t = tour_of(&w, db);
        wm_rng rng = wm_rng_start(i, 8);
        double agents = 0;
        for (int k = 0; k < 2000; k++) {
            wm_cell start;
            wm_cell goal;
            if (!random_problem(&w.map->grid, &rng, &start, &goal)) continue;
            take(&t, start, goal);
            agents += cost_of_agent(agent, &w.map->grid, start, goal);
        }
        const double ratio = wm_cost_to_double(t.cost) / agents;
        print_message("%s: %.4f of what agents walk, %llu subgoals\n", w.title, ratio,
                      (unsigned long long)t.subgoals);
        assert_true(ratio < 1.02);
        free(t.seen);
        wm_agent_destroy(agent);
        wm_db_close(db);
        region_world_free(&w);
    }
}

// ---------------------------------------------------------------------------------------------
// Threads

#define CROWD_WALKS 400
#define CROWD_THREADS 4

typedef struct crowd {
    const wm_map* map;
    const wm_db* db;
    uint64_t trails[CROWD_WALKS]; // a number that tells all subgoals of a walk
} crowd;

static wm_status walk_one(void* context, void* workspace, size_t index)
{
    (void)workspace;
    crowd* c = context;
    const wm_grid* grid = &c->map->grid;
    wm_rng rng = wm_rng_start(index, 9);
    wm_cell start;
    wm_cell goal;
    uint64_t trail = index;
    if (!random_problem(grid, &rng, &start, &goal)) return WM_OK;
    wm_point at = wm_grid_point(grid, start);
    wm_status status = WM_OK;
    while (status == WM_OK) {
        wm_point next;
        status = wm_db_subgoal(c->db, at, wm_grid_point(grid, goal), &next);
        trail = trail * 31 + wm_grid_cell(grid, next);
        at = next;
    }
    c->trails[index] = trail;
    return status == WM_ARRIVED ? WM_OK : status;
}

static void any_number_of_threads_may_ask(void** state)
{
    (void)state;
    wm_map* map = map_generated(WM_GENERATE_CAVES, 90, 70, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                4, WM_DIAGONAL_NONE);
    wm_db* db = region_world_db(
        map, (wm_regions_parameters){.radius = 9, .epsilon = 40, .portals = 16}, "caves");
    crowd alone = {.map = map, .db = db};
    crowd together = {.map = map, .db = db};
    wm_parallel loop = {
        .count = CROWD_WALKS, .threads = 1, .block = 1, .context = &alone, .item = walk_one};
    assert_int_equal(wm_parallel_run(&loop), WM_OK);
    loop.threads = CROWD_THREADS;
    loop.context = &together;
    assert_int_equal(wm_parallel_run(&loop), WM_OK);
    assert_memory_equal(alone.trails, together.trails, sizeof alone.trails);
    wm_db_close(db);
    wm_map_unload(map);
}

// ---------------------------------------------------------------------------------------------
// Questions without an answer

static void a_question_without_an_answer_gets_its_status(void** state)
{
    (void)state;
    wm_map_config config = wm_map_config_default();
    wm_map* map = NULL;
    static const uint8_t open[] = {1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1};
    config.editable = true;
    assert_int_equal(wm_map_create(&map, open, 6, 2, 6, &config, NULL), WM_OK);
    wm_db* db = region_world_db(map, (wm_regions_parameters){.radius = 3}, "two rooms");
    const struct {
        wm_point from;
        wm_point goal;
        wm_status status;
    } cases[] = {
        {{0, 0}, {2, 1}, WM_OK},
        {{0, 0}, {0, 0}, WM_ARRIVED},
        {{0, 0}, {5, 1}, WM_NO_PATH},
        {{3, 0}, {0, 0}, WM_ERR_BLOCKED},
        {{0, 0}, {3, 1}, WM_ERR_BLOCKED},
        {{3, 0}, {3, 0}, WM_ERR_BLOCKED},
        {{-1, 0}, {0, 0}, WM_ERR_ARGUMENT},
        {{0, 0}, {6, 0}, WM_ERR_ARGUMENT},
        {{0, 2}, {0, 0}, WM_ERR_ARGUMENT},
        {{0, 0}, {0, INT32_MIN}, WM_ERR_ARGUMENT},
    };
    wm_point next;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(wm_db_subgoal(db, cases[i].from, cases[i].goal, &next), cases[i].status);
    assert_int_equal(wm_db_subgoal(NULL, cases[0].from, cases[0].goal, &next), WM_ERR_ARGUMENT);
    assert_int_equal(wm_db_subgoal(db, cases[0].from, cases[0].goal, NULL), WM_ERR_ARGUMENT);
    const wm_cell_edit edit = {{1, 0}, false};
    assert_int_equal(wm_map_edit(map, &edit, 1, NULL), WM_OK);
    assert_int_equal(wm_db_subgoal(db, cases[0].from, cases[0].goal, &next), WM_ERR_MISMATCH);
    wm_db_close(db);
    wm_map_unload(map);
}

static void a_database_without_regions_has_no_subgoals(void** state)
{
    (void)state;
    wm_map* map = map_generated(WM_GENERATE_CAVES, 30, 20, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                4, WM_DIAGONAL_NONE);
    const wm_choice choice = {.map_hash = wm_map_hash(map), .spec = "tb-wa", .problems = 1};
    const wm_db_config config = wm_db_config_default();
    wm_buffer blob = {0};
    wm_db* db = NULL;
    wm_point next;
    wm_rng rng = wm_rng_start(1, 1);
    const wm_point at = wm_grid_point(&map->grid, random_open_cell(&map->grid, &rng));
    assert_int_equal(wm_choice_seal(&blob, NULL, &choice), WM_OK);
    assert_int_equal(wm_db_open_memory(&db, map, blob.data, blob.size, &config, NULL), WM_OK);
    assert_int_equal(wm_db_subgoal(db, at, at, &next), WM_ERR_NOT_FOUND);
    wm_buffer_free(&blob);
    wm_db_close(db);
    wm_map_unload(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asking_again_ends_at_the_goal_for_every_pair_of_small_maps),
        cmocka_unit_test(asking_again_ends_at_the_goal_on_random_maps),
        cmocka_unit_test(walks_from_subgoal_to_subgoal_are_as_good_as_those_of_agents),
        cmocka_unit_test(any_number_of_threads_may_ask),
        cmocka_unit_test(a_question_without_an_answer_gets_its_status),
        cmocka_unit_test(a_database_without_regions_has_no_subgoals),
    };
    return cmocka_run_group_tests_name("subgoal", tests, NULL, NULL);
}
