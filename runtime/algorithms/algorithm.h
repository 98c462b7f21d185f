// SPDX-License-Identifier: MIT
//
// What an algorithm is to the rest of the runtime. A new one is a file beside this one and a line
// in registry.c.
#pragma once

#include "grid.h"

#define WM_MAX_PARAMETERS 8

typedef enum wm_parameter_kind {
    WM_PARAMETER_INTEGER,
    WM_PARAMETER_DECIMAL, ///< Up to three decimals; the value is in thousandths.
    WM_PARAMETER_CHOICE,  ///< One of `choices`; the value is its index.
} wm_parameter_kind;

/// The standard of a parameter whose value comes from another one, the algorithm's preset.
#define WM_PARAMETER_BY_PRESET INT64_MIN

/// One parameter: parsing, `waymark-run list` and the documentation come from here.
typedef struct wm_parameter {
    const char* name; ///< NULL ends the list.
    wm_parameter_kind kind;
    int64_t standard; ///< The value when none is given.
    int64_t min;
    int64_t max;
    const char* meaning;
    const char* const* choices; ///< Of a choice; NULL ends them.
} wm_parameter;

/// Values in the order of the algorithm's parameters.
typedef struct wm_parameter_values {
    int64_t at[WM_MAX_PARAMETERS];
} wm_parameter_values;

typedef struct wm_algorithm {
    const char* name;
    const char* summary; ///< One line for `waymark-run list`.
    const wm_parameter* parameters;
    bool needs_database;
    /// Whether it must begin anew when the agent sees that the terrain is not what it seemed. Others
    /// look at the legal moves before each of theirs.
    bool plans_ahead;
    /// Whether a database, which is not NULL, has what the algorithm needs. NULL: needs nothing.
    bool (*has_data)(const wm_db* db);
    /// Not NULL: stands for another algorithm, which this names; the functions below are not there.
    const char* (*resolve)(const wm_db* db);
    /// Bytes of the part that lies beside the agent (wm_agent_own), zeroed when it is created: what
    /// every step touches. NULL: there is none.
    size_t (*own_bytes)(const wm_map* map, const wm_db* db, const wm_parameter_values* values);
    /// Bytes of the state, zeroed, that an agent has while it is on its way: reserved when it is
    /// created, or a slot of its scratch. A slot may come from an agent of the same map, database,
    /// algorithm and parameters, as that left it, so begin must not depend on what is in it.
    size_t (*state_bytes)(const wm_map* map, const wm_db* db, const wm_parameter_values* values);
    /// Readies zeroed state; called once for it.
    void (*init)(wm_agent* agent);
    /// Whether begin takes the state by itself, where it needs it (wm_agent_take_state).
    bool takes_state;
    /// The most expansions that one step can take; UINT64_MAX where nothing bounds them.
    uint64_t (*most_expansions)(const wm_map* map, const wm_db* db,
                                const wm_parameter_values* values);
    /// Takes up a new problem. Start and goal are open and differ.
    wm_status (*begin)(wm_agent* agent, wm_cell start, wm_cell goal);
    /// Takes up one edit of the map, whose cells the grid lists, in the middle of a walk. The agent
    /// and its goal are still on open cells. NULL: begins anew, as everyone does who missed an edit.
    wm_status (*changed)(wm_agent* agent);
    /// Chooses the next cell: a neighbour by a legal move, or the present cell to wait.
    /// @return WM_OK, WM_NO_PATH or WM_ERR_MEMORY (reserved state is full)
    wm_status (*step)(wm_agent* agent, wm_cell* next);
    /// The cell that the last step headed for, for pictures; only while the agent is on its way.
    /// NULL where there is no such cell.
    wm_cell (*target)(const wm_agent* agent);
} wm_algorithm;

size_t wm_algorithm_count(void);
const wm_algorithm* wm_algorithm_at(size_t index);
/// Parses `name[:parameter=value]...`.
wm_status wm_algorithm_parse(const char* spec, const wm_algorithm** algorithm,
                             wm_parameter_values* values, wm_error* error);
/// Writes a parameter's value as a user would.
void wm_parameter_format(char* text, size_t size, const wm_parameter* parameter, int64_t value);
