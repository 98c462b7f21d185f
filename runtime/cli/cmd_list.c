// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdio.h>

#include "algorithms/algorithm.h"
#include "commands.h"

static void print_parameter(const wm_parameter* parameter)
{
    char standard[32];
    char setting[64];
    char min[32];
    char max[32];
    wm_parameter_format(standard, sizeof standard, parameter, parameter->standard);
    snprintf(setting, sizeof setting, "%s=%s", parameter->name, standard);
    if (parameter->kind == WM_PARAMETER_CHOICE) {
        printf("    %-15s %s:", setting, parameter->meaning);
        for (int i = 0; parameter->choices[i] != NULL; i++) printf(" %s", parameter->choices[i]);
        printf("\n");
        return;
    }
    wm_parameter_format(min, sizeof min, parameter, parameter->min);
    wm_parameter_format(max, sizeof max, parameter, parameter->max);
    printf("    %-15s %s, %s to %s: %s\n", setting,
           parameter->kind == WM_PARAMETER_INTEGER ? "whole number" : "number", min, max,
           parameter->meaning);
}

static void print_algorithm(const wm_algorithm* algorithm)
{
    printf("%-10s %s%s\n", algorithm->name, algorithm->summary,
           algorithm->needs_database ? " (needs --db)" : "");
    for (const wm_parameter* p = algorithm->parameters; p->name != NULL; p++) print_parameter(p);
}

static void print_algorithms(void)
{
    for (size_t i = 0; i < wm_algorithm_count(); i++) print_algorithm(wm_algorithm_at(i));
    printf("\nA SPEC names one with its parameters: tb-wa, or tb-wa:k=50:w=1.5\n");
}

int wm_cmd_list(const wm_cli* cli, int argc, char** argv)
{
    void* table[] = {wm_cli_help(), wm_cli_end()};
    int exit_status = WM_EXIT_DONE;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status)) print_algorithms();
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
