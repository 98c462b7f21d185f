// SPDX-License-Identifier: MIT
//
// Files are read whole and written whole. Every map is sealed by a hash over its fields and its
// payloads, and the file by a hash over all maps, so that a row that damage has changed or hidden is
// missed, also by who reads one map.
#include "store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "files.h"
#include "hash.h"

#define APPLICATION_ID 0x574D4442 // "WMDB"
#define SCHEMA_VERSION 1
#define LONGEST_BLOB (512 << 20)

// Files have these tables and nothing else.
static const char* const schema[] = {
    "CREATE TABLE map(name TEXT PRIMARY KEY, width INTEGER NOT NULL, height INTEGER NOT NULL,"
    " diagonal INTEGER NOT NULL, hash INTEGER NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE payload(map TEXT NOT NULL REFERENCES map(name), method TEXT NOT NULL,"
    " blob BLOB NOT NULL, PRIMARY KEY(map, method))",
    "CREATE TABLE file(seal INTEGER NOT NULL)",
};
#define TABLES (sizeof schema / sizeof schema[0])

// A payload's share of its map's seal. The shares are added up, whatever their order.
static uint64_t seal_of_payload(const char* method, const void* blob, size_t size)
{
    const uint64_t seal = wm_hash_bytes(WM_HASH_START, method, strlen(method) + 1);
    return wm_hash_bytes(seal, blob, size);
}

static uint64_t seal_of_payloads(const wm_stored_map* map)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < map->payload_count; i++) {
        const wm_stored_payload* payload = &map->payloads[i];
        sum += seal_of_payload(wm_method_name(payload->method), payload->blob.data,
                               payload->blob.size);
    }
    return sum;
}

static uint64_t seal_of_map(const wm_stored_map* map, uint64_t payloads)
{
    uint64_t seal = wm_hash_bytes(WM_HASH_START, map->name, strlen(map->name) + 1);
    seal = wm_hash_u64(seal, (uint64_t)map->width);
    seal = wm_hash_u64(seal, (uint64_t)map->height);
    seal = wm_hash_u64(seal, (uint64_t)map->diagonal);
    seal = wm_hash_u64(seal, map->hash);
    return wm_hash_u64(seal, payloads);
}

// ---------------------------------------------------------------------------------------------
// SQLite

static wm_status fail_sqlite(sqlite3* db, int code, const char* path, const char* what,
                             wm_error* error)
{
    const char* reason = db == NULL ? sqlite3_errstr(code) : sqlite3_errmsg(db);
    switch (code & 0xFF) {
    case SQLITE_NOMEM:
        return wm_fail(error, WM_ERR_MEMORY, "%s could not be %s: out of memory", path, what);
    case SQLITE_NOTADB:
        return wm_fail(error, WM_ERR_FORMAT, "%s is not a Waymark database; check the file name",
                       path);
    case SQLITE_FULL:
    case SQLITE_IOERR:
        return wm_fail(error, WM_ERR_IO, "%s could not be %s: %s; check the disk", path, what,
                       reason);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return wm_fail(error, WM_ERR_IO, "%s could not be %s: %s; check the permissions", path,
                       what, reason);
    default:
        return wm_fail(error, WM_ERR_FORMAT, "%s is damaged (%s); restore it or build it again",
                       path, reason);
    }
}

static wm_status damaged(const char* path, wm_error* error)
{
    return wm_fail(error, WM_ERR_FORMAT, "%s is damaged; restore it or build it again", path);
}

// For statements without values of their own that yield one number.
static int query_number(sqlite3* db, const char* sql, int64_t* value)
{
    sqlite3_stmt* statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_INTEGER) {
            *value = sqlite3_column_int64(statement, 0);
            code = SQLITE_OK;
        } else if (code == SQLITE_ROW || code == SQLITE_DONE) {
            code = SQLITE_CORRUPT;
        }
    }
    sqlite3_finalize(statement);
    return code;
}

static wm_status check_identity(sqlite3* db, const char* path, wm_error* error)
{
    int64_t application = 0;
    int64_t version = 0;
    int code = query_number(db, "PRAGMA application_id", &application);
    if (code == SQLITE_OK) code = query_number(db, "PRAGMA user_version", &version);
    if (code != SQLITE_OK) return fail_sqlite(db, code, path, "read", error);
    if (application != APPLICATION_ID)
        return wm_fail(error, WM_ERR_FORMAT, "%s is not a Waymark database; check the file name",
                       path);
    if (version != SCHEMA_VERSION)
        return wm_fail(error, WM_ERR_VERSION,
                       "%s has schema version %lld and this program reads version %d; use a "
                       "matching program or build it again",
                       path, (long long)version, SCHEMA_VERSION);
    return WM_OK;
}

// Files are replaced, never changed in place. Told so, SQLite neither looks for logs and journals
// beside the file nor leaves any there, whatever the file itself asks for.
static char* immutable_uri(const char* path)
{
    static const char option[] = "?immutable=1";
    char* uri = malloc(sizeof "file://" + 3 * strlen(path) + sizeof option);
    if (uri == NULL) return NULL;
    char* end = stpcpy(uri, path[0] == '/' ? "file://" : "file:");
    for (; *path != '\0'; path++) {
        if (strchr("%?#", *path) == NULL)
            *end++ = *path;
        else
            end += sprintf(end, "%%%02X", (unsigned)(unsigned char)*path);
    }
    memcpy(end, option, sizeof option);
    return uri;
}

// SQLite itself does not mind if the end of the last page is missing.
static wm_status check_length(sqlite3* db, const char* path, wm_error* error)
{
    int64_t pages = 0;
    int64_t page_size = 0;
    sqlite3_int64 size = 0;
    sqlite3_file* file = NULL;
    int code = query_number(db, "PRAGMA page_count", &pages);
    if (code == SQLITE_OK) code = query_number(db, "PRAGMA page_size", &page_size);
    if (code == SQLITE_OK)
        code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code == SQLITE_OK) code = file->pMethods->xFileSize(file, &size);
    if (code != SQLITE_OK) return fail_sqlite(db, code, path, "read", error);
    return size == pages * page_size ? WM_OK : damaged(path, error);
}

// Which of our tables a row of the schema is; TABLES for anything else.
static size_t table_of(sqlite3_stmt* row)
{
    const char* sql = (const char*)sqlite3_column_text(row, 0);
    size_t table = 0;
    while (table < TABLES && (sql == NULL || strcmp(sql, schema[table]) != 0)) table++;
    return table;
}

// Word for word what we write: a view, a trigger, a generated column or a virtual table in a table's
// place would run what a stranger wrote. Indexes without words of their own come with the tables.
static wm_status check_schema(sqlite3* db, const char* path, wm_error* error)
{
    sqlite3_stmt* row = NULL;
    size_t found[TABLES + 1] = {0};
    int code = sqlite3_prepare_v2(db,
                                  "SELECT sql FROM sqlite_master WHERE type <> 'index' "
                                  "OR sql IS NOT NULL",
                                  -1, &row, NULL);
    while (code == SQLITE_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
        found[table_of(row)]++;
        code = SQLITE_OK;
    }
    sqlite3_finalize(row);
    if (code != SQLITE_DONE) return fail_sqlite(db, code, path, "read", error);
    bool ours = found[TABLES] == 0;
    for (size_t i = 0; i < TABLES; i++) ours = ours && found[i] == 1;
    if (ours) return WM_OK;
    return wm_fail(error, WM_ERR_FORMAT,
                   "%s is damaged (its tables are not those of a Waymark database); restore it or "
                   "build it again",
                   path);
}

// What SQLite keeps beside a file while it is being changed: the file alone is not the whole then.
static wm_status check_beside(const char* path, wm_error* error)
{
    static const char* const suffixes[] = {"-journal", "-wal"};
    const size_t size = strlen(path) + sizeof "-journal";
    char* beside = malloc(size);
    if (beside == NULL) return wm_fail_memory(error, size);
    wm_status status = WM_OK;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0] && status == WM_OK; i++) {
        snprintf(beside, size, "%s%s", path, suffixes[i]);
        if (wm_file_has_content(beside))
            status = wm_fail(error, WM_ERR_IO,
                             "%s is being changed by another program, or was when that ended: %s "
                             "is beside it; open and close it with that program, or restore it",
                             path, beside);
    }
    free(beside);
    return status;
}

// The file is a stranger's: nothing in it may call or load anything, or ask for more than it needs.
static int be_careful(sqlite3* db)
{
    static const struct {
        int option;
        int on;
    } options[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    };
    static const struct {
        int limit;
        int most;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, LONGEST_BLOB},
        {SQLITE_LIMIT_SQL_LENGTH, 10000},
        {SQLITE_LIMIT_COLUMN, 16},
        {SQLITE_LIMIT_EXPR_DEPTH, 10},
        {SQLITE_LIMIT_COMPOUND_SELECT, 3},
        {SQLITE_LIMIT_VDBE_OP, 25000},
        {SQLITE_LIMIT_FUNCTION_ARG, 8},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 10},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const int code = sqlite3_db_config(db, options[i].option, options[i].on, NULL);
        if (code != SQLITE_OK) return code;
    }
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        sqlite3_limit(db, limits[i].limit, limits[i].most);
    return sqlite3_exec(db, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", NULL, NULL, NULL);
}

static wm_status open_for_reading(sqlite3** db, const char* path, wm_error* error)
{
    *db = NULL;
    wm_status status = wm_file_check_readable(path, error);
    if (status == WM_OK) status = check_beside(path, error);
    if (status != WM_OK) return status;
    char* uri = immutable_uri(path);
    if (uri == NULL) return wm_fail_memory(error, 3 * strlen(path));
    int code = sqlite3_open_v2(uri, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    free(uri);
    if (code != SQLITE_OK) return fail_sqlite(*db, code, path, "opened", error);
    code = be_careful(*db);
    if (code != SQLITE_OK) return fail_sqlite(*db, code, path, "read", error);
    status = check_identity(*db, path, error);
    if (status == WM_OK) status = check_schema(*db, path, error);
    return status == WM_OK ? check_length(*db, path, error) : status;
}

#define MAP_COLUMNS "name, width, height, diagonal, hash, seal"

// Takes over what one row of MAP_COLUMNS says of the map itself.
// @return WM_OK, WM_ERR_FORMAT or WM_ERR_MEMORY
static wm_status read_map_row(wm_stored_map* map, sqlite3_stmt* row)
{
    // SQLite's columns hold whatever someone puts there.
    bool typed = sqlite3_column_type(row, 0) == SQLITE_TEXT;
    for (int i = 1; i < 6; i++) typed = typed && sqlite3_column_type(row, i) == SQLITE_INTEGER;
    if (!typed) return WM_ERR_FORMAT;
    const char* name = (const char*)sqlite3_column_text(row, 0);
    if (name == NULL || strlen(name) != (size_t)sqlite3_column_bytes(row, 0) ||
        !wm_store_name_is_valid(name))
        return WM_ERR_FORMAT;
    const int64_t width = sqlite3_column_int64(row, 1);
    const int64_t height = sqlite3_column_int64(row, 2);
    const int64_t diagonal = sqlite3_column_int64(row, 3);
    if (width < 1 || width > WM_GRID_MAX_SIDE || height < 1 || height > WM_GRID_MAX_SIDE ||
        (diagonal != WM_DIAGONAL_NONE && diagonal != WM_DIAGONAL_SQUEEZE))
        return WM_ERR_FORMAT;
    map->name = strdup(name);
    map->width = (int32_t)width;
    map->height = (int32_t)height;
    map->diagonal = (wm_diagonal)diagonal;
    map->hash = (uint64_t)sqlite3_column_int64(row, 4);
    return map->name == NULL ? WM_ERR_MEMORY : WM_OK;
}

// Also adds up the seals of all payloads, unknown ones included.
static wm_status read_payloads(wm_stored_map* map, uint64_t* seals, sqlite3* db, const char* path,
                               wm_error* error)
{
    sqlite3_stmt* row = NULL;
    wm_status status = WM_OK;
    int code =
        sqlite3_prepare_v2(db, "SELECT method, blob FROM payload WHERE map = ?1", -1, &row, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_text(row, 1, map->name, -1, SQLITE_STATIC);
    while (code == SQLITE_OK && status == WM_OK) {
        code = sqlite3_step(row);
        if (code != SQLITE_ROW) break;
        code = SQLITE_OK;
        wm_method method;
        wm_buffer blob = {0};
        const bool typed = sqlite3_column_type(row, 0) == SQLITE_TEXT &&
                           sqlite3_column_type(row, 1) == SQLITE_BLOB;
        const char* name = (const char*)sqlite3_column_text(row, 0);
        const void* bytes = sqlite3_column_blob(row, 1);
        const size_t size = (size_t)sqlite3_column_bytes(row, 1);
        if (!typed || name == NULL || (bytes == NULL && size > 0)) {
            status = damaged(path, error);
            break;
        }
        *seals += seal_of_payload(name, bytes, size);
        // A method of a newer minor version: not ours to read.
        if (!wm_method_from_name(&method, name)) {
            map->unknown_payloads++;
            continue;
        }
        wm_put_bytes(&blob, bytes, size);
        if (blob.failed || !wm_stored_map_put_payload(map, method, &blob))
            status = wm_fail_memory(error, size);
        wm_buffer_free(&blob);
    }
    if (status == WM_OK && code != SQLITE_DONE) status = fail_sqlite(db, code, path, "read", error);
    sqlite3_finalize(row);
    return status;
}

// Reads the map of one row of MAP_COLUMNS with its payloads and checks its seal.
static wm_status read_map(wm_stored_map* map, uint64_t* seal, sqlite3_stmt* row, sqlite3* db,
                          const char* path, wm_error* error)
{
    uint64_t payloads = 0;
    wm_status status = read_map_row(map, row);
    if (status == WM_ERR_MEMORY) return wm_fail_memory(error, WM_STORE_MAX_NAME);
    if (status != WM_OK) return damaged(path, error);
    *seal = (uint64_t)sqlite3_column_int64(row, 5);
    status = read_payloads(map, &payloads, db, path, error);
    if (status == WM_OK && seal_of_map(map, payloads) != *seal) return damaged(path, error);
    return status;
}

static wm_status keep_map(wm_archive* archive, wm_stored_map* found, const char* path,
                          wm_error* error)
{
    if (wm_archive_find(archive, found->name) != NULL) return damaged(path, error);
    wm_stored_map* map = wm_archive_put_map(archive, found->name);
    if (map == NULL) return wm_fail_memory(error, sizeof *map);
    free(map->name);
    *map = *found;
    *found = (wm_stored_map){0};
    return WM_OK;
}

// `*seal` becomes the seal that a file with these maps has.
static wm_status read_maps(wm_archive* archive, uint64_t* seal, sqlite3* db, const char* path,
                           wm_error* error)
{
    sqlite3_stmt* row = NULL;
    wm_status status = WM_OK;
    int code =
        sqlite3_prepare_v2(db, "SELECT " MAP_COLUMNS " FROM map ORDER BY name", -1, &row, NULL);
    *seal = WM_HASH_START;
    while (code == SQLITE_OK && status == WM_OK) {
        code = sqlite3_step(row);
        if (code != SQLITE_ROW) break;
        code = SQLITE_OK;
        wm_stored_map found = {0};
        uint64_t map_seal = 0;
        status = read_map(&found, &map_seal, row, db, path, error);
        if (status == WM_OK) status = keep_map(archive, &found, path, error);
        *seal = wm_hash_u64(*seal, map_seal);
        wm_stored_map_free(&found);
    }
    if (status == WM_OK && code != SQLITE_DONE) status = fail_sqlite(db, code, path, "read", error);
    sqlite3_finalize(row);
    return status;
}

wm_status wm_archive_load(wm_archive* archive, const char* path, wm_error* error)
{
    sqlite3* db = NULL;
    *archive = (wm_archive){0};
    uint64_t seal = 0;
    wm_status status = open_for_reading(&db, path, error);
    if (status == WM_OK) status = read_maps(archive, &seal, db, path, error);
    if (status == WM_OK) {
        int64_t expected = 0;
        const int code = query_number(db, "SELECT seal FROM file", &expected);
        if (code != SQLITE_OK)
            status = fail_sqlite(db, code, path, "read", error);
        else if ((uint64_t)expected != seal)
            status = damaged(path, error);
    }
    sqlite3_close(db);
    if (status != WM_OK) wm_archive_free(archive);
    return status;
}

// ---------------------------------------------------------------------------------------------
// One map, for the runtime

// A sentence for a map that is not there under its hash; the name tells what happened.
static wm_status explain_missing(const wm_archive* archive, const char* path, const char* name,
                                 uint64_t hash, uint64_t other_rule_hash, wm_error* error)
{
    const wm_stored_map* same = name == NULL ? NULL : wm_archive_find(archive, name);
    for (size_t i = 0; i < archive->count; i++) {
        if (archive->maps[i].hash == hash)
            return wm_stored_map_fail_name(&archive->maps[i], path, name, error);
    }
    for (size_t i = 0; i < archive->count; i++) {
        const wm_stored_map* map = &archive->maps[i];
        if (map->hash != other_rule_hash) continue;
        const wm_diagonal rule = map->diagonal;
        const wm_diagonal wanted =
            rule == WM_DIAGONAL_NONE ? WM_DIAGONAL_SQUEEZE : WM_DIAGONAL_NONE;
        return wm_fail(error, WM_ERR_MISMATCH,
                       "%s has this map, as \"%s\", with diagonal rule %s, not %s; read it with "
                       "that rule (--diagonal %s) or build it again",
                       path, map->name, wm_diagonal_name(rule), wm_diagonal_name(wanted),
                       wm_diagonal_name(rule));
    }
    for (size_t i = 0; name != NULL && same == NULL && i < archive->count; i++) {
        const wm_stored_map* map = &archive->maps[i];
        if (!wm_store_same_name(map->name, name)) continue;
        const int size = wm_store_agent_size(map->name);
        const int wanted = wm_store_agent_size(name);
        return wm_fail(error, WM_ERR_MISMATCH,
                       "%s has \"%s\", for agents of size %d, but nothing for size %d; build it "
                       "with --agent-size %d",
                       path, map->name, size, wanted, wanted);
    }
    if (same != NULL)
        return wm_fail(error, WM_ERR_MISMATCH,
                       "%s was built for another version of \"%s\"; build it again", path,
                       same->name);
    return wm_fail(error, WM_ERR_MISMATCH,
                   "%s has nothing for this map as it is now (it holds %zu map%s%s%s); build it",
                   path, archive->count, archive->count == 1 ? "" : "s",
                   archive->count == 0 ? "" : ", the first is ",
                   archive->count == 0 ? "" : archive->maps[0].name);
}

static wm_status find_map(wm_stored_map* map, sqlite3* db, const char* path, uint64_t hash,
                          const char* name, wm_error* error)
{
    sqlite3_stmt* row = NULL;
    int code = sqlite3_prepare_v2(db,
                                  "SELECT " MAP_COLUMNS " FROM map WHERE hash = ?1 "
                                  "AND (?2 IS NULL OR name = ?2) ORDER BY name LIMIT 1",
                                  -1, &row, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(row, 1, (sqlite3_int64)hash);
    if (code == SQLITE_OK && name != NULL)
        code = sqlite3_bind_text(row, 2, name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(row);
    wm_status status = WM_ERR_NOT_FOUND;
    uint64_t seal;
    if (code == SQLITE_ROW)
        status = read_map(map, &seal, row, db, path, error);
    else if (code != SQLITE_DONE)
        status = fail_sqlite(db, code, path, "read", error);
    sqlite3_finalize(row);
    return status;
}

wm_status wm_store_read_map(wm_stored_map* map, const char* path, uint64_t hash,
                            uint64_t other_rule_hash, const char* name, wm_error* error)
{
    sqlite3* db = NULL;
    *map = (wm_stored_map){0};
    wm_status status = open_for_reading(&db, path, error);
    if (status == WM_OK) {
        status = find_map(map, db, path, hash, name, error);
        if (status == WM_ERR_NOT_FOUND) {
            wm_archive all = {0};
            uint64_t seal;
            status = read_maps(&all, &seal, db, path, error);
            if (status == WM_OK)
                status = explain_missing(&all, path, name, hash, other_rule_hash, error);
            wm_archive_free(&all);
        }
    }
    sqlite3_close(db);
    if (status != WM_OK) wm_stored_map_free(map);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Writing

static int insert_payload(sqlite3_stmt* insert, const wm_stored_map* map,
                          const wm_stored_payload* payload)
{
    // No address is a NULL to SQLite, not a blob of no bytes.
    const void* bytes = payload->blob.data == NULL ? "" : (const void*)payload->blob.data;
    sqlite3_reset(insert);
    int code = sqlite3_bind_text(insert, 1, map->name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(insert, 2, wm_method_name(payload->method), -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_bind_blob64(insert, 3, bytes, payload->blob.size, SQLITE_STATIC);
    return code == SQLITE_OK ? sqlite3_step(insert) : code;
}

static int insert_map_row(sqlite3_stmt* insert, const wm_stored_map* map)
{
    const int64_t numbers[] = {map->width, map->height, map->diagonal, (int64_t)map->hash,
                               (int64_t)seal_of_map(map, seal_of_payloads(map))};
    sqlite3_reset(insert);
    int code = sqlite3_bind_text(insert, 1, map->name, -1, SQLITE_STATIC);
    for (int i = 0; i < 5 && code == SQLITE_OK; i++)
        code = sqlite3_bind_int64(insert, i + 2, numbers[i]);
    return code == SQLITE_OK ? sqlite3_step(insert) : code;
}

static uint64_t seal_of_archive(const wm_archive* archive)
{
    uint64_t seal = WM_HASH_START;
    for (size_t i = 0; i < archive->count; i++) {
        const wm_stored_map* map = &archive->maps[i];
        seal = wm_hash_u64(seal, seal_of_map(map, seal_of_payloads(map)));
    }
    return seal;
}

static int insert_rows(const wm_archive* archive, sqlite3* db)
{
    sqlite3_stmt* map_row = NULL;
    sqlite3_stmt* payload_row = NULL;
    sqlite3_stmt* file_row = NULL;
    int code =
        sqlite3_prepare_v2(db, "INSERT INTO map VALUES(?1,?2,?3,?4,?5,?6)", -1, &map_row, NULL);
    if (code == SQLITE_OK)
        code =
            sqlite3_prepare_v2(db, "INSERT INTO payload VALUES(?1,?2,?3)", -1, &payload_row, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(db, "INSERT INTO file VALUES(?1)", -1, &file_row, NULL);
    if (code == SQLITE_OK) code = SQLITE_DONE;
    for (size_t i = 0; i < archive->count && code == SQLITE_DONE; i++) {
        const wm_stored_map* map = &archive->maps[i];
        code = insert_map_row(map_row, map);
        for (size_t j = 0; j < map->payload_count && code == SQLITE_DONE; j++)
            code = insert_payload(payload_row, map, &map->payloads[j]);
    }
    if (code == SQLITE_DONE)
        code = sqlite3_bind_int64(file_row, 1, (sqlite3_int64)seal_of_archive(archive)) == SQLITE_OK
                   ? sqlite3_step(file_row)
                   : SQLITE_NOMEM;
    sqlite3_finalize(map_row);
    sqlite3_finalize(payload_row);
    sqlite3_finalize(file_row);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

wm_status wm_archive_save(const wm_archive* archive, const char* path, wm_error* error)
{
    sqlite3* db = NULL;
    char pragmas[160];
    // The caller renames the finished file: a journal and syncs in between would protect nothing.
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; "
             "PRAGMA application_id=%d; PRAGMA user_version=%d",
             APPLICATION_ID, SCHEMA_VERSION);
    int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code == SQLITE_OK) code = sqlite3_exec(db, pragmas, NULL, NULL, NULL);
    if (code == SQLITE_OK) code = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    for (size_t i = 0; i < TABLES && code == SQLITE_OK; i++)
        code = sqlite3_exec(db, schema[i], NULL, NULL, NULL);
    if (code == SQLITE_OK) code = insert_rows(archive, db);
    if (code == SQLITE_OK) code = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    wm_status status = WM_OK;
    if (code != SQLITE_OK) status = fail_sqlite(db, code, path, "written", error);
    const int closed = sqlite3_close(db);
    if (status == WM_OK && closed != SQLITE_OK)
        status = fail_sqlite(NULL, closed, path, "written", error);
    return status;
}
