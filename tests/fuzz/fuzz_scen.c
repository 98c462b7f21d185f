// SPDX-License-Identifier: MIT
//
// A .scen file for a fixed map: refused with a sentence, or problems between open cells, which are
// the same when they were written and read again.
#include <string.h>

#include "fuzz.h"
#include "scenfile.h"

static void check_problems(const wm_problems* problems, const wm_grid* grid, bool solvable)
{
    for (size_t i = 0; i < problems->count; i++) {
        const wm_problem* p = &problems->list[i];
        FUZZ_CHECK(p->start < grid->cell_count && p->goal < grid->cell_count);
        FUZZ_CHECK(wm_grid_is_open(grid, p->start) && wm_grid_is_open(grid, p->goal));
        FUZZ_CHECK(p->optimal >= 0 && p->optimal <= 1e300);
        FUZZ_CHECK(!solvable ||
                   (p->start != p->goal && wm_grid_connected(grid, p->start, p->goal)));
    }
}

static void check_round_trip(const wm_problems* problems, const wm_grid* grid, const char* path)
{
    wm_problems again;
    // Costs are written with eight decimals.
    for (size_t i = 0; i < problems->count; i++) {
        if (problems->list[i].optimal > 1e9) return;
    }
    FUZZ_CHECK(wm_scenfile_save(path, problems, grid, "a\tname\n", NULL) == WM_OK);
    FUZZ_CHECK(wm_scenfile_load(&again, grid, path, NULL) == WM_OK);
    FUZZ_CHECK(again.count == problems->count);
    for (size_t i = 0; i < again.count; i++)
        FUZZ_CHECK(again.list[i].start == problems->list[i].start &&
                   again.list[i].goal == problems->list[i].goal);
    wm_problems_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const char* path = fuzz_file(data, size);
    for (int which = 0; which < FUZZ_MAPS; which++) {
        const wm_grid* grid = &fuzz_map(which)->grid;
        wm_problems all;
        wm_problems solvable;
        wm_error error = {""};
        wm_status status = wm_scenfile_load(&all, grid, path, &error);
        FUZZ_CHECK(status == WM_OK || (status == WM_ERR_FORMAT && error.message[0] != '\0'));
        check_problems(&all, grid, false);
        const wm_status more = wm_scenfile_load_solvable(&solvable, grid, path, &error);
        // What has an answer is among all that there is.
        FUZZ_CHECK(status != WM_OK || (more == WM_OK && solvable.count <= all.count));
        check_problems(&solvable, grid, true);
        if (status == WM_OK && size % 8 == 0) {
            check_round_trip(&all, grid, path);
            path = fuzz_file(data, size);
        }
        wm_problems_free(&all);
        wm_problems_free(&solvable);
    }
    return 0;
}
