/* Reading matrices where they are. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SPD_VIEW_LOAD_H
#define CONGRU_SPD_VIEW_LOAD_H

#include "base/view.h"
#include "spd/spectral.h"

/* Scratch of a chunk of `vectors` vectors, which the task may use again for something else. */
typedef struct congru_view_work {
    double *plain;               /* (count, d, d) */
    double *root, *made, *first; /* (vectors, d, d) each */
    double *check;               /* (vectors, 2) */
} congru_view_work;

/* congru_load_symmetric of the chunk's matrices of a view: the same bits as if they had been copied by
 * congru_view_copy first. */
congru_failure congru_view_load(const congru_chunk *chunk, size_t d, const congru_view *view, double *lanes,
                                const congru_view_work *work);

/* out (n, d, d): the matrices of a view. Without roots they are copied as they are, unchecked. */
congru_status congru_view_copy(congru_context *context, size_t n, size_t d, const congru_view *view,
                               double *out);

/* The matrices first to first + count - 1 of a view, next to each other: where they are, if they are so, or copied to
 * `room` (count, d, d). */
congru_status congru_view_block(congru_context *context, size_t first, size_t count, size_t d,
                                const congru_view *view, double *room, const double **block);

/* congru_spd_mean and congru_spd_tangent of a view. */
congru_status congru_view_mean(congru_context *context, congru_metric metric, size_t n, size_t d,
                               const congru_view *view, const congru_mean_options *options, double *out,
                               congru_mean_info *info);
congru_status congru_view_tangent(congru_context *context, size_t n, size_t d, const double *base,
                                  const congru_view *view, double *out);

#endif
