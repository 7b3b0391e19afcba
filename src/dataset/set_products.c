/* Filters, cuts and estimates trials of a set into arrays of their own. SPDX-License-Identifier: Apache-2.0 */
#include "dataset/set_products.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mapped_memory.h"
#include "base/memory.h"
#include "dataset/covariance.h"
#include "epochs/epochs_internal.h"
#include "preprocess/preprocessing.h"

/* ---- Comparing ----------------------------------------------------------------------------------------- */

/* The description up to the window; its channels are those of `p`. */
static congru_preprocessing filters_of(const congru_preprocessing *p)
{
    congru_preprocessing filters = *p;
    filters.whole = true;
    filters.window[0] = filters.window[1] = 0;
    filters.estimator = CONGRU_ESTIMATOR_SCM;
    filters.trace_normalise = false;
    filters.shrinkage = 0;
    return filters;
}

bool congru_product_shares(const congru_preprocessing *a, const congru_preprocessing *b)
{
    const congru_preprocessing first = filters_of(a), second = filters_of(b);
    return congru_preprocessing_same(&first, &second);
}

bool congru_product_clip(const congru_set *set, congru_preprocessing *description)
{
    double *window = description->window, length = window[1] - window[0];
    if (description->whole || !(set->rate > 0) || !isfinite(set->start))
        return true;
    double last = set->start + (double)set->samples / set->rate;
    window[0] = fmax(window[0], set->start);
    window[1] = fmin(window[1], last);
    return window[1] - window[0] >= 0.5 * length;
}

/* ---- Making -------------------------------------------------------------------------------------------- */

/* Trials of the set as epochs of their own. */
static congru_status copy_trials(congru_context *context, const congru_set *set, size_t first, size_t count,
                                 congru_epochs *epochs)
{
    const size_t size = set->dimension * set->samples;
    *epochs = (congru_epochs){.count = count,
                              .channels = set->dimension,
                              .samples = set->samples,
                              .rate = set->rate > 0 ? set->rate : (double)NAN,
                              .start = set->start,
                              .data = congru_memory_take(count * size * sizeof(double)),
                              .channel_name =
                                  congru_memory_take((set->dimension + 1) * sizeof *epochs->channel_name)};
    if (epochs->data == NULL || epochs->channel_name == NULL)
        return congru_fail_memory(context, "%zu trials of %zu samples", count, set->samples);
    memcpy(epochs->data, set->signals + first * size, count * size * sizeof(double));
    memcpy(epochs->channel_name, set->channel_name, set->dimension * sizeof *epochs->channel_name);
    congru_mapped_pass(count * size * sizeof(double));
    return CONGRU_OK;
}

static void free_trials(congru_epochs *epochs)
{
    congru_memory_give(epochs->data);
    congru_memory_give(epochs->channel_name);
}

/* Copies the window out of filtered trials: where it lies is found on none of them. */
static congru_status cut(congru_context *context, const congru_preprocessing *p, const congru_epochs *filtered,
                         congru_epochs *window)
{
    const size_t rows = filtered->count * filtered->channels;
    congru_preprocessing only_window;
    congru_preprocessing_init_raw(&only_window);
    only_window.whole = p->whole;
    only_window.rest = p->rest;
    memcpy(only_window.window, p->window, sizeof p->window);
    *window = *filtered;
    window->count = 0;
    congru_status status = congru_preprocess_trials(context, &only_window, NULL, window);
    window->count = filtered->count;
    window->data = NULL;
    if (status != CONGRU_OK)
        return status;
    const double moved = (window->start - filtered->start) * filtered->rate;
    const size_t from = p->whole ? 0 : (size_t)floor(moved + 0.5), samples = window->samples;
    window->data = congru_memory_take(rows * samples * sizeof(double));
    if (window->data == NULL)
        return congru_fail_memory(context, "%zu trials", filtered->count);
    for (size_t i = 0; i < rows; i++)
        memcpy(window->data + i * samples, filtered->data + i * filtered->samples + from,
               samples * sizeof(double));
    return CONGRU_OK;
}

static congru_status keep(congru_context *context, const congru_epochs *window, size_t first,
                          const congru_product *product)
{
    const size_t d = window->channels, size = d * window->samples, count = window->count;
    const congru_preprocessing *p = &product->description;
    if (product->signals != NULL)
        memcpy(product->signals + first * size, window->data, count * size * sizeof(double));
    if (product->covariance == NULL)
        return CONGRU_OK;
    size_t *number = congru_memory_take(count * sizeof *number);
    if (number == NULL)
        return congru_fail_memory(context, "%zu trials", count);
    for (size_t i = 0; i < count; i++)
        number[i] = first + i + 1;
    double *covariance = product->covariance + first * d * d;
    congru_status status = congru_covariance_numbered(context, p->estimator, p->trace_normalise, count, d,
                                                      window->samples, window->data, number, covariance);
    if (status == CONGRU_OK)
        congru_covariance_shrink(p->shrinkage, count, d, covariance);
    congru_memory_give(number);
    congru_mapped_pass(count * (size + d * d) * sizeof(double));
    return status;
}

congru_status congru_product_make(congru_context *context, const congru_set *set, size_t first, size_t count,
                                  size_t products, congru_product *const *product)
{
    congru_epochs filtered, window;
    const congru_preprocessing filters = filters_of(&product[0]->description);
    congru_status status = copy_trials(context, set, first, count, &filtered);
    if (status == CONGRU_OK)
        status = congru_preprocess_trials(context, &filters, NULL, &filtered);
    for (size_t i = 0; status == CONGRU_OK && i < products; i++) {
        window = (congru_epochs){0};
        status = cut(context, &product[i]->description, &filtered, &window);
        if (status == CONGRU_OK)
            status = keep(context, &window, first, product[i]);
        congru_memory_give(window.data);
    }
    free_trials(&filtered);
    return status;
}

/* ---- Measuring ----------------------------------------------------------------------------------------- */

double congru_set_onset(const congru_set *set)
{
    return set->rate > 0 ? congru_epochs_sample(set->start, set->rate) : (double)NAN;
}

congru_status congru_set_signals_preprocessing(congru_context *context, const congru_set *set,
                                               congru_preprocessing *p)
{
    congru_set signals = *set;
    if (set->signals_meta != NULL) {
        signals.meta = set->signals_meta;
        signals.signals_meta = NULL;
    }
    return congru_set_preprocessing(context, &signals, p);
}

/* What is left of a band in signals that went through another. */
static congru_status check_band(congru_context *context, const congru_set *set, const congru_preprocessing *p)
{
    congru_preprocessing have;
    CONGRU_TRY(congru_set_signals_preprocessing(context, set, &have));
    const double *band = have.band[1] > 0 ? have.band : have.filtered;
    double held[2] = {band[0], band[1]};
    congru_preprocessing_clear(&have);
    if (!(held[1] > 0 && p->band[1] > 0))
        return CONGRU_OK;
    double left = fmin(held[1], p->band[1]) - fmax(held[0], p->band[0]), wanted = p->band[1] - p->band[0];
    if (left < 0.5 * wanted)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "its signals were filtered %g to %g Hz, which leaves too little of %g to %g Hz "
                           "(import them with --band off --keep-signals)",
                           held[0], held[1], p->band[0], p->band[1]);
    if (left < wanted)
        congru_note(context, "The signals were filtered %g to %g Hz before: of %g to %g Hz a part is missing.",
                    held[0], held[1], p->band[0], p->band[1]);
    return CONGRU_OK;
}

congru_status congru_product_measure(congru_context *context, const congru_set *set, congru_product *product)
{
    congru_epochs filtered = {0}, window = {0};
    const congru_preprocessing filters = filters_of(&product->description);
    if (set->signals == NULL || set->count == 0)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "holds covariances alone, and signals are needed (import it anew with --keep-signals)");
    congru_status status = congru_preprocessing_check(context, &product->description);
    if (status == CONGRU_OK)
        status = check_band(context, set, &product->description);
    if (status == CONGRU_OK)
        status = copy_trials(context, set, 0, 1, &filtered);
    if (status == CONGRU_OK)
        status = congru_preprocess_trials(context, &filters, NULL, &filtered);
    if (status == CONGRU_OK)
        status = cut(context, &product->description, &filtered, &window);
    if (status == CONGRU_OK) {
        product->channels = window.channels;
        product->samples = window.samples;
        product->rate = window.rate > 0 ? window.rate : 0;
        product->start = window.start;
        product->onset = congru_epochs_sample(window.start, window.rate);
    }
    congru_memory_give(window.data);
    free_trials(&filtered);
    return status;
}
