// SPDX-License-Identifier: MIT
//
// Databases that were changed with intent: a payload is unpacked, changed, and packed again with the
// right checksum. Most are refused. By those that open agents must walk legally, look at no more
// states in a move than they say, and arrive: a file that opens can waste their time, but not send
// them through walls, round and round, or out of the map.
//
//   WAYMARK_HOSTILE_DATABASES, WAYMARK_HOSTILE_PROBLEMS   how many, 1000 each in `make slow`
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forge.h"
#include "judge.h"
#include "walk.h"

#define MAPS 8
#define VARIANTS 3

typedef struct target {
    wm_map* map;
    wm_buffer payloads[VARIANTS][WM_METHOD_CHOICE + 1]; // of the good databases, by method
} target;

static target targets[MAPS];

static forge_recipe recipe_of(int variant)
{
    static const forge_recipe recipes[VARIANTS] = {
        {.records = 60, .radius = 7, .level = 2},
        {.records = 150, .chains = true, .radius = 12, .max_expansions = 40, .level = 3},
        {.records = 30, .chains = true, .coverage = true, .radius = 4, .portals = 8, .level = 4},
    };
    forge_recipe recipe = recipes[variant];
    recipe.seed = (uint64_t)variant;
    recipe.threads = 1;
    recipe.choice = "tb-wa:k=25:w=3";
    return recipe;
}

static int set_up(void** state)
{
    (void)state;
    for (int i = 0; i < MAPS; i++) {
        target* t = &targets[i];
        t->map = map_generated((wm_generate_kind)(i % WM_GENERATE_KINDS), 26, 20,
                               WM_GENERATE_DEFAULT, 4, (uint64_t)i, (wm_diagonal)(i / 4));
        for (int variant = 0; variant < VARIANTS; variant++) {
            const forge_recipe recipe = recipe_of(variant);
            for (unsigned m = WM_METHOD_KNN; m <= WM_METHOD_CHOICE; m++) {
                wm_buffer blob;
                wm_method method;
                assert_true(forge_blob(&blob, t->map, (wm_method)m, &recipe));
                assert_true(forge_unpack(&t->payloads[variant][m], &method, blob.data, blob.size));
                wm_buffer_free(&blob);
            }
        }
    }
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    for (int i = 0; i < MAPS; i++) {
        for (int variant = 0; variant < VARIANTS; variant++) {
            for (unsigned m = WM_METHOD_KNN; m <= WM_METHOD_CHOICE; m++)
                wm_buffer_free(&targets[i].payloads[variant][m]);
        }
        wm_map_unload(targets[i].map);
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------
// Changes

static wm_cell any_cell(const wm_grid* grid, wm_rng* rng)
{
    return random_open_cell(grid, rng);
}

static void change_bytes(wm_buffer* payload, wm_rng* rng)
{
    for (uint64_t left = 1 + wm_rng_below(rng, 3); left > 0; left--)
        payload->data[wm_rng_below(rng, payload->size)] = (uint8_t)wm_rng_next(rng);
}

// Subgoals and ends of records go to other cells, sensible or not.
static void change_knn(wm_buffer* payload, const wm_grid* grid, wm_rng* rng)
{
    wm_knn knn;
    size_t sizes[WM_KNN_SECTIONS];
    assert_int_equal(wm_knn_decode(&knn, payload->data, payload->size, NULL, "it", NULL), WM_OK);
    const uint64_t share = 1 + wm_rng_below(rng, 10);
    for (uint32_t i = 0; i < knn.count; i++) {
        wm_knn_record* record = &knn.records[i];
        wm_cell* subgoals = knn.subgoals + record->first_subgoal;
        const uint32_t last = record->subgoal_count - 1;
        if (wm_rng_below(rng, 10) >= share) continue;
        if (wm_rng_below(rng, 2) == 0) record->start = any_cell(grid, rng);
        if (wm_rng_below(rng, 2) == 0) record->goal = any_cell(grid, rng);
        for (uint32_t k = 0; k <= last; k++) subgoals[k] = any_cell(grid, rng);
        if (knn.parameters.chains) subgoals[last] = record->goal;
    }
    payload->size = 0;
    assert_int_equal(wm_knn_sort(&knn), WM_OK);
    assert_int_equal(wm_knn_encode(payload, sizes, &knn), WM_OK);
    wm_knn_free(&knn);
}

static wm_cell cell_beside(const wm_grid* grid, wm_cell cell, wm_rng* rng)
{
    wm_point p = wm_grid_point(grid, cell);
    p.x += (int32_t)wm_rng_below(rng, 13) - 6;
    p.y += (int32_t)wm_rng_below(rng, 13) - 6;
    return wm_grid_contains(grid, p) ? wm_grid_cell(grid, p) : cell;
}

static void change_chain(wm_regions* regions, const wm_grid* grid, wm_rng* rng)
{
    if (regions->chain_count == 0) return;
    wm_chain* chain = &regions->chains[wm_rng_below(rng, regions->chain_count)];
    wm_chain* other = &regions->chains[wm_rng_below(rng, regions->chain_count)];
    wm_cell* subgoal = &regions->subgoals[chain->first + wm_rng_below(rng, chain->length)];
    switch (wm_rng_below(rng, 4)) {
    case 0: *subgoal = any_cell(grid, rng); break;
    case 1: *subgoal = cell_beside(grid, *subgoal, rng); break;
    case 2: chain->length = 1 + (uint32_t)wm_rng_below(rng, chain->length); break;
    default: *chain = *other; break; // two regions with one chain
    }
}

// Seeds and subgoals move, chains are cut, swapped or lost, and the controller is another.
static void change_regions(wm_buffer* payload, const wm_grid* grid, wm_rng* rng)
{
    wm_regions regions;
    wm_planes planes;
    size_t sizes[WM_REGIONS_SECTIONS];
    assert_int_equal(wm_planes_create(&planes, grid, NULL, NULL), WM_OK);
    assert_int_equal(wm_regions_decode(&regions, &planes, payload->data, payload->size, "it", NULL),
                     WM_OK);
    wm_cell* seed = &regions.seeds[wm_rng_below(rng, regions.count)];
    for (uint64_t left = 1 + wm_rng_below(rng, 3); left > 0; left--) {
        switch (wm_rng_below(rng, regions.chain_count > 0 ? 8 : 4)) {
        case 0: regions.parameters.radius = 1 + (uint32_t)wm_rng_below(rng, 48); break;
        case 1: regions.parameters.max_expansions = (uint32_t)wm_rng_below(rng, 201); break;
        case 2: *seed = cell_beside(grid, *seed, rng); break;
        case 3:
            if (regions.chain_count == 0)
                regions.parameters.portals = (uint32_t)wm_rng_below(rng, 30);
            break;
        default: change_chain(&regions, grid, rng); break;
        }
    }
    payload->size = 0;
    assert_int_equal(wm_regions_encode(payload, sizes, &regions, grid), WM_OK);
    wm_regions_free(&regions);
    wm_planes_free(&planes);
}

static int by_number(const void* a, const void* b)
{
    const wm_cell x = *(const wm_cell*)a;
    const wm_cell y = *(const wm_cell*)b;
    return (x > y) - (x < y);
}

// The table leads anywhere, and exits lie where they should not.
static void change_d_lrta(wm_buffer* payload, const wm_grid* grid, wm_rng* rng)
{
    wm_d_lrta d;
    size_t sizes[WM_D_LRTA_SECTIONS];
    assert_int_equal(wm_d_lrta_decode(&d, grid, payload->data, payload->size, NULL, "it", NULL),
                     WM_OK);
    const uint64_t share = 1 + wm_rng_below(rng, 10);
    for (uint32_t i = 0; i < d.count; i++) {
        const uint32_t exits = d.exits_begin[i + 1] - d.exits_begin[i];
        for (uint32_t k = d.exits_begin[i]; k < d.exits_begin[i + 1] && share == 1; k++)
            d.exits[k] = any_cell(grid, rng);
        qsort(d.exits + d.exits_begin[i], exits, sizeof *d.exits, by_number);
        for (uint32_t k = d.row[i]; k < d.row[i + 1]; k++) {
            if (exits > 0 && wm_rng_below(rng, 10) < share)
                d.codes[k] = (uint16_t)wm_rng_below(rng, exits);
        }
    }
    payload->size = 0;
    assert_int_equal(wm_d_lrta_encode(payload, sizes, &d), WM_OK);
    wm_d_lrta_free(&d);
}

static void put_random_spec(char* spec, size_t size, wm_rng* rng)
{
    const wm_algorithm* algorithm = wm_algorithm_at(wm_rng_below(rng, wm_algorithm_count()));
    int length = snprintf(spec, size, "%s", algorithm->name);
    for (int i = 0; algorithm->parameters[i].name != NULL; i++) {
        const wm_parameter* p = &algorithm->parameters[i];
        const int64_t most = p->max - p->min < 30 ? p->max : p->min + 30;
        char value[32];
        if (wm_rng_below(rng, 2) == 0) continue;
        wm_parameter_format(value, sizeof value, p,
                            p->min + (int64_t)wm_rng_below(rng, (uint64_t)(most - p->min) + 1));
        length += snprintf(spec + length, size - (size_t)length, ":%s=%s", p->name, value);
        assert_true((size_t)length < size);
    }
}

static void change_choice(wm_buffer* payload, const wm_grid* grid, wm_rng* rng)
{
    (void)grid;
    wm_choice choice;
    assert_int_equal(wm_choice_decode(&choice, payload->data, payload->size, "it", NULL), WM_OK);
    put_random_spec(choice.spec, sizeof choice.spec, rng);
    payload->size = 0;
    assert_int_equal(wm_choice_encode(payload, &choice), WM_OK);
}

typedef void (*changer)(wm_buffer* payload, const wm_grid* grid, wm_rng* rng);

static const changer changers[] = {
    [WM_METHOD_KNN] = change_knn,
    [WM_METHOD_REGIONS] = change_regions,
    [WM_METHOD_D_LRTA] = change_d_lrta,
    [WM_METHOD_CHOICE] = change_choice,
};

// ---------------------------------------------------------------------------------------------
// Walking

typedef struct tally {
    uint64_t tried;
    uint64_t opened;
    uint64_t walks;
    size_t longest; // in steps
    size_t most_subgoals;
} tally;

static size_t number_from(const char* variable, size_t otherwise)
{
    const char* text = getenv(variable);
    return text == NULL || text[0] == '\0' ? otherwise : (size_t)strtoul(text, NULL, 10);
}

// LRTA* may need the square of the cells.
static size_t most_steps(const wm_grid* grid)
{
    return (size_t)grid->open_count * grid->open_count;
}

static void walk_problems(const wm_map* map, const wm_db* db, const char* spec, size_t problems,
                          uint64_t seed, tally* sum)
{
    wm_agent* agent = agent_create(map, db, spec, false);
    wm_rng rng = wm_rng_start(seed, 1);
    for (size_t i = 0; i < problems; i++) {
        const wm_cell start = any_cell(&map->grid, &rng);
        const wm_cell goal = any_cell(&map->grid, &rng);
        const judgement judged = judge_walk(agent, start, goal, most_steps(&map->grid));
        if (judged.complaint != NULL)
            fail_msg("seed %llu, %s, \"%s\", from %u to %u: %s", (unsigned long long)seed, spec,
                     db->has_choice ? db->choice.spec : "", start, goal, judged.complaint);
        if (judged.steps > sum->longest) sum->longest = judged.steps;
        sum->walks++;
    }
    wm_agent_destroy(agent);
}

// For games that move by themselves: each subgoal leads on, and the last one is the goal.
static void follow_subgoals(const wm_map* map, const wm_db* db, size_t problems, uint64_t seed,
                            tally* sum)
{
    const wm_grid* grid = &map->grid;
    wm_rng rng = wm_rng_start(seed, 2);
    for (size_t i = 0; i < problems; i++) {
        wm_cell start;
        wm_cell goal;
        size_t count = 0;
        if (!random_problem(grid, &rng, &start, &goal)) continue;
        wm_point at = wm_grid_point(grid, start);
        const wm_point end = wm_grid_point(grid, goal);
        for (; at.x != end.x || at.y != end.y; count++) {
            wm_point next;
            if (wm_db_subgoal(db, at, end, &next) != WM_OK || !wm_map_connected(map, at, next) ||
                count > grid->open_count)
                fail_msg("seed %llu: subgoal %zu from %u to %u", (unsigned long long)seed, count,
                         start, goal);
            at = next;
        }
        if (count > sum->most_subgoals) sum->most_subgoals = count;
    }
}

static void walk_all(const wm_map* map, const wm_db* db, wm_method method, size_t problems,
                     uint64_t seed, tally* sum)
{
    static const char* const specs[][3] = {
        [WM_METHOD_KNN] = {"knn-lrta", "knn-lrta:walk=climb", "knn-lrta:k=4:m=10:candidates=20"},
        [WM_METHOD_REGIONS] = {"regions:preset=fast", "regions", "regions:preset=best"},
        [WM_METHOD_D_LRTA] = {"d-lrta", "d-lrta:d=1", "d-lrta:d=2"},
        [WM_METHOD_CHOICE] = {"auto", "auto", "auto"},
    };
    for (size_t i = 0; i < 3; i++)
        walk_problems(map, db, specs[method][i], (problems + i) / 3, seed, sum);
    if (method == WM_METHOD_REGIONS) follow_subgoals(map, db, problems, seed, sum);
}

// Changes a good payload; opens it and walks if it is not refused. Whether it opened.
static bool attack(wm_method method, size_t problems, uint64_t seed, tally* sum)
{
    wm_rng rng = wm_rng_start(seed, 0);
    const target* t = &targets[wm_rng_below(&rng, MAPS)];
    const wm_buffer* good = &t->payloads[wm_rng_below(&rng, VARIANTS)][method];
    wm_buffer payload = {0};
    wm_db* db = NULL;
    const wm_db_config config = wm_db_config_default();
    wm_error error = {""};
    wm_put_bytes(&payload, good->data, good->size);
    if (wm_rng_below(&rng, 4) > 0) changers[method](&payload, &t->map->grid, &rng);
    if (wm_rng_below(&rng, 3) == 0) change_bytes(&payload, &rng);
    const bool same =
        payload.size == good->size && memcmp(payload.data, good->data, good->size) == 0;
    wm_buffer blob = forge_seal(method, &payload);
    const wm_status status = wm_db_open_memory(&db, t->map, blob.data, blob.size, &config, &error);
    if (status == WM_OK && !same) walk_all(t->map, db, method, problems, seed, sum);
    if (status != WM_OK && status != WM_ERR_FORMAT && status != WM_ERR_MISMATCH)
        fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
    wm_db_close(db);
    wm_buffer_free(&blob);
    wm_buffer_free(&payload);
    return status == WM_OK && !same;
}

static void attack_all(wm_method method)
{
    // A quarter of all for each method.
    const size_t databases = (number_from("WAYMARK_HOSTILE_DATABASES", 200) + 3) / 4;
    const size_t problems = number_from("WAYMARK_HOSTILE_PROBLEMS", 40);
    tally sum = {0};
    for (; sum.opened < databases; sum.tried++) {
        if (sum.tried > 1000 * databases) fail_msg("hardly anything opens");
        sum.opened += attack(method, problems, 1 + sum.tried, &sum);
    }
    print_message("%s: %llu of %llu changed databases opened; %llu walks, the longest of %zu steps",
                  wm_method_name(method), (unsigned long long)sum.opened,
                  (unsigned long long)sum.tried, (unsigned long long)sum.walks, sum.longest);
    if (method == WM_METHOD_REGIONS) print_message(", at most %zu subgoals", sum.most_subgoals);
    print_message("\n");
}

static void changed_knn_records_lead_nobody_astray(void** state)
{
    (void)state;
    attack_all(WM_METHOD_KNN);
}

static void changed_regions_lead_nobody_astray(void** state)
{
    (void)state;
    attack_all(WM_METHOD_REGIONS);
}

static void changed_tables_of_d_lrta_lead_nobody_astray(void** state)
{
    (void)state;
    attack_all(WM_METHOD_D_LRTA);
}

static void changed_choices_lead_nobody_astray(void** state)
{
    (void)state;
    attack_all(WM_METHOD_CHOICE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_knn_records_lead_nobody_astray),
        cmocka_unit_test(changed_regions_lead_nobody_astray),
        cmocka_unit_test(changed_tables_of_d_lrta_lead_nobody_astray),
        cmocka_unit_test(changed_choices_lead_nobody_astray),
    };
    return cmocka_run_group_tests_name("hostile", tests, set_up, tear_down);
}
