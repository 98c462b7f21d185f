// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "commands.h"
#include "report.h"
#include "world.h"

#define DEFAULT_ALGORITHMS "knn-lrta,tb-wa,tba,tb-gbfs,prta,lrta,astar"
#define MAX_PROBLEMS 10000000
#define NAME_BYTES 256

typedef struct options {
    struct arg_file* maps;
    struct arg_file* db;
    struct arg_file* scen;
    struct arg_str* problems;
    struct arg_str* min_cost;
    struct arg_str* max_cost;
    struct arg_str* seed;
    struct arg_str* algorithms;
    struct arg_str* give_up;
    struct arg_str* format;
    struct arg_file* paths;
    struct arg_str* diagonal;
    struct arg_str* agent_size;
    wm_world_options world;
} options;

typedef struct command {
    const wm_cli* cli;
    const options* given;
    wm_compare compare;
    wm_report report;
    char* specs;               // one text, cut at the commas
    const char* left_out;      // standard algorithm for which there is no database
    char (*names)[NAME_BYTES]; // of the maps
    bool shows_progress;
    time_t shown_at;
} command;

// ---------------------------------------------------------------------------------------------
// Options

static bool check_source(const command* c)
{
    const options* o = c->given;
    const bool refines = o->min_cost->count + o->max_cost->count + o->seed->count > 0;
    const wm_problem_range* range = &c->compare.source.range;
    if (o->scen->count > 0 && o->maps->count > 1) {
        wm_cli_usage(c->cli, "--scen has the problems of one map, but %d maps are given",
                     o->maps->count);
    } else if (o->scen->count > 0 && (o->problems->count > 0 || refines)) {
        wm_cli_usage(c->cli, "--scen and random problems exclude each other; give one of them");
    } else if (refines && o->problems->count == 0) {
        wm_cli_usage(c->cli, "--min-cost, --max-cost and --seed are for random problems; say how "
                             "many with --problems");
    } else if (range->min_cost > range->max_cost) {
        wm_cli_usage(c->cli, "--min-cost %s is more than --max-cost %s", o->min_cost->sval[0],
                     o->max_cost->sval[0]);
    } else {
        return true;
    }
    return false;
}

// The problems beside a map are read too, unless others are asked for.
static bool check_beside(const command* c, const char* map)
{
    static const char suffix[] = ".map";
    const size_t length = strlen(map);
    const size_t size = length + sizeof ".scen";
    char* path = malloc(size);
    if (path == NULL) return true; // there is no memory for a comparison either, which then says so
    const char* inputs[] = {path};
    snprintf(path, size, "%s.scen", map);
    bool apart = wm_cli_check_output(c->cli, c->given->paths, inputs, 1);
    if (apart && length >= strlen(suffix) && strcmp(map + length - strlen(suffix), suffix) == 0) {
        snprintf(path, size, "%.*s.scen", (int)(length - strlen(suffix)), map);
        apart = wm_cli_check_output(c->cli, c->given->paths, inputs, 1);
    }
    free(path);
    return apart;
}

static bool check_paths(const command* c)
{
    const options* o = c->given;
    if (!wm_cli_check_output(c->cli, o->paths, o->maps->filename, o->maps->count) ||
        !wm_cli_check_output(c->cli, o->paths, o->db->filename, o->db->count) ||
        !wm_cli_check_output(c->cli, o->paths, o->scen->filename, o->scen->count))
        return false;
    if (o->scen->count > 0 || o->problems->count > 0 || o->paths->count == 0) return true;
    for (int i = 0; i < o->maps->count; i++)
        if (!check_beside(c, o->maps->filename[i])) return false;
    return true;
}

static bool read_options(command* c)
{
    const options* o = c->given;
    const wm_cli* cli = c->cli;
    wm_compare* compare = &c->compare;
    wm_compare_source* source = &compare->source;
    static const char* const formats[] = {"table", "csv", "json", NULL};
    uint64_t count = 0;
    int format = WM_REPORT_TABLE;
    *compare = (wm_compare){.give_up = WM_RACE_GIVE_UP};
    source->range = (wm_problem_range){.max_cost = WM_COST_INFINITE, .seed = 1};
    if (!wm_cli_get_u64(cli, o->problems, 1, MAX_PROBLEMS, &count) ||
        !wm_cli_get_cost(cli, o->min_cost, &source->range.min_cost) ||
        !wm_cli_get_cost(cli, o->max_cost, &source->range.max_cost) ||
        !wm_cli_get_u64(cli, o->seed, 0, UINT64_MAX, &source->range.seed) ||
        !wm_cli_get_u64(cli, o->give_up, 1, WM_RACE_MAX_GIVE_UP, &compare->give_up) ||
        !wm_cli_get_choice(cli, o->format, formats, &format) ||
        !wm_cli_get_rules(cli, o->diagonal, o->agent_size, &compare->rules) ||
        !wm_world_options_get(&o->world, cli, &compare->terrain, &compare->heuristic))
        return false;
    source->random = count > 0;
    source->range.count = (size_t)count;
    source->scen = o->scen->count > 0 ? o->scen->filename[0] : NULL;
    compare->db = o->db->count > 0 ? o->db->filename[0] : NULL;
    compare->keep_paths = o->paths->count > 0;
    c->report.format = (wm_report_format)format;
    return check_source(c) && check_paths(c);
}

// ---------------------------------------------------------------------------------------------
// Algorithms

static bool is_given_before(const command* c, const char* spec)
{
    for (size_t i = 0; i < c->compare.algorithm_count; i++)
        if (strcmp(c->compare.algorithms[i].spec, spec) == 0) return true;
    return false;
}

// Adds an algorithm; a standard one stays out where there is no database for it.
static int add_algorithm(command* c, const char* spec, bool standard)
{
    wm_error error = {0};
    const wm_algorithm* algorithm;
    wm_parameter_values values;
    const wm_status status = wm_algorithm_parse(spec, &algorithm, &values, &error);
    if (status != WM_OK) return wm_cli_fail(c->cli, status, &error);
    if (algorithm->needs_database && c->compare.db == NULL) {
        if (!standard) return wm_cli_usage(c->cli, "%s needs a database, give one with --db", spec);
        c->left_out = spec;
        return WM_EXIT_DONE;
    }
    if (is_given_before(c, spec)) return wm_cli_usage(c->cli, "%s is given twice", spec);
    c->compare.algorithms[c->compare.algorithm_count++] =
        (wm_compare_algorithm){.spec = spec, .algorithm = algorithm, .optional = standard};
    return WM_EXIT_DONE;
}

static size_t count_commas(const char* text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) count += *text == ',';
    return count;
}

static int out_of_memory(const command* c, size_t size)
{
    wm_error error = {0};
    return wm_cli_fail(c->cli, wm_fail_memory(&error, size), &error);
}

static int read_algorithms(command* c)
{
    const bool standard = c->given->algorithms->count == 0;
    const char* list = standard ? DEFAULT_ALGORITHMS : c->given->algorithms->sval[0];
    const size_t most = count_commas(list) + 1;
    c->specs = strdup(list);
    c->compare.algorithms = wm_alloc(NULL, most, sizeof *c->compare.algorithms);
    if (c->specs == NULL || c->compare.algorithms == NULL)
        return out_of_memory(c, most * sizeof *c->compare.algorithms);
    int exit_status = WM_EXIT_DONE;
    char* rest = c->specs;
    while (exit_status == WM_EXIT_DONE && rest != NULL) {
        char* spec = rest;
        rest = strchr(spec, ',');
        if (rest != NULL) *rest++ = '\0';
        exit_status = add_algorithm(c, spec, standard);
    }
    return exit_status;
}

// ---------------------------------------------------------------------------------------------
// Maps

// A map goes by its file's name without .map, or by its path where two have one name.
static const char* map_name(const command* c, int i)
{
    for (int j = 0; j < c->given->maps->count; j++)
        if (j != i && strcmp(c->names[i], c->names[j]) == 0) return c->given->maps->filename[i];
    return c->names[i];
}

static int read_names(command* c)
{
    const struct arg_file* maps = c->given->maps;
    c->names = wm_alloc(NULL, (size_t)maps->count, sizeof *c->names);
    if (c->names == NULL) return out_of_memory(c, (size_t)maps->count * sizeof *c->names);
    for (int i = 0; i < maps->count; i++) {
        if (!wm_file_stem(c->names[i], NAME_BYTES, maps->filename[i], ".map"))
            return wm_cli_usage(c->cli, "the file name of %s is too long", maps->filename[i]);
        for (int j = 0; j < i; j++)
            if (strcmp(maps->filename[i], maps->filename[j]) == 0)
                return wm_cli_usage(c->cli, "%s is given twice", maps->filename[i]);
    }
    return WM_EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------
// Running

// Once a second on a terminal, and gone when the table comes.
static void show_progress(command* c, const wm_compare_run* run)
{
    const time_t now = time(NULL);
    if (!c->shows_progress || now == c->shown_at) return;
    c->shown_at = now;
    fprintf(stderr, "\r\033[K%s: problem %zu, %s", run->map, run->problem, run->spec);
    fflush(stderr);
}

static void clear_progress(const command* c)
{
    if (c->shows_progress && c->shown_at != 0) fprintf(stderr, "\r\033[K");
}

static wm_status take_run(void* context, const wm_compare_run* run, wm_error* error)
{
    command* c = context;
    show_progress(c, run);
    return wm_report_run(&c->report, run, error);
}

// Said when all went well: an error is one sentence.
static void note_left_out(const command* c)
{
    if (c->left_out != NULL)
        wm_cli_note(c->cli, "%s is left out, because it needs a database (--db)", c->left_out);
}

static void note_absent(const command* c, const char* map)
{
    for (size_t i = 0; i < c->compare.algorithm_count; i++)
        if (c->compare.algorithms[i].stayed_out)
            wm_cli_note(c->cli,
                        "%s is left out on %s, because %s has no data for it, or none for such a "
                        "world",
                        c->compare.algorithms[i].spec, map, c->compare.db);
}

static wm_status run_maps(command* c, wm_error* error)
{
    const struct arg_file* maps = c->given->maps;
    const char* paths = c->given->paths->count > 0 ? c->given->paths->filename[0] : NULL;
    wm_status status = wm_report_begin(&c->report, c->report.format, paths, error);
    if (status != WM_OK) return status;
    for (int i = 0; status == WM_OK && i < maps->count; i++) {
        status = wm_compare_map(&c->compare, maps->filename[i], map_name(c, i), error);
        clear_progress(c);
        if (status == WM_OK) note_absent(c, maps->filename[i]);
    }
    if (status == WM_OK) note_left_out(c);
    if (status == WM_OK) status = wm_report_end(&c->report, &c->compare, error);
    wm_report_abandon(&c->report);
    return status;
}

static void free_command(command* c)
{
    for (size_t i = 0; i < c->compare.algorithm_count; i++)
        wm_summary_free(&c->compare.algorithms[i].summary);
    free(c->compare.algorithms);
    free(c->specs);
    free(c->names);
}

static int compare(const wm_cli* cli, const options* given)
{
    command c = {.cli = cli, .given = given};
    wm_error error = {0};
    if (!read_options(&c)) return WM_EXIT_USAGE;
    int exit_status = read_algorithms(&c);
    if (exit_status == WM_EXIT_DONE) exit_status = read_names(&c);
    if (exit_status == WM_EXIT_DONE) {
        c.compare.on_run = take_run;
        c.compare.context = &c;
        c.shows_progress = c.report.format == WM_REPORT_TABLE && isatty(STDERR_FILENO);
        const wm_status status = run_maps(&c, &error);
        if (status != WM_OK) exit_status = wm_cli_fail(cli, status, &error);
    }
    free_command(&c);
    return exit_status;
}

int wm_cmd_compare(const wm_cli* cli, int argc, char** argv)
{
    options o = {
        .maps = arg_filen(NULL, NULL, "MAP", 1, argc + 4, "maps of type octile"),
        .db = arg_file0(NULL, "db", "FILE", "database of the maps"),
        .scen = arg_file0(NULL, "scen", "FILE",
                          "problems of the map; default: the .scen file beside it, else 100 "
                          "random ones"),
        .problems = arg_str0(NULL, "problems", "N", "draw N random problems on each map"),
        .min_cost = arg_str0(NULL, "min-cost", "A", "of optimal cost A or more; default 0"),
        .max_cost = arg_str0(NULL, "max-cost", "B", "of optimal cost B or less; default any"),
        .seed = arg_str0(NULL, "seed", "S", "drawn by this seed; default 1"),
        .algorithms = arg_str0(NULL, "algorithms", "SPEC,SPEC...",
                               "see 'waymark-run list'; default " DEFAULT_ALGORITHMS),
        .give_up = arg_str0(NULL, "give-up", "F",
                            "end a walk that cost more than F times the optimum; default 1000"),
        .format = arg_str0(NULL, "format", "table|csv|json", "how to print; default table"),
        .paths = arg_file0(NULL, "paths", "FILE", "write the path of every solved run"),
        .diagonal = arg_str0(NULL, "diagonal", "none|squeeze",
                             "whether diagonal steps may cut corners; default none"),
        .agent_size = wm_cli_agent_size(),
        .world = wm_world_options_create(),
    };
    void* table[] = {o.maps,        o.db,        o.scen,       o.problems,      o.min_cost,
                     o.max_cost,    o.seed,      o.algorithms, o.give_up,       o.format,
                     o.paths,       o.diagonal,  o.agent_size, o.world.terrain, o.world.heuristic,
                     wm_cli_help(), wm_cli_end()};
    int exit_status;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status)) exit_status = compare(cli, &o);
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
