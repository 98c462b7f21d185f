// SPDX-License-Identifier: MIT
//
// What bad input gets from both programs: maps, problems, databases and outputs that are missing,
// damaged, made for something else, or larger than they may be. Every failure is one sentence and
// an exit status, and changes no file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "cli.h"
#include "mapfile.h"
#include "records.h"

static test_path folder;

static void do_it(const char* command)
{
    process run = cli_succeed(&folder, command);
    process_free(&run);
}

static void put_text(const char* name, const char* text)
{
    const test_path path = scratch_path(&folder, name);
    file_put_text(&path, text);
}

static void put_bytes(const char* name, const void* bytes, size_t size)
{
    const test_path path = scratch_path(&folder, name);
    file_put(&path, bytes, size);
}

// A file of 5 GB that takes no room.
static void put_huge(const char* name, const char* text)
{
    const test_path path = scratch_path(&folder, name);
    file_put_text(&path, text);
    assert_int_equal(truncate(path.text, (off_t)5 << 30), 0);
}

static int set_up(void** state)
{
    (void)state;
    folder = scratch_create();
    do_it("waymark-build generate --kind caves --size 48x40 --seed 1 -o caves.map");
    do_it("waymark-build generate --kind rooms --size 40x44 --seed 1 -o rooms.map");
    do_it("waymark-build build --method knn caves.map -o good.wmdb -n 200 --quiet");
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    scratch_remove(&folder);
    return 0;
}

// Puts `name` in the place of %s and expects the failure.
static void expect(const char* format, const char* name, int status, const char* word)
{
    char command[600];
    const char* place = strstr(format, "%s");
    assert_non_null(place);
    snprintf(command, sizeof command, "%.*s%s%s", (int)(place - format), format, name, place + 2);
    cli_fail(&folder, command, status, word);
}

// ---------------------------------------------------------------------------------------------
// Maps

static const char* const map_commands[] = {
    "waymark-build build --method knn %s -o new.wmdb -n 10",
    "waymark-build build --method knn %s -o good.wmdb -n 10",
    "waymark-build build --method knn caves.map %s -o good.wmdb -n 10 -q",
    "waymark-build verify good.wmdb %s",
    "waymark-build problems %s -n 5 -o new.scen",
    "waymark-run path %s --from 1,1 --to 2,2",
    "waymark-run query %s --db good.wmdb --from 1,1 --to 2,2",
    "waymark-run compare %s --problems 2 --algorithms astar",
};

static void expect_bad_map(const char* name, const char* word)
{
    for (size_t i = 0; i < sizeof map_commands / sizeof map_commands[0]; i++)
        expect(map_commands[i], name, 3, word);
}

static void maps_that_are_not_there_or_empty_are_refused(void** state)
{
    (void)state;
    expect_bad_map("missing.map", "missing.map");
    expect_bad_map("nowhere/missing.map", "nowhere/missing.map");
    expect_bad_map(".", "folder");
    put_text("empty.map", "");
    expect_bad_map("empty.map", "empty.map: the file is empty");
    put_text("blank.map", "\n\n\n");
    expect_bad_map("blank.map", "blank.map:");
}

static void a_sentence_stays_one_line_whatever_a_file_is_called(void** state)
{
    (void)state;
    static const char name[] = "\"$(printf 'two\\nlines\\033[2J.map')\"";
    // Nothing can be stored under such a name, so building is wrong usage.
    for (size_t i = 0; i < sizeof map_commands / sizeof map_commands[0]; i++)
        expect(map_commands[i], name, i < 3 ? 2 : 3, "two?lines?[2J.map");
}

static void maps_that_are_cut_short_are_refused(void** state)
{
    (void)state;
    const test_path path = scratch_path(&folder, "caves.map");
    size_t size;
    char* text = file_get(&path, &size);
    // Within each header line, between them, within the rows; the last byte is a line end that may
    // be missing.
    const size_t cuts[] = {1, 4, 11, 12, 20, 22, 30, 33, 36, 37, 60, size / 2, size - 2};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        put_bytes("cut.map", text, cuts[i]);
        expect(map_commands[i % 8], "cut.map", 3, "cut.map:");
        expect(map_commands[1], "cut.map", 3, "cut.map:");
    }
    free(text);
}

static void maps_of_another_kind_are_refused(void** state)
{
    (void)state;
    char binary[3000];
    for (size_t i = 0; i < sizeof binary; i++) binary[i] = (char)(i * 7919 % 251);
    put_bytes("binary.map", binary, sizeof binary);
    expect_bad_map("binary.map", "binary.map:");
    do_it("cp good.wmdb database.map");
    expect_bad_map("database.map", "database.map:");
    put_text("zero.map", "type octile\nheight 1\nwidth 3\nmap\n.");
    do_it("printf '\\0.\\n' >> zero.map");
    expect_bad_map("zero.map", "zero.map:5:");
    put_text("corner.map", "type octile-corner\nheight 1\nwidth 3\nmap\n...\n");
    expect_bad_map("corner.map", "corner.map:1: the map is of type 'octile-corner'");
    put_text("letter.map", "type octile\nheight 2\nwidth 3\nmap\n...\n.X.\n");
    expect_bad_map("letter.map", "letter.map:6: column 2 holds 'X'");
}

static void maps_of_another_size_than_they_say_are_refused(void** state)
{
    (void)state;
    put_text("low.map", "type octile\nheight 3\nwidth 3\nmap\n...\n...\n");
    expect_bad_map("low.map", "low.map:6: the map ends after 2 rows where the height is 3");
    put_text("high.map", "type octile\nheight 1\nwidth 3\nmap\n...\n...\n");
    expect_bad_map("high.map", "high.map:6:");
    put_text("wide.map", "type octile\nheight 1\nwidth 3\nmap\n....\n");
    expect_bad_map("wide.map", "wide.map:5:");
    put_text("narrow.map", "type octile\nheight 1\nwidth 3\nmap\n..\n");
    expect_bad_map("narrow.map", "narrow.map:5:");
    put_text("negative.map", "type octile\nheight -1\nwidth 3\nmap\n...\n");
    expect_bad_map("negative.map", "negative.map:2:");
}

static void maps_that_claim_4_gb_are_refused(void** state)
{
    (void)state;
    put_text("claim.map", "type octile\nheight 65536\nwidth 65536\nmap\n...\n");
    expect_bad_map("claim.map", "claim.map:2: the height is '65536'");
    put_text("overflow.map", "type octile\nheight 1\nwidth 4294967299\nmap\n...\n");
    expect_bad_map("overflow.map", "overflow.map:3: the width is '4294967299'");
    put_text("largest.map", "type octile\nheight 4096\nwidth 4096\nmap\n...\n");
    expect_bad_map("largest.map", "largest.map:5:");
    put_huge("huge.map", "type octile\nheight 1\nwidth 3\nmap\n...\n");
    expect_bad_map("huge.map", "huge.map: the file has more than");
    do_it("rm huge.map");
}

static void maps_with_nothing_to_store_are_refused(void** state)
{
    (void)state;
    put_text("tiny.map", "type octile\nheight 1\nwidth 1\nmap\n.\n");
    put_text("walls.map", "type octile\nheight 2\nwidth 2\nmap\n@@\n@@\n");
    cli_fail(&folder, "waymark-build build --method knn tiny.map -o good.wmdb", 3, "tiny.map");
    cli_fail(&folder, "waymark-build build --method knn walls.map -o good.wmdb", 3, "walls.map");
    cli_fail(&folder, "waymark-build build --method d-lrta walls.map -o good.wmdb", 3, "walls.map");
    cli_fail(&folder, "waymark-build problems walls.map -n 1 -o new.scen", 3, "walls.map");
}

// ---------------------------------------------------------------------------------------------
// Problems

static void expect_bad_scen(const char* name, const char* word)
{
    expect("waymark-run compare caves.map --algorithms astar --scen %s", name, 3, word);
}

static void problems_that_cannot_be_read_are_refused(void** state)
{
    (void)state;
    char binary[3000];
    for (size_t i = 0; i < sizeof binary; i++) binary[i] = (char)(i * 7919 % 251);
    expect_bad_scen("missing.scen", "missing.scen");
    expect_bad_scen(".", "folder");
    put_text("empty.scen", "");
    expect_bad_scen("empty.scen", "empty.scen");
    put_text("version.scen", "version 1\n");
    expect_bad_scen("version.scen", "version.scen:1:");
    put_text("newer.scen", "version 2\n");
    expect_bad_scen("newer.scen", "newer.scen:1: the version is '2'");
    put_bytes("binary.scen", binary, sizeof binary);
    expect_bad_scen("binary.scen", "binary.scen:1:");
    expect_bad_scen("good.wmdb", "good.wmdb:1:");
    put_huge("huge.scen", "version 1\n");
    expect_bad_scen("huge.scen", "huge.scen: the file has more than");
    do_it("rm huge.scen");
}

static void problems_that_do_not_fit_the_map_are_refused(void** state)
{
    (void)state;
    static const struct {
        const char* line;
        const char* word;
    } cases[] = {
        {"0\tcaves.map\t48\t40\t1", "the line has 5 columns"},
        {"0\tcaves.map\t48\t40\t1\t2\t3\t4\t5\t6", "the line has 10 columns"},
        {"0\tcaves.map\t48\t40\t48\t1\t1\t1\t9", "the start 48,1 is outside the map"},
        {"0\tcaves.map\t48\t40\t4294967295\t1\t1\t1\t9", "the start 4294967295,1 is outside"},
        {"0\tcaves.map\t48\t40\t4294967296\t1\t1\t1\t9", "'4294967296'"},
        {"0\tcaves.map\t48\t40\t-1\t1\t1\t1\t9", "'-1'"},
        {"0\tcaves.map\t65536\t65536\t1\t1\t1\t1\t9", "a map of 65536 x 65536 cells"},
        {"0\tcaves.map\t40\t48\t1\t1\t1\t1\t9", "a map of 40 x 48 cells"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "version 1\n%s\n", cases[i].line);
        put_text("bad.scen", text);
        expect_bad_scen("bad.scen", "bad.scen:2: ");
        expect_bad_scen("bad.scen", cases[i].word);
    }
    // A start and a goal in a wall, wherever this map has one.
    const test_path path = scratch_path(&folder, "caves.map");
    wm_grid grid;
    assert_int_equal(wm_mapfile_load(&grid, path.text, WM_DIAGONAL_NONE, NULL, NULL), WM_OK);
    wm_cell wall = 0;
    wm_cell open = 0;
    while (wm_grid_is_open(&grid, wall)) wall++;
    while (!wm_grid_is_open(&grid, open)) open++;
    wm_grid_free(&grid);
    const wm_cell ends[2][2] = {{wall, open}, {open, wall}};
    for (int i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text, "version 1\n0\tcaves.map\t48\t40\t%u\t%u\t%u\t%u\t9\n",
                 ends[i][0] % 48, ends[i][0] / 48, ends[i][1] % 48, ends[i][1] / 48);
        put_text("wall.scen", text);
        expect_bad_scen("wall.scen", i == 0 ? "wall.scen:2: the start" : "wall.scen:2: the goal");
        expect_bad_scen("wall.scen", "blocked");
    }
}

// A file cut within its last line, at every place.
static void problems_that_are_cut_short_are_refused(void** state)
{
    (void)state;
    const test_path path = scratch_path(&folder, "whole.scen");
    do_it("waymark-build problems caves.map -n 3 -o whole.scen");
    size_t size;
    char* text = file_get(&path, &size);
    size_t last = size - 1;
    while (text[last - 1] != '\n') last--;
    const size_t cost = (size_t)(strrchr(text, '\t') - text) + 1; // a shorter cost is a cost, too
    for (size_t cut = last + 1; cut <= cost; cut++) {
        put_bytes("cut.scen", text, cut);
        expect_bad_scen("cut.scen", "cut.scen:4:");
    }
    free(text);
}

// ---------------------------------------------------------------------------------------------
// Databases

// Every command that reads a database, with one that fits in its other arguments.
static const char* const database_commands[] = {
    "waymark-build info %s",
    "waymark-build info %s --json",
    "waymark-build dump %s --map caves",
    "waymark-build verify %s caves.map",
    "waymark-build merge -o new.wmdb %s",
    "waymark-build merge -o new.wmdb good.wmdb %s",
    "waymark-build merge -o %s good.wmdb",
    "waymark-build build --method knn rooms.map -n 10 -q -o %s",
    "waymark-run path caves.map --from $CELLS --db %s",
    "waymark-run query caves.map --from $CELLS --db %s",
    "waymark-run compare caves.map --problems 2 --db %s",
    "waymark-run compare caves.map --problems 2 --algorithms astar,knn-lrta --db %s",
};
#define DATABASE_COMMANDS (sizeof database_commands / sizeof database_commands[0])

static void expect_bad_database(const char* name, const char* word)
{
    for (size_t i = 0; i < DATABASE_COMMANDS; i++) expect(database_commands[i], name, 3, word);
}

// Two open cells for path and query.
static int set_cells(void** state)
{
    (void)state;
    const test_path path = scratch_path(&folder, "caves.map");
    char text[64];
    wm_grid grid;
    assert_int_equal(wm_mapfile_load(&grid, path.text, WM_DIAGONAL_NONE, NULL, NULL), WM_OK);
    wm_cell a = 0;
    wm_cell b = grid.cell_count - 1;
    while (!wm_grid_is_open(&grid, a)) a++;
    while (!wm_grid_connected(&grid, a, b)) b--;
    wm_grid_free(&grid);
    snprintf(text, sizeof text, "%u,%u --to %u,%u", a % 48, a / 48, b % 48, b / 48);
    setenv("CELLS", text, 1);
    return 0;
}

static void good_databases_are_read_by_every_command(void** state)
{
    (void)state;
    for (size_t i = 0; i < DATABASE_COMMANDS; i++) {
        char command[300];
        const char* place = strstr(database_commands[i], "%s");
        do_it("cp good.wmdb copy.wmdb");
        snprintf(command, sizeof command, "%.*scopy.wmdb%s", (int)(place - database_commands[i]),
                 database_commands[i], place + 2);
        do_it(command);
    }
    do_it("rm copy.wmdb new.wmdb");
}

static void databases_that_are_none_are_refused(void** state)
{
    (void)state;
    put_text("text.wmdb", "This is a letter and no database. It is longer than a hundred bytes, so "
                          "that it could have the header of one, but it does not.\n");
    expect_bad_database("text.wmdb", "text.wmdb is not a Waymark database");
    put_text("empty.wmdb", "");
    expect_bad_database("empty.wmdb", "empty.wmdb");
    expect_bad_database("caves.map", "caves.map is not a Waymark database");
    expect_bad_database(".", "folder");
    for (size_t i = 0; i < DATABASE_COMMANDS; i++) {
        // The outputs may be new.
        if (strstr(database_commands[i], "-o %s") == NULL)
            expect(database_commands[i], "missing.wmdb", 3, "missing.wmdb");
    }
    put_huge("huge.wmdb", "SQLite format 3");
    expect_bad_database("huge.wmdb", "huge.wmdb");
    do_it("rm huge.wmdb");
}

static void databases_that_are_cut_short_are_refused(void** state)
{
    (void)state;
    const test_path path = scratch_path(&folder, "good.wmdb");
    size_t size;
    char* bytes = file_get(&path, &size);
    const size_t cuts[] = {50, 100, 1000, 4096, 5000, size / 2, size - 4096, size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        put_bytes("cut.wmdb", bytes, cuts[i]);
        for (size_t j = i % 3; j < DATABASE_COMMANDS; j += 3)
            expect(database_commands[j], "cut.wmdb", 3, "cut.wmdb");
    }
    put_bytes("cut.wmdb", bytes, size - 5000);
    expect_bad_database("cut.wmdb", "cut.wmdb");
    free(bytes);
}

static size_t find_bytes(const char* bytes, size_t size, const char* what)
{
    const char* at = memmem(bytes, size, what, strlen(what));
    assert_non_null(at);
    return (size_t)(at - bytes);
}

static void databases_with_one_byte_changed_are_refused(void** state)
{
    (void)state;
    const test_path path = scratch_path(&folder, "good.wmdb");
    size_t size;
    char* bytes = file_get(&path, &size);
    const size_t blob = find_bytes(bytes, size, "WMKP");
    // SQLite's own header, the blob's header, its middle and its end.
    const size_t places[] = {0,         16,        blob,      blob + 4,   blob + 6,
                             blob + 12, blob + 20, blob + 28, blob + 200, blob + 400};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        bytes[places[i]] ^= 0x55;
        put_bytes("byte.wmdb", bytes, size);
        bytes[places[i]] ^= 0x55;
        expect_bad_database("byte.wmdb", "byte.wmdb");
    }
    free(bytes);
}

// Saves the good database after a change to its blob or its map row, with all seals in order.
static void save_changed(const char* name, size_t blob_at, uint8_t value)
{
    const test_path from = scratch_path(&folder, "good.wmdb");
    const test_path to = scratch_path(&folder, name);
    wm_archive archive;
    assert_int_equal(wm_archive_load(&archive, from.text, NULL), WM_OK);
    archive.maps[0].payloads[0].blob.data[blob_at] = value;
    unlink(to.text);
    assert_int_equal(wm_archive_save(&archive, to.text, NULL), WM_OK);
    wm_archive_free(&archive);
}

static void databases_of_a_newer_version_are_refused(void** state)
{
    (void)state;
    const test_path path = scratch_path(&folder, "good.wmdb");
    size_t size;
    char* bytes = file_get(&path, &size);
    bytes[63] = 2; // user_version
    put_bytes("schema.wmdb", bytes, size);
    free(bytes);
    expect_bad_database("schema.wmdb", "version 2 and this program reads version 1");
    save_changed("format.wmdb", 4, 2);
    for (size_t i = 0; i < DATABASE_COMMANDS; i++) {
        // Into which nothing is read: what is kept there need not be understood.
        if (strstr(database_commands[i], "-o %s") == NULL)
            expect(database_commands[i], "format.wmdb", 3,
                   "version 2 and this program reads version 1");
    }
    save_changed("minor.wmdb", 6, 9);
    do_it("waymark-build verify minor.wmdb caves.map -q");
    save_changed("flags.wmdb", 10, 1);
    expect("waymark-build verify %s caves.map", "flags.wmdb", 3, "flags.wmdb");
    expect("waymark-run query caves.map --from $CELLS --db %s", "flags.wmdb", 3, "flags.wmdb");
}

static void databases_of_another_map_or_rule_are_refused(void** state)
{
    (void)state;
    static const char* const commands[] = {
        "waymark-build verify %s caves.map",
        "waymark-run path caves.map --from $CELLS --db %s",
        "waymark-run query caves.map --from $CELLS --db %s",
        "waymark-run compare caves.map --problems 2 --db %s",
    };
    do_it("waymark-build build --method knn rooms.map -o rooms.wmdb -n 20 -q");
    do_it("waymark-build build --method knn rooms.map -o named.wmdb -n 20 -q --name caves");
    do_it("waymark-build build --method knn caves.map -o rule.wmdb -n 20 -q --diagonal squeeze");
    for (size_t i = 0; i < 4; i++) {
        expect(commands[i], "rooms.wmdb", 3, "rooms.wmdb");
        expect(commands[i], "named.wmdb", 3, "named.wmdb was built for another version");
        expect(commands[i], "rule.wmdb", 3, "diagonal rule squeeze, not none");
    }
    cli_fail(&folder, "waymark-build dump good.wmdb --map rooms", 3, "\"rooms\"");
    cli_fail(&folder, "waymark-build verify good.wmdb caves.map --name other", 3, "good.wmdb");
    do_it("rm rooms.wmdb named.wmdb rule.wmdb");
}

// ---------------------------------------------------------------------------------------------
// Outputs

static const char* const writers[] = {
    "waymark-build build --method knn rooms.map -n 2000 -q -o %s",
    "waymark-build merge good.wmdb -o %s",
    "waymark-build generate --kind maze --size 300x300 -o %s",
    "waymark-build problems caves.map -n 2000 -o %s",
};
#define WRITERS (sizeof writers / sizeof writers[0])

static void outputs_that_cannot_be_written_are_refused(void** state)
{
    (void)state;
    assert_int_equal(symlink("nothing", scratch_path(&folder, "link").text), 0);
    for (size_t i = 0; i < WRITERS; i++) {
        expect(writers[i], ".", 3, "is a folder");
        expect(writers[i], "nowhere/new", 3, "nowhere/new");
        expect(writers[i], "caves.map/new", 3, "caves.map/new");
        expect(writers[i], "/dev/null", 3, "not a regular file");
        expect(writers[i], "link", 3, "symbolic link");
    }
    do_it("rm link");
}

// Root may write everywhere, so that its commands run as somebody who may not.
#define AS_NOBODY "setpriv --reuid 65534 --regid 65534 --clear-groups "

static void outputs_without_permission_are_refused(void** state)
{
    (void)state;
    const char* prefix = geteuid() == 0 ? AS_NOBODY : "";
    char command[600];
    // He has to find the programs, too.
    snprintf(
        command, sizeof command,
        "mkdir ro && cp good.wmdb ro/old && chmod 666 ro/old && chmod 555 ro && chmod 755 . && "
        "%ssh -c 'test ! -w ro && waymark-build --version'",
        prefix);
    process run = cli_run(&folder, command);
    const bool works = run.status == 0;
    process_free(&run);
    for (size_t i = 0; works && i < WRITERS; i++) {
        snprintf(command, sizeof command, "%s%s", prefix, writers[i]);
        expect(command, "ro/new", 3, "ro/new");
        expect(command, "ro/old", 3, "ro/old");
    }
    do_it("cmp good.wmdb ro/old && chmod 755 ro && rm -r ro");
    if (!works) {
        print_message("skipped: there is no way to run as somebody without rights\n");
        skip();
    }
}

// Maps and problems may replace any file that they are told to; databases never do that.
static void a_file_that_is_no_database_is_never_overwritten(void** state)
{
    (void)state;
    put_text("letter.txt", "Dear reader, this is no database, and whoever overwrites it will be "
                           "sorry for it one day. It goes on for a while.\n");
    for (size_t i = 0; i < 2; i++) {
        expect(writers[i], "letter.txt", 3, "letter.txt is not a Waymark database");
        expect(writers[i], "caves.map", 3, "caves.map is not a Waymark database");
    }
}

static void a_full_disk_leaves_the_old_files(void** state)
{
    (void)state;
    static const char* const old_files[WRITERS] = {"good.wmdb", "old.wmdb", "old.map", "old.scen"};
    do_it("waymark-build build --method knn rooms.map -o old.wmdb -n 20 -q");
    do_it("cp rooms.map old.map && waymark-build problems rooms.map -n 5 -o old.scen");
    for (size_t i = 0; i < WRITERS; i++) {
        // Of 512 bytes each; none would stop the sentence, too, which goes into a file here.
        for (int blocks = 4; blocks <= 16; blocks += 4) {
            char format[300];
            snprintf(format, sizeof format, "ulimit -f %d && %s", blocks, writers[i]);
            expect(format, old_files[i], 3, old_files[i]);
            expect(format, "new.file", 3, "new.file");
        }
    }
    do_it("rm old.wmdb old.map old.scen");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_that_are_not_there_or_empty_are_refused),
        cmocka_unit_test(a_sentence_stays_one_line_whatever_a_file_is_called),
        cmocka_unit_test(maps_that_are_cut_short_are_refused),
        cmocka_unit_test(maps_of_another_kind_are_refused),
        cmocka_unit_test(maps_of_another_size_than_they_say_are_refused),
        cmocka_unit_test(maps_that_claim_4_gb_are_refused),
        cmocka_unit_test(maps_with_nothing_to_store_are_refused),
        cmocka_unit_test(problems_that_cannot_be_read_are_refused),
        cmocka_unit_test(problems_that_do_not_fit_the_map_are_refused),
        cmocka_unit_test(problems_that_are_cut_short_are_refused),
        cmocka_unit_test_setup(good_databases_are_read_by_every_command, set_cells),
        cmocka_unit_test_setup(databases_that_are_none_are_refused, set_cells),
        cmocka_unit_test_setup(databases_that_are_cut_short_are_refused, set_cells),
        cmocka_unit_test_setup(databases_with_one_byte_changed_are_refused, set_cells),
        cmocka_unit_test_setup(databases_of_a_newer_version_are_refused, set_cells),
        cmocka_unit_test_setup(databases_of_another_map_or_rule_are_refused, set_cells),
        cmocka_unit_test(outputs_that_cannot_be_written_are_refused),
        cmocka_unit_test(outputs_without_permission_are_refused),
        cmocka_unit_test(a_file_that_is_no_database_is_never_overwritten),
        cmocka_unit_test(a_full_disk_leaves_the_old_files),
    };
    return cmocka_run_group_tests_name("cli_bad_input", tests, set_up, tear_down);
}
