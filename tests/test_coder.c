// SPDX-License-Identifier: MIT
//
// What is written is read back, whatever the models have seen before and wherever a carry runs; bad
// bytes do no harm; and the bytes are as few as the models allow, by counting.
#include "coder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "support.h"

#define BIT_MODELS 4
#define NUMBER_MODELS 3

typedef enum item_kind {
    ITEM_BIT,
    ITEM_FRESH_BIT, // of a model of its own, which begins as `model` says
    ITEM_NUMBER,
    ITEM_SIGNED,
    ITEM_KINDS
} item_kind;

typedef struct item {
    item_kind kind;
    unsigned model;
    uint32_t value;
} item;

typedef struct models {
    wm_bit_model bits[BIT_MODELS];
    wm_number_model numbers[NUMBER_MODELS];
    wm_number_model with_sign[NUMBER_MODELS];
} models;

static models models_start(void)
{
    models m;
    for (int i = 0; i < BIT_MODELS; i++) m.bits[i] = WM_BIT_MODEL;
    for (int i = 0; i < NUMBER_MODELS; i++) {
        m.numbers[i] = wm_number_model_start();
        m.with_sign[i] = wm_number_model_start();
    }
    return m;
}

static bool is_bit(item it)
{
    return it.kind == ITEM_BIT || it.kind == ITEM_FRESH_BIT;
}

static uint32_t code_item(wm_coder* coder, models* m, item it)
{
    wm_bit_model fresh = (wm_bit_model)it.model;
    switch (it.kind) {
    case ITEM_FRESH_BIT: return wm_code_bit(coder, &fresh, it.value);
    case ITEM_BIT: return wm_code_bit(coder, &m->bits[it.model], it.value);
    case ITEM_NUMBER: return wm_code_number(coder, &m->numbers[it.model], it.value);
    default: return (uint32_t)wm_code_signed(coder, &m->with_sign[it.model], (int32_t)it.value);
    }
}

static wm_buffer write_items(const item* items, size_t count)
{
    wm_buffer bytes = {0};
    wm_coder coder = wm_coder_writer(&bytes);
    models m = models_start();
    for (size_t i = 0; i < count; i++) {
        if (code_item(&coder, &m, items[i]) != items[i].value)
            fail_msg("writing item %zu gave another value back", i);
    }
    wm_coder_finish(&coder);
    assert_false(bytes.failed);
    return bytes;
}

// The reader must not look at what it is to find: it gets other values.
static item item_to_find(item it)
{
    it.value = is_bit(it) ? 1 - it.value : ~it.value;
    return it;
}

static void check_read(const item* items, size_t count, const wm_buffer* bytes, uint64_t seed)
{
    // The block has no byte more than there are, for a sanitizer to see.
    uint8_t* exact = malloc(bytes->size);
    memcpy(exact, bytes->data, bytes->size);
    wm_coder coder = wm_coder_reader(exact, bytes->size);
    models m = models_start();
    for (size_t i = 0; i < count; i++) {
        const uint32_t got = code_item(&coder, &m, item_to_find(items[i]));
        if (got != items[i].value)
            fail_msg("seed %llu: item %zu of %zu, of kind %d, came back as %u instead of %u",
                     (unsigned long long)seed, i, count, (int)items[i].kind, got, items[i].value);
    }
    if (coder.in.failed || coder.in.left != 0)
        fail_msg("seed %llu: the reader of all %zu items %s", (unsigned long long)seed, count,
                 coder.in.failed ? "wants more bytes" : "leaves bytes over");
    free(exact);
}

static uint32_t draw_number(wm_rng* rng, unsigned manner)
{
    static const uint32_t edges[] = {0,          1,          2,          3,          0x7FFFFFFF,
                                     0x80000000, 0x80000001, 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF};
    switch (manner) {
    case 0: return (uint32_t)wm_rng_below(rng, 4);
    case 1: return (uint32_t)wm_rng_next(rng);
    case 2: return edges[wm_rng_below(rng, sizeof edges / sizeof *edges)];
    case 3: return 0xFFFFFFFF;
    case 4: return 0;
    default: return (uint32_t)(wm_rng_next(rng) & 0xFFFFFFFF) >> wm_rng_below(rng, 32);
    }
}

// Each seed has its own kinds of items, its own skew of the bits and its own sizes of the numbers.
static item* draw_items(uint64_t seed, size_t* count)
{
    wm_rng rng = wm_rng_start(seed, 0);
    static const uint64_t skews[] = {0, 1, 20, 200, 500, 800, 999, 1000};
    const unsigned kinds = 1 + (unsigned)wm_rng_below(&rng, 15); // bit k: kind k occurs
    const unsigned manner = (unsigned)wm_rng_below(&rng, 8);
    uint64_t skew[BIT_MODELS];
    for (int i = 0; i < BIT_MODELS; i++) skew[i] = skews[wm_rng_below(&rng, 8)];
    *count = (size_t)wm_rng_below(&rng, seed % 10 == 0 ? 5000 : 300);
    item* items = calloc(*count + 1, sizeof *items);
    for (size_t i = 0; i < *count; i++) {
        item it = {0};
        do it.kind = (item_kind)wm_rng_below(&rng, ITEM_KINDS);
        while ((kinds >> it.kind & 1) == 0);
        if (it.kind == ITEM_FRESH_BIT) {
            it.model = 64 + (unsigned)wm_rng_below(&rng, 65536 - 2 * 64);
            it.value = wm_rng_below(&rng, 65536) >= it.model;
        } else if (it.kind == ITEM_BIT) {
            it.model = (unsigned)wm_rng_below(&rng, BIT_MODELS);
            it.value = wm_rng_below(&rng, 1000) < skew[it.model];
        } else {
            it.model = (unsigned)wm_rng_below(&rng, NUMBER_MODELS);
            it.value = draw_number(&rng, manner < 6 ? manner : (unsigned)wm_rng_below(&rng, 6));
        }
        items[i] = it;
    }
    return items;
}

static void random_sequences_come_back_as_they_were_written(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        size_t count;
        item* items = draw_items(seed, &count);
        wm_buffer bytes = write_items(items, count);
        check_read(items, count, &bytes, seed);
        wm_buffer_free(&bytes);
        free(items);
    }
}

static void the_same_sequence_gives_the_same_bytes(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        size_t count;
        item* items = draw_items(seed, &count);
        wm_buffer first = write_items(items, count);
        wm_buffer again = write_items(items, count);
        assert_int_equal(first.size, again.size);
        assert_memory_equal(first.data, again.data, first.size);
        wm_buffer_free(&first);
        wm_buffer_free(&again);
        free(items);
    }
}

static void the_largest_and_the_smallest_numbers_come_back(void** state)
{
    (void)state;
    static const uint32_t values[] = {0, UINT32_MAX, 1, UINT32_MAX - 1, UINT32_C(1) << 31};
    for (unsigned n = 0; n < 32; n++) {
        // All numbers around a power of two, where the length changes.
        const uint32_t power = UINT32_C(1) << n;
        const item items[] = {{ITEM_NUMBER, 0, power - 2}, {ITEM_NUMBER, 0, power - 1},
                              {ITEM_NUMBER, 0, power},     {ITEM_NUMBER, 0, values[n % 5]},
                              {ITEM_SIGNED, 0, power - 1}, {ITEM_SIGNED, 0, power},
                              {ITEM_SIGNED, 0, 0 - power}, {ITEM_SIGNED, 0, values[n % 5]}};
        wm_buffer bytes = write_items(items, sizeof items / sizeof *items);
        check_read(items, sizeof items / sizeof *items, &bytes, n);
        wm_buffer_free(&bytes);
    }
}

static void a_sequence_of_nothing_is_a_sequence(void** state)
{
    (void)state;
    wm_buffer bytes = write_items(NULL, 0);
    check_read(NULL, 0, &bytes, 0);
    wm_buffer_free(&bytes);
}

// ---------------------------------------------------------------------------------------------
// Carries

// Every string of bytes is a sequence of bits to the reader. Written again, the sequence must stay
// in the string's neighbourhood: strings like 12 FF FF FF ... 00 and 13 00 00 00 ... 01 hold the
// writer at the brink of a carry for as long as they last. Returns the most bytes held back.
// @param bit_models  how many models take turns; 0: a fresh one for each bit
static uint64_t check_brink(const uint8_t* string, size_t size, unsigned bit_models, uint64_t seed)
{
    const size_t count = 8 * size + 200;
    item* items = calloc(count, sizeof *items);
    models m = models_start();
    wm_coder reader = wm_coder_reader(string, size);
    for (size_t i = 0; i < count; i++) {
        items[i].kind = bit_models == 0 ? ITEM_FRESH_BIT : ITEM_BIT;
        items[i].model = bit_models == 0 ? WM_BIT_MODEL : (unsigned)(i % bit_models);
        items[i].value = code_item(&reader, &m, items[i]);
    }
    wm_buffer bytes = write_items(items, count);
    check_read(items, count, &bytes, seed);
    wm_buffer_free(&bytes);

    uint64_t held = 0;
    m = models_start();
    wm_coder writer = wm_coder_writer(&bytes);
    for (size_t i = 0; i < count; i++) {
        code_item(&writer, &m, items[i]);
        if (writer.held_ff > held) held = writer.held_ff;
    }
    wm_buffer_free(&bytes);
    free(items);
    return held;
}

static void a_carry_runs_through_any_number_of_bytes(void** state)
{
    (void)state;
    uint64_t held = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        wm_rng rng = wm_rng_start(seed, 1);
        uint8_t string[3000];
        size_t size = 0;
        // Runs of 0xFF and of 0x00 with a few other bytes between them.
        while (size < 600) {
            const size_t run = (size_t)wm_rng_below(&rng, seed % 10 == 0 ? 600 : 40);
            for (uint64_t other = wm_rng_below(&rng, 3) + (size == 0); other > 0; other--)
                string[size++] = (uint8_t)wm_rng_below(&rng, 255);
            memset(string + size, wm_rng_below(&rng, 2) == 0 ? 0x00 : 0xFF, run);
            size += run;
        }
        const uint64_t most =
            check_brink(string, size, (unsigned)wm_rng_below(&rng, BIT_MODELS + 1), seed);
        if (most > held) held = most;
    }
    if (held < 100) fail_msg("no more than %llu bytes were held back", (unsigned long long)held);
}

static void long_runs_of_equal_bytes_come_back(void** state)
{
    (void)state;
    uint8_t string[4000];
    uint64_t held = 0;
    for (unsigned first = 0; first < 255; first += 17) {
        for (unsigned last = 0; last < 256; last += 51) {
            memset(string, first % 2 == 0 ? 0xFF : 0x00, sizeof string);
            string[0] = (uint8_t)first;
            string[sizeof string - 1] = (uint8_t)last;
            const uint64_t most = check_brink(string, sizeof string, 0, first);
            if (most > held) held = most;
        }
    }
    if (held < 3000) fail_msg("no more than %llu bytes were held back", (unsigned long long)held);
}

// A carry that leaves 0xFF behind it: the byte is not one of those that wait for the next carry.
// It takes an interval that begins just below the carry and is as wide as can be.
static void a_carry_into_a_byte_of_all_ones_comes_back(void** state)
{
    (void)state;
    enum { BITS = 200000 };
    const uint64_t aim = UINT64_C(0x1FF800000); // carry and 0xFF on top
    item* items = calloc(BITS, sizeof *items);
    wm_buffer bytes = {0};
    wm_coder writer = wm_coder_writer(&bytes);
    models m = models_start();
    wm_rng rng = wm_rng_start(1, 5);
    size_t aimed = 0;
    for (size_t i = 0; i < BITS; i++) {
        item it = {ITEM_FRESH_BIT, 16384 + (unsigned)wm_rng_below(&rng, 32768),
                   (uint32_t)wm_rng_below(&rng, 2)};
        if (writer.low + writer.range > aim) {
            // Stay with the aim.
            it.value = writer.low + (writer.range >> 16) * it.model <= aim;
            aimed++;
        } else if ((writer.low & 0xFFFFFF) > 0xFFC000) {
            // The next byte leaves this place near the top: make the most of the width.
            it.model = 0xFFFF00 / (writer.range >> 16);
            it.value = 0;
        }
        items[i] = it;
        code_item(&writer, &m, it);
    }
    wm_coder_finish(&writer);
    check_read(items, BITS, &bytes, 1);
    if (aimed < 100) fail_msg("only %zu bits near the aim", aimed);
    wm_buffer_free(&bytes);
    free(items);
}

// ---------------------------------------------------------------------------------------------
// Bad bytes

static void read_all(const uint8_t* data, size_t size, const item* items, size_t count,
                     bool* failed)
{
    uint8_t* exact = malloc(size + (size == 0));
    memcpy(exact, data, size);
    wm_coder coder = wm_coder_reader(exact, size);
    models m = models_start();
    for (size_t i = 0; i < count; i++) {
        const uint32_t got = code_item(&coder, &m, items[i]);
        if (is_bit(items[i])) assert_true(got <= 1);
    }
    *failed = coder.in.failed;
    free(exact);
}

static void a_cut_sequence_is_noticed_and_never_read_beyond(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        size_t count;
        item* items = draw_items(seed, &count);
        if (count > 300) count = 300;
        wm_buffer bytes = write_items(items, count);
        const size_t stride = 1 + bytes.size / 60;
        for (size_t size = 0; size < bytes.size; size += stride) {
            bool failed;
            read_all(bytes.data, size, items, count, &failed);
            if (!failed)
                fail_msg("seed %llu: nobody misses the bytes behind %zu of %zu",
                         (unsigned long long)seed, size, bytes.size);
        }
        wm_buffer_free(&bytes);
        free(items);
    }
}

static void any_bytes_can_be_read(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        wm_rng rng = wm_rng_start(seed, 2);
        size_t count;
        item* items = draw_items(seed, &count);
        uint8_t string[400];
        const size_t size = (size_t)wm_rng_below(&rng, sizeof string);
        for (size_t i = 0; i < size; i++) string[i] = (uint8_t)wm_rng_next(&rng);
        if (seed % 3 == 0) memset(string, 0xFF, size);
        bool failed;
        read_all(string, size, items, count, &failed);
        free(items);
    }
}

// ---------------------------------------------------------------------------------------------
// Size

// Bits for one bit by the models alone: what a coder without any loss would need.
static double ideal_bits(wm_bit_model model, unsigned bit)
{
    const double zero = (double)model / 65536.0;
    return -log2(bit == 0 ? zero : 1 - zero);
}

typedef struct bit_cost {
    double written; // bits a bit
    double ideal;   // by the model at each time
    double entropy; // of the source
} bit_cost;

static bit_cost measure_bits(unsigned ones_in_1000, size_t count)
{
    wm_buffer bytes = {0};
    wm_coder coder = wm_coder_writer(&bytes);
    wm_bit_model model = WM_BIT_MODEL;
    wm_rng rng = wm_rng_start(ones_in_1000, 3);
    double ideal = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned bit = wm_rng_below(&rng, 1000) < ones_in_1000;
        ideal += ideal_bits(model, bit);
        wm_code_bit(&coder, &model, bit);
    }
    wm_coder_finish(&coder);
    const double p = ones_in_1000 / 1000.0;
    const bit_cost cost = {8.0 * (double)bytes.size / (double)count, ideal / (double)count,
                           p == 0 || p == 1 ? 0 : -p * log2(p) - (1 - p) * log2(1 - p)};
    wm_buffer_free(&bytes);
    return cost;
}

static void a_bit_costs_what_its_model_says(void** state)
{
    (void)state;
    for (unsigned skew = 20; skew <= 980; skew += 20) {
        const bit_cost cost = measure_bits(skew, 100000);
        if (cost.written > 1.03 * cost.ideal || cost.written < 0.93 * cost.ideal)
            fail_msg("%u ones in 1000: %.4f bits a bit, %.4f by the model", skew, cost.written,
                     cost.ideal);
    }
}

static void a_bit_costs_little_more_than_its_entropy(void** state)
{
    (void)state;
    // A model that follows its source quickly pays for it where the source stays as it is.
    for (unsigned skew = 0; skew <= 1000; skew += 10) {
        const bit_cost cost = measure_bits(skew, 100000);
        if (cost.written > cost.entropy + 0.04 || cost.written < 0.99 * cost.entropy)
            fail_msg("%u ones in 1000: %.4f bits a bit, the entropy is %.4f", skew, cost.written,
                     cost.entropy);
    }
    const bit_cost even = measure_bits(500, 200000);
    if (even.written > 1.03) fail_msg("even bits cost %.4f bits", even.written);
    for (unsigned bit = 0; bit < 2; bit++) {
        const bit_cost sure = measure_bits(1000 * bit, 200000);
        if (sure.written > 0.003) fail_msg("bits that are always %u cost %f", bit, sure.written);
    }
}

static double measure_numbers(uint64_t bound, size_t count)
{
    wm_buffer bytes = {0};
    wm_coder coder = wm_coder_writer(&bytes);
    wm_number_model model = wm_number_model_start();
    wm_rng rng = wm_rng_start(bound, 4);
    for (size_t i = 0; i < count; i++)
        wm_code_number(&coder, &model, (uint32_t)wm_rng_below(&rng, bound));
    wm_coder_finish(&coder);
    const double bits = 8.0 * (double)bytes.size / (double)count;
    wm_buffer_free(&bytes);
    return bits;
}

static void a_number_costs_little_more_than_its_bits(void** state)
{
    (void)state;
    for (unsigned bits = 0; bits <= 32; bits++) {
        const double cost = measure_numbers(UINT64_C(1) << bits, 20000);
        if (cost < 0.999 * bits || cost > bits + 0.6)
            fail_msg("numbers of %u bits cost %.3f bits", bits, cost);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sequences_come_back_as_they_were_written),
        cmocka_unit_test(the_same_sequence_gives_the_same_bytes),
        cmocka_unit_test(the_largest_and_the_smallest_numbers_come_back),
        cmocka_unit_test(a_sequence_of_nothing_is_a_sequence),
        cmocka_unit_test(a_carry_runs_through_any_number_of_bytes),
        cmocka_unit_test(long_runs_of_equal_bytes_come_back),
        cmocka_unit_test(a_carry_into_a_byte_of_all_ones_comes_back),
        cmocka_unit_test(a_cut_sequence_is_noticed_and_never_read_beyond),
        cmocka_unit_test(any_bytes_can_be_read),
        cmocka_unit_test(a_bit_costs_what_its_model_says),
        cmocka_unit_test(a_bit_costs_little_more_than_its_entropy),
        cmocka_unit_test(a_number_costs_little_more_than_its_bits),
    };
    return cmocka_run_group_tests_name("coder", tests, NULL, NULL);
}
