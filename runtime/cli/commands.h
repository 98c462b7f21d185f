// SPDX-License-Identifier: MIT
//
// The commands of waymark-run, one file each.
#pragma once

#include "cli/cli.h"

int wm_cmd_list(const wm_cli* cli, int argc, char** argv);
int wm_cmd_query(const wm_cli* cli, int argc, char** argv);
int wm_cmd_path(const wm_cli* cli, int argc, char** argv);
int wm_cmd_compare(const wm_cli* cli, int argc, char** argv);
int wm_cmd_experiment(const wm_cli* cli, int argc, char** argv);
