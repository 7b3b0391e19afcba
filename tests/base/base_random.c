/* The random generator: published answers, moments, no bias. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "congru/random.h"
#include "harness.h"

typedef struct known_answer {
    uint32_t counter[4], key[2], block[4];
} known_answer;

/* From the known-answer file that comes with the authors' Random123 library, philox4x32-10. */
static const known_answer answers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(philox_gives_the_published_answers)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const known_answer *known = &answers[i];
        congru_random random = {.used = 4};
        memcpy(random.counter, known->counter, sizeof random.counter);
        memcpy(random.key, known->key, sizeof random.key);
        for (int half = 0; half < 2; half++) {
            uint64_t bits = congru_random_bits(&random);
            CHECK_SAYING((uint32_t)bits == known->block[2 * half], "answer %zu, word %d: %08x", i, 2 * half,
                         (unsigned)bits);
            CHECK_SAYING(bits >> 32 == known->block[2 * half + 1], "answer %zu, word %d: %08x", i, 2 * half + 1,
                         (unsigned)(bits >> 32));
        }
    }
}

TEST(a_stream_is_named_by_seed_and_three_numbers)
{
    congru_random stream =
        congru_random_stream(UINT64_C(0x299f31d0a4093822), 0x85a308d3, 0x13198a2e, 0x03707344);

    stream.counter[0] = 0x243f6a88;
    CHECK(congru_random_bits(&stream) == UINT64_C(0x94fdccebd16cfe09));
    CHECK(congru_random_bits(&stream) == UINT64_C(0x24126ea15001e420));
    CHECK(stream.counter[0] == 0x243f6a89);
}

TEST(the_same_name_gives_the_same_numbers)
{
    congru_random a = congru_random_stream(50, 1, 2, 3), b = congru_random_stream(50, 1, 2, 3);

    for (int i = 0; i < 1000; i++)
        CHECK(congru_random_bits(&a) == congru_random_bits(&b));
    congru_random copy = a;
    for (int i = 0; i < 1000; i++)
        CHECK(congru_random_bits(&a) == congru_random_bits(&copy));
}

/* Correlated streams would show as a mean product away from 0: its standard deviation is 1/(12 sqrt n). */
TEST(different_names_give_unrelated_numbers)
{
    enum { DRAWS = 20000 };
    const congru_random others[] = {
        congru_random_stream(51, 1, 2, 3), congru_random_stream(50 + (UINT64_C(1) << 32), 1, 2, 3),
        congru_random_stream(50, 2, 2, 3), congru_random_stream(50, 1, 3, 3),
        congru_random_stream(50, 1, 2, 4), congru_random_stream(50, 2, 1, 3),
    };

    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        congru_random a = congru_random_stream(50, 1, 2, 3), b = others[k];
        double sum = 0.0;
        int equal = 0;
        for (int i = 0; i < DRAWS; i++) {
            double x = congru_random_uniform(&a), y = congru_random_uniform(&b);
            sum += (x - 0.5) * (y - 0.5);
            equal += x == y;
        }
        CHECK(equal == 0);
        CHECK_NEAR(sum / DRAWS, 0.0, 5.0 / (12.0 * sqrt(DRAWS)));
    }
}

TEST(uniform_stays_in_its_range)
{
    enum { DRAWS = 200000 };
    congru_random random = congru_random_stream(7, 0, 0, 0);
    double sum = 0.0, squares = 0.0;

    for (int i = 0; i < DRAWS; i++) {
        double u = congru_random_uniform(&random);
        CHECK(u >= 0.0 && u < 1.0 && u * 0x1p53 == floor(u * 0x1p53));
        sum += u;
        squares += u * u;
    }
    CHECK_NEAR(sum / DRAWS, 0.5, 5.0 * sqrt(1.0 / 12.0 / DRAWS));
    CHECK_NEAR(squares / DRAWS, 1.0 / 3.0, 5.0 * sqrt(4.0 / 45.0 / DRAWS));
}

/* What the extreme draws become, set by hand: they come up once in 2^53. */
TEST(extreme_bits_stay_finite)
{
    congru_random ones = {.block = {~0u, ~0u, ~0u, ~0u}}, zeros = {.used = 0};

    CHECK(congru_random_uniform(&ones) == 1.0 - 0x1p-53);
    CHECK(congru_random_uniform(&zeros) == 0.0);
    ones.used = 0;
    CHECK_NEAR(congru_random_normal(&ones), 0.0, 0.0);
    zeros.used = 0;
    CHECK_NEAR(congru_random_normal(&zeros), sqrt(106.0 * log(2.0)), 1e-13);
}

TEST(normal_has_the_moments_of_a_normal)
{
    enum { DRAWS = 400000 };
    congru_random random = congru_random_stream(11, 1, 0, 0);
    double moments[5] = {0};
    int beyond_two = 0;

    for (int i = 0; i < DRAWS; i++) {
        double x = congru_random_normal(&random), power = 1.0;
        for (int k = 0; k < 5; k++, power *= x)
            moments[k] += power / DRAWS;
        beyond_two += fabs(x) > 2.0;
    }
    /* Five standard deviations of each sample moment: var(x^k) is 1, 2, 15, 96. */
    CHECK_NEAR(moments[1], 0.0, 5.0 * sqrt(1.0 / DRAWS));
    CHECK_NEAR(moments[2], 1.0, 5.0 * sqrt(2.0 / DRAWS));
    CHECK_NEAR(moments[3], 0.0, 5.0 * sqrt(15.0 / DRAWS));
    CHECK_NEAR(moments[4], 3.0, 5.0 * sqrt(96.0 / DRAWS));
    CHECK_NEAR((double)beyond_two / DRAWS, 0.0455003, 5.0 * sqrt(0.0455 / DRAWS));
}

TEST(index_is_even_over_small_ranges)
{
    enum { DRAWS = 100000, RANGE_MOST = 13 };
    congru_random random = congru_random_stream(13, 0, 0, 1);

    for (size_t n = 1; n <= RANGE_MOST; n++) {
        int counts[RANGE_MOST] = {0};
        for (int i = 0; i < DRAWS; i++) {
            size_t index = congru_random_index(&random, n);
            if (CHECK(index < n))
                counts[index]++;
        }
        double p = 1.0 / (double)n;
        for (size_t k = 0; k < n; k++)
            CHECK_NEAR(counts[k] / (double)DRAWS, p, 5.0 * sqrt(p * (1.0 - p) / DRAWS));
    }
}

/* With n = 3/4 of 2^64 a plain multiply-shift gives every third index twice as often as the others. */
TEST(index_is_even_over_huge_ranges)
{
    enum { DRAWS = 100000 };
    const size_t n = SIZE_MAX / 4 * 3 + 3;
    congru_random random = congru_random_stream(13, 0, 0, 2);
    int counts[3] = {0};

    for (int i = 0; i < DRAWS; i++) {
        size_t index = congru_random_index(&random, n);
        CHECK(index < n);
        counts[index % 3]++;
    }
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(counts[k] / (double)DRAWS, 1.0 / 3.0, 5.0 * sqrt(2.0 / 9.0 / DRAWS));
}

/* The upper half of the product, where each carry between its 32-bit parts counts. */
TEST(index_is_the_upper_half_of_the_product)
{
    congru_random random = {.block = {0xffffffff, 0xffffffff, 0x00000001, 0x80000000}};

    CHECK(congru_random_index(&random, SIZE_MAX) == SIZE_MAX - 1);
    CHECK(congru_random_index(&random, 5) == 2);
    random.used = 0;
    CHECK(congru_random_index(&random, 10) == 9);
}

TEST(index_of_nothing_is_zero)
{
    congru_random random = congru_random_stream(1, 2, 3, 4);

    CHECK(congru_random_index(&random, 0) == 0);
    CHECK(congru_random_index(&random, 1) == 0);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
