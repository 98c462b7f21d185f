// SPDX-License-Identifier: MIT
//
// One search from the start, spread over the moves: each move expands k more states, then follows
// the path from the root to the best open state where the agent stands on it, and else goes back
// along its parents until it does. Once the goal is the best open state the search is over.
#include "tb_bfs.h"

size_t wm_tb_bytes(const wm_grid* grid)
{
    return sizeof(wm_tb) + wm_search_bytes(grid) + grid->cell_count;
}

void wm_tb_init(wm_tb* tb, const wm_grid* grid)
{
    wm_search_init(&tb->search, grid, tb + 1);
    tb->onward = (uint8_t*)(tb + 1) + wm_search_bytes(grid);
}

size_t wm_tb_state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    (void)values;
    return wm_tb_bytes(&map->grid);
}

void wm_tb_init_state(wm_agent* agent)
{
    wm_tb* tb = agent->state;
    wm_tb_init(tb, agent->grid);
    tb->search.heuristic = agent->heuristic;
}

// Writes the path from the root to the goal down once, or wipes it out again.
static void mark_path(wm_tb* tb, bool wipe)
{
    const wm_search* search = &tb->search;
    for (wm_cell cell = search->goal; cell != search->root;) {
        const int arrival = wm_search_arrival(search, cell);
        cell = wm_search_parent(search, cell);
        tb->onward[cell] = wipe ? 0 : (uint8_t)(arrival + 1);
    }
}

void wm_tb_begin(wm_tb* tb, wm_cell start, wm_cell goal, wm_search_weights weights)
{
    if (tb->goal_found) mark_path(tb, true);
    tb->goal_found = false;
    wm_search_begin(&tb->search, start, goal, weights);
}

// The step of the path root .. best that leaves the present cell; -1 where the cell is not on it.
// Costs from the root fall along the parents, so the trace can stop where they fall below ours.
static int onward_to(const wm_search* search, wm_cell best, wm_cell position)
{
    const wm_cost here = wm_search_g(search, position);
    int direction = -1;
    wm_cell cell = best;
    while (cell != position) {
        if (cell == search->root || wm_search_g(search, cell) < here) return -1;
        direction = wm_search_arrival(search, cell);
        cell = wm_search_parent(search, cell);
    }
    return direction;
}

wm_status wm_tb_search(wm_tb* tb, wm_agent* agent, uint64_t max_expansions)
{
    if (tb->goal_found) return WM_OK;
    const uint64_t before = tb->search.expansions;
    const wm_search_result result = wm_search_run(&tb->search, max_expansions);
    agent->expansions += tb->search.expansions - before;
    if (result == WM_SEARCH_FAILED) return WM_NO_PATH;
    if (result == WM_SEARCH_FOUND) {
        tb->goal_found = true;
        mark_path(tb, false);
    }
    return WM_OK;
}

void wm_tb_move(const wm_tb* tb, wm_agent* agent, wm_cell* next)
{
    const wm_search* search = &tb->search;
    int direction;
    if (tb->goal_found) {
        direction = tb->onward[agent->position] - 1;
    } else {
        const wm_cell best = wm_search_top(search);
        // Only after a reopening can the agent already stand on the best state: it waits.
        if (best == agent->position) return;
        direction = onward_to(search, best, agent->position);
    }
    if (direction >= 0) {
        *next = wm_grid_step(search->grid, agent->position, direction);
    } else {
        *next = wm_search_parent(search, agent->position);
        agent->back_moves++;
    }
}

// Follows the parents from both ends to where they meet. Of two different states the one with the
// larger cost from the root cannot be an ancestor of the other, so it is the one to leave.
bool wm_tb_way_is_legal(const wm_tb* tb, wm_cell position, wm_cost* cost)
{
    const wm_search* search = &tb->search;
    wm_cell back = position;
    wm_cell ahead = tb->goal_found ? search->goal : wm_search_top(search);
    *cost = 0;
    while (back != ahead) {
        wm_cell* end = wm_search_g(search, back) >= wm_search_g(search, ahead) ? &back : &ahead;
        const int arrival = wm_search_arrival(search, *end);
        *end = wm_search_parent(search, *end);
        // A step is legal both ways or not at all.
        if ((search->grid->moves[*end] >> arrival & 1) == 0) return false;
        *cost += wm_direction_cost[arrival];
    }
    return true;
}

wm_status wm_tb_step(wm_tb* tb, wm_agent* agent, uint64_t max_expansions, wm_cell* next)
{
    const wm_status status = wm_tb_search(tb, agent, max_expansions);
    if (status == WM_OK) wm_tb_move(tb, agent, next);
    return status;
}
