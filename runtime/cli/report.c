// SPDX-License-Identifier: MIT
#include "report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

// ---------------------------------------------------------------------------------------------
// CSV

static void print_csv_header(void)
{
    printf("map,algorithm,problem,start_x,start_y,goal_x,goal_y,status,optimal_cost,cost,moves,"
           "expansions,max_expansions_per_move,back_moves,non_optimal_moves,revisits,"
           "plan_ns_first,plan_ns_max,plan_ns_total,agent_bytes\n");
}

static void print_csv_counts(const wm_race_run* c)
{
    printf("%.8f,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%zu\n", wm_race_length(c),
           (unsigned long long)c->moves, (unsigned long long)c->expansions,
           (unsigned long long)c->max_expansions_per_move, (unsigned long long)c->back_moves,
           (unsigned long long)c->non_optimal_moves, (unsigned long long)c->revisits,
           (unsigned long long)c->plan_ns_first, (unsigned long long)c->plan_ns_max,
           (unsigned long long)c->plan_ns_total, c->agent_bytes);
}

static void print_csv_run(const wm_compare_run* run)
{
    wm_cli_print_csv(stdout, run->map);
    printf(",%s,%zu,%d,%d,%d,%d,%s,", run->spec, run->problem, (int)run->start.x, (int)run->start.y,
           (int)run->goal.x, (int)run->goal.y, wm_race_outcome_name(run->counts->outcome));
    if (run->counts->optimal != WM_COST_INFINITE)
        printf("%.8f", wm_cost_to_double(run->counts->optimal));
    printf(",");
    print_csv_counts(run->counts);
}

// ---------------------------------------------------------------------------------------------
// JSON

static void print_json_counts(const wm_race_run* c)
{
    printf("\"cost\":%.8f,\"moves\":%llu,\"expansions\":%llu,\"max_expansions_per_move\":%llu,",
           wm_race_length(c), (unsigned long long)c->moves, (unsigned long long)c->expansions,
           (unsigned long long)c->max_expansions_per_move);
    printf("\"back_moves\":%llu,\"non_optimal_moves\":%llu,\"revisits\":%llu,",
           (unsigned long long)c->back_moves, (unsigned long long)c->non_optimal_moves,
           (unsigned long long)c->revisits);
    printf("\"plan_ns_first\":%llu,\"plan_ns_max\":%llu,\"plan_ns_total\":%llu,"
           "\"agent_bytes\":%zu}",
           (unsigned long long)c->plan_ns_first, (unsigned long long)c->plan_ns_max,
           (unsigned long long)c->plan_ns_total, c->agent_bytes);
}

static void print_json_run(const wm_compare_run* run, bool first)
{
    printf(first ? "{\"runs\":[\n{\"map\":" : ",\n{\"map\":");
    wm_cli_print_json(stdout, run->map);
    printf(",\"algorithm\":");
    wm_cli_print_json(stdout, run->spec);
    printf(",\"problem\":%zu,\"start_x\":%d,\"start_y\":%d,\"goal_x\":%d,\"goal_y\":%d,"
           "\"status\":\"%s\",",
           run->problem, (int)run->start.x, (int)run->start.y, (int)run->goal.x, (int)run->goal.y,
           wm_race_outcome_name(run->counts->outcome));
    if (run->counts->optimal == WM_COST_INFINITE) {
        printf("\"optimal_cost\":null,");
    } else {
        printf("\"optimal_cost\":%.8f,", wm_cost_to_double(run->counts->optimal));
    }
    print_json_counts(run->counts);
}

// Null where nothing was measured.
static void print_json_times(const char* key, const wm_histogram* ns, bool known)
{
    if (!known) {
        printf("\"%s\":{\"p50\":null,\"p99\":null,\"max\":null},", key);
        return;
    }
    printf("\"%s\":{\"p50\":%llu,\"p99\":%llu,\"max\":%llu},", key,
           (unsigned long long)wm_histogram_percentile(ns, 50),
           (unsigned long long)wm_histogram_percentile(ns, 99), (unsigned long long)ns->max);
}

static void print_json_suboptimality(wm_summary* s)
{
    const wm_spread spread = wm_summary_suboptimality(s);
    printf("\"suboptimality_percent\":");
    if (s->compared == 0) {
        printf("{\"mean\":null,\"median\":null,\"p95\":null,\"worst\":null},");
    } else {
        printf("{\"mean\":%.4f,\"median\":%.4f,\"p95\":%.4f,\"worst\":%.4f},", spread.mean,
               spread.median, spread.p95, spread.worst);
    }
}

static void print_json_expansions(const wm_summary* s)
{
    if (s->moves == 0) {
        printf("\"expansions_per_move\":null,\"max_expansions_per_move\":null,");
    } else {
        printf("\"expansions_per_move\":%.4f,\"max_expansions_per_move\":%llu,",
               wm_summary_expansions_per_move(s), (unsigned long long)s->max_expansions_per_move);
    }
}

static void print_json_algorithm(wm_compare_algorithm* algorithm)
{
    wm_summary* s = &algorithm->summary;
    printf("{\"algorithm\":");
    wm_cli_print_json(stdout, algorithm->spec);
    printf(",\"runs\":%llu,\"solved\":%llu,\"no_path\":%llu,\"gave_up\":%llu,",
           (unsigned long long)s->runs, (unsigned long long)s->outcomes[WM_RACE_SOLVED],
           (unsigned long long)s->outcomes[WM_RACE_NO_PATH],
           (unsigned long long)s->outcomes[WM_RACE_GAVE_UP]);
    print_json_suboptimality(s);
    printf("\"moves_per_run\":%.4f,", wm_summary_per_run(s, s->moves));
    print_json_expansions(s);
    printf("\"back_moves_per_run\":%.4f,\"non_optimal_moves_per_run\":%.4f,"
           "\"revisits_per_run\":%.4f,",
           wm_summary_per_run(s, s->back_moves), wm_summary_per_run(s, s->non_optimal_moves),
           wm_summary_per_run(s, s->revisits));
    print_json_times("plan_ns_first", &s->first_ns, s->moves > 0);
    print_json_times("plan_ns_per_move", &s->step_ns, s->moves > 0);
    printf("\"plan_ns_per_run\":%.0f,\"agent_bytes\":%zu,\"database_bytes\":%zu}",
           wm_summary_per_run(s, s->plan_ns_total), s->agent_bytes, s->database_bytes);
}

static void print_json_end(wm_compare* compare, size_t rows)
{
    printf(rows == 0 ? "{\"runs\":[],\n\"algorithms\":[" : "],\n\"algorithms\":[");
    const char* joint = "\n";
    for (size_t i = 0; i < compare->algorithm_count; i++) {
        if (compare->algorithms[i].summary.runs == 0) continue;
        printf("%s", joint);
        print_json_algorithm(&compare->algorithms[i]);
        joint = ",\n";
    }
    printf("],\n\"maps\":%zu,\"problems\":%zu}\n", compare->map_count, compare->problem_count);
}

// ---------------------------------------------------------------------------------------------
// Paths

static wm_status fail_to_write(const wm_report* report, wm_error* error)
{
    return wm_fail(error, WM_ERR_IO,
                   "%s: cannot be written (%s); free some space or write elsewhere",
                   report->paths_name, strerror(errno));
}

static wm_status write_path(const wm_report* report, const wm_compare_run* run, wm_error* error)
{
    FILE* file = report->paths;
    char id[8192]; // a path that can be opened is shorter
    snprintf(id, sizeof id, "%s:%s:%zu", run->map, run->spec, run->problem);
    wm_cli_print_csv(file, id);
    fprintf(file, ",%d,%d,%d,%d,%.8f,", (int)run->start.x, (int)run->start.y, (int)run->goal.x,
            (int)run->goal.y, wm_race_length(run->counts));
    for (size_t i = 0; i < run->path_length; i++) {
        const wm_point p = wm_grid_point(run->grid, run->path[i]);
        fprintf(file, "%s%d:%d", i == 0 ? "" : " ", (int)p.x, (int)p.y);
    }
    fprintf(file, "\n");
    return ferror(file) ? fail_to_write(report, error) : WM_OK;
}

static wm_status open_paths(wm_report* report, wm_error* error)
{
    const wm_status status = wm_replacement_begin(&report->paths_file, report->paths_name, error);
    if (status != WM_OK) return status;
    // The replacement keeps its own descriptor: it carries the lock.
    const int file = dup(report->paths_file.lock);
    report->paths = file < 0 ? NULL : fdopen(file, "w");
    if (report->paths != NULL) return WM_OK;
    if (file >= 0) close(file);
    return fail_to_write(report, error);
}

static wm_status finish_paths(wm_report* report, wm_error* error)
{
    const bool written = fclose(report->paths) == 0;
    report->paths = NULL;
    return written ? wm_replacement_commit(&report->paths_file, error)
                   : fail_to_write(report, error);
}

// ---------------------------------------------------------------------------------------------

wm_status wm_report_begin(wm_report* report, wm_report_format format, const char* paths,
                          wm_error* error)
{
    *report = (wm_report){.format = format, .paths_name = paths, .paths_file = {.lock = -1}};
    if (paths == NULL) return WM_OK;
    const wm_status status = open_paths(report, error);
    if (status != WM_OK) wm_report_abandon(report);
    return status;
}

wm_status wm_report_run(wm_report* report, const wm_compare_run* run, wm_error* error)
{
    // The header waits for the first run: a comparison that cannot start prints nothing.
    if (report->format == WM_REPORT_CSV) {
        if (report->rows == 0) print_csv_header();
        print_csv_run(run);
    } else if (report->format == WM_REPORT_JSON) {
        print_json_run(run, report->rows == 0);
    }
    report->rows++;
    if (report->paths == NULL || run->counts->outcome != WM_RACE_SOLVED) return WM_OK;
    return write_path(report, run, error);
}

wm_status wm_report_end(wm_report* report, wm_compare* compare, wm_error* error)
{
    if (report->format == WM_REPORT_TABLE && !wm_report_print_table(compare))
        return wm_fail(error, WM_ERR_MEMORY, "there is no memory to print the table");
    if (report->format == WM_REPORT_JSON) print_json_end(compare, report->rows);
    if (report->format == WM_REPORT_CSV && report->rows == 0) print_csv_header();
    return report->paths == NULL ? WM_OK : finish_paths(report, error);
}

void wm_report_abandon(wm_report* report)
{
    if (report->paths != NULL) fclose(report->paths);
    report->paths = NULL;
    wm_replacement_abandon(&report->paths_file);
}
