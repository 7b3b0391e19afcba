/* Checks of the errors of calls. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_REFUSAL_H
#define CONGRU_TESTS_REFUSAL_H

#include "congru/context.h"

/* The status is the expected one, and the error text of the context is one line that has the words. */
void check_error(const congru_context *context, congru_status status, congru_status expected,
                 const char *words);

/* ... and begins with `begin`: the file it is about. */
void check_error_at(const congru_context *context, congru_status status, congru_status expected,
                    const char *begin, const char *words);

#endif
