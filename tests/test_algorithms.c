// SPDX-License-Identifier: MIT
//
// What every algorithm of the registry promises, whatever it is: legal walks that arrive, honest
// numbers, the same walk for the same problem. A new algorithm is tested here without a new line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distance.h"
#include "reference.h"
#include "walk.h"

#define MAX_STEPS 2000000
#define MAX_SPECS 128

// ---------------------------------------------------------------------------------------------
// Every algorithm, with every parameter at its standard, its least and its greatest value

typedef struct spec_list {
    char text[MAX_SPECS][96];
    const wm_algorithm* algorithm[MAX_SPECS];
    size_t count;
} spec_list;

static void add_spec(spec_list* list, const wm_algorithm* algorithm, const wm_parameter* parameter,
                     int64_t value)
{
    char* text = list->text[list->count];
    assert_true(list->count < MAX_SPECS);
    list->algorithm[list->count++] = algorithm;
    if (parameter == NULL) {
        snprintf(text, sizeof list->text[0], "%s", algorithm->name);
        return;
    }
    char number[32];
    wm_parameter_format(number, sizeof number, parameter, value);
    snprintf(text, sizeof list->text[0], "%s:%s=%s", algorithm->name, parameter->name, number);
}

static spec_list all_specs(void)
{
    spec_list list = {.count = 0};
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const wm_algorithm* algorithm = wm_algorithm_at(i);
        add_spec(&list, algorithm, NULL, 0);
        for (const wm_parameter* p = algorithm->parameters; p->name != NULL; p++) {
            add_spec(&list, algorithm, p, p->min);
            add_spec(&list, algorithm, p, p->max);
        }
    }
    return list;
}

// ---------------------------------------------------------------------------------------------
// Worlds

typedef struct world {
    wm_map* map;
    wm_db* db; // NULL where the map has nothing to store
    wm_distances distances;
    wm_rng rng;
    uint64_t seed;
} world;

static world world_of(wm_map* map, uint64_t seed, bool chains)
{
    world w = {.map = map, .rng = wm_rng_start(seed, 1), .seed = seed};
    w.db = db_build(map, 150, chains, seed);
    assert_int_equal(wm_distances_create(&w.distances, &map->grid, NULL), WM_OK);
    return w;
}

static world world_random(uint64_t seed)
{
    return world_of(map_random(seed, 30), seed, seed % 2 == 0);
}

static world world_generated(uint64_t seed)
{
    wm_map* map =
        map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 60, 50, WM_GENERATE_DEFAULT,
                      (int32_t)(1 + seed / 4), seed, (wm_diagonal)(seed / 4 % 2));
    return world_of(map, seed, seed % 8 >= 4);
}

static void world_free(world* w)
{
    wm_distances_free(&w->distances);
    wm_db_close(w->db);
    wm_map_unload(w->map);
}

static bool can_run(const world* w, const wm_algorithm* algorithm)
{
    return !algorithm->needs_database || (w->db != NULL && algorithm->has_data(w->db));
}

// ---------------------------------------------------------------------------------------------
// Walks that arrive

static double length_of_step(const wm_grid* grid, wm_cell from, wm_cell to)
{
    return reference_direction(grid, from, to) % 2 == 0 ? 1 : 1.4142135623730951;
}

// The agent's own numbers against what its walk shows.
static void check_statistics(const wm_agent* agent, const walk* w, wm_cost cost, const char* spec,
                             uint64_t seed)
{
    const wm_agent_stats stats = wm_agent_statistics(agent);
    uint64_t moves = 0;
    uint64_t most = 0;
    double length = 0;
    for (size_t i = 1; i < w->count; i++) {
        const uint64_t work = w->steps[i].expansions - w->steps[i - 1].expansions;
        if (work > most) most = work;
        if (w->steps[i].cell == w->steps[i - 1].cell) continue;
        moves++;
        length += length_of_step(&agent->map->grid, w->steps[i - 1].cell, w->steps[i].cell);
    }
    const double error = stats.cost - length;
    if (agent->cost != cost || error > 1e-3 || error < -1e-3 || stats.moves != moves ||
        stats.waits != w->count - 1 - moves || stats.max_expansions_per_move != most ||
        stats.back_moves > moves || stats.expansions == 0 || most > agent->most_expansions)
        fail_msg("%s, seed %llu: cost %lld of %lld, length %f of %f, %llu moves of %llu, %llu "
                 "waits, at most %llu "
                 "of %llu states a move, or more than the %llu that are promised",
                 spec, (unsigned long long)seed, (long long)agent->cost, (long long)cost,
                 stats.cost, length, (unsigned long long)stats.moves, (unsigned long long)moves,
                 (unsigned long long)stats.waits, (unsigned long long)stats.max_expansions_per_move,
                 (unsigned long long)most, (unsigned long long)agent->most_expansions);
}

static void check_walk(world* w, wm_agent* agent, const char* spec, wm_cell start, wm_cell goal)
{
    walk first = walk_take(agent, start, goal, MAX_STEPS);
    const wm_cost cost = assert_legal_walk(&first, &w->map->grid, start, goal, spec, w->seed);
    check_statistics(agent, &first, cost, spec, w->seed);
    assert_int_equal(wm_distances_from(&w->distances, start, WM_COST_INFINITE), WM_OK);
    if (cost < w->distances.cost[goal])
        fail_msg("%s, seed %llu: %lld is less than the optimum %lld", spec,
                 (unsigned long long)w->seed, (long long)cost, (long long)w->distances.cost[goal]);

    // Again; again after another problem, which is left half way; and by an agent of its own.
    walk again = walk_take(agent, start, goal, MAX_STEPS);
    assert_same_walk(&again, &first, spec, w->seed);
    walk_free(&again);
    wm_cell other_start;
    wm_cell other_goal;
    assert_true(random_problem(&w->map->grid, &w->rng, &other_start, &other_goal));
    walk other = walk_take(agent, other_start, other_goal, 1 + wm_rng_below(&w->rng, 40));
    walk_free(&other);
    again = walk_take(agent, start, goal, MAX_STEPS);
    assert_same_walk(&again, &first, spec, w->seed);
    walk_free(&again);
    wm_agent* fresh = agent_create(w->map, w->db, spec, true);
    again = walk_take(fresh, start, goal, MAX_STEPS);
    assert_same_walk(&again, &first, spec, w->seed);
    walk_free(&again);
    wm_agent_destroy(fresh);
    walk_free(&first);
}

static void check_world(world* w, const spec_list* specs, int problems)
{
    for (size_t i = 0; i < specs->count; i++) {
        if (!can_run(w, specs->algorithm[i])) continue;
        wm_agent* agent = agent_create(w->map, w->db, specs->text[i], false);
        wm_cell start;
        wm_cell goal;
        for (int k = 0; k < problems; k++) {
            if (random_problem(&w->map->grid, &w->rng, &start, &goal))
                check_walk(w, agent, specs->text[i], start, goal);
        }
        wm_agent_destroy(agent);
    }
}

static void every_algorithm_walks_a_legal_path_to_the_goal_on_random_maps(void** state)
{
    (void)state;
    const spec_list specs = all_specs();
    for (uint64_t seed = 1; seed <= test_cases(150); seed++) {
        world w = world_random(seed);
        check_world(&w, &specs, 2);
        world_free(&w);
    }
}

static void every_algorithm_walks_a_legal_path_to_the_goal_on_built_maps(void** state)
{
    (void)state;
    const spec_list specs = all_specs();
    for (uint64_t seed = 0; seed < 16; seed++) {
        world w = world_generated(seed);
        check_world(&w, &specs, 2);
        world_free(&w);
    }
}

static void every_algorithm_crosses_a_real_map(void** state)
{
    (void)state;
    if (benchmarks_folder() == NULL) {
        print_message("no benchmark folder: set WAYMARK_BENCHMARKS\n");
        skip();
    }
    world w = world_of(map_benchmark("bgmaps/AR0202SR.map", WM_DIAGONAL_NONE), 1, false);
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const char* name = wm_algorithm_at(i)->name;
        wm_agent* agent = agent_create(w.map, w.db, name, false);
        wm_rng rng = wm_rng_start(1, 2);
        wm_cell start;
        wm_cell goal;
        for (int k = 0; k < 3; k++) {
            assert_true(random_problem(&w.map->grid, &rng, &start, &goal));
            check_walk(&w, agent, name, start, goal);
        }
        wm_agent_destroy(agent);
    }
    world_free(&w);
}

static void the_goal_may_be_next_door_or_here(void** state)
{
    (void)state;
    const spec_list specs = all_specs();
    wm_map* map =
        map_generated(WM_GENERATE_RANDOM, 5, 5, 0, WM_GENERATE_DEFAULT, 1, WM_DIAGONAL_NONE);
    world w = world_of(map, 1, false);
    for (size_t i = 0; i < specs.count; i++) {
        wm_agent* agent = agent_create(w.map, w.db, specs.text[i], false);
        assert_int_equal(wm_agent_begin(agent, (wm_point){2, 2}, (wm_point){2, 2}), WM_ARRIVED);
        assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
        for (int d = 0; d < WM_DIRECTIONS; d++) {
            walk one = walk_take(agent, 12, wm_grid_step(&map->grid, 12, d), MAX_STEPS);
            assert_legal_walk(&one, &map->grid, 12, wm_grid_step(&map->grid, 12, d), specs.text[i],
                              1);
            assert_int_equal(one.count, 2);
            walk_free(&one);
        }
        wm_agent_destroy(agent);
    }
    world_free(&w);
}

// ---------------------------------------------------------------------------------------------
// No path

static void an_unreachable_goal_is_answered_at_once(void** state)
{
    (void)state;
    const spec_list specs = all_specs();
    int tried = 0;
    for (uint64_t seed = 1; seed <= test_cases(30); seed++) {
        world w = world_random(seed);
        wm_cell start;
        wm_cell goal;
        for (size_t i = 0; i < specs.count; i++) {
            if (!can_run(&w, specs.algorithm[i])) continue;
            if (!random_unsolvable_problem(&w.map->grid, &w.rng, &start, &goal)) break;
            wm_agent* agent = agent_create(w.map, w.db, specs.text[i], false);
            walk none = walk_take(agent, start, goal, MAX_STEPS);
            assert_int_equal(none.status, WM_NO_PATH);
            assert_int_equal(none.count, 1);
            assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
            const wm_agent_stats stats = wm_agent_statistics(agent);
            assert_true(stats.moves == 0 && stats.expansions == 0 && stats.cost == 0);
            assert_int_equal(wm_grid_cell(&w.map->grid, wm_agent_position(agent)), start);
            walk_free(&none);
            wm_agent_destroy(agent);
            tried++;
        }
        world_free(&w);
    }
    assert_true(tried > 200);
}

// Those that learn walk on as long as they are asked to.
static bool may_walk_for_ever(const wm_algorithm* algorithm)
{
    static const char* const names[] = {"lrta",    "knn-lrta",  "d-lrta",   "rta",
                                        "rtaa",    "lrta-ls",   "lss-lrta", "rths",
                                        "da-lrta", "da-lrta-e", "w-da-lrta"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(algorithm->name, names[i]) == 0) return true;
    }
    return false;
}

// Regions are of the map as it was built: they know its components, and have nothing to look for.
static bool knows_components(const wm_agent* agent)
{
    return strcmp(agent->algorithm->name, "regions") == 0;
}

static void check_unsolvable(const world* w, const wm_algorithm* algorithm, const char* spec,
                             wm_cell start, wm_cell goal)
{
    const size_t max_steps = may_walk_for_ever(algorithm) ? 500 : MAX_STEPS;
    wm_agent* agent = agent_create(w->map, w->db, spec, true);
    walk taken = walk_take(agent, start, goal, max_steps);
    if (taken.status != WM_NO_PATH && !(may_walk_for_ever(algorithm) && taken.status == WM_OK))
        fail_msg("%s, seed %llu: %u to %u ended with %s after %zu steps", spec,
                 (unsigned long long)w->seed, start, goal, wm_status_name(taken.status),
                 taken.count - 1);
    if (wm_agent_statistics(agent).expansions == 0 && !knows_components(agent))
        fail_msg("%s, seed %llu: nobody looked for a path", spec, (unsigned long long)w->seed);
    for (size_t i = 1; i < taken.count; i++) {
        const wm_cell from = taken.steps[i - 1].cell;
        const wm_cell to = taken.steps[i].cell;
        assert_true(from == to || reference_direction(&w->map->grid, from, to) >= 0);
    }
    if (taken.status == WM_NO_PATH) assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT);
    walk_free(&taken);
    wm_agent_destroy(agent);
}

static void with_the_check_off_they_find_out_by_themselves(void** state)
{
    (void)state;
    const spec_list specs = all_specs();
    int tried = 0;
    for (uint64_t seed = 1; seed <= test_cases(60); seed++) {
        world w = world_random(seed);
        wm_cell start;
        wm_cell goal;
        for (size_t i = 0; i < specs.count; i++) {
            if (!can_run(&w, specs.algorithm[i])) continue;
            if (!random_unsolvable_problem(&w.map->grid, &w.rng, &start, &goal)) break;
            check_unsolvable(&w, specs.algorithm[i], specs.text[i], start, goal);
            tried++;
        }
        world_free(&w);
    }
    assert_true(tried > 500);
}

// ---------------------------------------------------------------------------------------------
// The registry itself

static void names_are_unique_and_everything_is_described(void** state)
{
    (void)state;
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const wm_algorithm* algorithm = wm_algorithm_at(i);
        assert_true(algorithm->name[0] != '\0' && algorithm->summary[0] != '\0');
        assert_null(strpbrk(algorithm->name, ":=, "));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(algorithm->name, wm_algorithm_at(k)->name);
        size_t count = 0;
        for (const wm_parameter* p = algorithm->parameters; p->name != NULL; p++, count++) {
            assert_true(p->name[0] != '\0' && p->meaning[0] != '\0');
            assert_true(p->standard == WM_PARAMETER_BY_PRESET ||
                        (p->min <= p->standard && p->standard <= p->max));
        }
        assert_true(count <= WM_MAX_PARAMETERS);
    }
}

static void the_algorithms_of_the_first_release_are_there(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        size_t count;
        int64_t standards[5];
    } known[] = {
        {"astar", 0, {0}}, {"lrta", 1, {1}},     {"knn-lrta", 5, {25, 3, 1, 0, 0}},
        {"tba", 1, {25}},  {"tb-gbfs", 1, {25}}, {"tb-wa", 3, {25, 3000, 1}},
        {"prta", 0, {0}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const wm_algorithm* algorithm;
        wm_parameter_values values;
        assert_int_equal(wm_algorithm_parse(known[i].name, &algorithm, &values, NULL), WM_OK);
        for (size_t k = 0; k < known[i].count; k++)
            assert_int_equal(values.at[k], known[i].standards[k]);
        assert_null(algorithm->parameters[known[i].count].name);
    }
}

static void check_round_trip(const wm_algorithm* algorithm, size_t index, int64_t value)
{
    const wm_parameter* parameter = &algorithm->parameters[index];
    if (value == WM_PARAMETER_BY_PRESET) return; // cannot be written
    char number[32];
    char spec[96];
    wm_parameter_values values;
    const wm_algorithm* found;
    wm_parameter_format(number, sizeof number, parameter, value);
    snprintf(spec, sizeof spec, "%s:%s=%s", algorithm->name, parameter->name, number);
    assert_int_equal(wm_algorithm_parse(spec, &found, &values, NULL), WM_OK);
    assert_ptr_equal(found, algorithm);
    if (values.at[index] != value)
        fail_msg("%s is read as %lld", spec, (long long)values.at[index]);
}

static void values_are_read_as_they_are_written(void** state)
{
    (void)state;
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const wm_algorithm* algorithm = wm_algorithm_at(i);
        wm_rng rng = wm_rng_start(i, 3);
        for (size_t k = 0; algorithm->parameters[k].name != NULL; k++) {
            const wm_parameter* p = &algorithm->parameters[k];
            check_round_trip(algorithm, k, p->min);
            check_round_trip(algorithm, k, p->max);
            check_round_trip(algorithm, k, p->standard);
            for (int n = 0; n < 200; n++) {
                const uint64_t range = (uint64_t)(p->max - p->min) + 1;
                check_round_trip(algorithm, k, p->min + (int64_t)wm_rng_below(&rng, range));
            }
        }
    }
}

static void refuse(const wm_algorithm* algorithm, const char* parameter, const char* value)
{
    const wm_algorithm* found;
    wm_parameter_values values;
    wm_error error = {""};
    char spec[96];
    snprintf(spec, sizeof spec, "%s:%s%s", algorithm->name, parameter, value);
    if (wm_algorithm_parse(spec, &found, &values, &error) != WM_ERR_ARGUMENT)
        fail_msg("%s was accepted", spec);
    assert_contains(error.message, algorithm->name);
}

static void values_that_are_no_numbers_or_out_of_range_are_refused(void** state)
{
    (void)state;
    static const char* const never[] = {"",    "=",      "=-1",   "=+1", "= 1",  "=1 ",
                                        "=1e", "=1.2.3", "=0x10", "=.",  "=inf", "=1.0001"};
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const wm_algorithm* algorithm = wm_algorithm_at(i);
        refuse(algorithm, "", "");
        refuse(algorithm, "no such parameter", "=1");
        for (const wm_parameter* p = algorithm->parameters; p->name != NULL; p++) {
            for (size_t k = 0; k < sizeof never / sizeof *never; k++)
                refuse(algorithm, p->name, never[k]);
            char value[40] = "=";
            wm_parameter_format(value + 1, sizeof value - 1, p, p->max + 1);
            refuse(algorithm, p->name, value);
            wm_parameter_format(value + 1, sizeof value - 1, p, p->min - 1);
            refuse(algorithm, p->name, value);
        }
    }
}

static void an_unknown_choice_is_told_what_there_is(void** state)
{
    (void)state;
    const wm_algorithm* found;
    wm_parameter_values values;
    wm_error error = {""};
    assert_int_equal(wm_algorithm_parse("rths:lop=mode", &found, &values, &error), WM_ERR_ARGUMENT);
    assert_string_equal(error.message, "rths: lop=mode is none of min, avg, median, max");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_walks_a_legal_path_to_the_goal_on_random_maps),
        cmocka_unit_test(every_algorithm_walks_a_legal_path_to_the_goal_on_built_maps),
        cmocka_unit_test(every_algorithm_crosses_a_real_map),
        cmocka_unit_test(the_goal_may_be_next_door_or_here),
        cmocka_unit_test(an_unreachable_goal_is_answered_at_once),
        cmocka_unit_test(with_the_check_off_they_find_out_by_themselves),
        cmocka_unit_test(names_are_unique_and_everything_is_described),
        cmocka_unit_test(the_algorithms_of_the_first_release_are_there),
        cmocka_unit_test(values_are_read_as_they_are_written),
        cmocka_unit_test(values_that_are_no_numbers_or_out_of_range_are_refused),
        cmocka_unit_test(an_unknown_choice_is_told_what_there_is),
    };
    return cmocka_run_group_tests_name("algorithms", tests, NULL, NULL);
}
