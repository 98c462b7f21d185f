// SPDX-License-Identifier: MIT
//
// The bytes come from strangers: every count is held against the bytes that are there before
// anything is allocated, every cell against the size of the map before anyone sees it.
#include "alloc.h"
#include "knn.h"
#include "knn_layout.h"

typedef struct knn_decoder {
    const wm_knn_header* header;
    uint32_t cell_count;
    wm_reader sections[WM_KNN_SECTIONS];
    wm_cell* dictionary;
} knn_decoder;

static bool parameters_fit(const wm_knn_header* header)
{
    const wm_knn_parameters* p = &header->parameters;
    return header->width >= 1 && header->width <= WM_GRID_MAX_SIDE && header->height >= 1 &&
           header->height <= WM_GRID_MAX_SIDE && p->total >= 1 && p->total <= WM_KNN_MAX_RECORDS &&
           p->shards >= 1 && p->shard >= 1 && p->shard <= p->shards && p->shards <= p->total &&
           header->count == wm_knn_shard_size(p->total, p->shard, p->shards);
}

// Every record has at least a byte among the starts, every subgoal a byte among the codes.
static bool sizes_fit(const wm_knn_header* header, size_t size)
{
    uint64_t sum = 0;
    for (int i = 0; i < WM_KNN_SECTIONS; i++) sum += header->section_sizes[i];
    return sum == size && header->count <= header->section_sizes[WM_KNN_SECTION_STARTS] &&
           header->subgoal_count == header->section_sizes[WM_KNN_SECTION_CODES_LOW] &&
           header->subgoal_count == header->section_sizes[WM_KNN_SECTION_CODES_HIGH] &&
           header->count <= header->subgoal_count &&
           (header->parameters.chains || header->count == header->subgoal_count) &&
           header->dictionary_count <= WM_KNN_MAX_DICTIONARY &&
           header->dictionary_count <=
               8 * (uint64_t)header->section_sizes[WM_KNN_SECTION_DICTIONARY];
}

wm_status wm_knn_read_header(wm_knn_header* header, const uint8_t* data, size_t size,
                             const char* name, wm_error* error)
{
    wm_reader reader = {.data = data, .left = size};
    header->map_hash = wm_get_u64(&reader);
    header->width = (int32_t)(wm_get_u32(&reader) & INT32_MAX);
    header->height = (int32_t)(wm_get_u32(&reader) & INT32_MAX);
    header->parameters.seed = wm_get_u64(&reader);
    header->parameters.total = wm_get_u32(&reader);
    header->parameters.shard = wm_get_u32(&reader);
    header->parameters.shards = wm_get_u32(&reader);
    const uint32_t flags = wm_get_u32(&reader);
    header->parameters.chains = (flags & WM_KNN_FLAG_CHAINS) != 0;
    header->parameters.coverage = (flags & WM_KNN_FLAG_COVERAGE) != 0;
    header->count = wm_get_u32(&reader);
    header->subgoal_count = wm_get_u32(&reader);
    header->dictionary_count = wm_get_u32(&reader);
    for (int i = WM_KNN_SECTION_STARTS; i < WM_KNN_SECTIONS; i++)
        header->section_sizes[i] = wm_get_u32(&reader);
    header->section_sizes[WM_KNN_SECTION_HEADER] = (uint32_t)(size - reader.left);
    if (reader.failed || (flags & ~(WM_KNN_FLAG_CHAINS | WM_KNN_FLAG_COVERAGE)) != 0 ||
        !parameters_fit(header) || !sizes_fit(header, size))
        return wm_fail(error, WM_ERR_FORMAT, "%s has a header that makes no sense; build it again",
                       name);
    return WM_OK;
}

// A cell off the map is a failure of its section.
static wm_cell checked(const knn_decoder* decoder, uint64_t cell, wm_reader* reader)
{
    if (cell < decoder->cell_count) return (wm_cell)cell;
    reader->failed = true;
    return 0;
}

static void read_starts(knn_decoder* decoder, wm_knn* knn)
{
    wm_reader* reader = &decoder->sections[WM_KNN_SECTION_STARTS];
    uint64_t cell = 0;
    for (uint32_t i = 0; i < knn->count; i++) {
        cell += wm_get_varint(reader);
        knn->records[i].start = checked(decoder, cell, reader);
    }
}

static void read_goals(knn_decoder* decoder, wm_knn* knn)
{
    wm_reader* reader = &decoder->sections[WM_KNN_SECTION_GOALS];
    wm_bit_reader bits = {.reader = reader};
    const unsigned width = wm_bit_width(decoder->cell_count);
    for (uint32_t i = 0; i < knn->count; i++)
        knn->records[i].goal = checked(decoder, wm_get_bits(&bits, width), reader);
}

static void read_dictionary(knn_decoder* decoder)
{
    wm_reader* reader = &decoder->sections[WM_KNN_SECTION_DICTIONARY];
    wm_bit_reader bits = {.reader = reader};
    const unsigned width = wm_bit_width(decoder->cell_count);
    for (uint32_t i = 0; i < decoder->header->dictionary_count; i++)
        decoder->dictionary[i] = checked(decoder, wm_get_bits(&bits, width), reader);
}

static wm_cell read_offset(knn_decoder* decoder, const wm_knn* knn, wm_cell before, wm_cell goal)
{
    const wm_point p = wm_knn_point(knn, before);
    const wm_point g = wm_knn_point(knn, goal);
    const uint32_t dx = wm_get_varint(&decoder->sections[WM_KNN_SECTION_COLUMNS]);
    const uint32_t dy = wm_get_varint(&decoder->sections[WM_KNN_SECTION_ROWS]);
    const uint32_t limit = 2 * WM_GRID_MAX_SIDE;
    if (dx > limit || dy > limit) return WM_NO_CELL;
    const wm_point q = {p.x + wm_knn_toward(wm_unzigzag(dx), p.x, g.x),
                        p.y + wm_knn_toward(wm_unzigzag(dy), p.y, g.y)};
    if (q.x < 0 || q.y < 0 || q.x >= knn->width || q.y >= knn->height) return WM_NO_CELL;
    return (wm_cell)(q.y * knn->width + q.x);
}

// WM_NO_CELL where the bytes say something impossible.
static wm_cell read_subgoal(knn_decoder* decoder, const wm_knn* knn, wm_cell before, wm_cell goal)
{
    unsigned code = wm_get_u8(&decoder->sections[WM_KNN_SECTION_CODES_LOW]);
    code |= (unsigned)wm_get_u8(&decoder->sections[WM_KNN_SECTION_CODES_HIGH]) << 8;
    if (code == WM_KNN_CODE_GOAL) return goal;
    if (code == WM_KNN_CODE_WRITTEN_OUT) return read_offset(decoder, knn, before, goal);
    const uint32_t index = code - WM_KNN_CODE_DICTIONARY;
    return index < decoder->header->dictionary_count ? decoder->dictionary[index] : WM_NO_CELL;
}

// A chain ends with its goal; a record without chains has one subgoal.
static bool read_record_subgoals(knn_decoder* decoder, wm_knn* knn, wm_knn_record* record,
                                 uint32_t* at)
{
    wm_cell before = record->start;
    record->first_subgoal = *at;
    do {
        if (*at == knn->subgoal_count) return false;
        const wm_cell subgoal = read_subgoal(decoder, knn, before, record->goal);
        if (subgoal == WM_NO_CELL) return false;
        knn->subgoals[(*at)++] = subgoal;
        before = subgoal;
    } while (knn->parameters.chains && before != record->goal);
    record->subgoal_count = *at - record->first_subgoal;
    return true;
}

static bool read_records(knn_decoder* decoder, wm_knn* knn)
{
    read_starts(decoder, knn);
    read_goals(decoder, knn);
    read_dictionary(decoder);
    uint32_t at = 0;
    for (uint32_t i = 0; i < knn->count; i++) {
        if (!read_record_subgoals(decoder, knn, &knn->records[i], &at)) return false;
    }
    bool clean = at == knn->subgoal_count;
    for (int i = WM_KNN_SECTION_STARTS; i < WM_KNN_SECTIONS; i++)
        clean = clean && !decoder->sections[i].failed && decoder->sections[i].left == 0;
    return clean;
}

wm_status wm_knn_decode(wm_knn* knn, const uint8_t* data, size_t size,
                        const wm_allocator* allocator, const char* name, wm_error* error)
{
    wm_knn_header header;
    *knn = (wm_knn){0};
    wm_status status = wm_knn_read_header(&header, data, size, name, error);
    if (status != WM_OK) return status;
    knn_decoder decoder = {.header = &header,
                           .cell_count = (uint32_t)(header.width * header.height)};
    wm_reader all = {.data = data, .left = size};
    for (int i = 0; i < WM_KNN_SECTIONS; i++) {
        const size_t length = header.section_sizes[i];
        decoder.sections[i] = (wm_reader){.data = wm_get_bytes(&all, length), .left = length};
    }
    if (allocator != NULL) knn->allocator = *allocator;
    knn->width = header.width;
    knn->height = header.height;
    knn->map_hash = header.map_hash;
    knn->parameters = header.parameters;
    knn->count = header.count;
    knn->subgoal_count = header.subgoal_count;
    knn->records = wm_alloc(allocator, knn->count, sizeof *knn->records);
    knn->subgoals = wm_alloc(allocator, knn->subgoal_count, sizeof *knn->subgoals);
    decoder.dictionary = wm_alloc(allocator, header.dictionary_count, sizeof *decoder.dictionary);
    if (knn->records == NULL || knn->subgoals == NULL || decoder.dictionary == NULL)
        status = wm_fail_memory(error, knn->count * sizeof *knn->records);
    else if (!read_records(&decoder, knn))
        status = wm_fail(error, WM_ERR_FORMAT, "%s holds impossible records; build it again", name);
    wm_release(allocator, decoder.dictionary, header.dictionary_count, sizeof *decoder.dictionary);
    if (status != WM_OK) wm_knn_free(knn);
    return status;
}

wm_status wm_knn_check_map(const wm_knn* knn, const wm_grid* grid, const char* name,
                           wm_error* error)
{
    if (knn->map_hash != grid->hash || knn->width != grid->width || knn->height != grid->height)
        return wm_fail(error, WM_ERR_MISMATCH, "%s was built for another map; build it again",
                       name);
    for (uint32_t i = 0; i < knn->count; i++) {
        const wm_knn_record* record = &knn->records[i];
        bool fits = wm_grid_connected(grid, record->start, record->goal);
        for (uint32_t j = 0; j < record->subgoal_count; j++)
            fits = fits &&
                   wm_grid_connected(grid, record->start, knn->subgoals[record->first_subgoal + j]);
        if (!fits)
            return wm_fail(error, WM_ERR_FORMAT, "%s holds impossible records; build it again",
                           name);
    }
    return WM_OK;
}
