/* The paper's experiments, each a function that gives blocks. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_REPRODUCE_H
#define CONGRU_PAPER_REPRODUCE_H

#include "paper/paper_job.h"

/* The pipelines of the tables by set. */
#define CONGRU_PAPER_PREALIGNERS \
    "ra+mdm,dct+mdm,dldct+mdm,ddct-unet+mdm,ra+tslr,dct+tslr,dldct+tslr,ddct-unet+tslr,ra+tsa-lda,dct+tsa-" \
    "lda," \
    "dldct+tsa-lda,ddct-unet+tsa-lda"
#define CONGRU_PAPER_CLASSIFIERS "ra+mdm,ra+tslr,ra+tsa-lda,ts-spd-cnn,dct-e2e,dldct-e2e,ddct-unet-e2e"

congru_status congru_reproduce_synthetic(const congru_paper_job *job);
congru_status congru_reproduce_prealigners(const congru_paper_job *job);
congru_status congru_reproduce_e2e(const congru_paper_job *job);
congru_status congru_reproduce_ablation(const congru_paper_job *job);
congru_status congru_reproduce_runtime(const congru_paper_job *job);
congru_status congru_reproduce_subjects(const congru_paper_job *job);
congru_status congru_reproduce_datasets(const congru_paper_job *job);
congru_status congru_reproduce_properties(const congru_paper_job *job);
congru_status congru_reproduce_statistics(const congru_paper_job *job);
congru_status congru_reproduce_silhouette(const congru_paper_job *job);
congru_status congru_reproduce_gap(const congru_paper_job *job);
congru_status congru_reproduce_coefficients(const congru_paper_job *job);
congru_status congru_reproduce_comparison(const congru_paper_job *job);
congru_status congru_reproduce_geometry(const congru_paper_job *job);
congru_status congru_reproduce_recipes(const congru_paper_job *job);
congru_status congru_reproduce_failures(const congru_paper_job *job);

#endif
