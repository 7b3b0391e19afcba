/* One run of congru spd: its inputs, its settings, its result. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_SPD_JOB_H
#define CONGRU_CLI_SPD_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "congru/npy.h"
#include "congru/spd.h"

/* What a file must hold. */
typedef enum set_role {
    ROLE_POSITIVE,  /* symmetric positive definite matrices */
    ROLE_SYMMETRIC, /* symmetric matrices */
    ROLE_VECTORS    /* tangent vectors of d (d + 1) / 2 entries */
} set_role;

/* The matrices, or tangent vectors, of one file. */
typedef struct matrix_set {
    const char *file; /* NULL: there is no such input */
    set_role role;
    congru_array array;
    bool single; /* the file has one, without a leading dimension, and so will the result */
    size_t n, d;
} matrix_set;

enum { INPUTS_MAX = 2, RESULT_DIMS_MAX = 3 };

typedef struct spd_job {
    congru_context *context;
    matrix_set inputs[INPUTS_MAX];
    matrix_set base;
    const char *weights_file; /* NULL: equal weights */
    congru_array weights;
    congru_metric metric;
    double t, p, tolerance;
    bool pairwise;

    double *result; /* owned; of this shape */
    size_t result_dims;
    size_t result_shape[RESULT_DIMS_MAX];
    congru_mean_info mean;
} spd_job;

typedef struct spd_operation {
    const char *name;
    const char *help;
    size_t inputs_least, inputs_most;
    set_role role; /* of the inputs */
    const char *
        accepts; /* the names of the options that mean something to it, blanks between, beside output and threads */
    const char *needs; /* and of those it cannot do without */

    /* Checks how the inputs fit together, makes room for the result and computes it. Prints its own error line;
     * returns the exit code. */
    int (*run)(spd_job *job);
} spd_operation;

/* Ended by one without a name. */
extern const spd_operation spd_operations[];

/* Reads a set and checks its shape against its role. Prints its own error line; returns the exit code. */
int spd_set_read(congru_context *context, const char *file, set_role role, matrix_set *set);

/* Reads the base point: one matrix, as large as those of the first input. */
int spd_base_read(spd_job *job, const char *file);

/* Reads the weights: one number of 0 or more for each matrix of the first input, not all of them 0. */
int spd_weights_read(spd_job *job, const char *file);

/* Prints the error line for a failed library call on the job's inputs, with the file that is to blame in front;
 * returns EXIT_FAILED. */
int spd_job_fail(spd_job *job, congru_status status);

/* Frees what the job owns, but not its context. */
void spd_job_clear(spd_job *job);

#endif
