/* Networks fitted, applied to trials, and asked about a target subject. SPDX-License-Identifier: Apache-2.0 */
#include "network/network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/memory.h"
#include "network/constants.h"
#include "network/kept.h"
#include "network/scored.h"
#include "network/scored_reference.h"
#include "network/trained.h"

congru_network_options congru_network_settle(const congru_network *network,
                                             const congru_network_options *options)
{
    const congru_own_training *own = &network->model->own;
    congru_network_options o = *options;
    o.steps = o.steps == CONGRU_OWN ? own->steps : o.steps;
    o.batch = o.batch == CONGRU_OWN ? own->batch : o.batch;
    o.batch_subjects = o.batch_subjects == CONGRU_OWN ? own->batch_subjects : o.batch_subjects;
    o.rate = o.rate == CONGRU_OWN ? own->rate : o.rate;
    o.decay = o.decay == CONGRU_OWN ? own->decay : o.decay;
    o.clip = o.clip == CONGRU_OWN ? own->clip : o.clip;
    o.dropout = o.dropout == CONGRU_OWN ? own->dropout : o.dropout;
    if (network->model->rotates && o.dct_steps > 0)
        o.steps = o.dct_steps;
    return o;
}

int congru_network_steps(const congru_network *network, const congru_network_options *options)
{
    const congru_network_options o = congru_network_settle(network, options);
    return o.stop > 0 && o.stop < o.steps ? o.stop : o.steps;
}

/* ---- Ensembles ----------------------------------------------------------------------------------- */

/* Networks of an ensemble, from 1 on, are kept as PREFIX.1, PREFIX.2, ... */
typedef struct member_name {
    char text[CONGRU_TENSOR_NAME_SIZE];
} member_name;

static member_name member_of(const char *prefix, int member)
{
    member_name name;
    snprintf(name.text, sizeof name.text, "%s.%d", prefix, member);
    return name;
}

static bool has_member(const congru_tensors *model, const char *prefix, int member)
{
    return congru_kept_has(model, member_of(prefix, member).text, "head");
}

/* Of several networks the first. */
static congru_status load_first(congru_context *context, const congru_network *network, const char *prefix,
                                const congru_tensors *model, congru_trained *n)
{
    const member_name first = member_of(prefix, 1);
    return congru_trained_load(context, network, has_member(model, prefix, 1) ? first.text : prefix, model, n);
}

/* ---- Sources ------------------------------------------------------------------------------------- */

/* What each source trial's logarithm is divided by: (count), or NULL in *dispersion when nothing is. */
static congru_status source_dispersion(congru_context *context, const congru_trained *n,
                                       const congru_trials *trials, double **dispersion)
{
    *dispersion = NULL;
    if (!n->by_subject)
        return CONGRU_OK;
    double *norm = congru_memory_take((2 * trials->count + trials->subjects) * sizeof(double));
    if (norm == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for the trials' norms");
    double *each = norm + trials->count;
    congru_status status = congru_trained_norms(context, n, trials->count, trials->covariance, each);
    if (status == CONGRU_OK)
        congru_dispersions(trials, each, each + trials->count);
    for (size_t i = 0; status == CONGRU_OK && i < trials->count; i++)
        norm[i] = each[trials->count + (size_t)trials->subject[i]];
    if (status != CONGRU_OK)
        congru_memory_give(norm);
    else
        *dispersion = norm;
    return status;
}

/* Where the target subject may not be seen: the mean logarithm over all outputs of training. */
static congru_status add_reference(congru_context *context, const congru_network *network, const char *prefix,
                                   const congru_trials *trials, congru_tensors *model)
{
    congru_trained n;
    congru_status status = congru_trained_load(context, network, prefix, model, &n);
    if (status != CONGRU_OK)
        return status;
    const size_t shape[] = {n.out, n.out}, size = n.out * n.out;
    double *dispersion = NULL, *mean, *logs = congru_memory_take(trials->count * size * sizeof(double));
    if (logs == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu outputs", trials->count);
    status = source_dispersion(context, &n, trials, &dispersion);
    if (status == CONGRU_OK)
        status = congru_trained_outputs(context, &n, trials->count, trials->covariance, dispersion, NULL, logs);
    if (status == CONGRU_OK)
        status = congru_kept_make(context, model, prefix, "reference", 2, shape, &mean);
    for (size_t i = 0; status == CONGRU_OK && i < trials->count; i++) {
        congru_mapped_pass(size * sizeof(double));
        for (size_t e = 0; e < size; e++)
            mean[e] += logs[i * size + e] / (double)trials->count;
    }
    congru_memory_give(dispersion);
    congru_memory_give(logs);
    return status;
}

static congru_status fit_one(congru_context *context, const congru_network *network, bool end_to_end,
                             const char *prefix, const congru_trials *trials,
                             const congru_method_options *options, congru_tensors *model, congru_record *record)
{
    congru_training *training = NULL;
    congru_trials seen = *trials;
    double *own = NULL;
    const bool trace = options->network.trace && trials->covariance != NULL;
    congru_status status = congru_model_reads(context, network, trials->covariance, trials->signals);
    if (status == CONGRU_OK)
        status = congru_trained_trials(context, trace, trials->count, trials->d, trials->covariance, &own,
                                       &seen.covariance);
    if (status == CONGRU_OK)
        status = congru_training_create(context, network, end_to_end, &seen, options, &training);
    if (status == CONGRU_OK)
        status = congru_training_loop(training, record);
    const bool decides = congru_network_decides(network);
    if (status == CONGRU_OK)
        status = decides ? congru_scored_save(training, prefix, model)
                         : congru_trained_save(training, prefix, model);
    congru_training_destroy(&training);
    congru_memory_give(own);
    if (status == CONGRU_OK && end_to_end)
        status = decides ? congru_scored_keep(context, network, prefix, trials, model)
                         : add_reference(context, network, prefix, trials, model);
    return status;
}

/* Members of an ensemble are networks of their own, from seeds of their own. The record is the first one's. */
congru_status congru_network_fit(congru_context *context, const congru_network *network, bool end_to_end,
                                 const char *prefix, const congru_trials *trials,
                                 const congru_method_options *options, congru_tensors *model,
                                 congru_record *record)
{
    const int members = options->network.ensemble;
    if (members <= 1 || !end_to_end)
        return fit_one(context, network, end_to_end, prefix, trials, options, model, record);
    congru_status status = CONGRU_OK;
    for (int member = 1; status == CONGRU_OK && member <= members; member++) {
        congru_method_options own = *options;
        own.seed = options->seed + (uint64_t)(member - 1) * UINT64_C(0x9E3779B97F4A7C15);
        status = fit_one(context, network, true, member_of(prefix, member).text, trials, &own, model,
                         member == 1 ? record : NULL);
    }
    return status;
}

congru_status congru_network_map_sources(congru_context *context, const congru_network *network,
                                         const char *prefix, const congru_tensors *model,
                                         const congru_trials *trials, double *out)
{
    congru_trained n;
    double *dispersion = NULL;
    congru_status status = congru_model_reads(context, network, trials->covariance, trials->signals);
    if (status == CONGRU_OK)
        status = load_first(context, network, prefix, model, &n);
    if (status == CONGRU_OK)
        status = congru_design_check(context, &n.design, trials->d);
    if (status == CONGRU_OK)
        status = source_dispersion(context, &n, trials, &dispersion);
    if (status == CONGRU_OK)
        status = congru_trained_outputs(context, &n, trials->count, trials->covariance, dispersion, out, NULL);
    congru_memory_give(dispersion);
    return status;
}

/* ---- Target subjects ----------------------------------------------------------------------------------- */

static double root_mean(const congru_trained *n, double seen, double sum)
{
    return sum > 0.0 ? sqrt(sum / seen) : n->dispersion;
}

/* The next trial of a subject that is followed: *norm, its own, becomes the root mean square of those that count. */
static congru_status follow_norm(congru_context *context, const congru_trained *n, congru_following *following,
                                 double *norm)
{
    double *number = congru_following_take(following, 2);
    if (number == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a dispersion");
    const double behind = root_mean(n, number[0], number[1]);
    number[1] += *norm;
    congru_following_count(following, 1, number);
    *norm = following->before ? root_mean(n, number[0], number[1]) : behind;
    return CONGRU_OK;
}

/* Root mean square over what may be seen for the decision about each trial: (count), or NULL. */
static congru_status target_dispersion(congru_context *context, const congru_trained *n,
                                       const congru_target_trials *target, double **dispersion)
{
    *dispersion = NULL;
    if (!n->by_subject)
        return CONGRU_OK;
    double *norm = congru_memory_take(target->count * sizeof(double)), sum = 0.0;
    if (norm == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for the trials' norms");
    congru_status status = congru_trained_norms(context, n, target->count, target->covariance, norm);
    if (status == CONGRU_OK && target->following != NULL) {
        status = follow_norm(context, n, target->following, norm);
        *dispersion = status == CONGRU_OK ? norm : NULL;
        if (status != CONGRU_OK)
            congru_memory_give(norm);
        return status;
    }
    for (size_t i = 0; status == CONGRU_OK && !target->online && i < target->visible; i++)
        sum += norm[i];
    for (size_t i = 0; status == CONGRU_OK && i < target->count; i++) {
        double seen = (double)target->visible;
        if (target->online) {
            sum += norm[i];
            seen = (double)(i + 1);
        }
        norm[i] = root_mean(n, seen, sum);
    }
    if (status != CONGRU_OK)
        congru_memory_give(norm);
    else
        *dispersion = norm;
    return status;
}

static congru_status target_outputs(congru_context *context, const congru_trained *n,
                                    const congru_target_trials *target, double *c_out, double *log_out)
{
    double *dispersion = NULL;
    congru_status status = congru_design_check(context, &n->design, target->d);
    if (status == CONGRU_OK)
        status = target_dispersion(context, n, target, &dispersion);
    if (status == CONGRU_OK)
        status =
            congru_trained_outputs(context, n, target->count, target->covariance, dispersion, c_out, log_out);
    congru_memory_give(dispersion);
    return status;
}

congru_status congru_network_map_target(congru_context *context, const congru_network *network,
                                        const char *prefix, const congru_tensors *model,
                                        const congru_target_trials *target, double *out)
{
    congru_trained n;
    congru_status status = congru_model_reads(context, network, target->covariance, target->signals);
    if (status == CONGRU_OK)
        status = load_first(context, network, prefix, model, &n);
    return status == CONGRU_OK ? target_outputs(context, &n, target, out, NULL) : status;
}

/* reference = the mean of `seen` logarithms whose sum is given, drawn to that of training when they are few. */
static void blend(const congru_trained *n, size_t seen, const double *sum, double *reference)
{
    const double share = congru_reference_share(seen);
    for (size_t e = 0; e < n->out * n->out; e++) {
        double mean = seen > 0 ? sum[e] / (double)seen : 0.0;
        reference[e] = share * mean + (1.0 - share) * n->reference[e];
    }
}

/* The next trial of a subject that is followed: how many there were, and the sum of their logarithms. */
static congru_status follow_reference(congru_context *context, const congru_trained *n,
                                      congru_following *following, const double *logs, double *reference)
{
    const size_t size = n->out * n->out;
    double *number = congru_following_take(following, size + 1);
    if (number == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a reference");
    if (!following->before)
        blend(n, (size_t)number[0], number + 1, reference);
    for (size_t e = 0; e < size; e++)
        number[e + 1] += logs[e];
    congru_following_count(following, size, number);
    if (following->before)
        blend(n, (size_t)number[0], number + 1, reference);
    return CONGRU_OK;
}

/* The head's references for the target subject, one or (online) one for each trial: references (count or 1, out,
 * out). */
static size_t target_references(congru_context *context, const congru_trained *n,
                                const congru_target_trials *target, const double *logs, double *sum,
                                double *reference)
{
    const size_t size = n->out * n->out;
    memset(sum, 0, size * sizeof(double));
    if (n->design.at_identity) {
        memset(reference, 0, size * sizeof(double));
        return 1;
    }
    if (target->online) {
        for (size_t i = 0; i < target->count; i++) {
            for (size_t e = 0; e < size; e++)
                sum[e] += logs[i * size + e];
            blend(n, i + 1, sum, reference + i * size);
        }
        return target->count;
    }
    for (size_t i = 0; i < target->visible; i++) {
        for (size_t e = 0; e < size; e++)
            sum[e] += logs[i * size + e];
    }
    if (target->visible > 0 && target->visible < CONGRU_TRIALS_FOR_A_REFERENCE)
        congru_note(context,
                    "only %s of the target subject may be seen: the tangent reference is drawn to that of "
                    "training (%d trials stand alone)",
                    congru_count(target->visible, "trial").text, CONGRU_TRIALS_FOR_A_REFERENCE);
    blend(n, target->visible, sum, reference);
    return 1;
}

static congru_status predict_one(congru_context *context, const congru_network *network, const char *prefix,
                                 const congru_tensors *model, const congru_target_trials *target,
                                 size_t *classes, double *probability)
{
    congru_trained n;
    congru_status status = congru_model_reads(context, network, target->covariance, target->signals);
    if (status != CONGRU_OK)
        return status;
    if (congru_network_decides(network))
        return congru_scored_predict(context, network, prefix, model, target, classes, probability);
    status = congru_trained_load(context, network, prefix, model, &n);
    if (status != CONGRU_OK)
        return status;
    if (n.design.classes == 0 || n.reference == NULL)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "the model %s has no softmax head", prefix);
    *classes = n.design.classes;
    const size_t size = n.out * n.out, count = target->count;
    double *c_out = congru_memory_take((3 * count + 2) * size * sizeof(double));
    if (c_out == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu outputs", count);
    double *logs = c_out + count * size, *reference = logs + count * size,
           *sum = reference + (count + 1) * size;
    status = target_outputs(context, &n, target, c_out, logs);
    if (status == CONGRU_OK) {
        size_t references = 1;
        if (target->following != NULL && !n.design.at_identity)
            status = follow_reference(context, &n, target->following, logs, reference);
        else
            references = target_references(context, &n, target, logs, sum, reference);
        if (status == CONGRU_OK)
            status =
                congru_trained_probabilities(context, &n, count, c_out, references, reference, probability);
    }
    congru_memory_give(c_out);
    return status;
}

static congru_status fail_classes(congru_context *context, const char *name, size_t own, size_t first)
{
    return congru_fail(context, CONGRU_ERROR_FORMAT, "the model %s tells %zu classes apart, the first %zu",
                       name, own, first);
}

congru_status congru_network_predict(congru_context *context, const congru_network *network, const char *prefix,
                                     const congru_tensors *model, const congru_target_trials *target,
                                     double *probability)
{
    size_t classes = 0, first = 0;
    if (!has_member(model, prefix, 1))
        return predict_one(context, network, prefix, model, target, &classes, probability);
    congru_status status = CONGRU_OK;
    double *sum = NULL;
    int member = 1;
    for (; status == CONGRU_OK && has_member(model, prefix, member); member++) {
        const member_name name = member_of(prefix, member);
        status = predict_one(context, network, name.text, model, target, &classes, probability);
        if (status == CONGRU_OK && sum == NULL) {
            first = classes;
            sum = congru_memory_take(target->count * classes * sizeof(double));
            for (size_t i = 0; sum != NULL && i < target->count * classes; i++)
                sum[i] = 0.0;
        }
        if (status == CONGRU_OK && sum == NULL)
            status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for probabilities");
        if (status == CONGRU_OK && classes != first)
            status = fail_classes(context, name.text, classes, first);
        for (size_t i = 0; status == CONGRU_OK && i < target->count * classes; i++)
            sum[i] += probability[i];
    }
    for (size_t i = 0; status == CONGRU_OK && i < target->count * classes; i++)
        probability[i] = sum[i] / (double)(member - 1);
    congru_memory_give(sum);
    return status;
}

congru_status congru_network_classes(congru_context *context, const congru_network *network, const char *prefix,
                                     const congru_tensors *model, size_t *classes)
{
    if (!has_member(model, prefix, 1))
        return congru_scored_classes(context, network, prefix, model, classes);
    congru_status status = CONGRU_OK;
    for (int member = 1; status == CONGRU_OK && has_member(model, prefix, member); member++) {
        const member_name name = member_of(prefix, member);
        size_t own = 0;
        status = congru_scored_classes(context, network, name.text, model, &own);
        if (status == CONGRU_OK && member > 1 && own != *classes)
            status = fail_classes(context, name.text, own, *classes);
        *classes = own;
    }
    return status;
}
