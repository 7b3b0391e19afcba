/* The lines that descriptions of files are made of. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_INFO_LINES_H
#define CONGRU_CLI_INFO_LINES_H

#include <stdint.h>

#include "congru/recording.h"

/* "FILE: KIND", control characters made harmless. */
void info_title(const char *path, const char *kind);

/* "  KEY  text", wrapped. */
void info_line(const char *key, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "3 min 20.5 s" */
void info_duration(double seconds, char text[48]);

/* Channel names, wrapped; those that are "" are unknown and not printed. EXIT_DONE, or EXIT_FAILED and a line. */
int info_channels(const char (*name)[CONGRU_LABEL_SIZE], size_t count);

/* Trials by group and class as a table: the group of trial i is group[i], from 0, and group_name(user, group)
 * fills a cell for each heading. Groups are printed in their order. Returns an exit code. */
typedef struct info_groups {
    size_t headings;
    const char *const *heading;
    size_t count;
    void (*cell)(const void *user, size_t group, size_t heading, char text[CONGRU_LABEL_SIZE]);
    const void *user;
} info_groups;
int info_trials(const info_groups *groups, const size_t *group, size_t trials, const int32_t *label,
                size_t classes, const char (*class_name)[CONGRU_LABEL_SIZE]);

#endif
