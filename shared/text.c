// SPDX-License-Identifier: MIT
#include "text.h"

#include <string.h>

bool wm_lines_next(wm_lines* lines, wm_text* line)
{
    if (lines->left == 0) return false;
    const char* end = memchr(lines->at, '\n', lines->left);
    const size_t length = end == NULL ? lines->left : (size_t)(end - lines->at);
    const size_t taken = end == NULL ? length : length + 1;
    *line = (wm_text){lines->at, length};
    if (length > 0 && line->at[length - 1] == '\r') line->length--;
    lines->at += taken;
    lines->left -= taken;
    lines->number++;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip(wm_text* text, size_t count)
{
    text->at += count;
    text->length -= count;
}

wm_text wm_text_trim(wm_text text)
{
    while (text.length > 0 && is_blank(text.at[0])) skip(&text, 1);
    while (text.length > 0 && is_blank(text.at[text.length - 1])) text.length--;
    return text;
}

wm_text wm_text_word(wm_text* line)
{
    while (line->length > 0 && is_blank(line->at[0])) skip(line, 1);
    wm_text word = {line->at, 0};
    while (word.length < line->length && !is_blank(line->at[word.length])) word.length++;
    skip(line, word.length);
    return word;
}

wm_text wm_text_field(wm_text* line, char separator)
{
    const char* end = line->length == 0 ? NULL : memchr(line->at, separator, line->length);
    const wm_text field = {line->at, end == NULL ? line->length : (size_t)(end - line->at)};
    skip(line, end == NULL ? field.length : field.length + 1);
    return field;
}

bool wm_text_equals(wm_text text, const char* word)
{
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool wm_text_to_u32(wm_text text, uint32_t max, uint32_t* value)
{
    uint64_t number = 0;
    if (text.length == 0) return false;
    for (size_t i = 0; i < text.length; i++) {
        if (!is_digit(text.at[i])) return false;
        number = number * 10 + (uint64_t)(text.at[i] - '0');
        if (number > max) return false;
    }
    *value = (uint32_t)number;
    return true;
}

// Takes digits from the front; those past the precision of a double only move the point.
static size_t take_digits(wm_text* text, uint64_t* digits, int* dropped)
{
    size_t taken = 0;
    for (; text->length > 0 && is_digit(text->at[0]); skip(text, 1), taken++) {
        if (*digits < UINT64_C(100000000000000000)) {
            *digits = *digits * 10 + (uint64_t)(text->at[0] - '0');
        } else {
            (*dropped)++;
        }
    }
    return taken;
}

static bool take_exponent(wm_text* text, int* exponent)
{
    uint32_t value;
    if (text->length == 0) return true;
    if (text->at[0] != 'e' && text->at[0] != 'E') return false;
    skip(text, 1);
    const bool negative = text->length > 0 && text->at[0] == '-';
    if (text->length > 0 && (negative || text->at[0] == '+')) skip(text, 1);
    if (!wm_text_to_u32(*text, 99, &value)) return false;
    *exponent += negative ? -(int)value : (int)value;
    return true;
}

bool wm_text_to_double(wm_text text, double* value)
{
    uint64_t digits = 0;
    int exponent = 0;
    int dropped = 0;
    size_t count = take_digits(&text, &digits, &exponent);
    if (text.length > 0 && text.at[0] == '.') {
        skip(&text, 1);
        const size_t decimals = take_digits(&text, &digits, &dropped);
        if (decimals > 1000) return false;
        count += decimals;
        exponent -= (int)decimals - dropped;
    }
    if (count == 0 || count > 1000 || !take_exponent(&text, &exponent)) return false;

    // One division by an exact power of ten: the nearest double for every number of 15 digits.
    double power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0 && power < 1e300; i--) power *= 10;
    *value = exponent < 0 ? (double)digits / power : (double)digits * power;
    return *value <= 1e300;
}

wm_quote wm_text_quote(wm_text text)
{
    wm_quote quote;
    const size_t room = sizeof quote.text - 1;
    const size_t length = text.length < room ? text.length : room;
    for (size_t i = 0; i < length; i++) {
        const bool printable = text.at[i] >= ' ' && text.at[i] <= '~';
        quote.text[i] = printable ? text.at[i] : '?';
    }
    if (text.length > room) memset(quote.text + room - 3, '.', 3);
    quote.text[length] = '\0';
    return quote;
}
