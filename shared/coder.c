// SPDX-License-Identifier: MIT
#include "coder.h"

#define ADAPTION 5
#define LEAST_CHANCE 64
#define LEAST_RANGE (UINT32_C(1) << 24)

wm_coder wm_coder_writer(wm_buffer* out)
{
    return (wm_coder){.writing = true, .range = UINT32_MAX, .out = out};
}

wm_coder wm_coder_reader(const uint8_t* data, size_t size)
{
    wm_coder coder = {.range = UINT32_MAX, .in = {.data = data, .left = size}};
    for (int i = 0; i < 4; i++) coder.code = coder.code << 8 | wm_get_u8(&coder.in);
    return coder;
}

// Lets the top byte of `low` go. A later carry may still change it, so it is held back together
// with the 0xFF bytes that a carry would run through.
static void shift_low(wm_coder* coder)
{
    const uint8_t top = (uint8_t)(coder->low >> 24);
    const uint8_t carry = (uint8_t)(coder->low >> 32);
    if (top == 0xFF && carry == 0) {
        coder->held_ff++;
    } else {
        if (coder->begun) wm_put_u8(coder->out, (uint8_t)(coder->held + carry));
        for (; coder->held_ff > 0; coder->held_ff--) wm_put_u8(coder->out, (uint8_t)(0xFF + carry));
        coder->held = top;
        coder->begun = true;
    }
    coder->low = (coder->low & 0xFFFFFF) << 8;
}

void wm_coder_finish(wm_coder* coder)
{
    for (int i = 0; i < 5; i++) shift_low(coder);
}

static inline unsigned read_with(wm_coder* coder, uint32_t bound)
{
    const unsigned bit = coder->code >= bound;
    coder->code -= bit != 0 ? bound : 0;
    coder->range = bit != 0 ? coder->range - bound : bound;
    while (coder->range < LEAST_RANGE) {
        coder->range <<= 8;
        coder->code = coder->code << 8 | wm_get_u8(&coder->in);
    }
    return bit;
}

static void write_with(wm_coder* coder, uint32_t bound, unsigned bit)
{
    if (bit != 0) coder->low += bound;
    coder->range = bit != 0 ? coder->range - bound : bound;
    while (coder->range < LEAST_RANGE) {
        coder->range <<= 8;
        shift_low(coder);
    }
}

static inline unsigned code_with(wm_coder* coder, uint32_t bound, unsigned bit)
{
    if (!coder->writing) return read_with(coder, bound);
    write_with(coder, bound, bit);
    return bit;
}

static inline unsigned code_bit(wm_coder* coder, wm_bit_model* model, unsigned bit)
{
    unsigned chance = *model;
    bit = code_with(coder, (coder->range >> 16) * chance, bit);
    chance = bit == 0 ? chance + ((65535 - chance) >> ADAPTION) : chance - (chance >> ADAPTION);
    // Never so sure that a surprise costs more than ten bits.
    if (chance < LEAST_CHANCE) chance = LEAST_CHANCE;
    if (chance > 65535 - LEAST_CHANCE) chance = 65535 - LEAST_CHANCE;
    *model = (wm_bit_model)chance;
    return bit;
}

unsigned wm_code_bit(wm_coder* coder, wm_bit_model* model, unsigned bit)
{
    return code_bit(coder, model, bit);
}

wm_number_model wm_number_model_start(void)
{
    wm_number_model model;
    for (int i = 0; i < 33; i++) {
        model.length[i] = WM_BIT_MODEL;
        for (int j = 0; j < 4; j++) model.top[i][j] = WM_BIT_MODEL;
    }
    return model;
}

// The bits of value + 1: how many in unary, then the number without its leading one.
uint32_t wm_code_number(wm_coder* coder, wm_number_model* model, uint32_t value)
{
    uint64_t number = (uint64_t)value + 1;
    unsigned length = 0;
    while (coder->writing && number >> (length + 1) != 0) length++;
    unsigned known = 0;
    while (known < 32 && code_bit(coder, &model->length[known], known < length) != 0) known++;
    length = known;
    uint64_t coded = 1;
    for (unsigned i = length; i > 0; i--) {
        const unsigned bit = (unsigned)(number >> (i - 1)) & 1;
        const bool modelled = length - i < 2;
        const unsigned context = length - i == 0 ? 0 : 1 + (unsigned)(coded & 1);
        const unsigned got = modelled ? code_bit(coder, &model->top[length][context], bit)
                                      : code_with(coder, coder->range >> 1, bit);
        coded = coded << 1 | got;
    }
    return (uint32_t)(coded - 1);
}

int32_t wm_code_signed(wm_coder* coder, wm_number_model* model, int32_t value)
{
    return wm_unzigzag(wm_code_number(coder, model, wm_zigzag(value)));
}
