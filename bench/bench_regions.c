// SPDX-License-Identifier: MIT
//
// Region databases by size: how good walks are from how few bytes, and what planning, building and
// opening cost, beside the searches that a game would use instead.
#include <stdlib.h>
#include <string.h>

#include "bench_walks.h"
#include "jump.h"
#include "methods/knn_method.h"
#include "methods/regions_method.h"

#define MAX_MAPS 6
#define KNN_RECORDS 10000

typedef struct map_family {
    const char* title;
    const char* maps[MAX_MAPS];
    bool scen;       // the problems of the .scen files instead of random ones of cost 100 to 150
    double sizes[6]; // stored bytes over those of a one-bit map; 0 ends them
    bool rivals;     // race the others too, at the last size
} map_family;

static const map_family families[] = {
    {"bgmaps",
     {"bgmaps/AR0202SR", "bgmaps/AR0400SR", "bgmaps/AR0404SR", "bgmaps/AR0411SR",
      "bgmaps/AR0603SR"},
     false,
     {0.2, 0.3, 0.5, 0.7, 1.0},
     true},
    {"wc3maps",
     {"wc3maps/battleground", "wc3maps/divideandconquer", "wc3maps/icecrown"},
     false,
     {1.0, 2.0},
     true},
    {"bg512, dao",
     {"bg512/AR0046SR", "bg512/AR0400SR", "bg512/AR0602SR", "dao/arena2", "dao/brc202d",
      "dao/den501d"},
     true,
     {0.1, 0.15, 0.2, 0.25, 0.3},
     true},
    {"sc1", {"sc1/Aftershock", "sc1/Cauldron"}, true, {0.35}, false},
    {"32room, maze-8", {"rooms/32room_000", "mazes/maze512-8-0"}, true, {0.35}, false},
    {"16room", {"rooms/16room_003"}, true, {1.7}, false},
    {"random-10", {"random/random512-10-0"}, true, {0.35}, false},
    {"random-35", {"random/random512-35-0"}, true, {3.2}, false},
};

enum { FAST, BALANCED, BEST, ASTAR, TB_WA, KNN, RUNNERS };

static const char* const specs[RUNNERS] = {
    "regions:preset=fast", "regions", "regions:preset=best", "astar", "tb-wa:k=25:w=3", "knn-lrta"};

// What all maps of a family come to at one size.
typedef struct size_result {
    double size; // the mean over maps
    int maps;
    wm_summary summaries[RUNNERS];
    wm_histogram first_ns[BEST + 1]; // first moves with warm caches
    double jump_ns;                  // of whole searches by jump points
    double jump_problems;
} size_result;

// ---------------------------------------------------------------------------------------------
// Walks

static wm_status time_jump_search(size_result* result, const wm_grid* grid,
                                  const wm_problems* problems, wm_error* error)
{
    wm_jump_table table = {0};
    wm_jump_search search = {0};
    wm_cell* path = malloc((size_t)grid->open_count * sizeof *path);
    wm_status status = path == NULL ? WM_ERR_MEMORY : wm_jump_table_create(&table, grid, error);
    if (status == WM_OK) status = wm_jump_search_create(&search, &table, error);
    double best = 0;
    for (int round = 0; status == WM_OK && round < BENCH_ROUNDS; round++) {
        const int64_t begun = bench_now_ns();
        for (size_t i = 0; i < problems->count; i++) {
            wm_jump_search_cost(&search, problems->list[i].start, problems->list[i].goal);
            wm_jump_search_path(&search, path, grid->open_count);
        }
        const double taken = (double)(bench_now_ns() - begun);
        if (round == 0 || taken < best) best = taken;
    }
    result->jump_ns += best;
    result->jump_problems += (double)problems->count;
    wm_jump_search_free(&search);
    wm_jump_table_free(&table);
    free(path);
    return status;
}

// Begins and moves once, a few times over: what a first move costs when nobody has swept the caches
// meanwhile, as the races do, which work out all distances before every problem.
static wm_status time_first_moves(wm_histogram* first_ns, const wm_map* map, const wm_db* db,
                                  const char* spec, const wm_problems* problems, wm_error* error)
{
    wm_agent* agent = NULL;
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = spec;
    const wm_status status = wm_agent_create(&agent, map, db, &config, error);
    for (size_t i = 0; status == WM_OK && i < problems->count; i++) {
        const wm_point start = wm_grid_point(&map->grid, problems->list[i].start);
        const wm_point goal = wm_grid_point(&map->grid, problems->list[i].goal);
        int64_t best = INT64_MAX;
        for (int round = 0; round < BENCH_ROUNDS; round++) {
            const int64_t begun = bench_now_ns();
            if (wm_agent_begin(agent, start, goal) == WM_OK) wm_agent_step(agent);
            const int64_t taken = bench_now_ns() - begun;
            if (taken < best) best = taken;
        }
        wm_histogram_add(first_ns, (uint64_t)best);
    }
    wm_agent_destroy(agent);
    return status;
}

static wm_status race_knn(size_result* result, const wm_map* map, const wm_problems* problems,
                          wm_error* error)
{
    const wm_knn_build_options options = {
        .parameters = {.total = KNN_RECORDS, .shard = 1, .shards = 1, .seed = 1}, .threads = 2};
    const wm_db_config config = wm_db_config_default();
    wm_knn knn = {0};
    wm_buffer blob = {0};
    wm_db* db = NULL;
    wm_status status = wm_knn_build(&knn, &map->grid, &options, "map", error);
    if (status == WM_OK) status = wm_knn_seal(&blob, NULL, &knn);
    if (status == WM_OK) status = wm_db_open_memory(&db, map, blob.data, blob.size, &config, error);
    if (status == WM_OK)
        status = bench_walk(&result->summaries[KNN], map, db, specs[KNN], problems, error);
    wm_db_close(db);
    wm_buffer_free(&blob);
    wm_knn_free(&knn);
    return status;
}

static wm_status race_rivals(size_result* result, const wm_map* map, const wm_problems* problems,
                             wm_error* error)
{
    wm_status status = WM_OK;
    for (int i = ASTAR; i <= TB_WA && status == WM_OK; i++)
        status = bench_walk(&result->summaries[i], map, NULL, specs[i], problems, error);
    if (status == WM_OK) status = time_jump_search(result, &map->grid, problems, error);
    if (status == WM_OK) status = race_knn(result, map, problems, error);
    return status;
}

static wm_status measure_map(size_result* result, const bench_run* bench, const wm_map* map,
                             const char* name, bool scen, double size, bool rivals, wm_error* error)
{
    const wm_grid* grid = &map->grid;
    const wm_regions_contract contract = {
        .max_bytes = (size_t)(size * grid->cell_count / 8), .bytes_are_hard = true, .seed = 1};
    const wm_db_config config = wm_db_config_default();
    wm_regions_result built;
    wm_problems problems = {0};
    wm_db* db = NULL;
    wm_status status = wm_regions_fulfil(&built, grid, &contract, name, error);
    if (status == WM_OK)
        status = wm_db_open_memory(&db, map, built.blob.data, built.blob.size, &config, error);
    if (status == WM_OK)
        status = scen ? bench_load_problems(&problems, bench, name, grid, error)
                      : bench_draw_problems(&problems, name, grid, false, error);
    if (status == WM_OK) {
        result->size += (double)built.blob.size * 8 / grid->cell_count;
        result->maps++;
    }
    for (int i = FAST; i <= BEST && status == WM_OK; i++) {
        status = bench_walk(&result->summaries[i], map, db, specs[i], &problems, error);
        if (status == WM_OK)
            status = time_first_moves(&result->first_ns[i], map, db, specs[i], &problems, error);
    }
    if (status == WM_OK && rivals) status = race_rivals(result, map, &problems, error);
    wm_problems_free(&problems);
    wm_db_close(db);
    wm_buffer_free(&built.blob);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Tables

static double ns_per_move(const wm_summary* summary)
{
    return summary->moves == 0 ? 0 : (double)summary->plan_ns_total / (double)summary->moves;
}

static void print_row(const map_family* family, double limit, size_result* result)
{
    printf("  %-15s %5.2f %5.2f", family->title, limit, result->size / result->maps);
    for (int i = FAST; i <= BEST; i++) {
        const wm_spread spread = wm_summary_suboptimality(&result->summaries[i]);
        printf("  %5.2f %5.2f %4.0f %5.1f", spread.mean, spread.p95,
               ns_per_move(&result->summaries[i]),
               (double)wm_histogram_percentile(&result->first_ns[i], 99) / 1e3);
    }
    printf("  %5llu\n", (unsigned long long)result->summaries[BEST].max_expansions_per_move);
    fflush(stdout);
}

// Whole walks and first moves against whole searches, means against means.
static void print_rivals(const map_family* family, double limit, size_result* result)
{
    const wm_summary* balanced = &result->summaries[BALANCED];
    const wm_summary* astar = &result->summaries[ASTAR];
    const double walks = (double)balanced->plan_ns_total;
    const double first = (double)wm_histogram_percentile(&result->first_ns[BALANCED], 50);
    const double jump = result->jump_ns / result->jump_problems;
    printf("  %-15s %5.2f %8.1fx %8.1fx %8.1fx %8.1fx  %8.2f %8.2f %8.2f\n", family->title, limit,
           (double)astar->plan_ns_total / walks, result->jump_ns / walks,
           (double)wm_histogram_percentile(&astar->first_ns, 50) / first, jump / first,
           wm_summary_suboptimality(&result->summaries[BALANCED]).mean,
           wm_summary_suboptimality(&result->summaries[TB_WA]).mean,
           wm_summary_suboptimality(&result->summaries[KNN]).mean);
    fflush(stdout);
}

static void measure_family(bench_run* bench, const map_family* family, double limit, bool rivals)
{
    size_result* result = calloc(1, sizeof *result);
    for (int i = 0; result != NULL && i < MAX_MAPS && family->maps[i] != NULL; i++) {
        wm_map map = {0};
        wm_error error = {0};
        if (!bench_load(bench, &map.grid, family->maps[i])) continue;
        const wm_status status =
            measure_map(result, bench, &map, family->maps[i], family->scen, limit, rivals, &error);
        if (status != WM_OK) bench_fail(bench, &error);
        wm_grid_free(&map.grid);
    }
    if (result != NULL && result->maps > 0) {
        if (rivals)
            print_rivals(family, limit, result);
        else
            print_row(family, limit, result);
    }
    for (int i = 0; result != NULL && i < RUNNERS; i++) wm_summary_free(&result->summaries[i]);
    free(result);
}

static wm_status time_opening(double* best_ms, const wm_map* map, const wm_buffer* blob,
                              wm_error* error)
{
    wm_status status = WM_OK;
    for (int round = 0; status == WM_OK && round < BENCH_ROUNDS; round++) {
        const wm_db_config config = wm_db_config_default();
        wm_db* db;
        const int64_t begun = bench_now_ns();
        status = wm_db_open_memory(&db, map, blob->data, blob->size, &config, error);
        const double taken = (double)(bench_now_ns() - begun) / 1e6;
        if (round == 0 || taken < *best_ms) *best_ms = taken;
        if (status == WM_OK) wm_db_close(db);
    }
    return status;
}

static void* hold(void* user, size_t size, size_t alignment)
{
    *(size_t*)user += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void let_go(void* user, void* block, size_t size)
{
    if (block != NULL) *(size_t*)user -= size;
    free(block);
}

// Bytes that a database holds when it is open.
static wm_status count_memory(size_t* held, const wm_map* map, const wm_buffer* blob,
                              wm_error* error)
{
    size_t bytes = 0;
    wm_db_config config = wm_db_config_default();
    config.allocator = (wm_allocator){hold, let_go, &bytes};
    wm_db* db;
    const wm_status status = wm_db_open_memory(&db, map, blob->data, blob->size, &config, error);
    *held = bytes;
    if (status == WM_OK) wm_db_close(db);
    return status;
}

// One construction with given parameters, the search for them, and opening. A size of 0 asks for
// nothing.
static void time_building(bench_run* bench, const char* name, double size)
{
    wm_map map = {0};
    wm_error error = {0};
    wm_regions_result built;
    wm_regions regions;
    if (!bench_load(bench, &map.grid, name)) return;
    const wm_regions_contract contract = {.max_bytes = (size_t)(size * map.grid.cell_count / 8),
                                          .bytes_are_hard = size > 0,
                                          .seed = 1};
    const int64_t begun = bench_now_ns();
    wm_status status = wm_regions_fulfil(&built, &map.grid, &contract, name, &error);
    const int64_t searched = bench_now_ns();
    if (status == WM_OK)
        status = wm_regions_build(&regions, &map.grid, &built.parameters, name, &error);
    const int64_t constructed = bench_now_ns();
    double opening = 0;
    size_t held = 0;
    if (status == WM_OK) status = time_opening(&opening, &map, &built.blob, &error);
    if (status == WM_OK) status = count_memory(&held, &map, &built.blob, &error);
    if (status == WM_OK) {
        const double one = (double)(constructed - searched) / 1e9;
        char limit[16] = "-";
        if (size > 0) snprintf(limit, sizeof limit, "%.2f", size);
        printf("  %-21s %5s %8u %7zu %6.2f %8.2f %8.1fx %7.1f %7.1f\n", name, limit, built.regions,
               built.blob.size, built.certificate.mean / 1000.0, one,
               (double)(searched - begun) / 1e9 / one, opening, (double)held / 1e6);
        wm_regions_free(&regions);
    } else {
        bench_fail(bench, &error);
    }
    wm_buffer_free(&built.blob);
    wm_grid_free(&map.grid);
}

void bench_regions(bench_run* bench)
{
    printf(
        "Region databases (--method regions --max-bytes): suboptimality mean and p95 in %%,\n"
        "planning in ns a move over whole walks, p99 of the first move in us (caches warm, best\n"
        "of 5), for the presets fast, balanced and best; most states in one move of best.\n"
        "bgmaps and wc3maps: %d problems a map of cost 100 to 150; others: %d of the .scen file.\n"
        "Sizes are stored bytes over those of a map of one bit a cell.\n\n"
        "  %-15s %5s %5s  %-22s  %-22s  %-22s\n"
        "  %-15s %5s %5s  %5s %5s %4s %5s  %5s %5s %4s %5s  %5s %5s %4s %5s  %5s\n",
        BENCH_PROBLEMS, BENCH_SCEN_PROBLEMS, "", "limit", "size", "fast", "balanced", "best", "",
        "", "", "mean", "p95", "ns", "p99", "mean", "p95", "ns", "p99", "mean", "p95", "ns", "p99",
        "worst");
    const size_t count = sizeof families / sizeof families[0];
    for (size_t i = 0; i < count; i++) {
        for (int j = 0; j < 6 && families[i].sizes[j] > 0; j++)
            measure_family(bench, &families[i], families[i].sizes[j], false);
    }
    printf(
        "\nThe same beside others: time of whole searches over that of whole walks, and over the\n"
        "first move (medians; jump points: mean), by plain A* and by jump points; mean\n"
        "suboptimality in %% of balanced, of TB-WA*(3) with k = 25 and of kNN LRTA* with %d\n"
        "records.\n\n"
        "  %-15s %5s %9s %9s %9s %9s  %8s %8s %8s\n",
        KNN_RECORDS, "", "limit", "A*", "jump", "A*/first", "jump/1st", "regions", "TB-WA*", "kNN");
    for (size_t i = 0; i < count; i++) {
        int last = 0;
        while (last < 5 && families[i].sizes[last + 1] > 0) last++;
        if (families[i].rivals) measure_family(bench, &families[i], families[i].sizes[last], true);
    }
    printf(
        "\nBuilding and opening: certified mean in %%, one construction in s, the whole search "
        "for\n"
        "parameters with its certificate over that, opening in ms (best of %d), MB that the "
        "database\n"
        "holds then. Where no limit is given it is what a build without options makes.\n\n"
        "  map                   limit  regions   bytes   mean     once   search    open  memory\n",
        BENCH_ROUNDS);
    static const struct {
        const char* map;
        double size;
    } built[] = {
        {"bg512/AR0400SR", 0.15},    {"bg512/AR0400SR", 0.3},    {"bg512/AR0400SR", 1},
        {"bg512/AR0400SR", 0},       {"bg512/AR0046SR", 0},      {"bg512/AR0602SR", 0},
        {"dao/brc202d", 0},          {"wc3maps512/icecrown", 0}, {"rooms/32room_000", 0.35},
        {"mazes/maze512-8-0", 0.35}, {"rooms/16room_003", 1.7},  {"random/random512-10-0", 0.35},
        {"dao/orz900d", 0.3},        {"sc1/Cauldron", 0.35}};
    for (size_t i = 0; i < sizeof built / sizeof built[0]; i++)
        time_building(bench, built[i].map, built[i].size);
    printf("\n");
}
