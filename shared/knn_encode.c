// SPDX-License-Identifier: MIT
//
// Starts are sorted, so only their differences are written; goals are random and get a fixed
// number of bits; subgoals are few, because paths bend at few corners of a map, and those that
// several records share are entries of a dictionary, most used first. Each section then has
// statistics of its own for zstd to find. How often a subgoal must be used to be worth an entry
// depends on the map: several numbers are tried.
#include <stdlib.h>

#include "alloc.h"
#include "knn.h"
#include "knn_layout.h"

// The numbers of uses that are tried; the last one means no dictionary.
static const uint32_t min_uses_tried[] = {3, 8, 24, UINT32_MAX};

typedef struct entry {
    wm_cell cell;
    uint32_t uses;
} entry;

typedef struct knn_encoder {
    const wm_knn* knn;
    uint32_t cell_count;
    uint32_t* uses; // per cell: how often it is a subgoal short of the goal
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

static void count_uses(knn_encoder* encoder)
{
    const wm_knn* knn = encoder->knn;
    for (uint32_t i = 0; i < knn->count; i++) {
        const wm_knn_record* record = &knn->records[i];
        for (uint32_t j = 0; j < record->subgoal_count; j++) {
            const wm_cell subgoal = knn->subgoals[record->first_subgoal + j];
            if (subgoal != record->goal) encoder->uses[subgoal]++;
        }
    }
}

// Puts the cells with that many uses into the dictionary, which has room for all of them.
static void make_dictionary(knn_encoder* encoder, uint32_t min_uses)
{
    uint32_t count = 0;
    for (wm_cell cell = 0; cell < encoder->cell_count; cell++) {
        encoder->code[cell] = 0;
        if (encoder->uses[cell] >= min_uses)
            encoder->dictionary[count++] = (entry){cell, encoder->uses[cell]};
    }
    qsort(encoder->dictionary, count, sizeof *encoder->dictionary, by_falling_uses);
    encoder->dictionary_count = count < WM_KNN_MAX_DICTIONARY ? count : WM_KNN_MAX_DICTIONARY;
    for (uint32_t i = 0; i < encoder->dictionary_count; i++)
        encoder->code[encoder->dictionary[i].cell] = (uint16_t)(WM_KNN_CODE_DICTIONARY + i);
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
                const wm_point goal = wm_knn_point(knn, record->goal);
                wm_put_varint(&sections[WM_KNN_SECTION_COLUMNS],
                              wm_zigzag(wm_knn_toward(q.x - p.x, p.x, goal.x)));
                wm_put_varint(&sections[WM_KNN_SECTION_ROWS],
                              wm_zigzag(wm_knn_toward(q.y - p.y, p.y, goal.y)));
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
    wm_put_u32(out, (parameters->chains ? WM_KNN_FLAG_CHAINS : 0) |
                        (parameters->coverage ? WM_KNN_FLAG_COVERAGE : 0));
    wm_put_u32(out, encoder->knn->count);
    wm_put_u32(out, encoder->knn->subgoal_count);
    wm_put_u32(out, encoder->dictionary_count);
    for (int i = WM_KNN_SECTION_STARTS; i < WM_KNN_SECTIONS; i++)
        wm_put_u32(out, (uint32_t)sections[i].size);
}

static void write_sections(const knn_encoder* encoder, wm_buffer sections[WM_KNN_SECTIONS])
{
    for (int i = 0; i < WM_KNN_SECTIONS; i++) sections[i].size = 0;
    write_starts(encoder, &sections[WM_KNN_SECTION_STARTS]);
    write_goals(encoder, &sections[WM_KNN_SECTION_GOALS]);
    write_dictionary(encoder, &sections[WM_KNN_SECTION_DICTIONARY]);
    write_subgoals(encoder, sections);
    write_header(encoder, sections);
}

// 256 times the binary logarithm, linear between powers of two: the same on every machine.
static uint64_t log2_in_256ths(uint64_t value)
{
    unsigned whole = 0;
    while (value >> whole > 1) whole++;
    const uint64_t rest = value - (UINT64_C(1) << whole);
    return 256 * (uint64_t)whole + (whole < 8 ? rest << (8 - whole) : rest >> (whole - 8));
}

// What the bytes of a section come to when each is coded by its frequency alone, in 256ths of a bit.
static uint64_t estimate_section(const wm_buffer* section)
{
    uint32_t frequency[256] = {0};
    for (size_t i = 0; i < section->size; i++) frequency[section->data[i]]++;
    uint64_t sum = 0;
    for (int i = 0; i < 256; i++) {
        if (frequency[i] > 0)
            sum += frequency[i] * (log2_in_256ths(section->size) - log2_in_256ths(frequency[i]));
    }
    return sum;
}

// The sections that the dictionary makes a difference to. Not zstd's own answer: the choice must
// not depend on its version.
static uint64_t estimate(const wm_buffer sections[WM_KNN_SECTIONS])
{
    return sections[WM_KNN_SECTION_DICTIONARY].size * 8 * 256 +
           estimate_section(&sections[WM_KNN_SECTION_CODES_LOW]) +
           estimate_section(&sections[WM_KNN_SECTION_CODES_HIGH]) +
           estimate_section(&sections[WM_KNN_SECTION_COLUMNS]) +
           estimate_section(&sections[WM_KNN_SECTION_ROWS]);
}

static void write_best_sections(knn_encoder* encoder, wm_buffer sections[WM_KNN_SECTIONS])
{
    const size_t tries = sizeof min_uses_tried / sizeof min_uses_tried[0];
    uint64_t least = UINT64_MAX;
    size_t best = 0;
    for (size_t i = 0; i < tries; i++) {
        make_dictionary(encoder, min_uses_tried[i]);
        write_sections(encoder, sections);
        const uint64_t size = estimate(sections);
        if (size >= least) continue;
        least = size;
        best = i;
    }
    make_dictionary(encoder, min_uses_tried[best]);
    write_sections(encoder, sections);
}

wm_status wm_knn_encode(wm_buffer* out, size_t section_sizes[WM_KNN_SECTIONS], const wm_knn* knn)
{
    knn_encoder encoder = {.knn = knn, .cell_count = (uint32_t)(knn->width * knn->height)};
    const uint32_t cells = encoder.cell_count;
    wm_buffer sections[WM_KNN_SECTIONS] = {{0}};
    wm_status status = WM_ERR_MEMORY;
    encoder.uses = wm_alloc(NULL, cells, sizeof *encoder.uses);
    encoder.code = wm_alloc(NULL, cells, sizeof *encoder.code);
    encoder.dictionary = wm_alloc(NULL, knn->subgoal_count, sizeof *encoder.dictionary);
    if (encoder.uses == NULL || encoder.code == NULL || encoder.dictionary == NULL) goto cleanup;
    count_uses(&encoder);
    write_best_sections(&encoder, sections);
    status = WM_OK;
    for (int i = 0; i < WM_KNN_SECTIONS; i++) {
        section_sizes[i] = sections[i].size;
        wm_put_bytes(out, sections[i].data, sections[i].size);
        if (sections[i].failed || out->failed) status = WM_ERR_MEMORY;
    }
cleanup:
    for (int i = 0; i < WM_KNN_SECTIONS; i++) wm_buffer_free(&sections[i]);
    wm_release(NULL, encoder.dictionary, knn->subgoal_count, sizeof *encoder.dictionary);
    wm_release(NULL, encoder.code, cells, sizeof *encoder.code);
    wm_release(NULL, encoder.uses, cells, sizeof *encoder.uses);
    return status;
}
