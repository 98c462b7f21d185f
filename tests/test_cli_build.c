// SPDX-License-Identifier: MIT
//
// waymark-build as a user meets it: what each command prints and writes, and what wrong usage gets.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "cli.h"
#include "json_check.h"
#include "mapfile.h"
#include "records.h"

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
    do_it("waymark-build generate --kind caves --size 48x40 --seed 1 -o caves.map");
    do_it("waymark-build generate --kind rooms --size 40x44 --grain 8 --seed 1 -o rooms.map");
    do_it("waymark-build build --method knn caves.map -o caves.wmdb -n 200 --quiet");
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    scratch_remove(&folder);
    return 0;
}

static void forget(const char* name)
{
    const test_path path = scratch_path(&folder, name);
    unlink(path.text);
}

#define HASH_TEXT 17

// The content hash of the map in `name`, as `info --json` has it.
static void content_hash(char hash[HASH_TEXT], const char* file)
{
    char command[200];
    snprintf(command, sizeof command, "waymark-build info %s --json", file);
    process run = cli_succeed(&folder, command);
    const char* at = strstr(run.out, "\"content_hash\":\"");
    assert_non_null(at);
    memcpy(hash, at + strlen("\"content_hash\":\""), HASH_TEXT - 1);
    hash[HASH_TEXT - 1] = '\0';
    assert_null(strstr(at + 2, "content_hash")); // one map
    process_free(&run);
}

static void expect_hash(const char* file, const char* expected)
{
    char hash[HASH_TEXT];
    content_hash(hash, file);
    if (strcmp(hash, expected) != 0) fail_msg("%s has content %s, not %s", file, hash, expected);
}

// ---------------------------------------------------------------------------------------------
// Help

static void help_is_printed_for_the_program_and_for_every_command(void** state)
{
    (void)state;
    static const char* const commands[] = {"",       "build", "select",   "info",    "dump",
                                           "verify", "merge", "generate", "problems"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char command[100];
        snprintf(command, sizeof command, "waymark-build %s --help", commands[i]);
        process run = cli_succeed(&folder, command);
        assert_contains(run.out, "usage: waymark-build ");
        assert_contains(run.out, commands[i]);
        assert_string_equal(run.err, "");
        process_free(&run);
    }
    process run = cli_succeed(&folder, "waymark-build --version");
    assert_true(cli_matches(run.out, "waymark-build [0-9]+\\.[0-9]+\\.[0-9]+\n"));
    process_free(&run);
}

// ---------------------------------------------------------------------------------------------
// generate, problems

static void every_kind_of_map_is_generated_from_its_seed(void** state)
{
    (void)state;
    static const char* const kinds[] = {"caves", "rooms", "maze", "random"};
    for (size_t i = 0; i < 4; i++) {
        process run = process_run("cd '%s' && for s in 7 7 8; do waymark-build generate --kind %s "
                                  "--size 37x21 --seed $s -o g.map && cksum < g.map; done",
                                  folder.text, kinds[i]);
        assert_int_equal(run.status, 0);
        const size_t line = strcspn(run.out, "\n") + 1;
        assert_memory_equal(run.out, run.out + line, line);
        assert_memory_not_equal(run.out, run.out + 2 * line, line);
        process_free(&run);
        const test_path path = scratch_path(&folder, "g.map");
        char* text = file_get(&path, NULL);
        assert_true(cli_matches(text, "type octile\nheight 21\nwidth 37\nmap\n([.@]{37}\n){21}"));
        assert_non_null(strchr(text + 40, '.'));
        assert_non_null(strchr(text + 40, '@'));
        free(text);
    }
}

static void problems_are_drawn_in_their_range_from_their_seed(void** state)
{
    (void)state;
    static const char command[] = "waymark-build problems caves.map -n 50 --min-cost 10 --max-cost "
                                  "20.5 --seed 3 -o p.scen";
    const test_path path = scratch_path(&folder, "p.scen");
    do_it(command);
    char* first = file_get(&path, NULL);
    do_it(command);
    char* again = file_get(&path, NULL);
    assert_string_equal(first, again);
    assert_true(cli_matches(
        first,
        "version 1\n([0-9]+\tcaves.map\t48\t40(\t[0-9]+){4}\t(1[0-9]|20)\\.[0-9]{8}\n){50}"));
    const char* line = first;
    for (int i = 0; i < 50; i++) {
        line = strchr(line, '\n') + 1;
        const double cost =
            strtod(strchr(line, '.') == NULL ? line : line + strcspn(line, "\n") - 11, NULL);
        assert_true(cost >= 10 && cost <= 20.5);
    }
    free(first);
    free(again);
    process run = cli_succeed(&folder, "waymark-run compare caves.map --scen p.scen --algorithms "
                                       "astar --format csv");
    assert_int_equal(cli_count_lines(run.out), 51);
    process_free(&run);
    forget("p.scen");
}

static void too_few_problems_are_told_with_their_number(void** state)
{
    (void)state;
    // Ordered pairs on three cells in a row: four at cost 1, two at cost 2.
    const test_path path = scratch_path(&folder, "three.map");
    file_put_text(&path, "type octile\nheight 1\nwidth 5\nmap\n...@.\n");
    cli_fail(&folder, "waymark-build problems three.map -n 7 -o p.scen", 3, "6");
    cli_fail(&folder, "waymark-build problems three.map -n 5 --max-cost 1 -o p.scen", 3, "only 4");
    cli_fail(&folder, "waymark-build problems three.map -n 3 --min-cost 1.5 -o p.scen", 3,
             "only 2");
    cli_fail(&folder, "waymark-build problems three.map -n 1 --min-cost 3 -o p.scen", 3, "only 0");
    do_it("waymark-build problems three.map -n 6 -o p.scen");
    forget("p.scen");
}

// ---------------------------------------------------------------------------------------------
// build, info, dump

static void a_build_says_what_it_made(void** state)
{
    (void)state;
    forget("b.wmdb");
    process run = cli_succeed(
        &folder, "waymark-build build --method knn caves.map rooms.map -o b.wmdb -n 100");
    assert_string_equal(run.err, "");
    assert_true(cli_matches(run.out, "caves: knn, 100 records in .* content [0-9a-f]{16}\n"
                                     "rooms: knn, 100 records in .* content [0-9a-f]{16}\n"));
    process_free(&run);
    run =
        cli_succeed(&folder, "waymark-build build --method knn caves.map -o b.wmdb -n 100 --quiet");
    assert_string_equal(run.out, "");
    assert_string_equal(run.err, "");
    process_free(&run);
    forget("b.wmdb");
}

#define PAYLOAD_PATTERN(records, seed, chains, shard, count)                                       \
    "\\{\"method\":\"knn\",\"parameters\":\\{\"records\":" records ",\"seed\":" seed               \
    ",\"chains\":" chains ",\"pairs\":\"random\",\"shard\":\"" shard "\"\\},\"records\":" count    \
    ",\"stored_bytes\":[0-9]+,\"content_hash\":\"[0-9a-f]{16}\"\\}"
#define MAP_PATTERN(name, width, height, diagonal, payload)                                        \
    "\\{\"name\":\"" name "\",\"width\":" width ",\"height\":" height                              \
    ",\"hash\":\"[0-9a-f]{16}\",\"diagonal\":\"" diagonal "\",\"payloads\":\\[" payload "\\]\\}"

static void info_prints_json_with_exactly_the_promised_keys(void** state)
{
    (void)state;
    forget("i.wmdb");
    process run = cli_succeed(&folder, "waymark-build info caves.wmdb --json");
    assert_true(json_is_valid(run.out));
    assert_true(
        cli_matches(run.out, "\\{\"maps\":\\[" MAP_PATTERN(
                                 "caves", "48", "40", "none",
                                 PAYLOAD_PATTERN("200", "1", "false", "1/1", "200")) "\\]\\}\n"));
    process_free(&run);
    do_it("waymark-build build --method knn caves.map -o i.wmdb -n 91 --shard 2/3 --diagonal "
          "squeeze --seed "
          "18446744073709551615 --quiet");
    do_it("waymark-build build --method knn rooms.map -o i.wmdb -n 50 --chains --seed 0 --name "
          "another "
          "--quiet");
    run = cli_succeed(&folder, "waymark-build info i.wmdb --json");
    assert_true(json_is_valid(run.out));
    if (!cli_matches(run.out, "\\{\"maps\":\\[" MAP_PATTERN(
                                  "another", "40", "44", "none",
                                  PAYLOAD_PATTERN(
                                      "50", "0", "true", "1/1",
                                      "50")) "," MAP_PATTERN("caves", "48", "40", "squeeze",
                                                             PAYLOAD_PATTERN(
                                                                 "91", "18446744073709551615",
                                                                 "false", "2/3", "30")) "\\]\\}\n"))
        fail_msg("not as promised: %s", run.out);
    process_free(&run);
    forget("i.wmdb");
}

static void info_prints_text_for_people(void** state)
{
    (void)state;
    char hash[HASH_TEXT];
    content_hash(hash, "caves.wmdb");
    process run = cli_succeed(&folder, "waymark-build info caves.wmdb");
    assert_int_equal(cli_count_lines(run.out), 2);
    assert_contains(run.out, "caves: 48 x 40 cells, diagonal none");
    assert_contains(run.out, "knn: 200 records");
    assert_contains(run.out, hash);
    process_free(&run);
}

static void dump_prints_a_header_and_a_row_for_each_record(void** state)
{
    (void)state;
    process run = cli_succeed(&folder, "waymark-build dump caves.wmdb --map caves");
    assert_true(cli_matches(run.out, "start_x,start_y,goal_x,goal_y,subgoal_x,subgoal_y\n"
                                     "([0-9]+(,[0-9]+){5}\n){200}"));
    // The rows are what the library reads from the file.
    const test_path path = scratch_path(&folder, "caves.wmdb");
    wm_archive archive;
    wm_knn knn;
    assert_int_equal(wm_archive_load(&archive, path.text, NULL), WM_OK);
    assert_int_equal(wm_build_load_knn(&knn, &archive.maps[0], path.text, NULL), WM_OK);
    const char* line = run.out;
    for (uint32_t i = 0; i < knn.count; i++) {
        const wm_knn_record* record = &knn.records[i];
        const wm_cell cells[] = {record->start, record->goal, knn.subgoals[record->first_subgoal]};
        char expected[80] = "";
        for (size_t j = 0; j < 3; j++)
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%u,%u",
                     j == 0 ? "\n" : ",", cells[j] % 48, cells[j] / 48);
        line = strchr(line, '\n');
        assert_int_equal(strncmp(line++, expected, strlen(expected)), 0);
    }
    wm_knn_free(&knn);
    wm_archive_free(&archive);
    process_free(&run);
}

static void dump_adds_columns_for_chains(void** state)
{
    (void)state;
    forget("c.wmdb");
    do_it("waymark-build build --method knn rooms.map -o c.wmdb -n 80 --chains --quiet");
    process run = cli_succeed(&folder, "waymark-build dump c.wmdb --map rooms");
    assert_true(cli_matches(run.out, "start_x,start_y,goal_x,goal_y,subgoal_x,subgoal_y,"
                                     "subgoal2_x,subgoal2_y(,subgoal[0-9]+_x,subgoal[0-9]+_y)*\n"
                                     "([0-9]+(,[0-9]+){5}(,[0-9]+,[0-9]+)*(,,)*\n){80}"));
    size_t columns = 0;
    for (const char* at = run.out; *at != '\n'; at++) columns += *at == ',';
    size_t commas = 0;
    for (const char* at = run.out; *at != '\0'; at++) commas += *at == ',';
    assert_int_equal(commas, 81 * columns);
    process_free(&run);
    forget("c.wmdb");
}

static void names_may_hold_what_other_formats_have_rules_for(void** state)
{
    (void)state;
    forget("n.wmdb");
    do_it("cp caves.map 'it'\"'\"'s a \"map\", \xC3\xA9\\.map' && waymark-build build --method knn "
          "it*.map -o "
          "n.wmdb -n 20 --quiet && rm it*.map");
    process run = cli_succeed(&folder, "waymark-build info n.wmdb --json");
    assert_true(json_is_valid(run.out));
    assert_contains(run.out, "\"name\":\"it's a \\\"map\\\", \xC3\xA9\\\\\"");
    process_free(&run);
    run =
        cli_succeed(&folder, "waymark-build dump n.wmdb --map 'it'\"'\"'s a \"map\", \xC3\xA9\\'");
    assert_int_equal(cli_count_lines(run.out), 21);
    process_free(&run);
    // A file that is called nothing but .map has no name to take from it but that.
    do_it(
        "cp caves.map .map && waymark-build build --method knn .map -o n.wmdb -n 20 -q && rm .map");
    forget("n.wmdb");
}

static void the_content_does_not_depend_on_the_threads(void** state)
{
    (void)state;
    char expected[HASH_TEXT];
    for (int i = 0; i < 6; i++) {
        static const char* const threads[] = {"1", "1", "2", "2", "8", "8"};
        process run =
            process_run("cd '%s' && rm -f t.wmdb && waymark-build build --method knn caves.map -o "
                        "t.wmdb -n 500 --quiet --threads %s",
                        folder.text, threads[i]);
        assert_int_equal(run.status, 0);
        process_free(&run);
        if (i == 0) content_hash(expected, "t.wmdb");
        expect_hash("t.wmdb", expected);
    }
    forget("t.wmdb");
}

static void other_maps_in_the_file_are_kept(void** state)
{
    (void)state;
    forget("k.wmdb");
    do_it("waymark-build build --method knn caves.map -o k.wmdb -n 60 -q");
    do_it("waymark-build build --method knn rooms.map -o k.wmdb -n 70 -q");
    do_it("waymark-build build --method knn caves.map -o k.wmdb -n 80 -q --seed 5");
    process run = cli_succeed(&folder, "waymark-build info k.wmdb --json");
    assert_contains(run.out, "\"records\":80,\"seed\":5");
    assert_contains(run.out, "\"records\":70,\"seed\":1");
    assert_null(strstr(run.out, "\"records\":60"));
    process_free(&run);
    forget("k.wmdb");
}

static void a_changed_map_is_told(void** state)
{
    (void)state;
    forget("d.wmdb");
    do_it("waymark-build build --method knn caves.map -o d.wmdb -n 20 -q");
    process run = cli_succeed(
        &folder, "waymark-build build --method knn rooms.map --name caves -o d.wmdb -n 20 -q");
    assert_true(process_said(&run, "\"caves\" has changed"));
    process_free(&run);
    run = cli_succeed(&folder,
                      "waymark-build build --method knn rooms.map --name caves -o d.wmdb -n 20 -q "
                      "--diagonal squeeze");
    assert_true(process_said(&run, "\"caves\" has changed"));
    process_free(&run);
    run = cli_succeed(&folder,
                      "waymark-build build --method knn rooms.map --name caves -o d.wmdb -n 30 -q "
                      "--diagonal squeeze");
    assert_string_equal(run.err, "");
    process_free(&run);
    forget("d.wmdb");
}

// ---------------------------------------------------------------------------------------------
// verify, merge

static void verify_says_that_promises_are_kept(void** state)
{
    (void)state;
    forget("v.wmdb");
    do_it("waymark-build build --method knn caves.map rooms.map -o v.wmdb -n 150 --chains -q");
    do_it("waymark-build build --method knn caves.map -o v.wmdb -n 150 --diagonal squeeze --name "
          "wide -q");
    process run = cli_succeed(&folder, "waymark-build verify v.wmdb caves.map rooms.map");
    assert_contains(run.out, "caves: knn, 150 records keep their promises\n");
    assert_contains(run.out, "rooms: knn, 150 records keep their promises\n");
    assert_contains(run.out, "1 other map of v.wmdb not looked at");
    process_free(&run);
    run = cli_succeed(&folder, "waymark-build verify v.wmdb caves.map --name wide --diagonal "
                               "squeeze --quiet --threads 2");
    assert_string_equal(run.out, "");
    process_free(&run);
    // The map is found by its content when its file has another name.
    do_it("cp rooms.map elsewhere.map && waymark-build verify v.wmdb elsewhere.map && rm "
          "elsewhere.map");
    forget("v.wmdb");
}

static void a_broken_promise_is_exit_status_1(void** state)
{
    (void)state;
    const test_path map_path = scratch_path(&folder, "caves.map");
    const test_path path = scratch_path(&folder, "broken.wmdb");
    wm_grid grid;
    wm_edit edit;
    wm_build_report report;
    assert_int_equal(wm_mapfile_load(&grid, map_path.text, WM_DIAGONAL_NONE, NULL, NULL), WM_OK);
    wm_knn knn = records_build(&grid, records_parameters(100, 1), 1);
    knn.subgoals[40] = knn.records[40].start;
    assert_int_equal(wm_edit_begin(&edit, path.text, NULL), WM_OK);
    assert_int_equal(wm_build_store_knn(&edit.archive, "caves", grid.diagonal, &knn, &report, NULL),
                     WM_OK);
    assert_int_equal(wm_edit_commit(&edit, NULL), WM_OK);
    wm_knn_free(&knn);
    wm_grid_free(&grid);
    cli_fail(&folder, "waymark-build verify broken.wmdb caves.map", 1, "1 of 100 records");
    cli_fail(&folder, "waymark-build verify broken.wmdb caves.map -q", 1, "record 40");
    forget("broken.wmdb");
}

static void shards_in_any_order_merge_to_the_whole(void** state)
{
    (void)state;
    char whole[HASH_TEXT];
    forget("whole.wmdb");
    do_it("waymark-build build --method knn caves.map -o whole.wmdb -n 251 -q --seed 9");
    content_hash(whole, "whole.wmdb");
    static const int counts[] = {1, 2, 3, 7};
    for (size_t i = 0; i < 4; i++) {
        process run = process_run(
            "cd '%s' && for i in $(seq %d); do waymark-build build --method knn caves.map -o "
            "s$i.wmdb -n 251 -q "
            "--seed 9 --shard $i/%d || exit 9; done && waymark-build merge -o joined.wmdb "
            "$(ls s?.wmdb | sort -r) && waymark-build merge s?.wmdb -o again.wmdb",
            folder.text, counts[i], counts[i]);
        if (run.status != 0) fail_msg("%s", run.err);
        assert_string_equal(run.out, "");
        process_free(&run);
        expect_hash("joined.wmdb", whole);
        expect_hash("again.wmdb", whole);
        do_it("rm s?.wmdb joined.wmdb again.wmdb");
    }
    do_it("waymark-build verify whole.wmdb caves.map -q");
    forget("whole.wmdb");
}

static void merge_refuses_what_does_not_fit_together(void** state)
{
    (void)state;
    do_it("for i in 1 2 3; do waymark-build build --method knn caves.map -o s$i.wmdb -n 60 -q "
          "--shard $i/3; "
          "done");
    do_it("waymark-build build --method knn caves.map -o t2.wmdb -n 60 -q --shard 2/3 --seed 2");
    do_it("waymark-build build --method knn rooms.map --name caves -o other.wmdb -n 60 -q");
    do_it("waymark-build build --method knn caves.map --diagonal squeeze -o rule.wmdb -n 60 -q");
    cli_fail(&folder, "waymark-build merge -o out.wmdb s1.wmdb s3.wmdb", 3, "2 of 3 shards");
    cli_fail(&folder, "waymark-build merge -o out.wmdb s1.wmdb s2.wmdb s3.wmdb s2.wmdb", 3,
             "twice");
    cli_fail(&folder, "waymark-build merge -o out.wmdb s1.wmdb t2.wmdb s3.wmdb", 3,
             "different options");
    cli_fail(&folder, "waymark-build merge -o out.wmdb caves.wmdb other.wmdb", 3, "\"caves\"");
    cli_fail(&folder, "waymark-build merge -o out.wmdb caves.wmdb rule.wmdb", 3, "\"caves\"");
    cli_fail(&folder, "waymark-build merge -o out.wmdb caves.wmdb s1.wmdb", 3, "different");
    cli_fail(&folder, "waymark-build merge -o caves.wmdb other.wmdb", 3, "\"caves\"");
    do_it("rm s?.wmdb t2.wmdb other.wmdb rule.wmdb");
}

static void merge_adds_to_a_file(void** state)
{
    (void)state;
    char before[HASH_TEXT];
    content_hash(before, "caves.wmdb");
    do_it(
        "cp caves.wmdb m.wmdb && waymark-build build --method knn rooms.map -o r.wmdb -n 30 -q && "
        "waymark-build merge -o m.wmdb r.wmdb");
    process run = cli_succeed(&folder, "waymark-build info m.wmdb --json");
    assert_contains(run.out, before);
    assert_contains(run.out, "\"name\":\"rooms\"");
    process_free(&run);
    do_it("rm m.wmdb r.wmdb");
}

#define D_LRTA_PATTERN(level)                                                                      \
    "\\{\"method\":\"d-lrta\",\"parameters\":\\{\"level\":" level "\\},\"records\":[0-9]+,"        \
    "\"numbers\":[0-9]+,\"stored_bytes\":[0-9]+,\"content_hash\":\"[0-9a-f]{16}\"\\}"

static void d_lrta_is_built_on_request_shown_and_verified(void** state)
{
    (void)state;
    forget("d.wmdb");
    process run = cli_succeed(&folder, "waymark-build build --method d-lrta caves.map -o d.wmdb");
    assert_string_equal(run.err, "");
    assert_true(cli_matches(run.out, "caves: d-lrta, [0-9]+ abstract states of level 5 in .* "
                                     "content [0-9a-f]{16}\n"));
    process_free(&run);
    do_it("waymark-build build --method d-lrta --level 2 caves.map -o d.wmdb -q");
    run = cli_succeed(&folder, "waymark-build info d.wmdb --json");
    assert_true(json_is_valid(run.out));
    assert_true(
        cli_matches(run.out, "\\{\"maps\":\\[" MAP_PATTERN("caves", "48", "40", "none",
                                                           D_LRTA_PATTERN("2")) "\\]\\}\n"));
    process_free(&run);
    run = cli_succeed(&folder, "waymark-build info d.wmdb");
    assert_contains(run.out, "abstract states of level 2");
    process_free(&run);
    run = cli_succeed(&folder, "waymark-build verify d.wmdb caves.map");
    assert_contains(run.out, "caves: d-lrta, ");
    process_free(&run);
    run = cli_succeed(&folder, "waymark-run compare caves.map --db d.wmdb --problems 20 "
                               "--algorithms d-lrta,astar --format csv");
    assert_int_equal(cli_count_lines(run.out), 41);
    assert_null(strstr(run.out, "gave-up"));
    process_free(&run);
    cli_fail(&folder, "waymark-build verify d.wmdb rooms.map --name caves", 3, "another version");
    forget("d.wmdb");
}

static void d_lrta_joins_other_payloads_and_merges_with_its_equal(void** state)
{
    (void)state;
    do_it("waymark-build build --method d-lrta --level 3 caves.map -o a.wmdb -q");
    do_it("waymark-build build --method d-lrta --level 3 caves.map -o b.wmdb -q --threads 1");
    do_it("waymark-build build --method d-lrta --level 4 caves.map -o c.wmdb -q");
    do_it("waymark-build merge -o m.wmdb a.wmdb b.wmdb caves.wmdb");
    process run = cli_succeed(&folder, "waymark-build verify m.wmdb caves.map");
    assert_int_equal(cli_count_lines(run.out), 2); // knn and d-lrta
    process_free(&run);
    cli_fail(&folder, "waymark-build merge -o n.wmdb a.wmdb c.wmdb", 3, "other d-lrta data");
    cli_fail(&folder, "waymark-build merge -o m.wmdb c.wmdb", 3, "other d-lrta data");
    do_it("rm a.wmdb b.wmdb c.wmdb m.wmdb");
}

// ---------------------------------------------------------------------------------------------
// select

#define CHOICE_PATTERN(algorithms, problems, budget, seed)                                         \
    "\\{\"method\":\"choice\",\"parameters\":\\{\"algorithms\":" algorithms                        \
    ",\"problems\":" problems ",\"budget_expansions\":" budget ",\"seed\":" seed                   \
    "\\},\"records\":1,\"algorithm\":\"[^\"]+\",\"mean_percent\":[0-9]+\\.[0-9]{3},"               \
    "\"max_expansions_per_move\":[0-9]+,\"stored_bytes\":[0-9]+,\"content_hash\":\""               \
    "[0-9a-f]{16}\"\\}"

#define SELECT "waymark-build select s.wmdb caves.map --algorithms 8 --problems 12 --seed 5 "

static void a_choice_is_made_shown_and_verified(void** state)
{
    (void)state;
    forget("s.wmdb");
    process run = cli_succeed(&folder, SELECT "rooms.map --budget-expansions 40");
    assert_string_equal(run.err, "");
    assert_true(cli_matches(run.out, "caves: choice [^ ]+ of 23 algorithms in .* mean .*\n"
                                     "rooms: choice [^ ]+ of 23 algorithms in .* mean .*\n"
                                     "single best over 2 maps: .* %\n"));
    process_free(&run);
    run = cli_succeed(&folder, "waymark-build info s.wmdb --json");
    assert_true(json_is_valid(run.out));
    assert_true(cli_matches(
        run.out, "\\{\"maps\":\\[" MAP_PATTERN(
                     "caves", "48", "40", "none",
                     CHOICE_PATTERN("23", "12", "40",
                                    "5")) "," MAP_PATTERN("rooms", "40", "44", "none",
                                                          CHOICE_PATTERN("23", "12", "40",
                                                                         "5")) "\\]\\}\n"));
    process_free(&run);
    run = cli_succeed(&folder, "waymark-build info s.wmdb");
    assert_contains(run.out, " of 23 algorithms, seed 5, mean ");
    process_free(&run);
    run = cli_succeed(&folder, "waymark-build verify s.wmdb caves.map rooms.map");
    assert_true(cli_matches(run.out, "caves: choice, .* as stored\nrooms: choice, .* as stored\n"));
    process_free(&run);
    run = cli_succeed(&folder, "waymark-run compare caves.map --db s.wmdb --problems 20 "
                               "--algorithms auto --format csv");
    assert_int_equal(cli_count_lines(run.out), 21);
    process_free(&run);
    forget("s.wmdb");
}

static void a_choice_joins_other_payloads_and_does_not_depend_on_the_threads(void** state)
{
    (void)state;
    do_it("cp caves.wmdb s.wmdb && " SELECT "--threads 1 -q");
    do_it("cp s.wmdb t.wmdb && " SELECT "--threads 3 -q");
    do_it("waymark-build merge -o m.wmdb s.wmdb t.wmdb"); // refused unless they are equal
    process run = cli_succeed(&folder, "waymark-build verify m.wmdb caves.map");
    assert_int_equal(cli_count_lines(run.out), 2); // knn and choice
    process_free(&run);
    do_it(SELECT "--budget-expansions 30 -q");
    cli_fail(&folder, "waymark-build merge -o n.wmdb s.wmdb t.wmdb", 3, "other choice data");
    do_it("rm s.wmdb t.wmdb m.wmdb");
}

// Writes a choice over the one in s.wmdb that differs in its mean or its SPEC.
static void tamper(const char* spec, uint32_t more)
{
    const test_path path = scratch_path(&folder, "s.wmdb");
    const test_path map_path = scratch_path(&folder, "caves.map");
    wm_edit edit;
    wm_grid grid;
    wm_choice choice;
    wm_buffer payload = {0};
    wm_buffer blob = {0};
    wm_error error = {""};
    size_t dropped;
    assert_int_equal(wm_mapfile_load(&grid, map_path.text, WM_DIAGONAL_NONE, NULL, &error), WM_OK);
    assert_int_equal(wm_edit_begin(&edit, path.text, &error), WM_OK);
    const wm_stored_map* map = wm_archive_find(&edit.archive, "caves");
    const wm_stored_payload* stored = wm_stored_map_payload(map, WM_METHOD_CHOICE);
    assert_int_equal(wm_build_open_payload(&payload, map, stored, "s", &error), WM_OK);
    assert_int_equal(wm_build_read_choice(&choice, map, &payload, "s", &error), WM_OK);
    choice.mean += more;
    if (spec != NULL) snprintf(choice.spec, sizeof choice.spec, "%s", spec);
    assert_int_equal(wm_choice_seal(&blob, NULL, &choice), WM_OK);
    assert_int_equal(wm_build_store_blob(&edit.archive, "caves", &grid, WM_METHOD_CHOICE, &blob,
                                         &dropped, &error),
                     WM_OK);
    assert_int_equal(wm_edit_commit(&edit, &error), WM_OK);
    wm_buffer_free(&payload);
    wm_grid_free(&grid);
}

static void a_choice_that_does_not_hold_is_exit_status_1(void** state)
{
    (void)state;
    forget("s.wmdb");
    do_it(SELECT "-q");
    tamper(NULL, 1);
    cli_fail(&folder, "waymark-build verify s.wmdb caves.map", 1, "the choice of \"caves\"");
    tamper("regions", 0); // it has none
    cli_fail(&folder, "waymark-build verify s.wmdb caves.map", 1, "the choice of \"caves\"");
    tamper("frobnicate", 0);
    cli_fail(&folder, "waymark-build verify s.wmdb caves.map", 1, "frobnicate");
    do_it("waymark-run path caves.map --db s.wmdb --algorithm auto --from $(waymark-build problems "
          "caves.map -n 1 -o p.scen && awk 'NR == 2 {print $5 \",\" $6 \" --to \" $7 \",\" $8}' "
          "p.scen)");
    do_it(SELECT "-q");
    do_it("waymark-build verify s.wmdb caves.map");
    do_it("rm s.wmdb p.scen");
}

static void what_cannot_be_chosen_for_is_told(void** state)
{
    (void)state;
    const test_path path = scratch_path(&folder, "alone.map");
    file_put_text(&path, "type octile\nheight 1\nwidth 5\nmap\n.@.@.\n");
    cli_fail(&folder, "waymark-build select x.wmdb alone.map", 3, "no two connected cells");
    cli_fail(&folder, "waymark-build select x.wmdb none.map", 3, "none.map");
    cli_fail(&folder, "waymark-build select caves.map caves.map", 3, "caves.map");
    forget("alone.map");
}

// ---------------------------------------------------------------------------------------------
// Wrong usage

static void one_map_is_exported_and_read_like_any_database(void** state)
{
    (void)state;
    do_it("cp caves.wmdb two.wmdb && waymark-build build --method regions rooms.map -o two.wmdb "
          "--quiet && waymark-build build --method regions caves.map -o two.wmdb --quiet");
    process run = cli_succeed(&folder, "waymark-build export two.wmdb --map caves -o caves.wmb");
    assert_true(cli_matches(run.out, "caves: 2 payloads, [0-9]+ bytes\n"));
    process_free(&run);
    // What info and dump print of the map is the same.
    do_it("waymark-build info two.wmdb | sed -n '/^caves/,/^rooms/p' | grep -v ^rooms > a.txt && "
          "waymark-build info caves.wmb > b.txt && cmp a.txt b.txt");
    do_it("waymark-build dump two.wmdb --map caves > a.txt && "
          "waymark-build dump caves.wmb --map caves > b.txt && cmp a.txt b.txt");
    run = cli_succeed(&folder, "waymark-build verify caves.wmb caves.map");
    assert_contains(run.out, "records keep their promises");
    assert_contains(run.out, "caves: regions");
    process_free(&run);
    do_it("waymark-build export two.wmdb --map rooms -o rooms.wmb --quiet > out.txt && "
          "test ! -s out.txt");
    do_it("waymark-build merge rooms.wmb caves.wmb -o again.wmdb && "
          "waymark-build info two.wmdb > a.txt && waymark-build info again.wmdb > b.txt && "
          "cmp a.txt b.txt");
    // It is a file like others: written again over itself, from itself too.
    do_it("cp caves.wmb c.wmb && waymark-build export caves.wmb --map caves -o c.wmb --quiet && "
          "cmp c.wmb caves.wmb");
    do_it("rm two.wmdb again.wmdb rooms.wmb c.wmb a.txt b.txt out.txt");
    cli_fail(&folder, "waymark-build verify caves.wmb rooms.map", 3, "has nothing for rooms.map");
    cli_fail(&folder, "waymark-build verify caves.wmb caves.map --diagonal squeeze", 3,
             "--diagonal none");
    cli_fail(&folder, "waymark-build build caves.map -o caves.wmb", 3, "cannot be added to");
    cli_fail(&folder, "waymark-build select caves.wmb caves.map", 3, "cannot be added to");
    cli_fail(&folder, "waymark-build merge caves.wmdb -o caves.wmb", 3, "cannot be added to");
    do_it("head -c 300 caves.wmb > cut.wmb");
    cli_fail(&folder, "waymark-build info cut.wmb", 3, "cut.wmb is damaged or cut short");
    do_it("rm cut.wmb caves.wmb");
}

static void what_cannot_be_exported_is_told(void** state)
{
    (void)state;
    cli_fail(&folder, "waymark-build export caves.wmdb --map cellar -o x.wmb", 3,
             "caves.wmdb has no map \"cellar\"");
    cli_fail(&folder, "waymark-build export caves.map --map caves -o x.wmb", 3,
             "caves.map is not a Waymark database");
    cli_fail(&folder, "waymark-build export missing.wmdb --map caves -o x.wmb", 3,
             "missing.wmdb: there is no such file");
    cli_fail(&folder, "waymark-build export caves.wmdb --map caves -o caves.map", 3,
             "caves.map is there and is no .wmb file");
    cli_fail(&folder, "waymark-build export caves.wmdb --map caves -o missing/x.wmb", 3,
             "missing/x.wmb");
}

static void a_file_holds_a_map_for_every_size_of_agents(void** state)
{
    (void)state;
    do_it("cp caves.wmdb sizes.wmdb");
    for (int size = 2; size <= 3; size++) {
        char command[200];
        char expected[80];
        snprintf(command, sizeof command,
                 "waymark-build build caves.map -o sizes.wmdb -n 100 --agent-size %d", size);
        process run = cli_succeed(&folder, command);
        snprintf(expected, sizeof expected, "caves@%d: knn, 100 records", size);
        assert_contains(run.out, expected);
        snprintf(expected, sizeof expected, "caves@%d: regions", size);
        assert_contains(run.out, expected);
        process_free(&run);
    }
    do_it("waymark-build select sizes.wmdb caves.map --agent-size 2 --algorithms 1 --problems 5 "
          "--quiet");
    process run = cli_succeed(&folder, "waymark-build info sizes.wmdb");
    assert_contains(run.out, "caves: 48 x 40");
    assert_contains(run.out, "caves@2: 48 x 40");
    assert_contains(run.out, "caves@3: 48 x 40");
    assert_contains(run.out, "choice: ");
    process_free(&run);
    run = cli_succeed(&folder, "waymark-build verify sizes.wmdb caves.map --agent-size 2");
    assert_contains(run.out, "caves@2: knn");
    assert_contains(run.out, "caves@2: choice");
    assert_contains(run.out, "2 other maps");
    process_free(&run);
    do_it("waymark-build verify sizes.wmdb caves.map --quiet");
    do_it("waymark-build verify sizes.wmdb caves.map --name caves --agent-size 3 --quiet");
    // With a name of one's own, too.
    do_it(
        "waymark-build build caves.map -o sizes.wmdb --method knn -n 50 --name den --agent-size 2 "
        "--quiet && waymark-build verify sizes.wmdb caves.map --name den --agent-size 2 --quiet");
    do_it("waymark-build export sizes.wmdb --map caves@2 -o caves2.wmb --quiet && "
          "waymark-build verify caves2.wmb caves.map --agent-size 2 --quiet");
    do_it("waymark-build problems caves.map -n 5 --agent-size 3 -o three.scen && "
          "test $(wc -l < three.scen) = 6");
    cli_fail(&folder, "waymark-build verify caves2.wmb caves.map --agent-size 3", 3,
             "has nothing for caves.map");
    cli_fail(&folder, "waymark-build verify sizes.wmdb caves.map --name caves@3 --agent-size 1", 3,
             "for agents of size 3, not 1; pass --agent-size 3");
    do_it("rm sizes.wmdb caves2.wmb three.scen");
    do_it("cp caves.map sized@2.map");
    cli_fail(&folder, "waymark-build build sized@2.map -o x.wmdb", 2, "how data for larger agents");
    cli_fail(&folder, "waymark-build select x.wmdb sized@2.map --problems 2", 2, "rename");
    do_it("rm sized@2.map");
}

static void wrong_usage_is_exit_status_2(void** state)
{
    (void)state;
    static const struct {
        const char* arguments;
        const char* word;
    } cases[] = {
        {"", "no command"},
        {"frobnicate", "build, select, info, dump, verify, export, merge, generate and problems"},
        {"Build caves.map -o x.wmdb", "'Build'"},
        {"build", "MAP"},
        {"build caves.map", "-o"},
        {"build -o x.wmdb", "MAP"},
        {"build caves.map -o", "-o"},
        {"build caves.map -o ''", "empty"},
        {"build caves.map -o x.wmdb --frobnicate", "--frobnicate"},
        {"build caves.map -o x.wmdb -z", "-z"},
        {"build caves.map -o x.wmdb --threads 0", "--threads is '0'"},
        {"build caves.map -o x.wmdb --threads many", "--threads is 'many'"},
        {"build caves.map -o x.wmdb --seed -1", "--seed is '-1'"},
        {"build caves.map -o x.wmdb --seed 18446744073709551616", "--seed"},
        {"build caves.map -o x.wmdb --diagonal maybe", "none or squeeze"},
        {"build caves.map -o x.wmdb --shard 0/3", "--shard is '0/3'"},
        {"build caves.map -o x.wmdb --shard 4/3", "--shard is '4/3'"},
        {"build caves.map -o x.wmdb --shard 3", "--shard is '3'"},
        {"build caves.map -o x.wmdb --shard 1/0", "--shard is '1/0'"},
        {"build caves.map -o x.wmdb --shard 1/2/3", "--shard"},
        {"build caves.map -o x.wmdb --shard /", "--shard"},
        {"build caves.map -o x.wmdb --shard 1/4 -n 3", "--shard"},
        {"build caves.map -o x.wmdb --name ''", "empty"},
        {"build caves.map -o x.wmdb --name \"$(printf 'a\\nb')\"", "--name"},
        {"build caves.map -o x.wmdb --name \"$(printf 'x%0300d' 1)\"", "--name"},
        {"build caves.map rooms.map -o x.wmdb --name both", "--name goes with one map"},
        {"build caves.map caves.map -o x.wmdb", "\"caves\""},
        {"build caves.map ./caves.map -o x.wmdb", "\"caves\""},
        {"build caves.map -o x.wmdb --method d-lrta --level 0", "--level is '0'"},
        {"build caves.map -o x.wmdb --method d-lrta --level 11", "--level is '11'"},
        {"build caves.map -o x.wmdb --method d-lrta --level five", "from 1 to 10"},
        {"build caves.map -o x.wmdb --method d-lrta --level ''", "--level has an empty value"},
        {"build caves.map -o x.wmdb --method d-lrta --level 3 --level 4", "--level"},
        {"build caves.map -o x.wmdb --level 3", "--level is for --method d-lrta"},
        {"build caves.map -o x.wmdb --method knn --level 3", "--level is for --method d-lrta"},
        {"build caves.map -o x.wmdb --method d-lrta --radius 3", "--method regions"},
        {"build caves.map -o x.wmdb --method d-lrta --shard 1/2", "--shard is for --method knn"},
        {"build caves.map -o x.wmdb --method d_lrta", "d-lrta"},
        {"build caves.map -o x.wmdb --agent-size 0", "--agent-size is '0'"},
        {"build caves.map -o x.wmdb --agent-size 4", "from 1 to 3"},
        {"build caves.map -o x.wmdb --agent-size two", "--agent-size is 'two'"},
        {"build caves.map -o x.wmdb --name caves@2", "--agent-size"},
        {"select x.wmdb caves.map --agent-size 4", "--agent-size is '4'"},
        {"verify caves.wmdb caves.map --agent-size -1", "--agent-size is '-1'"},
        {"problems caves.map -n 5 -o x.scen --agent-size 9", "--agent-size is '9'"},
        {"export", "FILE"},
        {"export caves.wmdb -o x.wmb", "--map"},
        {"export caves.wmdb --map caves", "-o"},
        {"export caves.wmdb --map caves -o caves.wmdb", "would overwrite caves.wmdb"},
        {"select", "FILE"},
        {"select x.wmdb", "MAP"},
        {"select x.wmdb caves.map caves.map", "caves.map is given twice"},
        {"select x.wmdb caves.map --budget-expansions 0", "--budget-expansions is '0'"},
        {"select x.wmdb caves.map --budget-expansions 10001", "from 1 to 10000"},
        {"select x.wmdb caves.map --algorithms -1", "--algorithms is '-1'"},
        {"select x.wmdb caves.map --algorithms many", "--algorithms is 'many'"},
        {"select x.wmdb caves.map --problems 0", "--problems is '0'"},
        {"select x.wmdb caves.map --threads 0", "--threads is '0'"},
        {"select x.wmdb caves.map --seed -1", "--seed is '-1'"},
        {"select x.wmdb caves.map --diagonal maybe", "none or squeeze"},
        {"select x.wmdb caves.map ./caves.map --problems 2 --algorithms 0", "both \"caves\""},
        {"info", "FILE"},
        {"info caves.wmdb caves.wmdb", "too often"},
        {"dump caves.wmdb", "--map"},
        {"dump --map caves", "FILE"},
        {"verify caves.wmdb", "MAP"},
        {"verify caves.wmdb caves.map rooms.map --name caves", "--name goes with one map"},
        {"merge caves.wmdb", "-o"},
        {"merge -o x.wmdb", "FILE"},
        {"generate --kind caves --size 10x10", "-o"},
        {"generate --size 10x10 -o x.map", "--kind"},
        {"generate --kind caves -o x.map", "--size"},
        {"generate --kind lakes --size 10x10 -o x.map", "caves, rooms, maze or random"},
        {"generate --kind caves --size 10 -o x.map", "--size is '10'"},
        {"generate --kind caves --size 0x10 -o x.map", "--size is '0x10'"},
        {"generate --kind caves --size 4097x10 -o x.map", "--size"},
        {"generate --kind caves --size 10x-1 -o x.map", "--size"},
        {"generate --kind random --size 10x10 --density 101 -o x.map", "--density is '101'"},
        {"generate --kind maze --size 10x10 --density 5 -o x.map", "--density"},
        {"generate --kind maze --size 10x10 --grain 0 -o x.map", "--grain is '0'"},
        {"problems caves.map -o x.scen", "-n"},
        {"problems caves.map -n 5", "-o"},
        {"problems caves.map -n 5 -o caves.map", "would overwrite caves.map"},
        {"problems caves.map -n 5 --output ''", "--output has an empty value"},
        {"problems caves.map -n 5 --min-cost x -o x.scen", "--min-cost is 'x'"},
        {"problems caves.map -n 5 --max-cost -3 -o x.scen", "--max-cost is '-3'"},
        {"problems caves.map -n 5 --min-cost 7 --max-cost 6 -o x.scen", "--min-cost 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char command[300];
        snprintf(command, sizeof command, "waymark-build %s", cases[i].arguments);
        cli_fail(&folder, command, 2, cases[i].word);
    }
}

static void a_number_of_records_that_is_none_is_named_with_its_range(void** state)
{
    (void)state;
    static const char* const numbers[] = {"0",    "-5",  "1e99", "12abc",    "18446744073709551616",
                                          "0x10", "1.5", "+3",   "10000001", "''",
                                          "' 5'"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char command[200];
        snprintf(command, sizeof command,
                 "waymark-build build --method knn caves.map -o caves.wmdb -n %s", numbers[i]);
        cli_fail(&folder, command, 2, numbers[i][0] == '\'' ? "-" : "from 1 to 10000000");
        snprintf(command, sizeof command, "waymark-build problems caves.map -o x.scen -n %s",
                 numbers[i]);
        cli_fail(&folder, command, 2, numbers[i][0] == '\'' ? "-" : "from 1 to 10000000");
    }
}

static void two_maps_of_one_name_are_wrong_usage(void** state)
{
    (void)state;
    do_it("mkdir -p sub && cp rooms.map sub/caves.map");
    cli_fail(&folder, "waymark-build build --method knn caves.map sub/caves.map -o caves.wmdb", 2,
             "caves.map and sub/caves.map have the same name \"caves\"");
    do_it("rm -r sub");
}

static void standard_output_that_cannot_be_written_is_told(void** state)
{
    (void)state;
    cli_fail(&folder, "waymark-build info caves.wmdb > /dev/full", 3, "standard output");
    cli_fail(&folder, "waymark-build info caves.wmdb --json > /dev/full", 3, "standard output");
    cli_fail(&folder, "waymark-build dump caves.wmdb --map caves > /dev/full", 3,
             "standard output");
    cli_fail(&folder, "waymark-build verify caves.wmdb caves.map > /dev/full", 3,
             "standard output");
}

static void a_second_builder_is_kept_out(void** state)
{
    (void)state;
    const test_path path = scratch_path(&folder, "caves.wmdb");
    wm_edit edit;
    assert_int_equal(wm_edit_begin(&edit, path.text, NULL), WM_OK);
    cli_fail(&folder, "waymark-build build --method knn rooms.map -o caves.wmdb -n 20", 3,
             "another build");
    cli_fail(&folder, "waymark-build merge -o caves.wmdb caves.wmdb", 3, "another build");
    wm_edit_abandon(&edit);
}

// ---------------------------------------------------------------------------------------------
// Ctrl-C

static void expect_one_line(const char* name, const char* word)
{
    const test_path path = scratch_path(&folder, name);
    char* text = file_get(&path, NULL);
    assert_non_null(text);
    if (cli_count_lines(text) != 1) fail_msg("not one line: %s", text);
    assert_contains(text, word);
    free(text);
}

static void an_interrupted_build_leaves_the_file_as_it_was(void** state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM};
    const test_path temporary = scratch_path(&folder, "caves.wmdb.waymark-tmp");
    for (size_t i = 0; i < 2; i++) {
        const uint64_t before = cli_digest(&folder);
        const pid_t child = cli_start(
            &folder,
            "waymark-build build --method knn rooms.map -o caves.wmdb -n 10000000 --threads 2 -q");
        for (int tries = 0; tries < 1000 && access(temporary.text, F_OK) != 0; tries++)
            cli_pause(5);
        assert_int_equal(access(temporary.text, F_OK), 0);
        cli_pause(20);
        kill(child, signals[i]);
        assert_int_equal(cli_wait(child), 130);
        expect_one_line("err.txt", "interrupted; caves.wmdb is as it was before");
        do_it("test ! -s out.txt && rm -f out.txt err.txt caves.wmdb.partial");
        assert_true(cli_digest(&folder) == before); // no temporary either
    }
}

static void a_build_interrupted_at_any_moment_leaves_nothing_but_checkpoints(void** state)
{
    (void)state;
    for (long delay = 0; delay < 20; delay++) {
        const uint64_t before = cli_digest(&folder);
        const pid_t child = cli_start(
            &folder,
            "waymark-build build --method knn rooms.map -o caves.wmdb -n 10000000 --threads 2 -q");
        cli_pause(delay);
        kill(child, SIGINT);
        assert_int_equal(cli_wait(child), 130);
        do_it("rm -f out.txt err.txt caves.wmdb.partial");
        if (cli_digest(&folder) != before) fail_msg("interrupted after %ld ms", delay);
    }
}

static void an_interrupted_verification_says_so(void** state)
{
    (void)state;
    forget("large.wmdb");
    do_it("waymark-build generate --kind random --size 256x256 -o large.map");
    do_it("waymark-build build --method knn large.map -o large.wmdb -n 20000 -q");
    const pid_t child =
        cli_start(&folder, "waymark-build verify large.wmdb large.map --threads 1 -q");
    cli_pause(200);
    kill(child, SIGINT);
    assert_int_equal(cli_wait(child), 130);
    expect_one_line("err.txt", "interrupted");
    do_it("test ! -s out.txt && rm out.txt err.txt large.map large.wmdb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_is_printed_for_the_program_and_for_every_command),
        cmocka_unit_test(every_kind_of_map_is_generated_from_its_seed),
        cmocka_unit_test(problems_are_drawn_in_their_range_from_their_seed),
        cmocka_unit_test(too_few_problems_are_told_with_their_number),
        cmocka_unit_test(a_build_says_what_it_made),
        cmocka_unit_test(info_prints_json_with_exactly_the_promised_keys),
        cmocka_unit_test(info_prints_text_for_people),
        cmocka_unit_test(dump_prints_a_header_and_a_row_for_each_record),
        cmocka_unit_test(dump_adds_columns_for_chains),
        cmocka_unit_test(names_may_hold_what_other_formats_have_rules_for),
        cmocka_unit_test(the_content_does_not_depend_on_the_threads),
        cmocka_unit_test(other_maps_in_the_file_are_kept),
        cmocka_unit_test(a_changed_map_is_told),
        cmocka_unit_test(verify_says_that_promises_are_kept),
        cmocka_unit_test(a_broken_promise_is_exit_status_1),
        cmocka_unit_test(shards_in_any_order_merge_to_the_whole),
        cmocka_unit_test(merge_refuses_what_does_not_fit_together),
        cmocka_unit_test(merge_adds_to_a_file),
        cmocka_unit_test(d_lrta_is_built_on_request_shown_and_verified),
        cmocka_unit_test(d_lrta_joins_other_payloads_and_merges_with_its_equal),
        cmocka_unit_test(a_choice_is_made_shown_and_verified),
        cmocka_unit_test(a_choice_joins_other_payloads_and_does_not_depend_on_the_threads),
        cmocka_unit_test(a_choice_that_does_not_hold_is_exit_status_1),
        cmocka_unit_test(what_cannot_be_chosen_for_is_told),
        cmocka_unit_test(one_map_is_exported_and_read_like_any_database),
        cmocka_unit_test(what_cannot_be_exported_is_told),
        cmocka_unit_test(a_file_holds_a_map_for_every_size_of_agents),
        cmocka_unit_test(wrong_usage_is_exit_status_2),
        cmocka_unit_test(a_number_of_records_that_is_none_is_named_with_its_range),
        cmocka_unit_test(two_maps_of_one_name_are_wrong_usage),
        cmocka_unit_test(standard_output_that_cannot_be_written_is_told),
        cmocka_unit_test(a_second_builder_is_kept_out),
        cmocka_unit_test(an_interrupted_build_leaves_the_file_as_it_was),
        cmocka_unit_test(a_build_interrupted_at_any_moment_leaves_nothing_but_checkpoints),
        cmocka_unit_test(an_interrupted_verification_says_so),
    };
    return cmocka_run_group_tests_name("cli_build", tests, set_up, tear_down);
}
