// SPDX-License-Identifier: MIT
//
// Bulitko et al. 2008: a region's representative is its cell nearest to the centroid. For every
// ordered pair of regions an optimal path joins the representatives, by the first best direction at
// every cell; its first cell outside of the region where it begins is the subgoal. One search from
// the goal's representative serves all paths to it, and one goal depends on no other, so the content
// is the same for any number of threads.
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "d_lrta_method.h"
#include "distance.h"
#include "format.h"

typedef struct construction {
    const wm_grid* grid;
    wm_d_lrta* d_lrta;
    wm_cell* representatives; // per region
    wm_cell* subgoals;        // per pair, in the order of the codes
} construction;

// ---------------------------------------------------------------------------------------------
// Representatives

typedef struct centroid {
    int64_t cells;
    int64_t sum_x;
    int64_t sum_y;
    int64_t least;
} centroid;

// The squared distance to the centroid times the number of cells, less what all cells share. Sums
// of 4096 x 4096 cells keep it below 2^52.
static int64_t offset_from(const centroid* c, wm_point p)
{
    const int64_t x = p.x;
    const int64_t y = p.y;
    return c->cells * (x * x + y * y) - 2 * (x * c->sum_x + y * c->sum_y);
}

static bool find_representatives(construction* work)
{
    const wm_d_lrta* d = work->d_lrta;
    centroid* centroids = wm_alloc(NULL, d->count, sizeof *centroids);
    if (centroids == NULL) return false;
    for (wm_cell cell = 0; cell < d->cell_count; cell++) {
        if (d->region[cell] == WM_D_LRTA_NO_REGION) continue;
        const wm_point p = wm_grid_point(work->grid, cell);
        centroid* c = &centroids[d->region[cell]];
        c->cells++;
        c->sum_x += p.x;
        c->sum_y += p.y;
        c->least = INT64_MAX;
    }
    for (wm_cell cell = 0; cell < d->cell_count; cell++) {
        if (d->region[cell] == WM_D_LRTA_NO_REGION) continue;
        centroid* c = &centroids[d->region[cell]];
        const int64_t offset = offset_from(c, wm_grid_point(work->grid, cell));
        if (offset >= c->least) continue; // of equally near ones the first
        c->least = offset;
        work->representatives[d->region[cell]] = cell;
    }
    wm_release(NULL, centroids, d->count, sizeof *centroids);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Subgoals

static wm_status open_distances(void* context, void** workspace)
{
    const construction* work = context;
    wm_distances* distances = wm_alloc(NULL, 1, sizeof *distances);
    *workspace = distances;
    return distances == NULL ? WM_ERR_MEMORY : wm_distances_create(distances, work->grid, NULL);
}

static void close_distances(void* context, void* workspace)
{
    (void)context;
    wm_distances* distances = workspace;
    if (distances == NULL) return;
    wm_distances_free(distances);
    free(distances);
}

// The next cell on an optimal path to where the distances are counted from.
static wm_cell next_on_path(const wm_distances* distances, wm_cell cell)
{
    const wm_grid* grid = distances->grid;
    for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cell next = wm_grid_step(grid, cell, d);
        if (distances->cost[next] + wm_direction_cost[d] == distances->cost[cell]) return next;
    }
    return cell;
}

static wm_status find_subgoals(void* context, void* workspace, size_t index)
{
    construction* work = context;
    const wm_d_lrta* d = work->d_lrta;
    wm_distances* distances = workspace;
    const uint32_t goal = (uint32_t)index;
    const wm_cell goal_cell = work->representatives[goal];
    const wm_status status = wm_distances_from(distances, goal_cell, WM_COST_INFINITE);
    if (status != WM_OK) return status;
    for (uint32_t from = 0; from < d->count; from++) {
        wm_cell cell = work->representatives[from];
        if (from == goal || !wm_grid_connected(work->grid, cell, goal_cell)) continue;
        while (d->region[cell] == from) cell = next_on_path(distances, cell);
        work->subgoals[d->row[from] + d->place[goal]] = cell;
    }
    return WM_OK;
}

static int compare_cells(const void* left, const void* right)
{
    const wm_cell a = *(const wm_cell*)left;
    const wm_cell b = *(const wm_cell*)right;
    return (a > b) - (a < b);
}

// The different subgoals of a region, sorted, into `exits`. Returns how many there are.
static uint32_t list_exits(const construction* work, uint32_t region, wm_cell* exits)
{
    const wm_d_lrta* d = work->d_lrta;
    const uint32_t own = d->row[region] + d->place[region];
    uint32_t all = 0;
    for (uint32_t k = d->row[region]; k < d->row[region + 1]; k++) {
        if (k != own) exits[all++] = work->subgoals[k];
    }
    qsort(exits, all, sizeof *exits, compare_cells);
    uint32_t count = 0;
    for (uint32_t i = 0; i < all; i++) {
        if (count == 0 || exits[count - 1] != exits[i]) exits[count++] = exits[i];
    }
    return count;
}

static void set_codes(const construction* work, uint32_t region, const wm_cell* exits,
                      uint32_t count)
{
    const wm_d_lrta* d = work->d_lrta;
    const uint32_t own = d->row[region] + d->place[region];
    for (uint32_t k = d->row[region]; k < d->row[region + 1]; k++) {
        if (k == own) continue;
        const wm_cell* exit =
            bsearch(&work->subgoals[k], exits, count, sizeof *exits, compare_cells);
        d->codes[k] = (uint16_t)(exit - exits);
    }
}

// Turns the subgoals into exits and their numbers.
static bool number_exits(construction* work)
{
    wm_d_lrta* d = work->d_lrta;
    wm_cell* own = wm_alloc(NULL, d->count, sizeof *own);
    wm_cell* exits = NULL;
    size_t capacity = 0;
    uint32_t at = 0;
    d->exits_begin = wm_alloc(NULL, (size_t)d->count + 1, sizeof *d->exits_begin);
    bool made = own != NULL && d->exits_begin != NULL;
    for (uint32_t i = 0; i < d->count && made; i++) {
        const uint32_t count = list_exits(work, i, own);
        set_codes(work, i, own, count);
        wm_cell* grown = wm_grow(exits, &capacity, (size_t)at + count, sizeof *exits);
        made = grown != NULL;
        if (!made) break;
        exits = grown;
        memcpy(exits + at, own, count * sizeof *exits);
        at += count;
        d->exits_begin[i + 1] = at;
    }
    wm_release(NULL, own, d->count, sizeof *own);
    d->exits = exits; // with its spare room: malloc's blocks need no size
    d->exit_count = at;
    return made;
}

static wm_status make_subgoals(construction* work, const wm_d_lrta_options* options)
{
    const wm_d_lrta* d = work->d_lrta;
    work->representatives = wm_alloc(NULL, d->count, sizeof *work->representatives);
    work->subgoals = wm_alloc(NULL, d->pair_count, sizeof *work->subgoals);
    if (work->representatives == NULL || work->subgoals == NULL || !find_representatives(work))
        return WM_ERR_MEMORY;
    const wm_parallel loop = {.count = d->count,
                              .threads = options->threads,
                              .context = work,
                              .start = open_distances,
                              .item = find_subgoals,
                              .finish = close_distances,
                              .progress = options->progress,
                              .progress_context = options->progress_context};
    const wm_status status = wm_parallel_run(&loop);
    if (status != WM_OK) return status;
    return number_exits(work) ? WM_OK : WM_ERR_MEMORY;
}

// ---------------------------------------------------------------------------------------------
// The whole database

static wm_status make_regions(wm_d_lrta* d, const wm_grid* grid, uint32_t level, const char* name,
                              wm_error* error)
{
    uint32_t* group = wm_alloc(NULL, grid->cell_count, sizeof *group);
    if (group == NULL) return WM_ERR_MEMORY;
    uint32_t count = 0;
    wm_status status = wm_clique_abstraction(group, &count, grid, level, error);
    if (status == WM_OK && count > WM_D_LRTA_MAX_REGIONS)
        status = wm_fail(error, WM_ERR_TOO_FEW,
                         "%s has %u abstract states at level %u, and %u are the most that d-lrta "
                         "stores; raise --level",
                         name, count, level, WM_D_LRTA_MAX_REGIONS);
    if (status == WM_OK) {
        d->count = count;
        d->cell_count = grid->cell_count;
        d->region = wm_alloc(NULL, grid->cell_count, sizeof *d->region);
        if (d->region == NULL) status = WM_ERR_MEMORY;
    }
    for (wm_cell cell = 0; status == WM_OK && cell < grid->cell_count; cell++)
        d->region[cell] = wm_grid_is_open(grid, cell) ? (uint16_t)group[cell] : WM_D_LRTA_NO_REGION;
    wm_release(NULL, group, grid->cell_count, sizeof *group);
    if (status != WM_OK) return status;
    status = wm_d_lrta_lay_out(d, grid, WM_D_LRTA_MAX_PAIRS);
    if (status == WM_ERR_FORMAT)
        status = wm_fail(error, WM_ERR_TOO_FEW,
                         "%s has %u abstract states at level %u, with more than the %u pairs that "
                         "d-lrta stores; raise --level",
                         name, count, level, WM_D_LRTA_MAX_PAIRS);
    return status;
}

wm_status wm_d_lrta_build(wm_d_lrta* d, const wm_grid* grid, const wm_d_lrta_options* options,
                          const char* name, wm_error* error)
{
    *d = (wm_d_lrta){.width = grid->width,
                     .height = grid->height,
                     .map_hash = grid->hash,
                     .level = options->level,
                     .open_count = grid->open_count};
    construction work = {.grid = grid, .d_lrta = d};
    if (grid->open_count == 0)
        return wm_fail(error, WM_ERR_TOO_FEW,
                       "%s has no open cell; there is nothing to store for it", name);
    wm_status status = make_regions(d, grid, options->level, name, error);
    if (status == WM_OK) status = make_subgoals(&work, options);
    if (status == WM_ERR_MEMORY) wm_fail_memory(error, (size_t)d->pair_count * sizeof(wm_cell));
    if (status == WM_ERR_INTERRUPTED) wm_fail(error, status, "interrupted");
    wm_release(NULL, work.representatives, d->count, sizeof *work.representatives);
    wm_release(NULL, work.subgoals, d->pair_count, sizeof *work.subgoals);
    if (status != WM_OK) wm_d_lrta_free(d);
    return status;
}

wm_status wm_d_lrta_seal(wm_buffer* blob, uint64_t* content_hash, const wm_d_lrta* d)
{
    wm_buffer payload = {0};
    size_t sections[WM_D_LRTA_SECTIONS];
    wm_status status = wm_d_lrta_encode(&payload, sections, d);
    if (status == WM_OK)
        status = wm_format_seal(blob, WM_METHOD_D_LRTA, &payload, sections, WM_D_LRTA_SECTIONS);
    if (content_hash != NULL) *content_hash = wm_format_content_hash(&payload);
    wm_buffer_free(&payload);
    return status;
}

static void compare(wm_d_lrta_verify_result* result, const wm_d_lrta* stored, const wm_d_lrta* made)
{
    for (wm_cell cell = 0; cell < made->cell_count; cell++)
        result->wrong_cells += stored->region[cell] != made->region[cell];
    if (result->wrong_cells > 0) return; // then the pairs are not the same pairs
    for (uint32_t i = 0; i < made->count; i++) {
        const uint32_t own = made->row[i] + made->place[i];
        for (uint32_t k = made->row[i]; k < made->row[i + 1]; k++) {
            if (k != own)
                result->wrong_pairs += stored->exits[stored->exits_begin[i] + stored->codes[k]] !=
                                       made->exits[made->exits_begin[i] + made->codes[k]];
        }
    }
}

wm_status wm_d_lrta_verify(wm_d_lrta_verify_result* result, const wm_d_lrta* d, const wm_grid* grid,
                           const wm_d_lrta_options* options, const char* name, wm_error* error)
{
    wm_d_lrta made;
    wm_d_lrta_options again = *options;
    again.level = d->level;
    *result = (wm_d_lrta_verify_result){0};
    const wm_status status = wm_d_lrta_build(&made, grid, &again, name, error);
    if (status != WM_OK) return status;
    compare(result, d, &made);
    wm_d_lrta_free(&made);
    return status;
}
