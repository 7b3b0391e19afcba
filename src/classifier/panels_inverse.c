/* The inverse of one large symmetric matrix, swept a block of columns at a time. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/thread_pool.h"
#include "classifier/panels.h"

/* Sweeping the block K of a symmetric A replaces A_KK by -A_KK^-1, A_IK by A_IK A_KK^-1 and A_IJ by
 * A_IJ - A_IK A_KK^-1 A_KJ; when all blocks have been swept, A is -A^-1. A stays symmetric, so of each block of columns
 * only what is at and below its diagonal block is kept up, and mirrored in the end. All work but that on A_KK is products
 * with the panels' kernel. */
enum { WIDE = CONGRU_PANELS_WIDE, BLOCK = WIDE * CONGRU_PANEL, ROWS = 192 };

typedef struct sweep {
    const congru_kernel *kernel;
    congru_panels *m;
    size_t first, width; /* the columns of the block that is swept */
    double *column;      /* (n, BLOCK), A_IK */
    double *scaled;      /* (n, BLOCK), A_IK A_KK^-1 */
    double *pivot;       /* (BLOCK, BLOCK), A_KK^-1 */
    double *packed;      /* the same in panels */
} sweep;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

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

static void run(congru_context *context, bool alone, size_t blocks, congru_thread_pool_task task, sweep *s)
{
    if (!alone) {
        congru_thread_pool_run(context->pool, blocks, task, s);
        return;
    }
    for (size_t block = 0; block < blocks; block++)
        task(s, block, 0);
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
    const size_t first = block * ROWS, rows = least(s->m->rows - first, ROWS);
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

bool congru_panels_invert(congru_context *context, bool alone, congru_panels *m, double *work)
{
    const size_t n = m->rows, panels = congru_panels_count(n);
    sweep s = {.kernel = context->kernel, .m = m};
    lay_out(n, work, &s);
    for (s.first = 0; s.first < n; s.first += BLOCK) {
        s.width = least(n - s.first, BLOCK);
        gather_column(&s);
        if (!invert_pivot(&s))
            return false;
        run(context, alone, (n + ROWS - 1) / ROWS, scale_rows, &s);
        run(context, alone, panels, update_panel, &s);
    }
    congru_panels_mirror(context, alone, m);
    run(context, alone, panels, negate_panel, &s);
    return true;
}
