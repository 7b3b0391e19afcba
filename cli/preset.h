/* Presets: what is known of a dataset, as lines of text. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_PRESET_H
#define CONGRU_CLI_PRESET_H

#include <stddef.h>

/* share/presets/README.md describes the lines. Those of share/presets are compiled in. */
typedef struct preset {
    const char *name;
    const char *const *lines; /* ended by NULL */
} preset;

/* All that are compiled in, by name, ended by a NULL name; made from share/presets by tools/embed-presets.sh.
 * */
extern const preset presets[];

/* The preset of this name, or NULL after an error line that suggests the nearest. `command` begins the line. */
const preset *preset_find(const char *command, const char *name);

/* Called for each key in the order of the lines, with its whole value; not EXIT_DONE ends the reading. */
typedef int (*preset_visit)(void *user, const char *key, const char *value);

/* Reads the lines of a preset. Returns what the last visit returned, or EXIT_FAILED after an error line about a
 * line that is not "key = value". */
int preset_read(const preset *from, preset_visit visit, void *user);

/* The same for a file. */
int preset_read_file(const char *path, preset_visit visit, void *user);

#endif
