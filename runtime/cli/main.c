// SPDX-License-Identifier: MIT
#include "commands.h"

int main(int argc, char** argv)
{
    static const wm_cli_command commands[] = {
        {"list", "print every algorithm with its parameters", wm_cmd_list},
        {"query", "show which subgoal a database gives, and why", wm_cmd_query},
        {"path", "walk one agent and print or draw its path", wm_cmd_path},
        {"compare", "race algorithms on the same problems", wm_cmd_compare},
        {"experiment", "run an experiment of the papers again", wm_cmd_experiment},
        {0},
    };
    static const wm_cli_program program = {
        .name = "waymark-run",
        .summary = "Walks agents on grid maps, with or without subgoal databases.",
        .commands = commands,
    };
    return wm_cli_main(&program, argc, argv);
}
