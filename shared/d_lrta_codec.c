// SPDX-License-Identifier: MIT
//
// Most cells have the region of a cell beside or above them, so a cell is told by which one, and
// only the rest is written out. Which cells are open both sides know from the map. Everything is
// checked while it is read.
#include <string.h>

#include "alloc.h"
#include "d_lrta.h"

#define NEARBY 4
/// How a cell's region is told, when not as that of cell `code` nearby.
enum { CODE_NEW = NEARBY, CODE_WRITTEN_OUT };

static const int8_t nearby_x[NEARBY] = {-1, 0, -1, 1};
static const int8_t nearby_y[NEARBY] = {0, -1, -1, -1};

/// Regions with more exits have codes of two bytes.
#define MAX_SHORT_EXITS 256

void wm_d_lrta_free(wm_d_lrta* d)
{
    const wm_allocator allocator = d->allocator;
    const size_t ends = (size_t)d->count + 1;
    wm_release(&allocator, d->region, d->cell_count, sizeof *d->region);
    wm_release(&allocator, d->first_cell, d->count, sizeof *d->first_cell);
    wm_release(&allocator, d->place, d->count, sizeof *d->place);
    wm_release(&allocator, d->row, ends, sizeof *d->row);
    wm_release(&allocator, d->exits_begin, ends, sizeof *d->exits_begin);
    wm_release(&allocator, d->exits, d->exit_count, sizeof *d->exits);
    wm_release(&allocator, d->codes, d->pair_count, sizeof *d->codes);
    *d = (wm_d_lrta){0};
}

// ---------------------------------------------------------------------------------------------
// What follows from the regions of the cells

static bool find_first_cells(wm_d_lrta* d, const wm_grid* grid)
{
    for (uint32_t i = 0; i < d->count; i++) d->first_cell[i] = WM_NO_CELL;
    for (wm_cell cell = 0; cell < d->cell_count; cell++) {
        if (d->region[cell] == WM_D_LRTA_NO_REGION) continue;
        wm_cell* first = &d->first_cell[d->region[cell]];
        if (*first == WM_NO_CELL) *first = cell;
        if (grid->component[*first] != grid->component[cell]) return false;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->first_cell[i] == WM_NO_CELL) return false;
    }
    return true;
}

// `sizes`: per component, how many regions it has; zeroed.
static bool find_rows(wm_d_lrta* d, const wm_grid* grid, uint32_t* sizes, uint32_t max_pairs)
{
    for (uint32_t i = 0; i < d->count; i++)
        d->place[i] = (uint16_t)sizes[grid->component[d->first_cell[i]]]++;
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < d->count && pairs <= max_pairs; i++) {
        d->row[i] = (uint32_t)pairs;
        pairs += sizes[grid->component[d->first_cell[i]]];
    }
    if (pairs > max_pairs) return false;
    d->row[d->count] = (uint32_t)pairs;
    return true;
}

wm_status wm_d_lrta_lay_out(wm_d_lrta* d, const wm_grid* grid, uint32_t max_pairs)
{
    const size_t components = (size_t)grid->component_count + 1;
    const size_t ends = (size_t)d->count + 1;
    uint32_t* sizes = wm_alloc(&d->allocator, components, sizeof *sizes);
    d->first_cell = wm_alloc(&d->allocator, d->count, sizeof *d->first_cell);
    d->place = wm_alloc(&d->allocator, d->count, sizeof *d->place);
    d->row = wm_alloc(&d->allocator, ends, sizeof *d->row);
    wm_status status = WM_ERR_MEMORY;
    if (sizes != NULL && d->first_cell != NULL && d->place != NULL && d->row != NULL)
        status = find_first_cells(d, grid) && find_rows(d, grid, sizes, max_pairs) ? WM_OK
                                                                                   : WM_ERR_FORMAT;
    wm_release(&d->allocator, sizes, components, sizeof *sizes);
    if (status != WM_OK) return status;
    d->codes = wm_alloc(&d->allocator, d->row[d->count], sizeof *d->codes);
    if (d->codes == NULL) return WM_ERR_MEMORY;
    d->pair_count = d->row[d->count];
    return WM_OK;
}

static uint32_t region_nearby(const wm_d_lrta* d, wm_cell cell, int which)
{
    const uint32_t width = (uint32_t)d->width;
    const int32_t x = (int32_t)(cell % width) + nearby_x[which];
    const int32_t y = (int32_t)(cell / width) + nearby_y[which];
    if (x < 0 || y < 0 || x >= d->width) return WM_D_LRTA_NO_REGION;
    return d->region[(uint32_t)y * width + (uint32_t)x];
}

// ---------------------------------------------------------------------------------------------
// Writing

static void write_header(wm_buffer sections[WM_D_LRTA_SECTIONS], const wm_d_lrta* d)
{
    wm_buffer* out = &sections[WM_D_LRTA_SECTION_HEADER];
    wm_put_u64(out, d->map_hash);
    wm_put_u32(out, (uint32_t)d->width);
    wm_put_u32(out, (uint32_t)d->height);
    wm_put_u32(out, d->level);
    wm_put_u32(out, d->open_count);
    wm_put_u32(out, d->count);
    wm_put_u32(out, d->exit_count);
    for (int i = WM_D_LRTA_SECTION_CELLS; i < WM_D_LRTA_SECTIONS; i++)
        wm_put_u32(out, (uint32_t)sections[i].size);
}

static void write_cells(wm_buffer sections[WM_D_LRTA_SECTIONS], const wm_d_lrta* d)
{
    uint32_t next_new = 0;
    for (wm_cell cell = 0; cell < d->cell_count; cell++) {
        const uint32_t region = d->region[cell];
        if (region == WM_D_LRTA_NO_REGION) continue;
        uint8_t code = 0;
        while (code < NEARBY && region_nearby(d, cell, code) != region) code++;
        if (code == NEARBY && region != next_new) code = CODE_WRITTEN_OUT;
        if (code == CODE_NEW) next_new++;
        wm_put_u8(&sections[WM_D_LRTA_SECTION_CELLS], code);
        if (code == CODE_WRITTEN_OUT)
            wm_put_varint(&sections[WM_D_LRTA_SECTION_WRITTEN_OUT], region);
    }
}

static void write_exits(wm_buffer* out, const wm_d_lrta* d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t begin = d->exits_begin[i];
        const uint32_t end = d->exits_begin[i + 1];
        wm_put_varint(out, end - begin);
        for (uint32_t k = begin; k < end; k++) {
            if (k == begin)
                wm_put_varint(out, wm_zigzag((int32_t)d->exits[k] - (int32_t)d->first_cell[i]));
            else
                wm_put_varint(out, d->exits[k] - d->exits[k - 1]);
        }
    }
}

static void write_codes(wm_buffer* out, const wm_d_lrta* d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t own = d->row[i] + d->place[i];
        const bool is_short = d->exits_begin[i + 1] - d->exits_begin[i] <= MAX_SHORT_EXITS;
        for (uint32_t k = d->row[i]; k < d->row[i + 1]; k++) {
            if (k == own) continue;
            if (is_short)
                wm_put_u8(out, (uint8_t)d->codes[k]);
            else
                wm_put_u16(out, d->codes[k]);
        }
    }
}

wm_status wm_d_lrta_encode(wm_buffer* out, size_t section_sizes[WM_D_LRTA_SECTIONS],
                           const wm_d_lrta* d)
{
    wm_buffer sections[WM_D_LRTA_SECTIONS] = {{0}};
    wm_status status = WM_OK;
    write_cells(sections, d);
    write_exits(&sections[WM_D_LRTA_SECTION_EXITS], d);
    write_codes(&sections[WM_D_LRTA_SECTION_CODES], d);
    write_header(sections, d);
    for (int i = 0; i < WM_D_LRTA_SECTIONS; i++) {
        section_sizes[i] = sections[i].size;
        wm_put_bytes(out, sections[i].data, sections[i].size);
        if (sections[i].failed || out->failed) status = WM_ERR_MEMORY;
        wm_buffer_free(&sections[i]);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Reading

typedef struct payload_reader {
    wm_reader sections[WM_D_LRTA_SECTIONS];
} payload_reader;

// Splits the payload into its sections; false where the header does not fit it.
static bool read_front(wm_d_lrta* d, payload_reader* in, const uint8_t* data, size_t size)
{
    wm_reader reader = {.data = data, .left = size};
    *d = (wm_d_lrta){0};
    *in = (payload_reader){0};
    d->map_hash = wm_get_u64(&reader);
    const uint32_t width = wm_get_u32(&reader);
    const uint32_t height = wm_get_u32(&reader);
    d->level = wm_get_u32(&reader);
    d->open_count = wm_get_u32(&reader);
    const uint32_t count = wm_get_u32(&reader);
    const uint32_t exit_count = wm_get_u32(&reader);
    uint32_t sizes[WM_D_LRTA_SECTIONS] = {0};
    for (int i = WM_D_LRTA_SECTION_CELLS; i < WM_D_LRTA_SECTIONS; i++)
        sizes[i] = wm_get_u32(&reader);
    for (int i = WM_D_LRTA_SECTION_CELLS; i < WM_D_LRTA_SECTIONS; i++)
        in->sections[i] = (wm_reader){.data = wm_get_bytes(&reader, sizes[i]), .left = sizes[i]};
    if (reader.failed || reader.left != 0 || width < 1 || width > WM_GRID_MAX_SIDE || height < 1 ||
        height > WM_GRID_MAX_SIDE || d->level < 1 || d->level > WM_D_LRTA_MAX_LEVEL || count < 1 ||
        count > WM_D_LRTA_MAX_REGIONS || count > d->open_count || d->open_count > width * height ||
        sizes[WM_D_LRTA_SECTION_CELLS] != d->open_count ||
        exit_count > sizes[WM_D_LRTA_SECTION_EXITS])
        return false;
    d->width = (int32_t)width;
    d->height = (int32_t)height;
    d->cell_count = width * height;
    d->count = count;
    d->exit_count = exit_count;
    return true;
}

static bool read_cells(wm_d_lrta* d, payload_reader* in, const wm_grid* grid)
{
    wm_reader* codes = &in->sections[WM_D_LRTA_SECTION_CELLS];
    wm_reader* written_out = &in->sections[WM_D_LRTA_SECTION_WRITTEN_OUT];
    uint32_t next_new = 0;
    for (wm_cell cell = 0; cell < d->cell_count; cell++) {
        d->region[cell] = WM_D_LRTA_NO_REGION;
        if (!wm_grid_is_open(grid, cell)) continue;
        const unsigned code = wm_get_u8(codes);
        uint32_t region = next_new;
        if (code < NEARBY)
            region = region_nearby(d, cell, (int)code);
        else if (code == CODE_NEW)
            next_new++;
        else
            region = code == CODE_WRITTEN_OUT ? wm_get_varint(written_out) : WM_D_LRTA_NO_REGION;
        if (region >= next_new || region >= d->count) return false;
        d->region[cell] = (uint16_t)region;
    }
    return next_new == d->count && !codes->failed && !written_out->failed && codes->left == 0 &&
           written_out->left == 0;
}

// Exits lie in the component of their region and outside of it.
static bool read_exits(wm_d_lrta* d, payload_reader* in, const wm_grid* grid)
{
    wm_reader* reader = &in->sections[WM_D_LRTA_SECTION_EXITS];
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t others = d->row[i + 1] - d->row[i] - 1;
        const uint32_t count = wm_get_varint(reader);
        d->exits_begin[i] = at;
        if (count > others || (count == 0 && others > 0) || count > d->exit_count - at)
            return false;
        int64_t exit = d->first_cell[i];
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t number = wm_get_varint(reader);
            exit += k == 0 ? wm_unzigzag(number) : (int64_t)number;
            if (reader->failed || exit < 0 || exit >= d->cell_count || (k > 0 && number == 0) ||
                d->region[exit] == i || !wm_grid_connected(grid, (wm_cell)exit, d->first_cell[i]))
                return false;
            d->exits[at++] = (wm_cell)exit;
        }
    }
    d->exits_begin[d->count] = at;
    return at == d->exit_count && !reader->failed && reader->left == 0;
}

static bool read_codes(wm_d_lrta* d, payload_reader* in)
{
    wm_reader* reader = &in->sections[WM_D_LRTA_SECTION_CODES];
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t own = d->row[i] + d->place[i];
        const uint32_t exits = d->exits_begin[i + 1] - d->exits_begin[i];
        for (uint32_t k = d->row[i]; k < d->row[i + 1]; k++) {
            if (k == own) continue;
            const unsigned code = exits <= MAX_SHORT_EXITS ? wm_get_u8(reader) : wm_get_u16(reader);
            if (code >= exits) return false;
            d->codes[k] = (uint16_t)code;
        }
    }
    return !reader->failed && reader->left == 0;
}

static wm_status read_body(wm_d_lrta* d, payload_reader* in, const wm_grid* grid)
{
    // A pair takes a byte at least, but for those of a region with itself.
    const uint64_t max_pairs = (uint64_t)in->sections[WM_D_LRTA_SECTION_CODES].left + d->count;
    d->region = wm_alloc(&d->allocator, d->cell_count, sizeof *d->region);
    d->exits_begin = wm_alloc(&d->allocator, (size_t)d->count + 1, sizeof *d->exits_begin);
    d->exits = wm_alloc(&d->allocator, d->exit_count, sizeof *d->exits);
    if (d->region == NULL || d->exits_begin == NULL || d->exits == NULL) return WM_ERR_MEMORY;
    if (!read_cells(d, in, grid)) return WM_ERR_FORMAT;
    const wm_status status = wm_d_lrta_lay_out(
        d, grid, max_pairs < WM_D_LRTA_MAX_PAIRS ? (uint32_t)max_pairs : WM_D_LRTA_MAX_PAIRS);
    if (status != WM_OK) return status;
    return read_exits(d, in, grid) && read_codes(d, in) ? WM_OK : WM_ERR_FORMAT;
}

wm_status wm_d_lrta_read_header(wm_d_lrta* d, const uint8_t* data, size_t size, const char* name,
                                wm_error* error)
{
    payload_reader in;
    if (read_front(d, &in, data, size)) return WM_OK;
    return wm_fail(error, WM_ERR_FORMAT, "%s has a header that makes no sense; build it again",
                   name);
}

wm_status wm_d_lrta_decode(wm_d_lrta* d, const wm_grid* grid, const uint8_t* data, size_t size,
                           const wm_allocator* allocator, const char* name, wm_error* error)
{
    payload_reader in;
    wm_status status = WM_OK;
    if (!read_front(d, &in, data, size))
        status = wm_fail(error, WM_ERR_FORMAT,
                         "%s has a header that makes no sense; build it again", name);
    else if (d->map_hash != grid->hash || d->width != grid->width || d->height != grid->height)
        status =
            wm_fail(error, WM_ERR_MISMATCH, "%s was built for another map; build it again", name);
    if (status != WM_OK) {
        *d = (wm_d_lrta){0};
        return status;
    }
    if (allocator != NULL) d->allocator = *allocator;
    status = d->open_count == grid->open_count ? read_body(d, &in, grid) : WM_ERR_FORMAT;
    if (status == WM_ERR_MEMORY) wm_fail_memory(error, size);
    if (status == WM_ERR_FORMAT)
        wm_fail(error, status, "%s holds impossible regions or subgoals; build it again", name);
    if (status != WM_OK) wm_d_lrta_free(d);
    return status;
}
