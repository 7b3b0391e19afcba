/* Descent over rotations, from several starts. SPDX-License-Identifier: Apache-2.0 */
#include "aligner/procrustes.h"

#include <math.h>
#include <string.h>

#include "aligner/procrustes_internal.h"
#include "base/workspace.h"
#include "congru/random.h"
#include "spd/spectral.h"

enum {
    HISTORY = CONGRU_PROCRUSTES_HISTORY,
    CLASS_STARTS_MAX = 8,
    COMBINATIONS = 4,
    ROTATIONS = 2,
    FINALISTS = CONGRU_PROCRUSTES_FINALISTS,
    ITERATIONS_FIRST = 30, /* from every start, */
    ITERATIONS_MAX = 500,  /* and from where the best of them led */
    HALVINGS_MAX = 12,
    RANDOM_STREAM = 0x727061
};

static const double slope_tolerance = 1e-24; /* of the scale: what a step promises to gain */
static const double rounding = 1e-15;        /* of the scale: a misfit that is higher by this is not higher */
static const double equal_misfits = 1e-9;    /* of the scale: no better than the start before */
static const double step_norm_max = 2.0;     /* Frobenius, of a generator */

static void layout(congru_arena *arena, congru_procrustes_work *w)
{
    const size_t size = w->d * w->d;
    double **plain[] = {&w->u,      &w->best,    &w->step,     &w->turn,       &w->gradient,
                        &w->before, &w->scratch, &w->coupling, &w->matched[0], &w->matched[1]};
    double **lanes[] = {&w->source_lanes, &w->moved, &w->next, &w->lanes};
    double **classes[] = {&w->target, &w->source, &w->plain};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        *plain[i] = congru_arena_take(arena, size, sizeof(double));
    for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++)
        *lanes[i] = congru_take_lanes(arena, w->kernel, w->vectors, size);
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        *classes[i] = congru_arena_take(arena, w->classes * size, sizeof(double));
    w->finalist = congru_arena_take(arena, FINALISTS * size, sizeof(double));
    w->sums = congru_take_lanes(arena, w->kernel, w->vectors, 1);
    w->values = congru_arena_take(arena, w->d, sizeof(double));
    w->sign = congru_arena_take(arena, w->d, sizeof(double));
    w->step_kept = congru_arena_take(arena, HISTORY * size, sizeof(double));
    w->change_kept = congru_arena_take(arena, HISTORY * size, sizeof(double));
}

static double inner(size_t count, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

static void add(size_t count, double alpha, const double *x, double *y)
{
    for (size_t i = 0; i < count; i++)
        y[i] += alpha * x[i];
}

void congru_procrustes_product(size_t d, const double *a, bool transposed, const double *b, double *out)
{
    memset(out, 0, d * d * sizeof(double));
    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k < d; k++)
            add(d, transposed ? a[k * d + i] : a[i * d + k], b + k * d, out + i * d);
    }
}

/* The sum of |moved_k - source_k|^2. */
static double misfit_of(congru_procrustes_work *w, const double *moved)
{
    const size_t size = w->d * w->d, count = w->vectors * size * w->kernel->width;
    memcpy(w->lanes, moved, count * sizeof(double));
    w->kernel->combine(count, -1.0, w->source_lanes, 1.0, w->lanes);
    w->kernel->sum_squares(w->vectors, size, w->lanes, w->sums);
    double sum = 0.0;
    for (size_t k = 0; k < w->classes; k++)
        sum += w->sums[k];
    return sum;
}

/* At U, along U exp(t X) with X skew, the sum changes by t <G, X>, G = 2 sum_k [source_k, moved_k]: the part of it
 * that |moved_k|^2 is of does not change, and the rest is -2 <source_k, moved_k>. */
static void gradient_of(congru_procrustes_work *w, double *gradient)
{
    const size_t d = w->d, size = d * d;
    w->kernel->product(w->vectors, d, d, d, congru_per_lane(w->source_lanes, d), congru_per_lane(w->moved, d),
                       CONGRU_PRODUCT_SET, w->lanes);
    w->kernel->unpack(w->vectors, w->classes, d, d, w->lanes, w->plain);
    memset(gradient, 0, size * sizeof(double));
    for (size_t k = 0; k < w->classes; k++) {
        const double *p = w->plain + k * size;
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j < d; j++)
                gradient[i * d + j] += 2.0 * (p[i * d + j] - p[j * d + i]);
        }
    }
}

/* ---- Descent ----------------------------------------------------------------------------------- */

/* The quasi-Newton direction (L-BFGS) in w->step, from the last `kept` steps. Generators at different U are compared
 * as they are, in the frame that U carries along. */
static void direct(congru_procrustes_work *w, size_t kept, size_t newest)
{
    const size_t size = w->d * w->d;
    double alpha[HISTORY] = {0}, rho[HISTORY] = {0}, curvature = 1.0;
    for (size_t i = 0; i < size; i++)
        w->step[i] = -w->gradient[i];
    for (size_t i = 0; i < kept; i++) {
        size_t at = (newest + HISTORY - i) % HISTORY;
        const double *s = w->step_kept + at * size, *y = w->change_kept + at * size;
        rho[at] = 1.0 / inner(size, s, y);
        alpha[at] = rho[at] * inner(size, s, w->step);
        add(size, -alpha[at], y, w->step);
        if (i == 0)
            curvature = inner(size, s, y) / inner(size, y, y);
    }
    if (kept == 0)
        curvature = 1.0 / w->scale;
    for (size_t i = 0; i < size; i++)
        w->step[i] *= curvature;
    for (size_t i = kept; i-- > 0;) {
        size_t at = (newest + HISTORY - i) % HISTORY;
        double beta = rho[at] * inner(size, w->change_kept + at * size, w->step);
        add(size, alpha[at] - beta, w->step_kept + at * size, w->step);
    }
}

/* turn = (I - X/2)^-1 (I + X/2) with X = t step, skew: a rotation (Cayley), which is exp(X) to second order. Elimination
 * needs no pivots, as the symmetric part of I - X/2 is the identity. */
static void turn_by(congru_procrustes_work *w, double t)
{
    const size_t d = w->d;
    double *a = w->scratch, *b = w->turn;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            double half = 0.5 * t * w->step[i * d + j], one = i == j ? 1.0 : 0.0;
            a[i * d + j] = one - half;
            b[i * d + j] = one + half;
        }
    }
    for (size_t k = 0; k < d; k++) {
        for (size_t i = k + 1; i < d; i++) {
            double factor = a[i * d + k] / a[k * d + k];
            add(d - k, -factor, a + k * d + k, a + i * d + k);
            add(d, -factor, b + k * d, b + i * d);
        }
    }
    for (size_t k = d; k-- > 0;) {
        for (size_t j = 0; j < d; j++)
            b[k * d + j] /= a[k * d + k];
        for (size_t i = 0; i < k; i++)
            add(d, -a[i * d + k], b + k * d, b + i * d);
    }
}

/* A step along w->step that lowers the misfit by a ten-thousandth of what the slope promises, t times it; w->next and
 * w->turn are of it. 0 when there is none. Near the minimum, where rounding hides what is gained, steps are taken at
 * their word: the gradient is still good there. */
static double search(congru_procrustes_work *w, double slope, double *misfit)
{
    const size_t d = w->d;
    double norm = sqrt(inner(d * d, w->step, w->step));
    double t = norm > step_norm_max ? step_norm_max / norm : 1.0;
    for (int i = 0; i < HALVINGS_MAX; i++) {
        turn_by(w, t);
        congru_spectral_congruence(w->kernel, w->vectors, d, d, w->moved, congru_shared(w->turn, d), w->next,
                                   w->lanes);
        double next = misfit_of(w, w->next);
        if (next <= *misfit + 1e-4 * t * slope + rounding * w->scale) {
            *misfit = next;
            return t;
        }
        t *= 0.5;
    }
    return 0.0;
}

/* Goes where the step led; keeps it and what it did to the gradient when that is of use (positive curvature). */
static void accept(congru_procrustes_work *w, double t, size_t *kept, size_t *newest)
{
    const size_t size = w->d * w->d;
    double *swap = w->moved;
    w->moved = w->next;
    w->next = swap;
    congru_procrustes_product(w->d, w->u, false, w->turn, w->scratch);
    memcpy(w->u, w->scratch, size * sizeof(double));
    memcpy(w->before, w->gradient, size * sizeof(double));
    gradient_of(w, w->gradient);
    size_t at = (*newest + 1) % HISTORY;
    double *s = w->step_kept + at * size, *y = w->change_kept + at * size;
    for (size_t i = 0; i < size; i++) {
        s[i] = t * w->step[i];
        y[i] = w->gradient[i] - w->before[i];
    }
    if (inner(size, s, y) > 1e-10 * w->scale * inner(size, s, s)) {
        *newest = at;
        *kept = *kept < HISTORY ? *kept + 1 : HISTORY;
    }
}

/* From w->u towards the minimum near it; what is left. */
static double descend(congru_procrustes_work *w, int iterations_max)
{
    const size_t d = w->d;
    size_t kept = 0, newest = 0;
    w->kernel->pack(w->vectors, w->classes, d, d, w->target, w->next);
    congru_spectral_congruence(w->kernel, w->vectors, d, d, w->next, congru_shared(w->u, d), w->moved,
                               w->lanes);
    double misfit = misfit_of(w, w->moved);
    gradient_of(w, w->gradient);
    for (int i = 0; i < iterations_max; i++) {
        direct(w, kept, newest);
        double slope = inner(d * d, w->gradient, w->step);
        double t = -slope > slope_tolerance * w->scale ? search(w, slope, &misfit) : 0.0;
        if (t > 0.0)
            accept(w, t, &kept, &newest);
        else if (kept > 0)
            kept = 0; /* once more, straight down */
        else
            break;
    }
    return misfit;
}

/* ---- Starts ------------------------------------------------------------------------------------ */

static void set_identity(size_t d, double *u)
{
    memset(u, 0, d * d * sizeof(double));
    for (size_t i = 0; i < d; i++)
        u[i * d + i] = 1.0;
}

/* Eigenvectors of a random combination of the classes. */
static congru_status match_random(congru_context *context, congru_procrustes_work *w, uint64_t seed,
                                  uint32_t number, bool spectral)
{
    congru_random random = congru_random_stream(seed, RANDOM_STREAM, number, 0);
    for (size_t k = 0; k < w->classes; k++)
        w->plain[k] = congru_random_normal(&random);
    return congru_procrustes_match(context, w, w->plain, spectral);
}

static congru_status rotate_random(congru_context *context, congru_procrustes_work *w, uint64_t seed,
                                   uint32_t number)
{
    congru_random random = congru_random_stream(seed, RANDOM_STREAM, number, 1);
    for (size_t i = 0; i < w->d * w->d; i++)
        w->scratch[i] = congru_random_normal(&random);
    return congru_rotation_forward(context, w->d, w->scratch, w->u);
}

/* The start of a number in w->u; false in *more after the last. */
static congru_status start_at(congru_context *context, congru_procrustes_work *w, uint64_t seed, size_t number,
                              bool *more)
{
    const size_t singles = w->classes < CLASS_STARTS_MAX ? w->classes : CLASS_STARTS_MAX;
    *more = true;
    if (number == 0) {
        set_identity(w->d, w->u);
        return CONGRU_OK;
    }
    number--;
    if (number < 2 * singles) {
        memset(w->plain, 0, w->classes * sizeof(double));
        w->plain[number / 2] = 1.0;
        return congru_procrustes_match(context, w, w->plain, number % 2 == 1);
    }
    number -= 2 * singles;
    if (number < 2 * COMBINATIONS)
        return match_random(context, w, seed, (uint32_t)(number / 2), number % 2 == 1);
    number -= 2 * COMBINATIONS;
    *more = number < ROTATIONS;
    return *more ? rotate_random(context, w, seed, (uint32_t)number) : CONGRU_OK;
}

/* The products of hundreds of rotations are one but for rounding, of which U (3 I - U^T U) / 2 takes away the most. */
static void polish(congru_procrustes_work *w, double *rotation)
{
    const size_t d = w->d;
    congru_procrustes_product(d, w->best, true, w->best, w->scratch);
    for (size_t i = 0; i < d * d; i++)
        w->scratch[i] *= -0.5;
    for (size_t i = 0; i < d; i++)
        w->scratch[i * d + i] += 1.5;
    congru_procrustes_product(d, w->best, false, w->scratch, rotation);
}

/* Keeps w->u among the finalists, least misfit first; of equals the earlier is before the later. */
static void enter(congru_procrustes_work *w, double misfit, double *kept)
{
    const size_t size = w->d * w->d;
    size_t place = FINALISTS;
    while (place > 0 && misfit < kept[place - 1] - equal_misfits * w->scale)
        place--;
    for (size_t i = FINALISTS; i-- > place + 1;) {
        kept[i] = kept[i - 1];
        memcpy(w->finalist + i * size, w->finalist + (i - 1) * size, size * sizeof(double));
    }
    if (place < FINALISTS) {
        kept[place] = misfit;
        memcpy(w->finalist + place * size, w->u, size * sizeof(double));
    }
}

/* The best rotation, in w->best. */
static congru_status best_of_starts(congru_context *context, congru_procrustes_work *w, uint64_t seed,
                                    double *misfit)
{
    const size_t size = w->d * w->d;
    double kept[FINALISTS];
    bool more = true;
    for (size_t i = 0; i < FINALISTS; i++)
        kept[i] = INFINITY;
    for (size_t number = 0; more; number++) {
        congru_status status = start_at(context, w, seed, number, &more);
        if (status != CONGRU_OK)
            return status;
        if (more)
            enter(w, descend(w, ITERATIONS_FIRST), kept);
    }
    *misfit = INFINITY;
    for (size_t i = 0; i < FINALISTS && isfinite(kept[i]); i++) {
        memcpy(w->u, w->finalist + i * size, size * sizeof(double));
        double reached = descend(w, ITERATIONS_MAX);
        if (reached < *misfit - equal_misfits * w->scale) {
            *misfit = reached;
            memcpy(w->best, w->u, size * sizeof(double));
        }
    }
    return CONGRU_OK;
}

/* ---- The problem ------------------------------------------------------------------------------- */

/* Classes of positive weight, by the root of it. */
static void fill(congru_procrustes_work *w, size_t classes, const double *target, const double *source,
                 const double *weight)
{
    const size_t size = w->d * w->d;
    size_t used = 0;
    for (size_t k = 0; k < classes; k++) {
        if (!(weight[k] > 0.0))
            continue;
        for (size_t i = 0; i < size; i++) {
            w->target[used * size + i] = sqrt(weight[k]) * target[k * size + i];
            w->source[used * size + i] = sqrt(weight[k]) * source[k * size + i];
        }
        used++;
    }
    w->scale = inner(used * size, w->target, w->target) + inner(used * size, w->source, w->source);
    w->kernel->pack(w->vectors, used, w->d, w->d, w->source, w->source_lanes);
}

static congru_status solve(congru_context *context, congru_procrustes_work *w, uint64_t seed, double *rotation,
                           double *misfit)
{
    *misfit = w->scale;
    if (!isfinite(w->scale))
        return congru_fail(context, CONGRU_ERROR_NOT_FINITE, "a class mean holds a number that is not finite");
    if (w->scale == 0.0)
        return CONGRU_OK;
    congru_status status = best_of_starts(context, w, seed, misfit);
    if (status == CONGRU_OK)
        polish(w, rotation);
    return status;
}

congru_status congru_procrustes(congru_context *context, size_t classes, size_t d, const double *target,
                                const double *source, const double *weight, uint64_t seed, double *rotation,
                                double *misfit)
{
    congru_status status = congru_check_shape(context, classes, d);
    if (status != CONGRU_OK)
        return status;
    congru_procrustes_work w = {.kernel = context->kernel, .d = d};
    congru_arena measure = {0}, arena = {0};
    double reached = 0.0;
    for (size_t k = 0; k < classes; k++)
        w.classes += weight[k] > 0.0;
    set_identity(d, rotation);
    if (w.classes > 0) {
        w.vectors = congru_kernel_vectors(w.kernel, w.classes);
        layout(&measure, &w);
        if (congru_arena_reserve(&arena, measure.used) != CONGRU_OK)
            return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a rotation of %zu x %zu", d, d);
        layout(&arena, &w);
        fill(&w, classes, target, source, weight);
        status = solve(context, &w, seed, rotation, &reached);
        status = congru_workspace_free(context, &arena, status);
    }
    if (misfit != NULL)
        *misfit = reached;
    return status;
}

congru_status congru_procrustes_means(congru_context *context, size_t n, size_t d, const double *matrices,
                                      const int32_t *label, size_t classes, double *mean, double *trials)
{
    const size_t size = d * d;
    memset(mean, 0, classes * size * sizeof(double));
    memset(trials, 0, classes * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        if (label[i] >= 0 && (size_t)label[i] >= classes)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "label %d of trial %zu: there are the classes 0 to %zu", (int)label[i], i + 1,
                               classes - 1);
        if (label[i] < 0)
            continue;
        trials[label[i]] += 1.0;
        add(size, 1.0, matrices + i * size, mean + (size_t)label[i] * size);
    }
    for (size_t k = 0; k < classes; k++) {
        for (size_t i = 0; i < size && trials[k] > 0.0; i++)
            mean[k * size + i] /= trials[k];
    }
    return CONGRU_OK;
}
