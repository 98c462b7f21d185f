// SPDX-License-Identifier: MIT
//
// SplitMix64: a counter and a mixer. Seeds and streams are mixed before use, so neighbouring seeds
// give unrelated numbers.
#pragma once

#include <stdint.h>

typedef struct wm_rng {
    uint64_t state;
} wm_rng;

/// The generator for element `stream` of everything that `seed` makes.
wm_rng wm_rng_start(uint64_t seed, uint64_t stream);
uint64_t wm_rng_next(wm_rng* rng);
/// Uniform in 0 .. bound-1; `bound` must not be 0.
uint64_t wm_rng_below(wm_rng* rng, uint64_t bound);
