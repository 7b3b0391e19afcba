/* Graphs without a batch: made, laid out, freed. SPDX-License-Identifier: Apache-2.0 */
#include "network/application.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/workspace.h"
#include "network/rewrite.h"

congru_application *congru_application_begin(congru_context *context)
{
    congru_application *a = congru_memory_take(sizeof *a);
    if (a == NULL) {
        congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to apply the network");
        return NULL;
    }
    memset(&a->graph, 0, offsetof(congru_graph, node));
    a->parameters = (congru_parameters){.segments = 0};
    a->arena = (congru_arena){.base = NULL};
    a->graph.context = context;
    a->graph.parameters = &a->parameters;
    a->graph.rotation = a->graph.dispersion = -1;
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        a->graph.output[k] = -1;
    return a;
}

void congru_application_end(congru_application *a)
{
    congru_graph_clear(&a->graph);
    congru_arena_free(&a->arena);
    congru_memory_give(a);
}

congru_status congru_application_lay_out(congru_application *a)
{
    congru_graph *graph = &a->graph;
    congru_arena measure = {0};
    congru_status status = congru_graph_rewrite(graph, CONGRU_REWRITE_LOG_OF_EXP);
    if (status == CONGRU_OK)
        status = congru_graph_plan(graph);
    if (status != CONGRU_OK)
        return status;
    congru_graph_layout(&measure, graph);
    if (congru_arena_reserve(&a->arena, measure.used) != CONGRU_OK)
        return congru_fail(graph->context, CONGRU_ERROR_MEMORY,
                           "not enough memory to apply the network: %zu bytes", measure.used);
    congru_graph_layout(&a->arena, graph);
    return congru_workspace_check(graph->context, &a->arena);
}
