/* Where to begin the search for a rotation: matched eigenvectors and their signs. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "aligner/procrustes_internal.h"
#include "base/error.h"
#include "congru/spd.h"

/* The eigenvectors of the sum of coefficient_k matrices_k, ascending. */
static congru_status eigenvectors(congru_context *context, congru_procrustes_work *w, const double *matrices,
                                  const double *coefficient, double *vectors)
{
    const size_t size = w->d * w->d;
    memset(w->scratch, 0, size * sizeof(double));
    for (size_t k = 0; k < w->classes; k++) {
        for (size_t i = 0; i < size; i++)
            w->scratch[i] += coefficient[k] * matrices[k * size + i];
    }
    return congru_spd_eigen(context, 1, w->d, w->scratch, w->values, vectors);
}

/* coupling_ij = sum_k (V_t^T target_k V_t)_ij (V_s^T source_k V_s)_ij, zero on the diagonal: signs D of the
 * eigenvectors take the misfit to a constant less 2 sum_ij D_i D_j coupling_ij. */
static void couple(congru_procrustes_work *w)
{
    const size_t d = w->d, size = d * d;
    memset(w->coupling, 0, size * sizeof(double));
    for (size_t k = 0; k < w->classes; k++) {
        congru_procrustes_product(d, w->target + k * size, false, w->matched[0], w->scratch);
        congru_procrustes_product(d, w->matched[0], true, w->scratch, w->step);
        congru_procrustes_product(d, w->source + k * size, false, w->matched[1], w->scratch);
        congru_procrustes_product(d, w->matched[1], true, w->scratch, w->turn);
        for (size_t i = 0; i < size; i++)
            w->coupling[i] += w->step[i] * w->turn[i];
    }
    for (size_t i = 0; i < d; i++) {
        w->coupling[i * d + i] = 0.0;
        for (size_t j = 0; j < i; j++) /* to the bit, for the decomposition below */
            w->coupling[i * d + j] = w->coupling[j * d + i];
    }
}

/* How much D would lose, over 4, by turning sign i. */
static double loss_of_turning(const congru_procrustes_work *w, size_t i)
{
    double sum = 0.0;
    for (size_t j = 0; j < w->d; j++)
        sum += w->coupling[i * w->d + j] * w->sign[j];
    return w->sign[i] * sum;
}

static size_t least_loss(const congru_procrustes_work *w)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < w->d; i++) {
        double loss = loss_of_turning(w, i);
        if (loss < least) {
            least = loss;
            best = i;
        }
    }
    return best;
}

/* The cosine between the i-th eigenvectors. */
static double cosine(const congru_procrustes_work *w, size_t i)
{
    double sum = 0.0;
    for (size_t j = 0; j < w->d; j++)
        sum += w->matched[0][j * w->d + i] * w->matched[1][j * w->d + i];
    return sum;
}

static congru_status choose_signs(congru_context *context, congru_procrustes_work *w, bool spectral)
{
    const size_t d = w->d;
    for (size_t i = 0; i < d; i++)
        w->sign[i] = cosine(w, i) < 0.0 ? -1.0 : 1.0;
    if (spectral) {
        congru_status status = congru_spd_eigen(context, 1, d, w->coupling, w->values, w->scratch);
        if (status != CONGRU_OK)
            return status;
        for (size_t i = 0; i < d; i++)
            w->sign[i] = w->scratch[i * d + d - 1] < 0.0 ? -1.0 : 1.0;
    }
    /* Each turn lowers the misfit; signs that make no difference stay. */
    for (size_t turns = 0; turns < 4 * d; turns++) {
        size_t i = least_loss(w);
        if (!(loss_of_turning(w, i) < -1e-12 * w->scale))
            break;
        w->sign[i] = -w->sign[i];
    }
    return CONGRU_OK;
}

/* Whether the determinant is negative, by elimination in place. */
static bool reflects(size_t d, double *a)
{
    bool negative = false;
    for (size_t k = 0; k < d; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < d; i++)
            pivot = fabs(a[i * d + k]) > fabs(a[pivot * d + k]) ? i : pivot;
        for (size_t j = k; j < d && pivot != k; j++) {
            double held = a[k * d + j];
            a[k * d + j] = a[pivot * d + j];
            a[pivot * d + j] = held;
        }
        negative ^= (pivot != k) ^ (a[k * d + k] < 0.0);
        for (size_t i = k + 1; i < d; i++) {
            double factor = a[i * d + k] / a[k * d + k];
            for (size_t j = k; j < d; j++)
                a[i * d + j] -= factor * a[k * d + j];
        }
    }
    return negative;
}

/* u = V_target D V_source^T */
static void assemble(congru_procrustes_work *w)
{
    const size_t d = w->d;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < d; k++)
                sum += w->matched[0][i * d + k] * w->sign[k] * w->matched[1][j * d + k];
            w->u[i * d + j] = sum;
        }
    }
}

congru_status congru_procrustes_match(congru_context *context, congru_procrustes_work *w,
                                      const double *coefficient, bool spectral)
{
    const size_t d = w->d;
    CONGRU_TRY(eigenvectors(context, w, w->target, coefficient, w->matched[0]));
    CONGRU_TRY(eigenvectors(context, w, w->source, coefficient, w->matched[1]));
    couple(w);
    CONGRU_TRY(choose_signs(context, w, spectral));
    assemble(w);
    memcpy(w->scratch, w->u, d * d * sizeof(double));
    if (reflects(d, w->scratch)) {
        /* -U does to matrices what U does, and is a rotation where d is odd; else the cheapest sign is turned. */
        for (size_t i = 0; i < d && d % 2 == 1; i++)
            w->sign[i] = -w->sign[i];
        if (d % 2 == 0) {
            size_t i = least_loss(w);
            w->sign[i] = -w->sign[i];
        }
        assemble(w);
    }
    return CONGRU_OK;
}
