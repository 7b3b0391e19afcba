/* Large matrices in panels of columns: filling and products. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/panels.h"

#include <string.h>

#include "base/thread_pool.h"

enum { ROWS = 64, DEPTH = CONGRU_PANELS_DEPTH, WIDE = CONGRU_PANELS_WIDE };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

typedef struct fill_job {
    congru_operand from;
    congru_panels *m;
} fill_job;

static void fill_panel(void *user, size_t panel, int worker)
{
    (void)worker;
    const fill_job *job = user;
    const congru_operand *from = &job->from;
    const size_t first = panel * CONGRU_PANEL, some = least(job->m->cols - first, CONGRU_PANEL);
    double *out = congru_panels_at(job->m, panel);
    for (size_t i = 0; i < job->m->rows; i++, out += CONGRU_PANEL)
        for (size_t j = 0; j < CONGRU_PANEL; j++)
            out[j] = j < some ? from->data[i * from->row_stride + (first + j) * from->column_stride] : 0.0;
}

void congru_panels_fill(congru_context *context, congru_operand from, congru_panels *m)
{
    congru_thread_pool_run(context->pool, congru_panels_count(m->cols), fill_panel, &(fill_job){from, m});
}

/* ---- Products ------------------------------------------------------------------------------------------ */

typedef struct product_job {
    const congru_kernel *kernel;
    size_t rows,
        wide; /* panels that a block takes together, while the rows of A that they need are in the cache */
    congru_operand a;
    const congru_panels *b;
    congru_panel_mode mode;
    double *c;
    size_t stride;
} product_job;

static void multiply_block(void *user, size_t block, int worker)
{
    (void)worker;
    const product_job *job = user;
    const size_t inner = job->b->rows, first = block * job->wide,
                 last = least(first + job->wide, congru_panels_count(job->b->cols));
    for (size_t k = 0; k < inner; k += DEPTH) {
        const congru_panel_mode mode = k > 0 && job->mode == CONGRU_PANEL_SET ? CONGRU_PANEL_ADD : job->mode;
        for (size_t i = 0; i < job->rows; i += ROWS) {
            congru_operand a = job->a;
            a.data += i * a.row_stride + k * a.column_stride;
            for (size_t p = first; p < last; p++)
                job->kernel->panel(least(job->rows - i, ROWS), least(inner - k, DEPTH), a,
                                   congru_panels_at(job->b, p) + k * CONGRU_PANEL, mode,
                                   job->c + i * job->stride + p * CONGRU_PANEL, job->stride);
        }
    }
}

void congru_panels_product(congru_context *context, bool alone, size_t rows, congru_operand a,
                           const congru_panels *b, congru_panel_mode mode, double *c, size_t stride)
{
    const size_t panels = congru_panels_count(b->cols), wide = panels < 16 * WIDE ? 1 : WIDE,
                 blocks = (panels + wide - 1) / wide;
    product_job job = {context->kernel, rows, wide, a, b, mode, c, stride};
    if (!alone) {
        congru_thread_pool_run(context->pool, blocks, multiply_block, &job);
        return;
    }
    for (size_t block = 0; block < blocks; block++)
        multiply_block(&job, block, 0);
}

/* ---- Gram matrices ------------------------------------------------------------------------------------- */

typedef struct gram_job {
    const congru_kernel *kernel;
    size_t inner, stride;
    const double *x;
    double *work;
    congru_panels *m;
} gram_job;

/* The columns `first` to first + WIDE CONGRU_PANEL of X^T, its rows k on, as panels of `depth` rows. */
static void pack_transposed(const gram_job *job, size_t first, size_t k, size_t depth, double *pack)
{
    for (size_t p = 0; p < WIDE; p++)
        for (size_t j = 0; j < CONGRU_PANEL; j++) {
            const size_t row = first + p * CONGRU_PANEL + j;
            double *out = pack + p * depth * CONGRU_PANEL + j;
            const double *x = job->x + row * job->stride + k;
            for (size_t t = 0; t < depth; t++)
                out[t * CONGRU_PANEL] = row < job->m->rows ? x[t] : 0.0;
        }
}

/* The panels of a block, from its first column's row down: the rest is mirrored. */
static void gram_block(void *user, size_t block, int worker)
{
    const gram_job *job = user;
    const size_t n = job->m->rows, first = block * WIDE * CONGRU_PANEL;
    const size_t panels = least(congru_panels_count(n) - block * WIDE, WIDE);
    double *pack = job->work + (size_t)worker * CONGRU_PANELS_WORK;
    for (size_t k = 0; k < job->inner; k += DEPTH) {
        const size_t depth = least(job->inner - k, DEPTH);
        pack_transposed(job, first, k, depth, pack);
        for (size_t i = first; i < n; i += ROWS) {
            const congru_operand a = {job->x + i * job->stride + k, job->stride, 1, true};
            for (size_t p = 0; p < panels; p++)
                job->kernel->panel(least(n - i, ROWS), depth, a, pack + p * depth * CONGRU_PANEL,
                                   k == 0 ? CONGRU_PANEL_SET : CONGRU_PANEL_ADD,
                                   congru_panels_at(job->m, block * WIDE + p) + i * CONGRU_PANEL, CONGRU_PANEL);
        }
    }
}

static void mirror_block(void *user, size_t block, int worker)
{
    (void)worker;
    const congru_panels *m = user;
    const size_t first = block * WIDE * CONGRU_PANEL, last = least(first + WIDE * CONGRU_PANEL, m->cols);
    for (size_t j = first; j < last; j++)
        for (size_t i = 0; i < first; i++)
            *congru_panels_entry(m, i, j) = *congru_panels_entry(m, j, i);
    for (size_t j = last; j < congru_panels_count(m->cols) * CONGRU_PANEL && last == m->cols; j++)
        for (size_t i = 0; i < m->rows; i++)
            *congru_panels_entry(m, i, j) = 0.0;
}

void congru_panels_mirror(congru_context *context, bool alone, congru_panels *m)
{
    const size_t blocks = (congru_panels_count(m->cols) + WIDE - 1) / WIDE;
    if (!alone) {
        congru_thread_pool_run(context->pool, blocks, mirror_block, m);
        return;
    }
    for (size_t block = 0; block < blocks; block++)
        mirror_block(m, block, 0);
}

void congru_panels_gram(congru_context *context, size_t inner, const double *x, size_t stride, double *work,
                        congru_panels *m)
{
    const size_t blocks = (congru_panels_count(m->cols) + WIDE - 1) / WIDE;
    gram_job job = {context->kernel, inner, stride, x, work, m};
    congru_thread_pool_run(context->pool, blocks, gram_block, &job);
    congru_panels_mirror(context, false, m);
}
