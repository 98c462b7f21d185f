// SPDX-License-Identifier: MIT
//
// The family of real-time searches is compared move by move with the paper's loop over plain
// arrays. Which states are expendable is found out by walking among the neighbours.
#include "algorithms/rths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reference.h"
#include "walk.h"

#define MAX_MOVES 4000

// ---------------------------------------------------------------------------------------------
// The paper's loop

typedef struct point_of_family {
    int w; // this and the next two in thousandths
    int wc;
    int b;
    int lop;
    int da;
    int e;
} point_of_family;

static const char* const lop_names[] = {"min", "avg", "median", "max"};

typedef struct reference_rths {
    const wm_grid* grid;
    const point_of_family* point;
    wm_cell goal;
    double* h;
    bool* removed;
    uint64_t saturations;
    uint64_t removals;
} reference_rths;

typedef struct cell_list {
    wm_cell cells[8];
    int count;
} cell_list;

static double initial_h(const reference_rths* r, wm_cell cell)
{
    return (double)reference_h(r->grid, cell, r->goal);
}

static double step_cost(const reference_rths* r, wm_cell from, wm_cell to)
{
    return (double)reference_step_cost(reference_direction(r->grid, from, to));
}

static cell_list neighbours_of(const reference_rths* r, wm_cell s)
{
    cell_list list = {.count = 0};
    for (int d = 0; d < 8; d++) {
        const wm_cell y = reference_step(r->grid, s, d);
        if (y != WM_NO_CELL && !r->removed[y]) list.cells[list.count++] = y;
    }
    return list;
}

static double raised(const reference_rths* r, wm_cell cell)
{
    const double difference = r->h[cell] - initial_h(r, cell);
    return difference < 0 ? -difference : difference;
}

static cell_list raised_least(const reference_rths* r, const cell_list* all)
{
    cell_list kept = {.count = 0};
    for (int i = 0; i < all->count; i++) {
        bool is_least = true;
        for (int k = 0; k < all->count; k++)
            is_least = is_least && raised(r, all->cells[i]) <= raised(r, all->cells[k]);
        if (is_least) kept.cells[kept.count++] = all->cells[i];
    }
    return kept;
}

// Takes out the first one of the least c + h again and again.
static cell_list sorted(const reference_rths* r, wm_cell s, cell_list list)
{
    cell_list result = {.count = 0};
    while (list.count > 0) {
        int best = 0;
        for (int i = 1; i < list.count; i++) {
            if (step_cost(r, s, list.cells[i]) + r->h[list.cells[i]] <
                step_cost(r, s, list.cells[best]) + r->h[list.cells[best]])
                best = i;
        }
        result.cells[result.count++] = list.cells[best];
        for (int i = best; i + 1 < list.count; i++) list.cells[i] = list.cells[i + 1];
        list.count--;
    }
    return result;
}

static int compare_doubles(const void* a, const void* b)
{
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

static double operate(const reference_rths* r, wm_cell s, const cell_list* from, int count)
{
    double values[8];
    double sum = 0;
    for (int i = 0; i < count; i++) {
        values[i] =
            (double)r->point->wc / 1000 * step_cost(r, s, from->cells[i]) + r->h[from->cells[i]];
        sum += values[i];
    }
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    switch (r->point->lop) {
    case 0: return values[0];
    case 1: return sum / count;
    case 2:
        return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
    default: return values[count - 1];
    }
}

static void flood(const reference_rths* r, const cell_list* list, int from, bool* reached)
{
    if (reached[from]) return;
    reached[from] = true;
    for (int i = 0; i < list->count; i++) {
        if (reference_direction(r->grid, list->cells[from], list->cells[i]) >= 0)
            flood(r, list, i, reached);
    }
}

static bool is_expendable(const reference_rths* r, const cell_list* neighbours)
{
    bool reached[8] = {false};
    flood(r, neighbours, 0, reached);
    for (int i = 0; i < neighbours->count; i++) {
        if (!reached[i]) return false;
    }
    return true;
}

// Learns, and gives the cell to go to; WM_NO_CELL where there is none.
static wm_cell reference_move(reference_rths* r, wm_cell s)
{
    const cell_list all = neighbours_of(r, s);
    if (all.count == 0) return WM_NO_CELL;
    const cell_list n = sorted(r, s, r->point->da == 1 ? raised_least(r, &all) : all);
    int best = n.count * r->point->b / 1000;
    if (best < 1) best = 1;
    double learned = (double)r->point->w / 1000 * operate(r, s, &n, best);
    if (learned > 1e15) {
        const double plain = step_cost(r, s, n.cells[0]) + r->h[n.cells[0]];
        learned = plain > 1e15 ? plain : 1e15;
        r->saturations++;
    } else {
        learned = floor(learned * 1024 + 0.5) / 1024;
    }
    if (learned > r->h[s]) {
        r->h[s] = learned;
        r->removed[s] = r->point->e == 1 && s != r->goal && is_expendable(r, &all);
        r->removals += r->removed[s];
    }
    return n.cells[0];
}

static walk reference_walk(reference_rths* r, wm_cell start)
{
    walk w = {.status = WM_OK};
    const wm_grid* grid = r->grid;
    r->h = calloc(grid->cell_count, sizeof *r->h);
    r->removed = calloc(grid->cell_count, sizeof *r->removed);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) r->h[cell] = initial_h(r, cell);
    walk_add(&w, start, 0, 0);
    for (wm_cell s = start; w.status == WM_OK && w.count <= MAX_MOVES;) {
        s = reference_move(r, s);
        if (s == WM_NO_CELL)
            w.status = WM_NO_PATH;
        else
            walk_add(&w, s, w.count, 0);
        if (s == r->goal) w.status = WM_ARRIVED;
    }
    free(r->h);
    free(r->removed);
    return w;
}

// ---------------------------------------------------------------------------------------------
// Walks against the loop

typedef struct spec {
    char text[96];
} spec;

static spec spec_of(const point_of_family* p)
{
    spec s;
    snprintf(s.text, sizeof s.text, "rths:w=%d.%03d:wc=%d.%03d:b=%d.%03d:lop=%s:da=%d:e=%d",
             p->w / 1000, p->w % 1000, p->wc / 1000, p->wc % 1000, p->b / 1000, p->b % 1000,
             lop_names[p->lop], p->da, p->e);
    return s;
}

static int one_to_ten(wm_rng* rng)
{
    // The ends and whole numbers, where values tie, more often than by chance.
    switch (wm_rng_below(rng, 4)) {
    case 0: return 1000;
    case 1: return 1000 * (1 + (int)wm_rng_below(rng, 10));
    default: return 1000 + (int)wm_rng_below(rng, 9001);
    }
}

static point_of_family random_point(wm_rng* rng)
{
    point_of_family point;
    point.w = one_to_ten(rng);
    point.wc = one_to_ten(rng);
    point.b =
        wm_rng_below(rng, 4) == 0 ? 1000 * (int)wm_rng_below(rng, 2) : (int)wm_rng_below(rng, 1001);
    point.lop = (int)wm_rng_below(rng, 4);
    point.da = (int)wm_rng_below(rng, 2);
    point.e = (int)wm_rng_below(rng, 2);
    return point;
}

// What the walks showed, so that a test knows whether it saw anything.
typedef struct tally {
    int arrived;
    int ended;
    uint64_t saturations;
    uint64_t removals;
} tally;

static void check_problem(const wm_map* map, const char* text, const point_of_family* point,
                          wm_cell start, wm_cell goal, uint64_t seed, tally* t)
{
    wm_agent* agent = agent_create(map, NULL, text, true);
    reference_rths reference = {.grid = &map->grid, .point = point, .goal = goal};
    walk actual = walk_take(agent, start, goal, MAX_MOVES);
    walk expected = reference_walk(&reference, start);
    assert_same_walk(&actual, &expected, text, seed);
    assert_true(wm_rths_saturations(agent) == reference.saturations);
    assert_true(wm_agent_statistics(agent).max_expansions_per_move == 1);
    t->arrived += actual.status == WM_ARRIVED;
    t->ended += actual.status == WM_NO_PATH;
    t->saturations += reference.saturations;
    t->removals += reference.removals;
    walk_free(&expected);
    walk_free(&actual);
    wm_agent_destroy(agent);
}

static void it_walks_as_the_paper_says_on_random_maps(void** state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = 1; seed <= 600; seed++) {
        wm_map* map = map_random(seed, 30);
        wm_rng rng = wm_rng_start(seed, 1);
        for (int i = 0; i < 4 && map->grid.open_count > 1; i++) {
            // Any two open cells: where there is no path both go on, or end, together.
            const wm_cell start = random_open_cell(&map->grid, &rng);
            const wm_cell goal = random_open_cell(&map->grid, &rng);
            const point_of_family point = random_point(&rng);
            const spec s = spec_of(&point);
            if (start != goal) check_problem(map, s.text, &point, start, goal, seed, &t);
        }
        wm_map_unload(map);
    }
    assert_true(t.arrived > 1000 && t.ended > 10 && t.saturations > 0 && t.removals > 1000);
}

static void it_walks_as_the_paper_says_on_caves_rooms_and_mazes(void** state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = 1; seed <= 64; seed++) {
        wm_map* map =
            map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 40, 40, WM_GENERATE_DEFAULT,
                          (int32_t)(1 + seed / 8), seed, (wm_diagonal)(seed / 4 % 2));
        wm_rng rng = wm_rng_start(seed, 2);
        wm_cell start;
        wm_cell goal;
        for (int i = 0; i < 6 && random_problem(&map->grid, &rng, &start, &goal); i++) {
            const point_of_family point = random_point(&rng);
            const spec s = spec_of(&point);
            check_problem(map, s.text, &point, start, goal, seed, &t);
        }
        wm_map_unload(map);
    }
    assert_true(t.arrived > 200 && t.removals > 1000);
}

// Named points, and one whose weight is given beside the name.
static void presets_are_points_of_the_family(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        point_of_family point;
    } named[] = {
        {"rths", {1000, 1000, 0, 0, 0, 0}},
        {"da-lrta", {1000, 1000, 0, 0, 1, 0}},
        {"da-lrta-e", {1000, 1000, 0, 0, 1, 1}},
        {"w-da-lrta", {7000, 1000, 0, 0, 1, 0}},
        {"rths:preset=da-lrta", {1000, 1000, 0, 0, 1, 0}},
        {"rths:preset=da-lrta-e", {1000, 1000, 0, 0, 1, 1}},
        {"rths:preset=w-da-lrta:w=2.5", {2500, 1000, 0, 0, 1, 0}},
        {"rths:wc=7:b=1:lop=median:e=1", {1000, 7000, 1000, 2, 0, 1}},
    };
    tally t = {0};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        wm_map* map = map_random(seed, 40);
        wm_rng rng = wm_rng_start(seed, 3);
        wm_cell start;
        wm_cell goal;
        for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
            if (random_problem(&map->grid, &rng, &start, &goal))
                check_problem(map, named[i].text, &named[i].point, start, goal, seed, &t);
        }
        wm_map_unload(map);
    }
    assert_true(t.arrived > 300);
}

static void with_nothing_set_it_is_lrta(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        wm_map* map =
            seed % 10 == 0
                ? map_generated((wm_generate_kind)(seed / 10 % WM_GENERATE_KINDS), 80, 80,
                                WM_GENERATE_DEFAULT, 3, seed, (wm_diagonal)(seed / 40 % 2))
                : map_random(seed, 60);
        wm_rng rng = wm_rng_start(seed, 4);
        wm_agent* lrta = agent_create(map, NULL, "lrta:d=1", false);
        wm_agent* rths = agent_create(map, NULL, "rths:lop=min:w=1:wc=1:da=0:e=0", false);
        wm_cell start;
        wm_cell goal;
        for (int i = 0; i < 3 && random_problem(&map->grid, &rng, &start, &goal); i++) {
            walk expected = walk_take(lrta, start, goal, 1000000);
            walk actual = walk_take(rths, start, goal, 1000000);
            assert_legal_walk(&actual, &map->grid, start, goal, "rths", seed);
            assert_same_walk(&actual, &expected, "rths", seed);
            walk_free(&actual);
            walk_free(&expected);
        }
        wm_agent_destroy(rths);
        wm_agent_destroy(lrta);
        wm_map_unload(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_walks_as_the_paper_says_on_random_maps),
        cmocka_unit_test(it_walks_as_the_paper_says_on_caves_rooms_and_mazes),
        cmocka_unit_test(presets_are_points_of_the_family),
        cmocka_unit_test(with_nothing_set_it_is_lrta),
    };
    return cmocka_run_group_tests_name("rths", tests, NULL, NULL);
}
