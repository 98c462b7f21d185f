// SPDX-License-Identifier: MIT
#include "alloc.h"
#include "internal.h"
#include "mapfile.h"

wm_map_config wm_map_config_default(void)
{
    return (wm_map_config){
        .size = sizeof(wm_map_config), .diagonal = WM_DIAGONAL_NONE, .agent_size = 1};
}

// Whether all rows can lie in memory: a stride that was negative before it was a size_t is too long.
static bool has_room_for_rows(int32_t width, int32_t height, size_t stride)
{
    return height < 2 || stride <= ((size_t)PTRDIFF_MAX - (size_t)width) / (size_t)(height - 1);
}

// Gives a zeroed map to fill, or says why not.
static wm_status prepare(wm_map** map, const wm_map_config* config, wm_error* error)
{
    if (config == NULL || config->size != sizeof *config)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "the map's config was not made by wm_map_config_default()");
    if (config->diagonal != WM_DIAGONAL_NONE && config->diagonal != WM_DIAGONAL_SQUEEZE)
        return wm_fail(error, WM_ERR_ARGUMENT, "%d is no diagonal rule", (int)config->diagonal);
    if (config->agent_size < 1 || config->agent_size > WM_GRID_MAX_AGENT_SIZE)
        return wm_fail(error, WM_ERR_ARGUMENT, "%d is no agent size; it is 1 to %d cells a side",
                       (int)config->agent_size, WM_GRID_MAX_AGENT_SIZE);
    const wm_status status = wm_check_allocator(&config->allocator, error);
    if (status != WM_OK) return status;
    *map = wm_alloc(&config->allocator, 1, sizeof **map);
    return *map == NULL ? wm_fail_memory(error, sizeof **map) : WM_OK;
}

static wm_grid_rules rules_of(const wm_map_config* config)
{
    return (wm_grid_rules){.diagonal = config->diagonal,
                           .agent_size = config->agent_size,
                           .editable = config->editable};
}

static wm_status hand_over(wm_map** out, wm_map* map, wm_status status, const wm_map_config* config)
{
    if (status == WM_OK)
        *out = map;
    else
        wm_release(&config->allocator, map, 1, sizeof *map);
    return status;
}

wm_status wm_map_load(wm_map** out, const char* path, const wm_map_config* config, wm_error* error)
{
    if (out != NULL) *out = NULL;
    if (out == NULL || path == NULL)
        return wm_fail(error, WM_ERR_ARGUMENT, "wm_map_load needs a place for the map and a path");
    wm_map* map;
    wm_status status = prepare(&map, config, error);
    if (status != WM_OK) return status;
    const wm_grid_rules rules = rules_of(config);
    status = wm_mapfile_load_as(&map->grid, path, &rules, &config->allocator, error);
    return hand_over(out, map, status, config);
}

wm_status wm_map_load_memory(wm_map** out, const void* bytes, size_t size,
                             const wm_map_config* config, wm_error* error)
{
    if (out != NULL) *out = NULL;
    if (out == NULL || bytes == NULL)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "wm_map_load_memory needs a place for the map and bytes");
    wm_map* map;
    wm_status status = prepare(&map, config, error);
    if (status != WM_OK) return status;
    const wm_grid_rules rules = rules_of(config);
    status = wm_mapfile_parse_as(&map->grid, bytes, size, "the .map file in memory", &rules,
                                 &config->allocator, error);
    return hand_over(out, map, status, config);
}

wm_status wm_map_create(wm_map** out, const uint8_t* open, int32_t width, int32_t height,
                        size_t stride, const wm_map_config* config, wm_error* error)
{
    if (out != NULL) *out = NULL;
    if (out == NULL || open == NULL || width < 1 || stride < (size_t)width)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "wm_map_create needs a place for the map, cells, and a stride of at least "
                       "the width");
    if (!has_room_for_rows(width, height, stride))
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "%d rows that are %zu bytes apart are in no memory; a stride cannot be "
                       "negative",
                       (int)height, stride);
    wm_map* map;
    wm_status status = prepare(&map, config, error);
    if (status != WM_OK) return status;
    const wm_grid_rules rules = rules_of(config);
    status = wm_grid_create_as(&map->grid, open, width, height, stride, &rules, &config->allocator,
                               error);
    return hand_over(out, map, status, config);
}

wm_status wm_map_edit(wm_map* map, const wm_cell_edit* edits, size_t count, wm_error* error)
{
    if (map == NULL || (edits == NULL && count > 0))
        return wm_fail(error, WM_ERR_ARGUMENT, "wm_map_edit needs a map and its edits");
    if (!map->grid.editable)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "the map is not editable; say so in its config when it is made");
    for (size_t i = 0; i < count; i++) {
        if (!wm_grid_contains(&map->grid, edits[i].at))
            return wm_fail(error, WM_ERR_ARGUMENT, "edit %zu is at %d,%d, off the map", i,
                           (int)edits[i].at.x, (int)edits[i].at.y);
    }
    return wm_grid_edit(&map->grid, edits, count, error);
}

void wm_map_unload(wm_map* map)
{
    if (map == NULL) return;
    const wm_allocator allocator = map->grid.allocator;
    wm_grid_free(&map->grid);
    wm_release(&allocator, map, 1, sizeof *map);
}

// Questions about no map have the answers of an empty one.

uint32_t wm_map_revision(const wm_map* map)
{
    return map == NULL ? 0 : map->grid.revision;
}

int32_t wm_map_width(const wm_map* map)
{
    return map == NULL ? 0 : map->grid.width;
}

int32_t wm_map_height(const wm_map* map)
{
    return map == NULL ? 0 : map->grid.height;
}

int32_t wm_map_agent_size(const wm_map* map)
{
    return map == NULL ? 0 : map->grid.agent_size;
}

uint64_t wm_map_hash(const wm_map* map)
{
    return map == NULL ? 0 : map->grid.hash;
}

uint32_t wm_map_component(const wm_map* map, wm_point point)
{
    if (map == NULL || !wm_grid_contains(&map->grid, point)) return 0;
    return map->grid.component[wm_grid_cell(&map->grid, point)];
}

bool wm_map_is_open(const wm_map* map, wm_point point)
{
    return wm_map_component(map, point) != 0;
}

bool wm_map_connected(const wm_map* map, wm_point a, wm_point b)
{
    const uint32_t component = wm_map_component(map, a);
    return component != 0 && component == wm_map_component(map, b);
}
