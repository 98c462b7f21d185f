// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdio.h>
#include <stdlib.h>

#include "alloc.h"
#include "commands.h"
#include "experiments/race.h"
#include "internal.h"
#include "question.h"
#include "svg.h"
#include "world.h"

typedef struct options {
    wm_question_options question;
    struct arg_str* algorithm;
    struct arg_file* svg;
    wm_world_options world;
} options;

static void print_walk(const wm_race* race, const wm_race_run* run, const char* spec)
{
    const wm_grid* grid = &race->map->grid;
    printf("algorithm: %s\nstatus: %s\ncost: %.8f\noptimal: %.8f\n", spec,
           wm_race_outcome_name(run->outcome), wm_race_length(run),
           wm_cost_to_double(run->optimal));
    printf("suboptimality: %.2f %%\nmoves: %llu\nexpansions: %llu\nworst move: %llu expansions\n",
           wm_race_suboptimality(run), (unsigned long long)run->moves,
           (unsigned long long)run->expansions, (unsigned long long)run->max_expansions_per_move);
    printf("path:");
    for (size_t i = 0; i < race->path_length; i++) {
        const wm_point p = wm_grid_point(grid, race->path[i]);
        printf(" %d:%d", (int)p.x, (int)p.y);
    }
    printf("\n");
}

typedef struct subgoals {
    wm_cell* list;
    size_t count;
    size_t capacity;
} subgoals;

// Walks once more and notes what the agent heads for, where it says so.
static bool collect_subgoals(subgoals* found, wm_agent* agent, const wm_question* q, uint64_t moves)
{
    if (agent->algorithm->target == NULL) return true;
    wm_agent_begin(agent, q->from, q->to);
    for (uint64_t i = 0; i < moves && wm_agent_step(agent) == WM_OK; i++) {
        const wm_cell target = agent->algorithm->target(agent);
        const bool known = found->count > 0 && found->list[found->count - 1] == target;
        if (known || target == agent->goal) continue;
        wm_cell* grown =
            wm_grow(found->list, &found->capacity, found->count + 1, sizeof *found->list);
        if (grown == NULL) return false;
        found->list = grown;
        found->list[found->count++] = target;
    }
    return true;
}

static wm_status draw(const char* path, const wm_question* q, const wm_race* race,
                      const wm_race_run* run, wm_agent* agent, wm_error* error)
{
    subgoals found = {0};
    wm_status status = WM_OK;
    if (!collect_subgoals(&found, agent, q, run->moves))
        status = wm_fail_memory(error, found.count * sizeof *found.list);
    const wm_picture picture = {.grid = &q->map->grid,
                                .walk = race->path,
                                .walk_length = race->path_length,
                                .subgoals = found.list,
                                .subgoal_count = found.count,
                                .goal = q->to};
    if (status == WM_OK) status = wm_svg_save(path, &picture, error);
    free(found.list);
    return status;
}

static int finish(const wm_cli* cli, const wm_question* q, const wm_race* race,
                  const wm_race_run* run, wm_agent* agent, const options* given)
{
    wm_error error = {0};
    if (given->svg->count > 0) {
        const wm_status status = draw(given->svg->filename[0], q, race, run, agent, &error);
        if (status != WM_OK) return wm_cli_fail(cli, status, &error);
    }
    if (run->outcome == WM_RACE_SOLVED) return WM_EXIT_DONE;
    wm_cli_note(cli, "the walk gave up after %d times the optimum", WM_RACE_GIVE_UP);
    return WM_EXIT_NO;
}

// The library's own sentence does not know of --db.
static bool lacks_database(const char* spec, const wm_db* db)
{
    const wm_algorithm* algorithm;
    wm_parameter_values values;
    return db == NULL && wm_algorithm_parse(spec, &algorithm, &values, NULL) == WM_OK &&
           algorithm->needs_database;
}

static int walk(const wm_cli* cli, const wm_question* q, const options* given)
{
    wm_race race = {0};
    wm_race_run run;
    wm_agent* agent = NULL;
    wm_error error = {0};
    wm_agent_config config = wm_agent_config_default();
    if (!wm_world_options_get(&given->world, cli, &config.terrain, &config.heuristic))
        return WM_EXIT_USAGE;
    if (q->db != NULL && q->db->has_knn) config.algorithm = "knn-lrta";
    if (q->db != NULL && q->db->has_regions) config.algorithm = "regions";
    if (given->algorithm->count > 0) config.algorithm = given->algorithm->sval[0];
    if (lacks_database(config.algorithm, q->db))
        return wm_cli_usage(cli, "%s needs a database, give one with --db", config.algorithm);

    int exit_status = WM_EXIT_DONE;
    wm_status status = wm_agent_create(&agent, q->map, q->db, &config, &error);
    if (status == WM_OK) status = wm_race_create(&race, q->map, WM_RACE_GIVE_UP, true, &error);
    if (status == WM_OK) status = wm_race_set_problem(&race, q->from, q->to, &error);
    if (status == WM_OK) status = wm_race_walk(&race, agent, &run, NULL, &error);
    if (status != WM_OK) {
        exit_status = wm_cli_fail(cli, status, &error);
    } else if (run.outcome == WM_RACE_NO_PATH) {
        exit_status = wm_question_no_path(q, cli);
    } else {
        print_walk(&race, &run, config.algorithm);
        exit_status = finish(cli, q, &race, &run, agent, given);
    }
    wm_race_free(&race);
    wm_agent_destroy(agent);
    return exit_status;
}

int wm_cmd_path(const wm_cli* cli, int argc, char** argv)
{
    struct arg_file* map = arg_file1(NULL, NULL, "MAP", "map of type octile");
    struct arg_str* from = arg_str1(NULL, "from", "X,Y", "start cell; 0,0 is the upper left one");
    struct arg_str* to = arg_str1(NULL, "to", "X,Y", "goal cell");
    struct arg_str* algorithm =
        arg_str0(NULL, "algorithm", "SPEC",
                 "see 'waymark-run list'; default: regions or knn-lrta, what the database has, "
                 "else tb-wa");
    struct arg_file* db = arg_file0(NULL, "db", "FILE", "database of the map");
    struct arg_file* svg = arg_file0(NULL, "svg", "FILE", "draw map and walk into this file");
    struct arg_str* diagonal = arg_str0(NULL, "diagonal", "none|squeeze",
                                        "whether diagonal steps may cut corners; default none");
    struct arg_str* agent_size = wm_cli_agent_size();
    const wm_world_options world = wm_world_options_create();
    void* table[] = {map,           from,        to,         algorithm,     db,
                     svg,           diagonal,    agent_size, world.terrain, world.heuristic,
                     wm_cli_help(), wm_cli_end()};
    int exit_status;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status)) {
        const options given = {{map, from, to, db, diagonal, agent_size}, algorithm, svg, world};
        wm_question question = {0};
        exit_status = wm_cli_check_output(cli, svg, map->filename, map->count) &&
                              wm_cli_check_output(cli, svg, db->filename, db->count)
                          ? wm_question_open(&question, cli, &given.question)
                          : WM_EXIT_USAGE;
        if (exit_status == WM_EXIT_DONE) exit_status = walk(cli, &question, &given);
        wm_question_close(&question);
    }
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
