// SPDX-License-Identifier: MIT
//
// The parameterised family w * lop_b(wc * c + h) of real-time searches (Bulitko 2016): LRTA*
// with a weighted learning rule over the best share b of the neighbours, depression avoidance (da)
// and removal of states that nothing needs to pass (e). Named algorithms are points of it. Values
// are doubles in the integer units of all costs, so that the point LRTA* is exact. Never ends where
// there is no path.
#include "rths.h"

#include <string.h>

enum { PRESET, W, WC, B, LOP, DA, E, PARAMETERS };

enum { LRTA, DA_LRTA, DA_LRTA_E, W_DA_LRTA, PRESETS };

enum { MIN, AVG, MEDIAN, MAX, LOPS };

static const char* const presets[] = {"lrta", "da-lrta", "da-lrta-e", "w-da-lrta", NULL};
static const char* const lops[] = {"min", "avg", "median", "max", NULL};

static const wm_parameter parameters[] = {
    [PRESET] = {"preset", WM_PARAMETER_CHOICE, LRTA, 0, PRESETS - 1, "a named point of the family",
                presets},
    [W] = {"w", WM_PARAMETER_DECIMAL, WM_PARAMETER_BY_PRESET, 1000, 10000,
           "weight of what is learned", NULL},
    [WC] = {"wc", WM_PARAMETER_DECIMAL, 1000, 1000, 10000, "weight of step costs in it", NULL},
    [B] = {"b", WM_PARAMETER_DECIMAL, 0, 0, 1000,
           "share of the neighbours learned from; at least one", NULL},
    [LOP] = {"lop", WM_PARAMETER_CHOICE, MIN, 0, LOPS - 1, "learns this of them", lops},
    [DA] = {"da", WM_PARAMETER_INTEGER, WM_PARAMETER_BY_PRESET, 0, 1,
            "1: keep to the neighbours whose values were raised least", NULL},
    [E] = {"e", WM_PARAMETER_INTEGER, WM_PARAMETER_BY_PRESET, 0, 1,
           "1: remove raised states that nothing needs to pass", NULL},
    {0},
};

static int64_t setting(const wm_agent* agent, int parameter)
{
    static const int16_t by_preset[PRESETS][PARAMETERS] = {
        [LRTA] = {[W] = 1000, [DA] = 0, [E] = 0},
        [DA_LRTA] = {[W] = 1000, [DA] = 1, [E] = 0},
        [DA_LRTA_E] = {[W] = 1000, [DA] = 1, [E] = 1},
        [W_DA_LRTA] = {[W] = 7000, [DA] = 1, [E] = 0},
    };
    const int64_t given = agent->values.at[parameter];
    return given == WM_PARAMETER_BY_PRESET ? by_preset[agent->values.at[PRESET]][parameter] : given;
}

typedef struct rths_state {
    double* h;      // per cell: what was learned
    uint32_t* mark; // per cell: 2 * generation where h was learned, 1 more where it was removed
    uint32_t generation;
    uint64_t saturations;
    double w;
    double wc;
    int share; // b, in thousandths
    int lop;
    bool avoids_depressions;
    bool removes;
} rths_state;

static size_t state_bytes(const wm_map* map, const wm_db* db, const wm_parameter_values* values)
{
    (void)db;
    (void)values;
    return sizeof(rths_state) + map->grid.cell_count * (sizeof(double) + sizeof(uint32_t));
}

static void init(wm_agent* agent)
{
    rths_state* s = agent->state;
    s->h = (double*)(s + 1);
    s->mark = (uint32_t*)(s->h + agent->grid->cell_count);
    s->w = (double)setting(agent, W) / 1000;
    s->wc = (double)setting(agent, WC) / 1000;
    s->share = (int)setting(agent, B);
    s->lop = (int)setting(agent, LOP);
    s->avoids_depressions = setting(agent, DA) == 1;
    s->removes = setting(agent, E) == 1;
}

static wm_status begin(wm_agent* agent, wm_cell start, wm_cell goal)
{
    (void)start;
    (void)goal;
    rths_state* s = agent->state;
    if (s->generation == UINT32_MAX / 2) {
        memset(s->mark, 0, agent->grid->cell_count * sizeof *s->mark);
        s->generation = 0;
    }
    s->generation++;
    s->saturations = 0;
    return WM_OK;
}

typedef struct neighbour {
    int direction;
    double c;
    double h;
    double raised; // |h - h_0|
    double f;      // c + h
} neighbour;

// Fills in the neighbours that were not removed, in the order of directions. Returns how many there
// are, and their directions as a mask.
static int find_neighbours(const wm_agent* agent, neighbour* list, unsigned* present)
{
    const rths_state* s = agent->state;
    const wm_grid* grid = agent->grid;
    const wm_point p = wm_grid_point(grid, agent->position);
    const wm_point goal = wm_grid_point(grid, agent->goal);
    int count = 0;
    *present = 0;
    for (unsigned left = grid->moves[agent->position]; left != 0; left &= left - 1) {
        const int d = wm_lowest_direction(left);
        const wm_cell cell = wm_grid_step(grid, agent->position, d);
        if (s->mark[cell] == 2 * s->generation + 1) continue;
        const double initial = (double)wm_guess(agent->heuristic, p.x + wm_direction_x[d] - goal.x,
                                                p.y + wm_direction_y[d] - goal.y);
        const double h = s->mark[cell] == 2 * s->generation ? s->h[cell] : initial;
        const double c = (double)wm_direction_cost[d];
        list[count++] =
            (neighbour){.direction = d, .c = c, .h = h, .raised = h - initial, .f = c + h};
        *present |= 1u << d;
    }
    return count;
}

// Keeps the neighbours whose values were raised least, and returns how many.
static int avoid_depressions(neighbour* list, int count)
{
    double least = list[0].raised;
    for (int i = 1; i < count; i++) {
        if (list[i].raised < least) least = list[i].raised;
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (list[i].raised == least) list[kept++] = list[i];
    }
    return kept;
}

// By c + h; equal ones stay in the order of directions.
static void sort_neighbours(neighbour* list, int count)
{
    for (int i = 1; i < count; i++) {
        const neighbour moved = list[i];
        int at = i;
        for (; at > 0 && list[at - 1].f > moved.f; at--) list[at] = list[at - 1];
        list[at] = moved;
    }
}

static double median_of(const double* values, int count)
{
    double sorted[WM_DIRECTIONS];
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > values[i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = values[i];
    }
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

// lop of wc * c + h over the first `count` neighbours; sums run in their order.
static double operate(const rths_state* s, const neighbour* list, int count)
{
    double values[WM_DIRECTIONS];
    for (int i = 0; i < count; i++) values[i] = s->wc * list[i].c + list[i].h;
    if (s->lop == MEDIAN) return median_of(values, count);
    double result = values[0];
    for (int i = 1; i < count; i++) {
        if (s->lop == AVG) result += values[i];
        if (s->lop == MIN && values[i] < result) result = values[i];
        if (s->lop == MAX && values[i] > result) result = values[i];
    }
    return s->lop == AVG ? result / count : result;
}

static unsigned turn_right(unsigned directions, int by)
{
    return (directions << by | directions >> (WM_DIRECTIONS - by)) & 0xFF;
}

// Whether the neighbours that are left are connected among themselves. They lie on a ring, each
// linked to the next, and two straight ones also across the diagonal one between them: always, or
// where that cell is open, if removed too, as the rule for diagonals has it. A link across is drawn
// as the cell between, and then there may be one run of cells on the ring. This is the table of 256
// neighbourhoods, and right where cells are open but removed, which such a table cannot tell.
static bool is_expendable(const wm_grid* grid, wm_cell cell, unsigned present)
{
    const unsigned straight = present & 0x55;
    unsigned across = turn_right(straight, 1) & turn_right(straight, 7);
    if (grid->diagonal == WM_DIAGONAL_NONE) across &= grid->moves[cell];
    const unsigned ring = present | across;
    const unsigned first_of_runs = ring & ~turn_right(ring, 1);
    return (first_of_runs & (first_of_runs - 1)) == 0;
}

// Sums that are made in other orders differ in their last bits, and equal values must be equal: for
// the order of neighbours, and for depression avoidance, which asks which values were raised least.
// Comparing by a difference would be no order, so what is learned is rounded instead, to less than
// a millionth of a step.
static double rounded(double learned)
{
    return (double)(int64_t)(learned * WM_RTHS_FRACTIONS + 0.5) / WM_RTHS_FRACTIONS;
}

// Raises the value of the agent's state. The goal's is never raised, and so it is never removed.
static void learn(wm_agent* agent, double learned, double least, unsigned present)
{
    rths_state* s = agent->state;
    const wm_cell cell = agent->position;
    if (learned > WM_RTHS_HIGHEST) {
        // On a plateau of equal values an agent would walk for ever: up there it learns as LRTA*.
        learned = least > WM_RTHS_HIGHEST ? least : WM_RTHS_HIGHEST;
        s->saturations++;
    } else {
        learned = rounded(learned);
    }
    const wm_point p = wm_grid_point(agent->grid, cell);
    const wm_point goal = wm_grid_point(agent->grid, agent->goal);
    const double before = s->mark[cell] == 2 * s->generation
                              ? s->h[cell]
                              : (double)wm_guess(agent->heuristic, p.x - goal.x, p.y - goal.y);
    if (learned <= before) return;
    s->h[cell] = learned;
    s->mark[cell] = 2 * s->generation;
    if (s->removes && is_expendable(agent->grid, cell, present)) s->mark[cell]++;
}

static wm_status step(wm_agent* agent, wm_cell* next)
{
    const rths_state* s = agent->state;
    neighbour list[WM_DIRECTIONS];
    unsigned present;
    int count = find_neighbours(agent, list, &present);
    agent->expansions++;
    if (count == 0) return WM_NO_PATH;
    if (s->avoids_depressions) count = avoid_depressions(list, count);
    sort_neighbours(list, count);
    const int share = s->share * count / 1000;
    learn(agent, s->w * operate(s, list, share > 1 ? share : 1), list[0].f, present);
    *next = wm_grid_step(agent->grid, agent->position, list[0].direction);
    return WM_OK;
}

uint64_t wm_rths_saturations(const wm_agent* agent)
{
    return ((const rths_state*)agent->state)->saturations;
}

static uint64_t most_expansions(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values)
{
    (void)map;
    (void)db;
    (void)values;
    return 1;
}

const wm_algorithm wm_algorithm_rths = {
    .name = "rths",
    .summary = "real-time search with the learning rule w * lop_b(wc * c + h): LRTA* and its kin",
    .parameters = parameters,
    .state_bytes = state_bytes,
    .init = init,
    .most_expansions = most_expansions,
    .begin = begin,
    .step = step,
};

// ---------------------------------------------------------------------------------------------
// Named points

static const wm_parameter no_parameters[] = {{0}};

static const char* resolve_da_lrta(const wm_db* db)
{
    (void)db;
    return "rths:preset=da-lrta";
}

static const char* resolve_da_lrta_e(const wm_db* db)
{
    (void)db;
    return "rths:preset=da-lrta-e";
}

static const char* resolve_w_da_lrta(const wm_db* db)
{
    (void)db;
    return "rths:preset=w-da-lrta";
}

const wm_algorithm wm_algorithm_da_lrta = {
    .name = "da-lrta",
    .summary = "daLRTA*, a preset of rths: keeps out of heuristic depressions",
    .parameters = no_parameters,
    .resolve = resolve_da_lrta,
};

const wm_algorithm wm_algorithm_da_lrta_e = {
    .name = "da-lrta-e",
    .summary = "daLRTA*+E, a preset of rths: removes expendable states as well",
    .parameters = no_parameters,
    .resolve = resolve_da_lrta_e,
};

const wm_algorithm wm_algorithm_w_da_lrta = {
    .name = "w-da-lrta",
    .summary = "7-daLRTA*, a preset of rths: weighs what it learns by 7",
    .parameters = no_parameters,
    .resolve = resolve_w_da_lrta,
};
