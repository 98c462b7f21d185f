// SPDX-License-Identifier: MIT
//
// The map as an agent on unknown terrain knows it: everything seems open until it is seen. The
// agent plans on this grid alone, so that it cannot use what it has not seen.
#pragma once

#include "grid.h"

/// Reserves a belief of the size of `map`. @return NULL when there is no memory
wm_grid* wm_belief_create(const wm_grid* map, const wm_allocator* allocator);
/// Accepts NULL.
void wm_belief_destroy(wm_grid* belief);
/// All its memory.
size_t wm_belief_bytes(const wm_grid* belief);
/// Forgets all that was seen.
void wm_belief_reset(wm_grid* belief);
/// Looks at the eight cells around `cell`. @return whether one of them is not as it seemed
bool wm_belief_look(wm_grid* belief, const wm_grid* map, wm_cell cell);
