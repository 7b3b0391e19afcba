/* Says that there is no cairo to draw with. SPDX-License-Identifier: Apache-2.0 */
#include "report_image.h"
#include "terminal.h"

int report_image(const congru_drawing *drawing, image_kind kind, unsigned char **bytes, size_t *size)
{
    (void)drawing;
    *bytes = NULL;
    *size = 0;
    return terminal_fail(EXIT_FAILED,
                         "report: this congru was built without cairo, so --format %s is not there "
                         "(use --format svg, or install libcairo2-dev and build again)",
                         kind == IMAGE_PNG ? "png" : "pdf");
}
