// SPDX-License-Identifier: MIT
//
// Names that are made to do harm: of maps in a file, of map files, of databases. SQL, the shell's and
// printf's own marks, folders, 10,000 characters, bytes that are no text. They are taken for what
// they are, or refused with one sentence.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json_check.h"

static test_path folder;

static int set_up(void** state)
{
    (void)state;
    folder = scratch_create();
    process run =
        cli_succeed(&folder, "waymark-build generate --kind rooms --size 30x20 -o plain.map");
    process_free(&run);
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    scratch_remove(&folder);
    return 0;
}

// As the shell has to be given it, to hand it on unchanged; free() it.
static char* quoted(const char* text)
{
    char* out = malloc(4 * strlen(text) + 3);
    char* end = out;
    assert_non_null(out);
    *end++ = '\'';
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            end = stpcpy(end, "'\\''");
        else
            *end++ = *text;
    }
    strcpy(end, "'");
    return out;
}

// The command with the quoted name in the place of each %; free() it.
static char* command_for(const char* format, const char* name)
{
    char* word = quoted(name);
    char* command = malloc(strlen(format) + 4 * strlen(word) + 1);
    char* end = command;
    assert_non_null(command);
    for (; *format != '\0'; format++) {
        if (*format == '%')
            end = stpcpy(end, word);
        else
            *end++ = *format;
    }
    *end = '\0';
    free(word);
    return command;
}

static process succeed(const char* format, const char* name)
{
    char* command = command_for(format, name);
    process run = cli_succeed(&folder, command);
    free(command);
    return run;
}

static void do_it(const char* format, const char* name)
{
    process run = succeed(format, name);
    process_free(&run);
}

static void refuse(const char* format, const char* name, int status, const char* word)
{
    char* command = command_for(format, name);
    cli_fail(&folder, command, status, word);
    free(command);
}

// Hard to take for what they are.
static const char* const names[] = {
    "'; DROP TABLE map; --",
    "\" OR 1=1 --",
    "x' UNION SELECT * FROM file --",
    "%s%n%d%",
    "$(touch pwned)`touch pwned`",
    "a b  c ",
    "\\\\",
    "-o",
    "100%?#&immutable=0",
    "caf\xC3\xA9 \xE5\x9C\xB0\xE5\x9B\xB3",
    "*",
    "{\"json\":[",
    "room@2@",
};
#define NAMES (sizeof names / sizeof names[0])

static void names_in_a_file_are_what_they_are(void** state)
{
    (void)state;
    do_it("waymark-build build plain.map -o all.wmdb --method knn -n 20 -q", "");
    for (size_t i = 0; i <= NAMES; i++) {
        // A folder in the name of a map leads nowhere.
        const char* name = i == NAMES ? "../../etc/passwd" : names[i];
        do_it("waymark-build build plain.map -o all.wmdb --method knn -n 20 -q --name=%", name);
        do_it("waymark-build verify all.wmdb plain.map -q --name=%", name);
        do_it("waymark-build dump all.wmdb --map=%", name);
        do_it("waymark-build export all.wmdb -q --map=% -o one.wmb", name);
        do_it("waymark-build info one.wmb", name);
        do_it("waymark-run path plain.map --db one.wmb --from 0,0 --to 29,19", name);
        do_it("rm one.wmb", name);
    }
    process info = succeed("waymark-build info all.wmdb --json", "");
    assert_true(json_is_valid(info.out));
    size_t count = 0;
    for (const char* at = info.out; (at = strstr(at, "{\"name\":")) != NULL; at++) count++;
    assert_int_equal(count, NAMES + 2);
    process_free(&info);
    do_it("waymark-build merge -o merged.wmdb all.wmdb", "");
    do_it("waymark-build verify -q merged.wmdb plain.map", "");
    do_it("test ! -e pwned && rm all.wmdb merged.wmdb", "");
}

static void names_that_cannot_be_are_refused(void** state)
{
    (void)state;
    static const char build[] =
        "waymark-build build plain.map -o new.wmdb --method knn -n 20 -q --name=%";
    static const char* const bad[] = {
        "\xFF\xFE",     "caf\xE9",          "a\nb",     "a\tb", "\x1B[2J", "\x7F", "\xC0\xAF",
        "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE5\x9C",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuse(build, bad[i], 2, "1 to 255 bytes of printable UTF-8");
    refuse(build, "", 2, "--name= needs a value");
    char* longest = calloc(10001, 1);
    assert_non_null(longest);
    memset(longest, 'x', 10000);
    refuse(build, longest, 2, "1 to 255 bytes of printable UTF-8");
    longest[256] = '\0';
    refuse(build, longest, 2, "1 to 255 bytes of printable UTF-8");
    longest[255] = '\0';
    do_it(build, longest);
    do_it("waymark-build verify new.wmdb plain.map -q --name=%", longest);
    memset(longest, 'y', 10000);
    refuse("waymark-build dump new.wmdb --map=%", longest, 3, "new.wmdb");
    refuse("waymark-build export new.wmdb --map=% -o new.wmb", longest, 3, "new.wmdb");
    refuse("waymark-build verify new.wmdb plain.map --name=%", longest, 3, "new.wmdb");
    refuse("waymark-build dump new.wmdb --map=%", "\xFF\n%s", 3, "new.wmdb");
    free(longest);
    do_it("rm new.wmdb", "");
}

static void map_files_of_any_name_are_read(void** state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        char file[300];
        snprintf(file, sizeof file, "./%s.map", names[i]);
        do_it("cp plain.map %", file);
        do_it("waymark-build build % -o files.wmdb --method knn -n 20 -q", file);
        do_it("waymark-build verify files.wmdb % -q", file);
        do_it("waymark-build problems % -n 3 -o files.scen", file);
        do_it("waymark-run compare % --scen files.scen --algorithms knn-lrta,astar --db files.wmdb "
              "--format json",
              file);
        do_it("waymark-run path % --from 0,0 --to 29,19", file);
        do_it("rm %", file);
    }
    do_it("test ! -e pwned && rm files.wmdb files.scen", "");
}

static void a_map_file_whose_name_is_no_text_needs_another_in_the_file(void** state)
{
    (void)state;
    static const char* const files[] = {"caf\xE9.map", "a\nb.map"};
    for (size_t i = 0; i < 2; i++) {
        do_it("cp plain.map %", files[i]);
        refuse("waymark-build build % -o new.wmdb --method knn -n 20 -q", files[i], 2, "--name");
        do_it("waymark-build build % -o new.wmdb --method knn -n 20 -q --name=room", files[i]);
        do_it("waymark-build verify new.wmdb % -q", files[i]);
        do_it("waymark-run path % --db new.wmdb --from 0,0 --to 29,19", files[i]);
        do_it("rm % new.wmdb", files[i]);
    }
    char longest[10001];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    // No such sentence has room for it: what it begins with is what there is.
    refuse("waymark-build build % -o new.wmdb --method knn -n 20", longest, 2, "a map's name");
    refuse("waymark-build build % -o new.wmdb --method knn -n 20 --name=room", longest, 3, "xxx");
    refuse("waymark-run path % --from 0,0 --to 1,1", longest, 3, "xxx");
}

static void databases_of_any_name_are_read_and_written(void** state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        char file[300];
        snprintf(file, sizeof file, "./%s.wmdb", names[i]);
        do_it("waymark-build build plain.map -o % --method knn -n 20 -q", file);
        do_it("waymark-build build plain.map -o % --method knn -n 30 -q", file);
        do_it("waymark-build info %", file);
        do_it("waymark-run path plain.map --db % --from 0,0 --to 29,19", file);
        do_it("test -s % && rm %", file);
    }
    do_it("test ! -e pwned", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_in_a_file_are_what_they_are),
        cmocka_unit_test(names_that_cannot_be_are_refused),
        cmocka_unit_test(map_files_of_any_name_are_read),
        cmocka_unit_test(a_map_file_whose_name_is_no_text_needs_another_in_the_file),
        cmocka_unit_test(databases_of_any_name_are_read_and_written),
    };
    return cmocka_run_group_tests_name("cli_names", tests, set_up, tear_down);
}
