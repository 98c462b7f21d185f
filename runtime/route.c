// SPDX-License-Identifier: MIT
//
// What lies ahead of an agent, by walking it: it steps until it ends, and is then put back from a copy
// of itself, edits that it took up on the way included. It stays where it is in memory, so that what
// points into it holds.
#include <string.h>

#include "alloc.h"
#include "internal.h"

// Agents of less are copied to the stack.
#define SMALL 1024

// Every algorithm arrives where there is a way; this many moves a cell are far beyond any of them.
#define MOVES_PER_CELL 1000

// An agent, its own part and its state, one behind the other.
typedef struct backup {
    uint8_t* bytes;
    size_t size;
    void* borrowed; // a state for the time of the call, or NULL
    uint8_t on_stack[SMALL];
} backup;

static size_t front_bytes(const wm_agent* agent)
{
    return sizeof *agent + agent->own_bytes;
}

static bool save(backup* b, const wm_agent* agent)
{
    const size_t state_bytes = agent->state == NULL ? 0 : agent->state_bytes;
    b->borrowed = NULL;
    b->size = front_bytes(agent) + state_bytes;
    b->bytes =
        b->size <= sizeof b->on_stack ? b->on_stack : wm_alloc(&agent->allocator, 1, b->size);
    if (b->bytes == NULL) return false;
    memcpy(b->bytes, agent, front_bytes(agent));
    if (state_bytes > 0) memcpy(b->bytes + front_bytes(agent), agent->state, state_bytes);
    return true;
}

static void restore(backup* b, wm_agent* agent)
{
    memcpy(agent, b->bytes, front_bytes(agent));
    if (agent->state != NULL)
        memcpy(agent->state, b->bytes + front_bytes(agent), b->size - front_bytes(agent));
    if (b->bytes != b->on_stack) wm_release(&agent->allocator, b->bytes, 1, b->size);
    wm_release(&agent->allocator, b->borrowed, 1, agent->state_bytes);
}

// Lets the agent walk without its scratch, whose other users must not notice: its end then gives no
// state away, and where it would take one for an edit it gets one here. @return false: no memory
static bool leave_scratch(backup* b, wm_agent* agent)
{
    const bool may_take_state = agent->scratch != NULL && agent->state == NULL &&
                                agent->state_bytes > 0 &&
                                agent->revision != agent->map->grid.revision;
    agent->scratch = NULL;
    if (!may_take_state) return true;
    b->borrowed = wm_alloc(&agent->allocator, 1, agent->state_bytes);
    agent->state = b->borrowed;
    if (agent->state == NULL) return false;
    agent->algorithm->init(agent);
    return true;
}

// Steps the agent to its end and notes where it comes by.
static wm_status walk_ahead(wm_agent* agent, wm_point* cells, size_t capacity, size_t* length)
{
    const uint64_t limit = MOVES_PER_CELL * (uint64_t)agent->grid->open_count;
    wm_status status = wm_agent_catch_up(agent);
    if (status == WM_OK && !wm_grid_connected(agent->grid, agent->position, agent->goal))
        return WM_NO_PATH;
    for (uint64_t i = 0; i < limit && status == WM_OK; i++) {
        const wm_cell before = agent->position;
        status = wm_agent_step(agent);
        if (agent->position == before) continue;
        if (*length < capacity) cells[*length] = wm_grid_point(agent->grid, agent->position);
        ++*length;
    }
    return status == WM_OK ? WM_NO_PATH : status;
}

wm_status wm_agent_route(wm_agent* agent, wm_point* cells, size_t capacity, size_t* length)
{
    if (length != NULL) *length = 0;
    if (agent == NULL || length == NULL || (cells == NULL && capacity > 0) ||
        agent->result != WM_OK || agent->belief != NULL)
        return WM_ERR_ARGUMENT;
    backup saved;
    if (!save(&saved, agent)) return WM_ERR_MEMORY;
    wm_status status = WM_ERR_MEMORY;
    if (leave_scratch(&saved, agent)) status = walk_ahead(agent, cells, capacity, length);
    restore(&saved, agent);
    if (status != WM_ARRIVED) {
        *length = 0;
        return status;
    }
    return *length > capacity ? WM_ERR_SHORT : WM_OK;
}
