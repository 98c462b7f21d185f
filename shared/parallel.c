// SPDX-License-Identifier: MIT
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

// Short items are handed out in small blocks: one lock a block, and no thread waits long at the end.
#define BLOCK 16

typedef struct shared_state {
    const wm_parallel* loop;
    pthread_mutex_t mutex;
    size_t next; // the first item not handed out
    size_t done;
    wm_status status;
} shared_state;

// Reports what is finished and takes the next block; false when there is nothing left to do.
static bool take_block(shared_state* state, size_t finished, wm_status status, size_t* first,
                       size_t* end)
{
    const wm_parallel* loop = state->loop;
    pthread_mutex_lock(&state->mutex);
    state->done += finished;
    if (state->status == WM_OK) state->status = status;
    if (state->status == WM_OK && loop->progress != NULL &&
        !loop->progress(loop->progress_context, state->done, loop->count))
        state->status = WM_ERR_INTERRUPTED;
    const bool more = state->status == WM_OK && state->next < loop->count;
    const size_t block = loop->block == 0 ? BLOCK : loop->block;
    if (more) {
        *first = state->next;
        *end = loop->count - state->next < block ? loop->count : state->next + block;
        state->next = *end;
    }
    pthread_mutex_unlock(&state->mutex);
    return more;
}

static void* work(void* argument)
{
    shared_state* state = argument;
    const wm_parallel* loop = state->loop;
    void* workspace = NULL;
    wm_status status = loop->start == NULL ? WM_OK : loop->start(loop->context, &workspace);
    size_t first = 0;
    size_t end = 0;
    while (take_block(state, end - first, status, &first, &end)) {
        for (size_t i = first; i < end && status == WM_OK; i++)
            status = loop->item(loop->context, workspace, i);
    }
    if (loop->finish != NULL) loop->finish(loop->context, workspace);
    return NULL;
}

wm_status wm_parallel_run(const wm_parallel* loop)
{
    shared_state state = {.loop = loop, .status = WM_OK};
    if (pthread_mutex_init(&state.mutex, NULL) != 0) return WM_ERR_MEMORY;
    // Before the threads make their workspaces: the first report is the true beginning.
    if (loop->progress != NULL && !loop->progress(loop->progress_context, 0, loop->count))
        state.status = WM_ERR_INTERRUPTED;
    const unsigned extra = loop->threads > 1 ? loop->threads - 1 : 0;
    pthread_t* threads = calloc(extra + 1u, sizeof *threads);
    unsigned running = 0;
    // A thread that cannot be had is no failure: the others do its share.
    while (threads != NULL && running < extra &&
           pthread_create(&threads[running], NULL, work, &state) == 0)
        running++;
    work(&state);
    for (unsigned i = 0; i < running; i++) pthread_join(threads[i], NULL);
    free(threads);
    pthread_mutex_destroy(&state.mutex);
    return state.status;
}

unsigned wm_processor_count(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        const int count = CPU_COUNT(&allowed);
        if (count > 0) return (unsigned)count;
    }
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}
