// SPDX-License-Identifier: MIT
#include "plot.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

void wm_plot_begin(wm_plot* plot, const wm_study* study, const char* name, const wm_plot_axes* axes)
{
    const bool other_rule = study->diagonal != study->experiment->diagonal;
    *plot = (wm_plot){.lines = 0};
    snprintf(plot->name, sizeof plot->name, "%s%s%s", name, other_rule ? "-" : "",
             other_rule ? wm_diagonal_name(study->diagonal) : "");
    snprintf(plot->path, sizeof plot->path, "%s/%s.gp", study->options.out, plot->name);
    plot->script = fopen(plot->path, "w");
    if (plot->script == NULL) return;
    fprintf(plot->script,
            "set terminal svg size 720,480 background '#ffffff'\nset output '%s/%s.svg'\n"
            "set title '%s'\nset xlabel '%s'\nset ylabel '%s'\nset key outside\n%s%s",
            study->options.out, plot->name, axes->title, axes->x, axes->y,
            axes->log_x ? "set logscale x\n" : "", axes->log_y ? "set logscale y\n" : "");
}

void wm_plot_line(wm_plot* plot, const char* title)
{
    if (plot->script == NULL || plot->lines == WM_PLOT_MAX_LINES) return;
    if (plot->lines > 0) fprintf(plot->script, "EOD\n");
    snprintf(plot->titles[plot->lines], sizeof plot->titles[0], "%s", title);
    fprintf(plot->script, "$line%d << EOD\n", plot->lines++);
}

void wm_plot_point(wm_plot* plot, double x, double y)
{
    if (plot->script != NULL) fprintf(plot->script, "%g %g\n", x, y);
}

static bool run_gnuplot(char* script)
{
    char program[] = "gnuplot";
    char* arguments[] = {program, script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    // It warns about lines without a range; the picture is good all the same.
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return false;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void wm_plot_end(wm_plot* plot, FILE* report)
{
    if (plot->script == NULL) return;
    if (plot->lines > 0) fprintf(plot->script, "EOD\n");
    for (int i = 0; i < plot->lines; i++)
        fprintf(plot->script, "%s $line%d with linespoints title '%s'", i == 0 ? "plot" : ",", i,
                plot->titles[i]);
    fprintf(plot->script, "\n");
    const bool written = fclose(plot->script) == 0;
    plot->script = NULL;
    if (written && plot->lines > 0 && run_gnuplot(plot->path))
        fprintf(report, "![%s](%s.svg)\n\n", plot->name, plot->name);
    else
        fprintf(report, "(%s.gp is the script of a plot; gnuplot is needed to draw it.)\n\n",
                plot->name);
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
