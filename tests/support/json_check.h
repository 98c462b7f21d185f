// SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>

/// Whether `text` is exactly one well-formed JSON value.
bool json_is_valid(const char* text);
