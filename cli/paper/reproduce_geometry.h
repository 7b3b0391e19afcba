/* What reproduce geometry measures, as cells of a table. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_REPRODUCE_GEOMETRY_H
#define CONGRU_CLI_REPRODUCE_GEOMETRY_H

#include "congru/congru.h"

enum { GEOMETRY_MODELS = 6, GEOMETRY_QUANTITIES = 9 };

/* A network, and whether its pipeline is end to end, so that it can be trained by cross-entropy alone too. */
typedef struct geometry_model {
    const char *name, *pipeline; /* "dct", "dct+tslr" */
    bool end_to_end;
} geometry_model;

extern const geometry_model geometry_models[GEOMETRY_MODELS];

/* Of each model: with the whole objective [0], and by cross-entropy alone [1], NULL for aligners. */
typedef struct geometry_table {
    congru_geometry *followed[GEOMETRY_MODELS][2];
    double cross_entropy[GEOMETRY_MODELS][2]
                        [CONGRU_GEOMETRY_STAGES]; /* first step, then means over fifths of the steps */
} geometry_table;

/* "W_c", "W_c/B_c", "moved", ...; NULL after the last. Their numbers by stage, NaN where there is none. */
const char *geometry_quantity(size_t quantity);
double geometry_value(const geometry_table *table, size_t model, bool alone, size_t quantity, size_t stage);

/* Judges what the paper's appendix says of its figures. */
void geometry_judge(const geometry_table *table);

#endif
