// SPDX-License-Identifier: MIT
//
// Commands in a scratch folder of their own, and what must hold of every one that fails.
#pragma once

#include <sys/types.h>

#include "process.h"
#include "support.h"

/// Runs a shell command in the folder.
process cli_run(const test_path* folder, const char* command);
/// Runs it and fails the test unless it ends with status 0. Release with process_free.
process cli_succeed(const test_path* folder, const char* command);
/// Runs it and fails the test unless it ends with `status`, prints nothing, says one sentence that
/// begins with the program's name and holds `word`, and leaves every file in the folder as it was.
void cli_fail(const test_path* folder, const char* command, int status, const char* word);

/// Starts a command in the folder, with what it says in out.txt and err.txt there.
pid_t cli_start(const test_path* folder, const char* command);
/// Waits for its end. @return the exit status; 128 + signal number where a signal ended it
int cli_wait(pid_t child);
void cli_pause(long ms);

/// A hash over names and content of all files in the folder; whatever is added, removed or changed
/// gives another one.
uint64_t cli_digest(const test_path* folder);
size_t cli_count_lines(const char* text);
/// Whether all of `text` matches an extended regular expression.
bool cli_matches(const char* text, const char* pattern);
