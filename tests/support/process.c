// SPDX-License-Identifier: MIT
#include "process.h"

#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static char* read_all(FILE* file, size_t* size)
{
    size_t capacity = 4096;
    char* text = malloc(capacity);
    size_t length = 0;
    rewind(file);
    while (text != NULL) {
        length += fread(text + length, 1, capacity - length - 1, file);
        if (length + 1 < capacity) break;
        capacity *= 2;
        char* grown = realloc(text, capacity);
        if (grown == NULL) free(text);
        text = grown;
    }
    if (text != NULL) text[length] = '\0';
    if (size != NULL) *size = length;
    return text;
}

static char* format_text(const char* format, va_list arguments)
{
    char* text = NULL;
    return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

// Once is enough: the path stays in the environment.
static void find_programs(void)
{
    char* path = NULL;
    const char* bin = getenv("WAYMARK_BIN");
    const char* before = getenv("PATH");
    if (bin == NULL || (before != NULL && strncmp(before, bin, strlen(bin)) == 0)) return;
    if (asprintf(&path, "%s:%s", bin, before == NULL ? "" : before) < 0) return;
    setenv("PATH", path, 1);
    free(path);
}

static int run_shell(char* command, int out, int err)
{
    char shell[] = "sh";
    char flag[] = "-c";
    char* arguments[] = {shell, flag, command, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int state;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    const int failed = posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0 || waitpid(child, &state, 0) != child) return -1;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

process process_run(const char* format, ...)
{
    process result = {.status = -1};
    va_list arguments;
    va_start(arguments, format);
    char* command = format_text(format, arguments);
    va_end(arguments);
    FILE* out = tmpfile();
    FILE* err = tmpfile();
    find_programs();
    if (command != NULL && out != NULL && err != NULL) {
        result.status = run_shell(command, fileno(out), fileno(err));
        result.out = read_all(out, &result.out_size);
        result.err = read_all(err, NULL);
    }
    if (out != NULL) fclose(out);
    if (err != NULL) fclose(err);
    free(command);
    return result;
}

void process_free(process* run)
{
    free(run->out);
    free(run->err);
    run->out = run->err = NULL;
}

bool process_said(const process* run, const char* word)
{
    const char* end = run->err == NULL ? NULL : strchr(run->err, '\n');
    return end != NULL && end[1] == '\0' && strstr(run->err, word) != NULL;
}
