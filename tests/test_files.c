// SPDX-License-Identifier: MIT
#include "files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static void assert_holds(const test_path* path, const char* expected)
{
    char* content = file_get(path, NULL);
    if (content == NULL) fail_msg("%s is gone", path->text);
    assert_string_equal(content, expected);
    free(content);
}

static void a_file_comes_back_as_it_was_written(void** state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 300000};
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    uint8_t* bytes = malloc(300000);
    for (size_t i = 0; i < 300000; i++) bytes[i] = (uint8_t)(i * i / 7);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        wm_buffer content;
        assert_int_equal(wm_file_write(path.text, bytes, sizes[i], NULL), WM_OK);
        assert_int_equal(wm_file_read(&content, path.text, sizes[i], NULL), WM_OK);
        assert_int_equal(content.size, sizes[i]);
        if (sizes[i] > 0) assert_memory_equal(content.data, bytes, sizes[i]);
        wm_buffer_free(&content);
        assert_int_equal(scratch_count(&folder), 1);
    }
    free(bytes);
    scratch_remove(&folder);
}

static void reading_says_what_is_wrong(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path missing = scratch_path(&folder, "missing");
    const test_path large = scratch_path(&folder, "large");
    const test_path below = scratch_path(&folder, "large/below");
    wm_buffer content;
    wm_error error;
    file_put_text(&large, "0123456789");
    assert_int_equal(wm_file_read(&content, missing.text, 100, &error), WM_ERR_NOT_FOUND);
    assert_contains(error.message, missing.text);
    assert_contains(error.message, "no such file");
    assert_int_equal(wm_file_read(&content, below.text, 100, &error), WM_ERR_NOT_FOUND);
    assert_int_equal(wm_file_read(&content, folder.text, 100, &error), WM_ERR_IO);
    assert_contains(error.message, "is a folder");
    assert_int_equal(wm_file_read(&content, large.text, 9, &error), WM_ERR_FORMAT);
    assert_contains(error.message, "more than the 9 bytes");
    assert_null(content.data);
    assert_int_equal(wm_file_read(&content, "/dev/zero", 200000, &error), WM_ERR_FORMAT);
    assert_contains(error.message, "more than the 200000 bytes");
    scratch_remove(&folder);
}

static void replacing_keeps_the_permission_bits(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    struct stat info;
    const mode_t mask = umask(022);
    assert_int_equal(wm_file_write(path.text, "one", 3, NULL), WM_OK);
    assert_int_equal(stat(path.text, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0644);
    assert_int_equal(chmod(path.text, 0666), 0);
    assert_int_equal(wm_file_write(path.text, "two", 3, NULL), WM_OK);
    assert_int_equal(stat(path.text, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0666);
    umask(mask);
    assert_holds(&path, "two");
    scratch_remove(&folder);
}

static void a_private_file_stays_private_while_it_is_replaced(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    struct stat info;
    wm_replacement replacement;
    file_put_text(&path, "old");
    assert_int_equal(chmod(path.text, 0600), 0);
    assert_int_equal(wm_replacement_begin(&replacement, path.text, NULL), WM_OK);
    assert_int_equal(stat(replacement.temporary, &info), 0);
    assert_int_equal(info.st_mode & 077, 0);
    wm_replacement_abandon(&replacement);
    scratch_remove(&folder);
}

static void a_link_stays_a_link_and_its_target_is_replaced(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path target = scratch_path(&folder, "target");
    const test_path link = scratch_path(&folder, "link");
    struct stat info;
    file_put_text(&target, "old");
    assert_int_equal(symlink("target", link.text), 0);
    assert_int_equal(wm_file_write(link.text, "new", 3, NULL), WM_OK);
    assert_int_equal(lstat(link.text, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_holds(&target, "new");
    assert_int_equal(scratch_count(&folder), 2);
    scratch_remove(&folder);
}

static void what_is_no_regular_file_is_never_replaced(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path pipe = scratch_path(&folder, "pipe");
    const test_path dangling = scratch_path(&folder, "dangling");
    wm_error error;
    assert_int_equal(mkfifo(pipe.text, 0600), 0);
    assert_int_equal(symlink("nowhere", dangling.text), 0);
    assert_int_equal(wm_file_write(folder.text, "x", 1, &error), WM_ERR_IO);
    assert_contains(error.message, "is a folder");
    assert_int_equal(wm_file_write(pipe.text, "x", 1, &error), WM_ERR_IO);
    assert_contains(error.message, "not a regular file");
    assert_int_equal(wm_file_write(dangling.text, "x", 1, &error), WM_ERR_IO);
    assert_contains(error.message, "symbolic link");
    assert_int_equal(wm_file_write("", "x", 1, &error), WM_ERR_ARGUMENT);
    assert_int_equal(scratch_count(&folder), 2);
    scratch_remove(&folder);
}

static void a_place_that_cannot_be_written_is_named(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path nowhere = scratch_path(&folder, "nowhere/file");
    const test_path file = scratch_path(&folder, "file");
    const test_path below = scratch_path(&folder, "file/below");
    const test_path slash = scratch_path(&folder, "other/");
    wm_error error;
    file_put_text(&file, "old");
    assert_int_equal(wm_file_write(nowhere.text, "x", 1, &error), WM_ERR_IO);
    assert_contains(error.message, nowhere.text);
    assert_int_equal(wm_file_write(below.text, "x", 1, &error), WM_ERR_IO);
    assert_int_equal(wm_file_write(slash.text, "x", 1, &error), WM_ERR_IO);
    assert_holds(&file, "old");
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

// Root may write everything, so a child without rights tries. Returns the status it got.
static wm_status write_without_rights(const test_path* path, wm_error* error)
{
    int pipes[2];
    wm_status status = WM_OK;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(1);
        status = wm_file_write(path->text, "new", 3, error);
        const bool sent = write(pipes[1], &status, sizeof status) == sizeof status &&
                          write(pipes[1], error, sizeof *error) == sizeof *error;
        _exit(sent ? 0 : 1);
    }
    assert_int_equal(read(pipes[0], &status, sizeof status), sizeof status);
    assert_int_equal(read(pipes[0], error, sizeof *error), sizeof *error);
    close(pipes[0]);
    close(pipes[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return status;
}

static void a_write_protected_file_is_left_alone(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    wm_error error = {""};
    file_put_text(&path, "old");
    assert_int_equal(chmod(folder.text, 0777), 0);
    assert_int_equal(chmod(path.text, 0444), 0);
    assert_int_equal(write_without_rights(&path, &error), WM_ERR_IO);
    assert_contains(error.message, "write-protected");
    assert_holds(&path, "old");
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

static void a_write_protected_folder_is_left_alone(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    wm_error error = {""};
    file_put_text(&path, "old");
    assert_int_equal(chmod(path.text, 0666), 0);
    assert_int_equal(chmod(folder.text, 0555), 0);
    assert_int_equal(write_without_rights(&path, &error), WM_ERR_IO);
    assert_contains(error.message, "check the folder and its permissions");
    assert_int_equal(chmod(folder.text, 0755), 0);
    assert_holds(&path, "old");
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

static void a_full_disk_leaves_the_old_file_and_nothing_else(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    char* bytes = calloc(1, 100000);
    struct rlimit before;
    wm_error error = {""};
    file_put_text(&path, "old");
    // The limit on file sizes stops a write half-way, as a full disk does.
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {4096, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const wm_status status = wm_file_write(path.text, bytes, 100000, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);

    assert_int_equal(status, WM_ERR_IO);
    assert_contains(error.message, "free some space");
    assert_holds(&path, "old");
    assert_int_equal(scratch_count(&folder), 1);
    free(bytes);
    scratch_remove(&folder);
}

static void a_second_writer_is_kept_out_until_the_first_ends(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    wm_replacement first;
    wm_replacement second;
    wm_error error;
    assert_int_equal(wm_replacement_begin(&first, path.text, NULL), WM_OK);
    assert_int_equal(wm_replacement_begin(&second, path.text, &error), WM_ERR_BUSY);
    assert_contains(error.message, "another build is writing");
    assert_contains(error.message, path.text);
    // The one that was kept out has not removed the file of the other.
    assert_int_equal(access(first.temporary, F_OK), 0);
    assert_int_equal(write(first.lock, "first", 5), 5);
    assert_int_equal(wm_replacement_commit(&first, NULL), WM_OK);
    wm_replacement_abandon(&first);
    assert_holds(&path, "first");

    assert_int_equal(wm_replacement_begin(&second, path.text, NULL), WM_OK);
    assert_holds(&path, "first");
    wm_replacement_abandon(&second);
    wm_replacement_abandon(&second);
    assert_holds(&path, "first");
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

static void what_a_stranger_wrote_meanwhile_is_not_replaced(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    wm_replacement replacement;
    wm_error error;
    for (int there = 0; there < 2; there++) {
        if (there) file_put_text(&path, "old");
        assert_int_equal(wm_replacement_begin(&replacement, path.text, NULL), WM_OK);
        assert_int_equal(write(replacement.lock, "new", 3), 3);
        file_put_text(&path, "a stranger's");
        assert_int_equal(wm_replacement_commit(&replacement, &error), WM_ERR_BUSY);
        assert_contains(error.message, "changed by another program");
        wm_replacement_abandon(&replacement);
        assert_holds(&path, "a stranger's");
        assert_int_equal(scratch_count(&folder), 1);
        assert_int_equal(unlink(path.text), 0);
    }
    // What has gone is not missed: the new file takes its place.
    file_put_text(&path, "old");
    assert_int_equal(wm_replacement_begin(&replacement, path.text, NULL), WM_OK);
    assert_int_equal(write(replacement.lock, "new", 3), 3);
    assert_int_equal(unlink(path.text), 0);
    assert_int_equal(wm_replacement_commit(&replacement, NULL), WM_OK);
    assert_holds(&path, "new");
    scratch_remove(&folder);
}

static void others_may_fill_the_temporary_file_by_its_name(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    test_path temporary;
    wm_replacement replacement;
    assert_int_equal(wm_replacement_begin(&replacement, path.text, NULL), WM_OK);
    snprintf(temporary.text, sizeof temporary.text, "%s", replacement.temporary);
    file_put_text(&temporary, "filled");
    assert_int_equal(access(path.text, F_OK), -1);
    assert_int_equal(wm_replacement_commit(&replacement, NULL), WM_OK);
    assert_holds(&path, "filled");
    scratch_remove(&folder);
}

// A child that begins to replace the file and is killed in the middle.
static void begin_and_die(const test_path* path)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        wm_replacement replacement;
        if (wm_replacement_begin(&replacement, path->text, NULL) != WM_OK) _exit(1);
        if (write(replacement.lock, "half of it", 10) != 10) _exit(1);
        raise(SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void what_a_killed_writer_left_is_taken_over(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    file_put_text(&path, "old");
    begin_and_die(&path);
    assert_holds(&path, "old");
    assert_int_equal(scratch_count(&folder), 2);
    assert_int_equal(wm_file_write(path.text, "new", 3, NULL), WM_OK);
    assert_holds(&path, "new");
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

#define WRITERS 6
#define ROUNDS 600
#define CONTENT_BYTES 5000

static int write_again_and_again(const test_path* path, char letter)
{
    char content[CONTENT_BYTES];
    memset(content, letter, sizeof content);
    for (int i = 0; i < ROUNDS; i++) {
        const wm_status status = wm_file_write(path->text, content, sizeof content, NULL);
        if (status != WM_OK && status != WM_ERR_BUSY) return 1;
    }
    return 0;
}

static void assert_whole(const test_path* path)
{
    size_t size = 0;
    char* content = file_get(path, &size);
    if (content == NULL) return; // nobody was ready yet
    assert_int_equal(size, CONTENT_BYTES);
    for (size_t i = 1; i < size; i++) assert_int_equal(content[i], content[0]);
    free(content);
}

static void writers_in_each_others_way_never_show_half_a_file(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    pid_t child[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) _exit(write_again_and_again(&path, (char)('a' + i)));
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        while (waitpid(child[i], &status, WNOHANG) == 0) assert_whole(&path);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_whole(&path);
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

static void something_in_place_of_the_temporary_file_is_named(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "file");
    const test_path temporary = scratch_path(&folder, "file.waymark-tmp");
    wm_error error;
    assert_int_equal(mkdir(temporary.text, 0700), 0);
    assert_int_equal(wm_file_write(path.text, "x", 1, &error), WM_ERR_IO);
    assert_contains(error.message, temporary.text);
    assert_int_equal(rmdir(temporary.text), 0);
    // A link there could lead the writer into any file of its user.
    assert_int_equal(symlink("victim", temporary.text), 0);
    assert_int_equal(wm_file_write(path.text, "x", 1, &error), WM_ERR_IO);
    assert_contains(error.message, "in the way");
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

static void stems_lose_the_folder_and_the_suffix(void** state)
{
    (void)state;
    char name[8];
    assert_true(wm_file_stem(name, sizeof name, "a/b/cave.map", ".map"));
    assert_string_equal(name, "cave");
    assert_true(wm_file_stem(name, sizeof name, "cave", ".map"));
    assert_string_equal(name, "cave");
    assert_true(wm_file_stem(name, sizeof name, "x.map/1.mapp", ".map"));
    assert_string_equal(name, "1.mapp");
    assert_true(wm_file_stem(name, sizeof name, "/.map", ".map"));
    assert_string_equal(name, ".map");
    assert_true(wm_file_stem(name, sizeof name, "1234567.map", ".map"));
    assert_false(wm_file_stem(name, sizeof name, "12345678.map", ".map"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_comes_back_as_it_was_written),
        cmocka_unit_test(reading_says_what_is_wrong),
        cmocka_unit_test(replacing_keeps_the_permission_bits),
        cmocka_unit_test(a_private_file_stays_private_while_it_is_replaced),
        cmocka_unit_test(a_link_stays_a_link_and_its_target_is_replaced),
        cmocka_unit_test(what_is_no_regular_file_is_never_replaced),
        cmocka_unit_test(a_place_that_cannot_be_written_is_named),
        cmocka_unit_test(a_write_protected_file_is_left_alone),
        cmocka_unit_test(a_write_protected_folder_is_left_alone),
        cmocka_unit_test(a_full_disk_leaves_the_old_file_and_nothing_else),
        cmocka_unit_test(a_second_writer_is_kept_out_until_the_first_ends),
        cmocka_unit_test(what_a_stranger_wrote_meanwhile_is_not_replaced),
        cmocka_unit_test(others_may_fill_the_temporary_file_by_its_name),
        cmocka_unit_test(what_a_killed_writer_left_is_taken_over),
        cmocka_unit_test(writers_in_each_others_way_never_show_half_a_file),
        cmocka_unit_test(something_in_place_of_the_temporary_file_is_named),
        cmocka_unit_test(stems_lose_the_folder_and_the_suffix),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
