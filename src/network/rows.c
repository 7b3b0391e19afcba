/* Sums over rows by action and subject, and derivatives of rows. SPDX-License-Identifier: Apache-2.0 */
#include "network/rows.h"

#include <string.h>

enum { STRETCH = 64 }; /* elements of the rows that a thread sums at a time */

double congru_squared_norm(size_t count, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum;
}

void congru_rows_layout(congru_arena *arena, size_t classes, size_t subjects, size_t stride, congru_rows *rows)
{
    congru_scatter *scatters[] = {&rows->action, &rows->subject};
    rows->stride = stride;
    rows->mean = congru_arena_take(arena, stride, sizeof(double));
    for (size_t k = 0; k < 2; k++) {
        congru_scatter *s = scatters[k];
        s->groups = k == 0 ? classes : subjects;
        s->count = congru_arena_take(arena, s->groups, sizeof(double));
        s->mean = congru_arena_take(arena, s->groups * stride, sizeof(double));
        s->offset = congru_arena_take(arena, s->groups * stride, sizeof(double));
    }
}

/* ---- Scatters ---------------------------------------------------------------------------------------- */

typedef struct job {
    const congru_kernel *kernel;
    const congru_batch *batch;
    congru_rows *rows;
} job;

/* Sums of elements first to first + length - 1 of the rows, each in its group. */
static void sum_groups(const job *j, const congru_scatter *s, const int32_t *group, size_t first, size_t length)
{
    const congru_rows *rows = j->rows;
    for (size_t m = 0; m < s->groups; m++)
        memset(s->mean + m * rows->stride + first, 0, length * sizeof(double));
    for (size_t i = 0; i < j->batch->count; i++)
        j->kernel->combine(length, 1.0,
                           rows->data + (rows->constant ? j->batch->index[i] : i) * rows->stride + first, 1.0,
                           s->mean + (size_t)group[i] * rows->stride + first);
}

static void sum_stretch(void *user, size_t block, int worker)
{
    (void)worker;
    const job *j = user;
    const size_t first = block * STRETCH, left = j->rows->stride - first,
                 length = left < STRETCH ? left : STRETCH;
    sum_groups(j, &j->rows->action, j->batch->label, first, length);
    sum_groups(j, &j->rows->subject, j->batch->subject, first, length);
}

/* The mean of all rows, from the sums by action. */
static void find_mean(const congru_rows *rows, size_t n)
{
    const size_t stride = rows->stride;
    memcpy(rows->mean, rows->action.mean, stride * sizeof(double));
    for (size_t e = stride; e < rows->action.groups * stride; e++)
        rows->mean[e % stride] += rows->action.mean[e];
    for (size_t e = 0; e < stride; e++)
        rows->mean[e] /= (double)n;
}

/* Counts, means, W and B; `square` is the sum of all ||x_i||^2. */
static void scatter_forward(const congru_rows *rows, size_t n, const int32_t *group, double square,
                            congru_scatter *s)
{
    memset(s->count, 0, s->groups * sizeof(double));
    for (size_t i = 0; i < n; i++)
        s->count[group[i]] += 1.0;
    double own = 0.0, between = 0.0;
    for (size_t m = 0; m < s->groups; m++) {
        const double count = s->count[m];
        if (count == 0.0)
            continue;
        double *mu = s->mean + m * rows->stride, square_mu = 0.0, square_gap = 0.0;
        for (size_t e = 0; e < rows->stride; e++) {
            mu[e] /= count;
            const double gap = mu[e] - rows->mean[e];
            square_mu += mu[e] * mu[e];
            square_gap += gap * gap;
        }
        own += count * square_mu;
        between += count * square_gap;
    }
    /* Rows lie about the origin, where the trials were recentred: the difference keeps its digits. */
    s->within = rows->scale * ((square - own) / (double)n);
    s->between = rows->scale * (between / (double)n);
}

/* dW/dx_i = 2/N (x_i - mu_m), dB/dx_i = 2/N (mu_m - mu). */
static double scatter_backward(const congru_rows *rows, size_t n, double d_within, double d_between,
                               const congru_scatter *s)
{
    const double within = 2.0 * rows->scale * d_within / (double)n,
                 between = 2.0 * rows->scale * d_between / (double)n;
    for (size_t m = 0; m < s->groups; m++) {
        const double *mu = s->mean + m * rows->stride;
        double *offset = s->offset + m * rows->stride;
        for (size_t e = 0; e < rows->stride; e++)
            offset[e] = (between - within) * mu[e] - between * rows->mean[e];
    }
    return within;
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
    find_mean(rows, count);
    scatter_forward(rows, count, batch->label, square, &rows->action);
    scatter_forward(rows, count, batch->subject, square, &rows->subject);
    rows->terms = 0;
}

double congru_rows_slopes(congru_rows *rows, size_t n, const congru_scattered *slope)
{
    const double own = scatter_backward(rows, n, slope->within_action, slope->between_action, &rows->action);
    return own + scatter_backward(rows, n, slope->within_subject, slope->between_subject, &rows->subject);
}

/* ---- Derivatives ------------------------------------------------------------------------------------- */

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
