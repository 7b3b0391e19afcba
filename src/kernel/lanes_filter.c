/* Recursive filters and weighted sums over signals, one per lane. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"

/* Samples in lanes at a time: they stay in the first-level cache while sections pass over them. */
enum { BLOCK = 128, FUSED_MAX = 6 };

static void gather_rows(size_t rows, double *const *row, size_t first, size_t samples, double *lanes)
{
    size_t i = 0;
    for (; rows == VEC_WIDTH && i + VEC_WIDTH <= samples; i += VEC_WIDTH) {
        vec tile[VEC_WIDTH];
        for (size_t j = 0; j < VEC_WIDTH; j++)
            tile[j] = v_load_unaligned(row[j] + first + i);
        v_transpose(tile);
        for (size_t j = 0; j < VEC_WIDTH; j++)
            v_store(AT(lanes, i + j), tile[j]);
    }
    for (; i < samples; i++) {
        for (size_t j = 0; j < VEC_WIDTH; j++)
            AT(lanes, i)[j] = j < rows ? row[j][first + i] : 0.0;
    }
}

static void scatter_rows(size_t rows, double *const *row, size_t first, size_t samples, const double *lanes)
{
    size_t i = 0;
    for (; rows == VEC_WIDTH && i + VEC_WIDTH <= samples; i += VEC_WIDTH) {
        vec tile[VEC_WIDTH];
        for (size_t j = 0; j < VEC_WIDTH; j++)
            tile[j] = v_load(AT(lanes, i + j));
        v_transpose(tile);
        for (size_t j = 0; j < VEC_WIDTH; j++)
            v_store_unaligned(row[j] + first + i, tile[j]);
    }
    for (; i < samples; i++) {
        for (size_t j = 0; j < rows; j++)
            row[j][first + i] = AT(lanes, i)[j];
    }
}

/* `fused` sections, a constant, over a block: each sample goes through all of them while the states stay in
 * registers. A recursion waits for its own last sample, so it is the sections that keep the machine busy. */
ALWAYS_INLINE void fused_sections(int fused, const double (*section)[6], size_t samples, ptrdiff_t step,
                                  double *lanes, double *state)
{
    vec b0[FUSED_MAX], b1[FUSED_MAX], b2[FUSED_MAX], a1[FUSED_MAX], a2[FUSED_MAX], s1[FUSED_MAX], s2[FUSED_MAX];
    for (int k = 0; k < fused; k++) {
        b0[k] = v_set(section[k][0]);
        b1[k] = v_set(section[k][1]);
        b2[k] = v_set(section[k][2]);
        a1[k] = v_set(section[k][4]);
        a2[k] = v_set(section[k][5]);
        s1[k] = v_load(AT(state, 2 * k));
        s2[k] = v_load(AT(state, 2 * k + 1));
    }
    for (; samples > 0; samples--, lanes += step) {
        vec x = v_load(lanes);
        for (int k = 0; k < fused; k++) {
            vec y = v_fma(b0[k], x, s1[k]);
            s1[k] = v_fnma(a1[k], y, v_fma(b1[k], x, s2[k]));
            s2[k] = v_fnma(a2[k], y, v_mul(b2[k], x));
            x = y;
        }
        v_store(lanes, x);
    }
    for (int k = 0; k < fused; k++) {
        v_store(AT(state, 2 * k), s1[k]);
        v_store(AT(state, 2 * k + 1), s2[k]);
    }
}

static void filter_block(size_t sections, const double (*section)[6], size_t samples, ptrdiff_t step,
                         double *lanes, double *state)
{
    while (sections > 0) {
        /* Seven to eleven in two nearly equal parts: a part of one section would mostly wait. */
        size_t parts = (sections + FUSED_MAX - 1) / FUSED_MAX, fused = (sections + parts - 1) / parts;
        switch (fused) {
        case 1:
            fused_sections(1, section, samples, step, lanes, state);
            break;
        case 2:
            fused_sections(2, section, samples, step, lanes, state);
            break;
        case 3:
            fused_sections(3, section, samples, step, lanes, state);
            break;
        case 4:
            fused_sections(4, section, samples, step, lanes, state);
            break;
        case 5:
            fused_sections(5, section, samples, step, lanes, state);
            break;
        default:
            fused_sections(FUSED_MAX, section, samples, step, lanes, state);
            break;
        }
        sections -= fused;
        section += fused;
        state += 2 * fused * VEC_WIDTH;
    }
}

void LANES(filter)(size_t sections, const double (*section)[6], size_t rows, double *const *row, size_t samples,
                   bool backward, double *state)
{
    alignas(64) double lanes[BLOCK * VEC_WIDTH];
    for (size_t done = 0; done < samples;) {
        size_t count = lanes_least(samples - done, BLOCK);
        size_t first = backward ? samples - done - count : done;
        gather_rows(rows, row, first, count, lanes);
        filter_block(sections, section, count, backward ? -VEC_WIDTH : VEC_WIDTH,
                     backward ? AT(lanes, count - 1) : lanes, state);
        scatter_rows(rows, row, first, count, lanes);
        done += count;
    }
}

void LANES(weigh)(size_t taps, const double *weights, const double *lanes, double *out)
{
    enum { CHAINS = 4 };
    vec sum[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        sum[c] = v_set(0.0);
    size_t t = 0;
    for (; t + CHAINS <= taps; t += CHAINS) {
        for (int c = 0; c < CHAINS; c++)
            sum[c] = v_fma(v_set(weights[t + (size_t)c]), v_load(AT(lanes, t + (size_t)c)), sum[c]);
    }
    for (int c = 0; t < taps; t++, c++)
        sum[c] = v_fma(v_set(weights[t]), v_load(AT(lanes, t)), sum[c]);
    v_store(out, v_add(v_add(sum[0], sum[1]), v_add(sum[2], sum[3])));
}
