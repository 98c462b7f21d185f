// SPDX-License-Identifier: MIT
#include "records.h"

#include <stdlib.h>

#include "build.h"
#include "format.h"
#include "generate.h"
#include "reference.h"
#include "support.h"

wm_knn_parameters records_parameters(uint32_t total, uint64_t seed)
{
    return (wm_knn_parameters){.total = total, .shard = 1, .shards = 1, .seed = seed};
}

wm_knn records_build(const wm_grid* grid, wm_knn_parameters parameters, unsigned threads)
{
    const wm_knn_build_options options = {.parameters = parameters, .threads = threads};
    wm_knn knn;
    wm_error error = {0};
    if (wm_knn_build(&knn, grid, &options, "test", &error) != WM_OK) fail_msg("%s", error.message);
    return knn;
}

uint64_t records_hash(const wm_knn* knn)
{
    wm_buffer payload = {0};
    size_t sections[WM_KNN_SECTIONS];
    assert_int_equal(wm_knn_encode(&payload, sections, knn), WM_OK);
    const uint64_t hash = wm_format_content_hash(&payload);
    wm_buffer_free(&payload);
    return hash;
}

void records_check_size(const wm_grid* grid, const char* name)
{
    const uint32_t count = 10000;
    wm_knn knn = records_build(grid, records_parameters(count, 1), 2);
    wm_archive archive = {0};
    wm_build_report report;
    assert_int_equal(wm_build_store_knn(&archive, "map", grid->diagonal, &knn, &report, NULL),
                     WM_OK);
    assert_int_equal(report.stored_bytes, archive.maps[0].payloads[0].blob.size);
    print_message("%s, diagonal %s: %.3f bytes a record\n", name, wm_diagonal_name(grid->diagonal),
                  (double)report.stored_bytes / count);
    if (report.stored_bytes > 5 * count) fail_msg("%s: more than 5 bytes a record", name);
    wm_archive_free(&archive);
    wm_knn_free(&knn);
}

wm_grid grid_generated(int kind, uint64_t seed, int32_t width, int32_t height, wm_diagonal diagonal)
{
    const wm_generate_options options = wm_generate_options_default();
    uint8_t* open = malloc((size_t)width * (size_t)height);
    wm_grid grid;
    assert_non_null(open);
    assert_int_equal(wm_generate(open, width, height, (wm_generate_kind)kind, &options, seed, NULL),
                     WM_OK);
    assert_int_equal(
        wm_grid_create(&grid, open, width, height, (size_t)width, diagonal, NULL, NULL), WM_OK);
    free(open);
    return grid;
}

// ---------------------------------------------------------------------------------------------
// Distances and climbs, by the reference's steps

record_judge record_judge_create(const wm_grid* grid)
{
    record_judge judge = {.grid = grid};
    judge.distances = calloc(grid->cell_count, sizeof *judge.distances);
    judge.climbs = calloc(grid->cell_count, sizeof *judge.climbs);
    assert_true(judge.distances != NULL && judge.climbs != NULL);
    return judge;
}

void record_judge_free(record_judge* judge)
{
    for (wm_cell cell = 0; cell < judge->grid->cell_count; cell++) {
        free(judge->distances[cell]);
        free(judge->climbs[cell]);
    }
    free(judge->distances);
    free(judge->climbs);
}

// Improves until nothing improves; on small maps that is quick enough.
static const wm_cost* distances_from(record_judge* judge, wm_cell source)
{
    const wm_grid* grid = judge->grid;
    if (judge->distances[source] != NULL) return judge->distances[source];
    wm_cost* cost = malloc(grid->cell_count * sizeof *cost);
    wm_cell* queue = malloc((grid->cell_count + 1) * sizeof *queue);
    bool* queued = calloc(grid->cell_count, sizeof *queued);
    assert_true(cost != NULL && queue != NULL && queued != NULL);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) cost[cell] = WM_COST_INFINITE;
    cost[source] = 0;
    queue[0] = source;
    uint32_t head = 0;
    uint32_t tail = 1;
    while (head != tail) {
        const wm_cell cell = queue[head];
        head = (head + 1) % (grid->cell_count + 1);
        queued[cell] = false;
        for (int d = 0; d < 8; d++) {
            const wm_cell next = reference_step(grid, cell, d);
            if (next == WM_NO_CELL || cost[cell] + reference_step_cost(d) >= cost[next]) continue;
            cost[next] = cost[cell] + reference_step_cost(d);
            if (queued[next]) continue;
            queued[next] = true;
            queue[tail] = next;
            tail = (tail + 1) % (grid->cell_count + 1);
        }
    }
    free(queue);
    free(queued);
    judge->distances[source] = cost;
    return cost;
}

static bool climbs(record_judge* judge, wm_cell from, wm_cell to)
{
    if (judge->climbs[from] == NULL) {
        judge->climbs[from] = calloc(judge->grid->cell_count, 1);
        assert_non_null(judge->climbs[from]);
    }
    int8_t* known = &judge->climbs[from][to];
    if (*known == 0)
        *known = reference_climb_run(judge->grid, from, to, UINT32_MAX).reached ? 1 : -1;
    return *known == 1;
}

// ---------------------------------------------------------------------------------------------
// The definition

// Whether an optimal path leads from `from` to `to` on which every state is climbed to from
// `from`, and whose first state is not climbed to from `before` (WM_NO_CELL: no such demand).
static bool stretch_exists(record_judge* judge, wm_cell before, wm_cell from, wm_cell to)
{
    const wm_grid* grid = judge->grid;
    const wm_cost* out = distances_from(judge, from);
    const wm_cost* back = distances_from(judge, to);
    bool* seen = calloc(grid->cell_count, sizeof *seen);
    wm_cell* stack = malloc(grid->cell_count * sizeof *stack);
    assert_true(seen != NULL && stack != NULL);
    size_t height = 1;
    stack[0] = from;
    while (height > 0 && !seen[to]) {
        const wm_cell cell = stack[--height];
        for (int d = 0; d < 8; d++) {
            const wm_cell next = reference_step(grid, cell, d);
            if (next == WM_NO_CELL || seen[next] ||
                out[cell] + reference_step_cost(d) != out[next] || back[next] == WM_COST_INFINITE ||
                out[next] + back[next] != out[to] || !climbs(judge, from, next))
                continue;
            if (cell == from && before != WM_NO_CELL && climbs(judge, before, next)) continue;
            seen[next] = true;
            stack[height++] = next;
        }
    }
    const bool exists = seen[to];
    free(seen);
    free(stack);
    return exists;
}

// Whether an optimal way on from `subgoal` begins with a state not climbed to from `start`.
static bool stops_there(record_judge* judge, wm_cell start, wm_cell subgoal, wm_cell goal)
{
    const wm_cost* back = distances_from(judge, goal);
    for (int d = 0; d < 8; d++) {
        const wm_cell next = reference_step(judge->grid, subgoal, d);
        if (next != WM_NO_CELL && reference_step_cost(d) + back[next] == back[subgoal] &&
            !climbs(judge, start, next))
            return true;
    }
    return false;
}

static const char* complaint_about_chain(record_judge* judge, const wm_cell* chain, uint32_t count,
                                         wm_cell start, wm_cell goal)
{
    wm_cell before = WM_NO_CELL;
    wm_cell at = start;
    for (uint32_t i = 0; i < count; i++) {
        if (at == goal) return "the chain goes on behind the goal";
        if (chain[i] == at || distances_from(judge, at)[chain[i]] == WM_COST_INFINITE)
            return "a subgoal cannot be reached, or is where the walk already is";
        if (!stretch_exists(judge, before, at, chain[i])) return "no path like that to a subgoal";
        before = at;
        at = chain[i];
    }
    return at == goal ? NULL : "the chain ends before the goal";
}

const char* record_complaint(record_judge* judge, const wm_knn* knn, const wm_knn_record* record)
{
    const wm_cell start = record->start;
    const wm_cell goal = record->goal;
    const wm_cell* chain = knn->subgoals + record->first_subgoal;
    const uint32_t count = record->subgoal_count;
    const wm_cost* out = distances_from(judge, start);
    if (out[goal] == WM_COST_INFINITE) return "start and goal are not connected";
    if (start == goal || reference_direction(judge->grid, start, goal) >= 0)
        return "fewer than three states";
    wm_cost length = 0;
    wm_cell at = start;
    for (uint32_t i = 0; i < count; at = chain[i++]) {
        if (distances_from(judge, at)[chain[i]] == WM_COST_INFINITE)
            return "a subgoal cannot be reached";
        length += distances_from(judge, at)[chain[i]];
    }
    if (length + distances_from(judge, at)[goal] != out[goal]) return "not on an optimal path";
    if (knn->parameters.chains) return complaint_about_chain(judge, chain, count, start, goal);
    if (count != 1) return "not one subgoal";
    if (chain[0] == start) return "the subgoal is the start";
    if (!stretch_exists(judge, WM_NO_CELL, start, chain[0])) return "no path like that to it";
    if (chain[0] != goal && !stops_there(judge, start, chain[0], goal))
        return "the state behind it can be climbed to";
    return NULL;
}
