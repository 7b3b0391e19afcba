/* What a network is to be built of: from options, from signals, and from the tensors of a model. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "network/models/model.h"

/* ---- Of options -------------------------------------------------------------------------------------- */

/* Widths of options, or those of a model. */
static congru_status check_widths(congru_context *context, congru_status wrong, const congru_design *design)
{
    const size_t last = design->width[design->layers];
    if (design->width[0] != design->d)
        return congru_fail(context, wrong, "the first width is %zu, and the trials have %zu channels",
                           design->width[0], design->d);
    for (size_t l = 0; l <= design->layers; l++) {
        const size_t width = design->width[l], mirror = design->width[design->layers - l];
        if (width < 1 || width > CONGRU_DIMENSION_MAX)
            return congru_fail(context, wrong, "a width of %zu: widths are 1 to %d", width,
                               CONGRU_DIMENSION_MAX);
        if (design->merges != CONGRU_MERGES_NONE && width != mirror)
            return congru_fail(context, wrong,
                               "widths of merged layers must mirror each other, and width %zu is %zu where its "
                               "mirror is %zu",
                               l, width, mirror);
    }
    if (design->classes == 0 && last != design->d)
        return congru_fail(context, wrong,
                           "the last width is %zu: an aligner gives back the %zu channels it was given", last,
                           design->d);
    return CONGRU_OK;
}

/* Widths of d alone say how many rotations there are; those that are not are another network's of the run. */
static size_t count_rotations(const congru_network_options *o, size_t d)
{
    for (size_t l = 0; l < o->width_count; l++)
        if (o->widths[l] != d)
            return 1;
    return o->width_count > 2 ? o->width_count - 1 : 1;
}

congru_status congru_design_make(congru_context *context, const congru_network *network, bool end_to_end,
                                 const congru_trials *trials, const congru_network_options *o,
                                 congru_design *design)
{
    const congru_network_model *model = network->model;
    *design = (congru_design){.d = trials->d,
                              .layers = 1,
                              .width = {trials->d, trials->d},
                              .rotations = model->rotates ? count_rotations(o, trials->d) : 1,
                              .merges = model->merges ? o->merges : CONGRU_MERGES_NONE,
                              .merge_mean = o->merge_mean,
                              .learns_gamma = o->dispersion == CONGRU_DISPERSION_SUBJECT_GLOBAL ||
                                              o->dispersion == CONGRU_DISPERSION_GLOBAL,
                              .layer_jitter = o->layer_jitter,
                              .head_jitter = o->head_jitter,
                              .floor = o->floor,
                              .at_identity = o->head_reference == CONGRU_HEAD_IDENTITY,
                              .classes = end_to_end || model->objective == NULL ? trials->classes : 0,
                              .trace = o->trace && network->needs == CONGRU_NEEDS_COVARIANCES,
                              .pool_mean = o->pool == CONGRU_POOL_MEAN,
                              .crops = 1,
                              .dropout = o->dropout};
    if (network->needs == CONGRU_NEEDS_SIGNALS) {
        design->crops = o->crops > 0.0 ? (size_t)o->crop_count : 1;
        design->zscore = o->zscore;
        return congru_design_signals(context, network, trials->signals, o->crops, design);
    }
    if (model->widths == NULL)
        return CONGRU_OK;
    const size_t least = design->merges != CONGRU_MERGES_NONE ? model->least_widths : 2;
    if (o->width_count > 0 && (o->width_count < least || o->width_count > CONGRU_LAYERS_MAX))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%zu widths were given: %zu to %d make a network",
                           o->width_count, least, CONGRU_LAYERS_MAX);
    if (o->width_count > 0) {
        design->layers = o->width_count - 1;
        memcpy(design->width, o->widths, o->width_count * sizeof(size_t));
    } else {
        design->layers = model->widths(design->d, o->square_bottleneck, design->width) - 1;
    }
    return check_widths(context, CONGRU_ERROR_ARGUMENT, design);
}

/* ---- Of signals -------------------------------------------------------------------------------------- */

/* What the network sees of a trial. */
static congru_status crop(congru_context *context, double seconds, congru_design *design)
{
    if (!(design->rate > 0.0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "crops of %g s: how many samples a second has is not known of these trials",
                           seconds);
    const double samples = floor(seconds * design->rate + 0.5);
    if (!(samples >= 1.0 && samples <= (double)design->whole))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "crops of %g s have %g samples, and a trial has %zu (take shorter ones with --crops)", seconds,
            samples, design->whole);
    design->samples = (size_t)samples;
    return CONGRU_OK;
}

congru_status congru_model_reads(congru_context *context, const congru_network *network,
                                 const double *covariance, const congru_signals *signals)
{
    if (network->needs == CONGRU_NEEDS_SIGNALS && signals == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s needs signals, and these trials are covariances",
                           network->name);
    if (network->needs == CONGRU_NEEDS_COVARIANCES && covariance == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s needs covariances, and %s", network->name,
                           signals != NULL ? "these trials are signals" : "these trials have none");
    return CONGRU_OK;
}

congru_status congru_design_signals(congru_context *context, const congru_network *network,
                                    const congru_signals *signals, double seconds, congru_design *design)
{
    if (signals->channels != design->d)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s has %zu channels, and the signals have %zu",
                           network->name, design->d, signals->channels);
    design->samples = design->whole = signals->samples;
    design->rate = signals->rate;
    if (seconds > 0.0)
        CONGRU_TRY(crop(context, seconds, design));
    if (network->model->taps != NULL && !(design->rate >= 4.0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s has filters of half a second, and the signals' rate is %g Hz", network->name,
                           design->rate);
    const size_t least = network->model->least_samples(design);
    if (design->samples < least)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s needs %s of %zu samples or more, and these have %zu (take a longer %s)",
                           network->name, seconds > 0.0 ? "crops" : "trials", least, design->samples,
                           seconds > 0.0 ? "one with --crops" : "window");
    return CONGRU_OK;
}

congru_status congru_network_suits(congru_context *context, const congru_network *network,
                                   const congru_network_options *options, const congru_signals *shape)
{
    congru_design design = {.d = shape->channels};
    return network->needs == CONGRU_NEEDS_SIGNALS
               ? congru_design_signals(context, network, shape, options->crops, &design)
               : CONGRU_OK;
}

/* ---- In tensors -------------------------------------------------------------------------------------- */

/* In the order of PREFIX.design, with the least and the most that a model may have. */
typedef struct field {
    const char *name;
    size_t offset;
    enum { COUNT, NUMBER, FLAG, CHOICE } kind; /* size_t, double, bool, an enumeration */
    double least, most;
} field;

#define FIELD(member) #member, offsetof(congru_design, member)
#define SAMPLES_MOST 1e7
#define NUMBER_MOST 1e300
static const field fields[] = {
    {FIELD(d), COUNT, 1, CONGRU_DIMENSION_MAX},
    {FIELD(classes), COUNT, 0, 1e6},
    {FIELD(pool_mean), FLAG, 0, 1},
    {FIELD(floor), NUMBER, 0, NUMBER_MOST},
    {FIELD(samples), COUNT, 0, SAMPLES_MOST},
    {FIELD(rate), NUMBER, 0, 1e6},
    {FIELD(layer_jitter), NUMBER, 0, NUMBER_MOST},
    {FIELD(head_jitter), NUMBER, 0, NUMBER_MOST},
    {FIELD(at_identity), FLAG, 0, 1},
    {FIELD(merges), CHOICE, 0, CONGRU_MERGES_NONE},
    {FIELD(merge_mean), CHOICE, 0, CONGRU_MERGE_EUCLID},
    {FIELD(whole), COUNT, 0, SAMPLES_MOST},
    {FIELD(crops), COUNT, 1, 1000},
    {FIELD(zscore), FLAG, 0, 1},
    {FIELD(trace), FLAG, 0, 1},
};
enum { FIELDS = sizeof fields / sizeof fields[0], FIELDS_OF_0_2 = FIELDS - 1 };

static double get(const congru_design *design, const field *f)
{
    const char *at = (const char *)design + f->offset;
    switch (f->kind) {
    case COUNT:
        return (double)*(const size_t *)(const void *)at;
    case NUMBER:
        return *(const double *)(const void *)at;
    case FLAG:
        return *(const bool *)(const void *)at;
    default: {
        unsigned choice;
        memcpy(&choice, at, sizeof choice);
        return choice;
    }
    }
}

static void set(congru_design *design, const field *f, double number)
{
    char *at = (char *)design + f->offset;
    const unsigned choice = f->kind == CHOICE ? (unsigned)number : 0;
    switch (f->kind) {
    case COUNT:
        *(size_t *)(void *)at = (size_t)number;
        break;
    case NUMBER:
        *(double *)(void *)at = number;
        break;
    case FLAG:
        *(bool *)(void *)at = number != 0.0;
        break;
    default:
        memcpy(at, &choice, sizeof choice);
    }
}

congru_tensor_name congru_name_in(const char *prefix, const char *name)
{
    congru_tensor_name full;
    snprintf(full.text, sizeof full.text, "%s.%s", prefix, name);
    return full;
}

congru_status congru_design_save(congru_context *context, const congru_network *network,
                                 const congru_design *design, const char *prefix, congru_tensors *model)
{
    double number[FIELDS], widths[CONGRU_LAYERS_MAX];
    const size_t count = FIELDS, layers = design->layers + 1;
    for (size_t i = 0; i < count; i++)
        number[i] = get(design, &fields[i]);
    for (size_t l = 0; l < layers; l++)
        widths[l] = (double)design->width[l];
    CONGRU_TRY(
        congru_tensors_add_copy(context, model, congru_name_in(prefix, "design").text, 1, &count, number));
    return network->model->widths != NULL
               ? congru_tensors_add_copy(context, model, congru_name_in(prefix, "widths").text, 1, &layers,
                                         widths)
               : CONGRU_OK;
}

/* Networks of 0.2 that give matrices have the fields one by one, but for merges, which are another number, and for what
 * shapes tell. */
static congru_status find_fields(congru_context *context, const congru_tensors *model, const char *prefix,
                                 bool rotates, double number[FIELDS])
{
    const congru_design none = {.crops = 1, .merges = CONGRU_MERGES_NONE};
    const double *any, *merged = NULL, *euclidean = NULL;
    size_t rows[2] = {0}, head[2] = {0};
    congru_design design = none;
    CONGRU_TRY(congru_tensors_expect(context, model, congru_name_in(prefix, rotates ? "rotation" : "w1").text,
                                     2, rows, &any));
    if (congru_tensors_find(model, congru_name_in(prefix, "head").text) != NULL)
        CONGRU_TRY(congru_tensors_expect(context, model, congru_name_in(prefix, "head").text, 2, head, &any));
    if (!rotates)
        CONGRU_TRY(
            congru_tensors_expect(context, model, congru_name_in(prefix, "merged").text, 0, NULL, &merged));
    if (congru_tensors_find(model, congru_name_in(prefix, "merged_euclidean").text) != NULL)
        CONGRU_TRY(congru_tensors_expect(context, model, congru_name_in(prefix, "merged_euclidean").text, 0,
                                         NULL, &euclidean));
    design.d = rows[0];
    design.classes = head[0];
    if (merged != NULL && *merged >= 1.0)
        design.merges = *merged < 2.0 ? CONGRU_MERGES_SKIP : CONGRU_MERGES_EVERY;
    if (euclidean != NULL && *euclidean != 0.0)
        design.merge_mean = CONGRU_MERGE_EUCLID;
    for (size_t i = 0; i < FIELDS; i++) {
        const congru_tensor_name name = congru_name_in(prefix, fields[i].name);
        number[i] = get(&design, &fields[i]);
        if (congru_tensors_find(model, name.text) != NULL)
            CONGRU_TRY(congru_tensors_expect_number(context, model, name.text, fields[i].least, fields[i].most,
                                                    &number[i]));
    }
    return CONGRU_OK;
}

static congru_status find_widths(congru_context *context, const congru_tensors *model, const char *prefix,
                                 congru_design *design)
{
    const double *widths;
    size_t count = 0;
    CONGRU_TRY(
        congru_tensors_expect(context, model, congru_name_in(prefix, "widths").text, 1, &count, &widths));
    if (count < 2 || count > CONGRU_LAYERS_MAX)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "the model has %zu widths: 2 to %d were expected",
                           count, CONGRU_LAYERS_MAX);
    design->layers = count - 1;
    for (size_t l = 0; l < count; l++)
        design->width[l] = widths[l] >= 1.0 && widths[l] <= CONGRU_DIMENSION_MAX ? (size_t)widths[l] : 0;
    return check_widths(context, CONGRU_ERROR_FORMAT, design);
}

congru_status congru_design_find(congru_context *context, const congru_network *network,
                                 const congru_tensors *model, const char *prefix, congru_design *design)
{
    const congru_tensor_name name = congru_name_in(prefix, "design");
    const congru_tensor *tensor = congru_tensors_find(model, name.text);
    const double *found;
    double number[FIELDS] = {0.0};
    bool fine = true;
    *design = (congru_design){.trained = true, .layers = 1};
    if (congru_tensors_find(model, congru_name_in(prefix, "floor").text) != NULL) {
        CONGRU_TRY(find_fields(context, model, prefix, network->model->rotates, number));
    } else {
        size_t count = tensor != NULL && tensor->shape[0] == FIELDS_OF_0_2 ? FIELDS_OF_0_2 : FIELDS;
        CONGRU_TRY(congru_tensors_expect(context, model, name.text, 1, &count, &found));
        memcpy(number, found, count * sizeof *number);
    }
    for (size_t i = 0; fine && i < FIELDS; i++) {
        fine = number[i] >= fields[i].least && number[i] <= fields[i].most;
        if (fine)
            set(design, &fields[i], number[i]);
    }
    if (!fine || design->whole < design->samples || design->classes == 1 ||
        (design->classes == 0 && network->model->objective == NULL))
        return congru_fail(context, CONGRU_ERROR_FORMAT, "the model's %s is of no network", name.text);
    design->width[0] = design->width[1] = design->d;
    if (network->model->widths != NULL)
        CONGRU_TRY(find_widths(context, model, prefix, design));
    return CONGRU_OK;
}
