// SPDX-License-Identifier: MIT
//
// Chains, goal region by goal region, for the other regions by rising distance, so that what a chain
// leads to has its value already. Where the best chain that a region has leads to the goal region at
// no more than epsilon above the optimum there is nothing to do; else it gets a new one along an
// optimal path, until that enters a region nearer to the goal.
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "regions_method.h"

// What ending at a corner may cost, in thousandths: chains that end at corners serve many goals.
#define CORNER_TOLERANCE 2

// How far the near pairs reach, in radii.
#define NEAR_RADII 3

// Far pairs are looked at for some goal regions only, evenly spread: their neighbours share their
// chains.
#define FAR_STEP 8
#define MAX_FAR_GOALS 64

typedef struct chain_draft {
    uint32_t region; // whose chain it is
    wm_cell* subgoals;
    uint32_t length;
    wm_cost cost;  // from the seed to its end
    wm_cost first; // from the seed to its first subgoal
    wm_cell end;
    uint32_t end_region;
} chain_draft;

typedef struct chain_list {
    uint32_t* ids; // of drafts
    uint32_t count;
    size_t capacity;
} chain_list;

// Costs from the end of a chain to the first subgoal of another, as far as they were asked for.
typedef struct join_cache {
    uint64_t* key; // (from + 1) << 32 | to; 0 is empty
    wm_cost* cost;
    size_t capacity; // a power of two
    size_t count;
} join_cache;

typedef struct connection {
    const wm_controller* controller;
    const wm_cover* cover;
    const wm_grid* grid;
    const wm_cell* seeds;
    uint32_t count;
    uint32_t epsilon;   // in thousandths
    bool* is_satellite; // per region: too small to be worth good chains
    chain_draft* drafts;
    uint32_t draft_count;
    size_t draft_capacity;
    chain_list* lists; // per region
    join_cache joins;
    wm_distances distances; // to the present goal region's seed
    uint32_t goal;
    wm_cost* value;   // per region, to the goal region
    uint32_t* chosen; // per region, its draft for the goal region
    uint32_t* order;  // regions of the goal's component, nearest first
    wm_cell* path;
    wm_cost* path_cost;
} connection;

// ---------------------------------------------------------------------------------------------
// What a chain is worth

static size_t join_place(const join_cache* joins, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (joins->capacity - 1);
    while (joins->key[at] != 0 && joins->key[at] != key) at = (at + 1) & (joins->capacity - 1);
    return at;
}

static bool grow_joins(join_cache* joins)
{
    const size_t capacity = joins->capacity == 0 ? 4096 : 2 * joins->capacity;
    join_cache grown = {.capacity = capacity, .count = joins->count};
    grown.key = calloc(capacity, sizeof *grown.key);
    grown.cost = calloc(capacity, sizeof *grown.cost);
    if (grown.key == NULL || grown.cost == NULL) {
        free(grown.key);
        free(grown.cost);
        return false;
    }
    for (size_t i = 0; i < joins->capacity; i++) {
        if (joins->key[i] == 0) continue;
        const size_t at = join_place(&grown, joins->key[i]);
        grown.key[at] = joins->key[i];
        grown.cost[at] = joins->cost[i];
    }
    free(joins->key);
    free(joins->cost);
    *joins = grown;
    return true;
}

static wm_cost join_cost(connection* c, uint32_t from, uint32_t to)
{
    const uint64_t key = (uint64_t)(from + 1) << 32 | to;
    if (2 * c->joins.count >= c->joins.capacity && !grow_joins(&c->joins))
        return wm_controller_cost(c->controller, c->drafts[from].end, c->drafts[to].subgoals[0]);
    const size_t at = join_place(&c->joins, key);
    if (c->joins.key[at] == 0) {
        c->joins.key[at] = key;
        c->joins.cost[at] =
            wm_controller_cost(c->controller, c->drafts[from].end, c->drafts[to].subgoals[0]);
        c->joins.count++;
    }
    return c->joins.cost[at];
}

static wm_cost distance_of(const connection* c, uint32_t region)
{
    return c->distances.cost[c->seeds[region]];
}

// Whether a chain of `region` may end in region `end`: it must come nearer to the goal.
static bool may_end_in(const connection* c, uint32_t region, uint32_t end)
{
    return end == c->goal || (end != region && distance_of(c, end) < distance_of(c, region));
}

// From a cell of region `next` on to the goal region's seed; `direct` is what it costs to go
// straight to the first subgoal of that region's chain.
static wm_cost onward_cost(const connection* c, wm_cell cell, uint32_t next, wm_cost direct)
{
    const wm_cost by_seed = wm_cover_cost(c->cover, cell) + c->value[next];
    if (next == c->goal || direct == WM_COST_INFINITE) return by_seed;
    const wm_cost straight = direct + c->value[next] - c->drafts[c->chosen[next]].first;
    return straight < by_seed ? straight : by_seed;
}

static wm_cost chain_value(connection* c, uint32_t id)
{
    const chain_draft* draft = &c->drafts[id];
    const uint32_t next = draft->end_region;
    if (!may_end_in(c, draft->region, next)) return WM_COST_INFINITE;
    const wm_cost direct = next == c->goal ? WM_COST_INFINITE : join_cost(c, id, c->chosen[next]);
    return draft->cost + onward_cost(c, draft->end, next, direct);
}

// ---------------------------------------------------------------------------------------------
// New chains

// An optimal path from the region's seed to the goal's, straight on as long as that is optimal.
static size_t trace_path(connection* c, uint32_t region)
{
    const wm_cost* left = c->distances.cost;
    wm_cell cell = c->seeds[region];
    size_t length = 0;
    int last = -1;
    c->path[length] = cell;
    c->path_cost[length++] = 0;
    while (cell != c->seeds[c->goal]) {
        int best = -1;
        for (unsigned moves = c->grid->moves[cell]; moves != 0; moves &= moves - 1) {
            const int d = wm_lowest_direction(moves);
            if (left[wm_grid_step(c->grid, cell, d)] != left[cell] - wm_direction_cost[d]) continue;
            // Straight on, else a diagonal, else the first.
            if (best < 0 || d == last || (best != last && d % 2 != 0 && best % 2 == 0)) best = d;
        }
        cell = wm_grid_step(c->grid, cell, best);
        c->path[length] = cell;
        c->path_cost[length] = c->path_cost[length - 1] + wm_direction_cost[best];
        length++;
        last = best;
    }
    return length;
}

typedef struct leg_choice {
    size_t farthest; // index in the path that the controller reaches at the path's own cost
    size_t end;      // where a chain could end best; 0 where it cannot end on this leg
    wm_cost value;   // from the seed, if it ends there
} leg_choice;

// What a leg costs; ways of a region only where they are allowed, because few cells are in sight of where
// they lead to.
static wm_cost leg_cost(const connection* c, wm_cell from, wm_cell to, bool ways)
{
    uint64_t states = 0;
    const wm_leg leg = wm_controller_leg(c->controller, from, to, NULL, &states);
    return leg.kind == WM_LEG_PATH && !ways ? WM_COST_INFINITE : leg.cost;
}

static leg_choice explore_leg(connection* c, uint32_t region, size_t from, size_t length, bool ways)
{
    leg_choice choice = {.farthest = from, .value = WM_COST_INFINITE};
    leg_choice corner = choice;
    for (size_t i = from + 1; i < length; i++) {
        const wm_cell cell = c->path[i];
        if (leg_cost(c, c->path[from], cell, ways) != c->path_cost[i] - c->path_cost[from]) break;
        choice.farthest = i;
        const uint32_t next = wm_cover_owner(c->cover, cell);
        if (!may_end_in(c, region, next)) continue;
        const wm_cost direct =
            next == c->goal
                ? WM_COST_INFINITE
                : wm_controller_cost(c->controller, cell, c->drafts[c->chosen[next]].subgoals[0]);
        const wm_cost value = c->path_cost[i] + onward_cost(c, cell, next, direct);
        if (value <= choice.value) {
            choice.value = value;
            choice.end = i;
        }
        if (value <= corner.value && wm_grid_is_corner(c->grid, cell)) {
            corner.value = value;
            corner.end = i;
        }
    }
    if (corner.end != 0 &&
        1000 * (corner.value - choice.value) <= CORNER_TOLERANCE * choice.value) {
        choice.end = corner.end;
        choice.value = corner.value;
    }
    return choice;
}

static bool add_draft(connection* c, const chain_draft* draft)
{
    chain_draft* drafts =
        wm_grow(c->drafts, &c->draft_capacity, (size_t)c->draft_count + 1, sizeof *drafts);
    if (drafts == NULL) return false;
    c->drafts = drafts;
    chain_list* list = &c->lists[draft->region];
    uint32_t* ids = wm_grow(list->ids, &list->capacity, (size_t)list->count + 1, sizeof *ids);
    if (ids == NULL) return false;
    list->ids = ids;
    list->ids[list->count++] = c->draft_count;
    c->drafts[c->draft_count++] = *draft;
    return true;
}

// Cuts the path into legs until one reaches a region that is nearer to the goal. @return whether that
// takes no more of them than a chain may have
static bool cut_path(connection* c, chain_draft* draft, wm_cell* subgoals, size_t length, bool ways)
{
    size_t at = 0;
    size_t end = 0;
    draft->length = 0;
    while (end == 0 && draft->length < WM_REGIONS_MAX_CHAIN) {
        const leg_choice choice = explore_leg(c, draft->region, at, length, ways);
        end = choice.end;
        at = end != 0 ? end : choice.farthest;
        if (draft->length == 0) draft->first = c->path_cost[at];
        subgoals[draft->length++] = c->path[at];
    }
    draft->cost = c->path_cost[at];
    draft->end = c->path[at];
    draft->end_region = wm_cover_owner(c->cover, draft->end);
    return end != 0;
}

// Where there can be no chain `*made` is false.
static wm_status make_chain(connection* c, uint32_t region, bool* made)
{
    const size_t length = trace_path(c, region);
    wm_cell subgoals[WM_REGIONS_MAX_CHAIN];
    chain_draft draft = {.region = region};
    *made =
        cut_path(c, &draft, subgoals, length, false) || cut_path(c, &draft, subgoals, length, true);
    if (!*made) return WM_OK;
    draft.subgoals = malloc(draft.length * sizeof *draft.subgoals);
    if (draft.subgoals == NULL) return WM_ERR_MEMORY;
    memcpy(draft.subgoals, subgoals, draft.length * sizeof *draft.subgoals);
    if (add_draft(c, &draft)) return WM_OK;
    free(draft.subgoals);
    return WM_ERR_MEMORY;
}

// ---------------------------------------------------------------------------------------------
// The table

static bool good_enough(const connection* c, uint32_t region, wm_cost value)
{
    const wm_cost optimum = distance_of(c, region);
    if (c->is_satellite[region] || c->is_satellite[c->goal]) return value != WM_COST_INFINITE;
    return value != WM_COST_INFINITE && 1000 * (value - optimum) <= c->epsilon * optimum;
}

// @return WM_OK, WM_ERR_TOO_FEW (no chain leads there) or WM_ERR_MEMORY
static wm_status choose_chain(connection* c, uint32_t region)
{
    const chain_list* list = &c->lists[region];
    c->value[region] = WM_COST_INFINITE;
    for (uint32_t i = 0; i < list->count; i++) {
        const wm_cost value = chain_value(c, list->ids[i]);
        if (value >= c->value[region]) continue;
        c->value[region] = value;
        c->chosen[region] = list->ids[i];
    }
    if (good_enough(c, region, c->value[region])) return WM_OK;
    bool made = false;
    if (list->count < WM_REGIONS_MAX_CHAINS) {
        const wm_status status = make_chain(c, region, &made);
        if (status != WM_OK) return status;
    }
    const wm_cost value = made ? chain_value(c, c->draft_count - 1) : WM_COST_INFINITE;
    if (value < c->value[region]) {
        c->value[region] = value;
        c->chosen[region] = c->draft_count - 1;
    }
    return c->value[region] == WM_COST_INFINITE ? WM_ERR_TOO_FEW : WM_OK;
}

typedef struct sort_key {
    wm_cost distance;
    uint32_t region;
} sort_key;

static int nearer_first(const void* left, const void* right)
{
    const sort_key* a = left;
    const sort_key* b = right;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return (a->region > b->region) - (a->region < b->region);
}

static uint32_t order_regions(connection* c, sort_key* keys, wm_cost reach)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < c->count; r++) {
        if (r != c->goal && distance_of(c, r) <= reach && distance_of(c, r) != WM_COST_INFINITE)
            keys[count++] = (sort_key){distance_of(c, r), r};
    }
    qsort(keys, count, sizeof *keys, nearer_first);
    for (uint32_t i = 0; i < count; i++) c->order[i] = keys[i].region;
    return count;
}

// Makes sure that all regions within `reach` of the present goal region have a good chain to it.
static wm_status connect_goal(connection* c, sort_key* keys, wm_cost reach)
{
    wm_status status = wm_distances_from(&c->distances, c->seeds[c->goal], reach);
    if (status != WM_OK) return status;
    const uint32_t count = order_regions(c, keys, reach);
    c->value[c->goal] = 0;
    for (uint32_t i = 0; i < count && status == WM_OK; i++) status = choose_chain(c, c->order[i]);
    return status;
}

static bool find_satellites(connection* c, uint32_t cells)
{
    uint32_t* size = calloc(c->count, sizeof *size);
    if (size == NULL) return false;
    for (wm_cell cell = 0; cell < c->grid->cell_count; cell++) {
        if (wm_cover_owner(c->cover, cell) != WM_NO_REGION) size[wm_cover_owner(c->cover, cell)]++;
    }
    for (uint32_t r = 0; r < c->count; r++) c->is_satellite[r] = size[r] < cells;
    free(size);
    return true;
}

static wm_status hand_over(wm_regions* regions, const connection* c)
{
    uint32_t subgoals = 0;
    for (uint32_t i = 0; i < c->draft_count; i++) subgoals += c->drafts[i].length;
    regions->chain_count = c->draft_count;
    regions->subgoal_count = subgoals;
    regions->chains = wm_alloc(NULL, c->draft_count, sizeof *regions->chains);
    regions->subgoals = wm_alloc(NULL, subgoals, sizeof *regions->subgoals);
    regions->chains_begin = wm_alloc(NULL, (size_t)c->count + 1, sizeof *regions->chains_begin);
    if (regions->chains == NULL || regions->subgoals == NULL || regions->chains_begin == NULL)
        return WM_ERR_MEMORY;
    uint32_t chain = 0;
    uint32_t subgoal = 0;
    for (uint32_t r = 0; r < c->count; r++) {
        regions->chains_begin[r] = chain;
        for (uint32_t i = 0; i < c->lists[r].count; i++) {
            const chain_draft* draft = &c->drafts[c->lists[r].ids[i]];
            regions->chains[chain++] = (wm_chain){subgoal, draft->length};
            memcpy(regions->subgoals + subgoal, draft->subgoals,
                   draft->length * sizeof *draft->subgoals);
            subgoal += draft->length;
        }
    }
    regions->chains_begin[c->count] = chain;
    return WM_OK;
}

static void free_connection(connection* c)
{
    for (uint32_t i = 0; i < c->draft_count; i++) free(c->drafts[i].subgoals);
    for (uint32_t r = 0; c->lists != NULL && r < c->count; r++) free(c->lists[r].ids);
    free(c->drafts);
    free(c->lists);
    free(c->joins.key);
    free(c->joins.cost);
    free(c->value);
    free(c->chosen);
    free(c->order);
    free(c->is_satellite);
    free(c->path);
    free(c->path_cost);
    wm_distances_free(&c->distances);
}

// How far the near pairs of each goal region reach: to all that touch it at least, to which a search
// may have to go a long way round.
static void measure_reach(wm_cost* reach, const connection* c)
{
    const wm_cover* cover = c->cover;
    for (uint32_t r = 0; r < c->count; r++) reach[r] = NEAR_RADII * cover->radius;
    for (wm_cell cell = 0; cell < c->grid->cell_count; cell++) {
        for (unsigned left = c->grid->moves[cell]; left != 0; left &= left - 1) {
            const int d = wm_lowest_direction(left);
            const wm_cell next = wm_grid_step(c->grid, cell, d);
            const uint32_t region = wm_cover_owner(cover, cell);
            const wm_cost between =
                wm_cover_cost(cover, cell) + wm_direction_cost[d] + wm_cover_cost(cover, next);
            if (wm_cover_owner(cover, next) != region && between > reach[region])
                reach[region] = between;
        }
    }
}

wm_status wm_regions_connect(wm_regions* regions, const wm_controller* controller, wm_error* error)
{
    const wm_grid* grid = controller->grid;
    const uint32_t count = regions->count;
    connection c = {.controller = controller,
                    .cover = controller->cover,
                    .grid = grid,
                    .seeds = regions->seeds,
                    .count = count,
                    .epsilon = regions->parameters.epsilon};
    sort_key* keys = calloc(count, sizeof *keys);
    wm_cost* reach = calloc(count, sizeof *reach);
    wm_status status = wm_distances_create(&c.distances, grid, error);
    c.lists = calloc(count, sizeof *c.lists);
    c.value = calloc(count, sizeof *c.value);
    c.chosen = calloc(count, sizeof *c.chosen);
    c.order = calloc(count, sizeof *c.order);
    c.is_satellite = calloc(count, sizeof *c.is_satellite);
    c.path = calloc(grid->open_count, sizeof *c.path);
    c.path_cost = calloc(grid->open_count, sizeof *c.path_cost);
    if (keys == NULL || reach == NULL || c.lists == NULL || c.value == NULL || c.chosen == NULL ||
        c.order == NULL || c.is_satellite == NULL || c.path == NULL || c.path_cost == NULL ||
        !grow_joins(&c.joins))
        status = WM_ERR_MEMORY;
    if (status == WM_OK) measure_reach(reach, &c);
    if (status == WM_OK && !find_satellites(&c, regions->parameters.satellite))
        status = WM_ERR_MEMORY;
    // Near pairs first: far ones are then mostly served by what these have.
    for (c.goal = 0; c.goal < count && status == WM_OK; c.goal++)
        status = connect_goal(&c, keys, reach[c.goal]);
    const uint32_t far_step =
        count / MAX_FAR_GOALS < FAR_STEP ? FAR_STEP : count / MAX_FAR_GOALS + 1;
    for (c.goal = 0; c.goal < count && status == WM_OK; c.goal += far_step)
        status = connect_goal(&c, keys, WM_COST_INFINITE);
    if (status == WM_OK) status = hand_over(regions, &c);
    if (status == WM_ERR_MEMORY) wm_fail_memory(error, (size_t)count * count * 2);
    free_connection(&c);
    free(keys);
    free(reach);
    return status;
}

wm_status wm_regions_build(wm_regions* regions, const wm_grid* grid,
                           const wm_regions_parameters* parameters, const char* name,
                           wm_error* error)
{
    wm_planes planes = {0};
    wm_cover cover = {0};
    *regions = (wm_regions){.width = grid->width,
                            .height = grid->height,
                            .map_hash = grid->hash,
                            .parameters = *parameters};
    if (grid->open_count == 0)
        return wm_fail(error, WM_ERR_TOO_FEW, "%s has no open cell; there is nothing to store",
                       name);
    wm_status status = wm_planes_create(&planes, grid, NULL, error);
    const wm_controller controller = {grid, &planes, &cover};
    if (status == WM_OK) status = wm_cover_create(&cover, grid, parameters->radius, NULL, error);
    if (status == WM_OK) {
        status = wm_regions_place(&regions->seeds, &regions->count, &cover, error);
        if (status == WM_ERR_TOO_FEW)
            wm_fail(error, status, "%s needs more than %u regions of radius %u; use a larger one",
                    name, wm_regions_limit(grid), parameters->radius);
    }
    if (status == WM_OK && parameters->portals > 0) {
        regions->chains_begin = wm_alloc(NULL, (size_t)regions->count + 1, sizeof(uint32_t));
        if (regions->chains_begin == NULL) status = wm_fail_memory(error, regions->count);
    } else if (status == WM_OK) {
        status = wm_regions_connect(regions, &controller, error);
        if (status == WM_ERR_TOO_FEW)
            wm_fail(error, status,
                    "%s needs longer chains, or more of them, than regions of radius %u may have; "
                    "use a smaller one",
                    name, parameters->radius);
    }
    wm_cover_free(&cover);
    wm_planes_free(&planes);
    if (status != WM_OK) wm_regions_free(regions);
    return status;
}
