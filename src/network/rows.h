/* Vectors of a whole batch as rows, what is summed over them, and their derivative as a sum of rows. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_ROWS_H
#define CONGRU_NETWORK_ROWS_H

#include "base/thread_pool.h"
#include "network/activation.h"
#include "network/losses/scatter.h"

enum { CONGRU_TERMS_MAX = 8 };

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

/* Adds to the derivative of every row; terms by the row itself become one. */
void congru_rows_add_term(congru_rows *rows, congru_term term);

/* The terms' sum for `count` rows from place `first` on: out (count, stride). */
void congru_rows_backward(const congru_rows *rows, const congru_kernel *kernel, const congru_batch *batch,
                          size_t first, size_t count, double *out);

#endif
