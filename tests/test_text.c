// SPDX-License-Identifier: MIT
#include "text.h"

#include <string.h>

#include "support.h"

static wm_text text_of(const char* string)
{
    return (wm_text){string, strlen(string)};
}

static void lines_end_with_lf_or_crlf_or_the_file(void** state)
{
    (void)state;
    static const char text[] = "one\r\ntwo\n\n\rfour";
    static const char* const expected[] = {"one", "two", "", "\rfour"};
    wm_lines lines = {text, strlen(text), 0};
    wm_text line;
    for (size_t i = 0; i < 4; i++) {
        assert_true(wm_lines_next(&lines, &line));
        assert_true(wm_text_equals(line, expected[i]));
        assert_int_equal(lines.number, i + 1);
    }
    assert_false(wm_lines_next(&lines, &line));
    assert_false(wm_lines_next(&(wm_lines){NULL, 0, 0}, &line));
}

static void words_and_fields_are_taken_from_the_front(void** state)
{
    (void)state;
    wm_text line = text_of("  a \t bc ");
    assert_true(wm_text_equals(wm_text_word(&line), "a"));
    assert_true(wm_text_equals(wm_text_word(&line), "bc"));
    assert_true(wm_text_equals(wm_text_word(&line), ""));
    line = text_of("a b\t\tc");
    assert_true(wm_text_equals(wm_text_field(&line, '\t'), "a b"));
    assert_true(wm_text_equals(wm_text_field(&line, '\t'), ""));
    assert_true(wm_text_equals(wm_text_field(&line, '\t'), "c"));
    assert_int_equal(line.length, 0);
}

static void whole_numbers_are_digits_within_their_limit(void** state)
{
    (void)state;
    static const char* const bad[] = {"",    "-1",         "+1",  " 1",  "1 ",
                                      "0x1", "4294967296", "1.0", "1e3", "99999999999999999999999"};
    uint32_t value = 0;
    assert_true(wm_text_to_u32(text_of("4294967295"), UINT32_MAX, &value));
    assert_true(value == UINT32_MAX);
    assert_true(wm_text_to_u32(text_of("000"), 0, &value));
    assert_int_equal(value, 0);
    assert_true(wm_text_to_u32(text_of("4096"), 4096, &value));
    assert_false(wm_text_to_u32(text_of("4097"), 4096, &value));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (wm_text_to_u32(text_of(bad[i]), UINT32_MAX, &value)) fail_msg("took '%s'", bad[i]);
    }
}

static void decimal_numbers_come_out_as_the_compiler_reads_them(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        double value;
    } good[] = {
        {"0", 0},
        {"326.83", 326.83},
        {"3.82843", 3.82843},
        {"1414.21356237", 1414.21356237},
        {".5", .5},
        {"5.", 5},
        {"8.1e+06", 8.1e6},
        {"1E2", 100},
        {"25e-2", 0.25},
        {"0.000001", 0.000001},
        {"123456789012345678901234567890", 123456789012345678e12},
        {"1.0000000000000000000000000000001", 1},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = -1;
        if (!wm_text_to_double(text_of(good[i].text), &value)) fail_msg("'%s'", good[i].text);
        const double error = value - good[i].value;
        const double allowed = good[i].value > 1e20 ? 1e10 : 0;
        if (error > allowed || error < -allowed) fail_msg("'%s' is %.17g", good[i].text, value);
    }
}

static void what_is_no_decimal_number_is_refused(void** state)
{
    (void)state;
    static const char* const bad[] = {"",      ".",   "-1", "+1",  "nan", "inf", "1,5",
                                      "1.2.3", "e",   "1e", "1e+", "e5",  "0x1", "1e100",
                                      "12a",   "1 2", "--", "1e-", "..",  "1e5x"};
    double value;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (wm_text_to_double(text_of(bad[i]), &value)) fail_msg("took '%s'", bad[i]);
    }
    char digits[5000];
    memset(digits, '9', sizeof digits);
    assert_false(wm_text_to_double((wm_text){digits, sizeof digits}, &value));
    digits[1] = '.';
    assert_false(wm_text_to_double((wm_text){digits, sizeof digits}, &value));
}

static void quotes_are_short_and_printable(void** state)
{
    (void)state;
    assert_string_equal(wm_text_quote(text_of("a\tb\x01\xFF")).text, "a?b??");
    const wm_quote quote =
        wm_text_quote(text_of("0123456789012345678901234567890123456789012345678901234567890"));
    assert_string_equal(quote.text, "012345678901234567890123456789012345...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_with_lf_or_crlf_or_the_file),
        cmocka_unit_test(words_and_fields_are_taken_from_the_front),
        cmocka_unit_test(whole_numbers_are_digits_within_their_limit),
        cmocka_unit_test(decimal_numbers_come_out_as_the_compiler_reads_them),
        cmocka_unit_test(what_is_no_decimal_number_is_refused),
        cmocka_unit_test(quotes_are_short_and_printable),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
