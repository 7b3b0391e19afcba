/* Matrices where they are: not next to each other, or not yet whitened. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_VIEW_H
#define CONGRU_BASE_VIEW_H

#include <stddef.h>
#include <stdint.h>

/* n matrices (d, d) of a larger array, so that those who read them need no copy of them all. spd/view_load.h reads them. */
typedef struct congru_view {
    const double *plain; /* (any, d, d) */
    const size_t *place; /* (n), where each of them is; NULL: the first n */
    const double *root;  /* (owners, d, d), symmetric: what is read is W C W with the W of C's owner; NULL: C */
    const int32_t *owner; /* (any) */
} congru_view;

#endif
