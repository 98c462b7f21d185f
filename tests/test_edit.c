// SPDX-License-Identifier: MIT
//
// A database file being changed: what is in it before, between and after, also when the process
// that changes it is killed, when the disk is full, and when two of them try at once.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "build.h"
#include "records.h"
#include "rng.h"
#include "support.h"

static wm_build_report store(wm_archive* archive, const char* name, uint64_t map_seed,
                             uint64_t seed, uint32_t count)
{
    wm_grid grid = grid_random(map_seed, 30, 25, 20, WM_DIAGONAL_NONE);
    wm_knn knn = records_build(&grid, records_parameters(count, seed), 1);
    wm_build_report report;
    assert_int_equal(wm_build_store_knn(archive, name, grid.diagonal, &knn, &report, NULL), WM_OK);
    wm_knn_free(&knn);
    wm_grid_free(&grid);
    return report;
}

static wm_edit begin(const test_path* path)
{
    wm_edit edit;
    wm_error error = {0};
    if (wm_edit_begin(&edit, path->text, &error) != WM_OK) fail_msg("%s", error.message);
    return edit;
}

static void commit(wm_edit* edit)
{
    wm_error error = {0};
    if (wm_edit_commit(edit, &error) != WM_OK) fail_msg("%s", error.message);
}

// Builds one map into the file, as the program would.
static uint64_t build_into(const test_path* path, const char* name, uint64_t map_seed,
                           uint64_t seed, uint32_t count)
{
    wm_edit edit = begin(path);
    const wm_build_report report = store(&edit.archive, name, map_seed, seed, count);
    commit(&edit);
    return report.content_hash;
}

// The content hash of a map in the file; 0 when the map is not there. Fails when it cannot be read.
static uint64_t content_in(const test_path* path, const char* name)
{
    wm_archive archive;
    wm_error error = {0};
    uint64_t hash = 0;
    if (wm_archive_load(&archive, path->text, &error) != WM_OK) fail_msg("%s", error.message);
    const wm_stored_map* map = wm_archive_find(&archive, name);
    if (map != NULL) {
        wm_knn knn;
        if (wm_build_load_knn(&knn, map, path->text, &error) != WM_OK)
            fail_msg("%s", error.message);
        hash = records_hash(&knn);
        wm_knn_free(&knn);
    }
    wm_archive_free(&archive);
    return hash;
}

// A file's content, to be compared later.
typedef struct snapshot {
    const test_path* path;
    char* bytes;
    size_t size;
} snapshot;

static snapshot take(const test_path* path)
{
    snapshot s = {.path = path};
    s.bytes = file_get(path, &s.size);
    assert_non_null(s.bytes);
    return s;
}

static void assert_untouched(snapshot* s)
{
    size_t size;
    char* bytes = file_get(s->path, &size);
    assert_non_null(bytes);
    assert_int_equal(size, s->size);
    assert_memory_equal(bytes, s->bytes, size);
    free(bytes);
    free(s->bytes);
}

static void expect_refusal(const char* path, wm_status expected, const char* sentence)
{
    wm_edit edit;
    wm_error error = {0};
    const wm_status status = wm_edit_begin(&edit, path, &error);
    if (status != expected)
        fail_msg("%s: status %d, not %d: %s", path, (int)status, (int)expected, error.message);
    assert_contains(error.message, sentence);
    wm_edit_abandon(&edit); // allowed, and does nothing
}

// ---------------------------------------------------------------------------------------------
// What is kept and what is replaced

static void an_edit_adds_and_replaces_only_what_it_builds(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "db.wmdb");
    const uint64_t a = build_into(&path, "a", 1, 1, 50);
    const uint64_t b = build_into(&path, "b", 2, 1, 60);
    assert_true(content_in(&path, "a") == a && content_in(&path, "b") == b);
    const uint64_t newer = build_into(&path, "b", 2, 7, 70);
    assert_true(newer != b);
    assert_true(content_in(&path, "a") == a && content_in(&path, "b") == newer);
    const uint64_t c = build_into(&path, "c", 1, 1, 50);
    assert_true(c == a); // the same map and seed under another name
    assert_true(content_in(&path, "a") == a && content_in(&path, "b") == newer &&
                content_in(&path, "c") == c);
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

// Puts a payload of a method that is yet to come beside the others.
static void put_other_payload(wm_archive* archive, const char* name)
{
    wm_buffer blob = {0};
    wm_put_u32(&blob, 0x12345678);
    assert_true(wm_stored_map_put_payload(wm_archive_find(archive, name), (wm_method)2, &blob));
}

static void a_changed_map_loses_its_other_payloads_and_it_is_reported(void** state)
{
    (void)state;
    wm_archive archive = {0};
    assert_int_equal(store(&archive, "a", 1, 1, 50).dropped_payloads, 0);
    store(&archive, "b", 1, 1, 50);
    put_other_payload(&archive, "a");
    put_other_payload(&archive, "b");
    // The same map: the other payload stays.
    assert_int_equal(store(&archive, "a", 1, 2, 50).dropped_payloads, 0);
    assert_int_equal(wm_archive_find(&archive, "a")->payload_count, 2);
    // Another map: both old payloads go, in this map alone.
    assert_int_equal(store(&archive, "a", 3, 2, 50).dropped_payloads, 2);
    const wm_stored_map* map = wm_archive_find(&archive, "a");
    wm_grid grid = grid_random(3, 30, 25, 20, WM_DIAGONAL_NONE);
    assert_int_equal(map->payload_count, 1);
    assert_true(map->hash == grid.hash);
    assert_int_equal(wm_archive_find(&archive, "b")->payload_count, 2);
    wm_grid_free(&grid);
    wm_archive_free(&archive);
}

static void the_diagonal_rule_is_part_of_the_map(void** state)
{
    (void)state;
    wm_archive archive = {0};
    for (int rule = 0; rule < 2; rule++) {
        wm_grid grid = grid_random(1, 30, 25, 20, (wm_diagonal)rule);
        wm_knn knn = records_build(&grid, records_parameters(50, 1), 1);
        wm_build_report report;
        assert_int_equal(wm_build_store_knn(&archive, "a", grid.diagonal, &knn, &report, NULL),
                         WM_OK);
        assert_int_equal(report.dropped_payloads, rule);
        assert_int_equal(archive.maps[0].diagonal, rule);
        wm_knn_free(&knn);
        wm_grid_free(&grid);
    }
    wm_archive_free(&archive);
}

static void a_map_is_checked_against_the_stored_one(void** state)
{
    (void)state;
    wm_archive archive = {0};
    wm_error error = {0};
    store(&archive, "a", 1, 1, 50);
    wm_grid same = grid_random(1, 30, 25, 20, WM_DIAGONAL_NONE);
    wm_grid squeeze = grid_random(1, 30, 25, 20, WM_DIAGONAL_SQUEEZE);
    wm_grid other = grid_random(2, 30, 25, 20, WM_DIAGONAL_NONE);
    const wm_stored_map* map = &archive.maps[0];
    assert_int_equal(wm_build_check_map(map, &same, "db", "m", &error), WM_OK);
    assert_int_equal(wm_build_check_map(map, &squeeze, "db", "m", &error), WM_ERR_MISMATCH);
    assert_contains(error.message, "diagonal rule none, not squeeze");
    assert_int_equal(wm_build_check_map(map, &other, "db", "m.map", &error), WM_ERR_MISMATCH);
    assert_contains(error.message, "another version of \"a\" than m.map");
    wm_grid_free(&same);
    wm_grid_free(&squeeze);
    wm_grid_free(&other);
    wm_archive_free(&archive);
}

static void records_of_another_map_are_not_loaded(void** state)
{
    (void)state;
    wm_archive archive = {0};
    wm_knn knn;
    wm_error error = {0};
    store(&archive, "a", 1, 1, 50);
    wm_stored_map* bare = wm_archive_put_map(&archive, "bare");
    assert_int_equal(wm_build_load_knn(&knn, bare, "db", &error), WM_ERR_NOT_FOUND);
    assert_contains(error.message, "db: the knn data of \"bare\" is missing");
    archive.maps[0].hash++;
    assert_int_equal(wm_build_load_knn(&knn, &archive.maps[0], "db", &error), WM_ERR_FORMAT);
    assert_contains(error.message, "db: the knn data of \"a\" is for another map");
    wm_archive_free(&archive);
}

static void an_abandoned_edit_leaves_no_trace(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "db.wmdb");
    const test_path fresh = scratch_path(&folder, "fresh.wmdb");
    build_into(&path, "a", 1, 1, 50);
    snapshot before = take(&path);
    wm_edit edit = begin(&path);
    store(&edit.archive, "a", 1, 2, 50);
    store(&edit.archive, "b", 2, 2, 50);
    wm_edit_abandon(&edit);
    wm_edit_abandon(&edit);
    edit = begin(&fresh);
    store(&edit.archive, "a", 1, 2, 50);
    wm_edit_abandon(&edit);
    assert_untouched(&before);
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

// ---------------------------------------------------------------------------------------------
// Two at once

static void a_second_writer_is_kept_out(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "db.wmdb");
    const test_path other = scratch_path(&folder, "other.wmdb");
    build_into(&path, "a", 1, 1, 50);
    wm_edit first = begin(&path);
    expect_refusal(path.text, WM_ERR_BUSY, path.text);
    wm_edit elsewhere = begin(&other); // another file is nobody's business
    wm_edit_abandon(&elsewhere);
    // A process of its own is kept out, too.
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        wm_edit second;
        _exit(wm_edit_begin(&second, path.text, NULL) == WM_ERR_BUSY ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const uint64_t hash = store(&first.archive, "b", 2, 1, 50).content_hash;
    commit(&first);
    assert_true(content_in(&path, "b") == hash);
    wm_edit third = begin(&path); // the first has ended
    wm_edit_abandon(&third);
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

static void readers_see_the_old_content_until_the_commit(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "db.wmdb");
    const uint64_t old = build_into(&path, "a", 1, 1, 50);
    wm_edit edit = begin(&path);
    const uint64_t new = store(&edit.archive, "a", 1, 2, 50).content_hash;
    assert_true(content_in(&path, "a") == old);
    commit(&edit);
    assert_true(content_in(&path, "a") == new);
    scratch_remove(&folder);
}

// Several processes add their own map again and again; none loses what another has added.
static void writers_that_wait_for_each_other_lose_nothing(void** state)
{
    (void)state;
    enum { WRITERS = 4, ROUNDS = 5 };
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "db.wmdb");
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] != 0) continue;
        const struct timespec pause = {.tv_nsec = 1000000};
        for (int round = 0; round < ROUNDS;) {
            const char name[] = {(char)('a' + i), (char)('0' + round), '\0'};
            wm_edit edit;
            const wm_status status = wm_edit_begin(&edit, path.text, NULL);
            if (status == WM_ERR_BUSY) {
                nanosleep(&pause, NULL);
                continue;
            }
            if (status != WM_OK) _exit(1);
            store(&edit.archive, name, (uint64_t)i, 1, 5);
            if (wm_edit_commit(&edit, NULL) != WM_OK) _exit(2);
            round++;
        }
        _exit(0);
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    wm_archive archive;
    assert_int_equal(wm_archive_load(&archive, path.text, NULL), WM_OK);
    assert_int_equal(archive.count, WRITERS * ROUNDS);
    wm_archive_free(&archive);
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

// ---------------------------------------------------------------------------------------------
// Places that cannot be written

static void what_is_no_waymark_database_is_never_overwritten(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path text = scratch_path(&folder, "letter.txt");
    const test_path empty = scratch_path(&folder, "empty.wmdb");
    const test_path cut = scratch_path(&folder, "cut.wmdb");
    file_put_text(&text, "Dear reader, this is no database but a letter of some length, and "
                         "whoever overwrites it will be sorry for it one day.\n");
    file_put_text(&empty, "");
    build_into(&cut, "a", 1, 1, 50);
    size_t size;
    char* bytes = file_get(&cut, &size);
    file_put(&cut, bytes, size / 2);
    free(bytes);
    const test_path* const paths[] = {&text, &empty, &cut};
    for (size_t i = 0; i < 3; i++) {
        snapshot before = take(paths[i]);
        expect_refusal(paths[i]->text, WM_ERR_FORMAT, paths[i]->text);
        assert_untouched(&before);
    }
    assert_int_equal(scratch_count(&folder), 3);
    scratch_remove(&folder);
}

static void folders_and_missing_folders_are_refused(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path below = scratch_path(&folder, "nowhere/db.wmdb");
    expect_refusal(folder.text, WM_ERR_IO, "is a folder");
    expect_refusal(below.text, WM_ERR_IO, below.text);
    expect_refusal("", WM_ERR_ARGUMENT, "empty");
    assert_int_equal(scratch_count(&folder), 0);
    scratch_remove(&folder);
}

// Root may write everything, so a child without rights tries. Expects WM_ERR_IO and the sentence.
static void expect_refusal_without_rights(const test_path* path, const char* sentence)
{
    int ends[2];
    wm_error error = {0};
    int status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        wm_edit edit;
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
        const bool refused = wm_edit_begin(&edit, path->text, &error) == WM_ERR_IO;
        const bool told = write(ends[1], &error, sizeof error) == sizeof error;
        _exit(refused && told ? 0 : 1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &error, sizeof error), sizeof error);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_contains(error.message, path->text);
    assert_contains(error.message, sentence);
}

static void a_read_only_folder_is_refused(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "db.wmdb");
    build_into(&path, "a", 1, 1, 50);
    snapshot before = take(&path);
    assert_int_equal(chmod(path.text, 0666), 0);
    assert_int_equal(chmod(folder.text, 0555), 0);
    expect_refusal_without_rights(&path, "permissions");
    assert_int_equal(chmod(folder.text, 0755), 0);
    assert_untouched(&before);
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

static void a_write_protected_file_is_refused(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "db.wmdb");
    build_into(&path, "a", 1, 1, 50);
    snapshot before = take(&path);
    assert_int_equal(chmod(path.text, 0444), 0);
    assert_int_equal(chmod(folder.text, 0777), 0);
    expect_refusal_without_rights(&path, "write-protected");
    assert_untouched(&before);
    assert_int_equal(scratch_count(&folder), 1);
    scratch_remove(&folder);
}

// A limit on the size of files stops writes as a full disk does, at every place in the file.
static void a_full_disk_leaves_the_old_file(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "db.wmdb");
    const uint64_t old = build_into(&path, "a", 1, 1, 50);
    snapshot before = take(&path);
    struct rlimit saved;
    size_t failures = 0;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (rlim_t limit = 0; limit <= before.size + 8192; limit += 1000) {
        const struct rlimit small = {limit, saved.rlim_max};
        wm_edit edit = begin(&path);
        wm_error error = {0};
        store(&edit.archive, "a", 1, 2, 5000);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        const wm_status status = wm_edit_commit(&edit, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
        if (status == WM_OK) fail_msg("a limit of %zu bytes stopped nothing", (size_t)limit);
        if (status != WM_ERR_IO) fail_msg("status %d: %s", (int)status, error.message);
        assert_contains(error.message, path.text);
        assert_true(content_in(&path, "a") == old);
        assert_int_equal(scratch_count(&folder), 1);
        failures++;
    }
    signal(SIGXFSZ, handler);
    assert_true(failures > 10);
    assert_untouched(&before);
    build_into(&path, "a", 1, 2, 5000); // and with room it works
    scratch_remove(&folder);
}

// ---------------------------------------------------------------------------------------------
// Killed at any moment

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void sleep_ns(uint64_t ns)
{
    const struct timespec pause = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&pause, NULL);
}

// Begins an edit, says so, builds, says that it commits, commits and says that too.
static void build_and_tell(const test_path* path, const wm_archive* ready, int pipe_end)
{
    wm_edit edit;
    if (wm_edit_begin(&edit, path->text, NULL) != WM_OK) _exit(1);
    if (write(pipe_end, "b", 1) != 1) _exit(1);
    const wm_stored_map* from = &ready->maps[0];
    wm_stored_map* map = wm_archive_put_map(&edit.archive, from->name);
    wm_buffer blob = {0};
    wm_put_bytes(&blob, from->payloads[0].blob.data, from->payloads[0].blob.size);
    if (!wm_stored_map_put_payload(map, WM_METHOD_KNN, &blob)) _exit(1);
    if (write(pipe_end, "c", 1) != 1) _exit(1);
    if (wm_edit_commit(&edit, NULL) != WM_OK) _exit(1);
    if (write(pipe_end, "d", 1) != 1) _exit(1);
    pause();
}

// Starts a child that builds, waits for `moment` and `delay_ns` more, and kills it. Gives the time
// from then to the end of the commit where the child lived to see it.
static uint64_t build_and_kill(const test_path* path, const wm_archive* ready, char moment,
                               uint64_t delay_ns)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        build_and_tell(path, ready, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    char told = '\0';
    while (told != moment) assert_int_equal(read(ends[0], &told, 1), 1);
    const uint64_t begun = now_ns();
    uint64_t taken = 0;
    if (delay_ns == UINT64_MAX) { // never in time: measures
        while (told != 'd') assert_int_equal(read(ends[0], &told, 1), 1);
        taken = now_ns() - begun;
    } else {
        sleep_ns(delay_ns);
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ends[0]);
    return taken;
}

// Nothing but the file and, at most, the temporary that the next build takes over.
static void assert_tidy(const test_path* folder, const test_path* path)
{
    test_path temporary;
    snprintf(temporary.text, sizeof temporary.text, "%.580s.waymark-tmp", path->text);
    const size_t expected = access(temporary.text, F_OK) == 0 ? 2 : 1;
    assert_int_equal(scratch_count(folder), expected);
}

static void a_killed_build_leaves_the_old_content_or_the_new(void** state)
{
    (void)state;
    enum { KILLS = 40 };
    const test_path folder = scratch_create();
    const test_path path = scratch_path(&folder, "db.wmdb");
    wm_archive versions[2] = {{0}, {0}};
    uint64_t hashes[2];
    size_t olds = 0;
    size_t news = 0;
    // Large enough for a commit of several writes.
    for (size_t i = 0; i < 2; i++)
        hashes[i] = store(&versions[i], "a", 1, i + 1, 40000).content_hash;
    const uint64_t kept = build_into(&path, "kept", 2, 1, 50);
    build_into(&path, "a", 1, 1, 40000);
    uint64_t whole = 0; // the time of a commit
    for (int i = 0; i < 3; i++) {
        const uint64_t taken = build_and_kill(&path, &versions[0], 'c', UINT64_MAX);
        if (taken > whole) whole = taken;
    }
    size_t current = 0;
    for (uint64_t seed = 1; seed <= KILLS; seed++) {
        wm_rng rng = wm_rng_start(seed, 0);
        const size_t next = 1 - current;
        // Most of them while the commit goes on, some while building, some just after.
        const char moment = seed % 8 == 0 ? 'b' : 'c';
        const uint64_t delay = seed % 8 == 7 ? 0 : wm_rng_below(&rng, whole + whole / 4 + 1);
        build_and_kill(&path, &versions[next], moment, delay);
        const uint64_t found = content_in(&path, "a");
        if (found != hashes[0] && found != hashes[1])
            fail_msg("seed %llu: neither the old content nor the new", (unsigned long long)seed);
        assert_true(content_in(&path, "kept") == kept);
        assert_tidy(&folder, &path);
        olds += found == hashes[current];
        news += found == hashes[next];
        current = found == hashes[0] ? 0 : 1;
        // Whatever is left beside, the next build works and clears it away.
        if (seed % 4 == 0) {
            build_into(&path, "kept", 2, 1, 50);
            assert_int_equal(scratch_count(&folder), 1);
        }
    }
    print_message("a commit takes %.1f ms; killed %d times: %zu times the old content, %zu times "
                  "the new\n",
                  (double)whole / 1e6, KILLS, olds, news);
    assert_true(olds > 0);
    wm_archive_free(&versions[0]);
    wm_archive_free(&versions[1]);
    scratch_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edit_adds_and_replaces_only_what_it_builds),
        cmocka_unit_test(a_changed_map_loses_its_other_payloads_and_it_is_reported),
        cmocka_unit_test(the_diagonal_rule_is_part_of_the_map),
        cmocka_unit_test(a_map_is_checked_against_the_stored_one),
        cmocka_unit_test(records_of_another_map_are_not_loaded),
        cmocka_unit_test(an_abandoned_edit_leaves_no_trace),
        cmocka_unit_test(a_second_writer_is_kept_out),
        cmocka_unit_test(readers_see_the_old_content_until_the_commit),
        cmocka_unit_test(writers_that_wait_for_each_other_lose_nothing),
        cmocka_unit_test(what_is_no_waymark_database_is_never_overwritten),
        cmocka_unit_test(folders_and_missing_folders_are_refused),
        cmocka_unit_test(a_read_only_folder_is_refused),
        cmocka_unit_test(a_write_protected_file_is_refused),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(a_killed_build_leaves_the_old_content_or_the_new),
    };
    return cmocka_run_group_tests_name("edit", tests, NULL, NULL);
}
