// SPDX-License-Identifier: MIT
#include "rng.h"

#define GOLDEN_GAMMA UINT64_C(0x9E3779B97F4A7C15)

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

wm_rng wm_rng_start(uint64_t seed, uint64_t stream)
{
    return (wm_rng){.state = mix(mix(seed + GOLDEN_GAMMA) + stream * GOLDEN_GAMMA + 1)};
}

uint64_t wm_rng_next(wm_rng* rng)
{
    rng->state += GOLDEN_GAMMA;
    return mix(rng->state);
}

uint64_t wm_rng_below(wm_rng* rng, uint64_t bound)
{
    // Values past the last whole multiple of `bound` would favour small results: draw again.
    const uint64_t excess = (UINT64_MAX % bound + 1) % bound;
    uint64_t value;
    do value = wm_rng_next(rng);
    while (value > UINT64_MAX - excess);
    return value % bound;
}
