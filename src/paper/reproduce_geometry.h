/* What reproduce geometry measures, as cells of a table. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_REPRODUCE_GEOMETRY_H
#define CONGRU_PAPER_REPRODUCE_GEOMETRY_H

#include "paper/paper_job.h"

enum { CONGRU_PAPER_MODELS = 6, CONGRU_PAPER_QUANTITIES = 9 };

/* A network, and whether its pipeline is end to end, so that it can be trained by cross-entropy alone too. */
typedef struct congru_paper_geometry_model {
    const char *name, *pipeline; /* "dct", "dct+tslr" */
    bool end_to_end;
} congru_paper_geometry_model;

extern const congru_paper_geometry_model congru_paper_geometry_models[CONGRU_PAPER_MODELS];

/* Of each model: with the whole objective [0], and by cross-entropy alone [1], NULL for aligners. */
typedef struct congru_paper_geometry_table {
    congru_geometry *followed[CONGRU_PAPER_MODELS][2];
    double cross_entropy[CONGRU_PAPER_MODELS][2]
                        [CONGRU_GEOMETRY_STAGES]; /* first step, then means over fifths of the steps */
} congru_paper_geometry_table;

/* "W_c", "W_c/B_c", "moved", ...; NULL after the last. Their numbers by stage, NaN where there is none. */
const char *congru_paper_geometry_quantity(size_t quantity);
double congru_paper_geometry_value(const congru_paper_geometry_table *table, size_t model, bool alone,
                                   size_t quantity, size_t stage);

/* Judges what the paper's appendix says of its figures. */
congru_status congru_paper_geometry_judge(const congru_paper_open *open,
                                          const congru_paper_geometry_table *table);

#endif
