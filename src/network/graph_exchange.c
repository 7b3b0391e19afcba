/* Steps of training that several processes share. SPDX-License-Identifier: Apache-2.0 */
#include "base/process_group.h"
#include "network/graph.h"

void congru_graph_own_chunks(const congru_graph *graph, int rank, size_t *first, size_t *end)
{
    const size_t size = (size_t)congru_process_group_size(graph->context->processes),
                 used = congru_graph_used_chunks(graph);
    *first = used * (size_t)rank / size;
    *end = used * ((size_t)rank + 1) / size;
}

/* Where the part of a process's chunks lies in a shared array, and how many bytes it has. */
static unsigned char *part_of(const congru_graph *graph, const congru_share *share, int rank, size_t *bytes)
{
    size_t first, end;
    congru_graph_own_chunks(graph, rank, &first, &end);
    *bytes = (end - first) * share->part;
    return (unsigned char *)share->data + first * share->part;
}

static void send_own(congru_graph *graph, size_t phase)
{
    congru_process_group *processes = graph->context->processes;
    congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_SHARE);
    congru_bytes_add_count(&bytes, graph->stops != NULL && *graph->stops);
    for (size_t k = 0; k < graph->shares; k++)
        if (graph->share[k].phase == phase) {
            size_t size;
            const unsigned char *part =
                part_of(graph, &graph->share[k], congru_process_group_rank(processes), &size);
            congru_bytes_add(&bytes, part, size);
        }
    congru_process_group_send_all(processes, &bytes);
}

/* What another sends in place of its part is why it has none. */
static congru_status receive_from(congru_graph *graph, int rank, size_t phase)
{
    congru_process_group *processes = graph->context->processes;
    congru_message message;
    congru_parcel parcel;
    if (!congru_process_group_take(processes, rank, &message, &parcel))
        return congru_fail(graph->context, CONGRU_ERROR_IO, "process %d of %d is gone in the middle of a step",
                           rank + 1, congru_process_group_size(processes));
    if (message != CONGRU_MESSAGE_SHARE) {
        congru_process_group_put_back(processes, rank, message, &parcel);
        return congru_fail(graph->context, CONGRU_ERROR_CANCELLED, "process %d of %d has left the step",
                           rank + 1, congru_process_group_size(processes));
    }
    const bool stops = congru_parcel_count(&parcel) != 0;
    if (graph->stops != NULL)
        *graph->stops = *graph->stops || stops;
    for (size_t k = 0; k < graph->shares; k++)
        if (graph->share[k].phase == phase) {
            size_t size;
            unsigned char *part = part_of(graph, &graph->share[k], rank, &size);
            congru_parcel_take(&parcel, part, size);
        }
    return parcel.failed
               ? congru_fail(graph->context, CONGRU_ERROR_MEMORY, "a message between processes is cut short")
               : CONGRU_OK;
}

/* All hear the same, so that all go on or none does. */
congru_status congru_graph_exchange(congru_graph *graph, size_t phase)
{
    congru_process_group *processes = graph->context->processes;
    congru_status status = CONGRU_OK;
    send_own(graph, phase);
    for (int rank = 0; status == CONGRU_OK && rank < congru_process_group_size(processes); rank++)
        if (rank != congru_process_group_rank(processes))
            status = receive_from(graph, rank, phase);
    if (status == CONGRU_OK && graph->stops != NULL && *graph->stops)
        status = congru_fail(graph->context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
    return status;
}
