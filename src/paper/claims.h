/* What the paper says, read from share/paper/claims.csv and judged by cells of tables. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_CLAIMS_H
#define CONGRU_PAPER_CLAIMS_H

#include "paper/paper_job.h"
#include "paper/paper_tables.h"
#include "paper/score_list.h"

/* ---- What a claim is ---------------------------------------------------------------------------------------- */

enum { CONGRU_CLAIM_TERMS_MAX = 4, CONGRU_CLAIM_STEPS_MAX = 24 };

/* A number, or a number times a cell: "[ROW|COLUMN]". */
typedef struct congru_claim_term {
    double factor;
    const char *row, *column; /* NULL: the number itself */
} congru_claim_term;

typedef struct congru_claim_sum {
    size_t count;
    congru_claim_term term[CONGRU_CLAIM_TERMS_MAX];
} congru_claim_sum;

/* `high` is above `low` (">"), not below it (">="), or above it beyond chance (">>"). */
typedef enum congru_claim_relation {
    CONGRU_CLAIM_ABOVE,
    CONGRU_CLAIM_NOT_BELOW,
    CONGRU_CLAIM_SURELY_ABOVE
} congru_claim_relation;

typedef struct congru_claim_step {
    congru_claim_sum high, low;
    congru_claim_relation relation;
} congru_claim_step;

/* A row of claims.csv. Steps are written as mathematicians do, with ";" between: "[a|x] > [a|y] >= [a|z] - 1"; behind the last
 * relation may be several, "[a|x] > [a|y], [a|z]". */
typedef struct congru_claim {
    congru_paper_row row; /* all texts are in it */
    const char *id, *place, *words, *bound;
    size_t least; /* how many steps must hold: all of them, or those of "any 2" */
    size_t steps;
    congru_claim_step step[CONGRU_CLAIM_STEPS_MAX];
} congru_claim;

/* Cuts a row that is read already; false where it cannot be understood. */
bool congru_claim_parse(congru_claim *claim);

/* Claim 0, 1, ... of an experiment; false after the last. */
bool congru_claim_read(const char *experiment, size_t index, congru_claim *claim);

/* ---- Cells -------------------------------------------------------------------------------------------------- */

/* Whose numbers: ours; ours with C = 1 where a ridge is compared with; the paper's. */
typedef enum congru_claim_side {
    CONGRU_CLAIM_OURS,
    CONGRU_CLAIM_PLAIN_RIDGE,
    CONGRU_CLAIM_PAPER
} congru_claim_side;

typedef struct congru_claim_cell {
    double number; /* NaN: there is none */
    size_t units;
    double *
        unit; /* (units) by subject, in an order that all cells of an experiment have, NaN for subjects that have
                      * none; NULL: a number without subjects. The judge frees it */
    unsigned absent; /* sets of the paper, as bits by index, that it is over and that are not given */
    unsigned uses;   /* what it was made with, as bits that `changed` knows */
    bool ridge;      /* CONGRU_CLAIM_PLAIN_RIDGE may have another number */
    bool failed;     /* memory ended */
} congru_claim_cell;

/* Where cells come from. */
typedef struct congru_claim_source {
    const char *experiment; /* of claims.csv */
    void (*read)(const void *user, congru_claim_side side, const char *row, const char *column,
                 congru_claim_cell *cell); /* the cell is empty, its number NaN */
    /* Adds how what was run differs from the paper: "20 of 1000 steps, 89 of 288 trials"; may be NULL. */
    void (*changed)(const void *user, unsigned uses, congru_text *text);
    const void *user;
} congru_claim_source;

/* What is left of a step when its cells are read. */
typedef struct congru_claim_found {
    bool given, holds, chance; /* chance: the interval holds zero */
    double margin, low,
        high;     /* of the one side less the other, 95 %; ends are NaN where there are no subjects */
    double score; /* the margin in half widths of the interval: the least decides */
    unsigned absent, uses;
    bool ridge, failed;
} congru_claim_found;

/* Judges a step; names of cells that have no number go into `missing`, which may be NULL, with commas between. */
void congru_claim_step_judge(const congru_claim_source *source, const congru_claim_step *step,
                             congru_claim_side side, congru_text *missing, congru_claim_found *found);

/* Adds both sides of a step, "row column 54.31, row column 52.43 + 2". */
void congru_claim_step_describe(const congru_claim_source *source, const congru_claim_step *step,
                                congru_claim_side side, congru_text *text);

/* A number with as many decimals as it needs. */
void congru_claim_number(congru_text *text, double number);

/* ---- Verdicts ----------------------------------------------------------------------------------------------- */

/* A block with the verdict about a claim: what decides with its margin and interval, what was changed, how it would be with
 * C = 1, and whether the paper's own table bears it out. */
congru_status congru_claim_judge(const congru_paper_job *job, const congru_claim_source *source,
                                 const congru_claim *claim, bool apart);

/* That for every claim of the experiment under the heading, and a line with how many are reproduced. */
congru_status congru_claims_judge(const congru_paper_job *job, const congru_claim_source *source,
                                  const char *heading);

/* ---- For what reads cells ----------------------------------------------------------------------------------- */

/* The mean of pipelines, with commas between, of every subject of `order` as `list` has them, on one dataset, or (NULL) on
 * those of the paper that `wanted` has as bits by their index. The cell's number is the mean over subjects; NaN where a set
 * lacks a pipeline. */
void congru_claim_cell_scores(congru_claim_cell *cell, const congru_scores_list *order,
                              const congru_scores_list *list, const char *dataset, unsigned wanted,
                              const char *pipelines);

/* The subjects of one table of a list whose tables all have the same subjects: variants of one set. */
void congru_claim_cell_variant(congru_claim_cell *cell, const congru_scores_list *list, const char *variant,
                               const char *pipeline);

/* Room for the numbers of so many subjects, NaN all; false where memory ends. */
bool congru_claim_cell_room(congru_claim_cell *cell, size_t units);

#endif
