// SPDX-License-Identifier: MIT
//
// `waymark-run experiment`: small runs of every experiment on the public maps, the same results for
// any number of threads, going on after an interruption, and what wrong input gets.
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "experiments/study.h"

static test_path folder;

static int set_up(void** state)
{
    (void)state;
    folder = scratch_create();
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    process gone = process_run("rm -rf '%s'", folder.text); // it has folders of its own
    process_free(&gone);
    return 0;
}

// The results without their last columns, which are times.
static void expect_same_results(const char* a, const char* b)
{
    process run = process_run("cd '%s' && cut -d, -f1-16 %s/results.csv > a.csv && "
                              "cut -d, -f1-16 %s/results.csv | cmp - a.csv",
                              folder.text, a, b);
    if (run.status != 0) fail_msg("%s and %s differ: %s%s", a, b, run.out, run.err);
    process_free(&run);
}

static process experiment(const char* name, const char* maps, const char* options)
{
    return process_run("cd '%s' && waymark-run experiment %s --maps '%s' --quiet %s", folder.text,
                       name, maps, options);
}

// The smallest is enough for a sanitizer.
#ifdef WAYMARK_TEST_SHARE
#define SMALL "0.001"
#else
#define SMALL "0.005"
#endif

static void every_experiment_runs_small_and_reports(void** state)
{
    (void)state;
    const char* maps = benchmarks_folder();
    if (maps == NULL) skip();
    for (size_t i = 0; wm_experiments[i] != NULL; i++) {
        const char* name = wm_experiments[i]->name;
        char options[128];
        snprintf(options, sizeof options, "--scale " SMALL " --diagonal none --out %s", name);
        process run = experiment(name, maps, options);
        if (run.status != 0) fail_msg("%s: %s", name, run.err);
        process_free(&run);
        run = process_run("cd '%s/%s' && grep -q 'Expected shapes' report.md && "
                          "test $(wc -l < results.csv) -gt 10 && ! test -e unfinished.journal",
                          folder.text, name);
        if (run.status != 0) fail_msg("%s: the files are not what they should be", name);
        process_free(&run);
    }
}

static void expect_shell(const char* command, const char* what)
{
    process run = process_run("cd '%s' && %s", folder.text, command);
    if (run.status != 0) fail_msg("%s: %s%s", what, run.out, run.err);
    process_free(&run);
}

static void both_rules_are_reported_where_the_paper_does_not_say(void** state)
{
    (void)state;
    const char* maps = benchmarks_folder();
    if (maps == NULL) skip();
    process both = experiment("prta", maps, "--scale 0.005 --out both");
    process none = experiment("prta", maps, "--scale 0.005 --diagonal none --out none");
    assert_int_equal(both.status, 0);
    assert_int_equal(none.status, 0);
    process_free(&both);
    process_free(&none);
    expect_shell("grep -c '^# Diagonal rule' both/report.md | grep -qx 2", "two parts");
    expect_shell("grep -qx '# Diagonal rule none' none/report.md && ! grep -q ,squeeze, "
                 "none/results.csv",
                 "one part");
    // The walks are those of a run under this rule alone; only times are others.
    expect_shell("grep -v ,squeeze, both/results.csv | cut -d, -f1-16 > a && "
                 "cut -d, -f1-16 none/results.csv | cmp - a",
                 "the rule's walks");
}

// Every script draws its picture again, in its own folder; a folder's name is no matter.
static void every_plot_is_drawn_and_can_be_drawn_again(void** state)
{
    (void)state;
    const char* maps = benchmarks_folder();
    process found = process_run("command -v gnuplot");
    const bool has_gnuplot = found.status == 0;
    process_free(&found);
    if (maps == NULL || !has_gnuplot) skip();
    process run = experiment("prta", maps, "--scale 0.005 --diagonal none --out \"o'clock\"");
    if (run.status != 0) fail_msg("%s", run.err);
    process_free(&run);
    expect_shell(
        "cd \"o'clock\" && test $(ls *.gp | wc -l) -eq 6 && ! grep -q gnuplot report.md && "
        "for p in figure*.gp; do gnuplot $p > again 2> /dev/null && "
        "cmp again ${p%.gp}.svg || exit 1; done",
        "the plots");
}

// The report's command, copied into a shell, makes the same walks; whatever the folder is called.
static void the_report_has_the_command_that_made_it(void** state)
{
    (void)state;
    const char* maps = benchmarks_folder();
    if (maps == NULL) skip();
    process run = experiment("prta", maps, "--scale 0.005 --seed 7 --diagonal none --out \"it's\"");
    if (run.status != 0) fail_msg("%s", run.err);
    process_free(&run);
    expect_shell("cut -d, -f1-16 \"it's\"/results.csv > made && grep -m1 '^    waymark-run' "
                 "\"it's\"/report.md > command && rm -r \"it's\" && sh command > said && "
                 "cut -d, -f1-16 \"it's\"/results.csv | cmp - made",
                 "the command");
}

static void families_that_are_not_there_are_generated(void** state)
{
    (void)state;
    const char* maps = benchmarks_folder();
    if (maps == NULL) skip();
    expect_shell("mkdir few", "a folder");
    process linked = process_run("ln -s '%s/wc3maps512' '%s/few/wc3maps512'", maps, folder.text);
    assert_int_equal(linked.status, 0);
    process_free(&linked);
    process run = experiment("tb-static", "few", "--scale 0.005 --diagonal none --out generated");
    if (run.status != 0) fail_msg("%s", run.err);
    process_free(&run);
    expect_shell("grep -q 'ROOMS are generated rooms, because there is no folder rooms' "
                 "generated/report.md && ! grep -q 'WC3 are generated' generated/report.md && "
                 "grep -q '^Maps: wc3maps512/.*generated/rooms-8-512x512' generated/report.md",
                 "the report");
}

// A family is the paper's: five maps of StarCraft, and elsewhere only squares of 512 cells.
static void only_the_papers_maps_are_of_a_family(void** state)
{
    (void)state;
    const char* maps = benchmarks_folder();
    if (maps == NULL) skip();
    process linked = process_run("cd '%s' && mkdir other && ln -s '%s/sc1' other/sc1 && "
                                 "ln -s '%s/bgmaps' other/bg512",
                                 folder.text, maps, maps);
    assert_int_equal(linked.status, 0);
    process_free(&linked);
    process run = experiment("tb-static", "other", "--scale 0.001 --diagonal none --out five");
    if (run.status != 0) fail_msg("%s", run.err);
    process_free(&run);
    expect_shell("grep '^Maps: sc1/Cauldron, generated/' five/report.md && "
                 "grep 'BG are generated caves' five/report.md",
                 "the maps");
}

// The widest of the experiments is a smoke run at the scale that is meant for one: a minute of two
// processors, in the time that they gave it, however busy they are.
static void a_look_at_the_space_of_algorithms_is_a_short_one(void** state)
{
    (void)state;
#ifdef WAYMARK_TEST_SHARE
    skip(); // the first test runs the same code, and this one would take minutes
#endif
    const char* maps = benchmarks_folder();
    if (maps == NULL) skip();
    process run = process_run("cd '%s' && ulimit -t 120 && waymark-run experiment select-space "
                              "--maps '%s' --scale 0.02 --quiet --out space",
                              folder.text, maps);
    if (run.status != 0) fail_msg("%s", run.err);
    process_free(&run);
    expect_shell("head -1 space/results.csv | grep -qx 'map,diagonal,setting,first_problem,"
                 "problems,worst_status,sum_of_ratios,moves'",
                 "the columns");
    // Every setting has walked all of its problems: the named ones those of all batches.
    expect_shell("grep ',LRTA\\* (alpha_max 1000),' space/results.csv | "
                 "awk -F, '{ n += $5 } END { exit n != 100 }'",
                 "the number of problems");
    expect_shell("grep -q ',daLRTA\\*+E (alpha_max 100000),' space/results.csv", "the large limit");
}

// In how many steps less data is no better: in all of the table, not only until the first that is.
static void every_step_of_a_sample_is_judged(void** state)
{
    (void)state;
    const char* maps = benchmarks_folder();
    if (maps == NULL) skip();
    process run = experiment("select-map", maps, "--scale 0.004 --out judged");
    if (run.status != 0) fail_msg("%s", run.err);
    process_free(&run);
    expect_shell("steps=$(awk -F '|' '/^\\| [0-9]/ { n += rows++ > 0 && $5 + 0 >= last; last = $5 "
                 "+ 0 } END { print n }' judged/report.md) && test $steps -lt 16 && "
                 "grep \"falls with more data at every share: $steps of 16\" judged/report.md",
                 "the steps");
}

static void an_experiment_that_makes_its_map_says_so(void** state)
{
    (void)state;
    expect_shell(
        "mkdir nothing && waymark-run experiment tb-dynamic --maps nothing --scale 0.01 --diagonal "
        "none --out dynamic 2>&1 | grep -q 'needs no --maps' && "
        "grep -q ',cr=10 k=256 w=3.0 lazy reopening,' dynamic/results.csv",
        "the note");
}

static void results_do_not_depend_on_the_threads(void** state)
{
    (void)state;
    // The shortest of each kind: plain walks, walks while the map changes, results put together.
    static const char* const names[] = {"prta", "tb-dynamic", "select-problem"};
    const char* maps = benchmarks_folder();
    if (maps == NULL) skip();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        process one = experiment(names[i], maps, "--scale 0.005 --threads 1 --out one");
        process eight = experiment(names[i], maps, "--scale 0.005 --threads 8 --out eight");
        if (one.status != 0 || eight.status != 0)
            fail_msg("%s: %s%s", names[i], one.err, eight.err);
        process_free(&one);
        process_free(&eight);
        expect_same_results("one", "eight");
    }
}

static void an_interrupted_run_goes_on(void** state)
{
    (void)state;
    const char* maps = benchmarks_folder();
    if (maps == NULL) skip();
    // As soon as something is finished, however long a busy machine takes for that.
    process killed = process_run(
        "cd '%s' && { waymark-run experiment prta --maps '%s' --scale 0.05 --threads 1 --quiet "
        "--out cut & } && while kill -0 $! && ! grep -qs '^end ' cut/unfinished.journal; do "
        "sleep 0.02; done; kill -INT $!; wait $!",
        folder.text, maps);
    assert_int_equal(killed.status, 130);
    process_free(&killed);
    // Another scale is another study.
    process other = experiment("prta", maps, "--scale 0.06 --resume --out cut");
    assert_int_equal(other.status, 3);
    assert_true(process_said(&other, "--resume"));
    process_free(&other);
    // Nor is what was kept lost by forgetting the option.
    process anew = experiment("prta", maps, "--scale 0.05 --out cut");
    assert_int_equal(anew.status, 2);
    assert_true(process_said(&anew, "unfinished.journal"));
    assert_true(process_said(&anew, "--resume"));
    process_free(&anew);
    process resumed = experiment("prta", maps, "--scale 0.05 --resume --out cut");
    if (resumed.status != 0) fail_msg("%s", resumed.err);
    process_free(&resumed);
    process again = experiment("prta", maps, "--scale 0.05 --out again");
    assert_int_equal(again.status, 0);
    process_free(&again);
    expect_same_results("cut", "again");
}

// A journal in which nothing is finished yet is nothing to lose.
static void a_run_interrupted_at_once_is_begun_anew(void** state)
{
    (void)state;
    expect_shell("mkdir begun && echo waymark-experiment of old > begun/unfinished.journal && "
                 "waymark-run experiment tb-dynamic --scale 0.0001 --quiet --out begun && "
                 "test -s begun/report.md && ! test -e begun/unfinished.journal",
                 "a new run");
}

static bool stop_after_one_part(void* context, size_t done, size_t total)
{
    *(size_t*)context = total;
    return done < 1;
}

// Parts are handed out one by one: there may be fewer of them than a thread takes of short items, and
// then no other thread would have any, and an interruption would be heard when all is done.
static void a_thread_takes_one_part_at_a_time(void** state)
{
    (void)state;
    const test_path out = scratch_path(&folder, "parts");
    size_t parts = 0;
    const wm_study_options options = {.out = out.text,
                                      .scale = 0.02,
                                      .seed = 1,
                                      .threads = 1,
                                      .rules = WM_STUDY_BOTH_RULES,
                                      .progress = stop_after_one_part,
                                      .progress_context = &parts};
    wm_error error = {""};
    const wm_experiment* dynamic = NULL;
    for (size_t i = 0; wm_experiments[i] != NULL; i++) {
        if (strcmp(wm_experiments[i]->name, "tb-dynamic") == 0) dynamic = wm_experiments[i];
    }
    assert_non_null(dynamic);
    assert_int_equal(wm_study_run(dynamic, &options, &error), WM_ERR_INTERRUPTED);
    assert_true(parts > 1);
    assert_contains(error.message, "interrupted; 1 of ");
}

static void wrong_input_gets_a_sentence(void** state)
{
    (void)state;
    static const struct {
        const char* arguments;
        int status;
        const char* word;
    } wrong[] = {
        {"experiment none --out x", 2, "there is no experiment 'none'"},
        {"experiment prta --out x --scale 0", 2, "--scale"},
        {"experiment prta --out x --scale much", 2, "--scale"},
        {"experiment prta --out x --threads 0", 2, "--threads"},
        {"experiment prta --out x --diagonal some", 2, "none, squeeze or both"},
        {"experiment prta", 2, "--out"},
        {"experiment prta --out x", 3, "--maps"},
        {"experiment tb-static --maps . --out x", 3, "--maps"},
        {"experiment select-map --maps . --out x", 3, "--maps"},
        {"experiment prta --maps . --out x", 3, "battleground.map"},
        {"experiment tb-dynamic --maps missing --out x -q", 3, "there is no folder missing"},
        {"experiment prta --maps . --out missing/deep/x", 3, "cannot be made"},
        {"experiment prta --maps . --out /dev/null", 3, "Not a directory); name another one"},
        // Where a run that succeeds has something more to say.
        {"experiment tb-dynamic --maps . --out missing/deep/x", 3, "cannot be made"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        process run = process_run("cd '%s' && waymark-run %s", folder.text, wrong[i].arguments);
        if (run.status != wrong[i].status || !process_said(&run, wrong[i].word))
            fail_msg("%s: exit status %d, not %d, or no sentence with '%s': %s", wrong[i].arguments,
                     run.status, wrong[i].status, wrong[i].word, run.err);
        process_free(&run);
    }
    // No folder is left of a run that never began.
    assert_int_equal(scratch_count(&folder), 0);
}

// Whatever one test leaves behind, another does not find.
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(every_experiment_runs_small_and_reports),
        IN_A_FOLDER(both_rules_are_reported_where_the_paper_does_not_say),
        IN_A_FOLDER(the_report_has_the_command_that_made_it),
        IN_A_FOLDER(every_plot_is_drawn_and_can_be_drawn_again),
        IN_A_FOLDER(families_that_are_not_there_are_generated),
        IN_A_FOLDER(only_the_papers_maps_are_of_a_family),
        IN_A_FOLDER(a_look_at_the_space_of_algorithms_is_a_short_one),
        IN_A_FOLDER(every_step_of_a_sample_is_judged),
        IN_A_FOLDER(an_experiment_that_makes_its_map_says_so),
        IN_A_FOLDER(results_do_not_depend_on_the_threads),
        IN_A_FOLDER(an_interrupted_run_goes_on),
        IN_A_FOLDER(a_run_interrupted_at_once_is_begun_anew),
        IN_A_FOLDER(a_thread_takes_one_part_at_a_time),
        IN_A_FOLDER(wrong_input_gets_a_sentence),
    };
    return cmocka_run_group_tests_name("cli_experiment", tests, NULL, NULL);
}
