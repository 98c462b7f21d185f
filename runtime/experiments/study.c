// SPDX-License-Identifier: MIT
#include "study.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "internal.h"

#define PROBLEMS_PER_JOB 4

const char* const wm_study_rules_names[] = {"none", "squeeze", "both", NULL};

// ---------------------------------------------------------------------------------------------
// Planning

size_t wm_study_scaled(const wm_study* study, size_t count)
{
    const double scaled = study->options.scale * (double)count + 0.5;
    return scaled < 1 ? 1 : (size_t)scaled;
}

wm_status wm_study_add_setting(wm_study* study, const wm_study_setting* setting, wm_error* error)
{
    const wm_algorithm* algorithm;
    wm_parameter_values values;
    const wm_status status = wm_algorithm_parse(setting->spec, &algorithm, &values, error);
    if (status != WM_OK) return status;
    wm_study_setting* grown = wm_grow(study->settings, &study->setting_capacity,
                                      (size_t)study->setting_count + 1, sizeof *grown);
    if (grown == NULL) return wm_fail_memory(error, sizeof *grown);
    study->settings = grown;
    study->settings[study->setting_count++] = *setting;
    return WM_OK;
}

static wm_status add_maps_of(wm_study* study, wm_diagonal diagonal, wm_error* error)
{
    study->diagonal = diagonal;
    study->first_map = study->map_count;
    return study->experiment->add_maps(study, error);
}

// The rule that the paper is compared under comes first.
static wm_status add_maps(wm_study* study, wm_error* error)
{
    const wm_experiment* experiment = study->experiment;
    const wm_study_rules rules =
        study->options.rules == WM_STUDY_PAPERS_RULES ? experiment->rules : study->options.rules;
    const bool both = rules == WM_STUDY_BOTH_RULES;
    const wm_diagonal first = both ? experiment->diagonal : (wm_diagonal)rules;
    const wm_diagonal other = first == WM_DIAGONAL_NONE ? WM_DIAGONAL_SQUEEZE : WM_DIAGONAL_NONE;
    wm_status status = add_maps_of(study, first, error);
    if (status == WM_OK && both) status = add_maps_of(study, other, error);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Walking

wm_status wm_study_keep(wm_study_results* results, const wm_study_result* result)
{
    wm_study_result* grown =
        wm_grow(results->list, &results->capacity, results->count + 1, sizeof *grown);
    if (grown == NULL) return WM_ERR_MEMORY;
    results->list = grown;
    results->list[results->count++] = *result;
    return WM_OK;
}

wm_study_result wm_study_result_of(uint32_t map, uint32_t setting, uint32_t problem,
                                   const wm_race_run* run)
{
    return (wm_study_result){.map = map,
                             .setting = setting,
                             .problem = problem,
                             .outcome = run->outcome,
                             .optimal = wm_cost_to_double(run->optimal),
                             .cost = wm_race_length(run),
                             .moves = run->moves,
                             .waits = run->waits,
                             .search_steps = run->search_steps,
                             .expansions = run->expansions,
                             .max_expansions_per_move = run->max_expansions_per_move,
                             .back_moves = run->back_moves,
                             .non_optimal_moves = run->non_optimal_moves,
                             .plan_ns = run->plan_ns_total,
                             .plan_ns_max = run->plan_ns_max};
}

bool wm_study_applies(const wm_study_setting* setting, int family)
{
    return setting->families == 0 || (setting->families >> family & 1) != 0;
}

// One agent after the other, because many at once would need much memory.
static wm_status walk_setting(const wm_study* study, uint32_t map, uint32_t setting,
                              uint32_t problem, wm_race* race, wm_study_results* results,
                              wm_error* error)
{
    const wm_study_setting* chosen = &study->settings[setting];
    wm_agent* agent;
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = chosen->spec;
    config.terrain = chosen->terrain;
    config.heuristic = chosen->heuristic;
    wm_status status = wm_agent_create(&agent, study->maps[map].map, NULL, &config, error);
    if (status != WM_OK) return status;
    wm_race_run run;
    status = wm_race_walk(race, agent, &run, NULL, error);
    if (status == WM_OK) {
        const wm_study_result result = wm_study_result_of(map, setting, problem, &run);
        status = wm_study_keep(results, &result);
    }
    wm_agent_destroy(agent);
    return status;
}

wm_status wm_study_walk(const wm_study* study, uint32_t map, uint32_t first, uint32_t end,
                        wm_study_results* results, wm_error* error)
{
    const wm_study_map* m = &study->maps[map];
    wm_race race = {0};
    wm_status status = wm_race_create(&race, m->map, WM_RACE_GIVE_UP, false, error);
    for (uint32_t p = first; p < end && status == WM_OK; p++) {
        const wm_problem* problem = &m->problems.list[p];
        status = wm_race_set_problem(&race, wm_grid_point(&m->map->grid, problem->start),
                                     wm_grid_point(&m->map->grid, problem->goal), error);
        for (uint32_t s = 0; s < study->setting_count && status == WM_OK; s++) {
            if (wm_study_applies(&study->settings[s], m->family))
                status = walk_setting(study, map, s, p, &race, results, error);
        }
    }
    wm_race_free(&race);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Jobs

typedef struct study_job {
    uint32_t map;
    uint32_t first;
    uint32_t end;
    bool done;
    wm_study_results results;
} study_job;

typedef struct study_work {
    wm_study* study;
    study_job* jobs;
    size_t job_count;
    size_t* waiting; // jobs that are not done
    size_t waiting_count;
    FILE* journal; // what is finished, for --resume
    pthread_mutex_t lock;
    wm_error error;
} study_work;

static wm_status make_jobs(study_work* work, wm_error* error)
{
    const wm_study* study = work->study;
    size_t capacity = 0;
    for (uint32_t m = 0; m < study->map_count; m++) {
        const uint32_t problems = (uint32_t)study->maps[m].problems.count;
        for (uint32_t first = 0; first < problems; first += study->problems_per_job) {
            study_job* grown =
                wm_grow(work->jobs, &capacity, work->job_count + 1, sizeof *work->jobs);
            if (grown == NULL) return wm_fail_memory(error, sizeof *grown);
            work->jobs = grown;
            const uint32_t end = first + study->problems_per_job;
            work->jobs[work->job_count++] =
                (study_job){.map = m, .first = first, .end = end < problems ? end : problems};
        }
    }
    return WM_OK;
}

// The journal has a line for the study, then for each finished job its results and a line "end".
// Numbers are written so that reading gives the same ones.
#define JOURNAL_NAME "unfinished.journal"
#define JOURNAL_ROW                                                                                \
    "%zu %" PRIu32 " %" PRIu32 " %" PRIu32 " %d %a %a %" PRIu64 " %" PRIu64 " %" PRIu64            \
    " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64            \
    " %" PRIu64 " %" PRIu64 "\n"
#define JOURNAL_FIELDS 19

static void write_identity(char* text, size_t size, const wm_study* study, size_t jobs)
{
    uint64_t maps = study->map_count;
    for (uint32_t m = 0; m < study->map_count; m++)
        maps = 31 * maps + wm_map_hash(study->maps[m].map);
    snprintf(text, size,
             "waymark-experiment %s scale %a seed %" PRIu64 " maps %016" PRIx64 " settings %" PRIu32
             " jobs %zu",
             study->experiment->name, study->options.scale, study->options.seed, maps,
             study->setting_count, jobs);
}

static bool write_journal(FILE* journal, size_t job, const wm_study_results* results)
{
    for (size_t i = 0; i < results->count; i++) {
        const wm_study_result* r = &results->list[i];
        fprintf(journal, JOURNAL_ROW, job, r->map, r->setting, r->problem, (int)r->outcome,
                r->optimal, r->cost, r->moves, r->waits, r->search_steps, r->expansions,
                r->max_expansions_per_move, r->back_moves, r->non_optimal_moves, r->numbers,
                r->stored_bytes, r->plan_ns, r->plan_ns_max, r->build_ns);
    }
    fprintf(journal, "end %zu\n", job);
    return fflush(journal) == 0 && !ferror(journal);
}

static wm_status read_row(study_work* work, const char* line)
{
    size_t job;
    int outcome;
    wm_study_result r;
    if (sscanf(line,
               "%zu %" SCNu32 " %" SCNu32 " %" SCNu32 " %d %la %la %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64,
               &job, &r.map, &r.setting, &r.problem, &outcome, &r.optimal, &r.cost, &r.moves,
               &r.waits, &r.search_steps, &r.expansions, &r.max_expansions_per_move, &r.back_moves,
               &r.non_optimal_moves, &r.numbers, &r.stored_bytes, &r.plan_ns, &r.plan_ns_max,
               &r.build_ns) != JOURNAL_FIELDS ||
        job >= work->job_count || r.map >= work->study->map_count ||
        r.setting >= work->study->setting_count || outcome < 0 || outcome > WM_RACE_GAVE_UP)
        return WM_ERR_FORMAT;
    r.outcome = (wm_race_outcome)outcome;
    return wm_study_keep(&work->jobs[job].results, &r);
}

// Takes over the finished jobs of an interrupted study; a job without its end is done again.
static wm_status read_journal(study_work* work, FILE* journal, const char* identity)
{
    char line[512];
    if (fgets(line, sizeof line, journal) == NULL) return WM_OK;
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, identity) != 0) return WM_ERR_MISMATCH;
    wm_status status = WM_OK;
    while (status == WM_OK && fgets(line, sizeof line, journal) != NULL) {
        size_t job;
        if (strchr(line, '\n') == NULL) break; // cut off while it was written
        if (sscanf(line, "end %zu", &job) == 1 && job < work->job_count)
            work->jobs[job].done = true;
        else
            status = read_row(work, line);
    }
    for (size_t i = 0; i < work->job_count; i++) {
        if (!work->jobs[i].done) work->jobs[i].results.count = 0;
    }
    return status;
}

static wm_status fail_to_keep(const study_work* work, wm_error* error)
{
    return wm_fail(error, WM_ERR_IO,
                   "%s/" JOURNAL_NAME " cannot be written (%s); free some space or write elsewhere",
                   work->study->options.out, strerror(errno));
}

// What an earlier run has finished goes into a new file, which then takes the old one's place: killed
// in between, nothing is lost.
static wm_status begin_journal(study_work* work, const char* path, const char* identity,
                               wm_error* error)
{
    char fresh[4200];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    work->journal = fopen(fresh, "w");
    if (work->journal == NULL) return fail_to_keep(work, error);
    bool written = fprintf(work->journal, "%s\n", identity) > 0;
    for (size_t i = 0; i < work->job_count && written; i++) {
        if (work->jobs[i].done) written = write_journal(work->journal, i, &work->jobs[i].results);
    }
    if (written && fflush(work->journal) == 0 && rename(fresh, path) == 0) return WM_OK;
    const wm_status status = fail_to_keep(work, error);
    unlink(fresh);
    return status;
}

static wm_status open_journal(study_work* work, const char* path, wm_error* error)
{
    char identity[512];
    write_identity(identity, sizeof identity, work->study, work->job_count);
    FILE* before = work->study->options.resume ? fopen(path, "r") : NULL;
    wm_status status = WM_OK;
    if (before != NULL) {
        status = read_journal(work, before, identity);
        fclose(before);
    }
    if (status != WM_OK)
        return wm_fail(
            error, WM_ERR_MISMATCH,
            "%s is of another experiment, scale, seed or set of maps; go on with the same ones and "
            "--resume, or remove the file to begin anew",
            path);
    return begin_journal(work, path, identity, error);
}

static wm_status do_job(void* context, void* workspace, size_t index)
{
    (void)workspace;
    study_work* work = context;
    const size_t number = work->waiting[index];
    study_job* job = &work->jobs[number];
    wm_error error = {""};
    wm_status status = work->study->experiment->walk(work->study, job->map, job->first, job->end,
                                                     &job->results, &error);
    pthread_mutex_lock(&work->lock);
    if (status == WM_OK && write_journal(work->journal, number, &job->results))
        job->done = true;
    else if (status == WM_OK)
        status = fail_to_keep(work, &error);
    if (status != WM_OK && work->error.message[0] == '\0') work->error = error;
    pthread_mutex_unlock(&work->lock);
    return status;
}

static wm_status do_jobs(study_work* work, wm_error* error)
{
    const wm_study_options* options = &work->study->options;
    work->waiting = wm_alloc(NULL, work->job_count, sizeof *work->waiting);
    if (work->waiting == NULL) return wm_fail_memory(error, work->job_count);
    for (size_t i = 0; i < work->job_count; i++) {
        if (!work->jobs[i].done) work->waiting[work->waiting_count++] = i;
    }
    pthread_mutex_init(&work->lock, NULL);
    const wm_parallel loop = {.count = work->waiting_count,
                              .threads = options->threads,
                              .block = 1, // a part may take minutes
                              .context = work,
                              .item = do_job,
                              .progress = options->progress,
                              .progress_context = options->progress_context};
    const wm_status status = wm_parallel_run(&loop);
    pthread_mutex_destroy(&work->lock);
    size_t done = 0;
    for (size_t i = 0; i < work->job_count; i++) done += work->jobs[i].done;
    if (done == work->job_count) return WM_OK; // a signal behind the last part is too late
    if (status == WM_ERR_INTERRUPTED) {
        return wm_fail(error, status, "interrupted; %zu of %zu parts are kept, go on with --resume",
                       done, work->job_count);
    }
    if (status != WM_OK && error != NULL) *error = work->error;
    return status;
}

static wm_status gather(study_work* work, wm_error* error)
{
    wm_study_results* all = &work->study->results;
    for (size_t i = 0; i < work->job_count; i++) {
        const wm_study_results* part = &work->jobs[i].results;
        for (size_t r = 0; r < part->count; r++) {
            if (wm_study_keep(all, &part->list[r]) != WM_OK)
                return wm_fail_memory(error, all->count * sizeof *all->list);
        }
    }
    return WM_OK;
}

// ---------------------------------------------------------------------------------------------
// Files

// Times come last.
static void write_walks(const wm_study* study, FILE* out)
{
    fprintf(out, "map,diagonal,setting,problem,status,optimal_cost,cost,moves,waits,search_steps,"
                 "expansions,max_expansions_per_move,back_moves,non_optimal_moves,numbers,"
                 "stored_bytes,plan_ns,plan_ns_max,build_ns\n");
    for (size_t i = 0; i < study->results.count; i++) {
        const wm_study_result* r = &study->results.list[i];
        fprintf(out,
                "%s,%s,%s,%" PRIu32 ",%s,%.8f,%.8f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%" PRIu64 "\n",
                study->maps[r->map].name, wm_diagonal_name(study->maps[r->map].map->grid.diagonal),
                study->settings[r->setting].label, r->problem, wm_race_outcome_name(r->outcome),
                r->optimal, r->cost, r->moves, r->waits, r->search_steps, r->expansions,
                r->max_expansions_per_move, r->back_moves, r->non_optimal_moves, r->numbers,
                r->stored_bytes, r->plan_ns, r->plan_ns_max, r->build_ns);
    }
}

static wm_status write_results(const wm_study* study, const char* path, wm_error* error)
{
    FILE* out = fopen(path, "w");
    if (out == NULL)
        return wm_fail(error, WM_ERR_IO, "%s cannot be written: %s", path, strerror(errno));
    if (study->experiment->write_results != NULL)
        study->experiment->write_results(study, out);
    else
        write_walks(study, out);
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        return wm_fail(error, WM_ERR_IO, "%s cannot be written: %s", path, strerror(errno));
    return WM_OK;
}

// A path as the shell reads it: in quotes, where an apostrophe ends them and begins them anew.
static void write_quoted(const char* path, FILE* out)
{
    fputc('\'', out);
    for (; *path != '\0'; path++) {
        if (*path == '\'') fputs("'\\'", out);
        fputc(*path, out);
    }
    fputc('\'', out);
}

// The command that makes the same results again.
static void write_command(const wm_study* study, FILE* out)
{
    const wm_study_options* options = &study->options;
    fprintf(out, "waymark-run experiment %s --scale %g --seed %" PRIu64, study->experiment->name,
            options->scale, options->seed);
    if (options->rules != WM_STUDY_PAPERS_RULES)
        fprintf(out, " --diagonal %s", wm_study_rules_names[options->rules]);
    if (options->maps != NULL) {
        fprintf(out, " --maps ");
        write_quoted(options->maps, out);
    }
    fprintf(out, " --out ");
    write_quoted(options->out, out);
}

static void write_report_head(const wm_study* study, FILE* out)
{
    size_t problems = 0;
    for (uint32_t m = 0; m < study->map_count; m++) problems += study->maps[m].problems.count;
    fprintf(out, "# %s\n\n%s.\n\n", study->experiment->name, study->experiment->summary);
    fprintf(out, "Made by\n\n    ");
    write_command(study, out);
    fprintf(out, "\n\n%zu problems on %" PRIu32 " maps, %" PRIu32 " settings.\n\n", problems,
            study->map_count, study->setting_count);
}

// A study as if there were no maps but those of one diagonal rule, which is how reports see it.
// Results stand in the order of the maps.
static wm_study one_rule(const wm_study* study, uint32_t first_map, uint32_t end_map)
{
    wm_study view = *study;
    wm_study_results* results = &view.results;
    view.maps += first_map;
    view.map_count = end_map - first_map;
    view.diagonal = view.maps->map->grid.diagonal;
    while (results->count > 0 && results->list->map < first_map) {
        results->list++;
        results->count--;
    }
    while (results->count > 0 && results->list[results->count - 1].map >= end_map) results->count--;
    for (size_t i = 0; i < results->count; i++) results->list[i].map -= first_map;
    return view;
}

static wm_status report_rule(const wm_study* view, FILE* out, wm_error* error)
{
    const wm_experiment* experiment = view->experiment;
    fprintf(out, "# Diagonal rule %s\n\n", wm_diagonal_name(view->diagonal));
    if (view->diagonal != experiment->diagonal)
        fprintf(out, "The same under the other rule; the paper is compared with under %s.\n\n",
                wm_diagonal_name(experiment->diagonal));
    fprintf(out, "%s.\n\nMaps:", experiment->why_diagonal);
    for (uint32_t m = 0; m < view->map_count; m++)
        fprintf(out, "%s %s", m == 0 ? "" : ",", view->maps[m].name);
    fprintf(out, ".\n\n");
    return experiment->report(view, out, error);
}

// Rule by rule. Results get the numbers that their maps have among those of their rule.
static wm_status report_rules(const wm_study* study, FILE* out, wm_error* error)
{
    wm_status status = WM_OK;
    uint32_t end;
    for (uint32_t first = 0; first < study->map_count && status == WM_OK; first = end) {
        const wm_diagonal diagonal = study->maps[first].map->grid.diagonal;
        end = first;
        while (end < study->map_count && study->maps[end].map->grid.diagonal == diagonal) end++;
        const wm_study view = one_rule(study, first, end);
        status = report_rule(&view, out, error);
    }
    return status;
}

static wm_status write_report(const wm_study* study, const char* path, wm_error* error)
{
    FILE* out = fopen(path, "w");
    if (out == NULL)
        return wm_fail(error, WM_ERR_IO, "%s cannot be written: %s", path, strerror(errno));
    write_report_head(study, out);
    const wm_status status = report_rules(study, out, error);
    const bool failed = ferror(out) != 0;
    if ((fclose(out) != 0 || failed) && status == WM_OK)
        return wm_fail(error, WM_ERR_IO, "%s cannot be written: %s", path, strerror(errno));
    return status;
}

static wm_status make_folder(const char* path, bool* is_new, wm_error* error)
{
    struct stat there;
    *is_new = mkdir(path, 0777) == 0;
    if (*is_new) return WM_OK;
    if (errno == EEXIST && stat(path, &there) == 0) {
        if (S_ISDIR(there.st_mode)) return WM_OK;
        errno = ENOTDIR;
    }
    return wm_fail(error, WM_ERR_IO,
                   "the folder %s cannot be made (%s); name another one with --out", path,
                   strerror(errno));
}

static bool has_finished_parts(const char* path)
{
    char line[512];
    bool found = false;
    FILE* journal = fopen(path, "r");
    if (journal == NULL) return false;
    while (!found && fgets(line, sizeof line, journal) != NULL)
        found = strncmp(line, "end ", 4) == 0;
    fclose(journal);
    return found;
}

// What an interrupted run has kept may be the work of hours.
static wm_status check_journal(const wm_study_options* options, const char* path, wm_error* error)
{
    if (options->resume || !has_finished_parts(path)) return WM_OK;
    return wm_fail(error, WM_ERR_ARGUMENT,
                   "%s keeps what an interrupted run has finished; go on with --resume, or remove "
                   "it to begin anew",
                   path);
}

static wm_status check_maps_folder(const char* path, wm_error* error)
{
    struct stat there;
    if (path == NULL || (stat(path, &there) == 0 && S_ISDIR(there.st_mode))) return WM_OK;
    return wm_fail(error, WM_ERR_NOT_FOUND,
                   "there is no folder %s; name the one that holds the maps with --maps", path);
}

// ---------------------------------------------------------------------------------------------

static void free_study(wm_study* study)
{
    for (uint32_t m = 0; m < study->map_count; m++) {
        wm_problems_free(&study->maps[m].problems);
        free(study->maps[m].batch);
        wm_map_unload(study->maps[m].map);
    }
    free(study->maps);
    free(study->settings);
    free(study->results.list);
}

static void free_work(study_work* work)
{
    for (size_t i = 0; i < work->job_count; i++) free(work->jobs[i].results.list);
    free(work->jobs);
    wm_release(NULL, work->waiting, work->job_count, sizeof *work->waiting);
    if (work->journal != NULL) fclose(work->journal);
}

wm_status wm_study_run(const wm_experiment* experiment, const wm_study_options* options,
                       wm_error* error)
{
    char journal[4096];
    char results[4096];
    char report[4096];
    wm_study study = {
        .experiment = experiment, .options = *options, .problems_per_job = PROBLEMS_PER_JOB};
    study_work work = {.study = &study};
    snprintf(journal, sizeof journal, "%s/" JOURNAL_NAME, options->out);
    snprintf(results, sizeof results, "%s/results.csv", options->out);
    snprintf(report, sizeof report, "%s/report.md", options->out);
    bool is_new = false;
    wm_status status = check_maps_folder(options->maps, error);
    if (status == WM_OK) status = make_folder(options->out, &is_new, error);
    if (status == WM_OK) status = check_journal(options, journal, error);
    if (status == WM_OK) status = experiment->plan(&study, error);
    if (status == WM_OK) status = add_maps(&study, error);
    if (status == WM_OK) status = make_jobs(&work, error);
    if (status == WM_OK) status = open_journal(&work, journal, error);
    if (status == WM_OK) status = do_jobs(&work, error);
    if (status == WM_OK) status = gather(&work, error);
    if (status == WM_OK) status = write_results(&study, results, error);
    if (status == WM_OK) status = write_report(&study, report, error);
    free_work(&work);
    if (status == WM_OK) unlink(journal);
    if (status != WM_OK && is_new) rmdir(options->out); // stays if there is anything in it
    free_study(&study);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Summing up

static double measure_of(const wm_study* study, const wm_study_result* r, wm_study_measure measure)
{
    switch (measure) {
    case WM_STUDY_COST: return r->cost;
    case WM_STUDY_SUBOPTIMALITY: return r->optimal > 0 ? 100 * (r->cost / r->optimal - 1) : 0;
    case WM_STUDY_MOVES: return (double)r->moves;
    case WM_STUDY_EXPANSIONS: return (double)r->expansions;
    case WM_STUDY_EXPANSIONS_PER_MOVE:
        return r->moves > 0 ? (double)r->expansions / (double)r->moves : 0;
    case WM_STUDY_SEARCH_STEPS: return (double)r->search_steps;
    case WM_STUDY_WAITS: return (double)r->waits;
    case WM_STUDY_MILLISECONDS: return (double)r->plan_ns / 1e6;
    case WM_STUDY_NON_OPTIMAL_MOVES: return (double)r->non_optimal_moves;
    case WM_STUDY_BACK_MOVES: return (double)r->back_moves;
    case WM_STUDY_UNSOLVED: return r->outcome != WM_RACE_SOLVED;
    case WM_STUDY_SIZE:
        return (double)r->numbers / (double)study->maps[r->map].map->grid.cell_count;
    case WM_STUDY_STORED_BYTES: return (double)r->stored_bytes;
    case WM_STUDY_STORED_SIZE:
        return (double)r->stored_bytes / (double)study->maps[r->map].map->grid.cell_count;
    case WM_STUDY_BUILD_SECONDS: return (double)r->build_ns / 1e9;
    }
    return 0;
}

static bool is_of(const wm_study* study, const wm_study_result* r, int family, uint32_t setting)
{
    return r->setting == setting && (family < 0 || study->maps[r->map].family == family);
}

double wm_study_mean(const wm_study* study, int family, uint32_t setting, wm_study_measure measure)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < study->results.count; i++) {
        const wm_study_result* r = &study->results.list[i];
        if (!is_of(study, r, family, setting)) continue;
        sum += measure_of(study, r, measure);
        count++;
    }
    return count == 0 ? 0 : sum / (double)count;
}

double wm_study_longest_step(const wm_study* study, int family, uint32_t setting)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < study->results.count; i++) {
        const wm_study_result* r = &study->results.list[i];
        if (is_of(study, r, family, setting) && r->plan_ns_max > longest) longest = r->plan_ns_max;
    }
    return (double)longest / 1e6;
}
