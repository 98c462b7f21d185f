// SPDX-License-Identifier: MIT
//
// The envelope of payloads, header field by header field; docs/format.md has the offsets.
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "hash.h"
#include "pack.h"
#include "rng.h"
#include "support.h"

enum { MAJOR = 4, MINOR = 6, METHOD = 8, FLAGS = 10, SIZE = 12, CHECKSUM = 20, FRAMES = 28 };

#define LIMIT ((size_t)256 << 20)

// The linker puts this in malloc's place, so that the tests see what is asked for.
void* __real_malloc(size_t size);
void* __wrap_malloc(size_t size);
static size_t largest_request;

void* __wrap_malloc(size_t size)
{
    if (size > largest_request) largest_request = size;
    return __real_malloc(size);
}

static wm_buffer make_payload(void)
{
    wm_buffer payload = {0};
    wm_rng rng = wm_rng_start(1, 0);
    for (int i = 0; i < 300; i++) wm_put_u8(&payload, (uint8_t)wm_rng_below(&rng, 5));
    for (int i = 0; i < 200; i++) wm_put_u8(&payload, (uint8_t)wm_rng_next(&rng));
    return payload;
}

static wm_buffer seal(const wm_buffer* payload)
{
    const size_t sections[] = {100, 0, 200, payload->size - 300};
    wm_buffer blob = {0};
    assert_int_equal(wm_format_seal(&blob, WM_METHOD_KNN, payload, sections, 4), WM_OK);
    return blob;
}

static wm_buffer sealed(void)
{
    wm_buffer payload = make_payload();
    wm_buffer blob = seal(&payload);
    wm_buffer_free(&payload);
    return blob;
}

static void put_number(wm_buffer* blob, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) blob->data[at + i] = (uint8_t)(value >> (8 * i));
}

// Opens a copy of exactly the blob's size, so that a sanitizer sees every step outside.
static wm_status open_blob(const wm_buffer* blob, wm_buffer* payload, wm_error* error)
{
    uint8_t* copy = __real_malloc(blob->size == 0 ? 1 : blob->size);
    assert_non_null(copy);
    if (blob->size > 0) memcpy(copy, blob->data, blob->size);
    *payload = (wm_buffer){0};
    largest_request = 0;
    const wm_status status =
        wm_format_open(payload, copy, blob->size, WM_METHOD_KNN, LIMIT, "it", error);
    free(copy);
    if (status != WM_OK) {
        assert_null(payload->data);
        assert_int_equal(strncmp(error->message, "it ", 3), 0);
    }
    return status;
}

static void expect(const wm_buffer* blob, wm_status expected, const char* sentence)
{
    wm_buffer payload;
    wm_error error = {0};
    const wm_status status = open_blob(blob, &payload, &error);
    wm_buffer_free(&payload);
    if (status != expected)
        fail_msg("status %d, not %d: %s", (int)status, (int)expected, error.message);
    assert_contains(error.message, sentence);
}

// ---------------------------------------------------------------------------------------------

static void a_payload_comes_back_as_it_was(void** state)
{
    (void)state;
    wm_buffer payload = make_payload();
    wm_buffer blob = seal(&payload);
    wm_buffer back;
    wm_error error = {0};
    assert_int_equal(open_blob(&blob, &back, &error), WM_OK);
    assert_true(largest_request >= payload.size); // so the tests do see what is asked for
    assert_int_equal(back.size, payload.size);
    assert_memory_equal(back.data, payload.data, payload.size);
    assert_true(wm_format_content_hash(&back) == wm_format_content_hash(&payload));
    wm_buffer_free(&back);
    wm_buffer_free(&blob);
    wm_buffer_free(&payload);
}

static void the_header_has_its_fields_where_the_format_says(void** state)
{
    (void)state;
    wm_buffer payload = make_payload();
    wm_buffer blob = seal(&payload);
    static const uint8_t front[] = {'W', 'M', 'K', 'P', 1, 0, 0, 0, 1, 0, 0, 0, 0xF4, 1, 0, 0};
    assert_memory_equal(blob.data, front, sizeof front);
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < payload.size; i++)
        hash = (hash ^ payload.data[i]) * UINT64_C(1099511628211);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(blob.data[CHECKSUM + i], (uint8_t)(hash >> (8 * i)));
    // A frame for each of the four sections.
    size_t frames = 0;
    for (size_t at = FRAMES; at < blob.size; frames++)
        at += ZSTD_findFrameCompressedSize(blob.data + at, blob.size - at);
    assert_int_equal(frames, 4);
    wm_buffer_free(&blob);
    wm_buffer_free(&payload);
}

static void methods_have_names_and_numbers(void** state)
{
    (void)state;
    wm_method method = 0;
    assert_string_equal(wm_method_name(WM_METHOD_KNN), "knn");
    assert_null(wm_method_name((wm_method)0));
    assert_null(wm_method_name((wm_method)1000));
    assert_true(wm_method_from_name(&method, "knn"));
    assert_int_equal(method, 1);
    assert_true(wm_method_from_name(&method, "d-lrta"));
    assert_int_equal(method, 3);
    assert_true(wm_method_from_name(&method, "choice"));
    assert_int_equal(method, 4);
    assert_false(wm_method_from_name(&method, "Knn"));
    assert_false(wm_method_from_name(&method, ""));
}

static void another_magic_is_no_search_data(void** state)
{
    (void)state;
    wm_buffer blob = sealed();
    for (size_t i = 0; i < 4; i++) {
        blob.data[i] ^= 0x20;
        expect(&blob, WM_ERR_FORMAT, "not Waymark search data");
        blob.data[i] ^= 0x20;
    }
    expect(&blob, WM_OK, "");
    wm_buffer_free(&blob);
}

static void another_major_version_is_refused_with_both_numbers(void** state)
{
    (void)state;
    wm_buffer blob = sealed();
    put_number(&blob, MAJOR, 2, 2);
    expect(&blob, WM_ERR_VERSION, "version 2 and this program reads version 1");
    put_number(&blob, MAJOR, 517, 2);
    expect(&blob, WM_ERR_VERSION, "version 517 and this program reads version 1");
    put_number(&blob, MAJOR, 0, 2);
    expect(&blob, WM_ERR_VERSION, "version 0 and this program reads version 1");
    // What else a newer version changes is not looked at.
    put_number(&blob, MAJOR, 2, 2);
    put_number(&blob, FLAGS, 9, 2);
    put_number(&blob, SIZE, UINT64_MAX, 8);
    expect(&blob, WM_ERR_VERSION, "version 2");
    wm_buffer_free(&blob);
}

static void a_newer_minor_version_is_read(void** state)
{
    (void)state;
    wm_buffer blob = sealed();
    put_number(&blob, MINOR, 1, 2);
    expect(&blob, WM_OK, "");
    put_number(&blob, MINOR, 65535, 2);
    expect(&blob, WM_OK, "");
    wm_buffer_free(&blob);
}

static void unknown_flags_and_other_methods_are_refused(void** state)
{
    (void)state;
    wm_buffer blob = sealed();
    for (unsigned bit = 0; bit < 16; bit++) {
        put_number(&blob, FLAGS, UINT64_C(1) << bit, 2);
        expect(&blob, WM_ERR_FORMAT, "header");
    }
    put_number(&blob, FLAGS, 0, 2);
    static const uint64_t methods[] = {0, 2, 256, 65535};
    for (size_t i = 0; i < 4; i++) {
        put_number(&blob, METHOD, methods[i], 2);
        expect(&blob, WM_ERR_FORMAT, "header");
    }
    wm_buffer_free(&blob);
}

static void a_size_or_checksum_that_is_not_the_payloads_is_refused(void** state)
{
    (void)state;
    wm_buffer blob = sealed();
    static const uint64_t sizes[] = {0, 1, 499, 501, UINT32_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        put_number(&blob, SIZE, sizes[i], 8);
        expect(&blob, WM_ERR_FORMAT, "damaged");
    }
    put_number(&blob, SIZE, 500, 8);
    for (size_t i = 0; i < 8; i++) {
        blob.data[CHECKSUM + i] ^= 0x80;
        expect(&blob, WM_ERR_FORMAT, "checksum");
        blob.data[CHECKSUM + i] ^= 0x80;
    }
    expect(&blob, WM_OK, "");
    wm_buffer_free(&blob);
}

static void a_blob_cut_short_anywhere_is_refused(void** state)
{
    (void)state;
    wm_buffer blob = sealed();
    const size_t whole = blob.size;
    for (blob.size = 0; blob.size < whole; blob.size++) expect(&blob, WM_ERR_FORMAT, "it ");
    wm_buffer_free(&blob);
}

static void bytes_behind_the_last_frame_are_refused(void** state)
{
    (void)state;
    for (unsigned value = 0; value < 256; value++) {
        wm_buffer blob = sealed();
        wm_put_u8(&blob, (uint8_t)value);
        expect(&blob, WM_ERR_FORMAT, "damaged");
        wm_put_u64(&blob, 0);
        expect(&blob, WM_ERR_FORMAT, "damaged");
        wm_buffer_free(&blob);
    }
    // A whole frame more is a payload of another size.
    wm_buffer blob = sealed();
    assert_int_equal(wm_pack(&blob, (const uint8_t*)"more", 4), WM_OK);
    expect(&blob, WM_ERR_FORMAT, "damaged");
    wm_buffer_free(&blob);
}

static void a_changed_byte_is_refused_or_changes_nothing(void** state)
{
    (void)state;
    wm_buffer payload = make_payload();
    wm_buffer blob = seal(&payload);
    size_t refused = 0;
    for (size_t i = 0; i < blob.size; i++) {
        for (unsigned change = 1; change < 256; change++) {
            wm_buffer back;
            wm_error error = {0};
            blob.data[i] = (uint8_t)(blob.data[i] ^ change);
            if (open_blob(&blob, &back, &error) == WM_OK) {
                if (back.size != payload.size || memcmp(back.data, payload.data, payload.size) != 0)
                    fail_msg("byte %zu changed by %u gives another payload", i, change);
                wm_buffer_free(&back);
            } else {
                refused++;
            }
            blob.data[i] = (uint8_t)(blob.data[i] ^ change);
        }
    }
    assert_true(refused > blob.size * 200); // the minor version may be anything
    wm_buffer_free(&blob);
    wm_buffer_free(&payload);
}

static void random_bytes_are_refused(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        wm_rng rng = wm_rng_start(seed, 0);
        wm_buffer blob = sealed();
        blob.size = wm_rng_below(&rng, blob.size);
        // Behind a good header or a good magic, too.
        const size_t from = seed % 3 == 0 ? 0 : seed % 3 == 1 ? FRAMES : MAJOR;
        for (size_t i = from; i < blob.size; i++) blob.data[i] = (uint8_t)wm_rng_next(&rng);
        wm_buffer payload;
        wm_error error = {0};
        if (open_blob(&blob, &payload, &error) == WM_OK)
            fail_msg("seed %llu: random bytes were accepted", (unsigned long long)seed);
        wm_buffer_free(&blob);
    }
}

// ---------------------------------------------------------------------------------------------
// Claims

// A header for `size` bytes and the front of a frame that claims as much.
static wm_buffer claim(uint64_t size)
{
    wm_buffer blob = sealed();
    blob.size = FRAMES;
    put_number(&blob, SIZE, size, 8);
    wm_put_u32(&blob, 0xFD2FB528); // a frame
    wm_put_u8(&blob, 0xE0);        // one segment, eight bytes of size
    wm_put_u64(&blob, size);
    return blob;
}

// Puts an RLE block of `size` bytes, four bytes long, behind it.
static void put_run(wm_buffer* blob, uint32_t size, bool last)
{
    const uint32_t head = size << 3 | 1u << 1 | last;
    wm_put_u8(blob, (uint8_t)head);
    wm_put_u8(blob, (uint8_t)(head >> 8));
    wm_put_u8(blob, (uint8_t)(head >> 16));
    wm_put_u8(blob, 'x');
}

static void expect_without_memory(const wm_buffer* blob, wm_status expected, const char* sentence)
{
    expect(blob, expected, sentence);
    if (largest_request > 65536) fail_msg("%zu bytes were asked for", largest_request);
}

static void a_small_blob_that_claims_4_gb_is_refused_without_allocating(void** state)
{
    (void)state;
    static const uint64_t claims[] = {UINT64_C(4) << 30, UINT32_MAX,     UINT64_C(1) << 40,
                                      UINT64_MAX,        UINT64_MAX - 1, UINT64_MAX - 2,
                                      INT64_MAX,         SIZE_MAX / 2,   LIMIT};
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        wm_buffer blob = claim(claims[i]);
        expect_without_memory(&blob, WM_ERR_FORMAT, "damaged");
        put_run(&blob, 100, true);
        expect_without_memory(&blob, WM_ERR_FORMAT, "damaged");
        wm_buffer_free(&blob);
    }
}

// 128 KiB of runs do unpack to 4 GB: then the limit counts.
static void a_blob_that_really_unpacks_to_4_gb_is_refused_without_allocating(void** state)
{
    (void)state;
    const uint32_t run = 128 << 10;
    wm_buffer blob = claim(UINT64_C(4) << 30);
    for (uint32_t i = 0; i < 32768; i++) put_run(&blob, run, i == 32767);
    expect_without_memory(&blob, WM_ERR_MEMORY, "limit");
    wm_buffer_free(&blob);
}

static void frames_that_do_not_say_their_size_are_refused(void** state)
{
    (void)state;
    wm_buffer blob = sealed();
    blob.size = FRAMES;
    ZSTD_CCtx* context = ZSTD_createCCtx();
    uint8_t frame[1000];
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    wm_buffer payload = make_payload();
    const size_t length = ZSTD_compress2(context, frame, sizeof frame, payload.data, payload.size);
    assert_false(ZSTD_isError(length));
    wm_put_bytes(&blob, frame, length);
    expect_without_memory(&blob, WM_ERR_FORMAT, "damaged");
    ZSTD_freeCCtx(context);
    wm_buffer_free(&payload);
    wm_buffer_free(&blob);
}

static void the_limit_is_the_largest_size_that_is_unpacked(void** state)
{
    (void)state;
    wm_buffer blob = sealed();
    wm_buffer payload = {0};
    wm_error error = {0};
    assert_int_equal(
        wm_format_open(&payload, blob.data, blob.size, WM_METHOD_KNN, 499, "it", &error),
        WM_ERR_MEMORY);
    assert_contains(error.message, "500 bytes, more than the limit of 499");
    assert_int_equal(
        wm_format_open(&payload, blob.data, blob.size, WM_METHOD_KNN, 500, "it", &error), WM_OK);
    wm_buffer_free(&payload);
    wm_buffer_free(&blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_payload_comes_back_as_it_was),
        cmocka_unit_test(the_header_has_its_fields_where_the_format_says),
        cmocka_unit_test(methods_have_names_and_numbers),
        cmocka_unit_test(another_magic_is_no_search_data),
        cmocka_unit_test(another_major_version_is_refused_with_both_numbers),
        cmocka_unit_test(a_newer_minor_version_is_read),
        cmocka_unit_test(unknown_flags_and_other_methods_are_refused),
        cmocka_unit_test(a_size_or_checksum_that_is_not_the_payloads_is_refused),
        cmocka_unit_test(a_blob_cut_short_anywhere_is_refused),
        cmocka_unit_test(bytes_behind_the_last_frame_are_refused),
        cmocka_unit_test(a_changed_byte_is_refused_or_changes_nothing),
        cmocka_unit_test(random_bytes_are_refused),
        cmocka_unit_test(a_small_blob_that_claims_4_gb_is_refused_without_allocating),
        cmocka_unit_test(a_blob_that_really_unpacks_to_4_gb_is_refused_without_allocating),
        cmocka_unit_test(frames_that_do_not_say_their_size_are_refused),
        cmocka_unit_test(the_limit_is_the_largest_size_that_is_unpacked),
    };
    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
