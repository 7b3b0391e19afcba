/* What the paper says, as inequalities between cells of a table. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_CLAIMS_H
#define CONGRU_PAPER_CLAIMS_H

#include "paper/paper_job.h"

enum { CONGRU_CLAIM_STEPS_MAX = 12 };

/* The first cell is above the second, or not below it. In the row CONGRU_CLAIM_NUMBER a column is a number itself, "2". */
#define CONGRU_CLAIM_NUMBER "number"
typedef struct congru_claim_step {
    const char *row, *column, *other_row, *other_column;
    bool equal; /* equality will do */
} congru_claim_step;

/* A sentence of the paper, and all that must hold for it; steps end at a NULL row. */
typedef struct congru_claim {
    const char *text;
    congru_claim_step step[CONGRU_CLAIM_STEPS_MAX + 1];
} congru_claim;

/* The number in a cell; NaN where it is not there. */
typedef double (*congru_claim_value)(const void *user, const char *row, const char *column);

/* A block with the verdict about each claim, and whether the paper's own table bears it out; then a line with how many are
 * reproduced. With `paper` NULL they are not the paper's, and hold or do not. The heading, or the first claim where it is
 * NULL, stands apart. */
congru_status congru_claims_judge(const congru_paper_job *job, const char *heading, const congru_claim *claims,
                                  size_t count, congru_claim_value ours, congru_claim_value paper,
                                  const void *user);

#endif
