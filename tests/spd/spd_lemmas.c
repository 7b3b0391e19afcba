/* The paper's Lemmas 1 to 17, each a property over random matrices. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "spd_samples.h"

/* Tolerances. An eigen-solver that is backward stable is right for a matrix within d eps ||C|| of the one it
 * was given, so a function of C that is sensitive to the smallest eigenvalue is right within d eps cond(C),
 * relative. Every bound below is SLACK times that; SLACK stands for the modest constants of the analysis, and
 * a wrong formula is wrong in the first digits. */
static const double SLACK = 20.0;

static const size_t DIMENSIONS[] = {2, 3, 8, 22, 33};
static const double CONDITIONS[] = {1.0, 10.0, 1e4, 1e8};
enum { DIMENSION_COUNT = 5, CONDITION_COUNT = 4 };

static congru_context *context;

/* What each lemma is tried on: the pair of sample_pair() and room to work in. */
typedef struct lemma_case {
    size_t d, dd;
    double condition;
    double bound; /* SLACK d eps cond: the relative error that rounding may cause */
    /* The same for the distance, which ratios of exp(+-1) between c1 and c2 make exp(2) times as sensitive. */
    double pair_bound;
    double distance; /* between c1 and c2, known from how they were made */
    congru_random random;
    double *c1, *c2, *values, *work[6];
} lemma_case;

static void for_every_case(void (*lemma)(lemma_case *))
{
    for (size_t i = 0; i < DIMENSION_COUNT; i++) {
        for (size_t j = 0; j < CONDITION_COUNT; j++) {
            lemma_case with = {.d = DIMENSIONS[i], .condition = CONDITIONS[j]};
            with.dd = with.d * with.d;
            with.bound = SLACK * (double)with.d * DBL_EPSILON * with.condition;
            with.pair_bound = 8.0 * with.bound;
            with.random = congru_random_stream(1724, (uint32_t)i, (uint32_t)j, 0);
            double *room = sample_alloc(9 * with.dd);
            with.c1 = room;
            with.c2 = room + with.dd;
            with.values = room + 2 * with.dd;
            for (size_t k = 0; k < 6; k++)
                with.work[k] = room + (3 + k) * with.dd;
            with.distance = sample_pair(&with.random, with.d, with.condition, with.c1, with.c2);
            lemma(&with);
            free(room);
        }
    }
}

#define OK(call) spd_expect(context, (call), CONGRU_OK, __FILE__, __LINE__)

/* ||a - b|| <= bound ||b|| */
static void check_close(const lemma_case *with, const double *a, const double *b, double bound, int line)
{
    double error = dense_difference(with->dd, a, b) / dense_norm(with->dd, b);
    harness_check(error <= bound, __FILE__, line, "d %zu, condition %g: relative error %g, at most %g", with->d,
                  with->condition, error, bound);
}
#define CLOSE(a, b, bound) check_close(with, (a), (b), (bound), __LINE__)

static void check_number(const lemma_case *with, double a, double b, double bound, int line)
{
    harness_check(fabs(a - b) <= bound, __FILE__, line, "d %zu, condition %g: %.17g against %.17g within %g",
                  with->d, with->condition, a, b, bound);
}
#define NUMBER(a, b, bound) check_number(with, (a), (b), (bound), __LINE__)

static double distance_between(const lemma_case *with, congru_metric metric, const double *a, const double *b)
{
    double distance = NAN;
    OK(congru_spd_distance(context, metric, 1, with->d, a, 1, b, &distance));
    return distance;
}

static double riemann(const lemma_case *with, const double *a, const double *b)
{
    return distance_between(with, CONGRU_METRIC_RIEMANN, a, b);
}

static void check_positive(const lemma_case *with, const double *c)
{
    OK(congru_spd_eigen(context, 1, with->d, c, with->values, NULL));
    for (size_t i = 0; i < with->d; i++)
        CHECK_SAYING(with->values[i] > 0.0, "d %zu, condition %g: eigenvalue %g", with->d, with->condition,
                     with->values[i]);
}

static void spectral_positivity(lemma_case *with)
{
    size_t d = with->d;
    double *given = with->work[0], *vectors = with->work[1], *back = with->work[2], *diagonal = with->work[3];
    double scale = SLACK * (double)d * DBL_EPSILON * sqrt(with->condition);
    sample_log_spaced(d, with->condition, given);
    check_positive(with, with->c1);
    OK(congru_spd_eigen(context, 1, d, with->c1, with->values, vectors));
    for (size_t i = 0; i < d; i++)
        NUMBER(with->values[i], given[i], scale);

    for (size_t i = 0; i < d; i++)
        diagonal[i * d + i] = with->values[i];
    dense_transpose(d, d, vectors, with->work[4]);
    dense_congruence(d, d, diagonal, with->work[4], back);
    CLOSE(back, with->c1, SLACK * (double)d * DBL_EPSILON);

    for (int trial = 0; trial < 20; trial++) {
        sample_normals(&with->random, d, with->work[5]);
        dense_congruence(d, 1, back, with->work[5], with->values);
        CHECK(with->values[0] > 0.0);
    }
    /* One eigenvalue below zero and the matrix is no longer in the cone, which every root must notice. */
    given[0] = -given[0];
    sample_with_values(&with->random, d, given, back);
    CHECK(congru_spd_log(context, 1, d, back, with->work[5]) == CONGRU_ERROR_NOT_POSITIVE);
    CHECK(congru_spd_sqrt(context, 1, d, back, with->work[5]) == CONGRU_ERROR_NOT_POSITIVE);
}

static void roots(lemma_case *with)
{
    size_t d = with->d;
    double *root = with->work[0], *inverse_root = with->work[1], *inverse = with->work[2];
    double *product = with->work[3], *identity = with->work[4];
    dense_identity(d, identity);
    OK(congru_spd_sqrt(context, 1, d, with->c1, root));
    OK(congru_spd_invsqrt(context, 1, d, with->c1, inverse_root));
    OK(congru_spd_power(context, 1, d, with->c1, -1.0, inverse));
    check_positive(with, root);
    check_positive(with, inverse_root);
    check_positive(with, inverse);

    dense_product(d, d, d, root, root, product);
    CLOSE(product, with->c1, SLACK * (double)d * DBL_EPSILON);
    dense_congruence(d, d, with->c1, inverse_root, product);
    CLOSE(product, identity, with->bound);
    dense_product(d, d, d, root, inverse_root, product);
    CLOSE(product, identity, with->bound);
    dense_product(d, d, d, inverse, with->c1, product);
    CLOSE(product, identity, with->bound);
    /* Unique: the root of B B is B, for a B of the square root of the condition. */
    sample_spd(&with->random, d, sqrt(with->condition), product);
    dense_congruence(d, d, identity, product, inverse);
    OK(congru_spd_sqrt(context, 1, d, inverse, root));
    CLOSE(root, product, with->bound);
}

static void congruence_positivity(lemma_case *with)
{
    size_t d = with->d, m = 1 + d / 2;
    double *q = with->work[0], *w = with->work[1], *narrow = with->work[2], *x = with->work[3];
    sample_orthogonal(&with->random, d, q);
    /* The first rows of an orthogonal matrix, transposed: full column rank with singular values 1. */
    dense_transpose(m, d, q, w);
    OK(congru_spd_congruence(context, 1, d, m, with->c1, w, narrow));
    OK(congru_spd_eigen(context, 1, m, narrow, with->values, NULL));
    double low = 1.0 / sqrt(with->condition), high = sqrt(with->condition);
    double rounding = SLACK * (double)d * DBL_EPSILON * high;
    CHECK(with->values[0] > 0.0);
    /* Poincare: the eigenvalues lie between the extremes of C's own. */
    CHECK(with->values[0] >= low - rounding && with->values[m - 1] <= high + rounding);
    for (int trial = 0; trial < 10; trial++) {
        double inside, outside;
        sample_normals(&with->random, m, x);
        dense_product(d, m, 1, w, x, with->work[4]);
        dense_congruence(d, 1, with->c1, with->work[4], &outside);
        dense_congruence(m, 1, narrow, x, &inside);
        CHECK(inside > 0.0);
        NUMBER(inside, outside, rounding * dense_dot(m, x, x));
    }
}

static void special_orthogonal(lemma_case *with)
{
    size_t d = with->d;
    double *a = with->work[0], *r = with->work[1], *identity = with->work[2], *product = with->work[3];
    dense_identity(d, identity);
    sample_normals(&with->random, with->dd, a);
    /* The condition stands for the size of A here: from nothing to several turns. */
    double norm = log10(with->condition) * 2.0;
    double scale = norm / dense_norm(with->dd, a);
    for (size_t i = 0; i < with->dd; i++)
        a[i] *= scale;
    OK(congru_rotation_forward(context, d, a, r));
    /* An exponential by squaring multiplies rounding by the norm; no condition number enters. */
    double bound = SLACK * (double)d * DBL_EPSILON * (1.0 + norm);
    dense_congruence(d, d, identity, r, product);
    CLOSE(product, identity, bound);
    NUMBER(dense_determinant(d, r), 1.0, bound);
    dense_transpose(d, d, a, with->work[4]);
    OK(congru_rotation_forward(context, d, with->work[4], with->work[5]));
    dense_product(d, d, d, r, with->work[5], product);
    CLOSE(product, identity, bound); /* exp(K) exp(-K) */

    /* A symmetric part of A does not turn anything. */
    for (size_t i = 0; i < with->dd; i++)
        a[i] += with->work[4][i];
    OK(congru_rotation_forward(context, d, a, r));
    CLOSE(r, identity, bound);
    /* In a plane: A - A^T with 0.7 above the diagonal turns by 0.7. */
    memset(a, 0, with->dd * sizeof *a);
    a[1] = 0.7;
    OK(congru_rotation_forward(context, d, a, r));
    NUMBER(r[0], cos(0.7), bound);
    NUMBER(r[1], sin(0.7), bound);
    NUMBER(r[d], -sin(0.7), bound);
}

/* tr(C^-1 U C^-1 V) from the whitened matrices, by the library's congruence. */
static double inner_product(lemma_case *with, const double *root, const double *u, const double *v)
{
    OK(congru_spd_congruence(context, 1, with->d, with->d, u, root, with->work[4]));
    OK(congru_spd_congruence(context, 1, with->d, with->d, v, root, with->work[5]));
    return dense_dot(with->dd, with->work[4], with->work[5]);
}

static void inner_product_valid(lemma_case *with)
{
    size_t d = with->d;
    double *u = with->work[0], *v = with->work[1], *root = with->work[2], *sum = with->work[3];
    OK(congru_spd_invsqrt(context, 1, d, with->c1, root));
    sample_symmetric(&with->random, d, 1.0, u);
    sample_symmetric(&with->random, d, 1.0, v);
    for (size_t i = 0; i < with->dd; i++)
        sum[i] = 2.0 * u[i] - 3.0 * v[i];
    double uu = inner_product(with, root, u, u), vv = inner_product(with, root, v, v);
    double uv = inner_product(with, root, u, v), bound = with->bound * (uu + vv);
    CHECK(uu > 0.0 && vv > 0.0);
    CHECK(uv * uv <= uu * vv);
    NUMBER(inner_product(with, root, v, u), uv, bound);
    NUMBER(inner_product(with, root, sum, u), 2.0 * uu - 3.0 * uv, bound);
    /* The trace as printed, by the inverse. */
    double *inverse = sum, *left = with->work[4], *right = with->work[5];
    OK(congru_spd_power(context, 1, d, with->c1, -1.0, inverse));
    dense_product(d, d, d, inverse, u, left);
    dense_product(d, d, d, inverse, v, right);
    dense_transpose(d, d, right, root);
    NUMBER(dense_dot(with->dd, left, root), uv, bound);
}

static void distance_formula(lemma_case *with)
{
    size_t d = with->d;
    double *root = with->work[0], *white = with->work[1], *third = with->work[2];
    OK(congru_spd_invsqrt(context, 1, d, with->c1, root));
    OK(congru_spd_congruence(context, 1, d, d, with->c2, root, white));
    check_positive(with, white);
    OK(congru_spd_log(context, 1, d, white, white));
    double distance = riemann(with, with->c1, with->c2);
    NUMBER(distance, dense_norm(with->dd, white), with->pair_bound);
    NUMBER(distance, with->distance, with->pair_bound);
    /* And it is a metric: no detour is shorter. */
    OK(congru_spd_geodesic(context, CONGRU_METRIC_LOGEUCLID, 1, d, with->c1, 1, with->c2, 0.4, third));
    CHECK(riemann(with, with->c1, third) + riemann(with, third, with->c2) >= distance - with->pair_bound);
}

static void symmetry(lemma_case *with)
{
    NUMBER(riemann(with, with->c2, with->c1), riemann(with, with->c1, with->c2), with->pair_bound);
    /* Two unrelated matrices: the condition numbers multiply, so up to 1e4 each. */
    if (with->condition > 1e4)
        return;
    sample_spd(&with->random, with->d, with->condition, with->work[0]);
    double there = riemann(with, with->c1, with->work[0]), back = riemann(with, with->work[0], with->c1);
    NUMBER(there, back, with->bound * with->condition);
}

static void identity_of_indiscernibles(lemma_case *with)
{
    for (int metric = CONGRU_METRIC_RIEMANN; metric <= CONGRU_METRIC_EUCLID; metric++) {
        NUMBER(distance_between(with, (congru_metric)metric, with->c1, with->c1), 0.0, with->pair_bound);
        CHECK(distance_between(with, (congru_metric)metric, with->c1, with->c2) > 0.1 / sqrt(with->condition));
    }
    /* And a small difference is seen at its size: d(C, (1 + x) C) = sqrt(d) log(1 + x). */
    double away = 1e-2;
    for (size_t i = 0; i < with->dd; i++)
        with->work[0][i] = (1.0 + away) * with->c1[i];
    NUMBER(riemann(with, with->c1, with->work[0]), sqrt((double)with->d) * log1p(away), with->pair_bound);
}

static void congruence_invariance(lemma_case *with)
{
    size_t d = with->d;
    double *w = with->work[0], *a1 = with->work[1], *a2 = with->work[2];
    /* Invertible, not symmetric, of condition 10. */
    sample_spd(&with->random, d, 10.0, with->work[3]);
    sample_orthogonal(&with->random, d, with->work[4]);
    dense_product(d, d, d, with->work[3], with->work[4], w);
    OK(congru_spd_congruence(context, 1, d, d, with->c1, w, a1));
    OK(congru_spd_congruence(context, 1, d, d, with->c2, w, a2));
    /* W^T C W has a condition of up to 100 times C's. */
    NUMBER(riemann(with, a1, a2), riemann(with, with->c1, with->c2), 100.0 * with->pair_bound);
}

static void log_exp_inverse(lemma_case *with)
{
    size_t d = with->d;
    double *z = with->work[0], *back = with->work[1], *s = with->work[2], *root = with->work[3];
    OK(congru_spd_log_map(context, 1, d, with->c1, with->c2, z));
    OK(congru_spd_exp_map(context, 1, d, with->c1, z, back));
    CLOSE(back, with->c2, with->pair_bound);

    sample_symmetric(&with->random, d, 1.0, s);
    dense_function(d, with->c1, sqrt, root);
    dense_congruence(d, d, s, root, z);
    OK(congru_spd_exp_map(context, 1, d, with->c1, z, with->work[4]));
    OK(congru_spd_log_map(context, 1, d, with->c1, with->work[4], back));
    NUMBER(dense_difference(with->dd, back, z), 0.0, with->pair_bound * sqrt(with->condition));

    /* The same in coordinates. */
    OK(congru_spd_tangent(context, 1, d, with->c1, with->c2, with->work[5]));
    OK(congru_spd_untangent(context, 1, d, with->c1, with->work[5], back));
    CLOSE(back, with->c2, with->pair_bound);
}

static void merge_preserves(lemma_case *with)
{
    size_t d = with->d;
    double *merged = with->work[0], *other = with->work[1], *half = with->work[2];
    OK(congru_spd_merge(context, 1, d, with->c1, with->c2, merged));
    check_positive(with, merged);
    OK(congru_spd_merge(context, 1, d, with->c2, with->c1, other));
    CLOSE(other, merged, with->bound);
    OK(congru_spd_geodesic(context, CONGRU_METRIC_LOGEUCLID, 1, d, with->c1, 1, with->c2, 0.5, other));
    CLOSE(other, merged, with->bound);

    OK(congru_spd_log(context, 1, d, with->c1, other));
    OK(congru_spd_log(context, 1, d, with->c2, half));
    for (size_t i = 0; i < with->dd; i++)
        half[i] = 0.5 * (half[i] + other[i]);
    OK(congru_spd_log(context, 1, d, merged, other));
    NUMBER(dense_difference(with->dd, other, half), 0.0, with->pair_bound);
    /* The midpoint: half of the distance from either. */
    double whole = distance_between(with, CONGRU_METRIC_LOGEUCLID, with->c1, with->c2);
    NUMBER(distance_between(with, CONGRU_METRIC_LOGEUCLID, with->c1, merged), 0.5 * whole, with->pair_bound);
    NUMBER(distance_between(with, CONGRU_METRIC_LOGEUCLID, merged, with->c2), 0.5 * whole, with->pair_bound);
}

static void geodesic_curve(lemma_case *with)
{
    size_t d = with->d;
    double *root = with->work[0], *inverse_root = with->work[1], *white = with->work[2], *point = with->work[3];
    static const double TIMES[] = {0.0, 0.25, 0.5, 0.9, 1.0};
    double whole = riemann(with, with->c1, with->c2), bound = with->pair_bound;
    OK(congru_spd_sqrt(context, 1, d, with->c1, root));
    OK(congru_spd_invsqrt(context, 1, d, with->c1, inverse_root));
    dense_congruence(d, d, with->c2, inverse_root, white);
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES; i++) {
        double t = TIMES[i];
        OK(congru_spd_geodesic(context, CONGRU_METRIC_RIEMANN, 1, d, with->c1, 1, with->c2, t, point));
        OK(congru_spd_power(context, 1, d, white, t, with->work[4]));
        dense_congruence(d, d, with->work[4], root, with->work[5]);
        CLOSE(point, with->work[5], bound);
        /* Constant speed. */
        NUMBER(riemann(with, with->c1, point), t * whole, bound);
        NUMBER(riemann(with, point, with->c2), (1.0 - t) * whole, bound);
        if (t == 0.0)
            CLOSE(point, with->c1, bound);
        if (t == 1.0)
            CLOSE(point, with->c2, bound);
    }
}

static void frobenius_at_identity(lemma_case *with)
{
    size_t d = with->d, size = congru_spd_tangent_size(d);
    double *u = with->work[0], *v = with->work[1], *identity = with->work[2], *grown = with->work[3];
    double *tu = with->work[4], *tv = with->work[5];
    /* The two norms set the condition of exp(U), which the logarithm has to undo. */
    double norm = 0.5 * log(with->condition) + 0.1;
    double bound = SLACK * (double)d * DBL_EPSILON * exp(2.0 * norm) * (1.0 + norm);
    sample_symmetric(&with->random, d, norm, u);
    sample_symmetric(&with->random, d, norm, v);
    dense_identity(d, identity);
    OK(congru_spd_exp_map(context, 1, d, identity, u, grown));
    NUMBER(riemann(with, identity, grown), dense_norm(with->dd, u), bound);
    OK(congru_spd_tangent(context, 1, d, identity, grown, tu));
    OK(congru_spd_tangent(context, 1, d, NULL, grown, tv));
    NUMBER(dense_difference(size, tu, tv), 0.0, bound);
    OK(congru_spd_exp(context, 1, d, v, grown));
    OK(congru_spd_tangent(context, 1, d, NULL, grown, tv));
    NUMBER(dense_dot(size, tu, tv), dense_dot(with->dd, u, v), 2.0 * norm * bound);
    NUMBER(dense_norm(size, tu), norm, bound);
}

static void distance_to_identity(lemma_case *with)
{
    size_t d = with->d;
    double *identity = with->work[0], *logarithm = with->work[1], known = 0.0;
    dense_identity(d, identity);
    sample_log_spaced(d, with->condition, with->values);
    for (size_t i = 0; i < d; i++)
        known += log(with->values[i]) * log(with->values[i]);
    double distance = riemann(with, identity, with->c1);
    OK(congru_spd_log(context, 1, d, with->c1, logarithm));
    NUMBER(distance, dense_norm(with->dd, logarithm), with->bound);
    NUMBER(distance, sqrt(known), with->bound);
}

static void whitening_isometry(lemma_case *with)
{
    size_t d = with->d;
    double *root = with->work[0], *white = with->work[1], *z = with->work[2], *moved = with->work[3];
    double distance = riemann(with, with->c1, with->c2), bound = with->pair_bound;
    OK(congru_spd_invsqrt(context, 1, d, with->c1, root));
    OK(congru_spd_congruence(context, 1, d, d, with->c2, root, white));
    OK(congru_spd_log(context, 1, d, white, white));
    NUMBER(dense_norm(with->dd, white), distance, bound);
    OK(congru_spd_log_map(context, 1, d, with->c1, with->c2, z));
    dense_congruence(d, d, z, root, moved);
    NUMBER(dense_difference(with->dd, moved, white), 0.0, bound);
    OK(congru_spd_tangent(context, 1, d, with->c1, with->c2, z));
    NUMBER(dense_norm(congru_spd_tangent_size(d), z), distance, bound);
}

static void unique_whitening(lemma_case *with)
{
    size_t d = with->d;
    double *p = with->work[0], *identity = with->work[1], *product = with->work[2], *turned = with->work[3];
    dense_identity(d, identity);
    OK(congru_spd_invsqrt(context, 1, d, with->c1, p));
    check_positive(with, p);
    OK(congru_spd_congruence(context, 1, d, d, with->c1, p, product));
    CLOSE(product, identity, with->bound);
    /* Q P whitens as well, and its positive definite polar factor is P again. */
    sample_orthogonal(&with->random, d, with->work[4]);
    dense_product(d, d, d, with->work[4], p, turned);
    dense_congruence(d, d, identity, turned, product);
    OK(congru_spd_sqrt(context, 1, d, product, turned));
    CLOSE(turned, p, with->bound);
    /* Aligned by it, the distance to the reference is the norm of the logarithm. */
    OK(congru_spd_congruence(context, 1, d, d, with->c2, p, product));
    NUMBER(riemann(with, identity, product), riemann(with, with->c1, with->c2), with->pair_bound);
}

static void tangent_scaling(lemma_case *with)
{
    size_t d = with->d;
    double *z = with->work[0], *scaled = with->work[1], *point = with->work[2], *curve = with->work[3];
    static const double TIMES[] = {-0.5, 0.3, 0.5, 1.0, 1.5};
    OK(congru_spd_log_map(context, 1, d, with->c1, with->c2, z));
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES; i++) {
        for (size_t k = 0; k < with->dd; k++)
            scaled[k] = TIMES[i] * z[k];
        OK(congru_spd_exp_map(context, 1, d, with->c1, scaled, point));
        OK(congru_spd_geodesic(context, CONGRU_METRIC_RIEMANN, 1, d, with->c1, 1, with->c2, TIMES[i], curve));
        CLOSE(point, curve, with->pair_bound);
        /* From the identity the geodesics are powers: exp(t log C) = C^t. */
        OK(congru_spd_log(context, 1, d, with->c1, scaled));
        for (size_t k = 0; k < with->dd; k++)
            scaled[k] *= TIMES[i];
        OK(congru_spd_exp(context, 1, d, scaled, point));
        OK(congru_spd_power(context, 1, d, with->c1, TIMES[i], curve));
        CLOSE(point, curve, with->bound);
    }
}

static const struct {
    const char *name;
    void (*property)(lemma_case *);
} LEMMAS[] = {
    {"lemma_1_spectral_positivity", spectral_positivity},
    {"lemma_2_inverse_and_square_roots", roots},
    {"lemma_3_congruence_preserves_spd", congruence_positivity},
    {"lemma_4_skew_exponential_is_rotation", special_orthogonal},
    {"lemma_5_valid_inner_product", inner_product_valid},
    {"lemma_6_geodesic_distance", distance_formula},
    {"lemma_7_symmetry", symmetry},
    {"lemma_8_identity_of_indiscernibles", identity_of_indiscernibles},
    {"lemma_9_congruence_invariance", congruence_invariance},
    {"lemma_10_log_exp_are_inverses", log_exp_inverse},
    {"lemma_11_merge_preserves_spd", merge_preserves},
    {"lemma_12_geodesic_curve", geodesic_curve},
    {"lemma_13_frobenius_at_identity", frobenius_at_identity},
    {"lemma_14_distance_to_identity", distance_to_identity},
    {"lemma_15_whitening_isometry", whitening_isometry},
    {"lemma_16_unique_spd_whitening", unique_whitening},
    {"lemma_17_geodesic_is_tangent_scaling", tangent_scaling},
};

static size_t current;

static void try_current(void)
{
    for_every_case(LEMMAS[current].property);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    for (current = 0; current < sizeof LEMMAS / sizeof *LEMMAS; current++)
        harness_run(LEMMAS[current].name, try_current);
    congru_context_destroy(&context);
    return harness_end();
}
