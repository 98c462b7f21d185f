// SPDX-License-Identifier: MIT
//
// The best algorithm that the database allows: the one that was chosen for the map, else regions
// where the map has them, else tb-wa.
#include "internal.h"

static const wm_parameter parameters[] = {{0}};

static const char* resolve(const wm_db* db);

// What the stored choice means, or NULL where it means nothing: it comes from a stranger's file. It
// may be a preset, which stands for another algorithm, but one that again stands for something would
// have no end.
static const char* usable_choice(const wm_db* db)
{
    const char* spec = db->choice.spec;
    const wm_algorithm* algorithm;
    wm_parameter_values values;
    if (!db->has_choice || wm_algorithm_parse(spec, &algorithm, &values, NULL) != WM_OK)
        return NULL;
    if (algorithm->resolve != NULL) {
        if (algorithm->resolve == resolve) return NULL; // auto itself
        spec = algorithm->resolve(db);
        if (wm_algorithm_parse(spec, &algorithm, &values, NULL) != WM_OK ||
            algorithm->resolve != NULL)
            return NULL;
    }
    return algorithm->needs_database && !algorithm->has_data(db) ? NULL : spec;
}

static const char* resolve(const wm_db* db)
{
    if (db == NULL) return "tb-wa";
    const char* choice = usable_choice(db);
    if (choice != NULL) return choice;
    return db->has_regions ? "regions" : "tb-wa";
}

const wm_algorithm wm_algorithm_auto = {
    .name = "auto",
    .summary = "what was chosen for the map, else regions where the database has them, else tb-wa",
    .parameters = parameters,
    .resolve = resolve,
};
