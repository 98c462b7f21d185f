// SPDX-License-Identifier: MIT
//
// What the two halves of the kNN payload's codec agree on; docs/format.md says it in words.
#pragma once

/// How a subgoal is told: it is the record's goal, it is written out as an offset from the state
/// before, or it is entry `code - WM_KNN_CODE_DICTIONARY` of the dictionary.
enum { WM_KNN_CODE_GOAL, WM_KNN_CODE_WRITTEN_OUT, WM_KNN_CODE_DICTIONARY };

/// Codes have 16 bits.
#define WM_KNN_MAX_DICTIONARY (UINT16_MAX - WM_KNN_CODE_DICTIONARY)

#define WM_KNN_FLAG_CHAINS 1u
