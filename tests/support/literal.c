// SPDX-License-Identifier: MIT
#include "literal.h"

#include <stdlib.h>

#include "reference.h"

#define MAX_MOVES 200000
#define MAX_MOVES_WITHOUT_PATH 150

// ---------------------------------------------------------------------------------------------
// The world as the agent knows it

// North first, then clockwise; y grows downward.
static const int steps_x[8] = {0, 1, 1, 1, 0, -1, -1, -1};
static const int steps_y[8] = {-1, -1, 0, 1, 1, 1, 0, -1};

static bool seems_open(const literal* agent, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x < agent->map->width && y < agent->map->height &&
           agent->open[y * agent->map->width + x];
}

wm_cell literal_step(const literal* agent, wm_cell cell, int direction)
{
    const int32_t x = (int32_t)cell % agent->map->width;
    const int32_t y = (int32_t)cell / agent->map->width;
    const int32_t to_x = x + steps_x[direction];
    const int32_t to_y = y + steps_y[direction];
    if (!seems_open(agent, to_x, to_y)) return WM_NO_CELL;
    if (agent->map->diagonal == WM_DIAGONAL_NONE &&
        (!seems_open(agent, to_x, y) || !seems_open(agent, x, to_y)))
        return WM_NO_CELL;
    return (wm_cell)(to_y * agent->map->width + to_x);
}

static wm_cost guess(const wm_grid* map, wm_cell a, wm_cell b, wm_heuristic heuristic)
{
    const int32_t dx = abs((int32_t)a % map->width - (int32_t)b % map->width);
    const int32_t dy = abs((int32_t)a / map->width - (int32_t)b / map->width);
    switch (heuristic) {
    case WM_HEURISTIC_MAX: return 5741 * (dx > dy ? dx : dy);
    case WM_HEURISTIC_MIN: return 5741 * (dx < dy ? dx : dy);
    default: return reference_h(map, a, b);
    }
}

static void look_around(literal* agent, wm_cell at)
{
    const int32_t width = agent->map->width;
    for (int d = 0; d < 8; d++) {
        const int32_t x = (int32_t)at % width + steps_x[d];
        const int32_t y = (int32_t)at / width + steps_y[d];
        if (x < 0 || y < 0 || x >= width || y >= agent->map->height) continue;
        agent->open[y * width + x] = agent->map->component[y * width + x] != 0;
    }
}

static literal literal_create(const wm_grid* map, wm_cell goal, wm_terrain terrain,
                              wm_heuristic heuristic, const literal_case* tested)
{
    literal agent = {.map = map, .goal = goal, .k = tested->k, .moves = tested->moves};
    agent.open = malloc(map->cell_count * sizeof *agent.open);
    agent.h = malloc(map->cell_count * sizeof *agent.h);
    agent.path = malloc(map->cell_count * sizeof *agent.path);
    for (wm_cell cell = 0; cell < map->cell_count; cell++) {
        agent.open[cell] = terrain == WM_TERRAIN_UNKNOWN || map->component[cell] != 0;
        agent.h[cell] = guess(map, cell, goal, heuristic);
    }
    return agent;
}

static void literal_free(literal* agent)
{
    free(agent->open);
    free(agent->h);
    free(agent->path);
}

wm_cost literal_least(const literal* agent, wm_cell cell, const bool* except, wm_cell* best)
{
    wm_cost least = INT64_MAX;
    if (best != NULL) *best = WM_NO_CELL;
    for (int d = 0; d < 8; d++) {
        const wm_cell next = literal_step(agent, cell, d);
        if (next == WM_NO_CELL || (except != NULL && except[next])) continue;
        const wm_cost f = reference_step_cost(d) + agent->h[next];
        if (f >= least) continue;
        least = f;
        if (best != NULL) *best = next;
    }
    return least;
}

// ---------------------------------------------------------------------------------------------
// A* of k expansions

// By smaller f, larger g, lower cell.
static wm_cell best_open(const literal* agent, const literal_search* search)
{
    wm_cell best = WM_NO_CELL;
    for (wm_cell cell = 0; cell < agent->map->cell_count; cell++) {
        if (!search->open[cell]) continue;
        if (best != WM_NO_CELL) {
            const wm_cost f = search->g[cell] + agent->h[cell];
            const wm_cost best_f = search->g[best] + agent->h[best];
            if (f > best_f || (f == best_f && search->g[cell] <= search->g[best])) continue;
        }
        best = cell;
    }
    return best;
}

static void expand(literal* agent, literal_search* search, wm_cell cell)
{
    agent->expansions++;
    search->open[cell] = false;
    search->closed[cell] = true;
    for (int d = 0; d < 8; d++) {
        const wm_cell next = literal_step(agent, cell, d);
        if (next == WM_NO_CELL) continue;
        const wm_cost g = search->g[cell] + reference_step_cost(d);
        if ((search->open[next] || search->closed[next]) && search->g[next] <= g) continue;
        assert_false(search->closed[next]); // h has to stay consistent
        search->open[next] = true;
        search->g[next] = g;
        search->parent[next] = cell;
    }
}

literal_search literal_search_run(literal* agent, wm_cell from)
{
    const size_t cells = agent->map->cell_count;
    literal_search search = {.open = calloc(cells, sizeof(bool)),
                             .closed = calloc(cells, sizeof(bool)),
                             .g = calloc(cells, sizeof(wm_cost)),
                             .parent = calloc(cells, sizeof(wm_cell))};
    search.open[from] = true;
    for (int expansions = 0;; expansions++) {
        search.best = best_open(agent, &search);
        if (search.best == WM_NO_CELL) return search;
        if (search.best == agent->goal || expansions == agent->k) break;
        expand(agent, &search, search.best);
    }
    // With k = 1 it has to walk as LRTA* does, whose first least neighbour is by direction.
    if (agent->k == 1) literal_least(agent, from, NULL, &search.best);
    return search;
}

void literal_search_free(literal_search* search)
{
    free(search->open);
    free(search->closed);
    free(search->g);
    free(search->parent);
}

// ---------------------------------------------------------------------------------------------
// Paths

static bool is_step(const literal* agent, wm_cell from, wm_cell to)
{
    for (int d = 0; d < 8; d++) {
        if (literal_step(agent, from, d) == to) return true;
    }
    return false;
}

bool literal_path_holds(const literal* agent, wm_cell at)
{
    for (size_t i = agent->path_next; i < agent->path_count; i++) {
        if (!is_step(agent, at, agent->path[i])) return false;
        at = agent->path[i];
    }
    return agent->path_next < agent->path_count;
}

void literal_path_set(literal* agent, const literal_search* search, wm_cell from)
{
    agent->path_next = 0;
    agent->path_count = 0;
    for (wm_cell cell = search->best; cell != from; cell = search->parent[cell])
        agent->path_count++;
    size_t i = agent->path_count;
    for (wm_cell cell = search->best; cell != from; cell = search->parent[cell])
        agent->path[--i] = cell;
}

wm_cell literal_path_follow(literal* agent)
{
    return agent->path[agent->path_next++];
}

// ---------------------------------------------------------------------------------------------
// Walks

wm_agent* agent_create_for(const wm_map* map, const char* spec, wm_terrain terrain,
                           wm_heuristic heuristic)
{
    wm_agent* agent = NULL;
    wm_error error = {""};
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = spec;
    config.terrain = terrain;
    config.heuristic = heuristic;
    config.skip_reachable_check = true;
    if (wm_agent_create(&agent, map, NULL, &config, &error) != WM_OK)
        fail_msg("%s: %s", spec, error.message);
    return agent;
}

static walk literal_walk(literal* agent, wm_cell start, literal_mover mover, size_t max_moves)
{
    walk w = {.status = WM_OK};
    wm_cell at = start;
    walk_add(&w, at, 0, 0);
    while (w.status == WM_OK && w.count <= max_moves) {
        look_around(agent, at);
        const wm_cell next = mover(agent, at);
        if (next == WM_NO_CELL) {
            w.status = WM_NO_PATH;
            break;
        }
        at = next;
        walk_add(&w, at, agent->expansions, 0);
        if (at == agent->goal) w.status = WM_ARRIVED;
    }
    return w;
}

static void check_problem(wm_agent* agent, const literal_case* tested, wm_cell start, wm_cell goal,
                          uint64_t seed)
{
    const wm_grid* map = &agent->map->grid;
    const bool solvable = map->component[start] == map->component[goal];
    const size_t max_moves = solvable ? MAX_MOVES : MAX_MOVES_WITHOUT_PATH;
    const wm_terrain terrain = agent->belief == NULL ? WM_TERRAIN_KNOWN : WM_TERRAIN_UNKNOWN;
    literal other = literal_create(map, goal, terrain, agent->heuristic, tested);
    walk actual = walk_take(agent, start, goal, max_moves);
    walk expected = literal_walk(&other, start, tested->mover, max_moves);
    assert_same_walk(&actual, &expected, tested->spec, seed);
    if (solvable) assert_legal_walk(&actual, map, start, goal, tested->spec, seed);
    assert_true(wm_agent_statistics(agent).waits == 0);
    walk_free(&expected);
    walk_free(&actual);
    literal_free(&other);
}

static void check_map(const wm_map* map, const literal_case* tested, uint64_t seed)
{
    wm_rng rng = wm_rng_start(seed, 1);
    for (int i = 0; i < 6; i++) {
        wm_agent* agent =
            agent_create_for(map, tested->spec, (wm_terrain)(i / 3), (wm_heuristic)(i % 3));
        wm_cell start;
        wm_cell goal;
        // One agent after another problem: nothing that it learned before may remain.
        for (int k = 0; k < 2 && random_problem(&map->grid, &rng, &start, &goal); k++)
            check_problem(agent, tested, start, goal, seed);
        if (random_unsolvable_problem(&map->grid, &rng, &start, &goal))
            check_problem(agent, tested, start, goal, seed);
        wm_agent_destroy(agent);
    }
}

void assert_walks_literally(const literal_case* tested, uint64_t seeds, int32_t max_side)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        wm_map* map = map_random(seed, max_side);
        check_map(map, tested, seed);
        wm_map_unload(map);
    }
}

// Flips some cells, but neither where the agent stands nor its goal.
static void move_walls(wm_map* map, const wm_agent* agent, wm_rng* rng)
{
    for (int i = 0; i < 12; i++) {
        const wm_cell cell = (wm_cell)wm_rng_below(rng, map->grid.cell_count);
        if (cell == agent->position || cell == agent->goal) continue;
        const wm_cell_edit edit = {wm_grid_point(&map->grid, cell),
                                   !wm_grid_is_open(&map->grid, cell)};
        assert_int_equal(wm_map_edit(map, &edit, 1, NULL), WM_OK);
    }
}

static void walk_while_walls_move(wm_map* map, wm_agent* agent, wm_rng* rng, const char* spec,
                                  uint64_t seed)
{
    const wm_grid* grid = &map->grid;
    const wm_point start = wm_grid_point(grid, random_open_cell(grid, rng));
    const wm_point goal = wm_grid_point(grid, random_open_cell(grid, rng));
    wm_status status = wm_agent_begin(agent, start, goal);
    for (int i = 0; i < 400 && status == WM_OK; i++) {
        if (i % 3 == 2) move_walls(map, agent, rng);
        const wm_cell before = agent->position;
        status = wm_agent_step(agent);
        if (status != WM_NO_PATH && reference_direction(grid, before, agent->position) < 0)
            fail_msg("%s, seed %llu: %u to %u is not legal, status %s", spec,
                     (unsigned long long)seed, before, agent->position, wm_status_name(status));
    }
}

void assert_walks_on_while_walls_move(const char* spec)
{
    enum { SIDE = 24 };
    for (uint64_t seed = 1; seed <= 60; seed++) {
        wm_rng rng = wm_rng_start(seed, 4);
        uint8_t open[SIDE * SIDE];
        for (int i = 0; i < SIDE * SIDE; i++) open[i] = wm_rng_below(&rng, 100) >= 35;
        wm_map* map = NULL;
        wm_map_config config = wm_map_config_default();
        config.editable = true;
        config.diagonal = (wm_diagonal)(seed % 2);
        assert_int_equal(wm_map_create(&map, open, SIDE, SIDE, SIDE, &config, NULL), WM_OK);
        wm_agent* agent = agent_create_for(map, spec, WM_TERRAIN_UNKNOWN, (wm_heuristic)(seed % 3));
        for (int i = 0; i < 4; i++) walk_while_walls_move(map, agent, &rng, spec, seed);
        wm_agent_destroy(agent);
        wm_map_unload(map);
    }
}
