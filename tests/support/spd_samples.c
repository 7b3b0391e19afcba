/* Makers of test matrices and plain dense algebra. SPDX-License-Identifier: Apache-2.0 */
#include "spd_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

void spd_expect(const congru_context *context, congru_status status, congru_status expected, const char *file,
                int line)
{
    const char *text = congru_context_error(context);
    harness_check(status == expected, file, line, "%s (%s), expected %s", congru_status_name(status), text,
                  congru_status_name(expected));
    if (status != CONGRU_OK)
        harness_check(strlen(text) > 0, file, line, "%s without a word", congru_status_name(status));
}

double *sample_alloc(size_t count)
{
    double *out = calloc(count == 0 ? 1 : count, sizeof *out);
    if (out == NULL) {
        printf("Bail out! out of memory\n");
        exit(1);
    }
    return out;
}

void sample_normals(congru_random *random, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = congru_random_normal(random);
}

/* Makes row `row` of q orthogonal to the rows above it; false when nothing is left of it. */
static bool orthogonalise_row(size_t d, size_t row, double *q)
{
    double *own = q + row * d;
    /* The second pass removes what rounding left behind in the first. */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t above = 0; above < row; above++) {
            double along = dense_dot(d, own, q + above * d);
            for (size_t i = 0; i < d; i++)
                own[i] -= along * q[above * d + i];
        }
        double norm = dense_norm(d, own);
        if (norm < 1e-3)
            return false;
        for (size_t i = 0; i < d; i++)
            own[i] /= norm;
    }
    return true;
}

void sample_orthogonal(congru_random *random, size_t d, double *q)
{
    for (size_t row = 0; row < d; row++) {
        do
            sample_normals(random, d, q + row * d);
        while (!orthogonalise_row(d, row, q));
    }
}

void sample_symmetric(congru_random *random, size_t d, double norm, double *s)
{
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++)
            s[i * d + j] = s[j * d + i] = congru_random_normal(random);
    }
    double scale = norm / dense_norm(d * d, s);
    for (size_t i = 0; i < d * d; i++)
        s[i] *= scale;
}

void sample_with_values(congru_random *random, size_t d, const double *values, double *c)
{
    double *q = sample_alloc(d * d), *diagonal = sample_alloc(d * d);
    sample_orthogonal(random, d, q);
    for (size_t i = 0; i < d; i++)
        diagonal[i * d + i] = values[i];
    dense_congruence(d, d, diagonal, q, c);
    free(q);
    free(diagonal);
}

void sample_log_spaced(size_t d, double condition, double *values)
{
    for (size_t i = 0; i < d; i++)
        values[i] = d == 1 ? 1.0 : pow(condition, (double)i / (double)(d - 1) - 0.5);
}

void sample_spd(congru_random *random, size_t d, double condition, double *c)
{
    double *values = sample_alloc(d);
    sample_log_spaced(d, condition, values);
    sample_with_values(random, d, values, c);
    free(values);
}

double sample_pair(congru_random *random, size_t d, double condition, double *c1, double *c2)
{
    double *g = sample_alloc(d * d), *middle = sample_alloc(d * d), *ratios = sample_alloc(d);
    double squares = 0.0;
    for (size_t i = 0; i < d; i++) {
        double m = 2.0 * congru_random_uniform(random) - 1.0;
        squares += m * m;
        ratios[i] = exp(m);
    }
    sample_spd(random, d, condition, c1);
    dense_function(d, c1, sqrt, g);
    sample_with_values(random, d, ratios, middle);
    dense_congruence(d, d, middle, g, c2);
    free(g);
    free(middle);
    free(ratios);
    return sqrt(squares);
}

void sample_eeg(congru_random *random, size_t n, size_t d, double *c)
{
    double *mean = sample_alloc(d * d), *root = sample_alloc(d * d);
    double *change = sample_alloc(d * d), *grown = sample_alloc(d * d);
    sample_spd(random, d, 1e3, mean);
    dense_function(d, mean, sqrt, root);
    for (size_t i = 0; i < n; i++) {
        /* Trials of one subject of 22 channels lie about 1 to 3 from their mean in the affine-invariant
         * distance; the square root keeps the log-eigenvalues alike at any number of channels. */
        double each = 0.2 + 0.4 * congru_random_uniform(random);
        sample_symmetric(random, d, each * sqrt((double)d), change);
        dense_function(d, change, exp, grown);
        dense_congruence(d, d, grown, root, c + i * d * d);
    }
    free(mean);
    free(root);
    free(change);
    free(grown);
}

void sample_dispersed(congru_random *random, size_t n, size_t d, double spread, double *c)
{
    double *values = sample_alloc(d);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < d; j++)
            values[j] = exp(spread * (congru_random_uniform(random) - 0.5));
        sample_with_values(random, d, values, c + i * d * d);
    }
    free(values);
}

void dense_identity(size_t d, double *out)
{
    memset(out, 0, d * d * sizeof *out);
    for (size_t i = 0; i < d; i++)
        out[i * d + i] = 1.0;
}

void dense_transpose(size_t rows, size_t columns, const double *a, double *out)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            out[j * rows + i] = a[i * columns + j];
    }
}

void dense_product(size_t n, size_t k, size_t m, const double *a, const double *b, double *out)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++)
            out[i * m + j] = 0.0;
        for (size_t l = 0; l < k; l++) {
            for (size_t j = 0; j < m; j++)
                out[i * m + j] += a[i * k + l] * b[l * m + j];
        }
    }
}

void dense_congruence(size_t d, size_t m, const double *c, const double *w, double *out)
{
    double *cw = sample_alloc(d * m), *wt = sample_alloc(m * d), *full = sample_alloc(m * m);
    dense_product(d, d, m, c, w, cw);
    dense_transpose(d, m, w, wt);
    dense_product(m, d, m, wt, cw, full);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++)
            out[i * m + j] = 0.5 * (full[i * m + j] + full[j * m + i]);
    }
    free(cw);
    free(wt);
    free(full);
}

double dense_norm(size_t count, const double *a)
{
    return sqrt(dense_dot(count, a, a));
}

double dense_dot(size_t count, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

double dense_difference(size_t count, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

double dense_trace(size_t d, const double *a)
{
    double sum = 0.0;
    for (size_t i = 0; i < d; i++)
        sum += a[i * d + i];
    return sum;
}

/* Swaps the row with the largest entry of a column into its diagonal; true when rows were swapped. */
static bool pivot_column(size_t d, size_t column, double *a)
{
    size_t best = column;
    for (size_t i = column + 1; i < d; i++) {
        if (fabs(a[i * d + column]) > fabs(a[best * d + column]))
            best = i;
    }
    for (size_t j = 0; j < d && best != column; j++) {
        double held = a[column * d + j];
        a[column * d + j] = a[best * d + j];
        a[best * d + j] = held;
    }
    return best != column;
}

double dense_determinant(size_t d, const double *a)
{
    double *lu = sample_alloc(d * d), determinant = 1.0;
    memcpy(lu, a, d * d * sizeof *lu);
    for (size_t k = 0; k < d && determinant != 0.0; k++) {
        if (pivot_column(d, k, lu))
            determinant = -determinant;
        determinant *= lu[k * d + k];
        for (size_t i = k + 1; i < d && lu[k * d + k] != 0.0; i++) {
            double factor = lu[i * d + k] / lu[k * d + k];
            for (size_t j = k; j < d; j++)
                lu[i * d + j] -= factor * lu[k * d + j];
        }
    }
    free(lu);
    return determinant;
}

bool dense_finite(size_t count, const double *a)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(a[i]))
            return false;
    }
    return true;
}

/* One Jacobi rotation that makes a[p][q] zero, gathered into v. */
static void rotate(size_t d, size_t p, size_t q, double *a, double *v)
{
    double theta = (a[q * d + q] - a[p * d + p]) / (2.0 * a[p * d + q]);
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (size_t i = 0; i < d; i++) {
        double ip = a[i * d + p], iq = a[i * d + q];
        a[i * d + p] = c * ip - s * iq;
        a[i * d + q] = s * ip + c * iq;
        double vp = v[i * d + p], vq = v[i * d + q];
        v[i * d + p] = c * vp - s * vq;
        v[i * d + q] = s * vp + c * vq;
    }
    for (size_t i = 0; i < d; i++) {
        double pi = a[p * d + i], qi = a[q * d + i];
        a[p * d + i] = c * pi - s * qi;
        a[q * d + i] = s * pi + c * qi;
    }
    a[p * d + q] = a[q * d + p] = 0.0;
}

/* Selection sort of the columns by the diagonal of a. */
static void sort_eigen(size_t d, const double *a, double *values, double *vectors)
{
    for (size_t i = 0; i < d; i++)
        values[i] = a[i * d + i];
    for (size_t i = 0; i < d; i++) {
        size_t least = i;
        for (size_t j = i + 1; j < d; j++) {
            if (values[j] < values[least])
                least = j;
        }
        double held = values[i];
        values[i] = values[least];
        values[least] = held;
        for (size_t k = 0; k < d && least != i; k++) {
            held = vectors[k * d + i];
            vectors[k * d + i] = vectors[k * d + least];
            vectors[k * d + least] = held;
        }
    }
}

void dense_eigen(size_t d, const double *c, double *values, double *vectors)
{
    double *a = sample_alloc(d * d);
    memcpy(a, c, d * d * sizeof *a);
    dense_identity(d, vectors);
    bool rotated = true;
    for (int sweep = 0; sweep < 60 && rotated; sweep++) {
        rotated = false;
        for (size_t p = 0; p < d; p++) {
            for (size_t q = p + 1; q < d; q++) {
                /* Relative to its own diagonal entries, so small eigenvalues keep their digits. */
                if (fabs(a[p * d + q]) <= 1e-17 * sqrt(fabs(a[p * d + p])) * sqrt(fabs(a[q * d + q])))
                    continue;
                rotate(d, p, q, a, vectors);
                rotated = true;
            }
        }
    }
    sort_eigen(d, a, values, vectors);
    free(a);
}

void dense_function(size_t d, const double *c, double (*f)(double), double *out)
{
    double *values = sample_alloc(d), *vectors = sample_alloc(d * d), *full = sample_alloc(d * d);
    dense_eigen(d, c, values, vectors);
    for (size_t k = 0; k < d; k++) {
        double y = f(values[k]);
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j < d; j++)
                full[i * d + j] += y * (vectors[i * d + k] * vectors[j * d + k]);
        }
    }
    memcpy(out, full, d * d * sizeof *out);
    free(values);
    free(vectors);
    free(full);
}

double dense_invsqrt(double x)
{
    return 1.0 / sqrt(x);
}
