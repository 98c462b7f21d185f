// SPDX-License-Identifier: MIT
//
// The SPEC of an algorithm: refused with a sentence, or an agent that never makes an illegal move.
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "reference.h"
#include "single.h"

// A database with everything, so that no algorithm lacks its data.
static const wm_db* everything(void)
{
    static wm_db* db;
    if (db != NULL) return db;
    const forge_recipe recipe = fuzz_recipe(0);
    wm_stored_map stored = forge_map(fuzz_map(0), &recipe);
    wm_buffer file = {0};
    const wm_map* map;
    FUZZ_CHECK(wm_single_encode(&file, &stored) == WM_OK);
    db = fuzz_open(&map, file.data, file.size);
    FUZZ_CHECK(db != NULL && map == fuzz_map(0));
    wm_buffer_free(&file);
    wm_stored_map_free(&stored);
    return db;
}

static void walk_a_while(wm_agent* agent)
{
    const wm_grid* grid = &agent->map->grid;
    wm_cell start = 0;
    wm_cell goal = grid->cell_count - 1;
    while (!wm_grid_is_open(grid, start)) start++;
    while (!wm_grid_is_open(grid, goal)) goal--;
    wm_status status = wm_agent_begin(agent, wm_grid_point(grid, start), wm_grid_point(grid, goal));
    for (int i = 0; i < 100 && status == WM_OK; i++) {
        const wm_cell before = agent->position;
        status = wm_agent_step(agent);
        FUZZ_CHECK(status == WM_OK || status == WM_ARRIVED || status == WM_NO_PATH);
        FUZZ_CHECK(agent->position == before ||
                   reference_direction(grid, before, agent->position) >= 0);
        FUZZ_CHECK(agent->max_expansions_per_move <= agent->most_expansions);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char* spec = malloc(size + 1);
    FUZZ_CHECK(spec != NULL);
    if (size > 0) memcpy(spec, data, size);
    spec[size] = '\0';
    wm_agent_config config = wm_agent_config_default();
    wm_agent* agent = NULL;
    wm_error error = {""};
    config.algorithm = spec;
    const wm_status status = wm_agent_create(&agent, fuzz_map(0), everything(), &config, &error);
    FUZZ_CHECK(status == WM_OK || (status == WM_ERR_ARGUMENT && error.message[0] != '\0'));
    if (status == WM_OK) walk_a_while(agent);
    wm_agent_destroy(agent);
    free(spec);
    return 0;
}
