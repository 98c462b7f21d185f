// SPDX-License-Identifier: MIT
#include "select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "build.h"
#include "format.h"
#include "jump.h"
#include "pairs.h"
#include "problems.h"
#include "rng.h"

// A walk ends when it has cost this many times the optimum (paper M's alpha_max for samples).
#define GIVE_UP 1000

// Problems of the measurement must not be those of the choice.
#define MEASURE_SEED UINT64_C(0x3EA5)

// Of one payload, as for all that the builder reads.
#define MAX_PAYLOAD_BYTES ((size_t)2 << 30)

// ---------------------------------------------------------------------------------------------
// Arenas

wm_status wm_arena_open(wm_arena* arena, const wm_grid* grid, const char* name,
                        const char* database, const char* stored_name, wm_error* error)
{
    *arena = (wm_arena){.grid = grid, .name = name};
    wm_status status = wm_build_make_map(&arena->map, grid, error);
    if (status == WM_OK && database != NULL) {
        wm_db_config config = wm_db_config_default();
        config.max_bytes = MAX_PAYLOAD_BYTES;
        config.name = stored_name;
        status = wm_db_open(&arena->db, arena->map, database, &config, error);
    }
    if (status != WM_OK) wm_arena_close(arena);
    return status;
}

void wm_arena_close(wm_arena* arena)
{
    wm_db_close(arena->db);
    wm_map_unload(arena->map);
    *arena = (wm_arena){0};
}

// ---------------------------------------------------------------------------------------------
// Candidates

static wm_status add_candidate(wm_candidates* candidates, const char* spec, wm_error* error)
{
    wm_candidate* grown = wm_grow(candidates->list, &candidates->capacity,
                                  (size_t)candidates->count + 1, sizeof *grown);
    if (grown == NULL) return wm_fail_memory(error, sizeof *grown);
    candidates->list = grown;
    snprintf(candidates->list[candidates->count++].spec, sizeof grown->spec, "%s", spec);
    return WM_OK;
}

// From `low` to `high`, in thousandths.
static double draw_decimal(wm_rng* rng, uint32_t low, uint32_t high)
{
    return (double)(low + wm_rng_below(rng, high - low + 1)) / 1000;
}

// A point of paper M's space.
static void draw_learner(char* spec, size_t size, wm_rng* rng)
{
    static const char* const lops[] = {"min", "avg", "median", "max"};
    const double w = draw_decimal(rng, 1000, 10000);
    const double wc = draw_decimal(rng, 1000, 10000);
    const double b = draw_decimal(rng, 0, 1000);
    const char* lop = lops[wm_rng_below(rng, 4)];
    const unsigned da = (unsigned)wm_rng_below(rng, 2);
    const unsigned e = (unsigned)wm_rng_below(rng, 2);
    snprintf(spec, size, "rths:w=%.3f:wc=%.3f:b=%.3f:lop=%s:da=%u:e=%u", w, wc, b, lop, da, e);
}

static void draw_searcher(char* spec, size_t size, wm_rng* rng, uint32_t budget)
{
    const unsigned k = 1 + (unsigned)wm_rng_below(rng, budget);
    switch (wm_rng_below(rng, 4)) {
    case 0: snprintf(spec, size, "rtaa:k=%u", k); break;
    case 1: snprintf(spec, size, "lss-lrta:k=%u", k); break;
    default:
        snprintf(spec, size, "tb-wa:k=%u:w=%.3f:reopen=0", budget, draw_decimal(rng, 1000, 10000));
    }
}

wm_status wm_candidates_sample(wm_candidates* candidates, const wm_select_options* options,
                               wm_error* error)
{
    // Databases as a game would use them, and the named algorithms at the budget.
    static const char* const fixed[] = {
        "regions:preset=best",
        "regions:preset=balanced",
        "regions:preset=fast",
        "knn-lrta",
        "knn-lrta:walk=climb",
        "d-lrta",
        "prta",
        "lrta",
        "lrta:d=2",
        "lrta:d=3",
        "lrta:d=4",
        "da-lrta-e",
    };
    static const char* const at_budget[][2] = {
        {"tba", ""}, {"tb-gbfs", ""}, {"tb-wa", ":w=3:reopen=0"}};
    char spec[WM_CHOICE_MAX_SPEC + 1];
    wm_status status = WM_OK;
    *candidates = (wm_candidates){0};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed && status == WM_OK; i++)
        status = add_candidate(candidates, fixed[i], error);
    for (size_t i = 0; i < sizeof at_budget / sizeof *at_budget && status == WM_OK; i++) {
        snprintf(spec, sizeof spec, "%s:k=%u%s", at_budget[i][0], options->budget, at_budget[i][1]);
        status = add_candidate(candidates, spec, error);
    }
    for (uint32_t i = 0; i < options->algorithms && status == WM_OK; i++) {
        wm_rng rng = wm_rng_start(options->seed, i);
        if (i % 2 == 0)
            draw_learner(spec, sizeof spec, &rng);
        else
            draw_searcher(spec, sizeof spec, &rng, options->budget);
        status = add_candidate(candidates, spec, error);
    }
    if (status != WM_OK) wm_candidates_free(candidates);
    return status;
}

void wm_candidates_free(wm_candidates* candidates)
{
    free(candidates->list);
    *candidates = (wm_candidates){0};
}

// ---------------------------------------------------------------------------------------------
// Walking

typedef struct trial {
    const wm_arena* arena;
    wm_problems problems;
    uint32_t budget;
    bool (*go_on)(void);
} trial;

typedef struct score {
    double sum; // of suboptimalities, in percent
    uint64_t max_expansions;
} score;

// As many problems as are wanted, or as the map has.
static wm_status draw_problems(trial* t, uint32_t wanted, uint64_t seed, wm_error* error)
{
    const wm_arena* arena = t->arena;
    wm_pairs pairs;
    const wm_status status = wm_pairs_create(&pairs, arena->grid, false, error);
    if (status != WM_OK) return status;
    const uint64_t there_are = wm_pairs_count(&pairs);
    wm_pairs_free(&pairs);
    if (there_are == 0)
        return wm_fail(error, WM_ERR_TOO_FEW,
                       "%s has no two connected cells, so there is nothing to choose by",
                       arena->name);
    const wm_problem_range range = {.count = there_are < wanted ? (size_t)there_are : wanted,
                                    .max_cost = WM_COST_INFINITE,
                                    .seed = seed};
    return wm_problems_draw(&t->problems, arena->grid, &range, arena->name, error);
}

static wm_status find_optima(trial* t, wm_error* error)
{
    wm_jump_table table = {0};
    wm_jump_search search = {0};
    wm_status status = wm_jump_table_create(&table, t->arena->grid, error);
    if (status == WM_OK) status = wm_jump_search_create(&search, &table, error);
    for (size_t i = 0; status == WM_OK && i < t->problems.count; i++) {
        wm_problem* problem = &t->problems.list[i];
        problem->optimal =
            wm_cost_to_double(wm_jump_search_cost(&search, problem->start, problem->goal));
        if (t->go_on != NULL && !t->go_on())
            status = wm_fail(error, WM_ERR_INTERRUPTED, "interrupted");
    }
    wm_jump_search_free(&search);
    wm_jump_table_free(&table);
    return status;
}

static void trial_free(trial* t)
{
    wm_problems_free(&t->problems);
}

static wm_status trial_create(trial* t, uint32_t problems, uint64_t seed, wm_error* error)
{
    wm_status status = draw_problems(t, problems, seed, error);
    if (status == WM_OK) status = find_optima(t, error);
    if (status != WM_OK) trial_free(t);
    return status;
}

// Adds one walk. @return false where a move was too much
static bool walk_problem(const trial* t, wm_agent* agent, const wm_problem* problem, score* s)
{
    const wm_grid* grid = t->arena->grid;
    const double most = GIVE_UP * problem->optimal;
    wm_status status = wm_agent_begin(agent, wm_grid_point(grid, problem->start),
                                      wm_grid_point(grid, problem->goal));
    // Statistics are looked at now and then only: they cost more than a move.
    for (unsigned moves = 1; status == WM_OK; moves++) {
        status = wm_agent_step(agent);
        if (moves % 256 != 0) continue;
        const wm_agent_stats so_far = wm_agent_statistics(agent);
        if (so_far.cost > most || so_far.max_expansions_per_move > t->budget) break;
    }
    const wm_agent_stats stats = wm_agent_statistics(agent);
    const double cost = status == WM_ARRIVED || stats.cost > most ? stats.cost : most;
    const double percent = 100 * (cost / problem->optimal - 1);
    s->sum += percent > 0 ? percent : 0;
    if (stats.max_expansions_per_move > s->max_expansions)
        s->max_expansions = stats.max_expansions_per_move;
    return s->max_expansions <= t->budget;
}

// The mean of a candidate in thousandths of a percent; WM_SELECT_OUT where it is out.
static wm_status measure(const trial* t, const char* spec, uint32_t* mean, uint32_t* max_expansions)
{
    wm_agent* agent;
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = spec;
    *mean = WM_SELECT_OUT;
    *max_expansions = 0;
    wm_status status = wm_agent_create(&agent, t->arena->map, t->arena->db, &config, NULL);
    if (status == WM_ERR_ARGUMENT) return WM_OK; // there is no data for it
    if (status != WM_OK) return status;
    score s = {0};
    bool keeps_to_budget = true;
    // One after the other: the sum is the same to the last bit wherever it is made.
    for (size_t i = 0; i < t->problems.count && keeps_to_budget && status == WM_OK; i++) {
        keeps_to_budget = walk_problem(t, agent, &t->problems.list[i], &s);
        if (t->go_on != NULL && !t->go_on()) status = WM_ERR_INTERRUPTED;
    }
    wm_agent_destroy(agent);
    const double thousandths = 1000 * s.sum / (double)t->problems.count + 0.5;
    if (!keeps_to_budget || status != WM_OK) return status;
    *max_expansions = (uint32_t)s.max_expansions;
    *mean = thousandths < WM_SELECT_OUT - 1 ? (uint32_t)thousandths : WM_SELECT_OUT - 1;
    return WM_OK;
}

static wm_status fail_measuring(wm_status status, const wm_arena* arena, wm_error* error)
{
    if (status == WM_ERR_INTERRUPTED) return wm_fail(error, status, "interrupted");
    if (status == WM_ERR_MEMORY) return wm_fail_memory(error, arena->grid->cell_count);
    return wm_fail(error, status, "%s cannot be walked on: %s", arena->name,
                   wm_status_name(status));
}

wm_status wm_choice_measure(wm_choice* choice, const wm_arena* arena, bool (*go_on)(void),
                            wm_error* error)
{
    trial t = {.arena = arena, .budget = choice->budget, .go_on = go_on};
    wm_status status = trial_create(&t, choice->problems, choice->seed ^ MEASURE_SEED, error);
    if (status != WM_OK) return status;
    choice->problems = (uint32_t)t.problems.count;
    status = measure(&t, choice->spec, &choice->mean, &choice->max_expansions);
    trial_free(&t);
    return status == WM_OK ? WM_OK : fail_measuring(status, arena, error);
}

// ---------------------------------------------------------------------------------------------
// Choosing

typedef struct contest {
    trial trial;
    const wm_candidates* candidates;
    uint32_t* means;
} contest;

static wm_status run_candidate(void* context, void* workspace, size_t index)
{
    (void)workspace;
    contest* c = context;
    uint32_t max_expansions;
    return measure(&c->trial, c->candidates->list[index].spec, &c->means[index], &max_expansions);
}

static wm_status run_all(uint32_t* means, const wm_arena* arena, const wm_candidates* candidates,
                         const wm_select_options* options, wm_error* error)
{
    contest c = {.trial = {.arena = arena, .budget = options->budget, .go_on = options->go_on},
                 .candidates = candidates};
    c.means = means; // the candidates write there
    wm_status status = trial_create(&c.trial, options->problems, options->seed, error);
    if (status != WM_OK) return status;
    // A candidate walks for seconds: threads take one at a time.
    const wm_parallel loop = {.count = candidates->count,
                              .threads = options->threads,
                              .block = 1,
                              .context = &c,
                              .item = run_candidate,
                              .progress = options->progress,
                              .progress_context = options->progress_context};
    status = wm_parallel_run(&loop);
    trial_free(&c.trial);
    return status == WM_OK ? WM_OK : fail_measuring(status, arena, error);
}

// The first of those with the least mean; `count` where all are out.
static uint32_t find_best(const uint32_t* means, uint32_t count)
{
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++) {
        if (means[i] != WM_SELECT_OUT && (best == count || means[i] < means[best])) best = i;
    }
    return best;
}

wm_status wm_select(wm_choice* choice, uint32_t* means, const wm_arena* arena,
                    const wm_candidates* candidates, const wm_select_options* options,
                    wm_error* error)
{
    const uint32_t count = candidates->count;
    wm_status status = run_all(means, arena, candidates, options, error);
    while (status == WM_OK) {
        const uint32_t best = find_best(means, count);
        if (best == count)
            return wm_fail(error, WM_ERR_TOO_FEW,
                           "no algorithm keeps to %u expansions in a move on %s; allow more",
                           options->budget, arena->name);
        *choice = (wm_choice){.map_hash = arena->grid->hash,
                              .tried = count,
                              .budget = options->budget,
                              .problems = options->problems,
                              .seed = options->seed};
        snprintf(choice->spec, sizeof choice->spec, "%s", candidates->list[best].spec);
        status = wm_choice_measure(choice, arena, options->go_on, error);
        if (status == WM_OK && choice->mean != WM_SELECT_OUT) break;
        // It kept to the budget on the problems to choose on only: the next one's turn.
        means[best] = WM_SELECT_OUT;
    }
    return status;
}

wm_status wm_choice_seal(wm_buffer* blob, uint64_t* content_hash, const wm_choice* choice)
{
    wm_buffer payload = {0};
    wm_status status = wm_choice_encode(&payload, choice);
    if (status == WM_OK)
        status = wm_format_seal(blob, WM_METHOD_CHOICE, &payload, &payload.size, 1);
    if (status == WM_OK && content_hash != NULL) *content_hash = wm_format_content_hash(&payload);
    wm_buffer_free(&payload);
    if (status != WM_OK) wm_buffer_free(blob);
    return status;
}
