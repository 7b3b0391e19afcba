/* Adam, what each step keeps of the parameters, a moving average, and the best of them. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "network/train.h"

static const double momentum = 0.9, memory = 0.999, least_denominator = 1e-8;

void congru_adam_layout(congru_arena *arena, const congru_parameters *p, congru_adam *adam)
{
    double **vectors[] = {&adam->first_moment, &adam->second_moment, &adam->best, &adam->averaged,
                          &adam->aside};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        *vectors[k] = congru_arena_take(arena, p->size + CONGRU_GROUP, sizeof(double));
}

void congru_adam_keep_best(congru_adam *adam, const congru_parameters *p, double loss, size_t step)
{
    if (!(loss < adam->best_loss))
        return;
    adam->best_loss = loss;
    adam->best_step = step;
    memcpy(adam->best, p->value, p->size * sizeof(double));
}

/* x^n for whole n. */
static double power(double x, size_t n)
{
    double result = 1.0;
    for (; n > 0; n /= 2) {
        result = n % 2 == 1 ? result * x : result;
        x *= x;
    }
    return result;
}

/* A stretch of the parameters, what a thread takes at a time. */
enum { STRETCH = 4096 };

typedef struct job {
    const congru_kernel *kernel;
    const congru_adam *adam;
    congru_parameters *p;
    congru_adam_move move;
} job;

static void move_stretch(void *user, size_t block, int worker)
{
    (void)worker;
    const job *j = user;
    const congru_adam *adam = j->adam;
    congru_parameters *p = j->p;
    const size_t from = block * STRETCH, to = p->size - from < STRETCH ? p->size : from + STRETCH;
    for (size_t s = 0; s < p->segments; s++) {
        const congru_segment *segment = &p->segment[s];
        const size_t last = segment->offset + segment->rows * segment->cols;
        const size_t start = segment->offset > from ? segment->offset : from, end = last < to ? last : to;
        congru_adam_move move = j->move;
        move.decay = segment->head ? adam->decay : 0.0;
        if (start < end)
            j->kernel->adam(end - start, &move, p->gradient + start, adam->first_moment + start,
                            adam->second_moment + start, p->value + start);
    }
    for (size_t i = from; adam->kept > 0.0 && i < to; i++)
        adam->averaged[i] = adam->kept * adam->averaged[i] + (1.0 - adam->kept) * p->value[i];
}

void congru_adam_update(congru_context *context, congru_adam *adam, congru_parameters *p, double norm)
{
    const size_t step = ++adam->steps;
    job j = {context->kernel, adam, p, {.momentum = momentum, .memory = memory, .least = least_denominator}};
    j.move.factor = adam->clip > 0.0 && norm + 1e-6 > adam->clip ? adam->clip / (norm + 1e-6) : 1.0;
    j.move.rate = adam->rate / (1.0 - power(momentum, step));
    j.move.correction = sqrt(1.0 - power(memory, step));
    congru_blocks_run(context, p->size, (p->size + STRETCH - 1) / STRETCH, move_stretch, &j);
}

void congru_adam_use_average(congru_adam *adam, congru_parameters *p)
{
    const double weights = 1.0 - power(adam->kept, adam->steps);
    memcpy(adam->aside, p->value, p->size * sizeof(double));
    for (size_t i = 0; adam->steps > 0 && i < p->size; i++)
        p->value[i] = adam->averaged[i] / weights;
}

/* ---- Constraints ------------------------------------------------------------------------------------- */

/* The inner product of columns i and j of a and b, (rows, cols) both. */
static double column_product(size_t rows, size_t cols, const double *a, size_t i, const double *b, size_t j)
{
    double sum = 0.0;
    for (size_t r = 0; r < rows; r++)
        sum += a[r * cols + i] * b[r * cols + j];
    return sum;
}

/* g -= W sym(W^T g). Column j of the product needs row j of the symmetric matrix, which needs all of g as it was: entries
 * of a pair (i, j) are taken before either column changes, since W's columns are orthonormal. */
static void project(size_t rows, size_t cols, const double *w, double *g)
{
    for (size_t i = 0; i < cols; i++) {
        for (size_t j = i; j < cols; j++) {
            const double s =
                0.5 * (column_product(rows, cols, w, i, g, j) + column_product(rows, cols, w, j, g, i));
            for (size_t r = 0; r < rows; r++) {
                g[r * cols + j] -= s * w[r * cols + i];
                if (i != j)
                    g[r * cols + i] -= s * w[r * cols + j];
            }
        }
    }
}

/* Gram and Schmidt's, each column twice: the second time takes out what rounding left. */
static void retract(size_t rows, size_t cols, double *w)
{
    for (size_t j = 0; j < cols; j++) {
        for (int time = 0; time < 2; time++) {
            for (size_t i = 0; i < j; i++) {
                const double s = column_product(rows, cols, w, i, w, j);
                for (size_t r = 0; r < rows; r++)
                    w[r * cols + j] -= s * w[r * cols + i];
            }
            const double norm = sqrt(column_product(rows, cols, w, j, w, j));
            for (size_t r = 0; r < rows; r++)
                w[r * cols + j] /= norm;
        }
    }
}

static void shorten(size_t rows, size_t cols, double limit, double *w)
{
    for (size_t r = 0; r < rows; r++, w += cols) {
        const double norm = sqrt(congru_squared_norm(cols, w)), scale = limit / (norm + 1e-7);
        for (size_t c = 0; c < cols && norm > limit; c++)
            w[c] *= scale;
    }
}

void congru_constraints_project(congru_parameters *p)
{
    for (size_t s = 0; s < p->segments; s++) {
        const congru_segment *segment = &p->segment[s];
        if (segment->constraint == CONGRU_STIEFEL)
            project(segment->rows, segment->cols, p->value + segment->offset, p->gradient + segment->offset);
    }
}

void congru_constraints_retract(congru_parameters *p)
{
    for (size_t s = 0; s < p->segments; s++) {
        const congru_segment *segment = &p->segment[s];
        double *w = p->value + segment->offset;
        if (segment->constraint == CONGRU_STIEFEL)
            retract(segment->rows, segment->cols, w);
        if (segment->constraint == CONGRU_ROW_NORM)
            shorten(segment->rows, segment->cols, segment->limit, w);
    }
}
