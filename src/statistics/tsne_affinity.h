/* How likely t-SNE finds points to be neighbours. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STATISTICS_TSNE_AFFINITY_H
#define CONGRU_STATISTICS_TSNE_AFFINITY_H

#include "statistics/neighbours.h"

/* A symmetric matrix of probabilities that add up to 1, zeros on the diagonal and behind each row. */
typedef struct congru_affinity {
    congru_context *context;
    size_t n, stride;
    double *p;      // (n, stride)
    double entropy; // the sum of p log p
    double *part;   // (n) scratch
} congru_affinity;

/* Fills in p and entropy from points, arranged, or from distances (n, n) when `points` is NULL. Every
 * worker's scratch holds at least 3 * stride doubles. */
void congru_affinity_find(congru_affinity *affinity, double perplexity, const congru_neighbours *points,
                          const double *distances);

#endif
