// SPDX-License-Identifier: MIT
//
// The ways between regions against relaxing all edges until nothing changes, one goal at a time.
#include "region_world.h"

// Edge costs in the units of the routes: rounded, one at least.
static int64_t units(wm_cost cost, uint32_t shift)
{
    const int64_t whole = cost / ((wm_cost)1 << shift);
    const int64_t rest = cost % ((wm_cost)1 << shift);
    const int64_t rounded = whole + (shift > 0 && 2 * rest >= (wm_cost)1 << shift);
    return rounded < 1 ? 1 : rounded;
}

// Costs of all waypoints to the seed of `goal`; INT64_MAX where there is no way.
static int64_t* relax_all(const wm_region_map* map, uint32_t goal)
{
    const wm_waypoints* w = &map->waypoints;
    int64_t* cost = malloc((w->count + 1) * sizeof *cost);
    for (uint32_t i = 0; i < w->count; i++) cost[i] = INT64_MAX;
    for (uint32_t i = w->arriving.begin[goal]; i < w->arriving.begin[goal + 1]; i++)
        cost[w->arriving.edges[i].to] = units(w->arriving.edges[i].cost, map->routes.shift);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t from = 0; from < w->count; from++) {
            for (uint32_t i = w->onward.begin[from]; i < w->onward.begin[from + 1]; i++) {
                const wm_waypoint_edge edge = w->onward.edges[i];
                if (cost[edge.to] == INT64_MAX) continue;
                const int64_t sum = cost[edge.to] + units(edge.cost, map->routes.shift);
                if (sum >= cost[from]) continue;
                cost[from] = sum;
                changed = true;
            }
        }
    }
    return cost;
}

static bool arrives(const wm_region_map* map, uint32_t goal, uint32_t from, int64_t cost)
{
    const wm_edge_lists* arriving = &map->waypoints.arriving;
    for (uint32_t i = arriving->begin[goal]; i < arriving->begin[goal + 1]; i++) {
        if (arriving->edges[i].to == from &&
            units(arriving->edges[i].cost, map->routes.shift) == cost)
            return true;
    }
    return false;
}

// The first edge by which a waypoint has its cost, or the code for what is none.
static uint8_t expected_hop(const wm_region_map* map, uint32_t goal, uint32_t from,
                            const int64_t* cost)
{
    const wm_edge_lists* onward = &map->waypoints.onward;
    if (cost[from] == INT64_MAX) return WM_NO_HOP;
    if (arrives(map, goal, from, cost[from])) return WM_HOP_SEED;
    for (uint32_t i = onward->begin[from]; i < onward->begin[from + 1]; i++) {
        const wm_waypoint_edge edge = onward->edges[i];
        if (cost[edge.to] != INT64_MAX &&
            cost[edge.to] + units(edge.cost, map->routes.shift) == cost[from])
            return (uint8_t)(i - onward->begin[from]);
    }
    fail_msg("no edge");
    return 0;
}

static void check_map(const wm_map* map, wm_regions_parameters parameters, uint64_t seed)
{
    wm_db* db = region_world_db(map, parameters, "a generated map");
    const wm_region_map* built = &db->region_map;
    for (uint32_t goal = 0; goal < built->regions.count; goal++) {
        int64_t* cost = relax_all(built, goal);
        for (uint32_t from = 0; from < built->waypoints.count; from++) {
            const uint8_t hop = wm_routes_hop(&built->routes, goal, from);
            if (hop != expected_hop(built, goal, from, cost))
                fail_msg("seed %llu, goal %u, waypoint %u: hop %d", (unsigned long long)seed, goal,
                         from, hop);
            if (cost[from] != INT64_MAX)
                assert_int_equal(wm_routes_cost(&built->routes, goal, from),
                                 cost[from] << built->routes.shift);
        }
        free(cost);
    }
    wm_db_close(db);
}

static void costs_and_hops_are_those_of_the_shortest_ways(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        wm_map* map =
            map_generated((wm_generate_kind)(seed % WM_GENERATE_KINDS), (int32_t)(30 + 7 * seed),
                          (int32_t)(20 + 5 * seed), WM_GENERATE_DEFAULT, (int32_t)(2 + seed % 5),
                          seed, (wm_diagonal)(seed / 4 % 2));
        const wm_regions_parameters parameters = {.radius = (uint32_t)(4 + seed % 9),
                                                  .epsilon = (uint32_t)(seed % 3) * 20,
                                                  .portals = seed % 4 == 1 ? 12 : 0,
                                                  .max_expansions = seed % 5 == 0 ? 30 : 0};
        check_map(map, parameters, seed);
        wm_map_unload(map);
    }
}

// A corridor that winds through the whole map is far longer than the map is wide: units must grow.
static void distances_far_beyond_the_size_of_the_map_fit(void** state)
{
    (void)state;
    enum { SIDE = 121 };
    uint8_t open[SIDE * SIDE];
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++)
            open[y * SIDE + x] = y % 2 == 0 || x == (y % 4 == 1 ? SIDE - 1 : 0);
    }
    const wm_map_config config = wm_map_config_default();
    wm_map* map;
    assert_int_equal(wm_map_create(&map, open, SIDE, SIDE, SIDE, &config, NULL), WM_OK);
    check_map(map, (wm_regions_parameters){.radius = 48, .epsilon = 20}, 0);
    wm_map_unload(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_and_hops_are_those_of_the_shortest_ways),
        cmocka_unit_test(distances_far_beyond_the_size_of_the_map_fit),
    };
    return cmocka_run_group_tests_name("routes", tests, NULL, NULL);
}
