// SPDX-License-Identifier: MIT
#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <waymark.h>

#include "files.h"
#include "format.h"
#include "hash.h"

#define SUFFIX ".partial"
#define MAX_BYTES ((size_t)8 << 30)

// The last digit is the version of this file's own format.
static const uint8_t magic[8] = {'W', 'M', 'P', 'A', 'R', 'T', '\n', '1'};

// Of an entry: its key, the size of its content, and a hash over both and the content.
#define HEADER_BYTES 24

#define NS_PER_S INT64_C(1000000000)
#define WORTHWHILE_NS (2 * NS_PER_S)

static uint64_t hash_entry(uint64_t key, const uint8_t* content, size_t size)
{
    return wm_hash_bytes(wm_hash_u64(wm_hash_u64(WM_HASH_START, key), size), content, size);
}

// ---------------------------------------------------------------------------------------------
// Reading

// Takes the next whole entry; false at the end, or where the rest was cut off.
static bool take_entry(wm_reader* reader, uint64_t* key, wm_reader* content)
{
    *key = wm_get_u64(reader);
    const uint64_t size = wm_get_u64(reader);
    const uint64_t hash = wm_get_u64(reader);
    if (reader->failed || size > reader->left) return false;
    *content = (wm_reader){.data = wm_get_bytes(reader, (size_t)size), .left = (size_t)size};
    return hash_entry(*key, content->data, content->left) == hash;
}

static void count_entries(wm_checkpoint* c)
{
    wm_reader reader = {.data = c->before.data, .left = c->before.size};
    wm_reader content;
    uint64_t key;
    wm_get_bytes(&reader, sizeof magic);
    c->good = sizeof magic;
    while (take_entry(&reader, &key, &content)) {
        c->good = c->before.size - reader.left;
        c->kept++;
    }
    c->before.size = c->good;
    c->next = sizeof magic;
}

static wm_status read_before(wm_checkpoint* c, bool resume, wm_error* error)
{
    uint8_t front[sizeof magic];
    size_t size = 0;
    wm_status status = wm_file_read_front(front, sizeof front, &size, c->path, error);
    if (status == WM_ERR_NOT_FOUND) return WM_OK;
    if (status != WM_OK) return status;
    c->exists = true;
    const bool begun = size < sizeof magic && memcmp(front, magic, size) == 0;
    if (!begun && memcmp(front, magic, sizeof magic) != 0)
        return wm_fail(error, WM_ERR_FORMAT,
                       "%s is in the way and is not what a build of this version left; remove it",
                       c->path);
    if (!resume || begun) return WM_OK;
    status = wm_file_read(&c->before, c->path, MAX_BYTES, error);
    if (status == WM_OK) count_entries(c);
    return status;
}

// Of the processor, by all threads: a busy machine makes no work worth more.
static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

wm_status wm_checkpoint_open(wm_checkpoint* c, const char* target, bool resume, wm_error* error)
{
    const size_t size = strlen(target) + sizeof SUFFIX;
    *c = (wm_checkpoint){.path = malloc(size), .file = -1, .begun_ns = now_ns()};
    if (c->path == NULL) return wm_fail_memory(error, size);
    snprintf(c->path, size, "%s%s", target, SUFFIX);
    const wm_status status = read_before(c, resume, error);
    if (status != WM_OK) wm_checkpoint_close(c);
    return status;
}

// A build asks for entries in the order in which the one before kept them.
bool wm_checkpoint_find(wm_checkpoint* c, uint64_t key, wm_reader* content)
{
    for (int round = 0; round < 2; round++) {
        const size_t begin = round == 0 ? c->next : sizeof magic;
        if (begin >= c->before.size) continue;
        wm_reader reader = {.data = c->before.data + begin, .left = c->before.size - begin};
        while (reader.left >= HEADER_BYTES) {
            const uint64_t found = wm_get_u64(&reader);
            const size_t size = (size_t)wm_get_u64(&reader);
            wm_get_u64(&reader); // the hash was checked when the file was read
            *content = (wm_reader){.data = wm_get_bytes(&reader, size), .left = size};
            if (found != key) continue;
            c->next = c->before.size - reader.left;
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Writing

static wm_status open_to_write(wm_checkpoint* c, const char* target, wm_error* error)
{
    struct stat info;
    mode_t mode = 0666;
    // No part of a private file is readable for others.
    if (stat(target, &info) == 0) mode = (info.st_mode & 0666) | 0600;
    do {
        c->file = open(c->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
    } while (c->file < 0 && errno == EINTR);
    if (c->file < 0) return wm_fail_to_write(error, c->path);
    c->exists = true;
    const bool begins = c->good == 0;
    if (ftruncate(c->file, (off_t)c->good) != 0 || lseek(c->file, 0, SEEK_END) < 0 ||
        (begins && !wm_file_write_all(c->file, magic, sizeof magic)))
        return wm_fail_to_write(error, c->path);
    if (begins) c->good = sizeof magic;
    return WM_OK;
}

static wm_status open_beside_target(wm_checkpoint* c, wm_error* error)
{
    const size_t length = strlen(c->path) + 1 - sizeof SUFFIX;
    char* target = strndup(c->path, length);
    if (target == NULL) return wm_fail_memory(error, length);
    const wm_status status = open_to_write(c, target, error);
    free(target);
    return status;
}

wm_status wm_checkpoint_keep(wm_checkpoint* c, uint64_t key, const wm_buffer* content,
                             wm_error* error)
{
    wm_buffer header = {0};
    wm_put_u64(&header, key);
    wm_put_u64(&header, content->size);
    wm_put_u64(&header, hash_entry(key, content->data, content->size));
    wm_status status = header.failed || content->failed
                           ? wm_fail_memory(error, content->size + HEADER_BYTES)
                           : WM_OK;
    if (status == WM_OK && c->file < 0) status = open_beside_target(c, error);
    if (status == WM_OK && (!wm_file_write_all(c->file, header.data, header.size) ||
                            !wm_file_write_all(c->file, content->data, content->size))) {
        status = wm_fail_to_write(error, c->path);
        // Half an entry does no harm where it stays, but it fills the disk.
        const bool cut = ftruncate(c->file, (off_t)c->good) == 0;
        (void)cut;
    }
    if (status == WM_OK) {
        c->good += HEADER_BYTES + content->size;
        c->kept++;
    }
    wm_buffer_free(&header);
    return status;
}

bool wm_checkpoint_is_worthwhile(const wm_checkpoint* c)
{
    return c->kept > 0 && (c->before.size > 0 || now_ns() - c->begun_ns >= WORTHWHILE_NS);
}

void wm_checkpoint_close(wm_checkpoint* c)
{
    const bool is_empty = c->file >= 0 && c->kept == 0;
    if (c->file >= 0) close(c->file);
    if (is_empty) unlink(c->path);
    wm_buffer_free(&c->before);
    free(c->path);
    *c = (wm_checkpoint){.file = -1};
}

void wm_checkpoint_remove(wm_checkpoint* c)
{
    if (c->exists) unlink(c->path);
    if (c->file >= 0) close(c->file);
    c->file = -1;
    wm_checkpoint_close(c);
}

// ---------------------------------------------------------------------------------------------
// Keys

static uint64_t key_of(const wm_grid* grid, wm_method method)
{
    const char* version = wm_version();
    uint64_t key = wm_hash_bytes(WM_HASH_START, version, strlen(version) + 1);
    key = wm_hash_u64(key, (uint64_t)method);
    // The hash knows cells and diagonal rule; the size of agents is in the cells, as they see them.
    key = wm_hash_u64(key, grid->hash);
    return wm_hash_u64(key, (uint64_t)grid->agent_size);
}

uint64_t wm_checkpoint_knn_key(const wm_grid* grid, const wm_knn_parameters* p)
{
    const uint64_t values[] = {p->total, p->shard, p->shards, p->chains, p->coverage, p->seed};
    uint64_t key = key_of(grid, WM_METHOD_KNN);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) key = wm_hash_u64(key, values[i]);
    return key;
}

uint64_t wm_checkpoint_regions_key(const wm_grid* grid, const wm_regions_contract* contract)
{
    const wm_regions_parameters* fixed = &contract->fixed;
    const uint64_t values[] = {contract->max_bytes,
                               contract->bytes_are_hard,
                               contract->max_mean,
                               fixed->radius,
                               fixed->epsilon,
                               fixed->max_expansions,
                               fixed->satellite,
                               fixed->portals,
                               contract->fixed_epsilon,
                               contract->fixed_portals,
                               contract->fixed_controller,
                               contract->seed};
    uint64_t key = key_of(grid, WM_METHOD_REGIONS);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) key = wm_hash_u64(key, values[i]);
    return key;
}

uint64_t wm_checkpoint_d_lrta_key(const wm_grid* grid, uint32_t level)
{
    return wm_hash_u64(key_of(grid, WM_METHOD_D_LRTA), level);
}

// ---------------------------------------------------------------------------------------------
// Blocks of kNN records

// A whole payload has the key itself, block n that with n.
static uint64_t block_key(const wm_grid* grid, const wm_knn_parameters* parameters, uint32_t block)
{
    return wm_hash_u64(wm_checkpoint_knn_key(grid, parameters), block);
}

static bool find_block(void* context, const wm_grid* grid, const wm_knn_parameters* parameters,
                       uint32_t block, wm_reader* content)
{
    return wm_checkpoint_find(context, block_key(grid, parameters, block), content);
}

static wm_status keep_block(void* context, const wm_grid* grid, const wm_knn_parameters* parameters,
                            uint32_t block, const wm_buffer* content, wm_error* error)
{
    return wm_checkpoint_keep(context, block_key(grid, parameters, block), content, error);
}

wm_knn_blocks wm_checkpoint_knn_blocks(wm_checkpoint* checkpoint)
{
    return (wm_knn_blocks){.find = find_block, .keep = keep_block, .context = checkpoint};
}
