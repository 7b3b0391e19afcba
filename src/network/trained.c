/* Tensors of a trained network: written, and found again. SPDX-License-Identifier: Apache-2.0 */
#include "network/trained.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scalar_math.h"
#include "network/kept.h"
#include "network/layers/layers.h"

/* DCT is kept as the rotation and gamma that its parameters stand for. */
static congru_status save_rotated(const congru_training *t, const char *prefix, congru_tensors *model)
{
    const size_t d = t->design.d, shape[] = {d, d};
    const congru_parameters *p = &t->parameters;
    double mean = 0.0, *rotation,
           *work = calloc(congru_rotations_work(t->design.rotations, d) + 1, sizeof *work);
    if (work == NULL)
        return congru_fail(t->context, CONGRU_ERROR_MEMORY, "not enough memory for a rotation");
    for (size_t s = 0; s < t->trials->subjects; s++)
        mean += t->constants.dispersion[s] / (double)t->trials->subjects;
    congru_status status = congru_kept_make(t->context, model, prefix, "rotation", 2, shape, &rotation);
    if (status == CONGRU_OK)
        status =
            congru_rotations_forward(t->context, t->design.rotations, d, p->segment[0].value, work, rotation);
    free(work);
    if (status == CONGRU_OK)
        status = congru_kept_add_number(t->context, model, prefix, "gamma",
                                        t->design.learns_gamma ? congru_scalar_exp(*p->segment[1].value) : 1.0);
    return status == CONGRU_OK ? congru_kept_add_number(t->context, model, prefix, "dispersion",
                                                        t->constants.by_subject ? mean : 0.0)
                               : status;
}

/* As numbers that a file holds: 0 for no merges, then in the order of the choices. */
static double number_of(congru_merges merges)
{
    return merges == CONGRU_MERGES_NONE ? 0.0 : merges == CONGRU_MERGES_SKIP ? 1.0 : 2.0;
}

static congru_merges merges_of(double number)
{
    return number < 1.0 ? CONGRU_MERGES_NONE : number < 2.0 ? CONGRU_MERGES_SKIP : CONGRU_MERGES_EVERY;
}

static congru_status save_stack(const congru_training *t, const char *prefix, congru_tensors *model)
{
    double widths[CONGRU_LAYERS_MAX];
    const size_t count = t->design.layers + 1;
    for (size_t l = 0; l < count; l++)
        widths[l] = (double)t->design.width[l];
    congru_status status = congru_kept_add(t->context, model, prefix, "widths", 1, &count, widths);
    if (status == CONGRU_OK)
        status = congru_kept_add_weights(t->context, model, prefix, t->design.layers, &t->parameters);
    if (status == CONGRU_OK)
        status = congru_kept_add_number(t->context, model, prefix, "merged", number_of(t->design.merges));
    if (status == CONGRU_OK && t->design.merge_mean == CONGRU_MERGE_EUCLID)
        status = congru_kept_add_number(t->context, model, prefix, "merged_euclidean", 1.0);
    return status == CONGRU_OK ? congru_design_add_field(t->context, model, prefix, "layer_jitter", &t->design)
                               : status;
}

static congru_status save_head(const congru_training *t, const char *prefix, congru_tensors *model)
{
    const congru_segment *bias = &t->parameters.segment[t->parameters.segments - 1], *head = bias - 1;
    const size_t shape[] = {head->rows, head->cols};
    congru_status status = congru_kept_add(t->context, model, prefix, "head", 2, shape, head->value);
    if (status == CONGRU_OK)
        status = congru_kept_add(t->context, model, prefix, "bias", 1, shape, bias->value);
    if (status == CONGRU_OK)
        status = congru_kept_add(t->context, model, prefix, "present", 1, shape, t->constants.present);
    if (status == CONGRU_OK)
        status = congru_design_add_field(t->context, model, prefix, "at_identity", &t->design);
    return status == CONGRU_OK ? congru_design_add_field(t->context, model, prefix, "head_jitter", &t->design)
                               : status;
}

congru_status congru_trained_save(const congru_training *t, const char *prefix, congru_tensors *model)
{
    congru_status status = t->constants.by_log ? save_rotated(t, prefix, model) : save_stack(t, prefix, model);
    if (status == CONGRU_OK)
        status = congru_design_add_field(t->context, model, prefix, "floor", &t->design);
    if (status == CONGRU_OK && t->options.trace)
        status = congru_kept_add_number(t->context, model, prefix, "trace", 1.0);
    return status == CONGRU_OK && t->end_to_end ? save_head(t, prefix, model) : status;
}

/* ---- Found again --------------------------------------------------------------------------------- */

/* A number that is 0 where a model does not have it. */
static congru_status find_any(congru_context *context, const congru_tensors *model, const char *prefix,
                              const char *own, double most, double *number)
{
    *number = 0.0;
    return congru_kept_has(model, prefix, own)
               ? congru_kept_find_number(context, model, prefix, own, 0.0, most, number)
               : CONGRU_OK;
}

static congru_status load_rotated(congru_context *context, const char *prefix, const congru_tensors *model,
                                  congru_trained *n)
{
    size_t shape[2] = {0, 0};
    congru_status status = congru_kept_find(context, model, prefix, "rotation", 2, shape, &n->rotation);
    if (status == CONGRU_OK && shape[0] != shape[1])
        return congru_fail(context, CONGRU_ERROR_FORMAT, "the model's rotation is %zu x %zu", shape[0],
                           shape[1]);
    n->design.d = n->out = n->design.width[0] = n->design.width[1] = shape[0];
    n->design.layers = 1;
    if (status == CONGRU_OK)
        status = congru_kept_find_number(context, model, prefix, "gamma", 0.0, 1e300, &n->gamma);
    if (status == CONGRU_OK)
        status = congru_kept_find_number(context, model, prefix, "dispersion", 0.0, 1e300, &n->dispersion);
    n->by_subject = n->dispersion > 0.0;
    return status;
}

static congru_status load_stack(congru_context *context, const char *prefix, const congru_tensors *model,
                                congru_trained *n)
{
    const double *widths = NULL;
    size_t count = 0;
    double merged = 0.0, euclidean = 0.0;
    congru_status status = congru_kept_find(context, model, prefix, "widths", 1, &count, &widths);
    if (status == CONGRU_OK && (count < 2 || count > CONGRU_LAYERS_MAX))
        return congru_fail(context, CONGRU_ERROR_FORMAT, "the model has %zu widths: 2 to %d were expected",
                           count, CONGRU_LAYERS_MAX);
    for (size_t l = 0; status == CONGRU_OK && l < count; l++) {
        if (!(widths[l] >= 1.0 && widths[l] <= CONGRU_DIMENSION_MAX))
            return congru_fail(context, CONGRU_ERROR_FORMAT, "the model has a width of %g", widths[l]);
        n->design.width[l] = (size_t)widths[l];
    }
    n->design.layers = count - 1;
    for (size_t l = 0; status == CONGRU_OK && l < n->design.layers; l++) {
        char own[16];
        size_t shape[] = {n->design.width[l], n->design.width[l + 1]};
        snprintf(own, sizeof own, "w%zu", l + 1);
        status = congru_kept_find(context, model, prefix, own, 2, shape, &n->w[l]);
    }
    if (status == CONGRU_OK)
        status = congru_kept_find_number(context, model, prefix, "merged", 0.0, 2.0, &merged);
    if (status == CONGRU_OK)
        status = find_any(context, model, prefix, "merged_euclidean", 1.0, &euclidean);
    if (status == CONGRU_OK)
        status = congru_design_find_field(context, model, prefix, "layer_jitter", &n->design);
    n->design.merges = merges_of(merged);
    n->design.merge_mean = euclidean != 0.0 ? CONGRU_MERGE_EUCLID : CONGRU_MERGE_LOGEUCLID;
    for (size_t l = 0; status == CONGRU_OK && n->design.merges != CONGRU_MERGES_NONE && l < count; l++) {
        if (n->design.width[l] != n->design.width[n->design.layers - l])
            return congru_fail(context, CONGRU_ERROR_FORMAT, "the model's widths do not mirror each other");
    }
    if (status == CONGRU_OK) {
        n->design.d = n->design.width[0];
        n->out = n->design.width[n->design.layers];
    }
    return status;
}

static congru_status load_head(congru_context *context, const char *prefix, const congru_tensors *model,
                               congru_trained *n)
{
    if (!congru_kept_has(model, prefix, "head"))
        return CONGRU_OK;
    size_t shape[] = {0, congru_spd_tangent_size(n->out)}, square[] = {n->out, n->out};
    congru_status status = congru_kept_find(context, model, prefix, "head", 2, shape, &n->weights);
    n->design.classes = shape[0];
    if (status == CONGRU_OK)
        status = congru_kept_find(context, model, prefix, "bias", 1, shape, &n->bias);
    if (status == CONGRU_OK)
        status = congru_kept_find(context, model, prefix, "present", 1, shape, &n->present);
    if (status == CONGRU_OK && congru_kept_has(model, prefix, "reference"))
        status = congru_kept_find(context, model, prefix, "reference", 2, square, &n->reference);
    if (status == CONGRU_OK)
        status = congru_design_find_field(context, model, prefix, "at_identity", &n->design);
    if (status == CONGRU_OK)
        status = congru_design_find_field(context, model, prefix, "head_jitter", &n->design);
    return status;
}

congru_status congru_trained_load(congru_context *context, const congru_network *network, const char *prefix,
                                  const congru_tensors *model, congru_trained *n)
{
    *n = (congru_trained){.network = network, .design.trained = true};
    double trace = 0.0;
    congru_status status = network->model->rotates ? load_rotated(context, prefix, model, n)
                                                   : load_stack(context, prefix, model, n);
    if (status == CONGRU_OK)
        status = congru_design_find_field(context, model, prefix, "floor", &n->design);
    if (status == CONGRU_OK)
        status = find_any(context, model, prefix, "trace", 1.0, &trace);
    n->trace = trace != 0.0;
    return status == CONGRU_OK ? load_head(context, prefix, model, n) : status;
}
