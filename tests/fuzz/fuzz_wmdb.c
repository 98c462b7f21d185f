// SPDX-License-Identifier: MIT
//
// A whole .wmdb file: refused with a sentence, or, if it has one of our maps, a database by which
// agents walk legally and arrive. What the builder reads is what it writes again.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "store.h"

// Saved and loaded again it holds the same.
static void check_round_trip(const wm_archive* archive, const char* path)
{
    char copy[600];
    wm_archive again;
    // What a newer version added cannot be saved.
    for (size_t i = 0; i < archive->count; i++) {
        if (archive->maps[i].unknown_payloads > 0) return;
    }
    snprintf(copy, sizeof copy, "%s.copy", path);
    unlink(copy);
    FUZZ_CHECK(wm_archive_save(archive, copy, NULL) == WM_OK);
    FUZZ_CHECK(wm_archive_load(&again, copy, NULL) == WM_OK);
    FUZZ_CHECK(again.count == archive->count);
    for (size_t i = 0; i < again.count; i++) {
        FUZZ_CHECK(strcmp(again.maps[i].name, archive->maps[i].name) == 0);
        FUZZ_CHECK(again.maps[i].payload_count == archive->maps[i].payload_count);
    }
    wm_archive_free(&again);
    unlink(copy);
}

static void check_archive(const char* path)
{
    wm_archive archive;
    wm_error error = {""};
    const wm_status status = wm_archive_load(&archive, path, &error);
    FUZZ_CHECK(status == WM_OK || error.message[0] != '\0');
    if (status == WM_OK) check_round_trip(&archive, path);
    for (size_t i = 0; i < archive.count; i++) {
        const wm_stored_map* map = &archive.maps[i];
        FUZZ_CHECK(wm_store_name_is_valid(map->name));
        for (size_t k = 0; k < map->payload_count; k++) {
            wm_buffer payload;
            wm_method method;
            if (forge_unpack(&payload, &method, map->payloads[k].blob.data,
                             map->payloads[k].blob.size))
                FUZZ_CHECK(payload.size <= (size_t)64 << 20);
            wm_buffer_free(&payload);
        }
    }
    wm_archive_free(&archive);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const char* path = fuzz_file(data, size);
    check_archive(path);
    for (int i = 0; i < FUZZ_MAPS; i++) {
        const wm_map* map = fuzz_map(i);
        wm_db_config config = fuzz_config(size);
        wm_db* db = NULL;
        wm_error error = {""};
        config.name = i == 1 ? "map" : NULL;
        const wm_status status = wm_db_open(&db, map, path, &config, &error);
        FUZZ_CHECK(status == WM_OK || (db == NULL && error.message[0] != '\0'));
        if (db != NULL) fuzz_walk(map, db, size);
        wm_db_close(db);
    }
    return 0;
}
