/* Making, filling and freeing a training; its batches and its phases. SPDX-License-Identifier: Apache-2.0 */
#include "layer/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/crew.h"
#include "base/scalar_math.h"
#include "base/store.h"
#include "base/workspace.h"
#include "layer/watch.h"

static const congru_step_model *const models[CONGRU_BACKBONE_COUNT] = {
    [CONGRU_BACKBONE_DCT] = &congru_rotated_model,
    [CONGRU_BACKBONE_DLDCT] = &congru_affine_model,
    [CONGRU_BACKBONE_UNET] = &congru_unet_model,
};

size_t congru_training_segment(congru_training *training, const char *name, size_t rows, size_t cols, bool head)
{
    congru_segment *segment = &training->segment[training->segments];
    *segment = (congru_segment){.rows = rows, .cols = cols, .offset = training->size, .head = head};
    strncpy(segment->name, name, sizeof segment->name - 1);
    training->size += rows * cols;
    return training->segments++;
}

double *congru_training_lanes(congru_arena *arena, const congru_training *training, size_t size)
{
    return congru_arena_take(arena, training->chunks * CONGRU_STEP_CHUNK * size, sizeof(double));
}

static void add_share(congru_training *training, congru_step_phase phase, void *data, size_t part, size_t whole)
{
    training->share[training->shares++] = (congru_step_share){phase, data, part, whole};
}

double *congru_training_partials(congru_arena *arena, congru_training *training, congru_step_phase phase,
                                 size_t size)
{
    double *partials = congru_arena_take(arena, training->chunks * size, sizeof(double));
    add_share(training, phase, partials, size * sizeof(double), training->chunks * size * sizeof(double));
    return partials;
}

void congru_training_share(congru_training *training, congru_step_phase phase, void *data, size_t size,
                           size_t trials)
{
    add_share(training, phase, data, CONGRU_STEP_CHUNK * size * sizeof(double), trials * size * sizeof(double));
}

void congru_training_add_partials(const congru_training *training, size_t size, const double *partial,
                                  double *sum)
{
    const size_t used = (training->count + CONGRU_STEP_CHUNK - 1) / CONGRU_STEP_CHUNK;
    for (size_t chunk = 0; chunk < used; chunk++) {
        for (size_t e = 0; e < size; e++)
            sum[e] += partial[chunk * size + e];
    }
}

/* ---- Phases -------------------------------------------------------------------------------------- */

void congru_step_work_layout(congru_arena *arena, const congru_training *training, size_t vectors,
                             congru_step_work *work)
{
    const congru_kernel *kernel = training->kernel;
    const size_t largest = training->largest, square = largest * largest;
    const size_t matrix = square > training->stride ? square : training->stride;
    /* Divided differences may be taken with one value beyond those of the matrix. */
    congru_spectral_layout(arena, kernel, vectors, largest + 1, &work->spectral);
    for (size_t k = 0; k < CONGRU_STEP_MATRICES; k++)
        work->m[k] = congru_take_lanes(arena, kernel, vectors, matrix);
    work->row = congru_take_lanes(arena, kernel, vectors, training->stride);
    work->other_row = congru_take_lanes(arena, kernel, vectors, training->stride);
    work->value = congru_take_lanes(arena, kernel, vectors, largest + 1);
}

double *congru_step_chains(const congru_step_chunk *chunk, size_t size)
{
    double *chains = congru_arena_take(chunk->arena, CONGRU_GROUP * size, sizeof(double));
    memset(chains, 0, CONGRU_GROUP * size * sizeof(double));
    return chains;
}

void congru_step_eigen(const congru_step_chunk *chunk, const congru_step_work *work, size_t layer, size_t d,
                       double *a, double *values, double *z)
{
    congru_training *training = chunk->training;
    const size_t width = training->kernel->width;
    bool converged = training->kernel->eigen(chunk->vectors, d, a, values, z, work->spectral.eigen);
    if (!converged && training->failure[chunk->block].layer == 0) {
        size_t position = 0;
        for (size_t m = chunk->count; m-- > 0;) {
            for (size_t i = 0; i < d; i++) {
                if (!isfinite(values[((m / width) * d + i) * width + m % width]))
                    position = m;
            }
        }
        training->failure[chunk->block] = (congru_step_failure){layer, chunk->first + position};
    }
}

void congru_step_watch(const congru_step_chunk *chunk, size_t d, const double *values, bool exponential)
{
    congru_training *training = chunk->training;
    const size_t width = training->kernel->width;
    if (!training->watched)
        return;
    double low = INFINITY, high = -INFINITY;
    for (size_t m = 0; m < chunk->count; m++) {
        for (size_t i = 0; i < d; i++) {
            double x = values[((m / width) * d + i) * width + m % width];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
    }
    low = exponential ? congru_scalar_exp(low) : low;
    high = exponential ? congru_scalar_exp(high) : high;
    double *least = &training->low[chunk->block], *most = &training->high[chunk->block];
    *least = low < *least ? low : *least;
    *most = high > *most ? high : *most;
}

typedef struct phase {
    congru_training *training;
    congru_step_task task;
    size_t first; /* of this process's chunks */
} phase;

static void run_block(void *user, size_t block, int worker)
{
    /* Trials are drawn from anywhere, and with each the system brings what it keeps in one piece: up to 2 MB of a file. */
    enum { PIECE = 1 << 21 };
    const phase *p = user;
    congru_training *training = p->training;
    congru_step_chunk chunk = {.training = training, .block = p->first + block};
    chunk.first = chunk.block * CONGRU_STEP_CHUNK;
    size_t left = training->count - chunk.first;
    chunk.count = left < CONGRU_STEP_CHUNK ? left : CONGRU_STEP_CHUNK;
    chunk.vectors = congru_kernel_vectors(training->kernel, chunk.count);
    chunk.arena = &training->context->scratch[worker];
    congru_arena_reset(chunk.arena);
    congru_store_pass(chunk.count * PIECE);
    p->task(&chunk);
}

congru_status congru_training_run(congru_training *training, congru_step_phase which, congru_step_task task)
{
    phase p = {.training = training, .task = task};
    const size_t used = (training->count + CONGRU_STEP_CHUNK - 1) / CONGRU_STEP_CHUNK;
    congru_crew *crew = training->context->crew;
    size_t end;
    congru_training_own_chunks(training, congru_crew_rank(crew), used, &p.first, &end);
    congru_team_run(training->context->team, end - p.first, run_block, &p);
    congru_status status = congru_scratch_check(training->context);
    if (status != CONGRU_OK)
        return status;
    if (congru_crew_shares(crew)) {
        status = congru_training_exchange(training, which, used);
        if (status != CONGRU_OK)
            return status;
    }
    for (size_t chunk = 0; chunk < used; chunk++) {
        const congru_step_failure *failure = &training->failure[chunk];
        if (failure->layer > 0)
            return congru_fail(training->context, CONGRU_ERROR_NOT_FINITE,
                               "step %zu: trial %zu has no eigenvalues at layer %zu, its numbers are no longer "
                               "finite (a smaller rate, or a smaller clip, keeps them in range)",
                               training->step, training->index[failure->position] + 1, failure->layer);
    }
    return CONGRU_OK;
}

/* ---- Making -------------------------------------------------------------------------------------- */

static void layout(congru_arena *arena, congru_training *t)
{
    t->shares = 0;
    double **vectors[] = {&t->parameter, &t->gradient, &t->first_moment, &t->second_moment,
                          &t->best,      &t->averaged, &t->aside};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        *vectors[k] = congru_arena_take(arena, t->size + CONGRU_GROUP, sizeof(double));
    const size_t padded = t->chunks * CONGRU_STEP_CHUNK;
    t->present = congru_arena_take(arena, t->classes, sizeof(bool));
    t->index = congru_arena_take(arena, padded, sizeof(size_t));
    t->label = congru_arena_take(arena, padded, sizeof(int32_t));
    t->subject = congru_arena_take(arena, padded, sizeof(int32_t));
    t->by_subject_order = congru_arena_take(arena, t->trials->count, sizeof(size_t));
    t->subject_start = congru_arena_take(arena, t->subjects + 1, sizeof(size_t));
    t->pool = congru_arena_take(arena, t->subjects, sizeof(size_t));
    t->held_out = congru_arena_take(arena, t->subjects, sizeof(bool));
    t->failure = congru_arena_take(arena, t->chunks, sizeof(congru_step_failure));
    t->low = congru_arena_take(arena, t->chunks, sizeof(double));
    t->high = congru_arena_take(arena, t->chunks, sizeof(double));
    for (congru_step_phase after = CONGRU_PHASE_FORWARD; after <= CONGRU_PHASE_BACKWARD; after++) {
        add_share(t, after, t->failure, sizeof *t->failure, t->chunks * sizeof *t->failure);
        add_share(t, after, t->low, sizeof *t->low, t->chunks * sizeof *t->low);
        add_share(t, after, t->high, sizeof *t->high, t->chunks * sizeof *t->high);
    }
    t->start_row = congru_arena_take(arena, t->trials->count * t->stride, sizeof(double));
    t->mean_row = congru_arena_take(arena, t->stride, sizeof(double));
    congru_scatter_layout(arena, t->classes, t->stride, &t->action);
    congru_scatter_layout(arena, t->subjects, t->stride, &t->by_subject);
    if (t->end_to_end)
        congru_head_layout(arena, t);
    congru_watch_layout(arena, t);
    t->model->layout(arena, t);
}

static congru_status check_trials(congru_context *context, const congru_trials *trials)
{
    congru_status status = congru_check_shape(context, trials->count, trials->d);
    size_t present = 0;
    for (size_t k = 0; status == CONGRU_OK && k < trials->classes; k++) {
        size_t i = 0;
        while (i < trials->count && trials->label[i] != (int32_t)k)
            i++;
        present += i < trials->count;
    }
    if (status == CONGRU_OK && present < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a network needs trials of at least two classes, and there are trials of %zu",
                           present);
    for (size_t i = 0; status == CONGRU_OK && i < trials->count; i++) {
        if (trials->label[i] < 0 || (size_t)trials->label[i] >= trials->classes || trials->subject[i] < 0 ||
            (size_t)trials->subject[i] >= trials->subjects)
            status =
                congru_fail(context, CONGRU_ERROR_ARGUMENT, "trial %zu: class or subject out of range", i + 1);
    }
    return status;
}

static congru_status check_extras(congru_context *context, bool end_to_end, size_t subjects,
                                  const congru_network_options *o)
{
    const double shares[] = {o->label_smoothing, o->subject_dropout, o->average};
    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
        if (!(shares[k] >= 0.0 && shares[k] < 1.0))
            return congru_fail(
                context, CONGRU_ERROR_ARGUMENT,
                "a share of %g: label smoothing, subject dropout and the average's decay are 0 to below 1",
                shares[k]);
    }
    if (o->validation_subjects < 0 || (size_t)o->validation_subjects >= subjects)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%d subjects to validate with, of %zu: at least one must be left to train with",
                           o->validation_subjects, subjects);
    if (o->ensemble < 0 || (o->ensemble > 1 && !end_to_end))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "an ensemble of %d: it must be 1 or more, and only end-to-end models have one",
                           o->ensemble);
    return CONGRU_OK;
}

static congru_status check_options(congru_context *context, bool end_to_end, const congru_network_options *o)
{
    if (o->steps < 0 || o->batch < 1)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%d steps in batches of %d: steps must be 0 or more and a batch 1 or more", o->steps,
                           o->batch);
    const double least[] = {o->rate,
                            o->decay,
                            o->clip,
                            o->action,
                            o->subject,
                            o->within,
                            o->between,
                            o->reconstruction,
                            o->cross_entropy,
                            o->ratio,
                            o->subject_ratio,
                            o->gamma_penalty,
                            o->rotation_penalty,
                            o->centre_penalty,
                            o->layer_jitter,
                            o->head_jitter,
                            o->floor};
    for (size_t k = 0; k < sizeof least / sizeof least[0]; k++) {
        const double x = least[k];
        if (!(x >= 0.0 && isfinite(x)))
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "a rate, weight or jitter of %g: they must be finite and 0 or more", x);
    }
    if (o->unconstrained && !end_to_end)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "unconstrained training has cross-entropy alone, which only end-to-end models have");
    return CONGRU_OK;
}

static void apply_choices(congru_training *t)
{
    congru_network_options *o = &t->options, standard;
    congru_method_options defaults;
    congru_method_options_init(&defaults);
    standard = defaults.network;
    if (o->unconstrained)
        o->action = o->subject = o->reconstruction = o->ratio = o->subject_ratio = o->gamma_penalty =
            o->rotation_penalty = o->centre_penalty = 0.0;
    if (o->recipe != CONGRU_RECIPE_AUTHORS)
        return;
    if (t->backbone == CONGRU_BACKBONE_DCT) {
        o->dispersion = CONGRU_DISPERSION_SUBJECT;
        if (o->steps == standard.steps)
            o->steps = 400;
    }
    if (t->backbone == CONGRU_BACKBONE_UNET)
        o->initial = CONGRU_INITIAL_RANDOM;
}

static congru_status build(congru_training *t)
{
    congru_status status = t->model->plan(t);
    if (status != CONGRU_OK)
        return status;
    t->features = congru_spd_tangent_size(t->out);
    t->stride = (t->features + CONGRU_GROUP - 1) / CONGRU_GROUP * CONGRU_GROUP;
    t->needs_out = t->end_to_end || t->options.affine_reconstruction;
    if (t->end_to_end)
        congru_head_plan(t);
    congru_arena measure = {0};
    layout(&measure, t);
    if (congru_arena_reserve(&t->arena, measure.used) != CONGRU_OK)
        return congru_fail(t->context, CONGRU_ERROR_MEMORY, "not enough memory to train: %zu bytes are needed",
                           measure.used);
    layout(&t->arena, t);
    status = congru_workspace_check(t->context, &t->arena);
    if (status != CONGRU_OK)
        return status;
    memset(t->parameter, 0, t->size * sizeof(double));
    memset(t->averaged, 0, t->size * sizeof(double));
    memset(t->first_moment, 0, t->size * sizeof(double));
    memset(t->second_moment, 0, t->size * sizeof(double));
    for (size_t k = 0; k < t->classes; k++)
        t->present[k] = false;
    for (size_t i = 0; i < t->trials->count; i++)
        t->present[t->trials->label[i]] = true;
    for (size_t k = 0; k < t->classes; k++) {
        t->present_count += t->present[k];
        if (!t->present[k] && t->end_to_end)
            congru_note(t->context, "class %zu has no trial among the source subjects: it is never predicted",
                        k);
    }
    congru_training_start_batches(t);
    status = t->model->start(t);
    return status == CONGRU_OK ? congru_watch_start(t) : status;
}

congru_status congru_training_create(congru_context *context, congru_backbone backbone, bool end_to_end,
                                     const congru_trials *trials, const congru_method_options *options,
                                     congru_training **training)
{
    *training = NULL;
    congru_status status = check_trials(context, trials);
    if (status == CONGRU_OK)
        status = check_options(context, end_to_end, &options->network);
    if (status == CONGRU_OK)
        status = check_extras(context, end_to_end, trials->subjects, &options->network);
    if (status != CONGRU_OK)
        return status;
    congru_training *t = calloc(1, sizeof *t);
    if (t == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to train");
    t->context = context;
    t->kernel = context->kernel;
    t->backbone = backbone;
    t->model = models[backbone];
    t->end_to_end = end_to_end;
    t->seed = options->seed;
    t->options = options->network;
    t->trials = trials;
    t->d = trials->d;
    t->classes = trials->classes;
    t->subjects = trials->subjects;
    t->best_loss = INFINITY;
    t->capacity = trials->count < (size_t)t->options.batch ? trials->count : (size_t)t->options.batch;
    t->chunks = (t->capacity + CONGRU_STEP_CHUNK - 1) / CONGRU_STEP_CHUNK;
    if (backbone == CONGRU_BACKBONE_UNET && !t->options.skip_merges)
        t->model = &congru_affine_model; /* without merges it is a plain stack */
    apply_choices(t);
    status = build(t);
    if (status != CONGRU_OK)
        congru_training_destroy(&t);
    *training = t;
    return status;
}

void congru_training_destroy(congru_training **training)
{
    if (*training == NULL)
        return;
    congru_arena_free(&(*training)->arena);
    free(*training);
    *training = NULL;
}
