// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "bench_walks.h"

#define QUESTIONS 100
#define MAX_STEPS 10000 // of one walk: those that learn can take very many

static const char* const specs[] = {"astar", "lrta", "rta", "prta"};
enum { ASTAR, SPECS = 4 };

// Best times of all rounds.
typedef struct timing {
    double ns;    // of the problem
    double units; // expansions of A*, steps of others
} timing;

// One problem. A* counts as soon as its plan is there; the others walk to the goal, or MAX_STEPS.
static wm_status time_problem(wm_agent* agent, const wm_problem* problem, timing* best)
{
    const wm_grid* grid = &agent->map->grid;
    const bool plans = agent->algorithm->plans_ahead;
    uint64_t steps = 0;
    const int64_t begun = bench_now_ns();
    wm_status status = wm_agent_begin(agent, wm_grid_point(grid, problem->start),
                                      wm_grid_point(grid, problem->goal));
    for (const uint64_t end = plans ? 1 : MAX_STEPS; status == WM_OK && steps < end; steps++)
        status = wm_agent_step(agent);
    const double ns = (double)(bench_now_ns() - begun);
    best->units = plans ? (double)wm_agent_statistics(agent).expansions : (double)steps;
    if (best->ns == 0 || ns < best->ns) best->ns = ns;
    return status < 0 ? status : WM_OK;
}

static wm_status time_map(timing (*times)[QUESTIONS], wm_agent* const* agents,
                          const wm_problems* problems)
{
    wm_status status = WM_OK;
    for (int round = 0; round <= BENCH_ROUNDS; round++) {
        for (size_t i = 0; i < QUESTIONS; i++) {
            const wm_problem* problem = &problems->list[i * problems->count / QUESTIONS];
            if (round == 1)
                for (int a = 0; a < SPECS; a++) times[a][i].ns = 0; // the first round warms up
            for (int a = 0; a < SPECS && status == WM_OK; a++)
                status = time_problem(agents[a], problem, &times[a][i]);
        }
    }
    return status;
}

static double ns_per_unit(const timing* times)
{
    double ns = 0;
    double units = 0;
    for (size_t i = 0; i < QUESTIONS; i++) {
        ns += times[i].ns;
        units += times[i].units;
    }
    return units > 0 ? ns / units : 0;
}

static wm_status bench_map(const bench_run* bench, const wm_map* map, const char* name,
                           wm_error* error)
{
    timing times[SPECS][QUESTIONS] = {0};
    wm_agent* agents[SPECS] = {NULL};
    wm_problems problems = {0};
    wm_status status = bench_load_problems(&problems, bench, name, &map->grid, error);
    for (int a = 0; a < SPECS && status == WM_OK; a++) {
        wm_agent_config config = wm_agent_config_default();
        config.algorithm = specs[a];
        status = wm_agent_create(&agents[a], map, NULL, &config, error);
    }
    if (status == WM_OK) status = time_map(times, agents, &problems);
    if (status == WM_OK) {
        const double astar = ns_per_unit(times[ASTAR]);
        printf("  %-18s %6.1f", name, astar);
        for (int a = 1; a < SPECS; a++)
            printf("   %6.1f %5.2f", ns_per_unit(times[a]), ns_per_unit(times[a]) / astar);
        printf("\n");
    }
    for (int a = 0; a < SPECS; a++) wm_agent_destroy(agents[a]);
    wm_problems_free(&problems);
    return status;
}

void bench_steps(bench_run* bench)
{
    static const char* const maps[] = {"bg512/AR0046SR", "bg512/AR0400SR", "bg512/AR0602SR"};
    printf("\nSteps: ns an expansion of A*, ns a step of others and that by the expansion\n"
           "  map                    A*             lrta            rta           prta\n");
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        wm_map map = {0};
        wm_error error = {0};
        if (!bench_load(bench, &map.grid, maps[i])) continue;
        if (bench_map(bench, &map, maps[i], &error) != WM_OK) bench_fail(bench, &error);
        wm_grid_free(&map.grid);
        fflush(stdout);
    }
}
