// SPDX-License-Identifier: MIT
//
// How far a long computation has come: a bar on a terminal, a line now and then elsewhere. Also
// where Ctrl-C is noticed.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wm_progress_bar {
    const char* title;
    const char* unit;
    bool quiet;
    bool terminal;
    int64_t begun_ns;
    int64_t shown_ns;
} wm_progress_bar;

void wm_progress_begin(wm_progress_bar* bar, const char* title, const char* unit, bool quiet);
/// A wm_progress: `context` is the bar. False once the user has asked to stop.
bool wm_progress_update(void* context, size_t done, size_t total);
/// Clears the bar. Returns the seconds since it began.
double wm_progress_end(wm_progress_bar* bar);

/// From now on Ctrl-C and SIGTERM end the work in good order instead of ending the program.
void wm_progress_catch_signals(void);
bool wm_progress_stop_requested(void);

/// Work that is not asked often enough whether to go on: where it has not ended soon after a signal,
/// the program does on the spot, with status 130, when it has removed `temporary` (NULL: nothing) and
/// written `sentence`. Both must stay. NULL ends the watch: what follows is short and is finished.
/// For work of which only what it has written for good counts, for that is all that is left.
void wm_progress_watch(const char* sentence, const char* temporary);
