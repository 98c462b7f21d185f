// SPDX-License-Identifier: MIT
#pragma once

#include "internal.h"

/// Beyond this weights do not count. Integers up to it, and step costs added, are exact as doubles.
#define WM_RTHS_HIGHEST 1e15
/// Values are whole multiples of one such part of the unit of costs.
#define WM_RTHS_FRACTIONS 1024.0

/// How often an agent of this algorithm cut a value at the highest, since its problem began.
uint64_t wm_rths_saturations(const wm_agent* agent);
