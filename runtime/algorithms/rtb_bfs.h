// SPDX-License-Identifier: MIT
#pragma once

#include "internal.h"

/// How many searches an agent of this algorithm has begun since it was created.
uint64_t wm_rtb_searches(const wm_agent* agent);
