// SPDX-License-Identifier: MIT
#pragma once

#include <waymark.h>

/// Refuses half an allocator. @return WM_OK or WM_ERR_ARGUMENT
wm_status wm_check_allocator(const wm_allocator* allocator, wm_error* error);
/// Room for `count` objects of `size` bytes, zeroed; NULL when the product overflows or the
/// allocator has no memory. A null `allocator` means malloc and free.
void* wm_alloc(const wm_allocator* allocator, size_t count, size_t size);
/// Gives back a block of wm_alloc with the same `count` and `size`. Accepts NULL.
void wm_release(const wm_allocator* allocator, void* block, size_t count, size_t size);
/// Makes room for more: doubles `*capacity` until it holds `needed` elements of `size` bytes.
/// Returns the block, which may be where it was, or NULL with the old block untouched. Uses malloc: for the offline side.
void* wm_grow(void* block, size_t* capacity, size_t needed, size_t size);
/// Asks the system to back a large block by large pages: it is used at random, and a page fault for
/// every 4 KiB would cost more than the zeroing. Does nothing where that is not to be had.
void wm_prefer_large_pages(void* block, size_t bytes);
