/* The contexts whose bits must agree. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_EVERY_CONTEXT_H
#define CONGRU_TESTS_EVERY_CONTEXT_H

#include <stddef.h>

#include "congru/context.h"

/* The next context of every instruction set that this machine has with one to three threads, and how it was made; NULL after
 * the last. The caller destroys it:
 * for (size_t place = 0; (own = next_context(&place, &how)) != NULL; congru_context_destroy(&own)). */
congru_context *next_context(size_t *place, congru_context_options *how);

#endif
