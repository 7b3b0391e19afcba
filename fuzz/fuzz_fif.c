/* Bytes for the reader of FIF, raw data and epochs: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "epochs/epochs_internal.h"
#include "recording/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_epochs(const congru_epochs *epochs)
{
    for (size_t i = 0; i < epochs->count; i++)
        if (epochs->label[i] < 0 || (size_t)epochs->label[i] >= epochs->classes)
            abort();
    for (size_t i = 0; i < epochs->count * epochs->channels * epochs->samples; i++)
        if (isinf(epochs->data[i]))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    congru_source source = congru_source_memory("fuzz", bytes, size);
    congru_recording_options options = {.eeg_only = size % 2 == 1};
    congru_recording *recording = NULL;
    congru_status status = congru_reader_fif.read(NULL, "fuzz", &source, &options, &recording);
    if ((status == CONGRU_OK) != (recording != NULL))
        abort();
    for (size_t i = 0; status == CONGRU_OK && i < recording->events; i++)
        if (recording->event[i].onset >= recording->samples)
            abort();
    for (size_t i = 0; status == CONGRU_OK && i < recording->channels * recording->samples; i++)
        if (isinf(recording->data[i]))
            abort();
    congru_recording_destroy(&recording);

    congru_epochs *epochs = NULL;
    status = congru_epochs_read_fif(NULL, &source, &epochs);
    if ((status == CONGRU_OK) != (epochs != NULL))
        abort();
    if (status == CONGRU_OK)
        check_epochs(epochs);
    congru_epochs_destroy(&epochs);
    return 0;
}
