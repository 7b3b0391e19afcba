/* What signals went through, read out of meta data and compared. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DECODER_PREPROCESSING_H
#define CONGRU_DECODER_PREPROCESSING_H

#include "base/text.h"
#include "congru/model.h"

/* By name: "scm", "oas", "lwf", "csp". */
const char *congru_estimator_name(congru_estimator estimator);

/* Reads the keys that import writes into meta data; others are passed over. `text` may be NULL: nothing known.
 * CONGRU_ERROR_FORMAT when a key has a value that cannot be. Channels, rate and samples are left alone. */
congru_status congru_preprocessing_parse(congru_context *context, const char *text, congru_preprocessing *p);

/* That of a set; channels point into it. */
congru_status congru_preprocessing_of_set(congru_context *context, const congru_set *set,
                                          congru_preprocessing *p);

/* Adds "band 8 to 30 Hz where the model has 8 to 35 Hz; ..." for all that both know and that differs. */
void congru_preprocessing_compare(const congru_preprocessing *model, const congru_preprocessing *other,
                                  congru_text *text);

#endif
