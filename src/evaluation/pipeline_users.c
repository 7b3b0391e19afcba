/* Which pipelines use an option. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "evaluation/pipeline.h"
#include "network/network.h"

/* Whether one word of congru_method_option.users means the pipeline. */
static bool means(const char *word, size_t size, const congru_pipeline *pipeline)
{
    const struct {
        const char *name;
        bool holds;
    } known[] = {
        {pipeline->aligner->name, true},
        {pipeline->classifier->name, true},
        {"all", true},
        {"recentred", pipeline->aligner->recentring != NULL &&
                          pipeline->aligner->recentring->of == CONGRU_NEEDS_COVARIANCES},
        {"networks", congru_pipeline_trains(pipeline)},
        {"end-to-end", pipeline->classifier->end_to_end},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == size && memcmp(known[i].name, word, size) == 0)
            return known[i].holds;
    return false;
}

bool congru_pipeline_among(const char *name, const char *users)
{
    congru_pipeline pipeline;
    if (name == NULL || users == NULL || congru_pipeline_parse(NULL, name, &pipeline) != CONGRU_OK)
        return false;
    for (const char *word = users; *word != '\0';) {
        size_t size = strcspn(word, " ");
        if (means(word, size, &pipeline))
            return true;
        word += size + strspn(word + size, " ");
    }
    return false;
}

const congru_method_option *congru_pipeline_option(const char *name, size_t index)
{
    const congru_method_option *row;
    for (size_t i = 0; (row = congru_method_option_at(i)) != NULL; i++)
        if (congru_pipeline_among(name, row->users) && index-- == 0)
            return row;
    return NULL;
}

bool congru_pipeline_settle(const char *name, congru_method_options *options)
{
    congru_pipeline_description about;
    if (name == NULL || options == NULL || congru_pipeline_describe(NULL, name, &about) != CONGRU_OK ||
        about.network == NULL || about.branches > 1)
        return false;
    options->network = congru_network_settle_named(about.network, &options->network);
    return true;
}
