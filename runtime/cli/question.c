// SPDX-License-Identifier: MIT
#include "question.h"

#include <argtable3.h>

#include "experiments/compare.h"

static bool check_point(const wm_question* q, const wm_cli* cli, const char* option, wm_point point)
{
    const int32_t width = wm_map_width(q->map);
    const int32_t height = wm_map_height(q->map);
    if (wm_map_is_open(q->map, point)) return true;
    if (point.x >= width || point.y >= height) {
        wm_cli_note(cli, "%s %d,%d is outside of %s; choose a cell from 0,0 to %d,%d", option,
                    (int)point.x, (int)point.y, q->map_path, (int)width - 1, (int)height - 1);
    } else if (wm_map_agent_size(q->map) > 1) {
        wm_cli_note(cli, "%s %d,%d on %s has no room for an agent of size %d; choose another cell",
                    option, (int)point.x, (int)point.y, q->map_path,
                    (int)wm_map_agent_size(q->map));
    } else {
        wm_cli_note(cli, "%s %d,%d is blocked on %s; choose an open cell", option, (int)point.x,
                    (int)point.y, q->map_path);
    }
    return false;
}

int wm_question_open(wm_question* q, const wm_cli* cli, const wm_question_options* options)
{
    wm_error error = {0};
    wm_map_config map_config = wm_map_config_default();
    wm_grid_rules rules;
    *q = (wm_question){.map_path = options->map->filename[0]};
    if (!wm_cli_get_rules(cli, options->diagonal, options->agent_size, &rules) ||
        !wm_cli_get_point(cli, options->from, &q->from) ||
        !wm_cli_get_point(cli, options->to, &q->to))
        return WM_EXIT_USAGE;
    map_config.diagonal = rules.diagonal;
    map_config.agent_size = rules.agent_size;
    wm_status status = wm_map_load(&q->map, q->map_path, &map_config, &error);
    if (status != WM_OK) return wm_cli_fail(cli, status, &error);
    if (!check_point(q, cli, "--from", q->from) || !check_point(q, cli, "--to", q->to))
        return WM_EXIT_USAGE;
    if (options->db->count == 0) return WM_EXIT_DONE;
    status = wm_compare_open_db(&q->db, q->map, q->map_path, options->db->filename[0], &error);
    return status == WM_OK ? WM_EXIT_DONE : wm_cli_fail(cli, status, &error);
}

void wm_question_close(wm_question* q)
{
    wm_db_close(q->db);
    wm_map_unload(q->map);
    *q = (wm_question){0};
}

int wm_question_no_path(const wm_question* q, const wm_cli* cli)
{
    wm_cli_note(cli, "%s: no path leads from %d,%d to %d,%d", q->map_path, (int)q->from.x,
                (int)q->from.y, (int)q->to.x, (int)q->to.y);
    return WM_EXIT_NO;
}
