// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "commands.h"
#include "mapfile.h"
#include "cli/progress.h"

#define DEFAULT_RECORDS 10000

typedef struct build_arguments {
    struct arg_file* maps;
    struct arg_file* output;
    struct arg_str* records;
    struct arg_str* seed;
    struct arg_str* threads;
    struct arg_str* shard;
    struct arg_lit* chains;
    struct arg_str* pairs;
    struct arg_str* method;
    struct arg_str* level;
    struct arg_str* max_bytes;
    struct arg_str* max_suboptimality;
    struct arg_str* radius;
    struct arg_str* satellite;
    struct arg_str* epsilon;
    struct arg_str* portals;
    struct arg_str* controller;
    struct arg_str* name;
    struct arg_str* diagonal;
    struct arg_str* agent_size;
    struct arg_lit* resume;
    struct arg_lit* quiet;
} build_arguments;

typedef struct build_job {
    const wm_cli* cli;
    bool knn;
    bool regions;
    bool d_lrta;
    wm_knn_build_options options;
    wm_regions_contract contract;
    wm_d_lrta_options d_lrta_options;
    wm_grid_rules rules;
    bool quiet;
    char (*names)[WM_STORE_MAX_NAME + 1]; // one a map
    bool regions_asked;                   // some option is about them
    wm_checkpoint checkpoint;
} build_job;

// I/N with I from 1 to N.
static bool get_shard(const wm_cli* cli, const struct arg_str* option, wm_knn_parameters* values)
{
    if (option->count == 0) return true;
    const char* text = option->sval[0];
    const char* slash = strchr(text, '/');
    uint64_t shard = 0;
    uint64_t shards = 0;
    if (slash == NULL ||
        !wm_cli_read_u64(slash + 1, strlen(slash + 1), 1, values->total, &shards) ||
        !wm_cli_read_u64(text, (size_t)(slash - text), 1, shards, &shard))
        return wm_cli_refuse(cli, option, "I/N with I from 1 to N and N at most the records");
    values->shard = (uint32_t)shard;
    values->shards = (uint32_t)shards;
    return true;
}

enum { METHOD_KNN, METHOD_REGIONS, METHOD_D_LRTA, METHOD_ALL };

static bool get_method(build_job* job, const build_arguments* arguments)
{
    static const char* const names[] = {"knn", "regions", "d-lrta", "all", NULL};
    // Shards are slices of kNN records; without them a map gets all that a game can use. D LRTA* is
    // there to be compared with: its tables are large, and only who asks for them gets them.
    int method = arguments->shard->count > 0 ? METHOD_KNN : METHOD_ALL;
    if (!wm_cli_get_choice(job->cli, arguments->method, names, &method)) return false;
    job->knn = method == METHOD_KNN || method == METHOD_ALL;
    job->regions = method == METHOD_REGIONS || method == METHOD_ALL;
    job->d_lrta = method == METHOD_D_LRTA;
    return true;
}

// Percent with up to three decimals, as thousandths.
static bool get_percent(const wm_cli* cli, const struct arg_str* option, double min, uint32_t max,
                        uint32_t* thousandths)
{
    if (option->count == 0) return true;
    char* end;
    const double value = strtod(option->sval[0], &end);
    if (end == option->sval[0] || *end != '\0' || !(value >= min) || value * 1000 > max)
        return wm_cli_refuse(cli, option, "a percentage such as 0.5");
    *thousandths = (uint32_t)(value * 1000 + 0.5);
    return true;
}

// climb, or search:K with K expansions.
static bool get_controller(build_job* job, const struct arg_str* option)
{
    static const char prefix[] = "search:";
    wm_regions_contract* contract = &job->contract;
    uint64_t expansions = 0;
    if (option->count == 0) return true;
    const char* text = option->sval[0];
    contract->fixed_controller = true;
    if (strcmp(text, "climb") != 0) {
        const char* number = text + sizeof prefix - 1;
        if (strncmp(text, prefix, sizeof prefix - 1) != 0 ||
            !wm_cli_read_u64(number, strlen(number), 1, WM_MAX_LOCAL_EXPANSIONS, &expansions))
            return wm_cli_refuse(job->cli, option, "climb, or search:K with K from 1 to 200");
    }
    contract->fixed.max_expansions = (uint32_t)expansions;
    return true;
}

static bool get_contract(build_job* job, const build_arguments* arguments)
{
    wm_regions_contract* contract = &job->contract;
    uint64_t max_bytes = 0;
    uint64_t radius = 0;
    uint64_t satellite = 0;
    uint64_t portals = 0;
    contract->fixed_epsilon = arguments->epsilon->count > 0;
    contract->fixed_portals = arguments->portals->count > 0;
    contract->bytes_are_hard = arguments->max_bytes->count > 0;
    if (!wm_cli_get_u64(job->cli, arguments->max_bytes, 1, UINT32_MAX, &max_bytes) ||
        !get_percent(job->cli, arguments->max_suboptimality, 0.001, 1000000, &contract->max_mean) ||
        !wm_cli_get_u64(job->cli, arguments->radius, 1, WM_COVER_MAX_RADIUS, &radius) ||
        !wm_cli_get_u64(job->cli, arguments->satellite, 0, 10000, &satellite) ||
        !get_percent(job->cli, arguments->epsilon, 0, 100000, &contract->fixed.epsilon) ||
        !wm_cli_get_u64(job->cli, arguments->portals, 0, WM_GRID_MAX_SIDE, &portals) ||
        !get_controller(job, arguments->controller))
        return false;
    // Epsilon is stored in thousandths of the whole, not of a percent.
    contract->fixed.epsilon /= 100;
    contract->max_bytes = (size_t)max_bytes;
    contract->fixed.radius = (uint32_t)radius;
    contract->fixed.satellite = (uint32_t)satellite;
    contract->fixed.portals = (uint32_t)portals;
    const bool asked = contract->bytes_are_hard || contract->max_mean > 0 || radius > 0 ||
                       satellite > 0 || contract->fixed_epsilon || contract->fixed_portals ||
                       contract->fixed_controller;
    job->regions_asked = asked;
    if (asked && !job->regions)
        return wm_cli_usage(
                   job->cli,
                   "--max-bytes, --max-suboptimality, --radius, --satellite, "
                   "--epsilon, --portals and --controller are for --method regions or all") == 0;
    if (!job->d_lrta && arguments->level->count > 0)
        return wm_cli_usage(job->cli, "--level is for --method d-lrta") == 0;
    if ((job->regions || job->d_lrta) && arguments->shard->count > 0)
        return wm_cli_usage(job->cli, "--shard is for --method knn") == 0;
    return true;
}

static bool get_options(build_job* job, const build_arguments* arguments)
{
    uint64_t records = DEFAULT_RECORDS;
    uint64_t seed = 1;
    uint64_t threads = wm_processor_count();
    uint64_t level = WM_D_LRTA_DEFAULT_LEVEL;
    if (!wm_cli_get_u64(job->cli, arguments->records, 1, WM_KNN_MAX_RECORDS, &records) ||
        !wm_cli_get_u64(job->cli, arguments->seed, 0, UINT64_MAX, &seed) ||
        !wm_cli_get_u64(job->cli, arguments->threads, 1, 1024, &threads) ||
        !wm_cli_get_u64(job->cli, arguments->level, 1, WM_D_LRTA_MAX_LEVEL, &level) ||
        !wm_cli_get_rules(job->cli, arguments->diagonal, arguments->agent_size, &job->rules))
        return false;
    job->options.parameters = (wm_knn_parameters){.total = (uint32_t)records,
                                                  .shard = 1,
                                                  .shards = 1,
                                                  .chains = arguments->chains->count > 0,
                                                  .seed = seed};
    static const char* const sources[] = {"random", "coverage", NULL};
    int source = 0;
    if (!wm_cli_get_choice(job->cli, arguments->pairs, sources, &source)) return false;
    job->options.parameters.coverage = source == 1;
    job->options.threads = (unsigned)threads;
    job->contract.seed = seed;
    job->d_lrta_options =
        (wm_d_lrta_options){.level = (uint32_t)level, .threads = (unsigned)threads};
    job->quiet = arguments->quiet->count > 0;
    return get_method(job, arguments) && get_contract(job, arguments) &&
           get_shard(job->cli, arguments->shard, &job->options.parameters);
}

// The name of one map in the file, for the size of its agents.
static bool get_name(build_job* job, const build_arguments* arguments, int i)
{
    char* name = job->names[i];
    const size_t capacity = sizeof job->names[i];
    const char* path = arguments->maps->filename[i];
    const char* wanted = arguments->name->count > 0 ? arguments->name->sval[0] : NULL;
    const bool fits = wanted == NULL ? wm_file_stem(name, capacity, path, ".map")
                                     : snprintf(name, capacity, "%s", wanted) < (int)capacity;
    const bool is_sized = fits && wm_store_agent_size(name) > 1;
    if (is_sized)
        return wm_cli_usage(job->cli,
                            "\"%s\" is how data for larger agents is named; give %s another name "
                            "with --name, and the size with --agent-size",
                            name, path) == 0;
    if (fits && wm_store_name_for(name, capacity, job->rules.agent_size) &&
        wm_store_name_is_valid(name))
        return true;
    return wm_cli_usage(job->cli,
                        "a map's name has 1 to %d bytes of printable UTF-8; give %s another with "
                        "--name",
                        WM_STORE_MAX_NAME, path) == 0;
}

// Finds out under which name each map will be stored; a name twice is wrong usage.
static bool get_names(build_job* job, const build_arguments* arguments)
{
    const int count = arguments->maps->count;
    if (arguments->name->count > 0 && count > 1)
        return wm_cli_usage(job->cli, "--name goes with one map, and %d were given", count) == 0;
    for (int i = 0; i < count; i++) {
        if (!get_name(job, arguments, i)) return false;
        for (int j = 0; j < i; j++) {
            if (strcmp(job->names[i], job->names[j]) == 0)
                return wm_cli_usage(job->cli,
                                    "%s and %s have the same name \"%s\"; build one of them by "
                                    "itself with --name",
                                    arguments->maps->filename[j], arguments->maps->filename[i],
                                    job->names[i]) == 0;
        }
    }
    return true;
}

static void print_dropped(const build_job* job, const char* name, size_t dropped)
{
    if (dropped > 0)
        wm_cli_note(job->cli,
                    "\"%s\" has changed, or its diagonal rule has: %zu old payload%s dropped", name,
                    dropped, dropped == 1 ? "" : "s");
}

static void print_done(const build_job* job, const char* name, const wm_knn* knn,
                       const wm_build_report* report, double seconds)
{
    print_dropped(job, name, report->dropped_payloads);
    if (job->quiet) return;
    const wm_knn_parameters* parameters = &knn->parameters;
    char shard[48] = "";
    if (parameters->shards > 1)
        snprintf(shard, sizeof shard, " (shard %u/%u)", parameters->shard, parameters->shards);
    printf("%s: knn, %u records%s in %.2f s (%.0f a second), %zu bytes (%.2f a record), "
           "content %016llx\n",
           name, knn->count, shard, seconds, seconds > 0 ? knn->count / seconds : 0.0,
           report->stored_bytes, (double)report->stored_bytes / knn->count,
           (unsigned long long)report->content_hash);
}

// ---------------------------------------------------------------------------------------------
// Checkpoints

// What is finished stays, whatever ended the build; who can go on from there is told.
static void tell_what_is_kept(const build_job* job, wm_error* error)
{
    const size_t length = strlen(error->message);
    const size_t kept = job->checkpoint.kept;
    snprintf(error->message + length, sizeof error->message - length,
             "; %zu finished part%s kept in %s: go on with --resume", kept,
             kept == 1 ? " is" : "s are", job->checkpoint.path);
}

// Stores what an interrupted build finished; false where it has to be made.
static bool take_over(build_job* job, wm_archive* archive, const wm_grid* grid, const char* name,
                      wm_method method, uint64_t key, wm_status* status, wm_error* error)
{
    wm_reader content;
    wm_buffer blob = {0};
    size_t dropped = 0;
    if (!wm_checkpoint_find(&job->checkpoint, key, &content)) return false;
    wm_put_bytes(&blob, content.data, content.left);
    *status = blob.failed
                  ? wm_fail_memory(error, content.left)
                  : wm_build_store_blob(archive, name, grid, method, &blob, &dropped, error);
    wm_buffer_free(&blob);
    if (*status != WM_OK) return true;
    print_dropped(job, name, dropped);
    if (!job->quiet)
        printf("%s: %s, %zu bytes taken over from %s, content %016llx\n", name,
               wm_method_name(method), content.left, job->checkpoint.path,
               (unsigned long long)wm_format_checksum(content.data, content.left));
    return true;
}

// Keeps a payload that has just been stored.
static wm_status keep(build_job* job, const wm_archive* archive, const char* name, wm_method method,
                      uint64_t key, wm_error* error)
{
    const wm_stored_map* map = wm_archive_find(archive, name);
    return wm_checkpoint_keep(&job->checkpoint, key, &wm_stored_map_payload(map, method)->blob,
                              error);
}

// ---------------------------------------------------------------------------------------------
// Building

static wm_status build_knn(build_job* job, wm_archive* archive, const wm_grid* grid,
                           const char* path, const char* name, wm_error* error)
{
    const uint64_t key = wm_checkpoint_knn_key(grid, &job->options.parameters);
    wm_knn knn = {0};
    wm_build_report report;
    wm_progress_bar bar;
    wm_status status = WM_OK;
    if (take_over(job, archive, grid, name, WM_METHOD_KNN, key, &status, error)) return status;
    wm_progress_begin(&bar, name, "records", job->quiet);
    job->options.progress = wm_progress_update;
    job->options.progress_context = &bar;
    job->options.blocks = wm_checkpoint_knn_blocks(&job->checkpoint);
    status = wm_knn_build(&knn, grid, &job->options, path, error);
    const double seconds = wm_progress_end(&bar);
    if (status == WM_OK)
        status = wm_build_store_knn(archive, name, grid->diagonal, &knn, &report, error);
    if (status == WM_OK) print_done(job, name, &knn, &report, seconds);
    wm_knn_free(&knn);
    return status == WM_OK ? keep(job, archive, name, WM_METHOD_KNN, key, error) : status;
}

static bool go_on(void* context)
{
    (void)context;
    return !wm_progress_stop_requested();
}

static void print_regions(const char* name, const wm_grid* grid, const wm_regions_result* result,
                          size_t bytes, double seconds)
{
    const wm_certificate* c = &result->certificate;
    char ways[32] = "portals";
    if (result->parameters.portals == 0) snprintf(ways, sizeof ways, "%u chains", result->chains);
    printf("%s: regions, %u with %s in %.2f s, %zu bytes (%.2f of the one-bit map), mean "
           "%.2f %%, p95 %.2f %% above optimal on %u problems, content %016llx\n",
           name, result->regions, ways, seconds, bytes, (double)bytes * 8 / grid->cell_count,
           c->mean / 1000.0, c->p95 / 1000.0, c->problems,
           (unsigned long long)result->content_hash);
}

static wm_status build_regions(build_job* job, wm_archive* archive, const wm_grid* grid,
                               const char* path, const char* name, wm_error* error)
{
    wm_regions_contract contract = job->contract;
    const uint64_t key = wm_checkpoint_regions_key(grid, &contract);
    wm_regions_result result;
    wm_progress_bar bar;
    size_t dropped = 0;
    wm_status status = WM_OK;
    if (take_over(job, archive, grid, name, WM_METHOD_REGIONS, key, &status, error)) return status;
    contract.go_on = go_on;
    wm_progress_begin(&bar, name, "regions", job->quiet);
    status = wm_regions_fulfil(&result, grid, &contract, path, error);
    const double seconds = wm_progress_end(&bar);
    const size_t bytes = result.blob.size;
    if (status == WM_OK)
        status = wm_build_store_blob(archive, name, grid, WM_METHOD_REGIONS, &result.blob, &dropped,
                                     error);
    if (status == WM_OK) {
        print_dropped(job, name, dropped);
        if (!job->quiet) print_regions(name, grid, &result, bytes, seconds);
    }
    wm_buffer_free(&result.blob);
    return status == WM_OK ? keep(job, archive, name, WM_METHOD_REGIONS, key, error) : status;
}

static void print_d_lrta(const char* name, const wm_d_lrta* d, size_t bytes, uint64_t content_hash,
                         double seconds)
{
    printf("%s: d-lrta, %u abstract states of level %u in %.2f s, %zu bytes, %llu numbers (%.2f a "
           "cell), content %016llx\n",
           name, d->count, d->level, seconds, bytes, (unsigned long long)wm_d_lrta_numbers(d),
           (double)wm_d_lrta_numbers(d) / d->cell_count, (unsigned long long)content_hash);
}

static wm_status build_d_lrta(build_job* job, wm_archive* archive, const wm_grid* grid,
                              const char* path, const char* name, wm_error* error)
{
    const uint64_t key = wm_checkpoint_d_lrta_key(grid, job->d_lrta_options.level);
    wm_d_lrta d;
    wm_buffer blob = {0};
    uint64_t content_hash = 0;
    size_t dropped = 0;
    wm_progress_bar bar;
    wm_status status = WM_OK;
    if (take_over(job, archive, grid, name, WM_METHOD_D_LRTA, key, &status, error)) return status;
    wm_progress_begin(&bar, name, "abstract states", job->quiet);
    wm_d_lrta_options options = job->d_lrta_options;
    options.progress = wm_progress_update;
    options.progress_context = &bar;
    status = wm_d_lrta_build(&d, grid, &options, path, error);
    const double seconds = wm_progress_end(&bar);
    if (status != WM_OK) return status;
    if (wm_d_lrta_seal(&blob, &content_hash, &d) != WM_OK)
        status = wm_fail_memory(error, d.pair_count);
    const size_t bytes = blob.size;
    if (status == WM_OK)
        status = wm_build_store_blob(archive, name, grid, WM_METHOD_D_LRTA, &blob, &dropped, error);
    if (status == WM_OK) {
        print_dropped(job, name, dropped);
        if (!job->quiet) print_d_lrta(name, &d, bytes, content_hash, seconds);
    }
    wm_buffer_free(&blob);
    wm_d_lrta_free(&d);
    return status == WM_OK ? keep(job, archive, name, WM_METHOD_D_LRTA, key, error) : status;
}

static wm_status build_map(build_job* job, wm_archive* archive, const char* path, const char* name,
                           wm_error* error)
{
    wm_grid grid = {0};
    wm_status status = wm_mapfile_load_as(&grid, path, &job->rules, NULL, error);
    if (status != WM_OK) return status;
    if (job->knn) status = build_knn(job, archive, &grid, path, name, error);
    if (status == WM_OK && job->regions) {
        status = build_regions(job, archive, &grid, path, name, error);
        // Who did not ask for anything of regions gets the rest, and is told.
        if (status == WM_ERR_TOO_FEW && job->knn && !job->regions_asked) {
            wm_cli_note(job->cli, "%s; no regions are stored for it", error->message);
            status = WM_OK;
        }
    }
    if (status == WM_OK && job->d_lrta)
        status = build_d_lrta(job, archive, &grid, path, name, error);
    wm_grid_free(&grid);
    return status;
}

static wm_status build_maps(build_job* job, wm_archive* archive, const build_arguments* arguments,
                            wm_error* error)
{
    wm_status status = WM_OK;
    for (int i = 0; i < arguments->maps->count && status == WM_OK; i++)
        status = build_map(job, archive, arguments->maps->filename[i], job->names[i], error);
    if (status == WM_OK && wm_progress_stop_requested()) status = WM_ERR_INTERRUPTED;
    return status;
}

static wm_status open_checkpoint(build_job* job, const wm_edit* edit, bool resume, wm_error* error)
{
    wm_checkpoint* checkpoint = &job->checkpoint;
    const wm_status status =
        wm_checkpoint_open(checkpoint, edit->replacement.target, resume, error);
    if (status == WM_OK && checkpoint->exists && !resume)
        wm_cli_note(job->cli,
                    "%s is of an interrupted build, which --resume would go on with; this one "
                    "begins anew",
                    checkpoint->path);
    return status;
}

// A build of a moment leaves nothing behind, whatever ended it. One that never kept anything of its
// own has no say about what another one left.
static void end_checkpoint(build_job* job, wm_status status, wm_error* error)
{
    wm_checkpoint* checkpoint = &job->checkpoint;
    const bool worthwhile = wm_checkpoint_is_worthwhile(checkpoint);
    if (status != WM_OK && worthwhile) tell_what_is_kept(job, error);
    if (status == WM_OK || (checkpoint->kept > 0 && !worthwhile))
        wm_checkpoint_remove(checkpoint);
    else
        wm_checkpoint_close(checkpoint);
}

static int build_all(build_job* job, const build_arguments* arguments)
{
    const char* output = arguments->output->filename[0];
    wm_edit edit;
    wm_error error = {0};
    // First of all, or a Ctrl-C could leave the temporary file behind.
    wm_progress_catch_signals();
    wm_status status = wm_edit_begin(&edit, output, &error);
    if (status != WM_OK) return wm_cli_fail(job->cli, status, &error);
    status = open_checkpoint(job, &edit, arguments->resume->count > 0, &error);
    if (status == WM_OK) {
        char words[4096];
        snprintf(words, sizeof words,
                 "%s: interrupted; %s is as it was before, and what was finished is in %s: go on "
                 "with --resume\n",
                 job->cli->program, output, job->checkpoint.path);
        wm_progress_watch(words, edit.replacement.temporary);
        status = build_maps(job, &edit.archive, arguments, &error);
        wm_progress_watch(NULL, NULL);
    }
    if (status == WM_ERR_INTERRUPTED)
        wm_fail(&error, status, "interrupted; %s is as it was before", output);
    if (status == WM_OK)
        status = wm_edit_commit(&edit, &error);
    else
        wm_edit_abandon(&edit);
    end_checkpoint(job, status, &error);
    return status == WM_OK ? WM_EXIT_DONE : wm_cli_fail(job->cli, status, &error);
}

static int run(const wm_cli* cli, const build_arguments* arguments)
{
    build_job job = {.cli = cli};
    job.names = calloc((size_t)arguments->maps->count, sizeof *job.names);
    int exit_status = WM_EXIT_USAGE;
    if (job.names == NULL)
        exit_status = wm_cli_fail(cli, WM_ERR_MEMORY, NULL);
    else if (get_options(&job, arguments) && get_names(&job, arguments))
        exit_status = build_all(&job, arguments);
    free(job.names);
    return exit_status;
}

int wm_cmd_build(const wm_cli* cli, int argc, char** argv)
{
    build_arguments arguments = {
        .maps = arg_filen(NULL, NULL, "MAP", 1, 100000, "maps to build for (.map, type octile)"),
        .output = arg_file1("o", "output", "FILE", "database to add to or to make (.wmdb)"),
        .records = arg_str0("n", "records", "N", "records per map (default 10000)"),
        .seed = arg_str0(NULL, "seed", "S", "seed of the random pairs (default 1)"),
        .threads = arg_str0(NULL, "threads", "T", "threads (default: all cores)"),
        .shard = arg_str0(NULL, "shard", "I/N", "build slice I of N, for merge"),
        .chains = arg_lit0(NULL, "chains", "keep the whole chain of subgoals of each record"),
        .pairs = arg_str0(NULL, "pairs", "random|coverage",
                          "kNN: draw pairs, or join the seeds of regions (default random)"),
        .method = arg_str0(NULL, "method", "knn|regions|d-lrta|all",
                           "what to build (default all: knn and regions; knn with --shard)"),
        .level = arg_str0(NULL, "level", "L", "d-lrta: how often to abstract, 1 to 10 (default 5)"),
        .max_bytes = arg_str0(NULL, "max-bytes", "B",
                              "regions: at most so many bytes (default: "
                              "as many as a map of one bit a cell)"),
        .max_suboptimality = arg_str0(NULL, "max-suboptimality", "P",
                                      "regions: walks at most P % above optimal on average"),
        .radius = arg_str0(NULL, "radius", "R", "regions, for experts: cells, 1 to 48"),
        .satellite = arg_str0(NULL, "satellite", "T",
                              "regions, for experts: those of fewer cells get any way, not a good "
                              "one (default 0)"),
        .epsilon = arg_str0(NULL, "epsilon", "P",
                            "regions, for experts: percent that a chain may cost too much"),
        .portals =
            arg_str0(NULL, "portals", "N",
                     "regions, for experts: ways out of regions, one in every square of N cells a "
                     "side, in the place of chains; 0: chains"),
        .controller = arg_str0(NULL, "controller", "climb|search:K",
                               "regions, for experts: whether agents search for ways to targets, "
                               "with at most K expansions"),
        .name = arg_str0(NULL, "name", "NAME", "name in the file (default: file name less .map)"),
        .diagonal = arg_str0(NULL, "diagonal", "none|squeeze",
                             "when diagonal steps are legal (default none)"),
        .agent_size = wm_cli_agent_size(),
        .resume = arg_lit0(NULL, "resume", "go on where an interrupted build stopped"),
        .quiet = arg_lit0("q", "quiet", "print nothing but errors"),
    };
    void* table[] = {
        arguments.maps,       arguments.output,    arguments.records,   arguments.seed,
        arguments.threads,    arguments.shard,     arguments.chains,    arguments.pairs,
        arguments.method,     arguments.level,     arguments.max_bytes, arguments.max_suboptimality,
        arguments.radius,     arguments.satellite, arguments.epsilon,   arguments.portals,
        arguments.controller, arguments.name,      arguments.diagonal,  arguments.agent_size,
        arguments.resume,     arguments.quiet,     wm_cli_help(),       wm_cli_end()};
    int exit_status = WM_EXIT_DONE;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status)) exit_status = run(cli, &arguments);
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
