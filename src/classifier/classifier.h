/* What a classifier is: one constant table, one line in the registry. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_CLASSIFIER_H
#define CONGRU_CLASSIFIER_CLASSIFIER_H

#include "network/network.h"

typedef struct congru_classifier {
    const char *name;
    const char *summary;      /* one line, for help */
    bool end_to_end;          /* stands alone, behind recentring: it holds its own aligner, */
    congru_backbone backbone; /* this one */
    bool views;               /* fits on trials where they are (congru_trials.view) as well */

    /* Learns from the source subjects' trials, as the aligner left them, and adds its tensors to `model`. A class
     * without a trial gets probability 0 in every prediction, with a note (congru_note). Fewer than two classes with
     * trials: CONGRU_ERROR_ARGUMENT. `record` may be NULL. */
    congru_status (*fit)(congru_context *context, const congru_trials *trials,
                         const congru_method_options *options, congru_tensors *model, congru_record *record);

    /* probability (count, classes), rows adding up to 1. */
    congru_status (*predict)(congru_context *context, const congru_tensors *model,
                             const congru_newcomer *newcomer, double *probability);
} congru_classifier;

/* One file each. */
extern const congru_classifier congru_classifier_mdm, congru_classifier_tslr, congru_classifier_tsa_lda,
    congru_classifier_csp_lda;

/* In lda_projection.c. */
extern const congru_classifier congru_classifier_lda_tslr, congru_classifier_lda_tsa_lda;

/* In e2e.c. */
extern const congru_classifier congru_classifier_dct_e2e, congru_classifier_dldct_e2e,
    congru_classifier_ddct_unet_e2e;

/* NULL when there is none of the name; in the order of help until NULL. */
const congru_classifier *congru_classifier_find(const char *name);
const congru_classifier *congru_classifier_at(size_t index);

#endif
