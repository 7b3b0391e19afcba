/* The main of test programs whose tests share a context. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_CONTEXT_MAIN_H
#define CONGRU_TESTS_CONTEXT_MAIN_H

#include "congru/context.h"

/* Makes the context, runs every TEST and frees it; returns the exit code of the program. */
int context_main(congru_context **context, const congru_context_options *options);

/* The same with a folder for the tests' files (scratch.h). */
int scratch_main(congru_context **context, const congru_context_options *options);

#endif
