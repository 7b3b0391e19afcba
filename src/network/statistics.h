/* Statistics of the trials of a target that may be seen, in their order, and of the sources. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_STATISTICS_H
#define CONGRU_NETWORK_STATISTICS_H

#include "base/error.h"
#include "model/trials.h"

typedef enum congru_statistic_kind {
    CONGRU_MEAN_NORM,      /* the root of the mean of squared norms; where there are none that of the sources */
    CONGRU_MEAN_LOGARITHM, /* of matrices whose logarithms the network gives */
    CONGRU_MEAN_LOGEUCLID, /* of matrices */
    CONGRU_MEAN_FRECHET    /* of matrices, and their dispersion about it (SPD batch normalisation) */
} congru_statistic_kind;

/* What is known of each trial, and what comes of it: one result for all trials or one for each. */
typedef struct congru_statistic {
    congru_statistic_kind kind;
    size_t count, d;    /* matrices are (d, d) */
    double *value;      /* (count) or (count, d, d): norms or matrices; the caller fills them in, */
    double *logarithm;  /* and (count, d, d), of CONGRU_MEAN_LOGARITHM */
    double source;      /* of the source subjects: the root of a mean norm, or */
    const double *kept; /* (rows, d): the logarithm of their mean, and behind it their dispersion */
    size_t results;
    double *inverse; /* (results, d, d): inverse roots of means, of few trials with that of the sources */
    double *factor;  /* (results): 1 / sqrt(dispersion), or the root of the mean norm */
    double *scratch; /* a logarithm (d, d), and numbers of a target */
} congru_statistic;

/* Room for `count` trials and as many results; congru_statistic_end frees it. */
congru_status congru_statistic_begin(congru_context *context, congru_statistic_kind kind, size_t count,
                                     size_t d, congru_statistic *s);
void congru_statistic_end(congru_statistic *s);

/* The results for a target of these trials, as far as they may be seen. */
congru_status congru_statistic_of_target(congru_context *context, const congru_target_trials *target,
                                         congru_statistic *s);

/* The identity is the mean, whatever the trials are. */
congru_status congru_statistic_identity(congru_context *context, congru_statistic *s);

/* Of the sources, for `kept` (rows, d): the mean over all trials of their logarithms, or over subjects of theirs. */
size_t congru_statistic_rows(congru_statistic_kind kind, size_t d);
congru_status congru_statistic_of_sources(congru_context *context, const congru_trials *trials,
                                          const congru_statistic *s, double *kept);

#endif
