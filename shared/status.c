// SPDX-License-Identifier: MIT
#define WM_STATUS_BODIES
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

const char* wm_status_name(wm_status status)
{
    switch (status) {
    case WM_OK: return "ok";
    case WM_ARRIVED: return "arrived";
    case WM_NO_PATH: return "no path";
    case WM_ERR_ARGUMENT: return "wrong argument";
    case WM_ERR_MEMORY: return "out of memory";
    case WM_ERR_IO: return "input or output failed";
    case WM_ERR_FORMAT: return "damaged or unknown format";
    case WM_ERR_VERSION: return "another format version";
    case WM_ERR_MISMATCH: return "built for another map";
    case WM_ERR_NOT_FOUND: return "not found";
    case WM_ERR_BUSY: return "in use by another process";
    case WM_ERR_INTERRUPTED: return "interrupted";
    case WM_ERR_TOO_FEW: return "too few";
    case WM_ERR_BLOCKED: return "in a wall";
    case WM_ERR_SHORT: return "buffer too short";
    }
    return "unknown status";
}

wm_status wm_fail(wm_error* error, wm_status status, const char* format, ...)
{
    if (error == NULL) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

wm_status wm_fail_memory(wm_error* error, size_t size_bytes)
{
    return wm_fail(error, WM_ERR_MEMORY,
                   "out of memory: %zu bytes could not be had; "
                   "free some memory or use a smaller map",
                   size_bytes);
}
