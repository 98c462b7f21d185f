// SPDX-License-Identifier: MIT
//
// Maps out of nothing: the same size, kind, options and seed give the same map everywhere.
#pragma once

#include "status.h"

typedef enum wm_generate_kind {
    WM_GENERATE_CAVES,  ///< Winding caves, joined by tunnels where they were apart.
    WM_GENERATE_ROOMS,  ///< Square rooms with doors; every room can be reached.
    WM_GENERATE_MAZE,   ///< Corridors with exactly one way between any two of their cells.
    WM_GENERATE_RANDOM, ///< Single blocked cells, each by chance.
    WM_GENERATE_KINDS
} wm_generate_kind;

/// NULL past the last kind.
const char* wm_generate_kind_name(int kind);
/// False when no kind has this name.
bool wm_generate_kind_from_name(wm_generate_kind* kind, const char* name);

#define WM_GENERATE_DEFAULT (-1)
#define WM_GENERATE_MAX_GRAIN 1024

typedef struct wm_generate_options {
    int32_t density; ///< Percent blocked, 0..100. random: 25; caves: 45 before they are smoothed.
    int32_t grain;   ///< In cells, 1..1024. rooms: side of a room, 16; maze: width of corridors, 4.
} wm_generate_options;

/// Both values at WM_GENERATE_DEFAULT. A kind ignores the option that it has no use for.
wm_generate_options wm_generate_options_default(void);

/// Fills `open`, one byte a cell without gaps: 1 is open, 0 is blocked. At least one cell is open.
/// @return WM_OK, WM_ERR_ARGUMENT for a size or an option out of range, or WM_ERR_MEMORY
wm_status wm_generate(uint8_t* open, int32_t width, int32_t height, wm_generate_kind kind,
                      const wm_generate_options* options, uint64_t seed, wm_error* error);
