/* Products of signals with each other, time in the lanes. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"

/* A sum over time is CONGRU_GROUP chains, sample t in chain t % CONGRU_GROUP, whatever the width of the
 * vectors: a vector is as many neighbouring chains as it has lanes, and those that do not fit one are gone
 * through again. */
enum { PASSES = CONGRU_GROUP / VEC_WIDTH };

static double add_chains(const double chain[CONGRU_GROUP])
{
    return ((chain[0] + chain[4]) + (chain[2] + chain[6])) + ((chain[1] + chain[5]) + (chain[3] + chain[7]));
}

/* Of a row that need not be aligned. */
static double row_sum(size_t samples, const double *row)
{
    alignas(64) double chain[CONGRU_GROUP];
    size_t whole = samples - samples % CONGRU_GROUP;
    for (size_t pass = 0; pass < PASSES; pass++) {
        vec sum = v_set(0.0);
        for (size_t t = pass * VEC_WIDTH; t < whole; t += CONGRU_GROUP)
            sum = v_add(sum, v_load_unaligned(row + t));
        v_store(chain + pass * VEC_WIDTH, sum);
    }
    for (size_t t = whole; t < samples; t++)
        chain[t - whole] += row[t];
    return add_chains(chain);
}

void LANES(centre)(size_t rows, size_t samples, size_t stride, bool subtract, const double *plain, double *out)
{
    for (size_t i = 0; i < rows; i++, plain += samples, out += stride) {
        double mean = subtract ? row_sum(samples, plain) / (double)samples : 0.0;
        size_t t = 0;
        for (; t + VEC_WIDTH <= samples; t += VEC_WIDTH)
            v_store(out + t, v_sub(v_load_unaligned(plain + t), v_set(mean)));
        for (; t < samples; t++)
            out[t] = plain[t] - mean;
        for (; t < stride; t++)
            out[t] = 0.0;
    }
}

/* The products of VEC_TILE_ROWS rows from i on with VEC_TILE_COLUMNS from j on, those below the diagonal and on
 * it. Past the last row the last is taken again, so that every tile is the same code. */
static void gram_tile(size_t rows, size_t stride, const double *x, size_t i, size_t j, double *out)
{
    alignas(64) double chain[VEC_TILE_ROWS * VEC_TILE_COLUMNS][CONGRU_GROUP];
    const double *left[VEC_TILE_ROWS], *right[VEC_TILE_COLUMNS];
    for (size_t r = 0; r < VEC_TILE_ROWS; r++)
        left[r] = x + lanes_least(i + r, rows - 1) * stride;
    for (size_t s = 0; s < VEC_TILE_COLUMNS; s++)
        right[s] = x + lanes_least(j + s, rows - 1) * stride;
    for (size_t pass = 0; pass < PASSES; pass++) {
        vec sum[VEC_TILE_ROWS][VEC_TILE_COLUMNS];
        for (int r = 0; r < VEC_TILE_ROWS; r++)
            for (int s = 0; s < VEC_TILE_COLUMNS; s++)
                sum[r][s] = v_set(0.0);
        for (size_t t = pass * VEC_WIDTH; t < stride; t += CONGRU_GROUP) {
            vec a[VEC_TILE_ROWS];
            for (int r = 0; r < VEC_TILE_ROWS; r++)
                a[r] = v_load(left[r] + t);
            for (int s = 0; s < VEC_TILE_COLUMNS; s++) {
                vec b = v_load(right[s] + t);
                for (int r = 0; r < VEC_TILE_ROWS; r++)
                    sum[r][s] = v_fma(a[r], b, sum[r][s]);
            }
        }
        for (int r = 0; r < VEC_TILE_ROWS; r++)
            for (int s = 0; s < VEC_TILE_COLUMNS; s++)
                v_store(chain[r * VEC_TILE_COLUMNS + s] + pass * VEC_WIDTH, sum[r][s]);
    }
    for (size_t r = 0; r < VEC_TILE_ROWS && i + r < rows; r++) {
        for (size_t s = 0; s < VEC_TILE_COLUMNS && j + s <= i + r; s++) {
            double product = add_chains(chain[r * VEC_TILE_COLUMNS + s]);
            out[(i + r) * rows + j + s] = product;
            out[(j + s) * rows + i + r] = product;
        }
    }
}

void LANES(gram)(size_t rows, size_t stride, const double *x, double *out)
{
    for (size_t i = 0; i < rows; i += VEC_TILE_ROWS)
        for (size_t j = 0; j < i + VEC_TILE_ROWS && j < rows; j += VEC_TILE_COLUMNS)
            gram_tile(rows, stride, x, i, j, out);
}

double LANES(power_squares)(size_t rows, size_t stride, const double *x)
{
    alignas(64) double chain[CONGRU_GROUP];
    for (size_t pass = 0; pass < PASSES; pass++) {
        vec sum = v_set(0.0);
        for (size_t t = pass * VEC_WIDTH; t < stride; t += CONGRU_GROUP) {
            vec power = v_set(0.0);
            for (size_t i = 0; i < rows; i++) {
                vec a = v_load(x + i * stride + t);
                power = v_fma(a, a, power);
            }
            sum = v_fma(power, power, sum);
        }
        v_store(chain + pass * VEC_WIDTH, sum);
    }
    return add_chains(chain);
}
