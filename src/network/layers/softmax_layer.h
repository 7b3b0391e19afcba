/* Which classes a softmax may answer with. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_SOFTMAX_LAYER_H
#define CONGRU_NETWORK_SOFTMAX_LAYER_H

typedef struct congru_softmax {
    const double *present; /* (classes): 0 for those that are never the prediction; the caller's */
} congru_softmax;

#endif
