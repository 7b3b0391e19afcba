/* Series of numbers by training step. SPDX-License-Identifier: Apache-2.0 */
#include "network/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const char *congru_series_name(congru_series series)
{
    static const char *const names[CONGRU_SERIES_COUNT] = {
        "loss",           "cross_entropy",   "reconstruction", "within_action", "between_action",
        "within_subject", "between_subject", "gradient_norm",  "eigen_least",   "eigen_largest",
        "rank",
    };
    return (size_t)series < CONGRU_SERIES_COUNT ? names[series] : NULL;
}

congru_status congru_record_start(congru_context *context, congru_record *record, size_t steps)
{
    congru_status status;
    congru_record_clear(record);
    for (size_t series = 0; series < CONGRU_SERIES_COUNT; series++) {
        CONGRU_TRY_TO(failed, congru_allocate(context, &record->value[series], steps, sizeof(double),
                                              "a record of %zu steps", steps));
        for (size_t step = 0; step < steps; step++)
            record->value[series][step] = NAN;
    }
    record->steps = steps;
    return CONGRU_OK;
failed:
    congru_record_clear(record);
    return status;
}

congru_status congru_record_copy(congru_context *context, const congru_record *from, congru_record *to)
{
    if (from == to)
        return CONGRU_OK;
    congru_record_clear(to);
    if (from->steps > 0)
        CONGRU_TRY(congru_record_start(context, to, from->steps));
    for (size_t series = 0; from->steps > 0 && series < CONGRU_SERIES_COUNT; series++)
        memcpy(to->value[series], from->value[series], from->steps * sizeof(double));
    to->best_step = from->best_step;
    return CONGRU_OK;
}

void congru_record_clear(congru_record *record)
{
    for (size_t series = 0; series < CONGRU_SERIES_COUNT; series++)
        free(record->value[series]);
    *record = (congru_record){0};
}
