// SPDX-License-Identifier: MIT
//
// How often which number occurred, in a fixed amount of memory: exact below 128, and to less than
// 1 % above. Counts millions of planning times without keeping them.
#pragma once

#include <stdint.h>

#define WM_HISTOGRAM_BITS 7
#define WM_HISTOGRAM_BUCKETS ((65 - WM_HISTOGRAM_BITS) << WM_HISTOGRAM_BITS)

/// Start from {0}.
typedef struct wm_histogram {
    uint64_t count[WM_HISTOGRAM_BUCKETS];
    uint64_t total;
    uint64_t max;
} wm_histogram;

void wm_histogram_add(wm_histogram* histogram, uint64_t value);
/// The least value that at least `percent` % of all values do not exceed; 0 when there are none.
uint64_t wm_histogram_percentile(const wm_histogram* histogram, unsigned percent);
