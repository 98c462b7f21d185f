// SPDX-License-Identifier: MIT
#include "hash.h"

#define FNV_PRIME UINT64_C(1099511628211)

uint64_t wm_hash_bytes(uint64_t hash, const void* bytes, size_t size)
{
    const uint8_t* at = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * FNV_PRIME;
    return hash;
}

uint64_t wm_hash_u64(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++) hash = (hash ^ ((value >> (8 * i)) & 0xFF)) * FNV_PRIME;
    return hash;
}
