// SPDX-License-Identifier: MIT
//
// Plots of an experiment: a script for gnuplot with its data in it, and the SVG that gnuplot makes
// of it, where it is installed.
#pragma once

#include <stdio.h>

#include "study.h"

#define WM_PLOT_MAX_LINES 24

typedef struct wm_plot {
    FILE* script; ///< NULL where it cannot be written.
    char name[128];
    char path[4096];
    char titles[WM_PLOT_MAX_LINES][64];
    int lines;
} wm_plot;

typedef struct wm_plot_axes {
    const char* title;
    const char* x;
    const char* y;
    bool log_x;
    bool log_y;
} wm_plot_axes;

/// Begins `name`.gp in the study's folder; for another rule than the paper's, `name`-RULE.gp.
void wm_plot_begin(wm_plot* plot, const wm_study* study, const char* name,
                   const wm_plot_axes* axes);
void wm_plot_line(wm_plot* plot, const char* title);
void wm_plot_point(wm_plot* plot, double x, double y);
/// Draws it. Writes a link to the picture into the report, or says why there is none.
void wm_plot_end(wm_plot* plot, FILE* report);

/// A line of the report: whether an expected shape holds, with the numbers.
void wm_report_shape(FILE* out, bool holds, const char* format, ...) WM_PRINTF(3, 4);
