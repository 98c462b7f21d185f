// SPDX-License-Identifier: MIT
//
// Pairs are drawn until enough of them are in the range. Landmarks reject most of the others
// without a search: with d(x) the distance from a landmark, the distance between two cells lies
// between |d(a) - d(b)| and d(a) + d(b). Where that is too loose another landmark is placed. When
// the range is so rare that hardly any draw hits it, all pairs are looked at instead, which also
// tells how many there are.
#include "problems.h"

#include <stdio.h>
#include <stdlib.h>

#include "alloc.h"
#include "census.h"
#include "jump.h"

// Rejections in a row after which drawing is given up: by bounds alone, and after a search.
#define MAX_CHEAP_REJECTIONS (1 << 22)
#define MAX_SEARCHED_REJECTIONS 2000
// So many rejections after a search call for one more landmark.
#define REJECTIONS_A_LANDMARK 32
#define MAX_LANDMARKS 16
#define MAX_LANDMARK_COSTS (1u << 25)

// Databases built with the same seed draw their pairs from the low streams: tests on problems that
// the builder has seen would be worth nothing.
#define OWN_STREAM UINT64_MAX

typedef struct sampler {
    const wm_grid* grid;
    const wm_problem_range* range;
    wm_pairs pairs; // of the cells that may have a problem in the range
    wm_distances distances;
    wm_cost* landmark_cost; // per cell and landmark; infinite from other components
    uint32_t landmark_count;
    uint32_t max_landmarks;
    wm_jump_table jumps;
    wm_jump_search search;
    wm_rng rng;
    uint64_t reach; // how far away in cells a goal can be
    bool near;      // draw goals around the start, because few others can be in the range
    uint64_t most;  // no more problems than this can be in the range
    uint64_t* seen; // hash set of the pairs drawn; 0 is an empty place
    size_t seen_capacity;
} sampler;

static uint32_t candidate_count(const sampler* s)
{
    return s->pairs.first[s->grid->component_count];
}

// Chooses how to draw: from all pairs of candidates, or from the squares around them.
static void choose_source(sampler* s)
{
    const wm_cost reach = s->range->max_cost / WM_COST_STRAIGHT;
    s->reach = reach < WM_GRID_MAX_SIDE ? (uint64_t)reach : WM_GRID_MAX_SIDE;
    const uint64_t around = candidate_count(s) * (2 * s->reach + 1) * (2 * s->reach + 1);
    s->most = wm_pairs_count(&s->pairs);
    s->near = around < s->most;
    if (s->near) s->most = around;
}

// Moves the candidates of one component that the last search leaves possible to `kept` and what
// follows. A cell is out when even the way over the landmark to the farthest candidate is short.
static uint32_t keep_candidates(sampler* s, uint32_t begin, uint32_t end, uint32_t kept)
{
    const wm_cost* cost = s->distances.cost;
    wm_cell* cells = s->pairs.cells;
    wm_cost farthest = 0;
    for (uint32_t i = begin; i < end; i++) {
        if (cost[cells[i]] > farthest) farthest = cost[cells[i]];
    }
    for (uint32_t i = begin; i < end; i++) {
        const wm_cost way = cost[cells[i]];
        // Infinite: the landmark stands in another component and says nothing.
        if (way == WM_COST_INFINITE || way + farthest >= s->range->min_cost)
            cells[kept++] = cells[i];
    }
    return kept;
}

static void rule_out(sampler* s)
{
    wm_pairs* pairs = &s->pairs;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->grid->component_count; i++) {
        const uint32_t begin = pairs->first[i];
        pairs->first[i] = kept;
        kept = keep_candidates(s, begin, pairs->first[i + 1], kept);
        const uint64_t size = kept - pairs->first[i];
        const uint64_t weight = size > 1 ? size * (size - 1) : 0;
        pairs->weight_before[i + 1] = pairs->weight_before[i] + weight;
    }
    pairs->first[s->grid->component_count] = kept;
    choose_source(s);
}

static wm_status add_landmark(sampler* s, const wm_cell* cells, size_t count, wm_error* error)
{
    const wm_status status = wm_distances_from_any(&s->distances, cells, count, WM_COST_INFINITE);
    if (status != WM_OK) return wm_fail_memory(error, s->grid->cell_count * sizeof(wm_cell));
    wm_cost* costs = s->landmark_cost + s->landmark_count++;
    for (wm_cell cell = 0; cell < s->grid->cell_count; cell++)
        costs[(size_t)cell * s->max_landmarks] = s->distances.cost[cell];
    rule_out(s);
    return WM_OK;
}

// The first landmark is one cell in the middle of each component: they do not get in each other's
// way, so one search serves all.
static wm_status add_first_landmark(sampler* s, wm_error* error)
{
    const uint32_t count = s->grid->component_count;
    wm_cell* middle = wm_alloc(NULL, count, sizeof *middle);
    if (middle == NULL) return wm_fail_memory(error, count * sizeof *middle);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t first = s->pairs.first[i];
        middle[i] = s->pairs.cells[first + (s->pairs.first[i + 1] - first) / 2];
    }
    const wm_status status = add_landmark(s, middle, count, error);
    free(middle);
    return status;
}

static wm_status sampler_create(sampler* s, const wm_grid* grid, const wm_problem_range* range,
                                wm_error* error)
{
    *s = (sampler){.grid = grid, .range = range, .rng = wm_rng_start(range->seed, OWN_STREAM)};
    wm_status status = wm_pairs_create(&s->pairs, grid, false, error);
    if (status == WM_OK) status = wm_distances_create(&s->distances, grid, error);
    if (status != WM_OK) return status;

    const uint32_t affordable = MAX_LANDMARK_COSTS / grid->cell_count;
    s->max_landmarks = affordable < MAX_LANDMARKS ? affordable : MAX_LANDMARKS;
    s->landmark_cost = wm_alloc(NULL, grid->cell_count, s->max_landmarks * sizeof(wm_cost));
    if (s->landmark_cost == NULL)
        return wm_fail_memory(error, (size_t)grid->cell_count * s->max_landmarks * sizeof(wm_cost));
    return add_first_landmark(s, error);
}

static void sampler_free(sampler* s)
{
    wm_jump_search_free(&s->search);
    wm_jump_table_free(&s->jumps);
    wm_distances_free(&s->distances);
    wm_pairs_free(&s->pairs);
    free(s->landmark_cost);
    free(s->seen);
}

// The place of a pair in the set, or the empty place where it belongs.
static size_t find_place(const uint64_t* seen, size_t capacity, uint64_t pair)
{
    size_t place = wm_rng_start(0, pair).state & (capacity - 1);
    while (seen[place] != 0 && seen[place] != pair) place = (place + 1) & (capacity - 1);
    return place;
}

// Keeps the set at most half full when it is to hold `count` pairs.
static bool make_room(sampler* s, size_t count)
{
    if (count <= s->seen_capacity / 2) return true;
    const size_t capacity = s->seen_capacity == 0 ? 1024 : 2 * s->seen_capacity;
    uint64_t* grown = wm_alloc(NULL, capacity, sizeof *grown);
    if (grown == NULL) return false;
    for (size_t i = 0; i < s->seen_capacity; i++) {
        if (s->seen[i] != 0) grown[find_place(grown, capacity, s->seen[i])] = s->seen[i];
    }
    free(s->seen);
    s->seen = grown;
    s->seen_capacity = capacity;
    return true;
}

// Draws from all cells and all goals in the square around them. False when there is no such goal.
static bool draw_near(sampler* s, wm_cell* start, wm_cell* goal)
{
    const uint64_t side = 2 * s->reach + 1;
    const uint64_t draw = wm_rng_below(&s->rng, candidate_count(s) * side * side);
    const uint64_t offset = draw % (side * side);
    *start = s->pairs.cells[draw / (side * side)];
    wm_point p = wm_grid_point(s->grid, *start);
    p.x += (int32_t)(offset % side) - (int32_t)s->reach;
    p.y += (int32_t)(offset / side) - (int32_t)s->reach;
    if (!wm_grid_contains(s->grid, p)) return false;
    *goal = wm_grid_cell(s->grid, p);
    return *goal != *start && wm_grid_connected(s->grid, *start, *goal);
}

static bool landmarks_allow(const sampler* s, wm_cell start, wm_cell goal)
{
    const wm_cost* a = s->landmark_cost + (size_t)start * s->max_landmarks;
    const wm_cost* b = s->landmark_cost + (size_t)goal * s->max_landmarks;
    for (uint32_t i = 0; i < s->landmark_count; i++) {
        if (a[i] == WM_COST_INFINITE) continue;
        if (a[i] + b[i] < s->range->min_cost || llabs(a[i] - b[i]) > s->range->max_cost)
            return false;
    }
    return true;
}

// Draws a new pair that may be in the range as far as bounds can tell.
static bool draw(sampler* s, wm_cell* start, wm_cell* goal)
{
    if (s->near) {
        if (!draw_near(s, start, goal)) return false;
    } else {
        wm_pairs_draw(&s->pairs, &s->rng, start, goal);
    }
    if (wm_grid_octile(s->grid, *start, *goal) > s->range->max_cost) return false;
    const uint64_t pair = (uint64_t)*start << 32 | *goal;
    return s->seen[find_place(s->seen, s->seen_capacity, pair)] != pair &&
           landmarks_allow(s, *start, *goal);
}

static wm_status optimal_cost(sampler* s, wm_cell start, wm_cell goal, wm_cost* cost,
                              wm_error* error)
{
    wm_status status = WM_OK;
    // Where the range is impossible the table is never needed.
    if (s->jumps.grid == NULL) status = wm_jump_table_create(&s->jumps, s->grid, error);
    if (status == WM_OK && s->search.table == NULL)
        status = wm_jump_search_create(&s->search, &s->jumps, error);
    if (status == WM_OK) *cost = wm_jump_search_cost(&s->search, start, goal);
    return status;
}

static wm_status accept(sampler* s, wm_problems* problems, wm_cell start, wm_cell goal,
                        wm_cost cost, wm_error* error)
{
    const uint64_t pair = (uint64_t)start << 32 | goal;
    s->seen[find_place(s->seen, s->seen_capacity, pair)] = pair;
    const wm_problem problem = {start, goal, wm_cost_to_double(cost)};
    if (wm_problems_add(problems, problem) && make_room(s, problems->count + 1)) return WM_OK;
    return wm_fail_memory(error, problems->count * sizeof problem);
}

// Searches a pair that was drawn and takes it when it is in the range, which sets `hit`.
static wm_status try_pair(sampler* s, wm_problems* problems, wm_cell start, wm_cell goal, bool* hit,
                          wm_error* error)
{
    wm_cost cost = 0;
    const wm_status status = optimal_cost(s, start, goal, &cost, error);
    *hit = status == WM_OK && cost >= s->range->min_cost && cost <= s->range->max_cost;
    return *hit ? accept(s, problems, start, goal, cost, error) : status;
}

// Draws until there are enough problems or drawing does not get on; then there are fewer.
static wm_status sample(sampler* s, wm_problems* problems, wm_error* error)
{
    wm_status status = WM_OK;
    int cheap = 0;
    int searched = 0;
    if (!make_room(s, 1)) return wm_fail_memory(error, sizeof *s->seen);
    while (status == WM_OK && problems->count < s->range->count && s->most > 0) {
        wm_cell start;
        wm_cell goal;
        bool hit;
        if (cheap == MAX_CHEAP_REJECTIONS || searched == MAX_SEARCHED_REJECTIONS) break;
        cheap++;
        if (!draw(s, &start, &goal)) continue;
        searched++;
        status = try_pair(s, problems, start, goal, &hit, error);
        if (hit) {
            cheap = searched = 0;
        } else if (status == WM_OK && searched % REJECTIONS_A_LANDMARK == 0 &&
                   s->landmark_count < s->max_landmarks) {
            status = add_landmark(s, &start, 1, error);
        }
    }
    return status;
}

// Prints a cost in straight steps, to two decimals where it needs them. Returns the length.
static int print_cost(char* text, size_t size, wm_cost cost)
{
    const wm_cost hundredths =
        (cost % WM_COST_STRAIGHT * 100 + WM_COST_STRAIGHT / 2) / WM_COST_STRAIGHT;
    const long long whole = cost / WM_COST_STRAIGHT + hundredths / 100;
    const int rest = (int)(hundredths % 100);
    return rest == 0 ? snprintf(text, size, "%lld", whole)
                     : snprintf(text, size, "%lld.%02d", whole, rest);
}

static wm_status fail_as_too_few(const wm_problem_range* range, uint64_t total, const char* name,
                                 wm_error* error)
{
    char bounds[80];
    const bool bounded = range->max_cost != WM_COST_INFINITE;
    if (!bounded && range->min_cost <= 0)
        return wm_fail(error, WM_ERR_TOO_FEW,
                       "%s has only %llu problems, %zu were asked for; ask for fewer", name,
                       (unsigned long long)total, range->count);
    int length = print_cost(bounds, sizeof bounds, range->min_cost);
    length +=
        snprintf(bounds + length, sizeof bounds - (size_t)length, bounded ? " to " : " or more");
    if (bounded) print_cost(bounds + length, sizeof bounds - (size_t)length, range->max_cost);
    return wm_fail(error, WM_ERR_TOO_FEW,
                   "%s has only %llu problems of cost %s, %zu were asked for; widen the range or "
                   "ask for fewer",
                   name, (unsigned long long)total, bounds, range->count);
}

// Every pair is looked at. Replaces what was drawn so far.
static wm_status draw_from_all(sampler* s, wm_problems* problems, const char* name, wm_error* error)
{
    const wm_problem_range* range = s->range;
    const wm_census_query query = {
        .pairs = &s->pairs,
        .min_cost = range->min_cost,
        .max_cost = range->max_cost,
        .seed = range->seed,
        .keep = range->count > s->most ? 0 : range->count, // just count what cannot suffice
    };
    wm_census census;
    wm_problems_free(problems);
    wm_status status = wm_census_take(&census, &query, &s->distances, error);
    if (status == WM_OK && census.total < range->count)
        status = fail_as_too_few(range, census.total, name, error);
    for (size_t i = 0; status == WM_OK && i < census.kept_count; i++) {
        const wm_census_entry* entry = &census.kept[i];
        const wm_problem problem = {entry->start, entry->goal, wm_cost_to_double(entry->cost)};
        if (!wm_problems_add(problems, problem))
            status = wm_fail_memory(error, census.kept_count * sizeof problem);
    }
    wm_census_free(&census);
    return status;
}

wm_status wm_problems_draw(wm_problems* problems, const wm_grid* grid,
                           const wm_problem_range* range, const char* name, wm_error* error)
{
    sampler s;
    *problems = (wm_problems){0};
    wm_status status = sampler_create(&s, grid, range, error);
    if (status != WM_OK) goto cleanup;

    const bool any_cost =
        range->min_cost <= WM_COST_STRAIGHT && range->max_cost == WM_COST_INFINITE;
    if (range->count > s.most && any_cost) {
        status = fail_as_too_few(range, s.most, name, error);
        goto cleanup;
    }
    if (range->count <= s.most && range->min_cost <= range->max_cost)
        status = sample(&s, problems, error);
    if (status == WM_OK && problems->count < range->count)
        status = draw_from_all(&s, problems, name, error);
cleanup:
    if (status != WM_OK) wm_problems_free(problems);
    sampler_free(&s);
    return status;
}
