/* The kernels of each instruction set: eigen-decompositions, products, factors, packing. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "congru/context.h"
#include "congru/random.h"
#include "harness.h"
#include "kernel/kernel.h"

enum { D_MAX = 130, VECTORS = 5 };

static double *new_doubles(size_t count)
{
    return aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64);
}

static void for_each_kernel(void (*check)(const congru_kernel *))
{
    for (size_t i = 0; congru_cpu_name(i) != NULL; i++) {
        const congru_kernel *kernel = congru_kernel_find(congru_cpu_name(i));
        if (kernel != NULL)
            check(kernel);
    }
}

static void fill_symmetric(congru_random *random, size_t n, size_t d, double *plain)
{
    for (size_t m = 0; m < n; m++, plain += d * d) {
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j <= i; j++)
                plain[i * d + j] = plain[j * d + i] = congru_random_normal(random);
        }
    }
}

/* The largest entries of |A Z - Z diag(w)| / |A| and |Z^T Z - I| of one lane. */
static void residuals(size_t d, size_t width, const double *a, const double *w, const double *z,
                      double *residual, double *orthogonality)
{
    double size = 0;
    *residual = *orthogonality = 0;
    for (size_t i = 0; i < d * d; i++)
        size = fmax(size, fabs(a[i]));
    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k < d; k++) {
            double az = 0, zz = 0;
            for (size_t j = 0; j < d; j++) {
                az += a[i * d + j] * z[(j * d + k) * width];
                zz += z[(j * d + i) * width] * z[(j * d + k) * width];
            }
            double r = fabs(az - w[k * width] * z[(i * d + k) * width]);
            *residual = fmax(*residual, size > 0 ? r / size : r);
            *orthogonality = fmax(*orthogonality, fabs(zz - (i == k)));
        }
    }
}

/* Decomposes the plain matrices in every lane and checks each; n fills the vectors. */
static void check_decompositions(const congru_kernel *kernel, size_t d, const double *plain, const char *what)
{
    const size_t width = kernel->width, n = VECTORS * width;
    double *a = new_doubles(n * d * d), *z = new_doubles(n * d * d), *w = new_doubles(n * d);
    double *alone = new_doubles(n * d), *work = new_doubles(kernel->eigen_work(d));
    kernel->pack(VECTORS, n, d, d, plain, a);
    CHECK(kernel->eigen(VECTORS, d, a, w, z, work));
    kernel->pack(VECTORS, n, d, d, plain, a);
    CHECK(kernel->eigen(VECTORS, d, a, alone, NULL, work));
    CHECK_SAYING(memcmp(w, alone, n * d * sizeof(double)) == 0, "%s %s d=%zu: values alone differ",
                 kernel->name, what, d);
    for (size_t m = 0; m < n; m++) {
        double residual, orthogonality;
        size_t vector = m / width, lane = m % width;
        residuals(d, width, plain + m * d * d, w + vector * d * width + lane, z + vector * d * d * width + lane,
                  &residual, &orthogonality);
        CHECK_SAYING(residual < 2e-15 * (double)d && orthogonality < 1e-14 + 1e-15 * (double)d,
                     "%s %s d=%zu matrix %zu: residual %g orthogonality %g", kernel->name, what, d, m, residual,
                     orthogonality);
    }
    free(a);
    free(z);
    free(w);
    free(alone);
    free(work);
}

static void check_random(const congru_kernel *kernel)
{
    const size_t dimensions[] = {1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 22, 33, 64, 65, D_MAX};
    for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++) {
        const size_t d = dimensions[i], n = VECTORS * kernel->width;
        congru_random random = congru_random_stream(11, (uint32_t)d, 0, 0);
        double *plain = new_doubles(n * d * d);
        fill_symmetric(&random, n, d, plain);
        check_decompositions(kernel, d, plain, "random");
        free(plain);
    }
}

TEST(eigen_of_random_matrices)
{
    for_each_kernel(check_random);
}

/* Matrices that break careless iterations, side by side in the lanes. */
static void fill_hard(size_t kind, size_t d, double *a)
{
    congru_random random = congru_random_stream(12, (uint32_t)kind, (uint32_t)d, 0);
    memset(a, 0, d * d * sizeof(double));
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            double x = congru_random_normal(&random), value = 0;
            switch (kind % 8) {
            case 0: /* zero */
                break;
            case 1: /* the identity */
                value = i == j;
                break;
            case 2: /* rank one */
                value = 1;
                break;
            case 3: /* graded over 300 orders of magnitude */
                value = x * pow(10.0, -150.0 * (double)(i + j) / (double)d);
                break;
            case 4: /* Wilkinson's: pairs that agree to many digits */
                value = i == j ? fabs((double)i - (double)(d - 1) / 2) : (double)(i == j + 1);
                break;
            case 5: /* tiny */
                value = x * 1e-300;
                break;
            case 6: /* huge */
                value = x * 1e300;
                break;
            default: /* blocks that do not meet */
                value = i % 3 == j % 3 ? x : 0;
            }
            a[i * d + j] = a[j * d + i] = value;
        }
    }
}

static void check_hard(const congru_kernel *kernel)
{
    for (size_t d = 1; d <= 24; d++) {
        const size_t n = VECTORS * kernel->width;
        double *plain = new_doubles(n * d * d);
        for (size_t m = 0; m < n; m++)
            fill_hard(m * 3 + m / 8, d, plain + m * d * d);
        check_decompositions(kernel, d, plain, "hard");
        free(plain);
    }
}

TEST(eigen_of_hard_matrices)
{
    for_each_kernel(check_hard);
}

static void check_nan(const congru_kernel *kernel)
{
    const size_t d = 6, size = d * d * kernel->width;
    double *a = new_doubles(size), *z = new_doubles(size), *w = new_doubles(d * kernel->width);
    double *work = new_doubles(kernel->eigen_work(d));
    for (size_t i = 0; i < size; i++)
        a[i] = NAN;
    CHECK_SAYING(!kernel->eigen(1, d, a, w, z, work), "%s says NaN converged", kernel->name);
    free(a);
    free(z);
    free(w);
    free(work);
}

TEST(eigen_of_nan_ends_and_says_so)
{
    for_each_kernel(check_nan);
}

static double plain_at(const double *x, size_t cols, size_t i, size_t j, bool transposed)
{
    return transposed ? x[j * cols + i] : x[i * cols + j];
}

/* Every mode and storage of the product against a triple loop. */
static void check_product(const congru_kernel *kernel, size_t rows, size_t cols, size_t inner, int storage)
{
    const bool a_t = storage & 1, b_t = storage & 2, a_shared = (storage & 12) == 4,
               b_shared = (storage & 12) == 8;
    const size_t n = 2 * kernel->width;
    double *a = new_doubles(n * rows * inner), *b = new_doubles(n * inner * cols),
           *c = new_doubles(n * rows * cols);
    double *la = new_doubles(n * rows * inner), *lb = new_doubles(n * inner * cols),
           *lc = new_doubles(n * rows * cols);
    congru_random random =
        congru_random_stream(13, (uint32_t)(rows * 100 + cols), (uint32_t)inner, (uint32_t)storage);
    for (size_t i = 0; i < n * rows * inner; i++)
        a[i] = congru_random_normal(&random);
    for (size_t i = 0; i < n * inner * cols; i++)
        b[i] = congru_random_normal(&random);
    size_t a_cols = a_t ? rows : inner, b_cols = b_t ? inner : cols;
    kernel->pack(2, n, rows * inner, 1, a, la);
    kernel->pack(2, n, inner * cols, 1, b, lb);
    congru_operand left = {a_shared ? a : la, a_t ? 1 : a_cols, a_t ? a_cols : 1, a_shared};
    congru_operand right = {b_shared ? b : lb, b_t ? 1 : b_cols, b_t ? b_cols : 1, b_shared};
    kernel->product(2, rows, cols, inner, left, right, CONGRU_PRODUCT_SET, lc);
    kernel->product(2, rows, cols, inner, left, right, CONGRU_PRODUCT_ADD, lc);
    kernel->unpack(2, n, rows, cols, lc, c);
    for (size_t m = 0; m < n; m++) {
        const double *am = a + (a_shared ? 0 : m * rows * inner), *bm = b + (b_shared ? 0 : m * inner * cols);
        for (size_t i = 0; i < rows; i++) {
            for (size_t j = 0; j < cols; j++) {
                double sum = 0;
                for (size_t k = 0; k < inner; k++)
                    sum += 2 * plain_at(am, a_cols, i, k, a_t) * plain_at(bm, b_cols, k, j, b_t);
                CHECK_NEAR(c[m * rows * cols + i * cols + j], sum, 1e-13 * (double)inner);
            }
        }
    }
    free(a), free(b), free(c), free(la), free(lb), free(lc);
}

static void check_products(const congru_kernel *kernel)
{
    for (int storage = 0; storage < 12; storage++) {
        check_product(kernel, 1, 1, 1, storage);
        check_product(kernel, 5, 7, 3, storage);
        check_product(kernel, 8, 12, 9, storage);
        check_product(kernel, 22, 16, 22, storage);
    }
}

TEST(products_of_every_storage)
{
    for_each_kernel(check_products);
}

/* A = L L^T, and L^-1 A = L^T. */
static void check_cholesky(const congru_kernel *kernel)
{
    for (size_t d = 1; d <= 23; d++) {
        const size_t n = kernel->width, size = d * d;
        congru_random random = congru_random_stream(14, (uint32_t)d, 0, 0);
        double *plain = new_doubles(n * size), *a = new_doubles(n * size), *l = new_doubles(n * size);
        fill_symmetric(&random, n, d, plain);
        for (size_t m = 0; m < n; m++) {
            for (size_t i = 0; i < d; i++)
                plain[m * size + i * d + i] += 3.0 * (double)d;
        }
        kernel->pack(1, n, d, d, plain, a);
        memcpy(l, a, n * size * sizeof(double));
        kernel->cholesky(1, d, l);
        kernel->solve_lower(1, d, d, congru_per_lane(l, d), a);
        for (size_t m = 0; m < n; m++) {
            for (size_t i = 0; i < d; i++) {
                for (size_t j = 0; j < d; j++) {
                    double sum = 0;
                    for (size_t k = 0; k < d; k++)
                        sum += l[(i * d + k) * n + m] * l[(j * d + k) * n + m];
                    CHECK_NEAR(sum, plain[m * size + i * d + j], 1e-12);
                    CHECK_NEAR(a[(i * d + j) * n + m], l[(j * d + i) * n + m], 1e-12);
                }
            }
        }
        free(plain), free(a), free(l);
    }
}

TEST(cholesky_and_triangular_solve)
{
    for_each_kernel(check_cholesky);
}

static void check_packing(const congru_kernel *kernel)
{
    for (size_t n = 1; n <= 2 * kernel->width; n++) {
        for (size_t d = 1; d <= 9; d++) {
            size_t vectors = congru_kernel_vectors(kernel, n), lanes = vectors * kernel->width;
            double *plain = new_doubles(n * d * d), *packed = new_doubles(lanes * d * d),
                   *back = new_doubles(n * d * d);
            for (size_t i = 0; i < n * d * d; i++)
                plain[i] = (double)i + 2;
            kernel->pack(vectors, n, d, d, plain, packed);
            kernel->unpack(vectors, n, d, d, packed, back);
            CHECK_SAYING(memcmp(plain, back, n * d * d * sizeof(double)) == 0, "%s n=%zu d=%zu", kernel->name,
                         n, d);
            for (size_t m = 0; m < lanes; m++) {
                for (size_t i = 0; i < d * d; i++) {
                    double expected = m < n ? plain[m * d * d + i] : (double)(i % (d + 1) == 0);
                    size_t place = (m / kernel->width * d * d + i) * kernel->width + m % kernel->width;
                    CHECK_NEAR(packed[place], expected, 0);
                }
            }
            free(plain), free(packed), free(back);
        }
    }
}

TEST(packing_and_padding)
{
    for_each_kernel(check_packing);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
