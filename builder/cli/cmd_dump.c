// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdio.h>

#include "commands.h"

static uint32_t longest_chain(const wm_knn* knn)
{
    uint32_t longest = 1;
    for (uint32_t i = 0; i < knn->count; i++) {
        if (knn->records[i].subgoal_count > longest) longest = knn->records[i].subgoal_count;
    }
    return longest;
}

static void print_header(uint32_t columns)
{
    printf("start_x,start_y,goal_x,goal_y,subgoal_x,subgoal_y");
    for (uint32_t i = 2; i <= columns; i++) printf(",subgoal%u_x,subgoal%u_y", i, i);
    printf("\n");
}

// Chains shorter than the longest leave their last columns empty.
static void print_record(const wm_knn* knn, const wm_knn_record* record, uint32_t columns)
{
    const wm_point start = wm_knn_point(knn, record->start);
    const wm_point goal = wm_knn_point(knn, record->goal);
    printf("%d,%d,%d,%d", start.x, start.y, goal.x, goal.y);
    for (uint32_t i = 0; i < columns; i++) {
        if (i < record->subgoal_count) {
            const wm_point p = wm_knn_point(knn, knn->subgoals[record->first_subgoal + i]);
            printf(",%d,%d", p.x, p.y);
        } else {
            printf(",,");
        }
    }
    printf("\n");
}

static int run(const wm_cli* cli, const char* path, const char* name)
{
    wm_error error = {0};
    wm_archive archive;
    wm_knn knn = {0};
    wm_status status = wm_build_load(&archive, path, &error);
    if (status == WM_OK) {
        const wm_stored_map* map = wm_archive_find(&archive, name);
        if (map == NULL)
            status =
                wm_fail(&error, WM_ERR_NOT_FOUND,
                        "%s has no map \"%s\"; `waymark-build info` shows what it has", path, name);
        else
            status = wm_build_load_knn(&knn, map, path, &error);
    }
    if (status == WM_OK) {
        const uint32_t columns = longest_chain(&knn);
        print_header(columns);
        for (uint32_t i = 0; i < knn.count; i++) print_record(&knn, &knn.records[i], columns);
    }
    wm_knn_free(&knn);
    wm_archive_free(&archive);
    return status == WM_OK ? WM_EXIT_DONE : wm_cli_fail(cli, status, &error);
}

int wm_cmd_dump(const wm_cli* cli, int argc, char** argv)
{
    struct arg_file* file = arg_file1(NULL, NULL, "FILE", "database (.wmdb or .wmb)");
    struct arg_str* map = arg_str1(NULL, "map", "NAME", "the map whose records to print");
    void* table[] = {file, map, wm_cli_help(), wm_cli_end()};
    int exit_status = WM_EXIT_DONE;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status))
        exit_status = run(cli, file->filename[0], map->sval[0]);
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
