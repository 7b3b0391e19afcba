/* Whether the numbers in a set stay inside its tables. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DATASET_SET_CHECK_H
#define CONGRU_DATASET_SET_CHECK_H

#include "congru/dataset.h"

/* A set is a plain structure that a caller may fill in. CONGRU_ERROR_ARGUMENT, naming the trial from 1, where a label or a
 * subject is not in the tables of names, or a table is missing. Labels may be missing as a whole. */
congru_status congru_set_check(congru_context *context, const congru_set *set);

#endif
