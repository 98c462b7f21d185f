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
#include "knn_source.h"

typedef struct verification {
    const wm_knn* knn;
    const wm_grid* grid;
    wm_jump_table table;
    uint8_t* broken; // per record: which promise, or 0
} verification;

// What one thread needs.
typedef struct inspector {
    wm_jump_search search;
    bool* seen;       // per cell; all false between stretches
    wm_cell* reached; // the cells of a stretch, in the order in which they were seen
    wm_cell* waiting; // those whose ways on are still to be looked at
} inspector;

enum {
    KEPT,
    NOT_APART,
    NOT_ON_A_PATH,
    NOT_CLIMBED,
    NOT_THE_FIRST,
    NOT_THE_LAST,
    NOT_TO_THE_END,
    NOT_DRAWN
};

static const char* const complaints[] = {
    [NOT_APART] = "start and goal are not apart",
    [NOT_ON_A_PATH] = "the subgoals are not on an optimal path",
    [NOT_CLIMBED] = "a subgoal is not reached by climbing",
    [NOT_THE_FIRST] = "a state before a subgoal is not reached by climbing",
    [NOT_THE_LAST] = "the state behind a subgoal is reached by climbing too",
    [NOT_TO_THE_END] = "the subgoals do not end where they should",
    [NOT_DRAWN] = "start and goal are not what the seed draws",
};

static wm_status open_inspector(void* context, void** workspace)
{
    const verification* check = context;
    const uint32_t cells = check->grid->cell_count;
    inspector* it = wm_alloc(NULL, 1, sizeof *it);
    *workspace = it;
    if (it == NULL) return WM_ERR_MEMORY;
    it->seen = wm_alloc(NULL, cells, sizeof *it->seen);
    it->reached = wm_alloc(NULL, cells, sizeof *it->reached);
    it->waiting = wm_alloc(NULL, cells, sizeof *it->waiting);
    if (it->seen == NULL || it->reached == NULL || it->waiting == NULL) return WM_ERR_MEMORY;
    return wm_jump_search_create(&it->search, &check->table, NULL);
}

static void close_inspector(void* context, void* workspace)
{
    (void)context;
    inspector* it = workspace;
    if (it == NULL) return;
    wm_jump_search_free(&it->search);
    free(it->seen);
    free(it->reached);
    free(it->waiting);
    free(it);
}

static bool climbed(const wm_grid* grid, wm_cell from, wm_cell to)
{
    return wm_climb_run(grid, from, to, WM_CLIMB_UNLIMITED).reached;
}

static wm_cost cost_between(inspector* it, wm_cell from, wm_cell to)
{
    return from == to ? 0 : wm_jump_search_cost(&it->search, from, to);
}

// A stretch of a path, from one subgoal to the next: optimal, every state climbed to from its
// begin, and its first state not climbed to from the subgoal before (WM_NO_CELL: no demand).
typedef struct stretch {
    wm_cell before;
    wm_cell from;
    wm_cell to;
    wm_cost cost;
} stretch;

static bool belongs(const wm_grid* grid, const stretch* s, wm_cell cell, wm_cell next)
{
    if (cell == s->from && s->before != WM_NO_CELL && climbed(grid, s->before, next)) return false;
    return climbed(grid, s->from, next);
}

// Whether the climb itself is such a stretch, which is so for nearly all.
static bool climb_is_stretch(const wm_grid* grid, const stretch* s)
{
    const wm_point goal = wm_grid_point(grid, s->to);
    wm_cost sum = 0;
    for (wm_cell cell = s->from; cell != s->to;) {
        const wm_point at = wm_grid_point(grid, cell);
        const int d = wm_climb_direction(grid->moves[cell], goal.x - at.x, goal.y - at.y);
        if (d < 0) return false;
        const wm_cell next = wm_grid_step(grid, cell, d);
        sum += wm_direction_cost[d];
        if (sum > s->cost || !belongs(grid, s, cell, next)) return false;
        cell = next;
    }
    return sum == s->cost;
}

// Looks for such a stretch among all optimal paths.
static bool search_stretch(const wm_grid* grid, inspector* it, const stretch* s)
{
    size_t reached = 0;
    size_t waiting = 0;
    it->waiting[waiting++] = s->from;
    while (waiting > 0 && !it->seen[s->to]) {
        const wm_cell cell = it->waiting[--waiting];
        const wm_cost left = cost_between(it, cell, s->to);
        for (unsigned moves = grid->moves[cell]; moves != 0; moves &= moves - 1) {
            const int d = wm_lowest_direction(moves);
            const wm_cell next = wm_grid_step(grid, cell, d);
            if (it->seen[next] || wm_direction_cost[d] + wm_grid_octile(grid, next, s->to) > left ||
                !belongs(grid, s, cell, next) ||
                wm_direction_cost[d] + cost_between(it, next, s->to) != left)
                continue;
            it->seen[next] = true;
            it->reached[reached++] = next;
            it->waiting[waiting++] = next;
        }
    }
    const bool found = it->seen[s->to];
    while (reached > 0) it->seen[it->reached[--reached]] = false;
    return found;
}

// Whether some optimal path from `subgoal` on to `goal` begins with a state that is out of reach
// for climbing from `before`.
static bool is_the_last(const wm_grid* grid, inspector* it, wm_cell before, wm_cell subgoal,
                        wm_cell goal)
{
    if (subgoal == goal) return true;
    const wm_cost left = cost_between(it, subgoal, goal);
    for (unsigned moves = grid->moves[subgoal]; moves != 0; moves &= moves - 1) {
        const int d = wm_lowest_direction(moves);
        const wm_cell next = wm_grid_step(grid, subgoal, d);
        if (!climbed(grid, before, next) &&
            wm_direction_cost[d] + cost_between(it, next, goal) == left)
            return true;
    }
    return false;
}

static bool stretch_exists(const wm_grid* grid, inspector* it, const stretch* s)
{
    return climb_is_stretch(grid, s) || search_stretch(grid, it, s);
}

static int check_subgoal(const verification* check, inspector* it, const stretch* s, wm_cell goal)
{
    const wm_grid* grid = check->grid;
    if (s->from == s->to || s->cost == WM_COST_INFINITE) return NOT_ON_A_PATH;
    if (!climbed(grid, s->from, s->to)) return NOT_CLIMBED;
    // In a chain the next stretch demands it, which is quicker than searching on to the goal.
    if (!check->knn->parameters.chains && !is_the_last(grid, it, s->from, s->to, goal))
        return NOT_THE_LAST;
    if (stretch_exists(grid, it, s)) return KEPT;
    stretch without_demand = *s;
    without_demand.before = WM_NO_CELL;
    return s->before != WM_NO_CELL && stretch_exists(grid, it, &without_demand) ? NOT_THE_LAST
                                                                                : NOT_THE_FIRST;
}

static int check_promises(const verification* check, inspector* it, const wm_knn_record* record)
{
    const wm_grid* grid = check->grid;
    const wm_cell* subgoals = check->knn->subgoals + record->first_subgoal;
    const uint32_t count = record->subgoal_count;
    if (record->start == record->goal ||
        wm_grid_direction_between(grid, record->start, record->goal) >= 0)
        return NOT_APART;
    if (check->knn->parameters.chains ? subgoals[count - 1] != record->goal : count != 1)
        return NOT_TO_THE_END;
    stretch s = {.before = WM_NO_CELL, .from = record->start};
    wm_cost sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        s.to = subgoals[i];
        s.cost = cost_between(it, s.from, s.to);
        const int verdict = check_subgoal(check, it, &s, record->goal);
        if (verdict != KEPT) return verdict;
        sum += s.cost;
        s.before = s.from;
        s.from = s.to;
    }
    sum += cost_between(it, s.from, record->goal);
    return sum == cost_between(it, record->start, record->goal) ? KEPT : NOT_ON_A_PATH;
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
    wm_knn_source source = {0};
    uint64_t* drawn = wm_alloc(NULL, knn->count, sizeof *drawn);
    wm_status status = wm_knn_source_create(&source, check->grid, parameters, NULL);
    if (drawn == NULL) status = WM_ERR_MEMORY;
    const bool possible = status == WM_OK && wm_knn_source_has_pairs(&source);
    for (uint32_t i = 0; possible && i < knn->count; i++) {
        const uint64_t n = (uint64_t)i * parameters->shards + parameters->shard - 1;
        wm_cell start;
        wm_cell goal;
        wm_knn_source_draw(&source, parameters, n, &start, &goal);
        drawn[i] = (uint64_t)start << 32 | goal;
    }
    if (possible) qsort(drawn, knn->count, sizeof *drawn, compare_pairs);
    for (uint32_t i = 0; status == WM_OK && i < knn->count; i++) {
        const wm_knn_record* record = &knn->records[i];
        const uint64_t stored = (uint64_t)record->start << 32 | record->goal;
        if (check->broken[i] == KEPT && (!possible || drawn[i] != stored))
            check->broken[i] = NOT_DRAWN;
    }
    wm_knn_source_free(&source);
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
                              .start = open_inspector,
                              .item = check_record,
                              .finish = close_inspector,
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
