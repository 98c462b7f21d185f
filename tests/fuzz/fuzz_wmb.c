// SPDX-License-Identifier: MIT
//
// A whole .wmb file: refused with a sentence, or a map that is the same when it was written and read
// again; and if it is for a map that we have, a database by which agents walk legally and arrive.
#include <string.h>

#include "fuzz.h"
#include "single.h"

static void check_round_trip(const wm_stored_map* stored)
{
    wm_buffer again = {0};
    wm_stored_map copy;
    FUZZ_CHECK(wm_single_encode(&again, stored) == WM_OK);
    FUZZ_CHECK(wm_single_decode(&copy, again.data, again.size, "again.wmb", NULL) == WM_OK);
    FUZZ_CHECK(strcmp(copy.name, stored->name) == 0 && copy.hash == stored->hash);
    FUZZ_CHECK(copy.payload_count == stored->payload_count);
    wm_stored_map_free(&copy);
    wm_buffer_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const wm_map* map;
    wm_stored_map stored;
    wm_error error = {""};
    const wm_status status = wm_single_decode(&stored, data, size, "fuzz.wmb", &error);
    FUZZ_CHECK(status == WM_OK || error.message[0] != '\0');
    if (status != WM_OK) return 0;
    FUZZ_CHECK(wm_store_name_is_valid(stored.name));
    check_round_trip(&stored);
    wm_db* db = fuzz_open(&map, data, size);
    if (db != NULL) {
        fuzz_walk(map, db, size);
        // From a file, with the name that it has, it is no other.
        wm_db_config config = fuzz_config(size);
        wm_db* again = NULL;
        config.name = stored.name;
        FUZZ_CHECK(wm_db_open(&again, map, fuzz_file(data, size), &config, NULL) == WM_OK);
        FUZZ_CHECK(wm_db_stored_bytes(again) == wm_db_stored_bytes(db));
        wm_db_close(again);
    }
    wm_db_close(db);
    wm_stored_map_free(&stored);
    return 0;
}
