// SPDX-License-Identifier: MIT
//
// RTAA* is compared move by move with the paper's loop over whole arrays, and with LRTA*, which it
// is with one expansion and one move an episode.
#include "literal.h"

static wm_cell move(literal* agent, wm_cell at)
{
    const bool moves_are_up = agent->moves != 0 && agent->path_next == (size_t)agent->moves;
    if (!moves_are_up && literal_path_holds(agent, at)) return literal_path_follow(agent);
    literal_search search = literal_search_run(agent, at);
    const wm_cell best = search.best;
    if (best != WM_NO_CELL) {
        const wm_cost f = search.g[best] + agent->h[best];
        for (wm_cell cell = 0; cell < agent->map->cell_count; cell++) {
            if (search.closed[cell]) agent->h[cell] = f - search.g[cell];
        }
        literal_path_set(agent, &search, at);
    }
    literal_search_free(&search);
    return best == WM_NO_CELL ? WM_NO_CELL : literal_path_follow(agent);
}

static void it_walks_as_the_paper_says(void** state)
{
    (void)state;
    assert_walks_literally(&(literal_case){"rtaa", 10, 0, move}, 360, 20);
    assert_walks_literally(&(literal_case){"rtaa:k=2", 2, 0, move}, 180, 16);
    assert_walks_literally(&(literal_case){"rtaa:k=47", 47, 0, move}, 360, 25);
    assert_walks_literally(&(literal_case){"rtaa:k=10000", 10000, 0, move}, 180, 25);
}

static void it_plans_again_after_the_moves_it_is_allowed(void** state)
{
    (void)state;
    assert_walks_literally(&(literal_case){"rtaa:moves=1", 10, 1, move}, 180, 16);
    assert_walks_literally(&(literal_case){"rtaa:k=30:moves=3", 30, 3, move}, 180, 20);
    assert_walks_literally(&(literal_case){"rtaa:k=1:moves=1", 1, 1, move}, 180, 16);
}

static void compare_with_lrta(const wm_map* map, const char* spec, uint64_t seed)
{
    wm_rng rng = wm_rng_start(seed, 2);
    for (int i = 0; i < 6; i++) {
        const wm_terrain terrain = (wm_terrain)(i / 3);
        wm_agent* rtaa = agent_create_for(map, spec, terrain, (wm_heuristic)(i % 3));
        wm_agent* lrta = agent_create_for(map, "lrta:d=1", terrain, (wm_heuristic)(i % 3));
        wm_cell start;
        wm_cell goal;
        for (int k = 0; k < 3 && random_problem(&map->grid, &rng, &start, &goal); k++) {
            walk actual = walk_take(rtaa, start, goal, 1000000);
            walk expected = walk_take(lrta, start, goal, 1000000);
            assert_same_walk(&actual, &expected, spec, seed);
            assert_legal_walk(&actual, &map->grid, start, goal, spec, seed);
            walk_free(&expected);
            walk_free(&actual);
        }
        wm_agent_destroy(lrta);
        wm_agent_destroy(rtaa);
    }
}

static void with_one_expansion_and_one_move_it_is_lrta(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        wm_map* map = map_random(seed, 40);
        compare_with_lrta(map, "rtaa:k=1:moves=1", seed);
        compare_with_lrta(map, "rtaa:k=1", seed);
        wm_map_unload(map);
    }
}

static void a_move_expands_k_states_at_most(void** state)
{
    (void)state;
    wm_map* map = map_generated(WM_GENERATE_CAVES, 60, 60, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                3, WM_DIAGONAL_NONE);
    wm_agent* agent = agent_create(map, NULL, "rtaa", false);
    wm_rng rng = wm_rng_start(3, 1);
    wm_cell start;
    wm_cell goal;
    for (int i = 0; i < 20 && random_problem(&map->grid, &rng, &start, &goal); i++) {
        walk w = walk_take(agent, start, goal, 1000000);
        assert_legal_walk(&w, &map->grid, start, goal, "rtaa", 3);
        assert_true(wm_agent_statistics(agent).max_expansions_per_move <= 10);
        walk_free(&w);
    }
    wm_agent_destroy(agent);
    wm_map_unload(map);
}

static void it_keeps_to_legal_moves_while_walls_move(void** state)
{
    (void)state;
    assert_walks_on_while_walls_move("rtaa");
    assert_walks_on_while_walls_move("rtaa:k=40:moves=3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_walks_as_the_paper_says),
        cmocka_unit_test(it_plans_again_after_the_moves_it_is_allowed),
        cmocka_unit_test(with_one_expansion_and_one_move_it_is_lrta),
        cmocka_unit_test(a_move_expands_k_states_at_most),
        cmocka_unit_test(it_keeps_to_legal_moves_while_walls_move),
    };
    return cmocka_run_group_tests_name("rtaa", tests, NULL, NULL);
}
