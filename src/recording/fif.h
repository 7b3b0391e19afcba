/* FIF files: tags in blocks, from which raw data and epochs are read. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_RECORDING_FIF_H
#define CONGRU_RECORDING_FIF_H

#include "recording/reader.h"

/* Types of stored numbers, numbered as in the file; a matrix has CONGRU_FIF_MATRIX added. */
enum {
    CONGRU_FIF_INT16 = 2,
    CONGRU_FIF_INT32 = 3,
    CONGRU_FIF_FLOAT32 = 4,
    CONGRU_FIF_FLOAT64 = 5,
    CONGRU_FIF_PACK16 = 16,
    CONGRU_FIF_COMPLEX64 = 20,
    CONGRU_FIF_COMPLEX128 = 21,
    CONGRU_FIF_MATRIX = 1 << 30
};

/* One tag. Its data are in the file: at + size is within it. */
typedef struct congru_fif_tag {
    uint32_t kind, type, size;
    uint64_t at; /* of its data; 0: there is no such tag */
} congru_fif_tag;

/* Samples of all channels together, or a gap of as many. */
typedef struct congru_fif_buffer {
    congru_fif_tag tag; /* tag.at 0: a gap */
    size_t samples;
} congru_fif_buffer;

/* What a file holds, as far as it is read. */
typedef struct congru_fif {
    const char *file;
    double rate; /* 0: not said */
    size_t channels;
    congru_channel *channel;
    double *cal, *range; /* (channels): what the numbers of a file are multiplied by, in SI units */
    bool is_raw, is_epochs, is_split;
    size_t buffers, buffer_room;
    congru_fif_buffer *buffer; /* of the raw data */
    int64_t first_sample;      /* of the raw data, or of each epoch relative to its event */
    int64_t last_sample;       /* of each epoch */
    double measured;           /* seconds of the clock when the measurement began; NaN: not said */
    double annotated_from;     /* seconds of the clock that annotations count from; NaN: not said */
    congru_fif_tag onset, end, description;  /* of the annotations: lists */
    congru_fif_tag epochs, events, event_id; /* of the epochs */
    congru_fif_tag bad;                      /* names of channels that are marked as bad: a list */
} congru_fif;

/* By the first bytes. */
bool congru_fif_recognises(const unsigned char *bytes, size_t size);

/* Walks through all tags. After a failure too the caller clears it. */
congru_status congru_fif_parse(congru_context *context, const congru_source *source, congru_fif *fif);
void congru_fif_clear(congru_fif *fif);

/* What one number of a channel is in the units of a recording: microvolts for voltages. */
double congru_fif_unit(const congru_channel *channel);

/* Bytes of one number; 0 for a type that is not a real number. */
size_t congru_fif_width(uint32_t type);

/* `count` numbers, `stride` bytes apart, times `scale`; what is not finite is NaN. */
void congru_fif_decode(uint32_t type, const unsigned char *bytes, size_t stride, size_t count, double scale,
                       double *number);

/* All numbers of a tag, to be freed; a tag of another type than real numbers is CONGRU_ERROR_FORMAT. */
congru_status congru_fif_numbers(congru_context *context, const congru_source *source,
                                 const congru_fif_tag *tag, double **number, size_t *count);

/* The text of a tag, terminated, to be freed. */
congru_status congru_fif_text(congru_context *context, const congru_source *source, const congru_fif_tag *tag,
                              char **text);

/* Turns the "{COLON}" that stands for ':' in the entries of a list back into it; the length. */
size_t congru_fif_restore_colons(char *text, size_t length);

/* A file that is one part of several, or whose numbers are complex, with what to do. */
congru_status congru_fif_fail_split(congru_context *context, const congru_fif *fif);
congru_status congru_fif_fail_complex(congru_context *context, const congru_fif *fif);

#endif
