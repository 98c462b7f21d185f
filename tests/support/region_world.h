// SPDX-License-Identifier: MIT
//
// Maps with region databases, and what must hold of every walk on them.
#pragma once

#include "distance.h"
#include "methods/regions_method.h"
#include "walk.h"

/// Every preset of the algorithm.
#define REGION_PRESETS 3
extern const char* const region_presets[REGION_PRESETS];

typedef struct region_world {
    wm_map* map;
    uint8_t* legal;         ///< Per cell: the legal directions, by the reference.
    wm_distances distances; ///< From the start of the walks that are checked.
    char title[96];
} region_world;

wm_map* map_from_text(wm_diagonal diagonal, const char* rows);
/// Takes the map over.
region_world region_world_of(wm_map* map, const char* title);
void region_world_free(region_world* w);

/// These fail the test where something fails; `title` stands for the map then.
wm_regions region_world_build(const wm_map* map, wm_regions_parameters parameters,
                              const char* title);
wm_buffer region_world_seal(const wm_map* map, const wm_regions* regions);
wm_db* region_world_open(const wm_map* map, const wm_buffer* blob, const char* title);
/// All three.
wm_db* region_world_db(const wm_map* map, wm_regions_parameters parameters, const char* title);

/// Fails unless the agent walks legally, arrives, is not cheaper than optimal and keeps within the
/// bound on states; or unless it says that there is no path.
void region_world_check_pair(region_world* w, wm_agent* agent, wm_cell start, wm_cell goal);
/// The same for random goals, 25 for each of `starts` random starts, with all presets.
void region_world_check(region_world* w, const wm_db* db, int starts, uint64_t seed);
