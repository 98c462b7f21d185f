// SPDX-License-Identifier: MIT
//
// A region database as both sides see it. The map is covered by regions around seeds. A region has a
// few chains: subgoals that lead from its seed into another region, each reached from the one before
// by the controller; or none, and portals stand where regions touch. Which way leads toward which region is
// worked out when a database is opened. docs/regions.md explains it and proves that it arrives.
#pragma once

#include "bytes.h"
#include "routes.h"

/// More would make the table of pairs too large and too slow to work out.
#define WM_REGIONS_MAX WM_COVER_POCKETS
#define WM_REGIONS_MAX_CHAIN 16
/// Chains of one region. The builder needs fewer, and a hop can number them.
#define WM_REGIONS_MAX_CHAINS 200
/// States that a move looks at, at most, besides those of searches.
#define WM_REGIONS_MAX_STATES 210
/// Searches for ways to targets in one move, where anything searches.
#define WM_REGIONS_LEAPS 3

typedef struct wm_regions_parameters {
    uint32_t radius;  ///< In cells.
    uint32_t epsilon; ///< A chain may cost this much more than the optimum, in thousandths.
    uint32_t portals; ///< Side of the squares of which each has portals; 0: there are chains.
    uint32_t max_expansions; ///< Of the searches for ways to later targets; 0 for none.
    uint32_t satellite;      ///< Regions of fewer cells get any way, not a good one.
} wm_regions_parameters;

typedef struct wm_chain {
    uint32_t first;  ///< Index of its first subgoal.
    uint32_t length; ///< Subgoals, at least 1.
} wm_chain;

/// What walks with the preset balanced came to on random problems that the builder had not used.
typedef struct wm_certificate {
    uint32_t problems;
    uint32_t mean; ///< Suboptimality in thousandths of a percent.
    uint32_t p95;
    uint32_t p99;
    uint32_t worst;
    uint32_t deviation;    ///< Standard deviation, in the same unit.
    uint32_t worst_states; ///< The most states in one move.
    uint64_t seed;         ///< Of the problems.
} wm_certificate;

/// What is stored.
struct wm_regions {
    int32_t width;
    int32_t height;
    uint64_t map_hash;
    wm_regions_parameters parameters;
    wm_certificate certificate;
    uint32_t count;
    wm_cell* seeds;
    uint32_t* chains_begin; ///< Per region: its first chain; one more at the end.
    wm_chain* chains;
    uint32_t chain_count;
    wm_cell* subgoals;
    uint32_t subgoal_count;
    wm_allocator allocator;
};

void wm_regions_free(wm_regions* regions);

/// The most states that any move of a walk looks at.
static inline uint64_t wm_regions_bound(const wm_regions_parameters* parameters)
{
    return WM_REGIONS_MAX_STATES + WM_REGIONS_LEAPS * (uint64_t)parameters->max_expansions;
}

/// Whether the map has a convex corner of a wall at this open cell.
bool wm_grid_is_corner(const wm_grid* grid, wm_cell cell);

/// Sections of a payload; each is packed by itself.
enum { WM_REGIONS_SECTION_HEADER, WM_REGIONS_SECTION_BODY, WM_REGIONS_SECTIONS };

/// Appends the unpacked payload to `out`. @return WM_OK or WM_ERR_MEMORY
wm_status wm_regions_encode(wm_buffer* out, size_t section_sizes[WM_REGIONS_SECTIONS],
                            const wm_regions* regions, const wm_grid* grid);
/// Reads the front of an unpacked payload: all but seeds and chains, for which the map is needed.
wm_status wm_regions_read_header(wm_regions* regions, const uint8_t* data, size_t size,
                                 const char* name, wm_error* error);
/// Reads an unpacked payload made for the grid of `planes`. Chains may come in another order than
/// they were written in. `name` stands for it in errors.
wm_status wm_regions_decode(wm_regions* regions, const wm_planes* planes, const uint8_t* data,
                            size_t size, const char* name, wm_error* error);

/// A payload, and what follows from it and the map.
typedef struct wm_region_map {
    wm_regions regions;
    wm_planes planes;
    wm_controller controller;
    wm_cover cover;
    wm_waypoints waypoints;
    wm_routes routes;
} wm_region_map;

/// Reads an unpacked payload, floods the regions and works out the routes. Anything that the map
/// does not bear out is WM_ERR_FORMAT: subgoals that the controller does not reach, regions that
/// lead nowhere. `map` stays where it is: parts of it point to each other.
wm_status wm_region_map_create(wm_region_map* map, const wm_grid* grid, const uint8_t* data,
                               size_t size, const wm_allocator* allocator, const char* name,
                               wm_error* error);
void wm_region_map_free(wm_region_map* map);
