/* Which library this is. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_VERSION_H
#define CONGRU_VERSION_H

#include "congru/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.2.0" */
CONGRU_API const char *congru_version(void);

/* The commit it was built from, or "unknown" outside a git checkout. */
CONGRU_API const char *congru_version_commit(void);

/* The compiler it was built with, for example "gcc 12.2.0". */
CONGRU_API const char *congru_version_compiler(void);

#ifdef __cplusplus
}
#endif
#endif
