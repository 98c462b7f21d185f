// SPDX-License-Identifier: MIT
//
// What a record costs in the file: 5 bytes or less, the promise to those who ship databases.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "generate.h"
#include "mapfile.h"
#include "records.h"
#include "support.h"

#define RECORDS 10000
#define MOST_BYTES (5 * RECORDS)
#define LARGEST_SIDE 512

// Builds as the program does by default and prints what a record costs.
static void check_size(const wm_grid* grid, const char* name)
{
    wm_knn knn = records_build(grid, records_parameters(RECORDS, 1), 2);
    wm_archive archive = {0};
    wm_build_report report;
    assert_int_equal(wm_build_store_knn(&archive, "map", grid->diagonal, &knn, &report, NULL),
                     WM_OK);
    assert_int_equal(report.stored_bytes, archive.maps[0].payloads[0].blob.size);
    print_message("%s: %.3f bytes a record\n", name, (double)report.stored_bytes / RECORDS);
    if (report.stored_bytes > MOST_BYTES) fail_msg("%s: more than 5 bytes a record", name);
    wm_archive_free(&archive);
    wm_knn_free(&knn);
}

static void records_of_generated_maps_cost_5_bytes_or_less(void** state)
{
    (void)state;
    for (int kind = 0; kind < WM_GENERATE_KINDS; kind++) {
        for (int variant = 0; variant < 2; variant++) {
            char name[64];
            wm_grid grid = grid_generated(kind, (uint64_t)variant, LARGEST_SIDE, LARGEST_SIDE,
                                          (wm_diagonal)variant);
            snprintf(name, sizeof name, "%s, diagonal %s", wm_generate_kind_name(kind),
                     wm_diagonal_name(grid.diagonal));
            check_size(&grid, name);
            wm_grid_free(&grid);
        }
    }
}

static void records_of_an_open_map_cost_5_bytes_or_less(void** state)
{
    (void)state;
    wm_grid grid = grid_random(1, LARGEST_SIDE, LARGEST_SIDE, 0, WM_DIAGONAL_NONE);
    check_size(&grid, "open");
    wm_grid_free(&grid);
}

// Returns the number of maps that were checked.
static size_t check_folder(const char* folder)
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
            count += check_folder(path);
            continue;
        }
        wm_grid grid;
        wm_error error = {0};
        if (wm_mapfile_load(&grid, path, WM_DIAGONAL_NONE, NULL, &error) != WM_OK)
            fail_msg("%s", error.message);
        if (grid.width <= LARGEST_SIDE && grid.height <= LARGEST_SIDE) {
            check_size(&grid, path);
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
    assert_true(check_folder(folder) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_generated_maps_cost_5_bytes_or_less),
        cmocka_unit_test(records_of_an_open_map_cost_5_bytes_or_less),
        cmocka_unit_test(records_of_public_maps_cost_5_bytes_or_less),
    };
    return cmocka_run_group_tests_name("knn_size", tests, NULL, NULL);
}
