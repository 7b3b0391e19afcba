/* The registry of classifiers. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/classifier.h"
#include "congru/classifier.h"

#include <string.h>

/* A method is one file, and one line here. */
static const congru_classifier *const classifiers[] = {
    &congru_classifier_mdm,        &congru_classifier_tslr,           &congru_classifier_tsa_lda,
    &congru_classifier_csp_lda,    &congru_classifier_lda_tslr,       &congru_classifier_lda_tsa_lda,
    &congru_classifier_dct_e2e,    &congru_classifier_dldct_e2e,      &congru_classifier_ddct_unet_e2e,
    &congru_classifier_spd_cnn,    &congru_classifier_ts_spd_cnn,     &congru_classifier_spdnet,
    &congru_classifier_tsmnet,     &congru_classifier_shallow,        &congru_classifier_deep,
    &congru_classifier_eegnet,     &congru_classifier_conformer,      &congru_classifier_inception,
    &congru_classifier_conv_dldct, &congru_classifier_conv_ddct_unet, &congru_classifier_ridge,
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
