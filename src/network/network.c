/* Networks fitted, applied to trials, and asked about a target subject. SPDX-License-Identifier: Apache-2.0 */
#include "network/network.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "network/trained.h"
#include "spd/trace.h"

/* ---- The registry ------------------------------------------------------------------------------------ */

#define ROW(id, title, reads, gives, words) \
    const congru_network congru_network_##id = { \
        .name = title, .summary = words, .needs = CONGRU_NEEDS_##reads, .model = &congru_model_##id};
CONGRU_NETWORKS(ROW)

#define POINTER(id, ...) &congru_network_##id,
const congru_network *congru_network_at(size_t index)
{
    static const congru_network *const networks[] = {CONGRU_NETWORKS(POINTER)};
    return index < sizeof networks / sizeof networks[0] ? networks[index] : NULL;
}

const congru_network *congru_network_find(const char *name)
{
    for (size_t i = 0; congru_network_at(i) != NULL; i++)
        if (strcmp(congru_network_at(i)->name, name) == 0)
            return congru_network_at(i);
    return NULL;
}

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

congru_status congru_network_divide(congru_context *context, size_t count, size_t d, const double *covariance,
                                    void **own, const double **divided)
{
    double *over = *own = congru_memory_take(count * d * d * sizeof *over);
    if (over == NULL)
        return congru_fail_memory(context, "%zu trials", count);
    congru_trace_divide(count, d, covariance, over);
    *divided = over;
    return CONGRU_OK;
}

/* ---- Sources ----------------------------------------------------------------------------------------- */

/* What each source trial's logarithm is divided by, where it is by anything: (count) for `given`, and to be given back. */
static congru_status divide_sources(const congru_trained *n, const congru_trials *trials, congru_given *given,
                                    double **dispersion)
{
    const size_t count = trials->count;
    if (!(n->dispersion > 0.0))
        return CONGRU_OK;
    double *each = *dispersion = congru_memory_take((2 * count + trials->subjects) * sizeof *each);
    if (each == NULL)
        return congru_fail_memory(n->context, "the trials' norms");
    CONGRU_TRY(congru_trained_norms(n, given, each + count));
    congru_dispersions(trials, each + count, each + 2 * count);
    for (size_t i = 0; i < count; i++)
        each[i] = each[2 * count + (size_t)trials->subject[i]];
    given->dispersion = each;
    return CONGRU_OK;
}

/* Keeps what a head needs of the source subjects where the target subject may not be seen. */
static congru_status keep_reference(congru_context *context, const congru_network *network, const char *prefix,
                                    const congru_trials *trials, congru_tensors *model)
{
    congru_trained n;
    congru_given given = {0};
    congru_statistic s = {0};
    double *dispersion = NULL, *kept;
    congru_status status;
    CONGRU_TRY_TO(done, congru_trained_load(context, network, prefix, model, &n));
    if (n.middle == 0)
        goto done;
    const size_t shape[] = {congru_statistic_rows(n.centre, n.middle), n.middle};
    CONGRU_TRY_TO(
        done, congru_given_begin(&n, trials->count, trials->d, trials->covariance, trials->signals, &given));
    CONGRU_TRY_TO(done, divide_sources(&n, trials, &given, &dispersion));
    CONGRU_TRY_TO(done, congru_statistic_begin(context, n.centre, trials->count, n.middle, &s));
    double *const out[CONGRU_OUTPUT_COUNT] = {s.logarithm == NULL ? s.value : NULL, s.logarithm, NULL};
    CONGRU_TRY_TO(done, congru_trained_run(&n, &given, out));
    CONGRU_TRY_TO(
        done, congru_tensors_add(context, model, congru_name_in(prefix, "reference").text, 2, shape, &kept));
    CONGRU_TRY_TO(done, congru_statistic_of_sources(context, trials, &s, kept));
done:
    congru_statistic_end(&s);
    congru_memory_give(dispersion);
    congru_given_end(&given);
    congru_trained_end(&n);
    return status;
}

static congru_status fit_one(congru_context *context, const congru_network *network, bool end_to_end,
                             const char *prefix, const congru_trials *trials,
                             const congru_method_options *options, congru_tensors *model, congru_record *record)
{
    congru_training *training = NULL;
    congru_trials seen = *trials;
    void *own = NULL;
    congru_status status;
    CONGRU_TRY(congru_model_reads(context, network, trials->covariance, trials->signals));
    if (options->network.trace && network->needs == CONGRU_NEEDS_COVARIANCES)
        CONGRU_TRY(congru_network_divide(context, trials->count, trials->d, trials->covariance, &own,
                                         &seen.covariance));
    CONGRU_TRY_TO(done, congru_training_create(context, network, end_to_end, &seen, options, &training));
    CONGRU_TRY_TO(done, congru_training_loop(training, record));
    CONGRU_TRY_TO(done, congru_trained_save(training, prefix, model));
done:
    congru_training_destroy(&training);
    congru_memory_give(own);
    return status == CONGRU_OK ? keep_reference(context, network, prefix, trials, model) : status;
}

/* Networks of an ensemble, from 1 on, are kept as PREFIX.1, PREFIX.2, ... */
static congru_tensor_name member_of(const char *prefix, int member)
{
    congru_tensor_name name;
    snprintf(name.text, sizeof name.text, "%s.%d", prefix, member);
    return name;
}

static bool has_member(const congru_tensors *model, const char *prefix, int member)
{
    return congru_tensors_find(model, congru_name_in(member_of(prefix, member).text, "head").text) != NULL;
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
    for (int member = 1; member <= members; member++) {
        congru_method_options own = *options;
        own.seed = options->seed + (uint64_t)(member - 1) * UINT64_C(0x9E3779B97F4A7C15);
        CONGRU_TRY(fit_one(context, network, true, member_of(prefix, member).text, trials, &own, model,
                           member == 1 ? record : NULL));
    }
    return CONGRU_OK;
}

/* ---- Target subjects --------------------------------------------------------------------------------- */

/* What each of the target's logarithms is divided by, of what may be seen for the decision about it. */
static congru_status divide_target(const congru_trained *n, const congru_target_trials *target,
                                   congru_given *given, congru_statistic *norms)
{
    if (!(n->dispersion > 0.0))
        return CONGRU_OK;
    CONGRU_TRY(congru_statistic_begin(n->context, CONGRU_MEAN_NORM, target->count, 0, norms));
    norms->source = n->dispersion;
    CONGRU_TRY(congru_trained_norms(n, given, norms->value));
    CONGRU_TRY(congru_statistic_of_target(n->context, target, norms));
    for (size_t i = norms->results; i < target->count; i++)
        norms->factor[i] = norms->factor[0];
    given->dispersion = norms->factor;
    return CONGRU_OK;
}

/* Class probabilities of one crop of every trial: up to the matrices that are recentred by what may be seen of them, where
 * there are any, then from there on. */
static congru_status predict_crop(congru_trained *n, const congru_target_trials *target,
                                  const congru_given *trials, double *probability)
{
    congru_given given = *trials;
    congru_statistic s = {0};
    congru_status status = CONGRU_OK;
    double *const out[CONGRU_OUTPUT_COUNT] = {[CONGRU_OUTPUT_PROBABILITY] = probability};
    if (n->middle > 0) {
        CONGRU_TRY_TO(done, congru_statistic_begin(n->context, n->centre, target->count, n->middle, &s));
        if (n->design.at_identity) {
            CONGRU_TRY_TO(done, congru_statistic_identity(n->context, &s));
        } else {
            double *const middle[CONGRU_OUTPUT_COUNT] = {s.value, s.logarithm, NULL};
            CONGRU_TRY_TO(done, congru_trained_reference(n, &s.kept));
            CONGRU_TRY_TO(done, congru_trained_run(n, &given, middle));
            CONGRU_TRY_TO(done, congru_statistic_of_target(n->context, target, &s));
            given.matrix = s.value;
        }
        given.centre = &s;
    }
    CONGRU_TRY_TO(done, congru_trained_run(n, &given, out));
done:
    congru_statistic_end(&s);
    return status;
}

/* The mean over all crops. A network that recentres matrices does so for each place of a crop by itself. */
static congru_status predict_crops(congru_trained *n, const congru_target_trials *target, congru_given *given,
                                   double *probability)
{
    const size_t size = target->count * n->design.classes;
    double *sum = congru_memory_take(size * sizeof *sum);
    congru_status status = sum != NULL ? CONGRU_OK : congru_fail_memory(n->context, "probabilities");
    for (size_t i = 0; status == CONGRU_OK && i < size; i++)
        sum[i] = 0.0;
    for (given->crop = 1; status == CONGRU_OK && given->crop <= n->design.crops; given->crop++) {
        CONGRU_TRY_TO(done, predict_crop(n, target, given, probability));
        for (size_t i = 0; i < size; i++)
            sum[i] += probability[i];
    }
    for (size_t i = 0; status == CONGRU_OK && i < size; i++)
        probability[i] = sum[i] / (double)n->design.crops;
done:
    congru_memory_give(sum);
    return status;
}

static congru_status check_classes(congru_context *context, const char *name, size_t own, size_t first)
{
    return own == first ? CONGRU_OK
                        : congru_fail(context, CONGRU_ERROR_FORMAT,
                                      "the model %s tells %zu classes apart, the first %zu", name, own, first);
}

/* Matrices take the place of the trials. */
static congru_status check_matrices(const congru_trained *n, size_t d)
{
    const size_t out = n->design.width[n->design.layers];
    return out == d || n->design.d != d
               ? CONGRU_OK
               : congru_fail(n->context, CONGRU_ERROR_ARGUMENT,
                             "the network gives matrices of %s, and the trials have %zu",
                             congru_count(out, "channel").text, d);
}

/* One network's probabilities (count, *classes), as many as an earlier one has, or (NULL) its matrices. */
static congru_status ask(congru_context *context, const congru_network *network, const char *prefix,
                         const congru_tensors *model, const congru_target_trials *target, size_t *classes,
                         double *probability, double *matrix)
{
    congru_trained n;
    congru_given given = {0};
    congru_statistic norms = {0};
    double *const out[CONGRU_OUTPUT_COUNT] = {[CONGRU_OUTPUT_MATRIX] = matrix};
    congru_status status;
    CONGRU_TRY(congru_model_reads(context, network, target->covariance, target->signals));
    CONGRU_TRY_TO(done, congru_trained_load(context, network, prefix, model, &n));
    if (probability == NULL)
        CONGRU_TRY_TO(done, check_matrices(&n, target->d));
    else if (n.design.classes == 0)
        CONGRU_TRY_TO(done,
                      congru_fail(context, CONGRU_ERROR_FORMAT, "the model %s has no softmax head", prefix));
    if (*classes > 0)
        CONGRU_TRY_TO(done, check_classes(context, prefix, n.design.classes, *classes));
    *classes = n.design.classes;
    CONGRU_TRY_TO(
        done, congru_given_begin(&n, target->count, target->d, target->covariance, target->signals, &given));
    CONGRU_TRY_TO(done, divide_target(&n, target, &given, &norms));
    CONGRU_TRY_TO(done, probability != NULL ? predict_crops(&n, target, &given, probability)
                                            : congru_trained_run(&n, &given, out));
done:
    congru_statistic_end(&norms);
    congru_given_end(&given);
    congru_trained_end(&n);
    return status;
}

/* Of several networks the first. */
static congru_tensor_name first_of(const congru_tensors *model, const char *prefix)
{
    congru_tensor_name name = member_of(prefix, 1);
    if (!has_member(model, prefix, 1))
        snprintf(name.text, sizeof name.text, "%s", prefix);
    return name;
}

congru_status congru_network_map_sources(congru_context *context, const congru_network *network,
                                         const char *prefix, const congru_tensors *model,
                                         const congru_trials *trials, double *out)
{
    congru_trained n;
    congru_given given = {0};
    double *dispersion = NULL, *const outputs[CONGRU_OUTPUT_COUNT] = {[CONGRU_OUTPUT_MATRIX] = out};
    const congru_tensor_name first = first_of(model, prefix);
    congru_status status;
    CONGRU_TRY(congru_model_reads(context, network, trials->covariance, trials->signals));
    CONGRU_TRY_TO(done, congru_trained_load(context, network, first.text, model, &n));
    CONGRU_TRY_TO(done, check_matrices(&n, trials->d));
    CONGRU_TRY_TO(
        done, congru_given_begin(&n, trials->count, trials->d, trials->covariance, trials->signals, &given));
    CONGRU_TRY_TO(done, divide_sources(&n, trials, &given, &dispersion));
    CONGRU_TRY_TO(done, congru_trained_run(&n, &given, outputs));
done:
    congru_memory_give(dispersion);
    congru_given_end(&given);
    congru_trained_end(&n);
    return status;
}

congru_status congru_network_map_target(congru_context *context, const congru_network *network,
                                        const char *prefix, const congru_tensors *model,
                                        const congru_target_trials *target, double *out)
{
    size_t classes = 0;
    return ask(context, network, first_of(model, prefix).text, model, target, &classes, NULL, out);
}

/* ---- Ensembles --------------------------------------------------------------------------------------- */

congru_status congru_network_predict(congru_context *context, const congru_network *network, const char *prefix,
                                     const congru_tensors *model, const congru_target_trials *target,
                                     double *probability)
{
    size_t classes = 0;
    if (!has_member(model, prefix, 1))
        return ask(context, network, prefix, model, target, &classes, probability, NULL);
    congru_status status = CONGRU_OK;
    double *sum = NULL;
    int member = 1;
    for (; has_member(model, prefix, member); member++) {
        const congru_tensor_name name = member_of(prefix, member);
        CONGRU_TRY_TO(done, ask(context, network, name.text, model, target, &classes, probability, NULL));
        if (member == 1) {
            sum = congru_memory_take(target->count * classes * sizeof *sum);
            if (sum == NULL)
                CONGRU_TRY_TO(done, congru_fail_memory(context, "probabilities"));
            memset(sum, 0, target->count * classes * sizeof *sum);
        }
        for (size_t i = 0; i < target->count * classes; i++)
            sum[i] += probability[i];
    }
    for (size_t i = 0; i < target->count * classes; i++)
        probability[i] = sum[i] / (double)(member - 1);
done:
    congru_memory_give(sum);
    return status;
}

/* Of a model that lacks none of the network's tensors. */
static congru_status count_classes(congru_context *context, const congru_network *network, const char *prefix,
                                   const congru_tensors *model, size_t *classes)
{
    congru_trained n;
    const double *kept;
    congru_status status = congru_trained_load(context, network, prefix, model, &n);
    *classes = n.design.classes;
    if (status == CONGRU_OK && n.middle > 0)
        status = congru_trained_reference(&n, &kept);
    congru_trained_end(&n);
    return status;
}

congru_status congru_network_classes(congru_context *context, const congru_network *network, const char *prefix,
                                     const congru_tensors *model, size_t *classes)
{
    CONGRU_TRY(count_classes(context, network, first_of(model, prefix).text, model, classes));
    for (int member = 2; has_member(model, prefix, member); member++) {
        const congru_tensor_name name = member_of(prefix, member);
        size_t own = 0;
        CONGRU_TRY(count_classes(context, network, name.text, model, &own));
        CONGRU_TRY(check_classes(context, name.text, own, *classes));
    }
    return CONGRU_OK;
}
