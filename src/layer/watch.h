/* Signs of a network that degenerates. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LAYER_WATCH_H
#define CONGRU_LAYER_WATCH_H

#include "layer/training.h"

enum { CONGRU_WATCH_EVERY = 100 }; /* steps between two looks at the rank */

/* V (d, r): the leading eigenvectors of the sum over classes of (mean of class - mean)^2, r one less than the
 * classes
 * there are, or the narrowest width. */
void congru_watch_layout(congru_arena *arena, congru_training *training);
congru_status congru_watch_start(congru_training *training);

/* After an evaluation: extremes of eigenvalues and, now and then, the rank of W^T V, W being the product of the
 * weights down to the narrowest layer, into the series; a note on the first sign of trouble of each kind. */
congru_status congru_watch_step(congru_training *training);

#endif
