/* One table, printed as text, Markdown or LaTeX. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_TABLE_PRINT_H
#define CONGRU_CLI_TABLE_PRINT_H

#include "results_print.h"
#include "text_table.h"

/* Names that the format would read as markup are escaped. Returns EXIT_DONE, or prints one line and returns
 * EXIT_FAILED. */
int table_print(const text_table *table, table_format format);

#endif
