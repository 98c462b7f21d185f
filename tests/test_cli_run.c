// SPDX-License-Identifier: MIT
//
// waymark-run as a user meets it: exit statuses, sentences, and formats that other programs read.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithm.h"
#include "cli.h"
#include "json_check.h"
#include "process.h"
#include "support.h"

#define CSV_HEADER                                                                                 \
    "map,algorithm,problem,start_x,start_y,goal_x,goal_y,status,optimal_cost,cost,moves,"          \
    "expansions,max_expansions_per_move,back_moves,non_optimal_moves,revisits,plan_ns_first,"      \
    "plan_ns_max,plan_ns_total,agent_bytes"

enum {
    MAP,
    ALGORITHM,
    PROBLEM,
    START_X,
    START_Y,
    GOAL_X,
    GOAL_Y,
    STATUS,
    OPTIMAL_COST,
    COST,
    MOVES,
    EXPANSIONS,
    MAX_EXPANSIONS,
    BACK_MOVES,
    NON_OPTIMAL_MOVES,
    REVISITS,
    PLAN_NS_FIRST,
    PLAN_NS_MAX,
    PLAN_NS_TOTAL,
    AGENT_BYTES,
    COLUMNS
};

// The folder that the commands of these tests run in.
static test_path folder;

// The upper passage is a dead end just before the goal; test_race.c has its numbers.
#define DEAD_END "type octile\nheight 3\nwidth 5\nmap\n...@.\n.@@@.\n.....\n"
#define SPLIT "type octile\nheight 1\nwidth 5\nmap\n..@..\n"
#define PROBLEM_LINE(map, size, points) "0\t" map "\t" size "\t" points "\t8\n"

static void write_file(const char* name, const char* content)
{
    const test_path path = scratch_path(&folder, name);
    file_put_text(&path, content);
}

// A room with some pillars, large enough for a database and for 100 different problems.
static void write_room(const char* name, uint32_t pillars)
{
    char text[2048];
    int length = sprintf(text, "type octile\nheight 24\nwidth 32\nmap\n");
    for (uint32_t y = 0; y < 24; y++) {
        for (uint32_t x = 0; x < 32; x++)
            text[length++] = (x * 7 + y * 13 + x * y) % pillars == 0 ? '@' : '.';
        text[length++] = '\n';
    }
    text[length] = '\0';
    write_file(name, text);
}

static int set_up(void** state)
{
    (void)state;
    folder = scratch_create();
    write_file("dead.map", DEAD_END);
    write_file("dead.scen", "version 1\n" PROBLEM_LINE("dead.map", "5\t3", "0\t0\t4\t0"));
    write_file("split.map", SPLIT);
    write_room("room.map", 5);
    write_room("other.map", 7);
    process build = process_run(
        "cd '%s' && waymark-build build --method knn room.map -o room.wmdb -n 300 --quiet",
        folder.text);
    if (build.status != 0) fprintf(stderr, "no database: %s", build.err);
    process_free(&build);
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    scratch_remove(&folder);
    return 0;
}

#define RUN(arguments) process_run("cd '%s' && waymark-run %s", folder.text, arguments)

static size_t count_lines(const char* text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) count += *text == '\n';
    return count;
}

static void expect_failure(const char* arguments, int status, const char* word)
{
    process run = RUN(arguments);
    if (run.status != status || !process_said(&run, word) ||
        strncmp(run.err, "waymark-run: ", 13) != 0)
        fail_msg("waymark-run %s: exit status %d, not %d, or no sentence with '%s': %s", arguments,
                 run.status, status, word, run.err);
    if (run.out_size != 0) fail_msg("waymark-run %s: prints %s", arguments, run.out);
    process_free(&run);
}

static process expect_success(const char* arguments)
{
    process run = RUN(arguments);
    if (run.status != 0)
        fail_msg("waymark-run %s: exit status %d: %s", arguments, run.status, run.err);
    return run;
}

// ---------------------------------------------------------------------------------------------
// CSV

typedef struct csv_row {
    char line[1024];
    const char* field[COLUMNS];
} csv_row;

// Cuts line `index` (the header is 0) into its fields.
static void read_row(csv_row* row, const char* csv, size_t index)
{
    for (; index > 0; index--) csv = strchr(csv, '\n') + 1;
    const size_t length = strcspn(csv, "\n");
    assert_true(length < sizeof row->line);
    memcpy(row->line, csv, length);
    row->line[length] = '\0';
    char* rest = row->line;
    for (int i = 0; i < COLUMNS; i++) {
        assert_non_null(rest);
        row->field[i] = strsep(&rest, ",");
    }
    assert_null(rest);
}

static double number(const csv_row* row, int column)
{
    char* end;
    const double value = strtod(row->field[column], &end);
    assert_true(end != row->field[column] && *end == '\0');
    return value;
}

// ---------------------------------------------------------------------------------------------
// The program

static void help_is_printed_for_the_program_and_for_every_command(void** state)
{
    (void)state;
    static const char* const commands[] = {"--help",         "list --help",    "query --help",
                                           "path --help",    "compare --help", "path x --help",
                                           "query --help -x"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        process run = expect_success(commands[i]);
        assert_non_null(strstr(run.out, "usage: waymark-run"));
        assert_string_equal(run.err, "");
        process_free(&run);
    }
}

static void the_version_is_printed(void** state)
{
    (void)state;
    process run = expect_success("--version");
    assert_string_equal(run.out, "waymark-run 0.1.0\n");
    process_free(&run);
}

static void every_algorithm_is_listed_with_its_parameters(void** state)
{
    (void)state;
    process run = expect_success("list");
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const wm_algorithm* algorithm = wm_algorithm_at(i);
        assert_non_null(strstr(run.out, algorithm->name));
        assert_non_null(strstr(run.out, algorithm->summary));
        for (const wm_parameter* p = algorithm->parameters; p->name != NULL; p++)
            assert_non_null(strstr(run.out, p->meaning));
    }
    process_free(&run);
}

static void wrong_usage_gets_a_sentence_and_exit_status_2(void** state)
{
    (void)state;
    expect_failure("", 2, "no command");
    expect_failure("frobnicate", 2, "list, query, path, compare and experiment");
    expect_failure("list x", 2, "x");
    expect_failure("list --frobnicate", 2, "--frobnicate");
    expect_failure("compare", 2, "MAP");
    expect_failure("compare dead.map -x", 2, "-x");
    expect_failure("compare dead.map --db", 2, "--db");
    expect_failure("compare dead.map --db ''", 2, "--db has an empty value");
    expect_failure("compare dead.map --seed 1 --seed 2", 2, "--seed");
    expect_failure("compare dead.map dead.map", 2, "twice");
    expect_failure("compare dead.map --algorithms frobnicate", 2, "frobnicate");
    expect_failure("compare dead.map --algorithms astar,,prta", 2, "algorithm");
    expect_failure("compare dead.map --algorithms astar,astar", 2, "twice");
    expect_failure("compare dead.map --algorithms tb-wa:k=0", 2, "k=0");
    expect_failure("compare dead.map --algorithms tb-wa:q=1", 2, "q");
    expect_failure("compare dead.map --algorithms tb-wa:k=1:k=2", 2, "k is given twice");
    expect_failure("compare dead.map --algorithms knn-lrta", 2, "--db");
    expect_failure("compare dead.map split.map --scen dead.scen", 2, "one map");
    expect_failure("compare dead.map --scen dead.scen --problems 3", 2, "--scen");
    expect_failure("compare dead.map --min-cost 3", 2, "--problems");
    expect_failure("compare dead.map --problems 1 --min-cost 3 --max-cost 2", 2, "--min-cost 3");
    expect_failure("compare dead.map --format xml", 2, "table, csv or json");
    expect_failure("compare dead.map --diagonal maybe", 2, "none or squeeze");
    expect_failure("path dead.map --from 0,0", 2, "--to");
    expect_failure("path dead.map --from 0,0 --to 0", 2, "X,Y");
    expect_failure("path dead.map --from 0,0 --to 0,-1", 2, "0,-1");
    expect_failure("path dead.map --from 0,0 --to 1,0,0", 2, "1,0,0");
    expect_failure("path dead.map --from 3,0 --to 0,0", 2, "blocked");
    expect_failure("path dead.map --from 0,0 --to 5,0", 2,
                   "outside of dead.map; choose a cell from 0,0 to 4,2");
    expect_failure("path dead.map --from 0,0 --to 4,0 --algorithm knn-lrta", 2, "--db");
    expect_failure("query dead.map --from 0,0 --to 4,0", 2, "--db");
    expect_failure("query room.map --db room.wmdb --from 0,1 --to 4,1 --k 0", 2, "--k");
}

static void a_number_that_is_none_is_named_with_its_range(void** state)
{
    (void)state;
    static const char* const numbers[] = {"0",    "-5",  "1e99", "12abc",   "18446744073709551616",
                                          "0x10", "1.5", "+3",   "10000001"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char arguments[128];
        char word[128];
        snprintf(arguments, sizeof arguments, "compare dead.map --problems %s", numbers[i]);
        snprintf(word, sizeof word, "--problems is '%s', but must be a whole number from 1 to",
                 numbers[i]);
        expect_failure(arguments, 2, word);
    }
    expect_failure("compare dead.map --give-up 0", 2, "--give-up is '0'");
    expect_failure("compare dead.map --problems 1 --max-cost many", 2, "--max-cost is 'many'");
    expect_failure("compare dead.map --problems 1 --max-cost -1", 2, "--max-cost is '-1'");
    expect_failure("compare dead.map --problems 1 --max-cost 1e99", 2, "--max-cost is '1e99'");
    expect_failure("compare dead.map --problems 1 --seed -1", 2, "--seed is '-1'");
}

static void bad_data_gets_a_sentence_and_exit_status_3(void** state)
{
    (void)state;
    write_file("empty.map", "");
    write_file("short.map", "type octile\nheight 4\nwidth 5\nmap\n.....\n");
    write_file("letter.map", "type octile\nheight 1\nwidth 5\nmap\n..X..\n");
    write_file("out.scen", "version 1\n" PROBLEM_LINE("dead.map", "5\t3", "0\t0\t5\t0"));
    write_file("wall.scen", "version 1\n" PROBLEM_LINE("dead.map", "5\t3", "3\t0\t4\t0"));
    write_file("size.scen", "version 1\n" PROBLEM_LINE("dead.map", "6\t3", "0\t0\t4\t0"));
    write_file("none.scen", "");
    write_file("text.wmdb", "this is no database\n");
    expect_failure("compare missing.map", 3, "missing.map");
    expect_failure("compare .", 3, "folder");
    expect_failure("compare empty.map", 3, "empty.map");
    expect_failure("compare short.map", 3, "short.map");
    expect_failure("compare letter.map", 3, "letter.map:5");
    expect_failure("compare dead.map --scen missing.scen", 3, "missing.scen");
    expect_failure("compare dead.map --scen out.scen", 3, "out.scen:2");
    expect_failure("compare dead.map --scen wall.scen", 3, "wall.scen:2");
    expect_failure("compare dead.map --scen size.scen", 3, "size.scen:2");
    expect_failure("compare dead.map --scen none.scen", 3, "none.scen");
    expect_failure("compare dead.map --problems 10000", 3, "only");
    expect_failure("compare dead.map --problems 5 --min-cost 900 --max-cost 1000", 3, "only 0");
    expect_failure("compare dead.map --db missing.wmdb", 3, "missing.wmdb");
    expect_failure("compare dead.map --db text.wmdb", 3, "text.wmdb");
    expect_failure("path missing.map --from 0,0 --to 1,1", 3, "missing.map");
    expect_failure("path dead.map --from 0,0 --to 4,0 --db text.wmdb", 3, "text.wmdb");
    expect_failure("query dead.map --db text.wmdb --from 0,0 --to 4,0", 3, "text.wmdb");
}

static void output_that_cannot_be_written_is_exit_status_3(void** state)
{
    (void)state;
    expect_failure("compare dead.map --algorithms astar --paths nowhere/p.csv", 3, "nowhere/p.csv");
    process run = RUN("path dead.map --from 0,0 --to 4,0 --svg nowhere/p.svg");
    assert_int_equal(run.status, 3);
    assert_true(process_said(&run, "nowhere/p.svg"));
    process_free(&run);
    run = RUN("list > /dev/full");
    assert_int_equal(run.status, 3);
    assert_true(process_said(&run, "standard output"));
    process_free(&run);
    run = RUN("compare room.map --algorithms astar --format csv > /dev/full");
    assert_int_equal(run.status, 3);
    assert_true(process_said(&run, "standard output"));
    process_free(&run);
}

static void an_output_that_is_an_input_is_refused(void** state)
{
    (void)state;
    static const char* const commands[] = {
        "path dead.map --from 0,0 --to 4,0 --svg dead.map",
        "path dead.map --from 0,0 --to 4,0 --svg ./dead.map",
        "path room.map --from 2,1 --to 30,23 --db room.wmdb --svg room.wmdb",
        "compare dead.map --paths dead.map",
        "compare room.map dead.map --problems 2 --paths dead.map",
        "compare room.map --problems 2 --db room.wmdb --paths room.wmdb",
        "compare split.map --scen dead.scen --paths dead.scen",
        "compare dead.map --paths dead.scen", // read because it is beside the map
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char command[256];
        snprintf(command, sizeof command, "waymark-run %s", commands[i]);
        cli_fail(&folder, command, 2, "would overwrite");
    }
    // Not read, so it may be replaced.
    process run = expect_success("compare dead.map --problems 2 --algorithms astar --paths x.scen "
                                 "&& waymark-run compare dead.map --problems 2 --algorithms astar "
                                 "--paths x.scen");
    process_free(&run);
}

// A limit on the size of files is a disk that is full, as far as a program can tell.
static void a_full_disk_leaves_the_old_file_of_paths(void** state)
{
    (void)state;
    write_file("old.csv", "old\n");
    process run = process_run("cd '%s' && ulimit -f 1 && waymark-run compare room.map --algorithms "
                              "astar --paths old.csv > /dev/null",
                              folder.text);
    assert_int_equal(run.status, 3);
    assert_true(process_said(&run, "old.csv"));
    process_free(&run);
    run = process_run("cd '%s' && cat old.csv && ls old.csv*", folder.text);
    assert_string_equal(run.out, "old\nold.csv\n");
    process_free(&run);
}

// ---------------------------------------------------------------------------------------------
// path

static void a_path_is_printed_and_drawn(void** state)
{
    (void)state;
    process run = expect_success(
        "path dead.map --from 0,0 --to 4,0 --algorithm prta --svg dead.svg && cat dead.svg");
    assert_non_null(strstr(run.out, "cost: 12.00000000\noptimal: 8.00000000\n"));
    assert_non_null(strstr(run.out, "suboptimality: 50.00 %\nmoves: 12\n"));
    assert_non_null(strstr(run.out, "path: 0:0 1:0 2:0 1:0 0:0 0:1 0:2 1:2 2:2 3:2 4:2 4:1 4:0\n"));
    assert_non_null(strstr(run.out, "<svg xmlns="));
    assert_non_null(strstr(run.out, "M3 0h1v1h-1zM1 1h3v1h-3z")); // walls in runs
    assert_non_null(strstr(run.out, "</svg>\n"));
    process_free(&run);
}

static void no_path_is_exit_status_1(void** state)
{
    (void)state;
    expect_failure("path split.map --from 0,0 --to 4,0", 1, "no path leads from 0,0 to 4,0");
}

static void the_diagonal_rule_decides_which_paths_there_are(void** state)
{
    (void)state;
    write_file("corner.map", "type octile\nheight 2\nwidth 2\nmap\n.@\n@.\n");
    expect_failure("path corner.map --from 0,0 --to 1,1", 1, "no path");
    process run = expect_success("path corner.map --from 0,0 --to 1,1 --diagonal squeeze");
    assert_non_null(strstr(run.out, "cost: 1.41421356\n"));
    process_free(&run);
}

// ---------------------------------------------------------------------------------------------
// compare

static void csv_has_the_promised_columns(void** state)
{
    (void)state;
    csv_row row;
    process run = expect_success("compare dead.map --algorithms prta --format csv");
    assert_int_equal(count_lines(run.out), 2);
    assert_int_equal(strncmp(run.out, CSV_HEADER "\n", strlen(CSV_HEADER) + 1), 0);
    read_row(&row, run.out, 1);
    assert_memory_equal(run.out + strlen(CSV_HEADER) + 1,
                        "dead,prta,0,0,0,4,0,solved,8.00000000,12.00000000,12,12,1,0,2,2,", 63);
    assert_true(number(&row, PLAN_NS_FIRST) <= number(&row, PLAN_NS_MAX));
    assert_true(number(&row, PLAN_NS_TOTAL) > 0);
    assert_true(number(&row, AGENT_BYTES) > 0);
    process_free(&run);
}

static void unsolved_rows_say_why_and_carry_the_cost_walked(void** state)
{
    (void)state;
    csv_row row;
    process run = expect_success("compare dead.map --algorithms prta --give-up 1 --format csv");
    read_row(&row, run.out, 1);
    assert_string_equal(row.field[STATUS], "gave-up");
    assert_string_equal(row.field[COST], "9.00000000");
    process_free(&run);
    write_file("split.map.scen", "version 1\n" PROBLEM_LINE("split.map", "5\t1", "0\t0\t4\t0"));
    run = expect_success("compare split.map --algorithms astar,prta,lrta --format csv");
    for (size_t i = 1; i <= 3; i++) {
        read_row(&row, run.out, i);
        assert_string_equal(row.field[STATUS], "no-path");
        assert_string_equal(row.field[OPTIMAL_COST], "");
        assert_string_equal(row.field[COST], "0.00000000");
    }
    process_free(&run);
}

static void problems_come_from_beside_the_map_or_are_100_random_ones(void** state)
{
    (void)state;
    write_room("fresh.map", 5);
    process run = expect_success("compare fresh.map --algorithms astar --format csv");
    assert_int_equal(count_lines(run.out), 101);
    process_free(&run);
    write_file("fresh.scen", "version 1\n" PROBLEM_LINE("fresh.map", "32\t24", "1\t0\t2\t0"));
    run = expect_success("compare fresh.map --algorithms astar --format csv");
    assert_int_equal(count_lines(run.out), 2);
    process_free(&run);
    write_file("fresh.map.scen", "version 1\n" PROBLEM_LINE("fresh.map", "32\t24", "1\t0\t2\t0")
                                     PROBLEM_LINE("fresh.map", "32\t24", "2\t0\t1\t0"));
    run = expect_success("compare fresh.map --algorithms astar --format csv");
    assert_int_equal(count_lines(run.out), 3);
    process_free(&run);
    run = expect_success("compare fresh.map --algorithms astar --format csv --problems 7");
    assert_int_equal(count_lines(run.out), 8);
    process_free(&run);
}

static void random_problems_keep_to_their_range_and_seed(void** state)
{
    (void)state;
    csv_row row;
    csv_row same;
    process run = expect_success("compare room.map --algorithms astar --format csv --problems 20 "
                                 "--min-cost 10 --max-cost 12.5 --seed 3");
    process again = expect_success("compare room.map --algorithms astar --format csv --problems 20 "
                                   "--min-cost 10 --max-cost 12.5 --seed 3");
    for (size_t i = 1; i <= 20; i++) {
        read_row(&row, run.out, i);
        read_row(&same, again.out, i);
        assert_in_range((uint64_t)(number(&row, OPTIMAL_COST) * 1e6), 10000000, 12500000);
        assert_true(number(&row, COST) == number(&row, OPTIMAL_COST));
        for (int j = MAP; j < PLAN_NS_FIRST; j++) assert_string_equal(row.field[j], same.field[j]);
    }
    process_free(&run);
    process_free(&again);
}

static void every_algorithm_runs_on_every_problem(void** state)
{
    (void)state;
    csv_row row;
    process run = expect_success("compare room.map other.map --problems 10 "
                                 "--algorithms astar,tb-wa:k=5:w=1.5,prta --format csv");
    assert_int_equal(count_lines(run.out), 1 + 2 * 10 * 3);
    static const char* const specs[] = {"astar", "tb-wa:k=5:w=1.5", "prta"};
    for (size_t i = 0; i < 60; i++) {
        read_row(&row, run.out, i + 1);
        assert_string_equal(row.field[MAP], i < 30 ? "room" : "other");
        assert_string_equal(row.field[ALGORITHM], specs[i % 3]);
        assert_int_equal((size_t)number(&row, PROBLEM), i / 3 % 10);
        assert_true(number(&row, COST) >= number(&row, OPTIMAL_COST));
        assert_true(number(&row, MAX_EXPANSIONS) <= number(&row, EXPANSIONS));
        assert_true(number(&row, NON_OPTIMAL_MOVES) <= number(&row, MOVES));
        assert_true(number(&row, REVISITS) <= number(&row, MOVES));
        assert_true(number(&row, BACK_MOVES) <= number(&row, MOVES));
    }
    process_free(&run);
}

static void maps_of_one_name_go_by_their_paths(void** state)
{
    (void)state;
    csv_row row;
    process run = expect_success("compare dead.map ./dead.map --algorithms astar --format csv");
    read_row(&row, run.out, 1);
    assert_string_equal(row.field[MAP], "dead.map");
    read_row(&row, run.out, 2);
    assert_string_equal(row.field[MAP], "./dead.map");
    process_free(&run);
}

// Adds up the steps of `x:y x:y ...`; every step must be one cell wide.
static double path_length(const char* cells, double* moves)
{
    double length = 0;
    int x;
    int y;
    int used;
    assert_int_equal(sscanf(cells, "%d:%d%n", &x, &y, &used), 2);
    *moves = 0;
    for (cells += used; *cells == ' '; cells += used) {
        int next_x;
        int next_y;
        assert_int_equal(sscanf(cells, " %d:%d%n", &next_x, &next_y, &used), 2);
        const int steps = abs(next_x - x) + abs(next_y - y);
        assert_true(abs(next_x - x) <= 1 && abs(next_y - y) <= 1 && steps > 0);
        length += steps == 1 ? 1 : sqrt(2);
        *moves += 1;
        x = next_x;
        y = next_y;
    }
    assert_int_equal(*cells, '\0');
    return length;
}

static void check_path_line(char* line, const csv_row* row)
{
    char id[256];
    char ends[128];
    double moves;
    snprintf(id, sizeof id, "%s:%s:%s", row->field[MAP], row->field[ALGORITHM],
             row->field[PROBLEM]);
    assert_string_equal(strsep(&line, ","), id);
    for (int i = START_X; i <= GOAL_Y; i++) assert_string_equal(strsep(&line, ","), row->field[i]);
    assert_string_equal(strsep(&line, ","), row->field[COST]);
    snprintf(ends, sizeof ends, "%s:%s ", row->field[START_X], row->field[START_Y]);
    assert_int_equal(strncmp(line, ends, strlen(ends)), 0);
    snprintf(ends, sizeof ends, " %s:%s", row->field[GOAL_X], row->field[GOAL_Y]);
    assert_string_equal(line + strlen(line) - strlen(ends), ends);
    assert_true(fabs(path_length(line, &moves) - number(row, COST)) < 1e-6);
    assert_true(moves == number(row, MOVES));
}

static void the_steps_of_a_written_path_add_up_to_its_cost(void** state)
{
    (void)state;
    csv_row row;
    process run =
        expect_success("compare room.map --problems 20 --algorithms tb-wa,prta,lrta,astar "
                       "--format csv --paths paths.csv");
    process paths = process_run("cat '%s/paths.csv'", folder.text);
    char* rest = paths.out;
    assert_int_equal(count_lines(paths.out), 80);
    for (size_t i = 1; i <= 80; i++) {
        read_row(&row, run.out, i);
        check_path_line(strsep(&rest, "\n"), &row);
    }
    process_free(&run);
    process_free(&paths);
}

static void only_solved_runs_have_a_path(void** state)
{
    (void)state;
    process run = expect_success("compare dead.map --give-up 1 --algorithms prta,astar "
                                 "--paths some.csv > /dev/null && cat some.csv");
    assert_int_equal(count_lines(run.out), 1);
    assert_int_equal(strncmp(run.out, "dead:astar:0,0,0,4,0,8.00000000,0:0 ", 36), 0);
    process_free(&run);
}

static void json_is_well_formed(void** state)
{
    (void)state;
    process run =
        expect_success("compare dead.map split.map --algorithms prta,astar --format json");
    assert_true(json_is_valid(run.out));
    assert_non_null(strstr(run.out, "\"algorithm\":\"prta\""));
    assert_non_null(strstr(run.out, "\"max_expansions_per_move\":1,"));
    process_free(&run);
    // A file name can hold what JSON and CSV have rules for.
    run = process_run("cd '%s' && cp dead.map 'a\"b,c.map' && waymark-run compare 'a\"b,c.map' "
                      "--problems 2 --algorithms astar --format json",
                      folder.text);
    assert_int_equal(run.status, 0);
    assert_true(json_is_valid(run.out));
    process_free(&run);
    run = RUN("compare 'a\"b,c.map' --problems 2 --algorithms astar --format csv");
    assert_non_null(strstr(run.out, "\n\"a\"\"b,c\",astar,0,"));
    process_free(&run);
}

static void the_table_has_a_line_for_every_algorithm(void** state)
{
    (void)state;
    process run = expect_success("compare room.map other.map --problems 5");
    assert_true(process_said(&run, "knn-lrta is left out"));
    static const char* const names[] = {"\ntb-wa ", "\ntba ",  "\ntb-gbfs ",
                                        "\nprta ",  "\nlrta ", "\nastar "};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_non_null(strstr(run.out, names[i]));
    assert_null(strstr(run.out, "knn-lrta"));
    assert_non_null(strstr(run.out, "10 problems on 2 maps"));
    process_free(&run);
}

static void what_was_not_measured_is_not_zero(void** state)
{
    (void)state;
    write_file("none.scen", "version 1\n" PROBLEM_LINE("split.map", "5\t1", "0\t0\t4\t0"));
    process run = expect_success("compare split.map --scen none.scen --algorithms astar");
    assert_non_null(strstr(run.out, "1 problem on 1 map, from none.scen\n"));
    const char* line = strstr(run.out, "\nastar ");
    assert_non_null(line);
    size_t dashes = 0;
    for (line++; *line != '\n'; line++) dashes += *line == '-';
    assert_int_equal(dashes, 4 + 2 + 6 + 1); // suboptimality, states, times and the database
    process_free(&run);
    run = expect_success("compare split.map --scen none.scen --algorithms astar --format json");
    assert_true(json_is_valid(run.out));
    assert_non_null(strstr(run.out, "{\"mean\":null,\"median\":null,\"p95\":null,\"worst\":null}"));
    assert_non_null(
        strstr(run.out, "\"expansions_per_move\":null,\"max_expansions_per_move\":null,"));
    assert_non_null(strstr(run.out, "\"plan_ns_first\":{\"p50\":null,\"p99\":null,\"max\":null},"));
    assert_non_null(
        strstr(run.out, "\"plan_ns_per_move\":{\"p50\":null,\"p99\":null,\"max\":null},"));
    process_free(&run);
}

// ---------------------------------------------------------------------------------------------
// With a database

static void the_default_set_races_the_database(void** state)
{
    (void)state;
    process run = expect_success("compare room.map --db room.wmdb --problems 5");
    assert_string_equal(run.err, "");
    assert_non_null(strstr(run.out, "\nknn-lrta "));
    process_free(&run);
    run = expect_success("compare room.map --db room.wmdb --problems 5 --algorithms "
                         "knn-lrta,knn-lrta:m=5:candidates=3 --format csv");
    assert_int_equal(count_lines(run.out), 11);
    process_free(&run);
}

static void a_path_with_a_database_is_walked_with_it(void** state)
{
    (void)state;
    process run = expect_success("path room.map --from 2,1 --to 30,23 --db room.wmdb");
    assert_non_null(strstr(run.out, "algorithm: knn-lrta\n"));
    process_free(&run);
}

static void a_query_shows_the_nearest_records_and_the_subgoal(void** state)
{
    (void)state;
    process run = expect_success("query room.map --db room.wmdb --from 2,1 --to 30,23 --k 4");
    assert_non_null(strstr(run.out, "subgoal: "));
    assert_non_null(strstr(run.out, "\n   4 "));
    assert_null(strstr(run.out, "\n   5 "));
    process_free(&run);
    run = expect_success("query room.map --db room.wmdb --from 2,1 --to 30,23 --json");
    assert_true(json_is_valid(run.out));
    assert_non_null(strstr(run.out, "\"rank\":10,"));
    assert_non_null(strstr(run.out, "\"subgoal\":{\"x\":"));
    process_free(&run);
}

static double distance_of_rank(const char* json, int rank)
{
    char key[32];
    snprintf(key, sizeof key, "\"rank\":%d,", rank);
    const char* at = strstr(json, key);
    assert_non_null(at);
    at = strstr(at, "\"distance\":");
    assert_non_null(at);
    return strtod(at + strlen("\"distance\":"), NULL);
}

static void records_come_nearest_first(void** state)
{
    (void)state;
    process run =
        expect_success("query room.map --db room.wmdb --from 6,5 --to 21,20 --k 300 --json");
    for (int rank = 2; rank <= 300; rank++)
        assert_true(distance_of_rank(run.out, rank - 1) <= distance_of_rank(run.out, rank));
    process_free(&run);
}

static void prepare(const char* command)
{
    process run = process_run("cd '%s' && %s", folder.text, command);
    if (run.status != 0) fail_msg("%s: %s", command, run.err);
    process_free(&run);
}

static void a_file_of_one_map_serves_as_database(void** state)
{
    (void)state;
    prepare("waymark-build export room.wmdb --map room -o room.wmb --quiet");
    process a = expect_success("path room.map --from 2,1 --to 30,23 --db room.wmdb");
    process b = expect_success("path room.map --from 2,1 --to 30,23 --db room.wmb");
    assert_string_equal(a.out, b.out);
    process_free(&a);
    process_free(&b);
    a = expect_success("query room.map --db room.wmb --from 2,1 --to 30,23");
    process_free(&a);
    a = expect_success("compare room.map --db room.wmb --problems 5 --algorithms knn-lrta,astar");
    process_free(&a);
    expect_failure("path other.map --db room.wmb --from 2,1 --to 30,23", 3, "room.wmb was built");
    expect_failure("path room.map --diagonal squeeze --db room.wmb --from 2,1 --to 30,23", 3,
                   "--diagonal none");
    expect_failure("path room.map --agent-size 1 --db room.map --from 2,1 --to 30,23", 3,
                   "room.map is not a Waymark database");
    prepare("rm room.wmb");
}

// One column between pillars is no way for agents of two.
#define GATE                                                                                       \
    "type octile\nheight 6\nwidth 7\nmap\n...@...\n...@...\n...@...\n.......\n"                    \
    "...@...\n.......\n"
#define WIDE_GATE                                                                                  \
    "type octile\nheight 6\nwidth 7\nmap\n...@...\n...@...\n...@...\n.......\n"                    \
    ".......\n.......\n"

static void larger_agents_need_wider_ways(void** state)
{
    (void)state;
    write_file("gate.map", GATE);
    write_file("wide.map", WIDE_GATE);
    process run = expect_success("path gate.map --from 0,0 --to 4,0");
    process_free(&run);
    expect_failure("path gate.map --from 0,0 --to 4,0 --agent-size 2", 1, "no path leads");
    run = expect_success("path wide.map --from 0,0 --to 4,0 --agent-size 2");
    assert_non_null(strstr(run.out, " 3:3 ")); // its upper left cell comes through below the wall
    process_free(&run);
    run = expect_success("path wide.map --from 0,0 --to 4,0 --agent-size 3");
    process_free(&run);
    expect_failure("path wide.map --from 0,0 --to 5,0 --agent-size 3", 2,
                   "no room for an agent of size 3");
    expect_failure("path wide.map --from 2,0 --to 4,0 --agent-size 2", 2, "--from 2,0");
    expect_failure("path wide.map --from 0,0 --to 4,0 --agent-size 4", 2, "--agent-size is '4'");
    expect_failure("query wide.map --db x --from 0,0 --to 4,0 --agent-size 0", 2, "--agent-size");
    expect_failure("compare wide.map --agent-size 1.5", 2, "--agent-size");
}

static void every_size_of_agents_has_its_data_in_a_database(void** state)
{
    (void)state;
    prepare("waymark-build build wide.map -o sizes.wmdb -n 20 --quiet && "
            "waymark-build build wide.map -o sizes.wmdb -n 20 --agent-size 2 --quiet && "
            "waymark-build export sizes.wmdb --map wide@2 -o wide2.wmb --quiet");
    static const char* const files[] = {"sizes.wmdb", "wide2.wmb"};
    for (size_t i = 0; i < 2; i++) {
        char command[200];
        snprintf(command, sizeof command,
                 "path wide.map --from 0,0 --to 4,0 --agent-size 2 --db %s", files[i]);
        process run = expect_success(command);
        assert_non_null(strstr(run.out, "algorithm: regions\n"));
        process_free(&run);
        snprintf(command, sizeof command,
                 "query wide.map --from 0,0 --to 4,0 --agent-size 2 --db %s", files[i]);
        run = expect_success(command);
        process_free(&run);
        // The problems beside the map are for single cells: others are drawn.
        write_file("wide.scen", "version 1\n0\twide.map\t7\t6\t0\t0\t6\t0\t8\n");
        snprintf(command, sizeof command,
                 "compare wide.map --agent-size 2 --algorithms regions,astar --db %s", files[i]);
        run = expect_success(command);
        assert_non_null(strstr(run.out, "random"));
        process_free(&run);
    }
    expect_failure("path wide.map --from 0,0 --to 4,0 --agent-size 3 --db sizes.wmdb", 3,
                   "nothing for size 3");
    expect_failure("path wide.map --from 0,0 --to 4,0 --agent-size 3 --db wide2.wmb", 3,
                   "for agents of size 2, not 3");
    expect_failure("path wide.map --from 0,0 --to 4,0 --db wide2.wmb", 3, "--agent-size 2");
    prepare("rm sizes.wmdb wide2.wmb wide.map wide.scen gate.map");
}

static void what_auto_walks_by_is_counted_as_its_data(void** state)
{
    (void)state;
    prepare("waymark-build generate --kind caves --size 30x30 --seed 1 -o auto.map && "
            "waymark-build build auto.map -o auto.wmdb -n 20 --quiet");
    process run = expect_success("compare auto.map --algorithms auto --problems 3 --format json "
                                 "--db auto.wmdb");
    assert_non_null(strstr(run.out, "\"database_bytes\":"));
    assert_null(strstr(run.out, "\"database_bytes\":0"));
    process_free(&run);
    prepare("rm auto.map auto.wmdb");
}

static void a_database_of_another_map_is_refused(void** state)
{
    (void)state;
    expect_failure("compare other.map --db room.wmdb --problems 3", 3, "room.wmdb");
    expect_failure("path other.map --db room.wmdb --from 2,1 --to 30,23", 3, "room.wmdb");
    expect_failure("query other.map --db room.wmdb --from 2,1 --to 30,23", 3, "room.wmdb");
    expect_failure("query room.map --diagonal squeeze --db room.wmdb --from 2,1 --to 30,23", 3,
                   "room.wmdb");
}

static void a_damaged_database_is_refused(void** state)
{
    (void)state;
    process run = process_run("cd '%s' && head -c 5000 room.wmdb > cut.wmdb", folder.text);
    process_free(&run);
    expect_failure("query room.map --db cut.wmdb --from 2,1 --to 30,23", 3, "cut.wmdb");
}

static void agents_may_know_less_of_the_world(void** state)
{
    (void)state;
    process known = RUN("path room.map --from 0,1 --to 31,23 --algorithm astar");
    process unknown =
        RUN("path room.map --from 0,1 --to 31,23 --algorithm astar --terrain unknown");
    assert_int_equal(known.status, 0);
    assert_int_equal(unknown.status, 0);
    assert_non_null(strstr(known.out, "suboptimality: 0.00 %"));
    assert_null(strstr(unknown.out, "suboptimality: 0.00 %")); // it runs into walls
    process_free(&known);
    process_free(&unknown);
    process guessed = RUN("compare room.map --problems 5 --heuristic min --algorithms prta,lrta");
    assert_int_equal(guessed.status, 0);
    process_free(&guessed);
    expect_failure("path room.map --from 0,1 --to 31,23 --terrain dark", 2, "known or unknown");
    expect_failure("path room.map --from 0,1 --to 31,23 --heuristic 3", 2, "octile, max or min");
    expect_failure("path room.map --db room.wmdb --from 0,1 --to 31,23 --terrain unknown", 2,
                   "known terrain");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_is_printed_for_the_program_and_for_every_command),
        cmocka_unit_test(the_version_is_printed),
        cmocka_unit_test(every_algorithm_is_listed_with_its_parameters),
        cmocka_unit_test(wrong_usage_gets_a_sentence_and_exit_status_2),
        cmocka_unit_test(a_number_that_is_none_is_named_with_its_range),
        cmocka_unit_test(bad_data_gets_a_sentence_and_exit_status_3),
        cmocka_unit_test(output_that_cannot_be_written_is_exit_status_3),
        cmocka_unit_test(an_output_that_is_an_input_is_refused),
        cmocka_unit_test(a_full_disk_leaves_the_old_file_of_paths),
        cmocka_unit_test(a_path_is_printed_and_drawn),
        cmocka_unit_test(no_path_is_exit_status_1),
        cmocka_unit_test(agents_may_know_less_of_the_world),
        cmocka_unit_test(the_diagonal_rule_decides_which_paths_there_are),
        cmocka_unit_test(csv_has_the_promised_columns),
        cmocka_unit_test(unsolved_rows_say_why_and_carry_the_cost_walked),
        cmocka_unit_test(problems_come_from_beside_the_map_or_are_100_random_ones),
        cmocka_unit_test(random_problems_keep_to_their_range_and_seed),
        cmocka_unit_test(every_algorithm_runs_on_every_problem),
        cmocka_unit_test(maps_of_one_name_go_by_their_paths),
        cmocka_unit_test(the_steps_of_a_written_path_add_up_to_its_cost),
        cmocka_unit_test(only_solved_runs_have_a_path),
        cmocka_unit_test(json_is_well_formed),
        cmocka_unit_test(the_table_has_a_line_for_every_algorithm),
        cmocka_unit_test(what_was_not_measured_is_not_zero),
        cmocka_unit_test(the_default_set_races_the_database),
        cmocka_unit_test(a_path_with_a_database_is_walked_with_it),
        cmocka_unit_test(a_query_shows_the_nearest_records_and_the_subgoal),
        cmocka_unit_test(records_come_nearest_first),
        cmocka_unit_test(a_file_of_one_map_serves_as_database),
        cmocka_unit_test(larger_agents_need_wider_ways),
        cmocka_unit_test(every_size_of_agents_has_its_data_in_a_database),
        cmocka_unit_test(what_auto_walks_by_is_counted_as_its_data),
        cmocka_unit_test(a_database_of_another_map_is_refused),
        cmocka_unit_test(a_damaged_database_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
