// SPDX-License-Identifier: MIT
//
// The decision is made as knn-lrta makes its first one. The records are listed by themselves, also
// those behind the accepted one, which a decision does not look at.
#include <argtable3.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "commands.h"
#include "experiments/race.h"
#include "files.h"
#include "knn_query.h"
#include "question.h"

#define DEFAULT_K 10

typedef struct query {
    const wm_question* question;
    const wm_grid* grid;
    wm_cell from;
    wm_cell to;
    wm_knn_limits limits;
    wm_knn_taboo* taboo;   // nothing is, in a first decision
    wm_knn_match* matches; // scratch
    uint64_t k;
} query;

static uint32_t standard_value(const wm_algorithm* algorithm, const char* name)
{
    for (const wm_parameter* p = algorithm->parameters; p->name != NULL; p++)
        if (strcmp(p->name, name) == 0) return (uint32_t)p->standard;
    return 0;
}

static wm_knn_limits standard_limits(void)
{
    const wm_algorithm* algorithm;
    wm_parameter_values values;
    if (wm_algorithm_parse("knn-lrta", &algorithm, &values, NULL) != WM_OK)
        return (wm_knn_limits){0};
    return (wm_knn_limits){
        .max_climb = standard_value(algorithm, "m"),
        .neighbours = standard_value(algorithm, "k"),
        .max_candidates = standard_value(algorithm, "candidates"),
    };
}

static void list_records(const query* q, void (*print)(const query* q, uint64_t rank,
                                                       const wm_knn_candidate* candidate))
{
    wm_knn_match match;
    wm_knn_cursor cursor;
    uint64_t steps = 0;
    wm_knn_cursor_begin(&cursor, &q->question->db->knn_index, q->matches, q->question->from,
                        q->question->to);
    for (uint64_t i = 1; i <= q->k && wm_knn_cursor_next(&cursor, &match); i++) {
        const wm_knn_candidate candidate =
            wm_knn_check(q->question->map, q->question->db, q->limits.max_climb, q->taboo, q->from,
                         q->to, match, &steps);
        print(q, i, &candidate);
    }
}

// ---------------------------------------------------------------------------------------------
// For people

static const char* yes_no(bool made, bool passed)
{
    return !made ? "-" : passed ? "yes" : "no";
}

static const char* point_text(char* text, size_t size, const query* q, wm_cell cell)
{
    const wm_point p = wm_grid_point(q->grid, cell);
    snprintf(text, size, "%d,%d", (int)p.x, (int)p.y);
    return text;
}

static void print_record(const query* q, uint64_t rank, const wm_knn_candidate* c)
{
    char start[32];
    char goal[32];
    char subgoal[32];
    const wm_knn* knn = &q->question->db->knn;
    const wm_knn_record* record = &knn->records[c->match.record];
    printf("%4llu %9u %10.3f %11s %11s %11s %7s %7s %7s\n", (unsigned long long)rank,
           (unsigned)c->match.record, wm_cost_to_double(c->match.distance),
           point_text(start, sizeof start, q, record->start),
           point_text(goal, sizeof goal, q, record->goal),
           point_text(subgoal, sizeof subgoal, q, knn->subgoals[record->first_subgoal]),
           yes_no(true, !c->taboo), yes_no(!c->taboo, c->start_climbs),
           yes_no(c->start_climbs, c->goal_climbs));
}

static void print_records(const query* q)
{
    printf("%4s %9s %10s %11s %11s %11s %7s %7s %7s\n", "rank", "record", "distance", "start",
           "goal", "subgoal", "unused", "start", "goal");
    list_records(q, print_record);
    printf("unused: the subgoal is not used up; start, goal: climbed to in %u steps or fewer\n\n",
           (unsigned)q->limits.max_climb);
}

static void print_decision(const query* q, const wm_knn_decision* d)
{
    char subgoal[32];
    printf("subgoal: %s, ", point_text(subgoal, sizeof subgoal, q, d->subgoal));
    if (d->goal_climbs) {
        printf("the goal itself, which can be climbed to\n");
    } else if (d->from_record) {
        printf("from record %u\n", (unsigned)d->record);
    } else {
        printf("the goal itself, as no record passed its checks\n");
    }
    printf("records looked at: %u, climb steps: %llu\n", (unsigned)d->candidates,
           (unsigned long long)d->climb_steps);
}

// ---------------------------------------------------------------------------------------------
// JSON

static void print_json_point(const query* q, const char* key, wm_cell cell)
{
    const wm_point p = wm_grid_point(q->grid, cell);
    printf("\"%s\":{\"x\":%d,\"y\":%d}", key, (int)p.x, (int)p.y);
}

static const char* json_bool(bool made, bool passed)
{
    return !made ? "null" : passed ? "true" : "false";
}

static void print_json_record(const query* q, uint64_t rank, const wm_knn_candidate* c)
{
    const wm_knn* knn = &q->question->db->knn;
    const wm_knn_record* record = &knn->records[c->match.record];
    printf("%s\n {\"rank\":%llu,\"record\":%u,\"distance\":%.8f,", rank == 1 ? "" : ",",
           (unsigned long long)rank, (unsigned)c->match.record,
           wm_cost_to_double(c->match.distance));
    print_json_point(q, "start", record->start);
    printf(",");
    print_json_point(q, "goal", record->goal);
    printf(",");
    print_json_point(q, "subgoal", knn->subgoals[record->first_subgoal]);
    printf(",\"unused\":%s,\"start_climbs\":%s,\"goal_climbs\":%s,\"accepted\":%s}",
           json_bool(true, !c->taboo), json_bool(!c->taboo, c->start_climbs),
           json_bool(c->start_climbs, c->goal_climbs), json_bool(true, c->accepted));
}

static void print_json(const query* q, const wm_knn_decision* d)
{
    char name[256] = "";
    wm_file_stem(name, sizeof name, q->question->map_path, ".map");
    printf("{\"map\":");
    wm_cli_print_json(stdout, name);
    printf(",");
    print_json_point(q, "from", q->from);
    printf(",");
    print_json_point(q, "to", q->to);
    printf(",\"goal_climbs\":%s,\"records\":[", json_bool(true, d->goal_climbs));
    list_records(q, print_json_record);
    printf("],\n");
    print_json_point(q, "subgoal", d->subgoal);
    if (d->from_record) {
        printf(",\"record\":%u", (unsigned)d->record);
    } else {
        printf(",\"record\":null");
    }
    printf(",\"records_looked_at\":%u,\"climb_steps\":%llu}\n", (unsigned)d->candidates,
           (unsigned long long)d->climb_steps);
}

// ---------------------------------------------------------------------------------------------

static int answer(const wm_cli* cli, query* q, bool json)
{
    const wm_question* question = q->question;
    if (!question->db->has_knn) {
        wm_cli_note(cli, "the database has no knn data for %s; add it with waymark-build build",
                    question->map_path);
        return WM_EXIT_DATA;
    }
    if (!wm_map_connected(question->map, question->from, question->to))
        return wm_question_no_path(question, cli);
    const wm_knn_decision decision = wm_knn_decide(question->map, question->db, &q->limits,
                                                   q->taboo, q->matches, q->from, q->to);
    memset(q->taboo, 0, wm_knn_taboo_words(q->grid) * sizeof *q->taboo);
    if (json) {
        print_json(q, &decision);
    } else {
        print_records(q);
        print_decision(q, &decision);
    }
    return WM_EXIT_DONE;
}

static int ask(const wm_cli* cli, const wm_question* question, uint64_t k, bool json)
{
    wm_error error = {0};
    const wm_grid* grid = &question->map->grid;
    const size_t words = wm_knn_taboo_words(grid);
    query q = {.question = question, .grid = grid, .limits = standard_limits(), .k = k};
    q.from = wm_grid_cell(grid, question->from);
    q.to = wm_grid_cell(grid, question->to);
    const uint32_t records = question->db->knn.count;
    q.taboo = wm_alloc(NULL, words, sizeof *q.taboo);
    q.matches = wm_alloc(NULL, records, sizeof *q.matches);
    const int exit_status =
        q.taboo != NULL && q.matches != NULL
            ? answer(cli, &q, json)
            : wm_cli_fail(cli, wm_fail_memory(&error, records * sizeof *q.matches), &error);
    wm_release(NULL, q.matches, records, sizeof *q.matches);
    wm_release(NULL, q.taboo, words, sizeof *q.taboo);
    return exit_status;
}

int wm_cmd_query(const wm_cli* cli, int argc, char** argv)
{
    struct arg_file* map = arg_file1(NULL, NULL, "MAP", "map of type octile");
    struct arg_file* db = arg_file1(NULL, "db", "FILE", "database of the map");
    struct arg_str* from = arg_str1(NULL, "from", "X,Y", "where an agent stands");
    struct arg_str* to = arg_str1(NULL, "to", "X,Y", "where it wants to go");
    struct arg_str* k_option = arg_str0(NULL, "k", "K", "how many records to show; default 10");
    struct arg_lit* json = arg_lit0(NULL, "json", "print JSON");
    struct arg_str* diagonal = arg_str0(NULL, "diagonal", "none|squeeze",
                                        "whether diagonal steps may cut corners; default none");
    struct arg_str* agent_size = wm_cli_agent_size();
    void* table[] = {map,      db,         from,          to,          k_option, json,
                     diagonal, agent_size, wm_cli_help(), wm_cli_end()};
    int exit_status;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status)) {
        const wm_question_options given = {map, from, to, db, diagonal, agent_size};
        wm_question question = {0};
        uint64_t k = DEFAULT_K;
        exit_status = wm_cli_get_u64(cli, k_option, 1, WM_KNN_MAX_RECORDS, &k)
                          ? wm_question_open(&question, cli, &given)
                          : WM_EXIT_USAGE;
        if (exit_status == WM_EXIT_DONE) exit_status = ask(cli, &question, k, json->count > 0);
        wm_question_close(&question);
    }
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
