// SPDX-License-Identifier: MIT
//
// A builder that is killed, interrupted, robbed of its disk or its folder, or not alone: its file
// holds the old content or the new, and what was finished is not lost.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "build.h"
#include "cli.h"
#include "rng.h"

#define MAPS 5
#define MAP_NAMES "m1.map m2.map m3.map m4.map m5.map"
#define BUILD "waymark-build build " MAP_NAMES " -n 400 --seed 2 -q -o "
// What is done hundreds of times: the writing is as long, and most of the work before it is not done.
#define SHORT_BUILD "waymark-build build " MAP_NAMES " --method knn -n 1500 --seed 2 -q -o "

static test_path folder;

static void do_it(const char* command)
{
    process run = cli_succeed(&folder, command);
    process_free(&run);
}

static int set_up(void** state)
{
    (void)state;
    folder = scratch_create();
    do_it("for i in 1 2 3 4 5; do"
          " waymark-build generate --kind rooms --size 40x36 --grain 9 --seed $i -o m$i.map; done");
    do_it("waymark-build build " MAP_NAMES " -n 100 -q -o old.wmdb");
    do_it(BUILD "new.wmdb");
    do_it("waymark-build verify old.wmdb " MAP_NAMES " -q");
    do_it("waymark-build verify new.wmdb " MAP_NAMES " -q");
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    const test_path disk = scratch_path(&folder, "disk");
    (void)umount2(disk.text, MNT_DETACH); // there only where its test failed
    scratch_remove(&folder);
    return 0;
}

static bool is_there(const char* name)
{
    const test_path path = scratch_path(&folder, name);
    return access(path.text, F_OK) == 0;
}

static wm_archive load(const char* name)
{
    const test_path path = scratch_path(&folder, name);
    wm_archive archive;
    wm_error error = {""};
    if (wm_build_load(&archive, path.text, &error) != WM_OK) fail_msg("%s", error.message);
    return archive;
}

static bool same_blob(const wm_stored_payload* a, const wm_stored_payload* b)
{
    return a->method == b->method && a->blob.size == b->blob.size &&
           memcmp(a->blob.data, b->blob.data, a->blob.size) == 0;
}

static bool same_archive(const wm_archive* a, const wm_archive* b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        const wm_stored_map* left = &a->maps[i];
        const wm_stored_map* right = &b->maps[i];
        if (strcmp(left->name, right->name) != 0 || left->payload_count != right->payload_count)
            return false;
        for (size_t j = 0; j < left->payload_count; j++) {
            if (!same_blob(&left->payloads[j], &right->payloads[j])) return false;
        }
    }
    return true;
}

// Whether two files have the same content, byte for byte in every payload.
static bool same_content(const char* a, const char* b)
{
    wm_archive left = load(a);
    wm_archive right = load(b);
    const bool same = same_archive(&left, &right);
    wm_archive_free(&left);
    wm_archive_free(&right);
    return same;
}

static char* text_of(const char* name)
{
    const test_path path = scratch_path(&folder, name);
    char* text = file_get(&path, NULL);
    assert_non_null(text);
    return text;
}

static void expect_sentence(const char* word)
{
    char* text = text_of("err.txt");
    if (cli_count_lines(text) != 1) fail_msg("not one line: %s", text);
    assert_contains(text, word);
    free(text);
}

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void pause_us(int64_t us)
{
    const struct timespec pause = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&pause, NULL);
}

// ---------------------------------------------------------------------------------------------
// Killed

// Waits until the temporary file gets its content: the commit has begun.
static void wait_for_commit(pid_t child)
{
    const test_path path = scratch_path(&folder, "file.wmdb.waymark-tmp");
    struct stat info;
    siginfo_t ended;
    for (;;) {
        ended.si_pid = 0;
        if (stat(path.text, &info) == 0 && info.st_size > 0) return;
        if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            ended.si_pid == child)
            return;
    }
}

static int64_t time_of_a_build(void)
{
    const int64_t begin = now_us();
    do_it("cp short.wmdb file.wmdb && " SHORT_BUILD "file.wmdb && mv file.wmdb long.wmdb");
    return now_us() - begin;
}

static void a_killed_build_leaves_the_old_content_or_the_new(void** state)
{
    (void)state;
    const char* wanted = getenv("WAYMARK_KILLS");
    const int kills = wanted == NULL ? 20 : atoi(wanted);
    do_it("waymark-build build " MAP_NAMES " --method knn -n 900 -q -o short.wmdb");
    const int64_t whole = time_of_a_build();
    do_it("waymark-build verify long.wmdb " MAP_NAMES " -q");
    int ended_old = 0;
    int ended_new = 0;
    wm_rng rng = wm_rng_start(20, 0);
    for (int i = 0; i < kills; i++) {
        do_it("cp short.wmdb file.wmdb");
        const pid_t child = cli_start(&folder, i % 2 == 0 ? SHORT_BUILD "file.wmdb"
                                                          : SHORT_BUILD "file.wmdb --resume");
        // Three of four around the commit, which takes milliseconds; the others anywhere.
        if (i % 4 == 3) {
            pause_us((int64_t)wm_rng_below(&rng, (uint64_t)whole));
        } else {
            wait_for_commit(child);
            pause_us((int64_t)wm_rng_below(&rng, 6000));
        }
        kill(child, SIGKILL);
        const int status = cli_wait(child);
        assert_true(status == 128 + SIGKILL || status == 0);
        const bool is_old = same_content("file.wmdb", "short.wmdb");
        if (!is_old && !same_content("file.wmdb", "long.wmdb"))
            fail_msg("kill %d: the file has neither the old content nor the new", i);
        *(is_old ? &ended_old : &ended_new) += 1;
        if (i % 50 == 49) do_it("waymark-build verify file.wmdb " MAP_NAMES " -q");
        if (i % 50 == 49) print_error("%d kills: old %d, new %d\n", i + 1, ended_old, ended_new);
    }
    print_message("%d kills: %d times the old content, %d times the new\n", kills, ended_old,
                  ended_new);
    assert_true(ended_old > 0);
    if (kills >= 100) assert_true(ended_new > 0);
    do_it(SHORT_BUILD "file.wmdb --resume");
    assert_true(same_content("file.wmdb", "long.wmdb"));
    assert_false(is_there("file.wmdb.waymark-tmp") || is_there("file.wmdb.partial"));
    do_it("rm -f file.wmdb short.wmdb long.wmdb out.txt err.txt");
}

// ---------------------------------------------------------------------------------------------
// Going on

// Kills a build when it has kept at least `bytes` in its checkpoint.
static void kill_after_checkpoint(const char* command, const char* partial, int64_t bytes)
{
    const test_path path = scratch_path(&folder, partial);
    const pid_t child = cli_start(&folder, command);
    struct stat info;
    for (int tries = 0; tries < 60000; tries++) {
        if (stat(path.text, &info) == 0 && info.st_size >= bytes) break;
        pause_us(1000);
    }
    kill(child, SIGKILL);
    assert_int_equal(cli_wait(child), 128 + SIGKILL);
    assert_int_equal(stat(path.text, &info), 0);
}

static size_t taken_over(const char* command)
{
    process run = cli_succeed(&folder, command);
    size_t count = 0;
    for (const char* at = run.out; (at = strstr(at, "taken over from")) != NULL; at++) count++;
    process_free(&run);
    return count;
}

#define MANY "waymark-build build " MAP_NAMES " -n 400 --seed 2 -o "

static void a_build_goes_on_where_it_was_killed(void** state)
{
    (void)state;
    // The payloads of a map come to about 1500 bytes.
    for (int64_t bytes = 1000; bytes <= 5000; bytes += 2000) {
        do_it("cp old.wmdb file.wmdb");
        kill_after_checkpoint(BUILD "file.wmdb", "file.wmdb.partial", bytes);
        assert_true(same_content("file.wmdb", "old.wmdb"));
        const size_t reused = taken_over(MANY "file.wmdb --resume");
        if (reused < 1 || reused > 9) fail_msg("%zu payloads were taken over", reused);
        assert_true(same_content("file.wmdb", "new.wmdb"));
        assert_false(is_there("file.wmdb.partial"));
    }
    assert_int_equal(taken_over(MANY "file.wmdb --resume"), 0); // there is nothing to go on from
    do_it("rm -f file.wmdb file.wmdb.waymark-tmp out.txt err.txt");
}

static void records_go_on_block_by_block(void** state)
{
    (void)state;
    static const char build[] =
        "waymark-build build m1.map --method knn -n 100000 -q -o file.wmdb --resume";
    do_it("waymark-build build m1.map --method knn -n 100000 -q -o whole.wmdb");
    kill_after_checkpoint(build, "file.wmdb.partial", 40000);
    kill_after_checkpoint(build, "file.wmdb.partial", 120000);
    assert_false(is_there("file.wmdb"));
    do_it(build);
    assert_true(same_content("file.wmdb", "whole.wmdb"));
    assert_false(is_there("file.wmdb.partial"));
    do_it("rm -f file.wmdb whole.wmdb out.txt err.txt");
}

static void checkpoints_of_other_options_or_maps_are_not_used(void** state)
{
    (void)state;
    static const char* const others[] = {
        "waymark-build build m1.map -n 400 --seed 3 --resume -o file.wmdb",
        "waymark-build build m1.map -n 401 --seed 2 --radius 9 --resume -o file.wmdb",
        "waymark-build build m1.map -n 400 --seed 2 --diagonal squeeze --resume -o file.wmdb",
        "waymark-build build m1.map -n 400 --seed 2 --agent-size 2 --resume -o file.wmdb",
        "cp m2.map n1.map && waymark-build build n1.map -n 500 --resume -o file.wmdb",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        kill_after_checkpoint(BUILD "file.wmdb", "file.wmdb.partial", 1000);
        assert_int_equal(taken_over(others[i]), 0);
        do_it("rm -f file.wmdb");
    }
    do_it("rm -f n1.map file.wmdb.waymark-tmp out.txt err.txt");
}

static void without_resume_a_build_begins_anew_and_says_so(void** state)
{
    (void)state;
    kill_after_checkpoint(BUILD "file.wmdb", "file.wmdb.partial", 1000);
    process run = cli_succeed(&folder, MANY "file.wmdb");
    assert_null(strstr(run.out, "taken over"));
    assert_contains(run.err, "--resume would go on with");
    process_free(&run);
    assert_true(same_content("file.wmdb", "new.wmdb"));
    assert_false(is_there("file.wmdb.partial"));
    do_it("rm -f file.wmdb out.txt err.txt");
}

static void a_build_that_fails_late_keeps_what_it_has(void** state)
{
    (void)state;
    // Of an interrupted build, so it is worth keeping however short this one is.
    kill_after_checkpoint(BUILD "file.wmdb", "file.wmdb.partial", 1000);
    do_it("rm -f out.txt err.txt");
    process run = cli_run(
        &folder, "waymark-build build m1.map missing.map -n 400 --seed 2 -q -o file.wmdb --resume");
    assert_int_equal(run.status, 3);
    assert_true(process_said(&run, "missing.map: there is no such file"));
    assert_true(process_said(&run, "file.wmdb.partial: go on with --resume"));
    process_free(&run);
    do_it(BUILD "file.wmdb --resume");
    assert_true(same_content("file.wmdb", "new.wmdb"));
    // A build of a moment leaves nothing behind.
    cli_fail(&folder, "waymark-build build m1.map missing.map -n 9 -q -o file.wmdb", 3,
             "missing.map: there is no such file");
    do_it("rm -f file.wmdb file.wmdb.waymark-tmp");
}

// ---------------------------------------------------------------------------------------------
// Interrupted

#define SECOND 1000000
// What a busy machine may add to the second.
#define SLACK (SECOND / 2)

// @return microseconds from the signal to the end of the program
static int64_t end_by(pid_t child, int signal_number, int expected)
{
    const int64_t begin = now_us();
    kill(child, signal_number);
    const int status = cli_wait(child);
    const int64_t us = now_us() - begin;
    if (status != expected) {
        char* text = text_of("err.txt");
        fail_msg("exit status %d, not %d: %s", status, expected, text);
    }
    return us;
}

// Interrupts a command after a while. @return microseconds until it ended
static int64_t interrupt(const char* command, long ms, int signal_number, int expected)
{
    const pid_t child = cli_start(&folder, command);
    cli_pause(ms);
    return end_by(child, signal_number, expected);
}

static const int signals[] = {SIGINT, SIGTERM};

static void an_interrupted_build_says_what_is_kept(void** state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        do_it("cp old.wmdb file.wmdb");
        // What an earlier build kept is worth keeping, however short this one is.
        kill_after_checkpoint(
            "waymark-build build m1.map --method knn -n 9000000 -q -o file.wmdb --resume",
            "file.wmdb.partial", 40000);
        const int64_t us =
            interrupt("waymark-build build m1.map --method knn -n 9000000 -q -o file.wmdb --resume",
                      300, signals[i], 130);
        expect_sentence("interrupted; file.wmdb is as it was before; ");
        expect_sentence("kept in ");
        expect_sentence("file.wmdb.partial: go on with --resume");
        assert_true(same_content("file.wmdb", "old.wmdb"));
        assert_true(is_there("file.wmdb.partial"));
        assert_false(is_there("file.wmdb.waymark-tmp"));
        if (us > SECOND + SLACK) fail_msg("%lld us", (long long)us);
        do_it("rm file.wmdb file.wmdb.partial out.txt err.txt");
    }
}

// Of a map that keeps every step of the builder busy for seconds, wherever the signal meets it.
static void a_build_of_a_large_map_ends_within_a_second_too(void** state)
{
    (void)state;
    do_it("waymark-build generate --kind rooms --size 1500x1500 --grain 64 --seed 1 -o large.map");
    for (int i = 0; i < 4; i++) {
        const int64_t us = interrupt("waymark-build build large.map --method regions --radius 40 "
                                     "--controller search:100 -q -o file.wmdb",
                                     200 + 700 * i, signals[i % 2], 130);
        expect_sentence("interrupted; file.wmdb is as it was before");
        assert_false(is_there("file.wmdb") || is_there("file.wmdb.waymark-tmp"));
        if (us > SECOND + SLACK) fail_msg("%lld us", (long long)us);
    }
    do_it("rm large.map out.txt err.txt");
}

static void an_interrupted_choice_says_that_nothing_changed(void** state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        do_it("cp old.wmdb file.wmdb");
        const int64_t us = interrupt("waymark-build select file.wmdb m1.map --algorithms 100000 "
                                     "--problems 1000 -q",
                                     700, signals[i], 130);
        expect_sentence("interrupted; file.wmdb is as it was before");
        assert_true(same_content("file.wmdb", "old.wmdb"));
        assert_false(is_there("file.wmdb.waymark-tmp"));
        if (us > SECOND + SLACK) fail_msg("%lld us", (long long)us);
        do_it("rm file.wmdb out.txt err.txt");
    }
}

// Of the finished parts, each of which ends with a line.
static size_t parts_kept(void)
{
    const test_path path = scratch_path(&folder, "study/unfinished.journal");
    char* text = file_get(&path, NULL);
    size_t count = 0;
    for (const char* at = text; at != NULL && (at = strstr(at, "\nend ")) != NULL; at++) count++;
    free(text);
    return count;
}

// Interrupts an experiment that has finished more than `known` parts.
static int64_t interrupt_experiment(const char* command, size_t known, int signal_number)
{
    const pid_t child = cli_start(&folder, command);
    for (int tries = 0; tries < 6000 && parts_kept() <= known; tries++) pause_us(10000);
    return end_by(child, signal_number, 130);
}

static void an_interrupted_experiment_keeps_its_finished_parts(void** state)
{
    (void)state;
    if (benchmarks_folder() == NULL) {
        print_message("skipped: there are no public maps\n");
        skip();
    }
    char command[800];
    const int length = snprintf(command, sizeof command,
                                "waymark-run experiment tb-static --maps '%s' --scale 0.2 -q "
                                "--out study",
                                benchmarks_folder());
    size_t known = 0;
    for (int i = 0; i < 2; i++) {
        const int64_t us = interrupt_experiment(command, known, signals[i]);
        expect_sentence("--resume");
        expect_sentence("are kept");
        if (parts_kept() <= known) fail_msg("%zu parts, after %zu", parts_kept(), known);
        known = parts_kept();
        if (us > SECOND + SLACK) fail_msg("%lld us", (long long)us);
        // Without it what is kept would be refused, not written over.
        strcpy(command + length, " --resume");
    }
    do_it("rm -rf study out.txt err.txt");
}

// ---------------------------------------------------------------------------------------------
// Disks, folders, others

static void a_full_disk_is_told_and_nothing_is_lost(void** state)
{
    (void)state;
    const test_path disk = scratch_path(&folder, "disk");
    assert_int_equal(mkdir(disk.text, 0700), 0);
    if (mount("tmpfs", disk.text, "tmpfs", 0, "size=80k") != 0) {
        assert_int_equal(rmdir(disk.text), 0);
        print_message("skipped: this user may not mount\n");
        skip();
    }
    do_it("waymark-build build " MAP_NAMES " --method knn -n 900 -q -o short.wmdb");
    do_it("cp short.wmdb long.wmdb && " SHORT_BUILD "long.wmdb");
    do_it("cp short.wmdb disk/file.wmdb");
    // Whatever is left, the file does not fit a second time, or only half of it does.
    for (int kb = 0; kb < 60; kb += 4) {
        char command[200];
        snprintf(command, sizeof command,
                 "rm -f disk/ballast disk/*.partial; head -c %dK /dev/zero > disk/ballast || true",
                 kb);
        process run = cli_run(&folder, command);
        process_free(&run);
        run = cli_run(&folder, SHORT_BUILD "disk/file.wmdb");
        if (run.status == 0) {
            assert_true(same_content("disk/file.wmdb", "long.wmdb"));
            do_it("cp short.wmdb disk/file.wmdb");
        } else {
            assert_int_equal(run.status, 3);
            if (!process_said(&run, "disk/file.wmdb")) fail_msg("%s", run.err);
            assert_true(same_content("disk/file.wmdb", "short.wmdb"));
        }
        process_free(&run);
        assert_false(is_there("disk/file.wmdb.waymark-tmp"));
    }
    assert_int_equal(umount(disk.text), 0);
    assert_int_equal(rmdir(disk.text), 0);
    do_it("rm short.wmdb long.wmdb");
}

static void a_folder_that_vanishes_is_told(void** state)
{
    (void)state;
    static const char* const vanishes[] = {"rm -rf out", "mv out gone"};
    for (size_t i = 0; i < 2; i++) {
        do_it("mkdir out && cp old.wmdb out/file.wmdb");
        const pid_t child = cli_start(
            &folder, "waymark-build build m1.map --method knn -n 40000 -q -o out/file.wmdb");
        for (int tries = 0; tries < 5000 && !is_there("out/file.wmdb.waymark-tmp"); tries++)
            pause_us(1000);
        do_it(vanishes[i]);
        assert_int_equal(cli_wait(child), 3);
        expect_sentence("file.wmdb");
        assert_false(is_there("out"));
        if (i == 1) assert_true(same_content("gone/file.wmdb", "old.wmdb"));
        do_it("rm -rf out gone out.txt err.txt");
    }
}

// A builder at work, and what another program does to its files meanwhile.
static int build_while(const char* event)
{
    const pid_t child =
        cli_start(&folder, "waymark-build build in.map --method knn -n 60000 -q -o file.wmdb");
    for (int tries = 0; tries < 5000 && !is_there("file.wmdb.partial"); tries++) pause_us(1000);
    do_it(event);
    return cli_wait(child);
}

static void a_map_replaced_meanwhile_is_the_map_that_was_read(void** state)
{
    (void)state;
    do_it("cp m1.map in.map");
    assert_int_equal(build_while("cp m2.map new.map && mv new.map in.map"), 0);
    cli_fail(&folder, "waymark-build verify file.wmdb in.map -q", 3, "another version");
    do_it("waymark-build verify file.wmdb m1.map --name in -q");
    do_it("rm -f in.map file.wmdb out.txt err.txt");
}

static void a_file_that_another_program_replaced_is_left_as_that_made_it(void** state)
{
    (void)state;
    do_it("cp m1.map in.map && cp old.wmdb file.wmdb");
    assert_int_equal(build_while("cp new.wmdb x.wmdb && mv x.wmdb file.wmdb"), 3);
    expect_sentence("changed by another program");
    assert_true(same_content("file.wmdb", "new.wmdb"));
    assert_false(is_there("file.wmdb.waymark-tmp"));
    do_it("rm -f in.map file.wmdb file.wmdb.partial out.txt err.txt");
}

static void of_two_builders_one_is_refused_and_both_find_their_file(void** state)
{
    (void)state;
    do_it("cp m1.map in.map && cp old.wmdb file.wmdb");
    assert_int_equal(build_while("! waymark-build build m2.map -n 9 -q -o file.wmdb 2> second.txt"
                                 " && grep -q 'another build is writing' second.txt"
                                 " && ! waymark-build select file.wmdb m1.map -q 2> second.txt"
                                 " && grep -q 'another build is writing' second.txt"),
                     0);
    do_it("waymark-build verify file.wmdb in.map " MAP_NAMES " -q");
    do_it("rm -f in.map file.wmdb second.txt out.txt err.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_build_leaves_the_old_content_or_the_new),
        cmocka_unit_test(a_build_goes_on_where_it_was_killed),
        cmocka_unit_test(records_go_on_block_by_block),
        cmocka_unit_test(checkpoints_of_other_options_or_maps_are_not_used),
        cmocka_unit_test(without_resume_a_build_begins_anew_and_says_so),
        cmocka_unit_test(a_build_that_fails_late_keeps_what_it_has),
        cmocka_unit_test(an_interrupted_build_says_what_is_kept),
        cmocka_unit_test(a_build_of_a_large_map_ends_within_a_second_too),
        cmocka_unit_test(an_interrupted_choice_says_that_nothing_changed),
        cmocka_unit_test(an_interrupted_experiment_keeps_its_finished_parts),
        cmocka_unit_test(a_full_disk_is_told_and_nothing_is_lost),
        cmocka_unit_test(a_folder_that_vanishes_is_told),
        cmocka_unit_test(a_map_replaced_meanwhile_is_the_map_that_was_read),
        cmocka_unit_test(a_file_that_another_program_replaced_is_left_as_that_made_it),
        cmocka_unit_test(of_two_builders_one_is_refused_and_both_find_their_file),
    };
    return cmocka_run_group_tests_name("cli_faults", tests, set_up, tear_down);
}
