/* Folds and training records on their way between processes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_FOLD_WIRE_H
#define CONGRU_EVALUATION_FOLD_WIRE_H

#include "base/bytes.h"
#include "congru/evaluation.h"
#include "network/record.h"

void congru_fold_pack(const congru_fold *fold, size_t classes, congru_bytes *bytes);

/* The caller clears the fold with congru_fold_clear, after a failure too. */
congru_status congru_fold_unpack(congru_context *context, congru_parcel *parcel, size_t classes,
                                 congru_fold *fold);

void congru_record_pack(const congru_record *record, congru_bytes *bytes);

/* The caller clears the record, after a failure too. */
congru_status congru_record_unpack(congru_context *context, congru_parcel *parcel, congru_record *record);

#endif
