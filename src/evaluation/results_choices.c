/* What was chosen on source subjects, beside the results. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/error.h"
#include "base/number_text.h"
#include "evaluation/choice_file.h"
#include "evaluation/results.h"
#include "evaluation/table_digest.h"

congru_status congru_results_choose(congru_context *context, const congru_csv *csv, size_t pipeline,
                                    const int32_t *place, congru_results *results, bool *options)
{
    congru_status status = CONGRU_OK;
    *options = false;
    for (size_t i = 0; status == CONGRU_OK && i < results->folds; i++) {
        congru_fold *fold = &results->fold[i];
        const int32_t subject = place != NULL ? place[i] : fold->subject;
        if (fold->pipeline != pipeline || subject < 0)
            continue;
        free(fold->chosen);
        status = congru_choice_words(context, csv, (size_t)subject, &fold->chosen, options);
    }
    return status;
}

/* Whether a fold before this one of the pipeline chose the same. */
static bool is_new(const congru_results *results, size_t fold)
{
    const congru_fold *own = &results->fold[fold];
    for (size_t i = 0; i < fold; i++)
        if (results->fold[i].pipeline == own->pipeline && results->fold[i].chosen != NULL &&
            strcmp(results->fold[i].chosen, own->chosen) == 0)
            return false;
    return true;
}

/* "ra+tslr chose on source subjects: C 0.1 for 7 of 9; C 0.3 for 2", cut to fit. */
void congru_results_note_choices(congru_results *results, size_t pipeline)
{
    congru_text text = {0};
    for (size_t i = 0; i < results->folds; i++) {
        const congru_fold *own = &results->fold[i];
        size_t same = 0, all = 0;
        if (own->pipeline != pipeline || own->chosen == NULL || !is_new(results, i))
            continue;
        for (size_t k = 0; k < results->folds; k++) {
            const congru_fold *other = &results->fold[k];
            all += other->pipeline == pipeline;
            same +=
                other->pipeline == pipeline && other->chosen != NULL && strcmp(other->chosen, own->chosen) == 0;
        }
        if (text.size == 0)
            congru_text_add(&text, "%s chose on source subjects: %s for %zu of %zu",
                            results->pipeline[pipeline], own->chosen, same, all);
        else
            congru_text_add(&text, "; %s for %zu", own->chosen, same);
    }
    if (text.data != NULL)
        congru_format(results->note[results->note_count++], CONGRU_NOTE_SIZE, "%s", text.data);
    congru_text_clear(&text);
}

/* The table without its digest. */
static congru_status read_table(congru_context *context, const char *path, const char *pipeline,
                                const char *fingerprint, congru_csv *csv)
{
    bool whole = false;
    congru_status status = congru_csv_read(context, path, csv);
    if (status == CONGRU_OK)
        status = congru_table_digest_check(context, pipeline, csv, &whole);
    if (status == CONGRU_OK && fingerprint != NULL &&
        (csv->rows == 0 || csv->columns < 4 ||
         strcmp(congru_csv_field(csv, csv->rows - 1, 3), fingerprint) != 0))
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: not what this run has chosen", path);
    return status == CONGRU_ERROR_FORMAT
               ? congru_fail_more(context, status, "remove the file to go on without it")
               : status;
}

congru_status congru_results_choices(congru_context *context, const char *folder, const char *fingerprint,
                                     bool run_chooses, const int32_t *place, congru_results *results)
{
    congru_status status = CONGRU_OK;
    for (size_t p = 0; status == CONGRU_OK && p < results->pipelines; p++) {
        congru_text path = {0};
        congru_csv csv = {0};
        bool exists = false, options = false;
        congru_text_add(&path, "%s/choices/%s.csv", folder, results->pipeline[p]);
        status = path.failed ? congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder)
                             : congru_source_exists(context, path.data, &exists);
        if (status == CONGRU_OK && exists)
            status = read_table(context, path.data, results->pipeline[p], fingerprint, &csv);
        if (status == CONGRU_OK && exists)
            status = congru_results_choose(context, &csv, p, place, results, &options);
        if (status == CONGRU_OK && (options || run_chooses))
            congru_results_note_choices(results, p);
        congru_csv_clear(&csv);
        congru_text_clear(&path);
    }
    return status;
}
