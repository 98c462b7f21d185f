// SPDX-License-Identifier: MIT
//
// All problems of a map whose optimal cost lies in a range: how many there are, and some of them.
#pragma once

#include "distance.h"
#include "pairs.h"

/// A problem and the random number that decides whether it is kept. No two are equal.
typedef struct wm_census_entry {
    uint64_t key;
    wm_cell start;
    wm_cell goal;
    wm_cost cost;
} wm_census_entry;

typedef struct wm_census {
    uint64_t total;        ///< Problems in the range; (a, b) and (b, a) are two.
    wm_census_entry* kept; ///< A uniform draw from them, in random order.
    size_t kept_count;
    size_t kept_capacity;
} wm_census;

typedef struct wm_census_query {
    const wm_pairs* pairs;
    wm_cost min_cost;
    wm_cost max_cost;
    uint64_t seed;
    size_t keep; ///< How many to draw; all of them when there are no more than that.
} wm_census_query;

/// Looks at every pair that can be in the range. `distances` is for working in.
wm_status wm_census_take(wm_census* census, const wm_census_query* query, wm_distances* distances,
                         wm_error* error);
void wm_census_free(wm_census* census);
