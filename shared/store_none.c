// SPDX-License-Identifier: MIT
//
// Takes the place of store.c in a build without SQLite: says what to do instead.
#include <string.h>

#include "files.h"
#include "store.h"

static const char sqlite_magic[] = "SQLite format 3"; // with its closing zero

wm_status wm_store_read_map(wm_stored_map* map, const char* path, uint64_t hash,
                            uint64_t other_rule_hash, const char* name, wm_error* error)
{
    uint8_t front[sizeof sqlite_magic];
    size_t size = 0;
    (void)hash;
    (void)other_rule_hash;
    (void)name;
    *map = (wm_stored_map){0};
    const wm_status status = wm_file_read_front(front, sizeof front, &size, path, error);
    if (status != WM_OK) return status;
    if (size < sizeof front || memcmp(front, sqlite_magic, sizeof front) != 0)
        return wm_fail(error, WM_ERR_FORMAT, "%s is not a Waymark database; check the file name",
                       path);
    return wm_fail(error, WM_ERR_FORMAT,
                   "%s is a .wmdb, which this libwaymark was built without SQLite to read; write "
                   "the map into a .wmb file with `waymark-build export` and open that",
                   path);
}
