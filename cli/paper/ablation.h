/* Networks with a part left out, beside the whole ones. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_ABLATION_H
#define CONGRU_CLI_ABLATION_H

#include "evaluation_run.h"

#define ABLATION_PIPELINES "dct+tslr,dldct+tslr,ddct-unet+tslr,dct-e2e,dldct-e2e,ddct-unet-e2e"

enum { ABLATION_MODELS_MAX = 16, ABLATION_VARIANTS = 11 };

/* Means and deviations in percent; NaN where a variant is not one of the model's. The last variant is the baseline. */
typedef struct ablation {
    size_t models;
    char model[ABLATION_MODELS_MAX]
              [CONGRU_PIPELINE_SIZE]; /* "dct", "dct-e2e": as the paper's files call them */
    double mean[ABLATION_VARIANTS][ABLATION_MODELS_MAX], deviation[ABLATION_VARIANTS][ABLATION_MODELS_MAX];
} ablation;

/* As the paper's files call it: "w/o fisher (action)", ..., "baseline"; NULL after the last. */
const char *ablation_variant(size_t index);

/* What it is, with the options that make it, for help. */
const char *ablation_text(size_t index);

/* Whether each of a run's pipelines has a network to take parts of. Each returns EXIT_DONE, or prints one line. */
int ablation_check(const run_state *run);

/* Runs every variant of every pipeline of the run, each in a folder of its own below `folder`. */
int ablation_run(run_state *run, const char *folder, ablation *found);

/* Tables of at most three models, with an arrow at what is above or below the baseline. */
int ablation_print(const ablation *found);

/* FOLDER/baseline/ablation.json, which the report of that folder shows. */
int ablation_save(const ablation *found, const char *folder);

#endif
