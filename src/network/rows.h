/* Vectors of a whole batch as rows, what is summed over them, and their derivative as a sum of rows. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_ROWS_H
#define CONGRU_NETWORK_ROWS_H

#include "base/arena.h"
#include "base/thread_pool.h"
#include "network/activation.h"

enum { CONGRU_TERMS_MAX = 8 };

/* Of N rows x_i in groups with n_m rows and mean mu_m, mu the mean of all:
 * W = scale / N sum ||x_i - mu_m||^2, B = scale / N sum n_m ||mu_m - mu||^2. */
typedef struct congru_scatter {
    size_t groups;
    double *count;  /* (groups) */
    double *mean;   /* (groups, stride): first sums */
    double *offset; /* (groups, stride): the part of a row's derivative that its group shares */
    double within, between;
} congru_scatter;

/* Both scatters by action and by subject, or derivatives by them. */
typedef struct congru_scattered {
    double within_action, between_action, within_subject, between_subject;
} congru_scattered;

/* weight times a row of a table: that of the trial's label or subject, of the trial itself, or the same for all; or times
 * the own row and the subject's number in the table. With a mask, weight * mask * (own row - row of the table). */
typedef enum congru_term_by {
    CONGRU_TERM_SELF,
    CONGRU_TERM_ALL,
    CONGRU_TERM_LABEL,
    CONGRU_TERM_SUBJECT,
    CONGRU_TERM_TRIAL,
    CONGRU_TERM_OWN
} congru_term_by;

typedef struct congru_term {
    congru_term_by by;
    double weight;
    const double *table, *mask;
} congru_term;

typedef struct congru_rows {
    size_t stride;
    double *data;  /* (batch, stride), or (trials, stride) where `constant` */
    double *norm;  /* squared, of each row; likewise */
    bool constant; /* rows of all trials: the batch's are told by its index */
    double *mean;  /* (stride) */
    double scale;  /* of scatters */
    congru_scatter action, subject;
    size_t terms;
    congru_term term[CONGRU_TERMS_MAX];
} congru_rows;

void congru_rows_layout(congru_arena *arena, size_t classes, size_t subjects, size_t stride, congru_rows *rows);

/* The mean of the batch, scatters by action and by subject; no terms. */
void congru_rows_sum(congru_thread_pool *pool, const congru_kernel *kernel, const congru_batch *batch,
                     congru_rows *rows);

/* The derivative by row i from that by the scatters is own x_i + offset[action of i] + offset[subject of i]: sets the offsets,
 * returns own. `n` rows. */
double congru_rows_slopes(congru_rows *rows, size_t n, const congru_scattered *slope);

/* Adds to the derivative of every row; terms by the row itself become one. */
void congru_rows_add_term(congru_rows *rows, congru_term term);

/* The terms' sum for `count` rows from place `first` on: out (count, stride). */
void congru_rows_backward(const congru_rows *rows, const congru_kernel *kernel, const congru_batch *batch,
                          size_t first, size_t count, double *out);

/* The sum of squares, in order. */
double congru_squared_norm(size_t count, const double *x);

#endif
