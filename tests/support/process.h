// SPDX-License-Identifier: MIT
//
// Runs the programs as a user does, through the shell, and keeps what they said.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct process {
    int status; ///< Exit status; 128 + signal number where a signal ended it; -1: did not start.
    char* out;  ///< Standard output, ended by a zero.
    size_t out_size;
    char* err; ///< Standard error.
} process;

/// Runs a shell command with $WAYMARK_BIN in front of the search path. Release with process_free.
process process_run(const char* format, ...) __attribute__((format(printf, 1, 2)));
void process_free(process* run);

/// Whether the standard error holds one line, which contains `word`.
bool process_said(const process* run, const char* word);
