// SPDX-License-Identifier: MIT
//
// What `query` and `path` ask about: a map, perhaps its database, and two of its cells.
#pragma once

#include <waymark.h>

#include "cli/cli.h"

struct arg_file;

/// The options as they were given. `db` may be absent.
typedef struct wm_question_options {
    const struct arg_file* map;
    const struct arg_str* from;
    const struct arg_str* to;
    const struct arg_file* db;
    const struct arg_str* diagonal;
    const struct arg_str* agent_size;
} wm_question_options;

typedef struct wm_question {
    const char* map_path;
    wm_map* map;
    wm_db* db; ///< NULL when none was asked for.
    wm_point from;
    wm_point to;
} wm_question;

/// Opens everything and checks that both cells are open. Returns WM_EXIT_DONE, or another exit
/// status after a sentence; wm_question_close is due in any case.
int wm_question_open(wm_question* question, const wm_cli* cli, const wm_question_options* options);
void wm_question_close(wm_question* question);
/// Prints that no walk leads from one cell to the other. Returns WM_EXIT_NO.
int wm_question_no_path(const wm_question* question, const wm_cli* cli);
