/* The registry of classifiers. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/classifier.h"
#include "congru/classifier.h"

#include <string.h>

/* A method is one file, and one line here; networks have theirs in network/network.h. */
#define CLASSES(id) &congru_classifier_##id,
#define MATRICES(id) &congru_classifier_##id##_e2e,
#define ROW(id, title, reads, gives, words) gives(id)
static const congru_classifier *const classifiers[] = {
    &congru_classifier_mdm,
    &congru_classifier_tslr,
    &congru_classifier_tsa_lda,
    &congru_classifier_csp_lda,
    &congru_classifier_lda_tslr,
    &congru_classifier_lda_tsa_lda,
    CONGRU_NETWORKS(ROW) & congru_classifier_ridge,
    &congru_classifier_bins,
};

const congru_classifier *congru_classifier_at(size_t index)
{
    return index < sizeof classifiers / sizeof classifiers[0] ? classifiers[index] : NULL;
}

const congru_classifier *congru_classifier_find(const char *name)
{
    for (size_t i = 0; congru_classifier_at(i) != NULL; i++)
        if (strcmp(congru_classifier_at(i)->name, name) == 0)
            return congru_classifier_at(i);
    return NULL;
}

const char *congru_classifier_name(size_t index)
{
    return congru_classifier_at(index) != NULL ? congru_classifier_at(index)->name : NULL;
}

const char *congru_classifier_summary(size_t index)
{
    return congru_classifier_at(index) != NULL ? congru_classifier_at(index)->summary : NULL;
}
