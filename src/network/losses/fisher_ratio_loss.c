/* DCT's loss: ratios of scatters of turned logarithms, and what holds gamma and R back. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/scalar_math.h"
#include "network/constants.h"
#include "network/layers/rotation_layer.h"

/* Scatters by action and subject, or derivatives by them: of whole matrices, or by axes, between groups on the
 * diagonal and within them off it. Of a matrix the off-diagonal part is the whole less the diagonal. */
typedef struct scattered {
    double within_action, between_action, within_subject, between_subject;
} scattered;

typedef struct fisher {
    scattered slope;
    double square; /* what multiplies the rows' scatters: gamma^2 where rows are those before gamma and R */
    double loss;
    double *mean, *turned; /* (d, d): M, the mean logarithm before gamma and R, and M R; where rows are those */
    double *diagonal;      /* (d): of the mean logarithm, after R */
} fisher;

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

/* Rows of whole matrices; of diagonals, where axes count, else NULL. */
static congru_rows *whole_of(congru_graph *graph, const congru_node *node)
{
    return congru_graph_source(graph, node, 0)->rows;
}

static congru_rows *axes_of(congru_graph *graph, const congru_node *node)
{
    return node->inputs > 1 ? congru_graph_source(graph, node, 1)->rows : NULL;
}

static scattered measure(const congru_rows *whole, const congru_rows *axes, double square)
{
    scattered s = {whole->action.within, whole->action.between, whole->subject.within, whole->subject.between};
    if (axes != NULL) {
        s.within_action -= axes->action.within;
        s.between_action = axes->action.between;
        s.within_subject -= axes->subject.within;
        s.between_subject = axes->subject.between;
    }
    s.within_action *= square;
    s.between_action *= square;
    s.within_subject *= square;
    s.between_subject *= square;
    return s;
}

/* ---- The centre penalty ------------------------------------------------------------------------------ */

static size_t dimension(const congru_graph *graph)
{
    return graph->node[graph->rotation].out.rows;
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    fisher *f = node->state;
    const size_t d = dimension(graph);
    f->mean = congru_arena_take(arena, d * d, sizeof(double));
    f->turned = congru_arena_take(arena, d * d, sizeof(double));
    f->diagonal = congru_arena_take(arena, d, sizeof(double));
}

/* Where element (i, i) is in a row. */
static size_t place_of(size_t d, size_t i)
{
    return i * (2 * d + 1 - i) / 2;
}

/* M of its row, M R and the diagonal of R^T M R. */
static void turn_mean(const congru_graph *graph, const double *row, fisher *f)
{
    const congru_kernel *kernel = graph->context->kernel;
    const double *r = congru_rotation_of(graph)->r, half = sqrt(0.5);
    const size_t d = dimension(graph);
    for (size_t i = 0; i < d; i++) {
        const double *from = row + place_of(d, i);
        f->mean[i * (d + 1)] = from[0];
        for (size_t j = i + 1; j < d; j++)
            f->mean[i * d + j] = f->mean[j * d + i] = from[j - i] * half;
    }
    kernel->dense(d, d, d, congru_shared(f->mean, d), r, false, f->turned);
    for (size_t j = 0; j < d; j++) {
        f->diagonal[j] = 0.0;
        for (size_t i = 0; i < d; i++)
            f->diagonal[j] += r[i * d + j] * f->turned[i * d + j];
    }
}

/* CP of Algorithm 9, by a definition of ours: the squared norm of what is off the diagonal of the batch's mean logarithm. */
static double measure_centre(const congru_graph *graph, const congru_rows *whole, fisher *f)
{
    const size_t d = dimension(graph);
    if (whole->constant)
        turn_mean(graph, whole->mean, f);
    for (size_t i = 0; i < d && !whole->constant; i++)
        f->diagonal[i] = whole->mean[place_of(d, i)];
    return f->square * (congru_squared_norm(whole->stride, whole->mean) - congru_squared_norm(d, f->diagonal));
}

/* Adds weight times the derivative of CP by R, where it is not had by way of the rows: -4 M R diag(R^T M R). */
static void turn_centre(const congru_graph *graph, const fisher *f, double weight)
{
    const size_t d = dimension(graph);
    double *d_r = congru_rotation_of(graph)->d_r;
    for (size_t e = 0; e < d * d; e++)
        d_r[e] -= 4.0 * weight * f->square * f->turned[e] * f->diagonal[e % d];
}

/* ---- The whole --------------------------------------------------------------------------------------- */

/* beta ||R - I||^2, beta falling as half a cosine over the steps; sets the derivative by R. */
static double hold_rotation(const congru_graph *graph, double loss)
{
    const congru_network_options *o = graph->options;
    const congru_rotation *rotation = congru_rotation_of(graph);
    const size_t d = graph->node[graph->rotation].out.rows;
    const double steps = o->steps > 0 ? (double)o->steps : 1.0;
    const double turn = (double)graph->step < steps ? 0.5 * (double)graph->step / steps : 0.5;
    const double beta = o->rotation_penalty * 0.5 * (1.0 + congru_scalar_cos_2pi(turn));
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            double gap = rotation->r[i * d + j] - (i == j ? 1.0 : 0.0);
            loss += beta * gap * gap;
            rotation->d_r[i * d + j] = 2.0 * beta * gap;
        }
    }
    return loss;
}

static congru_status meet(congru_graph *graph, congru_node *node)
{
    fisher *f = node->state;
    const congru_network_options *o = graph->options;
    const congru_rows *whole = whole_of(graph, node);
    congru_scaling *scaling = congru_scaling_of(graph);
    const double gamma = scaling->gamma;
    f->square = whole->constant ? gamma * gamma : 1.0;
    const scattered s = measure(whole, axes_of(graph, node), f->square);
    const double centre = o->centre_penalty != 0.0 ? measure_centre(graph, whole, f) : 0.0;
    scattered *ds = &f->slope;
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
    f->loss = hold_rotation(graph, loss);
    if (whole->constant && o->centre_penalty != 0.0)
        turn_centre(graph, f, o->centre_penalty);
    graph->series[CONGRU_SERIES_WITHIN_ACTION] = s.within_action;
    graph->series[CONGRU_SERIES_BETWEEN_ACTION] = s.between_action;
    graph->series[CONGRU_SERIES_WITHIN_SUBJECT] = s.within_subject;
    graph->series[CONGRU_SERIES_BETWEEN_SUBJECT] = s.between_subject;
    return CONGRU_OK;
}

/* The derivative by rows from those by their scatters. */
static void add_terms(const congru_graph *graph, congru_rows *rows, scattered slope)
{
    double own = 0.0;
    const size_t n = graph->batch->count;
    congru_scatter_backward(&rows->action, n, rows->mean, rows->scale, slope.within_action,
                            slope.between_action, &own);
    congru_scatter_backward(&rows->subject, n, rows->mean, rows->scale, slope.within_subject,
                            slope.between_subject, &own);
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_SELF, own, NULL, NULL});
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_LABEL, 1.0, rows->action.offset, NULL});
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_SUBJECT, 1.0, rows->subject.offset, NULL});
}

/* That of CP: of the mean what is off the diagonal, which the derivative by every class shares. */
static void add_centre(const congru_graph *graph, congru_rows *rows)
{
    const double weight = 2.0 * graph->options->centre_penalty / (double)graph->batch->count;
    const size_t d = dimension(graph);
    for (size_t k = 0; k < rows->action.groups; k++) {
        double *offset = rows->action.offset + k * rows->stride;
        for (size_t i = 0; i < d; i++)
            for (size_t e = place_of(d, i) + 1; e < place_of(d, i + 1); e++)
                offset[e] += weight * rows->mean[e];
    }
}

static void part(congru_graph *graph, congru_node *node)
{
    const fisher *f = node->state;
    const scattered *ds = &f->slope;
    congru_rows *whole = whole_of(graph, node), *axes = axes_of(graph, node);
    const double square = f->square;
    if (axes != NULL)
        add_terms(graph, axes,
                  (scattered){-ds->within_action * square, ds->between_action * square,
                              -ds->within_subject * square, ds->between_subject * square});
    if (whole->constant)
        return;
    add_terms(graph, whole,
              (scattered){ds->within_action, axes != NULL ? 0.0 : ds->between_action, ds->within_subject,
                          axes != NULL ? 0.0 : ds->between_subject});
    add_centre(graph, whole);
}

/* Extremes of exp(gamma L'), which no rotation changes. */
static void watch(congru_graph *graph)
{
    const congru_constants *c = graph->constants;
    const double gamma = congru_scaling_of(graph)->gamma;
    const size_t d = c->trials->d;
    for (size_t i = 0; i < graph->batch->count && graph->watched; i++) {
        const double *values = c->values + graph->batch->index[i] * d;
        const double low = congru_scalar_exp(gamma * values[0]),
                     high = congru_scalar_exp(gamma * values[d - 1]);
        graph->marks[0].low = low < graph->marks[0].low ? low : graph->marks[0].low;
        graph->marks[0].high = high > graph->marks[0].high ? high : graph->marks[0].high;
    }
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    const fisher *f = node->state;
    graph->series[CONGRU_SERIES_LOSS] += f->loss;
    watch(graph);
    return CONGRU_OK;
}

const congru_layer congru_loss_fisher_ratio = {
    .name = "Fisher ratio",
    .traits = CONGRU_TRAIT_LOSS,
    .state = {.bytes = sizeof(fisher), .layout = layout},
    .batch = {meet, part},
    .finish = finish,
};
