/* Scalp maps and ellipses of a set, for the report. SPDX-License-Identifier: Apache-2.0 */
#include "report/diagnostics_maps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/file_write.h"
#include "base/error.h"
#include "congru/classifier.h"
#include "congru/model.h"
#include "congru/spd.h"

enum { PICTURE_DIGITS = 6, PER_END = 1, ELLIPSE_SUBJECTS = 9, DEGREES = 180 };

static congru_status fail_memory(const congru_diagnosed *run)
{
    return congru_fail_memory(run->context, "maps of %zu channels", run->set->dimension);
}

/* The mean over trials of a class (-1: any) of a subject (-1: any): false when there is none. */
static bool mean_of(const congru_set *set, const double *c, int32_t subject, int32_t label, double *mean)
{
    size_t size = set->dimension * set->dimension, count = 0;
    memset(mean, 0, size * sizeof *mean);
    for (size_t i = 0; i < set->count; i++) {
        if ((subject >= 0 && set->subject[i] != subject) || (label >= 0 && set->label[i] != label))
            continue;
        count++;
        for (size_t j = 0; j < size; j++)
            mean[j] += c[i * size + j];
    }
    for (size_t j = 0; j < size; j++)
        mean[j] /= count > 0 ? (double)count : 1;
    return count > 0;
}

/* One map, its largest value 1 or -1. */
static void write_map(congru_text *text, bool first, const congru_set *set, const char *what, const char *of,
                      double *value)
{
    char title[2 * CONGRU_LABEL_SIZE];
    double largest = 0;
    for (size_t i = 0; i < set->dimension; i++)
        largest = fabs(value[i]) > largest ? fabs(value[i]) : largest;
    snprintf(title, sizeof title, "%s: %s", of, what);
    congru_text_add(text, "%s\n    {\"title\": ", first ? "" : ",");
    congru_text_add_json(text, title);
    congru_text_add(text, ", \"channels\": [");
    for (size_t i = 0; i < set->dimension; i++) {
        congru_text_add(text, i > 0 ? ", " : "");
        congru_text_add_json(text, set->channel_name[i]);
    }
    congru_text_add(text, "], \"values\": [");
    for (size_t i = 0; i < set->dimension; i++) {
        congru_text_add(text, i > 0 ? ", " : "");
        congru_text_add_number(text, largest > 0 ? value[i] / largest : 0.0, PICTURE_DIGITS);
    }
    congru_text_add(text, "]}");
}

/* A filter w shows where it looks; the pattern C w shows where its source is. Of two classes one block holds both, at
 * its two ends; else each class has its own, and its first filter is where that class is strongest. */
static congru_status write_patterns(const congru_diagnosed *run, congru_text *text)
{
    const congru_set *set = run->set;
    size_t d = set->dimension, size = congru_csp_block_size(d, PER_END),
           blocks = congru_csp_blocks(set->classes);
    double *filter = calloc(blocks * size * d, sizeof *filter), *mean = calloc(d * d, sizeof *mean),
           *pattern = calloc(d, sizeof *pattern);
    congru_status status = filter == NULL || mean == NULL || pattern == NULL ? fail_memory(run) : CONGRU_OK;
    if (status == CONGRU_OK)
        status = congru_csp_filters(run->context, set->count, d, set->covariance, set->label, set->classes,
                                    PER_END, filter, &blocks);
    if (status == CONGRU_OK)
        mean_of(set, set->covariance, -1, -1, mean);
    for (size_t k = 0; status == CONGRU_OK && k < set->classes && blocks == congru_csp_blocks(set->classes);
         k++) {
        const double *w = blocks == 1 ? filter + (k == 0 ? 0 : size - 1) * d : filter + k * size * d;
        for (size_t i = 0; i < d; i++) {
            pattern[i] = 0;
            for (size_t j = 0; j < d; j++)
                pattern[i] += mean[i * d + j] * w[j];
        }
        write_map(text, k == 0, set, "CSP pattern", set->class_name[k], pattern);
    }
    free(filter);
    free(mean);
    free(pattern);
    return status;
}

/* The head's weight of each channel's own log-variance: the diagonal of its triangle. */
static congru_status write_head(const congru_diagnosed *run, const char *pipeline, int32_t left_out,
                                congru_text *text)
{
    const congru_set *set = run->set;
    congru_model_options options;
    congru_model *model = NULL;
    congru_model_tensor tensor;
    congru_model_options_init(&options);
    options.pipeline = pipeline;
    options.without = &left_out;
    options.without_count = 1;
    options.align_by_session = run->options->align_by_session;
    options.method = run->options->method;
    options.method.network.record = false;
    options.method.network.ensemble = 1;
    CONGRU_TRY(congru_model_fit(run->context, set, &options, &model));
    double *value = calloc(set->dimension, sizeof *value);
    congru_status status = value == NULL ? fail_memory(run) : CONGRU_OK;
    for (size_t t = 0; status == CONGRU_OK && congru_model_tensor_at(model, t, &tensor); t++) {
        const char *dot = strrchr(tensor.name, '.');
        if (dot == NULL || strcmp(dot, ".head") != 0 ||
            tensor.shape[1] != congru_spd_tangent_size(set->dimension))
            continue;
        for (size_t k = 0; k < set->classes; k++) {
            const double *row = tensor.data + k * tensor.shape[1];
            for (size_t i = 0, at = 0; i < set->dimension; at += set->dimension - i, i++)
                value[i] = row[at];
            write_map(text, false, set, pipeline, set->class_name[k], value);
        }
    }
    free(value);
    congru_model_destroy(&model);
    return status;
}

congru_status congru_diagnostics_patterns(const congru_diagnosed *run, const char *pipeline, int32_t left_out)
{
    congru_text text = {0};
    congru_pipeline_description about;
    bool described = congru_pipeline_describe(run->context, pipeline, &about) == CONGRU_OK;
    congru_text_add(&text, "{\n  \"maps\": [");
    congru_status status = write_patterns(run, &text);
    if (status == CONGRU_OK && described && about.end_to_end)
        status = write_head(run, pipeline, left_out, &text);
    congru_text_add(&text, "\n  ]\n}\n");
    if (status == CONGRU_OK)
        return congru_file_write_text(run->context, run->options->folder, "patterns.json", &text);
    congru_text_clear(&text);
    return status;
}

/* The plane in which recentred classes differ most: the leading eigenvectors of the sum of (mean_k - I)^2. */
static congru_status find_plane(const congru_diagnosed *run, const double *recentred, double *plane)
{
    const congru_set *set = run->set;
    size_t d = set->dimension;
    double *mean = calloc(d * d, sizeof *mean), *sum = calloc(d * d, sizeof *sum),
           *vectors = calloc(d * d, sizeof *vectors), *values = calloc(d, sizeof *values);
    congru_status status =
        mean == NULL || sum == NULL || vectors == NULL || values == NULL ? fail_memory(run) : CONGRU_OK;
    for (size_t k = 0; status == CONGRU_OK && k < set->classes; k++) {
        if (!mean_of(set, recentred, -1, (int32_t)k, mean))
            continue;
        for (size_t i = 0; i < d; i++)
            mean[i * d + i] -= 1;
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                for (size_t l = 0; l < d; l++)
                    sum[i * d + j] += mean[i * d + l] * mean[l * d + j];
    }
    if (status == CONGRU_OK)
        status = congru_spd_eigen(run->context, 1, d, sum, values, vectors);
    for (size_t i = 0; status == CONGRU_OK && i < d; i++)
        for (size_t axis = 0; axis < 2; axis++)
            plane[2 * i + axis] = vectors[i * d + d - 1 - axis];
    free(mean);
    free(sum);
    free(vectors);
    free(values);
    return status;
}

/* The ellipse x^T B^-1 x = 1 of the block (2, 2), over a scale common to all of its stage. Six digits of a picture are the
 * same whatever the last bits of atan2 are. */
static void write_ellipse(congru_text *text, bool first, const congru_set *set, const char *stage,
                          int32_t subject, int32_t label, const double block[4], double scale)
{
    /* Over the scale before anything is squared, which numbers of 1e155 would not survive. */
    double a = block[0] / scale, b = block[3] / scale, across = block[1] / scale;
    double middle = (a + b) / 2, half = (a - b) / 2;
    double radius = sqrt(half * half + across * across);
    double angle = atan2(across, half) / 2 * DEGREES / acos(-1.0);
    double least = middle - radius > 0 ? middle - radius : 0;
    congru_text_add(text, "%s\n    {\"stage\": \"%s\", \"class\": ", first ? "" : ",", stage);
    congru_text_add_json(text, set->class_name[label]);
    congru_text_add(text, ", \"subject\": ");
    congru_text_add_json(text, set->subject_name[subject]);
    congru_text_add(text, ", \"centre\": [0, 0], \"axes\": [");
    congru_text_add_number(text, sqrt(middle + radius), PICTURE_DIGITS);
    congru_text_add(text, ", ");
    congru_text_add_number(text, sqrt(least), PICTURE_DIGITS);
    congru_text_add(text, "], \"angle\": ");
    congru_text_add_number(text, angle, PICTURE_DIGITS);
    congru_text_add(text, "}");
}

/* Of every class of the first subjects; more would hide each other. */
static congru_status write_stage(const congru_diagnosed *run, const char *stage, const double *c,
                                 const double *plane, bool *first, congru_text *text)
{
    const congru_set *set = run->set;
    size_t d = set->dimension;
    double *mean = calloc(d * d, sizeof *mean), block[4], scale;
    if (mean == NULL)
        return fail_memory(run);
    mean_of(set, c, -1, -1, mean);
    congru_status status = congru_spd_congruence(run->context, 1, d, 2, mean, plane, block);
    scale = (block[0] + block[3]) / 2;
    for (size_t s = 0; status == CONGRU_OK && s < set->subjects && s < ELLIPSE_SUBJECTS; s++)
        for (size_t k = 0; status == CONGRU_OK && k < set->classes; k++) {
            if (!mean_of(set, c, (int32_t)s, (int32_t)k, mean))
                continue;
            status = congru_spd_congruence(run->context, 1, d, 2, mean, plane, block);
            if (status == CONGRU_OK)
                write_ellipse(text, *first, set, stage, (int32_t)s, (int32_t)k, block, scale);
            *first = false;
        }
    free(mean);
    return status;
}

congru_status congru_diagnostics_ellipses(const congru_diagnosed *run, congru_text *text)
{
    const congru_set *set = run->set;
    size_t d = set->dimension;
    if (d < 2)
        return CONGRU_OK;
    double *recentred = malloc(set->count * d * d * sizeof *recentred), *plane = calloc(2 * d, sizeof *plane);
    congru_status status = recentred == NULL || plane == NULL ? fail_memory(run) : CONGRU_OK;
    if (status == CONGRU_OK)
        status = congru_pipeline_represent(run->context, set, run->options, "ra+mdm", 0, recentred);
    if (status == CONGRU_OK)
        status = find_plane(run, recentred, plane);
    bool first = true;
    congru_text_add(text, ",\n  \"ellipses\": [");
    if (status == CONGRU_OK)
        status = write_stage(run, "before", set->covariance, plane, &first, text);
    if (status == CONGRU_OK)
        status = write_stage(run, "after", recentred, plane, &first, text);
    congru_text_add(text, "\n  ]");
    free(recentred);
    free(plane);
    return status;
}
