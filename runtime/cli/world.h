// SPDX-License-Identifier: MIT
//
// What `path` and `compare` say about the world that agents live in.
#pragma once

#include <waymark.h>

#include "cli/cli.h"

/// What agents know of the map, and how they guess distances.
typedef struct wm_world_options {
    struct arg_str* terrain;
    struct arg_str* heuristic;
} wm_world_options;

wm_world_options wm_world_options_create(void);
/// Reads them into the config of an agent. False after a sentence about what is wrong.
bool wm_world_options_get(const wm_world_options* options, const wm_cli* cli, wm_terrain* terrain,
                          wm_heuristic* heuristic);
