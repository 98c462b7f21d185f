// SPDX-License-Identifier: MIT
//
// East runs lie in rows and south runs in columns. Diagonals are numbered by x - y and x + y modulo a
// power of two that is not below the height, with x as the place in them: two diagonals that share a
// number have no x in common, and the bit of the last cell of a diagonal is 0, so that runs never
// leak from one into the next. The open cells lie in rows; a row of them and the one beside it tell all
// steps between them at once.
#include "planes.h"

#include "alloc.h"

#define OVERHANG 8

typedef struct bit_place {
    size_t row;
    uint32_t at;
} bit_place;

static inline bit_place place_of(const wm_planes* planes, int plane, int32_t x, int32_t y)
{
    static const int8_t times_x[] = {0, 1, 1, 1};
    static const int8_t times_y[] = {1, -1, 0, 1};
    const uint32_t mask = plane % 2 != 0 ? planes->diagonal_mask : UINT32_MAX;
    return (bit_place){(uint32_t)(times_x[plane] * x + times_y[plane] * y) & mask,
                       (uint32_t)(plane == WM_PLANE_SOUTH ? y : x)};
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
    uint8_t* east = plane[WM_PLANE_EAST] + (size_t)y * planes->stride[WM_PLANE_EAST];
    uint8_t* open =
        planes->bits + planes->begin[WM_PLANE_OPEN] + (size_t)y * planes->stride[WM_PLANE_OPEN];
    for (int32_t x = 0; x < grid->width; x++) {
        const uint32_t at = (uint32_t)x;
        if (moves[x] != 0) {
            set_bit(open, at, 1);
            set_bit(east, at, moves[x] >> WM_EAST & 1);
            set_bit(plane[WM_PLANE_SOUTH] + (size_t)x * planes->stride[WM_PLANE_SOUTH], (uint32_t)y,
                    moves[x] >> WM_SOUTH & 1);
            const size_t falling = place_of(planes, WM_PLANE_SOUTH_EAST, x, y).row;
            const size_t rising = place_of(planes, WM_PLANE_NORTH_EAST, x, y).row;
            set_bit(plane[WM_PLANE_SOUTH_EAST] + falling * planes->stride[WM_PLANE_SOUTH_EAST], at,
                    moves[x] >> WM_SOUTH_EAST & 1);
            set_bit(plane[WM_PLANE_NORTH_EAST] + rising * planes->stride[WM_PLANE_NORTH_EAST], at,
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
    const size_t rows_of[] = {(size_t)grid->height, planes->diagonal_mask + (size_t)1,
                              (size_t)grid->width, planes->diagonal_mask + (size_t)1,
                              (size_t)grid->height};
    for (int k = 0; k < WM_PLANES; k++) {
        planes->stride[k] = k == WM_PLANE_SOUTH ? along_y : along_x;
        if (k == WM_PLANE_OPEN)
            planes->stride[k] = (size_t)grid->width / 8 + 1; // and a 0 at the end
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

static inline bool all_set(const uint8_t* row, uint32_t at, int32_t count)
{
    for (; count > WM_BITS_PER_LOAD; count -= WM_BITS_PER_LOAD, at += WM_BITS_PER_LOAD) {
        const uint64_t mask = (UINT64_C(1) << WM_BITS_PER_LOAD) - 1;
        if ((wm_bits_load(row + at / 8) >> at % 8 & mask) != mask) return false;
    }
    const uint64_t mask = (UINT64_C(1) << count) - 1;
    return (wm_bits_load(row + at / 8) >> at % 8 & mask) == mask;
}

static inline const uint8_t* row_of(const wm_planes* planes, int plane, size_t row)
{
    return planes->bits + planes->begin[plane] + row * planes->stride[plane];
}

// A run from its western end, or its northern one.
static inline bool run_is_set(const wm_planes* planes, int plane, int32_t x, int32_t y,
                              int32_t steps)
{
    const bit_place place = place_of(planes, plane, x, y);
    return all_set(row_of(planes, plane, place.row), place.at, steps);
}

bool wm_planes_clear(const wm_planes* planes, wm_point p, int d, int32_t steps)
{
    static const int8_t plane_of[WM_DIRECTIONS] = {
        WM_PLANE_SOUTH, WM_PLANE_NORTH_EAST, WM_PLANE_EAST, WM_PLANE_SOUTH_EAST,
        WM_PLANE_SOUTH, WM_PLANE_NORTH_EAST, WM_PLANE_EAST, WM_PLANE_SOUTH_EAST,
    };
    if (d == WM_NORTH || d > WM_SOUTH) {
        p.x += wm_direction_x[d] * steps;
        p.y += wm_direction_y[d] * steps;
    }
    return run_is_set(planes, plane_of[d], p.x, p.y, steps);
}

// How a line goes from `a` to `b`: in which direction along each axis, and how far slanted and level.
typedef struct course {
    int32_t ex;
    int32_t ey;
    int32_t diagonal;
    int32_t straight;
    bool is_wide; // the level run goes by x
} course;

static inline bool slant_is_clear(const wm_planes* planes, const course* c, wm_point p)
{
    const int32_t back = c->ex < 0 ? c->diagonal : 0;
    return run_is_set(planes, c->ex == c->ey ? WM_PLANE_SOUTH_EAST : WM_PLANE_NORTH_EAST,
                      p.x - back, p.y + c->ey * back, c->diagonal);
}

static inline bool level_is_clear(const wm_planes* planes, const course* c, wm_point p)
{
    if (c->is_wide)
        return run_is_set(planes, WM_PLANE_EAST, c->ex < 0 ? p.x - c->straight : p.x, p.y,
                          c->straight);
    return run_is_set(planes, WM_PLANE_SOUTH, p.x, c->ey < 0 ? p.y - c->straight : p.y,
                      c->straight);
}

static bool slant_then_level(const wm_planes* planes, const course* c, wm_point a, uint64_t* states)
{
    const wm_point turn = {a.x + c->ex * c->diagonal, a.y + c->ey * c->diagonal};
    *states += (uint64_t)c->diagonal;
    if (!slant_is_clear(planes, c, a)) return false;
    *states += (uint64_t)c->straight;
    return level_is_clear(planes, c, turn);
}

static bool level_then_slant(const wm_planes* planes, const course* c, wm_point a, uint64_t* states)
{
    const wm_point turn = {a.x + (c->is_wide ? c->ex * c->straight : 0),
                           a.y + (c->is_wide ? 0 : c->ey * c->straight)};
    *states += (uint64_t)c->straight;
    if (!level_is_clear(planes, c, a)) return false;
    *states += (uint64_t)c->diagonal;
    return slant_is_clear(planes, c, turn);
}

bool wm_planes_line(const wm_planes* planes, wm_point a, wm_point b, wm_line* line,
                    uint64_t* states)
{
    const int32_t far_x = abs(b.x - a.x);
    const int32_t far_y = abs(b.y - a.y);
    const int32_t longer = far_x > far_y ? far_x : far_y;
    const int32_t shorter = far_x > far_y ? far_y : far_x;
    const course c = {.ex = b.x < a.x ? -1 : 1,
                      .ey = b.y < a.y ? -1 : 1,
                      .diagonal = shorter,
                      .straight = longer - shorter,
                      .is_wide = far_x > far_y};
    const uint16_t diagonal = (uint16_t)c.diagonal;
    const uint16_t straight = (uint16_t)c.straight;
    *line = (wm_line){0};
    if (longer == 0) return true;
    const uint8_t slant = (uint8_t)wm_direction_toward(c.ex, c.ey);
    const uint8_t level =
        (uint8_t)(c.is_wide ? wm_direction_toward(c.ex, 0) : wm_direction_toward(0, c.ey));
    if (straight == 0) {
        *line = (wm_line){{slant, 0}, {diagonal, 0}};
        *states += diagonal;
        return slant_is_clear(planes, &c, a);
    }
    if (diagonal == 0) {
        *line = (wm_line){{level, 0}, {straight, 0}};
        *states += straight;
        return level_is_clear(planes, &c, a);
    }
    if (slant_then_level(planes, &c, a, states)) {
        *line = (wm_line){{slant, level}, {diagonal, straight}};
        return true;
    }
    *line = (wm_line){{level, slant}, {straight, diagonal}};
    return level_then_slant(planes, &c, a, states);
}
