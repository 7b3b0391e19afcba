/* Reads a recording and writes a covariance set: covariances IN.edf OUT.npz CODE_OR_TEXT=CLASS... SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/congru.h"

enum { CLASSES_MAX = 16 };

/* recording -> filtered signal -> epochs -> covariances, one call each. */
static congru_status make_set(congru_context *context, const char *path, const congru_event_class *events,
                              size_t count, congru_set **set)
{
    const congru_recording_options wanted = {.eeg_only = true};
    const congru_epochs_options cut = {.events = events, .event_count = count, .window = {0.5, 3.5}};
    const congru_set_options options = {.estimator = CONGRU_ESTIMATOR_OAS, .trace_normalise = true};
    congru_recording *recording = NULL;
    congru_epochs *epochs = NULL;
    congru_iir filter;
    congru_status status = congru_recording_read(context, path, &wanted, &recording);
    if (status == CONGRU_OK)
        status = congru_iir_butterworth(context, 4, 8, 35, recording->rate, &filter);
    if (status == CONGRU_OK)
        status = congru_signal_filter_zero_phase(context, &filter, recording->channels, recording->samples,
                                                 recording->data);
    if (status == CONGRU_OK)
        status = congru_epochs_cut(context, recording, &cut, &epochs, NULL);
    if (status == CONGRU_OK)
        status = congru_set_append(context, set, epochs, "someone", &options);
    congru_epochs_destroy(&epochs);
    congru_recording_destroy(&recording);
    return status;
}

int main(int argc, char **argv)
{
    congru_event_class events[CLASSES_MAX];
    congru_context *context = NULL;
    congru_set *set = NULL;
    size_t count = 0;
    if (argc < 4 || argc - 3 > CLASSES_MAX || congru_context_create(&context, NULL) != CONGRU_OK) {
        fprintf(stderr, "usage: %s IN.edf OUT.npz TEXT=CLASS...\n", argv[0]);
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (equals == NULL)
            return 2;
        *equals = '\0';
        events[count++] = (congru_event_class){.code = -1, .text = argv[i], .class_name = equals + 1};
    }
    congru_status status = make_set(context, argv[1], events, count, &set);
    if (status == CONGRU_OK)
        status = congru_set_write(context, argv[2], set);
    if (status == CONGRU_OK)
        printf("%s: %zu trials of %zu x %zu\n", argv[2], set->count, set->dimension, set->dimension);
    else
        fprintf(stderr, "%s\n", congru_context_error(context));
    congru_set_destroy(&set);
    congru_context_destroy(&context);
    return status == CONGRU_OK ? 0 : 1;
}
