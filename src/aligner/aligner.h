/* What an aligner is: one constant table, one line in the registry. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ALIGNER_H
#define CONGRU_ALIGNER_H

#include "aligner/recentre.h"
#include "model/tensors.h"
#include "model/trials.h"
#include "network/network.h"

typedef struct congru_aligner {
    const char *name;
    const char *summary;           /* one line, for help */
    congru_needs needs;            /* what it aligns */
    const congru_network *network; /* what it trains by gradient descent; NULL: nothing, and fitting is quick */
    bool labels; /* takes labelled trials of the target subject where options say so (rpa_labels) */

    /* What is done to each domain (a subject, or a session of one) by itself, without labels, before anything below
     * sees its trials: `ra` itself, and the aligners that are learned after it. NULL: nothing. */
    const congru_recentring *recentring;

    /* Learns from the source subjects and adds its tensors to `model`. NULL: nothing to learn. `record` may be
     * NULL. */
    congru_status (*fit)(const struct congru_aligner *self, congru_context *context,
                         const congru_trials *trials, const congru_method_options *options,
                         congru_tensors *model, congru_record *record);

    /* Maps the trials the aligner was fitted on, for the classifier to be fitted on: out (count, d, d), which may be
     * trials->covariance. NULL: they stay as they are. This is the aligner's embedding, for diagnostics too. */
    congru_status (*map_sources)(const struct congru_aligner *self, congru_context *context,
                                 const congru_tensors *model, const congru_trials *trials, double *out);

    /* Maps the trials of the target subject. NULL: they stay as they are. */
    congru_status (*map_target)(const struct congru_aligner *self, congru_context *context,
                                const congru_tensors *model, const congru_target_trials *target, double *out);
} congru_aligner;

/* How many labelled trials of each class of the target subject it takes with these options; 0: it looks at no label. */
size_t congru_aligner_labels(const congru_aligner *aligner, const congru_method_options *options);

/* In learned.c, one for each network that gives matrices; RPA is declared in rpa.h. */
#define CONGRU_DECLARE_ALIGNER_MATRICES(id) extern const congru_aligner congru_aligner_##id;
#define CONGRU_DECLARE_ALIGNER_CLASSES(id)
#define CONGRU_DECLARE_ALIGNER(id, title, reads, gives, words) CONGRU_DECLARE_ALIGNER_##gives(id)
CONGRU_NETWORKS(CONGRU_DECLARE_ALIGNER)

/* NULL when there is none of the name; in the order of help until NULL. */
const congru_aligner *congru_aligner_find(const char *name);
const congru_aligner *congru_aligner_at(size_t index);

#endif
