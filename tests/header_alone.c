// SPDX-License-Identifier: MIT
//
// Compiled by itself, as C and as C++: the public header needs nothing in front of it.
#include <waymark.h>
