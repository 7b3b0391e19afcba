/* The AVX-512 kernels, run in emulation, against the portable ones: the same bits. SPDX-License-Identifier: Apache-2.0
 *
 * The sources are those of the library; only <immintrin.h> is replaced (tests/emulated). So a machine without
 * AVX-512 still checks that path's lanes, masks, gathers and transposes. */
#include <stdlib.h>
#include <string.h>

#include "congru/random.h"
#include "harness.h"
#include "kernel/kernel.h"

extern const congru_kernel congru_lanes_table_base;
extern const congru_kernel congru_emulated_table;

enum { N = 40 };

static double *new_doubles(size_t count)
{
    return aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64);
}

static void fill(size_t d, double *plain)
{
    congru_random random = congru_random_stream(21, (uint32_t)d, 0, 0);
    for (size_t m = 0; m < N; m++) {
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j <= i; j++) {
                double x = congru_random_normal(&random);
                plain[m * d * d + i * d + j] = plain[m * d * d + j * d + i] =
                    x + (i == j ? 3.0 * (double)d : 0.0);
            }
        }
    }
    memset(plain + 3 * d * d, 0, d * d * sizeof(double)); /* some that end early beside some that do not */
    for (size_t i = 0; i < d; i++)
        plain[3 * d * d + i * d + i] = 1.0 + (double)(i % 2);
}

/* Everything a kernel computes from the matrices, as plain arrays one after another. */
static size_t run(const congru_kernel *kernel, size_t d, const double *plain, double *out)
{
    const size_t vectors = congru_kernel_vectors(kernel, N), size = d * d, lanes = vectors * kernel->width;
    double *a = new_doubles(lanes * size), *z = new_doubles(lanes * size), *b = new_doubles(lanes * size);
    double *w = new_doubles(lanes * d), *work = new_doubles(kernel->eigen_work(d)),
           *row = new_doubles(3 * lanes * d);
    double *start = out;
    kernel->pack(vectors, N, d, d, plain, a);
    kernel->symmetrise(vectors, d, a, row, row + lanes);
    memcpy(b, a, lanes * size * sizeof(double));
    CHECK(kernel->eigen(vectors, d, b, w, z, work));
    kernel->unpack(vectors, N, d, 1, w, out);
    kernel->unpack(vectors, N, d, d, z, out += N * d);
    const congru_function functions[] = {
        {CONGRU_FUNCTION_LOG, 1e-4, 1e-5}, {CONGRU_FUNCTION_LOG, 0, (double)d * 2},
        {CONGRU_FUNCTION_EXP, 0.1, 0},     {CONGRU_FUNCTION_SQRT, 0, 0},
        {CONGRU_FUNCTION_INVSQRT, 0, 0},   {CONGRU_FUNCTION_POWER, 0.3, 0}};
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++) {
        kernel->loewner(functions[f], vectors, d, w, b, row);
        kernel->unpack(vectors, N, d, d, b, out += N * size);
        kernel->map(functions[f], lanes * d, w, row);
        kernel->scale_columns(vectors, d, z, row, b);
        kernel->unpack(vectors, N, d, d, b, out += N * size);
    }
    kernel->product(vectors, d, d, d, congru_per_lane(a, d), congru_per_lane_transposed(z, d),
                    CONGRU_PRODUCT_SET, b);
    kernel->product(vectors, d, d, d, congru_shared(plain, d), congru_per_lane(z, d), CONGRU_PRODUCT_ADD, b);
    kernel->unpack(vectors, N, d, d, b, out += N * size);
    kernel->product(vectors, d, d, d, congru_per_lane(z, d), congru_per_lane_transposed(z, d),
                    CONGRU_PRODUCT_SYMMETRIC, b);
    kernel->combine(lanes * size, 0.3, a, 0.7, b);
    kernel->unpack(vectors, N, d, d, b, out += N * size);
    kernel->cholesky(vectors, d, a);
    kernel->solve_lower(vectors, d, d, congru_per_lane(a, d), b);
    kernel->unpack(vectors, N, d, d, b, out += N * size);
    kernel->sum_squares(vectors, size, b, row);
    memcpy(out += N * size, row, N * sizeof(double));
    free(a), free(z), free(b), free(w), free(work), free(row);
    return (size_t)(out + N - start);
}

/* What training moves and sums, of square matrices and of (d, d + 1). */
static size_t run_network(const congru_kernel *kernel, size_t d, const double *plain, double *out)
{
    const size_t vectors = congru_kernel_vectors(kernel, N), size = d * d, wide = d * (d + 1);
    const size_t stride = d * (d + 1) / 2 + 5, cols = d + 1;
    double *a = new_doubles(N * wide), *b = new_doubles(N * wide), *row = new_doubles(N * stride);
    double *chains = new_doubles(CONGRU_GROUP * wide), *start = out;
    size_t index[N];
    for (size_t m = 0; m < N; m++)
        index[m] = (7 * m + 3) % (N * size / wide);
    kernel->spread(vectors, wide, plain, b);
    kernel->unpack(vectors, N, d, cols, b, out);
    kernel->gather(vectors, wide, plain, index, b);
    kernel->unpack(vectors, N, d, cols, b, out += N * wide);
    kernel->column_dots(vectors, d, cols, plain, b, row);
    kernel->unpack(vectors, N, cols, 1, row, out += N * wide);
    out += N * cols;
    memset(chains, 0, CONGRU_GROUP * wide * sizeof(double));
    kernel->add_columns(vectors, d, cols, b, row, chains);
    kernel->add_lanes(vectors, wide, b, chains);
    kernel->fold(wide, chains, out);
    out += wide;
    memset(chains, 0, CONGRU_GROUP * wide * sizeof(double));
    kernel->add_product(vectors, d, d, cols, congru_per_lane(b, cols), congru_per_lane_transposed(b, cols),
                        chains);
    kernel->fold(size, chains, out);
    kernel->dense(d, cols, d, congru_shared_transposed(plain, d), plain + size, false, out += size);
    kernel->dense(d, cols, d, congru_shared(plain, d), plain + 2 * size, true, out);
    kernel->gather(vectors, size, plain, index, a);
    kernel->triangle(vectors, d, stride, a, row);
    kernel->unpack(vectors, N, stride, 1, row, out += wide);
    out += N * stride;
    kernel->untriangle(vectors, d, stride, row, b);
    kernel->add_diagonal(vectors, d, 0.3, b);
    kernel->dots(vectors, size, a, b, row);
    memcpy(out, row, N * sizeof(double));
    kernel->multiply(N * size, a, b);
    kernel->unpack(vectors, N, d, d, b, out += N);
    free(a), free(b), free(row), free(chains);
    return (size_t)(out + N * size - start);
}

enum { ROWS = 8, SAMPLES = 203, STRIDE = 208, SIGNAL_NUMBERS = ROWS * SAMPLES + ROWS * ROWS + 2 };

/* Filtered signals (in sets of the kernel's width), sums of products over time, and a weighted sum. */
static void run_signals(const congru_kernel *kernel, double *out)
{
    static const double sections[2][6] = {{0.2, 0.3, 0.1, 1.0, -0.9, 0.5}, {1.0, -0.4, 0.2, 1.0, 0.3, 0.2}};
    congru_random random = congru_random_stream(22, 0, 0, 0);
    double *row[ROWS], *state = new_doubles(4 * 8), *centred = new_doubles(ROWS * STRIDE);
    for (size_t i = 0; i < ROWS * SAMPLES; i++)
        out[i] = congru_random_normal(&random);
    for (size_t first = 0; first < ROWS; first += kernel->width) {
        memset(state, 0, 4 * 8 * sizeof(double));
        for (size_t i = 0; i < kernel->width; i++)
            row[i] = out + (first + i) * SAMPLES;
        kernel->filter(2, sections, kernel->width, row, SAMPLES, false, state);
        kernel->filter(2, sections, kernel->width, row, SAMPLES, true, state);
    }
    kernel->centre(ROWS, SAMPLES, STRIDE, true, out, centred);
    double *numbers = out + ROWS * SAMPLES;
    kernel->gram(ROWS, STRIDE, centred, numbers);
    numbers[ROWS * ROWS] = kernel->power_squares(ROWS, STRIDE, centred);
    double *lanes = new_doubles(21 * 8), *weighed = new_doubles(8);
    for (size_t t = 0; t < 21; t++) {
        for (size_t lane = 0; lane < kernel->width; lane++)
            lanes[t * kernel->width + lane] = out[t];
    }
    kernel->weigh(21, out + SAMPLES, lanes, weighed);
    numbers[ROWS * ROWS + 1] = weighed[kernel->width - 1];
    free(state), free(centred), free(lanes), free(weighed);
}

TEST(same_bits_of_signals)
{
    double *base = new_doubles(SIGNAL_NUMBERS), *emulated = new_doubles(SIGNAL_NUMBERS);
    run_signals(&congru_lanes_table_base, base);
    run_signals(&congru_emulated_table, emulated);
    for (size_t i = 0; i < SIGNAL_NUMBERS; i++)
        CHECK_SAYING(memcmp(base + i, emulated + i, sizeof(double)) == 0,
                     "number %zu is %.17g, in emulation %.17g", i, base[i], emulated[i]);
    free(base), free(emulated);
}

enum {
    LOGISTIC_FEATURES = 11,
    LOGISTIC_ROWS = 9,
    LOGISTIC_TRIALS = 3 * CONGRU_PANEL,
    LOGISTIC_NUMBERS = 2 + LOGISTIC_ROWS * (LOGISTIC_FEATURES + LOGISTIC_TRIALS)
};

/* Slopes of trials, and their products with the trials' features. */
static void run_logistic(const congru_kernel *kernel, size_t rows, double *out)
{
    congru_random random = congru_random_stream(23, (uint32_t)rows, 0, 0);
    double *x = new_doubles(LOGISTIC_FEATURES * LOGISTIC_TRIALS), *score = new_doubles(rows * LOGISTIC_TRIALS);
    double *along = new_doubles(rows * LOGISTIC_TRIALS), *slope = new_doubles(rows * LOGISTIC_TRIALS);
    double *label = new_doubles(LOGISTIC_TRIALS), *weight = new_doubles(LOGISTIC_TRIALS);
    for (size_t i = 0; i < LOGISTIC_FEATURES * LOGISTIC_TRIALS; i++)
        x[i] = congru_random_normal(&random);
    for (size_t i = 0; i < rows * LOGISTIC_TRIALS; i++) {
        score[i] = 30.0 * congru_random_normal(&random);
        along[i] = congru_random_normal(&random);
    }
    for (size_t t = 0; t < LOGISTIC_TRIALS; t++) {
        label[t] = (double)(t % rows);
        weight[t] = t < 65 ? 0.7 : 0.0;
    }
    memset(out, 0, LOGISTIC_NUMBERS * sizeof(double));
    out[0] = kernel->class_line(rows, LOGISTIC_TRIALS, score, along, label, weight, slope, out + 1);
    out += 2;
    kernel->panel_sums(rows, LOGISTIC_FEATURES, 1, slope, LOGISTIC_TRIALS, x, 0, false, out, LOGISTIC_FEATURES);
    kernel->panel_sums(rows, LOGISTIC_FEATURES, 2, slope + CONGRU_PANEL, LOGISTIC_TRIALS,
                       x + LOGISTIC_FEATURES * CONGRU_PANEL, LOGISTIC_FEATURES * CONGRU_PANEL, true, out,
                       LOGISTIC_FEATURES);
    memcpy(out + LOGISTIC_ROWS * LOGISTIC_FEATURES, slope, rows * LOGISTIC_TRIALS * sizeof(double));
    free(along), free(slope), free(label), free(weight);
    free(x), free(score);
}

TEST(same_bits_of_logistic_regression)
{
    static double base[LOGISTIC_NUMBERS], emulated[LOGISTIC_NUMBERS];
    for (size_t rows = 1; rows <= LOGISTIC_ROWS; rows++) {
        run_logistic(&congru_lanes_table_base, rows, base);
        run_logistic(&congru_emulated_table, rows, emulated);
        CHECK_SAYING(memcmp(base, emulated, sizeof base) == 0, "%zu rows: a sum of %.17g, in emulation %.17g",
                     rows, base[0], emulated[0]);
    }
}

/* The same numbers from both, for matrices of every dimension. */
static void compare(size_t (*compute)(const congru_kernel *kernel, size_t d, const double *plain, double *out))
{
    const size_t dimensions[] = {1, 2, 3, 5, 8, 13, 22, 33};
    CHECK(congru_emulated_table.width == 8);
    for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++) {
        const size_t d = dimensions[i], room = N * (d * d * 17 + 8 * d + 8);
        double *plain = new_doubles(N * d * d), *base = new_doubles(room), *emulated = new_doubles(room);
        fill(d, plain);
        size_t count = compute(&congru_lanes_table_base, d, plain, base);
        CHECK(compute(&congru_emulated_table, d, plain, emulated) == count && count <= room);
        size_t place = 0;
        while (place < count && memcmp(base + place, emulated + place, sizeof(double)) == 0)
            place++;
        CHECK_SAYING(place == count, "d %zu: number %zu of %zu is %.17g, in emulation %.17g", d, place, count,
                     base[place < count ? place : 0], emulated[place < count ? place : 0]);
        free(plain), free(base), free(emulated);
    }
}

TEST(same_bits_as_the_portable_kernels)
{
    compare(run);
}

TEST(same_bits_of_training)
{
    compare(run_network);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
