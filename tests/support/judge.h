// SPDX-License-Identifier: MIT
//
// Whether an agent did anything that it must never do, whatever database it follows. Needs no cmocka.
#pragma once

#include "internal.h"

typedef struct judgement {
    const char* complaint; ///< NULL where all is well.
    size_t steps;          ///< That the walk took.
} judgement;

/// Walks from `start` to `goal`, two open cells, and looks at every step: a legal move or a wait by
/// the open cells alone, no more work than the algorithm says, and at the goal, or no path, before
/// `max_steps` are over.
judgement judge_walk(wm_agent* agent, wm_cell start, wm_cell goal, size_t max_steps);
