/* Networks with a part left out, beside the whole ones. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_ABLATION_H
#define CONGRU_PAPER_ABLATION_H

#include "paper/paper_job.h"
#include "paper/score_list.h"

#define CONGRU_ABLATION_PIPELINES "dct+tslr,dldct+tslr,ddct-unet+tslr,dct-e2e,dldct-e2e,ddct-unet-e2e"

enum { CONGRU_ABLATION_MODELS_MAX = 16, CONGRU_ABLATION_VARIANTS = 11 };

/* Means and deviations in percent; NaN where a variant is not one of the model's. The last variant is the baseline. */
typedef struct congru_ablation {
    size_t models;
    char model[CONGRU_ABLATION_MODELS_MAX]
              [CONGRU_PIPELINE_SIZE]; /* "dct", "dct-e2e": as the paper's files call them */
    double mean[CONGRU_ABLATION_VARIANTS][CONGRU_ABLATION_MODELS_MAX],
        deviation[CONGRU_ABLATION_VARIANTS][CONGRU_ABLATION_MODELS_MAX];
    double right[CONGRU_ABLATION_VARIANTS][CONGRU_ABLATION_MODELS_MAX]; /* trials, of all subjects */
    congru_scores_list scores; /* percent: a table for each variant by its name, of models and subjects */
} congru_ablation;

/* Runs every variant of every pipeline of the open set, into scores that the caller clears, also after a failure, each in a
 * folder of its own below `folder`, and writes FOLDER/baseline/ablation.json, which the report of that folder shows.
 * CONGRU_ERROR_ARGUMENT for a pipeline without a network. */
congru_status congru_ablation_run(congru_paper_open *open, const char *folder, congru_ablation *found);

/* The folder of a run below that of all, and the name of the variant that it is of, which may have several; NULL behind the last
 * run. */
const char *congru_ablation_folder(size_t run, const char **name);

/* What the paper's files call the network of a pipeline: "dct" before tslr. */
void congru_ablation_model(const char *pipeline, char model[CONGRU_PIPELINE_SIZE]);

/* Sets options of a method by words of a command line, "--merges none --dims d,2d,d" with d the number of channels. */
congru_status congru_ablation_set(congru_context *context, congru_method_options *method, const char *where,
                                  const char *settings, size_t dimension);

/* congru_ablate, of the request's one set. */
congru_status congru_ablate_set(const congru_paper_job *job);

#endif
