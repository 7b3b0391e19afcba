/* The generator's constants as a table, for checks and for the description of a set. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SYNTH_OPTIONS_H
#define CONGRU_SYNTH_OPTIONS_H

#include <stddef.h>

#include "base/error.h"
#include "congru/synth.h"

typedef struct congru_synth_constant {
    const char *name;
    size_t offset; /* of a double in congru_synth_options */
    double least, most;
} congru_synth_constant;

/* Ended by a NULL name. */
extern const congru_synth_constant congru_synth_constants[];

double congru_synth_constant_value(const congru_synth_options *options, const congru_synth_constant *constant);

congru_status congru_synth_check(congru_context *context, const congru_synth_options *options);

#endif
