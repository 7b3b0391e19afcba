/* Bytes for the reader of XDF: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_checks.h"
#include "recording/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    congru_source source = congru_source_memory("fuzz", bytes, size);
    for (int header_only = 0; header_only < 2; header_only++) {
        congru_recording_options options = {.header_only = header_only == 1};
        congru_recording *recording = NULL;
        congru_status status = congru_reader_xdf.read(NULL, "fuzz", &source, &options, &recording);
        check_recording(status, recording);
        congru_recording_destroy(&recording);
    }
    return 0;
}
