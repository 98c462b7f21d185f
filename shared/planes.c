// SPDX-License-Identifier: MIT
//
// East runs lie in rows and south runs in columns. Diagonals are numbered by x - y and x + y modulo a
// power of two that is not below the height, with x as the place in them: two diagonals that share a
// number have no x in common, and the bit of the last cell of a diagonal is 0, so that runs never
// leak from one into the next.
#include "planes.h"

#include <string.h>

#include "alloc.h"

enum { PLANE_EAST, PLANE_SOUTH_EAST, PLANE_SOUTH, PLANE_NORTH_EAST };

#define OVERHANG 8
#define BITS_PER_LOAD 56

typedef struct bit_place {
    size_t row;
    uint32_t at;
} bit_place;

static inline bit_place place_of(const wm_planes* planes, int plane, int32_t x, int32_t y)
{
    switch (plane) {
    case PLANE_EAST: return (bit_place){(size_t)y, (uint32_t)x};
    case PLANE_SOUTH: return (bit_place){(size_t)x, (uint32_t)y};
    case PLANE_SOUTH_EAST:
        return (bit_place){(uint32_t)(x - y) & planes->diagonal_mask, (uint32_t)x};
    default: return (bit_place){(uint32_t)(x + y) & planes->diagonal_mask, (uint32_t)x};
    }
}

static inline void set_bit(uint8_t* row, uint32_t at, unsigned bit)
{
    row[at / 8] = (uint8_t)(row[at / 8] | bit << at % 8);
}

// The bits of one row of the map, in all planes.
static void set_row(wm_planes* planes, const wm_grid* grid, int32_t y)
{
    const uint8_t* moves = grid->moves + (size_t)y * (size_t)grid->width;
    uint8_t* plane[4];
    for (int k = 0; k < 4; k++) plane[k] = planes->bits + planes->begin[k];
    uint8_t* east = plane[PLANE_EAST] + (size_t)y * planes->stride[PLANE_EAST];
    for (int32_t x = 0; x < grid->width; x++) {
        const uint32_t at = (uint32_t)x;
        if (moves[x] != 0) {
            set_bit(east, at, moves[x] >> WM_EAST & 1);
            set_bit(plane[PLANE_SOUTH] + (size_t)x * planes->stride[PLANE_SOUTH], (uint32_t)y,
                    moves[x] >> WM_SOUTH & 1);
            const size_t falling = place_of(planes, PLANE_SOUTH_EAST, x, y).row;
            const size_t rising = place_of(planes, PLANE_NORTH_EAST, x, y).row;
            set_bit(plane[PLANE_SOUTH_EAST] + falling * planes->stride[PLANE_SOUTH_EAST], at,
                    moves[x] >> WM_SOUTH_EAST & 1);
            set_bit(plane[PLANE_NORTH_EAST] + rising * planes->stride[PLANE_NORTH_EAST], at,
                    moves[x] >> WM_NORTH_EAST & 1);
        }
    }
}

wm_status wm_planes_create(wm_planes* planes, const wm_grid* grid, const wm_allocator* allocator,
                           wm_error* error)
{
    const size_t along_x = ((size_t)grid->width + 7) / 8;
    const size_t along_y = ((size_t)grid->height + 7) / 8;
    *planes = (wm_planes){.grid = grid};
    if (allocator != NULL) planes->allocator = *allocator;
    while (planes->diagonal_mask + 1 < (uint32_t)grid->height)
        planes->diagonal_mask = 2 * planes->diagonal_mask + 1;
    const size_t rows_of[4] = {(size_t)grid->height, planes->diagonal_mask + (size_t)1,
                               (size_t)grid->width, planes->diagonal_mask + (size_t)1};
    for (int k = 0; k < 4; k++) {
        planes->stride[k] = k == PLANE_SOUTH ? along_y : along_x;
        planes->begin[k] = planes->bytes;
        planes->bytes += rows_of[k] * planes->stride[k];
    }
    planes->bytes += OVERHANG;
    planes->bits = wm_alloc(allocator, planes->bytes, 1);
    if (planes->bits == NULL) return wm_fail_memory(error, planes->bytes);
    for (int32_t y = 0; y < grid->height; y++) set_row(planes, grid, y);
    return WM_OK;
}

void wm_planes_free(wm_planes* planes)
{
    const wm_allocator allocator = planes->allocator;
    wm_release(&allocator, planes->bits, planes->bytes, 1);
    *planes = (wm_planes){0};
}

static inline uint64_t load(const uint8_t* bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline bool all_set(const uint8_t* row, uint32_t at, int32_t count)
{
    for (; count > BITS_PER_LOAD; count -= BITS_PER_LOAD, at += BITS_PER_LOAD) {
        const uint64_t mask = (UINT64_C(1) << BITS_PER_LOAD) - 1;
        if ((load(row + at / 8) >> at % 8 & mask) != mask) return false;
    }
    const uint64_t mask = (UINT64_C(1) << count) - 1;
    return (load(row + at / 8) >> at % 8 & mask) == mask;
}

bool wm_planes_clear(const wm_planes* planes, wm_point p, int d, int32_t steps)
{
    // Runs to the west, and to the north, begin where they end.
    static const int8_t plane_of[WM_DIRECTIONS] = {
        PLANE_SOUTH, PLANE_NORTH_EAST, PLANE_EAST, PLANE_SOUTH_EAST,
        PLANE_SOUTH, PLANE_NORTH_EAST, PLANE_EAST, PLANE_SOUTH_EAST,
    };
    static const bool backward[WM_DIRECTIONS] = {true,  false, false, false,
                                                 false, true,  true,  true};
    const int plane = plane_of[d];
    if (backward[d]) {
        p.x += wm_direction_x[d] * steps;
        p.y += wm_direction_y[d] * steps;
    }
    const bit_place place = place_of(planes, plane, p.x, p.y);
    const uint8_t* row = planes->bits + planes->begin[plane] + place.row * planes->stride[plane];
    return all_set(row, place.at, steps);
}

static bool run_is_clear(const wm_planes* planes, wm_point p, int d, int32_t steps,
                         uint64_t* states)
{
    *states += (uint64_t)steps;
    return wm_planes_clear(planes, p, d, steps);
}

static wm_point along(wm_point p, int d, int32_t steps)
{
    return (wm_point){p.x + wm_direction_x[d] * steps, p.y + wm_direction_y[d] * steps};
}

// Two runs, one after the other.
static bool runs_are_clear(const wm_planes* planes, wm_point p, const wm_line* line,
                           uint64_t* states)
{
    const int first = line->direction[0];
    return run_is_clear(planes, p, first, line->steps[0], states) &&
           run_is_clear(planes, along(p, first, line->steps[0]), line->direction[1], line->steps[1],
                        states);
}

bool wm_planes_line(const wm_planes* planes, wm_point a, wm_point b, wm_line* line,
                    uint64_t* states)
{
    const int32_t dx = b.x - a.x;
    const int32_t dy = b.y - a.y;
    const int32_t far_x = abs(dx);
    const int32_t far_y = abs(dy);
    const uint16_t diagonal = (uint16_t)(far_x < far_y ? far_x : far_y);
    const uint16_t straight = (uint16_t)(far_x < far_y ? far_y - far_x : far_x - far_y);
    *line = (wm_line){0};
    if (dx == 0 && dy == 0) return true;
    const uint8_t slant = (uint8_t)wm_direction_toward(dx, dy);
    if (diagonal == 0 || straight == 0) {
        *line = (wm_line){{slant, 0}, {(uint16_t)(diagonal + straight), 0}};
        return run_is_clear(planes, a, slant, diagonal + straight, states);
    }
    const uint8_t level =
        (uint8_t)(far_x > far_y ? wm_direction_toward(dx, 0) : wm_direction_toward(0, dy));
    *line = (wm_line){{slant, level}, {diagonal, straight}};
    if (runs_are_clear(planes, a, line, states)) return true;
    *line = (wm_line){{level, slant}, {straight, diagonal}};
    return runs_are_clear(planes, a, line, states);
}
