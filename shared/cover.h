// SPDX-License-Identifier: MIT
//
// Regions around seeds: every cell belongs to the seed that is nearest to it, within a radius, of seeds at
// the same distance to the first. What is kept for a cell, its seed and how far that is, tells the way
// there too. Builder and runtime flood the same seeds, so only the seeds are stored. Pockets, which are
// small and lead nowhere, need no seed: their first cell serves.
#pragma once

#include "grid.h"

#define WM_NO_REGION UINT32_MAX
/// A cell's owner and cost share a word: the cost is above the number of the region.
#define WM_COVER_REGIONS 4096
/// The region of all pockets. Others are numbered below this.
#define WM_COVER_POCKETS (WM_COVER_REGIONS - 1)
/// No cell of a pocket is farther from its first one, in cells.
#define WM_COVER_POCKET_RADIUS 6
/// In cells. No way to a seed has more steps.
#define WM_COVER_MAX_RADIUS 48

typedef struct wm_cover {
    const wm_grid* grid;
    wm_cost radius;
    uint32_t* tenure;    ///< Per cell: the cost to its seed above its region; all ones: nobody's.
    uint32_t* bucket[3]; ///< Cells to look at, by cost in units of one straight step, modulo 3.
    size_t bucket_size[3];
    size_t bucket_capacity[3];
    uint8_t done[WM_DIRECTIONS][256]; ///< wm_moves_done() by the moves of the cell before.
    wm_allocator allocator;
} wm_cover;

/// @param radius  in cells, WM_COVER_MAX_RADIUS at most
wm_status wm_cover_create(wm_cover* cover, const wm_grid* grid, uint32_t radius,
                          const wm_allocator* allocator, wm_error* error);
void wm_cover_free(wm_cover* cover);
/// Forgets all regions.
void wm_cover_reset(wm_cover* cover);
/// Gives regions from `first_region` on, around these seeds, all cells that are nearer to them than
/// to their seeds so far. @return WM_OK or WM_ERR_MEMORY
wm_status wm_cover_flood(wm_cover* cover, uint32_t first_region, const wm_cell* seeds,
                         uint32_t count);

/// Gives pockets, parts of the map that no seed lies in, to the region WM_COVER_POCKETS, as far as its cells are
/// near enough to their first one. @param seeds  of all other regions
/// @return WM_OK or WM_ERR_MEMORY
wm_status wm_cover_flood_pockets(wm_cover* cover, const wm_cell* seeds, uint32_t count);

/// Gives back what only flooding needs.
void wm_cover_settle(wm_cover* cover);

/// The region of a cell, or WM_NO_REGION.
static inline uint32_t wm_cover_owner(const wm_cover* cover, wm_cell cell)
{
    const uint32_t tenure = cover->tenure[cell];
    return tenure == UINT32_MAX ? WM_NO_REGION : tenure % WM_COVER_REGIONS;
}

/// From a cell that has an owner to its seed.
static inline wm_cost wm_cover_cost(const wm_cover* cover, wm_cell cell)
{
    return cover->tenure[cell] / WM_COVER_REGIONS;
}

/// The first step of a shortest way from a cell to its seed; -1 at the seed.
int wm_cover_homeward(const wm_cover* cover, wm_cell cell);
/// The steps from a cell to another of its region by the ways to their seed: back as far as that of the other
/// one, then along it. `moves` has room for 2 * WM_COVER_MAX_RADIUS.
unsigned wm_cover_way(const wm_cover* cover, wm_cell from, wm_cell to, uint8_t* moves);
