/* Fisher terms: classes apart and each of them close, subjects the other way round. SPDX-License-Identifier: Apache-2.0 */
#include "network/graph.h"

static congru_status meet(congru_graph *graph, congru_node *node)
{
    const congru_rows *rows = congru_graph_source(graph, node, 0)->rows;
    graph->series[CONGRU_SERIES_WITHIN_ACTION] = rows->action.within;
    graph->series[CONGRU_SERIES_BETWEEN_ACTION] = rows->action.between;
    graph->series[CONGRU_SERIES_WITHIN_SUBJECT] = rows->subject.within;
    graph->series[CONGRU_SERIES_BETWEEN_SUBJECT] = rows->subject.between;
    return CONGRU_OK;
}

static void part(congru_graph *graph, congru_node *node)
{
    const congru_network_options *o = graph->options;
    congru_rows *rows = congru_graph_source(graph, node, 0)->rows;
    double own = 0.0;
    congru_scatter_backward(&rows->action, graph->batch->count, rows->mean, rows->scale, o->action * o->within,
                            -o->action * o->between, &own);
    congru_scatter_backward(&rows->subject, graph->batch->count, rows->mean, rows->scale,
                            -o->subject * o->within, o->subject * o->between, &own);
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_LABEL, 1.0, rows->action.offset, NULL});
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_SUBJECT, 1.0, rows->subject.offset, NULL});
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_SELF, own, NULL, NULL});
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    const congru_network_options *o = graph->options;
    const congru_rows *rows = congru_graph_source(graph, node, 0)->rows;
    graph->series[CONGRU_SERIES_LOSS] +=
        o->action * (o->within * rows->action.within - o->between * rows->action.between) +
        o->subject * (o->between * rows->subject.between - o->within * rows->subject.within);
    return CONGRU_OK;
}

const congru_layer congru_loss_scatters = {
    .name = "scatters",
    .traits = CONGRU_TRAIT_LOSS,
    .batch = {meet, part},
    .finish = finish,
};
