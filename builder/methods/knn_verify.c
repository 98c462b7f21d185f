// SPDX-License-Identifier: MIT
//
// Everything is recomputed from the map alone: by plain climbing, not by the builder's jumps, and
// by costs between states, so that any optimal path is accepted.
#include <stdio.h>
#include <stdlib.h>

#include "alloc.h"
#include "climb.h"
#include "jump.h"
#include "knn_method.h"
#include "pairs.h"

typedef struct verification {
    const wm_knn* knn;
    const wm_grid* grid;
    wm_jump_table table;
    uint8_t* broken; // per record: which promise, or 0
} verification;

enum { KEPT, NOT_APART, NOT_ON_A_PATH, NOT_CLIMBED, NOT_THE_LAST, NOT_DRAWN };

static const char* const complaints[] = {
    [NOT_APART] = "start and goal are not apart",
    [NOT_ON_A_PATH] = "the subgoals are not on an optimal path",
    [NOT_CLIMBED] = "a subgoal is not reached by climbing",
    [NOT_THE_LAST] = "the state behind a subgoal is reached by climbing too",
    [NOT_DRAWN] = "start and goal are not what the seed draws",
};

static wm_status open_search(void* context, void** workspace)
{
    const verification* check = context;
    wm_jump_search* search = wm_alloc(NULL, 1, sizeof *search);
    *workspace = search;
    return search == NULL ? WM_ERR_MEMORY : wm_jump_search_create(search, &check->table, NULL);
}

static void close_search(void* context, void* workspace)
{
    (void)context;
    if (workspace == NULL) return;
    wm_jump_search_free(workspace);
    free(workspace);
}

static bool climbed(const wm_grid* grid, wm_cell from, wm_cell to)
{
    return wm_climb_run(grid, from, to, WM_CLIMB_UNLIMITED).reached;
}

// Whether some optimal path from `subgoal` on to `goal` begins with a state that is out of reach
// for climbing from `before`.
static bool is_the_last(const wm_grid* grid, wm_jump_search* search, wm_cell before,
                        wm_cell subgoal, wm_cell goal)
{
    if (subgoal == goal) return true;
    const wm_cost left = wm_jump_search_cost(search, subgoal, goal);
    for (unsigned moves = grid->moves[subgoal]; moves != 0; moves &= moves - 1) {
        const int d = wm_lowest_direction(moves);
        const wm_cell next = wm_grid_step(grid, subgoal, d);
        const wm_cost onward = next == goal ? 0 : wm_jump_search_cost(search, next, goal);
        if (wm_direction_cost[d] + onward == left && !climbed(grid, before, next)) return true;
    }
    return false;
}

static int check_promises(const verification* check, wm_jump_search* search,
                          const wm_knn_record* record)
{
    const wm_grid* grid = check->grid;
    if (record->start == record->goal ||
        wm_grid_direction_between(grid, record->start, record->goal) >= 0)
        return NOT_APART;
    wm_cell before = record->start;
    wm_cost sum = 0;
    for (uint32_t i = 0; i < record->subgoal_count; i++) {
        const wm_cell subgoal = check->knn->subgoals[record->first_subgoal + i];
        if (subgoal == before) return NOT_ON_A_PATH;
        sum += wm_jump_search_cost(search, before, subgoal);
        if (!climbed(grid, before, subgoal)) return NOT_CLIMBED;
        if (!is_the_last(grid, search, before, subgoal, record->goal)) return NOT_THE_LAST;
        before = subgoal;
    }
    if (before != record->goal) sum += wm_jump_search_cost(search, before, record->goal);
    const wm_cost optimal = wm_jump_search_cost(search, record->start, record->goal);
    return sum == optimal ? KEPT : NOT_ON_A_PATH;
}

static wm_status check_record(void* context, void* workspace, size_t index)
{
    verification* check = context;
    check->broken[index] = (uint8_t)check_promises(check, workspace, &check->knn->records[index]);
    return WM_OK;
}

static int compare_pairs(const void* left, const void* right)
{
    const uint64_t a = *(const uint64_t*)left;
    const uint64_t b = *(const uint64_t*)right;
    return (a > b) - (a < b);
}

// Draws all pairs again and holds them against the records, which are sorted by start and goal.
static wm_status check_draws(verification* check)
{
    const wm_knn* knn = check->knn;
    const wm_knn_parameters* parameters = &knn->parameters;
    wm_pairs pairs = {0};
    uint64_t* drawn = wm_alloc(NULL, knn->count, sizeof *drawn);
    wm_status status = wm_pairs_create(&pairs, check->grid, true, NULL);
    if (drawn == NULL) status = WM_ERR_MEMORY;
    const bool possible = status == WM_OK && wm_pairs_count(&pairs) > 0;
    for (uint32_t i = 0; possible && i < knn->count; i++) {
        const uint64_t n = (uint64_t)i * parameters->shards + parameters->shard - 1;
        wm_rng rng = wm_rng_start(parameters->seed, n);
        wm_cell start;
        wm_cell goal;
        wm_pairs_draw_apart(&pairs, &rng, &start, &goal);
        drawn[i] = (uint64_t)start << 32 | goal;
    }
    if (possible) qsort(drawn, knn->count, sizeof *drawn, compare_pairs);
    for (uint32_t i = 0; status == WM_OK && i < knn->count; i++) {
        const wm_knn_record* record = &knn->records[i];
        const uint64_t stored = (uint64_t)record->start << 32 | record->goal;
        if (check->broken[i] == KEPT && (!possible || drawn[i] != stored))
            check->broken[i] = NOT_DRAWN;
    }
    wm_pairs_free(&pairs);
    wm_release(NULL, drawn, knn->count, sizeof *drawn);
    return status;
}

static void summarise(wm_knn_verify_result* result, const verification* check)
{
    result->records = check->knn->count;
    for (uint32_t i = 0; i < check->knn->count; i++) {
        if (check->broken[i] == KEPT) continue;
        if (result->broken++ > 0) continue;
        const wm_knn_record* record = &check->knn->records[i];
        const wm_point start = wm_grid_point(check->grid, record->start);
        const wm_point goal = wm_grid_point(check->grid, record->goal);
        snprintf(result->first, sizeof result->first, "record %u, (%d,%d) to (%d,%d): %s", i,
                 start.x, start.y, goal.x, goal.y, complaints[check->broken[i]]);
    }
}

wm_status wm_knn_verify(wm_knn_verify_result* result, const wm_knn* knn, const wm_grid* grid,
                        const wm_knn_build_options* options, wm_error* error)
{
    verification check = {.knn = knn, .grid = grid};
    *result = (wm_knn_verify_result){0};
    wm_status status = wm_jump_table_create(&check.table, grid, error);
    if (status != WM_OK) return status;
    check.broken = wm_alloc(NULL, knn->count, 1);
    if (check.broken == NULL) status = WM_ERR_MEMORY;
    const wm_parallel loop = {.count = knn->count,
                              .threads = options->threads,
                              .context = &check,
                              .start = open_search,
                              .item = check_record,
                              .finish = close_search,
                              .progress = options->progress,
                              .progress_context = options->progress_context};
    if (status == WM_OK) status = wm_parallel_run(&loop);
    if (status == WM_OK) status = check_draws(&check);
    if (status == WM_OK) summarise(result, &check);
    if (status == WM_ERR_MEMORY) wm_fail_memory(error, knn->count);
    if (status == WM_ERR_INTERRUPTED) wm_fail(error, status, "interrupted");
    wm_release(NULL, check.broken, knn->count, 1);
    wm_jump_table_free(&check.table);
    return status;
}
