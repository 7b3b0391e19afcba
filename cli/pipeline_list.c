/* Aligners and classifiers as terms for help. SPDX-License-Identifier: Apache-2.0 */
#include "pipeline_list.h"

#include "congru/congru.h"

definition pipeline_definition(size_t index)
{
    size_t aligners = 0;
    while (congru_aligner_name(aligners) != NULL)
        aligners++;
    if (index < aligners)
        return (definition){congru_aligner_name(index), congru_aligner_summary(index)};
    return (definition){congru_classifier_name(index - aligners), congru_classifier_summary(index - aligners)};
}
