// SPDX-License-Identifier: MIT
#pragma once

#include <waymark.h>

#if defined(__GNUC__)
#define WM_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WM_PRINTF(text, first)
#endif

/// Fills `error` (which may be NULL) with a sentence and returns `status`, so that a failing
/// function can say `return wm_fail(error, WM_ERR_IO, ...)`.
wm_status wm_fail(wm_error* error, wm_status status, const char* format, ...) WM_PRINTF(3, 4);
/// The sentence for a failed allocation of `size_bytes`.
wm_status wm_fail_memory(wm_error* error, size_t size_bytes);

#if defined(__clang_analyzer__) && !defined(WM_STATUS_BODIES)
// The analyser does not see into other files: tell it that the status comes back as it was.
void wm_analyser_uses(const void* first, ...);
#define wm_fail(error, status, ...) (wm_analyser_uses(error, __VA_ARGS__), (status))
#define wm_fail_memory(error, size_bytes) (wm_analyser_uses(error, size_bytes), WM_ERR_MEMORY)
#endif
