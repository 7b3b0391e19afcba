/* Follows trials through the training of a network. SPDX-License-Identifier: Apache-2.0 */
#include "diagnostics.h"

#include <stdio.h>
#include <string.h>

#include "diagnostics_maps.h"
#include "json_draft.h"

enum { INTERVALS = CONGRU_GEOMETRY_STAGES };

static int fail(const run_state *run)
{
    return terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
}

const char *diagnostics_network(const run_state *run)
{
    congru_pipeline_description about;
    for (size_t i = 0; i < run->options.pipeline_count; i++)
        if (congru_pipeline_describe(run->context, run->options.pipelines[i], &about) == CONGRU_OK &&
            about.network != NULL && about.embeds)
            return run->options.pipelines[i];
    return NULL;
}

static void write_numbers(FILE *file, const char *name, const double *numbers)
{
    fprintf(file, ",\n  \"%s\": [", name);
    for (size_t k = 0; k < INTERVALS; k++) {
        fprintf(file, k > 0 ? ", " : "");
        json_number(file, numbers[k]);
    }
    fprintf(file, "]");
}

static void write_point(FILE *file, const congru_set *set, const congru_geometry *g, size_t i)
{
    fprintf(file, "%s\n    {\"subject\": ", i > 0 ? "," : "");
    json_text(file, set->subject_name[set->subject[g->trial[i]]]);
    fprintf(file, ", \"label\": ");
    json_text(file, set->class_name[set->label[g->trial[i]]]);
    for (size_t axis = 0; axis < 2; axis++) {
        fprintf(file, axis == 0 ? ", \"x\": [" : ", \"y\": [");
        for (size_t k = 0; k < INTERVALS; k++) {
            fputs(k > 0 ? ", " : "", file);
            json_rounded(file, g->position[k][2 * i + axis]);
        }
        fprintf(file, "]");
    }
    fprintf(file, "}");
}

int diagnostics_write(const run_state *run, const char *pipeline, int32_t left_out, const congru_geometry *g)
{
    json_draft draft;
    int code = json_begin(&draft, run->options.folder, "geometry.json");
    if (code != EXIT_DONE)
        return code;
    fprintf(draft.file, "{\n  \"pipeline\": ");
    json_text(draft.file, pipeline);
    fprintf(draft.file, ",\n  \"left_out\": ");
    json_text(draft.file, run->set->subject_name[left_out]);
    fprintf(draft.file, ",\n  \"intervals\": [0, 20, 40, 60, 80, 100],\n  \"points\": [");
    for (size_t i = 0; i < g->points; i++)
        write_point(draft.file, run->set, g, i);
    fprintf(draft.file, "\n  ]");
    write_numbers(draft.file, "silhouette_subject", g->silhouette_subject);
    write_numbers(draft.file, "silhouette_class", g->silhouette_class);
    write_numbers(draft.file, "within_class", g->within_class);
    write_numbers(draft.file, "between_class", g->between_class);
    write_numbers(draft.file, "within_subject", g->within_subject);
    write_numbers(draft.file, "between_subject", g->between_subject);
    write_numbers(draft.file, "moved", g->moved);
    code = diagnostics_write_ellipses(run, draft.file);
    fprintf(draft.file, "\n}\n");
    if (code == EXIT_DONE)
        return json_end(&draft);
    json_drop(&draft);
    return code;
}

int diagnostics_save(run_state *run)
{
    const char *pipeline = diagnostics_network(run);
    int32_t left_out = run->options.subjects != NULL ? run->options.subjects[0] : 0;
    congru_geometry *g = NULL;
    if (congru_geometry_follow(run->context, run->set, &run->options, pipeline, left_out, &g) != CONGRU_OK)
        return fail(run);
    int code = diagnostics_write(run, pipeline, left_out, g);
    if (code == EXIT_DONE)
        code = diagnostics_save_patterns(run, pipeline, left_out);
    congru_geometry_destroy(&g);
    return code;
}
