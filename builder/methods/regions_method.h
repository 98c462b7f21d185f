// SPDX-License-Identifier: MIT
//
// The offline half of region databases.
#pragma once

#include "distance.h"
#include "regions.h"

/// Covers the map with regions and finds chains between them, if portals do not take their place.
/// @return WM_OK, WM_ERR_TOO_FEW (too many regions) or WM_ERR_MEMORY
wm_status wm_regions_build(wm_regions* regions, const wm_grid* grid,
                           const wm_regions_parameters* parameters, const char* name,
                           wm_error* error);

/// Packs regions into a blob as a database file stores it. `content_hash` may be NULL.
/// @return WM_OK or WM_ERR_MEMORY
wm_status wm_regions_seal(wm_buffer* blob, uint64_t* content_hash, const wm_regions* regions,
                          const wm_grid* grid);

/// What a user asks of a database.
typedef struct wm_regions_contract {
    size_t max_bytes;    ///< Length of the stored blob; 0: the one-bit map's, or fewer that open
                         ///< soon and are good enough.
    bool bytes_are_hard; ///< Fail rather than exceed it.
    uint32_t max_mean;   ///< Mean suboptimality in thousandths of a percent; 0: any.
    wm_regions_parameters fixed;  ///< For experts: what is not 0 is not searched.
    bool fixed_epsilon;           ///< Whether `fixed.epsilon` counts; 0 is a value.
    bool fixed_portals;           ///< Whether `fixed.portals` counts.
    bool fixed_controller;        ///< Whether `fixed.max_expansions` counts.
    uint64_t seed;                ///< Of the problems to measure on.
    bool (*go_on)(void* context); ///< Asked now and then; may be NULL. False interrupts.
    void* context;
} wm_regions_contract;

/// A database that meets a contract, packed, with its certificate.
typedef struct wm_regions_result {
    wm_buffer blob;
    uint64_t content_hash;
    wm_regions_parameters parameters;
    wm_certificate certificate;
    uint32_t regions;
    uint32_t chains;
} wm_regions_result;

/// Searches the parameters, builds, and certifies on problems that the search did not use.
/// @return WM_OK, WM_ERR_TOO_FEW (cannot be met: the sentence says what can), WM_ERR_INTERRUPTED or
///         WM_ERR_MEMORY
wm_status wm_regions_fulfil(wm_regions_result* result, const wm_grid* grid,
                            const wm_regions_contract* contract, const char* name, wm_error* error);

/// Walks random problems with the database in a blob and sums up.
wm_status wm_regions_measure(wm_certificate* certificate, const wm_grid* grid,
                             const wm_buffer* blob, uint32_t problems, uint64_t seed,
                             wm_error* error);

/// The most regions that a database for this map has.
uint32_t wm_regions_limit(const wm_grid* grid);
/// Seeds in their stored order, into `*seeds` (free() it).
wm_status wm_regions_place(wm_cell** seeds, uint32_t* count, wm_cover* cover, wm_error* error);
/// Fills in chains for regions whose seeds are flooded in the cover of `controller`.
/// @return WM_OK, WM_ERR_TOO_FEW (some region would need more or longer chains) or WM_ERR_MEMORY
wm_status wm_regions_connect(wm_regions* regions, const wm_controller* controller, wm_error* error);
