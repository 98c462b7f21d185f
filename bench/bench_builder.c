// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "bench.h"
#include "pairs.h"
#include "search.h"

#define RECORDS 10000
#define ASTAR_PAIRS 300
#define SEED 1

// When the first and the last record were handed out: the generating phase.
typedef struct build_phase {
    int64_t begun_ns;
    int64_t ended_ns;
} build_phase;

static bool note_phase(void* context, size_t done, size_t total)
{
    build_phase* phase = context;
    const int64_t now = bench_now_ns();
    if (done == 0 && phase->begun_ns == 0) phase->begun_ns = now;
    if (done == total) phase->ended_ns = now;
    return true;
}

typedef struct build_times {
    double whole_s;      // of a build, everything included
    double generating_s; // of its parallel part
} build_times;

static bool time_build(bench_run* bench, const wm_grid* grid, unsigned threads, build_times* best)
{
    build_phase phase = {0};
    wm_knn knn;
    wm_error error = {0};
    const wm_knn_build_options options = {
        .parameters = {.total = RECORDS, .shard = 1, .shards = 1, .seed = SEED},
        .threads = threads,
        .progress = note_phase,
        .progress_context = &phase};
    const int64_t begun = bench_now_ns();
    if (wm_knn_build(&knn, grid, &options, "map", &error) != WM_OK) {
        bench_fail(bench, &error);
        return false;
    }
    const double whole = (double)(bench_now_ns() - begun) / 1e9;
    const double generating = (double)(phase.ended_ns - phase.begun_ns) / 1e9;
    if (best->whole_s == 0 || whole < best->whole_s) best->whole_s = whole;
    if (best->generating_s == 0 || generating < best->generating_s) best->generating_s = generating;
    wm_knn_free(&knn);
    return true;
}

// Seconds that plain A* takes for the first of the builder's own pairs.
static double time_astar(wm_search* search, const wm_pairs* pairs)
{
    const int64_t begun = bench_now_ns();
    for (uint64_t n = 0; n < ASTAR_PAIRS; n++) {
        wm_rng rng = wm_rng_start(SEED, n);
        wm_cell start;
        wm_cell goal;
        wm_pairs_draw_apart(pairs, &rng, &start, &goal);
        wm_search_begin(search, start, goal, (wm_search_weights){1, 1});
        wm_search_run(search, UINT64_MAX);
    }
    return (double)(bench_now_ns() - begun) / 1e9;
}

static void measure(bench_run* bench, const char* map, const wm_grid* grid)
{
    wm_error error = {0};
    wm_pairs pairs;
    wm_search search;
    void* memory = calloc(1, wm_search_bytes(grid));
    if (memory == NULL || wm_pairs_create(&pairs, grid, true, &error) != WM_OK) {
        free(memory);
        bench_fail(bench, &error);
        return;
    }
    wm_search_init(&search, grid, memory);
    build_times one = {0};
    build_times two = {0};
    double astar = 0;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        if (!time_build(bench, grid, 1, &one) || !time_build(bench, grid, 2, &two)) break;
        const double seconds = time_astar(&search, &pairs);
        if (astar == 0 || seconds < astar) astar = seconds;
    }
    const double record_rate = RECORDS / one.whole_s;
    const double astar_rate = ASTAR_PAIRS / astar;
    printf("  %-18s %9.0f %9.0f %8.1fx %10.2fx\n", map, record_rate, astar_rate,
           record_rate / astar_rate, one.generating_s / two.generating_s);
    wm_pairs_free(&pairs);
    free(memory);
}

void bench_builder(bench_run* bench)
{
    static const char* const maps[] = {"bg512/AR0400SR", "dao/orz900d"};
    printf("Builder: %d kNN records on one thread, everything included, against plain A* alone\n"
           "(binary heap, same map, the first %d of the same pairs); best of %d rounds.\n\n"
           "  map                records/s  A*/s       ratio  2 threads/1\n",
           RECORDS, ASTAR_PAIRS, BENCH_ROUNDS);
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        wm_grid grid;
        if (!bench_load(bench, &grid, maps[i])) continue;
        measure(bench, maps[i], &grid);
        wm_grid_free(&grid);
    }
    printf("\n");
}
