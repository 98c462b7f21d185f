// SPDX-License-Identifier: MIT
//
// One unit is one cell. Walls are one path of horizontal runs, the walk is a line with a corner
// only where it turns.
#include "svg.h"

#include <stdarg.h>
#include <stdio.h>

#include "files.h"

#define PICTURE_PIXELS 1024

static void put(wm_buffer* out, const char* format, ...) WM_PRINTF(2, 3);

static void put(wm_buffer* out, const char* format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wm_put_bytes(out, text, (size_t)length);
}

static void put_walls(wm_buffer* out, const wm_grid* grid)
{
    put(out, "<path fill=\"#3d4451\" shape-rendering=\"crispEdges\" d=\"");
    for (int32_t y = 0; y < grid->height; y++) {
        const wm_cell row = (wm_cell)y * (wm_cell)grid->width;
        for (int32_t x = 0; x < grid->width; x++) {
            const int32_t begin = x;
            while (x < grid->width && !wm_grid_is_open(grid, row + (wm_cell)x)) x++;
            const int32_t length = x - begin;
            if (length > 0) put(out, "M%d %dh%dv1h-%dz", begin, y, length, length);
        }
    }
    put(out, "\"/>\n");
}

// Whether the walk turns at cell i, which is neither its first nor its last.
static bool turns(const wm_cell* cells, size_t i)
{
    return cells[i] - cells[i - 1] != cells[i + 1] - cells[i];
}

static int32_t longer_side(const wm_grid* grid)
{
    return grid->width > grid->height ? grid->width : grid->height;
}

static void put_walk(wm_buffer* out, const wm_grid* grid, const wm_cell* cells, size_t count)
{
    const int32_t tenths = 6 + longer_side(grid) / 50; // seen on a large map too
    put(out,
        "<polyline fill=\"none\" stroke=\"#d1495b\" stroke-width=\"%d.%d\" "
        "stroke-linejoin=\"round\" stroke-linecap=\"round\" points=\"",
        tenths / 10, tenths % 10);
    for (size_t i = 0; i < count; i++) {
        const wm_point p = wm_grid_point(grid, cells[i]);
        if (i == 0 || i + 1 == count || turns(cells, i)) put(out, "%d.5,%d.5 ", p.x, p.y);
    }
    put(out, "\"/>\n");
}

// Tenths of a cell: marks are seen on a large map too.
static int32_t mark_radius(const wm_grid* grid)
{
    const int32_t side = longer_side(grid);
    return side < 100 ? 8 : side * 8 / 100;
}

static void put_mark(wm_buffer* out, const wm_grid* grid, wm_point p, const char* name,
                     const char* colour)
{
    const int32_t radius = mark_radius(grid);
    put(out,
        "<circle cx=\"%d.5\" cy=\"%d.5\" r=\"%d.%d\" fill=\"%s\"><title>%s %d,%d</title>"
        "</circle>\n",
        p.x, p.y, radius / 10, radius % 10, colour, name, p.x, p.y);
}

static void put_ring(wm_buffer* out, const wm_grid* grid, wm_cell cell)
{
    const int32_t radius = mark_radius(grid);
    const int32_t width = (radius + 2) / 3;
    const wm_point p = wm_grid_point(grid, cell);
    put(out,
        "<circle cx=\"%d.5\" cy=\"%d.5\" r=\"%d.%d\" fill=\"#f5f2ea\" stroke=\"#d1495b\" "
        "stroke-width=\"%d.%d\"><title>subgoal %d,%d</title></circle>\n",
        p.x, p.y, radius / 10, radius % 10, width / 10, width % 10, p.x, p.y);
}

static void put_picture(wm_buffer* out, const wm_picture* picture)
{
    const wm_grid* grid = picture->grid;
    const int32_t side = longer_side(grid);
    const int32_t scale = side < PICTURE_PIXELS ? PICTURE_PIXELS / side : 1;
    put(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "viewBox=\"0 0 %d %d\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#f5f2ea\"/>\n",
        grid->width * scale, grid->height * scale, grid->width, grid->height);
    put_walls(out, grid);
    put_walk(out, grid, picture->walk, picture->walk_length);
    for (size_t i = 0; i < picture->subgoal_count; i++) put_ring(out, grid, picture->subgoals[i]);
    put_mark(out, grid, wm_grid_point(grid, picture->walk[0]), "start", "#2e86ab");
    put_mark(out, grid, picture->goal, "goal", "#3a7d44");
    put(out, "</svg>\n");
}

wm_status wm_svg_save(const char* path, const wm_picture* picture, wm_error* error)
{
    wm_buffer drawing = {0};
    put_picture(&drawing, picture);
    const wm_status status = drawing.failed
                                 ? wm_fail_memory(error, drawing.size)
                                 : wm_file_write(path, drawing.data, drawing.size, error);
    wm_buffer_free(&drawing);
    return status;
}
