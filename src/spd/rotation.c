/* R = exp(A - A^T), a rotation, and its adjoint. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/workspace.h"
#include "spd/spectral.h"

/* The exponential by scaling and squaring: K is halved until its norm is at most 1/4, where the Taylor polynomial
 * of degree 12 is exact to rounding, evaluated there with five products, and squared back.
 *
 * The adjoint is the derivative of the exponential at K^T in the direction dR. It is had by carrying a
 * derivative beside every matrix through the same steps: (x, dx)(y, dy) = (x y, x dy + dx y). */

enum { MATRICES = 6 };

/* One vector in lanes, of which one lane is used, and its derivative or NULL. */
typedef struct dual {
    double *x, *dx;
} dual;

typedef struct rotation_work {
    const congru_kernel *kernel;
    size_t d;
    dual m[MATRICES];
    double *plain;
} rotation_work;

static void rotation_layout(congru_arena *arena, bool derivative, rotation_work *w)
{
    for (int k = 0; k < MATRICES; k++) {
        w->m[k].x = congru_take_lanes(arena, w->kernel, 1, w->d * w->d);
        w->m[k].dx = derivative ? congru_take_lanes(arena, w->kernel, 1, w->d * w->d) : NULL;
    }
    w->plain = congru_arena_take(arena, w->d * w->d, sizeof(double));
}

static congru_status rotation_begin(congru_context *context, size_t d, bool derivative, rotation_work *w)
{
    w->kernel = context->kernel;
    w->d = d;
    congru_arena measure = {0};
    rotation_layout(&measure, derivative, w);
    if (congru_arena_reserve(&context->shared, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a rotation of %zu x %zu", d, d);
    rotation_layout(&context->shared, derivative, w);
    return congru_workspace_check(context, &context->shared);
}

static void product(const rotation_work *w, const double *a, const double *b, congru_product_mode mode,
                    double *c)
{
    w->kernel->product(1, w->d, w->d, w->d, congru_per_lane(a, w->d), congru_per_lane(b, w->d), mode, c);
}

/* out = a b */
static void multiply(const rotation_work *w, dual a, dual b, dual out)
{
    product(w, a.x, b.x, CONGRU_PRODUCT_SET, out.x);
    if (out.dx != NULL) {
        product(w, a.x, b.dx, CONGRU_PRODUCT_SET, out.dx);
        product(w, a.dx, b.x, CONGRU_PRODUCT_ADD, out.dx);
    }
}

static void clear(const rotation_work *w, dual a)
{
    const size_t size = congru_lane_doubles(w->kernel, 1, w->d * w->d) * sizeof(double);
    memset(a.x, 0, size);
    if (a.dx != NULL)
        memset(a.dx, 0, size);
}

/* out = beta out + alpha a */
static void combine(const rotation_work *w, double alpha, dual a, double beta, dual out)
{
    const size_t count = congru_lane_doubles(w->kernel, 1, w->d * w->d);
    w->kernel->combine(count, alpha, a.x, beta, out.x);
    if (out.dx != NULL)
        w->kernel->combine(count, alpha, a.dx, beta, out.dx);
}

/* out += I/k! + X/(k+1)! + X^2/(k+2)! + X^3/(k+3)! */
static void add_terms(const rotation_work *w, int k, const dual powers[3], dual out)
{
    double factorial = 1.0;
    for (int i = 2; i <= k; i++)
        factorial *= i;
    w->kernel->add_diagonal(1, w->d, 1.0 / factorial, out.x);
    for (int i = 0; i < 3; i++) {
        factorial *= k + i + 1;
        combine(w, 1.0 / factorial, powers[i], 1.0, out);
    }
}

/* The exponential of m[0], scaled already, squared `squarings` times; the result is one of m. */
static dual exponential(const rotation_work *w, int squarings)
{
    const dual *m = w->m, powers[3] = {m[0], m[1], m[2]}, fourth = m[3];
    multiply(w, m[0], m[0], m[1]);
    multiply(w, m[0], m[1], m[2]);
    multiply(w, m[1], m[1], fourth);
    dual sum = m[4], next = m[5];
    clear(w, sum);                                   /* 0 times what memory happens to hold could be NaN */
    combine(w, 1.0 / 479001600.0, fourth, 1.0, sum); /* X^4/12! */
    add_terms(w, 8, powers, sum);
    for (int k = 4; k >= 0; k -= 4) {
        multiply(w, sum, fourth, next);
        add_terms(w, k, powers, next);
        dual swap = sum;
        sum = next;
        next = swap;
    }
    for (int i = 0; i < squarings; i++) {
        multiply(w, sum, sum, next);
        dual swap = sum;
        sum = next;
        next = swap;
    }
    return sum;
}

/* plain = (A - A^T), or its transpose, scaled to a norm of at most 1/4; returns how often it was halved. */
static int scaled_generator(size_t d, const double *a, bool transposed, double *plain)
{
    double norm = 0.0;
    for (size_t i = 0; i < d; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < d; j++) {
            plain[i * d + j] = transposed ? a[j * d + i] - a[i * d + j] : a[i * d + j] - a[j * d + i];
            sum += fabs(plain[i * d + j]);
        }
        norm = sum > norm ? sum : norm;
    }
    int halvings = 0;
    double scale = 1.0;
    for (; norm * scale > 0.25; halvings++)
        scale *= 0.5;
    for (size_t i = 0; i < d * d; i++)
        plain[i] *= scale;
    return halvings;
}

static congru_status rotation_check(congru_context *context, size_t d, const double *a, const double *other)
{
    congru_status status = congru_check_shape(context, 1, d);
    if (status == CONGRU_OK)
        status = congru_check_argument(context, a != NULL && other != NULL, "no input or no output was given");
    for (size_t i = 0; status == CONGRU_OK && i < d * d; i++) {
        if (!(fabs(a[i]) < 1e15))
            status = congru_fail(context, CONGRU_ERROR_NOT_FINITE,
                                 "the generator of the rotation is not finite, or beyond 1e15");
    }
    return status;
}

congru_status congru_rotation_forward(congru_context *context, size_t d, const double *a, double *r)
{
    rotation_work w;
    CONGRU_TRY(rotation_check(context, d, a, r));
    CONGRU_TRY(rotation_begin(context, d, false, &w));
    int squarings = scaled_generator(d, a, false, w.plain);
    w.kernel->pack(1, 1, d, d, w.plain, w.m[0].x);
    w.kernel->unpack(1, 1, d, d, exponential(&w, squarings).x, r);
    return CONGRU_OK;
}

congru_status congru_rotation_backward(congru_context *context, size_t d, const double *a, const double *d_r,
                                       double *d_a)
{
    rotation_work w;
    CONGRU_TRY(rotation_check(context, d, a, d_r));
    CONGRU_TRY(congru_check_argument(context, d_a != NULL, "no derivative of the input was given"));
    CONGRU_TRY(rotation_begin(context, d, true, &w));
    int squarings = scaled_generator(d, a, true, w.plain);
    w.kernel->pack(1, 1, d, d, w.plain, w.m[0].x);
    w.kernel->pack(1, 1, d, d, d_r, w.m[0].dx);
    w.kernel->combine(congru_lane_doubles(w.kernel, 1, d * d), 0.0, w.m[0].x, ldexp(1.0, -squarings),
                      w.m[0].dx);
    w.kernel->unpack(1, 1, d, d, exponential(&w, squarings).dx, w.plain);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++)
            d_a[i * d + j] += w.plain[i * d + j] - w.plain[j * d + i];
    }
    return CONGRU_OK;
}
