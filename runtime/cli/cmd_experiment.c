// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "commands.h"
#include "experiments/study.h"

typedef struct options {
    struct arg_str* name;
    struct arg_file* maps;
    struct arg_str* scale;
    struct arg_str* seed;
    struct arg_str* threads;
    struct arg_str* diagonal;
    struct arg_lit* resume;
    struct arg_lit* quiet;
    struct arg_file* out;
} options;

static const wm_experiment* find_experiment(const char* name)
{
    for (size_t i = 0; wm_experiments[i] != NULL; i++) {
        if (strcmp(wm_experiments[i]->name, name) == 0) return wm_experiments[i];
    }
    return NULL;
}

static int refuse_name(const wm_cli* cli, const char* name)
{
    char known[512] = "";
    size_t length = 0;
    for (size_t i = 0; wm_experiments[i] != NULL && length < sizeof known; i++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                   i == 0 ? "" : ", ", wm_experiments[i]->name);
    return wm_cli_usage(cli, "there is no experiment '%s'; there are %s", name, known);
}

// A share above 0, at most 1000, with up to six decimals.
static bool get_scale(const wm_cli* cli, const struct arg_str* option, double* scale)
{
    char* end;
    if (option->count == 0) return true;
    *scale = strtod(option->sval[0], &end);
    if (end != option->sval[0] && *end == '\0' && *scale >= 1e-6 && *scale <= 1000) return true;
    wm_cli_usage(cli, "--scale is '%s', but must be a number from 0.000001 to 1000",
                 option->sval[0]);
    return false;
}

static int run(const wm_cli* cli, const options* given)
{
    const wm_experiment* experiment = find_experiment(given->name->sval[0]);
    if (experiment == NULL) return refuse_name(cli, given->name->sval[0]);
    uint64_t threads = wm_processor_count();
    int rules = WM_STUDY_PAPERS_RULES;
    wm_progress_bar bar;
    wm_study_options study = {.maps = given->maps->count > 0 ? given->maps->filename[0] : NULL,
                              .out = given->out->filename[0],
                              .scale = 1,
                              .seed = 1,
                              .resume = given->resume->count > 0,
                              .progress = wm_progress_update,
                              .progress_context = &bar};
    if (!get_scale(cli, given->scale, &study.scale) ||
        !wm_cli_get_u64(cli, given->seed, 0, UINT64_MAX, &study.seed) ||
        !wm_cli_get_u64(cli, given->threads, 1, 1024, &threads) ||
        !wm_cli_get_choice(cli, given->diagonal, wm_study_rules_names, &rules))
        return WM_EXIT_USAGE;
    study.rules = (wm_study_rules)rules;
    study.threads = (unsigned)threads;
    wm_progress_catch_signals();
    wm_progress_begin(&bar, experiment->name, "parts", given->quiet->count > 0);
    wm_error error = {0};
    char words[4200];
    snprintf(words, sizeof words,
             "%s: interrupted; the finished parts are kept in %s, go on with --resume\n",
             cli->program, study.out);
    wm_progress_watch(words, NULL);
    const wm_status status = wm_study_run(experiment, &study, &error);
    wm_progress_watch(NULL, NULL);
    const double seconds = wm_progress_end(&bar);
    if (status != WM_OK) return wm_cli_fail(cli, status, &error);
    if (given->quiet->count > 0) return WM_EXIT_DONE;
    if (study.maps != NULL && experiment->needs_no_maps)
        fprintf(stderr, "%s: %s makes its own map and needs no --maps\n", cli->program,
                experiment->name);
    printf("%s: done in %.1f s, %s/report.md has the tables\n", experiment->name, seconds,
           study.out);
    return WM_EXIT_DONE;
}

int wm_cmd_experiment(const wm_cli* cli, int argc, char** argv)
{
    options o = {
        .name = arg_str1(NULL, NULL, "NAME", "the experiment; see docs/cli.md"),
        .maps = arg_file0(NULL, "maps", "DIR", "folder with the families of the MovingAI maps"),
        .scale = arg_str0(NULL, "scale", "S", "share of the paper's problems; default 1"),
        .seed = arg_str0(NULL, "seed", "S", "of the random problems; default 1"),
        .threads = arg_str0(NULL, "threads", "T", "threads (default: all cores)"),
        .diagonal = arg_str0(NULL, "diagonal", "none|squeeze|both",
                             "default: as the paper has it, both where it does not say"),
        .resume = arg_lit0(NULL, "resume", "go on where an interrupted run stopped"),
        .quiet = arg_lit0("q", "quiet", "print nothing but errors"),
        .out = arg_file1(NULL, "out", "DIR", "folder for results.csv, report.md and the plots"),
    };
    void* table[] = {o.name,   o.maps,  o.scale, o.seed,        o.threads,   o.diagonal,
                     o.resume, o.quiet, o.out,   wm_cli_help(), wm_cli_end()};
    int exit_status;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status)) exit_status = run(cli, &o);
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
