/* Common spatial patterns of trials where they are. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_CSP_VIEW_H
#define CONGRU_CLASSIFIER_CSP_VIEW_H

#include "congru/classifier.h"
#include "model/trials.h"
#include "spd/view_load.h"

/* congru_csp_filters of trials, and congru_csp_features of a view. */
congru_status congru_csp_view_filters(congru_context *context, const congru_trials *trials, size_t per_end,
                                      double *filters, size_t *blocks);
congru_status congru_csp_view_features(congru_context *context, size_t n, size_t d, const congru_view *view,
                                       size_t blocks, size_t size, const double *filters, double *out);

#endif
