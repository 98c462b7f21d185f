// SPDX-License-Identifier: MIT
//
// Each run walks twice. The first walk reads the clock around every step and counts; the second
// does nothing but step, and is timed as a whole, by the time that the thread had. Agents repeat themselves exactly, so the second
// walk takes as many steps as the first.
#include "race.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "alloc.h"
#include "internal.h"

#define SQRT_2 1.4142135623730951

typedef struct walk {
    wm_race* race;
    wm_agent* agent;
    wm_race_run* run;
    wm_histogram* steps;
    wm_cell position;
    uint64_t step_count;
    uint64_t expansions; // up to the last step
} walk;

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t wm_race_thread_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

// The least of several averages: what interrupts a series only makes it longer.
static uint64_t measure_clock(void)
{
    enum { SERIES = 16, READINGS = 256 };
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < SERIES; i++) {
        const uint64_t begin = clock_now();
        for (int j = 1; j < READINGS; j++) clock_now();
        const uint64_t mean = (clock_now() - begin) / READINGS;
        if (mean < best) best = mean;
    }
    return best;
}

static uint64_t elapsed(const wm_race* race, uint64_t since)
{
    const uint64_t all = clock_now() - since;
    return all > race->clock_ns ? all - race->clock_ns : 0;
}

const char* wm_race_outcome_name(wm_race_outcome outcome)
{
    switch (outcome) {
    case WM_RACE_SOLVED: return "solved";
    case WM_RACE_NO_PATH: return "no-path";
    case WM_RACE_GAVE_UP: return "gave-up";
    }
    return "";
}

double wm_race_length(const wm_race_run* run)
{
    return (double)(run->moves - run->diagonal_moves) + SQRT_2 * (double)run->diagonal_moves;
}

double wm_race_suboptimality(const wm_race_run* run)
{
    if (run->cost == run->optimal) return 0;
    return 100.0 * (double)(run->cost - run->optimal) / (double)run->optimal;
}

wm_status wm_race_create(wm_race* race, const wm_map* map, uint64_t give_up, bool keep_path,
                         wm_error* error)
{
    const wm_grid* grid = &map->grid;
    *race = (wm_race){.map = map, .give_up = give_up, .keep_path = keep_path};
    const wm_status status = wm_distances_create(&race->to_goal, grid, error);
    if (status != WM_OK) {
        race->map = NULL; // nothing to free
        return status;
    }
    race->entered = wm_alloc(NULL, grid->cell_count, sizeof *race->entered);
    if (race->entered == NULL) {
        wm_race_free(race);
        return wm_fail_memory(error, grid->cell_count * sizeof *race->entered);
    }
    race->clock_ns = measure_clock();
    return WM_OK;
}

void wm_race_free(wm_race* race)
{
    if (race->map == NULL) return;
    wm_distances_free(&race->to_goal);
    wm_release(NULL, race->entered, race->map->grid.cell_count, sizeof *race->entered);
    free(race->path);
    *race = (wm_race){0};
}

static wm_cost distance_to_goal(const wm_race* race, wm_cell cell)
{
    return race->to_goal.cost[cell];
}

wm_status wm_race_set_problem(wm_race* race, wm_point start, wm_point goal, wm_error* error)
{
    const wm_grid* grid = &race->map->grid;
    race->start = start;
    race->goal = goal;
    const wm_status status =
        wm_distances_from(&race->to_goal, wm_grid_cell(grid, goal), WM_COST_INFINITE);
    if (status != WM_OK) return wm_fail_memory(error, grid->cell_count * sizeof(wm_cell));
    const wm_cost optimal = distance_to_goal(race, wm_grid_cell(grid, start));
    race->limit = optimal == WM_COST_INFINITE ? optimal : optimal * (wm_cost)race->give_up;
    return WM_OK;
}

// Marks a cell as entered; true when it had been before.
static bool enter(wm_race* race, wm_cell cell)
{
    const bool before = race->entered[cell] == race->run_number;
    race->entered[cell] = race->run_number;
    return before;
}

static bool keep_cell(wm_race* race, wm_cell cell)
{
    if (!race->keep_path) return true;
    if (race->path_length == race->path_capacity) {
        wm_cell* grown =
            wm_grow(race->path, &race->path_capacity, race->path_length + 1, sizeof *grown);
        if (grown == NULL) return false;
        race->path = grown;
    }
    race->path[race->path_length++] = cell;
    return true;
}

static bool count_move(walk* w, wm_cell next)
{
    const wm_grid* grid = &w->race->map->grid;
    const wm_point a = wm_grid_point(grid, w->position);
    const wm_point b = wm_grid_point(grid, next);
    const bool diagonal = a.x != b.x && a.y != b.y;
    const wm_cost cost = diagonal ? WM_COST_DIAGONAL : WM_COST_STRAIGHT;
    const wm_cost before = distance_to_goal(w->race, w->position);
    const wm_cost after = distance_to_goal(w->race, next);
    w->run->moves++;
    w->run->diagonal_moves += diagonal;
    w->run->cost += cost;
    w->run->non_optimal_moves += before != WM_COST_INFINITE && cost + after != before;
    w->run->revisits += enter(w->race, next);
    w->position = next;
    return keep_cell(w->race, next);
}

static bool count_step(walk* w, uint64_t plan_ns)
{
    const wm_cell now = wm_grid_cell(&w->race->map->grid, wm_agent_position(w->agent));
    w->step_count++;
    w->run->search_steps += w->agent->expansions > w->expansions;
    w->expansions = w->agent->expansions;
    if (plan_ns > w->run->plan_ns_max) w->run->plan_ns_max = plan_ns;
    if (w->steps != NULL) wm_histogram_add(w->steps, plan_ns);
    return now == w->position || count_move(w, now);
}

static bool start_walk(walk* w)
{
    wm_race* race = w->race;
    const wm_grid* grid = &race->map->grid;
    race->run_number++;
    if (race->run_number == 0) { // after 4 billion runs the stamps are used up
        for (uint32_t i = 0; i < grid->cell_count; i++) race->entered[i] = 0;
        race->run_number = 1;
    }
    race->path_length = 0;
    w->position = wm_grid_cell(grid, race->start);
    w->run->optimal = distance_to_goal(race, w->position);
    enter(race, w->position);
    return keep_cell(race, w->position);
}

// Returns what ended the walk: WM_ARRIVED, WM_NO_PATH, an error, or WM_OK for giving up.
static wm_status counted_walk(walk* w)
{
    wm_race* race = w->race;
    if (!start_walk(w)) return WM_ERR_MEMORY;
    uint64_t begun = clock_now();
    wm_status status = wm_agent_begin(w->agent, race->start, race->goal);
    const bool walking = status == WM_OK;
    if (walking) status = wm_agent_step(w->agent);
    w->run->plan_ns_first = elapsed(race, begun);
    w->run->plan_ns_max = w->run->plan_ns_first;
    if (walking && !count_step(w, w->run->plan_ns_first)) return WM_ERR_MEMORY;
    while (status == WM_OK && w->run->cost <= race->limit) {
        begun = clock_now();
        status = wm_agent_step(w->agent);
        if (!count_step(w, elapsed(race, begun))) return WM_ERR_MEMORY;
    }
    return status;
}

static uint64_t timed_walk(const walk* w)
{
    const uint64_t steps = w->step_count;
    const uint64_t begun = wm_race_thread_ns();
    wm_agent_begin(w->agent, w->race->start, w->race->goal);
    for (uint64_t i = 0; i < steps; i++) wm_agent_step(w->agent);
    return wm_race_thread_ns() - begun;
}

static void take_statistics(walk* w)
{
    const wm_agent_stats stats = wm_agent_statistics(w->agent);
    w->run->expansions = stats.expansions;
    w->run->max_expansions_per_move = stats.max_expansions_per_move;
    w->run->back_moves = stats.back_moves;
    w->run->waits = stats.waits;
    w->run->agent_bytes = stats.memory_bytes;
}

wm_status wm_race_walk(wm_race* race, wm_agent* agent, wm_race_run* run, wm_histogram* steps,
                       wm_error* error)
{
    walk w = {.race = race, .agent = agent, .run = run, .steps = steps};
    *run = (wm_race_run){0};
    const wm_status status = counted_walk(&w);
    if (status < 0)
        return wm_fail(error, status, "the walk from %d,%d to %d,%d broke off: %s",
                       (int)race->start.x, (int)race->start.y, (int)race->goal.x, (int)race->goal.y,
                       wm_status_name(status));
    run->outcome = status == WM_ARRIVED   ? WM_RACE_SOLVED
                   : status == WM_NO_PATH ? WM_RACE_NO_PATH
                                          : WM_RACE_GAVE_UP;
    take_statistics(&w);
    run->plan_ns_total = timed_walk(&w);
    assert(wm_grid_cell(&race->map->grid, wm_agent_position(agent)) == w.position);
    return WM_OK;
}
