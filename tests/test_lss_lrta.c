// SPDX-License-Identifier: MIT
//
// LSS-LRTA* is compared move by move with the paper's loop over whole arrays. What closed states
// learn is worked out by rounds of relaxation until nothing changes, instead of in order.
#include <stdlib.h>

#include "algorithms/episode.h"
#include "literal.h"
#include "reference.h"

// Sets h of the closed states to the least cost to an open state plus its h.
static void learn(literal* agent, const literal_search* search)
{
    const wm_cell cells = agent->map->cell_count;
    for (wm_cell cell = 0; cell < cells; cell++) {
        if (search->closed[cell]) agent->h[cell] = INT64_MAX / 2;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (wm_cell cell = 0; cell < cells; cell++) {
            if (!search->closed[cell]) continue;
            const wm_cost least = literal_least(agent, cell, NULL, NULL);
            if (least >= agent->h[cell]) continue;
            agent->h[cell] = least;
            changed = true;
        }
    }
}

static wm_cell move(literal* agent, wm_cell at)
{
    if (literal_path_holds(agent, at)) return literal_path_follow(agent);
    literal_search search = literal_search_run(agent, at);
    const bool found = search.best != WM_NO_CELL;
    if (found) {
        learn(agent, &search);
        literal_path_set(agent, &search, at);
    }
    literal_search_free(&search);
    return found ? literal_path_follow(agent) : WM_NO_CELL;
}

static void it_walks_as_the_paper_says(void** state)
{
    (void)state;
    assert_walks_literally(&(literal_case){"lss-lrta", 10, 0, move}, 360, 20);
    assert_walks_literally(&(literal_case){"lss-lrta:k=1", 1, 0, move}, 180, 16);
    assert_walks_literally(&(literal_case){"lss-lrta:k=3", 3, 0, move}, 180, 16);
    assert_walks_literally(&(literal_case){"lss-lrta:k=47", 47, 0, move}, 360, 25);
    assert_walks_literally(&(literal_case){"lss-lrta:k=10000", 10000, 0, move}, 180, 25);
}

static void a_move_expands_k_states_at_most(void** state)
{
    (void)state;
    wm_map* map = map_generated(WM_GENERATE_CAVES, 60, 60, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                3, WM_DIAGONAL_NONE);
    wm_agent* agent = agent_create(map, NULL, "lss-lrta", false);
    wm_rng rng = wm_rng_start(3, 1);
    wm_cell start;
    wm_cell goal;
    for (int i = 0; i < 20 && random_problem(&map->grid, &rng, &start, &goal); i++) {
        walk w = walk_take(agent, start, goal, 1000000);
        assert_legal_walk(&w, &map->grid, start, goal, "lss-lrta", 3);
        assert_true(wm_agent_statistics(agent).max_expansions_per_move <= 10);
        walk_free(&w);
    }
    wm_agent_destroy(agent);
    wm_map_unload(map);
}

// On a map that stands still nothing calls it off: it plans again where it has headed for.
static void it_comes_to_each_of_its_targets(void** state)
{
    (void)state;
    wm_map* map = map_generated(WM_GENERATE_CAVES, 60, 60, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                5, WM_DIAGONAL_NONE);
    const wm_grid* grid = &map->grid;
    wm_agent* agent = agent_create(map, NULL, "lss-lrta", false);
    wm_rng rng = wm_rng_start(5, 1);
    wm_cell start;
    wm_cell goal;
    int targets = 0;
    for (int i = 0; i < 20 && random_problem(grid, &rng, &start, &goal); i++) {
        wm_status status =
            wm_agent_begin(agent, wm_grid_point(grid, start), wm_grid_point(grid, goal));
        wm_cell target = start;
        while (status == WM_OK) {
            const wm_cell at = agent->position;
            status = wm_agent_step(agent);
            const wm_cell chosen = agent->algorithm->target(agent);
            if (chosen == target) continue;
            assert_int_equal(at, target);
            assert_true(wm_grid_connected(grid, chosen, goal));
            target = chosen;
            targets++;
        }
        assert_int_equal(status, WM_ARRIVED);
        assert_int_equal(target, goal);
    }
    assert_true(targets > 100);
    wm_agent_destroy(agent);
    wm_map_unload(map);
}

static void it_keeps_to_legal_moves_while_walls_move(void** state)
{
    (void)state;
    assert_walks_on_while_walls_move("lss-lrta");
    assert_walks_on_while_walls_move("lss-lrta:k=40");
}

// Nodes are marked with 29 bits: as if it had planned that often.
static void the_half_billionth_search_is_as_the_first(void** state)
{
    (void)state;
    wm_map* map = map_generated(WM_GENERATE_CAVES, 60, 60, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                4, WM_DIAGONAL_NONE);
    wm_agent* agent = agent_create(map, NULL, "lss-lrta", false);
    wm_episode* episode = agent->state;
    wm_rng rng = wm_rng_start(4, 1);
    wm_cell start;
    wm_cell goal;
    for (int i = 0; i < 20 && random_problem(&map->grid, &rng, &start, &goal); i++) {
        walk first = walk_take(agent, start, goal, 1000000);
        episode->space.generation = (UINT32_C(1) << 29) - 4;
        walk again = walk_take(agent, start, goal, 1000000);
        assert_same_walk(&again, &first, "lss-lrta", 4);
        walk_free(&again);
        walk_free(&first);
    }
    assert_true(episode->space.generation < 100000);
    wm_agent_destroy(agent);
    wm_map_unload(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_walks_as_the_paper_says),
        cmocka_unit_test(a_move_expands_k_states_at_most),
        cmocka_unit_test(the_half_billionth_search_is_as_the_first),
        cmocka_unit_test(it_comes_to_each_of_its_targets),
        cmocka_unit_test(it_keeps_to_legal_moves_while_walls_move),
    };
    return cmocka_run_group_tests_name("lss_lrta", tests, NULL, NULL);
}
