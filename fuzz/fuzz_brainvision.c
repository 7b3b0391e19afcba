/* Files for the BrainVision reader: a libFuzzer target, or replay. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "recording/brainvision.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_recording(const congru_recording *recording, size_t data_size, size_t marker_size)
{
    if (recording->channels == 0 || recording->samples == 0 || !(recording->rate > 0) ||
        recording->samples > data_size / 2 / recording->channels || recording->events > marker_size)
        abort();
    for (size_t i = 0; i < recording->events; i++)
        if (recording->event[i].onset >= recording->samples ||
            (i > 0 && recording->event[i].onset < recording->event[i - 1].onset) ||
            strlen(recording->event[i].text) > 2 * marker_size)
            abort();
    for (size_t i = 0; recording->data != NULL && i < recording->channels * recording->samples; i++)
        if (isinf(recording->data[i]))
            abort();
}

/* The length of what comes before a NUL, or of everything. */
static size_t part_size(const uint8_t *bytes, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(bytes, '\0', size) : NULL;
    return end != NULL ? (size_t)(end - bytes) : size;
}

/* A copy, so that a sanitizer sees a byte read past its end. */
static void *copy_part(const uint8_t *bytes, size_t size)
{
    void *copy = calloc(size + (size == 0), 1);
    if (size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

/* The input is the text of a header, NUL, the text of the markers, NUL, and the data. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t text_size = part_size(bytes, size), rest = text_size < size ? text_size + 1 : size;
    size_t marker_size = part_size(bytes + rest, size - rest);
    size_t data_offset = rest + marker_size < size ? rest + marker_size + 1 : size;
    char *text = copy_part(bytes, text_size), *marker_text = copy_part(bytes + rest, marker_size);
    congru_source markers = congru_source_memory("fuzz.vmrk", marker_text, marker_size);
    congru_source data = congru_source_memory("fuzz.eeg", bytes + data_offset, size - data_offset);
    congru_brainvision_header header;
    congru_status status = congru_brainvision_header_parse(NULL, "fuzz.vhdr", text, text_size, &header);
    if (status == CONGRU_OK &&
        (header.channels == 0 || header.channels > text_size || header.data_file[0] == '\0' ||
         strpbrk(header.data_file, "/\\") != NULL || strpbrk(header.marker_file, "/\\") != NULL))
        abort();
    for (int header_only = 0; status == CONGRU_OK && header_only < 2; header_only++) {
        congru_recording_options options = {.header_only = header_only == 1};
        congru_recording *recording = NULL;
        bool read = congru_brainvision_read(NULL, "fuzz.vhdr", &header, &data, &markers, &options,
                                            &recording) == CONGRU_OK;
        if (read != (recording != NULL))
            abort();
        if (read)
            check_recording(recording, (size_t)data.size, marker_size);
        congru_recording_destroy(&recording);
    }
    congru_brainvision_header_clear(&header);
    free(text);
    free(marker_text);
    return 0;
}
