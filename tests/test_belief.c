// SPDX-License-Identifier: MIT
//
// Unknown terrain: an agent knows the eight cells around it and what it saw before, and nothing
// else. What it has not seen is poisoned: other maps that look the same to it give the same walk.
#include "belief.h"

#include <string.h>

#include "walk.h"

#define MAX_MOVES 4000

static wm_agent* create_blind(const wm_map* map, const char* spec, wm_heuristic heuristic)
{
    wm_agent* agent;
    wm_error error = {""};
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = spec;
    config.terrain = WM_TERRAIN_UNKNOWN;
    config.heuristic = heuristic;
    if (wm_agent_create(&agent, map, NULL, &config, &error) != WM_OK) fail_msg("%s", error.message);
    return agent;
}

static wm_map* map_of(const uint8_t* open, const wm_grid* like)
{
    wm_map_config config = wm_map_config_default();
    config.diagonal = like->diagonal;
    wm_map* map;
    assert_int_equal(
        wm_map_create(&map, open, like->width, like->height, (size_t)like->width, &config, NULL),
        WM_OK);
    return map;
}

// All cells on and around the cells of a walk.
static bool* cells_seen(const wm_grid* grid, const walk* w)
{
    bool* seen = calloc(grid->cell_count, sizeof *seen);
    for (size_t i = 0; i < w->count; i++) {
        const wm_point p = wm_grid_point(grid, w->steps[i].cell);
        for (int32_t y = p.y - 1; y <= p.y + 1; y++) {
            for (int32_t x = p.x - 1; x <= p.x + 1; x++) {
                if (wm_grid_contains(grid, (wm_point){x, y}))
                    seen[wm_grid_cell(grid, (wm_point){x, y})] = true;
            }
        }
    }
    return seen;
}

// The same map where the walk came by, something else everywhere else.
static wm_map* poisoned(const wm_grid* grid, const walk* w, wm_cell goal, wm_rng* rng)
{
    bool* seen = cells_seen(grid, w);
    uint8_t* open = malloc(grid->cell_count);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++)
        open[cell] = seen[cell] || cell == goal ? wm_grid_is_open(grid, cell)
                                                : (uint8_t)wm_rng_below(rng, 2);
    wm_map* map = map_of(open, grid);
    free(open);
    free(seen);
    return map;
}

static void check_walk(const wm_map* map, const char* spec, uint64_t seed)
{
    const wm_grid* grid = &map->grid;
    wm_rng rng = wm_rng_start(seed, 3);
    wm_cell start;
    wm_cell goal;
    if (!random_problem(grid, &rng, &start, &goal)) return;
    wm_agent* agent = create_blind(map, spec, (wm_heuristic)(seed % 3));
    walk first = walk_take(agent, start, goal, MAX_MOVES);
    if (first.status == WM_ARRIVED) assert_legal_walk(&first, grid, start, goal, spec, seed);
    if (first.status != WM_ARRIVED && first.status != WM_OK)
        fail_msg("%s, seed %llu: %s", spec, (unsigned long long)seed, wm_status_name(first.status));
    wm_map* other = poisoned(grid, &first, goal, &rng);
    wm_agent* fooled = create_blind(other, spec, (wm_heuristic)(seed % 3));
    walk second = walk_take(fooled, start, goal, MAX_MOVES);
    assert_same_walk(&second, &first, spec, seed);
    walk_free(&first);
    walk_free(&second);
    wm_agent_destroy(agent);
    wm_agent_destroy(fooled);
    wm_map_unload(other);
}

static void no_algorithm_uses_what_it_has_not_seen(void** state)
{
    (void)state;
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const wm_algorithm* algorithm = wm_algorithm_at(i);
        if (algorithm->needs_database) continue;
        for (uint64_t seed = 1; seed <= 60; seed++) {
            wm_map* map = map_random(seed, 24);
            check_walk(map, algorithm->name, seed);
            wm_map_unload(map);
        }
    }
}

// A room that the agent cannot leave, then a wall two cells thick, behind which nothing can be seen.
enum { ROOM = 16, HIDDEN = 20, ALL = ROOM + 2 + HIDDEN };

static wm_map* map_with_a_hidden_part(uint64_t seed, uint64_t hidden_seed)
{
    uint8_t open[ROOM * ALL];
    wm_rng seen = wm_rng_start(seed, 5);
    wm_rng hidden = wm_rng_start(hidden_seed, 6);
    wm_map_config config = wm_map_config_default();
    config.editable = true;
    config.diagonal = (wm_diagonal)(seed % 2);
    for (int y = 0; y < ROOM; y++) {
        for (int x = 0; x < ALL; x++)
            open[y * ALL + x] = x < ROOM       ? wm_rng_below(&seen, 100) >= 30
                                : x < ROOM + 2 ? 0
                                               : (uint8_t)wm_rng_below(&hidden, 2);
    }
    wm_map* map;
    assert_int_equal(wm_map_create(&map, open, ALL, ROOM, ALL, &config, NULL), WM_OK);
    return map;
}

static void edit_the_hidden_part(wm_map* map, wm_rng* rng)
{
    wm_cell_edit edits[12];
    for (int i = 0; i < 12; i++) {
        const wm_point at = {ROOM + 2 + (int32_t)wm_rng_below(rng, HIDDEN),
                             (int32_t)wm_rng_below(rng, ROOM)};
        edits[i] = (wm_cell_edit){at, wm_rng_below(rng, 2) == 1};
    }
    assert_int_equal(wm_map_edit(map, edits, 12, NULL), WM_OK);
}

static wm_point open_point_of_the_room(const wm_map* map, wm_rng* rng)
{
    wm_point p;
    do {
        p = (wm_point){(int32_t)wm_rng_below(rng, ROOM), (int32_t)wm_rng_below(rng, ROOM)};
    } while (!wm_map_is_open(map, p));
    return p;
}

// What an agent does in the room while cells change that it cannot see, or do not.
static walk walk_beside_edits(const char* spec, uint64_t seed, uint64_t hidden_seed, bool edits)
{
    wm_map* map = map_with_a_hidden_part(seed, hidden_seed);
    const wm_grid* grid = &map->grid;
    wm_rng rng = wm_rng_start(seed, 7);
    wm_rng hidden = wm_rng_start(hidden_seed, 8);
    walk taken = {0};
    const wm_point start = open_point_of_the_room(map, &rng);
    const wm_point goal = open_point_of_the_room(map, &rng);
    wm_agent* agent = create_blind(map, spec, (wm_heuristic)(seed % 3));
    taken.status = wm_agent_begin(agent, start, goal);
    for (int i = 0; i < 600 && taken.status == WM_OK; i++) {
        if (edits && i % 3 == 2) edit_the_hidden_part(map, &hidden);
        taken.status = wm_agent_step(agent);
        const wm_agent_stats stats = wm_agent_statistics(agent);
        walk_add(&taken, wm_grid_cell(grid, wm_agent_position(agent)), stats.expansions,
                 stats.back_moves);
    }
    wm_agent_destroy(agent);
    wm_map_unload(map);
    return taken;
}

static void edits_out_of_sight_change_nothing(void** state)
{
    (void)state;
    size_t steps = 0;
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const char* name = wm_algorithm_at(i)->name;
        if (wm_algorithm_at(i)->needs_database) continue;
        for (uint64_t seed = 1; seed <= 30; seed++) {
            walk quiet = walk_beside_edits(name, seed, 1, false);
            walk one = walk_beside_edits(name, seed, 2, true);
            walk other = walk_beside_edits(name, seed, 3, true);
            assert_same_walk(&one, &quiet, name, seed);
            assert_same_walk(&other, &quiet, name, seed);
            steps += quiet.count;
            walk_free(&quiet);
            walk_free(&one);
            walk_free(&other);
        }
    }
    assert_true(steps > 10000);
}

static void databases_need_known_terrain_and_the_octile_heuristic(void** state)
{
    (void)state;
    wm_map* map = map_random(7, 20);
    wm_db* db = db_build(map, 50, false, 1);
    assert_non_null(db);
    wm_agent* agent;
    wm_error error = {""};
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = "knn-lrta";
    config.terrain = WM_TERRAIN_UNKNOWN;
    assert_int_equal(wm_agent_create(&agent, map, db, &config, &error), WM_ERR_ARGUMENT);
    assert_contains(error.message, "known terrain");
    config.terrain = WM_TERRAIN_KNOWN;
    config.heuristic = WM_HEURISTIC_MIN;
    assert_int_equal(wm_agent_create(&agent, map, db, &config, &error), WM_ERR_ARGUMENT);
    // auto takes one that can do without.
    config.algorithm = "auto";
    config.terrain = WM_TERRAIN_UNKNOWN;
    assert_int_equal(wm_agent_create(&agent, map, db, &config, &error), WM_OK);
    wm_agent_destroy(agent);
    wm_db_close(db);
    wm_map_unload(map);
}

// Against the definition: open unless it was seen to be blocked, moves as on a map of those cells.
static void a_belief_is_the_map_of_what_was_seen(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        wm_map* map = map_random(seed, 15);
        const wm_grid* grid = &map->grid;
        wm_rng rng = wm_rng_start(seed, 4);
        uint8_t* open = malloc(grid->cell_count);
        memset(open, 1, grid->cell_count);
        wm_grid* belief = wm_belief_create(grid, NULL);
        wm_belief_reset(belief);
        for (int i = 0; i < 6; i++) {
            const wm_cell at = (wm_cell)wm_rng_below(&rng, grid->cell_count);
            wm_belief_look(belief, grid, at);
            const wm_point p = wm_grid_point(grid, at);
            for (int d = 0; d < WM_DIRECTIONS; d++) {
                const wm_point q = {p.x + wm_direction_x[d], p.y + wm_direction_y[d]};
                if (!wm_grid_contains(grid, q)) continue;
                open[wm_grid_cell(grid, q)] = wm_grid_is_open(grid, wm_grid_cell(grid, q));
            }
            wm_map* expected = map_of(open, grid);
            assert_memory_equal(belief->moves, expected->grid.moves, grid->cell_count);
            wm_map_unload(expected);
        }
        wm_belief_destroy(belief);
        free(open);
        wm_map_unload(map);
    }
}

// An edit puts a wall on the goal; the agent learns of it when it sees it, and not before.
static wm_status walk_to_a_wall(const char* algorithm, int* steps)
{
    enum { WIDTH = 12, HEIGHT = 3 };
    uint8_t open[WIDTH * HEIGHT];
    wm_map* map = NULL;
    wm_agent* agent = NULL;
    wm_map_config config = wm_map_config_default();
    wm_agent_config agent_config = wm_agent_config_default();
    const wm_point goal = {WIDTH - 1, 1};
    const wm_cell_edit wall = {goal, false};
    memset(open, 1, sizeof open);
    config.editable = true;
    agent_config.algorithm = algorithm;
    agent_config.terrain = WM_TERRAIN_UNKNOWN;
    assert_int_equal(wm_map_create(&map, open, WIDTH, HEIGHT, WIDTH, &config, NULL), WM_OK);
    assert_int_equal(wm_agent_create(&agent, map, NULL, &agent_config, NULL), WM_OK);
    wm_status status = wm_agent_begin(agent, (wm_point){0, 1}, goal);
    assert_int_equal(wm_map_edit(map, &wall, 1, NULL), WM_OK);
    for (*steps = 0; status == WM_OK && *steps < 1000; ++*steps) status = wm_agent_step(agent);
    wm_agent_destroy(agent);
    wm_map_unload(map);
    return status;
}

static void whoever_sees_a_wall_on_the_goal_gives_it_up(void** state)
{
    (void)state;
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        int steps;
        if (wm_algorithm_at(i)->needs_database) continue;
        const wm_status status = walk_to_a_wall(wm_algorithm_at(i)->name, &steps);
        if (status != WM_NO_PATH || steps < 10)
            fail_msg("%s: %s after %d steps", wm_algorithm_at(i)->name, wm_status_name(status),
                     steps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_algorithm_uses_what_it_has_not_seen),
        cmocka_unit_test(edits_out_of_sight_change_nothing),
        cmocka_unit_test(databases_need_known_terrain_and_the_octile_heuristic),
        cmocka_unit_test(whoever_sees_a_wall_on_the_goal_gives_it_up),
        cmocka_unit_test(a_belief_is_the_map_of_what_was_seen),
    };
    return cmocka_run_group_tests_name("belief", tests, NULL, NULL);
}
