// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdio.h>

#include "commands.h"
#include "mapfile.h"
#include "problems.h"

static wm_status draw(const wm_problem_range* range, const wm_grid_rules* rules,
                      const char* map_path, const char* output, wm_error* error)
{
    wm_grid grid = {0};
    wm_problems problems = {0};
    char map_name[WM_STORE_MAX_NAME + 1];
    wm_status status = wm_mapfile_load_as(&grid, map_path, rules, NULL, error);
    if (status == WM_OK) status = wm_problems_draw(&problems, &grid, range, map_path, error);
    if (status == WM_OK) {
        if (!wm_file_stem(map_name, sizeof map_name, map_path, ""))
            status = wm_fail(error, WM_ERR_ARGUMENT, "%s: the file name is too long", map_path);
        else
            status = wm_scenfile_save(output, &problems, &grid, map_name, error);
    }
    wm_problems_free(&problems);
    wm_grid_free(&grid);
    return status;
}

int wm_cmd_problems(const wm_cli* cli, int argc, char** argv)
{
    struct arg_file* map = arg_file1(NULL, NULL, "MAP", "map (.map, type octile)");
    struct arg_str* count = arg_str1("n", "count", "N", "problems to draw");
    struct arg_str* min = arg_str0(NULL, "min-cost", "A", "least optimal cost (default: any)");
    struct arg_str* max = arg_str0(NULL, "max-cost", "B", "greatest optimal cost (default: any)");
    struct arg_str* seed = arg_str0(NULL, "seed", "S", "seed of the draw (default 1)");
    struct arg_file* output = arg_file1("o", "output", "FILE", "problems to write (.scen)");
    struct arg_str* diagonal =
        arg_str0(NULL, "diagonal", "none|squeeze", "when diagonal steps are legal (default none)");
    struct arg_str* agent_size = wm_cli_agent_size();
    void* table[] = {map,    count,    min,        max,           seed,
                     output, diagonal, agent_size, wm_cli_help(), wm_cli_end()};
    int exit_status = WM_EXIT_DONE;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status)) {
        wm_error error = {0};
        uint64_t wanted = 0;
        wm_problem_range range = {.max_cost = WM_COST_INFINITE, .seed = 1};
        wm_grid_rules rules;
        if (!wm_cli_get_u64(cli, count, 1, 10000000, &wanted) ||
            !wm_cli_get_cost(cli, min, &range.min_cost) ||
            !wm_cli_get_cost(cli, max, &range.max_cost) ||
            !wm_cli_get_u64(cli, seed, 0, UINT64_MAX, &range.seed) ||
            !wm_cli_get_rules(cli, diagonal, agent_size, &rules) ||
            !wm_cli_check_output(cli, output, map->filename, map->count)) {
            exit_status = WM_EXIT_USAGE;
        } else if (range.min_cost > range.max_cost) {
            exit_status = wm_cli_usage(cli, "--min-cost %s is more than --max-cost %s",
                                       min->sval[0], max->sval[0]);
        } else {
            range.count = (size_t)wanted;
            const wm_status status =
                draw(&range, &rules, map->filename[0], output->filename[0], &error);
            exit_status = status == WM_OK ? WM_EXIT_DONE : wm_cli_fail(cli, status, &error);
        }
    }
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
