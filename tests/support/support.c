// SPDX-License-Identifier: MIT
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rng.h"

#ifndef WAYMARK_SOURCE_DIR
#define WAYMARK_SOURCE_DIR "."
#endif

wm_grid grid_from_text(wm_diagonal diagonal, const char* rows)
{
    const size_t width = strcspn(rows, "\n");
    const size_t height = strlen(rows) / (width + 1);
    uint8_t* open = calloc(width, height);
    for (size_t i = 0; i < width * height; i++)
        open[i] = rows[i / width * (width + 1) + i % width] == '.';
    for (size_t y = 0; y < height; y++) {
        if (strcspn(rows + y * (width + 1), "\n") != width) fail_msg("ragged rows:\n%s", rows);
    }
    wm_grid grid;
    const wm_status status =
        wm_grid_create(&grid, open, (int32_t)width, (int32_t)height, width, diagonal, NULL, NULL);
    free(open);
    assert_int_equal(status, WM_OK);
    return grid;
}

wm_grid grid_random(uint64_t seed, int32_t width, int32_t height, unsigned blocked,
                    wm_diagonal diagonal)
{
    const size_t count = (size_t)width * (size_t)height;
    uint8_t* open = malloc(count);
    wm_rng rng = wm_rng_start(seed, 0);
    for (size_t i = 0; i < count; i++) open[i] = wm_rng_below(&rng, 100) >= blocked;
    wm_grid grid;
    const wm_status status =
        wm_grid_create(&grid, open, width, height, (size_t)width, diagonal, NULL, NULL);
    free(open);
    assert_int_equal(status, WM_OK);
    return grid;
}

test_path scratch_create(void)
{
    test_path folder;
    const char* base = getenv("TMPDIR");
    snprintf(folder.text, sizeof folder.text, "%s/waymark-test-XXXXXX",
             base == NULL ? "/tmp" : base);
    if (mkdtemp(folder.text) == NULL) fail_msg("cannot create %s", folder.text);
    return folder;
}

test_path scratch_path(const test_path* folder, const char* name)
{
    test_path path;
    const int length = snprintf(path.text, sizeof path.text, "%s/%s", folder->text, name);
    assert_true(length > 0 && (size_t)length < sizeof path.text);
    return path;
}

static bool is_itself_or_parent(const char* name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

void scratch_remove(const test_path* folder)
{
    DIR* entries = opendir(folder->text);
    assert_non_null(entries);
    for (struct dirent* entry; (entry = readdir(entries)) != NULL;) {
        if (is_itself_or_parent(entry->d_name)) continue;
        const test_path path = scratch_path(folder, entry->d_name);
        // A test that failed leaves folders behind; that is no reason to fail a second time.
        if (unlink(path.text) != 0) scratch_remove(&path);
    }
    closedir(entries);
    assert_int_equal(rmdir(folder->text), 0);
}

size_t scratch_count(const test_path* folder)
{
    size_t count = 0;
    DIR* entries = opendir(folder->text);
    assert_non_null(entries);
    for (struct dirent* entry; (entry = readdir(entries)) != NULL;)
        count += !is_itself_or_parent(entry->d_name);
    closedir(entries);
    return count;
}

void file_put(const test_path* path, const void* bytes, size_t size)
{
    FILE* file = fopen(path->text, "wb");
    if (file == NULL) fail_msg("cannot write %s", path->text);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void file_put_text(const test_path* path, const char* text)
{
    file_put(path, text, strlen(text));
}

char* file_get(const test_path* path, size_t* size)
{
    FILE* file = fopen(path->text, "rb");
    if (file == NULL) return NULL;
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    rewind(file);
    char* content = calloc(1, (size_t)length + 1);
    assert_int_equal(fread(content, 1, (size_t)length, file), (size_t)length);
    fclose(file);
    if (size != NULL) *size = (size_t)length;
    return content;
}

const char* benchmarks_folder(void)
{
    const char* folder = getenv("WAYMARK_BENCHMARKS");
    struct stat info;
    if (folder == NULL || folder[0] == '\0') folder = WAYMARK_SOURCE_DIR "/../shared/movingai";
    return stat(folder, &info) == 0 && S_ISDIR(info.st_mode) ? folder : NULL;
}

static void* allocate(void* user, size_t size_bytes, size_t alignment)
{
    (void)alignment;
    test_memory* memory = user;
    if (++memory->calls == memory->fail_at) return NULL;
    memory->bytes += size_bytes;
    return malloc(size_bytes);
}

static void release(void* user, void* block, size_t size_bytes)
{
    test_memory* memory = user;
    memory->bytes -= size_bytes;
    free(block);
}

wm_allocator test_allocator(test_memory* memory)
{
    return (wm_allocator){allocate, release, memory};
}

void assert_contains(const char* text, const char* part)
{
    if (strstr(text, part) == NULL) fail_msg("\"%s\" does not hold \"%s\"", text, part);
}
