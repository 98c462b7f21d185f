// SPDX-License-Identifier: MIT
#include "bytes.h"

#include <string.h>

#include "support.h"

static void numbers_are_stored_lowest_byte_first(void** state)
{
    (void)state;
    static const uint8_t expected[] = {0x01, 0x03, 0x02, 0x07, 0x06, 0x05, 0x04, 0x0F,
                                       0x0E, 0x0D, 0x0C, 0x0B, 0x0A, 0x09, 0x08};
    wm_buffer buffer = {0};
    wm_put_u8(&buffer, 0x01);
    wm_put_u16(&buffer, 0x0203);
    wm_put_u32(&buffer, 0x04050607);
    wm_put_u64(&buffer, UINT64_C(0x08090A0B0C0D0E0F));
    assert_false(buffer.failed);
    assert_int_equal(buffer.size, sizeof expected);
    assert_memory_equal(buffer.data, expected, sizeof expected);
    wm_buffer_free(&buffer);
    assert_null(buffer.data);
}

static void numbers_come_back_as_they_were_put(void** state)
{
    (void)state;
    wm_buffer buffer = {0};
    for (unsigned i = 0; i < 64; i++) {
        wm_put_u64(&buffer, UINT64_MAX >> i);
        wm_put_u32(&buffer, (uint32_t)(UINT64_MAX >> i));
        wm_put_u16(&buffer, (uint16_t)(UINT64_MAX >> i));
        wm_put_u8(&buffer, (uint8_t)(UINT64_MAX >> i));
    }
    wm_reader reader = {.data = buffer.data, .left = buffer.size};
    for (unsigned i = 0; i < 64; i++) {
        assert_true(wm_get_u64(&reader) == UINT64_MAX >> i);
        assert_true(wm_get_u32(&reader) == (uint32_t)(UINT64_MAX >> i));
        assert_true(wm_get_u16(&reader) == (uint16_t)(UINT64_MAX >> i));
        assert_true(wm_get_u8(&reader) == (uint8_t)(UINT64_MAX >> i));
    }
    assert_int_equal(reader.left, 0);
    assert_false(reader.failed);
    wm_buffer_free(&buffer);
}

static void a_buffer_grows_over_many_puts(void** state)
{
    (void)state;
    wm_buffer buffer = {0};
    for (unsigned i = 0; i < 100000; i++) wm_put_u8(&buffer, (uint8_t)(i * 7));
    wm_put_bytes(&buffer, NULL, 0);
    assert_int_equal(buffer.size, 100000);
    for (unsigned i = 0; i < 100000; i++) assert_int_equal(buffer.data[i], (uint8_t)(i * 7));
    wm_buffer_free(&buffer);
}

static void a_buffer_that_cannot_grow_fails_and_stays_whole(void** state)
{
    (void)state;
    const uint8_t byte = 5;
    wm_buffer buffer = {0};
    wm_put_u32(&buffer, 17);
    wm_put_bytes(&buffer, &byte, SIZE_MAX - 1); // the size is refused before a byte is read
    assert_true(buffer.failed);
    wm_put_u32(&buffer, 18);
    assert_int_equal(buffer.size, 4);
    wm_buffer_free(&buffer);
}

static void reading_past_the_end_fails_for_good(void** state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 2, 3};
    wm_reader reader = {.data = bytes, .left = sizeof bytes};
    assert_int_equal(wm_get_u32(&reader), 0);
    assert_true(reader.failed);
    assert_int_equal(wm_get_u8(&reader), 0);
    assert_null(wm_get_bytes(&reader, 1));
    assert_true(reader.failed);
}

static void bytes_are_handed_out_up_to_the_last(void** state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 2, 3};
    wm_reader reader = {.data = bytes, .left = sizeof bytes};
    assert_ptr_equal(wm_get_bytes(&reader, 2), bytes);
    assert_ptr_equal(wm_get_bytes(&reader, 1), bytes + 2);
    assert_non_null(wm_get_bytes(&reader, 0));
    assert_false(reader.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_stored_lowest_byte_first),
        cmocka_unit_test(numbers_come_back_as_they_were_put),
        cmocka_unit_test(a_buffer_grows_over_many_puts),
        cmocka_unit_test(a_buffer_that_cannot_grow_fails_and_stays_whole),
        cmocka_unit_test(reading_past_the_end_fails_for_good),
        cmocka_unit_test(bytes_are_handed_out_up_to_the_last),
    };
    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
