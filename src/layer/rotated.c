/* DCT: scatters of scaled and turned logarithms, and what stays constant of them. SPDX-License-Identifier: Apache-2.0 */
#include "layer/rotated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/scalar_math.h"
#include "base/store.h"
#include "layer/rotated_head.h"

static const double ratio_floor = 1e-6;

static congru_status plan(congru_training *t)
{
    congru_rotated *r = &t->part.rotated;
    const congru_dispersion dispersion = t->options.dispersion;
    t->layers = 1;
    t->width[0] = t->width[1] = t->out = t->largest = t->d;
    r->generator = congru_training_segment(t, "a", t->d, t->d, false);
    r->learns_gamma = dispersion == CONGRU_DISPERSION_SUBJECT_GLOBAL || dispersion == CONGRU_DISPERSION_GLOBAL;
    if (r->learns_gamma)
        r->scale = congru_training_segment(t, "g", 1, 1, false);
    r->axis = t->options.fisher == CONGRU_FISHER_AXIS;
    r->log_ratio = t->options.recipe == CONGRU_RECIPE_AUTHORS;
    r->z_stride = (t->d + CONGRU_GROUP - 1) / CONGRU_GROUP * CONGRU_GROUP;
    return CONGRU_OK;
}

static void layout(congru_arena *arena, congru_training *t)
{
    congru_rotated *r = &t->part.rotated;
    const size_t count = t->trials->count, matrix = t->d * t->d;
    r->r = congru_arena_take(arena, matrix, sizeof(double));
    r->d_r = congru_arena_take(arena, matrix, sizeof(double));
    r->start_log = congru_arena_take(arena, count * matrix, sizeof(double));
    r->values = congru_arena_take(arena, count * t->d, sizeof(double));
    r->vectors = congru_arena_take(arena, count * matrix, sizeof(double));
    r->norm = congru_arena_take(arena, count, sizeof(double));
    r->low = congru_arena_take(arena, count, sizeof(double));
    r->high = congru_arena_take(arena, count, sizeof(double));
    r->dispersion = congru_arena_take(arena, t->subjects, sizeof(double));
    r->part_r = congru_training_partials(arena, t, CONGRU_PHASE_BACKWARD, matrix);
    if (r->axis) {
        r->p = congru_training_lanes(arena, t, matrix);
        r->z = congru_training_lanes(arena, t, r->z_stride);
        congru_training_share(t, CONGRU_PHASE_FORWARD, r->z, r->z_stride, t->chunks * CONGRU_STEP_CHUNK);
        r->z_mean = congru_arena_take(arena, r->z_stride, sizeof(double));
        congru_scatter_layout(arena, t->classes, r->z_stride, &r->z_action);
        congru_scatter_layout(arena, t->subjects, r->z_stride, &r->z_subject);
    }
    if (t->end_to_end)
        congru_rotated_head_layout(arena, t);
}

/* ---- What stays constant ------------------------------------------------------------------------- */

/* The root of the mean squared norm of each subject's logarithms; 1 where there is none. */
static void dispersions(congru_training *t)
{
    congru_rotated *r = &t->part.rotated;
    const bool by_subject = t->options.dispersion == CONGRU_DISPERSION_SUBJECT_GLOBAL ||
                            t->options.dispersion == CONGRU_DISPERSION_SUBJECT;
    for (size_t s = 0; s < t->subjects; s++) {
        double sum = 0.0, count = 0.0;
        for (size_t i = 0; i < t->trials->count && by_subject; i++) {
            if (t->trials->subject[i] == (int32_t)s) {
                sum += r->norm[i];
                count += 1.0;
            }
        }
        r->dispersion[s] = sum > 0.0 ? sqrt(sum / count) : 1.0;
    }
}

static double squared_norm(size_t count, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum;
}

static void scale_trial(congru_training *t, size_t i)
{
    congru_rotated *r = &t->part.rotated;
    const size_t d = t->d;
    const double dispersion = r->dispersion[t->trials->subject[i]];
    double *logarithm = r->start_log + i * d * d, *values = r->values + i * d,
           *row = t->start_row + i * t->stride;
    for (size_t e = 0; e < d * d; e++)
        logarithm[e] /= dispersion;
    for (size_t k = 0; k < d; k++)
        values[k] /= dispersion;
    r->norm[i] = squared_norm(d, values);
    r->low[i] = values[0];
    r->high[i] = values[d - 1];
    size_t e = 0;
    for (size_t a = 0; a < d; a++) {
        row[e++] = logarithm[a * d + a];
        for (size_t b = a + 1; b < d; b++)
            row[e++] = logarithm[a * d + b] * sqrt(2.0);
    }
    for (; e < t->stride; e++)
        row[e] = 0.0;
    congru_store_pass(2 * d * d * sizeof(double));
}

static congru_status start(congru_training *t)
{
    congru_rotated *r = &t->part.rotated;
    congru_status status = congru_training_logarithms(t, r->start_log, r->values, r->vectors);
    if (status != CONGRU_OK)
        return status;
    for (size_t i = 0; i < t->trials->count; i++)
        r->norm[i] = squared_norm(t->d, r->values + i * t->d);
    dispersions(t);
    for (size_t i = 0; i < t->trials->count; i++)
        scale_trial(t, i);
    return CONGRU_OK;
}

/* ---- Phases -------------------------------------------------------------------------------------- */

/* P = L' R and z, the diagonal of R^T P. */
static void axis_forward(const congru_step_chunk *chunk)
{
    congru_training *t = chunk->training;
    congru_rotated *r = &t->part.rotated;
    const congru_kernel *kernel = t->kernel;
    const size_t d = t->d, vectors = chunk->vectors, width = kernel->width;
    congru_step_work work;
    congru_step_work_layout(chunk->arena, t, vectors, &work);
    double *p = congru_step_lanes(chunk, r->p, d * d);
    kernel->gather(vectors, d * d, r->start_log, t->index + chunk->first, work.m[0]);
    kernel->product(vectors, d, d, d, congru_per_lane(work.m[0], d), congru_shared(r->r, d), CONGRU_PRODUCT_SET,
                    p);
    kernel->column_dots(vectors, d, d, r->r, p, work.value);
    for (size_t m = 0; m < chunk->count; m++) {
        double *z = r->z + (chunk->first + m) * r->z_stride;
        for (size_t a = 0; a < r->z_stride; a++)
            z[a] = a < d ? work.value[((m / width) * d + a) * width + m % width] : 0.0;
    }
}

/* dR = 2 sum P diag(dz). */
static void axis_backward(const congru_step_chunk *chunk, const congru_step_work *work)
{
    congru_training *t = chunk->training;
    congru_rotated *r = &t->part.rotated;
    const congru_kernel *kernel = t->kernel;
    const size_t d = t->d, width = kernel->width;
    double *g = work->value;
    for (size_t m = 0; m < chunk->vectors * width; m++) {
        const size_t i = chunk->first + m;
        const double *z = r->z + i * r->z_stride;
        const double *action = r->z_action.offset + (size_t)t->label[i] * r->z_stride;
        const double *subject = r->z_subject.offset + (size_t)t->subject[i] * r->z_stride;
        for (size_t a = 0; a < d; a++)
            g[((m / width) * d + a) * width + m % width] =
                m < chunk->count ? t->own * z[a] + action[a] + subject[a] : 0.0;
    }
    double *chains = congru_step_chains(chunk, d * d);
    kernel->add_columns(chunk->vectors, d, d, congru_step_lanes(chunk, r->p, d * d), g, chains);
    kernel->fold(d * d, chains, r->part_r + chunk->block * d * d);
}

static void backward_task(const congru_step_chunk *chunk)
{
    congru_training *t = chunk->training;
    congru_step_work work;
    congru_step_work_layout(chunk->arena, t, chunk->vectors, &work);
    if (t->part.rotated.axis)
        axis_backward(chunk, &work);
    if (t->end_to_end)
        congru_rotated_head_chunk(chunk, &work);
}

enum { STRETCH = 64 };

static void sum_block(void *user, size_t block, int worker)
{
    (void)worker;
    congru_training *t = user;
    const size_t first = block * STRETCH, left = t->stride - first;
    const size_t length = left < STRETCH ? left : STRETCH;
    congru_scatter_sum(t->kernel, &t->action, t->count, t->label, t->start_row, t->index, first, length);
    congru_scatter_sum(t->kernel, &t->by_subject, t->count, t->subject, t->start_row, t->index, first, length);
}

/* ---- Loss ---------------------------------------------------------------------------------------- */

/* weight * up / (down + floor), or of its logarithm, and the derivatives. */
static double ratio(const congru_rotated *r, double weight, double up, double down, double *d_up,
                    double *d_down)
{
    const double bottom = down + ratio_floor, top = up + ratio_floor;
    if (r->log_ratio) {
        *d_up = weight / top;
        *d_down = -weight / bottom;
        return weight * (congru_scalar_log(top) - congru_scalar_log(bottom));
    }
    *d_up = weight / bottom;
    *d_down = -weight * up / (bottom * bottom);
    return weight * (up / bottom);
}

/* Scatters of the logarithms before gamma and R; of z where axes count. */
static void scatters(congru_training *t)
{
    congru_rotated *r = &t->part.rotated;
    const double scale = 1.0 / (double)t->features;
    double square = 0.0;
    for (size_t i = 0; i < t->count; i++)
        square += r->norm[t->index[i]];
    congru_team_run(t->context->team, (t->stride + STRETCH - 1) / STRETCH, sum_block, t);
    congru_scatter_mean(&t->action, t->count, t->mean_row);
    congru_scatter_forward(&t->action, t->count, t->label, t->mean_row, square, scale);
    congru_scatter_forward(&t->by_subject, t->count, t->subject, t->mean_row, square, scale);
    if (!r->axis)
        return;
    double z_square = 0.0;
    for (size_t i = 0; i < t->count; i++)
        z_square += squared_norm(r->z_stride, r->z + i * r->z_stride);
    congru_scatter_sum(t->kernel, &r->z_action, t->count, t->label, r->z, NULL, 0, r->z_stride);
    congru_scatter_sum(t->kernel, &r->z_subject, t->count, t->subject, r->z, NULL, 0, r->z_stride);
    congru_scatter_mean(&r->z_action, t->count, r->z_mean);
    congru_scatter_forward(&r->z_action, t->count, t->label, r->z_mean, z_square, scale);
    congru_scatter_forward(&r->z_subject, t->count, t->subject, r->z_mean, z_square, scale);
}

/* Scatters of the output by action and subject: of a turned matrix the off-diagonal part is the whole, which no
 * rotation changes, less the diagonal. */
typedef struct scattered {
    double within_action, between_action, within_subject, between_subject, centre;
} scattered;

static scattered scattered_output(const congru_training *t)
{
    const congru_rotated *r = &t->part.rotated;
    const double square = r->gamma * r->gamma;
    scattered s = {t->action.within, t->action.between, t->by_subject.within, t->by_subject.between, 0.0};
    if (r->axis) {
        s.within_action -= r->z_action.within;
        s.between_action = r->z_action.between;
        s.within_subject -= r->z_subject.within;
        s.between_subject = r->z_subject.between;
        s.centre = squared_norm(t->stride, t->mean_row) - squared_norm(r->z_stride, r->z_mean);
    }
    s.within_action *= square;
    s.between_action *= square;
    s.within_subject *= square;
    s.between_subject *= square;
    s.centre *= square;
    return s;
}

/* The loss of scatters and penalties; their derivatives by z as own and offsets, by gamma, and by R. */
static double losses(congru_training *t, double *d_gamma)
{
    congru_rotated *r = &t->part.rotated;
    const congru_network_options *o = &t->options;
    const size_t d = t->d;
    const double gamma = r->gamma, square = gamma * gamma, scale = 1.0 / (double)t->features;
    const scattered s = scattered_output(t);
    scattered ds;
    double loss = ratio(r, o->ratio, s.within_action, s.between_action, &ds.within_action, &ds.between_action);
    loss += ratio(r, o->subject_ratio, s.between_subject, s.within_subject, &ds.between_subject,
                  &ds.within_subject);
    loss += o->centre_penalty * s.centre + o->gamma_penalty * (gamma - 1.0) * (gamma - 1.0);
    /* All of them are gamma^2 times something. */
    *d_gamma = 2.0 / gamma *
                   (ds.within_action * s.within_action + ds.between_action * s.between_action +
                    ds.within_subject * s.within_subject + ds.between_subject * s.between_subject +
                    o->centre_penalty * s.centre) +
               2.0 * o->gamma_penalty * (gamma - 1.0);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            double gap = r->r[i * d + j] - (i == j ? 1.0 : 0.0);
            loss += r->beta * gap * gap;
            r->d_r[i * d + j] = 2.0 * r->beta * gap;
        }
    }
    t->series[CONGRU_SERIES_WITHIN_ACTION] = s.within_action;
    t->series[CONGRU_SERIES_BETWEEN_ACTION] = s.between_action;
    t->series[CONGRU_SERIES_WITHIN_SUBJECT] = s.within_subject;
    t->series[CONGRU_SERIES_BETWEEN_SUBJECT] = s.between_subject;
    if (!r->axis)
        return loss;
    t->own = 0.0;
    congru_scatter_backward(&r->z_action, t->count, r->z_mean, scale, -ds.within_action * square,
                            ds.between_action * square, &t->own);
    congru_scatter_backward(&r->z_subject, t->count, r->z_mean, scale, -ds.within_subject * square,
                            ds.between_subject * square, &t->own);
    const double centre = 2.0 * o->centre_penalty * square / (double)t->count;
    for (size_t e = 0; e < t->classes * r->z_stride; e++)
        r->z_action.offset[e] -= centre * r->z_mean[e % r->z_stride];
    return loss;
}

double congru_rotated_gamma(const congru_training *t)
{
    const congru_rotated *r = &t->part.rotated;
    return r->learns_gamma ? congru_scalar_exp(*congru_training_parameter(t, r->scale)) : 1.0;
}

static congru_status prepare(congru_training *t)
{
    congru_rotated *r = &t->part.rotated;
    const double steps = t->options.steps > 0 ? (double)t->options.steps : 1.0;
    const double turn = (double)t->step < steps ? 0.5 * (double)t->step / steps : 0.5;
    r->beta = t->options.rotation_penalty * 0.5 * (1.0 + congru_scalar_cos_2pi(turn));
    r->gamma = congru_rotated_gamma(t);
    return congru_rotation_forward(t->context, t->d, congru_training_parameter(t, r->generator), r->r);
}

static void watch(congru_training *t)
{
    const congru_rotated *r = &t->part.rotated;
    for (size_t i = 0; i < t->count && t->watched; i++) {
        const double low = congru_scalar_exp(r->gamma * r->low[t->index[i]]),
                     high = congru_scalar_exp(r->gamma * r->high[t->index[i]]);
        t->low[0] = low < t->low[0] ? low : t->low[0];
        t->high[0] = high > t->high[0] ? high : t->high[0];
    }
}

static congru_status evaluate(congru_training *t)
{
    congru_rotated *r = &t->part.rotated;
    const size_t matrix = t->d * t->d;
    congru_status status = prepare(t);
    if (status == CONGRU_OK && r->axis)
        status = congru_training_run(t, CONGRU_PHASE_FORWARD, axis_forward);
    if (status != CONGRU_OK)
        return status;
    scatters(t);
    double d_gamma, loss = losses(t, &d_gamma);
    if (t->end_to_end)
        congru_rotated_head_prepare(t);
    if (t->end_to_end || r->axis)
        status = congru_training_run(t, CONGRU_PHASE_BACKWARD, backward_task);
    if (status != CONGRU_OK)
        return status;
    if (r->axis) {
        for (size_t e = 0; e < matrix; e++)
            r->d_r[e] *= 0.5; /* doubled below, as the partial sums must be */
        congru_training_add_partials(t, matrix, r->part_r, r->d_r);
        for (size_t e = 0; e < matrix; e++)
            r->d_r[e] *= 2.0;
    }
    if (t->end_to_end) {
        t->series[CONGRU_SERIES_CROSS_ENTROPY] = congru_rotated_head_finish(t, &d_gamma);
        loss += t->options.cross_entropy * t->series[CONGRU_SERIES_CROSS_ENTROPY];
    }
    if (r->learns_gamma)
        *congru_training_gradient(t, r->scale) = r->gamma * d_gamma;
    t->series[CONGRU_SERIES_LOSS] = loss;
    watch(t);
    return congru_rotation_backward(t->context, t->d, congru_training_parameter(t, r->generator), r->d_r,
                                    congru_training_gradient(t, r->generator));
}

const congru_step_model congru_rotated_model = {plan, layout, start, evaluate};
