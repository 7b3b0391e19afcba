/* The band and window that networks on signals have: set by options, told to the reader. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/text.h"
#include "dataset/set_products.h"
#include "evaluation/pipeline.h"

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
    if (branch->blocks == 0) {
        branch->block = calloc(1, sizeof *branch->block);
        if (branch->block == NULL)
            return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a pipeline");
        congru_preprocessing_init_raw(branch->block);
        branch->blocks = 1;
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
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < pipeline->branches; i++) {
        congru_branch *branch = &pipeline->branch[i];
        if (congru_branch_reads_signals(branch))
            status = choose_signals(context, method, branch);
        for (size_t b = 0; causal && status == CONGRU_OK && b < branch->blocks; b++) {
            branch->block[b].causal = true;
            status = congru_preprocessing_check(context, &branch->block[b]);
        }
    }
    return status;
}

/* ---- Words ----------------------------------------------------------------------------------------------- */

enum { LINES_MAX = 32, LINE_SIZE = 128 };

/* Networks that see the same of a trial. */
typedef struct seen_alike {
    char seen[LINE_SIZE];
    congru_text names;
} seen_alike;

/* "4 to 38 Hz, 0 to 4 s after the cue": what a branch sees of the trials of a set. */
static void describe_seen(const congru_set *set, const congru_branch *branch, char line[LINE_SIZE])
{
    congru_preprocessing p = {0}; /* a copy, but for the channels' names, which nobody touches */
    if (branch->blocks > 0)
        p = branch->block[0];
    if (branch->inside && branch->blocks > 0)
        congru_product_clip(set, &p);
    char band[LINE_SIZE / 2] = "all frequencies of the set", window[LINE_SIZE / 2] = "whole trials";
    if (p.band[1] > 0 && p.band[0] > 0)
        congru_format(band, sizeof band, "%g to %g Hz", p.band[0], p.band[1]);
    else if (p.band[1] > 0)
        congru_format(band, sizeof band, "below %g Hz", p.band[1]);
    if (p.window[1] > p.window[0])
        congru_format(window, sizeof window, "%g to %g s after the cue", p.window[0], p.window[1]);
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
                         seen_alike *list, size_t *count)
{
    for (size_t i = 0; i < pipeline->branches; i++) {
        char seen[LINE_SIZE], full[2 * CONGRU_PIPELINE_SIZE + CONGRU_LABEL_SIZE];
        if (!congru_branch_reads_signals(&pipeline->branch[i]))
            continue;
        describe_seen(set, &pipeline->branch[i], seen);
        snprintf(full, sizeof full, "%s%s%s", name, pipeline->branches > 1 ? ":" : "",
                 pipeline->branches > 1 ? pipeline->branch[i].name : "");
        add_seen(full, seen, list, count);
    }
}

congru_status congru_evaluation_signals(congru_context *context, const congru_set *set,
                                        const congru_evaluation_options *options, char *text, size_t size)
{
    if (context == NULL || set == NULL || options == NULL || text == NULL || size == 0 ||
        (options->pipelines == NULL && options->pipeline_count > 0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no set, options, pipelines or text given");
    seen_alike *list = calloc(LINES_MAX, sizeof *list);
    congru_text line = {0};
    size_t count = 0;
    congru_status status = congru_method_options_check(context, &options->method);
    if (status == CONGRU_OK && list == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a line");
    for (size_t i = 0; status == CONGRU_OK && i < options->pipeline_count; i++) {
        congru_pipeline pipeline = {0};
        status = options->pipelines[i] != NULL
                     ? congru_pipeline_parse(context, options->pipelines[i], &pipeline)
                     : congru_fail(context, CONGRU_ERROR_ARGUMENT, "no pipeline given");
        if (status == CONGRU_OK)
            status = congru_pipeline_adjust(context, &options->method, options->causal, &pipeline);
        if (status == CONGRU_OK)
            add_pipeline(set, options->pipelines[i], &pipeline, list, &count);
        congru_pipeline_clear(&pipeline);
    }
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
