/* The table of congru import. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_IMPORT_PRINT_H
#define CONGRU_CLI_IMPORT_PRINT_H

#include "congru/import.h"

/* Prints a row for each file, trials by class and those dropped with the reasons; how subjects were told apart; and what
 * was done to the signals. Returns EXIT_DONE, or prints one line. */
int import_print(const char *output, const congru_import_summary *summary, const congru_set *set);

#endif
