/* The steps of alignment as functions of plain arrays. SPDX-License-Identifier: Apache-2.0 */
#include "congru/aligner.h"

#include <math.h>

#include "aligner/procrustes.h"
#include "aligner/recentre.h"
#include "aligner/rpa.h"
#include "base/workspace.h"
#include "spd/batch.h"

typedef struct recentre_work {
    int32_t *subject;  /* (n), where the caller has one subject alone */
    double *reference; /* (subjects, d, d), where the caller does not want them */
} recentre_work;

static void recentre_layout(congru_arena *arena, size_t n, size_t d, size_t subjects, recentre_work *w)
{
    w->subject = congru_arena_take(arena, n, sizeof(int32_t));
    w->reference = congru_arena_take(arena, subjects * d * d, sizeof(double));
}

congru_status congru_alignment_recentre(congru_context *context, congru_metric metric, size_t n, size_t d,
                                        const double *c, size_t subjects, const int32_t *subject,
                                        double *reference, double *out)
{
    CONGRU_TRY(congru_check_shape(context, n, d));
    CONGRU_TRY(congru_check_argument(context, c != NULL && out != NULL, "no input or no output was given"));
    CONGRU_TRY(congru_check_argument(context, subject != NULL ? subjects > 0 && subjects <= n : subjects == 1,
                                     "the number of subjects must be 1 to the number of trials, and 1 when "
                                     "no subject of each trial is given"));
    congru_arena measure = {0}, arena = {0};
    recentre_work w;
    recentre_layout(&measure, n, d, subjects, &w);
    if (congru_arena_reserve(&arena, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for the references of %zu subjects",
                           subjects);
    recentre_layout(&arena, n, d, subjects, &w);
    for (size_t i = 0; i < n; i++)
        w.subject[i] = subject != NULL ? subject[i] : 0;
    const congru_trials trials = {
        .count = n, .d = d, .covariance = c, .subject = w.subject, .subjects = subjects};
    reference = reference != NULL ? reference : w.reference;
    congru_status status = congru_recentre_references(context, metric, &trials, reference);
    if (status == CONGRU_OK)
        status = congru_recentre_sources(context, &trials, reference, out);
    return congru_workspace_free(context, &arena, status);
}

/* The logarithms of n matrices, in an arena of their own. */
static congru_status take_logarithms(congru_context *context, size_t n, size_t d, const double *c,
                                     congru_arena *arena, double **log)
{
    CONGRU_TRY(congru_check_shape(context, n, d));
    if (congru_arena_reserve(arena, n * d * d * sizeof(double)) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for the logarithms of %zu matrices", n);
    *log = congru_arena_take(arena, n * d * d, sizeof(double));
    return congru_spd_log(context, n, d, c, *log);
}

congru_status congru_alignment_dispersion(congru_context *context, size_t n, size_t d, const double *c,
                                          double *dispersion)
{
    congru_arena arena = {0};
    double *log;
    congru_status status = congru_check_argument(context, dispersion != NULL, "no output was given");
    if (status == CONGRU_OK)
        status = take_logarithms(context, n, d, c, &arena, &log);
    if (status == CONGRU_OK)
        *dispersion = congru_rpa_dispersion(n, d, log);
    return congru_workspace_free(context, &arena, status);
}

congru_status congru_alignment_scale(congru_context *context, size_t n, size_t d, const double *c,
                                     double dispersion, double *factor, double *out)
{
    congru_arena arena = {0};
    double *log;
    congru_status status =
        congru_check_argument(context, out != NULL && isfinite(dispersion) && dispersion >= 0.0,
                              "no output was given, or a dispersion that is negative or not finite");
    if (status == CONGRU_OK)
        status = take_logarithms(context, n, d, c, &arena, &log);
    if (status == CONGRU_OK) {
        double rho = congru_rpa_factor(dispersion, congru_rpa_dispersion(n, d, log));
        for (size_t i = 0; i < n * d * d; i++)
            log[i] *= rho;
        if (factor != NULL)
            *factor = rho;
        status = congru_spd_exp(context, n, d, log, out);
    }
    return congru_workspace_free(context, &arena, status);
}

/* ---- Rotating ---------------------------------------------------------------------------------- */

typedef struct rotation_means {
    double *source, *target;               /* (classes, d, d) */
    double *source_trials, *target_trials; /* (classes) */
} rotation_means;

static void means_layout(congru_arena *arena, size_t classes, size_t d, rotation_means *m)
{
    m->source = congru_arena_take(arena, classes * d * d, sizeof(double));
    m->target = congru_arena_take(arena, classes * d * d, sizeof(double));
    m->source_trials = congru_arena_take(arena, classes, sizeof(double));
    m->target_trials = congru_arena_take(arena, classes, sizeof(double));
}

static congru_status class_means(congru_context *context, size_t n, size_t d, const double *c,
                                 const int32_t *label, size_t classes, double *mean, double *trials)
{
    congru_arena arena = {0};
    double *log;
    congru_status status = take_logarithms(context, n, d, c, &arena, &log);
    if (status == CONGRU_OK)
        status = congru_procrustes_means(context, n, d, log, label, classes, mean, trials);
    return congru_workspace_free(context, &arena, status);
}

congru_status congru_alignment_rotation(congru_context *context, size_t d, size_t classes, size_t n_source,
                                        const double *source, const int32_t *source_label, size_t n_target,
                                        const double *target, const int32_t *target_label, uint64_t seed,
                                        double *rotation)
{
    CONGRU_TRY(congru_check_shape(context, classes, d));
    CONGRU_TRY(congru_check_argument(context,
                                     source != NULL && source_label != NULL && target != NULL &&
                                         target_label != NULL && rotation != NULL,
                                     "no trials, labels or output were given"));
    congru_arena measure = {0}, arena = {0};
    rotation_means m;
    means_layout(&measure, classes, d, &m);
    if (congru_arena_reserve(&arena, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for the means of %zu classes", classes);
    means_layout(&arena, classes, d, &m);
    congru_status status =
        class_means(context, n_source, d, source, source_label, classes, m.source, m.source_trials);
    if (status == CONGRU_OK)
        status = class_means(context, n_target, d, target, target_label, classes, m.target, m.target_trials);
    for (size_t k = 0; status == CONGRU_OK && k < classes; k++)
        m.target_trials[k] = m.target_trials[k] > 0.0 && m.source_trials[k] > 0.0 ? 1.0 : 0.0;
    if (status == CONGRU_OK)
        status =
            congru_procrustes(context, classes, d, m.target, m.source, m.target_trials, seed, rotation, NULL);
    return congru_workspace_free(context, &arena, status);
}
