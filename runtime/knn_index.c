// SPDX-License-Identifier: MIT
//
// A k-d tree over (start x, start y, goal x, goal y) with a bounding box at every node. A box gives
// exact least and greatest distances, because the octile distance grows with |dx| and |dy|. A query
// fetches the next matches in batches that grow: a walk over the boxes that can hold something
// between the last match given and the worst of the batch. A query that goes on and on looks at
// all records once and sorts them only as far as it gets, by quicksort from the front.
#include "knn_index.h"

#include <string.h>

#include "alloc.h"
#include "rng.h"

#define DIMENSIONS 4
#define LEAF_SIZE 8
#define FIRST_BATCH 4
#define BATCH_GROWTH 4
#define MAX_DEPTH 32

// A batch is worth a walk over the tree as long as it is this small a part of all records.
#define SMALLEST_SHARE 16

// Ranges this short are sorted by insertion.
#define SHORT_RANGE 16

typedef struct wm_knn_entry {
    int16_t at[DIMENSIONS];
    uint32_t record;
} wm_knn_entry;

typedef struct wm_knn_node {
    int16_t low[DIMENSIONS];
    int16_t high[DIMENSIONS];
    uint32_t begin;
    uint32_t end;
    uint32_t right; // the left child comes next in the array; 0 for a leaf
} wm_knn_node;

static uint32_t max_nodes(uint32_t count)
{
    // Halves of more than LEAF_SIZE entries have more than LEAF_SIZE / 2.
    return 2 * (count / (LEAF_SIZE / 2) + 1);
}

// ---------------------------------------------------------------------------------------------
// Building

static bool entry_before(const wm_knn_entry* a, const wm_knn_entry* b, int dimension)
{
    if (a->at[dimension] != b->at[dimension]) return a->at[dimension] < b->at[dimension];
    return a->record < b->record;
}

static void swap_entries(wm_knn_entry* a, wm_knn_entry* b)
{
    const wm_knn_entry kept = *a;
    *a = *b;
    *b = kept;
}

// Puts the entry that belongs at `middle` there, smaller ones before it, larger ones behind.
static void select_middle(wm_knn_entry* entries, uint32_t begin, uint32_t end, uint32_t middle,
                          int dimension)
{
    wm_rng rng = wm_rng_start(begin, end); // random pivots: no order of records is a bad one
    while (end - begin > 1) {
        swap_entries(&entries[begin + wm_rng_below(&rng, end - begin)], &entries[end - 1]);
        uint32_t smaller = begin;
        for (uint32_t i = begin; i < end - 1; i++) {
            if (entry_before(&entries[i], &entries[end - 1], dimension))
                swap_entries(&entries[i], &entries[smaller++]);
        }
        swap_entries(&entries[smaller], &entries[end - 1]);
        if (smaller == middle) return;
        if (smaller < middle)
            begin = smaller + 1;
        else
            end = smaller;
    }
}

static void fit_box(wm_knn_node* node, const wm_knn_entry* entries)
{
    memcpy(node->low, entries[node->begin].at, sizeof node->low);
    memcpy(node->high, entries[node->begin].at, sizeof node->high);
    for (uint32_t i = node->begin + 1; i < node->end; i++) {
        for (int k = 0; k < DIMENSIONS; k++) {
            const int16_t at = entries[i].at[k];
            if (at < node->low[k]) node->low[k] = at;
            if (at > node->high[k]) node->high[k] = at;
        }
    }
}

static int widest_dimension(const wm_knn_node* node)
{
    int widest = 0;
    for (int k = 1; k < DIMENSIONS; k++) {
        if (node->high[k] - node->low[k] > node->high[widest] - node->low[widest]) widest = k;
    }
    return widest;
}

static uint32_t build_node(wm_knn_index* index, uint32_t begin, uint32_t end)
{
    const uint32_t at = index->node_count++;
    wm_knn_node* node = &index->nodes[at];
    *node = (wm_knn_node){.begin = begin, .end = end};
    fit_box(node, index->entries);
    if (end - begin <= LEAF_SIZE) return at;
    const uint32_t middle = begin + (end - begin) / 2;
    select_middle(index->entries, begin, end, middle, widest_dimension(node));
    build_node(index, begin, middle);
    node->right = build_node(index, middle, end);
    return at;
}

wm_status wm_knn_index_create(wm_knn_index* index, const wm_knn* knn, const wm_grid* grid,
                              const wm_allocator* allocator, wm_error* error)
{
    *index = (wm_knn_index){.knn = knn};
    if (allocator != NULL) index->allocator = *allocator;
    index->nodes = wm_alloc(allocator, max_nodes(knn->count), sizeof *index->nodes);
    index->entries = wm_alloc(allocator, knn->count, sizeof *index->entries);
    if (index->nodes == NULL || index->entries == NULL) {
        wm_knn_index_free(index);
        return wm_fail_memory(error, knn->count * sizeof *index->entries);
    }
    for (uint32_t i = 0; i < knn->count; i++) {
        const wm_point start = wm_grid_point(grid, knn->records[i].start);
        const wm_point goal = wm_grid_point(grid, knn->records[i].goal);
        index->entries[i] = (wm_knn_entry){
            .at = {(int16_t)start.x, (int16_t)start.y, (int16_t)goal.x, (int16_t)goal.y},
            .record = i};
    }
    if (knn->count > 0) build_node(index, 0, knn->count);
    return WM_OK;
}

void wm_knn_index_free(wm_knn_index* index)
{
    const wm_allocator allocator = index->allocator;
    const uint32_t count = index->knn == NULL ? 0 : index->knn->count;
    wm_release(&allocator, index->nodes, max_nodes(count), sizeof *index->nodes);
    wm_release(&allocator, index->entries, count, sizeof *index->entries);
    *index = (wm_knn_index){0};
}

// ---------------------------------------------------------------------------------------------
// Asking

// Distances in cost units fit 32 bits: two octile distances of at most 4095 diagonal steps.
static inline uint32_t octile32(int32_t dx, int32_t dy)
{
    const int32_t more = dx > dy ? dx : dy;
    const int32_t less = dx > dy ? dy : dx;
    return (uint32_t)(more * (int32_t)WM_COST_STRAIGHT +
                      less * (int32_t)(WM_COST_DIAGONAL - WM_COST_STRAIGHT));
}

typedef struct problem_point {
    int32_t at[DIMENSIONS];
} problem_point;

static inline uint32_t entry_distance(const problem_point* query, const wm_knn_entry* entry)
{
    int32_t d[DIMENSIONS];
    for (int k = 0; k < DIMENSIONS; k++) d[k] = abs(query->at[k] - entry->at[k]);
    return octile32(d[0], d[1]) + octile32(d[2], d[3]);
}

static inline uint32_t least_distance(const problem_point* query, const wm_knn_node* node)
{
    int32_t d[DIMENSIONS];
    for (int k = 0; k < DIMENSIONS; k++) {
        const int32_t below = node->low[k] - query->at[k];
        const int32_t above = query->at[k] - node->high[k];
        const int32_t outside = below > above ? below : above;
        d[k] = outside > 0 ? outside : 0;
    }
    return octile32(d[0], d[1]) + octile32(d[2], d[3]);
}

static inline uint32_t greatest_distance(const problem_point* query, const wm_knn_node* node)
{
    int32_t d[DIMENSIONS];
    for (int k = 0; k < DIMENSIONS; k++) {
        const int32_t to_low = abs(query->at[k] - node->low[k]);
        const int32_t to_high = abs(query->at[k] - node->high[k]);
        d[k] = to_low > to_high ? to_low : to_high;
    }
    return octile32(d[0], d[1]) + octile32(d[2], d[3]);
}

static inline bool match_before(wm_knn_match a, wm_knn_match b)
{
    return a.distance != b.distance ? a.distance < b.distance : a.record < b.record;
}

// The batch is a heap with the worst match first while it is being filled.
static void sink(wm_knn_match* heap, uint32_t count, uint32_t hole, wm_knn_match match)
{
    for (uint32_t child = 2 * hole + 1; child < count; child = 2 * hole + 1) {
        if (child + 1 < count && match_before(heap[child], heap[child + 1])) child++;
        if (!match_before(match, heap[child])) break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = match;
}

static void offer(wm_knn_cursor* cursor, wm_knn_match match)
{
    if (cursor->begun && !match_before(cursor->last, match)) return;
    if (cursor->count == cursor->batch_size) {
        if (match_before(match, cursor->matches[0])) sink(cursor->matches, cursor->count, 0, match);
        return;
    }
    uint32_t slot = cursor->count++;
    while (slot > 0 && match_before(cursor->matches[(slot - 1) / 2], match)) {
        cursor->matches[slot] = cursor->matches[(slot - 1) / 2];
        slot = (slot - 1) / 2;
    }
    cursor->matches[slot] = match;
}

// Sorts a range that is a heap already, worst first.
static void sort_heap(wm_knn_match* heap, uint32_t size)
{
    for (uint32_t count = size; count > 1; count--) {
        const wm_knn_match worst = heap[0];
        sink(heap, count - 1, 0, heap[count - 1]);
        heap[count - 1] = worst;
    }
}

// Sorts any range: by insertion where it is short, else by heap.
static void sort_range(wm_knn_match* matches, uint32_t size)
{
    if (size > SHORT_RANGE) {
        for (uint32_t i = size / 2; i-- > 0;) sink(matches, size, i, matches[i]);
        sort_heap(matches, size);
        return;
    }
    for (uint32_t i = 1; i < size; i++) {
        const wm_knn_match match = matches[i];
        uint32_t slot = i;
        for (; slot > 0 && match_before(match, matches[slot - 1]); slot--)
            matches[slot] = matches[slot - 1];
        matches[slot] = match;
    }
}

typedef struct pending_node {
    uint32_t node;
    uint32_t least;
} pending_node;

static void offer_leaf(wm_knn_cursor* cursor, const problem_point* query, const wm_knn_node* node)
{
    for (uint32_t i = node->begin; i < node->end; i++) {
        const wm_knn_entry* entry = &cursor->index->entries[i];
        offer(cursor, (wm_knn_match){entry_distance(query, entry), entry->record});
    }
}

// Fills the batch with the best matches behind `last`, nearer boxes first.
static void fetch_batch(wm_knn_cursor* cursor)
{
    const wm_knn_node* nodes = cursor->index->nodes;
    const problem_point query = {
        {cursor->start.x, cursor->start.y, cursor->goal.x, cursor->goal.y}};
    pending_node stack[MAX_DEPTH + 1];
    int height = 0;
    cursor->at = 0;
    cursor->count = 0;
    if (cursor->index->node_count > 0)
        stack[height++] = (pending_node){0, least_distance(&query, &nodes[0])};
    while (height > 0) {
        const pending_node next = stack[--height];
        const wm_knn_node* node = &nodes[next.node];
        const bool full = cursor->count == cursor->batch_size;
        if (full && next.least > cursor->matches[0].distance) continue;
        if (cursor->begun && greatest_distance(&query, node) < cursor->last.distance) continue;
        if (node->right == 0) {
            offer_leaf(cursor, &query, node);
            continue;
        }
        const uint32_t left = next.node + 1;
        const pending_node a = {left, least_distance(&query, &nodes[left])};
        const pending_node b = {node->right, least_distance(&query, &nodes[node->right])};
        const bool a_first = a.least <= b.least;
        stack[height++] = a_first ? b : a;
        stack[height++] = a_first ? a : b;
    }
    sort_heap(cursor->matches, cursor->count);
    cursor->sorted_end = cursor->count;
}

// ---------------------------------------------------------------------------------------------
// All that is left, sorted as far as it is asked for

static void fetch_all(wm_knn_cursor* cursor)
{
    const wm_knn_index* index = cursor->index;
    const problem_point query = {
        {cursor->start.x, cursor->start.y, cursor->goal.x, cursor->goal.y}};
    cursor->at = 0;
    cursor->count = 0;
    for (uint32_t i = 0; i < index->knn->count; i++) {
        const wm_knn_entry* entry = &index->entries[i];
        const wm_knn_match match = {entry_distance(&query, entry), entry->record};
        cursor->matches[cursor->count] = match;
        cursor->count += !cursor->begun || match_before(cursor->last, match);
    }
    cursor->has_all = true;
    cursor->sorted_end = 0;
    cursor->pivot_count = 0;
}

static void swap_matches(wm_knn_match* a, wm_knn_match* b)
{
    const wm_knn_match kept = *a;
    *a = *b;
    *b = kept;
}

// Parts [begin, end) around its middle element and gives the place where that one belongs.
static uint32_t partition(wm_knn_match* matches, uint32_t begin, uint32_t end)
{
    swap_matches(&matches[begin + (end - begin) / 2], &matches[end - 1]);
    const wm_knn_match pivot = matches[end - 1];
    uint32_t smaller = begin;
    for (uint32_t i = begin; i < end - 1; i++) {
        const wm_knn_match match = matches[i];
        matches[i] = matches[smaller];
        matches[smaller] = match;
        smaller += match_before(match, pivot);
    }
    swap_matches(&matches[smaller], &matches[end - 1]);
    return smaller;
}

// Sorts so far that the match at `at` and those up to the nearest pivot are in their places.
static void sort_front(wm_knn_cursor* cursor)
{
    const uint32_t places = sizeof cursor->pivots / sizeof cursor->pivots[0];
    for (;;) {
        const uint32_t end =
            cursor->pivot_count > 0 ? cursor->pivots[cursor->pivot_count - 1] : cursor->count;
        if (end == cursor->at) {
            cursor->pivot_count--; // the pivot itself is next
            cursor->sorted_end = end + 1;
            return;
        }
        if (end - cursor->at <= SHORT_RANGE || cursor->pivot_count == places) {
            sort_range(cursor->matches + cursor->at, end - cursor->at);
            cursor->sorted_end = end;
            return;
        }
        cursor->pivots[cursor->pivot_count++] = partition(cursor->matches, cursor->at, end);
    }
}

void wm_knn_cursor_begin(wm_knn_cursor* cursor, const wm_knn_index* index, wm_knn_match* matches,
                         wm_point start, wm_point goal)
{
    cursor->index = index;
    cursor->matches = matches;
    cursor->start = start;
    cursor->goal = goal;
    cursor->at = 0;
    cursor->count = 0;
    cursor->sorted_end = 0;
    cursor->batch_size = 0;
    cursor->begun = false;
    cursor->has_all = false;
}

static void fetch_more(wm_knn_cursor* cursor)
{
    cursor->batch_size = cursor->batch_size == 0 ? FIRST_BATCH : BATCH_GROWTH * cursor->batch_size;
    if (cursor->batch_size <= cursor->index->knn->count / SMALLEST_SHARE)
        fetch_batch(cursor);
    else
        fetch_all(cursor);
}

bool wm_knn_cursor_next(wm_knn_cursor* cursor, wm_knn_match* match)
{
    if (cursor->at == cursor->count) {
        if (cursor->has_all) return false;
        fetch_more(cursor);
        if (cursor->count == 0) return false;
    }
    if (cursor->at == cursor->sorted_end) sort_front(cursor);
    *match = cursor->matches[cursor->at++];
    if (cursor->at == cursor->count) {
        cursor->last = *match;
        cursor->begun = true;
    }
    return true;
}
