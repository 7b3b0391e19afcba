/* Files for the reader of samples as text: a libFuzzer target, or replay. SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_checks.h"
#include "recording/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    congru_source source = congru_source_memory("fuzz.csv", bytes, size);
    for (int way = 0; way < 3; way++) {
        congru_recording_options options = {
            .header_only = way == 0, .eeg_only = way == 1, .rate = way == 2 ? 100 : 0};
        congru_recording *recording = NULL;
        congru_status status = congru_reader_text.read(NULL, "fuzz.csv", &source, &options, &recording);
        check_recording(status, recording);
        if (recording != NULL && (recording->samples > size || recording->channels > size + 1 ||
                                  (!(recording->rate > 0) && !options.header_only)))
            abort();
        congru_recording_destroy(&recording);
    }
    return 0;
}
