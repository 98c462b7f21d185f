// SPDX-License-Identifier: MIT
//
// Lines, words and numbers of text files, without copies, without the locale and without trust.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Characters that belong to someone else; not ended by a zero.
typedef struct wm_text {
    const char* at;
    size_t length;
} wm_text;

/// Goes through a text line by line. Start from {text, size, 0}.
typedef struct wm_lines {
    const char* at;
    size_t left;
    size_t number; ///< Of the line given last, from 1.
} wm_lines;

/// Gives the next line without its end (LF or CRLF); false when there is none.
bool wm_lines_next(wm_lines* lines, wm_text* line);
/// Takes the next word from the front of `line`; empty when only blanks and tabs are left.
wm_text wm_text_word(wm_text* line);
/// Takes what stands before the next `separator` from the front of `line`, and the separator.
wm_text wm_text_field(wm_text* line, char separator);
/// The same text without blanks and tabs at both ends.
wm_text wm_text_trim(wm_text text);
bool wm_text_equals(wm_text text, const char* word);

/// Digits only. False for anything else, and for more than `max`.
bool wm_text_to_u32(wm_text text, uint32_t max, uint32_t* value);
/// A number that is not negative: digits, a point, an exponent.
bool wm_text_to_double(wm_text text, double* value);

/// A text as it may be shown in a sentence: short and printable.
typedef struct wm_quote {
    char text[40];
} wm_quote;
wm_quote wm_text_quote(wm_text text);
