// SPDX-License-Identifier: MIT
//
// The database of D LRTA* (Bulitko, Lustrek, Schaeffer, Bjornsson, Sigmundarson 2008) as both sides
// see it: the open cells in regions, and for every ordered pair of connected regions a subgoal, the
// first cell behind the border of the one on the way to the other. A region has few such cells, its
// exits, so a pair keeps the number of one. docs/format.md describes the encoding.
#pragma once

#include "bytes.h"
#include "grid.h"

#define WM_D_LRTA_MAX_LEVEL 10
#define WM_D_LRTA_MAX_REGIONS 20000u
/// Ordered pairs of connected regions, each with itself too: two bytes each in memory.
#define WM_D_LRTA_MAX_PAIRS (UINT32_C(1) << 25)
#define WM_D_LRTA_NO_REGION UINT16_MAX

/// Regions are numbered by their first cells; exits of a region are sorted.
typedef struct wm_d_lrta {
    int32_t width; ///< Of the map.
    int32_t height;
    uint64_t map_hash;
    uint32_t level;      ///< How often the map was abstracted.
    uint32_t open_count; ///< Open cells of the map.
    uint32_t count;      ///< Regions.
    uint32_t cell_count;
    uint16_t* region;      ///< Per cell; WM_D_LRTA_NO_REGION where it is blocked.
    wm_cell* first_cell;   ///< Per region.
    uint16_t* place;       ///< Per region: its place among the regions of its component.
    uint32_t* row;         ///< Per region: where its codes begin; one more at the end.
    uint32_t* exits_begin; ///< Per region: its first exit; one more at the end.
    wm_cell* exits;
    uint32_t exit_count;
    uint16_t* codes; ///< Per pair: the exit's number; 0, and no exit, for a region with itself.
    uint32_t pair_count;
    wm_allocator allocator;
} wm_d_lrta;

void wm_d_lrta_free(wm_d_lrta* d_lrta);

/// The subgoal on the way from one region to another one of the same component.
static inline wm_cell wm_d_lrta_subgoal(const wm_d_lrta* d_lrta, uint32_t from, uint32_t to)
{
    const uint32_t code = d_lrta->codes[d_lrta->row[from] + d_lrta->place[to]];
    return d_lrta->exits[d_lrta->exits_begin[from] + code];
}

/// The numbers by which the paper counts the size: a region for every open cell, a subgoal for every
/// pair of regions.
static inline uint64_t wm_d_lrta_numbers(const wm_d_lrta* d_lrta)
{
    return d_lrta->open_count + (uint64_t)d_lrta->count * d_lrta->count;
}

/// Works out first cells, places and rows once every cell has its region; makes room for the codes.
/// @return WM_OK, WM_ERR_FORMAT (a region in two components, one without cells, or too many pairs)
///         or WM_ERR_MEMORY
wm_status wm_d_lrta_lay_out(wm_d_lrta* d_lrta, const wm_grid* grid, uint32_t max_pairs);

/// Sections of a payload, in stored order; each is packed by itself.
enum {
    WM_D_LRTA_SECTION_HEADER,
    WM_D_LRTA_SECTION_CELLS,
    WM_D_LRTA_SECTION_WRITTEN_OUT,
    WM_D_LRTA_SECTION_EXITS,
    WM_D_LRTA_SECTION_CODES,
    WM_D_LRTA_SECTIONS
};

/// Appends the unpacked payload to `out`. @return WM_OK or WM_ERR_MEMORY
wm_status wm_d_lrta_encode(wm_buffer* out, size_t section_sizes[WM_D_LRTA_SECTIONS],
                           const wm_d_lrta* d_lrta);
/// Reads the front of an unpacked payload: all but regions and subgoals, for which the map is
/// needed. `name` stands for the payload in errors.
wm_status wm_d_lrta_read_header(wm_d_lrta* d_lrta, const uint8_t* data, size_t size,
                                const char* name, wm_error* error);
/// Reads an unpacked payload made for the grid. Whatever the bytes were, every open cell then has a
/// region within its component, and every pair a subgoal there, outside of the first region.
wm_status wm_d_lrta_decode(wm_d_lrta* d_lrta, const wm_grid* grid, const uint8_t* data, size_t size,
                           const wm_allocator* allocator, const char* name, wm_error* error);
