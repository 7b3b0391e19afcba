/* Self-attention of several heads: y = softmax(q k^T / sqrt(width)) v over the samples of a trial. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "network/layers/layers.h"

/* The input has the channels of queries, keys and values beside each other, the heads one after the other in each; number[2]
 * heads. Dropout leaves out weights of the softmax: number[0] and [1].
 *
 * Weights stand with the keys in rows and the queries in columns, that is in lanes: sums over keys run down the rows, and
 * each lane is a query's own. What is beyond the last query is zero or is not read. */
typedef struct heads {
    size_t count, width;         /* channels of a head */
    size_t tokens, step, square; /* queries padded to whole vectors; reals of weights */
    size_t all, in, out;         /* channels of all heads; reals from one sample to the next */
    double scale;
} heads;

static heads heads_of(const congru_node *node)
{
    heads h = {.count = (size_t)node->number[2], .tokens = node->out.rows, .all = node->out.cols};
    h.width = h.all / h.count;
    h.step = congru_real_step(h.tokens);
    h.square = h.tokens * h.step;
    h.in = node->in[0].step;
    h.out = node->out.step;
    h.scale = 1.0 / sqrt((double)h.all);
    return h;
}

/* Saves the weights of each head. Scratch: [0] a head's queries, or what is its own, in lanes, and two squares; [1] what is
 * drawn. */
static void plan(congru_node *node)
{
    const heads h = heads_of(node);
    node->saved_size[0] = congru_real_doubles(h.count * h.square);
    node->need.plain[0] = h.width * h.step + 2 * h.step * h.step;
    node->need.plain[1] = h.count * h.square;
}

/* to (cols, step) = from (rows, cols) transposed, with zeros to the end of each row; and back. */
static void turn(const heads *h, size_t cols, const congru_real *from, size_t stride, congru_real *to)
{
    memset(to, 0, cols * h->step * sizeof(congru_real));
    for (size_t i = 0; i < h->tokens; i++) {
        for (size_t c = 0; c < cols; c++)
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

/* a = the weights p that values are summed with: those that were left out have a sign, the others are multiplied. */
static double keep(const congru_call *call, const heads *h, const congru_real *p, congru_real *a)
{
    const double share = call->node->number[0],
                 kept = congru_dropout_rests(call, share) ? 1.0 : 1.0 / (1.0 - share);
    call->kernel->real->keep(h->square, (congru_real)kept, p, a);
    return kept;
}

static void head_forward(const congru_call *call, const heads *h, size_t m, size_t head)
{
    congru_real *p = congru_call_saved(call, 0, m) + head * h->square, *own = call->work.plain[0],
                *a = own + h->width * h->step;
    const congru_real *query = congru_call_x(call, m) + head * h->width, *key = query + h->all,
                      *value = key + h->all;
    turn(h, h->width, query, h->in, own);
    congru_call_product(call, h->tokens, h->step, h->width, (congru_window){key, h->in, 0, 1}, own, h->step, p);
    call->kernel->real->soften(h->tokens, h->step, h->scale, p);
    if (!congru_dropout_rests(call, call->node->number[0]))
        call->kernel->real->leave(h->square, call->work.plain[1] + head * h->square, p);
    keep(call, h, p, a);
    congru_call_product(call, h->width, h->step, h->tokens, (congru_window){value, 1, 0, h->in}, a, h->step,
                        own);
    turn_back(h, own, congru_call_y(call, m) + head * h->width, h->out);
}

static void forward(const congru_call *call)
{
    const heads h = heads_of(call->node);
    const double *number = call->node->number;
    memset(call->y, 0, call->count * call->node->out.size * sizeof(double));
    for (size_t m = 0; m < call->count; m++) {
        if (!congru_dropout_rests(call, number[0]))
            congru_dropout_draw(call, number[0], number[1], m, 0, h.count * h.square, call->work.plain[1]);
        for (size_t head = 0; head < h.count; head++)
            head_forward(call, &h, m, head);
    }
}

/* to (tokens, width) = the sum over queries of square (keys, queries), transposed in `turned`, with from (queries, width). */
static void by_keys(const congru_call *call, const heads *h, const congru_real *square, congru_real *turned,
                    const congru_real *from, size_t stride, congru_real *to)
{
    congru_real *own = call->work.plain[0];
    turn(h, h->tokens, square, h->step, turned);
    congru_call_product(call, h->width, h->step, h->tokens, (congru_window){from, 1, 0, stride}, turned,
                        h->step, own);
    turn_back(h, own, to, h->in);
}

static void head_backward(const congru_call *call, const heads *h, size_t m, size_t head)
{
    const congru_real *p = congru_call_saved(call, 0, m) + head * h->square,
                      *query = congru_call_x(call, m) + head * h->width, *key = query + h->all,
                      *value = key + h->all, *d_y = congru_call_d_y(call, m) + head * h->width;
    congru_real *d_query = congru_call_d_x(call, m) + head * h->width, *own = call->work.plain[0],
                *first = own + h->width * h->step, *second = first + h->step * h->step;
    const double kept = keep(call, h, p, first);
    by_keys(call, h, first, second, d_y, h->out, d_query + 2 * h->all);
    turn(h, h->width, d_y, h->out, own);
    congru_call_product(call, h->tokens, h->step, h->width, (congru_window){value, h->in, 0, 1}, own, h->step,
                        first);
    call->kernel->real->unsoften(h->tokens, h->step, h->scale, kept, p, first);
    congru_call_product(call, h->width, h->step, h->tokens, (congru_window){key, 1, 0, h->in}, first, h->step,
                        own);
    turn_back(h, own, d_query, h->in);
    by_keys(call, h, first, second, query, h->in, d_query + h->all);
}

static void backward(const congru_call *call)
{
    const heads h = heads_of(call->node);
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
