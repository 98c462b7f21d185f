// SPDX-License-Identifier: MIT
//
// A loop over independent items on several threads. What an item computes must depend on its
// number alone, so results are the same for any number of threads.
#pragma once

#include "status.h"

/// Called with the number of finished items, by one thread at a time. Returns false to stop.
typedef bool (*wm_progress)(void* context, size_t done, size_t total);

typedef struct wm_parallel {
    size_t count;     ///< Items 0 .. count-1.
    unsigned threads; ///< At least 1.
    size_t block;     ///< Items that a thread takes at a time; 0: a few, for short items.
    void* context;    ///< Passed to all callbacks.
    /// Makes one thread's private workspace, `*workspace`; may be NULL.
    wm_status (*start)(void* context, void** workspace);
    /// Handles one item.
    wm_status (*item)(void* context, void* workspace, size_t index);
    void (*finish)(void* context, void* workspace);
    wm_progress progress; ///< May be NULL.
    void* progress_context;
} wm_parallel;

/// Runs all items. @return WM_OK, WM_ERR_INTERRUPTED, or an item's first failure
wm_status wm_parallel_run(const wm_parallel* loop);
/// The number of processors this process may use.
unsigned wm_processor_count(void);
