// SPDX-License-Identifier: MIT
#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
#define BAR_INTERVAL (NS_PER_S / 10)
#define LINE_INTERVAL (5 * NS_PER_S)
#define BAR_WIDTH 30

// From a signal to the end of what does not listen, in microseconds: all is over within a second.
#define PATIENCE_US 700000

// A signal handler can reach nothing but a global.
static volatile sig_atomic_t stop_requested;
static const char* volatile last_sentence;
static const char* volatile last_temporary;

static void set_timer(suseconds_t us)
{
    const struct itimerval timer = {.it_value = {.tv_usec = us}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void request_stop(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
    if (last_sentence != NULL) set_timer(PATIENCE_US);
}

// Nothing in here may wait for anything: the other threads are in the middle of their work.
static void end_at_once(int signal_number)
{
    (void)signal_number;
    const char* sentence = last_sentence;
    const char* temporary = last_temporary;
    if (sentence == NULL) return; // it has ended by itself in the meantime
    if (temporary != NULL) unlink(temporary);
    const ssize_t written = write(STDERR_FILENO, sentence, strlen(sentence));
    (void)written;
    _exit(128 + SIGINT);
}

void wm_progress_catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = request_stop;
    action.sa_flags = (int)SA_RESETHAND; // a second Ctrl-C ends the program at once
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = end_at_once;
    action.sa_flags = (int)(SA_RESTART | SA_RESETHAND);
    sigaction(SIGALRM, &action, NULL);
}

void wm_progress_watch(const char* sentence, const char* temporary)
{
    last_sentence = NULL;
    last_temporary = temporary;
    last_sentence = sentence;
    if (sentence == NULL)
        set_timer(0);
    else if (stop_requested)
        set_timer(PATIENCE_US);
}

bool wm_progress_stop_requested(void)
{
    return stop_requested != 0;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

void wm_progress_begin(wm_progress_bar* bar, const char* title, const char* unit, bool quiet)
{
    *bar = (wm_progress_bar){.title = title, .unit = unit, .quiet = quiet};
    bar->terminal = isatty(STDERR_FILENO) == 1;
    bar->begun_ns = now_ns();
    bar->shown_ns = bar->begun_ns;
}

static void print_state(const wm_progress_bar* bar, size_t done, size_t total, double seconds)
{
    const double rate = seconds > 0 ? (double)done / seconds : 0;
    const double left = rate > 0 ? (double)(total - done) / rate : 0;
    const int percent = (int)(100 * done / total);
    if (!bar->terminal) {
        fprintf(stderr, "%s: %d %%, %zu of %zu %s, %.0f a second, %.0f s left\n", bar->title,
                percent, done, total, bar->unit, rate, left);
        return;
    }
    char filled[BAR_WIDTH + 1];
    const size_t width = BAR_WIDTH * done / total;
    memset(filled, ' ', BAR_WIDTH);
    memset(filled, '=', width);
    filled[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%s [%s] %3d %%  %.0f %s/s  %.0f s left\033[K", bar->title, filled, percent,
            rate, bar->unit, left);
    fflush(stderr);
}

bool wm_progress_update(void* context, size_t done, size_t total)
{
    wm_progress_bar* bar = context;
    if (stop_requested) return false;
    if (bar->quiet || total == 0) return true;
    const int64_t now = now_ns();
    if (now - bar->shown_ns < (bar->terminal ? BAR_INTERVAL : LINE_INTERVAL)) return true;
    bar->shown_ns = now;
    print_state(bar, done, total, (double)(now - bar->begun_ns) / (double)NS_PER_S);
    return true;
}

double wm_progress_end(wm_progress_bar* bar)
{
    if (!bar->quiet && bar->terminal) fprintf(stderr, "\r\033[K");
    return (double)(now_ns() - bar->begun_ns) / (double)NS_PER_S;
}
