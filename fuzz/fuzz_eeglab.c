/* Bytes for the reader of EEGLAB's .set and .fdt files: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_checks.h"
#include "recording/eeglab.h"

static void read_both(const congru_source *source, const congru_mat *mat, const congru_source *beside)
{
    static const congru_recording_options options = {0};
    congru_recording *recording = NULL;
    congru_status status = congru_eeglab_read(NULL, "fuzz.set", source, mat, beside, &options, &recording);
    check_recording(status, recording);
    congru_recording_destroy(&recording);
    congru_epochs *epochs = NULL;
    status = congru_epochs_read_eeglab(NULL, source, mat, beside, &epochs);
    check_epochs(status, epochs);
    congru_epochs_destroy(&epochs);
}

/* The input is two bytes that say how long the .fdt behind the .set is, the .set, and the .fdt. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t beside_size = size >= 2 ? (size_t)bytes[0] << 8 | bytes[1] : 0;
    if (size < 2 || beside_size > size - 2)
        return 0;
    congru_source source = congru_source_memory("fuzz.set", bytes + 2, size - 2 - beside_size);
    congru_source beside = congru_source_memory("fuzz.fdt", bytes + size - beside_size, beside_size);
    congru_mat *mat = NULL;
    if (congru_eeglab_variables(NULL, &source, &mat) != CONGRU_OK)
        return 0;
    if (congru_eeglab_recognises(mat))
        read_both(&source, mat, &beside);
    congru_mat_free(&mat);
    return 0;
}
