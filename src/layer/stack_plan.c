/* Widths and first weights of a stack of congruence layers. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/store.h"
#include "congru/random.h"
#include "layer/training.h"

enum { STREAM_WEIGHTS = 0x6202 };

static size_t part(size_t d, size_t of)
{
    size_t width = (d + of - 1) / of;
    return width > 2 ? width : 2;
}

/* The model's own widths. */
static void own_widths(congru_training *t)
{
    const size_t d = t->d;
    const size_t half = d == 22 ? 16 : part(d, 2), quarter = d == 22 ? 12 : part(d, 4);
    const size_t affine[] = {d, 2 * d, 2 * d, d}, unet[] = {d, half, quarter, half, d},
                 square[] = {d, half, quarter, quarter, half, d};
    const bool authors = t->options.recipe == CONGRU_RECIPE_AUTHORS;
    const size_t *widths = affine, count = sizeof affine / sizeof affine[0];
    t->layers = count - 1;
    if (t->backbone == CONGRU_BACKBONE_UNET) {
        widths = authors ? square : unet;
        t->layers = authors ? 5 : 4;
    }
    memcpy(t->width, widths, (t->layers + 1) * sizeof(size_t));
}

static congru_status check_widths(const congru_training *t, bool merges)
{
    const size_t last = t->width[t->layers];
    if (t->width[0] != t->d)
        return congru_fail(t->context, CONGRU_ERROR_ARGUMENT,
                           "the first width is %zu, and the trials have %zu channels", t->width[0], t->d);
    for (size_t l = 0; l <= t->layers; l++) {
        if (t->width[l] < 1 || t->width[l] > CONGRU_DIMENSION_MAX)
            return congru_fail(t->context, CONGRU_ERROR_ARGUMENT, "a width of %zu: widths are 1 to %d",
                               t->width[l], CONGRU_DIMENSION_MAX);
        if (merges && t->width[l] != t->width[t->layers - l])
            return congru_fail(t->context, CONGRU_ERROR_ARGUMENT,
                               "widths of merged layers must mirror each other, and width %zu is %zu where its "
                               "mirror is %zu",
                               l, t->width[l], t->width[t->layers - l]);
    }
    if (!t->end_to_end && last != t->d)
        return congru_fail(t->context, CONGRU_ERROR_ARGUMENT,
                           "the last width is %zu: an aligner gives back the %zu channels it was given", last,
                           t->d);
    return CONGRU_OK;
}

congru_status congru_stack_plan(congru_training *t, bool merges)
{
    const congru_network_options *o = &t->options;
    if (o->width_count == 0) {
        own_widths(t);
    } else {
        if (o->width_count < (merges ? 3 : 2) || o->width_count > CONGRU_LAYERS_MAX)
            return congru_fail(t->context, CONGRU_ERROR_ARGUMENT,
                               "%zu widths were given: %d to %d make a network", o->width_count, merges ? 3 : 2,
                               CONGRU_LAYERS_MAX);
        t->layers = o->width_count - 1;
        memcpy(t->width, o->widths, o->width_count * sizeof(size_t));
    }
    congru_status status = check_widths(t, merges);
    if (status != CONGRU_OK)
        return status;
    t->out = t->width[t->layers];
    for (size_t l = 0; l <= t->layers; l++)
        t->largest = t->width[l] > t->largest ? t->width[l] : t->largest;
    for (size_t l = 0; l < t->layers; l++) {
        char name[16];
        snprintf(name, sizeof name, "w%zu", l + 1);
        congru_training_segment(t, name, t->width[l], t->width[l + 1], false);
    }
    return CONGRU_OK;
}

/* U~_in^T U~_out, each U repeated and cut to its width: U itself cancels. */
static void lifted(size_t d, size_t in, size_t out, double *w)
{
    const double copies_in = (double)((in + d - 1) / d), copies_out = (double)((out + d - 1) / d);
    const double value = 1.0 / sqrt(copies_in * copies_out);
    for (size_t i = 0; i < in; i++) {
        for (size_t j = 0; j < out; j++)
            w[i * out + j] = i % d == j % d ? value : 0.0;
    }
}

/* Columns of U, repeated where it widens; its rows likewise where it narrows from beyond d. */
static void eigenvectors(size_t d, const double *u, size_t in, size_t out, double *w)
{
    const bool beyond = in > d;
    const double copies_in = beyond ? (double)((in + d - 1) / d) : 1.0,
                 copies_out = (double)((out + d - 1) / d);
    const double value = 1.0 / sqrt(copies_in * copies_out);
    for (size_t i = 0; i < in; i++) {
        for (size_t j = 0; j < out; j++) {
            if (beyond && in == out)
                w[i * out + j] = i == j ? 1.0 : 0.0;
            else
                w[i * out + j] = value * u[i % d * d + (d - 1 - j % d)];
        }
    }
}

/* The eigenvectors of the mean of all trials, by ascending eigenvalue. */
static congru_status mean_vectors(congru_training *t, double *u)
{
    const size_t size = t->d * t->d;
    double *mean = calloc(size + t->d, sizeof(double));
    if (mean == NULL)
        return congru_fail(t->context, CONGRU_ERROR_MEMORY, "not enough memory for the first weights");
    for (size_t i = 0; i < t->trials->count; i++) {
        congru_store_pass(size * sizeof(double));
        for (size_t e = 0; e < size; e++)
            mean[e] += t->covariance[i * size + e];
    }
    for (size_t e = 0; e < size; e++)
        mean[e] /= (double)t->trials->count;
    congru_status status = congru_spd_eigen(t->context, 1, t->d, mean, mean + size, u);
    free(mean);
    return status;
}

congru_status congru_stack_initial(congru_training *t)
{
    double *u = NULL;
    congru_status status = CONGRU_OK;
    if (t->options.initial == CONGRU_INITIAL_EIGEN) {
        u = malloc(t->d * t->d * sizeof(double));
        if (u == NULL)
            return congru_fail(t->context, CONGRU_ERROR_MEMORY, "not enough memory for the first weights");
        status = mean_vectors(t, u);
    }
    for (size_t l = 0; status == CONGRU_OK && l < t->layers; l++) {
        const size_t in = t->width[l], out = t->width[l + 1];
        double *w = congru_training_parameter(t, l);
        if (t->options.initial == CONGRU_INITIAL_LIFTED)
            lifted(t->d, in, out, w);
        else if (t->options.initial == CONGRU_INITIAL_EIGEN)
            eigenvectors(t->d, u, in, out, w);
        congru_random random = congru_random_stream(t->seed, STREAM_WEIGHTS, (uint32_t)l, 0);
        for (size_t e = 0; e < in * out && t->options.initial == CONGRU_INITIAL_RANDOM; e++)
            w[e] = congru_random_normal(&random) / sqrt((double)in);
    }
    free(u);
    return status;
}
