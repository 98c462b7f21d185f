// SPDX-License-Identifier: MIT
//
// Seeds are written as steps from the one before; neighbours follow each other. Most chains begin
// with a convex corner of a wall that is in sight of the seed, and both sides know the map: these
// corners are listed by distance, and each costs a bit that says whether a chain begins there.
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "coder.h"
#include "regions.h"
#include "sight.h"

#define MAX_CANDIDATES 4096

// Cells within a leg of a seed are ranked by their distance from it, then by row and column: a set of
// ranks is in order without being sorted.
#define SIDE (2 * WM_MAX_LEG + 1)
#define RANKS (SIDE * SIDE)

typedef struct ranking {
    uint16_t rank[SIDE][SIDE]; // by rows and columns from the seed
    int32_t offset[RANKS];     // per rank: what to add to the seed
} ranking;

typedef struct regions_codec {
    wm_coder coder;
    const wm_grid* grid;
    const wm_planes* planes;
    wm_regions* regions; // read from, or written to
    uint8_t* corners;    // all of the map, a bit each, row by row
    size_t row_bytes;
    wm_sight sight;
    ranking ranking;
    uint64_t in_sight[RANKS / 64 + 1]; // ranks of corners
    wm_cell candidates[MAX_CANDIDATES];
    uint32_t candidate_count;
    bool* coded; // while writing, per chain: whether it is done
    size_t chain_capacity;
    size_t subgoal_capacity;
    bool failed;
    bool out_of_memory; // that is why
    wm_number_model seed_x, seed_y, extra, first_x, first_y, tail_length, tail_x, tail_y;
    wm_bit_model begins[8][4]; // by rank and by how many chains the region has so far
    wm_bit_model again;
} regions_codec;

bool wm_grid_is_corner(const wm_grid* grid, wm_cell cell)
{
    // The steps to both sides are legal, the one between them is not.
    const unsigned moves = grid->moves[cell];
    const unsigned turned = moves | moves << WM_DIRECTIONS;
    return (turned >> 1 & turned << 1 & ~turned & 0xAA) != 0;
}

// Marks the corners of the map, with a 0 at the end of each row and room for loads that overhang.
static bool mark_corners(regions_codec* codec)
{
    const wm_grid* grid = codec->grid;
    codec->row_bytes = (size_t)grid->width / 8 + 1;
    codec->corners = calloc((size_t)grid->height * codec->row_bytes + 8, 1);
    if (codec->corners == NULL) return false;
    wm_cell cell = 0;
    for (int32_t y = 0; y < grid->height; y++) {
        uint8_t* row = codec->corners + (size_t)y * codec->row_bytes;
        for (int32_t x = 0; x < grid->width; x++, cell++) {
            if (wm_grid_is_corner(grid, cell)) row[x / 8] = (uint8_t)(row[x / 8] | 1u << x % 8);
        }
    }
    return true;
}

static int compare_numbers(const void* a, const void* b)
{
    const uint64_t first = *(const uint64_t*)a;
    const uint64_t second = *(const uint64_t*)b;
    return (first > second) - (first < second);
}

// Ranks what lies `longer` cells away along one axis and `shorter` along the other: all at the same
// distance, and nothing else is. @return the next rank
static uint32_t rank_ring(ranking* r, int32_t width, int32_t longer, int32_t shorter, uint32_t next)
{
    const int32_t rows[] = {-longer, -shorter, shorter, longer};
    for (int i = 0; i < 4; i++) {
        if (i > 0 && rows[i] == rows[i - 1]) continue;
        const int32_t across = abs(rows[i]) == longer ? shorter : longer;
        for (int32_t column = -across; column <= across; column += 2 * across) {
            r->rank[WM_MAX_LEG + rows[i]][WM_MAX_LEG + column] = (uint16_t)next;
            r->offset[next++] = rows[i] * width + column;
            if (across == 0) break;
        }
    }
    return next;
}

static void rank_cells(ranking* r, int32_t width)
{
    enum { RINGS = (WM_MAX_LEG + 1) * (WM_MAX_LEG + 2) / 2 };
    uint64_t rings[RINGS]; // the distance, and below that both ways
    uint32_t count = 0;
    uint32_t next = 0;
    for (int32_t longer = 0; longer <= WM_MAX_LEG; longer++) {
        for (int32_t shorter = 0; shorter <= longer; shorter++)
            rings[count++] = (uint64_t)wm_octile(longer, shorter) << 16 | (uint64_t)longer << 8 |
                             (uint64_t)shorter;
    }
    qsort(rings, count, sizeof *rings, compare_numbers);
    for (uint32_t i = 0; i < count; i++)
        next =
            rank_ring(r, width, (int32_t)(rings[i] >> 8 & 0xFF), (int32_t)(rings[i] & 0xFF), next);
}

// Adds the corners of a set in the row `dy` from the seed; its bit 0 is `first_column` from it.
static void add_corners(regions_codec* codec, uint64_t set, int32_t first_column, int32_t dy)
{
    const uint16_t* ranks = codec->ranking.rank[WM_MAX_LEG + dy];
    for (; set != 0 && codec->candidate_count < MAX_CANDIDATES; set &= set - 1) {
        const uint32_t rank = ranks[WM_MAX_LEG + first_column + __builtin_ctzll(set)];
        codec->in_sight[rank / 64] |= UINT64_C(1) << rank % 64;
        codec->candidate_count++;
    }
}

// The corners in sight of a seed, nearest first.
static void find_candidates(regions_codec* codec, wm_cell seed)
{
    const wm_point at = wm_grid_point(codec->grid, seed);
    const int32_t last_row = codec->grid->height - 1;
    const int32_t top = at.y > WM_MAX_LEG ? -WM_MAX_LEG : -at.y;
    const int32_t bottom = last_row - at.y > WM_MAX_LEG ? WM_MAX_LEG : last_row - at.y;
    const uint64_t columns = (UINT64_C(1) << WM_SIGHT_COLUMNS) - 1;
    codec->candidate_count = 0;
    memset(codec->in_sight, 0, sizeof codec->in_sight);
    wm_sight_look(&codec->sight, codec->planes, at, WM_MAX_LEG);
    for (int32_t dy = top; dy <= bottom; dy++) {
        const uint8_t* corners = codec->corners + (size_t)(at.y + dy) * codec->row_bytes;
        // The seed's column is in both halves, and the seed itself no candidate.
        const uint64_t own_column = dy == 0 ? 1 : 0;
        const uint64_t west =
            codec->sight.west[WM_MAX_LEG + dy] & columns << (64 - WM_SIGHT_COLUMNS) & INT64_MAX;
        const uint64_t east = codec->sight.east[WM_MAX_LEG + dy] & columns & ~own_column;
        add_corners(codec, west & wm_bits_west(corners, (uint32_t)at.x), -63, dy);
        add_corners(codec, east & wm_bits_east(corners, (uint32_t)at.x), 0, dy);
    }
    uint32_t listed = 0;
    for (uint32_t i = 0; listed < codec->candidate_count; i++) {
        for (uint64_t left = codec->in_sight[i]; left != 0; left &= left - 1) {
            const uint32_t rank = 64 * i + (uint32_t)__builtin_ctzll(left);
            codec->candidates[listed++] = seed + (wm_cell)codec->ranking.offset[rank];
        }
    }
}

// A cell as an offset from another. Off the map is a failure, and gives the other.
static wm_cell code_offset(regions_codec* codec, wm_number_model* x, wm_number_model* y,
                           wm_cell from, wm_cell to)
{
    const wm_grid* grid = codec->grid;
    const wm_point p = wm_grid_point(grid, from);
    const wm_point q = wm_grid_point(grid, to);
    const int64_t to_x = (int64_t)p.x + wm_code_signed(&codec->coder, x, q.x - p.x);
    const int64_t to_y = (int64_t)p.y + wm_code_signed(&codec->coder, y, q.y - p.y);
    if (to_x < 0 || to_y < 0 || to_x >= grid->width || to_y >= grid->height) {
        codec->failed = true;
        return from;
    }
    return wm_grid_cell(grid, (wm_point){(int32_t)to_x, (int32_t)to_y});
}

// Room for one more chain or subgoal while reading.
static bool make_room(regions_codec* codec)
{
    wm_regions* regions = codec->regions;
    if (codec->coder.writing) return true;
    if (regions->chain_count == codec->chain_capacity) {
        wm_chain* chains = wm_grow(regions->chains, &codec->chain_capacity,
                                   (size_t)regions->chain_count + 1, sizeof *chains);
        codec->out_of_memory |= chains == NULL;
        if (chains != NULL) regions->chains = chains;
    }
    if (regions->subgoal_count == codec->subgoal_capacity) {
        wm_cell* subgoals = wm_grow(regions->subgoals, &codec->subgoal_capacity,
                                    (size_t)regions->subgoal_count + 1, sizeof *subgoals);
        codec->out_of_memory |= subgoals == NULL;
        if (subgoals != NULL) regions->subgoals = subgoals;
    }
    codec->failed |=
        codec->out_of_memory || codec->coder.in.failed || regions->subgoal_count > UINT32_MAX / 4;
    return !codec->failed;
}

// The rest of a chain whose first subgoal is known; `chain` is what is written, NULL while reading.
static void code_chain(regions_codec* codec, wm_cell first, const wm_chain* chain)
{
    wm_regions* regions = codec->regions;
    uint32_t length = chain != NULL ? chain->length : 1;
    length = 1 + wm_code_number(&codec->coder, &codec->tail_length, length - 1);
    if (length > WM_REGIONS_MAX_CHAIN || !make_room(codec)) {
        codec->failed = true;
        return;
    }
    const uint32_t begin = chain != NULL ? chain->first : regions->subgoal_count;
    if (!codec->coder.writing) {
        regions->chains[regions->chain_count++] = (wm_chain){begin, length};
        regions->subgoals[regions->subgoal_count++] = first;
    }
    wm_cell before = first;
    for (uint32_t i = 1; i < length && !codec->failed; i++) {
        const wm_cell next = codec->coder.writing ? regions->subgoals[begin + i] : before;
        before = code_offset(codec, &codec->tail_x, &codec->tail_y, before, next);
        if (codec->coder.writing) continue;
        if (make_room(codec)) regions->subgoals[regions->subgoal_count++] = before;
    }
}

// While writing: the next chain of the region that begins with `first` and is not done; NULL: none.
static const wm_chain* next_chain(regions_codec* codec, uint32_t region, wm_cell first)
{
    const wm_regions* regions = codec->regions;
    if (!codec->coder.writing) return NULL;
    for (uint32_t i = regions->chains_begin[region]; i < regions->chains_begin[region + 1]; i++) {
        if (codec->coded[i] ||
            (first != WM_NO_CELL && regions->subgoals[regions->chains[i].first] != first))
            continue;
        codec->coded[i] = true;
        return &regions->chains[i];
    }
    return NULL;
}

static unsigned at_most(unsigned value, unsigned most)
{
    return value < most ? value : most;
}

static void code_region(regions_codec* codec, uint32_t region)
{
    wm_regions* regions = codec->regions;
    const wm_cell seed = regions->seeds[region];
    uint32_t coded = 0;
    find_candidates(codec, seed);
    for (uint32_t i = 0; i < codec->candidate_count && !codec->failed; i++) {
        const wm_cell cell = codec->candidates[i];
        wm_bit_model* model = &codec->begins[at_most(i / 2, 7)][at_most(coded / 2, 3)];
        const wm_chain* chain = next_chain(codec, region, cell);
        while (wm_code_bit(&codec->coder, model, chain != NULL) != 0 && !codec->failed) {
            code_chain(codec, cell, chain);
            codec->failed |= ++coded > WM_REGIONS_MAX_CHAINS && !codec->coder.writing;
            chain = next_chain(codec, region, cell);
            model = &codec->again;
        }
    }
    uint32_t others = 0;
    for (uint32_t i = regions->chains_begin[region];
         codec->coder.writing && i < regions->chains_begin[region + 1]; i++)
        others += !codec->coded[i];
    others = wm_code_number(&codec->coder, &codec->extra, others);
    codec->failed |= (uint64_t)coded + others > WM_REGIONS_MAX_CHAINS && !codec->coder.writing;
    for (uint32_t i = 0; i < others && !codec->failed; i++) {
        const wm_chain* chain = next_chain(codec, region, WM_NO_CELL);
        const wm_cell given = chain == NULL ? seed : regions->subgoals[chain->first];
        const wm_cell first = code_offset(codec, &codec->first_x, &codec->first_y, seed, given);
        code_chain(codec, first, chain);
    }
}

static void code_all(regions_codec* codec)
{
    wm_regions* regions = codec->regions;
    wm_cell before = 0;
    for (uint32_t r = 0; r < regions->count && !codec->failed; r++) {
        regions->seeds[r] =
            code_offset(codec, &codec->seed_x, &codec->seed_y, before, regions->seeds[r]);
        before = regions->seeds[r];
        codec->failed |= !codec->coder.writing && codec->coder.in.failed;
    }
    for (uint32_t r = 0; r < regions->count && !codec->failed; r++) {
        if (!codec->coder.writing) regions->chains_begin[r] = regions->chain_count;
        if (regions->parameters.portals == 0) code_region(codec, r);
        codec->failed |= !codec->coder.writing && codec->coder.in.failed;
    }
    if (!codec->coder.writing) regions->chains_begin[regions->count] = regions->chain_count;
}

static wm_status codec_create(regions_codec** out, wm_regions* regions, const wm_grid* grid,
                              const wm_planes* planes)
{
    regions_codec* codec = calloc(1, sizeof *codec);
    *out = codec;
    if (codec == NULL) return WM_ERR_MEMORY;
    codec->grid = grid;
    codec->planes = planes;
    codec->regions = regions;
    wm_number_model* const numbers[] = {&codec->seed_x,  &codec->seed_y,  &codec->extra,
                                        &codec->first_x, &codec->first_y, &codec->tail_length,
                                        &codec->tail_x,  &codec->tail_y};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        *numbers[i] = wm_number_model_start();
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 4; j++) codec->begins[i][j] = WM_BIT_MODEL;
    }
    codec->again = WM_BIT_MODEL;
    rank_cells(&codec->ranking, grid->width);
    return mark_corners(codec) ? WM_OK : WM_ERR_MEMORY;
}

static void codec_free(regions_codec* codec)
{
    if (codec == NULL) return;
    free(codec->corners);
    free(codec->coded);
    free(codec);
}

static wm_status encode_body(wm_buffer* out, const wm_regions* regions, const wm_grid* grid,
                             const wm_planes* planes)
{
    regions_codec* codec;
    wm_regions view = *regions;
    wm_status status = codec_create(&codec, &view, grid, planes);
    if (status == WM_OK) {
        codec->coded = calloc(regions->chain_count + 1u, sizeof *codec->coded);
        if (codec->coded == NULL) status = WM_ERR_MEMORY;
    }
    if (status == WM_OK) {
        codec->coder = wm_coder_writer(out);
        code_all(codec);
        wm_coder_finish(&codec->coder);
        if (out->failed || codec->failed) status = WM_ERR_MEMORY;
    }
    codec_free(codec);
    return status;
}

static wm_status decode_body(wm_regions* regions, const uint8_t* data, size_t size,
                             const wm_grid* grid, const wm_planes* planes)
{
    regions_codec* codec = NULL;
    wm_status status = WM_ERR_MEMORY;
    regions->seeds = calloc(regions->count, sizeof *regions->seeds);
    regions->chains_begin = calloc(regions->count + 1u, sizeof *regions->chains_begin);
    if (regions->seeds != NULL && regions->chains_begin != NULL)
        status = codec_create(&codec, regions, grid, planes);
    if (status == WM_OK) {
        codec->coder = wm_coder_reader(data, size);
        code_all(codec);
        if (codec->failed) status = codec->out_of_memory ? WM_ERR_MEMORY : WM_ERR_FORMAT;
    }
    codec_free(codec);
    return status;
}

static void write_header(wm_buffer* out, const wm_regions* regions)
{
    const wm_certificate* certificate = &regions->certificate;
    wm_put_u64(out, regions->map_hash);
    wm_put_u32(out, (uint32_t)regions->width);
    wm_put_u32(out, (uint32_t)regions->height);
    wm_put_u32(out, regions->parameters.radius);
    wm_put_u32(out, regions->parameters.epsilon);
    wm_put_u32(out, regions->parameters.portals);
    wm_put_u32(out, regions->parameters.max_expansions);
    wm_put_u32(out, regions->parameters.satellite);
    wm_put_u32(out, regions->count);
    wm_put_u32(out, certificate->problems);
    wm_put_u32(out, certificate->mean);
    wm_put_u32(out, certificate->p95);
    wm_put_u32(out, certificate->p99);
    wm_put_u32(out, certificate->worst);
    wm_put_u32(out, certificate->deviation);
    wm_put_u32(out, certificate->worst_states);
    wm_put_u64(out, certificate->seed);
}

static size_t read_header(wm_regions* regions, wm_reader* reader)
{
    const size_t size = reader->left;
    wm_certificate* certificate = &regions->certificate;
    *regions = (wm_regions){0};
    regions->map_hash = wm_get_u64(reader);
    regions->width = (int32_t)(wm_get_u32(reader) & INT32_MAX);
    regions->height = (int32_t)(wm_get_u32(reader) & INT32_MAX);
    regions->parameters.radius = wm_get_u32(reader);
    regions->parameters.epsilon = wm_get_u32(reader);
    regions->parameters.portals = wm_get_u32(reader);
    regions->parameters.max_expansions = wm_get_u32(reader);
    regions->parameters.satellite = wm_get_u32(reader);
    regions->count = wm_get_u32(reader);
    certificate->problems = wm_get_u32(reader);
    certificate->mean = wm_get_u32(reader);
    certificate->p95 = wm_get_u32(reader);
    certificate->p99 = wm_get_u32(reader);
    certificate->worst = wm_get_u32(reader);
    certificate->deviation = wm_get_u32(reader);
    certificate->worst_states = wm_get_u32(reader);
    certificate->seed = wm_get_u64(reader);
    return size - reader->left;
}

wm_status wm_regions_read_header(wm_regions* regions, const uint8_t* data, size_t size,
                                 const char* name, wm_error* error)
{
    wm_reader reader = {.data = data, .left = size};
    read_header(regions, &reader);
    const wm_regions_parameters* p = &regions->parameters;
    if (reader.failed || regions->width < 1 || regions->width > WM_GRID_MAX_SIDE ||
        regions->height < 1 || regions->height > WM_GRID_MAX_SIDE || regions->count < 1 ||
        regions->count > WM_REGIONS_MAX || p->radius < 1 || p->radius > WM_COVER_MAX_RADIUS ||
        p->portals > WM_GRID_MAX_SIDE || p->max_expansions > WM_MAX_LOCAL_EXPANSIONS)
        return wm_fail(error, WM_ERR_FORMAT, "%s has a header that makes no sense; build it again",
                       name);
    return WM_OK;
}

wm_status wm_regions_encode(wm_buffer* out, size_t section_sizes[WM_REGIONS_SECTIONS],
                            const wm_regions* regions, const wm_grid* grid)
{
    wm_planes planes;
    const size_t begun = out->size;
    wm_status status = wm_planes_create(&planes, grid, NULL, NULL);
    if (status != WM_OK) return status;
    write_header(out, regions);
    section_sizes[WM_REGIONS_SECTION_HEADER] = out->size - begun;
    status = encode_body(out, regions, grid, &planes);
    section_sizes[WM_REGIONS_SECTION_BODY] =
        out->size - begun - section_sizes[WM_REGIONS_SECTION_HEADER];
    wm_planes_free(&planes);
    return status;
}

wm_status wm_regions_decode(wm_regions* regions, const wm_planes* planes, const uint8_t* data,
                            size_t size, const char* name, wm_error* error)
{
    const wm_grid* grid = planes->grid;
    wm_status status = wm_regions_read_header(regions, data, size, name, error);
    if (status != WM_OK) return status;
    if (regions->map_hash != grid->hash || regions->width != grid->width ||
        regions->height != grid->height)
        return wm_fail(error, WM_ERR_MISMATCH, "%s was built for another map; build it again",
                       name);
    // Every region has a seed of its own. To find that out by flooding them all can take seconds.
    if (regions->count > grid->open_count)
        return wm_fail(error, WM_ERR_FORMAT,
                       "%s has more regions than the map has cells; build it "
                       "again",
                       name);
    wm_regions ignored;
    wm_reader reader = {.data = data, .left = size};
    const size_t header = read_header(&ignored, &reader);
    status = decode_body(regions, data + header, size - header, grid, planes);
    if (status == WM_ERR_MEMORY) wm_fail_memory(error, size);
    if (status == WM_ERR_FORMAT)
        wm_fail(error, status, "%s holds impossible chains; build it again", name);
    if (status != WM_OK) wm_regions_free(regions);
    return status;
}
