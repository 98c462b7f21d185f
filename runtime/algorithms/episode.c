// SPDX-License-Identifier: MIT
#include "episode.h"

size_t wm_episode_bytes(const wm_grid* grid, int64_t max_expansions)
{
    return wm_local_space_bytes(grid, max_expansions) +
           wm_local_space_max_inside(grid, max_expansions);
}

void wm_episode_init(wm_episode* episode, const wm_agent* agent, int64_t max_expansions,
                     void* memory)
{
    wm_local_space* space = &episode->space;
    episode->path = wm_local_space_init(space, agent->grid, max_expansions, memory);
    space->learned.heuristic = agent->heuristic;
}

void wm_episode_aim(wm_episode* episode, wm_cell goal)
{
    wm_learned_aim(&episode->space.learned, goal);
    episode->best = goal;
    episode->next = episode->space.max_inside;
}

static void generate(wm_local_space* space, wm_cell cell, int direction, wm_cost g, wm_cost h)
{
    wm_node* node = &space->open.nodes[cell];
    const bool known = wm_local_space_knows(space, cell);
    // With consistent values a closed state cannot get a better way; with others it may miss one.
    if (known && (node->g <= g || node->slot == WM_NODE_CLOSED)) return;
    node->g = g;
    node->arrival = space->generation * WM_DIRECTIONS + (uint32_t)direction;
    const wm_heap_entry entry = wm_heap_entry_make((uint64_t)(g + h), g, cell);
    if (known)
        wm_heap_improve(&space->open, entry);
    else
        wm_heap_push(&space->open, entry);
}

static void expand(wm_local_space* space, wm_cell cell)
{
    const wm_grid* grid = space->learned.grid;
    const wm_point offset = wm_learned_offset(&space->learned, cell);
    const wm_cost g = space->open.nodes[cell].g;
    for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cell next = wm_grid_step(grid, cell, d);
        const wm_point there = wm_learned_offset_after(offset, d);
        generate(space, next, d, g + wm_direction_cost[d],
                 wm_learned_value_at(&space->learned, next, there));
    }
    wm_local_space_add(space, cell);
}

// The best open state; WM_NO_CELL where there is none.
static wm_cell search(wm_local_space* space, wm_cell root, int64_t max_expansions)
{
    wm_local_space_clear(space);
    generate(space, root, 0, 0, wm_learned_value(&space->learned, root));
    while (space->open.count > 0) {
        const wm_cell top = wm_heap_entry_cell(space->open.entries[0]);
        if (space->inside_count == max_expansions || top == space->learned.target) return top;
        expand(space, wm_heap_entry_cell(wm_heap_pop(&space->open)));
    }
    return WM_NO_CELL;
}

static void lay_path(wm_episode* episode, wm_cell root)
{
    const wm_local_space* space = &episode->space;
    episode->next = space->max_inside;
    for (wm_cell cell = episode->best; cell != root;) {
        const uint32_t direction = space->open.nodes[cell].arrival % WM_DIRECTIONS;
        episode->path[--episode->next] = (uint8_t)direction;
        cell -= (wm_cell)space->learned.grid->offset[direction];
    }
}

bool wm_episode_plan(wm_episode* episode, wm_agent* agent, int64_t max_expansions)
{
    wm_local_space* space = &episode->space;
    const wm_cell root = agent->position;
    episode->best = search(space, root, max_expansions);
    agent->expansions += space->inside_count;
    if (episode->best == WM_NO_CELL) return false;
    if (max_expansions == 1) {
        // This is LRTA*, whose ties go by the order of directions.
        wm_cost least;
        const int direction = wm_learned_best_move(
            &space->learned, root, wm_learned_offset(&space->learned, root), &least);
        episode->best = wm_grid_step(space->learned.grid, root, direction);
    }
    lay_path(episode, root);
    return true;
}

bool wm_episode_goes_on(const wm_episode* episode, wm_cell position)
{
    const wm_grid* grid = episode->space.learned.grid;
    const uint32_t end = episode->space.max_inside;
    for (uint32_t i = episode->next; i < end; i++) {
        if ((grid->moves[position] >> episode->path[i] & 1) == 0) return false;
        position = wm_grid_step(grid, position, episode->path[i]);
    }
    return episode->next < end;
}

wm_cell wm_episode_step(wm_episode* episode, wm_cell position)
{
    return wm_grid_step(episode->space.learned.grid, position, episode->path[episode->next++]);
}
