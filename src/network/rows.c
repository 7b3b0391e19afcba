/* Sums over rows by action and subject, and derivatives of rows. SPDX-License-Identifier: Apache-2.0 */
#include "network/rows.h"

#include <string.h>

enum { STRETCH = 64 }; /* elements of the rows that a thread sums at a time */

void congru_rows_layout(congru_arena *arena, size_t classes, size_t subjects, size_t stride, congru_rows *rows)
{
    rows->stride = stride;
    rows->mean = congru_arena_take(arena, stride, sizeof(double));
    congru_scatter_layout(arena, classes, stride, &rows->action);
    congru_scatter_layout(arena, subjects, stride, &rows->subject);
}

typedef struct job {
    const congru_kernel *kernel;
    const congru_batch *batch;
    congru_rows *rows;
} job;

static void sum_stretch(void *user, size_t block, int worker)
{
    (void)worker;
    const job *j = user;
    congru_rows *rows = j->rows;
    const size_t first = block * STRETCH, left = rows->stride - first, count = j->batch->count;
    const size_t length = left < STRETCH ? left : STRETCH, *index = rows->constant ? j->batch->index : NULL;
    congru_scatter_sum(j->kernel, &rows->action, count, j->batch->label, rows->data, index, first, length);
    congru_scatter_sum(j->kernel, &rows->subject, count, j->batch->subject, rows->data, index, first, length);
}

void congru_rows_sum(congru_thread_pool *pool, const congru_kernel *kernel, const congru_batch *batch,
                     congru_rows *rows)
{
    job j = {kernel, batch, rows};
    const size_t count = batch->count;
    double square = 0.0;
    for (size_t i = 0; i < count; i++)
        square += rows->norm[rows->constant ? batch->index[i] : i];
    if (rows->stride > STRETCH)
        congru_thread_pool_run(pool, (rows->stride + STRETCH - 1) / STRETCH, sum_stretch, &j);
    else
        sum_stretch(&j, 0, 0);
    congru_scatter_mean(&rows->action, count, rows->mean);
    congru_scatter_forward(&rows->action, count, batch->label, rows->mean, square, rows->scale);
    congru_scatter_forward(&rows->subject, count, batch->subject, rows->mean, square, rows->scale);
    rows->terms = 0;
}

void congru_rows_add_term(congru_rows *rows, congru_term term)
{
    for (size_t k = 0; k < rows->terms && term.by == CONGRU_TERM_SELF; k++) {
        if (rows->term[k].by == CONGRU_TERM_SELF) {
            rows->term[k].weight += term.weight;
            return;
        }
    }
    rows->term[rows->terms++] = term;
}

static const double *row_of(const congru_rows *rows, const congru_term *term, const congru_batch *batch,
                            size_t i)
{
    switch (term->by) {
    case CONGRU_TERM_SELF:
    case CONGRU_TERM_OWN:
        return rows->data + i * rows->stride;
    case CONGRU_TERM_LABEL:
        return term->table + (size_t)batch->label[i] * rows->stride;
    case CONGRU_TERM_SUBJECT:
        return term->table + (size_t)batch->subject[i] * rows->stride;
    case CONGRU_TERM_TRIAL:
        return term->table + congru_batch_trial(batch, i) * rows->stride;
    default:
        return term->table;
    }
}

void congru_rows_backward(const congru_rows *rows, const congru_kernel *kernel, const congru_batch *batch,
                          size_t first, size_t count, double *out)
{
    const size_t stride = rows->stride;
    memset(out, 0, count * stride * sizeof(double));
    for (size_t i = first; i < first + count; i++, out += stride) {
        for (size_t k = 0; k < rows->terms; k++) {
            const congru_term *term = &rows->term[k];
            const double *row = row_of(rows, term, batch, i), *own = rows->data + i * stride;
            const double weight =
                term->by == CONGRU_TERM_OWN ? term->weight * term->table[batch->subject[i]] : term->weight;
            if (term->mask == NULL)
                kernel->combine(stride, weight, row, 1.0, out);
            else
                for (size_t e = 0; e < stride; e++)
                    out[e] += term->weight * term->mask[e] * (own[e] - row[e]);
        }
    }
}
