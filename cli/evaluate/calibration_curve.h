/* Accuracy by the number of labelled target trials. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_CALIBRATION_CURVE_H
#define CONGRU_CLI_CALIBRATION_CURVE_H

#include "evaluation_run.h"

/* Labelled trials of each class, ascending. */
typedef struct calibration_list {
    size_t count;
    int number[CONGRU_CURVE_MAX];
} calibration_list;

/* "0,1,2,5"; nothing of NULL. Each returns EXIT_DONE, or prints one line and returns another code. */
int calibration_parse(const arguments *parsed, const char *text, calibration_list *list);

/* Runs each number in a folder of its own below the run's, all scored on the trials behind the largest, and prints the
 * accuracies side by side; curve.csv in the run's folder has them too. */
int calibration_curve(run_state *run, const calibration_list *list);

#endif
