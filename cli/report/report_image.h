/* Drawings as PNG or PDF, where cairo was found when this was built. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_REPORT_IMAGE_H
#define CONGRU_CLI_REPORT_IMAGE_H

#include "congru/report.h"

typedef enum image_kind { IMAGE_PNG, IMAGE_PDF } image_kind;

/* Makes the bytes of an image, freed by free(). Returns EXIT_DONE, or prints one line and returns EXIT_FAILED:
 * no memory, or built without cairo. */
int report_image(const congru_drawing *drawing, image_kind kind, unsigned char **bytes, size_t *size);

#endif
