/* Makes folders that are missing. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ARRAY_FOLDER_H
#define CONGRU_ARRAY_FOLDER_H

#include "congru/status.h"

/* Makes FOLDER with its parents, if it is not there; or, where `name` is not "", FOLDER/NAME inside a folder that must be
 * there: one that was removed during a run does not come back empty. */
congru_status congru_folder_make(congru_context *context, const char *folder, const char *name);

#endif
