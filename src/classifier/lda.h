/* What discriminant analysis is made of: class means and the scatter within classes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_LDA_H
#define CONGRU_CLASSIFIER_LDA_H

#include "classifier/class_table.h"
#include "congru/classifier.h"

typedef struct congru_lda {
    size_t n, features;
    const double *x; /* (n, features) */
    congru_class_table table;
    congru_arena arena;
    double *mean;           /* (classes, features) */
    double *within;         /* (features, stride) */
    double *blocks;         /* trials of the largest class, in blocks */
    double *deviation;      /* (features), of the trials of a class */
    double *part;           /* (features, features), and scratch of solving */
    double *class_products; /* (features, stride) */
} congru_lda;

/* Sorts the trials and finds the means. Freed by congru_lda_free, also after a failure. */
congru_status congru_lda_make(congru_context *context, size_t n, size_t features, const double *x,
                              const int32_t *label, size_t classes, congru_lda *lda);
void congru_lda_free(congru_lda *lda);

/* within = the sum over classes of the scatter about their means, over n; plain, or shrunk class by class. */
void congru_lda_scatter(congru_context *context, congru_lda *lda, bool shrunk);

/* within becomes its factor U; false where it is singular, or nearly. */
bool congru_lda_factor(congru_context *context, congru_lda *lda);

/* Makes `within` definite by adding to its diagonal, and factors it. Notes that it did. */
void congru_lda_factor_regularised(congru_context *context, congru_lda *lda);

#endif
