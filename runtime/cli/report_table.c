// SPDX-License-Identifier: MIT
//
// Cells are made as text first, so that every column is just as wide as it needs to be.
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "report.h"

typedef struct column {
    const char* group; // a heading above this and the columns that follow without one
    const char* heading;
} column;

enum {
    ALGORITHM,
    SOLVED,
    MEAN,
    MEDIAN,
    P95,
    WORST,
    MOVES,
    BACK_MOVES,
    NON_OPTIMAL,
    REVISITS,
    STATES,
    WORST_STATES,
    FIRST_P50,
    FIRST_P99,
    FIRST_MAX,
    EVERY_P50,
    EVERY_P99,
    EVERY_MAX,
    AGENT,
    DATABASE,
    COLUMNS
};

static const column columns[COLUMNS] = {
    [ALGORITHM] = {"", "algorithm"},
    [SOLVED] = {"", "solved"},
    [MEAN] = {"suboptimality %", "mean"},
    [MEDIAN] = {NULL, "median"},
    [P95] = {NULL, "p95"},
    [WORST] = {NULL, "worst"},
    [MOVES] = {"moves per problem", "all"},
    [BACK_MOVES] = {NULL, "back"},
    [NON_OPTIMAL] = {NULL, "non-opt"},
    [REVISITS] = {NULL, "revisit"},
    [STATES] = {"states", "/move"},
    [WORST_STATES] = {NULL, "worst"},
    [FIRST_P50] = {"first move, us", "p50"},
    [FIRST_P99] = {NULL, "p99"},
    [FIRST_MAX] = {NULL, "max"},
    [EVERY_P50] = {"every move, us", "p50"},
    [EVERY_P99] = {NULL, "p99"},
    [EVERY_MAX] = {NULL, "max"},
    [AGENT] = {"agent", "KiB"},
    [DATABASE] = {"data", "bytes"},
};

#define CELL_BYTES 128

typedef struct row {
    char cell[COLUMNS][CELL_BYTES];
} row;

// About three digits.
static void put_number(char* cell, double value)
{
    const int decimals = value == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
    snprintf(cell, CELL_BYTES, "%.*f", decimals, value);
}

// Columns from `begin` to `end`, of which nothing is known.
static void put_unknown(row* r, int begin, int end)
{
    for (int i = begin; i <= end; i++) snprintf(r->cell[i], CELL_BYTES, "-");
}

static void put_times(row* r, int first_column, const wm_histogram* ns)
{
    put_number(r->cell[first_column], (double)wm_histogram_percentile(ns, 50) / 1e3);
    put_number(r->cell[first_column + 1], (double)wm_histogram_percentile(ns, 99) / 1e3);
    put_number(r->cell[first_column + 2], (double)ns->max / 1e3);
}

static void fill_row(row* r, wm_compare_algorithm* algorithm)
{
    wm_summary* s = &algorithm->summary;
    const wm_spread spread = wm_summary_suboptimality(s);
    snprintf(r->cell[ALGORITHM], CELL_BYTES, "%s", algorithm->spec);
    snprintf(r->cell[SOLVED], CELL_BYTES, "%llu/%llu",
             (unsigned long long)s->outcomes[WM_RACE_SOLVED], (unsigned long long)s->runs);
    put_number(r->cell[MEAN], spread.mean);
    put_number(r->cell[MEDIAN], spread.median);
    put_number(r->cell[P95], spread.p95);
    put_number(r->cell[WORST], spread.worst);
    put_number(r->cell[MOVES], wm_summary_per_run(s, s->moves));
    put_number(r->cell[BACK_MOVES], wm_summary_per_run(s, s->back_moves));
    put_number(r->cell[NON_OPTIMAL], wm_summary_per_run(s, s->non_optimal_moves));
    put_number(r->cell[REVISITS], wm_summary_per_run(s, s->revisits));
    put_number(r->cell[STATES], wm_summary_expansions_per_move(s));
    snprintf(r->cell[WORST_STATES], CELL_BYTES, "%llu",
             (unsigned long long)s->max_expansions_per_move);
    put_times(r, FIRST_P50, &s->first_ns);
    put_times(r, EVERY_P50, &s->step_ns);
    if (s->compared == 0) put_unknown(r, MEAN, WORST);
    if (s->moves == 0) put_unknown(r, STATES, EVERY_MAX);
    snprintf(r->cell[AGENT], CELL_BYTES, "%zu", (s->agent_bytes + 1023) / 1024);
    snprintf(r->cell[DATABASE], CELL_BYTES, s->database_bytes == 0 ? "-" : "%zu",
             s->database_bytes);
}

static bool begins_group(int i)
{
    return columns[i].group != NULL;
}

// How far column i stands from the one before.
static int gap_before(int i)
{
    return i == 0 ? 0 : begins_group(i) ? 2 : 1;
}

static int group_end(int i)
{
    do i++;
    while (i < COLUMNS && !begins_group(i));
    return i;
}

static int group_width(const int* widths, int begin)
{
    int width = 0;
    for (int i = begin; i < group_end(begin); i++)
        width += widths[i] + (i == begin ? 0 : gap_before(i));
    return width;
}

static void measure(int* widths, const row* rows, size_t count)
{
    for (int i = 0; i < COLUMNS; i++) {
        widths[i] = (int)strlen(columns[i].heading);
        for (size_t j = 0; j < count; j++) {
            const int length = (int)strlen(rows[j].cell[i]);
            if (length > widths[i]) widths[i] = length;
        }
    }
    for (int i = 0; i < COLUMNS; i = group_end(i)) {
        const int missing = (int)strlen(columns[i].group) - group_width(widths, i);
        if (missing > 0) widths[i] += missing;
    }
}

static void print_groups(const int* widths)
{
    for (int i = 0; i < COLUMNS; i = group_end(i))
        printf("%*s%*s", gap_before(i), "", i <= SOLVED ? widths[i] : group_width(widths, i),
               columns[i].group);
    printf("\n");
}

static void print_cell(int i, int width, const char* text)
{
    // Names to the left, numbers to the right.
    printf(i == ALGORITHM ? "%*s%-*s" : "%*s%*s", gap_before(i), "", width, text);
}

static void print_rows(const row* rows, size_t count)
{
    int widths[COLUMNS];
    measure(widths, rows, count);
    print_groups(widths);
    for (int i = 0; i < COLUMNS; i++) print_cell(i, widths[i], columns[i].heading);
    printf("\n");
    for (size_t j = 0; j < count; j++) {
        for (int i = 0; i < COLUMNS; i++) print_cell(i, widths[i], rows[j].cell[i]);
        printf("\n");
    }
}

static void print_legend(const wm_compare* compare)
{
    printf("\nmoves, back-moves, non-optimal moves and revisits are means per problem; states: "
           "expanded per move, and the most in one\nmove; data: database bytes%s; agent: memory "
           "of the largest; a run that gave up counts with what it had walked;\n-: "
           "nothing to measure\n",
           compare->map_count > 1 ? ", the sum of all maps" : "");
}

bool wm_report_print_table(wm_compare* compare)
{
    size_t count = 0;
    row* rows = wm_alloc(NULL, compare->algorithm_count, sizeof *rows);
    if (rows == NULL) return false;
    for (size_t i = 0; i < compare->algorithm_count; i++)
        if (compare->algorithms[i].summary.runs > 0)
            fill_row(&rows[count++], &compare->algorithms[i]);
    printf("%zu problem%s on ", compare->problem_count, compare->problem_count == 1 ? "" : "s");
    if (compare->map_count == 1) {
        printf("1 map, %s\n\n", compare->problems_from);
    } else {
        printf("%zu maps\n\n", compare->map_count);
    }
    print_rows(rows, count);
    print_legend(compare);
    free(rows);
    return true;
}
