/* Large matrices in panels of columns: products, Gram matrices and inverses. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/panels.h"

#include <math.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/thread_pool.h"

enum { ROWS = 64, DEPTH = CONGRU_PANELS_DEPTH, WIDE = CONGRU_PANELS_WIDE, BLOCK = WIDE * CONGRU_PANEL };

/* Panels that sums over columns go through between two looks at how much was read, and rows of them that a task takes. */
enum { CHUNK = 4 * DEPTH / CONGRU_PANEL, STRIP = 48 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

typedef struct fill_job {
    const double *x, *mean;
    congru_panels *m;
} fill_job;

static void fill_panel(void *user, size_t panel, int worker)
{
    (void)worker;
    const fill_job *job = user;
    const size_t first = panel * CONGRU_PANEL, some = least(job->m->cols - first, CONGRU_PANEL),
                 rows = job->m->rows;
    double *out = congru_panels_at(job->m, panel);
    for (size_t i = 0; i < rows; i++, out += CONGRU_PANEL)
        for (size_t j = 0; j < CONGRU_PANEL; j++)
            out[j] = j < some ? job->x[(first + j) * rows + i] - job->mean[i] : 0.0;
    congru_mapped_pass(2 * some * rows * sizeof(double));
}

void congru_panels_fill(congru_context *context, const double *x, const double *mean, congru_panels *m)
{
    congru_thread_pool_run(context->pool, congru_panels_count(m->cols), fill_panel, &(fill_job){x, mean, m});
}

/* ---- Products ------------------------------------------------------------------------------------------ */

typedef struct product_job {
    const congru_kernel *kernel;
    size_t rows,
        wide; /* panels that a block takes together, while the rows of A that they need are in the cache */
    const double *a;
    size_t a_stride;
    const congru_panels *b;
    size_t first, panels; /* of b, that are summed over */
    double *c;
    size_t stride;
} product_job;

static void multiply_block(void *user, size_t block, int worker)
{
    (void)worker;
    const product_job *job = user;
    const size_t inner = job->b->rows, first = block * job->wide,
                 last = least(first + job->wide, congru_panels_count(job->b->cols));
    for (size_t k = 0; k < inner; k += DEPTH)
        for (size_t i = 0; i < job->rows; i += ROWS)
            for (size_t p = first; p < last; p++)
                job->kernel->panel(least(job->rows - i, ROWS), least(inner - k, DEPTH),
                                   congru_shared(job->a + i * job->a_stride + k, job->a_stride),
                                   congru_panels_at(job->b, p) + k * CONGRU_PANEL,
                                   k > 0 ? CONGRU_PANEL_ADD : CONGRU_PANEL_SET,
                                   job->c + i * job->stride + p * CONGRU_PANEL, job->stride);
    congru_mapped_pass((last - first) * inner * CONGRU_PANEL * sizeof(double));
}

void congru_panels_product(congru_context *context, size_t rows, const double *a, size_t a_stride,
                           const congru_panels *b, double *c, size_t stride)
{
    const size_t panels = congru_panels_count(b->cols), wide = panels < 16 * WIDE ? 1 : WIDE;
    product_job job = {context->kernel, rows, wide, a, a_stride, b, 0, 0, c, stride};
    congru_thread_pool_run(context->pool, (panels + wide - 1) / wide, multiply_block, &job);
}

static void sum_strip(void *user, size_t strip, int worker)
{
    (void)worker;
    const product_job *job = user;
    const size_t first = strip * STRIP;
    job->kernel->panel_sums(job->rows, least(job->b->rows - first, STRIP), job->panels,
                            job->a + job->first * CONGRU_PANEL, job->a_stride,
                            congru_panels_at(job->b, job->first) + first * CONGRU_PANEL,
                            job->b->rows * CONGRU_PANEL, job->first > 0, job->c + first, job->stride);
}

void congru_panels_product_transposed(congru_context *context, size_t rows, const double *r, size_t r_stride,
                                      const congru_panels *b, double *c, size_t stride)
{
    const size_t panels = congru_panels_count(b->cols);
    for (size_t first = 0; first < panels; first += CHUNK) {
        product_job job = {context->kernel, rows, 0, r, r_stride, b, first, least(panels - first, CHUNK), c,
                           stride};
        congru_thread_pool_run(context->pool, (b->rows + STRIP - 1) / STRIP, sum_strip, &job);
        congru_mapped_pass(job.panels * b->rows * CONGRU_PANEL * sizeof(double));
    }
}

/* ---- Gram matrices ------------------------------------------------------------------------------------- */

typedef struct gram_job {
    const congru_kernel *kernel;
    const congru_panels *x;
    size_t first, panels; /* of x, that are summed over */
    double *work;
    congru_panels *m;
} gram_job;

/* Of X^T X the panels of a block, from its first column's row down: the rest is mirrored. */
static void gram_of_columns(void *user, size_t block, int worker)
{
    (void)worker;
    const gram_job *job = user;
    const size_t n = job->m->rows, inner = job->x->rows, count = congru_panels_count(n), first = block * WIDE;
    for (size_t k = 0; k < inner; k += DEPTH)
        for (size_t i = first; i < count; i++)
            for (size_t p = first; p < least(first + WIDE, count); p++)
                job->kernel->panel(
                    least(n - i * CONGRU_PANEL, CONGRU_PANEL), least(inner - k, DEPTH),
                    congru_shared_transposed(congru_panels_at(job->x, i) + k * CONGRU_PANEL, CONGRU_PANEL),
                    congru_panels_at(job->x, p) + k * CONGRU_PANEL, k > 0 ? CONGRU_PANEL_ADD : CONGRU_PANEL_SET,
                    congru_panels_at(job->m, p) + i * CONGRU_PANEL * CONGRU_PANEL, CONGRU_PANEL);
}

/* The rows `first` to first + BLOCK of X, its panels `from` on, as panels of (columns, CONGRU_PANEL). */
static void pack_transposed(const gram_job *job, size_t first, size_t from, size_t panels, double *pack)
{
    for (size_t j = 0; j < BLOCK; j++) {
        double *out = pack + (j / CONGRU_PANEL) * panels * CONGRU_PANEL * CONGRU_PANEL + j % CONGRU_PANEL;
        for (size_t p = 0; p < panels; p++) {
            const double *row = congru_panels_at(job->x, from + p) + (first + j) * CONGRU_PANEL;
            for (size_t t = 0; t < CONGRU_PANEL; t++, out += CONGRU_PANEL)
                *out = first + j < job->x->rows ? row[t] : 0.0;
        }
    }
}

/* The same of X X^T. */
static void gram_of_rows(void *user, size_t block, int worker)
{
    const gram_job *job = user;
    const size_t n = job->m->rows, first = block * BLOCK,
                 wide = least(congru_panels_count(n) - block * WIDE, WIDE);
    double *pack = job->work + (size_t)worker * CONGRU_PANELS_WORK;
    for (size_t from = job->first; from < job->first + job->panels; from += DEPTH / CONGRU_PANEL) {
        const size_t panels = least(job->first + job->panels - from, DEPTH / CONGRU_PANEL);
        pack_transposed(job, first, from, panels, pack);
        for (size_t i = first; i < n; i += ROWS)
            for (size_t p = 0; p < wide; p++)
                for (size_t t = 0; t < panels; t++)
                    job->kernel->panel(
                        least(n - i, ROWS), CONGRU_PANEL,
                        congru_shared(congru_panels_at(job->x, from + t) + i * CONGRU_PANEL, CONGRU_PANEL),
                        pack + (p * panels + t) * CONGRU_PANEL * CONGRU_PANEL,
                        from + t > 0 ? CONGRU_PANEL_ADD : CONGRU_PANEL_SET,
                        congru_panels_at(job->m, block * WIDE + p) + i * CONGRU_PANEL, CONGRU_PANEL);
    }
}

static void mirror_block(void *user, size_t block, int worker)
{
    (void)worker;
    const congru_panels *m = user;
    const size_t first = block * BLOCK, last = least(first + BLOCK, m->cols);
    for (size_t j = first; j < last; j++)
        for (size_t i = 0; i < first; i++)
            *congru_panels_entry(m, i, j) = *congru_panels_entry(m, j, i);
    for (size_t j = last; j < congru_panels_padded(m->cols) && last == m->cols; j++)
        for (size_t i = 0; i < m->rows; i++)
            *congru_panels_entry(m, i, j) = 0.0;
}

void congru_panels_gram(congru_context *context, const congru_panels *x, bool rows, double *work,
                        congru_panels *m)
{
    const size_t blocks = (congru_panels_count(m->cols) + WIDE - 1) / WIDE,
                 panels = congru_panels_count(x->cols);
    gram_job job = {context->kernel, x, 0, panels, work, m};
    if (!rows)
        congru_thread_pool_run(context->pool, blocks, gram_of_columns, &job);
    for (job.first = 0; rows && job.first < panels; job.first += CHUNK) {
        job.panels = least(panels - job.first, CHUNK);
        congru_thread_pool_run(context->pool, blocks, gram_of_rows, &job);
        congru_mapped_pass(job.panels * x->rows * CONGRU_PANEL * sizeof(double));
    }
    congru_thread_pool_run(context->pool, blocks, mirror_block, m);
}

/* ---- Inverses ------------------------------------------------------------------------------------------ */

/* Sweeping the block K of a symmetric A replaces A_KK by -A_KK^-1, A_IK by A_IK A_KK^-1 and A_IJ by
 * A_IJ - A_IK A_KK^-1 A_KJ; when all blocks have been swept, A is -A^-1. A stays symmetric, so of each block of columns
 * only what is at and below its diagonal block is kept up, and mirrored in the end. All work but that on A_KK is products
 * with the panels' kernel. */
enum { SWEPT = 192 }; /* rows that a task scales */

typedef struct sweep {
    const congru_kernel *kernel;
    congru_panels *m;
    size_t first, width; /* the columns of the block that is swept */
    double *column;      /* (n, BLOCK), A_IK */
    double *scaled;      /* (n, BLOCK), A_IK A_KK^-1 */
    double *pivot;       /* (BLOCK, BLOCK), A_KK^-1 */
    double *packed;      /* the same in panels */
} sweep;

static void lay_out(size_t n, double *work, sweep *s)
{
    s->pivot = work;
    s->packed = s->pivot + BLOCK * BLOCK;
    s->column = s->packed + BLOCK * BLOCK;
    s->scaled = s->column + n * BLOCK;
}

size_t congru_panels_inverse_work(size_t n)
{
    return 2 * BLOCK * BLOCK + 2 * n * BLOCK;
}

static void gather_column(sweep *s)
{
    const congru_panels *m = s->m;
    for (size_t i = 0; i < m->rows; i++) {
        double *row = s->column + i * BLOCK;
        memset(row, 0, BLOCK * sizeof *row);
        for (size_t c = 0; c < s->width; c++)
            row[c] = i >= s->first ? *congru_panels_entry(m, i, s->first + c)
                                   : *congru_panels_entry(m, s->first + c, i);
    }
}

/* pivot = A_KK^-1, swept a row at a time. */
static bool invert_pivot(sweep *s)
{
    double *a = s->pivot;
    memcpy(a, s->column + s->first * BLOCK, s->width * BLOCK * sizeof *a);
    for (size_t k = 0; k < s->width; k++) {
        double row[BLOCK];
        const double d = a[k * BLOCK + k];
        if (!(d > 0.0) || !isfinite(d))
            return false;
        for (size_t j = 0; j < s->width; j++)
            row[j] = a[k * BLOCK + j] / d;
        for (size_t i = 0; i < s->width; i++) {
            const double factor = a[i * BLOCK + k];
            if (i == k)
                continue;
            for (size_t j = 0; j < s->width; j++)
                a[i * BLOCK + j] -= factor * row[j];
            a[i * BLOCK + k] = factor / d;
        }
        memcpy(a + k * BLOCK, row, s->width * sizeof *row);
        a[k * BLOCK + k] = -1.0 / d;
    }
    for (size_t p = 0; p < WIDE; p++)
        for (size_t i = 0; i < s->width; i++)
            for (size_t j = 0; j < CONGRU_PANEL; j++) {
                const size_t column = p * CONGRU_PANEL + j;
                s->packed[(p * BLOCK + i) * CONGRU_PANEL + j] =
                    column < s->width ? -a[i * BLOCK + column] : 0.0;
            }
    return true;
}

static void scale_rows(void *user, size_t block, int worker)
{
    (void)worker;
    const sweep *s = user;
    const size_t first = block * SWEPT, rows = least(s->m->rows - first, SWEPT);
    const congru_operand a = {s->column + first * BLOCK, BLOCK, 1, true};
    for (size_t p = 0; p < WIDE; p++)
        s->kernel->panel(rows, s->width, a, s->packed + p * BLOCK * CONGRU_PANEL, CONGRU_PANEL_SET,
                         s->scaled + first * BLOCK + p * CONGRU_PANEL, BLOCK);
}

/* A panel of the swept block itself. */
static void replace_panel(const sweep *s, size_t panel)
{
    const size_t column = panel * CONGRU_PANEL - s->first, some = least(s->width - column, CONGRU_PANEL);
    double *out = congru_panels_at(s->m, panel);
    for (size_t i = s->first; i < s->m->rows; i++)
        for (size_t j = 0; j < some; j++)
            out[i * CONGRU_PANEL + j] = i < s->first + s->width ? s->pivot[(i - s->first) * BLOCK + column + j]
                                                                : s->scaled[i * BLOCK + column + j];
}

static void update_panel(void *user, size_t panel, int worker)
{
    (void)worker;
    const sweep *s = user;
    const size_t n = s->m->rows, first = panel * CONGRU_PANEL, top = first - first % BLOCK,
                 some = least(n - first, CONGRU_PANEL);
    double *out = congru_panels_at(s->m, panel);
    if (top == s->first) {
        replace_panel(s, panel);
        return;
    }
    _Alignas(64) double right[BLOCK * CONGRU_PANEL];
    for (size_t c = 0; c < s->width; c++)
        for (size_t j = 0; j < CONGRU_PANEL; j++)
            right[c * CONGRU_PANEL + j] = j < some ? s->column[(first + j) * BLOCK + c] : 0.0;
    const congru_operand a = {s->scaled + top * BLOCK, BLOCK, 1, true};
    s->kernel->panel(n - top, s->width, a, right, CONGRU_PANEL_SUBTRACT, out + top * CONGRU_PANEL,
                     CONGRU_PANEL);
    for (size_t c = 0; top < s->first && c < s->width; c++)
        for (size_t j = 0; j < some; j++)
            out[(s->first + c) * CONGRU_PANEL + j] = s->scaled[(first + j) * BLOCK + c];
}

static void negate_panel(void *user, size_t panel, int worker)
{
    (void)worker;
    const sweep *s = user;
    double *out = congru_panels_at(s->m, panel);
    for (size_t i = 0; i < s->m->rows * CONGRU_PANEL; i++)
        out[i] = -out[i];
}

bool congru_panels_invert(congru_context *context, congru_panels *m, double *work)
{
    const size_t n = m->rows, panels = congru_panels_count(n);
    sweep s = {.kernel = context->kernel, .m = m};
    lay_out(n, work, &s);
    for (s.first = 0; s.first < n; s.first += BLOCK) {
        s.width = least(n - s.first, BLOCK);
        gather_column(&s);
        if (!invert_pivot(&s))
            return false;
        congru_thread_pool_run(context->pool, (n + SWEPT - 1) / SWEPT, scale_rows, &s);
        congru_thread_pool_run(context->pool, panels, update_panel, &s);
    }
    congru_thread_pool_run(context->pool, (panels + WIDE - 1) / WIDE, mirror_block, m);
    congru_thread_pool_run(context->pool, panels, negate_panel, &s);
    return true;
}
