// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "generate.h"
#include "mapfile.h"

// WxH, both 1 to 4096.
static bool get_size(const wm_cli* cli, const struct arg_str* option, int32_t* width,
                     int32_t* height)
{
    const char* text = option->sval[0];
    const char* times = strchr(text, 'x');
    uint64_t w = 0;
    uint64_t h = 0;
    if (times == NULL || !wm_cli_read_u64(text, (size_t)(times - text), 1, WM_GRID_MAX_SIDE, &w) ||
        !wm_cli_read_u64(times + 1, strlen(times + 1), 1, WM_GRID_MAX_SIDE, &h))
        return wm_cli_refuse(cli, option, "WxH with sides from 1 to 4096, such as 128x96");
    *width = (int32_t)w;
    *height = (int32_t)h;
    return true;
}

typedef struct generate_arguments {
    struct arg_str* kind;
    struct arg_str* size;
    struct arg_str* seed;
    struct arg_str* density;
    struct arg_str* grain;
    struct arg_file* output;
} generate_arguments;

typedef struct generate_job {
    wm_generate_kind kind;
    int32_t width;
    int32_t height;
    uint64_t seed;
    wm_generate_options options;
} generate_job;

static bool get_kind(const wm_cli* cli, const struct arg_str* option, wm_generate_kind* kind)
{
    return wm_generate_kind_from_name(kind, option->sval[0]) ||
           wm_cli_refuse(cli, option, "caves, rooms, maze or random");
}

static bool get_job(const wm_cli* cli, const generate_arguments* arguments, generate_job* job)
{
    uint64_t density = 0;
    uint64_t grain = 0;
    if (!get_kind(cli, arguments->kind, &job->kind) ||
        !get_size(cli, arguments->size, &job->width, &job->height) ||
        !wm_cli_get_u64(cli, arguments->seed, 0, UINT64_MAX, &job->seed) ||
        !wm_cli_get_u64(cli, arguments->density, 0, 100, &density) ||
        !wm_cli_get_u64(cli, arguments->grain, 1, WM_GENERATE_MAX_GRAIN, &grain))
        return false;
    const bool has_grain = job->kind == WM_GENERATE_ROOMS || job->kind == WM_GENERATE_MAZE;
    if (has_grain && arguments->density->count > 0)
        return wm_cli_refuse(cli, arguments->density, "left out: it is for caves and random");
    if (!has_grain && arguments->grain->count > 0)
        return wm_cli_refuse(cli, arguments->grain, "left out: it is for rooms and maze");
    if (arguments->density->count > 0) job->options.density = (int32_t)density;
    if (arguments->grain->count > 0) job->options.grain = (int32_t)grain;
    return true;
}

static int run(const wm_cli* cli, const generate_job* job, const char* output)
{
    wm_error error = {0};
    uint8_t* open = malloc((size_t)job->width * (size_t)job->height);
    wm_status status = WM_ERR_MEMORY;
    if (open != NULL)
        status =
            wm_generate(open, job->width, job->height, job->kind, &job->options, job->seed, &error);
    if (status == WM_OK) status = wm_mapfile_save(output, open, job->width, job->height, &error);
    free(open);
    return status == WM_OK ? WM_EXIT_DONE : wm_cli_fail(cli, status, &error);
}

int wm_cmd_generate(const wm_cli* cli, int argc, char** argv)
{
    generate_arguments arguments = {
        .kind = arg_str1(NULL, "kind", "caves|rooms|maze|random", "what to make"),
        .size = arg_str1(NULL, "size", "WxH", "columns and rows, up to 4096x4096"),
        .seed = arg_str0(NULL, "seed", "S", "seed (default 1)"),
        .density = arg_str0(NULL, "density", "P",
                            "percent blocked: random (default 25), caves before they are smoothed "
                            "(default 45)"),
        .grain = arg_str0(NULL, "grain", "N",
                          "cells: side of a room (default 16), width of a maze's corridors "
                          "(default 4)"),
        .output = arg_file1("o", "output", "FILE", "map to write (.map)"),
    };
    void* table[] = {arguments.kind,  arguments.size,   arguments.seed, arguments.density,
                     arguments.grain, arguments.output, wm_cli_help(),  wm_cli_end()};
    int exit_status = WM_EXIT_DONE;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status)) {
        generate_job job = {.seed = 1, .options = wm_generate_options_default()};
        exit_status = get_job(cli, &arguments, &job) ? run(cli, &job, arguments.output->filename[0])
                                                     : WM_EXIT_USAGE;
    }
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
