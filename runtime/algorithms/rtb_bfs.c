// SPDX-License-Identifier: MIT
//
// Repeated time-bounded best-first search (Hernandez, Asin, Baier) for maps that change: a search of
// tb_bfs.h that begins anew from where the agent stands. Eager: after every edit that changed
// anything. Lazy: only when the way ahead is no longer legal, or what was opened may lead to the
// goal for less than the way found, by the factor that the weight allows.
#include "rtb_bfs.h"

#include "tb_bfs.h"

enum { FAMILY, K, W, RESTART, REOPEN };

enum { TBA, TB_WA, TB_GBFS };

enum { EAGER, LAZY };

static const char* const families[] = {"tba", "tb-wa", "tb-gbfs", NULL};
static const char* const restarts[] = {"eager", "lazy", NULL};

static const wm_parameter parameters[] = {
    [FAMILY] = {"family", WM_PARAMETER_CHOICE, TB_WA, 0, 2, "the search; only tb-wa has a weight",
                families},
    [K] = WM_TB_PARAMETER_K,
    [W] = WM_TB_PARAMETER_W,
    [RESTART] = {"restart", WM_PARAMETER_CHOICE, LAZY, 0, 1, "when to search anew after an edit",
                 restarts},
    [REOPEN] = WM_TB_PARAMETER_REOPEN,
    {0},
};

typedef struct rtb_state {
    uint64_t searches;
    bool is_behind; // the map was edited since the search began
    wm_tb tb;       // its tables come behind it: must be the last
} rtb_state;

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    (void)values;
    return sizeof(rtb_state) - sizeof(wm_tb) + wm_tb_bytes(&map->grid);
}

static void init(wm_agent* agent)
{
    rtb_state* s = agent->state;
    wm_tb_init(&s->tb, agent->grid);
    s->tb.search.heuristic = agent->heuristic;
    s->tb.search.keep_closed = agent->values.at[REOPEN] == 0;
}

static wm_search_weights weights_of(const wm_agent* agent)
{
    switch (agent->values.at[FAMILY]) {
    case TBA: return (wm_search_weights){1, 1};
    case TB_GBFS: return (wm_search_weights){0, 1};
    default: return (wm_search_weights){1000, (uint64_t)agent->values.at[W]};
    }
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    rtb_state* s = agent->state;
    wm_tb_begin(&s->tb, start, goal, weights_of(agent));
    s->is_behind = false;
    s->searches++;
    return WM_OK;
}

static wm_status restart(wm_agent* agent)
{
    return begin(agent, agent->position, agent->goal);
}

static wm_cost guess_between(const wm_agent* agent, wm_cell a, wm_cell b)
{
    const wm_point p = wm_grid_point(agent->grid, a);
    const wm_point q = wm_grid_point(agent->grid, b);
    return wm_guess(agent->heuristic, p.x - q.x, p.y - q.y);
}

// What another way has to cost less than, before the way found, of cost `cost`, is worse than the
// weight allows. Greedy search has no such bound: no way costs less than nothing.
static wm_cost bound_of(const wm_agent* agent, wm_cost cost)
{
    const wm_search_weights weights = weights_of(agent);
    return (wm_cost)((weights.g * (uint64_t)cost + weights.h - 1) / weights.h);
}

// By the paper's test: whether a way over the step from u to v may cost less than `bound`.
static bool may_save(const wm_agent* agent, wm_cell u, wm_cell v, wm_cost step, wm_cost bound)
{
    return guess_between(agent, agent->position, u) + step + guess_between(agent, v, agent->goal) <
           bound;
}

static bool may_save_either_way(const wm_agent* agent, wm_cell u, int direction, wm_cost bound)
{
    const wm_cell v = wm_grid_step(agent->grid, u, direction);
    const wm_cost step = wm_direction_cost[direction];
    return may_save(agent, u, v, step, bound) || may_save(agent, v, u, step, bound);
}

// Whether one of the steps that opening the cell made legal may save anything: those into and out of
// it and, where diagonals must not squeeze, those that cut its corner from one straight neighbour to
// the next.
static bool opened_may_save(const wm_agent* agent, wm_cell cell, wm_cost bound)
{
    const wm_grid* grid = agent->grid;
    for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cell beside = wm_grid_step(grid, cell, d);
        const int across = (d + 3) % WM_DIRECTIONS;
        const bool cuts_corner = grid->diagonal == WM_DIAGONAL_NONE && d % 2 == 0 &&
                                 (grid->moves[beside] >> across & 1) != 0;
        if (may_save_either_way(agent, cell, d, bound) ||
            (cuts_corner && may_save_either_way(agent, beside, across, bound)))
            return true;
    }
    return false;
}

// No step near an opened cell can save anything unless this can: guesses change by no more than
// what a step costs, and cutting its corner is so much shorter than the way by the cell.
static bool cell_may_save(const wm_agent* agent, wm_cell cell, wm_cost bound)
{
    return guess_between(agent, agent->position, cell) + guess_between(agent, cell, agent->goal) <
           bound + 2 * WM_COST_STRAIGHT - WM_COST_DIAGONAL;
}

// Whether the way found, of cost `cost`, may now be worse than the weight allows. Mostly the guess
// for the way ahead tells that it is not, since by the triangle inequality no detour has a smaller
// one; min(dx, dy) knows no such inequality.
static bool may_be_too_long(const wm_agent* agent, wm_cost cost)
{
    const wm_grid* grid = agent->grid;
    const wm_cost bound = bound_of(agent, cost);
    if (agent->heuristic != WM_HEURISTIC_MIN &&
        guess_between(agent, agent->position, agent->goal) >= bound)
        return false;
    for (size_t i = 0; i < grid->changed_count; i++) {
        const wm_cell cell = grid->changed[i];
        if (wm_grid_is_open(grid, cell) && cell_may_save(agent, cell, bound) &&
            opened_may_save(agent, cell, bound))
            return true;
    }
    return false;
}

static wm_status changed(wm_agent* agent)
{
    rtb_state* s = agent->state;
    wm_cost cost;
    if (agent->grid->changed_count == 0) return WM_OK;
    if (agent->values.at[RESTART] == EAGER || !wm_tb_way_is_legal(&s->tb, agent->position, &cost) ||
        (s->tb.goal_found && may_be_too_long(agent, cost)))
        return restart(agent);
    s->is_behind = true;
    return WM_OK;
}

// A search that is behind the map may lead through walls or miss what was opened: what it has just
// found is looked at before it is believed. Its expansions are spent, so the agent waits then.
static wm_status step(wm_agent* agent, wm_cell* next)
{
    rtb_state* s = agent->state;
    const bool must_check = s->is_behind && !s->tb.goal_found;
    const wm_status status = wm_tb_search(&s->tb, agent, (uint64_t)agent->values.at[K]);
    wm_cost cost;
    if (must_check && (status != WM_OK || !wm_tb_way_is_legal(&s->tb, agent->position, &cost)))
        return restart(agent);
    if (status == WM_OK) wm_tb_move(&s->tb, agent, next);
    return status;
}

uint64_t wm_rtb_searches(const wm_agent* agent)
{
    return ((const rtb_state*)agent->state)->searches;
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    return (uint64_t)values->at[K];
}

const wm_algorithm wm_algorithm_rtb_bfs = {
    .name = "rtb-bfs",
    .plans_ahead = true,
    .summary = "repeated time-bounded search for maps that change: searches anew when it must",
    .parameters = parameters,
    .state_bytes = state_bytes,
    .init = init,
    .most_expansions = most_expansions,
    .begin = begin,
    .changed = changed,
    .step = step,
};
