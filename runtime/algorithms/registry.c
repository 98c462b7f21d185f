// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "algorithm.h"
#include "text.h"

// One line an algorithm: its file defines wm_algorithm_<name>.
#define ALGORITHMS(X)                                                                              \
    X(auto)                                                                                        \
    X(astar)                                                                                       \
    X(lrta)                                                                                        \
    X(regions)                                                                                     \
    X(knn_lrta)                                                                                    \
    X(d_lrta)                                                                                      \
    X(tba)                                                                                         \
    X(tb_wa)                                                                                       \
    X(tb_gbfs)                                                                                     \
    X(rtb_bfs)                                                                                     \
    X(prta)                                                                                        \
    X(rta)                                                                                         \
    X(rtaa)                                                                                        \
    X(lrta_ls)                                                                                     \
    X(lss_lrta)                                                                                    \
    X(rths)                                                                                        \
    X(da_lrta)                                                                                     \
    X(da_lrta_e)                                                                                   \
    X(w_da_lrta)

#define DECLARE(name) extern const wm_algorithm wm_algorithm_##name;
#define REFER(name) &wm_algorithm_##name,

ALGORITHMS(DECLARE)
static const wm_algorithm* const algorithms[] = {ALGORITHMS(REFER)};

size_t wm_algorithm_count(void)
{
    return sizeof algorithms / sizeof algorithms[0];
}

const wm_algorithm* wm_algorithm_at(size_t index)
{
    return algorithms[index];
}

static const wm_algorithm* find_algorithm(const char* name, size_t length)
{
    for (size_t i = 0; i < wm_algorithm_count(); i++) {
        if (strlen(algorithms[i]->name) == length && memcmp(algorithms[i]->name, name, length) == 0)
            return algorithms[i];
    }
    return NULL;
}

static int find_parameter(const wm_algorithm* algorithm, const char* name, size_t length)
{
    for (int i = 0; algorithm->parameters[i].name != NULL; i++) {
        const char* known = algorithm->parameters[i].name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) return i;
    }
    return -1;
}

// Digits, for decimals with up to three behind a point: read without the locale and exactly.
static bool parse_number(wm_parameter_kind kind, const char* text, size_t length, int64_t* value)
{
    const int64_t limit = INT64_MAX / 100000;
    int64_t number = 0;
    size_t i = 0;
    for (; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
        number = number * 10 + (text[i] - '0');
        if (number > limit) return false;
    }
    if (i == 0) return false;
    if (kind == WM_PARAMETER_INTEGER) {
        *value = number;
        return i == length;
    }
    int decimals = 0;
    if (i < length && text[i] == '.') {
        for (i++; i < length && text[i] >= '0' && text[i] <= '9' && decimals < 3; i++, decimals++)
            number = number * 10 + (text[i] - '0');
    }
    for (; decimals < 3; decimals++) number *= 10;
    *value = number;
    return i == length;
}

static bool parse_value(const wm_parameter* parameter, const char* text, size_t length,
                        int64_t* value)
{
    if (parameter->kind != WM_PARAMETER_CHOICE)
        return parse_number(parameter->kind, text, length, value) && *value >= parameter->min &&
               *value <= parameter->max;
    for (int i = 0; parameter->choices[i] != NULL; i++) {
        *value = i;
        if (wm_text_equals((wm_text){text, length}, parameter->choices[i])) return true;
    }
    return false;
}

void wm_parameter_format(char* text, size_t size, const wm_parameter* parameter, int64_t value)
{
    const bool in_range = value >= parameter->min && value <= parameter->max;
    if (value == WM_PARAMETER_BY_PRESET) {
        snprintf(text, size, "by preset");
        return;
    }
    if (parameter->kind == WM_PARAMETER_CHOICE && in_range) {
        snprintf(text, size, "%s", parameter->choices[value]);
        return;
    }
    if (parameter->kind != WM_PARAMETER_DECIMAL) {
        snprintf(text, size, "%lld", (long long)value);
        return;
    }
    int length =
        snprintf(text, size, "%lld.%03lld", (long long)(value / 1000), (long long)(value % 1000));
    if (length < 0 || (size_t)length >= size) return;
    while (text[length - 1] == '0') text[--length] = '\0';
    if (text[length - 1] == '.') text[--length] = '\0';
}

static wm_status fail_choice(const wm_algorithm* algorithm, const wm_parameter* parameter,
                             const char* value, size_t length, wm_error* error)
{
    char known[128] = "";
    size_t used = 0;
    for (int i = 0; parameter->choices[i] != NULL && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ",
                                 parameter->choices[i]);
    return wm_fail(error, WM_ERR_ARGUMENT, "%s: %s=%s is none of %s", algorithm->name,
                   parameter->name, wm_text_quote((wm_text){value, length}).text, known);
}

static wm_status fail_range(const wm_algorithm* algorithm, const wm_parameter* parameter,
                            const char* value, size_t length, wm_error* error)
{
    static const char* const kinds[] = {
        [WM_PARAMETER_INTEGER] = "a whole number",
        [WM_PARAMETER_DECIMAL] = "a number with up to three decimals",
    };
    char min[32];
    char max[32];
    if (parameter->kind == WM_PARAMETER_CHOICE)
        return fail_choice(algorithm, parameter, value, length, error);
    wm_parameter_format(min, sizeof min, parameter, parameter->min);
    wm_parameter_format(max, sizeof max, parameter, parameter->max);
    return wm_fail(error, WM_ERR_ARGUMENT, "%s: %s=%s is not %s from %s to %s", algorithm->name,
                   parameter->name, wm_text_quote((wm_text){value, length}).text,
                   kinds[parameter->kind], min, max);
}

// Reads `name=value`, `length` characters long, into the values; `given` has those read before.
static wm_status parse_setting(const wm_algorithm* algorithm, const char* text, size_t length,
                               wm_parameter_values* values, bool* given, wm_error* error)
{
    const char* equals = memchr(text, '=', length);
    const size_t name_length = equals == NULL ? length : (size_t)(equals - text);
    const int index = find_parameter(algorithm, text, name_length);
    if (index < 0)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "%s has no parameter \"%s\"; `waymark-run list` shows what it has",
                       algorithm->name, wm_text_quote((wm_text){text, name_length}).text);
    if (equals == NULL)
        return wm_fail(error, WM_ERR_ARGUMENT, "%s: the parameter %s needs a value, as in %s=...",
                       algorithm->name, algorithm->parameters[index].name,
                       algorithm->parameters[index].name);
    const wm_parameter* parameter = &algorithm->parameters[index];
    const char* value = equals + 1;
    const size_t value_length = length - name_length - 1;
    int64_t parsed = 0;
    if (!parse_value(parameter, value, value_length, &parsed))
        return fail_range(algorithm, parameter, value, value_length, error);
    if (given[index])
        return wm_fail(error, WM_ERR_ARGUMENT, "%s: the parameter %s is given twice; give it once",
                       algorithm->name, parameter->name);
    given[index] = true;
    values->at[index] = parsed;
    return WM_OK;
}

wm_status wm_algorithm_parse(const char* spec, const wm_algorithm** algorithm,
                             wm_parameter_values* values, wm_error* error)
{
    if (spec == NULL) return wm_fail(error, WM_ERR_ARGUMENT, "no algorithm is named");
    const size_t length = strcspn(spec, ":");
    *algorithm = find_algorithm(spec, length);
    if (*algorithm == NULL)
        return wm_fail(error, WM_ERR_ARGUMENT,
                       "there is no algorithm \"%s\"; `waymark-run list` shows what there is",
                       wm_text_quote((wm_text){spec, length}).text);
    *values = (wm_parameter_values){0};
    for (int i = 0; (*algorithm)->parameters[i].name != NULL; i++)
        values->at[i] = (*algorithm)->parameters[i].standard;
    bool given[WM_MAX_PARAMETERS] = {false};
    for (const char* at = spec + length; *at == ':';) {
        at++;
        const size_t setting = strcspn(at, ":");
        const wm_status status = parse_setting(*algorithm, at, setting, values, given, error);
        if (status != WM_OK) return status;
        at += setting;
    }
    return WM_OK;
}
