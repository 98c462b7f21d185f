// SPDX-License-Identifier: MIT
//
// A .map file: refused with a sentence, or a grid in which every legal step leads to an open cell.
#include <stdlib.h>

#include "fuzz.h"
#include "mapfile.h"
#include "reference.h"

static void check_grid(const wm_grid* grid)
{
    uint32_t open = 0;
    FUZZ_CHECK(grid->cell_count == (uint32_t)grid->width * (uint32_t)grid->height);
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        FUZZ_CHECK(grid->component[cell] <= grid->component_count);
        open += wm_grid_is_open(grid, cell);
        for (int d = 0; d < WM_DIRECTIONS; d++) {
            const bool legal = wm_grid_is_open(grid, cell) && (grid->moves[cell] >> d & 1) != 0;
            const wm_cell to = reference_step(grid, cell, d);
            FUZZ_CHECK(!wm_grid_is_open(grid, cell) || legal == (to != WM_NO_CELL));
            FUZZ_CHECK(!legal || wm_grid_connected(grid, cell, to));
        }
    }
    FUZZ_CHECK(open == grid->open_count);
}

// Loaded from a file, and saved and loaded again, it is the same map.
static void check_files(const wm_grid* grid, const uint8_t* data, size_t size)
{
    wm_grid again;
    uint8_t* open = malloc(grid->cell_count);
    FUZZ_CHECK(open != NULL);
    const char* path = fuzz_file(data, size);
    FUZZ_CHECK(wm_mapfile_load(&again, path, grid->diagonal, NULL, NULL) == WM_OK);
    FUZZ_CHECK(again.hash == grid->hash);
    wm_grid_cover_cells(&again, open);
    wm_grid_free(&again);
    FUZZ_CHECK(wm_mapfile_save(path, open, grid->width, grid->height, NULL) == WM_OK);
    FUZZ_CHECK(wm_mapfile_load(&again, path, grid->diagonal, NULL, NULL) == WM_OK);
    FUZZ_CHECK(again.hash == grid->hash);
    wm_grid_free(&again);
    free(open);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    for (unsigned rule = WM_DIAGONAL_NONE; rule <= WM_DIAGONAL_SQUEEZE; rule++) {
        wm_grid grid;
        wm_error error = {""};
        const wm_status status = wm_mapfile_parse(&grid, (const char*)data, size, "fuzz.map",
                                                  (wm_diagonal)rule, NULL, &error);
        FUZZ_CHECK(status == WM_OK || (status == WM_ERR_FORMAT && error.message[0] != '\0'));
        if (status != WM_OK) continue;
        FUZZ_CHECK(grid.cell_count <= size);
        check_grid(&grid);
        if (size % 8 == 0) check_files(&grid, data, size); // now and then: files are slow
        wm_grid_free(&grid);
    }
    return 0;
}
