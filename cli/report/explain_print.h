/* Prints forward patterns as tables and sentences, CSV or JSON. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_EXPLAIN_PRINT_H
#define CONGRU_CLI_EXPLAIN_PRINT_H

#include "congru/congru.h"

/* Both of the first `count` patterns. Each returns EXIT_DONE, or prints one line and returns EXIT_FAILED. */
int explain_print_tables(congru_context *context, const congru_patterns *patterns, size_t count);

/* As JSON, to be freed. */
int explain_json(congru_context *context, const congru_patterns *patterns, size_t count, char **text);

#endif
