/* results.csv and predictions.csv. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "array/file_write.h"
#include "base/error.h"
#include "base/text.h"
#include "evaluation/patterns.h"
#include "evaluation/results.h"

static void add_result(congru_text *text, const congru_results *results, const congru_fold *fold)
{
    congru_text_add(text, "%.17g,%.6f,%zu,", fold->accuracy, fold->seconds, fold->samples);
    congru_text_add_csv(text, results->subject_name[fold->subject]);
    if (fold->session >= 0)
        congru_text_add(text, ",%d", (int)fold->session);
    else
        congru_text_add(text, ",all");
    congru_text_add(text, ",%zu,%zu,", results->channels, results->subject_sessions[fold->subject]);
    congru_text_add_csv(text, results->dataset);
    congru_text_add(text, ",%s,%.17g,%.17g,%zu,%zu\n", results->pipeline[fold->pipeline], fold->kappa,
                    fold->balanced, fold->train, fold->calibration);
}

static void add_predictions(congru_text *text, const congru_results *results, const congru_fold *fold)
{
    for (size_t i = 0; i < fold->samples; i++) {
        congru_text_add_csv(text, results->dataset);
        congru_text_add(text, ",");
        congru_text_add_csv(text, results->subject_name[fold->subject]);
        congru_text_add(text, ",%zu,%s,", fold->trial[i], results->pipeline[fold->pipeline]);
        congru_text_add_csv(text, results->class_name[fold->truth[i]]);
        congru_text_add(text, ",");
        congru_text_add_csv(text, results->class_name[fold->prediction[i]]);
        for (size_t k = 0; k < results->classes; k++)
            congru_text_add(text, ",%.17g", fold->probability[i * results->classes + k]);
        congru_text_add(text, ",%d\n", (int)fold->part[i]);
    }
}

void congru_text_add_classes(congru_text *text, size_t classes, const char (*class_name)[CONGRU_LABEL_SIZE])
{
    for (size_t k = 0; k < classes; k++) {
        congru_text name = {0};
        congru_text_add(&name, "p_%s", class_name[k]);
        congru_text_add(text, ",");
        congru_text_add_csv(text, name.data != NULL ? name.data : "");
        text->failed = text->failed || name.failed;
        congru_text_clear(&name);
    }
}

/* FOLDER/patterns.csv: of every pipeline that has patterns, their means over folds. */
static congru_status write_patterns(congru_context *context, const congru_results *results, const char *folder)
{
    const char **text = calloc(results->folds + 1, sizeof *text);
    congru_text table = {0};
    congru_status status =
        text != NULL ? CONGRU_OK : congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for patterns");
    for (size_t p = 0; status == CONGRU_OK && p < results->pipelines; p++) {
        congru_patterns *mean = NULL;
        size_t count = 0;
        for (size_t i = 0; i < results->folds; i++)
            if (results->fold[i].pipeline == p && results->fold[i].pattern != NULL)
                text[count++] = results->fold[i].pattern;
        if (count > 0)
            status = congru_patterns_average(context, results->pipeline[p], count, text, &mean);
        if (mean != NULL)
            congru_patterns_add(&table, mean, mean->count);
        congru_patterns_destroy(&mean);
    }
    if (status == CONGRU_OK && table.failed)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for patterns");
    if (status == CONGRU_OK && table.size > 0)
        status = congru_file_write_text(context, folder, CONGRU_PATTERNS_FILE, &table);
    congru_text_clear(&table);
    free(text);
    return status;
}

congru_status congru_results_write(congru_context *context, const congru_results *results, const char *folder)
{
    congru_text text = {0};
    congru_text_add(&text, "dataset,subject,trial,pipeline,y_true,y_pred");
    congru_text_add_classes(&text, results->classes, (const char(*)[CONGRU_LABEL_SIZE])results->class_name);
    congru_text_add(&text, ",fold\n");
    for (size_t i = 0; i < results->folds; i++)
        add_predictions(&text, results, &results->fold[i]);
    CONGRU_TRY(congru_file_write_text(context, folder, "predictions.csv", &text));
    congru_text_add(&text, "score,time,samples,subject,session,channels,n_sessions,dataset,pipeline,kappa,"
                           "balanced_accuracy,train,calibration\n");
    for (size_t i = 0; i < results->folds; i++)
        add_result(&text, results, &results->fold[i]);
    CONGRU_TRY(congru_file_write_text(context, folder, "results.csv", &text));
    return write_patterns(context, results, folder);
}
