// SPDX-License-Identifier: MIT
//
// Every call of SQLite to its disk fails once, while a file is written in another's place and while
// it is read: a clean status with a sentence, the old file intact, and never content that is not
// there. A VFS of this program's own stands in front of the system's.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "support.h"

// ---------------------------------------------------------------------------------------------
// The VFS

static struct {
    bool on;
    size_t calls;
    size_t fail_at; // the call that fails, from 1
    int code;
    bool from_then_on; // as a full disk does, and one that has gone
    bool failed;
} disk;

typedef struct faulty_file {
    sqlite3_file base;
    sqlite3_file* real; // behind this struct
} faulty_file;

static sqlite3_vfs* real_vfs;
static sqlite3_vfs faulty_vfs;

static bool fails(void)
{
    if (!disk.on) return false;
    disk.calls++;
    const bool now = disk.calls == disk.fail_at ||
                     (disk.from_then_on && disk.fail_at != 0 && disk.calls > disk.fail_at);
    disk.failed |= now;
    return now;
}

static sqlite3_file* real_of(sqlite3_file* file)
{
    return ((faulty_file*)file)->real;
}

static int faulty_close(sqlite3_file* file)
{
    sqlite3_file* real = real_of(file);
    return real->pMethods == NULL ? SQLITE_OK : real->pMethods->xClose(real);
}

static int faulty_read(sqlite3_file* file, void* to, int size, sqlite3_int64 at)
{
    if (fails()) return SQLITE_IOERR_READ;
    return real_of(file)->pMethods->xRead(real_of(file), to, size, at);
}

// A write that fails has written some of it, as disks do.
static int faulty_write(sqlite3_file* file, const void* from, int size, sqlite3_int64 at)
{
    const bool now = fails();
    const int code =
        real_of(file)->pMethods->xWrite(real_of(file), from, now ? size / 2 : size, at);
    return now ? disk.code : code;
}

static int faulty_truncate(sqlite3_file* file, sqlite3_int64 size)
{
    if (fails()) return SQLITE_IOERR_TRUNCATE;
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int faulty_sync(sqlite3_file* file, int flags)
{
    if (fails()) return SQLITE_IOERR_FSYNC;
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int faulty_size(sqlite3_file* file, sqlite3_int64* size)
{
    if (fails()) return SQLITE_IOERR_FSTAT;
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int faulty_lock(sqlite3_file* file, int lock)
{
    if (fails()) return SQLITE_IOERR_LOCK;
    return real_of(file)->pMethods->xLock(real_of(file), lock);
}

static int faulty_unlock(sqlite3_file* file, int lock)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), lock);
}

static int faulty_check(sqlite3_file* file, int* result)
{
    if (fails()) return SQLITE_IOERR_CHECKRESERVEDLOCK;
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), result);
}

static int faulty_control(sqlite3_file* file, int what, void* argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}

static int faulty_sector(sqlite3_file* file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int faulty_device(sqlite3_file* file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static const sqlite3_io_methods faulty_methods = {
    .iVersion = 1,
    .xClose = faulty_close,
    .xRead = faulty_read,
    .xWrite = faulty_write,
    .xTruncate = faulty_truncate,
    .xSync = faulty_sync,
    .xFileSize = faulty_size,
    .xLock = faulty_lock,
    .xUnlock = faulty_unlock,
    .xCheckReservedLock = faulty_check,
    .xFileControl = faulty_control,
    .xSectorSize = faulty_sector,
    .xDeviceCharacteristics = faulty_device,
};

static int faulty_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                       int* out_flags)
{
    (void)vfs;
    faulty_file* faulty = (faulty_file*)file;
    *faulty = (faulty_file){.real = (sqlite3_file*)(faulty + 1)};
    faulty->real->pMethods = NULL;
    if (fails()) return SQLITE_CANTOPEN;
    const int code = real_vfs->xOpen(real_vfs, name, faulty->real, flags, out_flags);
    if (faulty->real->pMethods != NULL) faulty->base.pMethods = &faulty_methods;
    return code;
}

static void install_vfs(void)
{
    assert_int_equal(sqlite3_initialize(), SQLITE_OK);
    real_vfs = sqlite3_vfs_find(NULL);
    faulty_vfs = *real_vfs;
    faulty_vfs.zName = "faulty";
    faulty_vfs.pNext = NULL;
    faulty_vfs.szOsFile = (int)sizeof(faulty_file) + real_vfs->szOsFile;
    faulty_vfs.xOpen = faulty_open;
    assert_int_equal(sqlite3_vfs_register(&faulty_vfs, 1), SQLITE_OK);
}

static void arm(size_t n, int code, bool from_then_on)
{
    memset(&disk, 0, sizeof disk);
    disk.fail_at = n;
    disk.code = code;
    disk.from_then_on = from_then_on;
    disk.on = true;
}

// ---------------------------------------------------------------------------------------------

// Three maps with payloads larger than a page of SQLite's.
static void fill(wm_archive* archive, uint8_t first)
{
    static const char* const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < 3; i++) {
        wm_stored_map* map = wm_archive_put_map(archive, names[i]);
        map->width = map->height = 8;
        map->hash = i;
        for (unsigned method = WM_METHOD_KNN; method <= WM_METHOD_D_LRTA; method++) {
            wm_buffer blob = {0};
            for (uint32_t j = 0; j < 2000 + 9000 * i; j++)
                wm_put_u8(&blob, (uint8_t)(first + j * j / 5));
            assert_true(wm_stored_map_put_payload(map, (wm_method)method, &blob));
        }
    }
}

static bool holds(const wm_archive* archive, uint8_t first)
{
    wm_archive expected = {0};
    fill(&expected, first);
    bool same = archive->count == expected.count;
    for (size_t i = 0; i < expected.count && same; i++) {
        const wm_stored_map* a = &archive->maps[i];
        const wm_stored_map* b = &expected.maps[i];
        same = strcmp(a->name, b->name) == 0 && a->payload_count == b->payload_count;
        for (size_t j = 0; j < b->payload_count && same; j++)
            same = a->payloads[j].blob.size == b->payloads[j].blob.size &&
                   memcmp(a->payloads[j].blob.data, b->payloads[j].blob.data,
                          b->payloads[j].blob.size) == 0;
    }
    wm_archive_free(&expected);
    return same;
}

static void write_file(const test_path* path, uint8_t first)
{
    wm_edit edit;
    assert_int_equal(wm_edit_begin(&edit, path->text, NULL), WM_OK);
    wm_archive_free(&edit.archive);
    fill(&edit.archive, first);
    assert_int_equal(wm_edit_commit(&edit, NULL), WM_OK);
}

static void expect_content(const test_path* path, uint8_t first)
{
    wm_archive archive;
    assert_int_equal(wm_archive_load(&archive, path->text, NULL), WM_OK);
    assert_true(holds(&archive, first));
    wm_archive_free(&archive);
}

// Reads, changes and writes the file with the n-th call to the disk failing.
static wm_status change(const test_path* path, wm_error* error)
{
    wm_edit edit;
    wm_status status = wm_edit_begin(&edit, path->text, error);
    if (status != WM_OK) return status;
    wm_archive_free(&edit.archive);
    fill(&edit.archive, 2);
    return wm_edit_commit(&edit, error);
}

static void a_failing_disk_leaves_the_old_file(void** state)
{
    (void)state;
    static const int codes[] = {SQLITE_IOERR_WRITE, SQLITE_FULL};
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    for (size_t kind = 0; kind < 4; kind++) {
        size_t failed = 0;
        write_file(&path, 1);
        for (size_t n = 1;; n++) {
            wm_error error = {""};
            arm(n, codes[kind % 2], kind >= 2);
            const wm_status status = change(&path, &error);
            disk.on = false;
            assert_int_equal(scratch_count(&folder), 1); // no temporary file
            if (!disk.failed) {
                assert_int_equal(status, WM_OK);
                expect_content(&path, 2);
                break;
            }
            failed++;
            if (status == WM_OK) { // it was tried again, or not needed
                expect_content(&path, 2);
                write_file(&path, 1);
                continue;
            }
            if (status != WM_ERR_IO)
                fail_msg("call %zu: %s: %s", n, wm_status_name(status), error.message);
            assert_contains(error.message, path.text);
            expect_content(&path, 1);
        }
        print_message("%zu calls to the disk failed\n", failed);
        assert_true(failed > 20);
    }
    scratch_remove(&folder);
}

static void a_file_that_cannot_be_read_is_an_error(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    write_file(&path, 3);
    for (size_t n = 1;; n++) {
        wm_archive archive = {0};
        wm_stored_map map = {0};
        wm_error error = {""};
        arm(n, SQLITE_IOERR_READ, n % 2 == 0);
        wm_status status = wm_archive_load(&archive, path.text, &error);
        disk.on = false;
        const bool failed = disk.failed;
        if (status == WM_OK) assert_true(holds(&archive, 3));
        if (failed && status != WM_OK && status != WM_ERR_IO)
            fail_msg("call %zu: %s: %s", n, wm_status_name(status), error.message);
        if (status != WM_OK) assert_int_equal(archive.count, 0);
        if (status != WM_OK) assert_contains(error.message, path.text);
        wm_archive_free(&archive);
        arm(n, SQLITE_IOERR_READ, n % 2 == 0);
        status = wm_store_read_map(&map, path.text, 1, 99, NULL, &error);
        disk.on = false;
        if (status == WM_OK) assert_string_equal(map.name, "b");
        if (status != WM_OK && status != WM_ERR_IO)
            fail_msg("call %zu: %s: %s", n, wm_status_name(status), error.message);
        wm_stored_map_free(&map);
        if (!failed) break;
        assert_true(n < 1000);
    }
    expect_content(&path, 3);
    scratch_remove(&folder);
}

int main(void)
{
    install_vfs();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_disk_leaves_the_old_file),
        cmocka_unit_test(a_file_that_cannot_be_read_is_an_error),
    };
    return cmocka_run_group_tests_name("disk_faults", tests, NULL, NULL);
}
