// SPDX-License-Identifier: MIT
//
// What is known of a column is drawn anew for each column, share and trial, as many numbers for all
// columns: then a column that has none cannot occur.
#include "selection.h"

#include <math.h>
#include <stdlib.h>

#include "alloc.h"

const double wm_selection_removed[WM_SELECTION_SHARES] = {0,  10, 20, 30, 40, 50, 60,   70, 80,
                                                          85, 90, 95, 96, 97, 98, 98.5, 99};

uint32_t wm_selection_kept(const wm_selection* selection, double removed_percent)
{
    const double kept = (100 - removed_percent) / 100 * selection->algorithms + 0.5;
    return kept < 1 ? 1 : (uint32_t)kept;
}

uint32_t wm_selection_training(uint32_t columns)
{
    const uint32_t training = (2 * columns + 1) / 3;
    if (training == columns && columns > 1) return columns - 1;
    return training > 0 ? training : 1;
}

static const double* row(const wm_selection* selection, const double* table, uint32_t column)
{
    return table + (size_t)column * selection->algorithms;
}

uint32_t wm_selection_best(const wm_selection* selection, uint32_t column)
{
    const double* picks = row(selection, selection->picks, column);
    uint32_t best = 0;
    for (uint32_t a = 1; a < selection->algorithms; a++) {
        if (picks[a] < picks[best]) best = a;
    }
    return best;
}

uint32_t wm_selection_best_of(const wm_selection* selection, uint32_t column, const uint32_t* tried,
                              uint32_t count)
{
    const double* picks = row(selection, selection->picks, column);
    uint32_t best = tried[0];
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t a = tried[i];
        if (picks[a] < picks[best] || (picks[a] == picks[best] && a < best)) best = a;
    }
    return best;
}

uint32_t wm_selection_prior(const wm_selection* selection, const uint32_t* columns, uint32_t count,
                            double* sums)
{
    uint32_t best = 0;
    for (uint32_t a = 0; a < selection->algorithms; a++) sums[a] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double* picks = row(selection, selection->picks, columns[i]);
        const double weight = selection->weights[columns[i]];
        for (uint32_t a = 0; a < selection->algorithms; a++) sums[a] += weight * picks[a];
    }
    for (uint32_t a = 1; a < selection->algorithms; a++) {
        if (sums[a] < sums[best]) best = a;
    }
    return best;
}

// ---------------------------------------------------------------------------------------------
// Trials

typedef struct workspace {
    uint32_t* columns;    // in random order: training, then test
    uint32_t* algorithms; // in random order: those tried first
    double* sums;
} workspace;

static wm_status workspace_create(workspace* w, const wm_selection* selection)
{
    w->columns = calloc(selection->columns, sizeof *w->columns);
    w->algorithms = calloc(selection->algorithms, sizeof *w->algorithms);
    w->sums = calloc(selection->algorithms, sizeof *w->sums);
    if (w->columns == NULL || w->algorithms == NULL || w->sums == NULL) return WM_ERR_MEMORY;
    for (uint32_t i = 0; i < selection->columns; i++) w->columns[i] = i;
    for (uint32_t i = 0; i < selection->algorithms; i++) w->algorithms[i] = i;
    return WM_OK;
}

static void workspace_free(workspace* w)
{
    free(w->columns);
    free(w->algorithms);
    free(w->sums);
}

// Moves `chosen` of `count` numbers, drawn without replacement, to the front.
static void draw_to_front(wm_rng* rng, uint32_t* numbers, uint32_t count, uint32_t chosen)
{
    for (uint32_t i = 0; i < chosen; i++) {
        const uint32_t other = i + (uint32_t)wm_rng_below(rng, count - i);
        const uint32_t moved = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = moved;
    }
}

static void add_score(const wm_selection* selection, uint32_t column, uint32_t algorithm,
                      double* sum)
{
    *sum += selection->weights[column] * row(selection, selection->scores, column)[algorithm];
}

static void choose_for(const wm_selection* selection, const workspace* w, uint32_t column,
                       wm_rng* rng, wm_selection_trial* trial)
{
    add_score(selection, column, wm_selection_best(selection, column), &trial->exhaustive);
    for (int s = 0; s < WM_SELECTION_SHARES; s++) {
        const uint32_t kept = wm_selection_kept(selection, wm_selection_removed[s]);
        draw_to_front(rng, w->algorithms, selection->algorithms, kept);
        add_score(selection, column, wm_selection_best_of(selection, column, w->algorithms, kept),
                  &trial->sample[s]);
    }
}

static void make_means(wm_selection_trial* trial)
{
    if (trial->weight <= 0) return;
    trial->exhaustive /= trial->weight;
    trial->prior /= trial->weight;
    for (int s = 0; s < WM_SELECTION_SHARES; s++) trial->sample[s] /= trial->weight;
}

wm_status wm_selection_try(const wm_selection* selection, wm_rng* rng, wm_selection_trial* trial)
{
    workspace w = {0};
    const wm_status status = workspace_create(&w, selection);
    *trial = (wm_selection_trial){0};
    if (status == WM_OK) {
        const uint32_t training = wm_selection_training(selection->columns);
        draw_to_front(rng, w.columns, selection->columns, training);
        const uint32_t prior = wm_selection_prior(selection, w.columns, training, w.sums);
        for (uint32_t i = training; i < selection->columns; i++) {
            const uint32_t column = w.columns[i];
            if (selection->weights[column] == 0) continue;
            trial->weight += selection->weights[column];
            add_score(selection, column, prior, &trial->prior);
            choose_for(selection, &w, column, rng, trial);
        }
        make_means(trial);
    }
    workspace_free(&w);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Many trials

// Takes the `count`th number in: `standard_error` is the sum of squares until the end (Welford).
static void take_in(wm_selection_mean* mean, double number, uint32_t count)
{
    const double before = number - mean->mean;
    mean->mean += before / count;
    mean->standard_error += before * (number - mean->mean);
}

static void finish(wm_selection_mean* mean, uint32_t trials)
{
    mean->standard_error =
        trials > 1 ? sqrt(mean->standard_error / ((double)(trials - 1) * trials)) : 0;
}

wm_status wm_selection_run(const wm_selection* selection, uint32_t trials, uint64_t seed,
                           wm_selection_summary* summary)
{
    *summary = (wm_selection_summary){0};
    for (uint32_t t = 0; t < trials; t++) {
        wm_rng rng = wm_rng_start(seed, t);
        wm_selection_trial trial;
        const wm_status status = wm_selection_try(selection, &rng, &trial);
        if (status != WM_OK) return status;
        if (trial.weight <= 0) continue;
        summary->trials++;
        take_in(&summary->exhaustive, trial.exhaustive, summary->trials);
        take_in(&summary->prior, trial.prior, summary->trials);
        for (int s = 0; s < WM_SELECTION_SHARES; s++)
            take_in(&summary->sample[s], trial.sample[s], summary->trials);
    }
    finish(&summary->exhaustive, summary->trials);
    finish(&summary->prior, summary->trials);
    for (int s = 0; s < WM_SELECTION_SHARES; s++) finish(&summary->sample[s], summary->trials);
    return WM_OK;
}
