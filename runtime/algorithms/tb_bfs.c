// SPDX-License-Identifier: MIT
//
// One search from the start, spread over the moves: each move expands k more states, then follows
// the path from the root to the best open state where the agent stands on it, and else goes back
// along its parents until it does. Once the goal is the best open state the search is over.
#include "tb_bfs.h"

typedef struct tb_state {
    wm_search search;
    bool goal_found;
    uint8_t* onward; // per cell, once the goal is found: direction + 1 of the path's next step
} tb_state;

size_t wm_tb_state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    (void)values;
    return sizeof(tb_state) + wm_search_bytes(&map->grid) + map->grid.cell_count;
}

void wm_tb_init(wm_agent* agent)
{
    tb_state* state = agent->state;
    const wm_grid* grid = &agent->map->grid;
    wm_search_init(&state->search, grid, state + 1);
    state->onward = (uint8_t*)(state + 1) + wm_search_bytes(grid);
}

// Writes the path from the root to the goal down once, or wipes it out again.
static void mark_path(tb_state* state, bool wipe)
{
    const wm_search* search = &state->search;
    for (wm_cell cell = search->goal; cell != search->root;) {
        const int arrival = wm_search_arrival(search, cell);
        cell = wm_search_parent(search, cell);
        state->onward[cell] = wipe ? 0 : (uint8_t)(arrival + 1);
    }
}

wm_status wm_tb_begin(wm_agent* agent, wm_cell start, wm_cell goal, wm_search_weights weights)
{
    tb_state* state = agent->state;
    if (state->goal_found) mark_path(state, true);
    state->goal_found = false;
    wm_search_begin(&state->search, start, goal, weights);
    return WM_OK;
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

static wm_status search_on(wm_agent* agent, tb_state* state, uint64_t max_expansions)
{
    const uint64_t before = state->search.expansions;
    const wm_search_result result = wm_search_run(&state->search, max_expansions);
    agent->expansions += state->search.expansions - before;
    if (result == WM_SEARCH_FAILED) return WM_NO_PATH;
    if (result == WM_SEARCH_FOUND) {
        state->goal_found = true;
        mark_path(state, false);
    }
    return WM_OK;
}

wm_status wm_tb_step(wm_agent* agent, uint64_t max_expansions, wm_cell* next)
{
    tb_state* state = agent->state;
    const wm_search* search = &state->search;
    if (!state->goal_found) {
        const wm_status status = search_on(agent, state, max_expansions);
        if (status != WM_OK) return status;
    }
    int direction;
    if (state->goal_found) {
        direction = state->onward[agent->position] - 1;
    } else {
        const wm_cell best = wm_search_top(search);
        // Only after a reopening can the agent already stand on the best state: it waits.
        if (best == agent->position) return WM_OK;
        direction = onward_to(search, best, agent->position);
    }
    if (direction >= 0) {
        *next = wm_grid_step(search->grid, agent->position, direction);
    } else {
        *next = wm_search_parent(search, agent->position);
        agent->back_moves++;
    }
    return WM_OK;
}
