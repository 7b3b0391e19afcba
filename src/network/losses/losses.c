/* The losses: cross-entropy, Fisher terms, ratios of scatters, reconstruction. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/scalar_math.h"
#include "network/constants.h"
#include "network/layers/layers.h"

/* The loss of the batch is `weight` times the mean of the trials' numbers. */
static void add_mean(const congru_node *node, congru_series series, double weight)
{
    const congru_graph *graph = node->graph;
    double sum = 0.0;
    for (size_t i = 0; i < graph->batch->count; i++)
        sum += node->scalar[i];
    graph->series[series] = sum / (double)graph->batch->count;
    graph->series[CONGRU_SERIES_LOSS] += weight * graph->series[series];
}

/* The rows of a loss of the whole batch; of its second input NULL where it has none. */
static congru_rows *rows_of(const congru_node *node, size_t k)
{
    return k < node->inputs ? congru_node_source(node, k)->rows : NULL;
}

/* ---- Softmax cross-entropy of scores with the labels ------------------------------------------------- */

static void entropy_plan(congru_node *node)
{
    node->saved_size[0] = node->in[0].size;
    node->has_scalar = true;
}

/* Loss of one trial from its scores; they become the derivative by them. All `step` doubles apart. The target is the
 * label, smoothed: a share of its weight goes to all classes alike. */
static double one_trial(const congru_graph *graph, size_t classes, size_t label, double scale, size_t step,
                        double *score)
{
    const double *present = graph->constants->present, smoothing = graph->options->label_smoothing,
                 share = smoothing / (double)graph->constants->present_count;
    double largest = -INFINITY, sum = 0.0, expected = 0.0;
    for (size_t k = 0; k < classes; k++) {
        if (present[k] != 0.0 && score[k * step] > largest)
            largest = score[k * step];
    }
    for (size_t k = 0; k < classes; k++) {
        const double target = (present[k] != 0.0 ? share : 0.0) + (k == label ? 1.0 - smoothing : 0.0);
        expected += target * (score[k * step] - largest);
        score[k * step] = present[k] != 0.0 ? congru_scalar_exp(score[k * step] - largest) : 0.0;
        sum += score[k * step];
    }
    for (size_t k = 0; k < classes; k++) {
        const double target = (present[k] != 0.0 ? share : 0.0) + (k == label ? 1.0 - smoothing : 0.0);
        score[k * step] = scale * (score[k * step] / sum - target);
    }
    return congru_scalar_log(sum) - expected;
}

/* Saves the derivative. */
static void entropy_forward(const congru_call *call)
{
    const congru_graph *graph = call->node->graph;
    const size_t classes = call->node->in[0].rows, width = call->kernel->width;
    const double scale = graph->options->cross_entropy / (double)call->batch->count;
    memcpy(call->saved[0], call->x[0], congru_call_doubles(call, classes) * sizeof(double));
    for (size_t m = 0; m < call->vectors * width; m++) {
        double *own = call->saved[0] + congru_call_lane(call, classes, m);
        if (m < call->count) {
            const size_t label = (size_t)call->batch->label[call->first + m];
            call->scalar[m] = one_trial(graph, classes, label, scale, width, own);
        } else {
            for (size_t k = 0; k < classes; k++)
                own[k * width] = 0.0;
        }
    }
}

static void entropy_backward(const congru_call *call)
{
    if (call->d_x[0] != NULL)
        memcpy(call->d_x[0], call->saved[0],
               congru_call_doubles(call, call->node->in[0].size) * sizeof(double));
}

static congru_status entropy_finish(congru_node *node)
{
    add_mean(node, CONGRU_SERIES_CROSS_ENTROPY, node->graph->options->cross_entropy);
    return CONGRU_OK;
}

const congru_layer congru_loss_cross_entropy = {
    .name = "cross-entropy",
    .traits = CONGRU_TRAIT_LOSS,
    .plan = entropy_plan,
    .trials = {entropy_forward, entropy_backward},
    .finish = entropy_finish,
};

/* ---- Fisher terms: classes apart and each of them close, subjects the other way round ---------------- */

/* Of actions and subjects, the part of the derivative that the rows of a group share. */
static void add_group_terms(congru_rows *rows)
{
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_LABEL, 1.0, rows->action.offset, NULL});
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_SUBJECT, 1.0, rows->subject.offset, NULL});
}

static void add_own_term(congru_rows *rows, double weight)
{
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_SELF, weight, NULL, NULL});
}

static void record_scatters(const congru_node *node, const congru_scattered *s)
{
    double *series = node->graph->series;
    series[CONGRU_SERIES_WITHIN_ACTION] = s->within_action;
    series[CONGRU_SERIES_BETWEEN_ACTION] = s->between_action;
    series[CONGRU_SERIES_WITHIN_SUBJECT] = s->within_subject;
    series[CONGRU_SERIES_BETWEEN_SUBJECT] = s->between_subject;
}

static congru_scattered scatters_of(const congru_rows *rows)
{
    return (congru_scattered){rows->action.within, rows->action.between, rows->subject.within,
                              rows->subject.between};
}

static congru_status scatters_meet(congru_node *node)
{
    const congru_scattered s = scatters_of(rows_of(node, 0));
    record_scatters(node, &s);
    return CONGRU_OK;
}

static void scatters_part(congru_node *node)
{
    const congru_network_options *o = node->graph->options;
    congru_rows *rows = rows_of(node, 0);
    const congru_scattered slope = {o->action * o->within, -o->action * o->between, -o->subject * o->within,
                                    o->subject * o->between};
    const double own = congru_rows_slopes(rows, node->graph->batch->count, &slope);
    add_group_terms(rows);
    add_own_term(rows, own);
}

static congru_status scatters_finish(congru_node *node)
{
    const congru_network_options *o = node->graph->options;
    const congru_scattered s = scatters_of(rows_of(node, 0));
    node->graph->series[CONGRU_SERIES_LOSS] +=
        o->action * (o->within * s.within_action - o->between * s.between_action) +
        o->subject * (o->between * s.between_subject - o->within * s.within_subject);
    return CONGRU_OK;
}

const congru_layer congru_loss_scatters = {
    .name = "scatters",
    .traits = CONGRU_TRAIT_LOSS,
    .batch = {scatters_meet, scatters_part},
    .finish = scatters_finish,
};

/* ---- DCT's loss: ratios of scatters of turned logarithms, and what holds gamma and R back ------------ */

/* Input 0 is the rows of whole matrices. Where axes count, input 1 is those of diagonals: between groups on the diagonal and
 * within them off it, and of a matrix the off-diagonal part is the whole less the diagonal. */
typedef struct fisher {
    congru_scattered slope;
    double square; /* what multiplies the rows' scatters: gamma^2 where rows are those before gamma and R */
    double loss;
    double *mean, *turned; /* (d, d): M, the mean logarithm before gamma and R, and M R; where rows are those */
    double *diagonal;      /* (d): of the mean logarithm, after R */
} fisher;

static size_t dimension(const congru_node *node)
{
    return node->graph->node[node->graph->rotation].out.rows;
}

static void fisher_plan(congru_node *node)
{
    fisher *f = node->state;
    const size_t d = dimension(node);
    f->mean = congru_take_doubles(node, d * d);
    f->turned = congru_take_doubles(node, d * d);
    f->diagonal = congru_take_doubles(node, d);
}

/* weight * up / (down + floor), or of its logarithm, and the derivatives. */
static double ratio(const congru_network_options *o, double weight, double up, double down, double *d_up,
                    double *d_down)
{
    const double bottom = down + o->ratio_floor, top = up + o->ratio_floor;
    if (o->log_ratio) {
        *d_up = weight / top;
        *d_down = -weight / bottom;
        return weight * (congru_scalar_log(top) - congru_scalar_log(bottom));
    }
    *d_up = weight / bottom;
    *d_down = -weight * up / (bottom * bottom);
    return weight * (up / bottom);
}

static congru_scattered measure(const congru_rows *whole, const congru_rows *axes, double square)
{
    congru_scattered s = scatters_of(whole);
    if (axes != NULL) {
        s.within_action -= axes->action.within;
        s.between_action = axes->action.between;
        s.within_subject -= axes->subject.within;
        s.between_subject = axes->subject.between;
    }
    return (congru_scattered){s.within_action * square, s.between_action * square, s.within_subject * square,
                              s.between_subject * square};
}

/* Where element (i, i) is in a row. */
static size_t place_of(size_t d, size_t i)
{
    return i * (2 * d + 1 - i) / 2;
}

/* CP of Algorithm 9, by a definition of ours: the squared norm of what is off the diagonal of the batch's mean logarithm.
 * Where rows are those before gamma and R, M comes of its row, and the diagonal is that of R^T M R. */
static double measure_centre(const congru_node *node, const congru_rows *whole, const fisher *f)
{
    const double *r = congru_rotation_of(node->graph)->r;
    const size_t d = dimension(node);
    if (whole->constant) {
        congru_row_to_matrix(d, whole->mean, f->mean);
        node->graph->context->kernel->dense(d, d, d, congru_shared(f->mean, d), r, false, f->turned);
    }
    for (size_t j = 0; j < d; j++) {
        f->diagonal[j] = whole->constant ? 0.0 : whole->mean[place_of(d, j)];
        for (size_t i = 0; i < d && whole->constant; i++)
            f->diagonal[j] += r[i * d + j] * f->turned[i * d + j];
    }
    return f->square * (congru_squared_norm(whole->stride, whole->mean) - congru_squared_norm(d, f->diagonal));
}

/* Its derivative. By R, where it is not had by way of the rows, it is -4 M R diag(R^T M R). */
static void turn_centre(const congru_node *node, const fisher *f, double weight)
{
    const size_t d = dimension(node);
    double *d_r = congru_rotation_of(node->graph)->d_r;
    for (size_t e = 0; e < d * d; e++)
        d_r[e] -= 4.0 * weight * f->square * f->turned[e] * f->diagonal[e % d];
}

/* By rows, it is of the mean what is off the diagonal, which the derivative by every class shares. */
static void add_centre(const congru_node *node, const congru_rows *rows)
{
    const double weight = 2.0 * node->graph->options->centre_penalty / (double)node->graph->batch->count;
    const size_t d = dimension(node);
    for (size_t k = 0; k < rows->action.groups; k++) {
        double *offset = rows->action.offset + k * rows->stride;
        for (size_t i = 0; i < d; i++)
            for (size_t e = place_of(d, i) + 1; e < place_of(d, i + 1); e++)
                offset[e] += weight * rows->mean[e];
    }
}

/* beta ||R - I||^2, beta falling as half a cosine over the steps; sets the derivative by R. */
static double hold_rotation(const congru_node *node, double loss)
{
    const congru_graph *graph = node->graph;
    const congru_network_options *o = graph->options;
    const congru_rotation *rotation = congru_rotation_of(graph);
    const size_t d = dimension(node);
    const double steps = o->steps > 0 ? (double)o->steps : 1.0;
    const double turn = (double)graph->step < steps ? 0.5 * (double)graph->step / steps : 0.5;
    const double beta = o->rotation_penalty * 0.5 * (1.0 + congru_scalar_cos_2pi(turn));
    for (size_t e = 0; e < d * d; e++) {
        const double gap = rotation->r[e] - (e % (d + 1) == 0 ? 1.0 : 0.0);
        loss += beta * gap * gap;
        rotation->d_r[e] = 2.0 * beta * gap;
    }
    return loss;
}

static congru_status fisher_meet(congru_node *node)
{
    fisher *f = node->state;
    const congru_network_options *o = node->graph->options;
    const congru_rows *whole = rows_of(node, 0);
    congru_scaling *scaling = congru_scaling_of(node->graph);
    const double gamma = scaling->gamma;
    f->square = whole->constant ? gamma * gamma : 1.0;
    const congru_scattered s = measure(whole, rows_of(node, 1), f->square);
    const double centre = o->centre_penalty != 0.0 ? measure_centre(node, whole, f) : 0.0;
    congru_scattered *ds = &f->slope;
    double loss =
        ratio(o, o->ratio, s.within_action, s.between_action, &ds->within_action, &ds->between_action);
    loss += ratio(o, o->subject_ratio, s.between_subject, s.within_subject, &ds->between_subject,
                  &ds->within_subject);
    loss += o->centre_penalty * centre + o->gamma_penalty * (gamma - 1.0) * (gamma - 1.0);
    if (whole->constant) /* all of them are gamma^2 times something */
        scaling->d_gamma = 2.0 / gamma *
                           (ds->within_action * s.within_action + ds->between_action * s.between_action +
                            ds->within_subject * s.within_subject + ds->between_subject * s.between_subject +
                            o->centre_penalty * centre);
    scaling->d_gamma += 2.0 * o->gamma_penalty * (gamma - 1.0);
    f->loss = hold_rotation(node, loss);
    if (whole->constant && o->centre_penalty != 0.0)
        turn_centre(node, f, o->centre_penalty);
    record_scatters(node, &s);
    return CONGRU_OK;
}

/* The derivative by rows from those by their scatters. */
static void add_terms(const congru_node *node, congru_rows *rows, congru_scattered slope)
{
    add_own_term(rows, congru_rows_slopes(rows, node->graph->batch->count, &slope));
    add_group_terms(rows);
}

static void fisher_part(congru_node *node)
{
    const fisher *f = node->state;
    const congru_scattered *ds = &f->slope;
    congru_rows *whole = rows_of(node, 0), *axes = rows_of(node, 1);
    const double square = f->square;
    if (axes != NULL)
        add_terms(node, axes,
                  (congru_scattered){-ds->within_action * square, ds->between_action * square,
                                     -ds->within_subject * square, ds->between_subject * square});
    if (whole->constant)
        return;
    add_terms(node, whole,
              (congru_scattered){ds->within_action, axes != NULL ? 0.0 : ds->between_action, ds->within_subject,
                                 axes != NULL ? 0.0 : ds->between_subject});
    add_centre(node, whole);
}

/* Extremes of exp(gamma L'), which no rotation changes. */
static void watch(const congru_graph *graph)
{
    const congru_constants *c = graph->constants;
    const double gamma = congru_scaling_of(graph)->gamma;
    const size_t d = c->trials->d;
    for (size_t i = 0; i < graph->batch->count && graph->watched; i++) {
        const double *values = c->values + graph->batch->index[i] * d;
        congru_marks_widen(graph->marks, congru_scalar_exp(gamma * values[0]),
                           congru_scalar_exp(gamma * values[d - 1]));
    }
}

static congru_status fisher_finish(congru_node *node)
{
    node->graph->series[CONGRU_SERIES_LOSS] += ((const fisher *)node->state)->loss;
    watch(node->graph);
    return CONGRU_OK;
}

const congru_layer congru_loss_fisher_ratio = {
    .name = "Fisher ratio",
    .traits = CONGRU_TRAIT_LOSS,
    .state = sizeof(fisher),
    .plan = fisher_plan,
    .batch = {fisher_meet, fisher_part},
    .finish = fisher_finish,
};

/* ---- Reconstruction: how far outputs are from what went in, log-Euclidean and affine-invariant ------- */

static void reconstruction_plan(congru_node *node)
{
    node->has_scalar = true;
    node->need.lanes[0] = node->need.lanes[1] = node->in[0].size;
}

/* ||L_out - L'||^2 of each trial, on the leading block that both have. */
static void reconstruction_forward(const congru_call *call)
{
    const congru_constants *c = call->node->graph->constants;
    const congru_kernel *kernel = call->kernel;
    const size_t stride = call->node->in[0].size, count = congru_call_doubles(call, stride);
    double *gap = call->work.lanes[0];
    kernel->gather(call->vectors, stride, c->row, call->batch->index + call->first, gap);
    kernel->combine(count, -1.0, call->x[0], 1.0, gap);
    if (c->mask != NULL) {
        kernel->spread(call->vectors, stride, c->mask, call->work.lanes[1]);
        kernel->multiply(count, call->work.lanes[1], gap);
    }
    kernel->sum_squares(call->vectors, stride, gap, call->scalar);
}

static void reconstruction_part(congru_node *node)
{
    const congru_constants *c = node->graph->constants;
    congru_rows *rows = rows_of(node, 0);
    const double weight = 2.0 * node->graph->options->reconstruction / (double)node->graph->batch->count;
    if (c->mask != NULL) {
        congru_rows_add_term(rows, (congru_term){CONGRU_TERM_TRIAL, weight, c->row, c->mask});
        return;
    }
    add_own_term(rows, weight);
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_TRIAL, -weight, c->row, NULL});
}

static congru_status reconstruction_finish(congru_node *node)
{
    add_mean(node, CONGRU_SERIES_RECONSTRUCTION, node->graph->options->reconstruction);
    return CONGRU_OK;
}

const congru_layer congru_loss_reconstruction = {
    .name = "reconstruction",
    .traits = CONGRU_TRAIT_LOSS,
    .plan = reconstruction_plan,
    .trials = {.forward = reconstruction_forward},
    .batch = {.part = reconstruction_part},
    .finish = reconstruction_finish,
};

static size_t block_of(const congru_constants *c)
{
    return c->out < c->trials->d ? c->out : c->trials->d;
}

static void affine_plan(congru_node *node)
{
    const size_t m = block_of(node->graph->constants);
    node->has_scalar = true;
    node->depth = congru_node_source(node, 0)->depth + 1;
    node->need.spectral = m;
    for (int k = 0; k < 4; k++)
        node->need.lanes[k] = m * m;
    node->need.lanes[4] = m;
}

/* ||log(A C A)||^2 with A the inverse root of the trial: Y = A C A has eigenvalues y, the distance is the sum of log^2 y,
 * its derivative by Y is V (2 log y / y) V^T. Both come of one decomposition, on the way back. */
static void affine_backward(const congru_call *call)
{
    const congru_constants *constants = call->node->graph->constants;
    const congru_kernel *kernel = call->kernel;
    const size_t vectors = call->vectors, d = call->node->in[0].rows, m = block_of(constants);
    const size_t count = vectors * kernel->width;
    const double weight = 2.0 * call->node->graph->options->reconstruction / (double)call->batch->count;
    double *const *w = call->work.lanes, *root = w[0], *y = w[1], *z = w[2], *scaled = w[3], *values = w[4];
    double *logs = call->work.spectral.row;
    kernel->gather(vectors, m * m, constants->root, call->batch->index + call->first, root);
    congru_block_take(call, d, m, call->x[0], z);
    congru_spectral_congruence(kernel, vectors, m, m, z, congru_per_lane(root, m), y, scaled);
    congru_call_eigen(call, m, y, values, z);
    kernel->map((congru_function){CONGRU_FUNCTION_LOG, 0.0, 0.0}, count * m, values, logs);
    kernel->sum_squares(vectors, m, logs, call->scalar);
    for (size_t i = 0; i < count * m; i++)
        logs[i] = i / (m * kernel->width) * kernel->width + i % kernel->width < call->count
                      ? weight * logs[i] / values[i]
                      : 0.0;
    kernel->scale_columns(vectors, m, z, logs, scaled);
    kernel->product(vectors, m, m, m, congru_per_lane(scaled, m), congru_per_lane_transposed(z, m),
                    CONGRU_PRODUCT_SYMMETRIC, y);
    congru_spectral_congruence(kernel, vectors, m, m, y, congru_per_lane(root, m), z, scaled);
    if (call->d_x[0] != NULL)
        congru_block_give(call, d, m, z, call->d_x[0]);
}

const congru_layer congru_loss_affine_reconstruction = {
    .name = "affine-invariant reconstruction",
    .traits = CONGRU_TRAIT_LOSS | CONGRU_TRAIT_READS_X,
    .plan = affine_plan,
    .trials = {.backward = affine_backward},
    .finish = reconstruction_finish,
};
