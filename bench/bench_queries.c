// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "internal.h"
#include "knn_index.h"
#include "pairs.h"

#define QUESTIONS 512

typedef struct question {
    wm_point start;
    wm_point goal;
} question;

// ---------------------------------------------------------------------------------------------
// The rival: a scan over plain arrays, as fast as it can be made

typedef struct linear {
    uint32_t count;
    int32_t* at[4]; // start x, start y, goal x, goal y
    uint32_t* distance;
    wm_knn_match* matches;
} linear;

static void linear_free(linear* scan)
{
    for (int k = 0; k < 4; k++) free(scan->at[k]);
    free(scan->distance);
    free(scan->matches);
}

static bool linear_create(linear* scan, const wm_knn* knn)
{
    *scan = (linear){.count = knn->count};
    for (int k = 0; k < 4; k++) scan->at[k] = calloc(knn->count, sizeof(int32_t));
    scan->distance = calloc(knn->count, sizeof *scan->distance);
    scan->matches = calloc(knn->count, sizeof *scan->matches);
    if (scan->at[0] == NULL || scan->at[1] == NULL || scan->at[2] == NULL || scan->at[3] == NULL ||
        scan->distance == NULL || scan->matches == NULL)
        return false;
    for (uint32_t i = 0; i < knn->count; i++) {
        const wm_point start = wm_knn_point(knn, knn->records[i].start);
        const wm_point goal = wm_knn_point(knn, knn->records[i].goal);
        scan->at[0][i] = start.x;
        scan->at[1][i] = start.y;
        scan->at[2][i] = goal.x;
        scan->at[3][i] = goal.y;
    }
    return true;
}

static inline uint32_t octile32(int32_t dx, int32_t dy)
{
    const int32_t x = abs(dx);
    const int32_t y = abs(dy);
    const int32_t more = x > y ? x : y;
    const int32_t less = x > y ? y : x;
    return (uint32_t)(more * (int32_t)WM_COST_STRAIGHT +
                      less * (int32_t)(WM_COST_DIAGONAL - WM_COST_STRAIGHT));
}

// Distances to all records: one loop without branches, which compilers vectorise.
static void linear_distances(linear* scan, const question* q)
{
    const int32_t* const sx = scan->at[0];
    const int32_t* const sy = scan->at[1];
    const int32_t* const gx = scan->at[2];
    const int32_t* const gy = scan->at[3];
    for (uint32_t i = 0; i < scan->count; i++)
        scan->distance[i] = octile32(sx[i] - q->start.x, sy[i] - q->start.y) +
                            octile32(gx[i] - q->goal.x, gy[i] - q->goal.y);
}

static bool match_before(wm_knn_match a, wm_knn_match b)
{
    return a.distance != b.distance ? a.distance < b.distance : a.record < b.record;
}

static int compare_matches(const void* left, const void* right)
{
    const wm_knn_match a = *(const wm_knn_match*)left;
    const wm_knn_match b = *(const wm_knn_match*)right;
    return match_before(a, b) ? -1 : match_before(b, a) ? 1 : 0;
}

// The first `wanted` records in order: by insertion where they are few, by sorting where not.
static uint32_t linear_ask(linear* scan, const question* q, uint32_t wanted)
{
    linear_distances(scan, q);
    if (wanted > 64) {
        for (uint32_t i = 0; i < scan->count; i++)
            scan->matches[i] = (wm_knn_match){scan->distance[i], i};
        qsort(scan->matches, scan->count, sizeof *scan->matches, compare_matches);
        return scan->matches[wanted - 1].record;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scan->count; i++) {
        if (kept == wanted && scan->distance[i] >= scan->matches[kept - 1].distance) continue;
        const wm_knn_match match = {scan->distance[i], i};
        uint32_t slot = kept < wanted ? kept++ : kept - 1;
        for (; slot > 0 && match_before(match, scan->matches[slot - 1]); slot--)
            scan->matches[slot] = scan->matches[slot - 1];
        scan->matches[slot] = match;
    }
    return scan->matches[wanted - 1].record;
}

static uint32_t index_ask(const wm_knn_index* index, wm_knn_match* matches, const question* q,
                          uint32_t wanted)
{
    wm_knn_match match = {0};
    wm_knn_cursor cursor;
    wm_knn_cursor_begin(&cursor, index, matches, q->start, q->goal);
    for (uint32_t i = 0; i < wanted && wm_knn_cursor_next(&cursor, &match); i++) continue;
    return match.record;
}

// ---------------------------------------------------------------------------------------------

static void draw_questions(question* questions, const wm_grid* grid, const wm_pairs* pairs)
{
    for (uint64_t i = 0; i < QUESTIONS; i++) {
        wm_rng rng = wm_rng_start(77, i);
        wm_cell start;
        wm_cell goal;
        wm_pairs_draw(pairs, &rng, &start, &goal);
        questions[i] = (question){wm_grid_point(grid, start), wm_grid_point(grid, goal)};
    }
}

static bool compare_index(bench_run* bench, const wm_knn* knn, const wm_knn_index* index,
                          const question* questions, uint32_t wanted)
{
    wm_knn_match* matches = calloc(knn->count, sizeof *matches);
    linear scan;
    if (!linear_create(&scan, knn) || matches == NULL) {
        linear_free(&scan);
        free(matches);
        return false;
    }
    // Long answers take long: ask fewer questions.
    const uint32_t asked = wanted > 64 ? 8 : QUESTIONS;
    double best_index = 0;
    double best_scan = 0;
    bool same = true;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        uint32_t found[QUESTIONS];
        int64_t begun = bench_now_ns();
        for (uint32_t i = 0; i < asked; i++)
            found[i] = index_ask(index, matches, &questions[i], wanted);
        const double by_index = (double)(bench_now_ns() - begun) / asked;
        begun = bench_now_ns();
        for (uint32_t i = 0; i < asked; i++)
            same &= linear_ask(&scan, &questions[i], wanted) == found[i];
        const double by_scan = (double)(bench_now_ns() - begun) / asked;
        if (round == 0 || by_index < best_index) best_index = by_index;
        if (round == 0 || by_scan < best_scan) best_scan = by_scan;
    }
    printf("  %7u %9u %12.2f %12.2f %8.1fx%s\n", knn->count, wanted, best_index / 1e3,
           best_scan / 1e3, best_scan / best_index, same ? "" : "  DIFFERENT ANSWERS");
    bench->failed |= !same;
    linear_free(&scan);
    free(matches);
    return true;
}

static bool build_records(bench_run* bench, wm_knn* knn, const wm_grid* grid, uint32_t total)
{
    wm_error error = {0};
    const wm_knn_build_options options = {
        .parameters = {.total = total, .shard = 1, .shards = 1, .seed = 1},
        .threads = wm_processor_count()};
    if (wm_knn_build(knn, grid, &options, "map", &error) == WM_OK) return true;
    bench_fail(bench, &error);
    return false;
}

static void measure_index(bench_run* bench, const wm_grid* grid, const question* questions)
{
    static const uint32_t totals[] = {1000, 10000, 100000};
    printf("Nearest records: the index against a linear scan (bg512/AR0400SR, %d random problems;\n"
           "\"all\" asks for every record in order, on 8 of them); us a question, best of %d.\n\n"
           "  records    wanted        index         scan    ratio\n",
           QUESTIONS, BENCH_ROUNDS);
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        wm_knn knn;
        wm_knn_index index = {0};
        wm_error error = {0};
        if (!build_records(bench, &knn, grid, totals[i])) return;
        if (wm_knn_index_create(&index, &knn, grid, NULL, &error) != WM_OK) {
            bench_fail(bench, &error);
        } else {
            compare_index(bench, &knn, &index, questions, 1);
            compare_index(bench, &knn, &index, questions, 16);
            compare_index(bench, &knn, &index, questions, totals[i]);
        }
        wm_knn_index_free(&index);
        wm_knn_free(&knn);
    }
    printf("\n");
}

// ---------------------------------------------------------------------------------------------
// The first move

static double time_first_move(wm_agent* agent, const question* q)
{
    const int64_t begun = bench_now_ns();
    wm_agent_begin(agent, q->start, q->goal);
    wm_agent_step(agent);
    return (double)(bench_now_ns() - begun);
}

static wm_agent* make_agent(bench_run* bench, const wm_map* map, const wm_db* db, const char* spec)
{
    wm_agent* agent = NULL;
    wm_error error = {0};
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = spec;
    if (wm_agent_create(&agent, map, db, &config, &error) != WM_OK) bench_fail(bench, &error);
    return agent;
}

// Writes a database for the grid to a temporary file and opens it as a game would.
static wm_db* open_database(bench_run* bench, const wm_map* map)
{
    char path[] = "/tmp/waymark-bench-XXXXXX.wmdb";
    const int file = mkstemps(path, 5);
    wm_db* db = NULL;
    wm_knn knn = {0};
    wm_archive archive = {0};
    wm_build_report report;
    wm_error error = {0};
    const wm_db_config config = wm_db_config_default();
    if (file < 0) return NULL;
    close(file);
    if (!build_records(bench, &knn, &map->grid, 10000)) return NULL;
    if (wm_build_store_knn(&archive, "map", WM_DIAGONAL_NONE, &knn, &report, &error) != WM_OK ||
        wm_archive_save(&archive, path, &error) != WM_OK ||
        wm_db_open(&db, map, path, &config, &error) != WM_OK)
        bench_fail(bench, &error);
    unlink(path);
    wm_archive_free(&archive);
    wm_knn_free(&knn);
    return db;
}

static void measure_first_move(bench_run* bench, const wm_map* map, const question* questions)
{
    wm_db* db = open_database(bench, map);
    wm_agent* knn = make_agent(bench, map, db, "knn-lrta");
    wm_agent* astar = make_agent(bench, map, NULL, "astar");
    double knn_us[QUESTIONS];
    double astar_us[QUESTIONS];
    double ratio[QUESTIONS];
    for (int i = 0; knn != NULL && astar != NULL && i < QUESTIONS; i++) {
        for (int round = 0; round < BENCH_ROUNDS; round++) {
            const double a = time_first_move(knn, &questions[i]) / 1e3;
            const double b = time_first_move(astar, &questions[i]) / 1e3;
            if (round == 0 || a < knn_us[i]) knn_us[i] = a;
            if (round == 0 || b < astar_us[i]) astar_us[i] = b;
        }
        ratio[i] = astar_us[i] / knn_us[i];
    }
    if (knn != NULL && astar != NULL)
        printf(
            "First move of kNN LRTA* (N = 10000) against a whole A*, same map and problems, us:\n"
            "\n  knn-lrta median %.1f, astar median %.1f, ratio median %.1fx, least %.2fx\n\n",
            bench_median(knn_us, QUESTIONS), bench_median(astar_us, QUESTIONS),
            bench_median(ratio, QUESTIONS), ratio[0]);
    wm_agent_destroy(knn);
    wm_agent_destroy(astar);
    wm_db_close(db);
}

void bench_queries(bench_run* bench)
{
    wm_map map = {0};
    wm_pairs pairs;
    wm_error error = {0};
    static question questions[QUESTIONS];
    if (!bench_load(bench, &map.grid, "bg512/AR0400SR")) return;
    if (wm_pairs_create(&pairs, &map.grid, false, &error) == WM_OK) {
        draw_questions(questions, &map.grid, &pairs);
        measure_index(bench, &map.grid, questions);
        measure_first_move(bench, &map, questions);
        wm_pairs_free(&pairs);
    } else {
        bench_fail(bench, &error);
    }
    wm_grid_free(&map.grid);
}
