// SPDX-License-Identifier: MIT
//
// A crowd on one map: what a move costs when there are more agents than the caches hold, on one
// thread and on two, how even the frames are, and what plain A* would take instead. Who arrives gets
// a new goal, which counts as part of the frame.
#include <stdlib.h>
#include <time.h>

#include "bench_walks.h"
#include "methods/regions_method.h"
#include "parallel.h"
#include "rng.h"

#define MAP "bg512/AR0400SR"
#define SIZE 0.3 // stored bytes over those of a one-bit map
#define AGENTS 10000
#define HALVES 2
#define HALF (AGENTS / HALVES)
#define WARM_UP 20
#define FRAMES 100 // 1,000,000 moves
#define ASTAR_QUERIES 200

typedef struct crowd {
    const wm_map* map;
    wm_agent** agents;
    wm_rng rng[HALVES];
    uint64_t moves[HALVES];
    double frame_ns[FRAMES];
} crowd;

static wm_point random_cell(const wm_grid* grid, wm_rng* rng, uint32_t component)
{
    wm_cell cell;
    do cell = (wm_cell)wm_rng_below(rng, grid->cell_count);
    while (component == 0 ? grid->component[cell] == 0 : grid->component[cell] != component);
    return wm_grid_point(grid, cell);
}

// From where it stands, or from anywhere.
static void send_off(const crowd* c, wm_agent* agent, wm_rng* rng, bool from_anywhere)
{
    const wm_grid* grid = &c->map->grid;
    wm_point start = from_anywhere ? random_cell(grid, rng, 0) : wm_agent_position(agent);
    while (wm_agent_begin(agent, start, random_cell(grid, rng, wm_map_component(c->map, start))) !=
           WM_OK) {
        if (from_anywhere) start = random_cell(grid, rng, 0); // an island, perhaps
    }
}

// One frame of some of the agents.
static uint64_t run_frame(const crowd* c, size_t first, size_t count, wm_rng* rng)
{
    wm_frame frame = {.max_expansions = UINT64_MAX};
    wm_agents_step(c->agents + first, count, &frame);
    for (size_t i = first; i < first + count && frame.ended > 0; i++) {
        if (wm_agent_result(c->agents[i]) == WM_OK) continue;
        send_off(c, c->agents[i], rng, false);
        frame.ended--;
    }
    return frame.moved;
}

static wm_status run_half(void* context, void* workspace, size_t index)
{
    (void)workspace;
    crowd* c = context;
    for (int i = 0; i < FRAMES; i++)
        c->moves[index] += run_frame(c, index * HALF, HALF, &c->rng[index]);
    return WM_OK;
}

static wm_status create_crowd(crowd* c, const wm_map* map, const wm_db* db, wm_error* error)
{
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = "regions";
    *c = (crowd){.map = map, .agents = calloc(AGENTS, sizeof *c->agents)};
    if (c->agents == NULL) return WM_ERR_MEMORY;
    for (uint64_t i = 0; i < HALVES; i++) c->rng[i] = wm_rng_start(1, i);
    wm_status status = WM_OK;
    for (size_t i = 0; i < AGENTS && status == WM_OK; i++) {
        status = wm_agent_create(&c->agents[i], map, db, &config, error);
        if (status == WM_OK) send_off(c, c->agents[i], &c->rng[i / HALF], true);
    }
    return status;
}

static void free_crowd(crowd* c)
{
    for (size_t i = 0; i < AGENTS && c->agents != NULL; i++) wm_agent_destroy(c->agents[i]);
    free(c->agents);
}

// Of this thread: a frame must not look longer because something else ran in the middle of it.
static int64_t processor_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Frame by frame. @return ns a move
static double time_frames(crowd* c)
{
    uint64_t moves = 0;
    double taken = 0;
    for (int i = 0; i < WARM_UP; i++) run_frame(c, 0, AGENTS, &c->rng[0]);
    for (int i = 0; i < FRAMES; i++) {
        const int64_t begun = processor_now_ns();
        moves += run_frame(c, 0, AGENTS, &c->rng[0]);
        c->frame_ns[i] = (double)(processor_now_ns() - begun);
        taken += c->frame_ns[i];
    }
    return taken / (double)moves;
}

// Time in ns a move: that went by, and that processors worked. The second tells what threads cost
// each other, also while the machine has other things to do.
typedef struct move_time {
    double wall;
    double processor;
} move_time;

static void keep_best(move_time* best, move_time taken, bool is_first)
{
    if (is_first || taken.wall < best->wall) best->wall = taken.wall;
    if (is_first || taken.processor < best->processor) best->processor = taken.processor;
}

// Both halves on so many threads.
static move_time time_halves(crowd* c, unsigned threads)
{
    const wm_parallel loop = {
        .count = HALVES, .threads = threads, .block = 1, .context = c, .item = run_half};
    for (int i = 0; i < HALVES; i++) c->moves[i] = 0;
    const int64_t begun = bench_now_ns();
    const clock_t worked = clock();
    wm_parallel_run(&loop);
    const double processor = (double)(clock() - worked) * 1e9 / CLOCKS_PER_SEC;
    const double moves = (double)(c->moves[0] + c->moves[1]);
    return (move_time){(double)(bench_now_ns() - begun) / moves, processor / moves};
}

// The mean time of a whole search.
static wm_status time_astar(crowd* c, double* ns, wm_error* error)
{
    wm_agent* agent = NULL;
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = "astar";
    const wm_status status = wm_agent_create(&agent, c->map, NULL, &config, error);
    if (status != WM_OK) return status;
    int64_t taken = 0;
    for (int i = 0; i < ASTAR_QUERIES; i++) {
        const int64_t begun = processor_now_ns();
        send_off(c, agent, &c->rng[0], true);
        wm_agent_step(agent);
        taken += processor_now_ns() - begun;
    }
    *ns = (double)taken / ASTAR_QUERIES;
    wm_agent_destroy(agent);
    return WM_OK;
}

static wm_status measure(crowd* c, wm_error* error)
{
    move_time one = {0};
    move_time two = {0};
    double move = 0;
    double median = 0;
    double p99 = 0;
    double astar = 0;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        const double taken = time_frames(c);
        if (round == 0 || taken < move) {
            move = taken;
            median = bench_median(c->frame_ns, FRAMES); // sorts them
            p99 = c->frame_ns[FRAMES * 99 / 100 - 1];
        }
        keep_best(&one, time_halves(c, 1), round == 0);
        keep_best(&two, time_halves(c, 2), round == 0);
    }
    const wm_status status = time_astar(c, &astar, error);
    if (status != WM_OK) return status;
    printf("  one thread         %8.1f ns a move\n"
           "  two threads        %8.1f ns a move, %.2f times as fast on halves (%.2f if\n"
           "                     nothing else ran, by processor time)\n"
           "  frame              %8.3f ms median, %.3f ms p99: %.2f times\n"
           "  A* for each agent  %8.1f ms: %.0f frames\n"
           "  memory             %8zu bytes an agent\n\n",
           move, two.wall, one.wall / two.wall, 2 * one.processor / two.processor, median / 1e6,
           p99 / 1e6, p99 / median, astar * AGENTS / 1e6, astar * AGENTS / median,
           wm_agent_statistics(c->agents[0]).memory_bytes);
    return WM_OK;
}

void bench_crowd(bench_run* bench)
{
    const wm_db_config config = wm_db_config_default();
    wm_error error = {0};
    wm_map map = {0};
    wm_db* db = NULL;
    crowd c = {0};
    printf("A crowd of %d regions agents on %s, database of %.1f of the one-bit map (best of %d\n"
           "times %d frames, by processor time; new goals for those who arrive are part of a\n"
           "frame).\n\n",
           AGENTS, MAP, SIZE, BENCH_ROUNDS, FRAMES);
    if (!bench_load(bench, &map.grid, MAP)) return;
    const wm_regions_contract contract = {
        .max_bytes = (size_t)(SIZE * map.grid.cell_count / 8), .bytes_are_hard = true, .seed = 1};
    wm_regions_result built;
    wm_status status = wm_regions_fulfil(&built, &map.grid, &contract, MAP, &error);
    if (status == WM_OK)
        status = wm_db_open_memory(&db, &map, built.blob.data, built.blob.size, &config, &error);
    if (status == WM_OK) status = create_crowd(&c, &map, db, &error);
    if (status == WM_OK) status = measure(&c, &error);
    if (status != WM_OK) bench_fail(bench, &error);
    free_crowd(&c);
    wm_db_close(db);
    wm_buffer_free(&built.blob);
    wm_grid_free(&map.grid);
}
