// SPDX-License-Identifier: MIT
//
// The best algorithm that the database allows: regions where the map has them, else tb-wa.
#include "internal.h"

static const wm_parameter parameters[] = {{0}};

static const char* resolve(const wm_db* db)
{
    return db != NULL && db->has_regions ? "regions" : "tb-wa";
}

const wm_algorithm wm_algorithm_auto = {
    .name = "auto",
    .summary = "regions where the database has them for the map, else tb-wa",
    .parameters = parameters,
    .resolve = resolve,
};
