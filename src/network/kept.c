/* Tensors of a network by prefix and name, and the fields of a design among them. SPDX-License-Identifier: Apache-2.0 */
#include "network/kept.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

typedef struct full_name {
    char text[CONGRU_TENSOR_NAME_SIZE];
} full_name;

static full_name join(const char *prefix, const char *own)
{
    full_name name;
    snprintf(name.text, sizeof name.text, "%s.%s", prefix, own);
    return name;
}

congru_status congru_kept_add(congru_context *context, congru_tensors *model, const char *prefix,
                              const char *own, size_t dims, const size_t *shape, const double *data)
{
    return congru_tensors_add_copy(context, model, join(prefix, own).text, dims, shape, data);
}

congru_status congru_kept_make(congru_context *context, congru_tensors *model, const char *prefix,
                               const char *own, size_t dims, const size_t *shape, double **data)
{
    return congru_tensors_add(context, model, join(prefix, own).text, dims, shape, data);
}

congru_status congru_kept_add_number(congru_context *context, congru_tensors *model, const char *prefix,
                                     const char *own, double number)
{
    return congru_tensors_add_number(context, model, join(prefix, own).text, number);
}

bool congru_kept_has(const congru_tensors *model, const char *prefix, const char *own)
{
    return congru_tensors_find(model, join(prefix, own).text) != NULL;
}

congru_status congru_kept_find(congru_context *context, const congru_tensors *model, const char *prefix,
                               const char *own, size_t dims, size_t *shape, const double **data)
{
    return congru_tensors_expect(context, model, join(prefix, own).text, dims, shape, data);
}

congru_status congru_kept_find_number(congru_context *context, const congru_tensors *model, const char *prefix,
                                      const char *own, double least, double most, double *number)
{
    return congru_tensors_expect_number(context, model, join(prefix, own).text, least, most, number);
}

congru_status congru_kept_add_weights(congru_context *context, congru_tensors *model, const char *prefix,
                                      size_t segments, const congru_parameters *parameters)
{
    congru_status status = CONGRU_OK;
    for (size_t s = 0; status == CONGRU_OK && s < segments; s++) {
        const congru_segment *segment = &parameters->segment[s];
        const size_t shape[] = {segment->rows, segment->cols};
        status = congru_kept_add(context, model, prefix, segment->name, 2, shape, segment->value);
    }
    return status;
}

/* ---- Designs --------------------------------------------------------------------------------------------- */

congru_status congru_design_check(congru_context *context, const congru_design *design, size_t d)
{
    if (design->d == d)
        return CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_ARGUMENT, "the network was trained on %s, and there are %zu",
                       congru_count(design->d, "channel").text, d);
}

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
    {FIELD(classes), COUNT, 2, 1e6},
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
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

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

static const field *field_of(const char *name)
{
    const field *f = fields;
    while (strcmp(f->name, name) != 0)
        f++;
    return f;
}

congru_status congru_design_add_field(congru_context *context, congru_tensors *model, const char *prefix,
                                      const char *name, const congru_design *design)
{
    return congru_kept_add_number(context, model, prefix, name, get(design, field_of(name)));
}

congru_status congru_design_find_field(congru_context *context, const congru_tensors *model, const char *prefix,
                                       const char *name, congru_design *design)
{
    const field *f = field_of(name);
    double number = 0.0;
    congru_status status = congru_kept_find_number(context, model, prefix, name, f->least, f->most, &number);
    if (status == CONGRU_OK)
        set(design, f, number);
    return status;
}

congru_status congru_design_add(congru_context *context, congru_tensors *model, const char *prefix,
                                const congru_design *design)
{
    double number[FIELDS];
    const size_t count = FIELDS;
    for (size_t i = 0; i < count; i++)
        number[i] = get(design, &fields[i]);
    return congru_kept_add(context, model, prefix, "design", 1, &count, number);
}

congru_status congru_design_find(congru_context *context, const congru_tensors *model, const char *prefix,
                                 congru_design *design)
{
    size_t count = FIELDS;
    const double *number = NULL;
    congru_status status = congru_kept_find(context, model, prefix, "design", 1, &count, &number);
    if (status != CONGRU_OK)
        return status;
    *design = (congru_design){.trained = true};
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        fine = number[i] >= fields[i].least && number[i] <= fields[i].most;
        if (fine)
            set(design, &fields[i], number[i]);
    }
    return fine && design->whole >= design->samples
               ? CONGRU_OK
               : congru_fail(context, CONGRU_ERROR_FORMAT, "the model's %s is of no network",
                             join(prefix, "design").text);
}
