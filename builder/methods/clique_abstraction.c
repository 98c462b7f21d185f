// SPDX-License-Identifier: MIT
//
// Clique abstraction (Sturtevant and Buro 2005): the states of a graph are merged into groups of up
// to four that are all neighbours of each other, and the groups are the states of the next graph.
// First all cliques of four are taken, then of three, then of two, each time by the first state in
// row order and then by its first neighbours; a state with one neighbour joins that one's group,
// and whoever is left stays alone. States are numbered by their first cell, so the order of the
// numbers is the row order on every level.
#include <stdlib.h>

#include "alloc.h"
#include "d_lrta_method.h"

#define NO_GROUP UINT32_MAX

// Neighbours of state i: neighbours[begin[i]] .. neighbours[begin[i + 1]], rising.
typedef struct state_graph {
    uint32_t count;
    size_t* begin;
    uint32_t* neighbours;
} state_graph;

// Working memory for graphs with as many states as the first one.
typedef struct abstraction {
    uint32_t* group;  // per state
    uint32_t* mark;   // per state: the depth at which a clique's member saw it as a neighbour
    uint32_t* number; // per group: its number in the next graph
    uint32_t* member; // states sorted by group
    size_t* member_begin;
} abstraction;

static void free_graph(state_graph* graph)
{
    free(graph->begin);
    free(graph->neighbours);
    *graph = (state_graph){0};
}

static bool make_graph(state_graph* graph, uint32_t count, size_t max_edges)
{
    *graph = (state_graph){.count = count};
    graph->begin = wm_alloc(NULL, (size_t)count + 1, sizeof *graph->begin);
    graph->neighbours = wm_alloc(NULL, max_edges, sizeof *graph->neighbours);
    return graph->begin != NULL && graph->neighbours != NULL;
}

static int compare_numbers(const void* left, const void* right)
{
    const uint32_t a = *(const uint32_t*)left;
    const uint32_t b = *(const uint32_t*)right;
    return (a > b) - (a < b);
}

// The map itself. `group` numbers the open cells.
static bool make_ground_graph(state_graph* graph, const wm_grid* grid, uint32_t* group)
{
    size_t edges = 0;
    uint32_t count = 0;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        group[cell] = wm_grid_is_open(grid, cell) ? count++ : NO_GROUP;
        for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1) edges++;
    }
    if (!make_graph(graph, count, edges)) return false;
    size_t at = 0;
    for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
        if (group[cell] == NO_GROUP) continue;
        uint32_t* first = graph->neighbours + at;
        for (unsigned left = grid->moves[cell]; left != 0; left &= left - 1)
            graph->neighbours[at++] = group[wm_grid_step(grid, cell, wm_lowest_direction(left))];
        qsort(first, (size_t)(graph->neighbours + at - first), sizeof *first, compare_numbers);
        graph->begin[group[cell] + 1] = at;
    }
    return true;
}

// Marks the neighbours of `state` that all `depth` members before see too, or takes the marks back.
static void mark_common(const state_graph* graph, uint32_t* mark, uint32_t state, uint32_t depth,
                        bool back)
{
    for (size_t i = graph->begin[state]; i < graph->begin[state + 1]; i++) {
        uint32_t* m = &mark[graph->neighbours[i]];
        if (*m == (back ? depth + 1 : depth)) *m = back ? depth : depth + 1;
    }
}

// Puts `state` and `wanted` more free states behind it into a group if they are a clique with the
// `depth` members before. Whoever is not behind it has been tried.
static bool take_clique(const state_graph* graph, abstraction* work, uint32_t state, uint32_t depth,
                        uint32_t wanted, uint32_t group)
{
    bool found = wanted == 0;
    if (!found) mark_common(graph, work->mark, state, depth, false);
    for (size_t i = graph->begin[state]; !found && i < graph->begin[state + 1]; i++) {
        const uint32_t next = graph->neighbours[i];
        if (next > state && work->group[next] == NO_GROUP && work->mark[next] == depth + 1)
            found = take_clique(graph, work, next, depth + 1, wanted - 1, group);
    }
    if (wanted > 0) mark_common(graph, work->mark, state, depth, true);
    if (found) work->group[state] = group;
    return found;
}

// Gives every state a group, numbered in no order yet. Returns how many there are.
static uint32_t group_states(const state_graph* graph, abstraction* work)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        work->group[i] = NO_GROUP;
        work->mark[i] = 0;
    }
    for (uint32_t size = 4; size >= 2; size--) {
        for (uint32_t i = 0; i < graph->count; i++) {
            if (work->group[i] == NO_GROUP && take_clique(graph, work, i, 0, size - 1, groups))
                groups++;
        }
    }
    // Two free states are never neighbours now: the one neighbour has a group.
    for (uint32_t i = 0; i < graph->count; i++) {
        if (work->group[i] != NO_GROUP) continue;
        const bool has_one_neighbour = graph->begin[i + 1] - graph->begin[i] == 1;
        work->group[i] =
            has_one_neighbour ? work->group[graph->neighbours[graph->begin[i]]] : groups++;
    }
    return groups;
}

// Numbers the groups by their first states and sorts the states by group.
static void sort_groups(const state_graph* graph, abstraction* work, uint32_t groups)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < groups; g++) work->number[g] = NO_GROUP;
    for (uint32_t g = 0; g <= groups; g++) work->member_begin[g] = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        uint32_t* number = &work->number[work->group[i]];
        if (*number == NO_GROUP) *number = count++;
        work->group[i] = *number;
        work->member_begin[*number + 1]++;
    }
    for (uint32_t g = 0; g < groups; g++) work->member_begin[g + 1] += work->member_begin[g];
    // Each begin serves as the group's cursor; from the back, so that it ends as the begin again.
    for (uint32_t i = graph->count; i-- > 0;)
        work->member[--work->member_begin[work->group[i] + 1]] = i;
    for (uint32_t g = 0; g < groups; g++) work->member_begin[g] = work->member_begin[g + 1];
    work->member_begin[groups] = graph->count;
}

// Groups are neighbours when some of their states are.
static bool make_next_graph(state_graph* next, const state_graph* graph, abstraction* work,
                            uint32_t groups)
{
    if (!make_graph(next, groups, graph->begin[graph->count])) return false;
    for (uint32_t g = 0; g < groups; g++) work->mark[g] = NO_GROUP;
    size_t at = 0;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t* first = next->neighbours + at;
        work->mark[g] = g; // no neighbour of itself
        for (size_t k = work->member_begin[g]; k < work->member_begin[g + 1]; k++) {
            const uint32_t state = work->member[k];
            for (size_t i = graph->begin[state]; i < graph->begin[state + 1]; i++) {
                const uint32_t other = work->group[graph->neighbours[i]];
                if (work->mark[other] == g) continue;
                work->mark[other] = g;
                next->neighbours[at++] = other;
            }
        }
        qsort(first, (size_t)(next->neighbours + at - first), sizeof *first, compare_numbers);
        next->begin[g + 1] = at;
    }
    return true;
}

// Replaces the graph by its abstraction.
static bool abstract_once(state_graph* graph, abstraction* work)
{
    const uint32_t groups = group_states(graph, work);
    state_graph next;
    sort_groups(graph, work, groups);
    const bool made = make_next_graph(&next, graph, work, groups);
    free_graph(graph);
    *graph = next; // its arrays are freed with it, made or not
    return made;
}

static bool make_room(abstraction* work, uint32_t count)
{
    work->group = wm_alloc(NULL, count, sizeof *work->group);
    work->mark = wm_alloc(NULL, count, sizeof *work->mark);
    work->number = wm_alloc(NULL, count, sizeof *work->number);
    work->member = wm_alloc(NULL, count, sizeof *work->member);
    work->member_begin = wm_alloc(NULL, (size_t)count + 1, sizeof *work->member_begin);
    return work->group != NULL && work->mark != NULL && work->number != NULL &&
           work->member != NULL && work->member_begin != NULL;
}

wm_status wm_clique_abstraction(uint32_t* group, uint32_t* count, const wm_grid* grid,
                                uint32_t level, wm_error* error)
{
    state_graph graph = {0};
    abstraction work = {0};
    bool made = make_ground_graph(&graph, grid, group) && make_room(&work, graph.count);
    for (uint32_t i = 0; i < level && made; i++) {
        made = abstract_once(&graph, &work);
        for (wm_cell cell = 0; cell < grid->cell_count; cell++) {
            if (group[cell] != NO_GROUP) group[cell] = work.group[group[cell]];
        }
    }
    *count = graph.count;
    free_graph(&graph);
    free(work.group);
    free(work.mark);
    free(work.number);
    free(work.member);
    free(work.member_begin);
    return made ? WM_OK : wm_fail_memory(error, (size_t)grid->cell_count * sizeof *group);
}
