/* The options of all methods on the command line, for every command that fits one. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_METHOD_SETTINGS_H
#define CONGRU_CLI_METHOD_SETTINGS_H

#include "congru/congru.h"
#include "options.h"

/* Put at the end of a command's option table as `.more`: classical methods, then networks. */
extern const option_table method_option_table;

/* Reads them, wherever they are in the command's table, over the library's defaults. Returns EXIT_DONE, or prints one
 * line and returns EXIT_USAGE. */
int method_settings_parse(congru_context *context, const arguments *parsed, congru_method_options *options);

#endif
