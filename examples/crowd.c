// A crowd of 10,000 units on one map, each with a goal of its own and a new one when it gets there;
// every frame may spend so many expansions on all of them: crowd MAP DATABASE [EXPANSIONS [FRAMES]]
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <waymark.h>

#define UNITS 10000

typedef struct game {
    wm_map* map;
    wm_db* db;
    wm_agent* units[UNITS];
    uint32_t seed; ///< Of where they go next.
} game;

static double milliseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int32_t random_below(game* g, int32_t bound)
{
    g->seed = g->seed * 1664525u + 1013904223u;
    return (int32_t)((g->seed >> 8) % (uint32_t)bound);
}

static wm_point random_cell(game* g)
{
    wm_point p;
    do {
        p.x = random_below(g, wm_map_width(g->map));
        p.y = random_below(g, wm_map_height(g->map));
    } while (!wm_map_is_open(g->map, p));
    return p;
}

// Sends a unit to any cell; where that is on an island, as near to it as it can get. Who stands on
// an island of one cell stays there.
static void send_off(game* g, wm_agent* unit, wm_point from)
{
    for (int i = 0; i < 100; i++)
        if (wm_agent_begin(unit, from, random_cell(g)) == WM_OK) return;
}

static wm_status load(game* g, const char* map_path, const char* db_path, wm_error* error)
{
    const wm_map_config map_config = wm_map_config_default();
    const wm_db_config db_config = wm_db_config_default();
    wm_agent_config unit_config = wm_agent_config_default();
    unit_config.algorithm = "regions";
    unit_config.nearest_goal = true;

    wm_status status = wm_map_load(&g->map, map_path, &map_config, error);
    if (status == WM_OK) status = wm_db_open(&g->db, g->map, db_path, &db_config, error);
    for (size_t i = 0; i < UNITS && status == WM_OK; i++) {
        status = wm_agent_create(&g->units[i], g->map, g->db, &unit_config, error);
        if (status == WM_OK) send_off(g, g->units[i], random_cell(g));
    }
    return status;
}

static void unload(game* g)
{
    for (size_t i = 0; i < UNITS; i++) wm_agent_destroy(g->units[i]);
    wm_db_close(g->db);
    wm_map_unload(g->map);
}

static void play(game* g, uint64_t max_expansions, int frames)
{
    wm_frame frame = wm_frame_default();
    frame.max_expansions = max_expansions;
    uint64_t moves = 0, arrivals = 0;
    double total = 0, worst = 0;
    for (int i = 0; i < frames; i++) {
        const double start = milliseconds();
        wm_agents_step(g->units, UNITS, &frame);
        const double took = milliseconds() - start;
        total += took;
        if (took > worst) worst = took;
        moves += frame.moved;
        // A game would draw here. Who is no longer on its way gets a new goal.
        for (size_t u = 0; u < UNITS && frame.ended > 0; u++) {
            if (wm_agent_result(g->units[u]) == WM_OK) continue;
            send_off(g, g->units[u], wm_agent_position(g->units[u]));
            arrivals++;
        }
    }
    printf("%d units, %d frames, %" PRIu64 " moves, %" PRIu64 " arrivals\n", UNITS, frames, moves,
           arrivals);
    printf("%.0f moves per millisecond, a frame takes %.2f ms, the worst %.2f ms\n",
           (double)moves / total, total / frames, worst);
}

int main(int argc, char** argv)
{
    static game g; // too large for some stacks
    wm_error error = {""};
    const uint64_t max_expansions = argc > 3 ? strtoull(argv[3], NULL, 10) : 200000;
    const int frames = argc > 4 ? atoi(argv[4]) : 300;
    if (argc < 3 || max_expansions == 0 || frames <= 0) {
        fprintf(stderr, "usage: crowd MAP DATABASE [EXPANSIONS [FRAMES]]\n");
        return 2;
    }
    const wm_status status = load(&g, argv[1], argv[2], &error);
    if (status == WM_OK)
        play(&g, max_expansions, frames);
    else
        fprintf(stderr, "crowd: %s\n", error.message);
    unload(&g);
    return status == WM_OK ? 0 : 3;
}
