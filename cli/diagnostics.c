/* Follows trials through the training of a network. SPDX-License-Identifier: Apache-2.0 */
#include "diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnostics_maps.h"
#include "json_draft.h"

enum { INTERVALS = 6, POINTS_MAX = 400 };

/* The trials that are shown: as many of each subject, evenly from first to last. */
typedef struct geometry {
    size_t count, size; /* size: of one matrix */
    size_t *trial;
    int32_t *subject, *label;
    double *mapped; /* (trials of the set, d, d) */
    double *point;  /* (count, d, d), logarithms */
    double *position[INTERVALS];
    double by_subject[INTERVALS], by_class[INTERVALS];
} geometry;

static int fail(const run_state *run)
{
    return terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
}

int diagnostics_silhouette(run_state *run, const char *pipeline, int32_t subject, double silhouette[2])
{
    const congru_set *set = run->set;
    size_t size = set->dimension * set->dimension;
    double *mapped = malloc(set->count * size * sizeof *mapped);
    if (mapped == NULL)
        return terminal_fail(EXIT_FAILED, "not enough memory for %zu trials", set->count);
    congru_status status =
        congru_pipeline_represent(run->context, set, &run->options.method, pipeline, subject, mapped);
    if (status == CONGRU_OK)
        status = congru_spd_log(run->context, set->count, set->dimension, mapped, mapped);
    if (status == CONGRU_OK)
        status = congru_silhouette(run->context, set->count, size, mapped, set->subject, NULL, &silhouette[0]);
    if (status == CONGRU_OK)
        status = congru_silhouette(run->context, set->count, size, mapped, set->label, NULL, &silhouette[1]);
    free(mapped);
    return status == CONGRU_OK ? EXIT_DONE : fail(run);
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

static void choose(const congru_set *set, geometry *g)
{
    size_t most = POINTS_MAX / set->subjects > 4 ? POINTS_MAX / set->subjects : 4;
    for (size_t s = 0; s < set->subjects; s++) {
        size_t all = 0, seen = 0;
        for (size_t i = 0; i < set->count; i++)
            all += (size_t)set->subject[i] == s;
        size_t wanted = all < most ? all : most;
        for (size_t i = 0; i < set->count; i++) {
            if ((size_t)set->subject[i] != s)
                continue;
            /* Trial k of `all` is one of them when k wanted / all passes a whole number. */
            if (seen * wanted / all != (seen + 1) * wanted / all) {
                g->trial[g->count] = i;
                g->subject[g->count] = set->subject[i];
                g->label[g->count++] = set->label[i];
            }
            seen++;
        }
    }
}

static int start(const congru_set *set, geometry *g)
{
    bool enough = true;
    g->size = set->dimension * set->dimension;
    g->trial = malloc(set->count * sizeof *g->trial);
    g->subject = malloc(set->count * sizeof *g->subject);
    g->label = malloc(set->count * sizeof *g->label);
    g->mapped = malloc(set->count * g->size * sizeof *g->mapped);
    g->point = malloc(set->count * g->size * sizeof *g->point);
    for (size_t k = 0; k < INTERVALS; k++) {
        g->position[k] = malloc(2 * set->count * sizeof *g->position[k]);
        enough = enough && g->position[k] != NULL;
    }
    if (!enough || g->trial == NULL || g->subject == NULL || g->label == NULL || g->mapped == NULL ||
        g->point == NULL)
        return terminal_fail(EXIT_FAILED, "not enough memory for %zu trials", set->count);
    choose(set, g);
    return EXIT_DONE;
}

static void clear(geometry *g)
{
    free(g->trial);
    free(g->subject);
    free(g->label);
    free(g->mapped);
    free(g->point);
    for (size_t k = 0; k < INTERVALS; k++)
        free(g->position[k]);
}

/* Training is the same up to any step whatever the number of steps, so that a shorter one is the longer one's
 * beginning, and what is mapped is the best network so far; but for dct, whose penalty on the rotation falls with the
 * share of the steps that are done and is thus another one in a shorter training. */
static int follow(run_state *run, const char *pipeline, int32_t left_out, size_t k, geometry *g)
{
    congru_method_options method = run->options.method;
    congru_tsne_options tsne;
    congru_tsne_options_init(&tsne);
    tsne.seed = method.seed;
    double most = (double)(g->count - 1) / 3;
    tsne.perplexity = tsne.perplexity < most ? tsne.perplexity : most;
    tsne.exaggerated = k > 0 ? 0 : tsne.exaggerated; /* which would forget where the points were */
    method.network.record = false;
    method.network.steps = (int)((long)method.network.steps * (long)k / (INTERVALS - 1));
    congru_status status =
        congru_pipeline_represent(run->context, run->set, &method, pipeline, left_out, g->mapped);
    for (size_t i = 0; i < g->count; i++)
        memcpy(g->point + i * g->size, g->mapped + g->trial[i] * g->size, g->size * sizeof *g->point);
    if (status == CONGRU_OK)
        status = congru_spd_log(run->context, g->count, run->set->dimension, g->point, g->point);
    if (status == CONGRU_OK)
        status =
            congru_silhouette(run->context, g->count, g->size, g->point, g->subject, NULL, &g->by_subject[k]);
    if (status == CONGRU_OK)
        status = congru_silhouette(run->context, g->count, g->size, g->point, g->label, NULL, &g->by_class[k]);
    if (status == CONGRU_OK)
        status = congru_tsne(run->context, &tsne, g->count, g->size, g->point, NULL,
                             k > 0 ? g->position[k - 1] : NULL, g->position[k], NULL);
    return status == CONGRU_OK ? EXIT_DONE : fail(run);
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

static void write_point(FILE *file, const congru_set *set, const geometry *g, size_t i)
{
    fprintf(file, "%s\n    {\"subject\": ", i > 0 ? "," : "");
    json_text(file, set->subject_name[g->subject[i]]);
    fprintf(file, ", \"label\": ");
    json_text(file, set->class_name[g->label[i]]);
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

static int write(const run_state *run, const char *pipeline, int32_t left_out, const geometry *g)
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
    for (size_t i = 0; i < g->count; i++)
        write_point(draft.file, run->set, g, i);
    fprintf(draft.file, "\n  ]");
    write_numbers(draft.file, "silhouette_subject", g->by_subject);
    write_numbers(draft.file, "silhouette_class", g->by_class);
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
    geometry g = {0};
    int code = start(run->set, &g);
    for (size_t k = 0; code == EXIT_DONE && k < INTERVALS; k++)
        code = follow(run, pipeline, left_out, k, &g);
    if (code == EXIT_DONE)
        code = write(run, pipeline, left_out, &g);
    if (code == EXIT_DONE)
        code = diagnostics_save_patterns(run, pipeline, left_out);
    clear(&g);
    return code;
}
