// SPDX-License-Identifier: MIT
//
// What the two halves of the kNN payload's codec agree on; docs/format.md says it in words.
#pragma once

#include <stdint.h>

/// How a subgoal is told: it is the record's goal, it is written out as an offset from the state
/// before, or it is entry `code - WM_KNN_CODE_DICTIONARY` of the dictionary.
enum { WM_KNN_CODE_GOAL, WM_KNN_CODE_WRITTEN_OUT, WM_KNN_CODE_DICTIONARY };

/// An offset along one axis as seen by someone who looks from `from` to `goal`, and back: positive
/// means toward it, as most subgoals are.
static inline int32_t wm_knn_toward(int32_t offset, int32_t from, int32_t goal)
{
    return goal < from ? -offset : offset;
}

/// Codes have 16 bits.
#define WM_KNN_MAX_DICTIONARY (UINT16_MAX - WM_KNN_CODE_DICTIONARY)

#define WM_KNN_FLAG_CHAINS 1u
#define WM_KNN_FLAG_COVERAGE 2u
