// SPDX-License-Identifier: MIT
//
// What a record costs in the file on the public maps, and on the generated ones that take long.
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "generate.h"
#include "mapfile.h"
#include "records.h"
#include "support.h"

#define LARGEST_SIDE 512

static void records_of_a_random_map_cost_5_bytes_or_less(void** state)
{
    (void)state;
    wm_grid grid =
        grid_generated(WM_GENERATE_RANDOM, 1, LARGEST_SIDE, LARGEST_SIDE, WM_DIAGONAL_SQUEEZE);
    records_check_size(&grid, "random");
    wm_grid_free(&grid);
}

// Returns the number of maps that were checked. Names are shown without their first characters.
static size_t check_folder(const char* folder, size_t skip_length)
{
    size_t count = 0;
    DIR* entries = opendir(folder);
    if (entries == NULL) return 0;
    for (struct dirent* entry; (entry = readdir(entries)) != NULL;) {
        char path[1024];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const size_t length = strlen(path);
        if (length < 4 || strcmp(path + length - 4, ".map") != 0) {
            count += check_folder(path, skip_length);
            continue;
        }
        wm_grid grid;
        wm_error error = {0};
        if (wm_mapfile_load(&grid, path, WM_DIAGONAL_NONE, NULL, &error) != WM_OK)
            fail_msg("%s", error.message);
        if (grid.width <= LARGEST_SIDE && grid.height <= LARGEST_SIDE) {
            records_check_size(&grid, path + skip_length);
            count++;
        }
        wm_grid_free(&grid);
    }
    closedir(entries);
    return count;
}

static void records_of_public_maps_cost_5_bytes_or_less(void** state)
{
    (void)state;
    const char* folder = benchmarks_folder();
    if (folder == NULL) {
        print_message("skipped: the public maps are not there; WAYMARK_BENCHMARKS names them\n");
        skip();
    }
    assert_true(check_folder(folder, strlen(folder) + 1) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_a_random_map_cost_5_bytes_or_less),
        cmocka_unit_test(records_of_public_maps_cost_5_bytes_or_less),
    };
    return cmocka_run_group_tests_name("knn_size_public", tests, NULL, NULL);
}
