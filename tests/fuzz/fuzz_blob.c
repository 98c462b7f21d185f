// SPDX-License-Identifier: MIT
//
// A blob of the method FUZZ_METHOD: refused with a sentence, or a database by which agents walk
// legally and arrive.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    wm_method method;
    const wm_map* map;
    // A .wmb file is the business of another target.
    if (wm_format_method(&method, data, size, "blob", NULL) != WM_OK || method != FUZZ_METHOD)
        return 0;
    wm_db* db = fuzz_open(&map, data, size);
    if (db != NULL) fuzz_walk(map, db, size);
    wm_db_close(db);
    return 0;
}
