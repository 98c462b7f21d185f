// SPDX-License-Identifier: MIT
//
// Log-linear buckets: each power of two is cut into 128 equal parts.
#include "histogram.h"

#define PARTS (UINT64_C(1) << WM_HISTOGRAM_BITS)

static unsigned bucket_of(uint64_t value)
{
    if (value < PARTS) return (unsigned)value;
    const unsigned shift = 63u - (unsigned)__builtin_clzll(value) - WM_HISTOGRAM_BITS;
    return (shift << WM_HISTOGRAM_BITS) + (unsigned)(value >> shift);
}

// The middle of a bucket.
static uint64_t value_of(unsigned bucket)
{
    if (bucket < 2 * PARTS) return bucket;
    const unsigned shift = (bucket >> WM_HISTOGRAM_BITS) - 1;
    const uint64_t low = (PARTS + (bucket & (PARTS - 1))) << shift;
    return low + ((UINT64_C(1) << shift) >> 1);
}

void wm_histogram_add(wm_histogram* histogram, uint64_t value)
{
    histogram->count[bucket_of(value)]++;
    histogram->total++;
    if (value > histogram->max) histogram->max = value;
}

uint64_t wm_histogram_percentile(const wm_histogram* histogram, unsigned percent)
{
    const uint64_t rank =
        histogram->total / 100 * percent + (histogram->total % 100 * percent + 99) / 100;
    uint64_t below = 0;
    if (histogram->total == 0) return 0;
    for (unsigned i = 0; i < WM_HISTOGRAM_BUCKETS; i++) {
        below += histogram->count[i];
        if (below < rank || below == 0) continue;
        return value_of(i) < histogram->max ? value_of(i) : histogram->max;
    }
    return histogram->max;
}
