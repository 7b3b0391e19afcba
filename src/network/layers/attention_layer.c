/* Self-attention of several heads: y = softmax(q k^T / sqrt(width)) v over the samples of a trial. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "network/layers/dropout.h"

/* The input has the channels of queries, keys and values beside each other, the heads one after the other in each; number[2]
 * heads. Dropout leaves out weights of the softmax: number[0] and [1].
 *
 * Weights stand with the keys in rows and the queries in columns, that is in lanes: sums over keys run down the rows, and
 * each lane is a query's own. What is beyond the last query is zero or is not read. */
typedef struct heads {
    size_t count, width; /* channels of a head */
    size_t tokens, step; /* queries padded to whole vectors */
    size_t all, in, out; /* channels of all heads; reals from one sample to the next */
    double scale;
} heads;

static heads heads_of(const congru_node *node)
{
    heads h = {.count = (size_t)node->number[2], .tokens = node->out.rows, .all = node->out.cols};
    h.width = h.all / h.count;
    h.step = congru_real_step(h.tokens);
    h.in = congru_extent_step(&node->in[0]);
    h.out = congru_extent_step(&node->out);
    h.scale = 1.0 / sqrt((double)h.all);
    return h;
}

/* Scratch: [0] a head's queries, or what is its own, in lanes, and two squares; [1] what is drawn. */
static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    const heads h = heads_of(node);
    const size_t square = h.tokens * h.step;
    node->saved_size[0] = congru_real_doubles(h.count * square);
    node->need.plain[0] = h.width * h.step + 2 * h.step * h.step;
    node->need.plain[1] = h.count * square;
}

/* to (width, step) = from (tokens, width) transposed, with zeros to the end of each row; and back. */
static void turn(const heads *h, const congru_real *from, size_t stride, congru_real *to)
{
    memset(to, 0, h->width * h->step * sizeof(congru_real));
    for (size_t i = 0; i < h->tokens; i++) {
        for (size_t c = 0; c < h->width; c++)
            to[c * h->step + i] = from[i * stride + c];
    }
}

static void turn_back(const heads *h, const congru_real *from, congru_real *to, size_t stride)
{
    for (size_t i = 0; i < h->tokens; i++) {
        for (size_t c = 0; c < h->width; c++)
            to[i * stride + c] = from[c * h->step + i];
    }
}

/* to (queries, keys) = from (keys, queries), transposed. */
static void turn_square(const heads *h, const congru_real *from, congru_real *to)
{
    memset(to, 0, h->tokens * h->step * sizeof(congru_real));
    for (size_t j = 0; j < h->tokens; j++) {
        for (size_t i = 0; i < h->tokens; i++)
            to[i * h->step + j] = from[j * h->step + i];
    }
}

/* What weights that are not left out are multiplied with. */
static double kept_of(const congru_call *call)
{
    return congru_dropout_rests(call, call->node->number[0]) ? 1.0 : 1.0 / (1.0 - call->node->number[0]);
}

/* a = the weights that values are summed with: those that were left out have a sign. */
static void keep(const congru_call *call, const heads *h, const congru_real *p, congru_real *a)
{
    call->kernel->real->keep(h->tokens * h->step, (congru_real)kept_of(call), p, a);
}

/* The weights of a head of a trial, from forward to backward. */
static congru_real *weights_of(const congru_call *call, const heads *h, size_t m, size_t head)
{
    /* cppcheck-suppress invalidPointerCast ; the array is storage, which holds either */
    return (congru_real *)(call->saved[0] + m * call->node->saved_size[0]) + head * h->tokens * h->step;
}

static void head_forward(const congru_call *call, const heads *h, size_t m, size_t head)
{
    congru_real *p = weights_of(call, h, m, head), *own = call->work.plain[0], *a = own + h->width * h->step;
    const congru_real *query = congru_trial_reals(call->x[0], &call->node->in[0], m) + head * h->width,
                      *key = query + h->all, *value = key + h->all,
                      *mask = call->work.plain[1] + head * h->tokens * h->step;
    turn(h, query, h->in, own);
    call->kernel->real->product(h->tokens, h->step, 1, h->width, (congru_window){key, h->in, 0, 1},
                                (congru_window){own, 0, 0, h->step}, false, p, h->step);
    call->kernel->real->soften(h->tokens, h->step, h->scale, p);
    if (!congru_dropout_rests(call, call->node->number[0]))
        call->kernel->real->leave(h->tokens * h->step, mask, p);
    keep(call, h, p, a);
    call->kernel->real->product(h->width, h->step, 1, h->tokens, (congru_window){value, 1, 0, h->in},
                                (congru_window){a, 0, 0, h->step}, false, own, h->step);
    turn_back(h, own, congru_trial_reals(call->y, &call->node->out, m) + head * h->width, h->out);
}

static void forward(const congru_call *call)
{
    const heads h = heads_of(call->node);
    memset(call->y, 0, call->count * call->node->out.size * sizeof(double));
    for (size_t m = 0; m < call->count; m++) {
        if (!congru_dropout_rests(call, call->node->number[0])) {
            congru_dropout dropout =
                congru_dropout_start(call, call->node->number[0], call->node->number[1], m);
            congru_dropout_draw(&dropout, h.count * h.tokens * h.step, call->work.plain[1]);
        }
        for (size_t head = 0; head < h.count; head++)
            head_forward(call, &h, m, head);
    }
}

/* to (tokens, width) = sum over queries of square (queries, keys) with from (queries, width). */
static void by_keys(const congru_call *call, const heads *h, const congru_real *square, const congru_real *from,
                    size_t stride, congru_real *to)
{
    congru_real *own = call->work.plain[0];
    call->kernel->real->product(h->width, h->step, 1, h->tokens, (congru_window){from, 1, 0, stride},
                                (congru_window){square, 0, 0, h->step}, false, own, h->step);
    turn_back(h, own, to, h->in);
}

static void head_backward(const congru_call *call, const heads *h, size_t m, size_t head)
{
    const congru_real *p = weights_of(call, h, m, head),
                      *query = congru_trial_reals(call->x[0], &call->node->in[0], m) + head * h->width,
                      *key = query + h->all, *value = key + h->all,
                      *d_y = congru_trial_reals(call->d_y, &call->node->out, m) + head * h->width;
    congru_real *d_query = congru_trial_reals(call->d_x[0], &call->node->in[0], m) + head * h->width,
                *own = call->work.plain[0], *first = own + h->width * h->step,
                *second = first + h->step * h->step;
    keep(call, h, p, first);
    turn_square(h, first, second);
    by_keys(call, h, second, d_y, h->out, d_query + 2 * h->all);
    turn(h, d_y, h->out, own);
    call->kernel->real->product(h->tokens, h->step, 1, h->width, (congru_window){value, h->in, 0, 1},
                                (congru_window){own, 0, 0, h->step}, false, first, h->step);
    call->kernel->real->unsoften(h->tokens, h->step, h->scale, kept_of(call), p, first);
    call->kernel->real->product(h->width, h->step, 1, h->tokens, (congru_window){key, 1, 0, h->in},
                                (congru_window){first, 0, 0, h->step}, false, own, h->step);
    turn_back(h, own, d_query, h->in);
    turn_square(h, first, second);
    by_keys(call, h, second, query, h->in, d_query + h->all);
}

static void backward(const congru_call *call)
{
    const heads h = heads_of(call->node);
    if (call->d_x[0] == NULL)
        return;
    memset(call->d_x[0], 0, call->count * call->node->in[0].size * sizeof(double));
    for (size_t m = 0; m < call->count; m++) {
        for (size_t head = 0; head < h.count; head++)
            head_backward(call, &h, m, head);
    }
}

const congru_layer congru_layer_attention = {
    .name = "self-attention",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = plan,
    .trials = {forward, backward},
};
