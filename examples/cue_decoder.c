/* Decides about the cues of a recording as it is played: cue_decoder MODEL RECORDING CODE=CLASS,... SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "congru/congru.h"

/* Frame by frame, as a device would; every cue is told when it comes, and decided about when its trial is complete. */
static congru_status play(const congru_model *model, const congru_recording *recording,
                          const congru_import_cue *cue, size_t cues, congru_decoder *decoder)
{
    const size_t channels = recording->channels;
    double *frame = calloc(channels, sizeof *frame);
    congru_status status = frame != NULL ? CONGRU_OK : CONGRU_ERROR_MEMORY;
    for (size_t t = 0, next = 0; status == CONGRU_OK && t < recording->samples; t++) {
        congru_decision decision;
        size_t taken = 0;
        for (; status == CONGRU_OK && next < cues && cue[next].sample == t; next++)
            status = congru_decoder_mark(decoder, t);
        for (size_t i = 0; i < channels; i++)
            frame[i] = recording->data[i * recording->samples + t];
        while (status == CONGRU_OK && taken == 0) { /* a decision may come before the frame is taken */
            status = congru_decoder_push(decoder, 1, frame, &taken, &decision);
            if (status == CONGRU_OK && decision.due && decision.prediction >= 0)
                printf("cue at %7.2f s, decided at %7.2f s: %s (%.2f)\n",
                       (double)decision.cue / recording->rate, decision.time,
                       congru_model_class(model, (size_t)decision.prediction),
                       decision.probability[decision.prediction]);
        }
    }
    free(frame);
    return status;
}

/* The channels of the model, in its order. */
static congru_status read_recording(congru_context *context, const congru_model *model, const char *path,
                                    congru_recording **recording)
{
    const congru_preprocessing *p = congru_model_preprocessing(model);
    const char **name = calloc(p->channels, sizeof *name);
    if (name == NULL)
        return CONGRU_ERROR_MEMORY;
    for (size_t i = 0; i < p->channels; i++)
        name[i] = p->channel_name[i];
    const congru_recording_options wanted = {.channels = name, .channel_count = p->channels};
    congru_status status = congru_recording_read(context, path, &wanted, recording);
    free(name);
    return status;
}

int main(int argc, char **argv)
{
    congru_context *context = NULL;
    congru_model *model = NULL;
    congru_recording *recording = NULL;
    congru_import *import = NULL;
    congru_import_cue *cue = NULL;
    congru_decoder *decoder = NULL;
    congru_decoder_options options;
    size_t cues = 0;
    if (argc != 4 || congru_context_create(&context, NULL) != CONGRU_OK) {
        fprintf(stderr, "usage: %s MODEL RECORDING CODE=CLASS,...\n", argv[0]);
        return 2;
    }
    congru_decoder_options_init(&options);
    options.rate = 0; /* about cues alone */
    congru_status status = congru_model_load(context, argv[1], &model);
    if (status == CONGRU_OK)
        status = read_recording(context, model, argv[2], &recording);
    if (status == CONGRU_OK)
        status = congru_import_create(context, &import);
    if (status == CONGRU_OK)
        status = congru_import_set(context, import, "events", argv[3]);
    if (status == CONGRU_OK)
        status = congru_import_cues(context, import, argv[2], recording, &cue, &cues);
    if (status == CONGRU_OK) {
        options.sampling = recording->rate;
        status = congru_decoder_create(context, model, &options, &decoder);
    }
    if (status == CONGRU_OK)
        status = play(model, recording, cue, cues, decoder);
    if (status != CONGRU_OK)
        fprintf(stderr, "%s: %s\n", congru_status_text(status), congru_context_error(context));
    congru_decoder_destroy(&decoder);
    free(cue);
    congru_import_destroy(&import);
    congru_recording_destroy(&recording);
    congru_model_destroy(&model);
    congru_context_destroy(&context);
    return status == CONGRU_OK ? 0 : 1;
}
