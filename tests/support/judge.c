// SPDX-License-Identifier: MIT
#include "judge.h"

#include "reference.h"

static const char* judge_end(const wm_agent* agent, wm_status status, wm_cell start, wm_cell goal)
{
    const wm_grid* grid = &agent->map->grid;
    switch (status) {
    case WM_ARRIVED: return agent->position == goal ? NULL : "arrived elsewhere";
    case WM_NO_PATH:
        return wm_grid_connected(grid, start, goal) ? "no path where there is one" : NULL;
    case WM_OK: return "does not arrive";
    default: return wm_status_name(status);
    }
}

judgement judge_walk(wm_agent* agent, wm_cell start, wm_cell goal, size_t max_steps)
{
    const wm_grid* grid = &agent->map->grid;
    judgement judged = {0};
    wm_cell before = start;
    wm_status status = wm_agent_begin(agent, wm_grid_point(grid, start), wm_grid_point(grid, goal));
    for (; judged.steps < max_steps && status == WM_OK; judged.steps++) {
        status = wm_agent_step(agent);
        const wm_cell now = agent->position;
        if (now >= grid->cell_count || !wm_grid_is_open(grid, now))
            judged.complaint = "left the map or stands in a wall";
        else if (now != before && reference_direction(grid, before, now) < 0)
            judged.complaint = "made a move that is not legal";
        else if (agent->max_expansions_per_move > agent->most_expansions)
            judged.complaint = "looked at more states in a move than it says";
        if (judged.complaint != NULL) return judged;
        before = now;
    }
    judged.complaint = judge_end(agent, status, start, goal);
    return judged;
}
