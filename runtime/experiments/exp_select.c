// SPDX-License-Identifier: MIT
//
// All problems of all maps are a pool; a batch is drawn from it without replacement. Maps that come
// without a .scen file stand in the pool with as many problems as a map has on average in the paper
// (493,298 on 342 maps), but these are drawn only as far as they are needed.
#include "exp_select.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "jump.h"

#define PROBLEMS_WITHOUT_SCEN 1442

// Streams of the study's seed; trials have the low ones.
#define PROBLEM_STREAM (UINT64_MAX - 1)

// ---------------------------------------------------------------------------------------------
// Algorithms

// The ranges of the paper, both ends included.
wm_status wm_select_add_algorithm(wm_study* study, wm_rng* rng, uint32_t batch, wm_error* error)
{
    static const char* const lops[] = {"min", "avg", "median", "max"};
    wm_study_setting setting = {.x = batch};
    const double w = 1 + (double)wm_rng_below(rng, 9001) / 1000;
    const double wc = 1 + (double)wm_rng_below(rng, 9001) / 1000;
    const double b = (double)wm_rng_below(rng, 1001) / 1000;
    const char* lop = lops[wm_rng_below(rng, 4)];
    const int da = (int)wm_rng_below(rng, 2);
    const int e = (int)wm_rng_below(rng, 2);
    snprintf(setting.spec, sizeof setting.spec, "rths:w=%.3f:wc=%.3f:b=%.3f:lop=%s:da=%d:e=%d", w,
             wc, b, lop, da, e);
    snprintf(setting.label, sizeof setting.label, "%s", setting.spec);
    return wm_study_add_setting(study, &setting, error);
}

// ---------------------------------------------------------------------------------------------
// Problems

typedef struct choice {
    uint32_t problem; // its number on the map
    uint32_t batch;
} choice;

typedef struct pool_map {
    char name[128];
    wm_map* map;
    wm_problems problems; // of the .scen file
    bool has_scen;
    uint32_t first; // its problems are first .. first + size - 1 in the pool
    uint32_t size;
    choice* choices;
    size_t choice_count;
    size_t choice_capacity;
} pool_map;

typedef struct pool {
    pool_map* maps;
    size_t count;
    size_t capacity;
    uint32_t size;
} pool;

static void pool_map_free(pool_map* m)
{
    wm_map_unload(m->map);
    wm_problems_free(&m->problems);
    free(m->choices);
    *m = (pool_map){0};
}

static void pool_free(pool* p)
{
    for (size_t i = 0; i < p->count; i++) pool_map_free(&p->maps[i]);
    free(p->maps);
}

static wm_status load_pool_map(pool_map* m, const char* path, wm_diagonal diagonal, wm_error* error)
{
    char scen[4200];
    wm_map_config config = wm_map_config_default();
    config.diagonal = diagonal;
    wm_status status = wm_map_load(&m->map, path, &config, error);
    if (status != WM_OK) return status;
    snprintf(scen, sizeof scen, "%s.scen", path);
    m->has_scen = access(scen, R_OK) == 0;
    m->size = PROBLEMS_WITHOUT_SCEN;
    if (!m->has_scen) return WM_OK;
    status = wm_scenfile_load_solvable(&m->problems, &m->map->grid, scen, error);
    m->size = (uint32_t)m->problems.count;
    return status;
}

static wm_status add_to_pool(wm_study* study, const char* folder, const char* file, void* context,
                             wm_error* error)
{
    pool* p = context;
    char path[4096];
    pool_map* grown = wm_grow(p->maps, &p->capacity, p->count + 1, sizeof *grown);
    if (grown == NULL) return wm_fail_memory(error, sizeof *grown);
    p->maps = grown;
    pool_map* added = &p->maps[p->count++];
    *added = (pool_map){.first = p->size};
    snprintf(path, sizeof path, "%s/%s/%s", study->options.maps, folder, file);
    snprintf(added->name, sizeof added->name, "%s/%.*s", folder,
             (int)(strlen(file) - strlen(".map")), file);
    const wm_status status = load_pool_map(added, path, study->diagonal, error);
    p->size += added->size;
    return status;
}

static wm_status load_pool(pool* p, wm_study* study, wm_error* error)
{
    static const char* const folders[] = {"sc1", "wc3maps512", "bg512", "dao"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t found;
        const wm_status status =
            wm_study_each_map(study, folders[i], add_to_pool, p, &found, error);
        if (status != WM_OK) return status;
    }
    if (p->size > 0) return WM_OK;
    return wm_fail(error, WM_ERR_NOT_FOUND,
                   "%s needs the maps of sc1, wc3maps512, bg512 or dao; name the folder that holds "
                   "them with --maps",
                   study->experiment->name);
}

static wm_status choose(pool* p, uint32_t number, uint32_t batch, wm_error* error)
{
    pool_map* m = p->maps;
    while (number >= m->first + m->size) m++;
    choice* grown =
        wm_grow(m->choices, &m->choice_capacity, m->choice_count + 1, sizeof *m->choices);
    if (grown == NULL) return wm_fail_memory(error, sizeof *grown);
    m->choices = grown;
    m->choices[m->choice_count++] = (choice){number - m->first, batch};
    return WM_OK;
}

static wm_status choose_batches(pool* p, uint64_t seed, uint32_t batches, size_t count,
                                wm_error* error)
{
    wm_status status = WM_OK;
    wm_rng rng = wm_rng_start(seed, PROBLEM_STREAM);
    uint32_t* numbers = wm_alloc(NULL, p->size, sizeof *numbers);
    if (numbers == NULL) return wm_fail_memory(error, p->size * sizeof *numbers);
    for (uint32_t i = 0; i < p->size; i++) numbers[i] = i;
    for (uint32_t batch = 0; batch < batches; batch++) {
        for (uint32_t i = 0; i < count && i < p->size && status == WM_OK; i++) {
            const uint32_t other = i + (uint32_t)wm_rng_below(&rng, p->size - i);
            const uint32_t chosen = numbers[other];
            numbers[other] = numbers[i];
            numbers[i] = chosen;
            status = choose(p, chosen, batch, error);
        }
    }
    wm_release(NULL, numbers, p->size, sizeof *numbers);
    return status;
}

// The lengths in the file are of another diagonal rule. Each is worked out once: what was is
// negative in the meantime.
static wm_status find_optimal_costs(pool_map* m, wm_error* error)
{
    wm_jump_table table = {0};
    wm_jump_search search = {0};
    wm_status status = wm_jump_table_create(&table, &m->map->grid, error);
    if (status == WM_OK) status = wm_jump_search_create(&search, &table, error);
    for (size_t i = 0; i < m->choice_count && status == WM_OK; i++) {
        wm_problem* problem = &m->problems.list[m->choices[i].problem];
        if (problem->optimal < 0) continue;
        problem->optimal =
            -wm_cost_to_double(wm_jump_search_cost(&search, problem->start, problem->goal));
    }
    for (size_t i = 0; i < m->problems.count; i++) {
        if (m->problems.list[i].optimal < 0) m->problems.list[i].optimal *= -1;
    }
    if (search.table != NULL) wm_jump_search_free(&search);
    if (table.grid != NULL) wm_jump_table_free(&table);
    return status;
}

// The choices of a map without a file go round its random problems, so that those of a batch are
// different ones.
static wm_status draw_problems(pool_map* m, uint64_t seed, wm_error* error)
{
    const uint32_t count =
        m->choice_count < m->size ? (uint32_t)m->choice_count : (uint32_t)m->size;
    const wm_problem_range range = {.count = count, .max_cost = WM_COST_INFINITE, .seed = seed};
    for (size_t i = 0; i < m->choice_count; i++) m->choices[i].problem = (uint32_t)(i % count);
    return wm_problems_draw(&m->problems, &m->map->grid, &range, m->name, error);
}

// Gives the chosen problems of a map, and the map, to the study.
static wm_status hand_over(pool_map* m, wm_study* study, wm_error* error)
{
    wm_problems chosen = {0};
    uint32_t* batch = calloc(m->choice_count, sizeof *batch);
    bool fits = batch != NULL;
    for (size_t i = 0; i < m->choice_count && fits; i++) {
        batch[i] = m->choices[i].batch;
        fits = wm_problems_add(&chosen, m->problems.list[m->choices[i].problem]);
    }
    if (!fits) {
        free(batch);
        wm_problems_free(&chosen);
        return wm_fail_memory(error, m->choice_count * sizeof *chosen.list);
    }
    const wm_status status = wm_study_add_map(study, m->name, 0, m->map, &chosen, error);
    m->map = NULL; // the study's now, also where it failed
    if (status == WM_OK)
        study->maps[study->map_count - 1].batch = batch;
    else
        free(batch);
    return status;
}

wm_status wm_select_add_problems(wm_study* study, uint32_t batches, size_t count, wm_error* error)
{
    pool p = {0};
    wm_status status = load_pool(&p, study, error);
    if (status == WM_OK) status = choose_batches(&p, study->options.seed, batches, count, error);
    for (size_t i = 0; i < p.count && status == WM_OK; i++) {
        pool_map* m = &p.maps[i];
        if (m->choice_count == 0) continue;
        status = m->has_scen ? find_optimal_costs(m, error)
                             : draw_problems(m, study->options.seed + i, error);
        if (status == WM_OK) status = hand_over(m, study, error);
    }
    pool_free(&p);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Walks

uint32_t wm_select_job_size(size_t problems, uint32_t most)
{
    const size_t size = problems / 32;
    if (size >= most) return most;
    return size < 1 ? 1 : (uint32_t)size;
}

wm_status wm_select_agent(wm_agent** agent, const wm_study* study, uint32_t map, uint32_t setting,
                          wm_error* error)
{
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = study->settings[setting].spec;
    return wm_agent_create(agent, study->maps[map].map, NULL, &config, error);
}

wm_status wm_select_go(wm_agent* agent, const wm_problem* problem, double alpha_max,
                       wm_select_walk* walk, wm_error* error)
{
    const wm_grid* grid = &agent->map->grid;
    const double most = alpha_max * problem->optimal;
    const wm_cost limit = (wm_cost)(most * (double)WM_COST_STRAIGHT);
    wm_status status = wm_agent_begin(agent, wm_grid_point(grid, problem->start),
                                      wm_grid_point(grid, problem->goal));
    while (status == WM_OK && agent->cost <= limit) status = wm_agent_step(agent);
    if (status < 0) return wm_fail(error, status, "a walk broke off: %s", wm_status_name(status));
    *walk = (wm_select_walk){.outcome = WM_RACE_GAVE_UP, .moves = agent->moves};
    walk->cost = status == WM_NO_PATH ? most + 1 : wm_cost_to_double(agent->cost);
    if (status == WM_ARRIVED) walk->outcome = WM_RACE_SOLVED;
    if (status == WM_NO_PATH) walk->outcome = WM_RACE_NO_PATH;
    return WM_OK;
}
