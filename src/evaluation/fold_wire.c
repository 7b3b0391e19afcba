/* Folds and training records as bytes. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "evaluation/fold_wire.h"

#include <string.h>

#include "base/error.h"
#include "evaluation/fold_run.h"

static congru_status fail_short(congru_context *context)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "a message with results is cut short");
}

void congru_fold_pack(const congru_fold *fold, size_t classes, congru_bytes *bytes)
{
    congru_fold plain = *fold; /* the pointers in it mean nothing to others and are not looked at */
    plain.trial = NULL;
    plain.part = plain.truth = plain.prediction = NULL;
    plain.probability = NULL;
    plain.pattern = NULL;
    congru_bytes_add(bytes, &plain, sizeof plain);
    congru_bytes_add(bytes, fold->trial, fold->samples * sizeof *fold->trial);
    congru_bytes_add(bytes, fold->part, fold->samples * sizeof *fold->part);
    congru_bytes_add(bytes, fold->truth, fold->samples * sizeof *fold->truth);
    congru_bytes_add(bytes, fold->prediction, fold->samples * sizeof *fold->prediction);
    congru_bytes_add(bytes, fold->probability, fold->samples * classes * sizeof *fold->probability);
    congru_bytes_add_text(bytes, fold->pattern != NULL ? fold->pattern : "");
}

congru_status congru_fold_unpack(congru_context *context, congru_parcel *parcel, size_t classes,
                                 congru_fold *fold)
{
    congru_parcel_take(parcel, fold, sizeof *fold);
    size_t samples = fold->samples;
    if (parcel->failed || samples > parcel->size)
        return *fold = (congru_fold){0}, fail_short(context);
    congru_status status = congru_fold_reserve(context, fold, samples, classes);
    if (status != CONGRU_OK)
        return status;
    congru_parcel_take(parcel, fold->trial, samples * sizeof *fold->trial);
    congru_parcel_take(parcel, fold->part, samples * sizeof *fold->part);
    congru_parcel_take(parcel, fold->truth, samples * sizeof *fold->truth);
    congru_parcel_take(parcel, fold->prediction, samples * sizeof *fold->prediction);
    congru_parcel_take(parcel, fold->probability, samples * classes * sizeof *fold->probability);
    const char *pattern = congru_parcel_text(parcel);
    if (pattern[0] != '\0' && (fold->pattern = strdup(pattern)) == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for patterns");
    return parcel->failed ? fail_short(context) : CONGRU_OK;
}

void congru_record_pack(const congru_record *record, congru_bytes *bytes)
{
    congru_bytes_add_count(bytes, record->steps);
    congru_bytes_add_count(bytes, record->best_step);
    for (size_t series = 0; record->steps > 0 && series < CONGRU_SERIES_COUNT; series++)
        congru_bytes_add(bytes, record->value[series], record->steps * sizeof(double));
}

congru_status congru_record_unpack(congru_context *context, congru_parcel *parcel, congru_record *record)
{
    size_t steps = congru_parcel_count(parcel), best = congru_parcel_count(parcel);
    *record = (congru_record){0};
    if (parcel->failed || steps > parcel->size)
        return fail_short(context);
    congru_status status = steps > 0 ? congru_record_start(context, record, steps) : CONGRU_OK;
    for (size_t series = 0; status == CONGRU_OK && steps > 0 && series < CONGRU_SERIES_COUNT; series++)
        congru_parcel_take(parcel, record->value[series], steps * sizeof(double));
    record->best_step = best;
    return status == CONGRU_OK && parcel->failed ? fail_short(context) : status;
}
