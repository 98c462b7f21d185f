// SPDX-License-Identifier: MIT
//
// Many agents, a frame at a time. Crowds are larger than the caches: while one agent is stepped, the
// next ones are fetched.
#include "internal.h"

// Agents that are fetched ahead: enough to hide a miss behind the steps between.
#define FETCH_AHEAD 8
#define LINE 64

wm_frame wm_frame_default(void)
{
    return (wm_frame){.max_expansions = UINT64_MAX};
}

static void fetch(const wm_agent* agent)
{
    if (agent == NULL) return;
    // Numbers: the last line may lie behind a small agent, where nothing may point to.
    const uintptr_t front = (uintptr_t)agent;
    const uintptr_t own = (uintptr_t)wm_agent_own(agent);
    __builtin_prefetch((const void*)front);
    __builtin_prefetch((const void*)(front + LINE));
    __builtin_prefetch((const void*)own);
    __builtin_prefetch((const void*)(own + LINE - 1));
}

static size_t after(size_t index, size_t count)
{
    return index + 1 == count ? 0 : index + 1;
}

// Whether the agent is left out: it might exceed what is left, and others were stepped before it.
static bool must_wait(const wm_frame* frame, const wm_agent* agent)
{
    if (frame->moved == 0 || frame->max_expansions == UINT64_MAX) return false;
    return frame->expansions >= frame->max_expansions ||
           agent->most_expansions > frame->max_expansions - frame->expansions;
}

static void step_one(wm_frame* frame, wm_agent* agent)
{
    const uint64_t before = agent->expansions;
    if (wm_agent_step(agent) != WM_OK) frame->ended++;
    frame->expansions += agent->expansions - before;
    frame->moved++;
}

wm_status wm_agents_step(wm_agent* const* agents, size_t count, wm_frame* frame)
{
    if (agents == NULL || frame == NULL) return WM_ERR_ARGUMENT;
    frame->moved = 0;
    frame->ended = 0;
    frame->expansions = 0;
    if (frame->next >= count) frame->next = 0; // the crowd may have shrunk
    size_t ahead = frame->next;
    for (size_t i = 0; i < FETCH_AHEAD && i < count; i++, ahead = after(ahead, count))
        fetch(agents[ahead]);
    size_t at = frame->next;
    for (size_t i = 0; i < count; i++, at = after(at, count), ahead = after(ahead, count)) {
        fetch(agents[ahead]);
        wm_agent* agent = agents[at];
        if (agent == NULL || agent->result != WM_OK) continue;
        if (must_wait(frame, agent)) break;
        step_one(frame, agent);
    }
    frame->next = at;
    return WM_OK;
}
