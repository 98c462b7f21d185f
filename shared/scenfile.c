// SPDX-License-Identifier: MIT
//
// A line holds nine columns: bucket, map, width, height, start x, start y, goal x, goal y, optimal
// cost. The map's path in it is often that of another computer, so it is not looked at.
#include "scenfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "bytes.h"
#include "files.h"
#include "text.h"

#define MAX_FILE_BYTES ((size_t)256 << 20)
#define BUCKET_COST 4

enum { BUCKET, MAP, WIDTH, HEIGHT, START_X, START_Y, GOAL_X, GOAL_Y, OPTIMAL, COLUMNS };

static const char* const column_name[COLUMNS] = {
    "bucket", "map", "width", "height", "start x", "start y", "goal x", "goal y", "optimal cost",
};

typedef struct parser {
    wm_lines lines;
    const wm_grid* grid;
    const char* name;
    wm_error* error;
    bool solvable_only; // leaves the others out instead of refusing them
} parser;

void wm_problems_free(wm_problems* problems)
{
    free(problems->list);
    *problems = (wm_problems){0};
}

bool wm_problems_add(wm_problems* problems, wm_problem problem)
{
    if (problems->count == problems->capacity) {
        wm_problem* grown = wm_grow(problems->list, &problems->capacity, problems->count + 1,
                                    sizeof *problems->list);
        if (grown == NULL) return false;
        problems->list = grown;
    }
    problems->list[problems->count++] = problem;
    return true;
}

static bool next_line(parser* p, wm_text* line)
{
    while (wm_lines_next(&p->lines, line)) {
        if (wm_text_trim(*line).length > 0) return true;
    }
    return false;
}

static wm_status parse_version(parser* p)
{
    wm_text line;
    if (!next_line(p, &line))
        return wm_fail(p->error, WM_ERR_FORMAT, "%s: the file is empty; give a .scen file",
                       p->name);
    wm_text value = line;
    const wm_text key = wm_text_word(&value);
    value = wm_text_trim(value);
    if (!wm_text_equals(key, "version"))
        return wm_fail(p->error, WM_ERR_FORMAT,
                       "%s:%zu: '%s' stands where 'version 1' should; give a .scen file", p->name,
                       p->lines.number, wm_text_quote(line).text);
    if (wm_text_equals(value, "1") || wm_text_equals(value, "1.0")) return WM_OK;
    return wm_fail(p->error, WM_ERR_FORMAT,
                   "%s:%zu: the version is '%s', but only 1 and 1.0 are read; convert the file",
                   p->name, p->lines.number, wm_text_quote(value).text);
}

static wm_status split(const parser* p, wm_text line, wm_text* column)
{
    // Only where tabs separate may the name of the map hold blanks.
    const bool tabs = memchr(line.at, '\t', line.length) != NULL;
    size_t count = 0;
    for (line = wm_text_trim(line); line.length > 0; count++) {
        const wm_text field = tabs ? wm_text_field(&line, '\t') : wm_text_word(&line);
        if (count < COLUMNS) column[count] = wm_text_trim(field);
    }
    if (count == COLUMNS) return WM_OK;
    return wm_fail(p->error, WM_ERR_FORMAT,
                   "%s:%zu: the line has %zu columns where a problem has %d; correct the line",
                   p->name, p->lines.number, count, COLUMNS);
}

static wm_status parse_numbers(const parser* p, const wm_text* column, uint32_t* number)
{
    for (int i = 0; i < OPTIMAL; i++) {
        if (i == MAP || wm_text_to_u32(column[i], UINT32_MAX, &number[i])) continue;
        return wm_fail(p->error, WM_ERR_FORMAT,
                       "%s:%zu: the %s is '%s', but must be a whole number; correct the line",
                       p->name, p->lines.number, column_name[i], wm_text_quote(column[i]).text);
    }
    return WM_OK;
}

static wm_status parse_point(const parser* p, const char* what, const uint32_t* xy, wm_cell* cell)
{
    const uint32_t width = (uint32_t)p->grid->width;
    const uint32_t height = (uint32_t)p->grid->height;
    if (xy[0] >= width || xy[1] >= height)
        return wm_fail(p->error, WM_ERR_FORMAT,
                       "%s:%zu: the %s %u,%u is outside the map of %u x %u cells; correct the line",
                       p->name, p->lines.number, what, (unsigned)xy[0], (unsigned)xy[1],
                       (unsigned)width, (unsigned)height);
    *cell = xy[1] * width + xy[0];
    if (p->solvable_only || wm_grid_is_open(p->grid, *cell)) return WM_OK;
    return wm_fail(p->error, WM_ERR_FORMAT,
                   "%s:%zu: the %s %u,%u is blocked; check that the problems are for this map",
                   p->name, p->lines.number, what, (unsigned)xy[0], (unsigned)xy[1]);
}

static wm_status parse_problem(const parser* p, wm_text line, wm_problem* problem)
{
    wm_text column[COLUMNS];
    uint32_t number[COLUMNS] = {0};
    wm_status status = split(p, line, column);
    if (status == WM_OK) status = parse_numbers(p, column, number);
    if (status != WM_OK) return status;
    if (number[WIDTH] != (uint32_t)p->grid->width || number[HEIGHT] != (uint32_t)p->grid->height)
        return wm_fail(p->error, WM_ERR_FORMAT,
                       "%s:%zu: the problem is for a map of %u x %u cells, this one has %d x %d; "
                       "give the map of these problems",
                       p->name, p->lines.number, (unsigned)number[WIDTH], (unsigned)number[HEIGHT],
                       (int)p->grid->width, (int)p->grid->height);
    status = parse_point(p, "start", &number[START_X], &problem->start);
    if (status == WM_OK) status = parse_point(p, "goal", &number[GOAL_X], &problem->goal);
    if (status != WM_OK) return status;
    if (wm_text_to_double(column[OPTIMAL], &problem->optimal)) return WM_OK;
    return wm_fail(p->error, WM_ERR_FORMAT,
                   "%s:%zu: the optimal cost is '%s', but must be a number from 0 up; correct the "
                   "line",
                   p->name, p->lines.number, wm_text_quote(column[OPTIMAL]).text);
}

static bool is_wanted(const parser* p, const wm_problem* problem)
{
    return !p->solvable_only || (problem->start != problem->goal &&
                                 wm_grid_connected(p->grid, problem->start, problem->goal));
}

static wm_status parse(wm_problems* problems, parser* p)
{
    bool has_problem = false;
    wm_text line;
    wm_status status = parse_version(p);
    while (status == WM_OK && next_line(p, &line)) {
        wm_problem problem = {0};
        status = parse_problem(p, line, &problem);
        if (status != WM_OK) break;
        has_problem = true;
        if (is_wanted(p, &problem) && !wm_problems_add(problems, problem))
            status = wm_fail_memory(p->error, 2 * problems->capacity * sizeof problem);
    }
    if (status == WM_OK && !has_problem)
        status = wm_fail(p->error, WM_ERR_FORMAT,
                         "%s:%zu: the file ends without a problem; it may be cut short", p->name,
                         p->lines.number);
    return status;
}

static wm_status load(wm_problems* problems, const wm_grid* grid, const char* path,
                      bool solvable_only, wm_error* error)
{
    wm_buffer content;
    *problems = (wm_problems){0};
    wm_status status = wm_file_read(&content, path, MAX_FILE_BYTES, error);
    if (status != WM_OK) return status;
    parser p = {{(const char*)content.data, content.size, 0}, grid, path, error, solvable_only};
    status = parse(problems, &p);
    if (status != WM_OK) wm_problems_free(problems);
    wm_buffer_free(&content);
    return status;
}

wm_status wm_scenfile_load(wm_problems* problems, const wm_grid* grid, const char* path,
                           wm_error* error)
{
    return load(problems, grid, path, false, error);
}

wm_status wm_scenfile_load_solvable(wm_problems* problems, const wm_grid* grid, const char* path,
                                    wm_error* error)
{
    return load(problems, grid, path, true, error);
}

static void put_name(wm_buffer* text, const char* name)
{
    // A tab or a line end in a file name would break the line apart.
    for (; *name != '\0'; name++)
        wm_put_u8(text, (unsigned char)*name < ' ' ? '_' : (uint8_t)*name);
}

static void put_problem(wm_buffer* text, const wm_problem* problem, const wm_grid* grid,
                        const char* map_name)
{
    char line[160];
    const wm_point start = wm_grid_point(grid, problem->start);
    const wm_point goal = wm_grid_point(grid, problem->goal);
    int length = snprintf(line, sizeof line, "%lld\t", (long long)(problem->optimal / BUCKET_COST));
    wm_put_bytes(text, line, (size_t)length);
    put_name(text, map_name);
    // Printed as a whole number of 1e-8, because %f would print the comma of the host's locale.
    const uint64_t units = (uint64_t)(problem->optimal * 1e8 + 0.5);
    length =
        snprintf(line, sizeof line, "\t%d\t%d\t%d\t%d\t%d\t%d\t%llu.%08llu\n", (int)grid->width,
                 (int)grid->height, (int)start.x, (int)start.y, (int)goal.x, (int)goal.y,
                 (unsigned long long)(units / 100000000), (unsigned long long)(units % 100000000));
    wm_put_bytes(text, line, (size_t)length);
}

wm_status wm_scenfile_save(const char* path, const wm_problems* problems, const wm_grid* grid,
                           const char* map_name, wm_error* error)
{
    wm_buffer text = {0};
    wm_put_bytes(&text, "version 1\n", 10);
    for (size_t i = 0; i < problems->count; i++)
        put_problem(&text, &problems->list[i], grid, map_name);
    const wm_status status = text.failed ? wm_fail_memory(error, text.size)
                                         : wm_file_write(path, text.data, text.size, error);
    wm_buffer_free(&text);
    return status;
}
