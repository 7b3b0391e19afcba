/* The inside of the BrainVision reader: header, markers, data. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_RECORDING_BRAINVISION_H
#define CONGRU_RECORDING_BRAINVISION_H

#include "recording/reader.h"

enum { CONGRU_BRAINVISION_NAME = 256 };

typedef enum congru_brainvision_type {
    CONGRU_BRAINVISION_INT_16,
    CONGRU_BRAINVISION_INT_32,
    CONGRU_BRAINVISION_FLOAT_32
} congru_brainvision_type;

typedef struct congru_brainvision_header {
    char data_file[CONGRU_BRAINVISION_NAME];   /* plain names of files beside the header */
    char marker_file[CONGRU_BRAINVISION_NAME]; /* "" where there is none */
    congru_brainvision_type type;
    bool vectorized;      /* channel after channel rather than sample after sample */
    uint64_t data_points; /* of each channel, as stated; 0: not stated */
    double rate;
    size_t channels;
    congru_channel *channel; /* (channels) */
    double *scale;           /* (channels) microvolts of one step, where the unit is a voltage */
} congru_brainvision_header;

/* Whether the text begins as a header does: "Brain Vision Data Exchange Header File Version 1.0" and its
 * variants. */
bool congru_brainvision_is_header(const void *text, size_t size);

/* Parses the text of a .vhdr file; `name` is its path, for error texts and for the "$b" in file names. Free
 * with congru_brainvision_header_clear, also after a failure. */
congru_status congru_brainvision_header_parse(congru_context *context, const char *name, const char *text,
                                              size_t size, congru_brainvision_header *header);
void congru_brainvision_header_clear(congru_brainvision_header *header);

/* Adds the markers of a .vmrk file as events: the text is the description, or the type where that is empty; the
 * code of a "Stimulus" marker is the number in its description, of others -1. */
congru_status congru_brainvision_add_markers(congru_context *context, const char *name, const char *text,
                                             size_t size, congru_recording *recording);

/* A recording from a header that was parsed, its data and the text of its markers (NULL: none). `name` is the
 * header's, for error texts; `options` not NULL. On failure *recording is NULL. */
congru_status congru_brainvision_read(congru_context *context, const char *name,
                                      const congru_brainvision_header *header, const congru_source *data,
                                      const congru_source *markers, const congru_recording_options *options,
                                      congru_recording **recording);

#endif
