/* One congruence layer of DDCT-UNet, with the logarithm of its output. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LAYER_UNET_LAYER_H
#define CONGRU_LAYER_UNET_LAYER_H

#include "layer/training.h"

/* Y = W^T X W + eps I. Leaves Y as the next layer's input unless it is merged; log Y, where needed and merged,
 * in
 * work->m[0]. x may be work->m[2]. */
void congru_unet_layer_forward(const congru_step_chunk *chunk, const congru_step_work *work, size_t l,
                               const double *x);

/* From the derivative by log Y and by Y, either of which may be NULL, to those by W (partials) and X (d_x,
 * which may
 * be d_y). */
void congru_unet_layer_backward(const congru_step_chunk *chunk, const congru_step_work *work, size_t l,
                                const double *d_log, const double *d_y, double *d_x);

/* The same where W widens, without Y: with W^T = Q R, Q (out, in), R (in, in), Y has the eigenvalues of
 * B = R X R^T + eps I, and eps beside them: log Y = Q (log B - log eps I) Q^T + log eps I. */
void congru_unet_factor(congru_training *training, size_t l);
void congru_unet_wide_forward(const congru_step_chunk *chunk, const congru_step_work *work, size_t l,
                              const double *x);
void congru_unet_wide_backward(const congru_step_chunk *chunk, const congru_step_work *work, size_t l,
                               const double *d_log, double *d_x);

/* The layer's gradient from its partials. */
void congru_unet_layer_finish(congru_training *training, size_t l);

#endif
