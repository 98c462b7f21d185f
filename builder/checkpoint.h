// SPDX-License-Identifier: MIT
//
// What a long build has finished, kept in FILE.partial until FILE itself is written: another build
// of the same can go on from there. Entries are appended one by one and carry a hash, so that one
// that was cut off by a crash is known, and the next one takes its place.
#pragma once

#include "methods/d_lrta_method.h"
#include "methods/knn_method.h"
#include "methods/regions_method.h"

/// Of one file. Belongs to whoever holds the lock on that (wm_replacement).
typedef struct wm_checkpoint {
    char* path;
    int file;         ///< Open for writing; -1 until something is kept.
    bool exists;      ///< An earlier build left one.
    size_t good;      ///< Bytes of the file that are whole.
    size_t kept;      ///< Entries in them.
    wm_buffer before; ///< The whole entries of an earlier build.
    size_t next;      ///< In `before`: behind the entry that was found last.
    int64_t begun_ns; ///< The processor time when it was opened.
} wm_checkpoint;

/// Looks for what an earlier build left beside `target`, and reads it where it is to be resumed.
/// Nothing is written before the first entry is kept; that replaces what is not resumed.
/// @return WM_OK, WM_ERR_FORMAT (FILE.partial is something else), WM_ERR_IO or WM_ERR_MEMORY
wm_status wm_checkpoint_open(wm_checkpoint* checkpoint, const char* target, bool resume,
                             wm_error* error);
/// The content that an earlier build kept under `key`; false where there is none.
bool wm_checkpoint_find(wm_checkpoint* checkpoint, uint64_t key, wm_reader* content);
/// Appends an entry. Where that fails the entries before it stay.
wm_status wm_checkpoint_keep(wm_checkpoint* checkpoint, uint64_t key, const wm_buffer* content,
                             wm_error* error);
/// Whether what this build and those before it kept is worth going on from: two seconds of a processor.
bool wm_checkpoint_is_worthwhile(const wm_checkpoint* checkpoint);
/// Leaves what was kept for a later build. Does nothing after a removal.
void wm_checkpoint_close(wm_checkpoint* checkpoint);
/// FILE is written: nobody needs it any more.
void wm_checkpoint_remove(wm_checkpoint* checkpoint);

// Keys: hashes over the program's version, the map and every option on which the content depends.

uint64_t wm_checkpoint_knn_key(const wm_grid* grid, const wm_knn_parameters* parameters);
uint64_t wm_checkpoint_regions_key(const wm_grid* grid, const wm_regions_contract* contract);
uint64_t wm_checkpoint_d_lrta_key(const wm_grid* grid, uint32_t level);

/// Keeps blocks of kNN records: for the options of wm_knn_build.
wm_knn_blocks wm_checkpoint_knn_blocks(wm_checkpoint* checkpoint);
