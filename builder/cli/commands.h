// SPDX-License-Identifier: MIT
#pragma once

#include "build.h"
#include "cli/cli.h"

int wm_cmd_build(const wm_cli* cli, int argc, char** argv);
int wm_cmd_select(const wm_cli* cli, int argc, char** argv);
int wm_cmd_export(const wm_cli* cli, int argc, char** argv);
int wm_cmd_info(const wm_cli* cli, int argc, char** argv);
int wm_cmd_dump(const wm_cli* cli, int argc, char** argv);
int wm_cmd_verify(const wm_cli* cli, int argc, char** argv);
int wm_cmd_merge(const wm_cli* cli, int argc, char** argv);
int wm_cmd_generate(const wm_cli* cli, int argc, char** argv);
int wm_cmd_problems(const wm_cli* cli, int argc, char** argv);
