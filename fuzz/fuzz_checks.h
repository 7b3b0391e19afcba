/* What every reader must keep to, whatever the bytes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_FUZZ_CHECKS_H
#define CONGRU_FUZZ_CHECKS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "epochs/epochs_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static inline void check_finite_or_missing(const double *data, size_t count)
{
    for (size_t i = 0; data != NULL && i < count; i++)
        if (isinf(data[i]))
            abort();
}

/* What is refused leaves nothing behind; what is accepted has its events inside, and no infinite sample. */
static inline void check_recording(congru_status status, const congru_recording *recording)
{
    if ((status == CONGRU_OK) != (recording != NULL))
        abort();
    if (recording == NULL)
        return;
    for (size_t i = 0; i < recording->events; i++)
        if (recording->event[i].onset >= recording->samples)
            abort();
    check_finite_or_missing(recording->data, recording->channels * recording->samples);
}

static inline void check_epochs(congru_status status, const congru_epochs *epochs)
{
    if ((status == CONGRU_OK) != (epochs != NULL))
        abort();
    if (epochs == NULL)
        return;
    for (size_t i = 0; i < epochs->count; i++)
        if (epochs->label[i] < 0 || (size_t)epochs->label[i] >= epochs->classes)
            abort();
    check_finite_or_missing(epochs->data, epochs->count * epochs->channels * epochs->samples);
}

#endif
