// SPDX-License-Identifier: MIT
//
// How a comparison is printed: a table at its end, or a row for each run as CSV or JSON, and the
// walked paths into a file beside.
#pragma once

#include <stdio.h>

#include "experiments/compare.h"
#include "files.h"

typedef enum wm_report_format { WM_REPORT_TABLE, WM_REPORT_CSV, WM_REPORT_JSON } wm_report_format;

typedef struct wm_report {
    wm_report_format format;
    size_t rows; ///< Printed so far.
    const char* paths_name;
    FILE* paths; ///< NULL when no paths are asked for.
    wm_replacement paths_file;
} wm_report;

/// Begins a report on the standard output. @param paths  file for the paths, or NULL
wm_status wm_report_begin(wm_report* report, wm_report_format format, const char* paths,
                          wm_error* error);
/// Adds a run. Fails when its path cannot be written.
wm_status wm_report_run(wm_report* report, const wm_compare_run* run, wm_error* error);
/// Prints what is known at the end and puts the file of paths into its place.
wm_status wm_report_end(wm_report* report, wm_compare* compare, wm_error* error);
/// Leaves the file of paths as it was, unless the report has ended.
void wm_report_abandon(wm_report* report);

/// One line for each algorithm; false when there is no memory. In report_table.c.
bool wm_report_print_table(wm_compare* compare);
