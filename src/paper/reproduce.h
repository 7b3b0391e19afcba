/* The paper's experiments, each a function that gives blocks. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_REPRODUCE_H
#define CONGRU_PAPER_REPRODUCE_H

#include "paper/paper_job.h"

congru_status congru_reproduce_synthetic(const congru_paper_job *job);
congru_status congru_reproduce_prealigners(const congru_paper_job *job);
congru_status congru_reproduce_e2e(const congru_paper_job *job);
congru_status congru_reproduce_ablation(const congru_paper_job *job);
congru_status congru_reproduce_runtime(const congru_paper_job *job);
congru_status congru_reproduce_statistics(const congru_paper_job *job);
congru_status congru_reproduce_silhouette(const congru_paper_job *job);
congru_status congru_reproduce_gap(const congru_paper_job *job);
congru_status congru_reproduce_comparison(const congru_paper_job *job);
congru_status congru_reproduce_geometry(const congru_paper_job *job);
congru_status congru_reproduce_recipes(const congru_paper_job *job);
congru_status congru_reproduce_failures(const congru_paper_job *job);

#endif
