// SPDX-License-Identifier: MIT
//
// Whole files in and out, and replacement that is never seen half done.
#pragma once

#include "bytes.h"

/// Reads a whole file of at most `max_bytes` bytes.
wm_status wm_file_read(wm_buffer* content, const char* path, size_t max_bytes, wm_error* error);

/// Reads up to `capacity` bytes from the beginning of a file: enough to see what it is.
wm_status wm_file_read_front(uint8_t* bytes, size_t capacity, size_t* size, const char* path,
                             wm_error* error);

/// Whether a file is there and may be read: for those who hand its path to others.
wm_status wm_file_check_readable(const char* path, wm_error* error);

/// Whether there is a file of at least one byte.
bool wm_file_has_content(const char* path);
/// Writes all of the bytes to an open file; false with errno where that fails.
bool wm_file_write_all(int file, const void* bytes, size_t size);
/// WM_ERR_IO with a sentence on why `path` cannot be written, by errno.
wm_status wm_fail_to_write(wm_error* error, const char* path);

/// Writes beside `path` and renames: other programs see the old content or the new, whole.
wm_status wm_file_write(const char* path, const void* bytes, size_t size, wm_error* error);

/// The file name without its folder and without `suffix`, into `name`. False when it does not fit.
bool wm_file_stem(char* name, size_t size, const char* path, const char* suffix);

/// A file under construction beside the one that it will replace. Its own lock keeps a second
/// writer out; the lock ends with the process, however the process ends.
typedef struct wm_replacement {
    char* target;    ///< The file to replace, symbolic links followed.
    char* temporary; ///< The file to fill.
    int lock;        ///< Open on the temporary file; -1 when there is none.
    uint64_t before; ///< Tells which file the target was, and in which state; 0: none.
} wm_replacement;

/// Takes the lock, or fails with WM_ERR_BUSY; the temporary file is then there and empty.
wm_status wm_replacement_begin(wm_replacement* replacement, const char* path, wm_error* error);
/// Syncs the temporary file and puts it in the target's place, unless a program that does not know
/// the lock has changed that meanwhile: WM_ERR_BUSY. Ends the replacement on success.
wm_status wm_replacement_commit(wm_replacement* replacement, wm_error* error);
/// Removes the temporary file. Does nothing after a commit.
void wm_replacement_abandon(wm_replacement* replacement);
