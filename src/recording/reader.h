/* What readers of recordings share: the registry, choosing channels, filling a recording. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_RECORDING_READER_H
#define CONGRU_RECORDING_READER_H

#include "array/source.h"
#include "congru/recording.h"

/* A format is one file that exports one of these, and one line in the registry of recording.c. */
typedef struct congru_recording_reader {
    const char *name;
    /* By the first bytes (at most 256; fewer when the file is shorter). */
    bool (*recognises)(const unsigned char *bytes, size_t size);
    /* Fills *recording, made by congru_recording_create; on failure leaves it NULL. `path` finds files beside it. */
    congru_status (*read)(congru_context *context, const char *path, const congru_source *source,
                          const congru_recording_options *options, congru_recording **recording);
} congru_recording_reader;

extern const congru_recording_reader congru_reader_gdf;
extern const congru_recording_reader congru_reader_edf; /* EDF, EDF+, BDF, BDF+ */
extern const congru_recording_reader congru_reader_brainvision;
extern const congru_recording_reader congru_reader_mat; /* BNCI's runs, and EEGLAB's .set */
extern const congru_recording_reader congru_reader_fif;
extern const congru_recording_reader congru_reader_xdf;
extern const congru_recording_reader congru_reader_text; /* CSV, TSV, OpenBCI */

/* The gaps of a file cost memory that its bytes do not show: it may be this many times as long as what was recorded. */
enum { CONGRU_READER_STRETCH_MAX = 24 };

/* Which of the file's `count` channels were asked for: chosen[i] is the file's index of the i-th wanted one. `chosen`
 * has room for max(count, options->channel_count). Checks names, duplicates and that the rates agree; errors name
 * the file and list the channels it has. *rate is theirs. Without names a channel of rate 0 (no samples at even
 * intervals) is left out, and with header_only too the rates may differ: *rate is then the highest. */
congru_status congru_reader_choose(congru_context *context, const char *file, const congru_channel *channel,
                                   size_t count, const congru_recording_options *options, size_t *chosen,
                                   size_t *chosen_count, double *rate);

/* Names channels without a name "Ch1", "Ch2", ... by their place, and numbers names that are there more than once:
 * three of "EEG" become "EEG-0", "EEG-1", "EEG-2", as MNE has them, without a number that is another channel's name.
 * CONGRU_ERROR_MEMORY. */
congru_status congru_reader_distinguish(congru_context *context, const char *file, congru_channel *channel,
                                        size_t count);

/* A recording with room for `channels` channels of `samples` samples (data NULL when header_only), no events yet.
 * Overflow and failed allocations are CONGRU_ERROR_MEMORY with a text. Callers have checked that the file is large
 * enough to hold as many samples. */
congru_status congru_recording_create(congru_context *context, const char *file, size_t channels,
                                      size_t samples, bool header_only, congru_recording **recording);

/* Adds an event; text (length bytes, not terminated, may be NULL) is copied and made valid UTF-8. Grows by doubling.
 * An onset at or past the end is left out, silently: CONGRU_OK. */
congru_status congru_recording_add_event(congru_context *context, congru_recording *recording, size_t onset,
                                         size_t duration, int32_t code, const char *text, size_t length);

/* Adds an event that a file has as a text: its code is the text where that is a whole number, else -1. */
congru_status congru_reader_add_text(congru_context *context, congru_recording *recording, size_t onset,
                                     size_t duration, const char *text, size_t length);

/* Orders the events by onset (stable). */
void congru_recording_sort_events(congru_recording *recording);

/* Copies a label of a fixed-width header field: stops at NUL, drops surrounding blanks, turns Latin-1 into UTF-8 where
 * the bytes are not UTF-8 already, truncates at a character. Control characters become blanks. */
void congru_reader_copy_label(char *label, size_t label_size, const void *field, size_t field_size);

/* What one unit ("uV", "mV", "V", "nV", with micro signs in Latin-1 or UTF-8, any case where unambiguous) is in
 * microvolts; 1 for a unit that is not a voltage. */
double congru_reader_microvolts(const char *unit);

/* A guess from the channel's name: EOG, EMG, ECG, Status, STI, Trigger ... ; EEG otherwise. */
congru_channel_type congru_reader_guess_type(const char *name);

/* By the text that a file has for the kind of a channel ("EEG", "EOG", "trigger", "misc"); by its name where that is
 * empty. */
congru_channel_type congru_reader_type(const char *kind, const char *name);

#endif
