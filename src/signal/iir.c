/* Recursive filters as lists of sections: joining and checking. SPDX-License-Identifier: Apache-2.0 */
#include "signal/iir.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

congru_status congru_iir_append(congru_context *context, congru_iir *filter, const congru_iir *more)
{
    CONGRU_TRY(congru_check_argument(context, filter != NULL && more != NULL, "a filter to append is missing"));
    if (filter->sections > CONGRU_SECTIONS_MAX || more->sections > CONGRU_SECTIONS_MAX - filter->sections)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "filters of %zu and %zu sections: together they may have at most %d",
                           filter->sections, more->sections, CONGRU_SECTIONS_MAX);
    memmove(filter->section[filter->sections], more->section, more->sections * sizeof more->section[0]);
    filter->sections += more->sections;
    return CONGRU_OK;
}

/* The poles are inside the unit circle when (a1, a2) is inside this triangle. */
static bool is_stable(const double section[6])
{
    return fabs(section[5]) < 1.0 && fabs(section[4]) < 1.0 + section[5];
}

congru_status congru_iir_check(congru_context *context, const congru_iir *filter)
{
    if (filter == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "the filter is missing");
    if (filter->sections > CONGRU_SECTIONS_MAX)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a filter of %zu sections: at most %d are allowed",
                           filter->sections, CONGRU_SECTIONS_MAX);
    for (size_t k = 0; k < filter->sections; k++) {
        const double *section = filter->section[k];
        for (int i = 0; i < 6; i++) {
            if (!isfinite(section[i]))
                return congru_fail(context, CONGRU_ERROR_ARGUMENT, "section %zu of the filter is not finite",
                                   k);
        }
        if (section[3] != 1.0)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "section %zu of the filter has a0 = %g: expected 1", k, section[3]);
        if (!is_stable(section))
            return congru_fail(
                context, CONGRU_ERROR_ARGUMENT,
                "section %zu of the filter is not stable: its poles are not inside the unit circle", k);
    }
    return CONGRU_OK;
}
