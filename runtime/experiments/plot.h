// SPDX-License-Identifier: MIT
//
// Plots of an experiment: a script for gnuplot with its data in it, and the SVG that gnuplot makes
// of it, where it is installed.
#pragma once

#include <stdio.h>

#include "study.h"

#define WM_PLOT_MAX_SERIES 24

/// How the points of a series are drawn.
typedef enum wm_plot_style {
    WM_PLOT_LINE, ///< Joined, up to the next gap.
    WM_PLOT_BARS,
    WM_PLOT_MARKS, ///< A thin line up to each.
} wm_plot_style;

typedef struct wm_plot {
    FILE* script; ///< NULL where it cannot be written.
    char name[128];
    const char* folder;
    wm_plot_style styles[WM_PLOT_MAX_SERIES];
    char titles[WM_PLOT_MAX_SERIES][64];
    int series;
} wm_plot;

typedef struct wm_plot_axes {
    const char* title;
    const char* x;
    const char* y;
    const char* x_tics; ///< What gnuplot's `set xtics` gets; NULL for numbers alone.
    double bar_width;   ///< Along x; 0 where there are no bars.
    bool log_x;
    bool log_y;
} wm_plot_axes;

/// Begins `name`.gp in the study's folder; for another rule than the paper's, `name`-RULE.gp.
void wm_plot_begin(wm_plot* plot, const wm_study* study, const char* name,
                   const wm_plot_axes* axes);
/// The next points are of a new series.
void wm_plot_series(wm_plot* plot, wm_plot_style style, const char* title);
void wm_plot_point(wm_plot* plot, double x, double y);
/// The next point is not joined to the one before.
void wm_plot_gap(wm_plot* plot);
/// Draws it. Writes a link to the picture into the report, or how to draw it.
void wm_plot_end(wm_plot* plot, FILE* report);

/// A line of the report: whether an expected shape holds, with the numbers.
void wm_report_shape(FILE* out, bool holds, const char* format, ...) WM_PRINTF(3, 4);

/// Means over few walks: what differs by no more than such a factor counts as equal.
#define WM_NOISE 1.05      // of costs and moves
#define WM_TIME_NOISE 1.15 // a machine has other things to do

/// Whether values fall from the first to the last, and no step between raises them by more than
/// noise.
bool wm_falls(const double* values, int count, double noise);
/// A line of the report: whether they do, with all of them. `what` names them, as in "cost falls".
void wm_report_falling(FILE* out, const char* what, const double* values, int count, double noise);
