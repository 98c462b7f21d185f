// SPDX-License-Identifier: MIT
//
// What RTAA* and LSS-LRTA* have in common: an A* search of k expansions with learned values, then
// several moves along the path to its best open state. They differ in what they learn between.
#pragma once

#include "local_space.h"

typedef struct wm_episode {
    wm_local_space space; ///< Inside are the closed states.
    wm_cell best;         ///< The open state that the path leads to.
    uint8_t* path;        ///< Directions; the path is at the end of this memory.
    uint32_t next;        ///< Of the path.
} wm_episode;

size_t wm_episode_bytes(const wm_grid* grid, int64_t max_expansions);
/// Readies an episode in zeroed `memory`.
void wm_episode_init(wm_episode* episode, const wm_agent* agent, int64_t max_expansions,
                     void* memory);
/// Heads for `goal`, with nothing learned and no path.
void wm_episode_aim(wm_episode* episode, wm_cell goal);
/// Expands up to `max_expansions` states, as many as were reserved, from the agent on and lays the path. Adds to the agent's expansions.
/// @return false where every state that can be reached is closed: there is no way to the goal
bool wm_episode_plan(wm_episode* episode, wm_agent* agent, int64_t max_expansions);
/// Whether there is a path left and it is legal, as far as the agent knows.
bool wm_episode_goes_on(const wm_episode* episode, wm_cell position);
/// The next cell of the path.
wm_cell wm_episode_step(wm_episode* episode, wm_cell position);
