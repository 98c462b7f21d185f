// SPDX-License-Identifier: MIT
//
// The time-bounded searches are compared move by move with the paper's loop written down with plain
// arrays: the open list is looked through for every pop and the path is rebuilt in every step.
#include "algorithms/tb_bfs.h"

#include <stdio.h>
#include <stdlib.h>

#include "distance.h"
#include "reference.h"
#include "walk.h"

#define MAX_STEPS 1000000
#define UNBOUNDED UINT64_C(1000000000)

// ---------------------------------------------------------------------------------------------
// The paper's loop

typedef struct variant {
    const char* algorithm; // printf pattern for k
    wm_search_weights weights;
    bool keep_closed;
} variant;

typedef struct reference_tb {
    const wm_grid* grid;
    wm_search_weights weights;
    wm_cell root;
    wm_cell goal;
    uint64_t* p; // f of the best known way; UINT64_MAX for none
    wm_cost* g;
    wm_cell* parent;
    bool* open;
    bool* on_path;
    wm_cell* next_on_path;
    wm_cell best;
    bool goal_found;
    bool keep_closed;
    uint64_t expansions;
} reference_tb;

static uint64_t f_of(const reference_tb* tb, wm_cell cell, wm_cost g)
{
    return tb->weights.g * (uint64_t)g +
           tb->weights.h * (uint64_t)reference_h(tb->grid, cell, tb->goal);
}

static reference_tb reference_tb_begin(const wm_grid* grid, wm_cell root, wm_cell goal,
                                       const variant* v)
{
    reference_tb tb = {.grid = grid,
                       .weights = v->weights,
                       .keep_closed = v->keep_closed,
                       .root = root,
                       .goal = goal};
    const size_t count = grid->cell_count;
    tb.p = malloc(count * sizeof *tb.p);
    tb.g = calloc(count, sizeof *tb.g);
    tb.parent = malloc(count * sizeof *tb.parent);
    tb.open = calloc(count, sizeof *tb.open);
    tb.on_path = calloc(count, sizeof *tb.on_path);
    tb.next_on_path = malloc(count * sizeof *tb.next_on_path);
    for (size_t i = 0; i < count; i++) {
        tb.p[i] = UINT64_MAX;
        tb.parent[i] = WM_NO_CELL;
    }
    tb.p[root] = f_of(&tb, root, 0);
    tb.open[root] = true;
    return tb;
}

static void reference_tb_free(reference_tb* tb)
{
    free(tb->p);
    free(tb->g);
    free(tb->parent);
    free(tb->open);
    free(tb->on_path);
    free(tb->next_on_path);
}

// Least p, ties to the larger g, then to the lower cell; WM_NO_CELL when the list is empty.
static wm_cell best_open(const reference_tb* tb)
{
    wm_cell best = WM_NO_CELL;
    for (wm_cell cell = 0; cell < tb->grid->cell_count; cell++) {
        if (!tb->open[cell]) continue;
        if (best == WM_NO_CELL || tb->p[cell] < tb->p[best] ||
            (tb->p[cell] == tb->p[best] && tb->g[cell] > tb->g[best]))
            best = cell;
    }
    return best;
}

static void expand(reference_tb* tb, wm_cell s)
{
    tb->open[s] = false;
    tb->expansions++;
    for (int d = 0; d < 8; d++) {
        const wm_cell t = reference_step(tb->grid, s, d);
        if (t == WM_NO_CELL) continue;
        const wm_cost g = tb->g[s] + reference_step_cost(d);
        if (f_of(tb, t, g) >= tb->p[t]) continue;
        if (tb->keep_closed && tb->p[t] != UINT64_MAX && !tb->open[t]) continue;
        tb->p[t] = f_of(tb, t, g);
        tb->g[t] = g;
        tb->parent[t] = s;
        tb->open[t] = true; // also if it was expanded before
    }
}

static void rebuild_path(reference_tb* tb)
{
    for (wm_cell cell = 0; cell < tb->grid->cell_count; cell++) tb->on_path[cell] = false;
    tb->on_path[tb->best] = true;
    for (wm_cell cell = tb->best; cell != tb->root; cell = tb->parent[cell]) {
        tb->on_path[tb->parent[cell]] = true;
        tb->next_on_path[tb->parent[cell]] = cell;
    }
}

// One search step; false when there is no solution.
static bool search_step(reference_tb* tb, uint64_t k)
{
    uint64_t expansions = 0;
    wm_cell top = best_open(tb);
    while (top != WM_NO_CELL && expansions < k && tb->p[tb->goal] > tb->p[top]) {
        expand(tb, top);
        expansions++;
        top = best_open(tb);
    }
    if (top == WM_NO_CELL) return false;
    tb->best = top;
    tb->goal_found = top == tb->goal;
    rebuild_path(tb);
    return true;
}

static walk reference_walk(const wm_grid* grid, wm_cell start, wm_cell goal, const variant* v,
                           uint64_t k)
{
    walk w = {.status = WM_OK};
    reference_tb tb = reference_tb_begin(grid, start, goal, v);
    uint64_t back_moves = 0;
    wm_cell current = start;
    walk_add(&w, start, 0, 0);
    while (current != goal && w.count <= MAX_STEPS) {
        if (!tb.goal_found && !search_step(&tb, k)) {
            w.status = WM_NO_PATH;
            break;
        }
        if (!tb.on_path[current]) {
            current = tb.parent[current];
            back_moves++;
        } else if (current != tb.best) { // else it waits
            current = tb.next_on_path[current];
        }
        walk_add(&w, current, tb.expansions, back_moves);
    }
    if (current == goal) w.status = WM_ARRIVED;
    reference_tb_free(&tb);
    return w;
}

// Expansions of the plain search, the goal's included: N(w).
static uint64_t plain_expansions(const wm_grid* grid, wm_cell start, wm_cell goal, const variant* v)
{
    reference_tb tb = reference_tb_begin(grid, start, goal, v);
    for (wm_cell top = best_open(&tb); top != WM_NO_CELL; top = best_open(&tb)) {
        expand(&tb, top);
        if (top == goal) break;
    }
    const uint64_t expansions = tb.expansions;
    reference_tb_free(&tb);
    return expansions;
}

// ---------------------------------------------------------------------------------------------
// Walks against the loop

static const variant variants[] = {
    {"tba:k=%llu", {1, 1}, false},
    {"tb-wa:w=1:k=%llu", {1000, 1000}, false},
    {"tb-wa:w=1.4:k=%llu", {1000, 1400}, false},
    {"tb-wa:w=2.125:k=%llu", {1000, 2125}, false},
    {"tb-wa:k=%llu", {1000, 3000}, false},
    {"tb-wa:w=20:k=%llu", {1000, 20000}, false},
    {"tb-wa:w=2:reopen=0:k=%llu", {1000, 2000}, true},
    {"tb-gbfs:k=%llu", {0, 1}, false},
};
#define VARIANTS (sizeof variants / sizeof *variants)

static const uint64_t allowances[] = {1, 2, 4, 7, 16, 25, 64, 256, UNBOUNDED};
#define ALLOWANCES (sizeof allowances / sizeof *allowances)

typedef struct spec {
    char text[64];
} spec;

static spec spec_of(const variant* v, uint64_t k)
{
    spec s;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(s.text, sizeof s.text, v->algorithm, (unsigned long long)k);
#pragma GCC diagnostic pop
    return s;
}

static void check_walk(const wm_map* map, const variant* v, uint64_t k, wm_cell start, wm_cell goal,
                       uint64_t seed)
{
    const spec s = spec_of(v, k);
    wm_agent* agent = agent_create(map, NULL, s.text, true);
    walk actual = walk_take(agent, start, goal, MAX_STEPS);
    walk expected = reference_walk(&map->grid, start, goal, v, k);
    assert_same_walk(&actual, &expected, s.text, seed);
    assert_true(wm_agent_statistics(agent).max_expansions_per_move <= k);
    walk_free(&expected);
    walk_free(&actual);
    wm_agent_destroy(agent);
}

static void check_map(const wm_map* map, int problems, uint64_t seed)
{
    wm_rng rng = wm_rng_start(seed, 1);
    for (int i = 0; i < problems && map->grid.open_count > 0; i++) {
        // Any two open cells: where there is no path both must end at the same step.
        const wm_cell start = random_open_cell(&map->grid, &rng);
        const wm_cell goal = random_open_cell(&map->grid, &rng);
        if (start == goal) continue;
        for (size_t v = 0; v < VARIANTS; v++)
            check_walk(map, &variants[v], allowances[wm_rng_below(&rng, ALLOWANCES)], start, goal,
                       seed);
    }
}

static void it_walks_as_the_paper_says_on_random_maps(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        wm_map* map = map_random(seed, 40);
        check_map(map, 4, seed);
        wm_map_unload(map);
    }
}

static void it_walks_as_the_paper_says_on_caves_rooms_and_mazes(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 48; seed++) {
        wm_map* map =
            map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 32, 36, WM_GENERATE_DEFAULT,
                          (int32_t)(1 + seed / 4), seed, (wm_diagonal)(seed / 4 % 2));
        check_map(map, 3, seed);
        wm_map_unload(map);
    }
}

static void every_allowance_and_weight_walks_as_the_paper_says(void** state)
{
    (void)state;
    wm_map* map = map_generated(WM_GENERATE_CAVES, 40, 40, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                77, WM_DIAGONAL_NONE);
    wm_rng rng = wm_rng_start(77, 2);
    wm_cell start;
    wm_cell goal;
    assert_true(random_problem(&map->grid, &rng, &start, &goal));
    for (size_t v = 0; v < VARIANTS; v++) {
        for (size_t k = 0; k < ALLOWANCES; k++)
            check_walk(map, &variants[v], allowances[k], start, goal, 77);
    }
    wm_map_unload(map);
}

// ---------------------------------------------------------------------------------------------
// Bounds and promises

static bool is_weighted(const variant* v)
{
    return v->weights.g != 0;
}

// What was paid until `expansions` were made, and afterwards.
static void split_cost(const walk* w, const wm_grid* grid, uint64_t expansions, wm_cost* before,
                       wm_cost* after)
{
    *before = 0;
    *after = 0;
    for (size_t i = 1; i < w->count; i++) {
        const int direction = reference_direction(grid, w->steps[i - 1].cell, w->steps[i].cell);
        if (direction < 0) continue; // a wait
        // The step in which the goal is found already knows the way.
        *(w->steps[i].expansions < expansions ? before : after) += reference_step_cost(direction);
    }
}

static void check_bounds(const wm_map* map, const variant* v, uint64_t k, wm_cell start,
                         wm_cell goal, wm_cost optimum, uint64_t seed)
{
    const spec s = spec_of(v, k);
    const uint64_t until_found = plain_expansions(&map->grid, start, goal, v) - 1;
    const wm_cost most_until_found = (wm_cost)(until_found / k) * 8119;
    wm_agent* agent = agent_create(map, NULL, s.text, false);
    walk w = walk_take(agent, start, goal, MAX_STEPS);
    wm_cost before;
    wm_cost after;
    split_cost(&w, &map->grid, until_found, &before, &after);
    if (w.status != WM_ARRIVED || before > most_until_found ||
        (wm_cost)v->weights.g * after > 2 * (wm_cost)v->weights.h * optimum)
        fail_msg("%s, seed %llu, %u to %u: paid %lld, at most %lld, until the goal was found, then "
                 "%lld with an optimum of %lld",
                 s.text, (unsigned long long)seed, start, goal, (long long)before,
                 (long long)most_until_found, (long long)after, (long long)optimum);
    assert_true(w.steps[w.count - 1].expansions == until_found);
    walk_free(&w);
    wm_agent_destroy(agent);
}

static void the_cost_stays_within_the_papers_bounds(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        wm_map* map = map_random(seed, 30);
        wm_rng rng = wm_rng_start(seed, 3);
        wm_distances distances;
        wm_cell start;
        wm_cell goal;
        assert_int_equal(wm_distances_create(&distances, &map->grid, NULL), WM_OK);
        for (int i = 0; i < 2 && random_problem(&map->grid, &rng, &start, &goal); i++) {
            assert_int_equal(wm_distances_from(&distances, start, WM_COST_INFINITE), WM_OK);
            for (size_t v = 0; v < VARIANTS; v++) {
                const uint64_t k = allowances[wm_rng_below(&rng, ALLOWANCES)];
                if (is_weighted(&variants[v]))
                    check_bounds(map, &variants[v], k, start, goal, distances.cost[goal], seed);
            }
        }
        wm_distances_free(&distances);
        wm_map_unload(map);
    }
}

static void without_a_bound_the_first_step_searches_all_but_the_goal(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        wm_map* map = map_random(seed, 30);
        wm_rng rng = wm_rng_start(seed, 4);
        wm_cell start;
        wm_cell goal;
        for (int i = 0; i < 2 && random_problem(&map->grid, &rng, &start, &goal); i++) {
            for (size_t v = 0; v < VARIANTS; v++) {
                const spec s = spec_of(&variants[v], UNBOUNDED);
                const uint64_t plain = plain_expansions(&map->grid, start, goal, &variants[v]);
                wm_agent* agent = agent_create(map, NULL, s.text, false);
                walk w = walk_take(agent, start, goal, MAX_STEPS);
                const wm_agent_stats stats = wm_agent_statistics(agent);
                if (w.steps[1].expansions != plain - 1 || stats.expansions != plain - 1 ||
                    stats.back_moves != 0 || stats.waits != 0)
                    fail_msg("%s, seed %llu: %llu expansions where the plain search has %llu",
                             s.text, (unsigned long long)seed, (unsigned long long)stats.expansions,
                             (unsigned long long)plain);
                walk_free(&w);
                wm_agent_destroy(agent);
            }
        }
        wm_map_unload(map);
    }
}

// From every cell of the walk the next one is on an optimal way to the goal.
static void check_optimal(const walk* w, const wm_grid* grid, const wm_distances* to_goal,
                          const char* what, uint64_t seed)
{
    for (size_t i = 1; i < w->count; i++) {
        const wm_cell from = w->steps[i - 1].cell;
        const wm_cell to = w->steps[i].cell;
        const wm_cost step = reference_step_cost(reference_direction(grid, from, to));
        if (step + to_goal->cost[to] != to_goal->cost[from])
            fail_msg("%s, seed %llu: the move from %u to %u is not optimal", what,
                     (unsigned long long)seed, from, to);
    }
    assert_int_equal(w->steps[w->count - 1].back_moves, 0);
}

static void without_a_bound_and_with_weight_1_the_walk_is_optimal(void** state)
{
    (void)state;
    static const char* const specs[] = {"tb-wa:w=1:k=1000000000", "tba:k=1000000000", "astar"};
    for (uint64_t seed = 1; seed <= 300; seed++) {
        wm_map* map = map_random(seed, 40);
        wm_rng rng = wm_rng_start(seed, 5);
        wm_distances distances;
        wm_cell start;
        wm_cell goal;
        assert_int_equal(wm_distances_create(&distances, &map->grid, NULL), WM_OK);
        for (int i = 0; i < 3 && random_problem(&map->grid, &rng, &start, &goal); i++) {
            assert_int_equal(wm_distances_from(&distances, goal, WM_COST_INFINITE), WM_OK);
            for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
                wm_agent* agent = agent_create(map, NULL, specs[s], false);
                walk w = walk_take(agent, start, goal, MAX_STEPS);
                const wm_cost cost = assert_legal_walk(&w, &map->grid, start, goal, specs[s], seed);
                assert_true(cost == distances.cost[start]);
                check_optimal(&w, &map->grid, &distances, specs[s], seed);
                walk_free(&w);
                wm_agent_destroy(agent);
            }
        }
        wm_distances_free(&distances);
        wm_map_unload(map);
    }
}

static void weight_1_is_the_time_bounded_astar(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        wm_map* map = map_random(seed, 40);
        wm_rng rng = wm_rng_start(seed, 6);
        wm_cell start;
        wm_cell goal;
        if (random_problem(&map->grid, &rng, &start, &goal)) {
            wm_agent* tba = agent_create(map, NULL, "tba:k=9", false);
            wm_agent* weighted = agent_create(map, NULL, "tb-wa:k=9:w=1", false);
            walk expected = walk_take(tba, start, goal, MAX_STEPS);
            walk actual = walk_take(weighted, start, goal, MAX_STEPS);
            assert_same_walk(&actual, &expected, "tb-wa:w=1", seed);
            walk_free(&actual);
            walk_free(&expected);
            wm_agent_destroy(weighted);
            wm_agent_destroy(tba);
        }
        wm_map_unload(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_walks_as_the_paper_says_on_random_maps),
        cmocka_unit_test(it_walks_as_the_paper_says_on_caves_rooms_and_mazes),
        cmocka_unit_test(every_allowance_and_weight_walks_as_the_paper_says),
        cmocka_unit_test(the_cost_stays_within_the_papers_bounds),
        cmocka_unit_test(without_a_bound_the_first_step_searches_all_but_the_goal),
        cmocka_unit_test(without_a_bound_and_with_weight_1_the_walk_is_optimal),
        cmocka_unit_test(weight_1_is_the_time_bounded_astar),
    };
    return cmocka_run_group_tests_name("tb_bfs", tests, NULL, NULL);
}
