/* Steps of training that several processes share. SPDX-License-Identifier: Apache-2.0 */
#include "base/crew.h"
#include "layer/training.h"

void congru_training_own_chunks(const congru_training *t, int rank, size_t used, size_t *first, size_t *end)
{
    const size_t size = (size_t)congru_crew_size(t->context->crew);
    *first = used * (size_t)rank / size;
    *end = used * ((size_t)rank + 1) / size;
}

/* Where the part of some chunks lies in a shared array, and how many bytes it has. */
static unsigned char *part_of(const congru_step_share *share, size_t first, size_t end, size_t *bytes)
{
    const size_t from = first * share->part < share->whole ? first * share->part : share->whole,
                 to = end * share->part < share->whole ? end * share->part : share->whole;
    *bytes = to - from;
    return (unsigned char *)share->data + from;
}

static void send_own(congru_training *t, congru_step_phase phase, size_t used)
{
    congru_crew *crew = t->context->crew;
    congru_bytes bytes = congru_crew_begin(CONGRU_MESSAGE_SHARE);
    size_t first, end, size;
    congru_training_own_chunks(t, congru_crew_rank(crew), used, &first, &end);
    congru_bytes_add_count(&bytes, t->stops);
    for (size_t k = 0; k < t->shares; k++)
        if (t->share[k].phase == phase) {
            const unsigned char *part = part_of(&t->share[k], first, end, &size);
            congru_bytes_add(&bytes, part, size);
        }
    congru_crew_send_all(crew, &bytes);
}

/* What another sends in place of its part is why it has none. */
static congru_status receive_from(congru_training *t, int rank, congru_step_phase phase, size_t used)
{
    congru_crew *crew = t->context->crew;
    congru_message message;
    congru_parcel parcel;
    size_t first, end, size;
    if (!congru_crew_take(crew, rank, &message, &parcel))
        return congru_fail(t->context, CONGRU_ERROR_IO, "process %d of %d is gone in the middle of a step",
                           rank + 1, congru_crew_size(crew));
    if (message != CONGRU_MESSAGE_SHARE) {
        congru_crew_put_back(crew, rank, message, &parcel);
        return congru_fail(t->context, CONGRU_ERROR_CANCELLED, "process %d of %d has left the step", rank + 1,
                           congru_crew_size(crew));
    }
    congru_training_own_chunks(t, rank, used, &first, &end);
    t->stops = congru_parcel_count(&parcel) != 0 || t->stops;
    for (size_t k = 0; k < t->shares; k++)
        if (t->share[k].phase == phase) {
            unsigned char *part = part_of(&t->share[k], first, end, &size);
            congru_parcel_take(&parcel, part, size);
        }
    return parcel.failed
               ? congru_fail(t->context, CONGRU_ERROR_MEMORY, "a message between processes is cut short")
               : CONGRU_OK;
}

/* All hear the same, so that all go on or none does. */
congru_status congru_training_exchange(congru_training *t, congru_step_phase phase, size_t used)
{
    congru_crew *crew = t->context->crew;
    congru_status status = CONGRU_OK;
    send_own(t, phase, used);
    for (int rank = 0; status == CONGRU_OK && rank < congru_crew_size(crew); rank++)
        if (rank != congru_crew_rank(crew))
            status = receive_from(t, rank, phase, used);
    if (status == CONGRU_OK && t->stops)
        status = congru_fail(t->context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
    return status;
}
