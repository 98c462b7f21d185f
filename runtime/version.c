// SPDX-License-Identifier: MIT
#include <waymark.h>

const char* wm_version(void)
{
    return WAYMARK_VERSION; // set by the build, from the project's version
}
