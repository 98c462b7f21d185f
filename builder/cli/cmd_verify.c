// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <math.h>
#include <stdio.h>

#include "commands.h"
#include "mapfile.h"
#include "cli/progress.h"

typedef struct verify_job {
    const wm_cli* cli;
    const char* path;
    const char* name; // NULL: from the map's file name
    wm_grid_rules rules;
    unsigned threads;
    bool quiet;
    bool broken; // some promise was
} verify_job;

// The map under the name of its file, or else under whatever name it has in the database.
static const wm_stored_map* find_map(const verify_job* job, const wm_archive* archive,
                                     const wm_grid* grid, const char* map_path)
{
    char name[WM_STORE_MAX_NAME + 1] = "";
    const wm_stored_map* map = NULL;
    const bool fits = job->name == NULL
                          ? wm_file_stem(name, sizeof name, map_path, ".map")
                          : snprintf(name, sizeof name, "%s", job->name) < (int)sizeof name;
    if (fits && wm_store_name_for(name, sizeof name, grid->agent_size))
        map = wm_archive_find(archive, name);
    if (job->name != NULL) return map;
    for (size_t i = 0; map == NULL && i < archive->count; i++) {
        if (archive->maps[i].hash == grid->hash) map = &archive->maps[i];
    }
    return map;
}

static wm_status verify_records(verify_job* job, const wm_stored_map* map, const wm_grid* grid,
                                wm_error* error)
{
    wm_knn knn = {0};
    wm_knn_verify_result result = {0};
    wm_progress_bar bar;
    wm_status status = wm_build_load_knn(&knn, map, job->path, error);
    if (status == WM_OK) status = wm_knn_check_map(&knn, grid, job->path, error);
    if (status == WM_OK) {
        wm_progress_begin(&bar, map->name, "records", job->quiet);
        const wm_knn_build_options options = {.parameters = knn.parameters,
                                              .threads = job->threads,
                                              .progress = wm_progress_update,
                                              .progress_context = &bar};
        status = wm_knn_verify(&result, &knn, grid, &options, error);
        wm_progress_end(&bar);
    }
    if (status == WM_OK && result.broken > 0) {
        job->broken = true;
        wm_cli_note(job->cli, "%s: \"%s\" breaks its promise in %u of %u records; the first is %s",
                    job->path, map->name, result.broken, result.records, result.first);
    } else if (status == WM_OK && !job->quiet) {
        printf("%s: knn, %u records keep their promises\n", map->name, result.records);
    }
    wm_knn_free(&knn);
    return status;
}

#define PROBLEMS 1000

// New problems each time a certificate is looked at would make the answer a matter of luck.
#define VERIFY_SEED UINT64_C(0x7E57)

// Opening checks that every region can be reached; then the certificate is held against new walks.
static wm_status verify_regions(verify_job* job, const wm_stored_map* map,
                                const wm_stored_payload* stored, const wm_grid* grid,
                                wm_error* error)
{
    wm_regions regions;
    wm_certificate now;
    wm_buffer payload = {0};
    wm_status status = wm_build_open_payload(&payload, map, stored, job->path, error);
    if (status == WM_OK)
        status = wm_regions_read_header(&regions, payload.data, payload.size, job->path, error);
    wm_buffer_free(&payload);
    if (status != WM_OK) return status;
    const wm_certificate* then = &regions.certificate;
    status =
        wm_regions_measure(&now, grid, &stored->blob, PROBLEMS, then->seed ^ VERIFY_SEED, error);
    if (status != WM_OK) return status;
    const double error_of_means =
        now.problems == 0
            ? 0
            : sqrt((double)now.deviation * now.deviation / now.problems +
                   (double)then->deviation * then->deviation / (then->problems + 1.0));
    const uint64_t bound = wm_regions_bound(&regions.parameters);
    if (now.mean > then->mean + 4 * error_of_means || now.worst_states > bound) {
        job->broken = true;
        wm_cli_note(job->cli,
                    "%s: the regions of \"%s\" break their promise: mean %.2f %% instead of %.2f "
                    "%%, %u states in a move",
                    job->path, map->name, now.mean / 1000.0, then->mean / 1000.0, now.worst_states);
    } else if (!job->quiet) {
        printf(
            "%s: regions, mean %.2f %% (certified %.2f %%), worst %.2f %% above optimal, at most "
            "%u states in a move, on %u new problems\n",
            map->name, now.mean / 1000.0, then->mean / 1000.0, now.worst / 1000.0, now.worst_states,
            now.problems);
    }
    return WM_OK;
}

static void judge_d_lrta(verify_job* job, const wm_stored_map* map, const wm_d_lrta* d,
                         const wm_d_lrta_verify_result* result)
{
    if (result->wrong_cells > 0 || result->wrong_pairs > 0) {
        job->broken = true;
        wm_cli_note(job->cli,
                    "%s: the d-lrta data of \"%s\" is not what its map gives: %u cells in another "
                    "region, %u other subgoals",
                    job->path, map->name, result->wrong_cells, result->wrong_pairs);
    } else if (!job->quiet) {
        printf("%s: d-lrta, %u abstract states and their subgoals are what the map gives\n",
               map->name, d->count);
    }
}

static wm_status verify_d_lrta(verify_job* job, const wm_stored_map* map,
                               const wm_stored_payload* stored, const wm_grid* grid,
                               wm_error* error)
{
    wm_d_lrta d = {0};
    wm_d_lrta_verify_result result;
    wm_progress_bar bar;
    wm_buffer payload = {0};
    wm_status status = wm_build_open_payload(&payload, map, stored, job->path, error);
    if (status == WM_OK)
        status = wm_d_lrta_decode(&d, grid, payload.data, payload.size, NULL, job->path, error);
    wm_buffer_free(&payload);
    if (status != WM_OK) return status;
    wm_progress_begin(&bar, map->name, "abstract states", job->quiet);
    const wm_d_lrta_options options = {
        .threads = job->threads, .progress = wm_progress_update, .progress_context = &bar};
    status = wm_d_lrta_verify(&result, &d, grid, &options, map->name, error);
    wm_progress_end(&bar);
    if (status == WM_OK) judge_d_lrta(job, map, &d, &result);
    wm_d_lrta_free(&d);
    return status;
}

static void judge_choice(verify_job* job, const wm_stored_map* map, const wm_choice* then,
                         const wm_choice* now)
{
    const bool same = now->problems == then->problems && now->mean == then->mean &&
                      now->max_expansions == then->max_expansions;
    if (!same) {
        job->broken = true;
        wm_cli_note(job->cli,
                    "%s: the choice of \"%s\", %s, is not what it was when it was made; run "
                    "`waymark-build select` again",
                    job->path, map->name, then->spec);
    } else if (!job->quiet) {
        printf("%s: choice, %s has mean %.3f %% above optimal on %u problems, as stored\n",
               map->name, now->spec, now->mean / 1000.0, now->problems);
    }
}

static bool go_on(void)
{
    return !wm_progress_stop_requested();
}

// The walks are made again: on any machine they are the same, and so is their mean.
static wm_status verify_choice(verify_job* job, const wm_stored_map* map,
                               const wm_stored_payload* stored, const wm_grid* grid,
                               wm_error* error)
{
    wm_choice then;
    wm_arena arena = {0};
    wm_buffer payload = {0};
    wm_status status = wm_build_open_payload(&payload, map, stored, job->path, error);
    if (status == WM_OK) status = wm_build_read_choice(&then, map, &payload, job->path, error);
    wm_buffer_free(&payload);
    if (status == WM_OK)
        status = wm_arena_open(&arena, grid, map->name, job->path, map->name, error);
    if (status != WM_OK) return status;
    wm_choice now = then;
    status = wm_choice_measure(&now, &arena, go_on, error);
    if (status == WM_OK) judge_choice(job, map, &then, &now);
    wm_arena_close(&arena);
    return status;
}

static wm_status verify_payload(verify_job* job, const wm_stored_map* map,
                                const wm_stored_payload* stored, const wm_grid* grid,
                                wm_error* error)
{
    switch (stored->method) {
    case WM_METHOD_KNN: return verify_records(job, map, grid, error);
    case WM_METHOD_REGIONS: return verify_regions(job, map, stored, grid, error);
    case WM_METHOD_D_LRTA: return verify_d_lrta(job, map, stored, grid, error);
    case WM_METHOD_CHOICE: return verify_choice(job, map, stored, grid, error);
    }
    return WM_OK;
}

static wm_status verify_map(verify_job* job, const wm_archive* archive, const char* map_path,
                            wm_error* error)
{
    wm_grid grid;
    wm_status status = wm_mapfile_load_as(&grid, map_path, &job->rules, NULL, error);
    if (status != WM_OK) return status;
    const wm_stored_map* map = find_map(job, archive, &grid, map_path);
    if (map == NULL)
        status = wm_fail(error, WM_ERR_NOT_FOUND,
                         "%s has nothing for %s; `waymark-build info` shows what it has", job->path,
                         map_path);
    if (status == WM_OK) status = wm_build_check_map(map, &grid, job->path, map_path, error);
    for (size_t i = 0; status == WM_OK && i < map->payload_count; i++)
        status = verify_payload(job, map, &map->payloads[i], &grid, error);
    wm_grid_free(&grid);
    return status;
}

static int run(verify_job* job, const struct arg_file* maps)
{
    wm_error error = {0};
    wm_archive archive;
    wm_progress_catch_signals();
    char words[100];
    snprintf(words, sizeof words, "%s: interrupted\n", job->cli->program);
    wm_progress_watch(words, NULL);
    wm_status status = wm_build_load(&archive, job->path, &error);
    for (int i = 0; i < maps->count && status == WM_OK; i++)
        status = verify_map(job, &archive, maps->filename[i], &error);
    const size_t left =
        archive.count > (size_t)maps->count ? archive.count - (size_t)maps->count : 0;
    if (status == WM_OK && left > 0 && !job->quiet)
        printf("%zu other map%s of %s not looked at\n", left, left == 1 ? "" : "s", job->path);
    wm_archive_free(&archive);
    wm_progress_watch(NULL, NULL);
    if (status != WM_OK) return wm_cli_fail(job->cli, status, &error);
    return job->broken ? WM_EXIT_NO : WM_EXIT_DONE;
}

int wm_cmd_verify(const wm_cli* cli, int argc, char** argv)
{
    struct arg_file* file = arg_file1(NULL, NULL, "FILE", "database (.wmdb or .wmb)");
    struct arg_file* maps = arg_filen(NULL, NULL, "MAP", 1, 100000, "maps to check it against");
    struct arg_str* name = arg_str0(NULL, "name", "NAME", "the map's name in the file");
    struct arg_str* diagonal =
        arg_str0(NULL, "diagonal", "none|squeeze", "when diagonal steps are legal (default none)");
    struct arg_str* threads = arg_str0(NULL, "threads", "T", "threads (default: all cores)");
    struct arg_lit* quiet = arg_lit0("q", "quiet", "print nothing but errors");
    struct arg_str* agent_size = wm_cli_agent_size();
    void* table[] = {file,    maps,  name,          diagonal,    agent_size,
                     threads, quiet, wm_cli_help(), wm_cli_end()};
    int exit_status = WM_EXIT_DONE;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status)) {
        uint64_t thread_count = wm_processor_count();
        verify_job job = {.cli = cli,
                          .path = file->filename[0],
                          .name = name->count > 0 ? name->sval[0] : NULL,
                          .quiet = quiet->count > 0};
        if (job.name != NULL && maps->count > 1) {
            exit_status =
                wm_cli_usage(cli, "--name goes with one map, and %d were given", maps->count);
        } else if (wm_cli_get_rules(cli, diagonal, agent_size, &job.rules) &&
                   wm_cli_get_u64(cli, threads, 1, 1024, &thread_count)) {
            job.threads = (unsigned)thread_count;
            exit_status = run(&job, maps);
        } else {
            exit_status = WM_EXIT_USAGE;
        }
    }
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
