/* Labels and subjects of a set compared with its tables. SPDX-License-Identifier: Apache-2.0 */
#include "dataset/set_check.h"

#include "base/error.h"

static congru_status check_column(congru_context *context, const char *what, size_t count, const int32_t *value,
                                  size_t known)
{
    for (size_t i = 0; i < count; i++)
        if (value[i] < 0 || (size_t)value[i] >= known)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "trial %zu of %zu has the %s %ld; the set names %zu, counted from 0", i + 1,
                               count, what, (long)value[i], known);
    return CONGRU_OK;
}

congru_status congru_set_check(congru_context *context, const congru_set *set)
{
    if (set->count > 0 &&
        (set->subject == NULL || set->subject_name == NULL || (set->label != NULL && set->class_name == NULL)))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the set lacks its subjects or the names of its classes");
    CONGRU_TRY(check_column(context, "subject", set->count, set->subject, set->subjects));
    if (set->label != NULL)
        CONGRU_TRY(check_column(context, "label", set->count, set->label, set->classes));
    return CONGRU_OK;
}
