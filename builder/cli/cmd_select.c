// SPDX-License-Identifier: MIT
//
// Chooses an algorithm for each map, and says what choosing is worth: how the choices compare with
// the one algorithm that is best over all of the maps.
#include <argtable3.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "mapfile.h"
#include "cli/progress.h"

#define DEFAULT_ALGORITHMS 60
#define DEFAULT_PROBLEMS 100
// Regions, which bound a move by 210 expansions, may take part.
#define DEFAULT_BUDGET 250

typedef struct select_arguments {
    struct arg_file* file;
    struct arg_file* maps;
    struct arg_str* algorithms;
    struct arg_str* problems;
    struct arg_str* budget;
    struct arg_str* seed;
    struct arg_str* threads;
    struct arg_str* diagonal;
    struct arg_str* agent_size;
    struct arg_lit* quiet;
} select_arguments;

// What came out for one map.
typedef struct map_result {
    const char* path;
    char name[WM_STORE_MAX_NAME + 1]; // in the file
    bool in_database;                 // as this very map, with whatever it has
    wm_choice choice;
    wm_choice single; // what is best over all maps, measured on this one
    double seconds;
} map_result;

typedef struct select_job {
    const wm_cli* cli;
    const char* output;
    wm_select_options options;
    wm_grid_rules rules;
    bool quiet;
    wm_candidates candidates;
    map_result* results; // one a map
    uint32_t* means;     // of each candidate on each map
    int map_count;
} select_job;

static bool go_on(void)
{
    return !wm_progress_stop_requested();
}

static bool get_options(select_job* job, const select_arguments* arguments)
{
    uint64_t algorithms = DEFAULT_ALGORITHMS;
    uint64_t problems = DEFAULT_PROBLEMS;
    uint64_t budget = DEFAULT_BUDGET;
    uint64_t seed = 1;
    uint64_t threads = wm_processor_count();
    if (!wm_cli_get_u64(job->cli, arguments->algorithms, 0, WM_SELECT_MAX_ALGORITHMS,
                        &algorithms) ||
        !wm_cli_get_u64(job->cli, arguments->problems, 1, WM_CHOICE_MAX_PROBLEMS, &problems) ||
        !wm_cli_get_u64(job->cli, arguments->budget, 1, WM_SELECT_MAX_BUDGET, &budget) ||
        !wm_cli_get_u64(job->cli, arguments->seed, 0, UINT64_MAX, &seed) ||
        !wm_cli_get_u64(job->cli, arguments->threads, 1, 1024, &threads) ||
        !wm_cli_get_rules(job->cli, arguments->diagonal, arguments->agent_size, &job->rules))
        return false;
    job->options = (wm_select_options){.algorithms = (uint32_t)algorithms,
                                       .problems = (uint32_t)problems,
                                       .budget = (uint32_t)budget,
                                       .seed = seed,
                                       .threads = (unsigned)threads,
                                       .go_on = go_on};
    return true;
}

// Before the first map is worked on. Other files of one name are found when the database is open,
// which may have them under names of their own.
static bool no_map_comes_twice(const wm_cli* cli, const struct arg_file* maps)
{
    for (int i = 0; i < maps->count; i++) {
        for (int j = 0; j < i; j++) {
            if (strcmp(maps->filename[i], maps->filename[j]) == 0)
                return wm_cli_usage(cli, "%s is given twice", maps->filename[i]) == 0;
        }
    }
    return true;
}

// The map under the name of its file, or else under whatever name the database has it.
static wm_status name_map(select_job* job, map_result* result, const wm_archive* archive,
                          const wm_grid* grid, wm_error* error)
{
    const bool fits = wm_file_stem(result->name, sizeof result->name, result->path, ".map") &&
                      wm_store_agent_size(result->name) == 1 &&
                      wm_store_name_for(result->name, sizeof result->name, grid->agent_size) &&
                      wm_store_name_is_valid(result->name);
    const wm_stored_map* stored = fits ? wm_archive_find(archive, result->name) : NULL;
    for (size_t i = 0; stored == NULL && i < archive->count; i++) {
        if (archive->maps[i].hash == grid->hash) stored = &archive->maps[i];
    }
    if (stored != NULL) snprintf(result->name, sizeof result->name, "%s", stored->name);
    if (stored == NULL && !fits)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "a map's name has 1 to %d bytes of printable UTF-8 and no size of agents at "
                       "its end; rename %s",
                       WM_STORE_MAX_NAME, result->path);
    for (const map_result* before = job->results; before < result; before++) {
        if (strcmp(before->name, result->name) == 0)
            return wm_fail(error, WM_ERR_ARGUMENT,
                           "%s and %s are both \"%s\" in %s; choose for one of them", before->path,
                           result->path, result->name, job->output);
    }
    result->in_database = stored != NULL && stored->hash == grid->hash;
    return WM_OK;
}

static wm_status open_arena(wm_arena* arena, const select_job* job, const map_result* result,
                            const wm_grid* grid, wm_error* error)
{
    return wm_arena_open(arena, grid, result->path, result->in_database ? job->output : NULL,
                         result->name, error);
}

static wm_status store_choice(const select_job* job, wm_archive* archive, const wm_grid* grid,
                              const map_result* result, wm_error* error)
{
    wm_buffer blob = {0};
    size_t dropped = 0;
    if (wm_choice_seal(&blob, NULL, &result->choice) != WM_OK)
        return wm_fail_memory(error, sizeof result->choice);
    const wm_status status =
        wm_build_store_blob(archive, result->name, grid, WM_METHOD_CHOICE, &blob, &dropped, error);
    if (status == WM_OK && dropped > 0)
        wm_cli_note(job->cli,
                    "\"%s\" has changed, or its diagonal rule has: %zu old payload%s dropped",
                    result->name, dropped, dropped == 1 ? "" : "s");
    wm_buffer_free(&blob);
    return status;
}

static wm_status select_for_map(select_job* job, wm_archive* archive, int index, wm_error* error)
{
    map_result* result = &job->results[index];
    uint32_t* means = job->means + (size_t)index * job->candidates.count;
    wm_grid grid = {0};
    wm_arena arena = {0};
    wm_progress_bar bar;
    wm_status status = wm_mapfile_load_as(&grid, result->path, &job->rules, NULL, error);
    if (status != WM_OK) return status;
    status = name_map(job, result, archive, &grid, error);
    if (status == WM_OK) status = open_arena(&arena, job, result, &grid, error);
    if (status == WM_OK) {
        wm_select_options options = job->options;
        wm_progress_begin(&bar, result->name, "algorithms", job->quiet);
        options.progress = wm_progress_update;
        options.progress_context = &bar;
        status = wm_select(&result->choice, means, &arena, &job->candidates, &options, error);
        result->seconds = wm_progress_end(&bar);
    }
    wm_arena_close(&arena);
    if (status == WM_OK) status = store_choice(job, archive, &grid, result, error);
    wm_grid_free(&grid);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Choosing for each map against choosing once

// The candidate with the least sum of means, the first of equals, out of those that are in on every
// map. NULL where none is.
static const char* find_single_best(const select_job* job)
{
    const uint32_t count = job->candidates.count;
    const char* best = NULL;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t sum = 0;
        bool in = true;
        for (int map = 0; map < job->map_count && in; map++) {
            const uint32_t mean = job->means[(size_t)map * count + i];
            in = mean != WM_SELECT_OUT;
            sum += mean;
        }
        if (!in || sum >= least) continue;
        least = sum;
        best = job->candidates.list[i].spec;
    }
    return best;
}

// On the problems that the map's choice was measured on, or the comparison would not be fair.
static wm_status measure_single(const select_job* job, map_result* result, const char* spec,
                                wm_error* error)
{
    wm_grid grid = {0};
    wm_arena arena = {0};
    result->single = result->choice;
    if (strcmp(spec, result->choice.spec) == 0) return WM_OK;
    snprintf(result->single.spec, sizeof result->single.spec, "%s", spec);
    wm_status status = wm_mapfile_load_as(&grid, result->path, &job->rules, NULL, error);
    if (status != WM_OK) return status;
    status = open_arena(&arena, job, result, &grid, error);
    if (status == WM_OK) status = wm_choice_measure(&result->single, &arena, go_on, error);
    wm_arena_close(&arena);
    wm_grid_free(&grid);
    return status;
}

static void print_result(const map_result* result, bool has_single)
{
    const wm_choice* c = &result->choice;
    printf("%s: choice %s of %u algorithms in %.2f s, mean %.3f %% above optimal on %u other "
           "problems, at most %u expansions in a move",
           result->name, c->spec, c->tried, result->seconds, c->mean / 1000.0, c->problems,
           c->max_expansions);
    if (has_single && result->single.mean == WM_SELECT_OUT)
        printf("; the single best is above the budget");
    else if (has_single)
        printf("; the single best has %.3f %% (%+.3f)", result->single.mean / 1000.0,
               ((double)result->single.mean - c->mean) / 1000.0);
    printf("\n");
}

static void print_single_best(const select_job* job, const char* spec)
{
    double choices = 0;
    double single = 0;
    int in = 0;
    if (spec == NULL) {
        printf("single best: no algorithm keeps to the budget on every map\n");
        return;
    }
    for (int i = 0; i < job->map_count; i++) {
        if (job->results[i].single.mean == WM_SELECT_OUT) continue;
        choices += job->results[i].choice.mean / 1000.0;
        single += job->results[i].single.mean / 1000.0;
        in++;
    }
    printf("single best over %d map%s: %s", job->map_count, job->map_count == 1 ? "" : "s", spec);
    if (in > 0)
        printf(", mean %.3f %% above optimal; the maps' own choices %.3f %%", single / in,
               choices / in);
    printf("\n");
}

static wm_status report(select_job* job, wm_error* error)
{
    const char* spec = find_single_best(job);
    wm_status status = WM_OK;
    for (int i = 0; i < job->map_count && status == WM_OK && spec != NULL; i++)
        status = measure_single(job, &job->results[i], spec, error);
    if (status != WM_OK) return status;
    for (int i = 0; i < job->map_count; i++) print_result(&job->results[i], spec != NULL);
    print_single_best(job, spec);
    return WM_OK;
}

// ---------------------------------------------------------------------------------------------
// The command

static int select_all(select_job* job)
{
    wm_edit edit;
    wm_error error = {0};
    wm_status status = wm_edit_begin(&edit, job->output, &error);
    if (status != WM_OK) return wm_cli_fail(job->cli, status, &error);
    char words[4096];
    snprintf(words, sizeof words, "%s: interrupted; %s is as it was before\n", job->cli->program,
             job->output);
    wm_progress_watch(words, edit.replacement.temporary);
    for (int i = 0; i < job->map_count && status == WM_OK; i++)
        status = select_for_map(job, &edit.archive, i, &error);
    if (status == WM_OK && !job->quiet) status = report(job, &error);
    wm_progress_watch(NULL, NULL);
    if (status == WM_OK && wm_progress_stop_requested())
        status = wm_fail(&error, WM_ERR_INTERRUPTED, "interrupted");
    if (status == WM_ERR_INTERRUPTED)
        wm_fail(&error, status, "interrupted; %s is as it was before", job->output);
    if (status == WM_OK)
        status = wm_edit_commit(&edit, &error);
    else
        wm_edit_abandon(&edit);
    return status == WM_OK ? WM_EXIT_DONE : wm_cli_fail(job->cli, status, &error);
}

static int run(const wm_cli* cli, const select_arguments* arguments)
{
    select_job job = {.cli = cli,
                      .output = arguments->file->filename[0],
                      .quiet = arguments->quiet->count > 0,
                      .map_count = arguments->maps->count};
    wm_error error = {0};
    if (!get_options(&job, arguments) || !no_map_comes_twice(cli, arguments->maps))
        return WM_EXIT_USAGE;
    // First of all: drawing many candidates takes its time, and a Ctrl-C must not leave the temporary
    // file behind.
    wm_progress_catch_signals();
    wm_status status = wm_candidates_sample(&job.candidates, &job.options, &error);
    if (status != WM_OK) return wm_cli_fail(cli, status, &error);
    const size_t map_count = (size_t)job.map_count;
    int exit_status;
    job.results = calloc(map_count, sizeof *job.results);
    job.means = calloc(map_count * job.candidates.count, sizeof *job.means);
    if (job.results == NULL || job.means == NULL) {
        exit_status = wm_cli_fail(cli, WM_ERR_MEMORY, NULL);
    } else {
        for (size_t i = 0; i < map_count; i++) job.results[i].path = arguments->maps->filename[i];
        exit_status = select_all(&job);
    }
    free(job.means);
    free(job.results);
    wm_candidates_free(&job.candidates);
    return exit_status;
}

int wm_cmd_select(const wm_cli* cli, int argc, char** argv)
{
    select_arguments arguments = {
        .file = arg_file1(NULL, NULL, "FILE", "database to add to or to make (.wmdb)"),
        .maps = arg_filen(NULL, NULL, "MAP", 1, 100000, "maps to choose for (.map, type octile)"),
        .algorithms = arg_str0(NULL, "algorithms", "N",
                               "algorithms to sample, besides the named ones (default 60)"),
        .problems = arg_str0(NULL, "problems", "N",
                             "problems to choose on, and as many to measure on (default 100)"),
        .budget = arg_str0(NULL, "budget-expansions", "B",
                           "expansions in one move, at most (default 250)"),
        .seed = arg_str0(NULL, "seed", "S", "seed of algorithms and problems (default 1)"),
        .threads = arg_str0(NULL, "threads", "T", "threads (default: all cores)"),
        .diagonal = arg_str0(NULL, "diagonal", "none|squeeze",
                             "when diagonal steps are legal (default none)"),
        .agent_size = wm_cli_agent_size(),
        .quiet = arg_lit0("q", "quiet", "print nothing but errors"),
    };
    void* table[] = {arguments.file,     arguments.maps,     arguments.algorithms,
                     arguments.problems, arguments.budget,   arguments.seed,
                     arguments.threads,  arguments.diagonal, arguments.agent_size,
                     arguments.quiet,    wm_cli_help(),      wm_cli_end()};
    int exit_status = WM_EXIT_DONE;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status)) exit_status = run(cli, &arguments);
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
