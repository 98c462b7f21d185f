// SPDX-License-Identifier: MIT
//
// MovingAI `.map` files of type octile. Passable: . G S. Blocked: @ O T W.
#pragma once

#include "grid.h"

/// Reads a map file as `rules` say. `path` names the file in errors.
wm_status wm_mapfile_load_as(wm_grid* grid, const char* path, const wm_grid_rules* rules,
                             const wm_allocator* allocator, wm_error* error);
/// The same from memory; `name` stands for the file in errors.
wm_status wm_mapfile_parse_as(wm_grid* grid, const char* text, size_t size, const char* name,
                              const wm_grid_rules* rules, const wm_allocator* allocator,
                              wm_error* error);
/// Reads a map file for agents of one cell, not to be edited.
wm_status wm_mapfile_load(wm_grid* grid, const char* path, wm_diagonal diagonal,
                          const wm_allocator* allocator, wm_error* error);
/// That from memory.
wm_status wm_mapfile_parse(wm_grid* grid, const char* text, size_t size, const char* name,
                           wm_diagonal diagonal, const wm_allocator* allocator, wm_error* error);
/// Writes one byte a cell (zero is blocked) as a map of `.` and `@`. An existing file is replaced.
wm_status wm_mapfile_save(const char* path, const uint8_t* open, int32_t width, int32_t height,
                          wm_error* error);
