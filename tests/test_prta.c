// SPDX-License-Identifier: MIT
//
// PRTA* is compared move by move with the paper's loop over an explicit stack of cells.
#include <stdlib.h>

#include "reference.h"
#include "walk.h"

#define MAX_MOVES 1000000

// The least step cost + h over the unmarked neighbours, and which one; WM_NO_CELL for none.
static wm_cell best_unmarked(const wm_grid* grid, const bool* marked, wm_cell s, wm_cell goal,
                             wm_cost* least)
{
    wm_cell best = WM_NO_CELL;
    *least = INT64_MAX;
    for (int d = 0; d < 8; d++) {
        const wm_cell y = reference_step(grid, s, d);
        if (y == WM_NO_CELL || marked[y]) continue;
        const wm_cost f = reference_step_cost(d) + reference_h(grid, y, goal);
        if (f >= *least) continue;
        *least = f;
        best = y;
    }
    return best;
}

static walk reference_walk(const wm_grid* grid, wm_cell start, wm_cell goal)
{
    walk w = {.status = WM_OK};
    walk stack = {0}; // of cells; the top is where the agent stands
    bool* marked = calloc(grid->cell_count, sizeof *marked);
    uint64_t expansions = 0;
    uint64_t back_moves = 0;
    wm_cell s = start;
    walk_add(&w, s, 0, 0);
    walk_add(&stack, s, 0, 0);
    while (s != goal && w.count <= MAX_MOVES) {
        wm_cost least;
        const wm_cell y = best_unmarked(grid, marked, s, goal, &least);
        expansions++;
        if (y != WM_NO_CELL) {
            if (reference_h(grid, s, goal) < least) marked[s] = true;
            walk_add(&stack, y, 0, 0);
        } else {
            marked[s] = true;
            stack.count--;
            if (stack.count == 0) break;
            back_moves++;
        }
        s = stack.steps[stack.count - 1].cell;
        walk_add(&w, s, expansions, back_moves);
    }
    if (stack.count == 0) w.status = WM_NO_PATH;
    if (s == goal) w.status = WM_ARRIVED;
    free(marked);
    walk_free(&stack);
    return w;
}

static void check_problem(wm_agent* agent, wm_cell start, wm_cell goal, uint64_t seed)
{
    walk actual = walk_take(agent, start, goal, MAX_MOVES);
    walk expected = reference_walk(&agent->map->grid, start, goal);
    assert_same_walk(&actual, &expected, "prta", seed);
    const wm_agent_stats stats = wm_agent_statistics(agent);
    assert_true(stats.max_expansions_per_move <= 1);
    if (actual.status == WM_ARRIVED) assert_true(stats.expansions == stats.moves);
    walk_free(&expected);
    walk_free(&actual);
}

static void it_walks_as_the_paper_says_on_random_maps(void** state)
{
    (void)state;
    uint64_t back_moves = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        wm_map* map = map_random(seed, 60);
        wm_agent* agent = agent_create(map, NULL, "prta", false);
        wm_rng rng = wm_rng_start(seed, 1);
        wm_cell start;
        wm_cell goal;
        for (int i = 0; i < 4 && random_problem(&map->grid, &rng, &start, &goal); i++) {
            check_problem(agent, start, goal, seed);
            back_moves += wm_agent_statistics(agent).back_moves;
        }
        wm_agent_destroy(agent);
        wm_map_unload(map);
    }
    assert_true(back_moves > 0); // or the maps were too easy to show anything
}

static void it_walks_as_the_paper_says_on_caves_rooms_and_mazes(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 32; seed++) {
        wm_map* map =
            map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 80, 80, WM_GENERATE_DEFAULT,
                          (int32_t)(1 + seed / 8), seed, (wm_diagonal)(seed / 4 % 2));
        wm_agent* agent = agent_create(map, NULL, "prta", false);
        wm_rng rng = wm_rng_start(seed, 2);
        wm_cell start;
        wm_cell goal;
        for (int i = 0; i < 6 && random_problem(&map->grid, &rng, &start, &goal); i++)
            check_problem(agent, start, goal, seed);
        wm_agent_destroy(agent);
        wm_map_unload(map);
    }
}

static void it_ends_as_the_paper_says_where_there_is_no_path(void** state)
{
    (void)state;
    int tried = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        wm_map* map = map_random(seed, 30);
        wm_agent* agent = agent_create(map, NULL, "prta", true);
        wm_rng rng = wm_rng_start(seed, 3);
        wm_cell start;
        wm_cell goal;
        for (int i = 0; i < 3; i++) {
            if (!random_unsolvable_problem(&map->grid, &rng, &start, &goal)) break;
            check_problem(agent, start, goal, seed);
            assert_int_equal(wm_agent_step(agent), WM_ERR_ARGUMENT); // it has ended
            tried++;
        }
        wm_agent_destroy(agent);
        wm_map_unload(map);
    }
    assert_true(tried > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_walks_as_the_paper_says_on_random_maps),
        cmocka_unit_test(it_walks_as_the_paper_says_on_caves_rooms_and_mazes),
        cmocka_unit_test(it_ends_as_the_paper_says_where_there_is_no_path),
    };
    return cmocka_run_group_tests_name("prta", tests, NULL, NULL);
}
