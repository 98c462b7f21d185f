// SPDX-License-Identifier: MIT
//
// Legs are walked as an agent walks them and compared with exact distances; the small A* is compared
// with the large one, which has all the memory it wants.
#include "controller.h"

#include <stdlib.h>

#include "climb.h"
#include "distance.h"
#include "reference.h"
#include "search.h"
#include "walk.h"

static const wm_search_weights ASTAR = {1, 1};

// ---------------------------------------------------------------------------------------------
// Legs

#define MAX_SEEDS 60

typedef struct world {
    wm_map* map;
    const wm_grid* grid;
    wm_planes planes;
    wm_cover cover;
    wm_controller controller;
    wm_distances distances;
    uint64_t seed; // for the message
} world;

// With regions around random cells; some cells have none.
static void world_begin(world* w, wm_map* map, uint64_t seed)
{
    wm_rng rng = wm_rng_start(seed, 3);
    wm_cell seeds[MAX_SEEDS];
    uint32_t count = 0;
    *w = (world){.map = map, .grid = &map->grid, .seed = seed};
    assert_int_equal(wm_planes_create(&w->planes, w->grid, NULL, NULL), WM_OK);
    assert_int_equal(wm_distances_create(&w->distances, w->grid, NULL), WM_OK);
    const uint32_t radius = (uint32_t)wm_rng_below(&rng, WM_COVER_MAX_RADIUS + 1);
    assert_int_equal(wm_cover_create(&w->cover, w->grid, radius, NULL, NULL), WM_OK);
    const uint64_t wanted = 1 + wm_rng_below(&rng, MAX_SEEDS);
    for (uint64_t i = 0; i < wanted && w->grid->open_count > 0; i++) {
        const wm_cell cell = random_open_cell(w->grid, &rng);
        bool known = false;
        for (uint32_t k = 0; k < count; k++) known = known || seeds[k] == cell;
        if (!known) seeds[count++] = cell;
    }
    assert_int_equal(wm_cover_flood(&w->cover, 0, seeds, count), WM_OK);
    w->controller = (wm_controller){w->grid, &w->planes, &w->cover};
}

static void world_end(world* w)
{
    wm_distances_free(&w->distances);
    wm_cover_free(&w->cover);
    wm_planes_free(&w->planes);
    wm_map_unload(w->map);
}

typedef struct trail {
    wm_cell at; // WM_NO_CELL behind a step that is not legal
    wm_cost cost;
    uint32_t steps;
} trail;

static void go(const wm_grid* grid, trail* t, int d)
{
    if (t->at == WM_NO_CELL) return;
    t->at = reference_step(grid, t->at, d);
    t->cost += reference_step_cost(d);
    t->steps++;
}

static trail walk_leg(const wm_grid* grid, wm_cell from, wm_cell to, const wm_leg* leg,
                      const wm_leg_path* path)
{
    trail t = {.at = from};
    if (leg->kind == WM_LEG_LINE) {
        for (int run = 0; run < 2; run++) {
            for (int i = 0; i < leg->line.steps[run]; i++) go(grid, &t, leg->line.direction[run]);
        }
    } else if (leg->kind == WM_LEG_CLIMB) {
        const wm_point b = wm_grid_point(grid, to);
        while (t.at != WM_NO_CELL && t.at != to && t.steps <= WM_MAX_LEG) {
            const wm_point p = wm_grid_point(grid, t.at);
            const int d = wm_climb_direction(grid->moves[t.at], b.x - p.x, b.y - p.y);
            if (d < 0) break;
            go(grid, &t, d);
        }
    } else {
        for (unsigned i = 0; i < path->length; i++) go(grid, &t, wm_leg_path_move(path, i));
    }
    return t;
}

// By the ways to the seed of the region of `from`, its steps made by hand; WM_COST_INFINITE where `to`
// is neither in that region nor beside it.
static wm_cost way_cost(const world* w, wm_cell from, wm_cell to)
{
    const wm_cover* cover = &w->cover;
    const uint32_t region = wm_cover_owner(cover, from);
    wm_cost behind = 0; // of the step out of the region
    wm_cell last = to;
    if (region == WM_NO_REGION) return WM_COST_INFINITE;
    if (wm_cover_owner(cover, to) != region) {
        wm_cost least = WM_COST_INFINITE;
        for (int d = 0; d < WM_DIRECTIONS; d++) {
            const wm_cell cell = reference_step(w->grid, to, d);
            if (cell == WM_NO_CELL || wm_cover_owner(cover, cell) != region) continue;
            if (wm_cover_cost(cover, cell) + reference_step_cost(d) >= least) continue;
            least = wm_cover_cost(cover, cell) + reference_step_cost(d);
            behind = reference_step_cost(d);
            last = cell;
        }
        if (least == WM_COST_INFINITE) return least;
    }
    // Both ways home, without what they share.
    for (wm_cell a = from;; a = wm_grid_step(w->grid, a, wm_cover_homeward(cover, a))) {
        for (wm_cell b = last;; b = wm_grid_step(w->grid, b, wm_cover_homeward(cover, b))) {
            if (a == b)
                return behind + wm_cover_cost(cover, from) + wm_cover_cost(cover, last) -
                       2 * wm_cover_cost(cover, a);
            if (wm_cover_cost(cover, b) == 0) break;
        }
    }
}

// What the leg must be, by its definition; a climb may be left out where there would be too much to look at.
static bool is_right_kind(const world* w, wm_cell from, wm_cell to, const wm_leg* leg)
{
    const wm_point a = wm_grid_point(w->grid, from);
    const wm_point b = wm_grid_point(w->grid, to);
    const bool near = abs(a.x - b.x) <= WM_MAX_LEG && abs(a.y - b.y) <= WM_MAX_LEG;
    wm_line line;
    uint64_t states = 0;
    if (near && wm_planes_line(&w->planes, a, b, &line, &states)) return leg->kind == WM_LEG_LINE;
    const wm_cost way = way_cost(w, from, to);
    const reference_climb climb = reference_climb_run(w->grid, from, to, WM_MAX_LEG);
    const bool climbs = near && climb.reached;
    if (leg->kind == WM_LEG_CLIMB) return climbs && climb.cost == leg->cost && climb.cost <= way;
    if (leg->kind == WM_LEG_NONE) return way == WM_COST_INFINITE && !climbs;
    const int32_t far = abs(a.x - b.x) > abs(a.y - b.y) ? abs(a.x - b.x) : abs(a.y - b.y);
    const bool has_room =
        2 * far + WM_DIRECTIONS + way / WM_COST_STRAIGHT + WM_MAX_LEG <= WM_LEG_STATES;
    const bool home = wm_cover_cost(&w->cover, to) == 0;
    return leg->kind == WM_LEG_PATH && leg->cost == way &&
           (home || !climbs || climb.cost > way || !has_room);
}

static const char* leg_complaint(const world* w, wm_cell from, wm_cell to, wm_cost optimal,
                                 wm_leg_kind* kind)
{
    const uint64_t before = 1000;
    uint64_t states = before;
    wm_leg_path path = {.length = UINT16_MAX};
    const wm_leg leg = wm_controller_leg(&w->controller, from, to, &path, &states);
    *kind = leg.kind;
    if (states < before || states - before > WM_LEG_STATES)
        return "the states are beyond the bound";
    if (!is_right_kind(w, from, to, &leg))
        return "the leg is of the wrong kind, or has another cost";
    if (wm_controller_cost(&w->controller, from, to) != leg.cost)
        return "the cost differs from that of the leg";
    if (leg.kind == WM_LEG_NONE)
        return leg.cost == WM_COST_INFINITE ? NULL : "no leg has a finite cost";
    const trail t = walk_leg(w->grid, from, to, &leg, &path);
    if (t.at == WM_NO_CELL) return "a step is not legal";
    if (t.at != to) return "the leg ends elsewhere";
    if (t.cost != leg.cost) return "walking costs something else";
    if (t.cost < optimal) return "the leg is cheaper than the distance";
    if (leg.kind == WM_LEG_LINE && t.cost != optimal) return "the line is not optimal";
    if (t.steps > (leg.kind == WM_LEG_PATH ? 2 * WM_MAX_LEG + 1 : WM_MAX_LEG))
        return "the leg has too many steps";
    return NULL;
}

static wm_leg_kind check_leg(const world* w, wm_cell from, wm_cell to, wm_cost optimal)
{
    wm_leg_kind kind;
    const char* complaint = leg_complaint(w, from, to, optimal, &kind);
    if (complaint != NULL)
        fail_msg("seed %llu, %d x %d, %s, %u to %u: %s", (unsigned long long)w->seed,
                 w->grid->width, w->grid->height, wm_diagonal_name(w->grid->diagonal), from, to,
                 complaint);
    return kind;
}

// A cell within reach, and a little more, of a leg.
static wm_cell random_cell_near(const wm_grid* grid, wm_cell cell, wm_rng* rng)
{
    const wm_point p = wm_grid_point(grid, cell);
    for (int i = 0; i < 50; i++) {
        const int32_t reach = 1 + (int32_t)wm_rng_below(rng, WM_MAX_LEG + 2);
        const uint64_t side = 2 * (uint64_t)reach + 1;
        const wm_point q = {p.x - reach + (int32_t)wm_rng_below(rng, side),
                            p.y - reach + (int32_t)wm_rng_below(rng, side)};
        if (wm_grid_contains(grid, q) && wm_grid_is_open(grid, wm_grid_cell(grid, q)))
            return wm_grid_cell(grid, q);
    }
    return cell;
}

static void check_legs(world* w, int sources, uint32_t found[4])
{
    wm_rng rng = wm_rng_start(w->seed, 1);
    for (int i = 0; i < sources && w->grid->open_count > 0; i++) {
        const wm_cell from = random_open_cell(w->grid, &rng);
        assert_int_equal(wm_distances_from(&w->distances, from, WM_COST_INFINITE), WM_OK);
        for (int k = 0; k < 30; k++) {
            const wm_cell to = random_cell_near(w->grid, from, &rng);
            found[check_leg(w, from, to, w->distances.cost[to])]++;
        }
    }
}

static void assert_all_kinds(const uint32_t found[4])
{
    for (int kind = 0; kind < 4; kind++) {
        if (found[kind] < 100) fail_msg("only %u legs of kind %d", found[kind], kind);
    }
}

static void legs_on_random_maps_are_what_walking_them_gives(void** state)
{
    (void)state;
    uint32_t found[4] = {0};
    for (uint64_t seed = 1; seed <= 500; seed++) {
        world w;
        world_begin(&w, map_random(seed, 80), seed);
        check_legs(&w, 8, found);
        world_end(&w);
    }
    assert_all_kinds(found);
}

static void legs_on_built_maps_are_what_walking_them_gives(void** state)
{
    (void)state;
    uint32_t found[4] = {0};
    for (uint64_t seed = 1; seed <= 80; seed++) {
        world w;
        world_begin(&w,
                    map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 110, 90,
                                  WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, seed,
                                  (wm_diagonal)(seed / 4 % 2)),
                    seed);
        check_legs(&w, 25, found);
        world_end(&w);
    }
    assert_all_kinds(found);
}

static wm_leg leg_between(const world* w, wm_point a, wm_point b)
{
    uint64_t states = 0;
    return wm_controller_leg(&w->controller, wm_grid_cell(w->grid, a), wm_grid_cell(w->grid, b),
                             NULL, &states);
}

static void no_line_is_longer_than_the_longest_leg(void** state)
{
    (void)state;
    enum { SIDE = 2 * WM_MAX_LEG + 11, MIDDLE = SIDE / 2 };
    const wm_point a = {MIDDLE, MIDDLE};
    world w;
    world_begin(
        &w,
        map_generated(WM_GENERATE_RANDOM, SIDE, SIDE, 0, WM_GENERATE_DEFAULT, 1, WM_DIAGONAL_NONE),
        1);
    wm_cover_reset(&w.cover); // ways within regions may be longer
    assert_int_equal(w.grid->open_count, w.grid->cell_count);
    for (int d = 0; d < WM_DIRECTIONS; d++) {
        for (int32_t n = WM_MAX_LEG - 3; n <= WM_MAX_LEG + 3; n++) {
            const wm_point b = {a.x + n * wm_direction_x[d], a.y + n * wm_direction_y[d]};
            const wm_leg leg = leg_between(&w, a, b);
            assert_int_equal(leg.kind, n <= WM_MAX_LEG ? WM_LEG_LINE : WM_LEG_NONE);
            assert_true(leg.cost ==
                        (n <= WM_MAX_LEG ? n * reference_step_cost(d) : WM_COST_INFINITE));
        }
    }
    world_end(&w);
}

static void the_leg_to_where_one_stands_costs_nothing(void** state)
{
    (void)state;
    world w;
    world_begin(&w, map_random(3, 20), 3);
    for (wm_cell cell = 0; cell < w.grid->cell_count; cell++) {
        if (!wm_grid_is_open(w.grid, cell)) continue;
        assert_int_equal(check_leg(&w, cell, cell, 0), WM_LEG_LINE);
        assert_true(wm_controller_cost(&w.controller, cell, cell) == 0);
    }
    world_end(&w);
}

// ---------------------------------------------------------------------------------------------
// The small A*

typedef struct large_search {
    wm_search search;
    void* memory;
} large_search;

static void large_search_begin(large_search* large, const wm_grid* grid)
{
    large->memory = calloc(1, wm_search_bytes(grid));
    assert_non_null(large->memory);
    wm_search_init(&large->search, grid, large->memory);
}

static wm_cost walk_path(const wm_grid* grid, wm_cell from, wm_cell to, const wm_leg_path* path)
{
    trail t = {.at = from};
    for (unsigned i = 0; i < path->length; i++) go(grid, &t, wm_leg_path_move(path, i));
    return t.at == to ? t.cost : WM_COST_INFINITE;
}

static const char* search_complaint(const wm_grid* grid, wm_cell from, wm_cell to, uint32_t most,
                                    wm_cost optimal, uint64_t expansions)
{
    const uint64_t before = 1000;
    uint64_t states = before;
    wm_leg_path path = {.length = UINT16_MAX};
    const wm_cost cost = wm_local_search(grid, from, to, most, &path, &states);
    const bool found = optimal != WM_COST_INFINITE && expansions <= most;
    if (states < before || states - before > most) return "more states than allowed";
    if ((cost != WM_COST_INFINITE) != found) return found ? "not found" : "found";
    const wm_cost alone = wm_local_search(grid, from, to, most, NULL, &states);
    if (alone != cost) return "without a path the cost is another one";
    if (!found) {
        const uint64_t all = expansions < most ? expansions : most;
        return states - before == 2 * all ? NULL : "it gives up too early";
    }
    if (cost != optimal) return "not the optimum";
    if (path.length > most) return "more moves than expansions";
    return walk_path(grid, from, to, &path) == cost ? NULL : "the path is not what it costs";
}

static bool check_search(large_search* large, const wm_grid* grid, wm_cell from, wm_cell to,
                         uint64_t seed, wm_rng* rng)
{
    wm_search_begin(&large->search, from, to, ASTAR);
    const wm_search_result result = wm_search_run(&large->search, UINT64_MAX);
    const wm_cost optimal =
        result == WM_SEARCH_FOUND ? wm_search_g(&large->search, to) : WM_COST_INFINITE;
    const uint64_t needed = large->search.expansions;
    // Just enough, one less and one more, and any other number.
    const uint64_t tries[] = {needed,     needed - 1,
                              needed + 1, 1 + wm_rng_below(rng, WM_MAX_LOCAL_EXPANSIONS),
                              1,          WM_MAX_LOCAL_EXPANSIONS};
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) {
        if (tries[k] < 1 || tries[k] > WM_MAX_LOCAL_EXPANSIONS) continue;
        const uint32_t most = (uint32_t)tries[k];
        const char* complaint = search_complaint(grid, from, to, most, optimal, needed);
        if (complaint != NULL)
            fail_msg("seed %llu, %d x %d, %s, %u to %u, %llu expansions needed, %u allowed: %s",
                     (unsigned long long)seed, grid->width, grid->height,
                     wm_diagonal_name(grid->diagonal), from, to, (unsigned long long)needed, most,
                     complaint);
    }
    return result == WM_SEARCH_FOUND && needed <= WM_MAX_LOCAL_EXPANSIONS;
}

static void the_small_search_finds_what_a_star_finds_within_the_same_expansions(void** state)
{
    (void)state;
    uint32_t found = 0;
    uint32_t missed = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        wm_rng rng = wm_rng_start(seed, 2);
        const int32_t width = 1 + (int32_t)wm_rng_below(&rng, 60);
        const int32_t height = 1 + (int32_t)wm_rng_below(&rng, 60);
        wm_grid grid = grid_random(seed, width, height, 5 * (unsigned)wm_rng_below(&rng, 10),
                                   (wm_diagonal)(seed % 2));
        large_search large;
        large_search_begin(&large, &grid);
        for (int i = 0; i < 30 && grid.open_count > 0; i++) {
            const wm_cell from = random_open_cell(&grid, &rng);
            const wm_cell to = random_cell_near(&grid, from, &rng);
            const bool solved = check_search(&large, &grid, from, to, seed, &rng);
            found += solved;
            missed += !solved;
        }
        free(large.memory);
        wm_grid_free(&grid);
    }
    if (found < 1000 || missed < 1000) fail_msg("found %u, missed %u", found, missed);
}

static void every_allowance_gives_up_in_a_wide_field_without_a_way(void** state)
{
    (void)state;
    // The goal has walls all round, and the field is open: every expansion finds many new cells.
    enum { SIDE = 101 };
    uint8_t open[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int x = abs(i % SIDE - SIDE / 2);
        const int y = abs(i / SIDE - SIDE / 2);
        open[i] = (x > y ? x : y) != 1;
    }
    for (int rule = 0; rule < 2; rule++) {
        wm_grid grid;
        assert_int_equal(
            wm_grid_create(&grid, open, SIDE, SIDE, SIDE, (wm_diagonal)rule, NULL, NULL), WM_OK);
        const wm_cell goal = SIDE * SIDE / 2;
        const wm_cell starts[] = {0, SIDE + 1, SIDE * 30 + 20, goal - 2, goal + 2 * SIDE};
        for (uint32_t most = 1; most <= WM_MAX_LOCAL_EXPANSIONS; most++) {
            for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
                uint64_t states = 0;
                wm_leg_path path;
                assert_true(wm_local_search(&grid, starts[i], goal, most, &path, &states) ==
                            WM_COST_INFINITE);
                assert_int_equal(states, most);
            }
        }
        wm_grid_free(&grid);
    }
}

static void the_longest_path_has_one_move_for_each_expansion(void** state)
{
    (void)state;
    // A corridor: nothing but the path is expanded.
    wm_grid grid = grid_random(1, WM_MAX_LOCAL_EXPANSIONS + 2, 1, 0, WM_DIAGONAL_NONE);
    for (uint32_t most = 1; most <= WM_MAX_LOCAL_EXPANSIONS; most++) {
        uint64_t states = 0;
        wm_leg_path path;
        assert_true(wm_local_search(&grid, 0, most, most, &path, &states) ==
                    most * WM_COST_STRAIGHT);
        assert_int_equal(path.length, most);
        assert_int_equal(states, most);
        for (unsigned i = 0; i < most; i++) assert_int_equal(wm_leg_path_move(&path, i), WM_EAST);
        assert_true(wm_local_search(&grid, 0, most + 1, most, &path, &states) == WM_COST_INFINITE);
    }
    wm_grid_free(&grid);
}

static void the_small_search_has_room_for_all_that_its_expansions_find(void** state)
{
    (void)state;
    // In the open every expansion of a straight or diagonal path finds three or five new cells.
    enum { SIDE = WM_MAX_LOCAL_EXPANSIONS + 5 };
    wm_grid grid = grid_random(1, SIDE, SIDE, 0, WM_DIAGONAL_NONE);
    for (int32_t n = 1; n <= WM_MAX_LOCAL_EXPANSIONS; n++) {
        const wm_point ends[][2] = {{{0, 2}, {n, 2}},
                                    {{2, n}, {2, 0}},
                                    {{2, 2}, {2 + n, 2 + n}},
                                    {{2 + n, 2}, {2, 2 + n}},
                                    {{2 + n / 2, 2 + n}, {2, 2}}};
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            const wm_cell from = wm_grid_cell(&grid, ends[i][0]);
            const wm_cell to = wm_grid_cell(&grid, ends[i][1]);
            const char* complaint = search_complaint(&grid, from, to, (uint32_t)n,
                                                     reference_h(&grid, from, to), (uint64_t)n);
            if (complaint != NULL) fail_msg("%u to %u within %d: %s", from, to, n, complaint);
        }
    }
    wm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legs_on_random_maps_are_what_walking_them_gives),
        cmocka_unit_test(legs_on_built_maps_are_what_walking_them_gives),
        cmocka_unit_test(no_line_is_longer_than_the_longest_leg),
        cmocka_unit_test(the_leg_to_where_one_stands_costs_nothing),
        cmocka_unit_test(the_small_search_finds_what_a_star_finds_within_the_same_expansions),
        cmocka_unit_test(every_allowance_gives_up_in_a_wide_field_without_a_way),
        cmocka_unit_test(the_longest_path_has_one_move_for_each_expansion),
        cmocka_unit_test(the_small_search_has_room_for_all_that_its_expansions_find),
    };
    return cmocka_run_group_tests_name("controller", tests, NULL, NULL);
}
