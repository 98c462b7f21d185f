// SPDX-License-Identifier: MIT
//
// LRTA*_LS is compared move by move with its pseudo-code over explicit sets: a queue, the interior I
// and the frontier F, and in the update the least pair of both among all pairs.
#include <stdlib.h>

#include "literal.h"
#include "reference.h"

typedef struct sets {
    bool* queued;
    bool* in_i;
    bool* in_f;
} sets;

static sets sets_create(size_t cells)
{
    return (sets){calloc(cells, sizeof(bool)), calloc(cells, sizeof(bool)),
                  calloc(cells, sizeof(bool))};
}

static void sets_free(sets* s)
{
    free(s->queued);
    free(s->in_i);
    free(s->in_f);
}

static void build_local_space(literal* agent, wm_cell at, sets* s)
{
    walk queue = {0}; // of cells
    size_t first = 0;
    int interior = 0;
    walk_add(&queue, at, 0, 0);
    s->queued[at] = true;
    while (first < queue.count && interior < agent->k) {
        const wm_cell v = queue.steps[first++].cell;
        s->queued[v] = false;
        s->in_f[v] = true;
        if (v == agent->goal) continue; // its h is right
        if (v != at) agent->expansions++;
        if (agent->h[v] >= literal_least(agent, v, s->in_i, NULL)) continue;
        s->in_f[v] = false;
        s->in_i[v] = true;
        interior++;
        for (int d = 0; d < 8; d++) {
            const wm_cell next = literal_step(agent, v, d);
            if (next == WM_NO_CELL || s->in_i[next] || s->queued[next]) continue;
            walk_add(&queue, next, 0, 0);
            s->queued[next] = true;
        }
    }
    for (; first < queue.count; first++) s->in_f[queue.steps[first].cell] = true;
    walk_free(&queue);
}

// The least step cost + h of all pairs, and the interior state of the pair; WM_NO_CELL for none.
static wm_cell least_pair(const literal* agent, const sets* s, wm_cost* least)
{
    wm_cell best = WM_NO_CELL;
    *least = INT64_MAX;
    for (wm_cell i = 0; i < agent->map->cell_count; i++) {
        for (int d = 0; d < 8 && s->in_i[i]; d++) {
            const wm_cell f = literal_step(agent, i, d);
            if (f == WM_NO_CELL || !s->in_f[f]) continue;
            if (reference_step_cost(d) + agent->h[f] >= *least) continue;
            *least = reference_step_cost(d) + agent->h[f];
            best = i;
        }
    }
    return best;
}

// False where the interior has no frontier.
static bool update(literal* agent, sets* s)
{
    bool any = false;
    wm_cost least;
    for (;;) {
        const wm_cell i = least_pair(agent, s, &least);
        if (i == WM_NO_CELL) return any;
        if (least > agent->h[i]) agent->h[i] = least;
        s->in_i[i] = false;
        s->in_f[i] = true;
        any = true;
    }
}

static wm_cell move(literal* agent, wm_cell at)
{
    wm_cell best;
    agent->expansions++;
    wm_cost least = literal_least(agent, at, NULL, &best);
    if (best == WM_NO_CELL) return WM_NO_CELL;
    if (agent->h[at] < least) {
        sets s = sets_create(agent->map->cell_count);
        build_local_space(agent, at, &s);
        const bool has_exit = update(agent, &s);
        sets_free(&s);
        if (!has_exit) return WM_NO_CELL;
        least = literal_least(agent, at, NULL, &best);
        if (least > agent->h[at]) agent->h[at] = least;
    }
    return best;
}

static void it_walks_as_the_pseudo_code_says(void** state)
{
    (void)state;
    assert_walks_literally(&(literal_case){"lrta-ls", 10, 0, move}, 240, 20);
    assert_walks_literally(&(literal_case){"lrta-ls:k=2", 2, 0, move}, 120, 16);
    assert_walks_literally(&(literal_case){"lrta-ls:k=40", 40, 0, move}, 120, 20);
    assert_walks_literally(&(literal_case){"lrta-ls:k=10000", 10000, 0, move}, 80, 16);
}

// The state itself is the whole space then, and learns what LRTA* learns.
static void with_one_state_it_walks_as_lrta(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        wm_map* map = map_random(seed, 40);
        wm_agent* lrta_ls = agent_create(map, NULL, "lrta-ls:k=1", false);
        wm_agent* lrta = agent_create(map, NULL, "lrta:d=1", false);
        wm_rng rng = wm_rng_start(seed, 2);
        wm_cell start;
        wm_cell goal;
        for (int i = 0; i < 3 && random_problem(&map->grid, &rng, &start, &goal); i++) {
            walk actual = walk_take(lrta_ls, start, goal, 1000000);
            walk expected = walk_take(lrta, start, goal, 1000000);
            assert_same_walk(&actual, &expected, "lrta-ls:k=1", seed);
            walk_free(&expected);
            walk_free(&actual);
        }
        wm_agent_destroy(lrta);
        wm_agent_destroy(lrta_ls);
        wm_map_unload(map);
    }
}

static void a_move_looks_at_the_neighbours_of_k_states_at_most(void** state)
{
    (void)state;
    wm_map* map = map_generated(WM_GENERATE_CAVES, 60, 60, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                3, WM_DIAGONAL_NONE);
    wm_agent* agent = agent_create(map, NULL, "lrta-ls", false);
    wm_rng rng = wm_rng_start(3, 1);
    wm_cell start;
    wm_cell goal;
    for (int i = 0; i < 20 && random_problem(&map->grid, &rng, &start, &goal); i++) {
        walk w = walk_take(agent, start, goal, 1000000);
        assert_legal_walk(&w, &map->grid, start, goal, "lrta-ls", 3);
        assert_true(wm_agent_statistics(agent).max_expansions_per_move <= 8 * 10 + 1);
        walk_free(&w);
    }
    wm_agent_destroy(agent);
    wm_map_unload(map);
}

static void it_keeps_to_legal_moves_while_walls_move(void** state)
{
    (void)state;
    assert_walks_on_while_walls_move("lrta-ls");
    assert_walks_on_while_walls_move("lrta-ls:k=40");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_walks_as_the_pseudo_code_says),
        cmocka_unit_test(with_one_state_it_walks_as_lrta),
        cmocka_unit_test(a_move_looks_at_the_neighbours_of_k_states_at_most),
        cmocka_unit_test(it_keeps_to_legal_moves_while_walls_move),
    };
    return cmocka_run_group_tests_name("lrta_ls", tests, NULL, NULL);
}
