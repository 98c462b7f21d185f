// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "mapfile.h"

int64_t bench_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void bench_fail(bench_run* bench, const wm_error* error)
{
    fprintf(stderr, "waymark-bench: %s\n", error->message);
    bench->failed = true;
}

bool bench_load(bench_run* bench, wm_grid* grid, const char* map)
{
    char path[4096];
    wm_error error = {0};
    snprintf(path, sizeof path, "%s/%s.map", bench->folder, map);
    const wm_status status = wm_mapfile_load(grid, path, WM_DIAGONAL_NONE, NULL, &error);
    if (status == WM_ERR_NOT_FOUND)
        printf("  %-18s SKIPPED: %s is not there (--maps or WAYMARK_BENCHMARKS says where)\n", map,
               path);
    else if (status != WM_OK)
        bench_fail(bench, &error);
    return status == WM_OK;
}

static int compare_doubles(const void* left, const void* right)
{
    const double a = *(const double*)left;
    const double b = *(const double*)right;
    return (a > b) - (a < b);
}

double bench_median(double* values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return count == 0 ? 0 : (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static bool wanted(const struct arg_str* only, const char* part)
{
    return only->count == 0 || strcmp(only->sval[0], part) == 0;
}

int main(int argc, char** argv)
{
    struct arg_file* maps = arg_file0(NULL, "maps", "DIR",
                                      "benchmark maps (default: $WAYMARK_BENCHMARKS, or "
                                      "../shared/movingai)");
    struct arg_str* only =
        arg_str0(NULL, "only", "builder|queries|steps|regions|crowd|paper-k", "one part only");
    struct arg_file* counters = arg_file0(NULL, "counters", "PROJECT",
                                          "print the counters of bench/counters.csv instead; "
                                          "PROJECT is the project's folder");
    struct arg_lit* help = arg_lit0(NULL, "help", "print this and exit");
    struct arg_end* end = arg_end(5);
    void* table[] = {maps, only, counters, help, end};
    const int errors = arg_parse(argc, argv, table);
    int exit_status = 0;
    if (help->count > 0) {
        printf("usage: waymark-bench");
        arg_print_syntax(stdout, table, "\n");
        arg_print_glossary(stdout, table, "  %-30s %s\n");
    } else if (errors > 0) {
        arg_print_errors(stderr, end, "waymark-bench");
        exit_status = 2;
    } else {
        const char* beside = getenv("WAYMARK_BENCHMARKS");
        if (beside == NULL || beside[0] == '\0') beside = "../shared/movingai";
        bench_run bench = {.folder = maps->count > 0 ? maps->filename[0] : beside};
        const bool tables = counters->count == 0;
        if (!tables) bench_counters(&bench, counters->filename[0]);
        if (tables && wanted(only, "builder")) bench_builder(&bench);
        if (tables && wanted(only, "queries")) bench_queries(&bench);
        if (tables && wanted(only, "steps")) bench_steps(&bench);
        if (tables && wanted(only, "regions")) bench_regions(&bench);
        if (tables && wanted(only, "crowd")) bench_crowd(&bench);
        if (tables && wanted(only, "paper-k")) bench_paper_k(&bench);
        exit_status = bench.failed ? 3 : 0;
    }
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
