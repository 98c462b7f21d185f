// SPDX-License-Identifier: MIT
#include "alloc.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "status.h"

static bool multiply(size_t a, size_t b, size_t* product)
{
    if (b != 0 && a > SIZE_MAX / b) return false;
    *product = a * b;
    return true;
}

wm_status wm_check_allocator(const wm_allocator* allocator, wm_error* error)
{
    if ((allocator->allocate == NULL) == (allocator->release == NULL)) return WM_OK;
    return wm_fail(error, WM_ERR_ARGUMENT,
                   "the allocator has no %s function; give both, or neither for malloc and free",
                   allocator->allocate == NULL ? "allocate" : "release");
}

void* wm_alloc(const wm_allocator* allocator, size_t count, size_t size)
{
    size_t bytes;
    if (!multiply(count, size, &bytes)) return NULL;
    if (bytes == 0) bytes = 1; // so that NULL always means failure
    // calloc hands out untouched zero pages: large tables cost nothing until they are used.
    if (allocator == NULL || allocator->allocate == NULL) return calloc(1, bytes);
    void* block = allocator->allocate(allocator->user, bytes, alignof(max_align_t));
    if (block != NULL) memset(block, 0, bytes);
    return block;
}

void wm_release(const wm_allocator* allocator, void* block, size_t count, size_t size)
{
    if (block == NULL) return;
    if (allocator == NULL || allocator->allocate == NULL) {
        free(block);
    } else {
        const size_t bytes = count * size;
        allocator->release(allocator->user, block, bytes == 0 ? 1 : bytes);
    }
}

void* wm_grow(void* block, size_t* capacity, size_t needed, size_t size)
{
    if (block != NULL && needed <= *capacity) return block;
    size_t wanted = *capacity == 0 ? 16 : *capacity;
    while (wanted < needed) {
        if (wanted > SIZE_MAX / 2) return NULL;
        wanted *= 2;
    }
    size_t bytes;
    if (!multiply(wanted, size, &bytes) || bytes == 0) return NULL;
    void* grown = realloc(block, bytes);
    if (grown != NULL) *capacity = wanted;
    return grown;
}

void wm_prefer_large_pages(void* block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)2 << 20;
    const uintptr_t begin = ((uintptr_t)block + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)block + bytes) / page * page;
    // Advice only: whatever comes of it, the block can be used.
    if (begin < end) (void)madvise((void*)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)block;
    (void)bytes;
#endif
}
