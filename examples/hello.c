// Walks one unit over a map: hello MAP DATABASE X,Y X,Y
#include <stdio.h>
#include <waymark.h>

int main(int argc, char** argv)
{
    wm_map* map = NULL;
    wm_db* db = NULL;
    wm_agent* unit = NULL;
    wm_error error = {"usage: hello MAP DATABASE X,Y X,Y"};
    wm_point from, to;
    const wm_map_config map_config = wm_map_config_default();
    const wm_db_config db_config = wm_db_config_default();
    wm_agent_config unit_config = wm_agent_config_default();
    unit_config.algorithm = "auto"; // what the database has for this map

    wm_status status = WM_ERR_ARGUMENT;
    if (argc == 5 && sscanf(argv[3], "%d,%d", &from.x, &from.y) == 2 &&
        sscanf(argv[4], "%d,%d", &to.x, &to.y) == 2)
        status = wm_map_load(&map, argv[1], &map_config, &error);
    if (status == WM_OK) status = wm_db_open(&db, map, argv[2], &db_config, &error);
    if (status == WM_OK) status = wm_agent_create(&unit, map, db, &unit_config, &error);
    if (status == WM_OK) status = wm_agent_begin(unit, from, to);
    while (status == WM_OK) status = wm_agent_step(unit); // a move a frame, in a game

    printf("%s\n", unit == NULL ? error.message : wm_status_name(status));
    printf("%.8f\n", wm_agent_statistics(unit).cost);
    wm_agent_destroy(unit);
    wm_db_close(db);
    wm_map_unload(map);
    return status == WM_ARRIVED ? 0 : 1;
}
