/* What the paper says, as inequalities between cells of a table. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_CLAIMS_H
#define CONGRU_CLI_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

enum { CLAIM_STEPS_MAX = 12 };

/* The first cell is above the second, or not below it. In the row CLAIM_NUMBER a column is a number itself, "2". */
#define CLAIM_NUMBER "number"
typedef struct claim_step {
    const char *row, *column, *other_row, *other_column;
    bool equal; /* equality will do */
} claim_step;

/* A sentence of the paper, and all that must hold for it; steps end at a NULL row. */
typedef struct claim {
    const char *text;
    claim_step step[CLAIM_STEPS_MAX + 1];
} claim;

/* The number in a cell; NaN where it is not there. */
typedef double (*claim_value)(const void *user, const char *row, const char *column);

/* A verdict about each claim, one paragraph each, and whether the paper's own table bears it out; then how many are
 * reproduced. With `paper` NULL they are not the paper's, and hold or do not. */
void claims_print(const claim *claims, size_t count, claim_value ours, claim_value paper, const void *user);

#endif
