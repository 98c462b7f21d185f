// SPDX-License-Identifier: MIT
#include <argtable3.h>
#include <stdio.h>

#include "commands.h"

// What is printed of one payload.
typedef struct payload_facts {
    wm_method method;
    wm_knn_header knn;
    wm_regions regions; // its front: no seeds, no chains
    wm_d_lrta d_lrta;   // its front: no regions, no subgoals
    wm_choice choice;
    size_t stored_bytes;
    uint64_t content_hash;
} payload_facts;

// Reads all of a payload that can be read without the map, so that "info" never praises a file that
// nothing else can use.
static wm_status read_front(payload_facts* facts, const wm_stored_map* map,
                            const wm_buffer* payload, const char* path, wm_error* error)
{
    if (facts->method == WM_METHOD_REGIONS)
        return wm_regions_read_header(&facts->regions, payload->data, payload->size, path, error);
    if (facts->method == WM_METHOD_D_LRTA)
        return wm_d_lrta_read_header(&facts->d_lrta, payload->data, payload->size, path, error);
    if (facts->method == WM_METHOD_CHOICE)
        return wm_build_read_choice(&facts->choice, map, payload, path, error);
    wm_knn knn;
    wm_status status = wm_knn_read_header(&facts->knn, payload->data, payload->size, path, error);
    if (status == WM_OK) status = wm_build_load_knn(&knn, map, path, error);
    if (status == WM_OK) wm_knn_free(&knn);
    return status;
}

static wm_status find_facts(payload_facts* facts, const wm_stored_map* map,
                            const wm_stored_payload* stored, const char* path, wm_error* error)
{
    wm_buffer payload = {0};
    wm_status status = wm_build_open_payload(&payload, map, stored, path, error);
    if (status != WM_OK) return status;
    *facts = (payload_facts){.method = stored->method,
                             .stored_bytes = stored->blob.size,
                             .content_hash = wm_format_content_hash(&payload)};
    status = read_front(facts, map, &payload, path, error);
    wm_buffer_free(&payload);
    return status;
}

static void print_knn_json(const wm_knn_header* header)
{
    const wm_knn_parameters* p = &header->parameters;
    printf("\"parameters\":{\"records\":%u,\"seed\":%llu,\"chains\":%s,\"pairs\":\"%s\",\"shard\":"
           "\"%u/%u\"},"
           "\"records\":%u",
           p->total, (unsigned long long)p->seed, p->chains ? "true" : "false",
           p->coverage ? "coverage" : "random", p->shard, p->shards, header->count);
}

static void print_regions_json(const wm_regions* regions)
{
    const wm_regions_parameters* p = &regions->parameters;
    const wm_certificate* c = &regions->certificate;
    printf("\"parameters\":{\"radius\":%u,\"satellite\":%u,\"epsilon\":%g,\"portals\":%u,"
           "\"controller\":",
           p->radius, p->satellite, p->epsilon / 10.0, p->portals);
    if (p->max_expansions == 0)
        printf("\"climb\"}");
    else
        printf("\"search:%u\"}", p->max_expansions);
    printf(",\"records\":%u,\"certificate\":{\"problems\":%u,\"mean_percent\":%.3f,"
           "\"p95_percent\":%.3f,\"p99_percent\":%.3f,\"worst_percent\":%.3f,"
           "\"worst_states\":%u}",
           regions->count, c->problems, c->mean / 1000.0, c->p95 / 1000.0, c->p99 / 1000.0,
           c->worst / 1000.0, c->worst_states);
}

static void print_d_lrta_json(const wm_d_lrta* d)
{
    printf("\"parameters\":{\"level\":%u},\"records\":%u,\"numbers\":%llu", d->level, d->count,
           (unsigned long long)wm_d_lrta_numbers(d));
}

static void print_choice_json(const wm_choice* c)
{
    printf("\"parameters\":{\"algorithms\":%u,\"problems\":%u,\"budget_expansions\":%u,"
           "\"seed\":%llu},\"records\":1,\"algorithm\":",
           c->tried, c->problems, c->budget, (unsigned long long)c->seed);
    wm_cli_print_json(stdout, c->spec);
    printf(",\"mean_percent\":%.3f,\"max_expansions_per_move\":%u", c->mean / 1000.0,
           c->max_expansions);
}

static void print_payload_json(const payload_facts* facts)
{
    printf("{\"method\":\"%s\",", wm_method_name(facts->method));
    if (facts->method == WM_METHOD_KNN)
        print_knn_json(&facts->knn);
    else if (facts->method == WM_METHOD_REGIONS)
        print_regions_json(&facts->regions);
    else if (facts->method == WM_METHOD_CHOICE)
        print_choice_json(&facts->choice);
    else
        print_d_lrta_json(&facts->d_lrta);
    printf(",\"stored_bytes\":%zu,\"content_hash\":\"%016llx\"}", facts->stored_bytes,
           (unsigned long long)facts->content_hash);
}

static void print_knn_text(const payload_facts* facts)
{
    const wm_knn_parameters* p = &facts->knn.parameters;
    printf("  knn: %u records%s%s, seed %llu, %zu bytes (%.2f a record), content %016llx",
           facts->knn.count, p->chains ? " with chains" : "", p->coverage ? " for coverage" : "",
           (unsigned long long)p->seed, facts->stored_bytes,
           (double)facts->stored_bytes / facts->knn.count, (unsigned long long)facts->content_hash);
    if (p->shards > 1) printf(", shard %u/%u of %u records", p->shard, p->shards, p->total);
    printf("\n");
}

static void print_regions_text(const payload_facts* facts)
{
    const wm_regions* regions = &facts->regions;
    const wm_certificate* c = &regions->certificate;
    printf("  regions: %u of radius %u, %zu bytes (%.2f of the one-bit map), content %016llx\n",
           regions->count, regions->parameters.radius, facts->stored_bytes,
           (double)facts->stored_bytes * 8 / ((double)regions->width * regions->height),
           (unsigned long long)facts->content_hash);
    printf("    certificate: %u problems, mean %.2f %%, p95 %.2f %%, p99 %.2f %%, worst %.2f %% "
           "above optimal; at most %u states in a move\n",
           c->problems, c->mean / 1000.0, c->p95 / 1000.0, c->p99 / 1000.0, c->worst / 1000.0,
           c->worst_states);
}

static void print_d_lrta_text(const payload_facts* facts)
{
    const wm_d_lrta* d = &facts->d_lrta;
    printf("  d-lrta: %u abstract states of level %u, %zu bytes, %llu numbers (%.2f a cell), "
           "content %016llx\n",
           d->count, d->level, facts->stored_bytes, (unsigned long long)wm_d_lrta_numbers(d),
           (double)wm_d_lrta_numbers(d) / d->cell_count, (unsigned long long)facts->content_hash);
}

static void print_choice_text(const payload_facts* facts)
{
    const wm_choice* c = &facts->choice;
    printf(
        "  choice: %s of %u algorithms, seed %llu, mean %.3f %% above optimal on %u problems; at "
        "most %u expansions in a move of %u allowed, %zu bytes, content %016llx\n",
        c->spec, c->tried, (unsigned long long)c->seed, c->mean / 1000.0, c->problems,
        c->max_expansions, c->budget, facts->stored_bytes, (unsigned long long)facts->content_hash);
}

static void print_payload_text(const payload_facts* facts)
{
    if (facts->method == WM_METHOD_KNN)
        print_knn_text(facts);
    else if (facts->method == WM_METHOD_REGIONS)
        print_regions_text(facts);
    else if (facts->method == WM_METHOD_CHOICE)
        print_choice_text(facts);
    else
        print_d_lrta_text(facts);
}

static void print_map_head(const wm_stored_map* map, bool json)
{
    const unsigned long long hash = map->hash;
    if (json) {
        printf("{\"name\":");
        wm_cli_print_json(stdout, map->name);
        printf(
            ",\"width\":%d,\"height\":%d,\"hash\":\"%016llx\",\"diagonal\":\"%s\",\"payloads\":[",
            map->width, map->height, hash, wm_diagonal_name(map->diagonal));
    } else {
        printf("%s: %d x %d cells, diagonal %s, map %016llx\n", map->name, map->width, map->height,
               wm_diagonal_name(map->diagonal), hash);
    }
}

static wm_status print_map(const wm_stored_map* map, const char* path, bool json, wm_error* error)
{
    print_map_head(map, json);
    for (size_t i = 0; i < map->payload_count; i++) {
        payload_facts facts;
        const wm_status status = find_facts(&facts, map, &map->payloads[i], path, error);
        if (status != WM_OK) return status;
        if (json && i > 0) printf(",");
        if (json)
            print_payload_json(&facts);
        else
            print_payload_text(&facts);
    }
    if (json) printf("]}");
    return WM_OK;
}

static wm_status print_all(const wm_archive* archive, const char* path, bool json, wm_error* error)
{
    if (json) printf("{\"maps\":[");
    for (size_t i = 0; i < archive->count; i++) {
        if (json && i > 0) printf(",");
        const wm_status status = print_map(&archive->maps[i], path, json, error);
        if (status != WM_OK) return status;
    }
    if (json) printf("]}\n");
    return WM_OK;
}

// Everything is checked before anything is printed: half an answer looks like a whole one.
static wm_status check_all(const wm_archive* archive, const char* path, wm_error* error)
{
    for (size_t i = 0; i < archive->count; i++) {
        const wm_stored_map* map = &archive->maps[i];
        for (size_t j = 0; j < map->payload_count; j++) {
            payload_facts facts;
            const wm_status status = find_facts(&facts, map, &map->payloads[j], path, error);
            if (status != WM_OK) return status;
        }
    }
    return WM_OK;
}

static int run(const wm_cli* cli, const char* path, bool json)
{
    wm_error error = {0};
    wm_archive archive;
    wm_status status = wm_build_load(&archive, path, &error);
    if (status == WM_OK) status = check_all(&archive, path, &error);
    if (status == WM_OK) status = print_all(&archive, path, json, &error);
    wm_archive_free(&archive);
    return status == WM_OK ? WM_EXIT_DONE : wm_cli_fail(cli, status, &error);
}

int wm_cmd_info(const wm_cli* cli, int argc, char** argv)
{
    struct arg_file* file = arg_file1(NULL, NULL, "FILE", "database (.wmdb or .wmb)");
    struct arg_lit* json = arg_lit0(NULL, "json", "print JSON");
    void* table[] = {file, json, wm_cli_help(), wm_cli_end()};
    int exit_status = WM_EXIT_DONE;
    if (wm_cli_parse(cli, argc, argv, table, &exit_status))
        exit_status = run(cli, file->filename[0], json->count > 0);
    arg_freetable(table, sizeof table / sizeof table[0]);
    return exit_status;
}
