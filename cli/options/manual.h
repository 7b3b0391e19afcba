/* A command's manual page, made from the tables that help is made from. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_MANUAL_H
#define CONGRU_CLI_MANUAL_H

#include "commands.h"

/* Print mdoc source to standard output: of a command, and of congru with the list of all. */
void manual_print(const command *about);
void manual_print_all(void);

#endif
