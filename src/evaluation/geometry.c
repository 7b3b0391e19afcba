/* The source trials while a network is trained: t-SNE, silhouettes, scatters. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "congru/evaluation.h"
#include "congru/spd.h"
#include "congru/statistics.h"
#include "evaluation/pipeline.h"

enum { POINTS_MAX = 400, POINTS_LEAST = 4 };

/* Logarithms of the source trials, which are those of the set without the target's, in its order. */
typedef struct source_trials {
    const congru_set *set;
    size_t count, size; /* size: of one matrix */
    size_t *trial;      /* (count) index in the set */
    int32_t *subject, *label;
    double *mapped;       /* (trials of the set, d, d) */
    double *now, *before; /* (count, d, d) of this stage and of the one before */
    double *mean;         /* (size) */
} source_trials;

static void clear(source_trials *s)
{
    free(s->trial);
    free(s->subject);
    free(s->label);
    free(s->mean);
    congru_memory_give(s->mapped);
    congru_memory_give(s->now);
    congru_memory_give(s->before);
}

static congru_status start(congru_context *context, const congru_set *set, int32_t target, source_trials *s)
{
    const size_t n = set->count;
    *s = (source_trials){.set = set, .size = set->dimension * set->dimension};
    CONGRU_TRY(congru_allocate(context, &s->trial, n, sizeof *s->trial, "%zu trials", n));
    CONGRU_TRY(congru_allocate(context, &s->subject, n, sizeof *s->subject, "%zu trials", n));
    CONGRU_TRY(congru_allocate(context, &s->label, n, sizeof *s->label, "%zu trials", n));
    CONGRU_TRY(congru_allocate(context, &s->mean, s->size, sizeof *s->mean, "%zu trials", n));
    CONGRU_TRY(congru_take(context, &s->mapped, n * s->size, sizeof(double), "%zu trials", n));
    CONGRU_TRY(congru_take(context, &s->now, n * s->size, sizeof(double), "%zu trials", n));
    CONGRU_TRY(congru_take(context, &s->before, n * s->size, sizeof(double), "%zu trials", n));
    for (size_t i = 0; i < n; i++)
        if (set->subject[i] != target) {
            s->trial[s->count] = i;
            s->subject[s->count] = set->subject[i];
            s->label[s->count++] = set->label[i];
        }
    return CONGRU_OK;
}

/* The logarithms of what the pipeline makes of the source trials; those of the stage before are kept. */
static congru_status map_sources(congru_context *context, const congru_evaluation_options *options,
                                 const char *pipeline, int32_t target, source_trials *s)
{
    double *kept = s->before;
    s->before = s->now;
    s->now = kept;
    CONGRU_TRY(congru_pipeline_represent(context, s->set, options, pipeline, target, s->mapped));
    for (size_t i = 0; i < s->count; i++)
        memcpy(s->now + i * s->size, s->mapped + s->trial[i] * s->size, s->size * sizeof *s->now);
    return congru_spd_log(context, s->count, s->set->dimension, s->now, s->now);
}

/* ---- Scatters ---- */

/* The sum over trials of `group` (NULL: of all) of log-covariances, divided by their number, which is returned. */
static size_t mean_of(const source_trials *s, const int32_t *group, int32_t which, double *mean)
{
    size_t count = 0;
    memset(mean, 0, s->size * sizeof *mean);
    for (size_t i = 0; i < s->count; i++)
        if (group == NULL || group[i] == which) {
            count++;
            for (size_t j = 0; j < s->size; j++)
                mean[j] += s->now[i * s->size + j];
        }
    for (size_t j = 0; count > 0 && j < s->size; j++)
        mean[j] /= (double)count;
    return count;
}

static double squared_distance(size_t size, const double *a, const double *b)
{
    double sum = 0;
    for (size_t j = 0; j < size; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

/* W and B by a partition into `groups`, both divided by the number of trials. */
static congru_status scatter(congru_context *context, const source_trials *s, const int32_t *group,
                             size_t groups, double *within, double *between)
{
    double *own;
    CONGRU_TRY(congru_allocate(context, &own, s->size, sizeof *own, "a mean"));
    mean_of(s, NULL, 0, s->mean);
    *within = *between = 0;
    for (size_t g = 0; g < groups; g++) {
        size_t count = mean_of(s, group, (int32_t)g, own);
        *between += (double)count * squared_distance(s->size, own, s->mean);
        for (size_t i = 0; i < s->count; i++)
            if (group[i] == (int32_t)g)
                *within += squared_distance(s->size, s->now + i * s->size, own);
    }
    *within /= (double)s->count;
    *between /= (double)s->count;
    free(own);
    return CONGRU_OK;
}

static congru_status measure(congru_context *context, const source_trials *s, size_t stage, congru_geometry *g)
{
    double sum = 0;
    for (size_t i = 0; stage > 0 && i < s->count; i++)
        sum += squared_distance(s->size, s->now + i * s->size, s->before + i * s->size);
    g->moved[stage] = sqrt(sum / (double)s->count);
    CONGRU_TRY(
        scatter(context, s, s->label, s->set->classes, &g->within_class[stage], &g->between_class[stage]));
    return scatter(context, s, s->subject, s->set->subjects, &g->within_subject[stage],
                   &g->between_subject[stage]);
}

/* ---- Points ---- */

static bool is_shown(const congru_geometry_options *choice, size_t subject)
{
    for (size_t i = 0; i < choice->shown_count; i++)
        if ((size_t)choice->shown[i] == subject)
            return true;
    return choice->shown_count == 0;
}

/* The trials that are shown, as places among the sources: as many of each subject, evenly from first to last. */
static size_t choose(const source_trials *s, const congru_geometry_options *choice, size_t *place)
{
    size_t sources = choice->shown_count > 0 ? choice->shown_count : s->set->subjects - 1, chosen = 0;
    size_t most = POINTS_MAX / sources > POINTS_LEAST ? POINTS_MAX / sources : POINTS_LEAST;
    for (size_t subject = 0; subject < s->set->subjects; subject++) {
        size_t all = 0, seen = 0;
        if (!is_shown(choice, subject))
            continue;
        for (size_t i = 0; i < s->count; i++)
            all += (size_t)s->subject[i] == subject;
        size_t wanted = all < most ? all : most;
        for (size_t i = 0; i < s->count; i++) {
            if ((size_t)s->subject[i] != subject)
                continue;
            /* Trial k of `all` is one of them when k wanted / all passes a whole number. */
            if (seen * wanted / all != (seen + 1) * wanted / all)
                place[chosen++] = i;
            seen++;
        }
    }
    return chosen;
}

typedef struct shown {
    size_t count, *place; /* among the sources */
    int32_t *subject, *label;
    double *point; /* (count, size) */
} shown;

static congru_status show(congru_context *context, const source_trials *s,
                          const congru_geometry_options *choice, shown *points, congru_geometry *g)
{
    const size_t n = s->count;
    CONGRU_TRY(congru_allocate(context, &points->place, n, sizeof *points->place, "%zu points", n));
    CONGRU_TRY(congru_allocate(context, &points->subject, n, sizeof *points->subject, "%zu points", n));
    CONGRU_TRY(congru_allocate(context, &points->label, n, sizeof *points->label, "%zu points", n));
    CONGRU_TRY(congru_allocate(context, &g->trial, n, sizeof *g->trial, "%zu points", n));
    g->points = points->count = choose(s, choice, points->place);
    CONGRU_TRY(
        congru_allocate(context, &points->point, points->count * s->size, sizeof(double), "%zu points", n));
    for (size_t k = 0; k < CONGRU_GEOMETRY_STAGES; k++)
        CONGRU_TRY(
            congru_allocate(context, &g->position[k], 2 * points->count, sizeof(double), "%zu points", n));
    for (size_t i = 0; i < points->count; i++) {
        g->trial[i] = s->trial[points->place[i]];
        points->subject[i] = s->subject[points->place[i]];
        points->label[i] = s->label[points->place[i]];
    }
    return CONGRU_OK;
}

static void hide(shown *points)
{
    free(points->place);
    free(points->subject);
    free(points->label);
    free(points->point);
}

/* Of labels that are all alike there is no silhouette: NaN, as JSON's null. */
static congru_status cluster(congru_context *context, size_t count, size_t size, const double *points,
                             const int32_t *label, double *mean)
{
    bool several = false;
    for (size_t i = 1; i < count; i++)
        several = several || label[i] != label[0];
    *mean = NAN;
    return several ? congru_silhouette(context, count, size, points, label, NULL, mean) : CONGRU_OK;
}

static congru_status embed(congru_context *context, const source_trials *s, uint64_t seed, size_t stage,
                           shown *points, congru_geometry *g)
{
    congru_tsne_options tsne;
    congru_tsne_options_init(&tsne);
    tsne.seed = seed;
    double most = (double)(points->count - 1) / 3;
    tsne.perplexity = tsne.perplexity < most ? tsne.perplexity : most;
    tsne.exaggerated = stage > 0 ? 0 : tsne.exaggerated; /* which would forget where the points were */
    for (size_t i = 0; i < points->count; i++)
        memcpy(points->point + i * s->size, s->now + points->place[i] * s->size,
               s->size * sizeof *points->point);
    CONGRU_TRY(cluster(context, points->count, s->size, points->point, points->subject,
                       &g->silhouette_subject[stage]));
    CONGRU_TRY(
        cluster(context, points->count, s->size, points->point, points->label, &g->silhouette_class[stage]));
    return congru_tsne(context, &tsne, points->count, s->size, points->point, NULL,
                       stage > 0 ? g->position[stage - 1] : NULL, g->position[stage], NULL);
}

/* ---- What is called ---- */

static congru_status check(congru_context *context, const congru_set *set, const void *options,
                           const char *pipeline, const void *out)
{
    if (context == NULL || set == NULL || options == NULL || pipeline == NULL || out == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no set, options, pipeline or output given");
    return CONGRU_OK;
}

/* The steps of the pipeline's network; the subjects that are shown are sources. */
static congru_status plan(congru_context *context, const congru_set *set,
                          const congru_evaluation_options *options, const char *pipeline, int32_t subject,
                          const congru_geometry_options *choice, size_t *steps)
{
    congru_pipeline named;
    for (size_t i = 0; i < choice->shown_count; i++)
        if (choice->shown[i] < 0 || (size_t)choice->shown[i] >= set->subjects || choice->shown[i] == subject)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "subject %d is not one of those that the network is trained on, which are shown",
                               (int)choice->shown[i] + 1);
    CONGRU_TRY(congru_pipeline_parse(context, pipeline, &named));
    *steps = congru_pipeline_steps(&named, &options->method);
    congru_pipeline_clear(&named);
    return CONGRU_OK;
}

/* The training until a stage, as if it went on to the end. */
static void end_at(congru_network_options *network, const congru_geometry_options *choice, size_t steps,
                   size_t stage)
{
    network->record = false;
    network->epochs = network->dct_steps = 0;
    network->stop = (int)(steps * stage / (CONGRU_GEOMETRY_STAGES - 1));
    network->steps = network->stop > 0 ? (int)steps : 0;
    network->keep = choice->best_so_far ? CONGRU_KEEP_BEST : CONGRU_KEEP_LAST;
}

congru_status congru_geometry_follow(congru_context *context, const congru_set *set,
                                     const congru_evaluation_options *options, const char *pipeline,
                                     int32_t subject, const congru_geometry_options *choice,
                                     congru_geometry **geometry)
{
    static const congru_geometry_options everything = {0};
    source_trials s = {0};
    shown points = {0};
    size_t steps = 0;
    congru_status status;
    CONGRU_TRY(check(context, set, options, pipeline, geometry));
    *geometry = NULL;
    choice = choice != NULL ? choice : &everything;
    congru_evaluation_options part = *options;
    CONGRU_TRY(plan(context, set, options, pipeline, subject, choice, &steps));
    CONGRU_TRY(congru_allocate(context, geometry, 1, sizeof **geometry, "points"));
    congru_geometry *g = *geometry;
    g->best_so_far = choice->best_so_far;
    CONGRU_TRY_TO(done, start(context, set, subject, &s));
    for (size_t k = 0; k < CONGRU_GEOMETRY_STAGES; k++) {
        end_at(&part.method.network, choice, steps, k);
        CONGRU_TRY_TO(done, map_sources(context, &part, pipeline, subject, &s));
        if (k == 0)
            CONGRU_TRY_TO(done, show(context, &s, choice, &points, g));
        CONGRU_TRY_TO(done, measure(context, &s, k, g));
        CONGRU_TRY_TO(done, embed(context, &s, part.method.seed, k, &points, g));
    }
done:
    clear(&s);
    hide(&points);
    if (status != CONGRU_OK)
        congru_geometry_destroy(geometry);
    return status;
}

void congru_geometry_destroy(congru_geometry **geometry)
{
    congru_geometry *g = geometry != NULL ? *geometry : NULL;
    if (g == NULL)
        return;
    free(g->trial);
    for (size_t k = 0; k < CONGRU_GEOMETRY_STAGES; k++)
        free(g->position[k]);
    free(g);
    *geometry = NULL;
}

congru_status congru_pipeline_silhouette(congru_context *context, const congru_set *set,
                                         const congru_evaluation_options *options, const char *pipeline,
                                         int32_t subject, double *by_subject, double *by_class)
{
    source_trials s = {0};
    congru_status status;
    CONGRU_TRY(check(context, set, options, pipeline, by_subject));
    CONGRU_TRY(check(context, set, options, pipeline, by_class));
    CONGRU_TRY_TO(done, start(context, set, subject, &s));
    CONGRU_TRY_TO(done, map_sources(context, options, pipeline, subject, &s));
    CONGRU_TRY_TO(done, cluster(context, s.count, s.size, s.now, s.subject, by_subject));
    status = cluster(context, s.count, s.size, s.now, s.label, by_class);
done:
    clear(&s);
    return status;
}
