/* Philox 4x32-10, the counter-based generator of Salmon et al. (2011). SPDX-License-Identifier: Apache-2.0 */
#include "congru/random.h"

#include <math.h>

#include "base/scalar_math.h"

enum { ROUNDS = 10, BLOCK_WORDS = 4 };

/* The multipliers of the two halves of the block, and what each half of the key grows by between rounds. */
static const uint32_t multiplier[2] = {0xD2511F53u, 0xCD9E8D57u};
static const uint32_t key_step[2] = {0x9E3779B9u, 0xBB67AE85u};

/* Makes the block the counter names and moves the counter to the next. */
static void next_block(congru_random *random)
{
    uint32_t x0 = random->counter[0], x1 = random->counter[1];
    uint32_t x2 = random->counter[2], x3 = random->counter[3];
    uint32_t key0 = random->key[0], key1 = random->key[1];

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t product0 = (uint64_t)multiplier[0] * x0;
        uint64_t product1 = (uint64_t)multiplier[1] * x2;
        x0 = (uint32_t)(product1 >> 32) ^ x1 ^ key0;
        x1 = (uint32_t)product1;
        x2 = (uint32_t)(product0 >> 32) ^ x3 ^ key1;
        x3 = (uint32_t)product0;
        key0 += key_step[0];
        key1 += key_step[1];
    }
    random->block[0] = x0;
    random->block[1] = x1;
    random->block[2] = x2;
    random->block[3] = x3;
    random->used = 0;
    /* No carry: the other words are the stream's name, and a carry would run into the stream next to it. A
     * stream repeats after 2^33 draws. */
    random->counter[0]++;
}

congru_random congru_random_stream(uint64_t seed, uint32_t a, uint32_t b, uint32_t c)
{
    return (congru_random){
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, a, b, c},
        .used = BLOCK_WORDS,
    };
}

uint64_t congru_random_bits(congru_random *random)
{
    if (random == NULL)
        return 0;
    if (random->used >= BLOCK_WORDS)
        next_block(random);
    uint32_t low = random->block[random->used];
    uint32_t high = random->block[random->used + 1];
    random->used += 2;
    return (uint64_t)high << 32 | low;
}

double congru_random_uniform(congru_random *random)
{
    return (double)(congru_random_bits(random) >> 11) * 0x1p-53;
}

double congru_random_normal(congru_random *random)
{
    /* In (0, 1], so that the logarithm is finite. */
    double u = (double)((congru_random_bits(random) >> 11) + 1) * 0x1p-53;
    double turn = congru_random_uniform(random);

    return sqrt(-2.0 * congru_scalar_log(u)) * congru_scalar_cos_2pi(turn);
}

/* The 128-bit product a * b: its upper half; the lower half is the product in uint64_t. */
static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a, a_high = a >> 32;
    uint64_t b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
    uint64_t carry = a_low * b_high + (uint32_t)middle;

    return a_high * b_high + (middle >> 32) + (carry >> 32);
}

/* Lemire's method: the upper half of bits * n is in {0, ..., n-1}; of the 2^64 values of bits, those whose
 * lower half falls below 2^64 mod n are the surplus that would favour some results, and are drawn again. */
size_t congru_random_index(congru_random *random, size_t n)
{
    if (random == NULL || n == 0)
        return 0;
    const uint64_t range = n;
    const uint64_t surplus = (0 - range) % range;
    uint64_t bits;

    do
        bits = congru_random_bits(random);
    while (bits * range < surplus);
    return (size_t)multiply_high(bits, range);
}
