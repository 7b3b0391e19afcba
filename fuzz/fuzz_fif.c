/* Bytes for the reader of FIF, raw data and epochs: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_checks.h"
#include "recording/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    congru_source source = congru_source_memory("fuzz", bytes, size);
    congru_recording_options options = {.eeg_only = size % 2 == 1};
    congru_recording *recording = NULL;
    congru_status status = congru_reader_fif.read(NULL, "fuzz", &source, &options, &recording);
    check_recording(status, recording);
    congru_recording_destroy(&recording);

    congru_epochs *epochs = NULL;
    status = congru_epochs_read_fif(NULL, &source, &epochs);
    check_epochs(status, epochs);
    congru_epochs_destroy(&epochs);
    return 0;
}
