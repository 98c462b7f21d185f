// SPDX-License-Identifier: MIT
//
// What a record costs in the file: 5 bytes or less, the promise to those who ship databases.
#include "generate.h"
#include "records.h"
#include "support.h"

#define SIDE 512

static void records_of_generated_maps_cost_5_bytes_or_less(void** state)
{
    (void)state;
    static const int kinds[] = {WM_GENERATE_CAVES, WM_GENERATE_ROOMS, WM_GENERATE_MAZE};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (int rule = 0; rule < 2; rule++) {
            wm_grid grid = grid_generated(kinds[i], (uint64_t)rule, SIDE, SIDE, (wm_diagonal)rule);
            records_check_size(&grid, wm_generate_kind_name(kinds[i]));
            wm_grid_free(&grid);
        }
    }
}

static void records_of_open_and_sparse_maps_cost_5_bytes_or_less(void** state)
{
    (void)state;
    wm_grid open = grid_random(1, SIDE, SIDE, 0, WM_DIAGONAL_NONE);
    records_check_size(&open, "open");
    wm_grid_free(&open);
    wm_grid sparse = grid_random(1, SIDE, SIDE, 5, WM_DIAGONAL_SQUEEZE);
    records_check_size(&sparse, "sparse");
    wm_grid_free(&sparse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_generated_maps_cost_5_bytes_or_less),
        cmocka_unit_test(records_of_open_and_sparse_maps_cost_5_bytes_or_less),
    };
    return cmocka_run_group_tests_name("knn_size", tests, NULL, NULL);
}
