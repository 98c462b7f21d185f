// SPDX-License-Identifier: MIT
//
// A script names no file, so that it can be run again wherever it lies, whatever its folder is
// called: gnuplot writes the picture to its standard output.
#include "plot.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

void wm_plot_begin(wm_plot* plot, const wm_study* study, const char* name, const wm_plot_axes* axes)
{
    char path[4300];
    const bool other_rule = study->diagonal != study->experiment->diagonal;
    *plot = (wm_plot){.folder = study->options.out};
    snprintf(plot->name, sizeof plot->name, "%s%s%s", name, other_rule ? "-" : "",
             other_rule ? wm_diagonal_name(study->diagonal) : "");
    snprintf(path, sizeof path, "%s/%s.gp", plot->folder, plot->name);
    plot->script = fopen(path, "w");
    if (plot->script == NULL) return;
    fprintf(plot->script,
            "# gnuplot %s.gp > %s.svg\n"
            "set terminal svg size 720,480 noenhanced background '#ffffff'\n"
            "set title '%s'\nset xlabel '%s'\nset ylabel '%s'\nset key outside\n%s%s",
            plot->name, plot->name, axes->title, axes->x, axes->y,
            axes->log_x ? "set logscale x\n" : "", axes->log_y ? "set logscale y\n" : "");
    if (axes->bar_width > 0) // bars begin at 0, and the outer ones need room
        fprintf(plot->script,
                "set style fill solid 0.5\nset boxwidth %g absolute\nset yrange [0:*]\n"
                "set autoscale xfix\nset offsets %g, %g, 0, 0\n",
                axes->bar_width, axes->bar_width, axes->bar_width);
    else if (!axes->log_x) // no point on the frame, where half of its sign cannot be told from it
        fprintf(plot->script, "set autoscale xfix\nset offsets graph 0.03, graph 0.03, 0, 0\n");
    if (axes->x_tics != NULL) fprintf(plot->script, "set xtics %s\n", axes->x_tics);
}

void wm_plot_series(wm_plot* plot, wm_plot_style style, const char* title)
{
    if (plot->script == NULL || plot->series == WM_PLOT_MAX_SERIES) return;
    if (plot->series > 0) fprintf(plot->script, "EOD\n");
    snprintf(plot->titles[plot->series], sizeof plot->titles[0], "%s", title);
    plot->styles[plot->series] = style;
    fprintf(plot->script, "$series%d << EOD\n", plot->series++);
}

void wm_plot_point(wm_plot* plot, double x, double y)
{
    if (plot->script != NULL) fprintf(plot->script, "%g %g\n", x, y);
}

void wm_plot_gap(wm_plot* plot)
{
    if (plot->script != NULL) fprintf(plot->script, "\n");
}

static bool run_gnuplot(char* script, const char* picture)
{
    char program[] = "gnuplot";
    char* arguments[] = {program, script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, picture, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    // It warns about lines without a range; the picture is good all the same.
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return false;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool draw(const wm_plot* plot)
{
    char script[4300];
    char picture[4300];
    snprintf(script, sizeof script, "%s/%s.gp", plot->folder, plot->name);
    snprintf(picture, sizeof picture, "%s/%s.svg", plot->folder, plot->name);
    if (run_gnuplot(script, picture)) return true;
    unlink(picture); // what there is of it
    return false;
}

static void write_plot_command(const wm_plot* plot)
{
    static const char* const styles[] = {[WM_PLOT_LINE] = "linespoints",
                                         [WM_PLOT_BARS] = "boxes",
                                         [WM_PLOT_MARKS] = "impulses linewidth 2"};
    for (int i = 0; i < plot->series; i++)
        fprintf(plot->script, "%s $series%d with %s title '%s'", i == 0 ? "plot" : ",", i,
                styles[plot->styles[i]], plot->titles[i]);
    fprintf(plot->script, "\n");
}

void wm_plot_end(wm_plot* plot, FILE* report)
{
    if (plot->script == NULL) return;
    if (plot->series > 0) fprintf(plot->script, "EOD\n");
    write_plot_command(plot);
    const bool written = fclose(plot->script) == 0;
    plot->script = NULL;
    if (written && plot->series > 0 && draw(plot))
        fprintf(report, "![%s](%s.svg)\n\n", plot->name, plot->name);
    else
        fprintf(report, "(Not drawn; with gnuplot, `gnuplot %s.gp > %s.svg` draws it.)\n\n",
                plot->name, plot->name);
}

void wm_report_shape(FILE* out, bool holds, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(out, holds ? "- holds: " : "- **does not hold**: ");
    vfprintf(out, format, arguments);
    fprintf(out, "\n");
    va_end(arguments);
}

bool wm_falls(const double* values, int count, double noise)
{
    bool steady = true;
    for (int i = 1; i < count; i++) steady = steady && values[i] <= noise * values[i - 1];
    return steady && values[count - 1] < values[0];
}

void wm_report_falling(FILE* out, const char* what, const double* values, int count, double noise)
{
    char numbers[256] = "";
    size_t length = 0;
    for (int i = 0; i < count && length < sizeof numbers; i++)
        length += (size_t)snprintf(numbers + length, sizeof numbers - length, "%s%.4g",
                                   i == 0 ? "" : ", ", values[i]);
    wm_report_shape(out, wm_falls(values, count, noise), "%s: %s", what, numbers);
}
