/* Aligners and classifiers as terms for help. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_PIPELINE_LIST_H
#define CONGRU_CLI_PIPELINE_LIST_H

#include "commands.h"

/* All aligners, then all classifiers; a NULL term after the last. */
definition pipeline_definition(size_t index);

#endif
