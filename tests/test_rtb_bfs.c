// SPDX-License-Identifier: MIT
//
// Repeated time-bounded searches on maps that change under them. What is legal, what can be reached
// and what it costs at best is asked of the reference and of a plain Dijkstra, on the open cells.
#include "algorithms/rtb_bfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "walk.h"

#define MAX_STEPS 100000
#define UNBOUNDED 1000000000

static const char* const families[] = {"tba", "tb-wa", "tb-gbfs"};
static const int allowances[] = {1, 4, 25, 256, UNBOUNDED};
static const int weights[] = {1000, 1400, 3000}; // thousandths

typedef struct variant {
    const char* family;
    int k;
    int w;
} variant;

static variant random_variant(wm_rng* rng)
{
    return (variant){families[wm_rng_below(rng, 3)], allowances[wm_rng_below(rng, 5)],
                     weights[wm_rng_below(rng, 3)]};
}

typedef struct spec {
    char text[96];
} spec;

static spec spec_of(const variant* v, const char* restart)
{
    spec s;
    snprintf(s.text, sizeof s.text, "rtb-bfs:family=%s:k=%d:w=%d.%03d:restart=%s", v->family, v->k,
             v->w / 1000, v->w % 1000, restart);
    return s;
}

// The algorithm that has the same search but knows nothing of lists of changes.
static spec plain_spec_of(const variant* v)
{
    spec s;
    if (strcmp(v->family, "tb-wa") == 0)
        snprintf(s.text, sizeof s.text, "tb-wa:k=%d:w=%d.%03d", v->k, v->w / 1000, v->w % 1000);
    else
        snprintf(s.text, sizeof s.text, "%s:k=%d", v->family, v->k);
    return s;
}

// The least cost between two cells; WM_COST_INFINITE where nothing leads.
static wm_cost dijkstra(const wm_grid* grid, wm_cell from, wm_cell to)
{
    wm_cost* cost = malloc(grid->cell_count * sizeof *cost);
    bool* done = calloc(grid->cell_count, sizeof *done);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) cost[cell] = WM_COST_INFINITE;
    cost[from] = 0;
    for (;;) {
        wm_cell least = WM_NO_CELL;
        for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
            if (!done[cell] && cost[cell] != WM_COST_INFINITE &&
                (least == WM_NO_CELL || cost[cell] < cost[least]))
                least = cell;
        }
        if (least == WM_NO_CELL || least == to) break;
        done[least] = true;
        for (int d = 0; d < 8; d++) {
            const wm_cell next = reference_step(grid, least, d);
            if (next == WM_NO_CELL || cost[next] <= cost[least] + reference_step_cost(d)) continue;
            cost[next] = cost[least] + reference_step_cost(d);
        }
    }
    const wm_cost result = cost[to];
    free(done);
    free(cost);
    return result;
}

// Flips up to `most` cells, but for two that stay open. Returns how many differ now.
static size_t flip_cells(wm_map* map, wm_rng* rng, size_t most, wm_cell keep, wm_cell keep_too)
{
    wm_cell_edit edits[16];
    size_t count = 0;
    for (size_t i = 1 + wm_rng_below(rng, most); i > 0; i--) {
        const wm_cell cell = (wm_cell)wm_rng_below(rng, map->grid.cell_count);
        bool again = cell == keep || cell == keep_too;
        for (size_t k = 0; k < count; k++)
            again = again || wm_grid_cell(&map->grid, edits[k].at) == cell;
        if (again) continue;
        edits[count++] =
            (wm_cell_edit){wm_grid_point(&map->grid, cell), !wm_grid_is_open(&map->grid, cell)};
    }
    assert_int_equal(wm_map_edit(map, edits, count, NULL), WM_OK);
    return count;
}

// ---------------------------------------------------------------------------------------------
// Edits every ten moves

typedef struct outing {
    walk walk;
    uint64_t searches;
    uint64_t edits;
} outing;

static void check_move(const wm_grid* grid, wm_cell from, wm_cell to, const char* what,
                       uint64_t seed)
{
    if (from != to && reference_direction(grid, from, to) < 0)
        fail_msg("%s, seed %llu: from %u to %u is not legal", what, (unsigned long long)seed, from,
                 to);
}

static void check_end(const wm_grid* grid, const outing* o, wm_cell goal, const char* what,
                      uint64_t seed)
{
    const wm_cell at = o->walk.steps[o->walk.count - 1].cell;
    const bool connected = dijkstra(grid, at, goal) != WM_COST_INFINITE;
    if (o->walk.status != (connected ? WM_ARRIVED : WM_NO_PATH) || (connected && at != goal))
        fail_msg("%s, seed %llu: %s, and goal and agent are %sconnected", what,
                 (unsigned long long)seed, wm_status_name(o->walk.status), connected ? "" : "not ");
}

// The same seed makes the same map and problem, and the same edits as long as the walks are the
// same. Twenty edits, then none: the walk ends.
static outing take_outing(const char* what, bool skip_reachable_check, uint64_t seed)
{
    wm_map* map = map_random_editable(seed, 28);
    const wm_grid* grid = &map->grid;
    wm_agent* agent = agent_create(map, NULL, what, skip_reachable_check);
    wm_rng rng = wm_rng_start(seed, 2);
    outing o = {.edits = 0};
    wm_cell at;
    wm_cell goal;
    if (random_problem(grid, &rng, &at, &goal)) {
        walk_add(&o.walk, at, 0, 0);
        o.walk.status = wm_agent_begin(agent, wm_grid_point(grid, at), wm_grid_point(grid, goal));
        for (int i = 1; o.walk.status == WM_OK && i < MAX_STEPS; i++) {
            if (i % 10 == 0 && i <= 200) o.edits += flip_cells(map, &rng, 16, at, goal) > 0;
            o.walk.status = wm_agent_step(agent);
            const wm_cell next = wm_grid_cell(grid, wm_agent_position(agent));
            check_move(grid, at, next, what, seed);
            at = next;
            const wm_agent_stats stats = wm_agent_statistics(agent);
            walk_add(&o.walk, at, stats.expansions, stats.back_moves);
        }
        check_end(grid, &o, goal, what, seed);
        if (strncmp(what, "rtb", 3) == 0) o.searches = wm_rtb_searches(agent);
    }
    wm_agent_destroy(agent);
    wm_map_unload(map);
    return o;
}

static void it_arrives_or_says_that_there_is_no_path(void** state)
{
    (void)state;
    uint64_t lazy_searches = 0;
    uint64_t eager_searches = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        wm_rng rng = wm_rng_start(seed, 1);
        const variant v = random_variant(&rng);
        const spec lazy_spec = spec_of(&v, "lazy");
        const spec eager_spec = spec_of(&v, "eager");
        outing lazy = take_outing(lazy_spec.text, seed % 2 == 0, seed);
        outing eager = take_outing(eager_spec.text, seed % 2 == 0, seed);
        // One search more than edits for the eager one, but for an edit that cut it off at once.
        const uint64_t cut_off = eager.walk.status == WM_NO_PATH;
        if (eager.walk.count > 0 &&
            (eager.searches > 1 + eager.edits || eager.searches + cut_off < 1 + eager.edits))
            fail_msg("%s, seed %llu: %llu searches, %llu edits", eager_spec.text,
                     (unsigned long long)seed, (unsigned long long)eager.searches,
                     (unsigned long long)eager.edits);
        if (lazy.walk.count > 0 && lazy.searches > 1 + lazy.edits)
            fail_msg("%s, seed %llu: %llu searches, %llu edits", lazy_spec.text,
                     (unsigned long long)seed, (unsigned long long)lazy.searches,
                     (unsigned long long)lazy.edits);
        lazy_searches += lazy.searches;
        eager_searches += eager.searches;
        walk_free(&lazy.walk);
        walk_free(&eager.walk);
    }
    assert_true(lazy_searches < eager_searches);
}

static void the_eager_one_is_the_plain_search_that_begins_anew(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        wm_rng rng = wm_rng_start(seed, 1);
        const variant v = random_variant(&rng);
        const spec eager_spec = spec_of(&v, "eager");
        const spec plain_spec = plain_spec_of(&v);
        outing eager = take_outing(eager_spec.text, false, seed);
        outing plain = take_outing(plain_spec.text, false, seed);
        assert_same_walk(&eager.walk, &plain.walk, eager_spec.text, seed);
        walk_free(&eager.walk);
        walk_free(&plain.walk);
    }
}

static void without_edits_all_walk_alike(void** state)
{
    (void)state;
    static const char* const kinds[] = {"lazy", "eager"};
    for (uint64_t seed = 1; seed <= 300; seed++) {
        wm_map* map = map_random_editable(seed, 40);
        wm_rng rng = wm_rng_start(seed, 3);
        const variant v = random_variant(&rng);
        const spec plain_spec = plain_spec_of(&v);
        // Any two open cells: where there is no path all end at the same step.
        const wm_cell start = map->grid.open_count > 1 ? random_open_cell(&map->grid, &rng) : 0;
        const wm_cell goal = map->grid.open_count > 1 ? random_open_cell(&map->grid, &rng) : 0;
        for (int i = 0; i < 2 && start != goal; i++) {
            const spec s = spec_of(&v, kinds[i]);
            wm_agent* plain = agent_create(map, NULL, plain_spec.text, true);
            wm_agent* repeated = agent_create(map, NULL, s.text, true);
            walk expected = walk_take(plain, start, goal, MAX_STEPS);
            walk actual = walk_take(repeated, start, goal, MAX_STEPS);
            assert_same_walk(&actual, &expected, s.text, seed);
            assert_true(plain->cost == repeated->cost);
            assert_int_equal(wm_rtb_searches(repeated), 1);
            walk_free(&actual);
            walk_free(&expected);
            wm_agent_destroy(repeated);
            wm_agent_destroy(plain);
        }
        wm_map_unload(map);
    }
}

// ---------------------------------------------------------------------------------------------
// One edit in the middle of a complete path

typedef struct crossing {
    wm_heuristic heuristic;
    wm_map* map;
    wm_agent* agent;
    walk planned; // the walk without an edit
    size_t moves; // of it, when the edit comes
    wm_cell at;
    wm_cell goal;
} crossing;

// Walks to the end once, and then half way; false where there is nothing to cross.
static bool crossing_begin(crossing* c, const char* what, uint64_t seed, wm_rng* rng)
{
    wm_cell start;
    c->map = map_random_editable(seed, 30);
    c->agent = NULL;
    c->planned = (walk){0};
    if (!random_problem(&c->map->grid, rng, &start, &c->goal)) return false;
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = what;
    config.heuristic = c->heuristic;
    assert_int_equal(wm_agent_create(&c->agent, c->map, NULL, &config, NULL), WM_OK);
    c->planned = walk_take(c->agent, start, c->goal, MAX_STEPS);
    c->moves = 1 + wm_rng_below(rng, c->planned.count - 1);
    if (c->moves == c->planned.count - 1) return false;
    walk half = walk_take(c->agent, start, c->goal, c->moves);
    walk_free(&half);
    c->at = c->planned.steps[c->moves].cell;
    assert_int_equal(wm_grid_cell(&c->map->grid, wm_agent_position(c->agent)), c->at);
    return true;
}

static void crossing_end(crossing* c)
{
    walk_free(&c->planned);
    wm_agent_destroy(c->agent);
    wm_map_unload(c->map);
}

static wm_cost cost_of_plan(const crossing* c, const wm_grid* grid, bool* legal)
{
    wm_cost cost = 0;
    *legal = true;
    for (size_t i = c->moves + 1; i < c->planned.count; i++) {
        const int d =
            reference_direction(grid, c->planned.steps[i - 1].cell, c->planned.steps[i].cell);
        if (d < 0)
            *legal = false;
        else
            cost += reference_step_cost(d);
    }
    return cost;
}

static wm_cost guess_between(const crossing* c, wm_cell a, wm_cell b)
{
    const wm_point p = wm_grid_point(&c->map->grid, a);
    const wm_point q = wm_grid_point(&c->map->grid, b);
    const wm_cost dx = abs(p.x - q.x);
    const wm_cost dy = abs(p.y - q.y);
    switch (c->heuristic) {
    case WM_HEURISTIC_MAX: return WM_COST_STRAIGHT * (dx > dy ? dx : dy);
    case WM_HEURISTIC_MIN: return WM_COST_STRAIGHT * (dx < dy ? dx : dy);
    default: return reference_h(&c->map->grid, a, b);
    }
}

// The paper's test of every arc that was not there before.
static bool paper_sees_shortcut(const crossing* c, const uint8_t* moves_before, wm_cost cost, int w)
{
    const wm_grid* grid = &c->map->grid;
    for (wm_cell u = 0; u < grid->cell_count; u++) {
        for (int d = 0; d < 8; d++) {
            const wm_cell v = reference_step(grid, u, d);
            if (v == WM_NO_CELL || (moves_before[u] >> d & 1) != 0) continue;
            const wm_cost by_arc =
                guess_between(c, c->at, u) + reference_step_cost(d) + guess_between(c, v, c->goal);
            if (w * by_arc < 1000 * cost) return true;
        }
    }
    return false;
}

// Whether the lazy one searched anew where the paper does, and nowhere else.
static void check_restart(const crossing* c, const uint8_t* moves_before, int w, bool restarted,
                          const char* what, uint64_t seed)
{
    bool legal;
    const wm_cost cost = cost_of_plan(c, &c->map->grid, &legal);
    const bool must = !legal || paper_sees_shortcut(c, moves_before, cost, w);
    if (must != restarted)
        fail_msg("%s, seed %llu: %s at %u", what, (unsigned long long)seed,
                 restarted ? "searched anew without a reason" : "did not search anew", c->at);
}

// Walks on to the end and returns what that cost; WM_COST_INFINITE where there is no path.
static wm_cost walk_on(const crossing* c, const char* what, uint64_t seed)
{
    const wm_grid* grid = &c->map->grid;
    const wm_cost before = c->agent->cost;
    wm_cell at = c->at;
    wm_status status = WM_OK;
    for (int i = 0; status == WM_OK && i < MAX_STEPS; i++) {
        status = wm_agent_step(c->agent);
        const wm_cell next = wm_grid_cell(grid, wm_agent_position(c->agent));
        check_move(grid, at, next, what, seed);
        at = next;
    }
    if (status == WM_NO_PATH) return WM_COST_INFINITE;
    assert_int_equal(status, WM_ARRIVED);
    return c->agent->cost - before;
}

static void check_crossing(int w, const char* restart, uint64_t seed, int* kept)
{
    const variant v = {"tb-wa", UNBOUNDED, w};
    const spec s = spec_of(&v, restart);
    wm_rng rng = wm_rng_start(seed, 4);
    crossing c = {.heuristic = (wm_heuristic)(seed % 3)};
    if (crossing_begin(&c, s.text, seed, &rng)) {
        const wm_grid* grid = &c.map->grid;
        uint8_t* moves_before = malloc(grid->cell_count);
        memcpy(moves_before, grid->moves, grid->cell_count);
        const bool changes = flip_cells(c.map, &rng, 6, c.at, c.goal) > 0;
        const wm_cost optimum = dijkstra(grid, c.at, c.goal);
        const uint64_t searches = wm_rtb_searches(c.agent);
        const wm_cost cost = walk_on(&c, s.text, seed);
        const bool restarted = wm_rtb_searches(c.agent) > searches;
        assert_true((cost == WM_COST_INFINITE) == (optimum == WM_COST_INFINITE));
        if (cost != WM_COST_INFINITE) {
            if (strcmp(restart, "lazy") == 0)
                check_restart(&c, moves_before, w, restarted, s.text, seed);
            else
                assert_true(restarted == changes);
            // With weight 1 a path that is kept is still the best there is.
            if ((restarted || w == 1000) && 1000 * cost > w * optimum)
                fail_msg("%s, seed %llu: %lld where %lld is best", s.text, (unsigned long long)seed,
                         (long long)cost, (long long)optimum);
            *kept += !restarted;
        }
        free(moves_before);
    }
    crossing_end(&c);
}

static void a_complete_path_stays_within_the_weight_after_a_restart(void** state)
{
    (void)state;
    int kept = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
            check_crossing(weights[i], "lazy", seed, &kept);
            int never = 0;
            check_crossing(weights[i], "eager", seed, &never);
        }
    }
    assert_true(kept > 100);
}

// Opens a corner that min(dx, dy) takes for next to both ends of the diagonal.
static uint64_t searches_when_a_corner_opens(wm_heuristic heuristic)
{
    enum { SIDE = 10 };
    uint8_t open[SIDE * SIDE];
    wm_map* map = NULL;
    wm_agent* agent = NULL;
    wm_map_config config = wm_map_config_default();
    wm_agent_config agent_config = wm_agent_config_default();
    const wm_cell_edit corner = {{SIDE - 1, 0}, true};
    memset(open, 1, sizeof open);
    open[SIDE - 1] = 0;
    config.editable = true;
    agent_config.algorithm = "rtb-bfs:w=3:k=1000:restart=lazy";
    agent_config.heuristic = heuristic;
    assert_int_equal(wm_map_create(&map, open, SIDE, SIDE, SIDE, &config, NULL), WM_OK);
    assert_int_equal(wm_agent_create(&agent, map, NULL, &agent_config, NULL), WM_OK);
    wm_agent_begin(agent, (wm_point){0, 0}, (wm_point){SIDE - 1, SIDE - 1});
    assert_int_equal(wm_agent_step(agent), WM_OK);
    assert_int_equal(wm_map_edit(map, &corner, 1, NULL), WM_OK);
    assert_int_equal(wm_agent_step(agent), WM_OK);
    const uint64_t searches = wm_rtb_searches(agent);
    wm_agent_destroy(agent);
    wm_map_unload(map);
    return searches;
}

static void only_a_metric_answers_for_all_detours(void** state)
{
    (void)state;
    assert_int_equal(searches_when_a_corner_opens(WM_HEURISTIC_OCTILE), 1);
    assert_int_equal(searches_when_a_corner_opens(WM_HEURISTIC_MAX), 1);
    assert_int_equal(searches_when_a_corner_opens(WM_HEURISTIC_MIN), 2);
}

static void an_agent_that_missed_an_edit_begins_anew(void** state)
{
    (void)state;
    const uint8_t open[24] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (int edits = 0; edits <= 2; edits++) {
        wm_map_config config = wm_map_config_default();
        config.editable = true;
        wm_map* map = NULL;
        assert_int_equal(wm_map_create(&map, open, 8, 3, 8, &config, NULL), WM_OK);
        wm_agent* agent = agent_create(map, NULL, "rtb-bfs:restart=lazy", false);
        assert_int_equal(wm_agent_begin(agent, (wm_point){0, 0}, (wm_point){7, 0}), WM_OK);
        assert_int_equal(wm_agent_step(agent), WM_OK);
        // Far off the path: one such edit is no reason.
        for (int i = 0; i < edits; i++) {
            const wm_cell_edit wall = {{i, 2}, false};
            assert_int_equal(wm_map_edit(map, &wall, 1, NULL), WM_OK);
        }
        assert_int_equal(wm_agent_step(agent), WM_OK);
        assert_int_equal(wm_rtb_searches(agent), edits == 2 ? 2 : 1);
        wm_agent_destroy(agent);
        wm_map_unload(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_arrives_or_says_that_there_is_no_path),
        cmocka_unit_test(the_eager_one_is_the_plain_search_that_begins_anew),
        cmocka_unit_test(without_edits_all_walk_alike),
        cmocka_unit_test(a_complete_path_stays_within_the_weight_after_a_restart),
        cmocka_unit_test(only_a_metric_answers_for_all_detours),
        cmocka_unit_test(an_agent_that_missed_an_edit_begins_anew),
    };
    return cmocka_run_group_tests_name("rtb_bfs", tests, NULL, NULL);
}
