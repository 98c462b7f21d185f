// SPDX-License-Identifier: MIT
//
// kNN LRTA* is compared move by move with the paper's loop: sort all records, take the first that
// passes the checks, walk there by the recursive LRTA*. The rest are promises: no subgoal twice,
// the cap on candidates, valid blends of several subgoals, and that more records help.
#include "knn_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems.h"
#include "reference.h"
#include "walk.h"

#define MAX_MOVES 1000000

// ---------------------------------------------------------------------------------------------
// The paper's loop

typedef struct settings {
    uint32_t m;
    int d;
    uint32_t candidates; // 0 for all
    bool climb;          // to subgoals by climbing, as far as that goes
} settings;

typedef struct similar {
    wm_cost distance;
    uint32_t record;
} similar;

static int compare_similar(const void* left, const void* right)
{
    const similar* a = left;
    const similar* b = right;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return (a->record > b->record) - (a->record < b->record);
}

static similar* sort_records(const wm_knn* knn, const wm_grid* grid, wm_cell s, wm_cell goal)
{
    similar* sorted = malloc(knn->count * sizeof *sorted);
    for (uint32_t i = 0; i < knn->count; i++) {
        const wm_knn_record* record = &knn->records[i];
        sorted[i].record = i;
        sorted[i].distance =
            reference_h(grid, s, record->start) + reference_h(grid, goal, record->goal);
    }
    qsort(sorted, knn->count, sizeof *sorted, compare_similar);
    return sorted;
}

static bool climbs(const wm_grid* grid, wm_cell from, wm_cell to, uint32_t m, uint64_t* expansions)
{
    const reference_climb climb = reference_climb_run(grid, from, to, m);
    *expansions += climb.steps;
    return climb.reached;
}

// The next subgoal; the goal where no record fits. A subgoal on which the agent stands is none.
static wm_cell choose_subgoal(const wm_db* db, const settings* set, bool* taboo, wm_cell s,
                              wm_cell goal, uint64_t* expansions)
{
    const wm_grid* grid = &db->map->grid;
    if (climbs(grid, s, goal, set->m, expansions)) return goal;
    const wm_knn* knn = &db->knn;
    similar* sorted = sort_records(knn, grid, s, goal);
    const uint32_t looked_at =
        set->candidates != 0 && set->candidates < knn->count ? set->candidates : knn->count;
    wm_cell chosen = goal;
    for (uint32_t i = 0; i < looked_at; i++) {
        const wm_knn_record* record = &knn->records[sorted[i].record];
        const wm_cell subgoal = knn->subgoals[record->first_subgoal];
        if (taboo[subgoal] || subgoal == s) continue;
        if (!climbs(grid, s, record->start, set->m, expansions)) continue;
        if (!climbs(grid, goal, record->goal, set->m, expansions)) continue;
        taboo[subgoal] = true;
        chosen = subgoal;
        break;
    }
    free(sorted);
    return chosen;
}

// The step of plain climbing; -1 where none leads nearer.
static int climb_step(const wm_grid* grid, wm_cell s, wm_cell target)
{
    int best = -1;
    wm_cost best_f = 0;
    wm_cost best_h = 0;
    for (int d = 0; d < 8; d++) {
        const wm_cell y = reference_step(grid, s, d);
        if (y == WM_NO_CELL) continue;
        const wm_cost h = reference_h(grid, y, target);
        const wm_cost f = reference_step_cost(d) + h;
        if (best >= 0 && (f > best_f || (f == best_f && h >= best_h))) continue;
        best = d;
        best_f = f;
        best_h = h;
    }
    return best >= 0 && best_h < reference_h(grid, s, target) ? best : -1;
}

static walk reference_walk(const wm_db* db, const settings* set, wm_cell start, wm_cell goal)
{
    const wm_grid* grid = &db->map->grid;
    bool* taboo = calloc(grid->cell_count, sizeof *taboo);
    walk w = {.status = WM_OK};
    uint64_t expansions = 0;
    wm_cell s = start;
    walk_add(&w, s, 0, 0);
    while (s != goal && w.count <= MAX_MOVES) {
        const wm_cell subgoal = choose_subgoal(db, set, taboo, s, goal, &expansions);
        reference_lrta lrta = reference_lrta_aim(grid, subgoal);
        bool climbing = set->climb;
        while (s != subgoal && s != goal && w.count <= MAX_MOVES) {
            expansions += climbing;
            int direction = climbing ? climb_step(grid, s, subgoal) : -1;
            climbing = direction >= 0;
            if (!climbing) {
                direction = reference_lrta_step(&lrta, s, set->d);
                expansions += reference_cells_within(grid, s, set->d - 1);
            }
            s = reference_step(grid, s, direction);
            walk_add(&w, s, expansions, 0);
        }
        reference_lrta_free(&lrta);
    }
    if (s == goal) w.status = WM_ARRIVED;
    free(taboo);
    return w;
}

static void check_problem(const wm_db* db, const settings* set, wm_cell start, wm_cell goal,
                          uint64_t seed)
{
    char spec[64];
    snprintf(spec, sizeof spec, "knn-lrta:m=%u:d=%d:candidates=%u:walk=%s", set->m, set->d,
             set->candidates, set->climb ? "climb" : "lrta");
    wm_agent* agent = agent_create(db->map, db, spec, false);
    walk actual = walk_take(agent, start, goal, MAX_MOVES);
    walk expected = reference_walk(db, set, start, goal);
    assert_same_walk(&actual, &expected, spec, seed);
    walk_free(&expected);
    walk_free(&actual);
    wm_agent_destroy(agent);
}

static void check_map(const wm_map* map, uint32_t records, int problems, uint64_t seed)
{
    static const settings all[] = {
        {25, 3, 0, false}, {25, 3, 0, true},       {5, 1, 0, false},
        {1, 2, 0, true},   {100000, 1, 50, false}, {25, 2, 4, true},
    };
    wm_rng rng = wm_rng_start(seed, 1);
    wm_db* db = db_build(map, records, false, seed);
    wm_cell start;
    wm_cell goal;
    for (int i = 0; db != NULL && i < problems; i++) {
        if (!random_problem(&map->grid, &rng, &start, &goal)) break;
        check_problem(db, &all[wm_rng_below(&rng, sizeof all / sizeof *all)], start, goal, seed);
    }
    wm_db_close(db);
}

static void it_walks_as_the_paper_says_on_random_maps(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(120); seed++) {
        wm_map* map = map_random(seed, 40);
        check_map(map, 1 + (uint32_t)(seed * 7 % 300), 5, seed);
        wm_map_unload(map);
    }
}

static void it_walks_as_the_paper_says_on_caves_rooms_and_mazes(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(24); seed++) {
        wm_map* map =
            map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 70, 60, WM_GENERATE_DEFAULT,
                          (int32_t)(2 + seed / 4), seed, (wm_diagonal)(seed / 4 % 2));
        check_map(map, 600, 6, seed);
        wm_map_unload(map);
    }
}

// ---------------------------------------------------------------------------------------------
// Decisions

typedef struct decider {
    const wm_db* db;
    wm_knn_limits limits;
    wm_knn_taboo* taboo;
    wm_knn_match* matches;
    uint32_t observed;
    uint32_t accepted;
    wm_knn_candidate candidates[128]; // the accepted ones
} decider;

static decider* decider_create(const wm_db* db, wm_knn_limits limits)
{
    decider* d = calloc(1, sizeof *d);
    d->db = db;
    d->limits = limits;
    d->taboo = calloc(wm_knn_taboo_words(&db->map->grid), sizeof *d->taboo);
    d->matches = calloc(db->knn.count, sizeof *d->matches);
    return d;
}

static void decider_free(decider* d)
{
    free(d->matches);
    free(d->taboo);
    free(d);
}

// The records that a decision has to look at, and those of them that it has to accept.
static void observe(decider* d, wm_cell position, wm_cell goal)
{
    const wm_grid* grid = &d->db->map->grid;
    const uint32_t cap = d->limits.max_candidates == 0 ? UINT32_MAX : d->limits.max_candidates;
    wm_knn_match match;
    wm_knn_cursor cursor;
    uint64_t steps = 0;
    d->observed = 0;
    d->accepted = 0;
    if (reference_climb_run(grid, position, goal, d->limits.max_climb).reached) return;
    wm_knn_cursor_begin(&cursor, &d->db->knn_index, d->matches, wm_grid_point(grid, position),
                        wm_grid_point(grid, goal));
    while (d->accepted < d->limits.neighbours && d->observed < cap &&
           wm_knn_cursor_next(&cursor, &match)) {
        const wm_knn_candidate candidate = wm_knn_check(d->db->map, d->db, d->limits.max_climb,
                                                        d->taboo, position, goal, match, &steps);
        d->observed++;
        if (candidate.accepted) d->candidates[d->accepted++] = candidate;
    }
}

static wm_knn_decision decide(decider* d, wm_cell position, wm_cell goal)
{
    observe(d, position, goal);
    return wm_knn_decide(d->db->map, d->db, &d->limits, d->taboo, d->matches, position, goal);
}

static wm_map* caves(uint64_t seed)
{
    return map_generated(WM_GENERATE_CAVES, 80, 80, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, seed,
                         (wm_diagonal)(seed % 2));
}

// Asks twice from every subgoal for the next one until the records run out. Returns how many
// subgoals there were.
static uint32_t exhaust(decider* d, wm_cell start, wm_cell goal, bool* used, uint64_t seed)
{
    wm_cell position = start;
    uint32_t count = 0;
    for (;;) {
        const wm_knn_decision decision = decide(d, position, goal);
        if (!decision.from_record) {
            assert_int_equal(decision.subgoal, goal);
            return count;
        }
        if (used[decision.subgoal])
            fail_msg("seed %llu: subgoal %u is used twice", (unsigned long long)seed,
                     decision.subgoal);
        used[decision.subgoal] = true;
        if (++count % 2 == 0) position = decision.subgoal;
    }
}

static void no_subgoal_is_used_twice(void** state)
{
    (void)state;
    uint32_t total = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        wm_map* map = caves(seed);
        wm_db* db = db_build(map, 4000, seed % 4 == 0, seed);
        wm_rng rng = wm_rng_start(seed, 2);
        for (int i = 0; i < 15; i++) {
            // A small m keeps the goal out of reach, so that the records decide.
            const wm_knn_limits limits = {.max_climb = 12, .neighbours = 1 + (uint32_t)i % 3};
            decider* d = decider_create(db, limits);
            bool* used = calloc(map->grid.cell_count, sizeof *used);
            wm_cell start;
            wm_cell goal;
            assert_true(random_problem(&map->grid, &rng, &start, &goal));
            total += exhaust(d, start, goal, used, seed);
            free(used);
            decider_free(d);
        }
        wm_db_close(db);
        wm_map_unload(map);
    }
    assert_true(total > 1000);
}

static void no_more_candidates_are_looked_at_than_allowed(void** state)
{
    (void)state;
    wm_map* map = caves(31);
    wm_db* db = db_build(map, 3000, false, 31);
    wm_rng rng = wm_rng_start(31, 3);
    bool capped = false;
    for (int i = 0; i < 300; i++) {
        const uint32_t cap = 1 + (uint32_t)wm_rng_below(&rng, 40);
        decider* d = decider_create(
            db, (wm_knn_limits){.max_climb = 25, .neighbours = 1, .max_candidates = cap});
        wm_cell start;
        wm_cell goal;
        assert_true(random_problem(&map->grid, &rng, &start, &goal));
        const wm_knn_decision decision = decide(d, start, goal);
        assert_true(decision.candidates <= cap);
        assert_int_equal(decision.candidates, d->observed);
        assert_true(decision.climb_steps <= 25 * (1 + 2 * (uint64_t)cap));
        // It stops before the cap only where it has found something.
        if (!decision.goal_climbs && !decision.from_record) {
            assert_int_equal(decision.candidates, cap);
            capped = true;
        }
        decider_free(d);
    }
    assert_true(capped);
    wm_db_close(db);
    wm_map_unload(map);
}

// The mean of the subgoals, weighted by 1 / (1 + distance), to the nearest cell.
static wm_point weighted_mean(const decider* d)
{
    const wm_knn* knn = &d->db->knn;
    double x = 0;
    double y = 0;
    double sum = 0;
    for (uint32_t i = 0; i < d->accepted; i++) {
        const wm_knn_match match = d->candidates[i].match;
        const wm_cell subgoal = knn->subgoals[knn->records[match.record].first_subgoal];
        const wm_point p = wm_grid_point(&d->db->map->grid, subgoal);
        const double weight = 1 / (1 + (double)match.distance / 5741);
        x += weight * p.x;
        y += weight * p.y;
        sum += weight;
    }
    return (wm_point){(int32_t)(x / sum + 0.5), (int32_t)(y / sum + 0.5)};
}

// No cell that could have been chosen is nearer to the mean than the one that was.
static void check_blend(const decider* d, const bool* used, wm_cell position, wm_cell subgoal,
                        uint64_t seed)
{
    const wm_grid* grid = &d->db->map->grid;
    const wm_cell mean = wm_grid_cell(grid, weighted_mean(d));
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (!wm_grid_connected(grid, cell, position) || cell == position || used[cell]) continue;
        if (reference_h(grid, cell, mean) < reference_h(grid, subgoal, mean))
            fail_msg("seed %llu: cell %u is nearer to the mean %u than the subgoal %u",
                     (unsigned long long)seed, cell, mean, subgoal);
    }
}

static void several_records_give_the_nearest_valid_cell_to_their_mean(void** state)
{
    (void)state;
    int blends = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        wm_map* map = caves(seed);
        wm_db* db = db_build(map, 4000, false, seed);
        wm_rng rng = wm_rng_start(seed, 4);
        bool* used = calloc(map->grid.cell_count, sizeof *used);
        for (int i = 0; i < 40; i++) {
            const uint32_t neighbours = 2 + (uint32_t)wm_rng_below(&rng, 20);
            decider* d =
                decider_create(db, (wm_knn_limits){.max_climb = 25, .neighbours = neighbours});
            wm_cell start;
            wm_cell goal;
            assert_true(random_problem(&map->grid, &rng, &start, &goal));
            memset(used, 0, map->grid.cell_count * sizeof *used);
            for (int k = 0; k < 3; k++) { // again from the same place: the taboo list counts too
                const wm_knn_decision decision = decide(d, start, goal);
                assert_true(d->accepted <= neighbours);
                if (!decision.from_record) break;
                assert_true(wm_grid_connected(&map->grid, decision.subgoal, start));
                assert_true(decision.subgoal != start && !used[decision.subgoal]);
                if (d->accepted > 1) {
                    check_blend(d, used, start, decision.subgoal, seed);
                    blends++;
                }
                used[decision.subgoal] = true;
            }
            decider_free(d);
        }
        free(used);
        wm_db_close(db);
        wm_map_unload(map);
    }
    assert_true(blends > 100);
}

static void records_that_fit_are_those_whose_ends_are_climbed_to(void** state)
{
    (void)state;
    wm_map* map = caves(41);
    wm_db* db = db_build(map, 500, false, 41);
    const wm_grid* grid = &map->grid;
    wm_rng rng = wm_rng_start(41, 5);
    wm_knn_taboo* taboo = calloc(wm_knn_taboo_words(grid), sizeof *taboo);
    int accepted = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        const uint32_t number = (uint32_t)wm_rng_below(&rng, db->knn.count);
        const wm_knn_record* record = &db->knn.records[number];
        wm_cell position = record->start;
        wm_cell goal = record->goal;
        if (i % 2 == 0) assert_true(random_problem(grid, &rng, &position, &goal));
        uint64_t steps = 0;
        const wm_knn_candidate candidate =
            wm_knn_check(map, db, 25, taboo, position, goal, (wm_knn_match){0, number}, &steps);
        const reference_climb a = reference_climb_run(grid, position, record->start, 25);
        const reference_climb b = reference_climb_run(grid, goal, record->goal, 25);
        const bool standing_on_it = db->knn.subgoals[record->first_subgoal] == position;
        assert_int_equal(candidate.accepted, a.reached && b.reached && !standing_on_it);
        accepted += candidate.accepted;
        if (standing_on_it) continue;
        assert_int_equal(candidate.start_climbs, a.reached);
        assert_true(steps == a.steps + (a.reached ? b.steps : 0));
    }
    assert_true(accepted > 900);
    free(taboo);
    wm_db_close(db);
    wm_map_unload(map);
}

// ---------------------------------------------------------------------------------------------
// More records, and chains

// Sums over many walks, then means over them.
typedef struct result {
    double suboptimality; // cost / optimum - 1
    double expansions_per_move;
    size_t problems;
} result;

static void race_map(result* sum, const wm_map* map, const wm_problems* problems, uint32_t records,
                     bool chains)
{
    wm_db* db = db_build(map, records, chains, 1);
    assert_non_null(db);
    assert_int_equal(db->knn.count, records);
    if (!chains) assert_int_equal(db->knn.subgoal_count, records); // three cells a record
    wm_agent* agent = agent_create(map, db, "knn-lrta", false);
    for (size_t i = 0; i < problems->count; i++) {
        const wm_problem* problem = &problems->list[i];
        walk w = walk_take(agent, problem->start, problem->goal, MAX_MOVES);
        const wm_cost cost = assert_legal_walk(&w, &map->grid, problem->start, problem->goal,
                                               "knn-lrta", (uint64_t)i);
        const wm_agent_stats stats = wm_agent_statistics(agent);
        sum->suboptimality += wm_cost_to_double(cost) / problem->optimal - 1;
        sum->expansions_per_move += (double)stats.expansions / (double)stats.moves;
        sum->problems++;
        walk_free(&w);
    }
    wm_agent_destroy(agent);
    wm_db_close(db);
}

// The eight maps of the paper's setting where they are, else caves.
static const char* const paper_maps[] = {
    "bgmaps/AR0202SR.map",  "bgmaps/AR0400SR.map",          "bgmaps/AR0404SR.map",
    "bgmaps/AR0411SR.map",  "bgmaps/AR0603SR.map",          "wc3maps/battleground.map",
    "wc3maps/icecrown.map", "wc3maps/divideandconquer.map",
};
#define PAPER_MAPS (sizeof paper_maps / sizeof *paper_maps)

static wm_map* paper_map(size_t i)
{
    if (benchmarks_folder() != NULL) return map_benchmark(paper_maps[i], WM_DIAGONAL_NONE);
    return map_generated(WM_GENERATE_CAVES, 160, 160, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                         1 + i, WM_DIAGONAL_NONE);
}

enum { FEW, MANY, MANY_CHAINS, RUNS };

static void more_records_and_chains_make_better_walks(void** state)
{
    (void)state;
    if (benchmarks_folder() == NULL)
        print_message("no benchmark folder: on generated caves; set WAYMARK_BENCHMARKS\n");
    result results[RUNS] = {0};
    for (size_t i = 0; i < PAPER_MAPS; i++) {
        wm_map* map = paper_map(i);
        const wm_problem_range range = {.count = 64,
                                        .min_cost = 100 * WM_COST_STRAIGHT,
                                        .max_cost = 150 * WM_COST_STRAIGHT,
                                        .seed = 1};
        wm_problems problems = {0};
        wm_error error = {""};
        if (wm_problems_draw(&problems, &map->grid, &range, "map", &error) != WM_OK)
            fail_msg("%s", error.message);
        race_map(&results[FEW], map, &problems, 1000, false);
        race_map(&results[MANY], map, &problems, 10000, false);
        race_map(&results[MANY_CHAINS], map, &problems, 10000, true);
        wm_problems_free(&problems);
        wm_map_unload(map);
    }
    for (int i = 0; i < RUNS; i++) {
        results[i].suboptimality /= (double)results[i].problems;
        results[i].expansions_per_move /= (double)results[i].problems;
        print_message("%s: %.1f %% above the optimum, %.1f states a move\n",
                      i == FEW    ? "1000 records"
                      : i == MANY ? "10000 records"
                                  : "10000 records with chains",
                      100 * results[i].suboptimality, results[i].expansions_per_move);
    }
    assert_true(results[MANY].suboptimality < results[FEW].suboptimality);
    assert_true(results[MANY].expansions_per_move < results[FEW].expansions_per_move);
    assert_true(results[MANY_CHAINS].suboptimality < results[MANY].suboptimality);
}

static void chains_arrive_on_every_kind_of_map(void** state)
{
    (void)state;
    static const char* const specs[] = {"knn-lrta", "knn-lrta:m=3:d=1", "knn-lrta:k=4",
                                        "knn-lrta:candidates=2:walk=climb"};
    for (uint64_t seed = 1; seed <= test_cases(48); seed++) {
        wm_map* map =
            map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), 50, 40, WM_GENERATE_DEFAULT,
                          (int32_t)(1 + seed / 8), seed, (wm_diagonal)(seed / 4 % 2));
        wm_db* db = db_build(map, 200, true, seed);
        wm_rng rng = wm_rng_start(seed, 6);
        wm_agent* agent = agent_create(map, db, specs[seed / 4 % 4], false);
        wm_cell start;
        wm_cell goal;
        for (int i = 0; i < 10 && random_problem(&map->grid, &rng, &start, &goal); i++) {
            walk w = walk_take(agent, start, goal, MAX_MOVES);
            assert_legal_walk(&w, &map->grid, start, goal, specs[seed / 4 % 4], seed);
            walk_free(&w);
        }
        wm_agent_destroy(agent);
        wm_db_close(db);
        wm_map_unload(map);
    }
}

static void a_cap_on_the_candidates_bounds_every_move(void** state)
{
    (void)state;
    // A climb to the goal and two for each candidate, two for shortcuts on a chain, and LRTA*(3).
    const uint64_t most = 10 * (1 + 2 * 6) + 2 * 10 + 25;
    for (uint64_t seed = 1; seed <= test_cases(20); seed++) {
        wm_map* map = caves(seed);
        wm_db* db = db_build(map, 2000, seed % 2 == 0, seed);
        wm_agent* agent = agent_create(map, db, "knn-lrta:m=10:d=3:candidates=6", false);
        wm_rng rng = wm_rng_start(seed, 7);
        wm_cell start;
        wm_cell goal;
        for (int i = 0; i < 10 && random_problem(&map->grid, &rng, &start, &goal); i++) {
            walk w = walk_take(agent, start, goal, MAX_MOVES);
            const uint64_t worst = wm_agent_statistics(agent).max_expansions_per_move;
            if (worst > most)
                fail_msg("seed %llu: %llu states in one move", (unsigned long long)seed,
                         (unsigned long long)worst);
            walk_free(&w);
        }
        wm_agent_destroy(agent);
        wm_db_close(db);
        wm_map_unload(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_walks_as_the_paper_says_on_random_maps),
        cmocka_unit_test(it_walks_as_the_paper_says_on_caves_rooms_and_mazes),
        cmocka_unit_test(no_subgoal_is_used_twice),
        cmocka_unit_test(no_more_candidates_are_looked_at_than_allowed),
        cmocka_unit_test(several_records_give_the_nearest_valid_cell_to_their_mean),
        cmocka_unit_test(records_that_fit_are_those_whose_ends_are_climbed_to),
        cmocka_unit_test(more_records_and_chains_make_better_walks),
        cmocka_unit_test(chains_arrive_on_every_kind_of_map),
        cmocka_unit_test(a_cap_on_the_candidates_bounds_every_move),
    };
    return cmocka_run_group_tests_name("knn_lrta", tests, NULL, NULL);
}
