/* Walks over the records of EDF and BDF files, signal by signal. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "recording/edf.h"

enum {
    BUFFER_SIZE = 1 << 20,
    SPARSE_RECORD = 1 << 14 /* smaller records are read whole: a call for each costs more than its bytes */
};

typedef struct walk {
    congru_context *context;
    const congru_source *source;
    const congru_edf_header *header;
    const size_t *signal;
    size_t count;
    congru_edf_visit visit;
    void *user;
    unsigned char *buffer;
    size_t buffer_size;
} walk;

/* Many records at once, each visited where it lies in the buffer. */
static congru_status walk_blocks(const walk *on)
{
    const congru_edf_header *header = on->header;
    uint64_t at_once = on->buffer_size / header->record_bytes;
    congru_status status = CONGRU_OK;
    for (uint64_t record = 0; record < header->records && status == CONGRU_OK; record += at_once) {
        uint64_t left = header->records - record, taken = left < at_once ? left : at_once;
        status =
            congru_source_read(on->context, on->source, header->data_offset + record * header->record_bytes,
                               (size_t)(taken * header->record_bytes), on->buffer);
        for (uint64_t i = 0; i < taken && status == CONGRU_OK; i++) {
            const unsigned char *bytes = on->buffer + i * header->record_bytes;
            for (size_t k = 0; k < on->count && status == CONGRU_OK; k++) {
                const congru_edf_signal *signal = &header->signal[on->signal[k]];
                status = on->visit(on->user, k, record + i, 0, bytes + signal->offset, (size_t)signal->samples);
            }
        }
    }
    return status;
}

/* One signal of one record, in as many pieces as the buffer demands. */
static congru_status walk_signal(const walk *on, uint64_t record, size_t listed)
{
    const congru_edf_header *header = on->header;
    const congru_edf_signal *signal = &header->signal[on->signal[listed]];
    uint64_t offset = header->data_offset + record * header->record_bytes + signal->offset;
    uint64_t at_once = on->buffer_size / header->sample_bytes;
    congru_status status = CONGRU_OK;
    for (uint64_t first = 0; first < signal->samples && status == CONGRU_OK; first += at_once) {
        uint64_t left = signal->samples - first, taken = left < at_once ? left : at_once;
        status = congru_source_read(on->context, on->source, offset + first * header->sample_bytes,
                                    (size_t)(taken * header->sample_bytes), on->buffer);
        if (status == CONGRU_OK)
            status = on->visit(on->user, listed, record, first, on->buffer, (size_t)taken);
    }
    return status;
}

static congru_status walk_signals(const walk *on)
{
    congru_status status = CONGRU_OK;
    for (uint64_t record = 0; record < on->header->records && status == CONGRU_OK; record++)
        for (size_t k = 0; k < on->count && status == CONGRU_OK; k++)
            status = walk_signal(on, record, k);
    return status;
}

congru_status congru_edf_walk(congru_context *context, const congru_source *source,
                              const congru_edf_header *header, const size_t *signal, size_t count,
                              congru_edf_visit visit, void *user)
{
    uint64_t wanted = 0, longest = 0, longest_text = 0;
    for (size_t k = 0; k < count; k++) {
        const congru_edf_signal *of = &header->signal[signal[k]];
        uint64_t bytes = of->samples * header->sample_bytes;
        wanted += bytes;
        longest = bytes > longest ? bytes : longest;
        longest_text = of->annotations && bytes > longest_text ? bytes : longest_text;
    }
    bool by_signal = header->record_bytes > BUFFER_SIZE ||
                     (header->record_bytes >= SPARSE_RECORD && wanted < header->record_bytes / 4);
    /* No more than there is to read: a header can make records long, but not longer than the file. */
    uint64_t size = by_signal ? longest : header->records * header->record_bytes;
    size = size > BUFFER_SIZE ? BUFFER_SIZE : size;
    size = by_signal && longest_text > size ? longest_text : size;
    walk on = {context, source, header, signal, count, visit, user, malloc((size_t)size), (size_t)size};
    if (on.buffer == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %llu bytes", source->name,
                           (unsigned long long)size);
    congru_status status = by_signal ? walk_signals(&on) : walk_blocks(&on);
    free(on.buffer);
    return status;
}
