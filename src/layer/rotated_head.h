/* The tangent head behind a rotation. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LAYER_ROTATED_HEAD_H
#define CONGRU_LAYER_ROTATED_HEAD_H

#include "layer/training.h"

/* Every step of the head commutes with a rotation of all its inputs: log(P exp(gamma R^T L R) P) is R^T Z R,
 * with Z
 * what it would be without R. The rotation is therefore applied to the softmax weights instead, once per batch:
 * <W, R^T Z R> = <R W R^T, Z>. What is left to differentiate by trial is gamma. */
void congru_rotated_head_layout(congru_arena *arena, congru_training *training);

/* Weights in the basis of the inputs, and the reference exp(-gamma/2 mean L'). */
void congru_rotated_head_prepare(congru_training *training);

/* Losses, partial derivatives by the weights, and each trial's derivative by gamma. */
void congru_rotated_head_chunk(const congru_step_chunk *chunk, const congru_step_work *work);

/* Cross-entropy; the derivatives by weights, bias, and (added) R and gamma. */
double congru_rotated_head_finish(congru_training *training, double *d_gamma);

#endif
