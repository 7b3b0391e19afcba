/* What cutting epochs and reading them share. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EPOCHS_INTERNAL_H
#define CONGRU_EPOCHS_INTERNAL_H

#include "array/source.h"
#include "congru/epochs.h"

/* Codes of the GDF event table. */
enum { CONGRU_EVENT_TRIAL_START = 768, CONGRU_EVENT_REJECTED = 1023, CONGRU_EVENT_NEW_RUN = 32766 };

/* floor(seconds * rate), where a product that misses a whole number by rounding alone (0.29 * 100) is that
 * number. */
double congru_epochs_sample(double seconds, double rate);

/* Epochs with everything but samples, which the caller has or allocates; labels, runs and sessions are 0,
 * channels named from "1". `file` begins the error text and may be NULL. */
congru_status congru_epochs_create(congru_context *context, const char *file, size_t count, size_t channels,
                                   size_t samples, congru_epochs **epochs);

/* Trial `from` to the place of trial `to`, which goes: samples, label, run and session. */
void congru_epochs_move(congru_epochs *epochs, size_t from, size_t to);

/* congru_epochs_read that takes files of covariances too. */
congru_status congru_epochs_read_either(congru_context *context, const char *path, congru_epochs **epochs);

/* count * channels * samples doubles, to be given back by congru_memory_give (base/cache.h), or NULL. */
double *congru_epochs_allocate(size_t count, size_t channels, size_t samples);

/* ---- event_match.c: which class an event is of ---------------------------------------------------- */

/* Whether the event of this code and text (or NULL) is one that is wanted. */
bool congru_event_matches(const congru_event_class *wanted, int32_t code, const char *text);

/* The entry that the event is of: the first that is its name in full, else the first that fits; `count`: none. */
size_t congru_event_find(const congru_event_class *events, size_t count, int32_t code, const char *text);

/* ---- epochs_marks.c: which trials were rejected, and which run they are of ------------------------ */

typedef struct congru_cue {
    size_t onset;
    int32_t label;
    int32_t run;
    bool rejected;
    size_t number; /* among all cues, from 1; set when some are dropped */
} congru_cue;

/* Sets `rejected` and `run` of cues in order of onset. */
congru_status congru_epochs_mark(congru_context *context, const congru_recording *recording, congru_cue *cue,
                                 size_t cues);

/* ---- epochs_labels.c: from the labels of a file to classes ---------------------------------------- */

/* Classes from whole numbers: indices into the `names` (from 0, or from 1 where the highest is the number of
 * names), or, with no names, one class for each value there is, in order, named by it. */
congru_status congru_epochs_label_numbers(congru_context *context, const char *file, const int64_t *value,
                                          const char *const *names, size_t name_count, congru_epochs *epochs);

/* Classes from texts: those of `names`, or, with none, each there is in order of its bytes. */
congru_status congru_epochs_label_texts(congru_context *context, const char *file, const char *const *value,
                                        const char *const *names, size_t name_count, congru_epochs *epochs);

/* The number of a value among the texts there are, in order of their bytes: for sessions named by text. */
congru_status congru_epochs_number_texts(congru_context *context, const char *file, const char *const *value,
                                         size_t count, int32_t *number);

/* Names the channels, `count` of which must be as many as the epochs have. */
congru_status congru_epochs_name_channels(congru_context *context, const char *file, const char *const *names,
                                          size_t count, congru_epochs *epochs);

/* Whether `count` matrices of n x n are all exactly symmetric: covariances, and no signal. */
bool congru_epochs_are_covariances(const double *data, size_t count, size_t n);

/* ---- The formats ---------------------------------------------------------------------------------- */

congru_status congru_epochs_read_npz(congru_context *context, const char *path, congru_epochs **epochs);
congru_status congru_epochs_read_mat(congru_context *context, const congru_source *source,
                                     congru_epochs **epochs);
congru_status congru_epochs_read_fif(congru_context *context, const congru_source *source,
                                     congru_epochs **epochs);

/* Of a .set, whose variables were read: `beside` is the file of its samples, or NULL to look for it. */
struct congru_mat;
congru_status congru_epochs_read_eeglab(congru_context *context, const congru_source *source,
                                        const struct congru_mat *mat, const congru_source *beside,
                                        congru_epochs **epochs);

#endif
