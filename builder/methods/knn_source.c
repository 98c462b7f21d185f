// SPDX-License-Identifier: MIT
#include "knn_source.h"

#include <stdlib.h>

#include "alloc.h"
#include "regions_method.h"
#include "rng.h"

// From coarse to fine. Agents climb to the start of a record, in 25 steps as the paper has it.
static const uint32_t radii[] = {24, 20, 16, 14, 12, 10, 9, 8, 7, 6, 5, 4};
#define RADII (sizeof radii / sizeof radii[0])

// A stream of random numbers that no record draws from.
#define SHUFFLE_STREAM UINT64_MAX

static uint64_t list_pairs(uint64_t* list, const wm_grid* grid, const wm_cell* seeds,
                           uint32_t count)
{
    uint64_t listed = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            if (i == j || !wm_grid_connected(grid, seeds[i], seeds[j]) ||
                wm_grid_direction_between(grid, seeds[i], seeds[j]) >= 0)
                continue;
            if (list != NULL) list[listed] = (uint64_t)seeds[i] << 32 | seeds[j];
            listed++;
        }
    }
    return listed;
}

typedef struct sized_seed {
    uint32_t cells;
    wm_cell seed;
} sized_seed;

static int larger_first(const void* left, const void* right)
{
    const sized_seed* a = left;
    const sized_seed* b = right;
    if (a->cells != b->cells) return a->cells > b->cells ? -1 : 1;
    return (a->seed > b->seed) - (a->seed < b->seed);
}

// Puts the seeds of large regions in front.
static wm_status sort_by_size(wm_cell* seeds, uint32_t count, const wm_cover* cover,
                              wm_error* error)
{
    sized_seed* sized = wm_alloc(NULL, count, sizeof *sized);
    if (sized == NULL) return wm_fail_memory(error, count * sizeof *sized);
    for (uint32_t i = 0; i < count; i++) sized[i].seed = seeds[i];
    for (wm_cell cell = 0; cell < cover->grid->cell_count; cell++) {
        if (wm_cover_owner(cover, cell) != WM_NO_REGION) sized[wm_cover_owner(cover, cell)].cells++;
    }
    qsort(sized, count, sizeof *sized, larger_first);
    for (uint32_t i = 0; i < count; i++) seeds[i] = sized[i].seed;
    wm_release(NULL, sized, count, sizeof *sized);
    return WM_OK;
}

// Places seeds for one radius, those of large regions first.
// @return WM_OK, WM_ERR_TOO_FEW (too many regions) or WM_ERR_MEMORY
static wm_status place(wm_cell** seeds, uint32_t* count, const wm_grid* grid, uint32_t radius,
                       wm_error* error)
{
    wm_cover cover;
    wm_status status = wm_cover_create(&cover, grid, radius, NULL, error);
    if (status == WM_OK) status = wm_regions_place(seeds, count, &cover, error);
    if (status == WM_OK) {
        status = sort_by_size(*seeds, *count, &cover, error);
        if (status != WM_OK) free(*seeds);
    }
    wm_cover_free(&cover);
    return status;
}

static void shuffle(uint64_t* list, uint64_t count, uint64_t seed)
{
    wm_rng rng = wm_rng_start(seed, SHUFFLE_STREAM);
    for (uint64_t i = count; i > 1; i--) {
        const uint64_t j = wm_rng_below(&rng, i);
        const uint64_t kept = list[i - 1];
        list[i - 1] = list[j];
        list[j] = kept;
    }
}

// The finest cover all of whose pairs fit into the records; the large regions of the coarsest, if
// none does.
static wm_status cover_map(wm_knn_source* source, const wm_grid* grid,
                           const wm_knn_parameters* parameters, wm_error* error)
{
    wm_cell* best = NULL;
    uint32_t best_count = 0;
    wm_status status = WM_OK;
    for (size_t i = 0; i < RADII && status == WM_OK; i++) {
        wm_cell* seeds = NULL;
        uint32_t count = 0;
        status = place(&seeds, &count, grid, radii[i], error);
        if (status == WM_OK && best != NULL &&
            list_pairs(NULL, grid, seeds, count) > parameters->total) {
            free(seeds);
            break;
        }
        if (status != WM_OK) break;
        free(best);
        best = seeds;
        best_count = count;
    }
    // On maps that need too many regions the records are drawn.
    if (status == WM_ERR_TOO_FEW) status = WM_OK;
    while (best_count > 2 && list_pairs(NULL, grid, best, best_count) > parameters->total)
        best_count--;
    if (status == WM_OK && best != NULL) {
        source->covering_count = list_pairs(NULL, grid, best, best_count);
        source->covering = malloc((source->covering_count + 1) * sizeof *source->covering);
        if (source->covering == NULL) {
            status = wm_fail_memory(error, source->covering_count * sizeof *source->covering);
        } else {
            list_pairs(source->covering, grid, best, best_count);
            shuffle(source->covering, source->covering_count, parameters->seed);
        }
    }
    free(best);
    return status;
}

wm_status wm_knn_source_create(wm_knn_source* source, const wm_grid* grid,
                               const wm_knn_parameters* parameters, wm_error* error)
{
    *source = (wm_knn_source){0};
    wm_status status = wm_pairs_create(&source->pairs, grid, true, error);
    if (status == WM_OK && parameters->coverage && wm_knn_source_has_pairs(source))
        status = cover_map(source, grid, parameters, error);
    if (status != WM_OK) wm_knn_source_free(source);
    return status;
}

void wm_knn_source_free(wm_knn_source* source)
{
    wm_pairs_free(&source->pairs);
    free(source->covering);
    *source = (wm_knn_source){0};
}

bool wm_knn_source_has_pairs(const wm_knn_source* source)
{
    return wm_pairs_count(&source->pairs) > 0;
}

void wm_knn_source_draw(const wm_knn_source* source, const wm_knn_parameters* parameters,
                        uint64_t n, wm_cell* start, wm_cell* goal)
{
    if (n < source->covering_count) {
        *start = (wm_cell)(source->covering[n] >> 32);
        *goal = (wm_cell)source->covering[n];
        return;
    }
    wm_rng rng = wm_rng_start(parameters->seed, n);
    wm_pairs_draw_apart(&source->pairs, &rng, start, goal);
}
