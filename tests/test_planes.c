// SPDX-License-Identifier: MIT
//
// Runs and lines are compared with stepping from cell to cell, one legal step after the other.
#include "planes.h"

#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "walk.h"

#define MAX_SIDE 200

typedef struct field {
    wm_grid grid;
    wm_planes planes;
    uint64_t seed; // for the message
} field;

static field field_of(wm_grid grid, uint64_t seed)
{
    return (field){.grid = grid, .seed = seed};
}

// The planes point to the grid, which has its place only now.
static void field_begin(field* f)
{
    assert_int_equal(wm_planes_create(&f->planes, &f->grid, NULL, NULL), WM_OK);
}

static void field_end(field* f)
{
    wm_planes_free(&f->planes);
    wm_grid_free(&f->grid);
}

// Every shape comes up: single rows and columns, wide, high and square maps, few and many walls.
static field field_random(uint64_t seed)
{
    wm_rng rng = wm_rng_start(seed, 1);
    int32_t width = 1 + (int32_t)wm_rng_below(&rng, MAX_SIDE);
    int32_t height = 1 + (int32_t)wm_rng_below(&rng, MAX_SIDE);
    switch (seed % 8) {
    case 0: width = 1; break;
    case 1: height = 1; break;
    case 2: width = 1 + width % 20; break;
    case 3: height = 1 + height % 20; break;
    case 4: height = width; break;
    default: break;
    }
    static const unsigned blocked[] = {0, 1, 3, 10, 30, 60};
    return field_of(grid_random(seed, width, height, blocked[wm_rng_below(&rng, 6)],
                                (wm_diagonal)wm_rng_below(&rng, 2)),
                    seed);
}

// How many steps lie on the map.
static int32_t room(const wm_grid* grid, wm_point p, int d)
{
    int32_t steps = 0;
    while (wm_grid_contains(grid, (wm_point){p.x + (steps + 1) * wm_direction_x[d],
                                             p.y + (steps + 1) * wm_direction_y[d]}))
        steps++;
    return steps;
}

// How many steps are legal, `most` at most.
static int32_t legal_steps(const wm_grid* grid, wm_point p, int d, int32_t most)
{
    wm_cell cell = wm_grid_cell(grid, p);
    int32_t steps = 0;
    while (steps < most && (cell = reference_step(grid, cell, d)) != WM_NO_CELL) steps++;
    return steps;
}

static void check_run(const field* f, wm_point p, int d, int32_t steps, int32_t legal)
{
    if (wm_planes_clear(&f->planes, p, d, steps) != (steps <= legal))
        fail_msg("seed %llu, %d x %d, %s: %d steps from %d,%d in direction %d, of which %d are "
                 "legal, are said to be %s",
                 (unsigned long long)f->seed, f->grid.width, f->grid.height,
                 wm_diagonal_name(f->grid.diagonal), steps, p.x, p.y, d, legal,
                 steps <= legal ? "blocked" : "clear");
}

static wm_point random_point(const wm_grid* grid, wm_rng* rng)
{
    return (wm_point){(int32_t)wm_rng_below(rng, (uint64_t)grid->width),
                      (int32_t)wm_rng_below(rng, (uint64_t)grid->height)};
}

static void every_run_of_a_small_map_is_clear_where_its_steps_are_legal(void** state)
{
    (void)state;
    for (int32_t height = 1; height <= 18; height++) {
        for (int32_t width = 1; width <= 18; width++) {
            const uint64_t seed = (uint64_t)(100 * height + width);
            field f = field_of(grid_random(seed, width, height, (unsigned)(seed % 25),
                                           (wm_diagonal)(seed / 3 % 2)),
                               seed);
            field_begin(&f);
            for (wm_cell cell = 0; cell < f.grid.cell_count; cell++) {
                const wm_point p = wm_grid_point(&f.grid, cell);
                for (int d = 0; d < WM_DIRECTIONS; d++) {
                    const int32_t most = room(&f.grid, p, d);
                    const int32_t legal = legal_steps(&f.grid, p, d, most);
                    for (int32_t n = 0; n <= most; n++) check_run(&f, p, d, n, legal);
                }
            }
            field_end(&f);
        }
    }
}

static void runs_on_random_maps_are_clear_where_their_steps_are_legal(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        field f = field_random(seed);
        field_begin(&f);
        wm_rng rng = wm_rng_start(seed, 2);
        for (int i = 0; i < 20; i++) {
            const wm_point p = random_point(&f.grid, &rng);
            for (int d = 0; d < WM_DIRECTIONS; d++) {
                const int32_t most = room(&f.grid, p, d);
                const int32_t legal = legal_steps(&f.grid, p, d, most);
                for (int32_t n = 0; n <= most; n++) check_run(&f, p, d, n, legal);
            }
        }
        field_end(&f);
    }
}

// Walks a run step by step. False where a step is not legal.
static bool walk_run(const wm_grid* grid, wm_cell* at, int d, int32_t steps, wm_cost* cost)
{
    for (int32_t i = 0; i < steps; i++) {
        *at = reference_step(grid, *at, d);
        if (*at == WM_NO_CELL) return false;
        *cost += reference_step_cost(d);
    }
    return true;
}

// Whether the canonical line is legal: `slant_first` or else the straight steps first.
static bool canonical_is_legal(const wm_grid* grid, wm_point a, wm_point b, bool slant_first)
{
    const int32_t dx = b.x - a.x;
    const int32_t dy = b.y - a.y;
    const int32_t diagonal = abs(dx) < abs(dy) ? abs(dx) : abs(dy);
    const int32_t straight = abs(dx) + abs(dy) - 2 * diagonal;
    const int slant = dx > 0 ? (dy < 0 ? 1 : 3) : (dy > 0 ? 5 : 7);
    const int level = abs(dx) > abs(dy) ? (dx > 0 ? 2 : 6) : (dy > 0 ? 4 : 0);
    wm_cell at = wm_grid_cell(grid, a);
    wm_cost cost = 0;
    return slant_first ? walk_run(grid, &at, slant, diagonal, &cost) &&
                             walk_run(grid, &at, level, straight, &cost)
                       : walk_run(grid, &at, level, straight, &cost) &&
                             walk_run(grid, &at, slant, diagonal, &cost);
}

static const char* line_complaint(const field* f, wm_point a, wm_point b)
{
    const wm_grid* grid = &f->grid;
    const bool slant_first = canonical_is_legal(grid, a, b, true);
    const int32_t far = abs(a.x - b.x) > abs(a.y - b.y) ? abs(a.x - b.x) : abs(a.y - b.y);
    const uint64_t before = 1000;
    uint64_t states = before;
    wm_line line;
    const bool found = wm_planes_line(&f->planes, a, b, &line, &states);
    if (states < before || states - before > 2 * (uint64_t)far)
        return "the states are not those of two lines";
    if (!found) {
        return slant_first || canonical_is_legal(grid, a, b, false) ? "a legal line was not found"
                                                                    : NULL;
    }
    if (states - before < (uint64_t)far) return "fewer states than the line has steps";
    wm_cell at = wm_grid_cell(grid, a);
    wm_cost cost = 0;
    for (int i = 0; i < 2; i++) {
        if (!walk_run(grid, &at, line.direction[i], line.steps[i], &cost))
            return "the line has a step that is not legal";
    }
    if (at != wm_grid_cell(grid, b)) return "the line ends elsewhere";
    if (cost != reference_h(grid, wm_grid_cell(grid, a), at)) return "the line is too long";
    if (line.steps[1] > 0 && (line.direction[0] % 2 == 1) != slant_first)
        return "the diagonal steps do not come first where they can";
    return NULL;
}

static void check_line(const field* f, wm_point a, wm_point b)
{
    const char* complaint = line_complaint(f, a, b);
    if (complaint != NULL)
        fail_msg("seed %llu, %d x %d, %s: from %d,%d to %d,%d: %s", (unsigned long long)f->seed,
                 f->grid.width, f->grid.height, wm_diagonal_name(f->grid.diagonal), a.x, a.y, b.x,
                 b.y, complaint);
    uint64_t states = 0;
    wm_line there;
    wm_line back;
    if (wm_planes_line(&f->planes, a, b, &there, &states) !=
        wm_planes_line(&f->planes, b, a, &back, &states))
        fail_msg("seed %llu: %d,%d and %d,%d see each other from one end only",
                 (unsigned long long)f->seed, a.x, a.y, b.x, b.y);
}

static void every_line_of_a_small_map_is_found_where_a_canonical_one_is_legal(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        wm_rng rng = wm_rng_start(seed, 3);
        const int32_t width = 1 + (int32_t)wm_rng_below(&rng, 14);
        const int32_t height = 1 + (int32_t)wm_rng_below(&rng, 14);
        field f = field_of(
            grid_random(seed, width, height, 3 * (unsigned)(seed % 9), (wm_diagonal)(seed % 2)),
            seed);
        field_begin(&f);
        for (wm_cell from = 0; from < f.grid.cell_count; from++) {
            for (wm_cell to = 0; to < f.grid.cell_count; to++)
                check_line(&f, wm_grid_point(&f.grid, from), wm_grid_point(&f.grid, to));
        }
        field_end(&f);
    }
}

static void lines_on_random_maps_are_found_where_a_canonical_one_is_legal(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        field f = field_random(seed);
        field_begin(&f);
        wm_rng rng = wm_rng_start(seed, 4);
        for (int i = 0; i < 300; i++) {
            const wm_point a = random_point(&f.grid, &rng);
            wm_point b = random_point(&f.grid, &rng);
            // Far cells seldom see each other: most pairs are near.
            if (i % 4 != 0) {
                b.x = a.x + (b.x - a.x) / 8;
                b.y = a.y + (b.y - a.y) / 8;
            }
            check_line(&f, a, b);
        }
        field_end(&f);
    }
}

// Few walls, so that runs of thousands of steps are clear and others just are not.
static field field_large(void)
{
    enum { WIDTH = 4003, HEIGHT = 4001, WALLS = 3000 };
    const size_t cells = (size_t)WIDTH * HEIGHT;
    uint8_t* open = malloc(cells);
    memset(open, 1, cells);
    wm_rng rng = wm_rng_start(1, 5);
    for (int i = 0; i < WALLS; i++) open[wm_rng_below(&rng, cells)] = 0;
    field f = {.seed = 1};
    assert_int_equal(
        wm_grid_create(&f.grid, open, WIDTH, HEIGHT, WIDTH, WM_DIAGONAL_NONE, NULL, NULL), WM_OK);
    free(open);
    return f;
}

static void check_long_runs(const field* f, wm_point p, int d, int32_t* longest)
{
    const int32_t most = room(&f->grid, p, d);
    const int32_t legal = legal_steps(&f->grid, p, d, most);
    for (int32_t n = 0; n <= most; n += 53) check_run(f, p, d, n, legal);
    for (int32_t n = legal - 9; n <= legal + 9; n++) {
        if (n >= 0 && n <= most) check_run(f, p, d, n, legal);
    }
    check_run(f, p, d, most, legal);
    if (legal > *longest) *longest = legal;
}

static void runs_and_lines_of_thousands_of_steps_are_judged_as_short_ones(void** state)
{
    (void)state;
    field f = field_large();
    field_begin(&f);
    wm_rng rng = wm_rng_start(1, 6);
    int32_t longest = 0;
    for (int i = 0; i < 100; i++) {
        wm_point p = random_point(&f.grid, &rng);
        if (i % 4 == 0) p.x = i % 8 == 0 ? 0 : f.grid.width - 1;
        if (i % 3 == 0) p.y = i % 6 == 0 ? 0 : f.grid.height - 1;
        for (int d = 0; d < WM_DIRECTIONS; d++) check_long_runs(&f, p, d, &longest);
        check_line(&f, p, random_point(&f.grid, &rng));
    }
    if (longest < 3500) fail_msg("the longest run has just %d steps", longest);
    field_end(&f);
}

static void the_whole_length_of_a_large_open_map_is_one_line(void** state)
{
    (void)state;
    // The last steps are those of the last bytes.
    static const int32_t sides[][2] = {{4000, 1}, {1, 4000}, {4000, 3}, {57, 4000}, {300, 300}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const int32_t right = sides[i][0] - 1;
        const int32_t bottom = sides[i][1] - 1;
        field f = field_of(grid_random(1, right + 1, bottom + 1, 0, WM_DIAGONAL_NONE), i);
        field_begin(&f);
        check_line(&f, (wm_point){0, 0}, (wm_point){right, bottom});
        check_line(&f, (wm_point){right, bottom}, (wm_point){0, 0});
        check_line(&f, (wm_point){right, 0}, (wm_point){0, bottom});
        check_line(&f, (wm_point){0, bottom}, (wm_point){right, 0});
        field_end(&f);
    }
}

static void rows_of_open_cells_are_told_to_both_sides(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        field f = field_random(seed);
        field_begin(&f);
        for (wm_cell cell = 0; cell < f.grid.cell_count; cell++) {
            const wm_point p = wm_grid_point(&f.grid, cell);
            const uint64_t east = wm_bits_east(wm_planes_open_row(&f.planes, p.y), (uint32_t)p.x);
            const uint64_t west = wm_bits_west(wm_planes_open_row(&f.planes, p.y), (uint32_t)p.x);
            for (int32_t i = 0; i < 56; i++) {
                const bool to_east = p.x + i < f.grid.width && f.grid.moves[cell + (wm_cell)i] != 0;
                const bool to_west = p.x >= i && f.grid.moves[cell - (wm_cell)i] != 0;
                if ((p.x + i <= f.grid.width && (east >> i & 1) != to_east) ||
                    (west >> (63 - i) & 1) != to_west)
                    fail_msg("seed %llu, cell %u, %d columns on", (unsigned long long)seed, cell,
                             i);
            }
        }
        field_end(&f);
    }
}

static void a_corner_blocks_a_diagonal_by_its_rule_only(void** state)
{
    (void)state;
    static const char rows[] = "..#\n"
                               "...\n"
                               "...\n";
    wm_line line;
    uint64_t states = 0;
    field f = field_of(grid_from_text(WM_DIAGONAL_NONE, rows), 0);
    field_begin(&f);
    assert_false(wm_planes_clear(&f.planes, (wm_point){1, 0}, WM_SOUTH_EAST, 1));
    assert_false(wm_planes_line(&f.planes, (wm_point){1, 0}, (wm_point){2, 1}, &line, &states));
    // The straight step first goes round the corner.
    assert_true(wm_planes_line(&f.planes, (wm_point){1, 0}, (wm_point){2, 2}, &line, &states));
    assert_int_equal(line.direction[0], WM_SOUTH);
    assert_int_equal(line.direction[1], WM_SOUTH_EAST);
    field_end(&f);
    f = field_of(grid_from_text(WM_DIAGONAL_SQUEEZE, rows), 0);
    field_begin(&f);
    assert_true(wm_planes_clear(&f.planes, (wm_point){1, 0}, WM_SOUTH_EAST, 1));
    assert_true(wm_planes_line(&f.planes, (wm_point){1, 0}, (wm_point){2, 2}, &line, &states));
    assert_int_equal(line.direction[0], WM_SOUTH_EAST);
    field_end(&f);
}

static void a_cell_is_on_a_line_with_itself(void** state)
{
    (void)state;
    field f = field_of(grid_from_text(WM_DIAGONAL_NONE, "..\n"), 0);
    field_begin(&f);
    wm_line line;
    uint64_t states = 7;
    assert_true(wm_planes_line(&f.planes, (wm_point){1, 0}, (wm_point){1, 0}, &line, &states));
    assert_int_equal(line.steps[0] + line.steps[1], 0);
    assert_int_equal(states, 7);
    field_end(&f);
}

static void creating_without_memory_fails_and_leaks_nothing(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, 30, 20, 20, WM_DIAGONAL_NONE);
    test_memory memory = {0};
    wm_allocator allocator = test_allocator(&memory);
    wm_planes planes;
    assert_int_equal(wm_planes_create(&planes, &grid, &allocator, NULL), WM_OK);
    wm_planes_free(&planes);
    assert_int_equal(memory.bytes, 0);
    for (size_t n = memory.calls; n > 0; n--) {
        memory = (test_memory){.fail_at = n};
        wm_error error = {""};
        assert_int_equal(wm_planes_create(&planes, &grid, &allocator, &error), WM_ERR_MEMORY);
        assert_true(error.message[0] != '\0');
        wm_planes_free(&planes);
        assert_int_equal(memory.bytes, 0);
    }
    wm_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_of_a_small_map_is_clear_where_its_steps_are_legal),
        cmocka_unit_test(runs_on_random_maps_are_clear_where_their_steps_are_legal),
        cmocka_unit_test(every_line_of_a_small_map_is_found_where_a_canonical_one_is_legal),
        cmocka_unit_test(lines_on_random_maps_are_found_where_a_canonical_one_is_legal),
        cmocka_unit_test(runs_and_lines_of_thousands_of_steps_are_judged_as_short_ones),
        cmocka_unit_test(the_whole_length_of_a_large_open_map_is_one_line),
        cmocka_unit_test(rows_of_open_cells_are_told_to_both_sides),
        cmocka_unit_test(a_corner_blocks_a_diagonal_by_its_rule_only),
        cmocka_unit_test(a_cell_is_on_a_line_with_itself),
        cmocka_unit_test(creating_without_memory_fails_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("planes", tests, NULL, NULL);
}
