/* The registry of aligners. SPDX-License-Identifier: Apache-2.0 */
#include "aligner/aligner.h"

#include <string.h>

#include "aligner/rpa.h"
#include "congru/aligner.h"

static const congru_aligner aligner_none = {.name = "none", .summary = "trials as they were recorded"};
static const congru_aligner aligner_ra = {.name = "ra",
                                          .summary = "each subject's mean becomes the identity (--ra-mean)",
                                          .recentring = &congru_recentring_ra};
static const congru_aligner aligner_ea = {.name = "ea",
                                          .summary =
                                              "signals whitened by the mean of each subject's second moments",
                                          .needs = CONGRU_NEEDS_SIGNALS,
                                          .recentring = &congru_recentring_ea};

/* A method is one file, and one line here; networks have theirs in network/network.h. */
#define MATRICES(id) &congru_aligner_##id,
#define CLASSES(id)
#define ROW(id, title, reads, gives, words) gives(id)
static const congru_aligner *const aligners[] = {
    &aligner_none,
    &aligner_ra,
    &congru_aligner_rpa,
    CONGRU_NETWORKS(ROW) & aligner_ea,
};

const congru_aligner *congru_aligner_at(size_t index)
{
    return index < sizeof aligners / sizeof aligners[0] ? aligners[index] : NULL;
}

const congru_aligner *congru_aligner_find(const char *name)
{
    for (size_t i = 0; congru_aligner_at(i) != NULL; i++)
        if (strcmp(congru_aligner_at(i)->name, name) == 0)
            return congru_aligner_at(i);
    return NULL;
}

const char *congru_aligner_name(size_t index)
{
    return congru_aligner_at(index) != NULL ? congru_aligner_at(index)->name : NULL;
}

const char *congru_aligner_summary(size_t index)
{
    return congru_aligner_at(index) != NULL ? congru_aligner_at(index)->summary : NULL;
}

size_t congru_aligner_labels(const congru_aligner *aligner, const congru_method_options *options)
{
    return aligner->labels ? (size_t)options->rpa_labels : 0;
}
