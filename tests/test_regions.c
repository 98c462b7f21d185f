// SPDX-License-Identifier: MIT
//
// Region databases as agents use them: every walk is legal, arrives and keeps within the bound on
// states, whatever the map and the parameters are.
#include <stdio.h>

#include "region_world.h"

// ---------------------------------------------------------------------------------------------
// All pairs

static void check_all_pairs(region_world* w, const wm_db* db, const char* spec)
{
    const wm_grid* grid = &w->map->grid;
    wm_agent* agent = agent_create(w->map, db, spec, false);
    for (wm_cell start = 0; start < grid->cell_count; start++) {
        if (!wm_grid_is_open(grid, start)) continue;
        assert_int_equal(wm_distances_from(&w->distances, start, WM_COST_INFINITE), WM_OK);
        for (wm_cell goal = 0; goal < grid->cell_count; goal++) {
            // Told by the map's own components or by the regions: the answer is the same.
            agent->skip_reachable_check = (start + goal) % 2 == 0;
            if (wm_grid_is_open(grid, goal)) region_world_check_pair(w, agent, start, goal);
        }
    }
    wm_agent_destroy(agent);
}

static void check_presets(region_world* w, wm_regions_parameters parameters)
{
    wm_db* db = region_world_db(w->map, parameters, w->title);
    for (int i = 0; i < REGION_PRESETS; i++) check_all_pairs(w, db, region_presets[i]);
    wm_db_close(db);
}

static const struct {
    const char* title;
    const char* rows;
} handmade[] = {
    {"one cell", ".\n"},
    {"a row", ".........................\n"},
    {"a column", ".\n.\n.\n.\n.\n.\n.\n.\n.\n.\n.\n.\n.\n.\n"},
    {"a row with gaps", "..#...#.#....\n"},
    {"an open field", "................\n................\n................\n................\n"
                      "................\n................\n................\n................\n"
                      "................\n................\n................\n................\n"},
    {"tiny pockets", "#.#.##..#.#\n.#.#..#.#.#\n#.#.##.#.#.\n##.#.#..##.\n.#.#.#.#...\n"
                     "#..#.###.#.\n.#.#...#.#.\n"},
    {"several components", "....#.....#....\n.##.#.###.#.##.\n....#.....#....\n###############\n"
                           "..#...#.......#\n..#...#.#####.#\n..#...#.......#\n"},
    {"a corridor", "..............\n#############.\n..............\n.#############\n"
                   "..............\n#############.\n..............\n"},
    {"a spiral", ".............\n############.\n..........##.\n.########.##.\n.#......#.##.\n"
                 ".#.####.#.##.\n.#.##...#.##.\n.#.######.##.\n.#........##.\n.###########.\n"
                 ".............\n"},
    {"a comb", ".#.#.#.#.#.#.#.\n.#.#.#.#.#.#.#.\n.#.#.#.#.#.#.#.\n...............\n"
               "#.#.#.#.#.#.#.#\n#.#.#.#.#.#.#.#\n"},
    {"a checkerboard", ".#.#.#.#.#.#\n#.#.#.#.#.#.\n.#.#.#.#.#.#\n#.#.#.#.#.#.\n"
                       ".#.#.#.#.#.#\n#.#.#.#.#.#.\n.#.#.#.#.#.#\n#.#.#.#.#.#.\n"},
    {"a cup", "............\n.##########.\n.#........#.\n.#........#.\n.#........#.\n"
              ".#........#.\n............\n"},
};

static void every_pair_of_small_maps_is_walked(void** state)
{
    (void)state;
    static const uint32_t radii[] = {1, 2, 5, 13, 48};
    for (size_t i = 0; i < 2 * sizeof handmade / sizeof *handmade; i++) {
        region_world w = region_world_of(map_from_text((wm_diagonal)(i % 2), handmade[i / 2].rows),
                                         handmade[i / 2].title);
        for (uint32_t k = 0; k < 20; k++)
            check_presets(&w, (wm_regions_parameters){.radius = radii[k / 4],
                                                      .epsilon = 30 * (k % 3),
                                                      .portals = k % 4 / 2 * (3 + k),
                                                      .max_expansions = k % 2 * 40});
        region_world_free(&w);
    }
}

// Rooms and corridors small enough for several.
static region_world world_small(uint32_t i, int32_t side)
{
    const wm_generate_kind kind = (wm_generate_kind)(i / 2);
    const int32_t grain = kind == WM_GENERATE_MAZE ? 1 : 5;
    return region_world_of(
        map_generated(kind, side, side, WM_GENERATE_DEFAULT, grain, i, (wm_diagonal)(i % 2)),
        wm_generate_kind_name((int)kind));
}

static void every_pair_of_generated_maps_is_walked(void** state)
{
    (void)state;
    static const uint32_t radii[] = {4, 9, 24};
    for (uint32_t i = 0; i < 2 * WM_GENERATE_KINDS; i++) {
        region_world w = world_small(i, 14);
        for (uint32_t portals = 0; portals <= 16; portals += 8)
            check_presets(&w, (wm_regions_parameters){.radius = radii[i % 3],
                                                      .epsilon = 20 * i % 70,
                                                      .portals = portals,
                                                      .max_expansions = i / 2 % 2 * 40});
        region_world_free(&w);
    }
}

static void every_pair_of_larger_generated_maps_is_walked(void** state)
{
    (void)state;
    for (uint32_t kind = 0; kind < WM_GENERATE_KINDS; kind++) {
        const uint32_t i = 2 * kind + kind % 2; // both rules in turn
        region_world w = world_small(i, 24);
        for (uint32_t portals = 0; portals <= 16; portals += 16) {
            const wm_regions_parameters parameters = {.radius = 4 + i,
                                                      .epsilon = 40,
                                                      .portals = portals,
                                                      .max_expansions = i % 3 == 0 ? 40 : 0};
            wm_db* db = region_world_db(w.map, parameters, w.title);
            check_all_pairs(&w, db, region_presets[i % REGION_PRESETS]);
            wm_db_close(db);
        }
        region_world_free(&w);
    }
}

// ---------------------------------------------------------------------------------------------
// Random problems

static void a_hundred_thousand_random_problems_are_walked(void** state)
{
    (void)state;
    for (uint32_t i = 0; i < 4 * WM_GENERATE_KINDS; i++) {
        const wm_generate_kind kind = (wm_generate_kind)(i % WM_GENERATE_KINDS);
        region_world w =
            region_world_of(map_generated(kind, 128, 112, WM_GENERATE_DEFAULT, WM_GENERATE_DEFAULT,
                                          i, (wm_diagonal)(i / 4 % 2)),
                            wm_generate_kind_name((int)kind));
        const wm_regions_parameters parameters = {.radius = 6 + 5 * (i % 5),
                                                  .epsilon = 40,
                                                  .portals = i % 8 / 4 * (1 << i % 7),
                                                  .max_expansions = i / 8 * 60};
        wm_db* db = region_world_db(w.map, parameters, w.title);
        region_world_check(&w, db, 250, i);
        wm_db_close(db);
        region_world_free(&w);
    }
}

// In winding corridors a search goes a long way to a cell nearby, and regions that touch are far
// apart.
static void long_ways_round_inside_a_region_are_no_trouble(void** state)
{
    (void)state;
    for (uint32_t seed = 9; seed <= 21; seed += 3) {
        const int32_t turn = (int32_t)seed;
        region_world w =
            region_world_of(map_generated(WM_GENERATE_MAZE, 40 + turn * 3, 90 - turn * 2,
                                          WM_GENERATE_DEFAULT, 1, seed, WM_DIAGONAL_NONE),
                            "maze");
        wm_db* db = region_world_db(
            w.map,
            (wm_regions_parameters){
                .radius = 48, .epsilon = 50, .portals = seed % 2 * 20, .max_expansions = 200},
            w.title);
        region_world_check(&w, db, 10, seed);
        wm_db_close(db);
        region_world_free(&w);
    }
}

// Found by fuzzing: nothing of a list that leads back over the start is a way on from there.
static void a_list_of_targets_may_lead_back_over_the_start(void** state)
{
    (void)state;
    region_world w = region_world_of(
        map_from_text(WM_DIAGONAL_NONE, "..@@@@@@.@@\n@.@...@@@.@\n......@.@@.\n...@.@@....\n"
                                        "@.@@....@.@\n@....@.@@..\n..@.@@....@\n.@@.@....@@\n"),
        "back over the start");
    for (uint32_t expansions = 1; expansions <= 30; expansions++) {
        check_presets(&w, (wm_regions_parameters){.radius = 16, .max_expansions = expansions});
        check_presets(
            &w, (wm_regions_parameters){.radius = 4, .portals = 5, .max_expansions = expansions});
    }
    region_world_free(&w);
}

static void random_maps_of_any_kind_can_be_built_and_walked(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_cases(300); seed++) {
        char title[40];
        wm_rng rng = wm_rng_start(seed, 2);
        snprintf(title, sizeof title, "seed %llu", (unsigned long long)seed);
        region_world w = region_world_of(map_random(seed, 60), title);
        const wm_regions_parameters parameters = {
            .radius = (uint32_t)(1 + wm_rng_below(&rng, WM_MAX_LEG)),
            .epsilon = (uint32_t)wm_rng_below(&rng, 200),
            .portals = (uint32_t)(seed % 4 < 2 ? 0 : 3 + wm_rng_below(&rng, 60)),
            .max_expansions = (uint32_t)(seed % 3 == 0 ? 1 + wm_rng_below(&rng, 200) : 0)};
        if (w.map->grid.open_count > 0) {
            wm_db* db = region_world_db(w.map, parameters, w.title);
            region_world_check(&w, db, 4, seed);
            wm_db_close(db);
        }
        region_world_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_small_maps_is_walked),
        cmocka_unit_test(every_pair_of_generated_maps_is_walked),
        cmocka_unit_test(every_pair_of_larger_generated_maps_is_walked),
        cmocka_unit_test(a_hundred_thousand_random_problems_are_walked),
        cmocka_unit_test(long_ways_round_inside_a_region_are_no_trouble),
        cmocka_unit_test(a_list_of_targets_may_lead_back_over_the_start),
        cmocka_unit_test(random_maps_of_any_kind_can_be_built_and_walked),
    };
    return cmocka_run_group_tests_name("regions", tests, NULL, NULL);
}
