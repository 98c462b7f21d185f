// SPDX-License-Identifier: MIT
//
// A file is replaced by filling a temporary file beside it, syncing that and renaming it, so a
// reader or a crash meets the old content or the new. The temporary file has a fixed name and
// carries the lock: what a killed process left behind is simply taken over.
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"

#define CHUNK_BYTES 65536
#define TEMPORARY_SUFFIX ".waymark-tmp"

static wm_status fail_to_open(wm_error* error, const char* path)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return wm_fail(error, WM_ERR_NOT_FOUND, "%s: there is no such file; check the path", path);
    return wm_fail(error, WM_ERR_IO, "%s: cannot be read (%s); check the file and its permissions",
                   path, strerror(errno));
}

static wm_status fail_as_too_large(wm_error* error, const char* path, size_t max_bytes)
{
    return wm_fail(error, WM_ERR_FORMAT,
                   "%s: the file has more than the %zu bytes allowed here; check that it is the "
                   "right file",
                   path, max_bytes);
}

static ssize_t read_some(int file, void* bytes, size_t size)
{
    ssize_t got;
    do {
        got = read(file, bytes, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

static wm_status read_all(wm_buffer* content, int file, const char* path, size_t max_bytes,
                          wm_error* error)
{
    uint8_t chunk[CHUNK_BYTES];
    for (;;) {
        const ssize_t got = read_some(file, chunk, sizeof chunk);
        if (got == 0) return WM_OK;
        if (got < 0) return fail_to_open(error, path);
        // Pipes have no size to check beforehand, and files may grow while they are read.
        if ((size_t)got > max_bytes - content->size)
            return fail_as_too_large(error, path, max_bytes);
        wm_put_bytes(content, chunk, (size_t)got);
        if (content->failed) return wm_fail_memory(error, content->size + (size_t)got);
    }
}

static wm_status open_file(int* file, struct stat* info, const char* path, wm_error* error)
{
    *file = open(path, O_RDONLY | O_CLOEXEC);
    if (*file < 0) return fail_to_open(error, path);
    wm_status status = WM_OK;
    if (fstat(*file, info) != 0)
        status = fail_to_open(error, path);
    else if (S_ISDIR(info->st_mode))
        status = wm_fail(error, WM_ERR_IO, "%s: is a folder; name a file in it", path);
    if (status != WM_OK) close(*file);
    return status;
}

wm_status wm_file_check_readable(const char* path, wm_error* error)
{
    int file;
    struct stat info;
    const wm_status status = open_file(&file, &info, path, error);
    if (status == WM_OK) close(file);
    return status;
}

bool wm_file_has_content(const char* path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
}

wm_status wm_file_read(wm_buffer* content, const char* path, size_t max_bytes, wm_error* error)
{
    int file;
    struct stat info;
    *content = (wm_buffer){0};
    wm_status status = open_file(&file, &info, path, error);
    if (status != WM_OK) return status;
    if (S_ISREG(info.st_mode) && (uintmax_t)info.st_size > max_bytes)
        status = fail_as_too_large(error, path, max_bytes);
    else
        status = read_all(content, file, path, max_bytes, error);
    close(file);
    if (status != WM_OK) wm_buffer_free(content);
    return status;
}

wm_status wm_file_read_front(uint8_t* bytes, size_t capacity, size_t* size, const char* path,
                             wm_error* error)
{
    int file;
    struct stat info;
    *size = 0;
    wm_status status = open_file(&file, &info, path, error);
    if (status != WM_OK) return status;
    while (*size < capacity) {
        const ssize_t got = read_some(file, bytes + *size, capacity - *size);
        if (got < 0) status = fail_to_open(error, path);
        if (got <= 0) break;
        *size += (size_t)got;
    }
    close(file);
    return status;
}

bool wm_file_stem(char* name, size_t size, const char* path, const char* suffix)
{
    const char* slash = strrchr(path, '/');
    const char* base = slash == NULL ? path : slash + 1;
    size_t length = strlen(base);
    const size_t tail = strlen(suffix);
    // A file that is called nothing but the suffix keeps it: a name is never empty for that.
    if (length > tail && strcmp(base + length - tail, suffix) == 0) length -= tail;
    if (length >= size) return false;
    memcpy(name, base, length);
    name[length] = '\0';
    return true;
}

wm_status wm_fail_to_write(wm_error* error, const char* path)
{
    const char* remedy = errno == ENOSPC || errno == EDQUOT || errno == EFBIG
                             ? "free some space or write elsewhere"
                             : "check the folder and its permissions";
    return wm_fail(error, WM_ERR_IO, "%s: cannot be written (%s); %s", path, strerror(errno),
                   remedy);
}

// What may be replaced: a regular file that we may write to.
static wm_status check_existing(const char* path, const char* target, wm_error* error)
{
    struct stat info;
    if (stat(target, &info) != 0) return wm_fail_to_write(error, path);
    if (S_ISDIR(info.st_mode))
        return wm_fail(error, WM_ERR_IO, "%s: is a folder; name a file in it", path);
    if (!S_ISREG(info.st_mode))
        return wm_fail(error, WM_ERR_IO,
                       "%s: is not a regular file and cannot be replaced; name another file", path);
    // A rename would not ask, but who made a file read-only wants to keep it.
    if (access(target, W_OK) != 0) {
        return wm_fail(error, WM_ERR_IO,
                       "%s: is write-protected (%s); change its permissions or write elsewhere",
                       path, strerror(errno));
    }
    return WM_OK;
}

static wm_status find_target(char** target, const char* path, wm_error* error)
{
    struct stat info;
    if (path[0] == '\0')
        return wm_fail(error, WM_ERR_ARGUMENT, "the name of the file to write is empty; name one");
    *target = realpath(path, NULL);
    if (*target != NULL) return check_existing(path, *target, error);
    if (errno != ENOENT) return wm_fail_to_write(error, path);
    // Anything else that is there now has just been put there by another writer.
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
        return wm_fail(error, WM_ERR_IO,
                       "%s: is a symbolic link to nothing; remove the link or name another file",
                       path);
    *target = strdup(path);
    return *target == NULL ? wm_fail_memory(error, strlen(path) + 1) : WM_OK;
}

static char* temporary_name(const char* target)
{
    const size_t size = strlen(target) + sizeof TEMPORARY_SUFFIX;
    char* name = malloc(size);
    if (name != NULL) snprintf(name, size, "%s%s", target, TEMPORARY_SUFFIX);
    return name;
}

static bool target_mode(const char* target, mode_t* mode)
{
    struct stat info;
    if (stat(target, &info) != 0) return false;
    *mode = info.st_mode & 07777;
    return true;
}

// Another number for another file and for every change of one; 0 where there is none.
static uint64_t fingerprint(const char* path)
{
    struct stat info;
    if (stat(path, &info) != 0) return 0;
    uint64_t hash = wm_hash_u64(WM_HASH_START, (uint64_t)info.st_dev);
    hash = wm_hash_u64(hash, (uint64_t)info.st_ino);
    hash = wm_hash_u64(hash, (uint64_t)info.st_size);
    hash = wm_hash_u64(hash, (uint64_t)info.st_mtim.tv_sec);
    hash = wm_hash_u64(hash, (uint64_t)info.st_mtim.tv_nsec);
    return hash == 0 ? 1 : hash;
}

static int open_temporary(const wm_replacement* replacement)
{
    mode_t mode = 0666;
    // Not even for the time of the build is a private file readable for others.
    if (target_mode(replacement->target, &mode)) mode = (mode & 0666) | 0600;
    int file;
    do {
        file = open(replacement->temporary, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
    } while (file < 0 && errno == EINTR);
    return file;
}

static bool lock_file(int file)
{
    int result;
    do {
        result = flock(file, LOCK_EX | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

// Between open and flock another process may have renamed or removed the file: then the lock is on
// something that has become a finished file, or nothing.
static bool still_names(const char* path, const struct stat* file)
{
    struct stat now;
    return lstat(path, &now) == 0 && now.st_dev == file->st_dev && now.st_ino == file->st_ino;
}

// One try. Leaves the lock at -1 with WM_OK when the file was moved away: try again.
static wm_status try_lock(wm_replacement* replacement, const char* path, wm_error* error)
{
    struct stat info;
    const int file = open_temporary(replacement);
    if (file < 0) {
        const bool in_the_way = errno == EISDIR || errno == ELOOP;
        return in_the_way ? wm_fail(error, WM_ERR_IO, "%s: is in the way; remove it",
                                    replacement->temporary)
                          : wm_fail_to_write(error, path);
    }
    wm_status status = WM_OK;
    if (!lock_file(file)) {
        status = errno == EWOULDBLOCK
                     ? wm_fail(error, WM_ERR_BUSY,
                               "another build is writing %s; wait for it to end", path)
                     : wm_fail_to_write(error, path);
    } else if (fstat(file, &info) != 0) {
        status = wm_fail_to_write(error, path);
    } else if (!S_ISREG(info.st_mode)) {
        status = wm_fail(error, WM_ERR_IO, "%s: is in the way; remove it", replacement->temporary);
    } else if (still_names(replacement->temporary, &info)) {
        replacement->lock = file;
        if (ftruncate(file, 0) != 0) status = wm_fail_to_write(error, path);
    }
    if (replacement->lock != file) close(file);
    return status;
}

static void forget(wm_replacement* replacement)
{
    if (replacement->lock >= 0) close(replacement->lock);
    free(replacement->target);
    free(replacement->temporary);
    *replacement = (wm_replacement){.lock = -1};
}

wm_status wm_replacement_begin(wm_replacement* replacement, const char* path, wm_error* error)
{
    *replacement = (wm_replacement){.lock = -1};
    wm_status status = find_target(&replacement->target, path, error);
    if (status == WM_OK) {
        replacement->temporary = temporary_name(replacement->target);
        if (replacement->temporary == NULL) status = wm_fail_memory(error, strlen(path));
    }
    while (status == WM_OK && replacement->lock < 0) status = try_lock(replacement, path, error);
    if (status == WM_OK) replacement->before = fingerprint(replacement->target);
    if (status != WM_OK) wm_replacement_abandon(replacement);
    return status;
}

// Opens the folder of a file, to sync it; -1 with `*status` WM_OK where it is writable but not
// readable, so that there is no way to do it.
static int open_folder(const char* path, wm_status* status, wm_error* error)
{
    const char* slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
    char* folder = strndup(slash == NULL ? "." : path, length);
    *status = folder == NULL ? wm_fail_memory(error, length) : WM_OK;
    const int file = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    return file;
}

// Without this the rename itself could be lost with the power.
static bool sync_folder(int folder)
{
    return folder < 0 || fsync(folder) == 0 || errno == EINVAL;
}

wm_status wm_replacement_commit(wm_replacement* replacement, wm_error* error)
{
    mode_t mode;
    const uint64_t now = fingerprint(replacement->target);
    // Where it has gone there is nothing to lose.
    if (now != replacement->before && now != 0)
        return wm_fail(error, WM_ERR_BUSY,
                       "%s was changed by another program in the meantime and is left as that made "
                       "it; start again",
                       replacement->target);
    if (target_mode(replacement->target, &mode) && fchmod(replacement->lock, mode) != 0)
        return wm_fail_to_write(error, replacement->target);
    // Whatever may fail comes before the rename, or a file would be new and said not to be.
    wm_status status;
    const int folder = open_folder(replacement->target, &status, error);
    if (status == WM_OK &&
        (fsync(replacement->lock) != 0 || rename(replacement->temporary, replacement->target) != 0))
        status = wm_fail_to_write(error, replacement->target);
    if (status == WM_OK) {
        // From here on the temporary name is free for others, so nothing may be removed any more.
        if (!sync_folder(folder)) status = wm_fail_to_write(error, replacement->target);
        forget(replacement);
    }
    if (folder >= 0) close(folder);
    return status;
}

void wm_replacement_abandon(wm_replacement* replacement)
{
    if (replacement->lock >= 0) unlink(replacement->temporary);
    forget(replacement);
}

bool wm_file_write_all(int file, const void* bytes, size_t size)
{
    const uint8_t* at = bytes;
    while (size > 0) {
        const ssize_t done = write(file, at, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

wm_status wm_file_write(const char* path, const void* bytes, size_t size, wm_error* error)
{
    wm_replacement replacement;
    wm_status status = wm_replacement_begin(&replacement, path, error);
    if (status != WM_OK) return status;
    if (!wm_file_write_all(replacement.lock, bytes, size)) {
        status = wm_fail_to_write(error, path);
    } else {
        status = wm_replacement_commit(&replacement, error);
    }
    wm_replacement_abandon(&replacement);
    return status;
}
