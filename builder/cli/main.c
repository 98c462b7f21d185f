// SPDX-License-Identifier: MIT
#include "commands.h"

int main(int argc, char** argv)
{
    static const wm_cli_command commands[] = {
        {"build", "build subgoal databases for maps into one file", wm_cmd_build},
        {"select", "choose the best algorithm for each map", wm_cmd_select},
        {"info", "print what a database file holds", wm_cmd_info},
        {"dump", "print a map's records as CSV", wm_cmd_dump},
        {"verify", "check every promise of every record against the maps", wm_cmd_verify},
        {"export", "write one map into a .wmb file, to be read without SQLite", wm_cmd_export},
        {"merge", "join shards and files into one file", wm_cmd_merge},
        {"generate", "make a map", wm_cmd_generate},
        {"problems", "draw problems on a map into a .scen file", wm_cmd_problems},
        {0},
    };
    static const wm_cli_program program = {
        .name = "waymark-build",
        .summary = "Builds subgoal databases for grid maps, to ship with a game.",
        .commands = commands,
    };
    return wm_cli_main(&program, argc, argv);
}
