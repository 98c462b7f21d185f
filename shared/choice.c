// SPDX-License-Identifier: MIT
#include "choice.h"

#include <string.h>

wm_status wm_choice_encode(wm_buffer* out, const wm_choice* choice)
{
    const size_t length = strlen(choice->spec);
    wm_put_u64(out, choice->map_hash);
    wm_put_u32(out, choice->tried);
    wm_put_u32(out, choice->budget);
    wm_put_u32(out, choice->problems);
    wm_put_u32(out, choice->mean);
    wm_put_u32(out, choice->max_expansions);
    wm_put_u64(out, choice->seed);
    wm_put_u32(out, (uint32_t)length);
    wm_put_bytes(out, choice->spec, length);
    return out->failed ? WM_ERR_MEMORY : WM_OK;
}

// A SPEC is printable, so that it can be shown in a sentence.
static bool is_printable(const char* text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] <= ' ' || text[i] > '~') return false;
    }
    return length > 0;
}

wm_status wm_choice_decode(wm_choice* choice, const uint8_t* data, size_t size, const char* name,
                           wm_error* error)
{
    wm_reader reader = {.data = data, .left = size};
    *choice = (wm_choice){0};
    choice->map_hash = wm_get_u64(&reader);
    choice->tried = wm_get_u32(&reader);
    choice->budget = wm_get_u32(&reader);
    choice->problems = wm_get_u32(&reader);
    choice->mean = wm_get_u32(&reader);
    choice->max_expansions = wm_get_u32(&reader);
    choice->seed = wm_get_u64(&reader);
    const uint32_t length = wm_get_u32(&reader);
    const bool fits = !reader.failed && choice->problems > 0 &&
                      choice->problems <= WM_CHOICE_MAX_PROBLEMS && length <= WM_CHOICE_MAX_SPEC &&
                      length == reader.left;
    if (fits) {
        memcpy(choice->spec, reader.data, length);
        if (is_printable(choice->spec, length)) return WM_OK;
    }
    return wm_fail(error, WM_ERR_FORMAT, "%s is damaged; choose again, into a new file", name);
}
