// SPDX-License-Identifier: MIT
//
// The algorithm that was found best for a map, and how good it was on problems that it was not
// chosen by. The algorithm `auto` takes it.
#pragma once

#include "bytes.h"
#include "grid.h"

#define WM_CHOICE_MAX_SPEC 128
#define WM_CHOICE_MAX_PROBLEMS 100000

typedef struct wm_choice {
    uint64_t map_hash;
    char spec[WM_CHOICE_MAX_SPEC + 1];
    uint32_t tried;          ///< Algorithms that it was chosen from.
    uint32_t budget;         ///< Expansions in one move, at most.
    uint32_t problems;       ///< Of the measurement.
    uint32_t mean;           ///< Suboptimality on them, in thousandths of a percent.
    uint32_t max_expansions; ///< In one move, the most that was seen.
    uint64_t seed;           ///< Of algorithms and problems.
} wm_choice;

/// Appends the unpacked payload to `out`. @return WM_OK or WM_ERR_MEMORY
wm_status wm_choice_encode(wm_buffer* out, const wm_choice* choice);
/// Reads an unpacked payload; `name` stands for it in errors. Whether the SPEC means anything is for
/// the runtime to say.
/// @return WM_OK or WM_ERR_FORMAT
wm_status wm_choice_decode(wm_choice* choice, const uint8_t* data, size_t size, const char* name,
                           wm_error* error);
