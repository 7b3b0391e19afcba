/* Scalp maps and ellipses of a set, for the report. SPDX-License-Identifier: Apache-2.0 */
#include "diagnostics_maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PER_END = 1, ELLIPSE_SUBJECTS = 9, DEGREES = 180 };

static int fail(const run_state *run)
{
    return terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
}

static int fail_memory(const congru_set *set)
{
    return terminal_fail(EXIT_FAILED, "not enough memory for maps of %zu channels", set->dimension);
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
static void write_map(FILE *file, bool first, const congru_set *set, const char *what, const char *of,
                      double *value)
{
    char title[2 * CONGRU_LABEL_SIZE];
    double largest = 0;
    for (size_t i = 0; i < set->dimension; i++)
        largest = fabs(value[i]) > largest ? fabs(value[i]) : largest;
    snprintf(title, sizeof title, "%s: %s", of, what);
    fprintf(file, "%s\n    {\"title\": ", first ? "" : ",");
    json_text(file, title);
    fprintf(file, ", \"channels\": [");
    for (size_t i = 0; i < set->dimension; i++) {
        fprintf(file, i > 0 ? ", " : "");
        json_text(file, set->channel_name[i]);
    }
    fprintf(file, "], \"values\": [");
    for (size_t i = 0; i < set->dimension; i++) {
        fputs(i > 0 ? ", " : "", file);
        json_rounded(file, largest > 0 ? value[i] / largest : 0.0);
    }
    fprintf(file, "]}");
}

/* A filter w shows where it looks; the pattern C w shows where its source is. Of two classes one block holds both, at
 * its two ends; else each class has its own, and its first filter is where that class is strongest. */
static int write_patterns(const run_state *run, FILE *file)
{
    const congru_set *set = run->set;
    size_t d = set->dimension, size = congru_csp_block_size(d, PER_END),
           blocks = congru_csp_blocks(set->classes);
    double *filter = calloc(blocks * size * d, sizeof *filter), *mean = calloc(d * d, sizeof *mean),
           *pattern = calloc(d, sizeof *pattern);
    int code = filter == NULL || mean == NULL || pattern == NULL ? fail_memory(set) : EXIT_DONE;
    if (code == EXIT_DONE && congru_csp_filters(run->context, set->count, d, set->covariance, set->label,
                                                set->classes, PER_END, filter, &blocks) != CONGRU_OK)
        code = fail(run);
    if (code == EXIT_DONE)
        mean_of(set, set->covariance, -1, -1, mean);
    for (size_t k = 0; code == EXIT_DONE && k < set->classes && blocks == congru_csp_blocks(set->classes);
         k++) {
        const double *w = blocks == 1 ? filter + (k == 0 ? 0 : size - 1) * d : filter + k * size * d;
        for (size_t i = 0; i < d; i++) {
            pattern[i] = 0;
            for (size_t j = 0; j < d; j++)
                pattern[i] += mean[i * d + j] * w[j];
        }
        write_map(file, k == 0, set, "CSP pattern", set->class_name[k], pattern);
    }
    free(filter);
    free(mean);
    free(pattern);
    return code;
}

/* The head's weight of each channel's own log-variance: the diagonal of its triangle. */
static int write_head(const run_state *run, const char *pipeline, int32_t left_out, FILE *file)
{
    const congru_set *set = run->set;
    congru_model_options options;
    congru_model *model = NULL;
    congru_model_tensor tensor;
    congru_model_options_init(&options);
    options.pipeline = pipeline;
    options.without = &left_out;
    options.without_count = 1;
    options.align_by_session = run->options.align_by_session;
    options.method = run->options.method;
    options.method.network.record = false;
    options.method.network.ensemble = 1;
    if (congru_model_fit(run->context, set, &options, &model) != CONGRU_OK)
        return fail(run);
    double *value = calloc(set->dimension, sizeof *value);
    int code = value == NULL ? fail_memory(set) : EXIT_DONE;
    for (size_t t = 0; code == EXIT_DONE && congru_model_tensor_at(model, t, &tensor); t++) {
        const char *dot = strrchr(tensor.name, '.');
        if (dot == NULL || strcmp(dot, ".head") != 0 ||
            tensor.shape[1] != congru_spd_tangent_size(set->dimension))
            continue;
        for (size_t k = 0; k < set->classes; k++) {
            const double *row = tensor.data + k * tensor.shape[1];
            for (size_t i = 0, at = 0; i < set->dimension; at += set->dimension - i, i++)
                value[i] = row[at];
            write_map(file, false, set, pipeline, set->class_name[k], value);
        }
    }
    free(value);
    congru_model_destroy(&model);
    return code;
}

int diagnostics_save_patterns(const run_state *run, const char *pipeline, int32_t left_out)
{
    json_draft draft;
    congru_pipeline_description about;
    bool described = congru_pipeline_describe(run->context, pipeline, &about) == CONGRU_OK;
    int code = json_begin(&draft, run->options.folder, "patterns.json");
    if (code != EXIT_DONE)
        return code;
    fprintf(draft.file, "{\n  \"maps\": [");
    code = write_patterns(run, draft.file);
    if (code == EXIT_DONE && described && about.end_to_end)
        code = write_head(run, pipeline, left_out, draft.file);
    fprintf(draft.file, "\n  ]\n}\n");
    if (code == EXIT_DONE)
        return json_end(&draft);
    json_drop(&draft);
    return code;
}

/* The plane in which recentred classes differ most: the leading eigenvectors of the sum of (mean_k - I)^2. */
static int find_plane(const run_state *run, const double *recentred, double *plane)
{
    const congru_set *set = run->set;
    size_t d = set->dimension;
    double *mean = calloc(d * d, sizeof *mean), *sum = calloc(d * d, sizeof *sum),
           *vectors = calloc(d * d, sizeof *vectors), *values = calloc(d, sizeof *values);
    int code = mean == NULL || sum == NULL || vectors == NULL || values == NULL ? fail_memory(set) : EXIT_DONE;
    for (size_t k = 0; code == EXIT_DONE && k < set->classes; k++) {
        if (!mean_of(set, recentred, -1, (int32_t)k, mean))
            continue;
        for (size_t i = 0; i < d; i++)
            mean[i * d + i] -= 1;
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                for (size_t l = 0; l < d; l++)
                    sum[i * d + j] += mean[i * d + l] * mean[l * d + j];
    }
    if (code == EXIT_DONE && congru_spd_eigen(run->context, 1, d, sum, values, vectors) != CONGRU_OK)
        code = fail(run);
    for (size_t i = 0; code == EXIT_DONE && i < d; i++)
        for (size_t axis = 0; axis < 2; axis++)
            plane[2 * i + axis] = vectors[i * d + d - 1 - axis];
    free(mean);
    free(sum);
    free(vectors);
    free(values);
    return code;
}

/* The ellipse x^T B^-1 x = 1 of the block (2, 2), over a scale common to all of its stage. Six digits of a picture are the
 * same whatever the last bits of atan2 are. */
static void write_ellipse(FILE *file, bool first, const congru_set *set, const char *stage, int32_t subject,
                          int32_t label, const double block[4], double scale)
{
    /* Over the scale before anything is squared, which numbers of 1e155 would not survive. */
    double a = block[0] / scale, b = block[3] / scale, across = block[1] / scale;
    double middle = (a + b) / 2, half = (a - b) / 2;
    double radius = sqrt(half * half + across * across);
    double angle = atan2(across, half) / 2 * DEGREES / acos(-1.0);
    double least = middle - radius > 0 ? middle - radius : 0;
    fprintf(file, "%s\n    {\"stage\": \"%s\", \"class\": ", first ? "" : ",", stage);
    json_text(file, set->class_name[label]);
    fprintf(file, ", \"subject\": ");
    json_text(file, set->subject_name[subject]);
    fprintf(file, ", \"centre\": [0, 0], \"axes\": [");
    json_rounded(file, sqrt(middle + radius));
    fputs(", ", file);
    json_rounded(file, sqrt(least));
    fprintf(file, "], \"angle\": ");
    json_rounded(file, angle);
    fputs("}", file);
}

/* Of every class of the first subjects; more would hide each other. */
static int write_stage(const run_state *run, const char *stage, const double *c, const double *plane,
                       bool *first, FILE *file)
{
    const congru_set *set = run->set;
    size_t d = set->dimension;
    double *mean = calloc(d * d, sizeof *mean), block[4], scale;
    if (mean == NULL)
        return fail_memory(set);
    mean_of(set, c, -1, -1, mean);
    int code =
        congru_spd_congruence(run->context, 1, d, 2, mean, plane, block) == CONGRU_OK ? EXIT_DONE : fail(run);
    scale = (block[0] + block[3]) / 2;
    for (size_t s = 0; code == EXIT_DONE && s < set->subjects && s < ELLIPSE_SUBJECTS; s++)
        for (size_t k = 0; code == EXIT_DONE && k < set->classes; k++) {
            if (!mean_of(set, c, (int32_t)s, (int32_t)k, mean))
                continue;
            if (congru_spd_congruence(run->context, 1, d, 2, mean, plane, block) != CONGRU_OK)
                code = fail(run);
            else
                write_ellipse(file, *first, set, stage, (int32_t)s, (int32_t)k, block, scale);
            *first = false;
        }
    free(mean);
    return code;
}

int diagnostics_write_ellipses(const run_state *run, FILE *file)
{
    const congru_set *set = run->set;
    size_t d = set->dimension;
    if (d < 2)
        return EXIT_DONE;
    double *recentred = malloc(set->count * d * d * sizeof *recentred), *plane = calloc(2 * d, sizeof *plane);
    int code = recentred == NULL || plane == NULL ? fail_memory(set) : EXIT_DONE;
    if (code == EXIT_DONE &&
        congru_pipeline_represent(run->context, set, &run->options, "ra+mdm", 0, recentred) != CONGRU_OK)
        code = fail(run);
    if (code == EXIT_DONE)
        code = find_plane(run, recentred, plane);
    bool first = true;
    fprintf(file, ",\n  \"ellipses\": [");
    if (code == EXIT_DONE)
        code = write_stage(run, "before", set->covariance, plane, &first, file);
    if (code == EXIT_DONE)
        code = write_stage(run, "after", recentred, plane, &first, file);
    fprintf(file, "\n  ]");
    free(recentred);
    free(plane);
    return code;
}
