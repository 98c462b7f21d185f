// SPDX-License-Identifier: MIT
#include "cli.h"

#include <dirent.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hash.h"

// Larger ones are sparse files, made to be refused by their size.
#define LARGEST_HASHED (16 << 20)

process cli_run(const test_path* folder, const char* command)
{
    return process_run("cd '%s' && %s", folder->text, command);
}

process cli_succeed(const test_path* folder, const char* command)
{
    process run = cli_run(folder, command);
    if (run.status != 0) fail_msg("%s: exit status %d: %s", command, run.status, run.err);
    return run;
}

pid_t cli_start(const test_path* folder, const char* command)
{
    char line[2000];
    snprintf(line, sizeof line, "cd '%s' && exec %s > out.txt 2> err.txt", folder->text, command);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child != 0) return child;
    execl("/bin/sh", "sh", "-c", line, (char*)NULL);
    _exit(127);
}

int cli_wait(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void cli_pause(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static uint64_t hash_file(const test_path* path, uint64_t hash)
{
    struct stat info;
    if (lstat(path->text, &info) != 0) return hash;
    hash = wm_hash_u64(hash, (uint64_t)info.st_mode);
    if (!S_ISREG(info.st_mode)) return hash;
    hash = wm_hash_u64(hash, (uint64_t)info.st_size);
    if (info.st_size > LARGEST_HASHED) return hash;
    size_t size = 0;
    char* bytes = file_get(path, &size);
    if (bytes != NULL) hash = wm_hash_bytes(hash, bytes, size);
    free(bytes);
    return hash;
}

uint64_t cli_digest(const test_path* folder)
{
    uint64_t sum = 0; // the order of the entries does not matter
    DIR* entries = opendir(folder->text);
    assert_non_null(entries);
    for (struct dirent* entry; (entry = readdir(entries)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        const test_path path = scratch_path(folder, entry->d_name);
        sum += hash_file(&path, wm_hash_bytes(WM_HASH_START, entry->d_name, strlen(entry->d_name)));
    }
    closedir(entries);
    return sum;
}

// The name before the first colon of a sentence.
static bool is_said_by_a_program(const char* sentence)
{
    return strncmp(sentence, "waymark-build: ", 15) == 0 ||
           strncmp(sentence, "waymark-run: ", 13) == 0;
}

void cli_fail(const test_path* folder, const char* command, int status, const char* word)
{
    const uint64_t before = cli_digest(folder);
    process run = cli_run(folder, command);
    if (run.status != status)
        fail_msg("%s: exit status %d, not %d: %s", command, run.status, status, run.err);
    if (!process_said(&run, word) || !is_said_by_a_program(run.err))
        fail_msg("%s: not one sentence with '%s': %s", command, word, run.err);
    if (run.out_size != 0) fail_msg("%s: prints %s", command, run.out);
    if (cli_digest(folder) != before) fail_msg("%s: changed a file", command);
    process_free(&run);
}

size_t cli_count_lines(const char* text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) count += *text == '\n';
    return count;
}

bool cli_matches(const char* text, const char* pattern)
{
    regex_t regex;
    regmatch_t match;
    if (regcomp(&regex, pattern, REG_EXTENDED) != 0) fail_msg("no pattern: %s", pattern);
    const bool found =
        regexec(&regex, text, 1, &match, 0) == 0 && match.rm_so == 0 && text[match.rm_eo] == '\0';
    regfree(&regex);
    return found;
}
