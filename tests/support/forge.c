// SPDX-License-Identifier: MIT
#include "forge.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "methods/d_lrta_method.h"
#include "methods/knn_method.h"
#include "methods/regions_method.h"

// Nothing that is forged is larger.
#define MAX_BYTES ((size_t)64 << 20)

static wm_status build_knn(wm_buffer* blob, const wm_grid* grid, const forge_recipe* recipe)
{
    const wm_knn_build_options options = {.parameters = {.total = recipe->records,
                                                         .shard = 1,
                                                         .shards = 1,
                                                         .chains = recipe->chains,
                                                         .coverage = recipe->coverage,
                                                         .seed = recipe->seed},
                                          .threads = recipe->threads};
    wm_knn knn;
    wm_status status = wm_knn_build(&knn, grid, &options, "map", NULL);
    if (status != WM_OK) return status;
    status = wm_knn_seal(blob, NULL, &knn);
    wm_knn_free(&knn);
    return status;
}

static wm_status build_regions(wm_buffer* blob, const wm_grid* grid, const forge_recipe* recipe)
{
    const wm_regions_parameters parameters = {.radius = recipe->radius,
                                              .portals = recipe->portals,
                                              .max_expansions = recipe->max_expansions};
    wm_regions regions;
    wm_status status = wm_regions_build(&regions, grid, &parameters, "map", NULL);
    if (status != WM_OK) return status;
    status = wm_regions_seal(blob, NULL, &regions, grid);
    wm_regions_free(&regions);
    return status;
}

static wm_status build_d_lrta(wm_buffer* blob, const wm_grid* grid, const forge_recipe* recipe)
{
    const wm_d_lrta_options options = {.level = recipe->level, .threads = recipe->threads};
    wm_d_lrta d_lrta;
    wm_status status = wm_d_lrta_build(&d_lrta, grid, &options, "map", NULL);
    if (status != WM_OK) return status;
    status = wm_d_lrta_seal(blob, NULL, &d_lrta);
    wm_d_lrta_free(&d_lrta);
    return status;
}

static wm_status build_choice(wm_buffer* blob, const wm_grid* grid, const forge_recipe* recipe)
{
    wm_buffer payload = {0};
    wm_choice choice = {
        .map_hash = grid->hash, .tried = 30, .budget = 250, .problems = 100, .mean = 1234};
    if (recipe->choice == NULL || strlen(recipe->choice) > WM_CHOICE_MAX_SPEC)
        return WM_ERR_TOO_FEW;
    strcpy(choice.spec, recipe->choice);
    const wm_status status = wm_choice_encode(&payload, &choice);
    if (status == WM_OK) *blob = forge_seal(WM_METHOD_CHOICE, &payload);
    wm_buffer_free(&payload);
    return status;
}

bool forge_blob(wm_buffer* blob, const wm_map* map, wm_method method, const forge_recipe* recipe)
{
    const wm_grid* grid = &map->grid;
    wm_status status = WM_ERR_ARGUMENT;
    *blob = (wm_buffer){0};
    switch (method) {
    case WM_METHOD_KNN: status = build_knn(blob, grid, recipe); break;
    case WM_METHOD_REGIONS: status = build_regions(blob, grid, recipe); break;
    case WM_METHOD_D_LRTA: status = build_d_lrta(blob, grid, recipe); break;
    case WM_METHOD_CHOICE: status = build_choice(blob, grid, recipe); break;
    }
    if (status != WM_OK) wm_buffer_free(blob);
    return status == WM_OK;
}

wm_stored_map forge_map(const wm_map* map, const forge_recipe* recipe)
{
    const wm_grid* grid = &map->grid;
    wm_stored_map stored = {.name = strdup("map"),
                            .width = grid->width,
                            .height = grid->height,
                            .diagonal = grid->diagonal,
                            .hash = grid->hash};
    for (unsigned method = WM_METHOD_KNN; method <= WM_METHOD_CHOICE; method++) {
        wm_buffer blob;
        if (forge_blob(&blob, map, (wm_method)method, recipe))
            wm_stored_map_put_payload(&stored, (wm_method)method, &blob);
        wm_buffer_free(&blob);
    }
    return stored;
}

bool forge_unpack(wm_buffer* payload, wm_method* method, const uint8_t* blob, size_t size)
{
    *payload = (wm_buffer){0};
    return wm_format_method(method, blob, size, "blob", NULL) == WM_OK &&
           wm_format_open(payload, blob, size, *method, MAX_BYTES, "blob", NULL) == WM_OK;
}

wm_buffer forge_seal(wm_method method, const wm_buffer* payload)
{
    wm_buffer blob = {0};
    if (wm_format_seal(&blob, method, payload, &payload->size, 1) != WM_OK) wm_buffer_free(&blob);
    return blob;
}

void forge_rehash(uint8_t* file, size_t size)
{
    if (size < sizeof(uint64_t)) return;
    const size_t covered = size - sizeof(uint64_t);
    const uint64_t hash = wm_hash_bytes(WM_HASH_START, file, covered);
    for (size_t i = 0; i < sizeof hash; i++) file[covered + i] = (uint8_t)(hash >> (8 * i));
}
