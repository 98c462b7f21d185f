// SPDX-License-Identifier: MIT
//
// Feeds files, or all files of folders, to a target: any compiler can repeat what the fuzzers found.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "files.h"
#include "fuzz.h"

#define MAX_BYTES ((size_t)16 << 20)

static size_t replay(const char* path);

static size_t replay_folder(const char* path)
{
    size_t count = 0;
    DIR* entries = opendir(path);
    FUZZ_CHECK(entries != NULL);
    for (struct dirent* entry; (entry = readdir(entries)) != NULL;) {
        char name[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        count += replay(name);
    }
    closedir(entries);
    return count;
}

static size_t replay(const char* path)
{
    struct stat info;
    wm_buffer content;
    wm_error error = {""};
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return replay_folder(path);
    if (wm_file_read(&content, path, MAX_BYTES, &error) != WM_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    // The last one named is the one that failed.
    printf("%s\n", path);
    fflush(stdout);
    // A copy of just that size, so that a sanitizer sees who reads past its end.
    uint8_t* bytes = malloc(content.size == 0 ? 1 : content.size);
    FUZZ_CHECK(bytes != NULL);
    for (size_t i = 0; i < content.size; i++) bytes[i] = content.data[i];
    LLVMFuzzerTestOneInput(bytes, content.size);
    free(bytes);
    wm_buffer_free(&content);
    return 1;
}

int main(int argc, char** argv)
{
    size_t count = 0;
    for (int i = 1; i < argc; i++) count += replay(argv[i]);
    printf("%zu inputs\n", count);
    if (count > 0) return 0;
    fprintf(stderr, "usage: %s FILE|FOLDER...\n", argv[0]);
    return 2;
}
