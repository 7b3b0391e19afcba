/* Steps of training that several processes share. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/process_group.h"
#include "network/graph.h"

void congru_graph_own_chunks(const congru_graph *graph, int rank, size_t *first, size_t *end)
{
    const size_t size = (size_t)congru_process_group_size(graph->options->processes),
                 used = congru_graph_used_chunks(graph);
    *first = used * (size_t)rank / size;
    *end = used * ((size_t)rank + 1) / size;
}

/* Where the part of a process's chunks lies in a shared array, and how many bytes it has. */
static char *part_of(const congru_graph *graph, const congru_share *share, int rank, size_t *bytes)
{
    size_t first, end;
    congru_graph_own_chunks(graph, rank, &first, &end);
    *bytes = (end - first) * share->part;
    return (char *)share->data + first * share->part;
}

/* Whether it is to stop, and then its parts. */
static congru_status give_own(congru_graph *graph, size_t phase)
{
    congru_process_group *processes = graph->options->processes;
    const char stops = graph->stops != NULL && *graph->stops;
    size_t size;
    congru_text *block = congru_process_group_begin(processes, CONGRU_ROUND_STEP);
    congru_text_add_bytes(block, &stops, 1);
    for (size_t k = 0; k < graph->shares; k++)
        if (graph->share[k].phase == phase) {
            const char *part = part_of(graph, &graph->share[k], congru_process_group_rank(processes), &size);
            congru_text_add_bytes(block, part, size);
        }
    return congru_process_group_meet(processes, graph->context);
}

static congru_status take_from(congru_graph *graph, int rank, size_t phase)
{
    congru_process_group *processes = graph->options->processes;
    size_t left, size;
    const char *given = congru_process_group_given(processes, rank, CONGRU_ROUND_STEP, &left);
    if (!congru_process_group_came(processes, rank))
        return congru_fail(graph->context, CONGRU_ERROR_IO, "process %d of %d is gone in the middle of a step",
                           rank + 1, congru_process_group_size(processes));
    if (given == NULL || left < 1)
        return congru_fail(graph->context, CONGRU_ERROR_CANCELLED, "process %d of %d has left the step",
                           rank + 1, congru_process_group_size(processes));
    if (graph->stops != NULL)
        *graph->stops = *graph->stops || given[0] != 0;
    given++;
    left--;
    for (size_t k = 0; k < graph->shares; k++)
        if (graph->share[k].phase == phase) {
            char *part = part_of(graph, &graph->share[k], rank, &size);
            if (size > left)
                return congru_fail(graph->context, CONGRU_ERROR_CANCELLED,
                                   "process %d of %d is at another step", rank + 1,
                                   congru_process_group_size(processes));
            if (size > 0)
                memcpy(part, given, size);
            given += size;
            left -= size;
        }
    return CONGRU_OK;
}

/* All get the same, so that all go on or none does. */
congru_status congru_graph_exchange(congru_graph *graph, size_t phase)
{
    congru_process_group *processes = graph->options->processes;
    CONGRU_TRY(give_own(graph, phase));
    for (int rank = 0; rank < congru_process_group_size(processes); rank++)
        if (rank != congru_process_group_rank(processes))
            CONGRU_TRY(take_from(graph, rank, phase));
    return graph->stops != NULL && *graph->stops
               ? congru_fail(graph->context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback")
               : CONGRU_OK;
}
