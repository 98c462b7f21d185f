// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "cli/progress.h"

static wm_status load_inputs(wm_merge_input* inputs, const struct arg_file* files, wm_error* error)
{
    for (int i = 0; i < files->count; i++) {
        inputs[i].path = files->filename[i];
        const wm_status status = wm_build_load(&inputs[i].archive, inputs[i].path, error);
        if (status != WM_OK) return status;
    }
    return WM_OK;
}

static wm_status merge(wm_merge_input* inputs, const struct arg_file* files, const char* output,
                       wm_error* error)
{
    wm_edit edit;
    // A Ctrl-C must not leave the temporary file behind; a merge is soon done.
    wm_progress_catch_signals();
    wm_status status = load_inputs(inputs, files, error);
    if (status == WM_OK) status = wm_edit_begin(&edit, output, error);
    if (status != WM_OK) return status;
    status = wm_build_merge(&edit.archive, inputs, (size_t)files->count, error);
    if (status == WM_OK && wm_progress_stop_requested())
        status = wm_fail(error, WM_ERR_INTERRUPTED, "interrupted; %s is as it was before", output);
    if (status == WM_OK)
        status = wm_edit_commit(&edit, error);
    else
        wm_edit_abandon(&edit);
    return status;
}

static int run(const wm_cli* cli, const struct arg_file* files, const char* output)
{
    wm_error error = {0};
    wm_merge_input* inputs = calloc((size_t)files->count, sizeof *inputs);
    const wm_status status = inputs == NULL ? WM_ERR_MEMORY : merge(inputs, files, output, &error);
    for (int i = 0; inputs != NULL && i < files->count; i++) wm_archive_free(&inputs[i].archive);
    free(inputs);
    return status == WM_OK ? WM_EXIT_DONE : wm_cli_fail(cli, status, &error);
}

int wm_cmd_merge(const wm_cli* cli, int argc, char** argv)
{
    struct arg_file* output = arg_file1("o", "output", "OUT", "database to add to or to make");
    struct arg_file* files = arg_filen(NULL, NULL, "FILE", 1, 100000, "databases to join");
    void* table[] = {output, files, wm_cli_help(), wm_cli_end()};
    int exit_status = WM_EXIT_DONE;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status))
        exit_status = run(cli, files, output->filename[0]);
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
