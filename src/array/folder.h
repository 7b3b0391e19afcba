/* Makes folders that are missing. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ARRAY_FOLDER_H
#define CONGRU_ARRAY_FOLDER_H

#include "array/csv.h"
#include "congru/text.h"

/* Makes FOLDER with its parents, if it is not there; or, where `name` is not "", FOLDER/NAME inside a folder that must be
 * there: one that was removed during a run does not come back empty. */
congru_status congru_folder_make(congru_context *context, const char *folder, const char *name);

/* Whether FOLDER/NAME, a formatted name, is there. */
congru_status congru_folder_look(congru_context *context, const char *folder, bool *exists, const char *name,
                                 ...) __attribute__((format(printf, 4, 5)));

/* The table FOLDER/NAME, and the text of FOLDER/NAME, of at most so many bytes: with *found, or *text NULL, where there is
 * none. `what` it is begins the error about one that is none (congru_source_text). */
congru_status congru_folder_table(congru_context *context, const char *folder, congru_csv *csv, bool *found,
                                  const char *name, ...) __attribute__((format(printf, 5, 6)));
congru_status congru_folder_text(congru_context *context, const char *folder, size_t most, const char *what,
                                 char **text, const char *name, ...) __attribute__((format(printf, 6, 7)));

#endif
