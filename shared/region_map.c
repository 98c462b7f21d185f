// SPDX-License-Identifier: MIT
//
// What a region database does not need to store: which cell belongs to which region, how the
// subgoals hang together, and which of them comes next on the way to each region.
#include <string.h>

#include "alloc.h"
#include "regions.h"

void wm_regions_free(wm_regions* regions)
{
    const wm_allocator allocator = regions->allocator;
    const size_t count = regions->count;
    wm_release(&allocator, regions->seeds, count, sizeof *regions->seeds);
    wm_release(&allocator, regions->chains_begin, count + 1, sizeof *regions->chains_begin);
    wm_release(&allocator, regions->chains, regions->chain_count, sizeof *regions->chains);
    wm_release(&allocator, regions->subgoals, regions->subgoal_count, sizeof *regions->subgoals);
    *regions = (wm_regions){0};
}

void wm_region_map_free(wm_region_map* map)
{
    wm_routes_free(&map->routes);
    wm_waypoints_free(&map->waypoints);
    wm_cover_free(&map->cover);
    wm_regions_free(&map->regions);
    wm_planes_free(&map->planes);
    *map = (wm_region_map){0};
}

static void* copy_of(const wm_allocator* allocator, const void* block, size_t count, size_t size)
{
    void* copy = wm_alloc(allocator, count, size);
    if (copy != NULL && count > 0) memcpy(copy, block, count * size);
    return copy;
}

// Reading grows its lists as they come, which allocators have no call for: what stays moves to the
// memory that the caller wants it in.
static wm_status settle(wm_regions* regions, const wm_allocator* allocator)
{
    if (allocator == NULL || allocator->allocate == NULL) return WM_OK;
    wm_regions moved = *regions;
    const size_t count = regions->count;
    moved.allocator = *allocator;
    moved.seeds = copy_of(allocator, regions->seeds, count, sizeof *moved.seeds);
    moved.chains_begin =
        copy_of(allocator, regions->chains_begin, count + 1, sizeof *moved.chains_begin);
    moved.chains = copy_of(allocator, regions->chains, regions->chain_count, sizeof *moved.chains);
    moved.subgoals =
        copy_of(allocator, regions->subgoals, regions->subgoal_count, sizeof *moved.subgoals);
    if (moved.seeds == NULL || moved.chains_begin == NULL || moved.chains == NULL ||
        moved.subgoals == NULL) {
        wm_regions_free(&moved);
        return WM_ERR_MEMORY;
    }
    wm_regions_free(regions);
    *regions = moved;
    return WM_OK;
}

static wm_status flood_all(wm_region_map* map)
{
    const wm_grid* grid = map->controller.grid;
    for (uint32_t r = 0; r < map->regions.count; r++) {
        const wm_cell seed = map->regions.seeds[r];
        if (seed >= grid->cell_count || !wm_grid_is_open(grid, seed)) return WM_ERR_FORMAT;
    }
    wm_status status = wm_cover_flood(&map->cover, 0, map->regions.seeds, map->regions.count);
    if (status == WM_OK)
        status = wm_cover_flood_pockets(&map->cover, map->regions.seeds, map->regions.count);
    wm_cover_settle(&map->cover);
    if (status != WM_OK) return status;
    for (uint32_t r = 0; r < map->regions.count; r++) {
        if (wm_cover_owner(&map->cover, map->regions.seeds[r]) != r)
            return WM_ERR_FORMAT; // a seed twice
    }
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (wm_grid_is_open(grid, cell) && wm_cover_owner(&map->cover, cell) == WM_NO_REGION)
            return WM_ERR_FORMAT;
    }
    return WM_OK;
}

wm_status wm_region_map_create(wm_region_map* map, const wm_grid* grid, const uint8_t* data,
                               size_t size, const wm_allocator* allocator, const char* name,
                               wm_error* error)
{
    wm_regions* regions = &map->regions;
    *map = (wm_region_map){0};
    wm_status status = wm_planes_create(&map->planes, grid, allocator, error);
    if (status == WM_OK) status = wm_regions_decode(regions, &map->planes, data, size, name, error);
    if (status != WM_OK) goto cleanup;
    status = settle(regions, allocator);
    if (status != WM_OK) {
        wm_fail_memory(error, regions->subgoal_count * sizeof *regions->subgoals);
        goto cleanup;
    }
    map->controller = (wm_controller){grid, &map->planes, &map->cover};
    status = wm_cover_create(&map->cover, grid, regions->parameters.radius, allocator, error);
    if (status != WM_OK) goto cleanup;
    status = flood_all(map);
    if (status == WM_OK)
        status = wm_waypoints_create(&map->waypoints, regions, &map->controller, allocator);
    if (status == WM_OK)
        status = wm_routes_create(&map->routes, &map->waypoints, regions, grid, allocator);
    if (status == WM_ERR_MEMORY) wm_fail_memory(error, grid->cell_count * sizeof(wm_cell));
    if (status == WM_ERR_FORMAT)
        wm_fail(error, status, "%s does not fit the map; build it again", name);
cleanup:
    if (status != WM_OK) wm_region_map_free(map);
    return status;
}
