// SPDX-License-Identifier: MIT
//
// Starts are sorted, so only their differences are written; goals are random and get a fixed
// number of bits; subgoals are few, because paths bend at few corners of a map, and those that
// several records share are entries of a dictionary, most used first. Each section then has
// statistics of its own for zstd to find.
#include <stdlib.h>

#include "alloc.h"
#include "knn.h"
#include "knn_layout.h"

// A subgoal is worth an entry when this many records use it.
#define MIN_USES 3u

typedef struct entry {
    wm_cell cell;
    uint32_t uses;
} entry;

typedef struct knn_encoder {
    const wm_knn* knn;
    uint32_t cell_count;
    uint16_t* code; // per cell: its code where it is in the dictionary, else 0
    entry* dictionary;
    uint32_t dictionary_count;
} knn_encoder;

static int by_falling_uses(const void* left, const void* right)
{
    const entry* a = left;
    const entry* b = right;
    if (a->uses != b->uses) return a->uses > b->uses ? -1 : 1;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

// Counts how often each cell is a subgoal short of the goal, and keeps the frequent ones.
static wm_status make_dictionary(knn_encoder* encoder)
{
    const wm_knn* knn = encoder->knn;
    const uint32_t cells = encoder->cell_count;
    uint32_t* uses = wm_alloc(NULL, cells, sizeof *uses);
    if (uses == NULL) return WM_ERR_MEMORY;
    for (uint32_t i = 0; i < knn->count; i++) {
        const wm_knn_record* record = &knn->records[i];
        for (uint32_t j = 0; j < record->subgoal_count; j++) {
            const wm_cell subgoal = knn->subgoals[record->first_subgoal + j];
            if (subgoal != record->goal) uses[subgoal]++;
        }
    }
    uint32_t count = 0;
    for (wm_cell cell = 0; cell < cells; cell++) count += uses[cell] >= MIN_USES;
    encoder->dictionary = wm_alloc(NULL, count, sizeof *encoder->dictionary);
    if (encoder->dictionary != NULL) {
        count = 0;
        for (wm_cell cell = 0; cell < cells; cell++) {
            if (uses[cell] >= MIN_USES) encoder->dictionary[count++] = (entry){cell, uses[cell]};
        }
        qsort(encoder->dictionary, count, sizeof *encoder->dictionary, by_falling_uses);
        encoder->dictionary_count = count < WM_KNN_MAX_DICTIONARY ? count : WM_KNN_MAX_DICTIONARY;
        for (uint32_t i = 0; i < encoder->dictionary_count; i++)
            encoder->code[encoder->dictionary[i].cell] = (uint16_t)(WM_KNN_CODE_DICTIONARY + i);
    }
    wm_release(NULL, uses, cells, sizeof *uses);
    return encoder->dictionary == NULL ? WM_ERR_MEMORY : WM_OK;
}

static void write_starts(const knn_encoder* encoder, wm_buffer* out)
{
    wm_cell before = 0;
    for (uint32_t i = 0; i < encoder->knn->count; i++) {
        const wm_cell start = encoder->knn->records[i].start;
        wm_put_varint(out, start - before);
        before = start;
    }
}

static void write_goals(const knn_encoder* encoder, wm_buffer* out)
{
    wm_bit_writer bits = {.buffer = out};
    const unsigned width = wm_bit_width(encoder->cell_count);
    for (uint32_t i = 0; i < encoder->knn->count; i++)
        wm_put_bits(&bits, encoder->knn->records[i].goal, width);
    wm_put_bits_end(&bits);
}

static void write_dictionary(const knn_encoder* encoder, wm_buffer* out)
{
    wm_bit_writer bits = {.buffer = out};
    const unsigned width = wm_bit_width(encoder->cell_count);
    for (uint32_t i = 0; i < encoder->dictionary_count; i++)
        wm_put_bits(&bits, encoder->dictionary[i].cell, width);
    wm_put_bits_end(&bits);
}

static void write_subgoals(const knn_encoder* encoder, wm_buffer sections[WM_KNN_SECTIONS])
{
    const wm_knn* knn = encoder->knn;
    for (uint32_t i = 0; i < knn->count; i++) {
        const wm_knn_record* record = &knn->records[i];
        wm_cell before = record->start;
        for (uint32_t j = 0; j < record->subgoal_count; j++) {
            const wm_cell subgoal = knn->subgoals[record->first_subgoal + j];
            unsigned code = encoder->code[subgoal];
            if (subgoal == record->goal)
                code = WM_KNN_CODE_GOAL;
            else if (code < WM_KNN_CODE_DICTIONARY)
                code = WM_KNN_CODE_WRITTEN_OUT;
            wm_put_u8(&sections[WM_KNN_SECTION_CODES_LOW], (uint8_t)code);
            wm_put_u8(&sections[WM_KNN_SECTION_CODES_HIGH], (uint8_t)(code >> 8));
            if (code == WM_KNN_CODE_WRITTEN_OUT) {
                const wm_point p = wm_knn_point(knn, before);
                const wm_point q = wm_knn_point(knn, subgoal);
                wm_put_varint(&sections[WM_KNN_SECTION_COLUMNS], wm_zigzag(q.x - p.x));
                wm_put_varint(&sections[WM_KNN_SECTION_ROWS], wm_zigzag(q.y - p.y));
            }
            before = subgoal;
        }
    }
}

static void write_header(const knn_encoder* encoder, wm_buffer sections[WM_KNN_SECTIONS])
{
    const wm_knn_parameters* parameters = &encoder->knn->parameters;
    wm_buffer* out = &sections[WM_KNN_SECTION_HEADER];
    wm_put_u64(out, encoder->knn->map_hash);
    wm_put_u32(out, (uint32_t)encoder->knn->width);
    wm_put_u32(out, (uint32_t)encoder->knn->height);
    wm_put_u64(out, parameters->seed);
    wm_put_u32(out, parameters->total);
    wm_put_u32(out, parameters->shard);
    wm_put_u32(out, parameters->shards);
    wm_put_u32(out, parameters->chains ? WM_KNN_FLAG_CHAINS : 0);
    wm_put_u32(out, encoder->knn->count);
    wm_put_u32(out, encoder->knn->subgoal_count);
    wm_put_u32(out, encoder->dictionary_count);
    for (int i = WM_KNN_SECTION_STARTS; i < WM_KNN_SECTIONS; i++)
        wm_put_u32(out, (uint32_t)sections[i].size);
}

static void write_sections(const knn_encoder* encoder, wm_buffer sections[WM_KNN_SECTIONS])
{
    write_starts(encoder, &sections[WM_KNN_SECTION_STARTS]);
    write_goals(encoder, &sections[WM_KNN_SECTION_GOALS]);
    write_dictionary(encoder, &sections[WM_KNN_SECTION_DICTIONARY]);
    write_subgoals(encoder, sections);
    write_header(encoder, sections);
}

wm_status wm_knn_encode(wm_buffer* out, size_t section_sizes[WM_KNN_SECTIONS], const wm_knn* knn)
{
    knn_encoder encoder = {.knn = knn, .cell_count = (uint32_t)(knn->width * knn->height)};
    wm_buffer sections[WM_KNN_SECTIONS] = {{0}};
    wm_status status = WM_ERR_MEMORY;
    encoder.code = wm_alloc(NULL, encoder.cell_count, sizeof *encoder.code);
    if (encoder.code == NULL) goto cleanup;
    status = make_dictionary(&encoder);
    if (status != WM_OK) goto cleanup;
    write_sections(&encoder, sections);
    for (int i = 0; i < WM_KNN_SECTIONS; i++) {
        section_sizes[i] = sections[i].size;
        wm_put_bytes(out, sections[i].data, sections[i].size);
        if (sections[i].failed || out->failed) status = WM_ERR_MEMORY;
    }
cleanup:
    for (int i = 0; i < WM_KNN_SECTIONS; i++) wm_buffer_free(&sections[i]);
    free(encoder.dictionary);
    wm_release(NULL, encoder.code, encoder.cell_count, sizeof *encoder.code);
    return status;
}
