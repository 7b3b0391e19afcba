/* EEGLAB's .set files, which are MATLAB files: what they say, and where their samples are. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_RECORDING_EEGLAB_H
#define CONGRU_RECORDING_EEGLAB_H

#include "array/mat.h"
#include "recording/reader.h"

/* What a file says of itself, checked. The values are those of the file, which must outlive it. */
typedef struct congru_eeglab {
    congru_context *context;
    const char *file; /* for error texts, and for what lies beside it */
    const congru_source *source;
    const congru_mat *mat;
    double rate, start; /* seconds of the first sample from the event, in epochs */
    size_t channels, samples, trials;
    const congru_mat_value *data; /* the shape of the numbers, or the name of the file that has them */
    const congru_mat_value *chanlocs, *event, *epoch; /* structs, or NULL */
} congru_eeglab;

/* Reads the variables of a MATLAB file: all shapes, and of the contents what describes a .set, which are single numbers
 * and short texts, so that no file of a few bytes takes much memory. In one named .set what is no plain array is passed
 * over: EEG.etc has whatever plug-ins leave there. */
congru_status congru_eeglab_variables(congru_context *context, const congru_source *source, congru_mat **mat);

/* Whether the variables are those of a .set: a struct EEG, or its fields by themselves. */
bool congru_eeglab_recognises(const congru_mat *mat);

/* Checks what the file says; `eeglab` needs no clearing. */
congru_status congru_eeglab_describe(congru_context *context, const char *file, const congru_source *source,
                                     const congru_mat *mat, congru_eeglab *eeglab);

/* Names, units and kinds of the channels (eeglab->channels). */
congru_status congru_eeglab_channels(const congru_eeglab *eeglab, congru_channel *channel);

/* Whether there are as many samples as the file says, before memory is taken for them. `beside` is the file that holds
 * them where the .set does not, or NULL to look for it. */
congru_status congru_eeglab_check_samples(const congru_eeglab *eeglab, const congru_source *beside);

/* The samples of `count` chosen channels: data[(trial * count + k) * samples + i]. What is not
 * finite is NaN. */
congru_status congru_eeglab_samples(const congru_eeglab *eeglab, const congru_source *beside,
                                    const size_t *chosen, size_t count, double *data);

/* An event: its place in samples from 0 over all trials, its length, and its type as a text in `text`. False where
 * it has no place. */
bool congru_eeglab_event(const congru_eeglab *eeglab, size_t index, double *latency, double *duration,
                         char *text, size_t size);

/* The number that a field of an element of a struct is; NaN where it is not one. */
double congru_eeglab_number(const congru_mat_value *value, size_t element, const char *field);

/* Reads a continuous file that was recognised by its variables; CONGRU_ERROR_UNSUPPORTED for one of epochs. */
congru_status congru_eeglab_read(congru_context *context, const char *path, const congru_source *source,
                                 const congru_mat *mat, const congru_source *beside,
                                 const congru_recording_options *options, congru_recording **recording);

#endif
