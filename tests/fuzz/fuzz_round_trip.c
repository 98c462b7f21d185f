// SPDX-License-Identifier: MIT
//
// The bytes are a small map and how to build its databases. Building twice, with one thread and with
// two, gives the same content; what was built opens; and agents walk by it legally and arrive.
#include <string.h>

#include "fuzz.h"
#include "single.h"

enum { RULES, WIDTH, RECORDS, RADIUS, EXPANSIONS, LEVEL, SEED, FRONT };

// The open cells follow the front, a bit each.
static wm_map* read_map(const uint8_t* data, size_t size)
{
    wm_map_config config = wm_map_config_default();
    wm_map* map = NULL;
    uint8_t open[1024];
    const size_t bits = 8 * (size - FRONT);
    const size_t width = 1 + data[WIDTH] % 24;
    size_t height = bits / width;
    if (height > 24) height = 24;
    if (height == 0) return NULL;
    for (size_t i = 0; i < width * height; i++) open[i] = data[FRONT + i / 8] >> i % 8 & 1;
    config.diagonal = (wm_diagonal)(data[RULES] & 1);
    FUZZ_CHECK(wm_map_create(&map, open, (int32_t)width, (int32_t)height, width, &config, NULL) ==
               WM_OK);
    return map;
}

static forge_recipe read_recipe(const uint8_t* data)
{
    return (forge_recipe){.records = 1 + data[RECORDS] % 32u,
                          .chains = (data[RULES] & 2) != 0,
                          .coverage = (data[RULES] & 4) != 0,
                          .radius = 1 + data[RADIUS] % 48u,
                          .portals = (data[RULES] & 16) != 0 ? 1 + data[RECORDS] / 32u * 3 : 0,
                          .max_expansions = data[EXPANSIONS] % 201u,
                          .level = 1 + data[LEVEL] % 10u,
                          .seed = data[SEED],
                          .threads = 1,
                          .choice = (data[RULES] & 8) != 0 ? "rtaa:k=7" : NULL};
}

static void check_same(const wm_stored_map* a, const wm_stored_map* b)
{
    FUZZ_CHECK(a->payload_count == b->payload_count);
    for (size_t i = 0; i < a->payload_count; i++) {
        const wm_buffer* x = &a->payloads[i].blob;
        const wm_buffer* y = &b->payloads[i].blob;
        FUZZ_CHECK(a->payloads[i].method == b->payloads[i].method);
        FUZZ_CHECK(wm_format_checksum(x->data, x->size) == wm_format_checksum(y->data, y->size));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size <= FRONT) return 0;
    wm_map* map = read_map(data, size);
    if (map == NULL) return 0;
    forge_recipe recipe = read_recipe(data);
    wm_stored_map first = forge_map(map, &recipe);
    recipe.threads = 2;
    wm_stored_map second = forge_map(map, &recipe);
    check_same(&first, &second);

    const wm_db_config config = wm_db_config_default();
    wm_buffer file = {0};
    wm_db* db = NULL;
    FUZZ_CHECK(wm_single_encode(&file, &first) == WM_OK);
    FUZZ_CHECK(wm_db_open_memory(&db, map, file.data, file.size, &config, NULL) == WM_OK);
    for (size_t i = 0; i < first.payload_count; i++)
        FUZZ_CHECK(wm_db_has(db, wm_method_name(first.payloads[i].method)));
    fuzz_walk(map, db, data[SEED]);
    wm_db_close(db);
    wm_buffer_free(&file);
    wm_stored_map_free(&first);
    wm_stored_map_free(&second);
    wm_map_unload(map);
    return 0;
}
