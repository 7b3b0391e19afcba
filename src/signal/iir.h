/* Checks of a recursive filter. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SIGNAL_IIR_H
#define CONGRU_SIGNAL_IIR_H

#include "congru/signal.h"

/* CONGRU_OK when every section is finite, has a0 = 1 and its poles inside the unit circle; else
 * CONGRU_ERROR_ARGUMENT with a text. No sections are fine: such a filter changes nothing. */
congru_status congru_iir_check(congru_context *context, const congru_iir *filter);

#endif
