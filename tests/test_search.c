// SPDX-License-Identifier: MIT
//
// The heap is compared with a list that is looked through for its best entry; searches are compared
// with exact distances, with themselves in one go, and with the published costs of real maps.
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distance.h"
#include "jump.h"
#include "mapfile.h"
#include "reference.h"
#include "scenfile.h"
#include "walk.h"

static const wm_search_weights ASTAR = {1, 1};
static const wm_search_weights GREEDY = {0, 1};

// ---------------------------------------------------------------------------------------------
// The heap

typedef struct listed {
    bool open;
    uint64_t f;
    wm_cost g;
} listed;

// The best of the list: least f, then greatest g, then lowest cell.
static wm_cell best_of_list(const listed* list, wm_cell count)
{
    wm_cell best = WM_NO_CELL;
    for (wm_cell cell = 0; cell < count; cell++) {
        if (!list[cell].open) continue;
        if (best == WM_NO_CELL || list[cell].f < list[best].f ||
            (list[cell].f == list[best].f && list[cell].g > list[best].g))
            best = cell;
    }
    return best;
}

static void check_slots(const wm_heap* heap, const listed* list, wm_cell count)
{
    uint32_t open = 0;
    for (wm_cell cell = 0; cell < count; cell++) {
        if (!list[cell].open) continue;
        open++;
        const uint32_t slot = heap->nodes[cell].slot;
        assert_true(slot < heap->count);
        assert_int_equal(wm_heap_entry_cell(heap->entries[slot]), cell);
    }
    assert_int_equal(heap->count, open);
}

// Few different keys make many ties; the largest ones try the limits of the packing.
static void draw_keys(wm_rng* rng, uint64_t* f, wm_cost* g)
{
    const uint64_t f_base = wm_rng_below(rng, 20) == 0 ? UINT64_MAX - 10 : 0;
    const uint64_t g_base = wm_rng_below(rng, 20) == 0 ? WM_HEAP_MAX_G - 10 : 0;
    *f = f_base + wm_rng_below(rng, 8);
    *g = (wm_cost)(g_base + wm_rng_below(rng, 8));
}

static void change_heap(wm_heap* heap, listed* list, wm_cell cell, wm_rng* rng)
{
    listed* entry = &list[cell];
    uint64_t f;
    wm_cost g;
    draw_keys(rng, &f, &g);
    if (!entry->open) {
        *entry = (listed){true, f, g};
        wm_heap_push(heap, wm_heap_entry_make(f, g, cell));
    } else if (f < entry->f || (f == entry->f && g >= entry->g)) {
        *entry = (listed){true, f, g};
        wm_heap_improve(heap, wm_heap_entry_make(f, g, cell));
    }
}

static void pop_and_compare(wm_heap* heap, listed* list, wm_cell count, uint64_t seed)
{
    const wm_cell expected = best_of_list(list, count);
    const wm_heap_entry entry = wm_heap_pop(heap);
    if (wm_heap_entry_cell(entry) != expected || entry.f != list[expected].f)
        fail_msg("seed %llu: cell %u came instead of %u", (unsigned long long)seed,
                 wm_heap_entry_cell(entry), expected);
    assert_true(heap->nodes[expected].slot == WM_NODE_CLOSED);
    list[expected].open = false;
}

static void the_heap_gives_the_least_f_then_the_largest_g_then_the_lowest_cell(void** state)
{
    (void)state;
    enum { CELLS = 200 };
    wm_heap_entry entries[CELLS];
    wm_node nodes[CELLS];
    listed list[CELLS];
    for (uint64_t seed = 1; seed <= 100; seed++) {
        wm_rng rng = wm_rng_start(seed, 0);
        wm_heap heap = {.entries = entries, .nodes = nodes};
        memset(list, 0, sizeof list);
        for (int i = 0; i < 2000; i++) {
            const wm_cell cell = (wm_cell)wm_rng_below(&rng, CELLS);
            if (heap.count > 0 && wm_rng_below(&rng, 3) == 0)
                pop_and_compare(&heap, list, CELLS, seed);
            else
                change_heap(&heap, list, cell, &rng);
            if (i % 50 == 0) check_slots(&heap, list, CELLS);
        }
        while (heap.count > 0) pop_and_compare(&heap, list, CELLS, seed);
    }
}

static void cells_of_the_largest_map_fit_an_entry(void** state)
{
    (void)state;
    const wm_cell last = WM_GRID_MAX_SIDE * WM_GRID_MAX_SIDE - 1;
    const wm_heap_entry far = wm_heap_entry_make(7, (wm_cost)WM_HEAP_MAX_G, last);
    const wm_heap_entry near = wm_heap_entry_make(7, 0, 0);
    assert_int_equal(wm_heap_entry_cell(far), last);
    assert_int_equal(wm_heap_entry_cell(near), 0);
    assert_true(far.order < near.order);
}

// ---------------------------------------------------------------------------------------------
// Searches on random maps

typedef struct searcher {
    wm_search search;
    void* memory;
} searcher;

static void searcher_open(searcher* s, const wm_grid* grid)
{
    s->memory = calloc(1, wm_search_bytes(grid));
    wm_search_init(&s->search, grid, s->memory);
}

static void searcher_close(searcher* s)
{
    free(s->memory);
}

// Follows the parents from the goal: every step legal, and their sum not above the goal's g, which
// may be higher only where a parent was improved later.
static wm_cost cost_along_parents(const wm_search* search, uint64_t seed)
{
    wm_cost cost = 0;
    uint32_t steps = 0;
    for (wm_cell cell = search->goal; cell != search->root; steps++) {
        const wm_cell parent = wm_search_parent(search, cell);
        const int direction = reference_direction(search->grid, parent, cell);
        if (direction < 0 || direction != wm_search_arrival(search, cell) ||
            steps > search->grid->cell_count || !wm_search_knows(search, parent))
            fail_msg("seed %llu: cell %u has no legal way back", (unsigned long long)seed, cell);
        cost += reference_step_cost(direction);
        cell = parent;
    }
    return cost;
}

static void check_astar(wm_search* search, wm_cell root, wm_cell goal, wm_cost expected,
                        uint64_t seed)
{
    wm_search_begin(search, root, goal, ASTAR);
    const wm_search_result result = wm_search_run(search, UINT64_MAX);
    if (expected == WM_COST_INFINITE) {
        if (result != WM_SEARCH_FAILED)
            fail_msg("seed %llu: %u to %u has no path", (unsigned long long)seed, root, goal);
        return;
    }
    if (result != WM_SEARCH_FOUND || wm_search_g(search, goal) != expected)
        fail_msg("seed %llu: %u to %u: result %d, cost %lld instead of %lld",
                 (unsigned long long)seed, root, goal, result, (long long)wm_search_g(search, goal),
                 (long long)expected);
    assert_int_equal(wm_search_top(search), goal);
    assert_true(cost_along_parents(search, seed) == expected);
}

static void astar_costs_are_the_exact_distances(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(600); seed++) {
        wm_map* map = map_random(seed, 40);
        const wm_grid* grid = &map->grid;
        wm_rng rng = wm_rng_start(seed, 1);
        wm_distances distances;
        searcher s;
        searcher_open(&s, grid);
        assert_int_equal(wm_distances_create(&distances, grid, NULL), WM_OK);
        for (int i = 0; i < 3 && grid->open_count > 0; i++) {
            const wm_cell root = random_open_cell(grid, &rng);
            assert_int_equal(wm_distances_from(&distances, root, WM_COST_INFINITE), WM_OK);
            for (int j = 0; j < 5; j++) {
                const wm_cell goal = random_open_cell(grid, &rng);
                check_astar(&s.search, root, goal, distances.cost[goal], seed);
            }
        }
        wm_distances_free(&distances);
        searcher_close(&s);
        wm_map_unload(map);
    }
}

static wm_search_weights draw_weights(wm_rng* rng)
{
    switch (wm_rng_below(rng, 4)) {
    case 0: return ASTAR;
    case 1: return GREEDY;
    default: return (wm_search_weights){1000, 1000 + wm_rng_below(rng, 9000)};
    }
}

// Runs `paused` k expansions at a time and compares everything it knows with `whole`.
static void check_pausing(wm_search* paused, const wm_search* whole, wm_search_result expected,
                          uint64_t k, uint64_t seed)
{
    wm_search_begin(paused, whole->root, whole->goal, whole->weights);
    wm_search_result result = WM_SEARCH_PAUSED;
    for (uint64_t before = 0; result == WM_SEARCH_PAUSED; before = paused->expansions) {
        result = wm_search_run(paused, k);
        if (result == WM_SEARCH_PAUSED) assert_true(paused->expansions == before + k);
        assert_true(paused->expansions <= before + k);
    }
    if (result != expected || paused->expansions != whole->expansions)
        fail_msg("seed %llu, k %llu: result %d after %llu expansions instead of %d after %llu",
                 (unsigned long long)seed, (unsigned long long)k, result,
                 (unsigned long long)paused->expansions, expected,
                 (unsigned long long)whole->expansions);
    for (wm_cell cell = 0; cell < whole->grid->cell_count; cell++) {
        const bool known = wm_search_knows(whole, cell);
        assert_int_equal(wm_search_knows(paused, cell), known);
        if (!known) continue;
        assert_true(wm_search_g(paused, cell) == wm_search_g(whole, cell));
        assert_int_equal(wm_search_arrival(paused, cell), wm_search_arrival(whole, cell));
    }
}

static void a_search_in_pieces_is_the_search_in_one_go(void** state)
{
    (void)state;
    static const uint64_t pieces[] = {1, 2, 3, 7, 50, 1000000};
    for (uint64_t seed = 1; seed <= test_cases(200); seed++) {
        wm_map* map = map_random(seed, 30);
        wm_rng rng = wm_rng_start(seed, 2);
        searcher whole;
        searcher paused;
        searcher_open(&whole, &map->grid);
        searcher_open(&paused, &map->grid);
        for (int i = 0; i < 2 && map->grid.open_count > 0; i++) {
            wm_search_begin(&whole.search, random_open_cell(&map->grid, &rng),
                            random_open_cell(&map->grid, &rng), draw_weights(&rng));
            const wm_search_result result = wm_search_run(&whole.search, UINT64_MAX);
            for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
                check_pausing(&paused.search, &whole.search, result, pieces[k], seed);
        }
        searcher_close(&paused);
        searcher_close(&whole);
        wm_map_unload(map);
    }
}

static void no_expansions_allowed_are_no_expansions_made(void** state)
{
    (void)state;
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, "...\n");
    searcher s;
    searcher_open(&s, &grid);
    wm_search_begin(&s.search, 0, 2, ASTAR);
    assert_int_equal(wm_search_run(&s.search, 0), WM_SEARCH_PAUSED);
    assert_true(s.search.expansions == 0);
    assert_int_equal(wm_search_top(&s.search), 0);
    wm_search_begin(&s.search, 2, 2, ASTAR);
    assert_int_equal(wm_search_run(&s.search, 0), WM_SEARCH_FOUND);
    searcher_close(&s);
    wm_grid_free(&grid);
}

static void check_weighted(wm_search* search, const wm_distances* distances, wm_cell root,
                           wm_cell goal, uint64_t weight, uint64_t seed)
{
    const wm_cost optimum = distances->cost[goal];
    wm_search_begin(search, root, goal, (wm_search_weights){1000, weight});
    const wm_search_result result = wm_search_run(search, UINT64_MAX);
    assert_int_equal(result, optimum == WM_COST_INFINITE ? WM_SEARCH_FAILED : WM_SEARCH_FOUND);
    if (result != WM_SEARCH_FOUND) return;
    const wm_cost cost = wm_search_g(search, goal);
    if (cost < optimum || 1000 * cost > (wm_cost)weight * optimum)
        fail_msg("seed %llu: weight %llu, cost %lld, optimum %lld", (unsigned long long)seed,
                 (unsigned long long)weight, (long long)cost, (long long)optimum);
    assert_true(cost_along_parents(search, seed) <= cost);
}

static void weighted_searches_cost_at_most_w_times_the_optimum(void** state)
{
    (void)state;
    static const uint64_t weights[] = {1000, 1001, 1400, 3000, 1000000};
    for (uint64_t seed = 1; seed <= test_cases(300); seed++) {
        wm_map* map = map_random(seed, 40);
        const wm_grid* grid = &map->grid;
        wm_rng rng = wm_rng_start(seed, 3);
        wm_distances distances;
        searcher s;
        searcher_open(&s, grid);
        assert_int_equal(wm_distances_create(&distances, grid, NULL), WM_OK);
        for (int i = 0; i < 4 && grid->open_count > 0; i++) {
            const wm_cell root = random_open_cell(grid, &rng);
            const wm_cell goal = random_open_cell(grid, &rng);
            assert_int_equal(wm_distances_from(&distances, root, WM_COST_INFINITE), WM_OK);
            for (size_t k = 0; k < sizeof weights / sizeof *weights; k++)
                check_weighted(&s.search, &distances, root, goal, weights[k], seed);
        }
        wm_distances_free(&distances);
        searcher_close(&s);
        wm_map_unload(map);
    }
}

static void greedy_search_finds_a_path_exactly_where_there_is_one(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(400); seed++) {
        wm_map* map = map_random(seed, 40);
        wm_rng rng = wm_rng_start(seed, 4);
        wm_distances distances;
        searcher s;
        searcher_open(&s, &map->grid);
        assert_int_equal(wm_distances_create(&distances, &map->grid, NULL), WM_OK);
        for (int i = 0; i < 5 && map->grid.open_count > 0; i++) {
            const wm_cell root = random_open_cell(&map->grid, &rng);
            const wm_cell goal = random_open_cell(&map->grid, &rng);
            assert_int_equal(wm_distances_from(&distances, root, WM_COST_INFINITE), WM_OK);
            const bool connected = distances.cost[goal] != WM_COST_INFINITE;
            wm_search_begin(&s.search, root, goal, GREEDY);
            const bool found = wm_search_run(&s.search, UINT64_MAX) == WM_SEARCH_FOUND;
            if (found != connected)
                fail_msg("seed %llu: %u to %u", (unsigned long long)seed, root, goal);
            // The first way to a state stays, so g is the cost along the parents.
            if (found)
                assert_true(cost_along_parents(&s.search, seed) == wm_search_g(&s.search, goal));
        }
        wm_distances_free(&distances);
        searcher_close(&s);
        wm_map_unload(map);
    }
}

static void a_search_without_solution_ends_when_every_state_is_expanded(void** state)
{
    (void)state;
    uint64_t tried = 0;
    for (uint64_t seed = 1; seed <= test_cases(200); seed++) {
        wm_map* map = map_random(seed, 25);
        wm_rng rng = wm_rng_start(seed, 5);
        wm_cell root;
        wm_cell goal;
        searcher s;
        searcher_open(&s, &map->grid);
        if (random_unsolvable_problem(&map->grid, &rng, &root, &goal)) {
            const wm_search_weights weights[] = {ASTAR, GREEDY, {1000, 2500}};
            const uint64_t reachable =
                reference_cells_within(&map->grid, root, (int)map->grid.cell_count);
            for (int i = 0; i < 3; i++) {
                wm_search_begin(&s.search, root, goal, weights[i]);
                assert_int_equal(wm_search_run(&s.search, UINT64_MAX), WM_SEARCH_FAILED);
                assert_int_equal(wm_search_run(&s.search, 1), WM_SEARCH_FAILED);
                // Consistent and greedy searches expand each state once, weighted ones may again.
                if (i < 2 ? s.search.expansions != reachable : s.search.expansions < reachable)
                    fail_msg("seed %llu: %llu expansions for %llu states", (unsigned long long)seed,
                             (unsigned long long)s.search.expansions,
                             (unsigned long long)reachable);
            }
            tried++;
        }
        searcher_close(&s);
        wm_map_unload(map);
    }
    assert_true(tried > test_cases(50));
}

static void a_search_begun_for_the_billionth_time_knows_nothing_of_the_ones_before(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 20, 20, 30, WM_DIAGONAL_NONE);
    wm_rng rng = wm_rng_start(1, 6);
    wm_distances distances;
    searcher s;
    searcher_open(&s, &grid);
    assert_int_equal(wm_distances_create(&distances, &grid, NULL), WM_OK);
    s.search.generation = UINT32_MAX / WM_DIRECTIONS - 5; // as after that many searches
    for (int i = 0; i < 12; i++) {
        const wm_cell root = random_open_cell(&grid, &rng);
        const wm_cell goal = random_open_cell(&grid, &rng);
        assert_int_equal(wm_distances_from(&distances, root, WM_COST_INFINITE), WM_OK);
        check_astar(&s.search, root, goal, distances.cost[goal], (uint64_t)i);
    }
    wm_distances_free(&distances);
    searcher_close(&s);
    wm_grid_free(&grid);
}

// ---------------------------------------------------------------------------------------------
// Real maps

static const char* const scenarios[] = {
    "bg512/AR0046SR",    "bg512/AR0400SR",        "bg512/AR0602SR",        "dao/arena2",
    "dao/brc202d",       "dao/den501d",           "dao/orz103d",           "dao/orz900d",
    "mazes/maze512-8-0", "random/random512-10-0", "random/random512-35-0", "rooms/16room_003",
    "rooms/32room_000",  "sc1/Aftershock",        "sc1/Cauldron",
};

typedef struct real_world {
    const char* name;
    wm_map* map;
    wm_problems problems;
    wm_jump_table table;
    wm_jump_search jump;
    searcher plain;
} real_world;

static real_world real_world_open(const char* name)
{
    real_world w = {.name = name};
    char file[64];
    char path[600];
    wm_error error = {""};
    snprintf(file, sizeof file, "%s.map", name);
    w.map = map_benchmark(file, WM_DIAGONAL_NONE);
    snprintf(path, sizeof path, "%s/%s.scen", benchmarks_folder(), file);
    if (wm_scenfile_load(&w.problems, &w.map->grid, path, &error) != WM_OK)
        fail_msg("%s", error.message);
    assert_int_equal(wm_jump_table_create(&w.table, &w.map->grid, NULL), WM_OK);
    searcher_open(&w.plain, &w.map->grid);
    return w;
}

static void real_world_close(real_world* w)
{
    searcher_close(&w->plain);
    wm_jump_search_free(&w->jump);
    wm_jump_table_free(&w->table);
    wm_problems_free(&w->problems);
    wm_map_unload(w->map);
}

static wm_cost plain_cost(real_world* w, wm_cell start, wm_cell goal)
{
    wm_search_begin(&w->plain.search, start, goal, ASTAR);
    if (wm_search_run(&w->plain.search, UINT64_MAX) != WM_SEARCH_FOUND) return WM_COST_INFINITE;
    return wm_search_g(&w->plain.search, goal);
}

// The files round, some to two decimals.
static void check_published(const real_world* w, const wm_problem* problem, wm_cost cost,
                            const char* by)
{
    const double length = wm_cost_to_double(cost);
    const double difference =
        length > problem->optimal ? length - problem->optimal : problem->optimal - length;
    if (difference > 1e-2 && difference > 1e-5 * problem->optimal)
        fail_msg("%s, %s from %u to %u: %.6f instead of %.6f", w->name, by, problem->start,
                 problem->goal, length, problem->optimal);
}

static void check_scenario(real_world* w)
{
    // Only here, because the search points to the table and the world was moved.
    assert_int_equal(wm_jump_search_create(&w->jump, &w->table, NULL), WM_OK);
    const size_t stride = w->problems.count / 150 + 1;
    for (size_t i = 0; i < w->problems.count; i += stride) {
        const wm_problem* problem = &w->problems.list[i];
        const wm_cost cost = wm_jump_search_cost(&w->jump, problem->start, problem->goal);
        check_published(w, problem, cost, "jump search");
        if (i / stride % 15 != 0) continue;
        check_published(w, problem, plain_cost(w, problem->start, problem->goal), "A*");
    }
    // Between random pairs both agree to the last unit.
    wm_rng rng = wm_rng_start(1, 7);
    for (int i = 0; i < 5; i++) {
        wm_cell start;
        wm_cell goal;
        if (!random_problem(&w->map->grid, &rng, &start, &goal)) continue;
        const wm_cost jump = wm_jump_search_cost(&w->jump, start, goal);
        const wm_cost plain = plain_cost(w, start, goal);
        if (jump != plain)
            fail_msg("%s, %u to %u: jump search %lld, A* %lld", w->name, start, goal,
                     (long long)jump, (long long)plain);
    }
}

static void costs_on_real_maps_are_the_published_ones(void** state)
{
    (void)state;
    if (benchmarks_folder() == NULL) {
        print_message("no benchmark folder: set WAYMARK_BENCHMARKS\n");
        skip();
    }
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        real_world w = real_world_open(scenarios[i]);
        check_scenario(&w);
        real_world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heap_gives_the_least_f_then_the_largest_g_then_the_lowest_cell),
        cmocka_unit_test(cells_of_the_largest_map_fit_an_entry),
        cmocka_unit_test(astar_costs_are_the_exact_distances),
        cmocka_unit_test(a_search_in_pieces_is_the_search_in_one_go),
        cmocka_unit_test(no_expansions_allowed_are_no_expansions_made),
        cmocka_unit_test(weighted_searches_cost_at_most_w_times_the_optimum),
        cmocka_unit_test(greedy_search_finds_a_path_exactly_where_there_is_one),
        cmocka_unit_test(a_search_without_solution_ends_when_every_state_is_expanded),
        cmocka_unit_test(a_search_begun_for_the_billionth_time_knows_nothing_of_the_ones_before),
        cmocka_unit_test(costs_on_real_maps_are_the_published_ones),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
