/* The inside of the EDF and BDF reader: header, records, annotations. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_RECORDING_EDF_H
#define CONGRU_RECORDING_EDF_H

#include "recording/reader.h"

enum { CONGRU_EDF_NUMBER = 8 }; /* width of a numeric field */

typedef struct congru_edf_signal {
    congru_channel channel;
    bool annotations; /* holds text, not samples */
    uint64_t offset;  /* of its bytes in a record */
    uint64_t samples; /* in a record, at least 1 */
    /* Physical minimum and maximum, digital minimum and maximum, as they stand: looked at for the channels that
     * are wanted only, since unused ones often hold nonsense. */
    char range[4][CONGRU_EDF_NUMBER];
} congru_edf_signal;

typedef struct congru_edf_header {
    char format[16];      /* "EDF", "EDF+C", "EDF+D", "BDF", "BDF+C", "BDF+D" */
    bool discontinuous;   /* every record states its own time */
    size_t sample_bytes;  /* 2, of BDF 3 */
    uint64_t data_offset; /* of the first record */
    uint64_t record_bytes;
    uint64_t records; /* whole ones that the file really has, at least 1 */
    double duration;  /* of a record, in seconds; above 0 where there is a signal that is not annotations */
    size_t signals;
    congru_edf_signal *signal; /* (signals) */
} congru_edf_header;

/* value = (digital - digital_min) * gain + physical_min, in microvolts where the unit is a voltage. */
typedef struct congru_edf_scale {
    double digital_min, gain, physical_min;
} congru_edf_scale;

/* Everything in it has been checked against the size of the source. Free with congru_edf_header_clear, also
 * after a failure. */
congru_status congru_edf_header_read(congru_context *context, const congru_source *source,
                                     congru_edf_header *header);
void congru_edf_header_clear(congru_edf_header *header);

/* CONGRU_ERROR_FORMAT naming the channel where its range is no range. */
congru_status congru_edf_scale_find(congru_context *context, const char *file, const congru_edf_header *header,
                                    size_t signal, congru_edf_scale *scale);

/* Given `count` samples of one signal from sample `first` of a record; signal counts in the caller's list. */
typedef congru_status (*congru_edf_visit)(void *user, size_t listed, uint64_t record, uint64_t first,
                                          const unsigned char *bytes, size_t count);

/* Visits the listed signals of every record, in order: records, then signals as listed, then samples. Signals
 * that hold annotations come in one piece per record, others perhaps in several. Reads little more than is
 * asked for, through a buffer of about a megabyte. Stops at the first failure. */
congru_status congru_edf_walk(congru_context *context, const congru_source *source,
                              const congru_edf_header *header, const size_t *signal, size_t count,
                              congru_edf_visit visit, void *user);

/* Where each record of a discontinuous file begins on one continuous timeline at `rate`, from sample 0:
 * position[] (records), and how long the timeline is. Records that follow each other within a sample are
 * joined. Records that overlap, state no time, and a timeline over 24 times the recorded one are errors. */
congru_status congru_edf_place_records(congru_context *context, const congru_source *source,
                                       const congru_edf_header *header, double rate,
                                       uint64_t samples_per_record, size_t *position, size_t *samples);

/* Adds the annotations as events with code -1 and their text, onset and duration rounded to samples of the
 * recording's rate. Time 0 is the beginning of the first record. Those outside the recording are left out. */
congru_status congru_edf_add_annotations(congru_context *context, const congru_source *source,
                                         const congru_edf_header *header, congru_recording *recording);

#endif
