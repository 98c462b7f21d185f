// SPDX-License-Identifier: MIT
//
// Where the maps of a study come from: files, and the generator where there are none.
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "internal.h"
#include "study.h"

uint64_t wm_study_map_seed(const wm_study* study)
{
    return study->options.seed + (study->map_count - study->first_map);
}

wm_status wm_study_add_map(wm_study* study, const char* name, int family, wm_map* map,
                           wm_problems* problems, wm_error* error)
{
    wm_study_map* grown =
        wm_grow(study->maps, &study->map_capacity, (size_t)study->map_count + 1, sizeof *grown);
    if (grown == NULL) {
        wm_map_unload(map);
        wm_problems_free(problems);
        return wm_fail_memory(error, sizeof *grown);
    }
    study->maps = grown;
    wm_study_map* added = &study->maps[study->map_count++];
    *added = (wm_study_map){.family = family, .map = map, .problems = *problems};
    snprintf(added->name, sizeof added->name, "%s", name);
    *problems = (wm_problems){0};
    return WM_OK;
}

typedef struct family_plan {
    const wm_study_family* family;
    int number;
    size_t count;
} family_plan;

static bool has_title(const wm_study_family* family, const char* title)
{
    if (family->titles == NULL) return true;
    for (size_t i = 0; family->titles[i] != NULL; i++) {
        if (strcmp(family->titles[i], title) == 0) return true;
    }
    return false;
}

static wm_status draw_and_add(wm_study* study, const family_plan* plan, const char* name,
                              wm_map* map, wm_error* error)
{
    wm_problems problems = {0};
    const wm_problem_range range = {
        .count = plan->count, .max_cost = WM_COST_INFINITE, .seed = wm_study_map_seed(study)};
    const wm_status status = wm_problems_draw(&problems, &map->grid, &range, name, error);
    if (status == WM_OK) return wm_study_add_map(study, name, plan->number, map, &problems, error);
    wm_map_unload(map);
    return status;
}

static wm_status add_map_file(wm_study* study, const char* folder, const char* file, void* context,
                              wm_error* error)
{
    const family_plan* plan = context;
    char path[4096];
    char title[128];
    char name[256];
    wm_map* map;
    wm_map_config config = wm_map_config_default();
    config.diagonal = study->diagonal;
    snprintf(path, sizeof path, "%s/%s/%s", study->options.maps, folder, file);
    snprintf(title, sizeof title, "%.*s", (int)(strlen(file) - strlen(".map")), file);
    snprintf(name, sizeof name, "%s/%s", folder, title);
    if (!has_title(plan->family, title)) return WM_OK;
    const wm_status status = wm_map_load(&map, path, &config, error);
    if (status != WM_OK) return status;
    if (map->grid.width == plan->family->side && map->grid.height == plan->family->side)
        return draw_and_add(study, plan, name, map, error);
    wm_map_unload(map);
    return WM_OK;
}

static int is_map_file(const struct dirent* entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".map") == 0;
}

static int compare_names(const struct dirent** left, const struct dirent** right)
{
    return strcmp((*left)->d_name, (*right)->d_name); // not by the locale
}

wm_status wm_study_each_map(wm_study* study, const char* folder, wm_study_visit visit,
                            void* context, size_t* found, wm_error* error)
{
    char path[4096];
    struct dirent** entries = NULL;
    wm_status status = WM_OK;
    *found = 0;
    if (study->options.maps == NULL) return WM_OK;
    snprintf(path, sizeof path, "%s/%s", study->options.maps, folder);
    const int entry_count = scandir(path, &entries, is_map_file, compare_names);
    for (int i = 0; i < entry_count; i++) {
        if (status == WM_OK) status = visit(study, folder, entries[i]->d_name, context, error);
        free(entries[i]);
    }
    free(entries);
    if (entry_count > 0) *found = (size_t)entry_count;
    return status;
}

wm_status wm_study_add_family(wm_study* study, const wm_study_family* family, int number,
                              size_t count, size_t* found, wm_error* error)
{
    family_plan plan = {family, number, count};
    const uint32_t before = study->map_count;
    size_t files;
    const wm_status status =
        wm_study_each_map(study, family->folder, add_map_file, &plan, &files, error);
    *found = study->map_count - before;
    return status;
}

#define GENERATED "generated/" // how the names of generated maps begin

bool wm_study_is_generated(const wm_study_map* map)
{
    return strncmp(map->name, GENERATED, strlen(GENERATED)) == 0;
}

static wm_status generate_map(wm_map** map, const wm_study_recipe* recipe, wm_diagonal diagonal,
                              uint64_t seed, wm_error* error)
{
    const size_t side = (size_t)recipe->side;
    const wm_generate_options options = {.density = recipe->density, .grain = recipe->grain};
    wm_map_config config = wm_map_config_default();
    config.diagonal = diagonal;
    uint8_t* open = wm_alloc(NULL, side, side);
    if (open == NULL) return wm_fail_memory(error, side * side);
    wm_status status =
        wm_generate(open, recipe->side, recipe->side, recipe->kind, &options, seed, error);
    if (status == WM_OK)
        status = wm_map_create(map, open, recipe->side, recipe->side, side, &config, error);
    wm_release(NULL, open, side, side);
    return status;
}

wm_status wm_study_add_generated(wm_study* study, const wm_study_recipe* recipe, int family,
                                 uint64_t seed, size_t count, wm_error* error)
{
    char name[128];
    char grain[32] = "";
    wm_map* map;
    wm_problems problems = {0};
    const wm_problem_range range = {
        .count = count, .max_cost = WM_COST_INFINITE, .seed = wm_study_map_seed(study)};
    wm_status status = generate_map(&map, recipe, study->diagonal, seed, error);
    if (status != WM_OK) return status;
    if (recipe->density >= 0) snprintf(grain, sizeof grain, "-%d", (int)recipe->density);
    if (recipe->grain >= 0) snprintf(grain, sizeof grain, "-%d", (int)recipe->grain);
    snprintf(name, sizeof name, GENERATED "%s%s-%dx%d-seed%" PRIu64,
             wm_generate_kind_name((int)recipe->kind), grain, (int)recipe->side, (int)recipe->side,
             seed);
    status = wm_problems_draw(&problems, &map->grid, &range, name, error);
    if (status == WM_OK) return wm_study_add_map(study, name, family, map, &problems, error);
    wm_map_unload(map);
    return status;
}
