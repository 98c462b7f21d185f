// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdio.h>

#include "commands.h"
#include "cli/progress.h"

static wm_status export_map(const wm_archive* archive, const char* path, const char* name,
                            const char* output, bool quiet, wm_error* error)
{
    size_t bytes = 0;
    const wm_stored_map* map = wm_archive_find(archive, name);
    if (map == NULL)
        return wm_fail(error, WM_ERR_NOT_FOUND,
                       "%s has no map \"%s\"; `waymark-build info` shows what it has", path, name);
    const wm_status status = wm_build_export(map, path, output, &bytes, error);
    if (status == WM_OK && !quiet)
        printf("%s: %zu payload%s, %zu bytes\n", name, map->payload_count,
               map->payload_count == 1 ? "" : "s", bytes);
    return status;
}

static int run(const wm_cli* cli, const char* path, const char* name, const char* output,
               bool quiet)
{
    wm_error error = {0};
    wm_archive archive;
    // A Ctrl-C must not leave the temporary file behind; an export is soon done.
    wm_progress_catch_signals();
    wm_status status = wm_build_load(&archive, path, &error);
    if (status == WM_OK) status = export_map(&archive, path, name, output, quiet, &error);
    wm_archive_free(&archive);
    return status == WM_OK ? WM_EXIT_DONE : wm_cli_fail(cli, status, &error);
}

int wm_cmd_export(const wm_cli* cli, int argc, char** argv)
{
    struct arg_file* file = arg_file1(NULL, NULL, "FILE", "database (.wmdb)");
    struct arg_str* map = arg_str1(NULL, "map", "NAME", "the map to export, as info shows it");
    struct arg_file* output = arg_file1("o", "output", "OUT", "file of that map (.wmb)");
    struct arg_lit* quiet = arg_lit0("q", "quiet", "print nothing but errors");
    void* table[] = {file, map, output, quiet, wm_cli_help(), wm_cli_end()};
    int exit_status = WM_EXIT_DONE;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status))
        exit_status =
            wm_cli_check_output(cli, output, file->filename, file->count)
                ? run(cli, file->filename[0], map->sval[0], output->filename[0], quiet->count > 0)
                : WM_EXIT_USAGE;
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
