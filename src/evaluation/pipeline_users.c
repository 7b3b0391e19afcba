/* Which pipelines use an option. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "evaluation/pipeline.h"
#include "network/network.h"

static bool trains(const congru_branch *branch)
{
    return branch->aligner->network != NULL || branch->classifier->network != NULL;
}

/* Whether one word of congru_method_option.users means the branch. */
static bool means(const char *word, size_t size, const congru_branch *branch)
{
    const struct {
        const char *name;
        bool holds;
    } known[] = {
        {branch->aligner->name, true},
        {branch->classifier->name, true},
        {"all", true},
        {"recentred",
         branch->aligner->recentring != NULL && branch->aligner->recentring->of == CONGRU_NEEDS_COVARIANCES},
        {"networks", trains(branch)},
        {"end-to-end", branch->classifier->end_to_end},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == size && memcmp(known[i].name, word, size) == 0)
            return known[i].holds;
    return false;
}

bool congru_branch_among(const congru_branch *branch, const char *users)
{
    for (const char *word = users; *word != '\0';) {
        size_t size = strcspn(word, " ");
        if (means(word, size, branch))
            return true;
        word += size + strspn(word + size, " ");
    }
    return false;
}

bool congru_branch_takes(const congru_branch *branch, const congru_method_option *option)
{
    for (size_t i = 0; i < branch->settings; i++)
        if (congru_method_option_find(branch->setting[i].name) == option)
            return false;
    return congru_branch_among(branch, option->users);
}

bool congru_pipeline_among(const char *name, const char *users)
{
    congru_pipeline pipeline = {0};
    bool among = false;
    if (name != NULL && users != NULL && congru_pipeline_parse(NULL, name, &pipeline) == CONGRU_OK)
        for (size_t b = 0; b < pipeline.branches; b++)
            among = among || congru_branch_among(&pipeline.branch[b], users);
    congru_pipeline_clear(&pipeline);
    return among;
}

const congru_method_option *congru_pipeline_option(const char *name, size_t index)
{
    const congru_method_option *row;
    for (size_t i = 0; (row = congru_method_option_at(i)) != NULL; i++)
        if (congru_pipeline_among(name, row->users) && index-- == 0)
            return row;
    return NULL;
}

/* A range that is 0 0, "own", becomes that of the block; a block without one has all there is, to `most`. */
static void settle_range(const double of_block[2], double least, double most, double range[2])
{
    const bool own = range[0] == 0 && range[1] == 0, any = of_block[1] > of_block[0];
    if (!own)
        return;
    range[0] = any ? of_block[0] : least;
    range[1] = any ? of_block[1] : most;
}

static void settle_signals(const char *name, congru_network_options *options)
{
    congru_pipeline pipeline = {0};
    if (congru_pipeline_parse(NULL, name, &pipeline) == CONGRU_OK && pipeline.branch[0].block != NULL &&
        congru_branch_reads_signals(&pipeline.branch[0])) {
        const congru_preprocessing *block = &pipeline.branch[0].block[0];
        settle_range(block->band, 0, CONGRU_SIGNAL_HERTZ_MAX, options->signal_band);
        settle_range(block->window, -CONGRU_SIGNAL_SECONDS_MAX, CONGRU_SIGNAL_SECONDS_MAX,
                     options->signal_window);
    }
    congru_pipeline_clear(&pipeline);
}

bool congru_pipeline_settle(const char *name, congru_method_options *options)
{
    congru_pipeline_description about;
    if (name == NULL || options == NULL || congru_pipeline_describe(NULL, name, &about) != CONGRU_OK ||
        about.network == NULL || about.branches > 1)
        return false;
    options->network = congru_network_settle(congru_network_find(about.network), &options->network);
    settle_signals(name, &options->network);
    return true;
}
