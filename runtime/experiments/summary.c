// SPDX-License-Identifier: MIT
#include "summary.h"

#include <stdlib.h>

#include "alloc.h"

static bool add_suboptimality(wm_summary* summary, double percent)
{
    if (summary->compared == summary->compared_capacity) {
        double* grown = wm_grow(summary->suboptimality, &summary->compared_capacity,
                                summary->compared + 1, sizeof *grown);
        if (grown == NULL) return false;
        summary->suboptimality = grown;
    }
    summary->suboptimality[summary->compared++] = percent;
    return true;
}

bool wm_summary_add(wm_summary* summary, const wm_race_run* run)
{
    summary->runs++;
    summary->outcomes[run->outcome]++;
    summary->moves += run->moves;
    summary->expansions += run->expansions;
    summary->back_moves += run->back_moves;
    summary->non_optimal_moves += run->non_optimal_moves;
    summary->revisits += run->revisits;
    summary->plan_ns_total += run->plan_ns_total;
    if (run->max_expansions_per_move > summary->max_expansions_per_move)
        summary->max_expansions_per_move = run->max_expansions_per_move;
    if (run->agent_bytes > summary->agent_bytes) summary->agent_bytes = run->agent_bytes;
    if (run->moves > 0) wm_histogram_add(&summary->first_ns, run->plan_ns_first);
    return run->outcome == WM_RACE_NO_PATH ||
           add_suboptimality(summary, wm_race_suboptimality(run));
}

void wm_summary_free(wm_summary* summary)
{
    free(summary->suboptimality);
    summary->suboptimality = NULL;
    summary->compared = summary->compared_capacity = 0;
}

static int by_value(const void* a, const void* b)
{
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

wm_spread wm_summary_suboptimality(wm_summary* summary)
{
    const size_t n = summary->compared;
    double* list = summary->suboptimality;
    double sum = 0;
    if (n == 0) return (wm_spread){0};
    qsort(list, n, sizeof *list, by_value);
    for (size_t i = 0; i < n; i++) sum += list[i];
    return (wm_spread){
        .mean = sum / (double)n,
        .median = (list[(n - 1) / 2] + list[n / 2]) / 2,
        .p95 = list[(n * 95 + 99) / 100 - 1],
        .worst = list[n - 1],
    };
}

double wm_summary_per_run(const wm_summary* summary, uint64_t sum)
{
    return summary->runs == 0 ? 0 : (double)sum / (double)summary->runs;
}

double wm_summary_expansions_per_move(const wm_summary* summary)
{
    return summary->moves == 0 ? 0 : (double)summary->expansions / (double)summary->moves;
}
