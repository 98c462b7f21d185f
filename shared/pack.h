// SPDX-License-Identifier: MIT
//
// zstd, wrapped: sections in, frames out, one a section, so that each gets its own statistics.
#pragma once

#include "bytes.h"

/// Appends `size` bytes, compressed as one frame. @return WM_OK or WM_ERR_MEMORY
wm_status wm_pack(wm_buffer* out, const uint8_t* data, size_t size);
/// Unpacks all frames into `data`, which has room for `unpacked_size` bytes. Anything but exactly
/// that many is WM_ERR_FORMAT. @return WM_OK, WM_ERR_FORMAT or WM_ERR_MEMORY
wm_status wm_unpack(uint8_t* data, size_t unpacked_size, const uint8_t* frames, size_t frames_size);
/// The unpacked size that the frames themselves claim, from their headers alone; false when they
/// are damaged, do not say, or claim more than their length can hold.
bool wm_unpacked_size(size_t* unpacked_size, const uint8_t* frames, size_t frames_size);
