// SPDX-License-Identifier: MIT
//
// An adaptive binary range coder that goes both ways: the same walk over a structure writes it or
// reads it, so that the two cannot drift apart. Each bit is coded by how likely its model has found
// it to be so far.
#pragma once

#include "bytes.h"

/// How likely a bit is 0, in 65536ths. Start from WM_BIT_MODEL.
typedef uint16_t wm_bit_model;
#define WM_BIT_MODEL ((wm_bit_model)32768)

typedef struct wm_coder {
    bool writing;
    uint32_t range;
    uint64_t low;     ///< Writing: the low end of the interval.
    uint8_t held;     ///< Writing: the last byte, held back for a carry.
    uint64_t held_ff; ///< Writing: bytes 0xFF behind it.
    bool begun;       ///< Writing: whether `held` is a byte.
    uint32_t code;    ///< Reading: where in the interval the bytes point.
    wm_buffer* out;
    wm_reader in;
} wm_coder;

wm_coder wm_coder_writer(wm_buffer* out);
/// Reading past the end gives zeros and sets `in.failed`.
wm_coder wm_coder_reader(const uint8_t* data, size_t size);
/// Writes what is held back. Nothing more can be written then.
void wm_coder_finish(wm_coder* coder);

/// Writes `bit`, or reads and returns one.
unsigned wm_code_bit(wm_coder* coder, wm_bit_model* model, unsigned bit);

/// A model for numbers: small ones are short.
typedef struct wm_number_model {
    wm_bit_model length[33];
    wm_bit_model top[33][4]; ///< By length: the two bits below the leading one.
} wm_number_model;

wm_number_model wm_number_model_start(void);
/// Writes `value`, or reads and returns one.
uint32_t wm_code_number(wm_coder* coder, wm_number_model* model, uint32_t value);
/// The same for numbers with a sign.
int32_t wm_code_signed(wm_coder* coder, wm_number_model* model, int32_t value);
