// SPDX-License-Identifier: MIT
#include "knn_query.h"

#include "climb.h"

static bool is_taboo(const wm_knn_taboo* taboo, wm_cell cell)
{
    return (taboo[cell / 64] >> (cell % 64) & 1) != 0;
}

static void make_taboo(wm_knn_taboo* taboo, wm_cell cell)
{
    taboo[cell / 64] |= UINT64_C(1) << (cell % 64);
}

static bool climbs(const wm_grid* grid, wm_cell from, wm_cell to, uint32_t max_climb,
                   uint64_t* steps)
{
    const wm_climb climb = wm_climb_run(grid, from, to, max_climb);
    *steps += climb.steps;
    return climb.reached;
}

wm_knn_candidate wm_knn_check(const wm_map* map, const wm_db* db, uint32_t max_climb,
                              const wm_knn_taboo* taboo, wm_cell position, wm_cell goal,
                              wm_knn_match match, uint64_t* climb_steps)
{
    const wm_knn_record* record = &db->knn.records[match.record];
    wm_knn_candidate candidate = {.match = match};
    const wm_cell subgoal = db->knn.subgoals[record->first_subgoal];
    candidate.taboo = is_taboo(taboo, subgoal) || subgoal == position;
    if (candidate.taboo) return candidate;
    candidate.start_climbs = climbs(&map->grid, position, record->start, max_climb, climb_steps);
    if (!candidate.start_climbs) return candidate;
    candidate.goal_climbs = climbs(&map->grid, goal, record->goal, max_climb, climb_steps);
    candidate.accepted = candidate.goal_climbs;
    return candidate;
}

// ---------------------------------------------------------------------------------------------
// Several records: the valid state nearest to the weighted mean of their subgoals

// A sum of subgoals, weighted by similarity: 1 / (1 + distance in straight steps), as an integer.
typedef struct subgoal_blend {
    int64_t x;
    int64_t y;
    int64_t weight;
    wm_cell first; // the best record's subgoal
} subgoal_blend;

#define WEIGHT_UNIT (INT64_C(1) << 32)

static void blend_add(subgoal_blend* blend, const wm_grid* grid, wm_cell subgoal, uint32_t distance)
{
    const int64_t weight = WEIGHT_UNIT * WM_COST_STRAIGHT / (WM_COST_STRAIGHT + (int64_t)distance);
    const wm_point p = wm_grid_point(grid, subgoal);
    if (blend->weight == 0) blend->first = subgoal;
    blend->x += weight * p.x;
    blend->y += weight * p.y;
    blend->weight += weight;
}

// Looks at the cells around the mean in growing squares; the subgoal of the best record is there
// as a last resort, so `max_radius` bounds the work and not the answer.
static wm_cell blend_nearest_valid(const subgoal_blend* blend, const wm_grid* grid,
                                   const wm_knn_taboo* taboo, wm_cell position, int32_t max_radius)
{
    const wm_point mean = {(int32_t)((blend->x + blend->weight / 2) / blend->weight),
                           (int32_t)((blend->y + blend->weight / 2) / blend->weight)};
    wm_cell best = blend->first;
    wm_cost least = WM_COST_INFINITE;
    for (int32_t radius = 0; radius <= max_radius; radius++) {
        // Nothing on this square or beyond is nearer than its middle of a side.
        if (WM_COST_STRAIGHT * radius > least) break;
        for (int32_t y = mean.y - radius; y <= mean.y + radius; y++) {
            const bool whole_row = y == mean.y - radius || y == mean.y + radius;
            for (int32_t x = mean.x - radius; x <= mean.x + radius;
                 x += whole_row || radius == 0 ? 1 : 2 * radius) {
                const wm_point p = {x, y};
                if (!wm_grid_contains(grid, p)) continue;
                const wm_cell cell = wm_grid_cell(grid, p);
                const wm_cost distance = wm_octile(x - mean.x, y - mean.y);
                if (distance >= least || cell == position || is_taboo(taboo, cell) ||
                    !wm_grid_connected(grid, cell, position))
                    continue;
                least = distance;
                best = cell;
            }
        }
    }
    return best;
}

wm_knn_decision wm_knn_decide(const wm_map* map, const wm_db* db, const wm_knn_limits* limits,
                              wm_knn_taboo* taboo, wm_knn_match* matches, wm_cell position,
                              wm_cell goal)
{
    const wm_grid* grid = &map->grid;
    wm_knn_decision decision = {.subgoal = goal};
    decision.goal_climbs = climbs(grid, position, goal, limits->max_climb, &decision.climb_steps);
    if (decision.goal_climbs) return decision;

    subgoal_blend blend = {0};
    uint32_t accepted = 0;
    wm_knn_match match;
    wm_knn_cursor cursor;
    wm_knn_cursor_begin(&cursor, &db->knn_index, matches, wm_grid_point(grid, position),
                        wm_grid_point(grid, goal));
    while (accepted < limits->neighbours &&
           (limits->max_candidates == 0 || decision.candidates < limits->max_candidates) &&
           wm_knn_cursor_next(&cursor, &match)) {
        const wm_knn_candidate candidate = wm_knn_check(map, db, limits->max_climb, taboo, position,
                                                        goal, match, &decision.climb_steps);
        decision.candidates++;
        if (!candidate.accepted) continue;
        if (accepted++ == 0) decision.record = match.record;
        const wm_knn_record* record = &db->knn.records[match.record];
        blend_add(&blend, grid, db->knn.subgoals[record->first_subgoal], match.distance);
    }
    if (accepted == 0) return decision;
    decision.from_record = true;
    decision.subgoal = accepted == 1 ? blend.first
                                     : blend_nearest_valid(&blend, grid, taboo, position,
                                                           (int32_t)limits->max_climb);
    make_taboo(taboo, decision.subgoal);
    return decision;
}
