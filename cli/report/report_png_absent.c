/* Says that there is no cairo to draw PNG with. SPDX-License-Identifier: Apache-2.0 */
#include "report_png.h"
#include "terminal.h"

int report_png(const congru_drawing *drawing, unsigned char **bytes, size_t *size)
{
    (void)drawing;
    *bytes = NULL;
    *size = 0;
    return terminal_fail(EXIT_FAILED,
                         "report: this congru was built without cairo, so --format png is not there "
                         "(use --format svg, or install libcairo2-dev and build again)");
}
