// SPDX-License-Identifier: MIT
//
// A game on a platform without SQLite, for check_without_sqlite.sh: walks with a .wmb from a file and
// from memory, and tries a .wmdb.
//
//   without_sqlite MAP FILE.wmb FILE.wmdb FROM_X FROM_Y TO_X TO_Y
#include <stdio.h>
#include <stdlib.h>
#include <waymark.h>

static int fail(const char* what, const wm_error* error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    return 1;
}

static double walk(const wm_map* map, const wm_db* db, wm_point from, wm_point to)
{
    wm_agent* agent = NULL;
    wm_agent_config config = wm_agent_config_default();
    config.algorithm = "regions";
    if (wm_agent_create(&agent, map, db, &config, NULL) != WM_OK) return -1;
    wm_status status = wm_agent_begin(agent, from, to);
    while (status == WM_OK) status = wm_agent_step(agent);
    const double cost = status == WM_ARRIVED ? wm_agent_statistics(agent).cost : -1;
    wm_agent_destroy(agent);
    return cost;
}

static wm_status open_from_memory(wm_db** db, const wm_map* map, const char* path, wm_error* error)
{
    static char bytes[1 << 20];
    const wm_db_config config = wm_db_config_default();
    FILE* file = fopen(path, "rb");
    const size_t size = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    if (file != NULL) fclose(file);
    return wm_db_open_memory(db, map, bytes, size, &config, error);
}

int main(int argc, char** argv)
{
    wm_map* map = NULL;
    wm_db* dbs[3] = {NULL, NULL, NULL};
    wm_error error = {""};
    const wm_map_config map_config = wm_map_config_default();
    const wm_db_config config = wm_db_config_default();
    if (argc != 8) return 2;
    const wm_point from = {atoi(argv[4]), atoi(argv[5])};
    const wm_point to = {atoi(argv[6]), atoi(argv[7])};
    if (wm_map_load(&map, argv[1], &map_config, &error) != WM_OK) return fail("map", &error);
    if (wm_db_open(&dbs[0], map, argv[2], &config, &error) != WM_OK) return fail("file", &error);
    if (open_from_memory(&dbs[1], map, argv[2], &error) != WM_OK) return fail("memory", &error);
    for (int i = 0; i < 2; i++) printf("cost: %.8f\n", walk(map, dbs[i], from, to));
    const wm_status status = wm_db_open(&dbs[2], map, argv[3], &config, &error);
    printf("%s: %s\n", wm_status_name(status), error.message);
    for (int i = 0; i < 3; i++) wm_db_close(dbs[i]);
    wm_map_unload(map);
    return 0;
}
