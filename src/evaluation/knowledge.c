/* What pipelines were let see of the target subjects. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/knowledge.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"

void congru_knowledge_text(const congru_knowledge *knowledge, char text[CONGRU_KNOWLEDGE_SIZE])
{
    static const char *const seen[] = {
        [CONGRU_TARGET_FULL] = "all trials, without labels",
        [CONGRU_TARGET_HALF] = "the first half of the trials, without labels",
        [CONGRU_TARGET_FIFTH] = "the first fifth of the trials, without labels",
        [CONGRU_TARGET_NONE] = "nothing",
        [CONGRU_TARGET_ONLINE] = "each trial with those before it, without labels",
    };
    if (knowledge == NULL || text == NULL)
        return;
    const bool alone = knowledge->known && knowledge->unlabelled == CONGRU_TARGET_NONE && knowledge->labels > 0;
    const char *trials = !knowledge->known ? "trials without labels: not known" : seen[knowledge->unlabelled];
    if (knowledge->labels == 0)
        congru_format(text, CONGRU_KNOWLEDGE_SIZE, "%s", trials);
    else
        congru_format(text, CONGRU_KNOWLEDGE_SIZE, "%s%s%s of each subject, which are not scored",
                      alone ? "" : trials, alone ? "" : "; ",
                      congru_count(knowledge->labels, "labelled trial").text);
}

congru_status congru_knowledge_find(congru_context *context, const congru_seen *seen, congru_results *results)
{
    free(results->knowledge);
    results->knowledge = calloc(results->pipelines + 1, sizeof *results->knowledge);
    if (results->knowledge == NULL)
        return congru_fail_memory(context, "%zu pipelines", results->pipelines);
    /* Folds inside a subject see nothing of the part that is left out. */
    const congru_target target = seen->protocol == CONGRU_PROTOCOL_FOLDS ? CONGRU_TARGET_NONE : seen->target;
    for (size_t p = 0; p < results->pipelines; p++) {
        congru_pipeline_description about;
        congru_knowledge *own = &results->knowledge[p];
        own->unlabelled = CONGRU_TARGET_NONE;
        if (!seen->known || congru_pipeline_describe(context, results->pipeline[p], &about) != CONGRU_OK)
            continue;
        own->known = true;
        own->unlabelled = seen->balance         ? CONGRU_TARGET_FULL
                          : about.target_trials ? target
                                                : CONGRU_TARGET_NONE;
    }
    for (size_t i = 0; i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        congru_knowledge *own = &results->knowledge[fold->pipeline];
        own->labels = fold->calibration > own->labels ? fold->calibration : own->labels;
    }
    return CONGRU_OK;
}

/* ---- The note -------------------------------------------------------------------------------------------- */

static size_t count_trials(const congru_results *results, size_t pipeline)
{
    size_t count = 0;
    for (size_t i = 0; i < results->folds; i++)
        count += results->fold[i].pipeline == pipeline ? results->fold[i].samples : 0;
    return count;
}

/* "a, b, c and 4 more" of those that are chosen. */
static void list_names(const congru_results *results, const bool *chosen, congru_text *line)
{
    enum { NAMED_MOST = 3 };
    size_t count = 0;
    for (size_t p = 0; p < results->pipelines; p++)
        if (chosen[p] && count++ < NAMED_MOST)
            congru_text_add(line, "%s%.40s", count > 1 ? ", " : "", results->pipeline[p]);
    if (count > NAMED_MOST)
        congru_text_add(line, " and %zu more", count - NAMED_MOST);
}

void congru_knowledge_note(const congru_results *results, congru_text *line)
{
    bool *chosen = calloc(results->pipelines + 1, sizeof *chosen);
    size_t labels = 0, looking = 0, most = 0, least = SIZE_MAX;
    for (size_t p = 0; chosen != NULL && p < results->pipelines; p++) {
        const size_t own = results->knowledge[p].labels, trials = count_trials(results, p);
        chosen[p] = own > 0;
        looking += own > 0;
        labels = own > labels ? own : labels;
        most = trials > most ? trials : most;
        least = trials < least ? trials : least;
    }
    line->failed = line->failed || chosen == NULL;
    if (looking > 0) {
        congru_text_add(line, "labels of the target: ");
        if (looking == results->pipelines)
            congru_text_add(line, "%s", looking > 1 ? "all pipelines" : results->pipeline[0]);
        else
            list_names(results, chosen, line);
        congru_text_add(line, " %s at those of up to %s of each subject, not scored",
                        looking > 1 ? "look" : "looks", congru_count(labels, "trial").text);
    }
    if (chosen != NULL && least < most)
        congru_text_add(line, "%s%zu to %s scored, comparisons are on those in common",
                        looking > 0 ? "; " : "not the same trials: ", least, congru_count(most, "trial").text);
    free(chosen);
}
