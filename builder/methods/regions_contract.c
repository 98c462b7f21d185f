// SPDX-License-Identifier: MIT
//
// Quality by contract: parameters from coarse to fine make larger and better databases; wanted is
// the finest one within the bytes, or the coarsest one good enough. Measured is what a game gets:
// agents that walk with the packed database, on random problems.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "format.h"
#include "jump.h"
#include "pairs.h"
#include "problems.h"
#include "regions_method.h"

// Steps that are tried behind the last one that fits, and those of the last ones that are measured:
// finer is better on the whole, not always.
#define STEPS_BEYOND 6
#define STEPS_MEASURED 3

#define TUNING_PROBLEMS 300
#define CERTIFICATE_PROBLEMS 1000

// Problems of the certificate must not be those of the search.
#define CERTIFICATE_SEED UINT64_C(0x5EED0FCE27)

// Who asks for nothing gets a database that opens soon: work counts edges between waypoints times
// regions, and this many a cell take 10 ms on a map of 512 x 512 cells. Smaller maps may have as much.
#define OPENING_WORK_PER_CELL UINT64_C(32)
#define OPENING_WORK_LEAST (OPENING_WORK_PER_CELL * 512 * 512)
// More only where walks would else be longer than this, in thousandths of a percent.
#define GOOD_MEAN 1000
// Then it may take so many times as long, and where they would be bad more.
#define FINER_OPENING 2
#define BAD_MEAN 4000
#define MUCH_FINER_OPENING 10
// Portals take next to no bytes, so opening bounds them also where bytes are asked for.
#define PORTALS_OPENING 20
// Where chains are worse than this portals are tried too, later if somebody asks for as much as fits into so
// many bytes. Agents search then and move less quickly, so walks must be better by a factor.
#define VERY_GOOD_MEAN 500
#define BEARABLE_MEAN 2000
#define PORTALS_BETTER_BY 1.5

typedef struct ladder_step {
    uint16_t radius;
    uint16_t epsilon;
    uint16_t portals;
    uint16_t max_expansions;
} ladder_step;

typedef struct ladder {
    const ladder_step* steps;
    int count;
} ladder;

#define MOST_STEPS 22

// From coarse to fine, on most maps from small to large.
static const ladder_step chain_steps[MOST_STEPS] = {
    {48, 150, 0, 0}, {32, 100, 0, 0}, {24, 100, 0, 0}, {24, 50, 0, 0}, {20, 100, 0, 0},
    {20, 50, 0, 0},  {16, 100, 0, 0}, {16, 50, 0, 0},  {14, 50, 0, 0}, {16, 20, 0, 0},
    {14, 20, 0, 0},  {16, 5, 0, 0},   {14, 5, 0, 0},   {12, 10, 0, 0}, {12, 5, 0, 0},
    {10, 5, 0, 0},   {9, 5, 0, 0},    {8, 5, 0, 0},    {7, 5, 0, 0},   {6, 5, 0, 0},
    {5, 5, 0, 0},    {4, 5, 0, 0},
};
static const ladder chain_ladder = {chain_steps, MOST_STEPS};

// From few portals to many: bytes hardly grow, but what opening costs does.
static const ladder_step portal_steps[] = {
    {48, 0, 64, 100}, {32, 0, 64, 100}, {24, 0, 64, 100}, {20, 0, 64, 100}, {24, 0, 16, 100},
    {16, 0, 64, 100}, {16, 0, 16, 100}, {16, 0, 8, 100},  {16, 0, 8, 200},  {12, 0, 8, 200},
    {12, 0, 4, 200},  {8, 0, 4, 200},   {8, 0, 2, 200},   {6, 0, 2, 200},
};
static const ladder portal_ladder = {portal_steps, sizeof portal_steps / sizeof portal_steps[0]};

// Chains are better, and walked faster by, where lines lead nearly everywhere from seeds. On game maps and
// rooms up to 30 % of the cells of such regions are out of sight of their seed, on random maps more than half.
#define SMALL_MAP_CELLS 65536
#define PROBE_RADIUS 24
#define MOST_OUT_OF_SIGHT 0.4

// ---------------------------------------------------------------------------------------------
// Measuring

static int compare_doubles(const void* left, const void* right)
{
    const double a = *(const double*)left;
    const double b = *(const double*)right;
    return (a > b) - (a < b);
}

static uint32_t thousandths(double percent)
{
    return percent < 4e6 ? (uint32_t)(percent * 1000 + 0.5) : UINT32_MAX;
}

static void summarise(wm_certificate* certificate, double* percents, uint32_t count)
{
    double sum = 0;
    double squares = 0;
    qsort(percents, count, sizeof *percents, compare_doubles);
    for (uint32_t i = 0; i < count; i++) sum += percents[i];
    const double mean = count == 0 ? 0 : sum / count;
    for (uint32_t i = 0; i < count; i++) squares += (percents[i] - mean) * (percents[i] - mean);
    certificate->problems = count;
    if (count == 0) return;
    certificate->mean = thousandths(mean);
    certificate->p95 = thousandths(percents[(uint64_t)(count - 1) * 95 / 100]);
    certificate->p99 = thousandths(percents[(uint64_t)(count - 1) * 99 / 100]);
    certificate->worst = thousandths(percents[count - 1]);
    certificate->deviation = count < 2 ? 0 : thousandths(sqrt(squares / (count - 1)));
}

typedef struct measurement {
    const wm_grid* grid;
    wm_map* map;
    wm_db* db;
    wm_agent* agent;
    wm_jump_table table;
    wm_jump_search search;
    wm_problems problems;
    double* percents;
} measurement;

static wm_status draw_problems(measurement* m, uint32_t wanted, uint64_t seed, wm_error* error)
{
    wm_pairs pairs;
    wm_status status = wm_pairs_create(&pairs, m->grid, false, error);
    if (status != WM_OK) return status;
    const uint64_t there_are = wm_pairs_count(&pairs);
    wm_pairs_free(&pairs);
    const wm_problem_range range = {.count = there_are < wanted ? (size_t)there_are : wanted,
                                    .max_cost = WM_COST_INFINITE,
                                    .seed = seed};
    return range.count == 0 ? WM_OK
                            : wm_problems_draw(&m->problems, m->grid, &range, "the map", error);
}

static wm_status walk_problem(measurement* m, size_t index, wm_certificate* certificate,
                              wm_error* error)
{
    const wm_problem* problem = &m->problems.list[index];
    const wm_cost optimal = wm_jump_search_cost(&m->search, problem->start, problem->goal);
    wm_status status = wm_agent_begin(m->agent, wm_grid_point(m->grid, problem->start),
                                      wm_grid_point(m->grid, problem->goal));
    for (uint32_t i = 0; status == WM_OK && i < 64 * m->grid->cell_count; i++)
        status = wm_agent_step(m->agent);
    if (status != WM_ARRIVED)
        return wm_fail(error, WM_ERR_FORMAT, "an agent did not arrive: %s", wm_status_name(status));
    const wm_agent_stats stats = wm_agent_statistics(m->agent);
    m->percents[index] = 100 * (stats.cost / wm_cost_to_double(optimal) - 1);
    if (m->percents[index] < 0) m->percents[index] = 0;
    if (stats.max_expansions_per_move > certificate->worst_states)
        certificate->worst_states = (uint32_t)stats.max_expansions_per_move;
    return WM_OK;
}

static void free_measurement(measurement* m)
{
    wm_agent_destroy(m->agent);
    wm_db_close(m->db);
    wm_map_unload(m->map);
    wm_jump_search_free(&m->search);
    wm_jump_table_free(&m->table);
    wm_problems_free(&m->problems);
    free(m->percents);
}

wm_status wm_regions_measure(wm_certificate* certificate, const wm_grid* grid,
                             const wm_buffer* blob, uint32_t problems, uint64_t seed,
                             wm_error* error)
{
    measurement m = {.grid = grid};
    const wm_db_config db_config = wm_db_config_default();
    wm_agent_config agent_config = wm_agent_config_default();
    agent_config.algorithm = "regions";
    *certificate = (wm_certificate){.seed = seed};
    wm_status status = wm_build_make_map(&m.map, grid, error);
    if (status == WM_OK)
        status = wm_db_open_memory(&m.db, m.map, blob->data, blob->size, &db_config, error);
    if (status == WM_OK) status = wm_agent_create(&m.agent, m.map, m.db, &agent_config, error);
    if (status == WM_OK) status = wm_jump_table_create(&m.table, grid, error);
    if (status == WM_OK) status = wm_jump_search_create(&m.search, &m.table, error);
    if (status == WM_OK) status = draw_problems(&m, problems, seed, error);
    if (status == WM_OK) {
        m.percents = calloc(m.problems.count + 1, sizeof *m.percents);
        if (m.percents == NULL) status = wm_fail_memory(error, problems * sizeof *m.percents);
    }
    for (size_t i = 0; status == WM_OK && i < m.problems.count; i++)
        status = walk_problem(&m, i, certificate, error);
    if (status == WM_OK) summarise(certificate, m.percents, (uint32_t)m.problems.count);
    free_measurement(&m);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Searching

// One step of the ladder, built.
typedef struct attempt {
    bool possible; // within the limit of regions
    wm_regions regions;
    wm_buffer blob;
    uint64_t opening_work;
    wm_certificate tuning; // on the problems of the search; only if measured
    bool measured;
} attempt;

typedef struct hunt {
    const wm_grid* grid;
    const wm_regions_contract* contract;
    const char* name;
    ladder ladder;
    bool spares_opening;
    attempt attempts[MOST_STEPS];
    bool made[MOST_STEPS];
    wm_error* error;
} hunt;

wm_status wm_regions_seal(wm_buffer* blob, uint64_t* content_hash, const wm_regions* regions,
                          const wm_grid* grid)
{
    wm_buffer payload = {0};
    size_t sections[WM_REGIONS_SECTIONS];
    wm_status status = wm_regions_encode(&payload, sections, regions, grid);
    if (status == WM_OK)
        status = wm_format_seal(blob, WM_METHOD_REGIONS, &payload, sections, WM_REGIONS_SECTIONS);
    if (content_hash != NULL) *content_hash = wm_format_content_hash(&payload);
    wm_buffer_free(&payload);
    return status;
}

static wm_status count_opening_work(hunt* h, attempt* a)
{
    wm_buffer payload = {0};
    wm_region_map map = {0};
    wm_status status = wm_format_open(&payload, a->blob.data, a->blob.size, WM_METHOD_REGIONS,
                                      SIZE_MAX, h->name, h->error);
    if (status == WM_OK)
        status = wm_region_map_create(&map, h->grid, payload.data, payload.size, NULL, h->name,
                                      h->error);
    if (status == WM_OK)
        a->opening_work =
            (uint64_t)map.waypoints.onward.begin[map.waypoints.count] * map.regions.count;
    wm_region_map_free(&map);
    wm_buffer_free(&payload);
    return status;
}

static void free_attempts(hunt* h)
{
    for (int i = 0; i < MOST_STEPS; i++) {
        wm_regions_free(&h->attempts[i].regions);
        wm_buffer_free(&h->attempts[i].blob);
    }
}

static wm_status make_attempt(hunt* h, int step)
{
    const wm_regions_contract* contract = h->contract;
    attempt* a = &h->attempts[step];
    if (h->made[step]) return WM_OK;
    if (contract->go_on != NULL && !contract->go_on(contract->context))
        return wm_fail(h->error, WM_ERR_INTERRUPTED, "interrupted");
    h->made[step] = true;
    const wm_regions_parameters* fixed = &contract->fixed;
    const ladder_step* s = &h->ladder.steps[step];
    const wm_regions_parameters parameters = {
        .radius = fixed->radius != 0 ? fixed->radius : s->radius,
        .epsilon = contract->fixed_epsilon ? fixed->epsilon : s->epsilon,
        .portals = contract->fixed_portals ? fixed->portals : s->portals,
        .max_expansions = contract->fixed_controller ? fixed->max_expansions : s->max_expansions,
        .satellite = fixed->satellite};
    wm_status status = wm_regions_build(&a->regions, h->grid, &parameters, h->name, h->error);
    if (status == WM_ERR_TOO_FEW) return WM_OK; // not possible; others are
    if (status != WM_OK) return status;
    // Numbers that cannot be packed stand in for the certificate, so that it will not need more.
    a->regions.certificate =
        (wm_certificate){0x9E3779B9, 0x7F4A7C15, 0xBF58476D, 0x1CE4E5B9,
                         0x94D049BB, 0x133111EB, 0xD6E8FEB8, UINT64_C(0xC2B2AE3D27D4EB4F)};
    status = wm_regions_seal(&a->blob, NULL, &a->regions, h->grid);
    if (status != WM_OK) return wm_fail_memory(h->error, h->grid->cell_count);
    status = count_opening_work(h, a);
    a->possible = status == WM_OK;
    if (status != WM_ERR_FORMAT) return status;
    wm_fail(
        h->error, WM_ERR_TOO_FEW,
        "%s has more portals between regions of radius %u than there may be; use larger squares",
        h->name, parameters.radius);
    return WM_OK;
}

static wm_status measure_attempt(hunt* h, int step)
{
    attempt* a = &h->attempts[step];
    if (a->measured || !a->possible) return WM_OK;
    a->measured = true;
    return wm_regions_measure(&a->tuning, h->grid, &a->blob, TUNING_PROBLEMS, h->contract->seed,
                              h->error);
}

static bool small_enough(const hunt* h, int step)
{
    return h->attempts[step].possible && h->attempts[step].blob.size <= h->contract->max_bytes;
}

// Within a multiple of what takes 10 ms.
static bool opens_within(const hunt* h, int step, uint64_t multiple)
{
    const uint64_t most = h->grid->cell_count * OPENING_WORK_PER_CELL;
    return h->attempts[step].opening_work <=
           multiple * (most > OPENING_WORK_LEAST ? most : OPENING_WORK_LEAST);
}

static bool fits(const hunt* h, int step)
{
    const bool has_portals = h->ladder.steps == portal_ladder.steps;
    return small_enough(h, step) &&
           (h->spares_opening ? opens_within(h, step, 1)
                              : !has_portals || opens_within(h, step, PORTALS_OPENING));
}

// The finest step that fits; -1 where none was found. Sizes grow along the ladder on the
// whole, not at every step: behind the first step that is too large the next ones are tried too.
static wm_status find_by_bytes(hunt* h, int* found)
{
    int low = -1;
    int high = h->ladder.count; // too large, or out of reach
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        const wm_status status = make_attempt(h, middle);
        if (status != WM_OK) return status;
        if (fits(h, middle))
            low = middle;
        else
            high = middle;
    }
    for (int step = low + 2; step < h->ladder.count && step <= low + STEPS_BEYOND; step++) {
        const wm_status status = make_attempt(h, step);
        if (status != WM_OK) return status;
        if (fits(h, step)) low = step;
    }
    *found = low;
    return WM_OK;
}

// The smallest of the databases that were made; -1 where none was possible.
static int find_smallest(const hunt* h)
{
    int smallest = -1;
    for (int step = 0; step < h->ladder.count; step++) {
        const attempt* a = &h->attempts[step];
        if (a->possible && (smallest < 0 || a->blob.size < h->attempts[smallest].blob.size))
            smallest = step;
    }
    return smallest;
}

// The coarsest step whose mean is good enough; h->ladder.count where there is none.
static wm_status find_by_mean(hunt* h, int* found)
{
    int low = -1;
    int high = h->ladder.count; // good enough, or out of reach
    wm_status status = WM_OK;
    while (status == WM_OK && high - low > 1) {
        const int middle = low + (high - low) / 2;
        status = make_attempt(h, middle);
        if (status == WM_OK) status = measure_attempt(h, middle);
        const attempt* a = &h->attempts[middle];
        if (status == WM_OK && (!a->possible || a->tuning.mean <= h->contract->max_mean))
            high = middle;
        else
            low = middle;
    }
    *found = high;
    return status;
}

static wm_status fail_contract(const hunt* h, int step, const char* what)
{
    const attempt* a = &h->attempts[step < 0 ? 0 : step];
    return wm_fail(h->error, WM_ERR_TOO_FEW,
                   "%s: no database keeps to %s; %zu bytes with a mean of %.2f %% can be had",
                   h->name, what, a->blob.size, a->tuning.mean / 1000.0);
}

static wm_status refuse_bytes(hunt* h, int step)
{
    const wm_status status = measure_attempt(h, step);
    return status == WM_OK ? fail_contract(h, step, "--max-bytes") : status;
}

// The best of the finest step that was found and those before it.
static wm_status choose_best_of_last(hunt* h, int* chosen)
{
    const int last = *chosen;
    wm_status status = measure_attempt(h, last);
    for (int step = last - 1; step >= 0 && step > last - STEPS_MEASURED; step--) {
        if (status == WM_OK) status = make_attempt(h, step);
        if (status == WM_OK && fits(h, step)) {
            status = measure_attempt(h, step);
            if (h->attempts[step].tuning.mean < h->attempts[*chosen].tuning.mean) *chosen = step;
        }
    }
    return status;
}

// Finer ones, although they open later, until walks are good enough.
static wm_status go_finer(hunt* h, int* chosen)
{
    for (int step = *chosen + 1; step < h->ladder.count; step++) {
        const uint32_t mean = h->attempts[*chosen].tuning.mean;
        if (mean <= GOOD_MEAN) break;
        wm_status status = make_attempt(h, step);
        if (status != WM_OK) return status;
        if (!small_enough(h, step) ||
            !opens_within(h, step, mean > BAD_MEAN ? MUCH_FINER_OPENING : FINER_OPENING))
            break;
        status = measure_attempt(h, step);
        if (status != WM_OK) return status;
        if (h->attempts[step].tuning.mean < mean) *chosen = step;
    }
    return WM_OK;
}

// Of those that are small enough the one that opens soonest; -1 where there is none.
static int find_soonest(const hunt* h)
{
    int soonest = -1;
    for (int step = 0; step < h->ladder.count; step++) {
        if (h->made[step] && small_enough(h, step) &&
            (soonest < 0 || h->attempts[step].opening_work < h->attempts[soonest].opening_work))
            soonest = step;
    }
    return soonest;
}

// The best one that fits; where that means to open soon and none does the one that opens soonest.
static wm_status find_best(hunt* h, int* chosen)
{
    wm_status status = find_by_bytes(h, chosen);
    if (status != WM_OK) return status;
    if (*chosen >= 0) return choose_best_of_last(h, chosen);
    if (h->spares_opening) *chosen = find_soonest(h);
    return *chosen >= 0 ? measure_attempt(h, *chosen) : WM_OK;
}

// A hunt for the same with portals instead of chains; NULL without memory.
static hunt* portal_hunt(const hunt* h)
{
    hunt* other = calloc(1, sizeof *other);
    if (other != NULL)
        *other = (hunt){.grid = h->grid,
                        .contract = h->contract,
                        .name = h->name,
                        .ladder = portal_ladder,
                        .spares_opening = true,
                        .error = h->error};
    return other;
}

static void end_hunt(hunt* h)
{
    if (h != NULL) free_attempts(h);
    free(h);
}

static bool may_have_portals(const hunt* h)
{
    return h->ladder.steps == chain_ladder.steps && !h->contract->fixed_portals;
}

static void go_on_with(hunt* h, hunt* other)
{
    const hunt swapped = *h;
    *h = *other;
    *other = swapped;
}

// Takes portals instead of chains where these are not good enough and portals are better.
static wm_status try_portals_too(hunt* h, int* chosen)
{
    int best = -1;
    double better_by = PORTALS_BETTER_BY;
    uint32_t enough = h->contract->bytes_are_hard ? BEARABLE_MEAN : VERY_GOOD_MEAN;
    if (h->contract->max_mean > 0) {
        enough = h->contract->max_mean;
        better_by = 1;
    }
    if (!may_have_portals(h) || (*chosen >= 0 && h->attempts[*chosen].tuning.mean <= enough))
        return WM_OK;
    hunt* other = portal_hunt(h);
    if (other == NULL) return wm_fail_memory(h->error, sizeof *other);
    const wm_status status = find_best(other, &best);
    if (status == WM_OK && best >= 0 &&
        (*chosen < 0 ||
         better_by * other->attempts[best].tuning.mean < h->attempts[*chosen].tuning.mean)) {
        go_on_with(h, other);
        *chosen = best;
    }
    end_hunt(other);
    return status;
}

static wm_status choose_by_bytes(hunt* h, int* chosen)
{
    const wm_regions_contract* contract = h->contract;
    wm_status status = find_best(h, chosen);
    if (status == WM_OK) status = try_portals_too(h, chosen);
    if (status == WM_OK && h->spares_opening && *chosen >= 0) status = go_finer(h, chosen);
    if (status == WM_OK && *chosen < 0) {
        *chosen = find_smallest(h); // as many as there must be, unless somebody asked for fewer
        if (*chosen < 0)
            return wm_fail(h->error, WM_ERR_TOO_FEW,
                           "%s needs more than %u regions; use tb-wa on it", h->name,
                           wm_regions_limit(h->grid));
        if (contract->bytes_are_hard) return refuse_bytes(h, *chosen);
    }
    if (status == WM_OK) status = measure_attempt(h, *chosen);
    if (status == WM_OK && contract->max_mean > 0 &&
        h->attempts[*chosen].tuning.mean > contract->max_mean)
        status = fail_contract(h, *chosen, "both --max-bytes and --max-suboptimality");
    return status;
}

// The coarsest step that keeps to the mean, or the last that is possible; -1 where none is.
static wm_status reach_mean(hunt* h, int* chosen)
{
    wm_status status = find_by_mean(h, chosen);
    while (status == WM_OK && *chosen >= 0 &&
           (*chosen == h->ladder.count || !h->attempts[*chosen].possible)) {
        (*chosen)--;
        if (*chosen < 0) break;
        status = make_attempt(h, *chosen);
        if (status == WM_OK) status = measure_attempt(h, *chosen);
    }
    return status;
}

static bool keeps_mean(const hunt* h, int step)
{
    return step >= 0 && h->attempts[step].tuning.mean <= h->contract->max_mean;
}

// The smallest database: with chains, or with portals if these open soon enough.
static wm_status choose_by_mean(hunt* h, int* chosen)
{
    wm_status status = reach_mean(h, chosen);
    hunt* other = NULL;
    int best = -1;
    if (status == WM_OK && may_have_portals(h)) {
        other = portal_hunt(h);
        status = other == NULL ? wm_fail_memory(h->error, sizeof *other) : reach_mean(other, &best);
    }
    if (status == WM_OK && other != NULL && keeps_mean(other, best) &&
        opens_within(other, best, PORTALS_OPENING) &&
        (!keeps_mean(h, *chosen) ||
         other->attempts[best].blob.size < h->attempts[*chosen].blob.size)) {
        go_on_with(h, other);
        *chosen = best;
    }
    end_hunt(other);
    if (status == WM_OK && !keeps_mean(h, *chosen))
        status = fail_contract(h, *chosen, "--max-suboptimality");
    return status;
}

// The share of the cells of regions that no line from their seed leads to.
static double share_out_of_sight(const wm_cover* cover, const wm_planes* planes,
                                 const wm_cell* seeds)
{
    const wm_grid* grid = cover->grid;
    double all = 0;
    double out = 0;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (wm_cover_owner(cover, cell) == WM_NO_REGION) continue;
        uint64_t states = 0;
        wm_line line;
        all++;
        out += !wm_planes_line(planes, wm_grid_point(grid, seeds[wm_cover_owner(cover, cell)]),
                               wm_grid_point(grid, cell), &line, &states);
    }
    return all == 0 ? 0 : out / all;
}

// Whether the map is one for portals in the place of chains.
static wm_status look_at_map(const hunt* h, bool* for_portals)
{
    wm_planes planes = {0};
    wm_cover cover = {0};
    wm_cell* seeds = NULL;
    uint32_t count = 0;
    wm_status status = wm_planes_create(&planes, h->grid, NULL, h->error);
    if (status == WM_OK) status = wm_cover_create(&cover, h->grid, PROBE_RADIUS, NULL, h->error);
    if (status == WM_OK) status = wm_regions_place(&seeds, &count, &cover, h->error);
    *for_portals =
        status == WM_ERR_TOO_FEW ||
        (status == WM_OK && share_out_of_sight(&cover, &planes, seeds) > MOST_OUT_OF_SIGHT);
    free(seeds);
    wm_cover_free(&cover);
    wm_planes_free(&planes);
    return status == WM_ERR_TOO_FEW ? WM_OK : status;
}

static wm_status choose_ladder(hunt* h)
{
    const wm_regions_contract* contract = h->contract;
    bool for_portals = contract->fixed.portals > 0;
    wm_status status = WM_OK;
    h->ladder = chain_ladder;
    // On small maps both are tried.
    if (!contract->fixed_portals && h->grid->cell_count > SMALL_MAP_CELLS)
        status = look_at_map(h, &for_portals);
    if (status == WM_OK && !contract->fixed_portals && !for_portals &&
        contract->fixed.radius == 0) {
        // Where even the coarsest chains are too many.
        const bool any_size = contract->max_mean > 0 && !contract->bytes_are_hard;
        status = make_attempt(h, 0);
        for_portals = !h->attempts[0].possible || (!any_size && !small_enough(h, 0));
    }
    if (status != WM_OK || !for_portals) return status;
    free_attempts(h);
    memset(h->attempts, 0, sizeof h->attempts);
    memset(h->made, 0, sizeof h->made);
    h->ladder = portal_ladder;
    return WM_OK;
}

static wm_status certify(hunt* h, wm_regions_result* result, int chosen)
{
    attempt* a = &h->attempts[chosen];
    wm_status status =
        wm_regions_measure(&a->regions.certificate, h->grid, &a->blob, CERTIFICATE_PROBLEMS,
                           h->contract->seed ^ CERTIFICATE_SEED, h->error);
    if (status == WM_OK) {
        status = wm_regions_seal(&result->blob, &result->content_hash, &a->regions, h->grid);
        if (status != WM_OK) wm_fail_memory(h->error, a->blob.size);
    }
    result->parameters = a->regions.parameters;
    result->certificate = a->regions.certificate;
    result->regions = a->regions.count;
    result->chains = a->regions.chain_count;
    return status;
}

// With a radius of the user's own there is one database, which meets the contract or does not.
static wm_status take_fixed_radius(hunt* h)
{
    const wm_regions_contract* contract = h->contract;
    wm_status status = make_attempt(h, 0);
    if (status != WM_OK) return status;
    if (!h->attempts[0].possible) return WM_ERR_TOO_FEW; // the builder has said why
    if (contract->bytes_are_hard && !small_enough(h, 0)) return refuse_bytes(h, 0);
    if (contract->max_mean == 0) return WM_OK;
    status = measure_attempt(h, 0);
    if (status == WM_OK && h->attempts[0].tuning.mean > contract->max_mean)
        status = fail_contract(h, 0, "--max-suboptimality");
    return status;
}

// A safeguard, should the certificate's numbers pack worse than what stood in for them.
static wm_status certify_within_bytes(hunt* h, wm_regions_result* result, int chosen)
{
    const wm_regions_contract* contract = h->contract;
    wm_status status = certify(h, result, chosen);
    while (status == WM_OK && contract->bytes_are_hard && result->blob.size > contract->max_bytes) {
        const int too_large = chosen;
        wm_buffer_free(&result->blob);
        do chosen--;
        while (chosen >= 0 && !small_enough(h, chosen));
        status = chosen < 0 ? refuse_bytes(h, too_large) : certify(h, result, chosen);
    }
    return status;
}

// The mean was kept to on few problems; where it is not on those of the certificate finer ones are made.
static wm_status certify_mean(hunt* h, wm_regions_result* result, int chosen)
{
    const uint32_t most = h->contract->max_mean;
    wm_status status = certify_within_bytes(h, result, chosen);
    for (int step = chosen + 1; step < h->ladder.count && h->contract->fixed.radius == 0; step++) {
        if (status != WM_OK || most == 0 || result->certificate.mean <= most) break;
        status = make_attempt(h, step);
        const bool serves = status == WM_OK && h->attempts[step].possible &&
                            (!h->contract->bytes_are_hard || fits(h, step));
        if (!serves) break;
        wm_buffer_free(&result->blob);
        status = certify(h, result, step);
    }
    return status;
}

wm_status wm_regions_fulfil(wm_regions_result* result, const wm_grid* grid,
                            const wm_regions_contract* contract, const char* name, wm_error* error)
{
    int chosen = 0;
    wm_regions_contract wanted = *contract;
    if (wanted.max_bytes == 0) wanted.max_bytes = (grid->cell_count + 7) / 8;
    *result = (wm_regions_result){0};
    if (grid->open_count == 0)
        return wm_fail(error, WM_ERR_TOO_FEW, "%s has no open cell; there is nothing to store",
                       name);
    hunt* h = calloc(1, sizeof *h);
    if (h == NULL) return wm_fail_memory(error, sizeof *h);
    *h = (hunt){.grid = grid, .contract = &wanted, .name = name, .error = error};
    h->spares_opening =
        contract->max_bytes == 0 && contract->max_mean == 0 && contract->fixed.radius == 0;
    wm_status status = choose_ladder(h);
    if (status == WM_OK && wanted.fixed.radius != 0)
        status = take_fixed_radius(h);
    else if (status == WM_OK && wanted.max_mean > 0 && !wanted.bytes_are_hard)
        status = choose_by_mean(h, &chosen);
    else if (status == WM_OK)
        status = choose_by_bytes(h, &chosen);
    if (status == WM_OK) status = certify_mean(h, result, chosen);
    free_attempts(h);
    free(h);
    return status;
}
