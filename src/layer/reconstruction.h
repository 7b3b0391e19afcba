/* How far outputs are from what went in. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LAYER_RECONSTRUCTION_H
#define CONGRU_LAYER_RECONSTRUCTION_H

#include "layer/training.h"

/* ||L_out - L'||^2 of each trial of a chunk, on the leading block that both have: from work->row into
 * distance. */
void congru_reconstruction_forward(const congru_step_chunk *chunk, const congru_step_work *work);

/* Affine-invariant: ||log(C'^-1/2 C_out C'^-1/2)||^2 into distance, and its derivative added to d_c_out (set,
 * where
 * there is no head). The inverse roots are had once. Uses all of work but row. */
congru_status congru_reconstruction_start(congru_training *training);
void congru_reconstruction_affine(const congru_step_chunk *chunk, const congru_step_work *work);

#endif
