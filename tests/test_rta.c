// SPDX-License-Identifier: MIT
//
// RTA* is compared move by move with the sentence that defines it: as LRTA*, but the state that is
// left gets the second least step cost + h, or the least where there is only one.
#include "algorithms/learned.h"
#include "literal.h"
#include "reference.h"

static wm_cell move(literal* agent, wm_cell at)
{
    wm_cost all[8];
    int count = 0;
    wm_cell best = WM_NO_CELL;
    agent->expansions++;
    for (int d = 0; d < 8; d++) {
        const wm_cell next = literal_step(agent, at, d);
        if (next == WM_NO_CELL) continue;
        const wm_cost f = reference_step_cost(d) + agent->h[next];
        int place = count++;
        for (; place > 0 && all[place - 1] > f; place--) all[place] = all[place - 1];
        all[place] = f;
        if (place == 0) best = next;
    }
    if (count == 0) return WM_NO_CELL;
    const wm_cost learned = all[count > 1 ? 1 : 0];
    if (learned > agent->h[at]) agent->h[at] = learned;
    return best;
}

static void it_walks_as_defined(void** state)
{
    (void)state;
    assert_walks_literally(&(literal_case){.spec = "rta", .mover = move}, 400, 30);
}

static void a_move_expands_one_state(void** state)
{
    (void)state;
    wm_map* map = map_generated(WM_GENERATE_CAVES, 60, 60, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                3, WM_DIAGONAL_NONE);
    wm_agent* agent = agent_create(map, NULL, "rta", false);
    wm_rng rng = wm_rng_start(3, 1);
    wm_cell start;
    wm_cell goal;
    for (int i = 0; i < 20 && random_problem(&map->grid, &rng, &start, &goal); i++) {
        walk w = walk_take(agent, start, goal, 1000000);
        assert_legal_walk(&w, &map->grid, start, goal, "rta", 3);
        const wm_agent_stats stats = wm_agent_statistics(agent);
        assert_true(stats.expansions == stats.moves && stats.max_expansions_per_move == 1);
        walk_free(&w);
    }
    wm_agent_destroy(agent);
    wm_map_unload(map);
}

// In a dead end of one cell there is no second choice.
static void a_single_choice_is_learned_itself(void** state)
{
    (void)state;
    const uint8_t open[] = {1, 1, 1, 0, 1, //
                            1, 0, 0, 0, 1, //
                            1, 1, 1, 1, 1};
    wm_map* map = NULL;
    const wm_map_config config = wm_map_config_default();
    assert_int_equal(wm_map_create(&map, open, 5, 3, 5, &config, NULL), WM_OK);
    wm_agent* agent = agent_create(map, NULL, "rta", false);
    walk w = walk_take(agent, 1, 4, 2);
    const wm_learned* learned = agent->state;
    assert_int_equal(w.steps[1].cell, 2);
    assert_int_equal(w.steps[2].cell, 1);
    assert_int_equal(wm_learned_value(learned, 1), 5 * 5741); // to the west and straight on
    assert_int_equal(wm_learned_value(learned, 2), 6 * 5741);
    walk_free(&w);
    w = walk_take(agent, 1, 4, 100);
    assert_int_equal(w.status, WM_ARRIVED);
    walk_free(&w);
    wm_agent_destroy(agent);
    wm_map_unload(map);
}

static void it_keeps_to_legal_moves_while_walls_move(void** state)
{
    (void)state;
    assert_walks_on_while_walls_move("rta");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_walks_as_defined),
        cmocka_unit_test(a_move_expands_one_state),
        cmocka_unit_test(a_single_choice_is_learned_itself),
        cmocka_unit_test(it_keeps_to_legal_moves_while_walls_move),
    };
    return cmocka_run_group_tests_name("rta", tests, NULL, NULL);
}
