// SPDX-License-Identifier: MIT
//
// Writes the inputs that the fuzzers begin with: seeds FOLDER makes FOLDER/<target>/ for each.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "fuzz.h"
#include "scenfile.h"
#include "single.h"
#include "store.h"

static const char* folder;

static const char* place(const char* target, const char* name, int number)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, target);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s%d", folder, target, name, number);
    return path;
}

static void put(const char* target, const char* name, int number, const void* bytes, size_t size)
{
    FUZZ_CHECK(wm_file_write(place(target, name, number), bytes, size, NULL) == WM_OK);
}

static void put_text(const char* target, int number, const char* text)
{
    put(target, "seed", number, text, strlen(text));
}

static void put_databases(int which)
{
    static const char* const targets[] = {
        [WM_METHOD_KNN] = "knn",
        [WM_METHOD_REGIONS] = "regions",
        [WM_METHOD_D_LRTA] = "d_lrta",
        [WM_METHOD_CHOICE] = "choice",
    };
    const forge_recipe recipe = fuzz_recipe(which);
    wm_archive archive = {0};
    wm_stored_map stored = forge_map(fuzz_map(which), &recipe);
    for (size_t i = 0; i < stored.payload_count; i++)
        put(targets[stored.payloads[i].method], "seed", which, stored.payloads[i].blob.data,
            stored.payloads[i].blob.size);
    wm_buffer file = {0};
    FUZZ_CHECK(wm_single_encode(&file, &stored) == WM_OK);
    put("wmb", "seed", which, file.data, file.size);
    wm_buffer_free(&file);
    wm_stored_map* map = wm_archive_put_map(&archive, stored.name);
    free(map->name);
    *map = stored; // the archive's now
    const char* path = place("wmdb", "seed", which);
    unlink(path);
    FUZZ_CHECK(wm_archive_save(&archive, path, NULL) == WM_OK);
    wm_archive_free(&archive);
}

static void put_problems(int which)
{
    const wm_grid* grid = &fuzz_map(which)->grid;
    wm_problems problems = {0};
    for (wm_cell cell = 0; cell + 40 < grid->cell_count && problems.count < 3; cell += 33) {
        if (!wm_grid_is_open(grid, cell) || !wm_grid_is_open(grid, cell + 40)) continue;
        FUZZ_CHECK(wm_problems_add(&problems, (wm_problem){cell, cell + 40, 3.5}));
    }
    FUZZ_CHECK(wm_scenfile_save(place("scen", "seed", which), &problems, grid, "a map", NULL) ==
               WM_OK);
    wm_problems_free(&problems);
}

static void put_specs(void)
{
    int number = 0;
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        const wm_algorithm* algorithm = wm_algorithm_at(i);
        char text[600];
        int length = snprintf(text, sizeof text, "%s", algorithm->name);
        for (int k = 0; algorithm->parameters[k].name != NULL; k++) {
            char value[32];
            wm_parameter_format(value, sizeof value, &algorithm->parameters[k],
                                algorithm->parameters[k].max);
            length += snprintf(text + length, sizeof text - (size_t)length, ":%s=%s",
                               algorithm->parameters[k].name, value);
        }
        put_text("spec", number++, text);
    }
}

int main(int argc, char** argv)
{
    static const uint8_t small[] = "\x0F\x0A\x07\x05\x1E\x03\x01\xFF\xFE\x7F\xBF\xFF\xDB\xFF\xFF";
    if (argc != 2) return 2;
    folder = argv[1];
    mkdir(folder, 0777);
    for (int i = 0; i < FUZZ_MAPS; i++) {
        put_databases(i);
        put_problems(i);
    }
    put_specs();
    put("round_trip", "seed", 0, small, sizeof small - 1);
    put_text("map", 0, "type octile\nheight 3\nwidth 5\nmap\n.....\n@O.GS\n..T.W\n");
    put_text("map", 1, "width 2\r\ntype octile\r\n\r\nheight 1\r\nmap\r\n.@\r\n\r\n");
    return 0;
}
