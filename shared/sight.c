// SPDX-License-Identifier: MIT
//
// The cells of a row that lines lead to follow from those of the row before, by shifts. Both halves go
// by the same rules but for four functions, in which `west` is a constant once they are inlined.
#include "sight.h"

static inline uint64_t open_cells(const wm_planes* planes, wm_point from, int32_t dy, bool west)
{
    const int32_t y = from.y + dy;
    if (y < 0 || y >= planes->grid->height) return 0;
    const uint8_t* row = wm_planes_open_row(planes, y);
    return west ? wm_bits_west(row, (uint32_t)from.x) : wm_bits_east(row, (uint32_t)from.x);
}

// Moves a set one column away from the cell.
static inline uint64_t outward(uint64_t set, bool west)
{
    return west ? set >> 1 : set << 1;
}

// Brings to each place what lies one column farther out.
static inline uint64_t inward(uint64_t set, bool west)
{
    return west ? set << 1 : set >> 1;
}

// The run of a set outward from column `column`.
static inline uint64_t run_from(uint64_t set, int32_t column, bool west)
{
    if (west) {
        const uint64_t blocked = ~(set << column);
        const int run = blocked == 0 ? 64 : __builtin_clzll(blocked);
        return run == 0 ? 0 : UINT64_MAX << (64 - run) >> column;
    }
    const uint64_t from = set >> column;
    return (from & ~(from + 1)) << column;
}

// From where the step one column out and one row on is legal, of all cells of a row.
static inline uint64_t slant_steps(uint64_t here, uint64_t next, wm_diagonal rule, bool west)
{
    const uint64_t ends = here & inward(next, west);
    return rule == WM_DIAGONAL_SQUEEZE ? ends : ends & inward(here, west) & next;
}

// One half of the rows to one side. Of a row that are: what a slanted step leads to from a level run
// of the cell's row or from its column (`straight`); what a step along the column leads to from the
// diagonal of the cell (`column`); that diagonal itself, and the level run outward from it.
static inline void look_half(uint64_t* sight, const wm_planes* planes, wm_point from, int32_t rows,
                             int32_t side, bool west)
{
    const wm_diagonal rule = planes->grid->diagonal;
    uint64_t here = open_cells(planes, from, 0, west);
    uint64_t straight = run_from(here, 0, west);
    uint64_t stem = west ? UINT64_C(1) << 63 : 1;
    uint64_t diagonal = stem;
    uint64_t column = 0;
    sight[WM_MAX_LEG] = straight;
    for (int32_t i = 1; i <= rows; i++) {
        uint64_t* row = &sight[WM_MAX_LEG + i * side];
        *row = 0;
        if ((straight | column) == 0) continue;
        const uint64_t next = open_cells(planes, from, i * side, west);
        const uint64_t slant = slant_steps(here, next, rule, west);
        stem &= next;
        straight = outward(straight & slant, west) | stem;
        diagonal = outward(diagonal & slant, west);
        column = (column & next) | diagonal;
        *row = straight | column | (diagonal == 0 ? 0 : run_from(next, i, west));
        here = next;
    }
}

void wm_sight_look(wm_sight* sight, const wm_planes* planes, wm_point from, int32_t rows)
{
    for (int32_t side = -1; side <= 1; side += 2) {
        look_half(sight->east, planes, from, rows, side, false);
        look_half(sight->west, planes, from, rows, side, true);
    }
}
