// SPDX-License-Identifier: MIT
//
// The format, from the MovingAI benchmarks: the lines `type octile`, `height H` and `width W` in
// any order, the line `map`, then H rows of W letters. Nothing the file claims is believed before
// it was compared with what the file holds.
#include "mapfile.h"

#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "files.h"
#include "text.h"

// A full map with CRLF line ends, and a generous header.
#define MAX_FILE_BYTES ((size_t)WM_GRID_MAX_SIDE * (WM_GRID_MAX_SIDE + 2) + 4096)

typedef struct parser {
    wm_lines lines;
    const char* name;
    wm_error* error;
    bool has_type;
    uint32_t width;
    uint32_t height;
} parser;

static wm_status check_is_text(const char* text, size_t size, const char* name, wm_error* error)
{
    const char* zero = size == 0 ? NULL : memchr(text, '\0', size);
    if (size == 0)
        return wm_fail(error, WM_ERR_FORMAT, "%s: the file is empty; give a map of type octile",
                       name);
    if (zero == NULL) return WM_OK;
    size_t line = 1;
    for (const char* at = text; at < zero; at++) line += *at == '\n';
    return wm_fail(error, WM_ERR_FORMAT,
                   "%s:%zu: the line holds a zero byte, so this is no map; give a text file", name,
                   line);
}

static wm_status parse_type(parser* p, wm_text value)
{
    if (p->has_type)
        return wm_fail(p->error, WM_ERR_FORMAT, "%s:%zu: a second type; remove one of them",
                       p->name, p->lines.number);
    if (!wm_text_equals(value, "octile"))
        return wm_fail(p->error, WM_ERR_FORMAT,
                       "%s:%zu: the map is of type '%s', but only type octile is read; convert it",
                       p->name, p->lines.number, wm_text_quote(value).text);
    p->has_type = true;
    return WM_OK;
}

static wm_status parse_side(parser* p, const char* key, wm_text value, uint32_t* side)
{
    if (*side != 0)
        return wm_fail(p->error, WM_ERR_FORMAT, "%s:%zu: a second %s; remove one of them", p->name,
                       p->lines.number, key);
    if (!wm_text_to_u32(value, WM_GRID_MAX_SIDE, side) || *side == 0)
        return wm_fail(p->error, WM_ERR_FORMAT,
                       "%s:%zu: the %s is '%s', but must be a whole number from 1 to %d", p->name,
                       p->lines.number, key, wm_text_quote(value).text, WM_GRID_MAX_SIDE);
    return WM_OK;
}

static wm_status check_header(const parser* p)
{
    const char* missing = !p->has_type     ? "type octile"
                          : p->height == 0 ? "height H"
                          : p->width == 0  ? "width W"
                                           : NULL;
    if (missing == NULL) return WM_OK;
    return wm_fail(p->error, WM_ERR_FORMAT, "%s:%zu: the header has no line '%s'; add it", p->name,
                   p->lines.number, missing);
}

static wm_status parse_header(parser* p)
{
    wm_text line;
    while (wm_lines_next(&p->lines, &line)) {
        wm_text value = line;
        const wm_text key = wm_text_word(&value);
        value = wm_text_trim(value);
        wm_status status = WM_OK;
        if (wm_text_equals(key, "type")) {
            status = parse_type(p, value);
        } else if (wm_text_equals(key, "height")) {
            status = parse_side(p, "height", value, &p->height);
        } else if (wm_text_equals(key, "width")) {
            status = parse_side(p, "width", value, &p->width);
        } else if (wm_text_equals(key, "map") && value.length == 0) {
            return check_header(p);
        } else if (key.length > 0) {
            status = wm_fail(p->error, WM_ERR_FORMAT,
                             "%s:%zu: '%s' is no header line; a map opens with type octile, "
                             "height H, width W, map",
                             p->name, p->lines.number, wm_text_quote(line).text);
        }
        if (status != WM_OK) return status;
    }
    return wm_fail(p->error, WM_ERR_FORMAT,
                   "%s:%zu: the file ends before the line 'map'; it may be cut short", p->name,
                   p->lines.number);
}

static wm_status fail_at_letter(const parser* p, size_t column, char letter)
{
    return wm_fail(p->error, WM_ERR_FORMAT,
                   letter > ' ' && letter <= '~'
                       ? "%s:%zu: column %zu holds '%c'; passable are . G S, blocked are @ O T W"
                       : "%s:%zu: column %zu holds the byte %d; passable are . G S, blocked are "
                         "@ O T W",
                   p->name, p->lines.number, column, (int)(unsigned char)letter);
}

static wm_status parse_row(const parser* p, wm_text line, uint8_t* open)
{
    for (size_t x = 0; x < line.length && x < p->width; x++) {
        switch (line.at[x]) {
        case '.':
        case 'G':
        case 'S': open[x] = 1; break;
        case '@':
        case 'O':
        case 'T':
        case 'W': open[x] = 0; break;
        default: return fail_at_letter(p, x + 1, line.at[x]);
        }
    }
    if (line.length == p->width) return WM_OK;
    return wm_fail(p->error, WM_ERR_FORMAT,
                   "%s:%zu: the row has %zu cells where the width is %u; correct the row or the "
                   "width",
                   p->name, p->lines.number, line.length, (unsigned)p->width);
}

// `stride` bytes from one row to the next; 0 where they are only looked at.
static wm_status parse_rows(parser* p, uint8_t* open, size_t stride)
{
    wm_text line;
    for (uint32_t y = 0; y < p->height; y++) {
        if (!wm_lines_next(&p->lines, &line))
            return wm_fail(p->error, WM_ERR_FORMAT,
                           "%s:%zu: the map ends after %u rows where the height is %u; the file "
                           "may be cut short",
                           p->name, p->lines.number, (unsigned)y, (unsigned)p->height);
        const wm_status status = parse_row(p, line, open + y * stride);
        if (status != WM_OK) return status;
    }
    while (wm_lines_next(&p->lines, &line)) {
        if (wm_text_trim(line).length == 0) continue;
        return wm_fail(p->error, WM_ERR_FORMAT,
                       "%s:%zu: the map goes on after %u rows, its height; correct the height or "
                       "remove the rest",
                       p->name, p->lines.number, (unsigned)p->height);
    }
    return WM_OK;
}

wm_status wm_mapfile_parse_as(wm_grid* grid, const char* text, size_t size, const char* name,
                              const wm_grid_rules* rules, const wm_allocator* allocator,
                              wm_error* error)
{
    memset(grid, 0, sizeof *grid);
    parser p = {.lines = {text, size, 0}, .name = name, .error = error};
    wm_status status = check_is_text(text, size, name, error);
    if (status == WM_OK) status = parse_header(&p);
    if (status != WM_OK) return status;

    // Every cell takes a byte: a file that claims more than it has is read for what is wrong with it,
    // and no memory taken for what it claims.
    if ((size_t)p.width * p.height > p.lines.left) {
        uint8_t row[WM_GRID_MAX_SIDE];
        return parse_rows(&p, row, 0);
    }
    uint8_t* open = wm_alloc(allocator, p.width, p.height);
    if (open == NULL) return wm_fail_memory(error, (size_t)p.width * p.height);
    status = parse_rows(&p, open, p.width);
    if (status == WM_OK)
        status = wm_grid_create_as(grid, open, (int32_t)p.width, (int32_t)p.height, p.width, rules,
                                   allocator, error);
    wm_release(allocator, open, p.width, p.height);
    return status;
}

wm_status wm_mapfile_parse(wm_grid* grid, const char* text, size_t size, const char* name,
                           wm_diagonal diagonal, const wm_allocator* allocator, wm_error* error)
{
    const wm_grid_rules rules = {.diagonal = diagonal, .agent_size = 1};
    return wm_mapfile_parse_as(grid, text, size, name, &rules, allocator, error);
}

wm_status wm_mapfile_load_as(wm_grid* grid, const char* path, const wm_grid_rules* rules,
                             const wm_allocator* allocator, wm_error* error)
{
    wm_buffer content;
    memset(grid, 0, sizeof *grid);
    wm_status status = wm_file_read(&content, path, MAX_FILE_BYTES, error);
    if (status != WM_OK) return status;
    status = wm_mapfile_parse_as(grid, (const char*)content.data, content.size, path, rules,
                                 allocator, error);
    wm_buffer_free(&content);
    return status;
}

wm_status wm_mapfile_load(wm_grid* grid, const char* path, wm_diagonal diagonal,
                          const wm_allocator* allocator, wm_error* error)
{
    const wm_grid_rules rules = {.diagonal = diagonal, .agent_size = 1};
    return wm_mapfile_load_as(grid, path, &rules, allocator, error);
}

static void put_number_line(wm_buffer* text, const char* key, int32_t value)
{
    char line[32];
    const int length = snprintf(line, sizeof line, "%s %d\n", key, (int)value);
    wm_put_bytes(text, line, (size_t)length);
}

wm_status wm_mapfile_save(const char* path, const uint8_t* open, int32_t width, int32_t height,
                          wm_error* error)
{
    wm_buffer text = {0};
    wm_put_bytes(&text, "type octile\n", 12);
    put_number_line(&text, "height", height);
    put_number_line(&text, "width", width);
    wm_put_bytes(&text, "map\n", 4);
    for (int32_t y = 0; y < height; y++) {
        for (int32_t x = 0; x < width; x++)
            wm_put_u8(&text, open[(size_t)y * (size_t)width + (size_t)x] != 0 ? '.' : '@');
        wm_put_u8(&text, '\n');
    }
    const wm_status status = text.failed ? wm_fail_memory(error, text.size)
                                         : wm_file_write(path, text.data, text.size, error);
    wm_buffer_free(&text);
    return status;
}
