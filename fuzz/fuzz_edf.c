/* Bytes for the EDF reader: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "recording/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What is accepted has bytes behind every sample, of which gaps may stretch the time up to 24 times. */
static void check_recording(const congru_recording *recording, size_t size)
{
    if (recording->channels == 0 || recording->samples == 0 || !(recording->rate > 0) ||
        recording->samples > 12 * size)
        abort();
    for (size_t i = 0; i < recording->events; i++)
        if (recording->event[i].onset >= recording->samples ||
            (recording->event[i].text != NULL && strlen(recording->event[i].text) > 2 * size))
            abort();
    for (size_t i = 0; recording->data != NULL && i < recording->channels * recording->samples; i++)
        if (isinf(recording->data[i]))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    congru_source source = congru_source_memory("fuzz", bytes, size);
    congru_recording_options header_only = {.header_only = true};
    congru_recording *header = NULL, *whole = NULL;
    congru_status status = congru_reader_edf.read(NULL, "fuzz", &source, &header_only, &header);
    congru_status whole_status = congru_reader_edf.read(NULL, "fuzz", &source, NULL, &whole);
    /* What is refused leaves nothing behind; the header alone tells no other story. */
    if ((status == CONGRU_OK) != (header != NULL) || (whole_status == CONGRU_OK) != (whole != NULL) ||
        (whole != NULL &&
         (header == NULL || header->samples != whole->samples || header->events != whole->events)))
        abort();
    if (header != NULL)
        check_recording(header, size);
    if (whole != NULL)
        check_recording(whole, size);
    congru_recording_destroy(&header);
    congru_recording_destroy(&whole);
    return 0;
}
