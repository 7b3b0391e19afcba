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
    congru_record_clear(record);
    record->steps = steps;
    for (size_t series = 0; series < CONGRU_SERIES_COUNT; series++) {
        record->value[series] = malloc((steps > 0 ? steps : 1) * sizeof(double));
        if (record->value[series] == NULL) {
            congru_record_clear(record);
            return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a record of %zu steps",
                               steps);
        }
        for (size_t step = 0; step < steps; step++)
            record->value[series][step] = NAN;
    }
    return CONGRU_OK;
}

congru_status congru_record_copy(congru_context *context, const congru_record *from, congru_record *to)
{
    congru_status status = CONGRU_OK;
    if (from == to)
        return CONGRU_OK;
    congru_record_clear(to);
    if (from->steps > 0)
        status = congru_record_start(context, to, from->steps);
    for (size_t series = 0; status == CONGRU_OK && from->steps > 0 && series < CONGRU_SERIES_COUNT; series++)
        memcpy(to->value[series], from->value[series], from->steps * sizeof(double));
    to->best_step = from->best_step;
    return status;
}

void congru_record_clear(congru_record *record)
{
    for (size_t series = 0; series < CONGRU_SERIES_COUNT; series++)
        free(record->value[series]);
    *record = (congru_record){0};
}
