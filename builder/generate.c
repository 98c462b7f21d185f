// SPDX-License-Identifier: MIT
//
// Caves: noise smoothed by a cellular automaton (Johnson, Yannakakis and Togelius 2010), small
// hollows filled, the others joined to the largest along shortest tunnels.
// Rooms and mazes: a lattice of squares between walls one cell thick. Rooms get doors along a
// random spanning tree (Kruskal) and some more; a maze opens the walls of a depth-first tree.
#include "generate.h"

#include <string.h>

#include "alloc.h"
#include "grid.h"
#include "rng.h"

#define CAVE_ROUNDS 5
#define SMALLEST_CAVE 24

typedef struct canvas {
    uint8_t* open;
    int32_t width;
    int32_t height;
    size_t cell_count;
    int32_t density;
    int32_t grain;
    wm_rng rng;
} canvas;

static bool is_open(const canvas* c, int32_t x, int32_t y)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height) return false;
    return c->open[(size_t)y * (size_t)c->width + (size_t)x] != 0;
}

static wm_status fill_by_chance(canvas* c)
{
    for (size_t i = 0; i < c->cell_count; i++)
        c->open[i] = wm_rng_below(&c->rng, 100) >= (uint64_t)c->density;
    return WM_OK;
}

// ---------------------------------------------------------------------------------------------
// Caves

// A cell is rock when most of its three by three cells are; outside is all rock.
static void smooth(canvas* c, uint8_t* next)
{
    for (int32_t y = 0; y < c->height; y++) {
        for (int32_t x = 0; x < c->width; x++) {
            int open = 0;
            for (int32_t dy = -1; dy <= 1; dy++) {
                for (int32_t dx = -1; dx <= 1; dx++) open += is_open(c, x + dx, y + dy);
            }
            next[(size_t)y * (size_t)c->width + (size_t)x] = open >= 5;
        }
    }
    memcpy(c->open, next, c->cell_count);
}

typedef struct caves {
    uint8_t* from;   // per cell: 1 + the direction, 0 north to 3 west, from where it was reached
    uint32_t* label; // per cell: 0 rock, else the number of its cave
    uint32_t* queue;
    uint32_t count;
    uint32_t largest;
} caves;

// The neighbour north, east, south or west of a cell; false at the border.
static bool neighbour(const canvas* c, uint32_t cell, int direction, uint32_t* next)
{
    static const int32_t step_x[4] = {0, 1, 0, -1};
    static const int32_t step_y[4] = {-1, 0, 1, 0};
    const int32_t x = (int32_t)(cell % (uint32_t)c->width) + step_x[direction];
    const int32_t y = (int32_t)(cell / (uint32_t)c->width) + step_y[direction];
    if (x < 0 || y < 0 || x >= c->width || y >= c->height) return false;
    *next = (uint32_t)y * (uint32_t)c->width + (uint32_t)x;
    return true;
}

// Labels the cave around `first`. Returns its size; its cells are at the front of the queue.
static size_t flood_cave(const canvas* c, caves* v, uint32_t first, uint32_t label)
{
    size_t size = 0;
    v->queue[size++] = first;
    v->label[first] = label;
    for (size_t i = 0; i < size; i++) {
        uint32_t next;
        for (int d = 0; d < 4; d++) {
            if (!neighbour(c, v->queue[i], d, &next)) continue;
            if (c->open[next] == 0 || v->label[next] != 0) continue;
            v->label[next] = label;
            v->queue[size++] = next;
        }
    }
    return size;
}

static void label_caves(canvas* c, caves* v)
{
    size_t largest_size = 0;
    for (uint32_t cell = 0; cell < c->cell_count; cell++) {
        if (c->open[cell] == 0 || v->label[cell] != 0) continue;
        const size_t size = flood_cave(c, v, cell, v->count + 1);
        if (size < SMALLEST_CAVE) {
            for (size_t i = 0; i < size; i++) {
                c->open[v->queue[i]] = 0;
                v->label[v->queue[i]] = 0;
            }
            continue;
        }
        v->count++;
        if (size > largest_size) {
            largest_size = size;
            v->largest = v->count;
        }
    }
}

// Two cells wide, so that it does not look like a scratch.
static void dig(canvas* c, const caves* v, uint32_t cell)
{
    while (v->from[cell] != 0) {
        uint32_t side;
        c->open[cell] = 1;
        if (neighbour(c, cell, v->from[cell] % 4, &side)) c->open[side] = 1;
        neighbour(c, cell, v->from[cell] - 1, &cell);
    }
}

// Looks around from the largest cave, through rock and caves. The first cell found of a cave is its
// nearest one: there its tunnel begins.
static void join_caves(canvas* c, caves* v, uint8_t* joined)
{
    size_t size = 0;
    for (uint32_t cell = 0; cell < c->cell_count; cell++) {
        if (v->label[cell] == v->largest) v->queue[size++] = cell;
    }
    joined[v->largest] = 1;
    for (size_t i = 0; i < size; i++) {
        const uint32_t cell = v->queue[i];
        if (!joined[v->label[cell]] && v->label[cell] != 0) {
            joined[v->label[cell]] = 1;
            dig(c, v, cell);
        }
        for (int d = 0; d < 4; d++) {
            uint32_t next;
            if (!neighbour(c, cell, d, &next)) continue;
            if (v->label[next] == v->largest || v->from[next] != 0) continue;
            v->from[next] = (uint8_t)(1 + (d + 2) % 4);
            v->queue[size++] = next;
        }
    }
}

static wm_status make_caves(canvas* c)
{
    wm_status status = WM_ERR_MEMORY;
    uint8_t* joined = NULL;
    caves v = {
        .from = wm_alloc(NULL, c->cell_count, sizeof *v.from),
        .label = wm_alloc(NULL, c->cell_count, sizeof *v.label),
        .queue = wm_alloc(NULL, c->cell_count, sizeof *v.queue),
    };
    if (v.from == NULL || v.label == NULL || v.queue == NULL) goto cleanup;
    fill_by_chance(c);
    for (int round = 0; round < CAVE_ROUNDS; round++) smooth(c, v.from);
    memset(v.from, 0, c->cell_count);
    label_caves(c, &v);

    joined = wm_alloc(NULL, (size_t)v.count + 1, sizeof *joined);
    if (joined == NULL) goto cleanup;
    if (v.count > 1) join_caves(c, &v, joined);
    status = WM_OK;
cleanup:
    wm_release(NULL, joined, (size_t)v.count + 1, sizeof *joined);
    wm_release(NULL, v.from, c->cell_count, sizeof *v.from);
    wm_release(NULL, v.label, c->cell_count, sizeof *v.label);
    wm_release(NULL, v.queue, c->cell_count, sizeof *v.queue);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Rooms and mazes

// Squares of `grain` cells a side with a wall between them. The last of a row or column takes what
// is left: from half a square to one and a half.
typedef struct lattice {
    int32_t pitch;
    uint32_t columns;
    uint32_t rows;
} lattice;

static int32_t squares_along(int32_t size, int32_t pitch)
{
    const int32_t count = (size + pitch / 2) / pitch;
    return count > 0 ? count : 1;
}

static bool is_wall(int32_t at, int32_t pitch, int32_t squares)
{
    return at % pitch == pitch - 1 && at / pitch + 1 < squares;
}

static lattice lay_lattice(canvas* c)
{
    const int32_t pitch = c->grain + 1;
    const int32_t columns = squares_along(c->width, pitch);
    const int32_t rows = squares_along(c->height, pitch);
    for (int32_t y = 0; y < c->height; y++) {
        for (int32_t x = 0; x < c->width; x++)
            c->open[(size_t)y * (size_t)c->width + (size_t)x] =
                !is_wall(x, pitch, columns) && !is_wall(y, pitch, rows);
    }
    return (lattice){pitch, (uint32_t)columns, (uint32_t)rows};
}

// Opens a part of the wall east or south of a square: all of it, or a door by chance.
static void open_wall(canvas* c, const lattice* l, uint32_t square, bool east, bool door)
{
    const uint32_t column = square % l->columns;
    const uint32_t row = square / l->columns;
    const int32_t x = (int32_t)column * l->pitch;
    const int32_t y = (int32_t)row * l->pitch;
    const bool last = east ? row + 1 == l->rows : column + 1 == l->columns;
    const int32_t side = !last ? c->grain : east ? c->height - y : c->width - x;
    int32_t first = 0;
    int32_t length = side;
    if (door) {
        length = 1 + (int32_t)wm_rng_below(&c->rng, 1 + (uint64_t)c->grain / 8);
        if (length > side) length = side;
        first = (int32_t)wm_rng_below(&c->rng, (uint64_t)(side - length) + 1);
    }
    for (int32_t i = first; i < first + length; i++) {
        const int32_t wall_x = east ? x + c->grain : x + i;
        const int32_t wall_y = east ? y + i : y + c->grain;
        c->open[(size_t)wall_y * (size_t)c->width + (size_t)wall_x] = 1;
    }
}

// A wall is a square and a side: 2 * square, plus 1 for the south.
static size_t list_walls(const lattice* l, uint32_t* walls)
{
    size_t count = 0;
    for (uint32_t row = 0; row < l->rows; row++) {
        for (uint32_t column = 0; column < l->columns; column++) {
            const uint32_t square = row * l->columns + column;
            if (column + 1 < l->columns) walls[count++] = 2 * square;
            if (row + 1 < l->rows) walls[count++] = 2 * square + 1;
        }
    }
    return count;
}

static void shuffle(wm_rng* rng, uint32_t* list, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)wm_rng_below(rng, i);
        const uint32_t moved = list[j];
        list[j] = list[i - 1];
        list[i - 1] = moved;
    }
}

static uint32_t find_root(uint32_t* parent, uint32_t square)
{
    while (parent[square] != square) {
        parent[square] = parent[parent[square]];
        square = parent[square];
    }
    return square;
}

static wm_status make_rooms(canvas* c)
{
    const lattice l = lay_lattice(c);
    const uint32_t squares = l.columns * l.rows;
    uint32_t* walls = wm_alloc(NULL, squares, 2 * sizeof *walls);
    uint32_t* parent = wm_alloc(NULL, squares, sizeof *parent);
    const wm_status status = walls == NULL || parent == NULL ? WM_ERR_MEMORY : WM_OK;
    if (status != WM_OK) goto cleanup;

    for (uint32_t i = 0; i < squares; i++) parent[i] = i;
    const size_t count = list_walls(&l, walls);
    shuffle(&c->rng, walls, count);
    for (size_t i = 0; i < count; i++) {
        const bool east = walls[i] % 2 == 0;
        const uint32_t square = walls[i] / 2;
        const uint32_t a = find_root(parent, square);
        const uint32_t b = find_root(parent, east ? square + 1 : square + l.columns);
        // Half of the walls that need no door have one all the same: rooms are not a maze.
        if (a == b && wm_rng_below(&c->rng, 2) == 0) continue;
        parent[a] = b;
        open_wall(c, &l, square, east, true);
    }
cleanup:
    wm_release(NULL, walls, squares, 2 * sizeof *walls);
    wm_release(NULL, parent, squares, sizeof *parent);
    return status;
}

// Lists the squares around `square` that were not visited yet.
static uint32_t list_unvisited(const lattice* l, const uint8_t* visited, uint32_t square,
                               uint32_t* list)
{
    const uint32_t column = square % l->columns;
    const uint32_t row = square / l->columns;
    uint32_t count = 0;
    if (row > 0 && !visited[square - l->columns]) list[count++] = square - l->columns;
    if (column + 1 < l->columns && !visited[square + 1]) list[count++] = square + 1;
    if (row + 1 < l->rows && !visited[square + l->columns]) list[count++] = square + l->columns;
    if (column > 0 && !visited[square - 1]) list[count++] = square - 1;
    return count;
}

static wm_status make_maze(canvas* c)
{
    const lattice l = lay_lattice(c);
    const uint32_t squares = l.columns * l.rows;
    uint8_t* visited = wm_alloc(NULL, squares, sizeof *visited);
    uint32_t* path = wm_alloc(NULL, squares, sizeof *path);
    const wm_status status = visited == NULL || path == NULL ? WM_ERR_MEMORY : WM_OK;
    if (status != WM_OK) goto cleanup;

    size_t length = 0;
    path[length++] = (uint32_t)wm_rng_below(&c->rng, squares);
    visited[path[0]] = 1;
    while (length > 0) {
        uint32_t choice[4];
        const uint32_t here = path[length - 1];
        const uint32_t count = list_unvisited(&l, visited, here, choice);
        if (count == 0) {
            length--;
            continue;
        }
        const uint32_t next = choice[wm_rng_below(&c->rng, count)];
        const uint32_t before = next < here ? next : here;
        open_wall(c, &l, before, next / l.columns == here / l.columns, false);
        visited[next] = 1;
        path[length++] = next;
    }
cleanup:
    wm_release(NULL, visited, squares, sizeof *visited);
    wm_release(NULL, path, squares, sizeof *path);
    return status;
}

// ---------------------------------------------------------------------------------------------

typedef struct recipe {
    const char* name;
    wm_status (*make)(canvas* c);
    int32_t density;
    int32_t grain;
} recipe;

static const recipe recipes[WM_GENERATE_KINDS] = {
    [WM_GENERATE_CAVES] = {"caves", make_caves, 45, 1},
    [WM_GENERATE_ROOMS] = {"rooms", make_rooms, 0, 16},
    [WM_GENERATE_MAZE] = {"maze", make_maze, 0, 4},
    [WM_GENERATE_RANDOM] = {"random", fill_by_chance, 25, 1},
};

const char* wm_generate_kind_name(int kind)
{
    return kind >= 0 && kind < WM_GENERATE_KINDS ? recipes[kind].name : NULL;
}

bool wm_generate_kind_from_name(wm_generate_kind* kind, const char* name)
{
    for (int i = 0; i < WM_GENERATE_KINDS; i++) {
        if (strcmp(name, recipes[i].name) != 0) continue;
        *kind = (wm_generate_kind)i;
        return true;
    }
    return false;
}

wm_generate_options wm_generate_options_default(void)
{
    return (wm_generate_options){WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT};
}

static wm_status check(int32_t width, int32_t height, const canvas* c, wm_error* error)
{
    if (width < 1 || height < 1 || width > WM_GRID_MAX_SIDE || height > WM_GRID_MAX_SIDE)
        return wm_fail(error, WM_ERR_ARGUMENT, "the size %dx%d is out of range; use 1 to %d a side",
                       (int)width, (int)height, WM_GRID_MAX_SIDE);
    if (c->density < 0 || c->density > 100)
        return wm_fail(error, WM_ERR_ARGUMENT, "the density %d is out of range; use 0 to 100",
                       (int)c->density);
    if (c->grain < 1 || c->grain > WM_GENERATE_MAX_GRAIN)
        return wm_fail(error, WM_ERR_ARGUMENT, "the grain %d is out of range; use 1 to %d",
                       (int)c->grain, WM_GENERATE_MAX_GRAIN);
    return WM_OK;
}

wm_status wm_generate(uint8_t* open, int32_t width, int32_t height, wm_generate_kind kind,
                      const wm_generate_options* options, uint64_t seed, wm_error* error)
{
    const recipe* r = &recipes[kind];
    canvas c = {
        .open = open,
        .width = width,
        .height = height,
        .density = options->density == WM_GENERATE_DEFAULT ? r->density : options->density,
        .grain = options->grain == WM_GENERATE_DEFAULT ? r->grain : options->grain,
        .rng = wm_rng_start(seed, (uint64_t)kind),
    };
    wm_status status = check(width, height, &c, error);
    if (status != WM_OK) return status;
    c.cell_count = (size_t)width * (size_t)height;
    status = r->make(&c);
    if (status != WM_OK) return wm_fail_memory(error, c.cell_count * 10);
    // A map that is all walls is of no use to anybody.
    if (memchr(open, 1, c.cell_count) == NULL)
        open[(size_t)(height / 2) * (size_t)width + (size_t)(width / 2)] = 1;
    return WM_OK;
}
