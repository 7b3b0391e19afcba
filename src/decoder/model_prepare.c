/* Brings the trials of a set to where those of a model were. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "dataset/set_check.h"
#include "dataset/set_products.h"
#include "decoder/model_internal.h"

enum { DIFFERENCES_SIZE = 800 };

/* Whether trials that are as long as they were recorded hold the window that the model's signals were cut to. */
static bool can_be_cut(const congru_set *set, const congru_preprocessing *have,
                       const congru_preprocessing *wanted)
{
    congru_preprocessing window = *wanted;
    return wanted->window[1] > wanted->window[0] && !(have->window[1] > have->window[0]) && set->rate > 0 &&
           isfinite(set->start) && congru_product_clip(set, &window) && window.window[0] == wanted->window[0] &&
           window.window[1] == wanted->window[1];
}

/* What differs between what the model reads of a set and what it wants, "" where nothing does. Branches read signals, and
 * have windows and estimators of their own. Signals that nothing is said of are as they were recorded, and so are the
 * covariances beside them not known to be the model's. *wanted borrows the model's channels. */
static congru_status compare(congru_context *context, const congru_model *model, const congru_set *set,
                             congru_preprocessing *wanted, char differences[DIFFERENCES_SIZE])
{
    const bool signals = congru_pipeline_reads(&model->pipeline, CONGRU_NEEDS_SIGNALS);
    congru_preprocessing have;
    CONGRU_TRY(signals ? congru_set_signals_preprocessing(context, set, &have)
                       : congru_set_preprocessing(context, set, &have));
    *wanted = model->preprocessing;
    if (signals) {
        have.samples = 0;
        have.estimator = wanted->estimator;
        have.trace_normalise = wanted->trace_normalise;
        have.shrinkage = wanted->shrinkage;
        if (!can_be_cut(set, &have, wanted))
            memcpy(wanted->window, have.window, sizeof have.window);
    }
    congru_preprocessing_differs(wanted, "the model", &have, differences, DIFFERENCES_SIZE);
    if (differences[0] == '\0' && set->signals != NULL &&
        ((!signals && set->covariance == NULL) || (wanted->known && !have.known)))
        strcpy(differences, "its signals are as they were recorded");
    congru_preprocessing_clear(&have);
    return CONGRU_OK;
}

/* What a model can read at all. */
static congru_status check_kind(congru_context *context, const congru_model *model, const congru_set *set)
{
    if (congru_model_needs_signals(model) && (set->signals == NULL || set->count == 0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the set holds no signals, and the model makes its own of them (import it anew with "
                           "--keep-signals)");
    if ((set->signals == NULL && set->covariance == NULL) || set->count == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the set holds no covariances, and no signals to make them of");
    return congru_set_check(context, set);
}

congru_status congru_model_fits(congru_context *context, const congru_model *model, const congru_set *set,
                                bool *fits)
{
    congru_preprocessing wanted;
    char differences[DIFFERENCES_SIZE] = "";
    *fits = false;
    CONGRU_TRY(check_kind(context, model, set));
    CONGRU_TRY(compare(context, model, set, &wanted, differences));
    *fits = differences[0] == '\0';
    return CONGRU_OK;
}

congru_status congru_model_prepare(congru_context *context, const congru_model *model, congru_set *set,
                                   double scale)
{
    congru_preprocessing wanted;
    char differences[DIFFERENCES_SIZE] = "";
    if (context == NULL || model == NULL || set == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no model or set given");
    CONGRU_TRY(check_kind(context, model, set));
    CONGRU_TRY(compare(context, model, set, &wanted, differences));
    if (differences[0] == '\0')
        return CONGRU_OK;
    if (set->signals != NULL) {
        CONGRU_TRY(congru_set_preprocess_like(context, set, &wanted, "the model", scale));
        CONGRU_TRY(compare(context, model, set, &wanted, differences));
        if (!wanted.known)
            congru_note(context, "The model does not say how its signals were filtered; those of the set are "
                                 "taken as they are.");
    }
    return differences[0] != '\0' ? congru_preprocessing_refuse(context, "the model", differences) : CONGRU_OK;
}
