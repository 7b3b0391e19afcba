/* Subjects of a set by name, as options name them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_SUBJECT_LIST_H
#define CONGRU_CLI_SUBJECT_LIST_H

#include "congru/dataset.h"

/* The indices of the subjects in `text`, "A,B,...", in an array the caller frees; none when it is NULL. `where`, such as
 * "loso: --subjects", and `path` begin error lines. Returns EXIT_DONE, or prints one line. */
int subject_list_find(const char *where, const char *text, const char *path, const congru_set *set,
                      int32_t **subjects, size_t *count);

#endif
