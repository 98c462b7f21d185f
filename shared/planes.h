// SPDX-License-Identifier: MIT
//
// Four bit planes that answer "are the next n steps in this direction legal?" with one load: a bit
// a cell for the steps east, south, south-east and north-east, laid out so that a run is contiguous.
// The other four directions are the same runs from the other end, because legal steps can be taken
// back. A fifth plane has the open cells.
#pragma once

#include <string.h>

#include "grid.h"

enum {
    WM_PLANE_EAST,
    WM_PLANE_SOUTH_EAST,
    WM_PLANE_SOUTH,
    WM_PLANE_NORTH_EAST,
    WM_PLANE_OPEN,
    WM_PLANES
};

typedef struct wm_planes {
    const wm_grid* grid;
    uint8_t* bits; ///< All planes, with eight bytes behind them so that loads may overhang.
    size_t bytes;
    size_t begin[WM_PLANES];  ///< Where each begins.
    size_t stride[WM_PLANES]; ///< Bytes from row to row of a plane.
    uint32_t diagonal_mask;
    wm_allocator allocator;
} wm_planes;

wm_status wm_planes_create(wm_planes* planes, const wm_grid* grid, const wm_allocator* allocator,
                           wm_error* error);
void wm_planes_free(wm_planes* planes);

/// Whether `steps` steps in direction `d` from `p` are legal. They must stay on the map.
bool wm_planes_clear(const wm_planes* planes, wm_point p, int d, int32_t steps);

/// The open cells of a row of the map, one bit each, with a 0 at the end. For wm_bits_east and
/// wm_bits_west.
static inline const uint8_t* wm_planes_open_row(const wm_planes* planes, int32_t y)
{
    return planes->bits + planes->begin[WM_PLANE_OPEN] + (size_t)y * planes->stride[WM_PLANE_OPEN];
}

/// Eight bytes of a row of bits as a number, the first bit as bit 0.
static inline uint64_t wm_bits_load(const uint8_t* bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/// Bits that every load of eight bytes has, wherever in a byte it begins.
#define WM_BITS_PER_LOAD 56

/// The bits of a row from `at` on, the first as bit 0: 56 of them. Behind the row's last bit, which
/// must be 0, they mean nothing. Eight bytes behind the row must be readable.
static inline uint64_t wm_bits_east(const uint8_t* row, uint32_t at)
{
    return wm_bits_load(row + at / 8) >> at % 8;
}

/// The bits of a row from `at` back, the first as bit 63: 56 of them, 0 before the row.
static inline uint64_t wm_bits_west(const uint8_t* row, uint32_t at)
{
    if (at < WM_BITS_PER_LOAD) return wm_bits_load(row) << (63 - at);
    const uint32_t lowest = at - (WM_BITS_PER_LOAD - 1);
    return wm_bits_load(row + lowest / 8) >> lowest % 8 << (64 - WM_BITS_PER_LOAD);
}

/// A line between two cells as an agent walks it: at most two runs.
typedef struct wm_line {
    uint8_t direction[2];
    uint16_t steps[2];
} wm_line;

/// Finds a line of octile length from `a` to `b`: diagonal first, else straight first. False when
/// both are blocked. Adds the steps of all runs that it looked at to `*states`.
bool wm_planes_line(const wm_planes* planes, wm_point a, wm_point b, wm_line* line,
                    uint64_t* states);
