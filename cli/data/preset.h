/* Presets on the command line. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_PRESET_H
#define CONGRU_CLI_PRESET_H

#include <stdbool.h>

/* Whether it is neither the name of a preset nor that of a file. */
bool preset_is_unknown(const char *name);

/* Prints a line that suggests the nearest name; `who` begins it. Returns EXIT_USAGE. */
int preset_fail_unknown(const char *who, const char *name);

#endif
