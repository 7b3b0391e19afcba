/* Which pipelines use an option, and the bands and windows that networks on signals have by them. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/text.h"
#include "dataset/set_products.h"
#include "evaluation/pipeline.h"
#include "model/method_options.h"
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

/* ---- Bands and windows ------------------------------------------------------------------------------------- */

bool congru_branch_reads_signals(const congru_branch *branch)
{
    return branch->classifier->network != NULL && branch->classifier->needs == CONGRU_NEEDS_SIGNALS;
}

static bool is_own(const double range[2])
{
    return range[0] == 0 && range[1] == 0;
}

/* A network reads one block; where trials were as the set has them it gets one. */
static congru_status choose_signals(congru_context *context, const congru_method_options *method,
                                    congru_branch *branch)
{
    congru_method_options own = *method;
    congru_branch_options(branch, &own);
    const double *band = own.network.signal_band, *window = own.network.signal_window;
    if (is_own(band) && is_own(window))
        return CONGRU_OK;
    if (branch->block == NULL) {
        CONGRU_TRY(congru_allocate(context, &branch->block, 1, sizeof *branch->block, "a pipeline"));
        congru_preprocessing_init_raw(branch->block);
    }
    congru_preprocessing *p = &branch->block[0];
    if (!is_own(band))
        for (int i = 0; i < 2; i++)
            p->band[i] = band[1] < CONGRU_SIGNAL_HERTZ_MAX ? band[i] : 0;
    if (!is_own(window)) {
        p->whole = window[1] >= CONGRU_SIGNAL_SECONDS_MAX;
        for (int i = 0; i < 2; i++)
            p->window[i] = p->whole ? 0 : window[i];
    }
    return congru_preprocessing_check(context, p);
}

congru_status congru_pipeline_adjust(congru_context *context, const congru_method_options *method, bool causal,
                                     congru_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->branches; i++) {
        congru_branch *branch = &pipeline->branch[i];
        if (congru_branch_reads_signals(branch))
            CONGRU_TRY(choose_signals(context, method, branch));
        for (size_t b = 0; causal && branch->block != NULL && b < branch->blocks; b++) {
            branch->block[b].causal = true;
            CONGRU_TRY(congru_preprocessing_check(context, &branch->block[b]));
        }
    }
    return CONGRU_OK;
}

/* ---- Words ----------------------------------------------------------------------------------------------- */

enum { LINES_MAX = 32, LINE_SIZE = 128 };

/* Networks that see the same of a trial. */
typedef struct seen_alike {
    char seen[LINE_SIZE];
    congru_text names;
} seen_alike;

/* Different ranges among those of blocks: how many, and from where to where they go. */
typedef struct ranges_seen {
    size_t count;
    double low, high;
} ranges_seen;

static void see_range(const double range[2], bool seen_before, ranges_seen *ranges)
{
    if (seen_before)
        return;
    ranges->low = ranges->count == 0 || range[0] < ranges->low ? range[0] : ranges->low;
    ranges->high = ranges->count == 0 || range[1] > ranges->high ? range[1] : ranges->high;
    ranges->count++;
}

static void see_blocks(const congru_set *set, const congru_branch *branch, ranges_seen *bands,
                       ranges_seen *windows)
{
    for (size_t b = 0; branch->block != NULL && b < branch->blocks; b++) {
        congru_preprocessing p =
            branch->block[b]; /* a copy, but for the channels' names, which nobody touches */
        if (branch->inside && !congru_product_clip(set, &p) && branch->blocks > 1)
            continue; /* which the branch goes without */
        bool same_band = false, same_window = false;
        for (size_t a = 0; a < b; a++) {
            congru_preprocessing other = branch->block[a];
            if (branch->inside && !congru_product_clip(set, &other) && branch->blocks > 1)
                continue;
            same_band = same_band || memcmp(other.band, p.band, sizeof p.band) == 0;
            same_window = same_window || memcmp(other.window, p.window, sizeof p.window) == 0;
        }
        see_range(p.band, same_band, bands);
        see_range(p.window, same_window, windows);
    }
}

/* Whether the member at this place is chosen for the branch, on source subjects, by its pipeline or its run. */
static bool is_chosen(const congru_pipeline *pipeline, const congru_branch *branch,
                      const congru_method_options *method, size_t offset)
{
    const char *const texts[] = {pipeline->choose, method->choose};
    congru_option_values values;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; congru_choose_at(texts[k], i, &values); i++)
            if (values.row != NULL && values.row->offset == offset && congru_branch_takes(branch, values.row))
                return true;
    return false;
}

/* "4 to 38 Hz, 0 to 4 s after the cue", "5 bands from 8 to 32 Hz, 4 windows from ...": what a branch sees of the trials of a
 * set. */
static void describe_seen(const congru_set *set, const congru_pipeline *pipeline, const congru_branch *branch,
                          const congru_method_options *method, char line[LINE_SIZE])
{
    ranges_seen bands = {0}, windows = {0};
    see_blocks(set, branch, &bands, &windows);
    char band[LINE_SIZE / 2] = "all frequencies of the set", window[LINE_SIZE / 2] = "whole trials", many[32];
    many[0] = '\0';
    if (bands.count > 1)
        congru_format(many, sizeof many, "%zu bands from ", bands.count);
    if (bands.high > 0 && (bands.low > 0 || bands.count > 1))
        congru_format(band, sizeof band, "%s%g to %g Hz", many, bands.low, bands.high);
    else if (bands.high > 0)
        congru_format(band, sizeof band, "below %g Hz", bands.high);
    many[0] = '\0';
    if (windows.count > 1)
        congru_format(many, sizeof many, "%zu windows from ", windows.count);
    if (windows.high > windows.low)
        congru_format(window, sizeof window, "%s%g to %g s after the cue", many, windows.low, windows.high);
    if (is_chosen(pipeline, branch, method, offsetof(congru_method_options, network.signal_band)))
        snprintf(band, sizeof band, "a band that is chosen");
    if (is_chosen(pipeline, branch, method, offsetof(congru_method_options, network.signal_window)))
        snprintf(window, sizeof window, "a window that is chosen");
    snprintf(line, LINE_SIZE, "%s, %s", band, window);
}

static void add_seen(const char *name, const char *seen, seen_alike *list, size_t *count)
{
    size_t i = 0;
    while (i < *count && strcmp(list[i].seen, seen) != 0)
        i++;
    if (i == LINES_MAX)
        return;
    if (i == *count)
        memcpy(list[(*count)++].seen, seen, LINE_SIZE);
    congru_text_add(&list[i].names, "%s%s", list[i].names.size > 0 ? ", " : "", name);
}

/* A branch of several is named by its pipeline too. */
static void add_pipeline(const congru_set *set, const char *name, const congru_pipeline *pipeline,
                         const congru_method_options *method, seen_alike *list, size_t *count)
{
    for (size_t i = 0; i < pipeline->branches; i++) {
        char seen[LINE_SIZE], full[2 * CONGRU_PIPELINE_SIZE + CONGRU_LABEL_SIZE];
        if (!congru_branch_reads_signals(&pipeline->branch[i]))
            continue;
        describe_seen(set, pipeline, &pipeline->branch[i], method, seen);
        snprintf(full, sizeof full, "%s%s%s", name, pipeline->branches > 1 ? ":" : "",
                 pipeline->branches > 1 ? pipeline->branch[i].name : "");
        add_seen(full, seen, list, count);
    }
}

static congru_status list_seen(congru_context *context, const congru_set *set,
                               const congru_evaluation_options *options, seen_alike *list, size_t *count)
{
    CONGRU_TRY(congru_method_options_check(context, &options->method));
    for (size_t i = 0; i < options->pipeline_count; i++) {
        congru_pipeline pipeline = {0};
        congru_status status;
        if (options->pipelines[i] == NULL)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no pipeline given");
        CONGRU_TRY(congru_pipeline_parse(context, options->pipelines[i], &pipeline));
        status = congru_pipeline_adjust(context, &options->method, options->causal, &pipeline);
        if (status == CONGRU_OK)
            add_pipeline(set, options->pipelines[i], &pipeline, &options->method, list, count);
        congru_pipeline_clear(&pipeline);
        CONGRU_TRY(status);
    }
    return CONGRU_OK;
}

congru_status congru_evaluation_signals(congru_context *context, const congru_set *set,
                                        const congru_evaluation_options *options, char *text, size_t size)
{
    if (context == NULL || set == NULL || options == NULL || text == NULL || size == 0 ||
        (options->pipelines == NULL && options->pipeline_count > 0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no set, options, pipelines or text given");
    seen_alike *list;
    congru_text line = {0};
    size_t count = 0;
    CONGRU_TRY(congru_allocate(context, &list, LINES_MAX, sizeof *list, "a line"));
    const congru_status status = list_seen(context, set, options, list, &count);
    for (size_t i = 0; i < count; i++) {
        congru_text_add(&line, "%s%s: %s", i > 0 ? "; " : "",
                        list[i].names.data != NULL ? list[i].names.data : "", list[i].seen);
        congru_text_clear(&list[i].names);
    }
    free(list);
    snprintf(text, size, "%s", line.data != NULL ? line.data : "");
    congru_text_clear(&line);
    return status;
}

void congru_pipeline_signals_text(congru_context *context, const congru_set *set,
                                  const congru_evaluation_options *options, const char *name, congru_text *text)
{
    congru_pipeline pipeline = {0};
    bool own = false;
    congru_status status = congru_pipeline_parse(context, name, &pipeline);
    if (status == CONGRU_OK)
        status = congru_pipeline_adjust(context, &options->method, options->causal, &pipeline);
    for (size_t i = 0; i < pipeline.branches; i++)
        own = own || pipeline.branch[i].block != NULL;
    for (size_t i = 0; status == CONGRU_OK && own && i < pipeline.branches; i++) {
        const congru_branch *branch = &pipeline.branch[i];
        char seen[LINE_SIZE] = "as the set has them";
        if (branch->block != NULL)
            describe_seen(set, &pipeline, branch, &options->method, seen);
        congru_text_add(text, "%s%s%s%s", i > 0 ? "; " : "", pipeline.branches > 1 ? branch->name : "",
                        pipeline.branches > 1 ? ": " : "", seen);
    }
    congru_pipeline_clear(&pipeline);
}
