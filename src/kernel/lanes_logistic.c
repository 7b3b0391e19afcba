/* The softmax cross-entropy of a block of trials and its derivative, trials in the lanes. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"

/* Sums over trials are CONGRU_GROUP chains, trial t in chain t % CONGRU_GROUP, as in lanes_gram.c. */
enum { PASSES = CONGRU_GROUP / VEC_WIDTH };

/* The logits of R rows for V vectors of trials. */
ALWAYS_INLINE void logits_tile(const int R, const int V, const congru_logistic_block *block, const double *w,
                               size_t row, size_t trial, double *logits)
{
    vec sum[4][8];
    for (int r = 0; r < R; r++)
        for (int v = 0; v < V; v++)
            sum[r][v] = v_set(0.0);
    const double *x = block->x + trial, *own = w + row * block->features;
    for (size_t j = 0; j < block->features; j++, x += CONGRU_LOGISTIC_BLOCK) {
        for (int r = 0; r < R; r++) {
            vec factor = v_set(own[(size_t)r * block->features + j]);
            for (int v = 0; v < V; v++)
                sum[r][v] = v_fma(factor, v_load(AT(x, v)), sum[r][v]);
        }
    }
    for (int r = 0; r < R; r++)
        for (int v = 0; v < V; v++)
            v_store(AT(logits + (row + (size_t)r) * CONGRU_LOGISTIC_BLOCK + trial, v), sum[r][v]);
}

/* As many sums at a time as hide the latency of a multiplication and fit the registers. */
static void all_logits(const congru_logistic_block *block, const double *w, double *logits)
{
    for (size_t row = 0, rows; row < block->rows; row += rows) {
        rows = lanes_least(block->rows - row, 4);
        const size_t vectors = rows == 1 ? 8 : rows == 2 ? 4 : 2;
        for (size_t t = 0; t < CONGRU_LOGISTIC_BLOCK; t += vectors * VEC_WIDTH) {
            if (rows == 1)
                logits_tile(1, 8, block, w, row, t, logits);
            else if (rows == 2)
                logits_tile(2, 4, block, w, row, t, logits);
            else if (rows == 3)
                logits_tile(3, 2, block, w, row, t, logits);
            else
                logits_tile(4, 2, block, w, row, t, logits);
        }
    }
}

/* Logits become weight * (probability - whether it is the trial's class); returns weight * loss. */
ALWAYS_INLINE vec softmax(const congru_logistic_block *block, size_t trial, double *logits)
{
    double *own = logits + trial;
    const vec label = v_load(block->label + trial), weight = v_load(block->weight + trial);
    vec largest = block->reference ? v_set(0.0) : v_load(own), sum = v_set(0.0), chosen = v_set(0.0);
    for (size_t r = 0; r < block->rows; r++) {
        vec logit = v_load(own + r * CONGRU_LOGISTIC_BLOCK);
        largest = v_select(v_lt(largest, logit), logit, largest);
        chosen = v_select(v_eq(label, v_set((double)r)), logit, chosen);
    }
    if (block->reference)
        sum = v_exp(v_neg(largest));
    for (size_t r = 0; r < block->rows; r++) {
        vec power = v_exp(v_sub(v_load(own + r * CONGRU_LOGISTIC_BLOCK), largest));
        sum = v_add(sum, power);
        v_store(own + r * CONGRU_LOGISTIC_BLOCK, power);
    }
    const vec scale = v_div(weight, sum);
    for (size_t r = 0; r < block->rows; r++) {
        vec mine = v_select(v_eq(label, v_set((double)r)), weight, v_set(0.0));
        v_store(own + r * CONGRU_LOGISTIC_BLOCK, v_fms(v_load(own + r * CONGRU_LOGISTIC_BLOCK), scale, mine));
    }
    return v_mul(weight, v_add(v_log(sum), v_sub(largest, chosen)));
}

static double add_chains(const double chain[CONGRU_GROUP])
{
    return ((chain[0] + chain[4]) + (chain[2] + chain[6])) + ((chain[1] + chain[5]) + (chain[3] + chain[7]));
}

/* gradient[r][j] += the sum over trials of residual r times feature j, for R rows and J features. */
ALWAYS_INLINE void gradient_tile(const int R, const int J, const congru_logistic_block *block,
                                 const double *residual, size_t row, size_t feature, double *gradient)
{
    alignas(64) double chain[16][CONGRU_GROUP];
    const double *x = block->x + feature * CONGRU_LOGISTIC_BLOCK;
    residual += row * CONGRU_LOGISTIC_BLOCK;
    for (size_t pass = 0; pass < PASSES; pass++) {
        vec sum[4][4];
        for (int r = 0; r < R; r++)
            for (int j = 0; j < J; j++)
                sum[r][j] = v_set(0.0);
        for (size_t t = pass * VEC_WIDTH; t < CONGRU_LOGISTIC_BLOCK; t += CONGRU_GROUP) {
            vec value[4];
            for (int j = 0; j < J; j++)
                value[j] = v_load(x + (size_t)j * CONGRU_LOGISTIC_BLOCK + t);
            for (int r = 0; r < R; r++) {
                vec factor = v_load(residual + (size_t)r * CONGRU_LOGISTIC_BLOCK + t);
                for (int j = 0; j < J; j++)
                    sum[r][j] = v_fma(factor, value[j], sum[r][j]);
            }
        }
        for (int r = 0; r < R; r++)
            for (int j = 0; j < J; j++)
                v_store(chain[r * J + j] + pass * VEC_WIDTH, sum[r][j]);
    }
    for (int r = 0; r < R; r++)
        for (int j = 0; j < J; j++)
            gradient[(row + (size_t)r) * block->features + feature + (size_t)j] += add_chains(chain[r * J + j]);
}

ALWAYS_INLINE void gradient_rows(const int R, const congru_logistic_block *block, const double *residual,
                                 size_t row, double *gradient)
{
    size_t j = 0;
    for (; j + 3 <= block->features; j += 3)
        gradient_tile(R, 3, block, residual, row, j, gradient);
    for (; j < block->features; j++)
        gradient_tile(R, 1, block, residual, row, j, gradient);
}

double LANES(logistic)(const congru_logistic_block *block, const double *w, double *work, double *gradient)
{
    alignas(64) double chain[CONGRU_GROUP];
    all_logits(block, w, work);
    for (size_t pass = 0; pass < PASSES; pass++) {
        vec loss = v_set(0.0);
        for (size_t t = pass * VEC_WIDTH; t < CONGRU_LOGISTIC_BLOCK; t += CONGRU_GROUP)
            loss = v_add(loss, softmax(block, t, work));
        v_store(chain + pass * VEC_WIDTH, loss);
    }
    for (size_t row = 0, rows; row < block->rows; row += rows) {
        rows = lanes_least(block->rows - row, 4);
        if (rows == 1)
            gradient_rows(1, block, work, row, gradient);
        else if (rows == 2)
            gradient_rows(2, block, work, row, gradient);
        else if (rows == 3)
            gradient_rows(3, block, work, row, gradient);
        else
            gradient_rows(4, block, work, row, gradient);
    }
    return add_chains(chain);
}
