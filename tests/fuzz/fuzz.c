// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "generate.h"
#include "judge.h"
#include "rng.h"

_Noreturn void fuzz_fail(const char* what, const char* file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

// ---------------------------------------------------------------------------------------------
// Maps

enum { WIDTH = 20, HEIGHT = 16 };

const wm_map* fuzz_map(int which)
{
    static wm_map* maps[FUZZ_MAPS];
    static const wm_generate_kind kinds[FUZZ_MAPS] = {WM_GENERATE_CAVES, WM_GENERATE_ROOMS,
                                                      WM_GENERATE_RANDOM};
    if (maps[which] != NULL) return maps[which];
    const wm_generate_options options = {.density = WM_GENERATE_DEFAULT, .grain = 5};
    wm_map_config config = wm_map_config_default();
    uint8_t open[WIDTH * HEIGHT];
    FUZZ_CHECK(wm_generate(open, WIDTH, HEIGHT, kinds[which], &options, 3, NULL) == WM_OK);
    for (int y = 0; y < HEIGHT && which == 2; y++) open[y * WIDTH + WIDTH / 2] = 0;
    config.diagonal = which == 1 ? WM_DIAGONAL_SQUEEZE : WM_DIAGONAL_NONE;
    FUZZ_CHECK(wm_map_create(&maps[which], open, WIDTH, HEIGHT, WIDTH, &config, NULL) == WM_OK);
    return maps[which];
}

forge_recipe fuzz_recipe(int which)
{
    static const char* const choices[FUZZ_MAPS] = {"tb-wa:k=25:w=3", "rths:da=1:e=1", "regions"};
    return (forge_recipe){.records = 12,
                          .chains = which == 1,
                          .coverage = which == 2,
                          .radius = which == 0 ? 5 : 8,
                          .portals = which == 1 ? 8 : 0,
                          .max_expansions = which == 1 ? 30 : 0,
                          .level = 3,
                          .seed = 1,
                          .threads = 1,
                          .choice = choices[which]};
}

// ---------------------------------------------------------------------------------------------
// Databases

static void* allocate(void* user, size_t size_bytes, size_t alignment)
{
    (void)user;
    (void)alignment;
    return malloc(size_bytes);
}

static void release(void* user, void* block, size_t size_bytes)
{
    (void)user;
    (void)size_bytes;
    free(block);
}

wm_db_config fuzz_config(size_t size)
{
    wm_db_config config = wm_db_config_default();
    config.max_bytes = (size_t)16 << 20;
    if (size % 2 == 1) config.allocator = (wm_allocator){allocate, release, NULL};
    return config;
}

wm_db* fuzz_open(const wm_map** map, const uint8_t* bytes, size_t size)
{
    const wm_db_config config = fuzz_config(size);
    for (int i = 0; i < FUZZ_MAPS; i++) {
        wm_db* db = NULL;
        wm_error error = {""};
        *map = fuzz_map(i);
        const wm_status status = wm_db_open_memory(&db, *map, bytes, size, &config, &error);
        if (status == WM_OK) return db;
        FUZZ_CHECK(db == NULL && error.message[0] != '\0');
        FUZZ_CHECK(status == WM_ERR_FORMAT || status == WM_ERR_VERSION ||
                   status == WM_ERR_MISMATCH);
        if (status != WM_ERR_MISMATCH) return NULL;
    }
    return NULL;
}

// Every walk ends long before: LRTA* may need the square of the cells.
#define MAX_STEPS ((size_t)WIDTH * HEIGHT * WIDTH * HEIGHT)
#define PROBLEMS 4

static void walk_problems(const wm_map* map, wm_agent* agent, wm_rng* rng)
{
    const wm_grid* grid = &map->grid;
    for (int i = 0; i < PROBLEMS; i++) {
        const wm_cell start = (wm_cell)wm_rng_below(rng, grid->cell_count);
        const wm_cell goal = (wm_cell)wm_rng_below(rng, grid->cell_count);
        if (!wm_grid_is_open(grid, start) || !wm_grid_is_open(grid, goal)) continue;
        const judgement judged = judge_walk(agent, start, goal, MAX_STEPS);
        if (judged.complaint == NULL) continue;
        fprintf(stderr, "%s: from %u to %u: %s\n", agent->algorithm->name, start, goal,
                judged.complaint);
        abort();
    }
}

// As a game does that moves by itself: each subgoal leads on, and the last one is the goal.
static void follow_subgoals(const wm_map* map, const wm_db* db, wm_rng* rng)
{
    const wm_grid* grid = &map->grid;
    wm_point at = wm_grid_point(grid, (wm_cell)wm_rng_below(rng, grid->cell_count));
    const wm_point goal = wm_grid_point(grid, (wm_cell)wm_rng_below(rng, grid->cell_count));
    wm_point next = {0};
    wm_status status = wm_db_subgoal(db, at, goal, &next);
    for (uint32_t count = 0; status == WM_OK; count++) {
        FUZZ_CHECK(count <= grid->open_count && wm_map_connected(map, at, next));
        at = next;
        status = wm_db_subgoal(db, at, goal, &next);
    }
    FUZZ_CHECK(status == WM_ARRIVED || status == WM_NO_PATH || status == WM_ERR_BLOCKED);
}

void fuzz_walk(const wm_map* map, const wm_db* db, uint64_t seed)
{
    static const struct {
        const char* method;
        const char* spec;
    } walkers[] = {
        {"knn", "knn-lrta"},
        {"knn", "knn-lrta:walk=climb:k=3"},
        {"regions", "regions:preset=fast"},
        {"regions", "regions:preset=best"},
        {"d-lrta", "d-lrta"},
        {"choice", "auto"},
    };
    wm_rng rng = wm_rng_start(seed, 0);
    for (size_t i = 0; i < sizeof walkers / sizeof walkers[0]; i++) {
        wm_agent_config config = wm_agent_config_default();
        wm_agent* agent = NULL;
        config.algorithm = walkers[i].spec;
        if (!wm_db_has(db, walkers[i].method)) continue;
        FUZZ_CHECK(wm_agent_create(&agent, map, db, &config, NULL) == WM_OK);
        walk_problems(map, agent, &rng);
        wm_agent_destroy(agent);
    }
    for (int i = 0; i < PROBLEMS && wm_db_has(db, "regions"); i++) follow_subgoals(map, db, &rng);
}

// ---------------------------------------------------------------------------------------------
// Files

static char path[512];

static void remove_file(void)
{
    unlink(path);
}

const char* fuzz_file(const uint8_t* bytes, size_t size)
{
    const char* base = getenv("TMPDIR");
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "%s/waymark-fuzz-XXXXXX", base == NULL ? "/tmp" : base);
        const int made = mkstemp(path);
        FUZZ_CHECK(made >= 0);
        close(made);
        atexit(remove_file);
    }
    FILE* file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL);
    FUZZ_CHECK(fwrite(bytes, 1, size, file) == size);
    FUZZ_CHECK(fclose(file) == 0);
    return path;
}
