// SPDX-License-Identifier: MIT
//
// Waymark: real-time pathfinding on grid maps with precomputed subgoals.
//
//   wm_map    a grid, loaded once and shared
//   wm_db     search data that waymark-build made for that map, immutable
//   wm_agent  one unit on its way from a start to a goal, stepped a move at a time
//   wm_scratch  working memory that agents of one thread share
//
// Threads: maps and databases may be shared between threads once created; an agent, with the scratch
// that it uses, belongs to one thread at a time; an edit of a map excludes all that looks at it.
// Every declaration says its part of that. Functions of which none is said (the defaults, names and
// the version) may be called at any time. The library has no locks: who calls keeps to the rules.
// Stepping does no I/O and allocates nothing.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define WM_API
#else
#define WM_API __attribute__((visibility("default")))
#endif

/// Zero is success, positive numbers are news, negative numbers are errors.
/// A number never changes its meaning.
typedef enum wm_status {
    WM_OK = 0,
    WM_ARRIVED = 1,          ///< The agent stands on its goal.
    WM_NO_PATH = 2,          ///< There is no way from the start to the goal.
    WM_ERR_ARGUMENT = -1,    ///< The caller passed something that makes no sense.
    WM_ERR_MEMORY = -2,      ///< The allocator said no, or what was reserved or allowed is full.
    WM_ERR_IO = -3,          ///< The operating system could not read or write a file.
    WM_ERR_FORMAT = -4,      ///< A file's content is damaged or not what it should be.
    WM_ERR_VERSION = -5,     ///< A file was written by another major version.
    WM_ERR_MISMATCH = -6,    ///< A database was built for another map or diagonal rule.
    WM_ERR_NOT_FOUND = -7,   ///< The file, map or payload that was asked for is not there.
    WM_ERR_BUSY = -8,        ///< Another process is writing the same file.
    WM_ERR_INTERRUPTED = -9, ///< The caller asked to stop.
    WM_ERR_TOO_FEW = -10,    ///< The map does not hold as many problems or pairs as asked for.
    WM_ERR_BLOCKED = -11,    ///< A start or a goal lies in a wall.
    WM_ERR_SHORT = -12,      ///< The caller's buffer is too short; the length needed is returned.
} wm_status;

/// The status as a word, for logs.
WM_API const char* wm_status_name(wm_status status);
/// The library's version, "major.minor.patch".
WM_API const char* wm_version(void);

/// A sentence a user can act on. Owned by the caller; every call that takes one accepts NULL, and
/// writes it only where it returns an error. Every thread needs one of its own.
typedef struct wm_error {
    char message[1024];
} wm_error;

/// Memory for one object. All null means malloc and free; one function without the other is
/// WM_ERR_ARGUMENT. Blocks need not be zeroed. Each is given back once, with the size that it was
/// asked for; `release` is never given NULL. What an object keeps is all from here; while a file is
/// read (wm_map_load, wm_db_open, wm_db_open_memory) malloc is used as well, and all of that is
/// given back before the call returns.
/// Threads: called by the thread that makes, edits, asks for a route of or destroys the object;
/// where objects of several threads share one, it must allow for that.
typedef struct wm_allocator {
    void* (*allocate)(void* user, size_t size_bytes, size_t alignment);
    void (*release)(void* user, void* block, size_t size_bytes);
    void* user;
} wm_allocator;

/// A cell by its column and row; (0,0) is the upper left corner, y grows downward.
typedef struct wm_point {
    int32_t x;
    int32_t y;
} wm_point;

/// When a diagonal step is legal. Part of the map's hash.
typedef enum wm_diagonal {
    WM_DIAGONAL_NONE = 0,    ///< No corner cutting: both cells beside the step must be open.
    WM_DIAGONAL_SQUEEZE = 1, ///< Any open diagonal neighbour may be entered.
} wm_diagonal;

// ---------------------------------------------------------------------------------------------
// Maps

/// A grid map. Any number of threads may share it; an edit needs it to itself.
/// Threads: "reads the map" below means: in any number of threads, but not during wm_map_edit() or
/// wm_map_unload() of that map.
typedef struct wm_map wm_map;

/// How to read a map. Always start from wm_map_config_default().
typedef struct wm_map_config {
    uint32_t size;          ///< Set by the default function; do not touch.
    wm_diagonal diagonal;   ///< Default: WM_DIAGONAL_NONE.
    bool editable;          ///< Default: false. Agents on an editable map reserve more memory.
    int32_t agent_size;     ///< Default: 1. Agents cover a square of 1, 2 or 3 cells a side.
    wm_allocator allocator; ///< Default: malloc and free.
} wm_map_config;
WM_API wm_map_config wm_map_config_default(void);

/// Loads a MovingAI `.map` file of type octile, at most 4096 x 4096 cells.
/// Threads: any; the map is the caller's alone until it is shared. So it is with all that make one.
/// @param out  gets the map, or NULL where the call fails; so do all functions that make an object
/// @return WM_OK, WM_ERR_ARGUMENT, WM_ERR_NOT_FOUND, WM_ERR_IO, WM_ERR_FORMAT or WM_ERR_MEMORY
WM_API wm_status wm_map_load(wm_map** out, const char* path, const wm_map_config* config,
                             wm_error* error);
/// The same for the content of such a file in memory, from wherever a game keeps its assets. The
/// bytes are not kept. @return WM_OK, WM_ERR_ARGUMENT, WM_ERR_FORMAT or WM_ERR_MEMORY
WM_API wm_status wm_map_load_memory(wm_map** out, const void* bytes, size_t size,
                                    const wm_map_config* config, wm_error* error);
/// Makes a map from one byte a cell, row by row: zero is blocked, anything else is open. The bytes
/// are copied.
/// @param width   1 to 4096, as `height`
/// @param stride  bytes from one row to the next, at least `width`; of the last row only that many
/// @return WM_OK, WM_ERR_ARGUMENT or WM_ERR_MEMORY
WM_API wm_status wm_map_create(wm_map** out, const uint8_t* open, int32_t width, int32_t height,
                               size_t stride, const wm_map_config* config, wm_error* error);
// With an agent size of n the map is seen as such an agent sees it: a cell is open where the agent
// fits with its upper left corner there, and all else (positions, goals, hash, components) is about
// these corners. A database is built for one size (waymark-build build --agent-size).

/// A cell that becomes open, or blocked; a single one, whatever the map's agent size.
typedef struct wm_cell_edit {
    wm_point at;
    bool open;
} wm_cell_edit;

/// Changes cells of an editable map and raises its revision, by 1 however many they are; where all
/// of them are as they are to be already, nothing happens. The hash stays that of the map as it was
/// created, so databases stay open; none can be opened any more. Agents notice at their next step:
/// they plan anew from where they stand, and where a database no longer holds, by a complete
/// search.
/// Threads: needs the map to itself. Meanwhile nobody may ask anything about it, open a database or
/// ask one for a subgoal, make a scratch, or make, begin, step or ask an agent on it.
/// @return WM_OK, WM_ERR_ARGUMENT (not editable, or a point off the map) or WM_ERR_MEMORY; then
///         nothing has changed
WM_API wm_status wm_map_edit(wm_map* map, const wm_cell_edit* edits, size_t count, wm_error* error);
/// How many edits have changed the map. Threads: reads the map.
WM_API uint32_t wm_map_revision(const wm_map* map);
/// Accepts NULL. Databases, scratches and agents of this map must be closed first.
/// Threads: any, when no other uses the map.
WM_API void wm_map_unload(wm_map* map);

// The questions about a map accept NULL: a map without cells. Threads: all of them read the map.

WM_API int32_t wm_map_width(const wm_map* map);
WM_API int32_t wm_map_height(const wm_map* map);
/// Covers width and height, the open cells, the diagonal rule and the agent size, and nothing else.
WM_API uint64_t wm_map_hash(const wm_map* map);
/// False for blocked cells and for points outside the map.
WM_API bool wm_map_is_open(const wm_map* map, wm_point point);
/// Whether a walk from `a` to `b` exists; known in advance, so the answer is immediate.
WM_API bool wm_map_connected(const wm_map* map, wm_point a, wm_point b);
/// The number of the component that a point lies in, from 1; 0 for blocked cells and outside.
/// Components are numbered anew by an edit.
WM_API uint32_t wm_map_component(const wm_map* map, wm_point point);
WM_API int32_t wm_map_agent_size(const wm_map* map);
/// Finds the cell nearest to `wanted`, by octile distance, then row, then column, that a walk from
/// `from` reaches: where to go instead of a wall, of an island, or of a point outside the map. Looks
/// at rings of cells around `wanted` until it has one.
/// @param nearest  gets the cell; stays as it is where there is none
/// @return WM_OK, WM_ERR_BLOCKED (`from` lies in a wall) or WM_ERR_ARGUMENT (it is off the map)
WM_API wm_status wm_map_nearest(const wm_map* map, wm_point from, wm_point wanted,
                                wm_point* nearest);

// ---------------------------------------------------------------------------------------------
// Databases

/// Search data for one wm_map: the object that it was opened with, not another one of the same
/// cells, which may be edited while this is not. Immutable once opened: any number of threads may
/// share it.
typedef struct wm_db wm_db;

/// How to open a database. Always start from wm_db_config_default().
typedef struct wm_db_config {
    uint32_t size;          ///< Set by the default function; do not touch.
    const char* name;       ///< The map's name in the file; NULL (default) finds it by its hash. A
                            ///< plain name means the map's agent size: "hall" is what the file has
                            ///< as "hall@2" for a map of size 2.
    size_t max_bytes;       ///< Refuse to unpack more than this. Default: 256 MiB.
    wm_allocator allocator; ///< Default: malloc and free.
} wm_db_config;
WM_API wm_db_config wm_db_config_default(void);

/// Reads and verifies the search data of `map` in the file at `path`, a `.wmdb` or the `.wmb` of one
/// map; afterwards the file is no longer needed. A choice of use to nobody (damaged, newer, for
/// another map) is passed over: it is advice.
/// Threads: reads the map.
/// @param map  the map it was built for, not edited yet; must outlive the database
/// @return WM_OK, WM_ERR_ARGUMENT, WM_ERR_IO, WM_ERR_FORMAT, WM_ERR_VERSION, WM_ERR_MISMATCH
///         (nothing there for this map, its rule and its agent size, or the map was edited),
///         WM_ERR_NOT_FOUND (no such file, or the map has another name in it) or WM_ERR_MEMORY
///         (also: it unpacks to more than `max_bytes`)
WM_API wm_status wm_db_open(wm_db** out, const wm_map* map, const char* path,
                            const wm_db_config* config, wm_error* error);
/// The same for bytes in memory: a file that `waymark-build export` wrote, or one payload as a
/// database stores it. The bytes are not kept. `config->name` is not used.
/// Threads: reads the map. @return as wm_db_open
WM_API wm_status wm_db_open_memory(wm_db** out, const wm_map* map, const void* bytes, size_t size,
                                   const wm_db_config* config, wm_error* error);
/// Accepts NULL. Agents of this database must be destroyed first.
/// Threads: any, when no other uses the database.
WM_API void wm_db_close(wm_db* db);

/// Length of what is stored in the file for this map, in bytes; 0 for NULL. Threads: any number.
WM_API size_t wm_db_stored_bytes(const wm_db* db);
/// Whether the database has data of a method: "regions", "knn", "d-lrta" or "choice". NULL has
/// none. Threads: any number.
WM_API bool wm_db_has(const wm_db* db, const char* method);

/// For games that bring their own movement: where to go next on the way from `from` to `goal`. Ask
/// again on arriving there, with that cell as `from`; so it ends at the goal, which is the last
/// subgoal. Needs regions. The work is bounded like that of a move.
/// Threads: reads the map; any number may ask the same database.
/// @param subgoal  gets where to go; `from` where the answer is not WM_OK
/// @return WM_OK, WM_ARRIVED (from is the goal), WM_NO_PATH, WM_ERR_BLOCKED, WM_ERR_NOT_FOUND (no
///         regions), WM_ERR_MISMATCH (the map was edited since) or WM_ERR_ARGUMENT
WM_API wm_status wm_db_subgoal(const wm_db* db, wm_point from, wm_point goal, wm_point* subgoal);

// ---------------------------------------------------------------------------------------------
// Scratch

/// Working memory that the agents of one thread share: the large part of their state (learned
/// values, marks, open lists, the guard of `regions` on edited maps), which an agent holds only while
/// it is on its way. Belongs, with its agents, to one thread at a time.
typedef struct wm_scratch wm_scratch;

/// How to make a scratch. Always start from wm_scratch_config_default().
typedef struct wm_scratch_config {
    uint32_t size; ///< Set by the default function; do not touch.
    size_t bytes;  ///< All that there will be. Default, 0: enough for 8 agents, whatever their
                   ///< algorithm and parameters, on maps of more cells than a database has records.
    wm_allocator allocator; ///< Default: malloc and free.
} wm_scratch_config;
WM_API wm_scratch_config wm_scratch_config_default(void);

/// Reserves a scratch for agents on `map`, which must outlive it. What an agent takes of it is what
/// the memory_bytes of its statistics grow by while it is on its way.
/// Threads: reads the map.
/// @return WM_OK, WM_ERR_ARGUMENT or WM_ERR_MEMORY
WM_API wm_status wm_scratch_create(wm_scratch** out, const wm_map* map,
                                   const wm_scratch_config* config, wm_error* error);
/// Accepts NULL. Its agents must be destroyed first. Threads: the one that it belongs to.
WM_API void wm_scratch_destroy(wm_scratch* scratch);

// ---------------------------------------------------------------------------------------------
// Agents

/// One unit. Belongs to one thread at a time.
typedef struct wm_agent wm_agent;

/// What an agent knows of the map. On unknown terrain one that sees a wall on its goal answers
/// WM_NO_PATH; one that a wall divides from its goal finds out only by looking everywhere, which
/// A*, the time-bounded searches and PRTA* do; LRTA* and its like walk on for ever.
typedef enum wm_terrain {
    WM_TERRAIN_KNOWN = 0,
    WM_TERRAIN_UNKNOWN =
        1, ///< The eight cells around it and what it saw before; the rest seems open.
} wm_terrain;

/// How an agent guesses distances, from the columns and rows between two cells.
typedef enum wm_heuristic {
    WM_HEURISTIC_OCTILE = 0, ///< Exact where nothing is in the way.
    WM_HEURISTIC_MAX = 1,    ///< The larger of the two.
    WM_HEURISTIC_MIN = 2,    ///< The smaller.
} wm_heuristic;

/// How to make an agent. Always start from wm_agent_config_default().
///
/// A SPEC names an algorithm, with parameters where they are not to have their standard values:
/// "regions", "regions:preset=best", "tb-wa:k=10:w=2". Two are for nearly everyone:
///   "auto"     what the database allows: the choice that `waymark-build select` made for the map,
///              else "regions", else, and without a database, "tb-wa", which searches
///   "regions"  follows a database; small agents, steps bounded and cheap
/// `waymark-run list` prints all of them with their parameters; README.md has a table.
typedef struct wm_agent_config {
    uint32_t size;             ///< Set by the default function; do not touch.
    const char* algorithm;     ///< A SPEC, `name[:parameter=value]...`; see above. Default: "auto".
    wm_terrain terrain;        ///< Default: known. Databases need a known one.
    wm_heuristic heuristic;    ///< Default: octile. Databases need that.
    bool skip_reachable_check; ///< Begin even when no path exists. Default: false.
    bool nearest_goal;   ///< Go to wm_map_nearest() where the goal cannot be reached, after an edit
                         ///< anew: where that opened a cell, or cut the agent off, its next step
                         ///< looks for it, which no bound on expansions covers. Needs known
                         ///< terrain. Default: false.
    wm_scratch* scratch; ///< Shared working memory. Default, NULL: all its own, reserved now.
    wm_allocator allocator; ///< Default: malloc and free.
} wm_agent_config;
WM_API wm_agent_config wm_agent_config_default(void);

/// What an agent has done since it was begun.
typedef struct wm_agent_stats {
    uint64_t moves;                   ///< Steps that changed the cell.
    uint64_t waits;                   ///< Steps that did not.
    uint64_t back_moves;              ///< Moves that took back an earlier one.
    uint64_t expansions;              ///< States whose successors were generated, and climb steps.
    uint64_t max_expansions_per_move; ///< The most of them in one step.
    double cost;                      ///< Length walked: 1 a straight, sqrt 2 a diagonal move.
    size_t memory_bytes; ///< All that the agent holds, of its allocator and of a scratch; map and
                         ///< database are not in it.
} wm_agent_stats;

/// Makes an agent and reserves all the memory that it will ever need, but for what it takes from a
/// scratch while it is on its way. Map and database must outlive it.
/// Threads: reads the map and the database, and may be another than the scratch belongs to.
/// @param db  opened with this same wm_map object; may be NULL for algorithms without a database
/// @return WM_OK, WM_ERR_ARGUMENT, WM_ERR_MISMATCH (`db` was opened with another wm_map, be its
///         cells the same) or WM_ERR_MEMORY
WM_API wm_status wm_agent_create(wm_agent** out, const wm_map* map, const wm_db* db,
                                 const wm_agent_config* config, wm_error* error);
/// Accepts NULL. Threads: the one that the agent belongs to.
WM_API void wm_agent_destroy(wm_agent* agent);

/// Puts the agent on `start` and gives it a goal. May be called again at any time. Where it fails
/// because of a point the agent stays where it was, without a goal.
/// Threads: the one that the agent and its scratch belong to; reads the map.
/// @return WM_OK, WM_ARRIVED (start is the goal), WM_NO_PATH, WM_ERR_BLOCKED, WM_ERR_MEMORY (the
///         scratch is full), or WM_ERR_ARGUMENT where a point is outside the map
WM_API wm_status wm_agent_begin(wm_agent* agent, wm_point start, wm_point goal);
/// Forgets the goal, and gives back what the agent holds of a scratch. Accepts NULL.
/// Threads: the one that the agent and its scratch belong to.
WM_API void wm_agent_reset(wm_agent* agent);
/// Plans and makes one move. The work is bounded by the algorithm's parameters.
/// Threads: the one that the agent and its scratch belong to; reads the map.
/// @return WM_OK, WM_ARRIVED, WM_NO_PATH (after an edit: no longer, or a wall stands where the
///         agent does), WM_ERR_MEMORY (reserved memory is full), or WM_ERR_ARGUMENT where the agent
///         is not on its way
WM_API wm_status wm_agent_step(wm_agent* agent);
// The questions about an agent accept NULL, of which they say what they say of one never begun.
// Threads: the one that the agent belongs to; wm_agent_route() reads the map too.

/// What the last begin or step said: WM_OK while it is on its way, WM_ARRIVED, WM_NO_PATH or an
/// error. WM_ERR_ARGUMENT before it was begun and after a reset. A step that is refused changes
/// nothing.
WM_API wm_status wm_agent_result(const wm_agent* agent);
/// Where it stands, also after its end or a reset; (-1,-1) before it was begun.
WM_API wm_point wm_agent_position(const wm_agent* agent);
/// Where it goes: the goal that it was given, or what is nearest to that (config.nearest_goal);
/// (-1,-1) before it was begun and after a reset.
WM_API wm_point wm_agent_goal(const wm_agent* agent);
/// Writes the cells that the agent will step on, up to its goal, without moving it: every cell of
/// the walk, not only its corners. Changes nothing, so that asking is safe in lockstep: walks ahead
/// on a copy of its state, which is allocated by its allocator for the time of the call where it is
/// more than 1 KiB. Only on known terrain. `*length` gets the number of cells.
/// @param cells  room for `capacity` cells; may be NULL where that is 0
/// @return WM_OK, WM_ERR_SHORT (`cells` has the first `capacity` ones), WM_NO_PATH (also after 1000
///         moves for each open cell), WM_ERR_MEMORY or WM_ERR_ARGUMENT (`length` is missing, the
///         agent is not on its way, or it knows only what it has seen); `*length` is 0 then
WM_API wm_status wm_agent_route(wm_agent* agent, wm_point* cells, size_t capacity, size_t* length);
WM_API wm_agent_stats wm_agent_statistics(const wm_agent* agent);

/// The share of a frame that a group of agents gets. Start from wm_frame_default(), or from {0}
/// and set the bound; keep it from frame to frame. Belongs to one thread at a time, as its agents do.
typedef struct wm_frame {
    uint64_t max_expansions; ///< In: for one call. Default, UINT64_MAX: no bound.
    size_t next;             ///< Kept from call to call: whose turn it is.
    size_t moved;            ///< Out: agents that were stepped.
    size_t ended;            ///< Out: those of them that are no longer on their way.
    uint64_t expansions;     ///< Out: what it came to.
} wm_frame;
WM_API wm_frame wm_frame_default(void);

/// Steps the agents that are on their way once each, until the next one might exceed the frame's
/// bound; those left out go first in the next call. wm_agent_result() tells how each fares. An agent
/// whose single move may exceed the whole bound is stepped only as the first of a call, so that
/// everyone moves on at any bound. Entries may be NULL.
/// Threads: the one that the agents and their scratches belong to; reads the map. Several threads
/// may step at the same time, each an array, a frame, and agents and scratches of its own.
/// @return WM_OK, or WM_ERR_ARGUMENT where `agents` or `frame` is missing
WM_API wm_status wm_agents_step(wm_agent* const* agents, size_t count, wm_frame* frame);

#ifdef __cplusplus
}
#endif
