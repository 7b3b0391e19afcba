/* Drawings as PNG, where cairo was found when this was built. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_REPORT_PNG_H
#define CONGRU_CLI_REPORT_PNG_H

#include "congru/report.h"

/* Makes the bytes of a PNG, freed by free(). Returns EXIT_DONE, or prints one line and returns EXIT_FAILED:
 * no memory, or built without cairo. */
int report_png(const congru_drawing *drawing, unsigned char **bytes, size_t *size);

#endif
