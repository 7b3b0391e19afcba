/* Follows trials through the training of a network. SPDX-License-Identifier: Apache-2.0 */
#include "array/file_write.h"
#include "base/error.h"
#include "congru/report.h"
#include "evaluation/request_check.h"
#include "report/diagnostics_maps.h"

enum { INTERVALS = CONGRU_GEOMETRY_STAGES, PICTURE_DIGITS = 6, ALL_DIGITS = 17 };

const char *congru_diagnostics_pipeline(congru_context *context, const congru_evaluation_options *options)
{
    congru_pipeline_description about;
    for (size_t i = 0; context != NULL && options != NULL && i < options->pipeline_count; i++)
        if (congru_pipeline_describe(context, options->pipelines[i], &about) == CONGRU_OK &&
            about.network != NULL && about.embeds)
            return options->pipelines[i];
    return NULL;
}

static void write_numbers(congru_text *text, const char *name, const double *numbers)
{
    congru_text_add(text, ",\n  \"%s\": [", name);
    for (size_t k = 0; k < INTERVALS; k++) {
        congru_text_add(text, k > 0 ? ", " : "");
        congru_text_add_number(text, numbers[k], ALL_DIGITS);
    }
    congru_text_add(text, "]");
}

static void write_point(congru_text *text, const congru_set *set, const congru_geometry *g, size_t i)
{
    congru_text_add(text, "%s\n    {\"subject\": ", i > 0 ? "," : "");
    congru_text_add_json(text, set->subject_name[set->subject[g->trial[i]]]);
    congru_text_add(text, ", \"label\": ");
    congru_text_add_json(text, set->class_name[set->label[g->trial[i]]]);
    for (size_t axis = 0; axis < 2; axis++) {
        congru_text_add(text, axis == 0 ? ", \"x\": [" : ", \"y\": [");
        for (size_t k = 0; k < INTERVALS; k++) {
            congru_text_add(text, k > 0 ? ", " : "");
            congru_text_add_number(text, g->position[k][2 * i + axis], PICTURE_DIGITS);
        }
        congru_text_add(text, "]");
    }
    congru_text_add(text, "}");
}

congru_status congru_diagnostics_geometry(congru_context *context, const congru_set *set,
                                          const congru_evaluation_options *options, const char *pipeline,
                                          int32_t left_out, const congru_geometry *g)
{
    if (context == NULL || set == NULL || options == NULL || pipeline == NULL || g == NULL)
        return CONGRU_ERROR_ARGUMENT;
    if (options->folder == NULL || left_out < 0 || (size_t)left_out >= set->subjects)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a folder and a subject of the set are needed");
    congru_text text = {0};
    congru_text_add(&text, "{\n  \"pipeline\": ");
    congru_text_add_json(&text, pipeline);
    congru_text_add(&text, ",\n  \"left_out\": ");
    congru_text_add_json(&text, set->subject_name[left_out]);
    congru_text_add(&text, ",\n  \"network\": \"%s\",\n  \"channels\": [", g->best_so_far ? "best" : "step");
    for (size_t i = 0; i < set->dimension; i++) {
        congru_text_add(&text, i > 0 ? ", " : "");
        congru_text_add_json(&text, set->channel_name[i]);
    }
    congru_text_add(&text, "]");
    congru_text_add(&text, ",\n  \"intervals\": [0, 20, 40, 60, 80, 100],\n  \"points\": [");
    for (size_t i = 0; i < g->points; i++)
        write_point(&text, set, g, i);
    congru_text_add(&text, "\n  ]");
    write_numbers(&text, "silhouette_subject", g->silhouette_subject);
    write_numbers(&text, "silhouette_class", g->silhouette_class);
    write_numbers(&text, "within_class", g->within_class);
    write_numbers(&text, "between_class", g->between_class);
    write_numbers(&text, "within_subject", g->within_subject);
    write_numbers(&text, "between_subject", g->between_subject);
    write_numbers(&text, "moved", g->moved);
    congru_status status = congru_diagnostics_ellipses(&(congru_diagnosed){context, set, options}, &text);
    congru_text_add(&text, "\n}\n");
    if (status == CONGRU_OK)
        return congru_file_write_text(context, options->folder, "geometry.json", &text);
    congru_text_clear(&text);
    return status;
}

congru_status congru_diagnostics_write(congru_context *context, const congru_set *set,
                                       const congru_evaluation_options *options)
{
    if (context == NULL || set == NULL || options == NULL)
        return CONGRU_ERROR_ARGUMENT;
    const char *pipeline = congru_diagnostics_pipeline(context, options);
    if (pipeline == NULL)
        return congru_evaluation_name_error(
            context, options,
            congru_fail(context, CONGRU_ERROR_ARGUMENT, "no pipeline has a network that places trials"));
    int32_t left_out = options->subjects != NULL ? options->subjects[0] : 0;
    congru_geometry *g = NULL;
    congru_status status = congru_geometry_follow(context, set, options, pipeline, left_out, NULL, &g);
    if (status == CONGRU_OK)
        status = congru_diagnostics_geometry(context, set, options, pipeline, left_out, g);
    if (status == CONGRU_OK)
        status = congru_diagnostics_patterns(&(congru_diagnosed){context, set, options}, pipeline, left_out);
    congru_geometry_destroy(&g);
    return congru_evaluation_name_error(context, options, status);
}
