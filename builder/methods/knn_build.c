// SPDX-License-Identifier: MIT
//
// Paper K's construction: draw a pair, find an optimal path, and store the last state before the
// first one that climbing from the start does not reach. Record n draws from its own stream of
// random numbers, so it depends on nothing but the map, the seed and n.
#include <stdlib.h>

#include "alloc.h"
#include "format.h"
#include "jump.h"
#include "knn_method.h"
#include "knn_source.h"

// One record in the making. Most have one subgoal; the rest of a chain is allocated.
typedef struct record_draft {
    wm_cell start;
    wm_cell goal;
    wm_cell first;
    uint32_t rest_count;
    wm_cell* rest;
} record_draft;

typedef struct construction {
    const wm_knn_build_options* options;
    wm_jump_table table;
    wm_knn_source source;
    record_draft* drafts;
    uint32_t count;
    uint32_t begun; // records before the present block
} construction;

// What one thread needs.
typedef struct workshop {
    wm_jump_search search;
    wm_cell* path;
    size_t path_capacity;
    wm_cell* chain;
    size_t chain_capacity;
} workshop;

static void close_workshop(void* context, void* workspace)
{
    (void)context;
    workshop* shop = workspace;
    if (shop == NULL) return;
    wm_jump_search_free(&shop->search);
    free(shop->path);
    free(shop->chain);
    free(shop);
}

static wm_status open_workshop(void* context, void** workspace)
{
    const construction* work = context;
    workshop* shop = wm_alloc(NULL, 1, sizeof *shop);
    *workspace = shop;
    return shop == NULL ? WM_ERR_MEMORY : wm_jump_search_create(&shop->search, &work->table, NULL);
}

static bool find_path(workshop* shop, wm_cell start, wm_cell goal, size_t* length)
{
    wm_jump_search_cost(&shop->search, start, goal);
    *length = wm_jump_search_path(&shop->search, shop->path, shop->path_capacity);
    if (*length <= shop->path_capacity) return true;
    wm_cell* grown = wm_grow(shop->path, &shop->path_capacity, *length, sizeof *grown);
    if (grown == NULL) return false;
    shop->path = grown;
    wm_jump_search_path(&shop->search, shop->path, shop->path_capacity);
    return true;
}

// The index of the last state before the first that is not climbed to from path[from]. A single
// step is always climbed, so the answer is at least from + 1.
static size_t last_climbable(const wm_jump_table* table, const wm_cell* path, size_t length,
                             size_t from)
{
    size_t i = from + 2;
    while (i < length && wm_jump_climbs(table, path[from], path[i])) i++;
    return i - 1;
}

static wm_status keep_rest(record_draft* draft, const wm_cell* chain, uint32_t count)
{
    draft->rest = wm_alloc(NULL, count, sizeof *draft->rest);
    if (draft->rest == NULL) return WM_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) draft->rest[i] = chain[i];
    draft->rest_count = count;
    return WM_OK;
}

static void draw_ends(const construction* work, uint32_t index)
{
    record_draft* draft = &work->drafts[index];
    const wm_knn_parameters* parameters = &work->options->parameters;
    const uint64_t n = (uint64_t)index * parameters->shards + parameters->shard - 1;
    wm_knn_source_draw(&work->source, parameters, n, &draft->start, &draft->goal);
}

static wm_status make_record(void* context, void* workspace, size_t index)
{
    construction* work = context;
    workshop* shop = workspace;
    record_draft* draft = &work->drafts[work->begun + index];
    const wm_knn_parameters* parameters = &work->options->parameters;
    draw_ends(work, work->begun + (uint32_t)index);
    size_t length;
    if (!find_path(shop, draft->start, draft->goal, &length)) return WM_ERR_MEMORY;

    size_t at = last_climbable(&work->table, shop->path, length, 0);
    draft->first = shop->path[at];
    if (!parameters->chains) return WM_OK;
    size_t count = 0;
    while (at < length - 1) {
        at = last_climbable(&work->table, shop->path, length, at);
        if (count == shop->chain_capacity) {
            wm_cell* grown = wm_grow(shop->chain, &shop->chain_capacity, count + 1, sizeof *grown);
            if (grown == NULL) return WM_ERR_MEMORY;
            shop->chain = grown;
        }
        shop->chain[count++] = shop->path[at];
    }
    return count == 0 ? WM_OK : keep_rest(draft, shop->chain, (uint32_t)count);
}

static wm_status assemble(wm_knn* knn, const construction* work)
{
    uint64_t subgoals = 0;
    for (uint32_t i = 0; i < work->count; i++) subgoals += 1 + (uint64_t)work->drafts[i].rest_count;
    if (subgoals > UINT32_MAX) return WM_ERR_MEMORY;
    const wm_grid* grid = work->table.grid;
    knn->width = grid->width;
    knn->height = grid->height;
    knn->map_hash = grid->hash;
    knn->parameters = work->options->parameters;
    knn->count = work->count;
    knn->subgoal_count = (uint32_t)subgoals;
    knn->records = wm_alloc(NULL, knn->count, sizeof *knn->records);
    knn->subgoals = wm_alloc(NULL, knn->subgoal_count, sizeof *knn->subgoals);
    if (knn->records == NULL || knn->subgoals == NULL) return WM_ERR_MEMORY;
    uint32_t at = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        const record_draft* draft = &work->drafts[i];
        knn->records[i] = (wm_knn_record){.start = draft->start,
                                          .goal = draft->goal,
                                          .first_subgoal = at,
                                          .subgoal_count = 1 + draft->rest_count};
        knn->subgoals[at++] = draft->first;
        for (uint32_t j = 0; j < draft->rest_count; j++) knn->subgoals[at++] = draft->rest[j];
    }
    return wm_knn_sort(knn);
}

// ---------------------------------------------------------------------------------------------
// Blocks that are kept: of each record its subgoals, for start and goal are drawn again

static void write_block(wm_buffer* out, const construction* work, uint32_t end)
{
    for (uint32_t i = work->begun; i < end; i++) {
        const record_draft* draft = &work->drafts[i];
        wm_put_u32(out, draft->first);
        wm_put_varint(out, draft->rest_count);
        for (uint32_t j = 0; j < draft->rest_count; j++) wm_put_u32(out, draft->rest[j]);
    }
}

static bool read_cell(wm_cell* cell, wm_reader* reader, const wm_grid* grid)
{
    *cell = wm_get_u32(reader);
    return !reader->failed && *cell < grid->cell_count && wm_grid_is_open(grid, *cell);
}

static wm_status read_draft(record_draft* draft, wm_reader* reader, const wm_grid* grid)
{
    if (!read_cell(&draft->first, reader, grid)) return WM_ERR_FORMAT;
    const uint32_t count = wm_get_varint(reader);
    if (count > reader->left / sizeof(uint32_t)) return WM_ERR_FORMAT;
    if (count == 0) return WM_OK;
    draft->rest = wm_alloc(NULL, count, sizeof *draft->rest);
    if (draft->rest == NULL) return WM_ERR_MEMORY;
    draft->rest_count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_cell(&draft->rest[i], reader, grid)) return WM_ERR_FORMAT;
    }
    return WM_OK;
}

static void forget_drafts(construction* work, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        free(work->drafts[i].rest);
        work->drafts[i] = (record_draft){0};
    }
}

// @return WM_OK, WM_ERR_NOT_FOUND (it has to be made) or WM_ERR_MEMORY
static wm_status find_block(construction* work, uint32_t end)
{
    const wm_knn_build_options* options = work->options;
    wm_reader reader;
    if (options->blocks.find == NULL ||
        !options->blocks.find(options->blocks.context, work->table.grid, &options->parameters,
                              work->begun / WM_KNN_BLOCK, &reader))
        return WM_ERR_NOT_FOUND;
    wm_status status = WM_OK;
    for (uint32_t i = work->begun; i < end && status == WM_OK; i++) {
        draw_ends(work, i);
        status = read_draft(&work->drafts[i], &reader, work->table.grid);
    }
    if (status == WM_OK && reader.left == 0) return WM_OK;
    forget_drafts(work, work->begun, end);
    return status == WM_ERR_MEMORY ? status : WM_ERR_NOT_FOUND;
}

static wm_status keep_block(const construction* work, uint32_t end, wm_error* error)
{
    const wm_knn_build_options* options = work->options;
    wm_buffer content = {0};
    write_block(&content, work, end);
    const wm_status status =
        options->blocks.keep(options->blocks.context, work->table.grid, &options->parameters,
                             work->begun / WM_KNN_BLOCK, &content, error);
    wm_buffer_free(&content);
    return status;
}

// ---------------------------------------------------------------------------------------------
// All records

static bool report(void* context, size_t done, size_t total)
{
    const construction* work = context;
    const wm_knn_build_options* options = work->options;
    (void)total;
    return options->progress == NULL ||
           options->progress(options->progress_context, work->begun + done, work->count);
}

static wm_status make_block(construction* work, uint32_t end)
{
    const wm_parallel loop = {.count = end - work->begun,
                              .threads = work->options->threads,
                              .context = work,
                              .start = open_workshop,
                              .item = make_record,
                              .finish = close_workshop,
                              .progress = report,
                              .progress_context = work};
    return wm_parallel_run(&loop);
}

static wm_status make_records(construction* work, wm_error* error)
{
    const bool keeps = work->options->blocks.keep != NULL;
    wm_status status = WM_OK;
    work->drafts = wm_alloc(NULL, work->count, sizeof *work->drafts);
    if (work->drafts == NULL) return wm_fail_memory(error, work->count * sizeof *work->drafts);
    while (status == WM_OK && work->begun < work->count) {
        const bool is_last = !keeps || work->count - work->begun <= WM_KNN_BLOCK;
        const uint32_t end = is_last ? work->count : work->begun + WM_KNN_BLOCK;
        status = find_block(work, end);
        if (status == WM_ERR_NOT_FOUND) {
            status = make_block(work, end);
            // The last block is behind the loop at once, and then in the payload.
            if (status == WM_OK && !is_last) status = keep_block(work, end, error);
        }
        work->begun = end;
    }
    return status;
}

static void free_construction(construction* work)
{
    for (uint32_t i = 0; work->drafts != NULL && i < work->count; i++) free(work->drafts[i].rest);
    wm_release(NULL, work->drafts, work->count, sizeof *work->drafts);
    wm_knn_source_free(&work->source);
    wm_jump_table_free(&work->table);
}

wm_status wm_knn_build(wm_knn* knn, const wm_grid* grid, const wm_knn_build_options* options,
                       const char* name, wm_error* error)
{
    const wm_knn_parameters* parameters = &options->parameters;
    construction work = {
        .options = options,
        .count = wm_knn_shard_size(parameters->total, parameters->shard, parameters->shards)};
    *knn = (wm_knn){0};
    wm_status status = wm_knn_source_create(&work.source, grid, parameters, error);
    if (status == WM_OK && !wm_knn_source_has_pairs(&work.source))
        status = wm_fail(error, WM_ERR_TOO_FEW,
                         "%s has no two connected cells that are more than a step apart; there is "
                         "nothing to store for it",
                         name);
    if (status == WM_OK) status = wm_jump_table_create(&work.table, grid, error);
    if (status == WM_OK) {
        status = make_records(&work, error);
        if (status == WM_OK) status = assemble(knn, &work);
        if (status == WM_ERR_MEMORY)
            wm_fail_memory(error, (size_t)work.count * sizeof *work.drafts);
        if (status == WM_ERR_INTERRUPTED) wm_fail(error, status, "interrupted");
    }
    free_construction(&work);
    if (status != WM_OK) wm_knn_free(knn);
    return status;
}

wm_status wm_knn_seal(wm_buffer* blob, uint64_t* content_hash, const wm_knn* knn)
{
    wm_buffer payload = {0};
    size_t sections[WM_KNN_SECTIONS];
    wm_status status = wm_knn_encode(&payload, sections, knn);
    if (status == WM_OK)
        status = wm_format_seal(blob, WM_METHOD_KNN, &payload, sections, WM_KNN_SECTIONS);
    if (content_hash != NULL) *content_hash = wm_format_content_hash(&payload);
    wm_buffer_free(&payload);
    return status;
}
