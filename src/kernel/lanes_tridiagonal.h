/* Householder reduction of symmetric matrices to tridiagonal form, in lanes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LANES_TRIDIAGONAL_H
#define CONGRU_LANES_TRIDIAGONAL_H

#include "kernel/lanes.h"

/* Four work arrays of d vectors: the pending rank-two update A -= v w^T + w v^T, the next reflector u, and the
 * product y = A u being gathered. */
typedef struct tridiagonal_work {
    double *v, *w, *u, *y;
} tridiagonal_work;

/* Rows i .. i+R-1 of the trailing matrix, columns from `first`: brings them up to date with the pending update
 * and multiplies them by u, in one pass over memory. The columns below row i are shared by all R rows. */
ALWAYS_INLINE void tridiagonal_rows(const int R, size_t d, size_t first, size_t i, double *a,
                                    const tridiagonal_work *t)
{
    vec vi[4], wi[4], ui[4], sum[4];
    for (int r = 0; r < R; r++) {
        vi[r] = v_load(AT(t->v, i + (size_t)r));
        wi[r] = v_load(AT(t->w, i + (size_t)r));
        ui[r] = v_load(AT(t->u, i + (size_t)r));
        sum[r] = v_set(0.0);
    }
    double *row = AT(a, i * d);
    for (size_t j = first; j < i; j++) {
        vec vj = v_load(AT(t->v, j)), wj = v_load(AT(t->w, j)), uj = v_load(AT(t->u, j));
        vec yj = v_load(AT(t->y, j));
        for (int r = 0; r < R; r++) {
            double *place = AT(row, (size_t)r * d + j);
            vec x = v_fnma(wi[r], vj, v_fnma(vi[r], wj, v_load(place)));
            v_store(place, x);
            sum[r] = v_fma(x, uj, sum[r]);
            yj = v_fma(x, ui[r], yj);
        }
        v_store(AT(t->y, j), yj);
    }
    for (int r = 0; r < R; r++) { /* the triangle on the diagonal */
        for (int c = 0; c <= r; c++) {
            double *place = AT(row, (size_t)r * d + i + (size_t)c);
            vec x = v_fnma(wi[r], vi[c], v_fnma(vi[r], wi[c], v_load(place)));
            v_store(place, x);
            sum[r] = v_fma(x, ui[c], sum[r]);
            if (c < r)
                sum[c] = v_fma(x, ui[r], sum[c]);
        }
    }
    for (int r = 0; r < R; r++)
        v_store(AT(t->y, i + (size_t)r), sum[r]);
}

static void tridiagonal_update_and_multiply(size_t d, size_t first, double *a, const tridiagonal_work *t)
{
    size_t i = first;
    for (; (d - i) % VEC_TILE_REFLECT != 0; i++)
        tridiagonal_rows(1, d, first, i, a, t);
    for (; i < d; i += VEC_TILE_REFLECT)
        tridiagonal_rows(VEC_TILE_REFLECT, d, first, i, a, t);
}

/* Column k under the pending update. */
static void tridiagonal_update_column(size_t d, size_t k, double *a, const tridiagonal_work *t)
{
    vec vk = v_load(AT(t->v, k)), wk = v_load(AT(t->w, k));
    for (size_t i = k; i < d; i++) {
        double *place = AT(a, i * d + k);
        v_store(place, v_fnma(v_load(AT(t->w, i)), vk, v_fnma(v_load(AT(t->v, i)), wk, v_load(place))));
    }
}

/* The reflector I - h u u^T that maps column k below the diagonal onto its first entry, which becomes `off`.
 * u is left in t->u and, for forming Q later, along row k above the diagonal, which is free. Where there is
 * nothing to annihilate h is 0. */
static void tridiagonal_reflector(size_t d, size_t k, double *a, const tridiagonal_work *t, double *off,
                                  double *h)
{
    vec alpha = v_load(AT(a, (k + 1) * d + k));
    vec sums[2] = {v_set(0.0), v_set(0.0)};
    for (size_t i = k + 2; i < d; i++) {
        vec x = v_load(AT(a, i * d + k));
        v_store(AT(t->u, i), x);
        v_store(AT(a, k * d + i), x);
        sums[i % 2] = v_fma(x, x, sums[i % 2]);
    }
    vec below = v_add(sums[0], sums[1]);
    /* Entries below 1e-140 of a matrix scaled to 1 count for nothing, and 1/h of them would overflow. */
    mask nothing = v_lt(below, v_set(1e-280));
    vec length = v_sqrt(v_fma(alpha, alpha, below));
    vec beta = v_neg(v_copysign(length, alpha));
    vec u_first = v_sub(alpha, beta);
    /* h = 2/(u u) = 1/(-beta u_first); -beta and u_first have the same sign. */
    vec inverse = v_div(v_set(1.0), v_mul(length, v_abs(u_first)));
    v_store(h, v_select(nothing, v_set(0.0), inverse));
    v_store(off, v_select(nothing, alpha, beta));
    v_store(AT(t->u, k + 1), u_first);
    v_store(AT(a, k * d + k + 1), u_first);
}

/* From y = A u: the next pending update v = u, w = h y - (h/2)(u . h y) u. */
static void tridiagonal_next_update(size_t d, size_t first, const tridiagonal_work *t, const double *h)
{
    vec scale = v_load(h), sums[2] = {v_set(0.0), v_set(0.0)};
    for (size_t i = first; i < d; i++) {
        vec p = v_mul(v_load(AT(t->y, i)), scale);
        v_store(AT(t->y, i), p);
        sums[i % 2] = v_fma(v_load(AT(t->u, i)), p, sums[i % 2]);
    }
    vec half = v_mul(v_mul(v_add(sums[0], sums[1]), scale), v_set(0.5));
    for (size_t i = first; i < d; i++) {
        vec u = v_load(AT(t->u, i));
        v_store(AT(t->w, i), v_fnma(half, u, v_load(AT(t->y, i))));
        v_store(AT(t->v, i), u);
    }
}

/* One vector of matrices being reduced. */
typedef struct tridiagonal {
    double *a;              /* (d, d), lower triangle; the reflectors end up above the diagonal */
    double *diagonal, *off; /* (d), (d, the last one 0) */
    double *h;              /* (d), the factors of the reflectors */
    tridiagonal_work work;
} tridiagonal;

static void tridiagonal_begin_step(size_t d, size_t k, const tridiagonal *m)
{
    tridiagonal_update_column(d, k, m->a, &m->work);
    v_store(AT(m->diagonal, d - 1 - k), v_load(AT(m->a, k * d + k)));
    if (k + 2 < d)
        tridiagonal_reflector(d, k, m->a, &m->work, AT(m->off, d - 2 - k), AT(m->h, k));
    else if (k + 2 == d)
        v_store(AT(m->off, 0), v_load(AT(m->a, (k + 1) * d + k)));
}

/* Reduces `count` vectors step by step together: the square root and division at the start of a step of one are
 * hidden behind the work of the others.
 *
 * The diagonal comes out last row first. The reduction leaves the large entries where it starts and the small
 * ones where it ends; the QL iteration needs fewer sweeps when it finds the small ones first. */
ALWAYS_INLINE void tridiagonal_reduce(const int count, size_t d, const tridiagonal *m)
{
    for (int v = 0; v < count; v++) {
        for (size_t i = 0; i < d; i++) {
            v_store(AT(m[v].work.v, i), v_set(0.0));
            v_store(AT(m[v].work.w, i), v_set(0.0));
        }
        v_store(AT(m[v].off, d - 1), v_set(0.0));
    }
    for (size_t k = 0; k < d; k++) {
        for (int v = 0; v < count; v++)
            tridiagonal_begin_step(d, k, &m[v]);
        if (k + 2 >= d)
            continue;
        for (int v = 0; v < count; v++)
            tridiagonal_update_and_multiply(d, k + 1, m[v].a, &m[v].work);
        for (int v = 0; v < count; v++)
            tridiagonal_next_update(d, k + 1, &m[v].work, AT(m[v].h, k));
    }
}

/* C columns of Q from `column` on, under the reflector u: Q -= u (h u^T Q). Row `first` of these columns is still
 * zero, as in the identity. */
ALWAYS_INLINE void reflect_columns(const int C, size_t d, size_t first, size_t column, const double *u, vec h,
                                   double *q)
{
    vec sum[8];
    for (int c = 0; c < C; c++)
        sum[c] = v_set(0.0);
    for (size_t i = first + 1; i < d; i++) {
        vec ui = v_load(AT(u, i));
        for (int c = 0; c < C; c++)
            sum[c] = v_fma(ui, v_load(AT(q, i * d + column + (size_t)c)), sum[c]);
    }
    vec u_first = v_load(AT(u, first));
    for (int c = 0; c < C; c++) {
        sum[c] = v_mul(sum[c], h);
        v_store(AT(q, first * d + column + (size_t)c), v_neg(v_mul(u_first, sum[c])));
    }
    for (size_t i = first + 1; i < d; i++) {
        vec ui = v_load(AT(u, i));
        for (int c = 0; c < C; c++) {
            double *place = AT(q, i * d + column + (size_t)c);
            v_store(place, v_fnma(ui, sum[c], v_load(place)));
        }
    }
}

/* The column that is still that of the identity, 1 in row `first`, under the reflector u. */
static void reflect_identity_column(size_t d, size_t first, size_t column, const double *u, vec h, double *q)
{
    vec scaled = v_mul(v_load(AT(u, first)), h);
    v_store(AT(q, first * d + column), v_fnma(v_load(AT(u, first)), scaled, v_set(1.0)));
    for (size_t i = first + 1; i < d; i++)
        v_store(AT(q, i * d + column), v_neg(v_mul(v_load(AT(u, i)), scaled)));
}

/* Q = H_0 H_1 ... from the reflectors above the diagonal of `a`, last first, so that each touches only the
 * trailing rows and columns, which are not yet those of the identity. Columns last first, like the diagonal:
 * column j of Q stands at d - 1 - j. */
static void tridiagonal_form_q(size_t d, const double *a, const double *h, double *q)
{
    for (size_t i = 0; i < d * d; i++)
        v_store(AT(q, i), v_set(0.0));
    for (size_t i = 0; i < d; i += i == 0 && d > 2 ? d - 2 : 1) /* row 0 and the last two */
        v_store(AT(q, i * d + d - 1 - i), v_set(1.0));
    for (size_t k = d >= 3 ? d - 2 : 0; k-- > 0;) {
        const double *u = AT(a, k * d);
        size_t first = k + 1, own = d - 1 - first, column = 0;
        vec hk = v_load(AT(h, k));
        for (; column + 8 <= own; column += 8)
            reflect_columns(8, d, first, column, u, hk, q);
        for (; column + 4 <= own; column += 4)
            reflect_columns(4, d, first, column, u, hk, q);
        for (; column < own; column++)
            reflect_columns(1, d, first, column, u, hk, q);
        reflect_identity_column(d, first, own, u, hk, q);
    }
}

#endif
