// SPDX-License-Identifier: MIT
#include "world.h"

#include <argtable3.h>

wm_world_options wm_world_options_create(void)
{
    return (wm_world_options){
        .terrain = arg_str0(NULL, "terrain", "known|unknown",
                            "unknown: agents see the cells around them; default known"),
        .heuristic = arg_str0(NULL, "heuristic", "octile|max|min",
                              "how agents guess distances; default octile"),
    };
}

bool wm_world_options_get(const wm_world_options* options, const wm_cli* cli, wm_terrain* terrain,
                          wm_heuristic* heuristic)
{
    // In the order of their enumerations.
    static const char* const terrains[] = {"known", "unknown", NULL};
    static const char* const heuristics[] = {"octile", "max", "min", NULL};
    int chosen_terrain = WM_TERRAIN_KNOWN;
    int chosen_heuristic = WM_HEURISTIC_OCTILE;
    if (!wm_cli_get_choice(cli, options->terrain, terrains, &chosen_terrain) ||
        !wm_cli_get_choice(cli, options->heuristic, heuristics, &chosen_heuristic))
        return false;
    *terrain = (wm_terrain)chosen_terrain;
    *heuristic = (wm_heuristic)chosen_heuristic;
    return true;
}
