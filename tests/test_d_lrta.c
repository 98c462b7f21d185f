// SPDX-License-Identifier: MIT
//
// D LRTA* against its definition: cliques found by trying all sets of states, distances by improving
// until nothing improves, and walks that must arrive whatever the table says.
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "reference.h"
#include "walk.h"

#define MAX_STEPS 3000000

static wm_d_lrta build(const wm_grid* grid, uint32_t level, unsigned threads)
{
    const wm_d_lrta_options options = {.level = level, .threads = threads};
    wm_error error = {""};
    wm_d_lrta d;
    if (wm_d_lrta_build(&d, grid, &options, "map", &error) != WM_OK) fail_msg("%s", error.message);
    return d;
}

static wm_db* open_blob(const wm_map* map, const wm_buffer* blob)
{
    const wm_db_config config = wm_db_config_default();
    wm_error error = {""};
    wm_db* db = NULL;
    if (wm_db_open_memory(&db, map, blob->data, blob->size, &config, &error) != WM_OK)
        fail_msg("%s", error.message);
    return db;
}

static wm_db* make_db(const wm_map* map, uint32_t level)
{
    wm_d_lrta d = build(&map->grid, level, 1);
    wm_buffer blob = {0};
    assert_int_equal(wm_d_lrta_seal(&blob, NULL, &d), WM_OK);
    wm_db* db = open_blob(map, &blob);
    wm_buffer_free(&blob);
    wm_d_lrta_free(&d);
    return db;
}

// A map of some kind, size and rule, small enough to try everything on.
static wm_map* small_map(uint64_t seed)
{
    if (seed % 2 == 0) return map_random(seed, 14);
    return map_generated((wm_generate_kind)(seed / 2 % WM_GENERATE_KINDS), 13, 12,
                         WM_GENERATE_DEFAULT, 1 + (int32_t)(seed % 5), seed,
                         (wm_diagonal)(seed / 8 % 2));
}

// ---------------------------------------------------------------------------------------------
// The abstraction, by trying all sets

#define MAX_STATES 200

typedef struct matrix {
    uint32_t count;
    bool joined[MAX_STATES][MAX_STATES];
} matrix;

// The graph of the groups: neighbours are those with cells one legal step apart.
static void matrix_of(matrix* m, const wm_grid* grid, const uint32_t* group, uint32_t count)
{
    assert_true(count <= MAX_STATES);
    memset(m, 0, sizeof *m);
    m->count = count;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        for (int d = 0; d < WM_DIRECTIONS && wm_grid_is_open(grid, cell); d++) {
            const wm_cell next = reference_step(grid, cell, d);
            if (next != WM_NO_CELL && group[cell] != group[next])
                m->joined[group[cell]][group[next]] = true;
        }
    }
}

// Adds states from `from` on until the set has `size`: the first set in order wins.
static bool complete_clique(const matrix* m, const bool* is_free, uint32_t* set, uint32_t have,
                            uint32_t size, uint32_t from)
{
    if (have == size) return true;
    for (uint32_t i = from; i < m->count; i++) {
        bool fits = is_free[i];
        for (uint32_t k = 0; k < have && fits; k++) fits = set[k] != i && m->joined[set[k]][i];
        set[have] = i;
        if (fits && complete_clique(m, is_free, set, have + 1, size, i + 1)) return true;
    }
    return false;
}

// The rules, literally: what group of the next level each state belongs to.
static void group_by_the_rules(const matrix* m, uint32_t* to)
{
    bool is_free[MAX_STATES];
    uint32_t set[4];
    uint32_t groups = 0;
    for (uint32_t i = 0; i < m->count; i++) is_free[i] = true;
    for (uint32_t size = 4; size >= 2; size--) {
        for (uint32_t i = 0; i < m->count; i++) {
            set[0] = i;
            if (!is_free[i] || !complete_clique(m, is_free, set, 1, size, 0)) continue;
            for (uint32_t k = 0; k < size; k++) {
                is_free[set[k]] = false;
                to[set[k]] = groups;
            }
            groups++;
        }
    }
    for (uint32_t i = 0; i < m->count; i++) {
        if (!is_free[i]) continue;
        uint32_t neighbours = 0;
        uint32_t last = 0;
        for (uint32_t k = 0; k < m->count; k++) {
            neighbours += m->joined[i][k];
            if (m->joined[i][k]) last = k;
        }
        to[i] = neighbours == 1 ? to[last] : groups++;
    }
}

// A core of up to four states that are all joined, and states whose one neighbour is in it.
static void check_group(const matrix* m, const uint32_t* to, uint32_t group, uint64_t seed)
{
    uint32_t core[MAX_STATES];
    uint32_t size = 0;
    uint32_t members = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        if (to[i] != group) continue;
        uint32_t neighbours = 0;
        uint32_t inside = 0;
        for (uint32_t k = 0; k < m->count; k++) {
            neighbours += m->joined[i][k];
            inside += m->joined[i][k] && to[k] == group;
        }
        members++;
        if (neighbours == 1 && inside == 1) continue; // it may have joined
        core[size++] = i;
    }
    bool good = members > 0 && size <= 4;
    for (uint32_t i = 0; i < size && good; i++) {
        for (uint32_t k = 0; k < i; k++) good = good && m->joined[core[i]][core[k]];
    }
    if (!good)
        fail_msg("seed %llu: group %u is no clique with others that joined it",
                 (unsigned long long)seed, group);
}

// Level `level` from the level before; 0 are the cells.
static void check_level(const wm_grid* grid, uint32_t level, uint64_t seed)
{
    static matrix m;
    uint32_t* before = calloc(grid->cell_count, sizeof *before);
    uint32_t* after = calloc(grid->cell_count, sizeof *after);
    uint32_t counts[2];
    uint32_t actual[MAX_STATES];
    uint32_t expected[MAX_STATES];
    uint32_t first_seen = 0;
    assert_int_equal(wm_clique_abstraction(before, &counts[0], grid, level - 1, NULL), WM_OK);
    assert_int_equal(wm_clique_abstraction(after, &counts[1], grid, level, NULL), WM_OK);
    matrix_of(&m, grid, before, counts[0]);
    for (uint32_t i = 0; i < m.count; i++) actual[i] = UINT32_MAX;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (!wm_grid_is_open(grid, cell)) {
            assert_true(before[cell] == UINT32_MAX && after[cell] == UINT32_MAX);
            continue;
        }
        uint32_t* to = &actual[before[cell]];
        if (*to == UINT32_MAX) *to = after[cell];
        assert_int_equal(*to, after[cell]); // whole groups move up
        if (after[cell] == first_seen) first_seen++;
        assert_true(after[cell] < first_seen); // numbered by first cell
    }
    assert_int_equal(first_seen, counts[1]);
    for (uint32_t g = 0; g < counts[1]; g++) check_group(&m, actual, g, seed);
    group_by_the_rules(&m, expected);
    for (uint32_t i = 0; i < m.count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if ((actual[i] == actual[k]) != (expected[i] == expected[k]))
                fail_msg("seed %llu, level %u: states %u and %u", (unsigned long long)seed, level,
                         k, i);
        }
    }
    free(before);
    free(after);
}

static void every_level_merges_cliques_by_the_rules(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(160); seed++) {
        wm_map* map = small_map(seed);
        for (uint32_t level = 1; level <= 6; level++) check_level(&map->grid, level, seed);
        wm_map_unload(map);
    }
}

static void a_state_with_one_neighbour_joins_it(void** state)
{
    (void)state;
    // A square, and a cell that only one of its states touches.
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, "..@\n...\n");
    uint32_t group[6];
    uint32_t count;
    assert_int_equal(wm_clique_abstraction(group, &count, &grid, 1, NULL), WM_OK);
    assert_int_equal(count, 1);
    assert_int_equal(group[5], 0);
    assert_true(group[2] == UINT32_MAX);
    wm_grid_free(&grid);
}

// ---------------------------------------------------------------------------------------------
// Representatives and subgoals, by plain distances

static wm_cell representative(const wm_d_lrta* d, const wm_grid* grid, uint32_t region)
{
    int64_t n = 0;
    int64_t sum_x = 0;
    int64_t sum_y = 0;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (d->region[cell] != region) continue;
        n++;
        sum_x += wm_grid_point(grid, cell).x;
        sum_y += wm_grid_point(grid, cell).y;
    }
    wm_cell best = WM_NO_CELL;
    int64_t least = INT64_MAX;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        const int64_t x = n * wm_grid_point(grid, cell).x - sum_x;
        const int64_t y = n * wm_grid_point(grid, cell).y - sum_y;
        if (d->region[cell] != region || x * x + y * y >= least) continue;
        least = x * x + y * y;
        best = cell;
    }
    return best;
}

static void distances_to(wm_cost* cost, const wm_grid* grid, wm_cell goal)
{
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) cost[cell] = WM_COST_INFINITE;
    cost[goal] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
            for (int d = 0; d < WM_DIRECTIONS && cost[cell] != WM_COST_INFINITE; d++) {
                const wm_cell next = reference_step(grid, cell, d);
                if (next == WM_NO_CELL || cost[cell] + reference_step_cost(d) >= cost[next])
                    continue;
                cost[next] = cost[cell] + reference_step_cost(d);
                changed = true;
            }
        }
    }
}

// The first cell outside of the region on the optimal path of first directions.
static wm_cell leave(const wm_d_lrta* d, const wm_grid* grid, const wm_cost* cost, wm_cell from)
{
    const uint32_t region = d->region[from];
    while (d->region[from] == region) {
        int direction = 0;
        wm_cell next = WM_NO_CELL;
        for (; direction < WM_DIRECTIONS; direction++) {
            next = reference_step(grid, from, direction);
            if (next != WM_NO_CELL && cost[next] != WM_COST_INFINITE &&
                cost[next] + reference_step_cost(direction) == cost[from])
                break;
        }
        assert_true(direction < WM_DIRECTIONS);
        from = next;
    }
    return from;
}

static void check_subgoals(const wm_d_lrta* d, const wm_grid* grid, uint64_t seed)
{
    wm_cell* representatives = calloc(d->count, sizeof *representatives);
    wm_cost* cost = calloc(grid->cell_count, sizeof *cost);
    for (uint32_t i = 0; i < d->count; i++) representatives[i] = representative(d, grid, i);
    for (uint32_t to = 0; to < d->count; to++) {
        distances_to(cost, grid, representatives[to]);
        for (uint32_t from = 0; from < d->count; from++) {
            if (from == to || cost[representatives[from]] == WM_COST_INFINITE) continue;
            const wm_cell expected = leave(d, grid, cost, representatives[from]);
            const wm_cell actual = wm_d_lrta_subgoal(d, from, to);
            if (actual != expected)
                fail_msg("seed %llu: from region %u to %u by %u instead of %u",
                         (unsigned long long)seed, from, to, actual, expected);
        }
    }
    free(cost);
    free(representatives);
}

static void subgoals_are_the_first_cells_behind_the_border(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(80); seed++) {
        wm_map* map = small_map(seed);
        const uint32_t level = 1 + (uint32_t)(seed / 2 % 4);
        uint32_t* group = calloc(map->grid.cell_count, sizeof *group);
        uint32_t count;
        assert_int_equal(wm_clique_abstraction(group, &count, &map->grid, level, NULL), WM_OK);
        if (count > 0) {
            wm_d_lrta d = build(&map->grid, level, 1);
            assert_int_equal(d.count, count);
            assert_true(wm_d_lrta_numbers(&d) == map->grid.open_count + (uint64_t)count * count);
            for (wm_cell cell = 0; cell < map->grid.cell_count; cell++)
                assert_int_equal(d.region[cell], (uint16_t)group[cell]);
            check_subgoals(&d, &map->grid, seed);
            wm_d_lrta_free(&d);
        }
        free(group);
        wm_map_unload(map);
    }
}

// ---------------------------------------------------------------------------------------------
// Walks

static void check_walks(const wm_map* map, const wm_db* db, const char* spec, int walks,
                        uint64_t seed)
{
    wm_agent* agent = agent_create(map, db, spec, false);
    wm_rng rng = wm_rng_start(seed, 5);
    for (int i = 0; i < walks; i++) {
        wm_cell start;
        wm_cell goal;
        if (!random_problem(&map->grid, &rng, &start, &goal)) break;
        walk w = walk_take(agent, start, goal, MAX_STEPS);
        assert_legal_walk(&w, &map->grid, start, goal, spec, seed);
        walk_free(&w);
    }
    wm_agent_destroy(agent);
}

static void walks_are_legal_and_arrive_on_every_kind_of_map(void** state)
{
    (void)state;
    static const char* const specs[] = {"d-lrta", "d-lrta:d=1", "d-lrta:d=8"};
    for (uint32_t i = 0; i < 4 * WM_GENERATE_KINDS; i++) {
        wm_map* map =
            map_generated((wm_generate_kind)(i % WM_GENERATE_KINDS), 40, 44, WM_GENERATE_DEFAULT,
                          WM_GENERATE_DEFAULT, i, (wm_diagonal)(i / 4 % 2));
        for (uint32_t level = 1 + i / 8; level <= WM_D_LRTA_MAX_LEVEL; level += 2) {
            wm_db* db = make_db(map, level);
            check_walks(map, db, specs[(i + level) % 3], 12, i);
            wm_db_close(db);
        }
        wm_map_unload(map);
    }
}

// Walks, and holds every change of the target on the way to it against the regions that were asked
// before. Returns how many such changes there were while the agent headed for the goal.
static int check_changes_of_mind(wm_agent* agent, wm_cell start, wm_cell goal, uint64_t seed)
{
    const wm_grid* grid = &agent->map->grid;
    const uint16_t* region = agent->db->d_lrta.region;
    bool* asked = calloc(agent->db->d_lrta.count, sizeof *asked);
    wm_cell target = start;
    int interruptions = 0;
    wm_status status = wm_agent_begin(agent, wm_grid_point(grid, start), wm_grid_point(grid, goal));
    while (status == WM_OK) {
        const wm_cell at = agent->position;
        status = wm_agent_step(agent);
        const wm_cell chosen = agent->algorithm->target(agent);
        if (chosen != target) {
            const bool on_the_way = at != target && region[at] != region[goal];
            if (on_the_way && asked[region[at]])
                fail_msg("seed %llu: from %u to %u the agent changed its mind in a region that it "
                         "had asked in",
                         (unsigned long long)seed, start, goal);
            interruptions += on_the_way && target == goal;
            asked[region[at]] = true;
        }
        target = chosen;
    }
    free(asked);
    assert_int_equal(status, WM_ARRIVED);
    return interruptions;
}

static void only_a_new_region_changes_its_mind_on_the_way(void** state)
{
    (void)state;
    int interruptions = 0;
    for (uint64_t seed = 1; seed <= test_cases(60); seed++) {
        wm_map* map = map_generated(WM_GENERATE_CAVES, 60, 60, WM_GENERATE_DEFAULT,
                                    WM_GENERATE_DEFAULT, seed, (wm_diagonal)(seed % 2));
        wm_db* db = make_db(map, 4 + (uint32_t)(seed % 3));
        wm_agent* agent = agent_create(map, db, "d-lrta", false);
        wm_rng rng = wm_rng_start(seed, 6);
        wm_cell start;
        wm_cell goal;
        for (int i = 0; i < 30 && random_problem(&map->grid, &rng, &start, &goal); i++)
            interruptions += check_changes_of_mind(agent, start, goal, seed);
        wm_agent_destroy(agent);
        wm_db_close(db);
        wm_map_unload(map);
    }
    assert_true(interruptions > 0);
}

static void an_agent_without_this_data_is_refused(void** state)
{
    (void)state;
    wm_map* map =
        map_generated(WM_GENERATE_ROOMS, 20, 20, WM_GENERATE_DEFAULT, 6, 1, WM_DIAGONAL_NONE);
    wm_db* db = make_db(map, 2);
    wm_agent_config config = wm_agent_config_default();
    wm_error error = {""};
    wm_agent* agent = NULL;
    config.algorithm = "knn-lrta";
    assert_int_equal(wm_agent_create(&agent, map, db, &config, &error), WM_ERR_ARGUMENT);
    config.algorithm = "d-lrta";
    assert_int_equal(wm_agent_create(&agent, map, NULL, &config, &error), WM_ERR_ARGUMENT);
    wm_db_close(db);
    wm_map_unload(map);
}

// ---------------------------------------------------------------------------------------------
// The payload

static void assert_same(const wm_d_lrta* a, const wm_d_lrta* b)
{
    assert_true(a->map_hash == b->map_hash && a->width == b->width && a->height == b->height);
    assert_true(a->level == b->level && a->open_count == b->open_count && a->count == b->count);
    assert_true(a->exit_count == b->exit_count && a->pair_count == b->pair_count);
    assert_memory_equal(a->region, b->region, a->cell_count * sizeof *a->region);
    assert_memory_equal(a->place, b->place, a->count * sizeof *a->place);
    assert_memory_equal(a->row, b->row, (a->count + 1) * sizeof *a->row);
    assert_memory_equal(a->exits_begin, b->exits_begin, (a->count + 1) * sizeof *a->exits_begin);
    assert_memory_equal(a->exits, b->exits, a->exit_count * sizeof *a->exits);
    assert_memory_equal(a->codes, b->codes, a->pair_count * sizeof *a->codes);
}

static void what_is_read_is_what_was_written(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(60); seed++) {
        wm_map* map = map_random(seed, 40);
        wm_buffer payload = {0};
        size_t sections[WM_D_LRTA_SECTIONS];
        wm_error error = {""};
        wm_d_lrta again;
        if (map->grid.open_count > 0) {
            wm_d_lrta d = build(&map->grid, 1 + (uint32_t)(seed % 5), 1);
            assert_int_equal(wm_d_lrta_encode(&payload, sections, &d), WM_OK);
            if (wm_d_lrta_decode(&again, &map->grid, payload.data, payload.size, NULL, "it",
                                 &error) != WM_OK)
                fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
            assert_same(&d, &again);
            wm_d_lrta_free(&again);
            assert_int_equal(
                wm_d_lrta_read_header(&again, payload.data, payload.size, "it", &error), WM_OK);
            assert_true(again.count == d.count && again.level == d.level);
            wm_d_lrta_free(&d);
        }
        wm_buffer_free(&payload);
        wm_map_unload(map);
    }
}

// Regions with more than 256 exits have codes of two bytes.
static void many_exits_are_read_again(void** state)
{
    (void)state;
    enum { ROOMS = 300 };
    // One long hall with cells above it, each by itself behind a cell that keeps it apart.
    char* rows = malloc((2 * ROOMS + 1) * 4 + 1);
    assert_non_null(rows);
    char* at = rows;
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 2 * ROOMS; x++) *at++ = y == 3 || x % 2 == 0 ? '.' : '@';
        *at++ = '\n';
    }
    *at = '\0';
    wm_grid grid = grid_from_text(WM_DIAGONAL_NONE, rows);
    // By hand: the hall is region 300, its rooms are the others.
    wm_d_lrta d = {.width = grid.width,
                   .height = grid.height,
                   .map_hash = grid.hash,
                   .level = 1,
                   .open_count = grid.open_count,
                   .count = ROOMS + 1,
                   .cell_count = grid.cell_count,
                   .exit_count = 2 * ROOMS};
    d.region = calloc(d.cell_count, sizeof *d.region);
    d.exits_begin = calloc(d.count + 1, sizeof *d.exits_begin);
    d.exits = calloc(d.exit_count, sizeof *d.exits);
    assert_true(d.region != NULL && d.exits_begin != NULL && d.exits != NULL);
    const wm_cell hall = 3 * 2 * ROOMS;
    for (wm_cell cell = 0; cell < d.cell_count; cell++) {
        const wm_cell column = cell % (2 * ROOMS);
        d.region[cell] = !wm_grid_is_open(&grid, cell) ? WM_D_LRTA_NO_REGION
                         : cell >= hall                ? ROOMS
                                                       : (uint16_t)(column / 2);
    }
    assert_int_equal(wm_d_lrta_lay_out(&d, &grid, WM_D_LRTA_MAX_PAIRS), WM_OK);
    for (uint32_t i = 0; i < ROOMS; i++) {
        d.exits_begin[i] = i;
        d.exits[i] = hall + 2 * i;
        d.exits[ROOMS + i] = hall - 2 * ROOMS + 2 * i;
        d.codes[d.row[ROOMS] + i] = (uint16_t)i;
    }
    d.exits_begin[ROOMS] = ROOMS;
    d.exits_begin[ROOMS + 1] = 2 * ROOMS;
    wm_buffer payload = {0};
    size_t sections[WM_D_LRTA_SECTIONS];
    wm_error error = {""};
    wm_d_lrta again;
    assert_int_equal(wm_d_lrta_encode(&payload, sections, &d), WM_OK);
    if (wm_d_lrta_decode(&again, &grid, payload.data, payload.size, NULL, "it", &error) != WM_OK)
        fail_msg("%s", error.message);
    assert_same(&d, &again);
    wm_d_lrta_free(&again);
    wm_d_lrta_free(&d);
    wm_buffer_free(&payload);
    wm_grid_free(&grid);
    free(rows);
}

// Seals the bytes with a right checksum and opens them: refused, or as good as any to arrive with.
static bool check_bad(const wm_map* map, const wm_buffer* payload, size_t size, uint64_t seed)
{
    const wm_db_config config = wm_db_config_default();
    const wm_buffer part = {.data = payload->data, .size = size};
    wm_buffer blob = {0};
    wm_error error = {""};
    wm_db* db = NULL;
    assert_int_equal(wm_format_seal(&blob, WM_METHOD_D_LRTA, &part, &size, 1), WM_OK);
    const wm_status status = wm_db_open_memory(&db, map, blob.data, blob.size, &config, &error);
    assert_true((status == WM_OK) == (error.message[0] == '\0'));
    assert_true((status == WM_OK) == (db != NULL));
    if (status == WM_OK)
        check_walks(map, db, "d-lrta", 3, seed);
    else if (status != WM_ERR_FORMAT && status != WM_ERR_MISMATCH)
        fail_msg("seed %llu: %s", (unsigned long long)seed, wm_status_name(status));
    wm_db_close(db);
    wm_buffer_free(&blob);
    return status != WM_OK;
}

static void damaged_payloads_are_refused_or_harmless(void** state)
{
    (void)state;
    size_t refused = 0;
    size_t tried = 0;
    for (uint32_t i = 0; i < 8; i++) {
        wm_map* map = map_generated((wm_generate_kind)(i % WM_GENERATE_KINDS), 22, 18,
                                    WM_GENERATE_DEFAULT, 4, i, (wm_diagonal)(i / 4));
        wm_d_lrta d = build(&map->grid, 1 + i % 4, 1);
        wm_buffer payload = {0};
        size_t sections[WM_D_LRTA_SECTIONS];
        assert_int_equal(wm_d_lrta_encode(&payload, sections, &d), WM_OK);
        for (size_t size = 0; size < payload.size; size += 1 + payload.size / 300)
            assert_true(check_bad(map, &payload, size, i));
        wm_rng rng = wm_rng_start(i, 4);
        for (uint64_t k = 0; k < 500; k++, tried++) {
            // Half of them in front, where the counts are.
            const size_t range = k % 2 == 0 ? payload.size : sections[0] + sections[1];
            uint8_t* byte = &payload.data[wm_rng_below(&rng, range)];
            const uint8_t change = (uint8_t)(k % 3 == 0 ? UINT64_C(1) << wm_rng_below(&rng, 8)
                                                        : 1 + wm_rng_below(&rng, 255));
            *byte ^= change;
            refused += check_bad(map, &payload, payload.size, 1000 * i + k);
            *byte ^= change;
        }
        wm_buffer_free(&payload);
        wm_d_lrta_free(&d);
        wm_map_unload(map);
    }
    assert_true(refused > tried / 4 && refused < tried);
}

static void threads_make_no_difference(void** state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 8};
    for (uint32_t i = 0; i < WM_GENERATE_KINDS; i++) {
        wm_map* map = map_generated((wm_generate_kind)i, 90, 70, WM_GENERATE_DEFAULT,
                                    WM_GENERATE_DEFAULT, i, WM_DIAGONAL_NONE);
        uint64_t hash[3];
        for (int k = 0; k < 3; k++) {
            wm_d_lrta d = build(&map->grid, 3, threads[k]);
            wm_buffer blob = {0};
            assert_int_equal(wm_d_lrta_seal(&blob, &hash[k], &d), WM_OK);
            wm_buffer_free(&blob);
            wm_d_lrta_free(&d);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
        wm_map_unload(map);
    }
}

static void the_payload_of_another_map_or_rule_is_refused(void** state)
{
    (void)state;
    wm_map* maps[] = {
        map_generated(WM_GENERATE_CAVES, 30, 20, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, 1,
                      WM_DIAGONAL_NONE),
        map_generated(WM_GENERATE_CAVES, 30, 20, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, 1,
                      WM_DIAGONAL_SQUEEZE),
        map_generated(WM_GENERATE_CAVES, 30, 20, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT, 2,
                      WM_DIAGONAL_NONE),
    };
    for (size_t i = 0; i < 3; i++) {
        wm_d_lrta d = build(&maps[i]->grid, 2, 1);
        wm_buffer blob = {0};
        assert_int_equal(wm_d_lrta_seal(&blob, NULL, &d), WM_OK);
        for (size_t k = 0; k < 3; k++) {
            const wm_db_config config = wm_db_config_default();
            wm_error error = {""};
            wm_db* db = NULL;
            if (k == i) continue;
            assert_int_equal(wm_db_open_memory(&db, maps[k], blob.data, blob.size, &config, &error),
                             WM_ERR_MISMATCH);
            assert_null(db);
            assert_contains(error.message, "another map");
        }
        wm_buffer_free(&blob);
        wm_d_lrta_free(&d);
    }
    for (size_t i = 0; i < 3; i++) wm_map_unload(maps[i]);
}

// ---------------------------------------------------------------------------------------------
// The builder's own answers

static void too_many_states_or_none_get_a_sentence(void** state)
{
    (void)state;
    static const struct {
        int32_t side;
        int32_t density;
        const char* word;
    } cases[] = {{284, 0, "20000 are the most"}, {280, 0, "pairs"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wm_map* map = map_generated(WM_GENERATE_RANDOM, cases[i].side, cases[i].side,
                                    cases[i].density, WM_GENERATE_DEFAULT, 1, WM_DIAGONAL_NONE);
        const wm_d_lrta_options options = {.level = 1, .threads = 1};
        wm_error error = {""};
        wm_d_lrta d;
        assert_int_equal(wm_d_lrta_build(&d, &map->grid, &options, "plain", &error),
                         WM_ERR_TOO_FEW);
        assert_contains(error.message, cases[i].word);
        assert_contains(error.message, "plain");
        wm_map_unload(map);
    }
    wm_grid walls = grid_from_text(WM_DIAGONAL_NONE, "@@\n");
    const wm_d_lrta_options options = {.level = 1, .threads = 1};
    wm_error error = {""};
    wm_d_lrta d;
    assert_int_equal(wm_d_lrta_build(&d, &walls, &options, "walls", &error), WM_ERR_TOO_FEW);
    assert_contains(error.message, "no open cell");
    wm_grid_free(&walls);
}

static void verify_finds_what_was_changed(void** state)
{
    (void)state;
    wm_map* map =
        map_generated(WM_GENERATE_ROOMS, 40, 40, WM_GENERATE_DEFAULT, 8, 1, WM_DIAGONAL_NONE);
    const wm_d_lrta_options options = {.threads = 2};
    wm_d_lrta_verify_result result;
    wm_d_lrta d = build(&map->grid, 3, 1);
    assert_int_equal(wm_d_lrta_verify(&result, &d, &map->grid, &options, "map", NULL), WM_OK);
    assert_true(result.wrong_cells == 0 && result.wrong_pairs == 0);
    uint32_t pair = 0; // one with a choice of exits
    uint32_t region = 0;
    while (d.exits_begin[region + 1] - d.exits_begin[region] < 2) region++;
    pair = d.row[region] + (d.place[region] == 0);
    d.codes[pair] = d.codes[pair] == 0;
    assert_int_equal(wm_d_lrta_verify(&result, &d, &map->grid, &options, "map", NULL), WM_OK);
    assert_true(result.wrong_cells == 0 && result.wrong_pairs == 1);
    const wm_cell cell = d.first_cell[0];
    d.region[cell] = 1;
    assert_int_equal(wm_d_lrta_verify(&result, &d, &map->grid, &options, "map", NULL), WM_OK);
    assert_true(result.wrong_cells == 1);
    wm_d_lrta_free(&d);
    wm_map_unload(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_merges_cliques_by_the_rules),
        cmocka_unit_test(a_state_with_one_neighbour_joins_it),
        cmocka_unit_test(subgoals_are_the_first_cells_behind_the_border),
        cmocka_unit_test(walks_are_legal_and_arrive_on_every_kind_of_map),
        cmocka_unit_test(only_a_new_region_changes_its_mind_on_the_way),
        cmocka_unit_test(an_agent_without_this_data_is_refused),
        cmocka_unit_test(what_is_read_is_what_was_written),
        cmocka_unit_test(many_exits_are_read_again),
        cmocka_unit_test(damaged_payloads_are_refused_or_harmless),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(the_payload_of_another_map_or_rule_is_refused),
        cmocka_unit_test(too_many_states_or_none_get_a_sentence),
        cmocka_unit_test(verify_finds_what_was_changed),
    };
    return cmocka_run_group_tests_name("d_lrta", tests, NULL, NULL);
}
