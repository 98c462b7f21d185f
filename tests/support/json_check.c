// SPDX-License-Identifier: MIT
//
// Recursive descent over RFC 8259; each function returns the place behind what it read, or NULL.
#include "json_check.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const char* value(const char* at);

static const char* skip_blanks(const char* at)
{
    return at + strspn(at, " \t\r\n");
}

static const char* digits(const char* at)
{
    const size_t count = strspn(at, "0123456789");
    return count == 0 ? NULL : at + count;
}

static const char* number(const char* at)
{
    if (*at == '-') at++;
    if (*at == '0' && isdigit((unsigned char)at[1])) return NULL;
    at = digits(at);
    if (at != NULL && *at == '.') at = digits(at + 1);
    if (at == NULL || (*at != 'e' && *at != 'E')) return at;
    at++;
    if (*at == '+' || *at == '-') at++;
    return digits(at);
}

static const char* escape(const char* at)
{
    if (*at != 'u') return *at != '\0' && strchr("\"\\/bfnrt", *at) != NULL ? at + 1 : NULL;
    for (int i = 1; i <= 4; i++)
        if (!isxdigit((unsigned char)at[i])) return NULL;
    return at + 5;
}

static const char* string(const char* at)
{
    if (*at++ != '"') return NULL;
    while (at != NULL && *at != '"') {
        if ((unsigned char)*at < ' ') return NULL;
        at = *at == '\\' ? escape(at + 1) : at + 1;
    }
    return at == NULL ? NULL : at + 1;
}

static const char* member(const char* at)
{
    at = string(at);
    if (at == NULL) return NULL;
    at = skip_blanks(at);
    return *at == ':' ? value(at + 1) : NULL;
}

// What stands between the brackets of an array or object.
static const char* list(const char* at, char end, const char* (*item)(const char*))
{
    at = skip_blanks(at);
    if (*at == end) return at + 1;
    for (;;) {
        at = item(skip_blanks(at));
        if (at == NULL) return NULL;
        at = skip_blanks(at);
        if (*at == end) return at + 1;
        if (*at++ != ',') return NULL;
    }
}

static const char* literal(const char* at, const char* word)
{
    return strncmp(at, word, strlen(word)) == 0 ? at + strlen(word) : NULL;
}

static const char* value(const char* at)
{
    at = skip_blanks(at);
    switch (*at) {
    case '{': return list(at + 1, '}', member);
    case '[': return list(at + 1, ']', value);
    case '"': return string(at);
    case 't': return literal(at, "true");
    case 'f': return literal(at, "false");
    case 'n': return literal(at, "null");
    default: return number(at);
    }
}

bool json_is_valid(const char* text)
{
    const char* end = value(text);
    return end != NULL && *skip_blanks(end) == '\0';
}
