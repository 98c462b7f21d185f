// SPDX-License-Identifier: MIT
//
// Lockstep games need the same steps everywhere: a hash of all steps of every algorithm, compared
// with the one that is committed, whatever compiler, optimisation and machine this runs on. Where an
// algorithm changes on purpose, `test_steps --print > tests/golden/steps.csv` renews it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "walk.h"

#define MAPS 4
#define MAX_SIDE 70
#define PROBLEMS 20
#define EDIT_INTERVAL 4
#define MAX_STEPS 100000
#define FIRST_LINE "algorithm,steps,hash\n"

// Beside every algorithm as it comes.
static const char* const variants[] = {
    "regions:preset=fast",
    "regions:preset=best",
    "knn-lrta:k=3:walk=climb",
    "knn-lrta:candidates=5:d=1",
    "tb-wa:k=7:w=1.5",
    "tb-wa:reopen=0",
    "rtb-bfs:restart=eager",
    "rtb-bfs:family=tba:k=3",
    "lrta:d=5",
    "lss-lrta:k=50",
    "lrta-ls:k=40",
    "rtaa:k=30:moves=3",
    "rths:w=2.5:lop=avg:b=0.7",
    "rths:wc=1.3:lop=median:b=1:da=1:e=1",
};

#define VARIANTS (sizeof variants / sizeof *variants)

typedef struct tally {
    uint64_t steps;
    uint64_t hash;
} tally;

static void note(tally* t, const wm_agent* agent, wm_status status)
{
    const wm_agent_stats stats = wm_agent_statistics(agent);
    const wm_point p = wm_agent_position(agent);
    t->steps++;
    t->hash = wm_hash_u64(t->hash, (uint64_t)(int64_t)status);
    t->hash = wm_hash_u64(t->hash, (uint64_t)(uint32_t)p.x << 32 | (uint32_t)p.y);
    t->hash = wm_hash_u64(t->hash, stats.expansions);
    t->hash = wm_hash_u64(t->hash, stats.back_moves);
}

static void edit_somewhere(wm_map* map, wm_rng* rng)
{
    const wm_cell cell = (wm_cell)wm_rng_below(rng, map->grid.cell_count);
    const wm_cell_edit edit = {wm_grid_point(&map->grid, cell), !wm_grid_is_open(&map->grid, cell)};
    assert_int_equal(wm_map_edit(map, &edit, 1, NULL), WM_OK);
}

// Every so many steps the map is edited; 0: never.
static void walk_and_note(tally* t, wm_agent* agent, wm_map* map, wm_rng* rng, int edit_interval)
{
    wm_cell start;
    wm_cell goal;
    if (!random_problem(&map->grid, rng, &start, &goal)) return;
    wm_status status =
        wm_agent_begin(agent, wm_grid_point(&map->grid, start), wm_grid_point(&map->grid, goal));
    for (int i = 1; i < MAX_STEPS && status == WM_OK; i++) {
        status = wm_agent_step(agent);
        note(t, agent, status);
        if (edit_interval != 0 && i % edit_interval == 0) edit_somewhere(map, rng);
    }
    note(t, agent, status);
}

// Known terrain; unknown terrain, where there need be no database; a map that changes.
static void walk_map(tally* t, uint64_t number, const char* spec)
{
    wm_map* map = map_random_editable(70 + number, MAX_SIDE);
    wm_db* db = db_build(map, 100, number % 2 == 0, number);
    wm_rng rng = wm_rng_start(number, 14);
    assert_non_null(db);
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = spec;
    for (int round = 0; round < 3; round++) {
        wm_agent* agent = NULL;
        config.terrain = round == 1 ? WM_TERRAIN_UNKNOWN : WM_TERRAIN_KNOWN;
        const wm_status status = wm_agent_create(&agent, map, db, &config, NULL);
        assert_true(status == WM_OK || round == 1);
        for (int i = 0; i < PROBLEMS && status == WM_OK; i++)
            walk_and_note(t, agent, map, &rng, round == 2 ? EDIT_INTERVAL : 0);
        wm_agent_destroy(agent);
    }
    wm_db_close(db);
    wm_map_unload(map);
}

static const char* spec_at(size_t index)
{
    const size_t named = wm_algorithm_count();
    return index < named ? wm_algorithm_at(index)->name : variants[index - named];
}

// Writes the lines of all algorithms. @return their length
static size_t write_steps(char* text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, FIRST_LINE);
    for (size_t i = 0; i < wm_algorithm_count() + VARIANTS; i++) {
        tally t = {.hash = WM_HASH_START};
        for (uint64_t number = 1; number <= MAPS; number++) walk_map(&t, number, spec_at(i));
        length += (size_t)snprintf(text + length, size - length, "%s,%llu,%016llx\n", spec_at(i),
                                   (unsigned long long)t.steps, (unsigned long long)t.hash);
    }
    return length;
}

static size_t line_length(const char* text)
{
    return strcspn(text, "\n");
}

static void every_algorithm_takes_the_steps_that_are_committed(void** state)
{
    (void)state;
    static char actual[16384];
    test_path path;
    const char* source = getenv("WAYMARK_SOURCE");
    snprintf(path.text, sizeof path.text, "%s/tests/golden/steps.csv",
             source == NULL ? "." : source);
    char* golden = file_get(&path, NULL);
    if (golden == NULL) fail_msg("%s is not there", path.text);
    write_steps(actual, sizeof actual);
    const char* expected = golden;
    for (const char* line = actual; *line != '\0';) {
        if (line_length(line) != line_length(expected) ||
            memcmp(line, expected, line_length(line)) != 0)
            fail_msg("%.*s instead of %.*s", (int)line_length(line), line,
                     (int)line_length(expected), expected);
        line += line_length(line) + 1;
        expected += line_length(expected) + (expected[line_length(expected)] != '\0');
    }
    assert_int_equal(*expected, '\0');
    free(golden);
}

int main(int argc, char** argv)
{
    if (argc == 2 && strcmp(argv[1], "--print") == 0) {
        static char text[16384];
        const size_t length = write_steps(text, sizeof text);
        return fwrite(text, 1, length, stdout) == length ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_takes_the_steps_that_are_committed),
    };
    return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}
