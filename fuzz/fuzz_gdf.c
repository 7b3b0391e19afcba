/* Bytes for the GDF reader: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "recording/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What is accepted has bytes behind every sample and events inside the recording. */
static void check(const congru_recording *recording, size_t size)
{
    if (recording->channels == 0 || recording->samples == 0 || recording->samples > size ||
        !(recording->rate > 0))
        abort();
    if (recording->data != NULL) {
        if (recording->channels > size / recording->samples)
            abort();
        for (size_t i = 0; i < recording->channels * recording->samples; i++)
            if (isinf(recording->data[i]))
                abort();
    }
    for (size_t i = 0; i < recording->events; i++) {
        const congru_event *event = &recording->event[i];
        if (event->onset >= recording->samples || event->duration > recording->samples ||
            (i > 0 && event[-1].onset > event->onset))
            abort();
    }
}

static congru_recording *read_with(const congru_source *source, const congru_recording_options *options)
{
    congru_recording *recording;
    congru_status status = congru_reader_gdf.read(NULL, "fuzz", source, options, &recording);
    if ((status == CONGRU_OK) != (recording != NULL))
        abort();
    if (recording != NULL)
        check(recording, (size_t)source->size);
    return recording;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    congru_source source = congru_source_memory("fuzz", bytes, size);
    congru_recording_options options = {0};
    congru_recording *recording = read_with(&source, &options);
    congru_recording_destroy(&recording);
    options.header_only = true;
    congru_recording *header = read_with(&source, &options);
    if (header != NULL) {
        /* A channel alone, which can be read where their rates differ. */
        const char *name = header->channel[header->channels - 1].name;
        options = (congru_recording_options){.channels = &name, .channel_count = 1};
        recording = read_with(&source, &options);
        congru_recording_destroy(&recording);
    }
    congru_recording_destroy(&header);
    return 0;
}
