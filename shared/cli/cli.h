// SPDX-License-Identifier: MIT
//
// What both programs' command lines share: a table of commands, exit statuses, options that are
// checked strictly, and errors as one sentence on the standard error stream.
#pragma once

#include <stdio.h>

#include "cost.h"
#include "grid.h"
#include "status.h"

struct arg_end;
struct arg_file;
struct arg_lit;
struct arg_str;

/// Exit statuses of both programs.
enum {
    WM_EXIT_DONE = 0,
    WM_EXIT_NO = 1,            ///< The answer is no: no path, verification failed.
    WM_EXIT_USAGE = 2,         ///< Wrong usage.
    WM_EXIT_DATA = 3,          ///< Bad or unreadable data, or nowhere to write.
    WM_EXIT_INTERRUPTED = 130, ///< As a shell reports Ctrl-C.
};

/// Who is speaking: handed to a command and back to every function here.
typedef struct wm_cli {
    const char* program;
    const char* command;
    const char* summary;
} wm_cli;

typedef struct wm_cli_command {
    const char* name; ///< NULL ends the table.
    const char* summary;
    /// `argv[0]` is the command's own name. Returns the exit status.
    int (*run)(const wm_cli* cli, int argc, char** argv);
} wm_cli_command;

typedef struct wm_cli_program {
    const char* name;
    const char* summary;
    const wm_cli_command* commands;
} wm_cli_program;

/// Runs the command that `argv` names, or answers --help and --version. Returns the exit status;
/// what could not be written to the standard output is an error too.
int wm_cli_main(const wm_cli_program* program, int argc, char** argv);

// ---------------------------------------------------------------------------------------------
// Options. A command makes an argtable that holds wm_cli_help() and ends with wm_cli_end().

struct arg_lit* wm_cli_help(void);
struct arg_end* wm_cli_end(void);
/// Parses the command line. False when there is nothing left to do: help was asked for and
/// printed, or an error was; `*exit_status` says which.
bool wm_cli_parse(const wm_cli* cli, int argc, char** argv, void** table, int* exit_status);

// Each of these reads the value of an option that was given, and leaves `*value` alone if it was
// not. False after a sentence about a value that cannot be: the exit status is WM_EXIT_USAGE.

bool wm_cli_get_u64(const wm_cli* cli, const struct arg_str* option, uint64_t min, uint64_t max,
                    uint64_t* value);
/// A cost in straight steps, such as 100 or 72.5.
bool wm_cli_get_cost(const wm_cli* cli, const struct arg_str* option, wm_cost* value);
/// X,Y
bool wm_cli_get_point(const wm_cli* cli, const struct arg_str* option, wm_point* value);
/// How to read a map: `diagonal` is none or squeeze, `agent_size` 1 to 3.
bool wm_cli_get_rules(const wm_cli* cli, const struct arg_str* diagonal,
                      const struct arg_str* agent_size, wm_grid_rules* rules);
/// The option --agent-size, for the table of a command.
struct arg_str* wm_cli_agent_size(void);
/// One of `names`, which a NULL ends; the value is its index.
bool wm_cli_get_choice(const wm_cli* cli, const struct arg_str* option, const char* const* names,
                       int* value);

/// Whole numbers inside of other values, such as the parts of I/N. Digits only.
bool wm_cli_read_u64(const char* text, size_t length, uint64_t min, uint64_t max, uint64_t* value);
/// Refuses to write over what the command reads: false after a sentence if the output was given and
/// is the same file as one of `inputs`, by whatever path. The exit status is then WM_EXIT_USAGE.
bool wm_cli_check_output(const wm_cli* cli, const struct arg_file* output, const char** inputs,
                         int input_count);
/// Prints that the option's value should have been `expected`. Always false.
bool wm_cli_refuse(const wm_cli* cli, const struct arg_str* option, const char* expected);

// ---------------------------------------------------------------------------------------------
// Sentences on the standard error stream

/// Wrong usage: adds where help is to be had. Returns WM_EXIT_USAGE.
int wm_cli_usage(const wm_cli* cli, const char* format, ...) WM_PRINTF(2, 3);
/// Prints the error and returns the exit status that goes with `status`.
int wm_cli_fail(const wm_cli* cli, wm_status status, const wm_error* error);
/// Something that the user should know, but no error.
void wm_cli_note(const wm_cli* cli, const char* format, ...) WM_PRINTF(2, 3);
int wm_cli_exit_status(wm_status status);

// ---------------------------------------------------------------------------------------------
// Text inside of formats that have their own rules

/// A JSON string, quotes included.
void wm_cli_print_json(FILE* file, const char* text);
/// A CSV field, quoted where it needs to be.
void wm_cli_print_csv(FILE* file, const char* text);
