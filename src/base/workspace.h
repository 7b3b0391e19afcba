/* Workspaces of a context: room for the workers, and whether all pieces had room. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_WORKSPACE_H
#define CONGRU_BASE_WORKSPACE_H

#include "base/error.h"

/* Every workspace is looked at once by one of these, after it was laid out or when it is done with: pieces that were not
 * measured are then CONGRU_ERROR_MEMORY with a text, in every build, and not a crash or a wrong number. */

/* CONGRU_OK when every piece taken since memory was reserved had room. */
congru_status congru_workspace_check(congru_context *context, const congru_arena *arena);

/* Frees an arena. Returns `status` when that is a failure, otherwise what congru_workspace_check finds. */
congru_status congru_workspace_free(congru_context *context, congru_arena *arena, congru_status status);

/* Room for `size` bytes in the scratch of every worker; CONGRU_ERROR_MEMORY with a text. */
congru_status congru_scratch_reserve(congru_context *context, size_t size);

/* congru_workspace_check for the scratch of every worker, after the thread pool has run. */
congru_status congru_scratch_check(congru_context *context);

#endif
